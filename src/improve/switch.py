"""The one switch: where it is off, nothing is recorded, delivered, written, scanned or sent to a model.

`off.json` in the store lists what is off: everything, a host, a project, or a host in a project, for good or until a
moment. Every path asks here. What came to its end stays in it: what was said meanwhile is not taken in later either.
A file that cannot be understood is taken as off everywhere: a veto that got damaged is still a veto.
"""

from __future__ import annotations

import os

from improve.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    Where = Callable[[], tuple[str, str]]
    """Gives (key, root) of the project; asked only when something is off for a single project."""

FILE = "off.json"
_CAP = 1 << 20


class Off(Frozen):
    """One thing that is switched off; an empty host or project means all of them."""

    host: str = ""
    project: str = ""
    """Key of the project."""
    root: str = ""
    """Its directory; a project that got another key, as with a new remote, is still the same."""
    until: str = ""
    """ISO moment with zone from which on it is on again; empty for no end."""
    since: str = ""


DAMAGED = Off(since="damaged")
"""What a file that cannot be understood stands for."""


def read(path: str) -> list[Off] | None:
    """List what was switched off, ended or not; None when the file cannot be understood."""
    import json

    from improve import files
    from improve.errors import ImproveError

    try:
        seen = files.read(path, cap=_CAP)
    except (OSError, ImproveError):
        return None
    if not seen.exists:
        return []
    data = seen.data
    try:
        listed = json.loads(data)["off"]
        found = [Off(**entry) for entry in listed]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return found if all(isinstance(value, str) for entry in found for value in entry) else None


def written(entries: Iterable[Off]) -> bytes:
    """Give the text of the file."""
    import json

    listed = [{key: value for key, value in entry._asdict().items() if value} for entry in entries]
    return json.dumps({"v": 1, "off": listed}, indent=2).encode() + b"\n"


def in_force(path: str, now: Callable[[], datetime], host: Callable[[], str], where: Where) -> Off | None:
    """Say what switches a host off in a project at this moment, if anything does; else nothing is asked for."""
    if not os.path.lexists(path):  # the usual case costs one look
        return None
    entries = read(path)
    if entries is None:
        return DAMAGED
    name = host()
    for entry in running(entries, now()):
        if entry.host in ("", name) and (not entry.project or same(entry, *where())):
            return entry
    return None


def running(entries: Iterable[Off], now: datetime) -> list[Off]:
    """Leave out what has come to its end."""
    return [entry for entry in entries if not entry.until or not _over(entry.until, now)]


def ended(entry: Off, now: datetime) -> Off:
    """Give what is switched on again, or anew, at a moment, with its end; a veto holds up to the last instant."""
    if entry.until and _over(entry.until, now):
        return entry
    return entry._replace(until=now.isoformat(timespec="milliseconds"))


def spans(path: str) -> list[Off]:
    """List what is or was off from one moment on; nothing where the file is not there or cannot be understood."""
    if not os.path.lexists(path):
        return []
    return [entry for entry in read(path) or [] if entry.since]


def held(entries: Iterable[Off], at: datetime, host: str, key: str, root: str) -> bool:
    """Tell whether something switched a host off in a project at a moment that may be long gone."""
    return any(
        entry.host in ("", host) and (not entry.project or same(entry, key, root)) and _within(entry, at)
        for entry in entries
    )


def _within(entry: Off, at: datetime) -> bool:
    from datetime import datetime

    try:
        return datetime.fromisoformat(entry.since) <= at and not (entry.until and _over(entry.until, at))
    except (ValueError, TypeError):  # nobody can say when it began
        return False


def _over(until: str, now: datetime) -> bool:
    from datetime import datetime

    try:
        return datetime.fromisoformat(until) <= now
    except (ValueError, TypeError):  # no moment, or one without a zone: it cannot be said that it is over
        return False


def same(entry: Off, key: str, root: str) -> bool:
    """Say whether an entry is about a project; one that was named before it was known is found by its bare name."""
    called = key.rpartition("/")[2].casefold()
    return bool(key and entry.project.casefold() in (key.casefold(), called)) or bool(root and entry.root == root)


def _local(until: str) -> str:
    """Give a moment by the clock of whoever reads it now: since then it may have been set for summer, or moved."""
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(until)
        return f"{moment.astimezone() if moment.tzinfo else moment:%Y-%m-%d %H:%M}"
    except (ValueError, TypeError, OverflowError):
        return until


def said(entry: Off) -> str:
    """Say in one clause what is off and until when."""
    if entry == DAMAGED:
        return "off everywhere, for off.json cannot be understood"
    about = [f"for {entry.host}"] if entry.host else []
    about += [f"in {entry.project}"] if entry.project else []
    end = f"until {_local(entry.until)}" if entry.until else "until it is switched on"
    return " ".join(["off", *(about or ["everywhere"]), end])
