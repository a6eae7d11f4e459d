"""Gemini CLI: chats as rows that are appended, as whole files before 2026, and the log of typed prompts.

A chat is the union of its message records by id: `$set.messages` rewrites the model's history and drops or merges what
was typed, so that it only adds ids never seen, and of these only what was not said before.
https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingTypes.ts
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator

from improve.session import Session, Turn
from improve.transcripts import base, gemini_log
from improve.transcripts.base import Reader, Unreadable
from improve.transcripts.gemini_chat import Chat
from improve.transcripts.gemini_place import directory_of
from improve.transcripts.whole import content, text_in

HOST = "gemini"
_BLANK = base.BLANK + b"\n"
_WHOLE = re.compile(rb"\{\s*\n|\{\s*\"sessionId\"[^\n]{0,2000}\"messages\": ?\[")
"""How a file begins that holds a chat as one JSON document."""
_ROW = re.compile(rb'\{"(?:sessionId|\$set|\$rewindTo)":|\{"id": ?"[^"]*", ?"timestamp": ?"[^"]*", ?"type": ?"')
_FIRST = 3
"""Rows in which a chat tells who it is and where."""
_FACT = re.compile(r'"(sessionId|projectHash|startTime|kind)"\s*:\s*"([^"\\]*)"')
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')


def _files(place: str) -> Iterator[str]:
    """Name the chats and the logs; of one chat that is there in both forms the newer one tells all."""
    found = set(base.below(place, (".jsonl", ".json")))
    for path in found:
        name, folder = os.path.basename(path), os.path.dirname(path)
        in_chats = "chats" in folder.replace(os.sep, "/").rsplit("/", 2)[-2:]
        if path == place or (in_chats and f"{path}l" not in found) or name == "logs.json":
            yield path


def _claims(path: str, head: bytes) -> bool:
    head = head.lstrip(_BLANK)
    if gemini_log.claims(head):
        return True
    if _WHOLE.match(head):
        other = path.endswith(".messages.json")  # Cline's
        return b'"sessionId"' in head and (b'"projectHash"' in head or (b'"messages"' in head and not other))
    if not head.startswith(b'{"sessionId"'):
        return False
    return b'"projectHash"' in head[:600] or b'"startTime"' in head[:600]


def _read(path: str, offset: int) -> Iterable[Session]:
    with open(path, "rb") as stream:
        head = stream.read(4096).lstrip(_BLANK)
    if gemini_log.claims(head):
        return gemini_log.read(path)
    session = Session(HOST, path)
    folder = os.path.basename(os.path.dirname(path))
    if os.path.basename(os.path.dirname(os.path.dirname(path))) == "chats":
        session.parent = folder
    session.cwd = directory_of(path, "")
    if _WHOLE.match(head):
        Chat(session).facts(dict(_FACT.findall(text_in(head).partition('"messages"')[0])))
        return [session.with_turns(_whole(session, path))]
    if b"\n" in head and not _is_chat(path):
        raise Unreadable("its rows are not those of a Gemini chat")
    _begin(session, path)
    session.offset = offset
    return [session.with_turns(_grown(session, path, offset))]


def _is_chat(path: str) -> bool:
    """Look for one row of a chat among the first."""
    for number, (_, line, _) in enumerate(base.lines(path)):
        if line is None or number > 20:
            return False
        if _ROW.match(line.strip(_BLANK)):
            return True
    return False


def _begin(session: Session, path: str) -> None:
    """Know who and where before the first turn is asked for."""
    chat = Chat(session)
    for number, (_, line, _) in enumerate(base.lines(path), 1):
        row = base.row_in(line)
        if row is not None and ("sessionId" in row or "$set" in row):
            for _turn in chat.row(row, 0):
                pass
        if number >= _FIRST:
            return


def _grown(session: Session, path: str, start: int) -> Iterator[Turn]:
    """Read rows from the beginning, for what was said before, and give the turns from an offset on."""
    chat = Chat(session)
    for offset, row in base.rows(session, path):
        turns = list(chat.row(row, offset))
        if offset >= start:
            yield from turns


def _whole(session: Session, path: str) -> Iterator[Turn]:
    """Read a chat that is one document, message by message, as far as it goes."""
    data = content(path)
    text = text_in(data)
    chat = Chat(session)
    begins = _MESSAGES.search(text)
    facts = text[: begins.start()] if begins else text
    chat.facts(dict(_FACT.findall(facts)))
    session.offset = len(data)
    at = begins.end() if begins else len(text)
    decoder = json.JSONDecoder()
    number = 0
    while (at := _next(text, at)) < len(text) and text[at] == "{":
        try:
            message, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield from chat.message(message, number)
        number += 1


_BETWEEN = re.compile(r"[\s,]*")


def _next(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


READER = Reader(HOST, _files, _read, _claims)
