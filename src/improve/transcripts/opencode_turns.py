"""Turns of OpenCode's messages, wherever they are kept: https://opencode.ai/docs/sdk/#types.

A message is `{role, time, …}` with parts `{type, …}`. A person's words are the text parts of a user message that are
not `synthetic`; all others were put there by the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
from improve.transcripts.base import clean
from improve.transcripts.calling import call
from improve.transcripts.moment import millis
from improve.transcripts.spoken import said
from improve.transcripts.whole import entries, mapping, moment

_REJECTED = "The user rejected permission"
_REASON = "with the following feedback: "
_DISMISSED = "The user dismissed this question"
_RULED = "The user has specified a rule which prevents"
_ABORTED = ("Tool execution aborted", "Tool execution was interrupted")
_STOPPED = "<shell_metadata>\nUser aborted the command"
_TAIL = 400
"""Characters at the end of an output in which the shell's own note stands."""
_LINES = 4_000
"""Characters of a patch in which the first file is named."""
_REVIEW = ("You are a code reviewer.", "\nInput: ", "\n\n---")
"""What the program's own `/review` makes of what was typed after it."""


class Message(NamedTuple):
    """A message with its parts."""

    id: str
    info: dict[str, Any]
    parts: list[dict[str, Any]]


def turns(session: Session, messages: Iterable[Message], undone: str = "") -> Iterator[Turn]:
    """Give the turns of a session in the order in which they happened.

    Args:
        undone: The message from which on all was taken back; empty when nothing was.
    """
    late: list[tuple[float, Turn]] = []
    busy, compacted = 0.0, False
    for number, message in enumerate(messages):
        time = mapping(message.info.get("time"))
        created, role = millis(time.get("created")), message.info.get("role")
        while late and (role != "user" or late[0][0] <= created):
            yield late.pop(0)[1]
        if role == "user":
            if any(part.get("type") == "compaction" for part in message.parts):
                compacted = True
                yield Turn(HOST, how=COMPACTED, at=moment(time.get("created")), id=message.id, offset=number)
            yield from _said(session, message, number, created < busy)
        elif role == "assistant":
            busy = max(busy, millis(time.get("completed")))
            if message.info.get("summary") is True:
                if not compacted:
                    yield Turn(HOST, how=COMPACTED, at=moment(time.get("created")), id=message.id, offset=number)
                compacted = False
            else:
                yield from _done(message, number)
                late = _results(session, message, number)
            late += _note(message, number)
    yield from (turn for _, turn in late)
    if undone:
        yield Turn(HOST, how=REWOUND, id=undone)


def _said(session: Session, message: Message, number: int, busy: bool) -> Iterator[Turn]:
    if session.parent:  # what the agent asked of its subagent
        return
    texts = [
        clean(part.get("text"))
        for part in message.parts
        if part.get("type") == "text" and not part.get("synthetic") and not part.get("ignored")
    ]
    words, how = "\n".join(filter(None, texts)), QUEUED if busy else TYPED
    if session.headless:
        words, how = unquoted(words), SCRIPTED
    elif not words:
        words, how = next(filter(None, map(_reviewed, message.parts)), ""), COMMAND
    at = moment(mapping(message.info.get("time")).get("created"))
    if turn := said(words, at=at, id=message.id, offset=number, how=how):
        yield turn


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


def _done(message: Message, number: int) -> Iterator[Turn]:
    texts = [clean(part.get("text")) for part in message.parts if part.get("type") == "text"]
    calls = tuple(_call(part) for part in message.parts if part.get("type") == "tool")
    text = "\n".join(filter(None, texts))
    if text or calls:
        at = moment(mapping(message.info.get("time")).get("created"))
        yield Turn(AGENT, at=at, id=message.id, offset=number, text=text, calls=calls)


def _call(part: dict[str, Any]) -> Call:
    found = call(part.get("tool"), mapping(part.get("state")).get("input"), part.get("callID"))
    patch = found.input.get("patchText") if found.kind == EDIT and not found.subject else None
    lines = patch[:_LINES].splitlines() if isinstance(patch, str) else []
    path = next((line.partition(" File: ")[2] for line in lines if line.startswith("*** ")), "")
    return found._replace(subject=clean(path)) if path else found


def _results(session: Session, message: Message, number: int) -> list[tuple[float, Turn]]:
    """Give what came back from the calls of a message, and when; a call that still runs has nothing yet."""
    found: list[tuple[float, Turn]] = []
    for part in message.parts:
        state = mapping(part.get("state"))
        result = _result(session, part, state) if part.get("type") == "tool" else None
        if result is None:
            continue
        ended = mapping(state.get("time")).get("end")
        about: dict[str, Any] = {"at": moment(ended), "offset": number}
        id = clean(part.get("id"))
        found.append((millis(ended), Turn(TOOL, id=id, failed=result.failed, results=(result,), **about)))
        if part.get("tool") == "question" and (answer := _answered(state)):
            found.append((millis(ended), Turn(PERSON, how=ANSWER, text=answer, id=f"{id}:answer", **about)))
    return sorted(found, key=lambda pair: pair[0])


def _result(session: Session, part: dict[str, Any], state: dict[str, Any]) -> Result | None:
    call_id, status = clean(part.get("callID")), state.get("status")
    if status == "error":
        text = clean(state.get("error"))
        ended, reason = _ended(text, session.headless)
        return Result(call_id, True, text, ended, reason)
    if status != "completed":
        return None
    text, code = clean(state.get("output")), mapping(state.get("metadata")).get("exit")
    stopped = _STOPPED in text[-_TAIL:]
    failed = stopped or part.get("tool") == "invalid" or (isinstance(code, int | float) and code != 0)
    return Result(call_id, failed, text, CUT_OFF if stopped else "")


def _ended(error: str, headless: bool) -> tuple[str, str]:
    """Say who ended a call, and why; without a terminal the program itself says no in a person's name."""
    if error.startswith(_REJECTED):
        return (BY_RULE, "") if headless else (BY_PERSON, error.partition(_REASON)[2].strip())
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
    error, time = message.info.get("error"), mapping(message.info.get("time"))
    if not isinstance(error, dict):
        return []
    stopped = error.get("name") == "MessageAbortedError"
    ended = time.get("completed", time.get("created"))
    text = "" if stopped else clean(mapping(error.get("data")).get("message"))
    how = INTERRUPTED if stopped else FAILED
    return [(millis(ended), Turn(HOST, how=how, at=moment(ended), id=f"{message.id}:end", offset=number, text=text))]
