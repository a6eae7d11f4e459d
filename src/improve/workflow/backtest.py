"""backtest: how often a check would have hit in the past, before and after its rule was written, and which calls.

The rate is that of hit calls among all calls of tools, with Wilson's interval for a share
(https://www.itl.nist.gov/div898/handbook/prc/section2/prc241.htm). Calls of one session resemble each other, so the
true uncertainty is rather larger; the number of sessions is given for that reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from improve.errors import Refused, UsageError
from improve.rule import Check, Rule
from improve.workflow.moments import first_written
from improve.workflow.sieve import Sieve

if TYPE_CHECKING:
    from improve.deed import Deed, Entry
    from improve.view import View

SHOWN = 5
"""Calls that are kept of each group to be read."""
_Z = 1.959964
"""Normal quantile of 95 %."""


class Share(NamedTuple):
    """How many calls were hit."""

    calls: int = 0
    hit: int = 0
    sessions: int = 0
    """Sessions with a call that was hit."""

    @property
    def rate(self) -> float:
        """Hit calls per 1,000."""
        return 1000 * self.hit / self.calls if self.calls else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the rate, 95 %."""
        low, high = wilson(self.hit, self.calls)
        return 1000 * low, 1000 * high


class Hit(NamedTuple):
    """One call that a check hits."""

    at: str
    host: str
    session: str
    project: str
    kind: str
    subject: str
    """The command line, or the path."""
    part: str
    """What of it is denied."""
    transcript: str


class Group(NamedTuple):
    """Calls in which the same part is denied."""

    part: str
    times: int
    sessions: int
    hits: tuple[Hit, ...]
    """The newest ones."""


class Tested(NamedTuple):
    """What one check would have done."""

    rule_id: str
    """Empty for a check that belongs to no rule."""
    text: str
    check: Check
    written: str
    """The moment its rule was first written to a file, UTC; empty when it was not."""
    total: Share
    before: Share
    after: Share
    hosts: tuple[tuple[str, Share], ...]
    projects: tuple[tuple[str, Share], ...]
    """The most often hit first."""
    groups: tuple[Group, ...]
    """The one with the newest hit first."""


def wilson(hit: int, of: int) -> tuple[float, float]:
    """Bound a share, 95 %.

    >>> [round(bound, 3) for bound in wilson(0, 10)], wilson(0, 0)
    ([0.0, 0.278], (0.0, 1.0))
    """
    if not of:
        return 0.0, 1.0
    share, z2 = hit / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z / (1 + z2 / of) * ((share * (1 - share) / of + z2 / (4 * of * of)) ** 0.5)
    return max(0.0, middle - half) if hit else 0.0, min(1.0, middle + half) if hit < of else 1.0


def chosen(view: View, rule_id: str, *, everything: bool, ad_hoc: Check | None) -> list[tuple[Rule, Check]]:
    """Choose the rules to test, each with its check, or with one that is only tried.

    Raises:
        NoSuchRule: there is none of that id.
        Refused: it has no check.
        UsageError: a check that is tried makes no sense, or nothing is named.
    """
    from improve.check import problem

    if ad_hoc and (why := problem(ad_hoc)):
        raise UsageError(f"the check makes no sense: {why}; nothing was tested")
    if everything:
        return [(row.rule, row.rule.check) for row in view.index.all() if row.rule.check and not row.rule.retired]
    if not rule_id:
        if not ad_hoc:
            raise UsageError("name a rule, or all of them with --all, or a check to try with --deny")
        return [(Rule("", ""), ad_hoc)]
    rule = view.rule(rule_id)
    check = ad_hoc or rule.check
    if not check:
        raise Refused(
            f"{rule_id} has no check; nothing was tested. Let one be suggested: improve check suggest {rule_id}, "
            "or try one with --deny"
        )
    return [(rule, check)]


def backtest(sessions: Iterable[Entry], rules: Sequence[tuple[Rule, Check]], *, since: str = "") -> list[Tested]:
    """Try checks on the calls of the past.

    Args:
        sessions: Those that ended since then, oldest first.
        rules: Each with the check that is tried for it.
        since: The earliest moment that is looked at, ISO 8601, UTC; empty for all that is known.
    """
    tallies = {str(at): _Tally(_utc(first_written(rule))) for at, (rule, _) in enumerate(rules)}
    sieve = Sieve({str(at): check for at, (_, check) in enumerate(rules)})
    for entry in sessions if rules else ():
        if since and entry.started < since:
            entry = entry._replace(deeds=tuple(deed for deed in entry.deeds if _when(entry, deed) >= since))
        for tally in tallies.values():
            tally.count(entry)
        for deed, found in sieve.of(entry):
            for name, parts in found.items():
                tallies[name].hit(entry, deed, parts)
    return [tallies[str(at)].told(rule, check) for at, (rule, check) in enumerate(rules)]


