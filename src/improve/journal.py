"""journal.jsonl: everything done, one JSON object a line, never rewritten.

An event that changes rules.yaml carries the new text of each entry (`entries: {id: text or null}`), so that a broken
file can be rebuilt from the last verified backup and the lines after it. A change set carries `files` with the
hunks it made, so that `undo` can take them back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from improve import files


def append(path: str, event: dict[str, Any], *, durable: bool) -> None:
    """Add one event; *durable* waits until it is on the disk."""
    files.append_line(path, json.dumps(event, ensure_ascii=True).encode() + b"\n", durable=durable)


def read(path: str) -> Iterator[dict[str, Any]]:
    """Yield the events, oldest first; a torn or foreign line is passed over."""
    try:
        stream = open(path, "rb")  # noqa: SIM115 - closed by the with below
    except FileNotFoundError:
        return
    with stream:
        for line in stream:
            event = parse(line)
            if event is not None:
                yield event


def read_back(path: str, block: int = 1 << 16) -> Iterator[dict[str, Any]]:
    """Yield the events, newest first, reading no more of the file than is asked for."""
    try:
        stream = open(path, "rb")  # noqa: SIM115 - closed by the with below
    except FileNotFoundError:
        return
    with stream:
        at, rest = stream.seek(0, os.SEEK_END), b""
        while at > 0:
            size = min(block, at)
            at -= size
            stream.seek(at)
            lines = (stream.read(size) + rest).split(b"\n")
            rest = lines.pop(0)
            yield from (e for line in reversed(lines) if (e := parse(line)) is not None)
        event = parse(rest)
        if event is not None:
            yield event


def parse(line: bytes) -> dict[str, Any] | None:
    """Read one line; None when it is torn or none of ours."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None
