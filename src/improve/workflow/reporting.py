"""report: gather what the report tells, from the store, the ledger, the journal and the instruction files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from improve.page.account import (
    HELD,
    RECURRING,
    STATES,
    TENTATIVE,
    UNSURE,
    WAITING,
    WRITTEN,
    Account,
    Count,
    Evidence,
    Fired,
    Room,
    Share,
    Standing,
    Step,
    Waits,
)
from improve.rule import UNKNOWN, Rule, occasions, projects
from improve.workflow import weeks
from improve.workflow.corrections import Tally, corrections, is_said, read_sessions

if TYPE_CHECKING:
    from improve.view import View
    from improve.workflow.here import Here

USUAL = "90d"
EVIDENCE = 20
"""Corrections that are given of a rule, the latest; pages show fewer."""
WORDS = 300
_WAITS = 10
_Found = TypeVar("_Found")


class _Asked(NamedTuple):
    """What a report is asked for, resolved."""

    since: str
    until: str
    names: tuple[str, ...] | None
    """What the one project is called; None for all."""
    key: str


def gather(here: Here, *, since: str = USUAL, project: str = "") -> Account:
    """Gather what is known of a time: corrections, rules, what waits, room and guards.

    Raises:
        UsageError: `since` is no span of time, or it begins later than now.
        NeedsRepair: the store cannot be read.
    """
    view = here.store.view()
    asked, begin = _resolved(here, view, since, project)
    key = asked.key
    rows = [row for row in view.index.all() if not row.problems]
    mine = [(row.rule, row.due) for row in rows if _concerns(row.rule, asked.names)]
    missing: dict[str, str] = {}
    days = weeks.span(asked.since, asked.until)
    read, why = read_sessions(here, view, _utc(weeks.earlier(asked.since, days + 1)), key)
    if why:
        missing["messages"] = why
    tally = Tally((c for rule, _ in mine for c in corrections(rule, asked.names)), read)
    now = tally.within(asked.since, asked.until)
    if read and not now.read:
        missing["messages"] = "No session of this time was read: improve verify reads them."
    standing = _ranked(_standing(rule, due, asked, view) for rule, due in mine if not rule.retired)
    no_waits: tuple[tuple[Waits, ...], int] = ((), 0)
    waits, waiting = _tried(missing, "inbox", lambda: _waits(here, asked, view), no_waits)
    account = Account(
        here.moment, asked.since, asked.until, _spelled(since, asked.since), _name(key, view) if key else "",
        now.total(), _earlier(tally, asked, days),
        weeks.laid_out(now.by_week(), asked.since, asked.until),
        _shares(now, asked, "host", now.by_host(), _host_name),
        _shares(now, asked, "project", now.by_project(), lambda k: _name(k, view)),
        standing, sum(rule.retired for rule, _ in mine),
        sum(f.occasions for rule, _ in mine for f in rule.folded if asked.names is None or f.project in asked.names),
        waits, waiting,
        _tried(missing, "budget", lambda: _rooms(here, key), ()),
        _tried(missing, "guards", lambda: _fired(here, begin, asked), ()),
        (), max((rule.measured for rule in standing), default=""), tuple(missing.items()),
    )  # fmt: skip
    return account._replace(steps=tuple(_steps(here, account, [rule for rule, _ in mine])))


def _resolved(here: Here, view: View, since: str, project: str) -> tuple[_Asked, str]:
    """Find the days and the project that are meant, and the moment the time begins."""
    from improve.errors import UsageError
    from improve.workflow import period

    begin = period.began(since, here.now)
    key = here.known_project(project, view) if project else ""
    first = weeks.local_day(begin, here.now.tzinfo) or "0001-01-01"
    if first > here.today:
        raise UsageError(f"--since {since} begins later than today; nothing was done. Name an earlier day")
    return _Asked(first, here.today, here.names_of(key, view) if key else None, key), begin


def _utc(day: str) -> str:
    return f"{day}T00:00:00+00:00"


def _spelled(since: str, first: str) -> str:
    from improve.workflow import period

    words = period.spelled(since.strip().lower())
    return f"the last {words}" if words != since.strip().lower() else f"the time since {first}"


def _tried(missing: dict[str, str], part: str, look: Callable[[], _Found], nothing: _Found) -> _Found:
    """Look at a part of the report; one that cannot be had is named and costs no other."""
    from improve.errors import ImproveError

    try:
        return look()
    except (ImproveError, OSError) as error:
        missing[part] = f"This part cannot be told: {error}"
        return nothing


def _concerns(rule: Rule, names: tuple[str, ...] | None) -> bool:
    if names is None:
        return True
    seen = {o.project for o in rule.observations} | {f.project for f in rule.folded}
    return not seen.isdisjoint(names) or any(w.scope == "global" or w.project in names for w in rule.written_to)


def _earlier(tally: Tally, asked: _Asked, days: int) -> Count | None:
    """Count the same length of time before; None when the store does not reach back over all of it."""
    begin = weeks.earlier(asked.since, days)
    if not any(c.date < begin for c in tally.said):
        return None
    return tally.within(begin, weeks.earlier(asked.since, 1)).total()


def _shares(
    tally: Tally, asked: _Asked, of: str, counts: dict[str, Count], name: Callable[[str], str]
) -> tuple[Share, ...]:
    mondays = weeks.mondays(asked.since, asked.until)
    ranked = sorted(counts.items(), key=lambda item: (-item[1].corrections, -item[1].messages, item[0]))
    return tuple(Share(key, name(key), count, tally.weekly(of, key, mondays)) for key, count in ranked)


def _host_name(key: str) -> str:
    from improve import hosts

    return hosts.host(key).title if key in hosts.names() else key or "not told"


def _name(key: str, view: View) -> str:
    """Name a project for people: without the site it lies on, and of one without a remote the directory."""
    if key in ("", UNKNOWN):
        return "outside any project"
    if key.startswith("path:"):
        return key.rstrip("/").rpartition("/")[2] or key
    return key.partition("/")[2] if key.count("/") == 2 else key


def _standing(rule: Rule, due: bool, asked: _Asked, view: View) -> Standing:
    from improve.proof import Tally as Sessions
    from improve.proof import interval

    said = list(corrections(rule, asked.names))
    told = [o for o in rule.observations if is_said(o) and (asked.names is None or o.project in asked.names)]
    latest = sorted(told, key=lambda o: (o.date, o.at), reverse=True)[:EVIDENCE]
    v = rule.verdict if rule.written_to else None
    found = Standing(
        rule.id, rule.text, _state(rule, due), rule.domain, occasions(rule),
        sum(1 for c in said if asked.since <= c.date <= asked.until),
        max((c.date for c in said), default=rule.last_reinforced), len(projects(rule)),
        min((w.date for w in rule.written_to if w.date), default=""),
        tuple(dict.fromkeys(w.path for w in rule.written_to)), guard=rule.guard,
        evidence=tuple(_evidence(o.date, o.host, _name(o.project, view), o.signal, o.context) for o in latest),
        told=len(told),
    )  # fmt: skip
    if v is None:
        return found
    before, after = (v.exposed_before, v.failed_before), (v.exposed, v.failed)
    return found._replace(
        before=before, before_bounds=interval(Sessions(*before)) if before[0] else (0.0, 1.0),
        after=after, after_bounds=interval(Sessions(*after)) if after[0] else (0.0, 1.0),
        measured=v.at, cause=v.cause, detail=v.detail, fix=_fix(rule) if v.state == RECURRING else "",
    )  # fmt: skip


def _evidence(date: str, host: str, project: str, signal: str, words: str) -> Evidence:
    from improve.escape import one_line

    return Evidence(date, host, project, signal, one_line(words[: 4 * WORDS], WORDS))


def _state(rule: Rule, due: bool) -> str:
    if rule.written_to:
        judged = rule.verdict.state if rule.verdict else ""
        return judged if judged in (RECURRING, UNSURE, HELD) else WRITTEN
    return WAITING if due else TENTATIVE


def _fix(rule: Rule) -> str:
    """Name the command that goes with a cause, as far as the rule alone tells it."""
    from improve.report import command

    cause = rule.verdict.cause if rule.verdict else ""
    if cause == "ignored" and rule.guard == "deny":
        return command("history", rule.id)
    if cause == "ignored" and rule.check:
        return command("guard", rule.id, options="--deny" if rule.guard == "warn" else "--warn")
    known = {
        "not-written": command("escalate", rule.id, options="--apply"),
        "cut": "improve budget",
        "contradicted": command("history", rule.id),
        "vague": command("set", rule.id, options='--text "<with a command, a file or a number in it>"'),
        "ignored": command("check", "suggest", rule.id),
    }
    return known.get(cause, command("verify", rule.id))


def _ranked(rules: Iterable[Standing]) -> tuple[Standing, ...]:
    found = sorted(rules, key=lambda r: r.last, reverse=True)
    return tuple(sorted(found, key=lambda r: (STATES.index(r.state), -r.in_time, -r.occasions)))


def _waits(here: Here, asked: _Asked, view: View) -> tuple[tuple[Waits, ...], int]:
    from improve import inbox
    from improve.escape import one_line

    found = inbox.read(here.home.file(inbox.FILE)).ranked
    if asked.names is not None:
        found = [c for c in found if c.project in asked.names]
    few = (Waits(c.id, c.at[:10], c.signal, _name(c.project, view), one_line(c.text, WORDS)) for c in found[:_WAITS])
    return tuple(few), len(found)


def _rooms(here: Here, key: str) -> tuple[Room, ...]:
    from improve.workflow.budget import budget

    rooms = budget(here, project=key).rooms
    return tuple(Room(r.host, here.short(r.path), r.lines, r.ours, r.advised, r.cap, r.used) for r in rooms)


def _fired(here: Here, since: str, asked: _Asked) -> tuple[Fired, ...]:
    from improve.workflow.firing import firings

    rows: dict[str, Fired] = {}
    for f in firings(here, since=since):  # newest first
        if asked.names is not None and f.project not in asked.names:
            continue
        row = rows.get(f.rule_id) or Fired(f.rule_id, 0, 0, 0, f.at, f.what)
        name = {"observe": "observed", "warn": "warned"}.get(f.mode, "denied")
        rows[f.rule_id] = row._replace(**{name: getattr(row, name) + f.times})
    return tuple(sorted(rows.values(), key=lambda r: -(r.observed + r.warned + r.denied)))


def _steps(here: Here, account: Account, rules: list[Rule]) -> Iterable[Step]:
    """Say what is worth doing, the most urgent first."""
    from improve.escape import one_line
    from improve.report import counted
    from improve.workflow.resolve import is_due
    from improve.workflow.verify import is_week_ago

    for rule in account.of(RECURRING)[:3]:
        yield Step(f"“{one_line(rule.text, 80)}” keeps recurring", rule.fix)
    if due := len(account.of(WAITING)):
        yield Step(f"{counted(due, 'rule')} {'waits' if due == 1 else 'wait'} to be written", "improve escalate")
    if account.waiting:
        what = counted(account.waiting, "message")
        yield Step(f"{what} may hold a correction that is no rule yet", "improve review")
    written = any(rule.written_to and not rule.retired for rule in rules)
    if written and is_week_ago(here, account.measured):
        when = "were not judged yet" if not account.measured else "were last judged more than a week ago"
        yield Step(f"Written rules {when}", "improve verify")
    if held := sum(1 for rule in rules if is_due(rule, here.today)):
        yield Step(f"{counted(held, 'rule')} held so long that they may leave the active set", "improve resolve")
    if full := sum(1 for room in account.rooms if room.advised and room.lines > room.advised):
        yield Step(f"{counted(full, 'instruction file')} longer than its agent advises", "improve budget")
