"""Why a rule recurs although it was written: causes in order, the first that holds. Pure.

Each cause is a function over facts that somebody else gathers, and names what shows it and the command that helps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from improve import domains, markdown, match
from improve.inline import plain
from improve.lexicon import vague as words
from improve.lexicon.actions import FROM_ABROAD, OF_PROGRAM
from improve.lexicon.features import prepare
from improve.lexicon.look import FAMILIES, SUBJECTS, rarity
from improve.lexicon.steer import NEGATORS
from improve.lexicon.words import STOP
from improve.rule import Rule

NOT_WRITTEN, NOT_LOADED, CUT, CONTRADICTED, VAGUE, IGNORED = (
    "not-written", "not-loaded", "cut", "contradicted", "vague", "ignored",
)  # fmt: skip
"""Causes, in the order in which they are looked for."""

_SENT = ("loaded", "scoped")
_QUOTED = 80
"""Characters of a line that are quoted."""
_MARKED = re.compile(r"`[^`]+`|\d|[\w.-]+/[\w./*-]*|\b\w[\w-]*\.[a-z]{1,5}\b|(?<=\w)_(?=\w)|\b[A-Z]{2,}\b")
"""What names a thing exactly: code, numbers, paths, names of files and identifiers."""
_CLAUSES = re.compile(r"(?<=\w)[.!?;:](?=\s|$)|[。！？；：]|,\s|，|、| - |[—()]")
_CONTRAST = re.compile(r"\b(?:instead of|rather than|over|statt|au lieu de|en lugar de|вместо)\b", re.IGNORECASE)
_MANY = 2
"""Concrete things beyond its vague words that make a clause clear all the same."""
_OUTRIGHT = 0.6
"""Share of a text that must be about the tool in question to demand or forbid it outright."""
_TO_THE_POINT = 0.4
"""Share that must be about what two texts do not agree on."""
_DISPUTED, _IN_COMMON = 0.25, 0.75
"""The same where nearly all is about what both speak of."""
_TELLING = 3.5
"""Weight from which on a word is about something."""
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_SPACELESS = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_NEGATED = re.compile(
    r"\b(?:don'?ts?|do not|never|avoid|not|forbidden|anti-?patterns?|bad|wrong|nie|niemals|verboten|vermeiden|jamais"
    r"|nunca|evitar|нельзя|запрещено)\b|禁止|不要|避免|しない|금지",
    re.IGNORECASE,
)
"""Headings whose lines say what not to do."""


class Cause(NamedTuple):
    """Why a rule recurs."""

    cause: str
    detail: str
    """What shows it, in one clause."""
    fix: str
    """The command that helps, or what a person can do."""


class Placed(NamedTuple):
    """How a rule stands with one host in a place where it recurred."""

    host: str
    path: str
    state: str
    """As in `workflow.reach.Reached`: `loaded`, `scoped`, `cut`, `hidden`, `later`, `off`, `foreign` or `gone`."""
    why: str = ""
    fix: str = ""


class Facts(NamedTuple):
    """What is known of a recurring rule."""

    rule: Rule
    placed: tuple[Placed, ...] = ()
    """Hosts in which it recurred."""
    others: tuple[Rule, ...] = ()
    """The other active rules that hold in the same places."""
    files: tuple[tuple[str, bytes], ...] = ()
    """The instruction files loaded there: path as it is shown to people, and text."""


def find(facts: Facts) -> Cause:
    """Give the first cause that holds; a rule that is loaded, clear and followed by nobody is ignored."""
    checks = (not_written, not_loaded, cut, contradicted_by_rule, contradicted_by_line, too_vague)
    return next((found for check in checks if (found := check(facts))), ignored(facts))


def not_written(facts: Facts) -> Cause | None:
    """Say whether the rule stands in no file at all, or does not any more."""
    fix = f"improve escalate --apply {facts.rule.id}"
    if not facts.rule.written_to:
        return Cause(NOT_WRITTEN, "it stands in no instruction file", fix)
    gone = [place for place in facts.placed if place.state == "gone"]
    if gone and not any(place.state in _SENT for place in facts.placed):
        return Cause(NOT_WRITTEN, gone[0].why or f"its line is not in {gone[0].path} any more", gone[0].fix or fix)
    return None


def not_loaded(facts: Facts) -> Cause | None:
    """Name the first host that does not load the file it stands in."""
    for place in facts.placed:
        if place.state not in (*_SENT, "cut"):
            why = place.why or f"{place.host} does not load {place.path}"
            why = why if place.host in why else f"in {place.host}, {why}"
            return Cause(NOT_LOADED, why, place.fix or f"improve where --host {place.host}")
    return None


def cut(facts: Facts) -> Cause | None:
    """Name the first host that cuts the file off before the rule."""
    for place in facts.placed:
        if place.state == "cut":
            why = f"{place.path}: {place.why}" if place.why else f"{place.host} reads only the start of {place.path}"
            return Cause(CUT, why, place.fix or "improve budget")
    return None


def contradicted_by_rule(facts: Facts) -> Cause | None:
    """Name another rule that nobody can follow at the same time."""
    for other in facts.others:
        clash = _clash(facts.rule.text, other.text) if _is_other(facts.rule, other) else ""
        if clash:
            detail = f"rule {other.id} says “{_short(other.text)}” ({clash})"
            return Cause(CONTRADICTED, detail, f"improve retire {other.id}")
    return None


def _is_other(rule: Rule, other: Rule) -> bool:
    return rule.id != other.id and not other.retired and other.id not in rule.supersedes


def contradicted_by_line(facts: Facts) -> Cause | None:
    """Name a line of a loaded file that nobody can follow at the same time."""
    own = {plain(text) for text in (facts.rule.text, *facts.rule.aliases, *(w.text for w in facts.rule.written_to))}
    ours = own | {plain(text) for rule in facts.others for text in (rule.text, *(w.text for w in rule.written_to))}
    for path, data in facts.files:
        for number, text, said in _lines(data):
            if plain(text) in ours:
                continue
            clash = _clash(facts.rule.text, said)
            if clash:
                detail = f"{path}:{number} says “{_short(text)}” ({clash})"
                return Cause(CONTRADICTED, detail, f"change line {number} of {path}, or improve retire {facts.rule.id}")
    return None


def _clash(mine: str, theirs: str) -> str:
    """Say why nobody can follow both; empty when one can.

    Told about all lines of long files, the matcher would be wrong too often: what is denied must be what both are
    about. And what it leaves open, `uv, never pip install` and `pip, not uv`, is no question for a rule that fails.
    """
    found = match.compare(mine, theirs)
    a, b = prepare(mine), prepare(theirs)
    opposed = {word for word in a.signs.keys() & b.signs.keys() if a.signs[word] * b.signs[word] < 0}
    if found.relation == "contradict":
        kinds = {kind for kind in a.choices.keys() & b.choices.keys() if not a.choices[kind] & b.choices[kind]}
        about = opposed | {word for word in b.weights if kinds & dict(FAMILIES.get(word, ())).keys()}
        if not about or _share(b, about) >= _TO_THE_POINT:
            return found.reason
        # "indent Terraform with tabs": all of it is what both speak of, and a good part what they do not agree on
        both = {word for word in a.weights.keys() & b.weights.keys() if a.signs.get(word, 0) * b.signs.get(word, 0) > 0}
        pointed = _share(b, about) >= _DISPUTED and _share(b, about | both) >= _IN_COMMON
        return found.reason if pointed else ""
    tools = opposed & FAMILIES.keys()
    crosswise = len({a.signs[word] for word in tools}) > 1
    if tools and (crosswise or _share(b, tools) >= _OUTRIGHT):
        return f"one forbids {min(tools)}, the other demands it"
    return ""


def _share(rule: match.Prepared, about: set[str]) -> float:
    """Say how much of a rule is about some telling words."""
    return sum(rule.weights.get(word, 0.0) for word in about if rarity(word) >= _TELLING) / rule.total


def _lines(data: bytes) -> Iterator[tuple[int, str, str]]:
    """Yield line, text and meaning of every item of a file's lists; under `Don't` a line means the opposite."""
    for item in markdown.scan(data).items:
        text = item.text
        if text:
            yield item.line.number, text, f"Never {text}" if _NEGATED.search(item.section) else text


def too_vague(facts: Facts) -> Cause | None:
    """Say which words leave open what to do."""
    found = vague_words(facts.rule.text)
    if found is None:
        return None
    detail = f"nobody can check {', '.join(f'“{word}”' for word in found)}" if found else "it names nothing to check"
    return Cause(VAGUE, detail, f'improve set {facts.rule.id} --text "…" with a command, a file or a number in it')


def vague_words(text: str) -> tuple[str, ...] | None:
    """Give the words that make a rule too vague to be checked; None for a rule that can be.

    A rule is clear when one of its clauses names something exactly, sets one thing against another, or speaks of
    concrete things without a vague word, or of many with one.

    >>> vague_words("Write clean code")
    ('clean',)
    >>> vague_words("Keep functions small, under 40 lines") is None
    True
    """
    if "`" in text.replace("``", ""):
        return None
    found: dict[str, None] = {}
    for clause in _CLAUSES.split(text):
        praise = _praise(clause)
        said = _concrete(clause)
        if _MARKED.search(clause) or (said and not praise) or len(said) - len(praise) >= _MANY:
            return None
        if said and _CONTRAST.search(clause):
            return None
        found.update(dict.fromkeys(praise))
    return tuple(found)


