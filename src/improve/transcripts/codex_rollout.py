"""What has to be remembered while a rollout of Codex CLI is read row by row, and the turns its rows stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from improve import cue, session
from improve.session import Body, Session, Turn
from improve.transcripts import codex_tools, spoken
from improve.transcripts.base import clean, parsed, text_of
from improve.transcripts.codex_words import directory, typed
from improve.transcripts.pace import BREATH, seconds
from improve.transcripts.whole import mapping

_PAUSE = 1.0
"""Seconds between rows that no program leaves while it copies the rows of another session."""
_ITEM = re.compile(rb'"item": ?\{"type": ?"(\w+)", ?"id": ?"([^"\\]*)"')
_CODE = re.compile(rb'"exit_code": ?(-?\d+)')
_BY_HAND = re.compile(rb'"source": ?"user')
"""A command the person ran."""
_STATUS = re.compile(rb'"status": ?"(failed|declined)"')
_ID = re.compile(rb'"id": ?"([^"\\]*)"')
_CALL_ID = re.compile(rb'"call_id": ?"([^"\\]*)"')
_TURN_ID = re.compile(rb'"turn_id": ?"([^"\\]*)"')
_RUNS = ("codex_exec", "exec", "mcp")


class Waiting(NamedTuple):
    """An item in the person's name that no event has confirmed yet."""

    words: str
    at: str
    id: str
    offset: int


