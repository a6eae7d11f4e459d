"""Tasks of Cline and of Roo Code, which came from it: `tasks/ID/ui_messages.json` in an editor's global storage.

https://docs.cline.bot. What the panel shows is the record: `say` and `ask` with a text. The answer to a refused call is
a `user_feedback` like any other; that the call was refused is said to the model only, in the request that follows or
in `api_conversation_history.json`. Taken from public readers and the source, not measured.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from improve import session
from improve.session import Call, Result, Session, Turn
from improve.transcripts import cline_cli, spoken
from improve.transcripts.base import Reader, Unreadable, below, clean
from improve.transcripts.calling import call
from improve.transcripts.whole import beside, document, entries, mapping, moment, parsed_text, path_in

_NAME = "ui_messages.json"
_CALLS = ("tool", "command", "use_mcp_server", "browser_action_launch")
_QUESTIONS = ("followup", "plan_mode_respond", "act_mode_respond")
_DENIED = ("user denied this operation", '"status":"denied"', '"status": "denied"')
_LONGEST = 200_000
"""Characters of a text in which the directory is looked for."""
_CWD = re.compile(r"Current (?:Working|Workspace) Directory \(([^\n]{1,1024}?)\)(?: Files)?(?:\n|$)")


def _files(place: str) -> Iterator[str]:
    return filter(_is_ours, below(place, (_NAME, cline_cli.ENDS)))


def _is_ours(path: str) -> bool:
    return os.path.basename(path) == _NAME or path.endswith(cline_cli.ENDS)


def _claims(path: str, head: bytes) -> bool:
    from_terminal = path.endswith(cline_cli.ENDS) and b'"messages"' in head and b'"parts"' not in head
    return os.path.basename(path) == _NAME or from_terminal


def _read(path: str, offset: int) -> Iterable[Session]:
    if path.endswith(cline_cli.ENDS):
        yield from cline_cli.sessions(path)
        return
    messages = document(path)
    if not isinstance(messages, list):
        raise Unreadable("it holds no messages")
    shown = entries(messages)
    task = os.path.basename(os.path.dirname(os.path.abspath(path)))
    item = mapping(beside(path, "history_item.json"))
    history = _told(beside(path, "api_conversation_history.json"))
    found = Session("cline", path, id=clean(item.get("id")) or task)
    found.started = next(filter(None, (moment(message.get("ts")) for message in shown)), "")
    found.parent = clean(item.get("parentTaskId"))
    found.cwd = path_in(item.get("workspace")) or _listed(path, task) or _mentioned(history, shown)
    yield found.with_turns(_Reading(found, history).turns(shown))


def _listed(path: str, task: str) -> str:
    """Look a task's directory up in the list of all tasks."""
    listed = entries(beside(path, os.pardir, os.pardir, "state", "taskHistory.json"))
    return next((path_in(item.get("cwdOnTaskInitialization")) for item in listed if item.get("id") == task), "")


def _told(history: object) -> list[str]:
    """Give the texts the model got as a person's messages: its results of calls and what the editor showed."""
    texts: list[str] = []
    for message in entries(history):
        if message.get("role") == "user":
            waiting: list[Any] = [message.get("content")]
            while waiting:
                part = waiting.pop()
                if isinstance(part, str):
                    texts.append(part)
                elif isinstance(part, list):
                    waiting += part
                elif isinstance(part, dict):
                    waiting += [part.get("text"), part.get("content")]
    return texts


def _mentioned(history: list[str], shown: list[dict[str, Any]]) -> str:
    """Find the directory in what the editor told the model about itself."""
    texts = history or [_request(message) for message in shown[:50] if message.get("say") == "api_req_started"]
    return next(
        (path_in(match[1].strip()) for match in map(_CWD.search, (text[:_LONGEST] for text in texts)) if match), ""
    )


def _request(message: dict[str, Any]) -> str:
    return clean(mapping(parsed_text(message.get("text"))).get("request"))


