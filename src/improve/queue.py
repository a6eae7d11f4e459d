"""The queue: what hooks saw and nobody has looked at yet. A hook only adds a file here; `drain` does the rest.

A prompt is kept under a name made of its session and its words, so that one event delivered twice is one file. Of
a session that ended or paused only the latest word is kept.
"""

from __future__ import annotations

import os

from improve import files
from improve.errors import ImproveError
from improve.fingerprint import fingerprint
from improve.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Event = TypeVar("Event", "Heard", "Ended")

SUFFIX = ".json"
HEARD, ENDED = "heard-", "ended-"


class Heard(Frozen):
    """A prompt that may hold a correction, in the person's words, without credentials."""

    key: str
    """Identity of the event, whoever delivers it."""
    at: str
    host: str
    session: str
    cwd: str
    text: str
    signal: str


class Ended(Frozen):
    """A session that came to a pause or an end; its transcript can be read from here on."""

    at: str
    host: str
    session: str
    cwd: str
    transcript: str
    event: str


def key_of(session: str, turn: str, text: str) -> str:
    """Name an event by its session, its turn where the host numbers them, and its words."""
    return fingerprint("\0".join((session, turn, text)), 24)


def hear(directory: str, heard: Heard) -> bool:
    """Keep a prompt durably; False when it is there already."""
    files.private_directory(directory)
    name = f"{HEARD}{heard.key}{SUFFIX}"
    if os.path.lexists(os.path.join(directory, name)):
        return False
    try:
        files.create_exclusive(directory, name, _encoded(heard))
    except FileExistsError:
        return False
    return True


def end(directory: str, ended: Ended) -> None:
    """Keep the latest word of a session; where it does not name the transcript, an earlier one may have."""
    files.private_directory(directory)
    name = f"{ENDED}{key_of(ended.host, ended.session, '')}{SUFFIX}"
    before = files.read(os.path.join(directory, name), cap=1 << 20)
    if before.exists and not ended.transcript:
        ended = ended._replace(transcript=_transcript(before.data))
    files.replace(before, _encoded(ended), mode_if_new=0o600)


def _transcript(data: bytes) -> str:
    from improve import quick

    try:
        named = quick.loads(data.decode()).get("transcript", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return named if isinstance(named, str) else ""


def _encoded(event: Heard | Ended) -> bytes:
    from improve.quick import dumps

    return dumps(event._asdict()).encode()


def prompts(directory: str) -> list[str]:
    """List the paths of the prompts that wait."""
    return _named(directory, HEARD)


def endings(directory: str) -> list[str]:
    """List the paths of the sessions that paused or ended."""
    return _named(directory, ENDED)


def _named(directory: str, prefix: str) -> list[str]:
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    return [os.path.join(directory, n) for n in sorted(names) if n.startswith(prefix) and n.endswith(SUFFIX)]


def load(path: str) -> Heard | None:
    """Read a prompt; None when it is gone or was not written by us."""
    return _loaded(path, Heard)


def load_end(path: str) -> Ended | None:
    """Read the pointer to a session; None when it is gone or was not written by us."""
    return _loaded(path, Ended)


def _loaded(path: str, kind: type[Event]) -> Event | None:
    import json

    try:
        snapshot = files.read(path, cap=1 << 20)
        values = json.loads(snapshot.data) if snapshot.exists else None
        event = kind(**values) if isinstance(values, dict) else None
    except (ValueError, TypeError, RecursionError, ImproveError):
        return None
    return event if event and all(isinstance(value, str) for value in event) and next(iter(event)) else None
