"""The nouns of the report: what is told, before anybody decides how it looks."""

from __future__ import annotations

from typing import NamedTuple

RECURRING, UNSURE, HELD = "recurring", "not-enough-data", "held"
WRITTEN, WAITING, TENTATIVE = "written", "waiting", "tentative"
STATES = (RECURRING, UNSURE, HELD, WRITTEN, WAITING, TENTATIVE)
"""What a rule can be, the most urgent first: verdicts, then not judged yet, due to be written, seen once."""


class Count(NamedTuple):
    """Corrections of a time, a host or a project, and the messages of the sessions that were read."""

    corrections: int = 0
    counted: int = 0
    """Those of them from sessions that were read: only they can be compared with messages."""
    sessions: int = 0
    messages: int = 0
    """A person's messages in the sessions that were read."""


class Week(NamedTuple):
    """One week, Monday to Sunday."""

    name: str
    """As ISO 8601 names it: `2026-W47`."""
    monday: str
    tally: Count
    part: bool = False
    """Only some of its days are in the time that is told."""

    @property
    def known(self) -> bool:
        """Whether anything is known of it; a week that nobody read is no week without corrections."""
        return bool(self.tally.corrections or self.tally.messages or self.tally.sessions)


class Share(NamedTuple):
    """What one host or one project has of the corrections."""

    key: str
    name: str
    tally: Count
    weekly: tuple[int, ...]
    """Corrections in each week of the account."""


class Evidence(NamedTuple):
    """One correction."""

    date: str
    host: str
    project: str
    signal: str
    words: str


class Standing(NamedTuple):
    """One rule and how it fares."""

    id: str
    text: str
    state: str
    domain: str
    occasions: int
    in_time: int
    """Corrections in the time that is told."""
    last: str
    """Day of the last one."""
    projects: int
    written: str = ""
    """Day it was first written."""
    paths: tuple[str, ...] = ()
    before: tuple[int, int] = (0, 0)
    """Sessions before it was written in which its topic came up, and those of them with the mistake."""
    before_bounds: tuple[float, float] = (0.0, 1.0)
    after: tuple[int, int] = (0, 0)
    after_bounds: tuple[float, float] = (0.0, 1.0)
    measured: str = ""
    cause: str = ""
    detail: str = ""
    fix: str = ""
    """The command that helps; empty where nothing is wrong."""
    guard: str = ""
    evidence: tuple[Evidence, ...] = ()
    """The latest, of `told` corrections."""
    told: int = 0
    """Corrections with a date of their own, all in all."""


class Waits(NamedTuple):
    """A message in the inbox."""

    id: str
    date: str
    signal: str
    project: str
    words: str


class Room(NamedTuple):
    """An instruction file as a host loads it."""

    host: str
    path: str
    lines: int
    ours: int
    advised: int
    """Lines the host advises; 0 for no advice."""
    cap: int
    """Bytes the host reads of all files of the project together; 0 for no limit."""
    used: int


class Fired(NamedTuple):
    """What the guard of one rule did."""

    rule: str
    observed: int
    warned: int
    denied: int
    last: str
    what: str
    """The last call it was about."""


class Step(NamedTuple):
    """What to do next, and with which command."""

    why: str
    command: str


class Account(NamedTuple):
    """Everything that is told."""

    made: str
    """The moment, ISO 8601 with zone."""
    since: str
    """First day."""
    until: str
    """Last day."""
    spelled: str
    """The time in words: `the last 90 days`, `the time since 2026-11-02`."""
    project: str
    """Name of the project it is about; empty for all."""
    total: Count
    earlier: Count | None
    """The same length of time right before it; None when nothing older is known."""
    weeks: tuple[Week, ...]
    hosts: tuple[Share, ...]
    projects: tuple[Share, ...]
    rules: tuple[Standing, ...]
    """The most urgent first."""
    retired: int
    undated: int
    """Older occasions that are kept as totals: they belong to no week."""
    waits: tuple[Waits, ...]
    waiting: int
    """All messages in the inbox; `waits` has the likeliest."""
    rooms: tuple[Room, ...]
    fired: tuple[Fired, ...]
    steps: tuple[Step, ...]
    measured: str
    """Moment of the latest verdict; empty when there is none."""
    missing: tuple[tuple[str, str], ...] = ()
    """Parts that cannot be told, `messages`, `budget`, `guards` or `inbox`, each with the reason."""

    def lacks(self, part: str) -> str:
        """Say why a part cannot be told; empty when it can."""
        return dict(self.missing).get(part, "")

    def of(self, state: str) -> tuple[Standing, ...]:
        """List the rules in a state."""
        return tuple(rule for rule in self.rules if rule.state == state)
