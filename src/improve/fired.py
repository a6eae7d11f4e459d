"""What guards did, as lines of the journal; a call that is made again and again is counted, not told each time."""

from __future__ import annotations

import os

from improve import aside, quick
from improve.guards import MODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from improve.guards import Fired
    from improve.paths import Home

_STORM = 60.0
"""Seconds within which the same part of a call again is the same storm."""
_KEPT = 4096
"""Counts of repetitions that are kept."""


def note(home: Home, found: list[Fired], *, at: str, host: str, session: str, project: str, now: float) -> None:
    """Add a line to the journal for each mode; what is repeated again and again is counted, and told now and then.

    No lock is taken: a line is one write to the end of the file, and nobody rewrites what stands there.
    """
    from improve import files

    for mode in MODES:
        those = [each for each in found if each.guard.mode == mode]
        if not those:
            continue
        ids = sorted({each.guard.id for each in those})
        nth, tells = _counted(home, "\0".join((host, session, mode, *ids, those[0].part)), now)
        if not tells:
            continue
        line: dict[str, object] = {"v": 1, "at": at, "event": "fired", "mode": mode, "rules": ids}
        line |= {"host": host, "session": session, "project": project, "what": those[0].part}
        if nth > 1:
            line["nth"] = nth
        files.append_line(home.journal, quick.dumps(line).encode(), durable=False)


def _counted(home: Home, key: str, now: float) -> tuple[int, bool]:
    """Count one more, and say how many there were and whether this one is told: of a storm those doubling its count.

    A count is the length of a file to which each process adds a byte: no two ever read the same.
    """
    from improve.fingerprint import fingerprint

    folder = os.path.join(home.cache, "fired")
    name = os.path.join(folder, fingerprint(key, 32))
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        fd = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            before = os.fstat(fd)
            os.write(fd, b".")
            nth = os.lseek(fd, 0, os.SEEK_CUR)
        finally:
            os.close(fd)
        if nth == 1:
            aside.keep_newest(folder, _KEPT)
    except OSError:  # told once too often rather than not at all
        return 1, True
    return nth, nth & (nth - 1) == 0 or now - before.st_mtime > _STORM
