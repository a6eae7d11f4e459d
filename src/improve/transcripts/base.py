"""What all readers share: lines of a file that may still grow, and rows of JSON that may be broken."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from improve.session import Session

HEAD = 4096
BLOCK = 1 << 20
LONGEST = 8 << 20
"""Bytes of a record; a longer one is passed over and counted as bad, so that one line never fills the memory."""


BLANK = b" \t\r\x00\xef\xbb\xbf"
"""What may stand around a record on its line."""


class Stream(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes | None:
        """Give the next bytes, at most that many; none at the end."""


def alone(_: str) -> tuple[str, ...]:
    """Name nothing beside a transcript."""
    return ()


class Reader(NamedTuple):
    """How the transcripts of one host are found and read."""

    host: str
    files: Callable[[str], Iterable[str]]
    """Names the transcripts at a place (a file or a directory) of the host; no order."""
    read: Callable[[str, int], Iterable[Session]]
    """(path, offset) → the sessions in a file, from an offset that an earlier reading gave, 0 for all of it.

    Raises OSError when the file cannot be opened; `Unreadable` when it is no transcript of this host at all."""
    claims: Callable[[str, bytes], bool]
    """(path, first `HEAD` bytes) → whether a file somebody names is one of this host's."""
    grows: bool = True
    """Its files are only ever appended to, so an offset holds; False: a changed file is read whole again."""
    clock: bool = False
    """An offset is a moment, given by each session: those that changed since are read."""
    beside: Callable[[str], tuple[str, ...]] = alone
    """Names what beside a transcript is a part of it: a change there is a change of the transcript."""


class Unreadable(ValueError):
    """A file that no session can be read from; says why in a clause."""


def below(place: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Walk a directory for files with one of these suffixes; a place that is such a file is itself the answer.

    Links to directories are not followed, so that no loop is walked.
    """
    if place.endswith(suffixes) and os.path.isfile(place):
        yield place
        return
    waiting = [place]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.name.endswith(suffixes):
                        if entry.is_file():
                            yield entry.path
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except (OSError, ValueError):  # a name out of a broken file can hold a NUL
            continue


def head_of(path: str) -> bytes:
    """Give the first bytes of a file, by which readers know their own; none of one that cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read(HEAD)
    except OSError:
        return b""


def lines(path: str, start: int = 0) -> Iterator[tuple[int, bytes | None, bool]]:
    """Give (offset, line without its end, whether it has its end); None for one that is longer than `LONGEST`."""
    with open(path, "rb", buffering=0) as stream:
        if start:
            stream.seek(start)
        yield from lines_of(stream, start)


def lines_of(stream: Stream, offset: int = 0) -> Iterator[tuple[int, bytes | None, bool]]:
    """Give the lines of what is already open, as `lines` does; its next byte is the one at this offset."""
    rest, skipped = b"", 0
    while block := stream.read(BLOCK):
        pieces = (rest + block if rest else block).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            yield offset, None if skipped else piece, True
            offset += skipped + len(piece) + 1
            skipped = 0
        if skipped or len(rest) > LONGEST:
            skipped += len(rest)
            rest = b""
    if rest:
        yield offset, rest, False


_SCAN = json.JSONDecoder().raw_decode
"""The parser alone: what `json.loads` does before and after it takes as long as a short record does."""


def parsed(line: bytes) -> dict[str, Any] | None:
    """Read one JSON object; None when it is none."""
    text = line.decode("utf-8", "replace").strip()
    try:
        row, end = _SCAN(text, 0)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and end == len(text) else None


def row_in(line: bytes | None) -> dict[str, Any] | None:
    """Read the JSON object on a line; None for a blank one, a broken one, and one that is too long."""
    return parsed(line.strip(BLANK)) if line else None


def rows(session: Session, path: str, start: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give (offset, JSON object) of each line; bad ones are numbered in the session, a torn last one is not."""
    session.offset = start
    for number, (offset, line, whole) in enumerate(lines(path, start), 1):
        bare = line.strip(BLANK) if line is not None else b""
        row = parsed(bare) if bare else None
        if row is None and not whole:
            return
        session.offset = offset + len(line or b"") + whole
        if row is not None:
            yield offset, row
        elif bare or line is None:
            session.bad.append(number)


def clean(text: object) -> str:
    """Give text that can be stored: halves of surrogate pairs become �; what is no text is empty."""
    if not isinstance(text, str):
        return ""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8", "replace")


def text_of(content: object, *types: str) -> str:
    """Join the text of a content that is a string or a list of blocks `{type, text}` of these types."""
    if isinstance(content, str):
        return clean(content)
    if not isinstance(content, list):
        return ""
    wanted = types or ("text",)
    blocks = (b for b in content if isinstance(b, dict) and b.get("type", "text") in wanted)
    return clean("\n".join(t for b in blocks if isinstance(t := b.get("text"), str)))
