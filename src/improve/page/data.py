"""The report as data for programs: stable names, a version, every number of the page."""

from __future__ import annotations

from typing import Any

from improve.page.account import Account, Count
from improve.page.words import bounds, lead, rate

VERSION = 1


def as_data(account: Account) -> dict[str, Any]:
    """Give plain lists and dictionaries; names are added, never renamed."""
    return {
        "version": VERSION,
        "made": account.made,
        "since": account.since,
        "until": account.until,
        "project": account.project or None,
        "lead": lead(account),
        "total": _count(account.total),
        "earlier": account.earlier and _count(account.earlier),
        "weeks": [
            {"week": w.name, "monday": w.monday, "part": w.part, "known": w.known, **_count(w.tally)}
            for w in account.weeks
        ],
        "hosts": [{"host": s.key, "name": s.name, "weekly": list(s.weekly), **_count(s.tally)} for s in account.hosts],
        "projects": [
            {"project": s.key, "name": s.name, "weekly": list(s.weekly), **_count(s.tally)} for s in account.projects
        ],
        "rules": [{**r._asdict(), "evidence": [e._asdict() for e in r.evidence]} for r in account.rules],
        "retired": account.retired,
        "undated": account.undated,
        "inbox": {"waiting": account.waiting, "first": [w._asdict() for w in account.waits]},
        "budget": [r._asdict() for r in account.rooms],
        "guards": [f._asdict() for f in account.fired],
        "next": [s._asdict() for s in account.steps],
        "measured": account.measured or None,
        "missing": dict(account.missing),
    }


def _count(count: Count) -> dict[str, Any]:
    found = rate(count)
    per = None if found is None else round(found, 3)
    return {
        **count._asdict(),
        "per_100": per,
        "interval": [round(b, 3) for b in bounds(count)] if count.messages else None,
    }
