"""Turns of OpenCode's messages, wherever they are kept: https://opencode.ai/docs/sdk/#types.

A message is `{role, time, …}` with parts `{type, …}`. A person's words are the text parts of a user message that are
not `synthetic`; all others were put there by the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import Any, NamedTuple

from improve.session import (
    AGENT,
    ANSWER,
    BY_PERSON,
    BY_RULE,
    COMMAND,
    COMPACTED,
    CUT_OFF,
    EDIT,
    FAILED,
    HOST,
    INTERRUPTED,
    PERSON,
    QUEUED,
    REWOUND,
    SCRIPTED,
    TOOL,
    TYPED,
    Call,
    Result,
    Session,
    Turn,
)
from improve.stamp import DENIED
from improve.transcripts.base import clean
from improve.transcripts.calling import call
from improve.transcripts.expansion import Expanded
from improve.transcripts.moment import millis
from improve.transcripts.spoken import said
from improve.transcripts.whole import entries, mapping, moment

_REJECTED = "The user rejected permission"
_REASON = "with the following feedback: "
_DISMISSED = "The user dismissed this question"
_RULED = ("The user has specified a rule which prevents", DENIED)
_ABORTED = ("Tool execution aborted", "Tool execution was interrupted")
_STOPPED = "<shell_metadata>\nUser aborted the command"
_TAIL = 400
"""Characters at the end of an output in which the shell's own note stands."""
_LINES = 4_000
"""Characters of a patch in which the first file is named."""
_REVIEW = ("You are a code reviewer.", "\nInput: ", "\n\n---")
"""What the program's own `/review` makes of what was typed after it."""
_INIT = "Create or update `AGENTS.md` for this repository.", "(honor these):\n", "\n\n## "
_OLD_INIT = "Please analyze this codebase and create an AGENTS.md file", " it's located in ", "\n\n"
"""The same of `/init`, now and before; what was typed stood at the end then."""
_SHELL = "The following tool was executed by the user"
"""What stands before the output of a line that a person typed after `!`."""


class Message(NamedTuple):
    """A message with its parts."""

    id: str
    info: dict[str, Any]
    parts: list[dict[str, Any]]


def turns(
    session: Session, messages: Iterable[Message], undone: str = "", expanded: Expanded = lambda _: None
) -> Iterator[Turn]:
    """Give the turns of a session in the order in which they happened.

    Args:
        undone: The message from which on all was taken back; empty when nothing was.
    """
    telling = _Telling(session, expanded)
    for number, message in enumerate(messages):
        role, created = message.info.get("role"), millis(_time(message).get("created"))
        yield from telling.until(created if role == "user" else inf)
        if role == "user":
            yield from telling.user(message, number)
        elif role == "assistant":
            yield from telling.assistant(message, number)
    yield from telling.until(inf)
    if undone:
        yield Turn(HOST, how=REWOUND, id=undone)


class _Telling:
    """What has to be known of the messages before to tell the next one."""

    def __init__(self, session: Session, expanded: Expanded) -> None:
        self._session, self._expanded = session, expanded
        self._late: list[tuple[float, Turn]] = []
        self._busy = 0.0
        self._compacted = False
        self._shell = ""
        self._unattended = session.headless

    def until(self, moment: float) -> Iterator[Turn]:
        """Give what came back or was noted up to a moment."""
        while self._late and self._late[0][0] <= moment:
            yield self._late.pop(0)[1]

    def user(self, message: Message, number: int) -> Iterator[Turn]:
        """Tell a message that was typed, or that the program made in a person's name."""
        if any(part.get("type") == "compaction" for part in message.parts):
            self._compacted = True
            yield _compacted(message, number)
        if any(clean(part.get("text")).startswith(_SHELL) for part in message.parts):
            self._shell = message.id
        if self._session.parent:  # what the agent asked of its subagent
            return
        whole = _typed(message)
        words, how = unquoted(whole), QUEUED if millis(_time(message).get("created")) < self._busy else TYPED
        if words:
            self._unattended = self._session.headless or words != whole
        if not words:
            words, how = next(filter(None, map(_reviewed, message.parts)), ""), COMMAND
        elif (after := _initialised(words) if _is_init(words) else self._expanded(words)) is not None:
            words, how = after, COMMAND
        how, at = SCRIPTED if self._session.headless else how, moment(_time(message).get("created"))
        if turn := said(words, at=at, id=message.id, offset=number, how=how):
            yield turn

    def assistant(self, message: Message, number: int) -> Iterator[Turn]:
        """Tell what the agent said and called; what came of it is told later."""
        if self._shell and message.info.get("parentID") == self._shell:  # a line of the person's own after `!`
            return
        self._busy = max(self._busy, millis(_time(message).get("completed")))
        if message.info.get("summary") is not True:
            yield from _done(message, number)
            self._late = _results(message, number, unattended=self._unattended)
        elif not self._compacted:
            yield _compacted(message, number)
        self._compacted = False
        self._late += _note(message, number)


def _time(message: Message) -> dict[str, Any]:
    return mapping(message.info.get("time"))


def _compacted(message: Message, number: int) -> Turn:
    return Turn(HOST, how=COMPACTED, at=moment(_time(message).get("created")), id=message.id, offset=number)


