"""budget: how much room the instruction files have that the agents here load, and which rules might leave first.

Nothing is ever done by itself: a person sees the order, the reason and the command.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from improve import hosts, markdown, match
from improve.inline import plain
from improve.rule import Rule
from improve.workflow.moments import age
from improve.workflow.reach import count_lines, spot_of
from improve.workflow.resolve import HELD_DAYS, held_days, is_due

if TYPE_CHECKING:
    from improve.hosts.base import Host, Loaded
    from improve.workflow.here import Here

UNEXPOSED_DAYS = 60
"""Days since it was written after which a rule whose topic never came up may leave."""
_READ = ("loaded", "cut")
_ALIKE = 0.4
"""Score from which on related rules may mean the same."""


class Room(NamedTuple):
    """One instruction file as one host loads it."""

    host: str
    path: str
    state: str
    lines: int
    size: int
    ours: int
    """Lines that are rules of the store."""
    advised: int
    """Lines the host advises; 0 for no advice."""
    cap: int
    """Bytes of all files of the project together that it reads; 0 for no limit, and for a global file."""
    used: int
    """Bytes of all of them."""

    @property
    def left(self) -> int:
        """Lines left before the advice; below 0 when it has more."""
        return self.advised - self.lines if self.advised else 0


class Leaving(NamedTuple):
    """A rule that might leave."""

    rule: Rule
    kind: str
    """`unexposed`, `duplicate` or `held`."""
    why: str
    command: str
    paths: tuple[str, ...]
    """The files in which it takes a line."""


class Budget(NamedTuple):
    """The room there is, and how to make more."""

    rooms: tuple[Room, ...]
    leaving: tuple[Leaving, ...]
    unmeasured: int
    """Written rules of which no verification has told anything yet."""


def budget(here: Here, *, host: str = "", project: str = "") -> Budget:
    """Measure the files that the hosts of this machine, or one host, load here."""
    chosen = [hosts.host(host)] if host else hosts.on_this_machine(here.home.user, here.env)
    spot = spot_of(here, project)
    rows = [row.rule for row in here.store.view().index.written() if row.rule.written_to and not row.rule.retired]
    said = {plain(w.text or rule.text) for rule in rows for w in rule.written_to}
    rooms = [room for each in chosen if each.chain for room in _rooms(each, each.chain(spot), said)]
    loaded = {os.path.realpath(room.path) for room in rooms}
    inside = [rule for rule in rows if any(os.path.realpath(w.path) in loaded for w in rule.written_to)]
    unmeasured = sum(1 for rule in inside if rule.verdict is None)
    return Budget(tuple(rooms), tuple(_leaving(inside, loaded, here.today)), unmeasured)


def _rooms(host: Host, chain: Iterable[Loaded], said: set[str]) -> Iterator[Room]:
    read = [file for file in chain if file.state in _READ]
    used = sum(file.size for file in read if file.scope == "project")
    for file in read:
        ours = sum(1 for bullet in markdown.bullets(file.data) if plain(bullet.text) in said)
        cap = host.project_bytes if file.scope == "project" else 0
        lines = count_lines(file.data)
        yield Room(
            host.name, file.path, file.state, lines, file.size, ours, host.advised_lines, cap, used if cap else 0
        )


def _leaving(rules: list[Rule], loaded: set[str], today: str) -> Iterator[Leaving]:
    """Give what might leave: what never came up, what another rule may say too, then what held longest."""
    there = {rule.id: rule for rule in rules}
    held = sorted((r for r in rules if is_due(r, today)), key=lambda r: -held_days(r.verdict, today))
    for kind, found in (
        ("unexposed", _unexposed(rules, today)),
        ("duplicate", _twins(there)),
        ("held", _held(held, today)),
    ):
        for rule, why, command in found:
            if rule.id in there:
                paths = (w.path for w in rule.written_to if os.path.realpath(w.path) in loaded)
                yield Leaving(there.pop(rule.id), kind, why, command, tuple(dict.fromkeys(paths)))


def _unexposed(rules: list[Rule], today: str) -> list[tuple[Rule, str, str]]:
    aged = sorted(((_age(rule, today), rule) for rule in rules), key=lambda pair: (-pair[0], pair[1].id))
    return [
        (rule, f"in {days} days its topic came up in no session that had loaded it", f"improve retire {rule.id}")
        for days, rule in aged
        if days >= UNEXPOSED_DAYS and _never_exposed(rule) and not rule.guard
    ]


def _never_exposed(rule: Rule) -> bool:
    told = rule.verdict
    return told is not None and bool(told.at) and told.exposed == 0 and told.failed == 0


def _age(rule: Rule, today: str) -> int:
    """Count the days since a rule was written; 0 when that is not known, so that it never counts as old."""
    dates = [w.date[:10] for w in rule.written_to if w.date]
    return age(min(dates, default=""), today) or 0


def _twins(rules: dict[str, Rule]) -> Iterator[tuple[Rule, str, str]]:
    for rule in list(rules.values()):
        names = (name for name in rule.near if name in rules and name not in rule.distinct_from)
        other = next((name for name in names if _is_twin(rule, rules[name])), "")
        if other:
            yield rule, f"it may mean the same as {other}", f"improve merge {other} {rule.id}"


def _is_twin(rule: Rule, other: Rule) -> bool:
    """Say whether two rules share enough for advice to merge them; what is worth a question when observed may not."""
    found = match.compare(rule.text, other.text)
    return found.relation == "same" or (found.relation == "related" and found.score >= _ALIKE)


def _held(rules: list[Rule], today: str) -> Iterator[tuple[Rule, str, str]]:
    for rule in rules:
        days = held_days(rule.verdict, today)
        why = f"it has held for {days} days (of {HELD_DAYS} that are enough)"
        yield rule, why, f"improve resolve {rule.id} --prune"
