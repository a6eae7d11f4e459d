"""What a session must be about so that a rule's mistake could have been made in it. Pure.

With a check it is the command or the files of the check, whether done the denied way or another. Without one, or where
it tells of nothing but the mistake, it is what the rule's words are about: answers, code of a language, a program, or
its most telling words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from improve import domains, frontmatter
from improve.lexicon.actions import FROM_ABROAD, INSTALLING, OF_ENDING, OF_PLACE, OF_PROGRAM, OF_SUBCOMMAND
from improve.lexicon.choices import FAMILIES as CHOICES
from improve.lexicon.features import prepare
from improve.lexicon.look import RARE, SINGLE, concept_of, rarity
from improve.lexicon.tables import rows_of, words_of
from improve.rule import UNKNOWN, Check, Rule

_PLAIN = re.compile(r"[^\W\d_]{2,}")


def concepts_of(block: str) -> frozenset[str]:
    """Give the concepts of a block of words, and the words themselves."""
    return words_of(block) | {concept_of(word) for word in block.split()}


_ANSWERS = concepts_of(
    "response emoji em-dash tone concise explain english german french spanish chinese japanese korean russian"
    " portuguese summary apology greeting filler polite jargon"
)
"""Words of rules about how the agent speaks: their topic comes up whenever it answers."""
_CODE = concepts_of(
    "comment docstring type explicit-type any-type variable indent tab-indent space-indent line-length semicolon"
    " early-return nesting exception catch error-handling name descriptive function import dead-code f-string"
    " arrow-function single-quote double-quote trailing-comma camel-case snake-case constant class mutate hardcode"
    " over-engineer abstraction duplicate refactor log"
)
"""Words of rules about code as such: their topic comes up whenever code is written."""
_CONDUCT = concepts_of(
    "scope unrelated touch unasked unrequested unnecessary minimal claim decision verify complete mark"
)
"""Words of rules about how much is changed: their topic comes up whenever anything is."""
_LANGUAGE = re.compile(
    r"\b(python|golang|rust|typescript|javascript|kotlin|ruby|php|swift|dart|elixir|lua|terraform|java)\b"
    r"|(?<=\w )(?-i:Go)\b",
    re.IGNORECASE,
)
_WORLD_OF = {"golang": "go", "typescript": "javascript"}
_CODE_DOMAINS = ("code-style", "error-handling", "import-patterns")
_HAZY = concepts_of(
    "use run write add create change code file project agent before after check small command tool new start finish"
    " begin task step done say good best prefer work make approach user codebase pattern look read remove version"
    " implement bare free base need build imag image production language hand style"
    " instead around local purpose exist pick default option"
)
"""Concepts that are in too many sessions to say what one is about."""


class Topic(NamedTuple):
    """What a session must hold so that a rule's mistake could have been made in it."""

    always: bool = False
    """It comes up whenever the agent answers."""
    code: bool = False
    """It comes up whenever code is written (in one of `worlds`, if there are any)."""
    edited: bool = False
    """It comes up whenever a file is changed."""
    worlds: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    """Texts that a check looks for in what is written."""
    words: tuple[tuple[str, float], ...] = ()
    """Telling concepts with their weight."""


def topic(rule: Rule, check: Check | None = None) -> Topic:
    """Say what a session must hold so that the rule's mistake could have been made in it."""
    check = check or rule.check
    if check:
        found = _of_check(check, rule.text)
        if (check.paths and not check.deny) or (found.texts and not found.programs):
            # what it speaks of is the mistake itself: only those that made it would count, and all would have made it
            return _of_words(rule)._replace(paths=found.paths, texts=found.texts)
        if found.programs or found.paths:
            return found
    return _of_words(rule)


def _of_check(check: Check, text: str) -> Topic:
    """Take the command or the files a check is about, whether it is done the denied way or the recommended one."""
    plain = [pattern for pattern in check.deny if not pattern.startswith("/")]
    programs = frozenset(name for pattern in plain for name in _doing(pattern, text)) if check.tool != "edit" else ()
    edits = check.tool in ("edit", "write", "any")
    literal = tuple(pattern.strip("*").casefold() for pattern in plain) if edits and not check.paths else ()
    if check.tool == "shell":
        return Topic(programs=frozenset(programs))
    return Topic(
        programs=frozenset(programs),
        paths=frontmatter.spread(check.paths),
        texts=tuple(t for t in literal if len(t) > 2),
    )


def _doing(pattern: str, text: str) -> Iterable[str]:
    """Name what is run where a pattern is denied, and what the rule, or anybody, would run instead."""
    words = pattern.split()
    names = set(words[0].casefold().split("|")) if words else set()
    others = {other for name in names for other in _siblings(name)}
    others |= {word for word in _PLAIN.findall(text.lower()) if word in OF_PROGRAM}
    arguments = set(words[1].casefold().split("|")) if len(words) > 1 and not words[1].startswith("-") else set()
    if not arguments - {"*"}:
        yield from names | others
    elif arguments & INSTALLING:
        yield from (f"{name} {how}" for name in names | others for how in INSTALLING)
        yield from (f"uv pip {how}" for how in INSTALLING if "uv" in others)
    else:
        yield from (f"{name} {how}" for name in names for how in arguments)


