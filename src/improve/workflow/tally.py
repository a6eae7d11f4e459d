"""Count for many rules at once in which past sessions each could have made its mistake, and in which it was made.

The unit is the session: what a subagent did counts for the session that started it. A session that began before a
rule was written counts as before, however long it went on: its host had loaded the file by then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from improve.loaded import LOADED as delivered
from improve.loaded import covers
from improve.proof import Tally
from improve.rule import Observation, Rule
from improve.workflow.evidence import Slip, slip_of
from improve.workflow.moments import moment, written_at

if TYPE_CHECKING:
    from improve.deed import Entry
    from improve.workflow.firing import Firing

Unit = tuple[str, str]
"""Host and session."""


LOADED, SLIPPED = 1, 2


class Met(NamedTuple):
    """A session since a rule was written in which its topic came up."""

    at: str
    host: str
    session: str
    project: str
    loaded: bool
    slipped: bool


class Scene(NamedTuple):
    """The latest session of a host in which the mistake was made."""

    state: str
    """As `loaded.delivery` says it."""
    entry: Entry


class Case:
    """One rule on trial: what is counted for it while the sessions go by."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.lines = [(at, w) for w in rule.written_to if (at := written_at(w)) is not None]
        self.before: dict[Unit, int] = {}
        """Sessions before, in which the topic came up: `SLIPPED`, or 0."""
        self.after: dict[Unit, int] = {}
        """Sessions since: `LOADED` and `SLIPPED`, added up."""
        self.met: dict[Unit, tuple[str, str]] = {}
        """Moment and project of them, as far as somebody wants to see them."""
        self.scenes: dict[str, Scene] = {}
        """By host; one in which it was loaded says more than a later one in which it was not."""
        self.elsewhere: dict[Unit, str] = {}
        """Sessions of projects for which it is not written, in which the mistake was made."""
        self.slips: dict[Unit, Slip] = {}
        """The mistake since it was written, the first proof of each session."""
        self._since: dict[tuple[str, str], float | None] = {}

    @cached_property
    def first(self) -> float | None:
        """The moment it was first written."""
        return min((at for at, _ in self.lines), default=None)

    def since(self, project: str, cwd: str = "") -> float | None:
        """Say from when on a rule stood where sessions of a project load it; None where it never did."""
        place = (project, cwd)
        if place not in self._since:
            there = [at for at, w in self.lines if covers(self.rule, w, project, cwd)]
            self._since[place] = min(there, default=None)
        return self._since[place]

    def observed(self) -> tuple[set[Unit], set[Unit]]:
        """Name the sessions of its observations, before and since it was written."""
        before: set[Unit] = set()
        after: set[Unit] = set()
        for number, o in enumerate(self.rule.observations):
            unit = (o.host, o.session) if o.session else ("", f"#{number}")
            (after if self.is_after(o) else before).add(unit)
        return before, after - before

    def is_after(self, observation: Observation) -> bool:
        """Say whether an observation is from after the rule was written; a day alone must be a later one."""
        exact = moment(observation.at)
        if self.first is None:
            return False
        if exact is not None:
            return exact > self.first
        day = moment(observation.date[:10])
        return day is not None and day >= self.first

    @property
    def tallies(self) -> tuple[Tally, Tally, Tally]:
        """Give the sessions before, those since in which it was loaded, and all since."""
        kinds = Counter(self.after.values())
        loaded = Tally(kinds[LOADED] + kinds[LOADED + SLIPPED], kinds[LOADED + SLIPPED])
        return (
            Tally(len(self.before), sum(map(bool, self.before.values()))),
            loaded,
            Tally(len(self.after), kinds[SLIPPED] + kinds[LOADED + SLIPPED]),
        )

    @property
    def sessions(self) -> tuple[Met, ...]:
        """List the sessions since, the newest first."""
        found = (
            Met(*self.met[unit][:1], *unit, self.met[unit][1], bool(kind & LOADED), bool(kind & SLIPPED))
            for unit, kind in self.after.items()
            if unit in self.met
        )
        return tuple(sorted(found, key=lambda one: moment(one.at) or 0.0, reverse=True))


class Asked(Protocol):
    """What answers for a session: which rules it was about, and whether its host had loaded one."""

    def came_up(self, entry: Entry) -> set[str]:
        """Name the rules whose topic came up."""

    def delivery(self, rule: Rule, entry: Entry) -> str:
        """Say `loaded`, or what kept a rule from the session."""

    def had(self, rule: Rule, entry: Entry) -> bool:
        """Say whether the session surely had a rule before the lines that it stands in now."""


