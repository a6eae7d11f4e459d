"""What is kept of past sessions: what was asked, what was done, and which instruction files were loaded. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple, TypeVar

from improve.session import SHELL, Call

Item = TypeVar("Item")


class Deed(NamedTuple):
    """One call of a tool, as far as a check can ask about it."""

    at: str
    """ISO 8601 with zone, UTC; empty where the host records none."""
    kind: str
    """`shell`, `edit`, `write`, `read` or `other`, as in `session`."""
    subject: str
    """The command line, or the path."""
    added: str = ""
    """The text that an edit or a write puts in, its beginning."""
    failed: bool = False
    ended: str = ""
    """`person`, `rule` or `interrupted` when it did not come to its end."""

    @property
    def call(self) -> Call:
        """Give the call as a check asks about it; the host's own names of its arguments are not kept."""
        named = {"command": self.subject} if self.kind == SHELL else {"file_path": self.subject}
        given = {**named, "content": self.added} if self.added else named
        return Call("", self.kind, self.kind, self.subject, given)


class Loaded(NamedTuple):
    """An instruction file as the host would have loaded it when the session was read."""

    path: str
    state: str
    """As in `hosts.base.Loaded`; after `unknown:` when the file was changed between the session and its reading, so
    that what it said in the session is not known: the text is that of the reading."""
    digest: str
    """Names its text in the ledger; see `Ledger.text`. Empty when nothing of it reaches the model."""


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
    cut: int = 0
    """Calls that were left out because the session has too many: its oldest ones."""


def joined(found: list[Entry]) -> Entry:
    """Tell a session once that lies in several transcripts: what stands in both was copied."""
    if len(found) == 1:
        return found[0]
    found.sort(key=lambda e: (-len(e.deeds), -e.messages, e.path))
    first, asked, deeds = found[0], list(found[0].asked), list(found[0].deeds)
    messages = first.messages
    for other in found[1:]:
        fresh = unlike(other.asked, (words for _, words in asked), lambda said: said[1])
        messages, asked = messages + len(fresh), [*asked, *fresh]
        deeds += without(other.deeds, deeds)
    return first._replace(
        started=min(e.started for e in found),
        ended=max(e.ended for e in found),
        headless=all(e.headless for e in found),
        messages=messages,
        asked=tuple(sorted(asked)),
        deeds=tuple(sorted(deeds, key=lambda deed: deed.at)),
        loaded=first.loaded or next((e.loaded for e in found if e.loaded), ()),
        cut=max(e.cut for e in found),
    )


def without(deeds: Iterable[Deed], known: Iterable[Deed]) -> list[Deed]:
    """Leave out what is among the known: the same call at the same moment, as often as it is there."""
    return unlike(deeds, map(_same, known), _same)


def _same(deed: Deed) -> tuple[str, ...]:
    return deed[:4]


def unlike(items: Iterable[Item], known: Iterable[Hashable], key: Callable[[Item], Hashable]) -> list[Item]:
    """Leave out items whose keys are among the known ones, each as often as it is there."""
    left, fresh = Counter(known), list[Item]()
    for item in items:
        named = key(item)
        if left[named] > 0:
            left[named] -= 1
        else:
            fresh.append(item)
    return fresh