def _utc(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _when(entry: Entry, deed: Deed) -> str:
    """Tell when a call was made: where the host records no moments, when its session ended."""
    return deed.at or entry.ended


class _Tally:
    """Counts what one check hits."""

    def __init__(self, written: str) -> None:
        self.written = written
        self._calls: Counter[tuple[str, str, bool]] = Counter()
        self._hits: Counter[tuple[str, str, bool]] = Counter()
        self._sessions: dict[tuple[str, str, bool], set[tuple[str, str, str]]] = {}
        self._groups: dict[str, list[Hit]] = {}
        self._times: Counter[str] = Counter()
        self._in: dict[str, set[tuple[str, str, str]]] = {}

    def count(self, entry: Entry) -> None:
        """Count the calls of a session."""
        after = 0
        if self.written and entry.ended >= self.written:
            after = len(entry.deeds)
            if entry.started < self.written:
                after = sum(_when(entry, deed) >= self.written for deed in entry.deeds)
        self._calls[entry.host, entry.project, True] += after
        self._calls[entry.host, entry.project, False] += len(entry.deeds) - after

    def hit(self, entry: Entry, deed: Deed, parts: tuple[str, ...]) -> None:
        """Count a call that is hit."""
        at = _when(entry, deed)
        key = (entry.host, entry.project, bool(self.written) and at >= self.written)
        named = (entry.host, entry.session, entry.path)
        self._hits[key] += 1
        self._sessions.setdefault(key, set()).add(named)
        part = parts[0]
        self._times[part] += 1
        self._in.setdefault(part, set()).add(named)
        kept = self._groups.setdefault(part, [])
        kept.append(Hit(at, entry.host, entry.session, entry.project, deed.kind, deed.subject, part, entry.path))
        if len(kept) > 4 * SHOWN:
            kept[:] = _newest(kept)

    def told(self, rule: Rule, check: Check) -> Tested:
        """Give what was counted."""
        groups = [
            Group(part, self._times[part], len(self._in[part]), tuple(_newest(kept)))
            for part, kept in self._groups.items()
        ]
        groups.sort(key=lambda group: (group.hits[0].at, group.part), reverse=True)
        keys = list(self._calls)
        before, after = (self._share(key for key in keys if key[2] is late) for late in (False, True))
        return Tested(
            rule.id, rule.text, check, self.written, self._share(keys), before, after,
            self._by(0), self._by(1), tuple(groups),
        )  # fmt: skip

    def _share(self, keys: Iterable[tuple[str, str, bool]]) -> Share:
        keys = list(keys)
        sessions = set[tuple[str, str, str]]().union(*(self._sessions.get(key, ()) for key in keys))
        return Share(sum(self._calls[k] for k in keys), sum(self._hits[k] for k in keys), len(sessions))

    def _by(self, place: int) -> tuple[tuple[str, Share], ...]:
        names = dict.fromkeys(str(key[place]) for key in self._calls if self._calls[key])
        shares = [(name, self._share(key for key in self._calls if key[place] == name)) for name in names]
        return tuple(sorted(shares, key=lambda item: (-item[1].hit, -item[1].calls, item[0])))


def _newest(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: hit.at, reverse=True)[:SHOWN]


def as_data(tested: Tested, limit: int = 0) -> Mapping[str, object]:
    """Give it for `--json`."""

    def share(found: Share) -> dict[str, object]:
        low, high = found.interval
        rates = {"per_1000": round(found.rate, 3), "low": round(low, 3), "high": round(high, 3)}
        return {**found._asdict(), **rates}

    shown = tested.groups[: limit or None]
    return {
        "rule_id": tested.rule_id,
        "rule": tested.text,
        "check": {name: value for name, value in tested.check._asdict().items() if value},
        "written": tested.written,
        "total": share(tested.total),
        "before": share(tested.before),
        "after": share(tested.after),
        "hosts": {name: share(found) for name, found in tested.hosts},
        "projects": {name: share(found) for name, found in tested.projects},
        "groups": [{**group._asdict(), "hits": [hit._asdict() for hit in group.hits]} for group in shown],
        "groups_left_out": len(tested.groups) - len(shown),
    }
