"""The ledger: what was asked and done in each session, kept so that rules can be judged after the transcript is gone.

Derived from transcripts, one row a session, without credentials. A lost ledger costs one more reading of what the
hosts still keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Deed(NamedTuple):
    """One call of a tool, as far as a check can ask about it."""

    at: str
    """ISO 8601 with zone; empty where the host records none."""
    kind: str
    """`shell`, `edit`, `write`, `read` or `other`, as in `session`."""
    subject: str
    """The command line, or the path."""
    added: str = ""
    """The text that an edit or a write puts in, its beginning."""
    failed: bool = False
    ended: str = ""
    """`person`, `rule` or `interrupted` when it did not come to its end."""


class Loaded(NamedTuple):
    """An instruction file as the host would have loaded it when the session was read."""

    path: str
    state: str
    """As in `hosts.base.Loaded`."""
    digest: str
    """Names its text in the ledger; see `Ledger.text`."""


class Entry(NamedTuple):
    """One session."""

    host: str
    session: str
    path: str
    """The transcript."""
    project: str
    """Key of the project; `unknown` outside of any."""
    cwd: str
    started: str
    ended: str
    """ISO 8601 with zone, UTC."""
    headless: bool
    parent: str
    """The session that started it as its subagent; empty for one a person sat at."""
    messages: int
    """A person's messages."""
    asked: tuple[tuple[str, str], ...]
    """A person's messages: moment and words, shortened."""
    deeds: tuple[Deed, ...]
    loaded: tuple[Loaded, ...]


class Ledger:
    """An open ledger. Raises `EnvironmentFailure` where it cannot be opened or written."""

    @classmethod
    def open(cls, directory: str) -> Ledger:
        """Open the ledger of a state directory; a damaged one is put aside and begun anew."""
        raise NotImplementedError

    def entries(self, *, since: str = "", until: str = "", project: str = "", host: str = "") -> Iterator[Entry]:
        """Yield the sessions that ended in a time, oldest first; empty means no limit."""
        raise NotImplementedError

    def text(self, digest: str) -> bytes:
        """Give what an instruction file said; empty when it is not known."""
        raise NotImplementedError
