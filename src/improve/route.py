"""Routes of config.yaml: which rules go to which file instead of the instruction file. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from improve.rule import Rule


class Route(NamedTuple):
    """Where the rules go that meet all its conditions; a rule takes the first route that fits."""

    file: str
    section: str = ""
    paths: tuple[str, ...] = ()
    domain: str = ""
    match: str = ""
    project: str = ""


FIELDS: dict[str, str] = {
    "domain": "Only rules of this domain.",
    "match": "Only rules whose text has all these words.",
    "project": "Only rules of this project, by its key or its name.",
    "file": "Where the rules go: relative to the root of each project for rules of projects; absolute or `~/…` for "
    "rules that hold everywhere, and for those of the named project.",
    "section": "Heading in that file; default: the section of the rule's domain.",
    "paths": "Globs for which that file is loaded, written at the top of a new file in `.claude/rules/`, "
    "`.cursor/rules/` or `.github/instructions/`.",
}
"""What each key of a route says; a test holds it against `Route`."""


def is_absolute(file: str) -> bool:
    """Say whether a path stands for one place on this machine, not for one in each project."""
    return file.startswith(("/", "\\", "~")) or file[1:3] in (":\\", ":/")


def leaves(file: str) -> bool:
    """Say whether a relative path leads out of the directory it starts in."""
    depth = 0
    for part in file.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return depth == 0


def choose(routes: Iterable[Route], rule: Rule, names: Collection[str]) -> Route | None:
    """Take the first route for a rule.

    Args:
        names: what the project the rule is to be written for is called; none for rules that hold everywhere.
    """
    return next((route for route in routes if _reaches(route, names) and _fits(route, rule)), None)


def _reaches(route: Route, names: Collection[str]) -> bool:
    """Say whether a route is about this project: what holds in one place never leaks into a file for all."""
    if route.project:
        from improve.rule import means

        return any(means(route.project, name) for name in names)
    return is_absolute(route.file) != bool(names)


def _fits(route: Route, rule: Rule) -> bool:
    if route.domain and route.domain.casefold().replace("_", "-") != rule.domain.casefold().replace("_", "-"):
        return False
    text = rule.text.casefold()
    return all(_has(text, word) for word in route.match.casefold().split())


def _has(text: str, word: str) -> bool:
    """Find a word that is no part of a longer one; scripts without blanks have no such borders."""
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not (_joins(before, word[0]) or _joins(word[-1], after)):
            return True
        at = text.find(word, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()