class Trial:
    """All the rules that are judged in one run."""

    def __init__(self, rules: Iterable[Rule], topics: Asked, *, detail: bool = False) -> None:
        """Take the rules, and what answers for each session.

        Args:
            detail: Remember each session, for somebody who wants to see them.
        """
        self.topics, self.detail = topics, detail
        self.cases = {rule.id: Case(rule) for rule in rules}
        self._checked = {rule_id: case.rule.check for rule_id, case in self.cases.items() if case.rule.check}
        self._begun: dict[Unit, float] = {}
        self._observed: dict[Unit, list[tuple[Case, Observation]]] = {}
        for case in self.cases.values():
            for o in case.rule.observations:
                if o.session and o.provenance != "import":
                    self._observed.setdefault((o.host, o.session), []).append((case, o))

    @cached_property
    def _sieve(self) -> Callable[[Entry], Iterable[tuple[str, Slip]]]:
        from improve.workflow.sieve import Sieve

        sieve = Sieve(self._checked)

        def hits(entry: Entry) -> Iterable[tuple[str, Slip]]:
            for deed, found in sieve.of(entry):
                for rule_id, parts in found.items():
                    at = deed.at or entry.started
                    yield rule_id, slip_of(at, entry, parts[0], by="call")

        return hits

    def take(self, entry: Entry) -> None:
        """Count one session."""
        unit = (entry.host, entry.parent or entry.session)
        begun = moment(entry.started) or moment(entry.ended)
        if begun is None:
            return
        self._begun.setdefault((entry.host, entry.session), begun)
        slips = self._slips(entry)
        quiet = entry.headless or bool(entry.parent) or not entry.messages
        for rule_id in self.topics.came_up(entry) | slips.keys():
            case, slip = self.cases[rule_id], slips.get(rule_id)
            if slip is not None or not quiet or case.rule.check:  # else nobody was there to correct it
                self._place(case, entry, unit, slip, begun=begun)

    def _slips(self, entry: Entry) -> dict[str, Slip]:
        """Give the first proof of each mistake that was made in a session, by rule."""
        slips: dict[str, Slip] = {}
        for rule_id, hit in self._sieve(entry) if self._checked else ():
            if self.cases[rule_id].since(entry.project, entry.cwd) is not None:
                # elsewhere only a person can say that it is wrong there, too
                slips.setdefault(rule_id, hit)
        for case, o in self._observed.get((entry.host, entry.session), ()):
            slips.setdefault(case.rule.id, slip_of(o.at or o.date, entry, o.context or o.wording, by="correction"))
        return slips

    def _place(self, case: Case, entry: Entry, unit: Unit, slip: Slip | None, *, begun: float) -> None:
        """Count a session for a rule: before it was written, since, or where it is not written."""
        since = case.since(entry.project, entry.cwd)
        if since is None:
            if slip is not None and case.first is not None and begun >= case.first:
                case.elsewhere[unit] = entry.project
                case.slips.setdefault(unit, slip)
        elif begun < since:
            if not self.topics.had(case.rule, entry):
                case.before[unit] = case.before.get(unit, 0) | (SLIPPED if slip else 0)
            case.after.pop(unit, None)
            case.slips.pop(unit, None)
        elif unit not in case.before:
            self._count(case, entry, unit, slip)

    def _count(self, case: Case, entry: Entry, unit: Unit, slip: Slip | None) -> None:
        state = self.topics.delivery(case.rule, entry)
        kind = case.after.get(unit, 0) | (LOADED if state == delivered else 0)
        if slip is not None:
            kind |= SLIPPED
            case.slips.setdefault(unit, slip)
            known = case.scenes.get(entry.host)
            if known is None or state == delivered or known.state != delivered:
                case.scenes[entry.host] = Scene(state, entry)
        case.after[unit] = kind
        if self.detail:
            case.met.setdefault(unit, (entry.started, entry.project))

    def take_firing(self, firing: Firing) -> None:
        """Count what a guard met; a session that began before the rule was written is none."""
        case = self.cases.get(firing.rule_id)
        at = moment(firing.at)
        if case is None or case.first is None or at is None or at < case.first:
            return
        slip = Slip(firing.at, firing.host, firing.session, firing.project, firing.what, "guard")
        self._alone(case, slip)

    def close(self, since: str = "") -> None:
        """Count the observations of sessions that no transcript tells of: each is proof that the topic came up.

        Args:
            since: Earlier ones are left out.
        """
        begin = moment(since) or 0.0
        for case in self.cases.values():
            before, after = case.observed()
            for number, o in enumerate(case.rule.observations):
                unit = (o.host, o.session) if o.session else ("", f"#{number}")
                late = (moment(o.at or o.date) or 0.0) >= begin
                if unit in after and unit not in before and late and o.provenance != "import":
                    what = o.context or o.wording or case.rule.text
                    slip = Slip(o.at or o.date, o.host, o.session or unit[1], o.project, what, "correction")
                    self._alone(case, slip)

    def _alone(self, case: Case, slip: Slip) -> None:
        """Count a mistake of which no transcript tells that the topic came up."""
        unit, at = (slip.host, slip.session), moment(slip.at)
        if unit in case.before or (case.first is not None and self._begun.get(unit, case.first) < case.first):
            return
        if unit not in case.after:
            since = case.since(slip.project)
            if since is None and not all(w.project for _, w in case.lines):
                since = case.first  # of a line of version 1 its project is not known
            if since is None:
                case.elsewhere.setdefault(unit, slip.project)
                case.slips.setdefault(unit, slip)
            if since is None or unit in case.elsewhere or (at is not None and at < since):
                return
        case.after[unit] = case.after.get(unit, LOADED) | SLIPPED
        case.met.setdefault(unit, (slip.at, slip.project))
        case.slips.setdefault(unit, slip)


def newest(slips: Mapping[Unit, Slip]) -> tuple[Slip, ...]:
    """Order slips, the newest first."""
    return tuple(sorted(slips.values(), key=lambda slip: moment(slip.at) or 0.0, reverse=True))
