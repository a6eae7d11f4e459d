"""Which instruction files a host would load in a session, as far as that can be told afterwards.

A host's ways are simulated where the session was held, once a reading and directory. What a file said in the session
is known when it was not changed since the session began. Git is not asked: what stands in a work tree between two
commits, our own new lines above all, is what no commit tells. So a file that was changed later is marked `unknown:`,
with the text of today; whoever knows when a line was written may still judge by it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from improve import hosts
from improve.hosts.base import Spot
from improve.ledger import Loaded
from improve.redact import redact

if TYPE_CHECKING:
    from improve.ledger import Ledger
    from improve.workflow.here import Here

UNKNOWN = "unknown:"


class Loading:
    """Simulates what hosts load; each directory is looked at once a reading.

    Args:
        root: Gives the top of the project of a directory; empty outside of any.
    """

    def __init__(self, here: Here, ledger: Ledger, root: Callable[[str], str]) -> None:
        self._here, self._ledger, self._root = here, ledger, root
        self._found: dict[tuple[str, str], list[tuple[Loaded, str]]] = {}

    def at(self, host: str, cwd: str, started: str) -> tuple[Loaded, ...]:
        """Tell what a session that began at a moment loaded; nothing is known of a directory that is gone."""
        if (host, cwd) not in self._found:
            self._found[host, cwd] = self._look(host, cwd)
        return tuple(
            file._replace(state=UNKNOWN + file.state) if changed > started else file
            for file, changed in self._found[host, cwd]
        )

    def forget(self) -> None:
        """Put the texts in once more when somebody asks: the ledger was begun anew."""
        self._found.clear()

    def _look(self, host: str, cwd: str) -> list[tuple[Loaded, str]]:
        if host not in hosts.names() or not os.path.isabs(cwd) or "\0" in cwd or not os.path.isdir(cwd):
            return []
        chain = hosts.host(host).chain
        if not chain:
            return []
        spot = Spot(cwd, self._root(cwd), self._here.home.user, self._here.env)
        return [(Loaded(f.path, f.state, self._ledger.keep_text(_safe(f.data))), _changed(f.path)) for f in chain(spot)]


def _safe(data: bytes) -> bytes:
    """Take credentials out of what is kept of a file; its other bytes stay as they are."""
    return redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _changed(path: str) -> str:
    """Tell when a file was changed last; of one that cannot be looked at, as late as can be."""
    try:
        return datetime.fromtimestamp(os.stat(path).st_mtime, UTC).isoformat(timespec="milliseconds")
    except (OSError, ValueError, OverflowError):
        return "~"