class Rollout:
    """The state of one reading."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._replaying = False
        self._from = -1
        self._before = ""
        self._turn = ""
        self._scripted = False
        self._waiting: list[Waiting] = []
        self._events = False
        self._last: tuple[str, str, str] = ("", "", "")
        self._acted = self._aborted = self._denied = self._compacted = False
        self._ended = ""
        self._held = -1
        self._states: dict[str, str] = {}
        self._questions: set[str] = set()

    def begin(self, meta: dict[str, Any]) -> None:
        """Take the facts from the first record; a later one of another session begins a copy of its rows."""
        here, id = self.session, clean(meta.get("id"))
        if here.id and id != here.id:
            self._replaying = True
            return
        here.id, here.cwd, here.started = id, clean(meta.get("cwd")), clean(meta.get("timestamp"))
        here.branch = clean(mapping(meta.get("git")).get("branch"))
        here.headless = meta.get("originator") == "codex_exec" or meta.get("source") in _RUNS
        here.parent = _parent(meta)
        start = meta.get("subagent_history_start_ordinal")
        self._from = start if isinstance(start, int) else -1
        self._replaying = self._from >= 0

    def replayed(self, at: str, ordinal: int, line: bytes) -> bool:
        """Tell whether a row was copied from the session this one was forked from."""
        if not self._replaying:
            return False
        if self._from >= 0 and ordinal >= 0:
            self._replaying = ordinal < self._from
        elif found := _TURN_ID.search(line, 0, 1_000):
            self._replaying = _older(_text(found), self.session.id)
        elif self._before and seconds(self._before, at) >= _PAUSE:
            self._replaying = False
        self._before = at
        return self._replaying

    def output(self, line: bytes, at: str, offset: int) -> Iterator[Turn]:
        """Give the turn of a long result; whether it failed is told without reading it."""
        id = _text(_CALL_ID.search(line, 0, 600))
        seen = codex_tools.glance(line)
        if seen is None or id in self._questions:
            yield from self.row(parsed(line) or {}, offset)
            return
        yield from self._acts()
        state = self._states.pop(id, "") or self._states.pop("", "")
        failed, ended = seen[0] or bool(state), seen[1]
        self._denied = ended == session.BY_PERSON
        own = _text(_ID.search(line, 0, 300))
        yield Turn(session.TOOL, at=at, id=own, offset=offset, failed=failed, load=partial(_result, line, state))

    def item(self, line: bytes, offset: int) -> None:
        """Take from an item how a call went, which its result does not always say."""
        found = _ITEM.search(line, 0, 1_000)
        end = line[-600:]
        status, code = _STATUS.search(end), _CODE.search(end)
        if found and found[1] == b"FileChange":
            status = status or _STATUS.search(line)
        state = _text(status) or ("failed" if code and int(code[1]) else "")
        if found and state and not _BY_HAND.search(line, 0, 2_000):
            # in code mode a script makes the calls: what fails in it is told with the script's result
            id = found[2].decode("utf-8", "replace")
            self._states["" if id.startswith("exec-") else id] = state
            self._held = offset

    def row(self, row: dict[str, Any], offset: int) -> Iterator[Turn]:
        """Give the turns of a row that was read."""
        at = clean(row.get("timestamp"))
        kind, payload = row.get("type"), row.get("payload")
        if not isinstance(payload, dict):  # before September 2025 the items stood in the rows themselves
            kind, payload = "response_item", row
        rest = mapping(row.get("metadata"))
        tell = _TOLD.get(kind) if isinstance(kind, str) else None
        if tell:
            yield from tell(self, payload, at, offset, rest)

    def rest(self) -> None:
        """Leave to the next reading what waits at the end of a file: the row it needs may be on its way."""
        if self._waiting or self._held >= 0:
            self.session.offset = self._waiting[0].offset if self._waiting else self._held

    def _meta(self, payload: dict[str, Any], at: str, offset: int, *_: Any) -> Iterator[Turn]:
        """Take the facts; a file that goes on from the middle of an earlier one began when turns were taken back."""
        first = not offset
        self.begin(payload)
        if first and payload.get("history_base") and not (payload.get("forked_from_id") or self.session.parent):
            yield Turn(session.HOST, at=at, offset=offset, how=session.REWOUND)

    def _context(self, payload: dict[str, Any], *_: Any) -> Iterator[Turn]:
        self._turn = clean(payload.get("turn_id")) or self._turn
        self.session.cwd = self.session.cwd or clean(payload.get("cwd"))
        return iter(())

    def _compact(self, payload: dict[str, Any], at: str, offset: int, *_: Any) -> Iterator[Turn]:
        if not self._compacted:
            yield from self._acts()
            self._compacted = True
            yield Turn(session.HOST, at=at, offset=offset, how=session.COMPACTED)

    def _response(self, payload: dict[str, Any], at: str, offset: int, rest: dict[str, Any]) -> Iterator[Turn]:
        kind, id = clean(payload.get("type")), clean(payload.get("id"))
        if kind == "message" and payload.get("role") == "user":
            self._input(payload, at, offset)
        elif kind == "message" and payload.get("role") == "assistant" and not rest.get("compaction_output"):
            text = text_of(payload.get("content"), "output_text", "text")
            if text:
                yield from self._acts()
                yield Turn(session.AGENT, at=at, id=id, offset=offset, text=text)
        elif kind.endswith("_call"):
            yield from self._acts()
            if payload.get("name") == "request_user_input":
                self._questions.add(clean(payload.get("call_id")))
            yield Turn(session.AGENT, at=at, id=id, offset=offset, load=partial(_call, payload))
        elif kind.endswith("_call_output"):
            yield from self._back(payload, at, offset)

    def _back(self, payload: dict[str, Any], at: str, offset: int) -> Iterator[Turn]:
        """Give the turn of a result, and the person's when it answers a question."""
        yield from self._acts()
        id = clean(payload.get("call_id"))
        state = self._states.pop(id, "") or self._states.pop("", "")
        result = codex_tools.result_of(payload, state)
        self._denied = result.ended == session.BY_PERSON
        own = clean(payload.get("id"))
        yield Turn(session.TOOL, at=at, id=own, offset=offset, failed=result.failed, results=(result,))
        if id in self._questions and not self.session.parent:
            words = cue.words_only(codex_tools.answers_of(payload))
            if words:
                self._acted = False
                yield Turn(session.PERSON, at=at, id=id, offset=offset, how=session.ANSWER, text=words)

    def _input(self, payload: dict[str, Any], at: str, offset: int) -> None:
        """Keep an item in the person's name until an event confirms it or the agent acts."""
        kinds = mapping(payload.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
        if isinstance(kinds, list) and kinds and "user.text" not in kinds:
            return
        if not self.session.cwd:
            self.session.cwd = directory(text_of(payload.get("content"), "input_text", "text"))
        words = typed(payload.get("content"))
        if words and not self.session.parent:
            self._waiting.append(Waiting(words, at, clean(payload.get("id")), offset))

    def _event(self, payload: dict[str, Any], at: str, offset: int, *_: Any) -> Iterator[Turn]:
        kind = payload.get("type")
        item = mapping(payload.get("item"))
        if kind == "user_message":
            yield from self._prompt(payload.get("message"), "user_message", payload, at, offset)
        elif kind == "item_completed" and item.get("type") == "UserMessage":
            self._turn = clean(payload.get("turn_id")) or self._turn
            yield from self._prompt(item.get("content"), "item", item, at, offset)
        elif kind == "task_started":
            yield from self._flush()
            self._turn = clean(payload.get("turn_id"))
            self._scripted = mapping(payload.get("turn_attribution")).get("turn_trigger") == "exec"
        elif kind == "task_complete":
            self._ended = at
        elif kind == "context_compacted" or item.get("type") == "ContextCompaction":
            yield from self._compact(payload, at, offset)
        elif note := _note(payload):
            yield from self._noted(note, at, offset, clean(payload.get("message") or item.get("message")))

    def _noted(self, note: str, at: str, offset: int, text: str) -> Iterator[Turn]:
        """Give a note of the host; an interrupt that ends a denial is the same act, one of a subagent is nobody's."""
        yield from self._flush()
        self._aborted = note == session.INTERRUPTED
        if not (self._aborted and (self._denied or self.session.parent)):
            yield Turn(session.HOST, at=at, offset=offset, how=note, text=text)
        self._denied = False

    def _prompt(self, content: Any, kind: str, item: dict[str, Any], at: str, offset: int) -> Iterator[Turn]:
        """Give the person's turn an event tells of, once."""
        self._events, self._held = True, -1
        words = typed(content)
        match = next((w for w in self._waiting if w.words == words), None)
        self._waiting = []
        if not words or self.session.parent:
            return
        said, told, turn = self._last
        twice = said == words and told != kind and turn == self._turn and not self._acted
        again = said == words and self._aborted and not item.get("client_id")
        self._aborted = False
        if not twice and not again:
            yield from self._say(Waiting(words, at, (match.id if match else "") or clean(item.get("id")), offset), kind)

    def _say(self, what: Waiting, kind: str) -> Iterator[Turn]:
        turn = spoken.said(what.words, at=what.at, id=what.id, offset=what.offset, how=self._how(what.at))
        self._last = (what.words, kind, self._turn)
        self._acted = self._aborted = self._denied = self._compacted = False
        self._ended = ""
        if turn:
            yield turn

    def _how(self, at: str) -> str:
        if self.session.headless or self._scripted:
            return session.SCRIPTED
        if self._turn and self._turn == self._last[2] and self._acted:
            return session.STEERED
        waited = self._ended and 0 <= seconds(self._ended, at) < BREATH
        return session.QUEUED if waited else session.TYPED

    def _acts(self) -> Iterator[Turn]:
        """Note that the agent is at work: what waited until now no event will confirm."""
        yield from self._flush()
        self._acted, self._denied, self._compacted = True, False, False

    def _flush(self) -> Iterator[Turn]:
        self._held = -1
        waiting, self._waiting = self._waiting, []
        for what in () if self._events else waiting:
            yield from self._say(what, "response")


_TOLD: dict[str, Callable[..., Iterator[Turn]]] = {
    "session_meta": Rollout._meta,
    "turn_context": Rollout._context,
    "compacted": Rollout._compact,
    "response_item": Rollout._response,
    "event_msg": Rollout._event,
}


def _call(payload: dict[str, Any]) -> Body:
    return Body(calls=(codex_tools.call_of(payload),))


def _text(found: re.Match[bytes] | None) -> str:
    return found[1].decode("utf-8", "replace") if found else ""


def _result(line: bytes, state: str) -> Body:
    payload = mapping((parsed(line) or {}).get("payload"))
    return Body(results=(codex_tools.result_of(payload, state),))


def _note(payload: dict[str, Any]) -> str:
    kind = payload.get("type")
    if kind == "turn_aborted":
        return session.INTERRUPTED if payload.get("reason") == "interrupted" else ""
    if kind in ("thread_rolled_back", "undo_completed"):
        return session.REWOUND
    return session.FAILED if kind == "error" or mapping(payload.get("item")).get("type") == "Error" else ""


def _parent(meta: dict[str, Any]) -> str:
    """Name the session that started a subagent; its own name for the host's helpers, which have none."""
    source = mapping(meta.get("source")).get("subagent")
    if meta.get("thread_source") != "subagent" and not source:
        return ""
    spawned = mapping(mapping(source).get("thread_spawn")).get("parent_thread_id")
    named = (spawned, meta.get("parent_thread_id"), meta.get("forked_from_id"), meta.get("session_id"), source, "codex")
    return next(name for name in map(clean, named) if name)


def _older(turn: str, thread: str) -> bool:
    """Tell a turn that began before a thread did: both are named by the time, where they are UUIDs of version 7."""
    return turn[14:15] == "7" and thread[14:15] == "7" and turn < thread