@lru_cache(maxsize=1)
def _families() -> dict[str, frozenset[str]]:
    """Put each program with those one can take instead."""
    rows = [frozenset(members) for name, members in rows_of(CHOICES) if re.search("manager|runner|tool", name)]
    found = {member: row for row in rows for member in row}
    return found | {"grep": frozenset({"grep", "rg", "ag"}), "rg": frozenset({"grep", "rg", "ag"})}


def _siblings(name: str) -> frozenset[str]:
    return _families().get({"pip3": "pip"}.get(name, name), frozenset())


class _Read(NamedTuple):
    """What a rule without a check says, sorted by what its words are about."""

    concepts: frozenset[str]
    worlds: frozenset[str]
    deeds: frozenset[str]
    """Concepts that are seen in commands and paths."""
    moments: frozenset[str]
    """Those of them that stand after `before`, `when` and the like: the occasion itself."""
    concrete: frozenset[str]
    steady: frozenset[str]
    """All that are not hazy."""
    domain: str


def _read(rule: Rule) -> _Read:
    read = prepare(rule.text)
    abroad = {FROM_ABROAD[word] for word in _PLAIN.findall(rule.text.lower()) if word in FROM_ABROAD}
    concepts = (read.weights.keys() - (_unknown(read.weights) if abroad else frozenset())) | abroad
    languages = {found.group().lower() for found in _LANGUAGE.finditer(rule.text)}
    concepts = {word for word in concepts if word[0].isalpha()} or concepts
    steady = frozenset(concepts - _HAZY - _ANSWERS - {"ask-user"} - languages)
    deeds = steady & _DEEDS
    known = rule.domain not in (UNKNOWN, "")
    return _Read(
        frozenset(concepts),
        frozenset(_WORLD_OF.get(language, language) for language in languages) or read.worlds,
        deeds,
        frozenset(word for word in deeds if read.signs.get(word) == 0),
        frozenset(filter(_is_concrete, steady)),
        steady,
        rule.domain if known else (domains.guess(rule.text, _ALL_DOMAINS) or ("",))[0],
    )


def _unknown(words: Iterable[str]) -> set[str]:
    """Pick the words of a language that was recognised by some others: nothing is said with them elsewhere."""
    return {word for word in words if rarity(word) >= RARE and word not in _CONCEPTS}


def _of_words(rule: Rule) -> Topic:
    """Take the telling words of a rule; what stands after `before` or `when` is its occasion, if anything is."""
    read = _read(rule)
    named = _named(rule.text.lower())
    if read.moments and read.concepts & _FIRST and read.deeds - read.moments <= _FIRST | _TESTS:
        return _weighed(read.moments)
    if named:
        return Topic(programs=frozenset(named))
    if read.concepts & _ANSWERS and not read.deeds:
        return Topic(always=True)
    if read.domain == "ui-components":
        return Topic(words=(("component", 1.0), ("css", 1.0)))
    if read.deeds and read.deeds <= _TESTS:
        return Topic(code=True, worlds=read.worlds, words=(("test", 1.0),))
    if not read.deeds - _TESTS - _ALSO_CODE and (read.domain in _CODE_DOMAINS or read.concepts & _CODE or read.worlds):
        return Topic(code=True, worlds=read.worlds)
    if read.concepts & _CONDUCT and not read.deeds:
        return Topic(edited=True)
    return _weighed(read.deeds or read.concrete or read.steady or read.concepts)


def _weighed(words: Iterable[str]) -> Topic:
    return Topic(words=tuple((word, rarity(word)) for word in sorted(words)))


def _named(text: str) -> set[str]:
    """Give the programs a rule names that can be taken one for another: `uv` and `pip`, `rg` and `grep`."""
    found = {word for word in re.findall(r"[a-z][\w-]+", text) if word in _families()}
    rg = {"grep", "rg", "ag"} if "ripgrep" in text or "rg" in found else set()
    family = {other for word in found for other in _siblings(word)} | rg
    if family & {"npm", "pip"}:
        return {f"{name} {how}" for name in family for how in (*INSTALLING, "pip", "test", "run") if how != "run"}
    return family


@lru_cache(maxsize=4096)
def _is_concrete(word: str) -> bool:
    return word not in _HAZY and max(domains.strengths(word).values(), default=0.0) >= 2.0


_DEEDS = frozenset(
    concept
    for table in (OF_PROGRAM, OF_SUBCOMMAND, OF_ENDING, OF_PLACE)
    for concepts in table.values()
    for concept in concepts
    if concept not in _HAZY
) - concepts_of("ui sql http type-check")
_TESTS = concepts_of("test unit-test test-suite pytest jest vitest")
_ALSO_CODE = concepts_of("document log")
_FIRST = concepts_of("ask-user approval test check run lint format before")
"""What is asked for before something else is done."""
_CONCEPTS = frozenset(SINGLE.values())
_ALL_DOMAINS = tuple(name for name, _ in rows_of(domains.WORDS))
