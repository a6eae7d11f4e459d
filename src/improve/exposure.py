"""Did the topic of a rule come up in a session: was there an occasion to make its mistake, made or not? Pure.

`terms` reads a session once; `came_up` then asks it about any number of rules. It is about the occasion, not the
mistake: a session in which `uv add` ran is one in which `pip install` could have.
"""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from improve.lexicon.actions import (
    FROM_ABROAD,
    GIT_ONLY,
    MANY_SIDED,
    OF_ENDING,
    OF_PLACE,
    OF_PROGRAM,
    OF_SUBCOMMAND,
    WORLD,
)
from improve.lexicon.features import prepare
from improve.lexicon.look import PARTS, concept_of
from improve.lexicon.tables import words_of
from improve.topic import Topic, topic

if TYPE_CHECKING:
    from improve.deed import Entry

__all__ = ["Terms", "Topic", "came_up", "terms", "topic", "written"]

EDITS = ("edit", "write")
_TELLING = ("shell", *EDITS)
_SPLIT = re.compile(r"&&|\|\||[|;&\n`]|\$\(")
_WRAPPERS = words_of("sudo env command time nice nohup exec xargs npx bunx pnpx uvx then do else !")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}")
_PLAIN = re.compile(r"[^\W\d_]{2,}")
_OFTEN, _SHORT = 3, 2000
"""Times a word must stand in what was written and run, when that is more than a few lines, to be what it is about."""
_MOST_ADDED = 1500
"""Characters of an edit that are read for what it is about."""
_ENOUGH = 0.45
"""Share of a topic's words that must come up."""
_LONG, _ENOUGH_LONG = 5, 0.3
"""Words from which on a topic is a long one, of which fewer need to come up, but two."""


class Terms(NamedTuple):
    """What was spoken of and done in one session, in words that topics are made of."""

    said: frozenset[str]
    """Concepts in the person's messages."""
    done: frozenset[str]
    """Concepts of what was run and written."""
    programs: frozenset[str]
    """Programs, alone and with their first argument: `git`, `git push`."""
    paths: tuple[str, ...]
    """Files that were touched."""
    worlds: frozenset[str]
    """Programming languages that were written."""
    text: str
    """What was written and run, in lower case."""
    answered: bool
    """The agent had something to answer."""
    edited: bool = False
    """A file was changed."""


def terms(entry: Entry) -> Terms:
    """Read a session once, to be asked about many rules."""
    text = written(entry)
    programs = {program for deed in entry.deeds if deed.kind == "shell" for program in _programs(deed.subject)}
    edited = [deed.subject for deed in entry.deeds if deed.kind in EDITS]
    touched = dict.fromkeys(d.subject.replace("\\", "/") for d in entry.deeds if d.kind in (*EDITS, "read"))
    often = Counter(_WORD.findall(text))
    done = {_concept(word) for word, times in often.items() if times >= _OFTEN or len(text) < _SHORT}
    done.update(*map(_about_program, programs), *map(_about_path, edited))
    return Terms(
        said=frozenset().union(*(_spoken(words) for _, words in entry.asked)),
        done=frozenset(done),
        programs=frozenset(programs),
        paths=tuple(touched),
        worlds=frozenset(WORLD[end] for path in edited if (end := _ending(path)) in WORLD),
        text=text.lower(),
        answered=bool(entry.asked or entry.messages),
        edited=bool(edited),
    )


def written(entry: Entry) -> str:
    """Give what was run and written, the beginning of each, a line each."""
    told = ((d.subject if d.kind == "shell" else d.added)[:_MOST_ADDED] for d in entry.deeds if d.kind in _TELLING)
    return "\n".join(told)


@lru_cache(maxsize=4096)
def _spoken(words: str) -> frozenset[str]:
    """Give the concepts of a message, with what they are partly about."""
    found = set(prepare(words).weights)
    found |= {FROM_ABROAD[word] for word in _PLAIN.findall(words.lower()) if word in FROM_ABROAD}
    found |= {part for word in found for part in PARTS.get(word, ())}
    return frozenset(found)


@lru_cache(maxsize=16384)
def _concept(word: str) -> str:
    return concept_of(word.lower())


def _programs(line: str) -> set[str]:
    """Name the programs a line of shell runs, roughly: an occasion too many does little harm.

    The parser that checks use would take five times as long, on every command of all the past.
    """
    found: set[str] = set()
    for part in _SPLIT.split(line):
        words = part.replace("(", " ").replace('"', " ").replace("'", " ").split()
        while words and (words[0] in _WRAPPERS or _ASSIGNED.match(words[0])):
            words = words[1:]
        if words[1:2] == ["-m"] and words[0].rpartition("/")[2].startswith("python"):
            words = words[2:]
        if words[:2] == ["uv", "run"] or words[:2] == ["poetry", "run"]:
            found.add(words[0])
            words = words[2:]
        if words:
            name = words[0].rpartition("/")[2].removesuffix(".exe").casefold()
            plain = [word for word in words[1:] if not word.startswith("-")]
            found |= {name, f"{name} {plain[0].casefold()}"} if plain else {name}
            found |= {f"uv {' '.join(plain[:2])}"} if name == "uv" and len(plain) > 1 else set()
    return found


def _about_program(program: str) -> set[str]:
    name, _, argument = program.partition(" ")
    found = set(OF_PROGRAM.get(name, ()))
    if argument and name in MANY_SIDED and (name == "git") == (argument in GIT_ONLY):
        found |= set(OF_SUBCOMMAND.get(argument, ()))
    return found if argument else found | ({name, _concept(name)} if name not in MANY_SIDED else set())


def _about_path(path: str) -> set[str]:
    ending = _ending(path)
    found = set(OF_ENDING.get(ending, ()))
    for part in path.casefold().replace("\\", "/").split("/"):
        for piece in (part, *re.split(r"[._-]", part)):
            found |= set(OF_PLACE.get(piece, ()))
    return found


def _ending(path: str) -> str:
    return path.rpartition(".")[2].casefold()


def came_up(about: Topic, held: Terms) -> str:
    """Say by what the topic came up in a session, in one clause; empty when it did not."""
    if about.always:
        return "the agent answered" if held.answered else ""
    ran = about.programs & held.programs
    if ran:
        return f"ran {min(ran)}"
    touched = next((path for path in held.paths for glob in about.paths if fits(path, glob)), "")
    if touched:
        return f"touched {touched}"
    if about.texts and any(text in held.text for text in about.texts):
        return "wrote such text"
    if about.code and held.worlds and (not about.worlds or about.worlds & held.worlds):
        return f"wrote {min(about.worlds & held.worlds or held.worlds)}"
    if about.edited and held.edited:
        return "changed files"
    return _by_words(about, held)


def _by_words(about: Topic, held: Terms) -> str:
    whole = sum(weight for _, weight in about.words)
    found = [(word, weight) for word, weight in about.words if word in held.said or word in held.done]
    enough = _ENOUGH if len(about.words) < _LONG or len(found) < 2 else _ENOUGH_LONG
    if not whole or sum(weight for _, weight in found) < enough * whole:
        return ""
    best = max(found, key=lambda pair: pair[1])[0]
    return f"asked about {best}" if best in held.said else f"did something about {best}"


def fits(path: str, glob: str) -> bool:
    """Say whether a path, absolute or not, is one of those a glob means."""
    plain = glob.removeprefix("./").removeprefix("**/").replace("**", "*")
    return fnmatchcase(path, plain) or fnmatchcase(path, f"*/{plain}")
