"""The nouns of the store: Rule, Observation, Written. Frozen; time and place come from the caller."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, NamedTuple

UNKNOWN = "unknown"
"""Project of an observation made outside any project, and domain of a rule nobody has placed yet."""
TOOLS = ("shell", "edit", "write", "any")
"""What a check can be about."""
GUARDS = ("observe", "warn", "deny")
"""What a guard does about a call, weakest first: note it, advise against it, refuse it."""
VERDICTS = ("held", "recurring", "not-enough-data")
_NEVER = "~"
"""Later than any day."""


class Observation(NamedTuple):
    """One dated piece of evidence that a rule is wanted."""

    project: str
    """Key of the project (`host/owner/repo`, a bare name, or `unknown`)."""
    date: str
    """Local calendar day, `YYYY-MM-DD`; the only time a version 1 file knows."""
    context: str = ""
    """What was said or what happened; secrets are redacted before it gets here."""
    at: str = ""
    """ISO 8601 with zone; empty in version 1 data."""
    host: str = ""
    session: str = ""
    signal: str = ""
    severity: int = 0
    """1-5, cost of recurrence; 0 means not given."""
    provenance: str = ""
    """Who vouches for it: `agent`, `transcript`, `person` or `import`."""
    oid: str = ""
    """Identity of this observation, so that merging a spool twice counts once; the key `id` in the file."""
    wording: str = ""
    """How the rule was phrased this time, when that was not the rule's own text."""
    extra: tuple[tuple[str, str], ...] = ()
    """Keys a person added to it; kept as they stand."""


class Folded(NamedTuple):
    """Old observations of one project, kept as totals so that a rule stays readable."""

    project: str
    occasions: int
    first: str
    last: str


class Written(NamedTuple):
    """One place a rule was written to, and exactly what was written there."""

    path: str
    date: str
    section: str = ""
    text: str = ""
    """The bullet as it stands in the file, so that it can be found, updated or removed."""
    scope: str = ""
    """`global` or `project`."""
    project: str = ""
    branch: str = ""
    """Branch the file was on; a bullet missing on another branch is no rejection."""
    beside: int = 0
    """Lines its section had with it, so that a deleted line is not taken for a reworded one; 0 when not known."""
    made_section: bool = False
    """True when the heading above came with it; it goes when its last line goes."""
    adopted: bool = False
    """True when the line was there before us: never removed by us."""
    sent: bool = False
    """True when a person or a route named the file; the line goes back to the usual one when nobody does any more."""
    at: str = ""
    """The moment, ISO 8601 with zone; empty where only the day is known."""


class Destination(NamedTuple):
    """A file and section a person named for a rule, instead of the instruction file."""

    path: str
    section: str = ""
    paths: tuple[str, ...] = ()
    """Globs for which that file is loaded, when it is one that can say so."""


class Check(NamedTuple):
    """What a call of a tool must not do, in a form that a program can tell."""

    tool: str
    """`shell`, `edit`, `write` or `any`."""
    deny: tuple[str, ...] = ()
    """Patterns; one that matches is enough. None, with `paths`, means any call on those paths."""
    unless: tuple[str, ...] = ()
    """Patterns of what is fine although it is denied."""
    paths: tuple[str, ...] = ()
    """Globs of the files it is about; none means all."""


class Verdict(NamedTuple):
    """What verification said of a written rule the last time, with the numbers."""

    state: str
    """`held`, `recurring` or `not-enough-data`."""
    at: str = ""
    """The moment it was measured, ISO 8601 with zone."""
    since: str = ""
    """The day from which on every measurement said the same."""
    exposed_before: int = 0
    """Sessions in which its topic came up, before it was written."""
    failed_before: int = 0
    """Those of them in which the mistake was made."""
    exposed: int = 0
    """Sessions since then in which the host had loaded it and its topic came up."""
    failed: int = 0
    cause: str = ""
    """Why it recurs: `not-written`, `not-loaded`, `cut`, `contradicted`, `vague` or `ignored`; else empty."""
    detail: str = ""
    """What shows the cause, in one clause."""


class Rule(NamedTuple):
    """One imperative sentence the agent should follow, with its observations."""

    id: str
    text: str
    domain: str = UNKNOWN
    created: str = ""
    last_reinforced: str = ""
    observations: tuple[Observation, ...] = ()
    escalation: str = ""
    """`global`, `local` or empty: what was last written, in the words of version 1."""
    escalated_at: str = ""
    written_to: tuple[Written, ...] = ()
    explicit_scope: str = ""
    """`global`, `local` or empty."""
    retired: bool = False
    retired_because: str = ""
    aliases: tuple[str, ...] = ()
    """Other phrasings that were merged into this rule."""
    near: tuple[str, ...] = ()
    """Ids of rules that may mean the same; a question nobody has answered yet."""
    distinct_from: tuple[str, ...] = ()
    """Ids of rules somebody said are not the same."""
    destination: Destination | None = None
    severity: int = 0
    folded: tuple[Folded, ...] = ()
    rejected_at: int = 0
    """Occasions the rule had when a person deleted it from the file; written again only beyond that."""
    supersedes: tuple[str, ...] = ()
    check: Check | None = None
    guard: str = ""
    """`observe`, `warn` or `deny` when the host's pre-tool hook looks after it; else empty."""
    verdict: Verdict | None = None
    extra: Mapping[str, Any] = {}
    """Unknown keys a person or a later version typed; shown by `--json`, kept byte for byte in the file."""


