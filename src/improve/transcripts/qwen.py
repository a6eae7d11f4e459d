"""Qwen Code: rows `{uuid, type, provenance, message{role, parts}}`, in which the program says what a person typed.

https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/services/chatRecordingService.ts
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from improve import cue, session
from improve.session import BY_PERSON, BY_RULE, CUT_OFF, Call, Result, Session, Turn
from improve.transcripts import base, spoken
from improve.transcripts.base import Reader, Unreadable, clean
from improve.transcripts.calling import kind_of, subject_of, telling
from improve.transcripts.pace import BREATH, seconds
from improve.transcripts.whole import entries, mapping

HOST = "qwen"
_BLANK = base.BLANK + b"\n"
_TYPES = ("user", "assistant", "tool_result", "system")
_TYPED = (None, "mid_turn_user_message", "realtime_message")
"""Subtypes of a row in the person's name that a person typed or spoke; the others are timers, tasks and goals."""
_HOOK = "<qwen:user-prompt-submit-context>"
_INJECTED = (_HOOK, "<state_snapshot", "i ran the following shell command:", "--- content from", "<system-reminder")
_CODE = re.compile(r"^Exit Code: (-?\d+)\s*$", re.MULTILINE)
_NOTES = {"chat_compression": session.COMPACTED, "rewind": session.REWOUND}
_BY_ITSELF = ("scheduled_task", "side_task")
"""Sources of sessions that nobody sits at."""
_AT_ONCE = 2.0
"""Seconds within which the body of a command follows it."""
_FIRST = 8
"""Rows among which a chat tells what it is."""


def _files(place: str) -> Iterator[str]:
    for path in base.below(place, (".jsonl",)):
        above = os.path.dirname(path).replace(os.sep, "/").split("/")
        if path == place or above[-1] == "chats" or "subagents" in above[-2:]:
            yield path


def _claims(path: str, head: bytes) -> bool:
    row = base.row_in(head.lstrip(_BLANK).partition(b"\n")[0])
    if row is not None:
        return _is_row(row)
    start = head.lstrip(_BLANK)[:600]
    return start.startswith(b'{"uuid"') and b'"provenance"' in start and b'"sessionId"' in start


def _is_row(row: Mapping[str, Any]) -> bool:
    if row.get("type") not in _TYPES or "sessionId" not in row:
        return False
    parts = isinstance(mapping(row.get("message")).get("parts"), list)
    return parts or "provenance" in row or "systemPayload" in row


def _read(path: str, offset: int) -> Iterable[Session]:
    found = Session(HOST, path)
    told, known = 0, False
    for _, line, ended in base.lines(path):
        row = base.row_in(line)
        if row is not None and _is_row(row):
            _facts(found, row)
            known = True
            break
        told += ended
        if told >= _FIRST:
            break
    if told and not known:
        raise Unreadable("its rows are not those of a Qwen Code chat")
    if os.path.basename(os.path.dirname(os.path.dirname(path))) == "subagents":
        found.parent = os.path.basename(os.path.dirname(path))
    return [found.with_turns(_turns(found, path, offset))]


def _facts(here: Session, row: Mapping[str, Any]) -> None:
    here.id = here.id or clean(row.get("sessionId"))
    here.cwd = here.cwd or clean(row.get("cwd"))
    here.started = here.started or clean(row.get("timestamp"))
    here.branch = clean(row.get("gitBranch")) or here.branch
    if row.get("isSidechain") is True or row.get("agentId"):
        here.parent = here.parent or here.id


def _turns(here: Session, path: str, start: int) -> Iterator[Turn]:
    chat = _Chat(here)
    for offset, row in base.rows(here, path, start):
        kind = row.get("type")
        if kind in _TYPES:
            _facts(here, row)
            yield from chat.told(str(kind), row, offset)
    if chat.begun >= 0:  # a command, whose body the next reading must know for one
        here.offset = chat.begun


