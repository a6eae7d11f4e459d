"""inbox.jsonl: what people typed that may be a correction and that nobody has phrased as a rule yet.

Append-only, one JSON object a line: a candidate, and later lines that change its state. The key of a candidate is
the event it came from; one event never becomes two candidates, also after the first was closed. A line that cannot
be read is counted and named; a last one that a kill left torn is passed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from improve import files, locks
from improve.errors import NoSuchRule, Refused
from improve.paths import Home

FILE = "inbox.jsonl"
OPEN, ACCEPTED, DISMISSED, MATCHED = "open", "accepted", "dismissed", "matched"
STATES = (OPEN, ACCEPTED, DISMISSED, MATCHED)
LONGEST = 500
"""Characters of a person's words that are kept."""
_CAP = 1 << 28
_EXTRA = "extra"


class Candidate(NamedTuple):
    """One thing a person typed that waits to be phrased, or that was settled."""

    id: str
    """`C1`, `C2`, …"""
    key: str
    """Identity of the event it came from."""
    at: str
    text: str
    """The person's words, without credentials, cut."""
    host: str = ""
    session: str = ""
    project: str = ""
    """Key of the project."""
    cwd: str = ""
    signal: str = ""
    severity: int = 0
    """1-5, cost of recurrence; 0 means not known."""
    confidence: float = 0.0
    """0 to 1: how sure it is that it is one at all."""
    tier: str = ""
    """`sure` or `review`; empty for what was heard before anybody looked closely."""
    durable: bool = False
    """Whether a rule for later sessions may come of it."""
    rank: float = 0.0
    """0 to 1: how likely that is; what waits is shown in this order."""
    phrase: str = ""
    """The rule as it may be accepted without another word; empty where somebody must phrase it."""
    did: str = ""
    """What the agent had just done, without credentials."""
    state: str = OPEN
    rule: str = ""
    """Id of the rule it became or belongs to."""
    always: bool = False
    """It was dismissed for good: the same words never wait again."""
    extra: Mapping[str, Any] = {}
    """Keys that another version wrote."""


_KNOWN = frozenset(Candidate._fields) - {_EXTRA}
_WORDS = ("id", "at", "text", "host", "session", "project", "cwd", "signal", "rule", "tier", "phrase", "did")
_NUMBERS = ("confidence", "rank")


class Inbox(NamedTuple):
    """All candidates by key, oldest first, and the numbers of the lines nobody can read."""

    candidates: Mapping[str, Candidate]
    bad: tuple[int, ...] = ()

    @property
    def open(self) -> list[Candidate]:
        """List what waits, oldest first."""
        return [candidate for candidate in self.candidates.values() if candidate.state == OPEN]

    @property
    def ranked(self) -> list[Candidate]:
        """List what waits, the likeliest to be worth a rule first, then the latest."""
        waiting = sorted(self.open, key=lambda candidate: candidate.at, reverse=True)
        return sorted(waiting, key=lambda candidate: (candidate.rank, candidate.severity), reverse=True)

    def all_named(self, names: Iterable[str]) -> list[Candidate]:
        """Find candidates by their ids, each once.

        Raises:
            NoSuchRule: there is no candidate of one of them.
        """
        return list({candidate.key: candidate for candidate in map(self.named, names)}.values())

    @property
    def never(self) -> list[str]:
        """List the words that were dismissed for good."""
        return [candidate.text for candidate in self.candidates.values() if candidate.always]

    def named(self, name: str) -> Candidate:
        """Find a candidate by its id, `c1` and `C1` alike.

        Raises:
            NoSuchRule: there is none.
        """
        wanted = name.strip().upper()
        for candidate in self.candidates.values():
            if candidate.id == wanted:
                return candidate
        raise NoSuchRule(f"no candidate has the id {name!r}; nothing was changed. List them with: improve inbox --all")


def read(path: str) -> Inbox:
    """Read the file; only a missing one is empty."""
    return fold(files.read(path, cap=_CAP).data)


def fold(data: bytes) -> Inbox:
    """Put the lines together: the first line of a key makes a candidate, the last change of its state holds."""
    candidates: dict[str, Candidate] = {}
    changes: dict[str, dict[str, Any]] = {}
    bad = []
    for number, (line, whole) in enumerate(_lines(data), 1):
        values = _parsed(line)
        if values is None:
            if whole and line.strip():
                bad.append(number)
        elif "text" in values:
            candidates.setdefault(values["key"], _candidate(values))
        else:
            changes[values["key"]] = values
    for key, change in changes.items():
        if key in candidates:
            always = change.get("always") is True
            candidates[key] = candidates[key]._replace(state=change["state"], rule=change["rule"], always=always)
    return Inbox(_told_apart(candidates), tuple(bad))