def occasions(rule: Rule) -> int:
    """Count distinct occasions: a session counts once, an observation without a session counts by itself.

    >>> o = Observation("p", "2026-01-01", session="s1")
    >>> occasions(Rule("r", "R", observations=(o, o, Observation("p", "2026-01-01"))))
    2
    """
    sessions = {(o.host, o.session) for o in rule.observations if o.session}
    alone = sum(1 for o in rule.observations if not o.session)
    return len(sessions) + alone + sum(f.occasions for f in rule.folded)


def projects(rule: Rule) -> tuple[str, ...]:
    """Keys of the real projects a rule was observed in, first seen first; `unknown` is none.

    A bare name, as version 1 recorded it, is no second project beside the key that ends in it.
    """
    seen = dict.fromkeys([f.project for f in rule.folded] + [o.project for o in rule.observations])
    ends = {key.rpartition("/")[2].casefold() for key in seen if "/" in key}
    return tuple(p for p in seen if p and p != UNKNOWN and p.casefold() not in ends)


def places(rule: Rule) -> tuple[str, ...]:
    """Keys of its projects, and `unknown` when it was also observed outside of any."""
    seen = [o.project for o in rule.observations] + [f.project for f in rule.folded]
    outside = "" in seen or UNKNOWN in seen
    return (*projects(rule), UNKNOWN) if outside else projects(rule)


def means(name: str, key: str) -> bool:
    """Say whether a name, as version 1 recorded it, can mean the project with this key."""
    return name == key or name.casefold() == key.rpartition("/")[2].casefold()


def rekeyed(rule: Rule, old: str, new: str) -> Rule:
    """Say of everything seen in or written to one project that it was another: it is known by a new key."""
    totals: dict[str, Folded] = {}
    for f in rule.folded:
        key = new if f.project == old else f.project
        known = totals.get(key)
        if known is None:
            totals[key] = f._replace(project=key)
        else:
            first = min(filter(None, (known.first, f.first)), default="")
            totals[key] = Folded(key, known.occasions + f.occasions, first, max(known.last, f.last))
    return rule._replace(
        observations=tuple(o._replace(project=new) if o.project == old else o for o in rule.observations),
        written_to=tuple(w._replace(project=new) if w.project == old else w for w in rule.written_to),
        folded=tuple(totals.values()),
    )


def fold(rule: Rule, *, keep: int, waiting: Set[str] = frozenset(), since: str = _NEVER) -> Rule:
    """Turn all but the newest *keep* observations into totals per project; the occasions stay the same.

    A total no longer knows whom it counted, so what may come again stays: an observation whose identity is in
    *waiting*, and the last one of each session seen on or after the day *since*. A session that is resumed later
    than that is one more occasion.
    """
    cut = max(len(rule.observations) - keep, 0)
    ends = {(o.host, o.session): at for at, o in enumerate(rule.observations) if o.session and o.date >= since}
    old: list[Observation] = []
    new: list[Observation] = []
    for at, o in enumerate(rule.observations):
        stays = at >= cut or (o.oid and o.oid in waiting) or ends.get((o.host, o.session)) == at
        (new if stays else old).append(o)
    return rule._replace(observations=tuple(new), folded=_totals(rule.folded, old, new)) if old else rule


def _totals(folded: tuple[Folded, ...], old: list[Observation], new: list[Observation]) -> tuple[Folded, ...]:
    """Add observations to the totals; a session that goes on in one that stays is not counted yet."""
    open_sessions = {(o.host, o.session) for o in new if o.session}
    totals = {f.project: f for f in folded}
    counted: set[tuple[str, str]] = set()
    for o in old:
        session = (o.host, o.session)
        again = bool(o.session) and (session in open_sessions or session in counted)
        counted |= {session} if o.session else set()
        known = totals.get(o.project, Folded(o.project, 0, o.date, o.date))
        dates = sorted(d for d in (known.first, known.last, o.date) if d)
        first, last = (dates[0], dates[-1]) if dates else ("", "")
        totals[o.project] = Folded(o.project, known.occasions + (not again), first, last)
    return tuple(totals.values())
