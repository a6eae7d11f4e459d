"""Claude Code: `projects/<directory>/<session>.jsonl`, its subagents below `<session>/subagents`, `history.jsonl`.

https://code.claude.com/docs/en/sessions; the records themselves are undocumented and change with its releases.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from improve.session import Session, Turn
from improve.transcripts import claude_words
from improve.transcripts.base import BLANK, Reader, below, lines, parsed, row_in
from improve.transcripts.blocks import blocks
from improve.transcripts.claude_quick import PARSE, Lines, Quick
from improve.transcripts.claude_rows import Rows
from improve.transcripts.claude_words import flag, text

HOST_NAME = "claude-code"
_HEAD_ROWS = 200
"""Records at the beginning of a file in which the facts of a session are looked for."""
_HEAD = 1 << 14
"""Bytes that are read for them at first."""


def files(place: str) -> Iterator[str]:
    """Name the transcripts at a place, and the history of prompts."""
    return (path for path in below(place, (".jsonl",)) if os.path.basename(path) != "journal.jsonl")


def read(path: str, offset: int = 0) -> Iterable[Session]:
    """Give the session of a transcript, or those of a history."""
    if os.path.basename(path).endswith("history.jsonl"):
        from improve.transcripts import claude_history

        return claude_history.read(HOST_NAME, path, offset)
    session = Session(HOST_NAME, path)
    _know(session, path)
    return [session.with_turns(_turns(session, path, offset))]


def claims(path: str, head: bytes) -> bool:
    """Tell a transcript or a history by keys that no other host writes."""
    if not path.endswith(".jsonl"):
        return False
    bare = head.replace(b'": ', b'":')
    if b'"display":' in bare and b'"pastedContents":' in bare:
        return True
    kinds = (b'"file-history-snapshot"', b'"queue-operation"', b'"leafUuid":', b'"permissionMode":')
    return b'"isSidechain":' in bare or (b'"type":' in bare and any(kind in bare for kind in kinds))


def _know(session: Session, path: str) -> None:
    """Learn from the first records whose session it is and where it was held."""
    session.id = os.path.basename(path).removesuffix(".jsonl")
    named = False
    for line in _first(path):
        row = row_in(line)
        if row is None:
            continue
        if not named and text(row, "sessionId"):
            named = True
            session.id = text(row, "sessionId")
        if text(row, "cwd"):
            session.cwd, session.branch = text(row, "cwd"), text(row, "gitBranch")
            session.headless = claude_words.is_scripted(row)
            session.started = text(row, "timestamp")
            if flag(row, "isSidechain") and (agent := text(row, "agentId")):
                session.parent, session.id = text(row, "sessionId"), agent
            return


def _first(path: str) -> Iterator[bytes | None]:
    """Give the first lines of a file, of which nearly always the first two or three tell enough."""
    with open(path, "rb", buffering=0) as stream:
        head = stream.read(_HEAD).split(b"\n")
    yield from head[:-1]
    for number, (_, line, _) in enumerate(lines(path)):
        if number > _HEAD_ROWS:
            return
        if number >= len(head) - 1:
            yield line


def _turns(session: Session, path: str, start: int) -> Iterator[Turn]:
    """Give the turns of a file: from their bytes where these are sure, by parsing where not."""
    session.offset, number = start, 0
    rows, quick = Rows(session), Lines().turn
    for base, data, end, whole in blocks(path, start):
        rows.forget()
        seen, before = rows.seen, rows.before
        at = 0
        if data is None:
            number += 1
            session.bad.append(number)
        while data is not None and at < end:
            stop = data.find(b"\n", at, end) if whole else end
            number += 1
            turn = quick(data, at, stop) if whole and at < stop else PARSE
            if turn.__class__ is Quick:
                key = turn.key
                if key not in seen and key not in before:
                    seen.add(key)
                    if rows.expects:
                        yield from rows.unmet(turn.who)
                    turn.offset = base + at
                    session.offset = base + stop + 1
                    yield turn
            elif turn is PARSE:
                bare = data[at:stop].strip(BLANK)
                row = parsed(bare) if bare else None
                if row is None and not whole:
                    yield from rows.rest()
                    return
                session.offset = base + stop + whole
                if row is not None:
                    yield from rows.turns(row, base + at)
                elif bare:
                    session.bad.append(number)
            at = stop + 1
        session.offset = base + end
    yield from rows.rest()


READER = Reader(HOST_NAME, files, read, claims)
