"""Sessions written as lines of text, and a judge that knows one word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from improve.detectors.finding import NONE, REVIEW, Verdict
from improve.detectors.words import UNKNOWN, Moments
from improve.session import (
    AGENT,
    BY_PERSON,
    BY_RULE,
    CUT_OFF,
    EDIT,
    HOST,
    OTHER,
    PERSON,
    READ,
    SHELL,
    TOOL,
    TYPED,
    Call,
    Result,
    Turn,
)

DATA = Path(__file__).parent.parent / "data" / "detect"
_TOOLS = {"shell": (SHELL, "Bash"), "edit": (EDIT, "Edit"), "read": (READ, "Read")}
_ENDS = {"failed": "", "refused": BY_PERSON, "blocked": BY_RULE, "cut": CUT_OFF}


class Case(NamedTuple):
    """A session and what is to be found in it."""

    name: str
    lines: list[str]
    expected: list[str]


def cases(name: str) -> list[Case]:
    """Read a table of sessions."""
    found: list[Case] = []
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found.append(Case(line[3:], [], []))
        elif found and line.startswith("=> "):
            if line != "=> nothing":
                found[-1].expected.append(line[3:])
        elif found and line.strip():
            found[-1].lines.append(line.replace("\\n", "\n"))
    return found


def turns(lines: list[str]) -> Iterator[Turn]:
    """Make the turns of a session from its lines."""
    waiting: list[str] = []
    for number, line in enumerate(lines):
        name, _, text = line.partition(":")
        who, _, how = name.partition("/")
        text, place = text.strip(), {"id": f"t{number}", "offset": 100 * number, "at": f"2026-03-01T00:{number:02}:00Z"}
        if who == PERSON:
            yield Turn(PERSON, how=how or TYPED, text=text, **place)
        elif who == AGENT:
            said, *called = [part.strip() for part in text.split("|")]
            made = [_call(f"c{number}.{at}", call) for at, call in enumerate(called)]
            waiting += [call.id for call in made]
            yield Turn(AGENT, text=said, calls=tuple(made), **place)
        elif who == HOST:
            yield Turn(HOST, how=text, **place)
        elif who == "ok":
            waiting.clear()
            yield Turn(TOOL, load=never, **place)
        else:
            ended = _ENDS[who]
            result = Result(waiting.pop(), True, text, ended, text if ended == BY_PERSON else "")
            yield Turn(TOOL, failed=True, results=(result,), **place)


def _call(name: str, written: str) -> Call:
    kind, _, rest = written.partition(" ")
    if kind in _TOOLS:
        return Call(name, _TOOLS[kind][1], _TOOLS[kind][0], rest)
    tool, _, subject = rest.partition(" ")
    return Call(name, tool, OTHER, subject, {"options": [{"label": subject}]})


def never() -> None:
    """Fail: the result of a call that went well is read by nobody."""
    raise AssertionError("a result that did not fail was read")


def judge(text: str, before: str = "", after: str = "", *, moments: Moments = UNKNOWN) -> Verdict:
    """Take what begins with `No,` for a correction, and nothing else for anything."""
    if text.casefold().startswith("no,"):
        return Verdict("correction", False, 2, 0.6, REVIEW, 0.3)
    return Verdict("none", False, 1, 0.1, NONE)
