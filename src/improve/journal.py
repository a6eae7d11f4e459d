"""journal.jsonl: everything done, one JSON object a line, never rewritten.

An event that changes rules.yaml carries the new text of each entry (`entries: {id: text or null}`), so that a broken
file can be rebuilt from the last verified backup and the lines after it. A change set carries `files` with the
hunks it made, so that `undo` can take them back.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from improve import files
from improve.folder import close_quietly, explained

INTERNAL = ("applying", "undoing", "cut off", "backup")
"""Events for improve itself: what it is about to do, and where a rebuild starts."""
_LONGEST = 1 << 24
"""Bytes of a line; a longer one is none of ours."""


def append(path: str, event: dict[str, Any], *, durable: bool) -> None:
    """Add one event; *durable* waits until it is on the disk."""
    files.append_line(path, json.dumps(event, ensure_ascii=True).encode() + b"\n", durable=durable)


def read(path: str) -> Iterator[dict[str, Any]]:
    """Yield the events, oldest first; a torn or foreign line is passed over."""
    with explained("read", path), _opened(path) as stream:
        while line := stream.readline(_LONGEST):
            event = parse(line)
            if event is not None:
                yield event


@contextlib.contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    fd = files.open_to_read(path)
    if fd is None:
        yield io.BytesIO()
        return
    try:
        with open(fd, "rb", closefd=False) as stream:
            yield stream
    finally:
        close_quietly(fd)


def read_back(path: str, block: int = 1 << 16, *, only: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """Yield the events, newest first, reading no more of the file than is asked for; `only` names their kinds."""
    for line in _lines_back(path, block):
        # most lines are observations: a look at the bytes spares reading them
        if not only or any(kind.encode() in line for kind in only):
            event = parse(line)
            if event is not None and (not only or event["event"] in only):
                yield event


def _lines_back(path: str, block: int) -> Iterator[bytes]:
    with explained("read", path), _opened(path) as stream:
        at, rest = stream.seek(0, os.SEEK_END), b""
        while at > 0 and len(rest) <= _LONGEST:
            size = min(max(block, len(rest)), at)
            at -= size
            stream.seek(at)
            lines = (stream.read(size) + rest).split(b"\n")
            rest = lines.pop(0)
            yield from reversed(lines)
        yield rest


def parse(line: bytes) -> dict[str, Any] | None:
    """Read one line; None when it is torn or none of ours."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None
