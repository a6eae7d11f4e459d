"""pi: https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/session.md.

One file a session: a record that names it, then records that each name the one they follow. Where two follow the same
one, the person went back, and what was said first was given up.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from improve.session import (
    AGENT,
    BY_RULE,
    COMMAND,
    COMPACTED,
    CUT_OFF,
    FAILED,
    HOST,
    INTERRUPTED,
    QUEUED,
    REWOUND,
    STEERED,
    TOOL,
    TYPED,
    Call,
    Result,
    Session,
    Turn,
)
from improve.stamp import DENIED
from improve.transcripts.base import Reader, Unreadable, below, clean, lines, row_in, rows, text_of
from improve.transcripts.calling import call
from improve.transcripts.expansion import Expanded, expander, upward
from improve.transcripts.moment import millis
from improve.transcripts.spoken import said
from improve.transcripts.whole import entries, mapping, moment

_FIRST = re.compile(rb'^\s*\{\s*"type"\s*:\s*"session"')
_FILE = re.compile(r'<file name="[^"\n]*">.*?</file>\n?', re.DOTALL)
"""What `pi @path "…"` puts before the prompt, and the images it names."""
_SKILL = ("<skill name=", "</skill>")
_OLD_SKILL = ("Skill location: ", "\nReferences are relative to ", "\n\n---\n\nUser: ")
_ABORTED = ("Command aborted", "Operation aborted", "Request was aborted")
_PROMPTS = os.path.join(".pi", "prompts")
_LOOKED_AT = 50
"""Records among which one must be pi's, or the file is not."""


def files(place: str) -> Iterator[str]:
    """Name the sessions at a place."""
    return below(place, (".jsonl",))


def claims(path: str, head: bytes) -> bool:
    """Tell whether a file is one of pi's: its first record names a session, and where it was."""
    first = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    return _FIRST.match(first) is not None and b'"cwd"' in first


def read(path: str, offset: int = 0) -> Iterable[Session]:
    """Give the session in a file."""
    head = _named(path)
    name = os.path.basename(path).removesuffix(".jsonl")
    session = Session(
        "pi",
        path,
        id=clean(head.get("id")) or name.rpartition("_")[2],
        cwd=clean(head.get("cwd")),
        started=moment(head.get("timestamp")),
    )
    yield session.with_turns(_turns(session, rows(session, path, offset), offset))


def _named(path: str) -> dict[str, Any]:
    """Find the record that names the session; an empty one where it is broken."""
    whole = known = False
    for _, (_, line, ended) in zip(range(_LOOKED_AT), lines(path), strict=False):
        row = row_in(line)
        if row is not None and row.get("type") == "session":
            return row
        whole = whole or (ended and bool(line))
        known = known or (row is not None and "type" in row and "timestamp" in row)
    if whole and not known:
        raise Unreadable("it has no record of pi")
    return {}


def _turns(session: Session, records: Iterable[tuple[int, dict[str, Any]]], offset: int) -> Iterator[Turn]:
    path, expanded = _Path(offset), _commands(session)
    worked, last = 0.0, ""
    for at, row in records:
        if not path.follows(row):
            continue
        if path.left:
            yield Turn(HOST, how=REWOUND, at=moment(row.get("timestamp")), offset=at)
        message = mapping(row.get("message"))
        role = message.get("role") if row.get("type") == "message" else row.get("type")
        about: dict[str, Any] = {"at": moment(row.get("timestamp")), "id": _id(row), "offset": at}
        if role == "user":
            waited = 0 < millis(message.get("timestamp")) < worked
            how = (STEERED if last == "toolResult" else QUEUED) if waited else TYPED
            if turn := _spoken(text_of(message.get("content")), how, about, expanded):
                path.spoke()
                yield turn
        elif role in ("assistant", "toolResult"):
            path.spoke()
            worked, last = millis(row.get("timestamp")), role
            yield from _answered(message, about) if role == "assistant" else (_returned(message, about),)
        elif role in ("compaction", "compactionSummary"):
            yield Turn(HOST, how=COMPACTED, **about)


class _Path:
    """The records so far, as far as it takes to see where a person went back."""

    def __init__(self, offset: int) -> None:
        self._turns = 0
        self._at: dict[str, int] = {}
        self._last: str | None = None
        self._beginning = offset > 0
        self.left = False
        """The record at hand gives up turns that came before it."""

    def follows(self, row: dict[str, Any]) -> bool:
        """Take in a record; tell whether it is a new one."""
        self.left = False
        id, parent = row.get("id"), row.get("parentId")
        if not isinstance(id, str) or row.get("type") == "session":
            return True
        if id in self._at:
            return False
        if "parentId" in row and parent != self._last and not self._beginning:
            before = self._at.get(parent, 0) if isinstance(parent, str) else 0
            self.left = self._turns > before
        self._beginning = False
        self._at[id], self._last = self._turns, id
        return True

    def spoke(self) -> None:
        """Count a turn of the record at hand."""
        self._turns += 1
        if self._last is not None:
            self._at[self._last] = self._turns


def _id(row: dict[str, Any]) -> str:
    """Name a record; in the first version of the format only its time does."""
    return clean(row.get("id")) or clean(row.get("timestamp"))


def _commands(session: Session) -> Expanded:
    from improve.hosts.base import directory

    folder = directory("PI_CODING_AGENT_DIR", ".pi", "agent")(os.path.expanduser("~"), os.environ)
    return expander(lambda: (os.path.join(folder, "prompts"), *upward(session.cwd, _PROMPTS)))


def _spoken(text: str, how: str, about: dict[str, Any], expanded: Expanded) -> Turn | None:
    while found := _FILE.match(text):
        text = text[found.end() :]
    opening, between, closing = _OLD_SKILL
    if text.startswith(_SKILL[0]) and _SKILL[1] in text:
        text, how = text.rpartition(_SKILL[1])[2], COMMAND
    elif text.startswith(opening) and between in text[:2_000]:
        text, how = text.rpartition(closing)[2] if closing in text else "", COMMAND
    elif (after := expanded(text)) is not None:
        text, how = after, COMMAND
    return said(text, how=how, **about)


def _answered(message: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
    content = message.get("content")
    calls = tuple(_call(block) for block in entries(content) if block.get("type") == "toolCall")
    text = text_of(content)
    if text or calls:
        yield Turn(AGENT, text=text, calls=calls, **about)
    stopped, problem = message.get("stopReason"), clean(message.get("errorMessage"))
    if stopped == "aborted" or (stopped == "error" and problem.startswith(_ABORTED)):
        yield Turn(HOST, how=INTERRUPTED, **about)
    elif stopped == "error":
        yield Turn(HOST, how=FAILED, text=problem, **about)


def _call(block: dict[str, Any]) -> Call:
    return call(block.get("name"), block.get("arguments"), block.get("id"))


def _returned(message: dict[str, Any], about: dict[str, Any]) -> Turn:
    text, failed = text_of(message.get("content")), message.get("isError") is True
    stopped = failed and text.rstrip().endswith(_ABORTED)
    ended = BY_RULE if failed and text.startswith(DENIED) else CUT_OFF if stopped else ""
    result = Result(clean(message.get("toolCallId")), failed, text, ended)
    return Turn(TOOL, failed=failed, results=(result,), **about)


READER = Reader("pi", files, read, claims)
