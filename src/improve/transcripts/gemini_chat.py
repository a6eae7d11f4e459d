"""What has to be remembered while a Gemini chat is read record by record, and the turns the records stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from improve import cue, session
from improve.session import BY_PERSON, BY_RULE, CUT_OFF, OTHER, READ, SHELL, Call, Result, Session, Turn
from improve.transcripts import spoken
from improve.transcripts.base import clean
from improve.transcripts.calling import kind_of, subject_of, telling
from improve.transcripts.gemini_place import directory_in, directory_of
from improve.transcripts.pace import BREATH, seconds
from improve.transcripts.whole import entries, mapping

_INJECTED = (
    "<session_context",
    "<state_snapshot",
    "i ran the following shell command:",
    "--- content from",
    "content from @",
)
_SUMMARY = "<state_snapshot"
_CODE = re.compile(r"^Exit Code: (-?\d+)\s*$", re.MULTILINE)
_RULE = ("tool execution blocked", "tool execution denied by policy", "tool execution for", "tool not allowed")
_CANCELLED = "Request cancelled."
_TOOLS = {"run_shell_command": SHELL, "replace": session.EDIT, "write_file": session.WRITE, "read_file": READ}
"""Tools that are always there, unless a setting or a missing terminal takes them away."""


class Chat:
    """The state of one reading."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._ids: set[str] = set()
        self._calls: set[str] = set()
        self._said: set[int] = set()
        self._denied = False
        self._prompts = 0
        self._busy = ""
        self._rewritten = ""

    def facts(self, row: Mapping[str, Any]) -> None:
        """Take what the first record tells."""
        here = self.session
        here.id = here.id or clean(row.get("sessionId"))
        here.started = here.started or clean(row.get("startTime"))
        folders = row.get("directories")
        if not here.cwd and isinstance(folders, list) and folders:
            here.cwd = clean(folders[0])
        here.cwd = here.cwd or directory_of(here.path, clean(row.get("projectHash")))
        if row.get("kind") == "subagent" and not here.parent:
            here.parent = here.id

    def row(self, row: dict[str, Any], offset: int) -> Iterator[Turn]:
        """Give the turns of a row."""
        if "$rewindTo" in row:
            yield Turn(session.HOST, offset=offset, how=session.REWOUND)
        elif "$set" in row:
            for message in entries(mapping(row["$set"]).get("messages")):
                yield from self.message(message, offset, again=True)
                self._rewritten = ""
        elif "type" in row:
            yield from self.message(row, offset)
        elif "sessionId" in row:
            self.facts(row)
            for message in entries(row.get("messages")):
                yield from self.message(message, offset)

    def message(self, record: Any, offset: int, *, again: bool = False) -> Iterator[Turn]:
        """Give the turns of a message; of one from a history that was written again, only what is new."""
        if not isinstance(record, dict):
            return
        kind, id, at = record.get("type"), clean(record.get("id")), clean(record.get("timestamp"))
        seen = bool(id) and id in self._ids
        self._ids.add(id)
        if again and seen:
            return
        again = again or self._repeats(record, at)
        if kind == "user":
            yield from self._user(record, id, at, offset, seen=seen, again=again)
        elif kind == "gemini":
            yield from self._agent(record, id, at, offset, seen=seen, again=again)
        elif kind == "info" and record.get("content") == _CANCELLED:
            if not (self._denied or self.session.parent):
                yield Turn(session.HOST, at=at, id=id, offset=offset, how=session.INTERRUPTED)
            self._denied, self._busy = False, at
        elif kind == "error":
            yield Turn(session.HOST, at=at, id=id, offset=offset, how=session.FAILED, text=clean(record.get("content")))

    def _repeats(self, record: Mapping[str, Any], at: str) -> bool:
        """Tell a record of a history that was written again, each with a new id, as after a call that was denied.

        Such a history begins with what the program tells of its surroundings, all of it has one time, and then it is
        set as a whole.
        """
        if record.get("type") == "user" and _surroundings(_texts(record.get("content"))):
            self._rewritten = at
        return bool(self._rewritten) and 0 <= seconds(self._rewritten, at) < BREATH

    def _user(
        self, record: Mapping[str, Any], id: str, at: str, offset: int, *, seen: bool, again: bool
    ) -> Iterator[Turn]:
        parts = _texts(record.get("content"))
        self.session.cwd = self.session.cwd or next(filter(None, map(directory_in, parts)), "")
        if any(part.lstrip().startswith(_SUMMARY) for part in parts):
            yield Turn(session.HOST, at=at, id=id, offset=offset, how=session.COMPACTED)
            return
        for part in entries(record.get("content")):
            yield from self._back(mapping(part.get("functionResponse")), at, id, offset)
        if seen or self.session.parent:
            return
        shown = _texts(record.get("displayContent")) or parts
        how = self._how(shown, at)
        for words in _typed(shown, apart=again):
            fresh = hash(words) not in self._said
            self._said.add(hash(words))
            if fresh or not again:
                self._denied, self._busy = False, ""
                turn = spoken.said(words, at=at, id=id, offset=offset, how=how)
                yield from [turn] if turn else ()

    def _how(self, shown: list[str], at: str) -> str:
        """Tell how a prompt came in.

        Without a terminal, and there only, a hook's context stands in front of the prompt in the same part; a prompt
        that had waited follows the end of the agent's work at once.
        """
        glued = any(part.startswith("<hook_context") and cue.words_only(part) for part in shown[:1])
        if cue.words_only("\n".join(shown[:1])):
            self.session.headless = glued and (self.session.headless or not self._prompts)
            self._prompts += 1
        if glued:
            return session.SCRIPTED
        return session.QUEUED if self._busy and 0 <= seconds(self._busy, at) < BREATH else session.TYPED

    def _agent(
        self, record: Mapping[str, Any], id: str, at: str, offset: int, *, seen: bool, again: bool
    ) -> Iterator[Turn]:
        """Give what the agent said, once, and the calls that are new: a record is written again when they are done."""
        done = [c for c in entries(record.get("toolCalls")) if clean(c.get("id")) not in self._calls]
        text = "" if seen else "\n".join(_texts(record.get("content"))).strip()
        fresh = hash(text) not in self._said
        self._said.add(hash(text))
        if again and not fresh:
            text = ""
        if not text and not done:
            return
        self._busy = at
        self._calls.update(clean(c.get("id")) for c in done)
        yield Turn(session.AGENT, at=at, id=id, offset=offset, text=text, calls=tuple(map(call_of, done)))
        results = tuple(result_of(c) for c in done if c.get("status") or c.get("result"))
        if results:
            yield from self._results(results, clean(done[-1].get("timestamp")) or at, id, offset)

    def _back(self, response: Mapping[str, Any], at: str, id: str, offset: int) -> Iterator[Turn]:
        """Give a result that no record of the agent has told."""
        call = clean(response.get("id"))
        if response and call not in self._calls:
            self._calls.add(call)
            told = {"id": call, "name": response.get("name"), "result": [{"functionResponse": dict(response)}]}
            yield from self._results((result_of(told),), at, id, offset)

    def _results(self, results: tuple[Result, ...], at: str, id: str, offset: int) -> Iterator[Turn]:
        self._busy = at
        self._denied = any(result.ended == BY_PERSON for result in results)
        failed = any(result.failed for result in results)
        yield Turn(session.TOOL, at=at, id=id, offset=offset, failed=failed, results=results)


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [clean(content)]
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return []
    return [clean(part if isinstance(part, str) else mapping(part).get("text")) for part in content]


