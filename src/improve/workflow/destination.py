"""Where a rule is written: what a person said of it, else what a route says, else the usual instruction file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from improve import hosts, route
from improve.errors import Refused
from improve.escalate import NOBODY
from improve.rule import Destination, Rule
from improve.view import View
from improve.workflow.here import Here

PERSON, ROUTE = "person", "route"


class Goal(NamedTuple):
    """The file a rule goes to for one target."""

    path: str
    """Empty when there is none; `why` says the reason."""
    why: str = ""
    section: str = ""
    paths: tuple[str, ...] = ()
    """Globs the file is to be loaded for."""
    by: str = ""
    """Who named it: `person`, `route`, or empty for the usual instruction file."""


def goal(here: Here, view: View, rule: Rule, key: str, *, beside: str = "") -> Goal:
    """Find the file of a rule for a target.

    Args:
        key: a project, or `NOBODY` for what holds everywhere.
        beside: a file of the project; of several clones the one that holds it is meant.
    """
    named = rule.destination
    if key == NOBODY:
        sent = _sent(here, rule, ()) if named is None else None
        if named and route.is_absolute(named.path):
            return Goal(_full(named.path), "", named.section, named.paths, PERSON)
        if sent:
            return Goal(_full(sent.file), "", sent.section, sent.paths, ROUTE)
        return Goal(hosts.global_choice(here.home.user, here.env).path)
    roots = here.roots_of(key, view)
    if not roots:
        return Goal(
            "",
            f"the project {key} has no directory on this machine; nothing was written for it. "
            "Its directory is known once something is recorded inside a clone of it",
        )
    root = next((root for root in roots if beside.startswith(os.path.realpath(root) + os.sep)), roots[0])
    if named:
        return _below(root, named.path, Goal("", "", named.section, named.paths, PERSON))
    sent = _sent(here, rule, here.names_of(key, view))
    if sent:
        return _below(root, sent.file, Goal("", "", sent.section, sent.paths, ROUTE))
    inside = bool(here.project and here.project.key == key)
    return Goal(hosts.project_choice(root, here.env, here=inside).path)


def _sent(here: Here, rule: Rule, names: tuple[str, ...]) -> route.Route | None:
    return route.choose(here.config.routes, rule, names)


def _full(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def _below(root: str, file: str, found: Goal) -> Goal:
    """Place a file in a project; one that leads out of it is none."""
    if not route.is_absolute(file) and route.leaves(file):
        return found._replace(why=f"{file!r} leads out of the project; nothing was written. Name a file inside it")
    return found._replace(path=os.path.normpath(os.path.join(root, os.path.expanduser(file))))


# --- what somebody names ---


def named(path: str, section: str, paths: Iterable[str], roots: Iterable[str], *, cwd: str) -> Destination:
    """Make a destination of what was typed; inside a project it is relative, so that it holds in every clone.

    Raises:
        Refused: a rule may not be written to such a file, or the globs are none it can be loaded for.
    """
    from improve import wording

    full = _full(os.path.join(cwd, os.path.expanduser(wording.check_destination(path))))
    root = next((root for root in roots if root and full.startswith(root + os.sep)), "")
    shown = os.path.relpath(full, root) if root else full
    return Destination(shown, section, check_paths(shown, paths))


def check(there: Destination) -> None:
    """Check a destination as it stands in rules.yaml, which may come from another machine or another program.

    Raises:
        Refused: nothing is written there.
    """
    from improve import wording

    wording.check_destination(there.path)
    check_paths(there.path, there.paths)
    if not route.is_absolute(there.path) and route.leaves(there.path):
        raise Refused(f"{there.path!r} leads out of the project; nothing was recorded. Name a file inside it.")


def check_paths(path: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Check the globs that a rule file is to be loaded for."""
    from improve import frontmatter

    globs = tuple(dict.fromkeys(paths))
    if globs and not frontmatter.key_for(path):
        raise Refused(
            f"{path} is loaded for no paths in particular; nothing was recorded. --paths is for .claude/rules/*.md, "
            ".cursor/rules/*.mdc and .github/instructions/*.instructions.md"
        )
    for glob in globs:
        if why := frontmatter.fault(glob):
            raise Refused(f"the glob {glob!r} {why}; nothing was recorded. Give one such as tests/**")
    return globs