def _praise(clause: str) -> list[str]:
    if _SPACELESS.search(clause):
        return [word for word in sorted(words.UNSPACED) if word in clause]
    return [word for word in _WORD.findall(clause) if word.casefold() in words.WORDS]


def _concrete(clause: str) -> set[str]:
    """Pick the concepts that one can see being done, and what may be one in a language that is not read."""
    read = {word for word in _WORD.findall(clause.casefold()) if word not in words.WORDS}
    said = {FROM_ABROAD.get(word, word) for word in read} | set(prepare(clause).weights)
    seen = {word for word in said if _is_seen(word)}
    unread = [word for word in read if word not in STOP and word not in NEGATORS and len(word) > 3]
    return seen or (set(unread) if len(unread) > 1 or _SPACELESS.search(clause) else set())


def _is_seen(word: str) -> bool:
    known = word in SUBJECTS or word in FAMILIES or word in OF_PROGRAM
    return known or max(domains.strengths(word).values(), default=0.0) >= 2.0


def ignored(facts: Facts) -> Cause:
    """Say that the rule was loaded and clear: what is left is to stop the call."""
    rule = facts.rule
    if not rule.check:
        fix = f"improve check suggest {rule.id}, then improve guard {rule.id} --warn"
    else:
        fix = f"improve guard {rule.id} {'--deny' if rule.guard == 'warn' else '--warn'}"
    if rule.guard == "deny":
        fix = f"nothing more: its guard stops it; what it met: improve history {rule.id}"
    hosts: Sequence[str] = tuple(dict.fromkeys(place.host for place in facts.placed))
    by = f" by {', '.join(hosts)}" if hosts else ""
    return Cause(IGNORED, f"it was loaded{by}, is clear, and was not followed", fix)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else line[: _QUOTED - 1] + "…"
