"""What doctor looks at between the store and the hosts: the switch, the queue, the hooks' log, hidden characters."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from improve import files, queue, switch
from improve.character import faults
from improve.errors import ImproveError
from improve.lookalike import look_alikes
from improve.report import counted
from improve.workflow.here import Here
from improve.workflow.repair import Finding

_TAIL = 1 << 16
_LONGEST = 160
_UNSEEN = ("an invisible or bidi formatting character", "a character that looks blank")
_CAP = 4 << 20
DAMAGED = 6


def look(here: Here) -> list[Finding]:
    """Report on the switch, the queue and the log."""
    return [*_switch(here), *_queue(here), *_log(here)]


def _switch(here: Here) -> Iterator[Finding]:
    path = here.home.file(switch.FILE)
    entries = switch.read(path)
    if entries is None:
        what = f"{here.short(path)} cannot be understood, so improve is off everywhere"
        yield Finding(False, what, "improve on, then say again what shall be off", DAMAGED)
        return
    for entry in switch.running(entries, here.now):
        yield Finding(True, f"improve is {switch.said(entry)}", _on(entry))


def _on(entry: switch.Off) -> str:
    host = f" --host {entry.host}" if entry.host else ""
    return f"improve on{host}{' --project' if entry.project else ''}"


def _queue(here: Here) -> Iterator[Finding]:
    waiting = queue.prompts(here.home.file("queue"))
    broken = [path for path in waiting if queue.load(path) is None]
    for path in broken[:5]:
        yield Finding(False, f"{here.short(path)}: cannot be read as a prompt", "look at it, then delete it", DAMAGED)
    if len(waiting) > len(broken):
        prompts, wait = counted(len(waiting) - len(broken), "typed prompt"), "wait"
        wait += "s" if prompts.startswith("1 ") else ""
        yield Finding(True, f"{prompts} {wait} in the queue; every command takes in what it can")


def log_path(here: Here) -> str:
    """Name the file in which hooks note what went wrong."""
    return os.path.join(os.path.dirname(here.home.state), "hook.log")


def _log(here: Here) -> Iterator[Finding]:
    recent = [line for line in log_lines(here) if _is_recent(line, here.now)]
    if recent:
        what = f"hooks noted trouble, {counted(len(recent), 'line')} since yesterday; the last: {cut(recent[-1])}"
        yield Finding(True, what, f"read {here.short(log_path(here))}")


def log_lines(here: Here) -> list[str]:
    """Give the last lines of the hooks' log."""
    try:
        with open(log_path(here), "rb") as stream:
            stream.seek(max(os.fstat(stream.fileno()).st_size - _TAIL, 0))
            return stream.read(_TAIL).decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def cut(line: str) -> str:
    """Keep the beginning of a line of the log."""
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _is_recent(line: str, now: datetime) -> bool:
    try:
        return datetime.fromisoformat(line.partition(" ")[0]) > now - timedelta(days=1)
    except (ValueError, TypeError):
        return False


def hidden(here: Here, paths: Iterable[str]) -> list[Finding]:
    """Look for letters nobody sees, or takes for others, in files that agents load; nothing is changed."""
    found = []
    for path in {os.path.realpath(path): path for path in paths}.values():
        odd = list(_odd(path))
        if odd:
            line, what = odd[0]
            more = f", and {len(odd) - 1} more" if len(odd) > 1 else ""
            fix = "look at the line: an agent reads what you do not see"
            found.append(Finding(True, f"{here.short(path)}: line {line}: {what}{more}", fix))
    return found


def _odd(path: str) -> Iterator[tuple[int, str]]:
    try:
        data = files.read(path, cap=_CAP).data
    except ImproveError:
        return
    if data.isascii():
        return
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), 1):
        if line.isascii():
            continue
        for at, kind in faults(line):
            if kind in _UNSEEN:
                yield number, f"{kind} (U+{ord(line[at]):04X}) at column {at + 1}"
        if said := look_alikes(line):
            yield number, said