def _typed(message: Message) -> str:
    texts = (part for part in message.parts if part.get("type") == "text")
    own = (part for part in texts if not part.get("synthetic") and not part.get("ignored"))
    return "\n".join(filter(None, (clean(part.get("text")) for part in own)))


def unquoted(text: str) -> str:
    """Take away the quotes that `opencode run` puts around an argument of several words."""
    if len(text) > 2 and text[0] == text[-1] == '"' and " " in text:
        return text[1:-1].replace('\\"', '"')
    return text


def _reviewed(part: dict[str, Any]) -> str:
    """Give what was typed after `/review`."""
    prompt, (opening, before, after) = clean(part.get("prompt")), _REVIEW
    if part.get("type") != "subtask" or part.get("command") != "review" or not prompt.startswith(opening):
        return ""
    return prompt.partition(before)[2].partition(after)[0].strip()


def _is_init(words: str) -> bool:
    return words.startswith((_INIT[0], _OLD_INIT[0]))


def _initialised(words: str) -> str:
    """Give what was typed after `/init`."""
    opening, before, after = _INIT if words.startswith(_INIT[0]) else _OLD_INIT
    rest = words.removeprefix(opening).partition(before)[2]
    return (rest.partition(after)[0] if opening == _INIT[0] else rest.partition(after)[2]).strip()


def _done(message: Message, number: int) -> Iterator[Turn]:
    texts = [clean(part.get("text")) for part in message.parts if part.get("type") == "text"]
    calls = tuple(_call(part) for part in message.parts if part.get("type") == "tool")
    text = "\n".join(filter(None, texts))
    if text or calls:
        at = moment(_time(message).get("created"))
        yield Turn(AGENT, at=at, id=message.id, offset=number, text=text, calls=calls)


def _call(part: dict[str, Any]) -> Call:
    found = call(part.get("tool"), mapping(part.get("state")).get("input"), part.get("callID"))
    patch = found.input.get("patchText") if found.kind == EDIT and not found.subject else None
    lines = patch[:_LINES].splitlines() if isinstance(patch, str) else []
    path = next((line.partition(" File: ")[2] for line in lines if line.startswith("*** ")), "")
    return found._replace(subject=clean(path)) if path else found


def _results(message: Message, number: int, *, unattended: bool) -> list[tuple[float, Turn]]:
    """Give what came back from the calls of a message, and when; a call that still runs has nothing yet."""
    found: list[tuple[float, Turn]] = []
    for part in message.parts:
        state = mapping(part.get("state"))
        result = _result(part, state, unattended=unattended) if part.get("type") == "tool" else None
        if result is None:
            continue
        ended = mapping(state.get("time")).get("end")
        about: dict[str, Any] = {"at": moment(ended), "offset": number}
        id = clean(part.get("id"))
        found.append((millis(ended), Turn(TOOL, id=id, failed=result.failed, results=(result,), **about)))
        if part.get("tool") == "question" and (answer := _answered(state)):
            found.append((millis(ended), Turn(PERSON, how=ANSWER, text=answer, id=f"{id}:answer", **about)))
    return sorted(found, key=lambda pair: pair[0])


def _result(part: dict[str, Any], state: dict[str, Any], *, unattended: bool) -> Result | None:
    call_id, status = clean(part.get("callID")), state.get("status")
    if status == "error":
        text = clean(state.get("error"))
        ended, reason = _ended(text, unattended=unattended)
        return Result(call_id, True, text, ended, reason)
    if status != "completed":
        return None
    text, code = clean(state.get("output")), mapping(state.get("metadata")).get("exit")
    stopped = _STOPPED in text[-_TAIL:]
    failed = stopped or part.get("tool") == "invalid" or (isinstance(code, int | float) and code != 0)
    return Result(call_id, failed, text, CUT_OFF if stopped else "")


def _ended(error: str, *, unattended: bool) -> tuple[str, str]:
    """Say who ended a call, and why; without a terminal the program itself says no in a person's name."""
    if error.startswith(_REJECTED):
        return (BY_RULE, "") if unattended else (BY_PERSON, error.partition(_REASON)[2].strip())
    if error.startswith(_DISMISSED):
        return BY_PERSON, ""
    if error.startswith(_RULED):
        return BY_RULE, ""
    return (CUT_OFF, "") if error.startswith(_ABORTED) else ("", "")


def _answered(state: dict[str, Any]) -> str:
    """Give the answers that a person typed, not those that were chosen among the agent's."""
    asked = entries(mapping(state.get("input")).get("questions"))
    offered = {clean(option.get("label")) for question in asked for option in entries(question.get("options"))}
    answers = mapping(state.get("metadata")).get("answers")
    lists = (words for words in answers if isinstance(words, list)) if isinstance(answers, list) else ()
    given = (clean(word) for words in lists for word in words)
    return "\n".join(word for word in given if word and word not in offered)


def _note(message: Message, number: int) -> list[tuple[float, Turn]]:
    error, time = message.info.get("error"), _time(message)
    if not isinstance(error, dict):
        return []
    stopped = error.get("name") == "MessageAbortedError"
    ended = time.get("completed", time.get("created"))
    text = "" if stopped else clean(mapping(error.get("data")).get("message"))
    how = INTERRUPTED if stopped else FAILED
    return [(millis(ended), Turn(HOST, how=how, at=moment(ended), id=f"{message.id}:end", offset=number, text=text))]