def _lines(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """Give each line, and whether it has its end."""
    *whole, rest = data.split(b"\n")
    yield from ((line, True) for line in whole)
    if rest:
        yield rest, False


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or not _sound(values):
        return None
    return values


def _sound(values: dict[str, Any]) -> bool:
    """Check what is read from a line: a candidate's fields, or a change of state."""
    if not (isinstance(values.get("key"), str) and values["key"]):
        return False
    values.setdefault("rule", "")
    if "text" not in values:
        return values.get("state") in STATES and isinstance(values["rule"], str)
    if values.setdefault("state", OPEN) not in STATES or not values.get("id"):
        return False
    for word in _WORDS:  # a loop, for this runs on every line at the start of every session
        if type(values.get(word, "")) is not str:
            return False
    for number in _NUMBERS:
        if type(values.get(number, 0.0)) not in (int, float):
            return False
    return type(values.get("severity", 0)) is int and type(values.get("durable", False)) is bool


def _candidate(values: dict[str, Any]) -> Candidate:
    values.pop("v", None)
    values.setdefault("at", "")
    values["always"] = values.get("always") is True
    if values.keys() <= _KNOWN:
        return Candidate(**values)
    more = {name: values.pop(name) for name in list(values) if name not in _KNOWN}
    return Candidate(**values, extra=more)


def _told_apart(candidates: dict[str, Candidate]) -> dict[str, Candidate]:
    """Give a new id to the second of two that have the same one, as joined files can."""
    seen: set[str] = set()
    highest = _highest(candidates.values())
    for key, candidate in candidates.items():
        if candidate.id in seen:
            highest += 1
            candidates[key] = candidate = candidate._replace(id=f"C{highest}")
        seen.add(candidate.id)
    return candidates


def _highest(candidates: Iterable[Candidate]) -> int:
    numbers = [c.id[1:] for c in candidates if c.id[:1] == "C" and c.id[1:].isdecimal() and len(c.id) < 16]
    return max(map(int, numbers), default=0)


def add(home: Home, found: Sequence[Candidate], *, timeout: float = 5.0) -> list[Candidate]:
    """Append candidates under new ids and give those that were new; an event that is known is passed over.

    The same words in one session, or at one moment in a copy of it, are one event, whoever heard them. They are
    durable when this returns.
    """
    if not found:
        return []
    path = home.file(FILE)
    with _lock(home, timeout):
        inbox = read(path)
        number = _highest(inbox.candidates.values())
        short = (candidate._replace(text=shortened(candidate.text)) for candidate in found)
        once = unseen(short, names_of_all(inbox.candidates.values()))
        new = [candidate._replace(id=f"C{number}") for number, candidate in enumerate(once, number + 1)]
        for left, candidate in zip(range(len(new) - 1, -1, -1), new, strict=True):
            files.append_line(path, _line(candidate), durable=not left)  # one wait for the disk confirms them all
    return new


def unseen(found: Iterable[Candidate], known: Set[tuple[str, ...]] = frozenset()) -> Iterator[Candidate]:
    """Give each event once, and none that is known, by its names; the words are shortened already."""
    seen: set[tuple[str, ...]] = set()
    for candidate in found:
        names = names_of(candidate)
        if known.isdisjoint(names) and seen.isdisjoint(names):
            seen.update(names)
            yield candidate


def names_of_all(candidates: Iterable[Candidate]) -> set[tuple[str, ...]]:
    """Name the events of candidates, each in every way in which it can come again."""
    return {name for candidate in candidates for name in names_of(candidate)}


def names_of(candidate: Candidate) -> list[tuple[str, ...]]:
    """Name the event a candidate came from in every way in which it can come again."""
    names: list[tuple[str, ...]] = [(candidate.key,)]
    if "." in candidate.at:  # to the millisecond, as transcripts have it
        names.append((_instant(candidate.at), candidate.host, candidate.text))
    if candidate.session:
        names.append((candidate.host, candidate.session, "", candidate.text))
    return names


def _instant(at: str) -> str:
    """Give a moment in one form, whatever zone it was written in: people travel, and schedulers have their own."""
    from datetime import UTC, datetime

    try:
        return datetime.fromisoformat(at).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return at


def close(
    home: Home, candidate_id: str, *, state: str, at: str, rule: str = "", always: bool = False, again: bool = False
) -> Candidate:
    """Settle a candidate that waits.

    Args:
        again: one that was settled already may be settled anew.

    Raises:
        NoSuchRule: there is no such candidate.
        Refused: it was settled already.
    """
    path = home.file(FILE)
    with _lock(home, 5.0):
        candidate = read(path).named(candidate_id)
        if not again:
            refuse_settled(candidate)
        change = {"v": 1, "key": candidate.key, "at": at, "state": state, "rule": rule, "always": always}
        files.append_line(path, _encoded(change))
    return candidate._replace(state=state, rule=rule, always=always)


def refuse_settled(candidate: Candidate) -> None:
    """Refuse what is no longer open, and say what became of it."""
    if candidate.state != OPEN:
        became = f", as rule {candidate.rule}" if candidate.rule else ""
        raise Refused(f"{candidate.id} is {candidate.state} already{became}; nothing was changed")


def shortened(text: str) -> str:
    """Redact, and cut after so many characters."""
    from improve.redact import redact

    text = redact(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _lock(home: Home, timeout: float) -> AbstractContextManager[None]:
    files.private_directory(home.path)
    key = os.path.join(os.path.realpath(home.path), FILE)
    return locks.lock(key, directory=files.private_directory(home.state), timeout=timeout)


def _line(candidate: Candidate) -> bytes:
    values = {key: value for key, value in candidate._asdict().items() if value and key != _EXTRA}
    return _encoded({"v": 1, **values, **candidate.extra, "text": candidate.text})


def _encoded(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=True).encode()
