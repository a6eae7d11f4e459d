"""on and off: change what the switch says, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from improve import files, hosts, journal, switch
from improve.errors import UsageError
from improve.switch import Off
from improve.workflow.here import Here

_CAP = 1 << 20
_KEPT = 100
"""Entries that came to their end, the newest: whoever reads transcripts later leaves out what was said meanwhile."""
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LONGEST = timedelta(days=3660)


def duration(text: str) -> timedelta:
    """Read `30m`, `2h`, `3d` or `1w`.

    >>> duration("90m")
    datetime.timedelta(seconds=5400)

    Raises:
        UsageError: it is none of these.
    """
    number, unit = text[:-1], _UNITS.get(text[-1:].lower(), "")
    if not (unit and number.isascii() and number.isdigit() and len(number) < 6 and int(number)):
        raise UsageError(f"--for {text!r} is no time; nothing was changed. Say it like 30m, 2h, 3d or 1w")
    return min(timedelta(**{unit: int(number)}), _LONGEST)


def turn_off(here: Here, *, host: str, project: str | None, lasts: str) -> Off:
    """Switch off; what is off already gets the new end."""
    until = (here.now + duration(lasts)).isoformat(timespec="seconds") if lasts else ""
    key, root = _project(here, project)
    new = Off(_host(host), key, root, until, here.moment)

    def add(entries: list[Off]) -> list[Off]:
        running = switch.running(entries, here.now)
        again = next((e for e in running if _covers(new, e) and _covers(e, new)), new)
        since = again.since or new.since
        return [*_ending(here, [e for e in entries if e is not again], new), new._replace(since=since)]

    _change(here, add)
    _tell_journal(here, f"switched {switch.said(new)}")
    return (switch.read(here.home.file(switch.FILE)) or [new])[-1]


def turn_on(here: Here, *, host: str, project: str | None) -> list[Off]:
    """Switch on; returns what is still off here because more was switched off than this takes back."""
    key, root = _project(here, project)
    asked = Off(_host(host), key, root)
    _change(here, lambda entries: _ending(here, entries, asked))
    about = " ".join(filter(None, (f"for {host}" if host else "", f"in {key}" if key else "")))
    _tell_journal(here, f"switched on {about or 'everywhere'}")
    left = switch.running(switch.read(here.home.file(switch.FILE)) or [], here.now)
    return [e for e in left if asked.host in ("", e.host) or not e.host]


def _ending(here: Here, entries: list[Off], asked: Off) -> list[Off]:
    """Let what is covered come to its end now; of what has ended before, keep the newest."""
    running = switch.running(entries, here.now)
    left = [entry for entry in running if not _covers(asked, entry)]
    over = [entry for entry in entries if entry not in running]
    over += [switch.ended(entry, here.now) for entry in running if _covers(asked, entry)]
    return [*[entry for entry in over if entry.since][-_KEPT:], *left]


def _covers(asked: Off, entry: Off) -> bool:
    """Say whether an entry is about no more than what is asked for."""
    return (not asked.project or switch.same(entry, asked.project, asked.root)) and asked.host in ("", entry.host)


def _host(name: str) -> str:
    if name and name not in hosts.names():
        raise UsageError(f"no host is called {name!r}; nothing was changed. They are: {', '.join(hosts.names())}")
    return name


def _project(here: Here, name: str | None) -> tuple[str, str]:
    """Find the project that is meant: none for None, the current one for an empty name."""
    if name is None:
        return "", ""
    if not name:
        if here.project is None:
            raise UsageError("this directory is no project; nothing was changed. Name one with --project NAME")
        return here.project.key, here.project.root
    view = here.store.view()
    key = here.project_key(name, view)
    return key, next(iter(here.roots_of(key, view)), "")


def _change(here: Here, change: Callable[[list[Off]], list[Off]]) -> None:
    path = here.home.file(switch.FILE)
    files.private_directory(here.home.path)

    def text(seen: files.Snapshot) -> bytes:
        # a damaged file is off everywhere; whoever says what shall be off or on says it anew
        return switch.written(change(switch.read(path) or []))

    files.edit(path, text, cap=_CAP, mode_if_new=0o600)


def _tell_journal(here: Here, title: str) -> None:
    event = {"v": 1, "event": "switched", "at": here.moment, "title": title}
    journal.append(here.home.journal, event, durable=False)