class _Reading:
    """Walk over the messages of a task; a person's answer to a call waits until it is known what became of the call."""

    def __init__(self, found: Session, history: list[str]) -> None:
        self.found, self.number, self.at = found, 0, ""
        self.denials = [text for text in history if any(sign in text for sign in _DENIED)]
        self.history = bool(history)
        self.call: Call | None = None
        self.answered = ""
        self.asked = self.begun = False

    def turns(self, shown: list[dict[str, Any]]) -> Iterator[Turn]:
        for self.number, message in enumerate(shown):
            self.at = moment(message.get("ts"))
            text = clean(message.get("text"))
            if message.get("type") == "ask":
                yield from self.ask(clean(message.get("ask")), text, partial=message.get("partial") is True)
            elif message.get("type") == "say":
                yield from self.say(clean(message.get("say")), text, message)
        yield from self.settle("")

    def turn(self, who: str, **more: Any) -> Turn:
        return Turn(who, at=self.at, offset=self.number, **more)

    def ask(self, kind: str, text: str, *, partial: bool) -> Iterator[Turn]:
        if kind == "command_output":
            return
        yield from self.settle("")
        if kind in _CALLS:
            if not partial:
                yield self.calling(kind, text)
        elif kind in (*_QUESTIONS, "completion_result"):
            self.asked = kind in _QUESTIONS
            asked = mapping(parsed_text(text))
            words = clean(asked.get("question") or asked.get("response")) or text
            if words:
                yield self.turn(session.AGENT, text=words)
        elif kind == "api_req_failed":
            yield self.turn(session.HOST, how=session.FAILED, text=text)

    def calling(self, kind: str, text: str) -> Turn:
        given = mapping(parsed_text(text))
        self.call = call(given.get("tool", kind), given or {"command": text}, str(self.number))
        return self.turn(session.AGENT, calls=(self.call,))

    def say(self, kind: str, text: str, message: dict[str, Any]) -> Iterator[Turn]:
        if kind == "user_feedback" and self.call:
            self.answered = f"{self.answered}\n{text}".strip()
        elif kind == "user_feedback" or (not self.begun and kind in ("text", "task")):
            how = session.ANSWER if self.asked else session.TYPED
            self.begun, self.asked = True, False
            yield from self.person(text, how)
        elif kind == "api_req_started":
            yield from self.settle(_request(message))
            if mapping(parsed_text(text)).get("cancelReason") == "user_cancelled":
                yield self.turn(session.HOST, how=session.INTERRUPTED)
        elif kind == "command_output" and self.call:
            yield self.result(text)
        elif kind in _CALLS and message.get("partial") is not True:
            yield from self.settle("")
            yield self.calling(kind, text)
        elif kind in ("text", "completion_result") and text:
            yield from self.settle("")
            yield self.turn(session.AGENT, text=text)
        elif kind in ("error", "diff_error", "clineignore_error", "rooignore_error"):
            failed = self.result(text, failed=True) if self.call and not self.answered else None
            yield from self.settle("")
            yield failed or self.turn(session.HOST, how=session.FAILED, text=text)
        elif kind in ("condense_context", "summarize_task"):
            yield from self.settle("")
            yield self.turn(session.HOST, how=session.COMPACTED)

    def person(self, text: str, how: str) -> Iterator[Turn]:
        turn = None if self.found.parent else spoken.said(text, at=self.at, offset=self.number, how=how)
        if turn:
            yield turn

    def result(self, text: str, *, failed: bool = False, ended: str = "", reason: str = "") -> Turn:
        given, self.call = self.call, None
        result = Result(given.id if given else "", failed, text, ended, reason)
        return self.turn(session.TOOL, failed=failed, results=(result,))

    def settle(self, request: str) -> Iterator[Turn]:
        """Say what became of the last call and what a person said to it."""
        answered, self.answered = self.answered, ""
        if self.call and self.denied(request, answered):
            yield self.result("", failed=True, ended=session.BY_PERSON, reason=answered)
        else:
            if self.call:
                yield self.result("")
            yield from self.person(answered, session.STEERED)

    def denied(self, request: str, answered: str) -> bool:
        """Tell whether a call was refused: by what the model got; where nothing says so, an answer was a refusal."""
        if any(sign in request for sign in _DENIED):
            return True
        if request or not answered:
            return False
        return any(answered in text for text in self.denials) if self.history else True


READER = Reader(host="cline", files=_files, read=_read, claims=_claims, grows=False)
