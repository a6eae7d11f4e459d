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

CHANGE_SETS = ("applied", "confirmed", "merged", "split", "set", "retired", "restored", "archived", "seeded")
"""Events that `undo` takes back."""
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
    return event if isinstance(event, dict) and _is_ours(event) else None


def _is_ours(event: dict[str, Any]) -> bool:
    """Check the shape of what other modules read, so that a line of another program is passed over by all."""
    kind = event.get("event")
    if not isinstance(kind, str) or ("change" not in event and kind in (*CHANGE_SETS, "applying", "undone")):
        return False
    words = all(isinstance(event.get(name, ""), str) for name in ("change", "undoes", "title", "at", "sha"))
    texts = all(_is_texts(event.get(name, {})) for name in ("entries", "before"))
    seen, places = event.get("observations", []), event.get("projects", {})
    told = isinstance(seen, list) and all(isinstance(item, dict) for item in seen)
    known = isinstance(places, dict) and all(map(_is_place, places.values()))
    behind = event.get("behind", {})
    known = known and isinstance(behind, dict) and all(_is_words(v) and len(v) == 2 for v in behind.values())
    files_said, rules = event.get("files", []), event.get("rules", [])
    lists = _is_words(rules) and isinstance(files_said, list) and all(map(_is_file, files_said))
    return words and texts and told and known and lists


def _is_texts(said: object) -> bool:
    return isinstance(said, dict) and all(text is None or isinstance(text, str) for text in said.values())


def _is_file(said: object) -> bool:
    if not (isinstance(said, dict) and isinstance(said.get("path"), str) and isinstance(said.get("existed"), bool)):
        return False
    hunks = said.get("hunks")
    return os.path.isabs(said["path"]) and isinstance(hunks, list) and all(map(_is_hunk, hunks))


def _is_hunk(said: object) -> bool:
    shaped = isinstance(said, list) and len(said) in (3, 4) and type(said[0]) is int
    if not shaped or not _is_words(said[1:]):  # type: ignore[index]
        return False
    count, _, name = said[3].partition(" ") if len(said) == 4 else ("1", "", "x")  # type: ignore[index, arg-type]
    return bool(name) and count.removeprefix("-").isdecimal() and count.isascii()


def _is_place(said: object) -> bool:
    if not isinstance(said, list) or len(said) < 3:
        return False
    return _is_words(said[:2]) and all(map(_is_words, said[2:]))


def _is_words(said: object) -> bool:
    return isinstance(said, list) and all(isinstance(text, str) for text in said)