class _Chat:
    """The state of one reading."""

    def __init__(self, here: Session) -> None:
        self._here = here
        self._seen: set[str] = set()
        self._busy = ""
        self._command = ("", "")
        self._waiting: Turn | None = None
        self.begun = -1
        """Where a command stands whose body has not come yet."""

    def told(self, kind: str, row: Mapping[str, Any], offset: int) -> Iterator[Turn]:
        """Give the turns a row stands for; a row of a copied history once."""
        id, at = clean(row.get("uuid")), clean(row.get("timestamp"))
        if id in self._seen:
            return
        self._seen.update([id] if id else [])
        if kind != "system" or str(row.get("subtype")) in _NOTES:
            if self._waiting:
                yield self._waiting
            self._waiting, self.begun = None, -1
        if kind == "user":
            yield from self._user(row, id, at, offset)
        elif kind == "assistant":
            text, calls = _spoken(row), tuple(map(call_of, _all(row, "functionCall")))
            if text or calls:
                self._busy = at
                yield Turn(session.AGENT, at=at, id=id, offset=offset, text=text, calls=calls)
        elif kind == "tool_result":
            yield from self._results(row, id, at, offset)
        else:
            yield from self._note(row, id, at, offset)

    def _user(self, row: Mapping[str, Any], id: str, at: str, offset: int) -> Iterator[Turn]:
        if _all(row, "functionResponse"):  # before 0.20 results were rows of the person's
            yield from self._results(row, id, at, offset)
            return
        nobody = row.get("provenance") not in (None, "real_user") or row.get("subtype") not in _TYPED
        if nobody or self._here.parent:
            return
        words = _words(row)
        command, self._command = self._command, ("", "")
        if command[0] and (words == command[0] or 0 <= seconds(command[1], at) < _AT_ONCE):
            return  # the body of the command
        how = session.SCRIPTED if self._here.headless else session.TYPED
        if row.get("subtype") == "mid_turn_user_message":
            how = session.STEERED
        elif self._busy and 0 <= seconds(self._busy, at) < BREATH:
            how = session.QUEUED
        turn = spoken.said(words, at=at, id=id, offset=offset, how=how)
        if turn:
            self._busy = ""
            yield turn

    def _note(self, row: Mapping[str, Any], id: str, at: str, offset: int) -> Iterator[Turn]:
        """Give a note of the host, or the arguments of a slash command; its body is the next row of the person's."""
        payload, subtype = mapping(row.get("systemPayload")), row.get("subtype")
        how = _NOTES.get(subtype) if isinstance(subtype, str) else None
        if how:
            yield Turn(session.HOST, at=at, id=id, offset=offset, how=how)
        elif subtype == "slash_command" and payload.get("phase") != "result" and not self._here.parent:
            raw = clean(payload.get("rawCommand"))
            turn = spoken.said(raw, at=at, id=id, offset=offset)
            if payload.get("sentToModel", True):
                self._command, self._waiting, self.begun = (raw, at), turn, offset
            elif turn:
                yield turn
        elif subtype == "session_source" and payload.get("sourceType") in _BY_ITSELF:
            self._here.headless = True

    def _results(self, row: Mapping[str, Any], id: str, at: str, offset: int) -> Iterator[Turn]:
        told = mapping(row.get("toolCallResult"))
        results = tuple(result_of(response, told) for response in _all(row, "functionResponse"))
        if results:
            self._busy = at
            failed = any(result.failed for result in results)
            yield Turn(session.TOOL, at=at, id=id, offset=offset, failed=failed, results=results)


def _parts(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    return entries(mapping(row.get("message")).get("parts"))


def _all(row: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    return [part[name] for part in _parts(row) if isinstance(part.get(name), dict)]


def _spoken(row: Mapping[str, Any]) -> str:
    texts = (clean(part.get("text")) for part in _parts(row) if not part.get("thought"))
    return "\n".join(text for text in texts if text).strip()


def _words(row: Mapping[str, Any]) -> str:
    """Give what was typed: the program's own note of it, else the parts before what it and hooks added."""
    shown = mapping(row.get("systemPayload")).get("displayText")
    if isinstance(shown, str):
        return cue.words_only(clean(shown))
    found: list[str] = []
    for part in _parts(row):
        text = clean(part.get("text"))
        low = text.strip()[:60].casefold()
        if low.startswith("--- content from referenced files"):
            break
        if text and not low.startswith(_INJECTED):
            found.append(cue.words_only(text))
    return "\n".join(filter(None, found))


def call_of(record: Mapping[str, Any]) -> Call:
    """Tell a call from its part of the message."""
    name, given = clean(record.get("name")), mapping(record.get("args"))
    kind = session.SHELL if name == "run_shell_command" else kind_of(name)
    subject = clean(given.get("absolute_path")) or subject_of(kind, given) or telling(given)
    return Call(clean(record.get("id")), name, kind, subject, given)


def result_of(record: Mapping[str, Any], told: Mapping[str, Any]) -> Result:
    """Tell a result from its part of the message and from what the program noted beside it."""
    response = mapping(record.get("response"))
    error, output = clean(response.get("error")), clean(response.get("output"))
    status = told.get("status")
    shown = mapping(told.get("resultDisplay"))
    codes = _CODE.findall(output[-600:]) if record.get("name") == "run_shell_command" else []
    code = shown.get("exitCode") or (int(codes[-1]) if codes else 0)
    failed = status in ("error", "cancelled") or bool(error) or bool(code)
    ended = _ended(error, status, told) if failed else ""
    return Result(clean(record.get("id")), failed, error or output, ended)


def _ended(error: str, status: object, told: Mapping[str, Any]) -> str:
    if status == "cancelled" or error.startswith("[Operation Cancelled]"):
        return BY_PERSON if "did not allow" in error[:200] or "denied execution" in error[:200] else CUT_OFF
    return BY_RULE if told.get("errorType") == "execution_denied" else ""


READER = Reader(HOST, _files, _read, _claims)