def _surroundings(parts: list[str]) -> bool:
    return any(part.lstrip().startswith("<session_context") for part in parts)


def _typed(parts: list[str], *, apart: bool) -> list[str]:
    """Give what was typed of parts in which a prompt stands among what the program and hooks add.

    The files a prompt names follow it; in a history that was written again, several prompts may stand side by side.
    """
    found: list[str] = []
    for part in parts:
        low = part.strip()[:60].casefold()
        if low.startswith("--- content from referenced files"):
            break
        if words := "" if low.startswith(_INJECTED) else cue.words_only(part):
            found.append(words)
    return found if apart or not found else ["\n".join(found)]


def call_of(record: Mapping[str, Any]) -> Call:
    """Tell a call from its record."""
    name, given = clean(record.get("name")), mapping(record.get("args"))
    kind = _TOOLS.get(name) or kind_of(name)
    subject = clean(given.get("absolute_path")) if kind in (READ, OTHER) else ""
    return Call(clean(record.get("id")), name, kind, subject or subject_of(kind, given) or telling(given), given)


def result_of(record: Mapping[str, Any]) -> Result:
    """Tell a result from the record of its call."""
    responses = [mapping(mapping(r.get("functionResponse")).get("response")) for r in entries(record.get("result"))]
    error = "\n".join(clean(r.get("error")) for r in responses if r.get("error"))
    output = "\n".join(clean(r.get("output")) for r in responses if r.get("output"))
    shown = record.get("resultDisplay")
    text = error or output or (clean(shown) if isinstance(shown, str) else "")
    name, status = clean(record.get("name")), record.get("status")
    codes = _CODE.findall(output[-600:]) if name == "run_shell_command" else []
    failed = status in ("error", "cancelled") or bool(error) or bool(codes and int(codes[-1]))
    return Result(clean(record.get("id")), failed, text, _ended(name, status, error or text) if failed else "")


def _ended(name: str, status: object, text: str) -> str:
    if status == "cancelled" or text.startswith("[Operation Cancelled]"):
        return BY_PERSON if "User denied execution" in text[:200] or "did not allow" in text[:200] else CUT_OFF
    missing = name in _TOOLS and text.startswith(f'Tool "{name}" not found')
    return BY_RULE if missing or text[:60].casefold().startswith(_RULE) else ""
