"""The same instruction in several sessions: who asks a third time wants it without asking.

The ledger of what was asked is derived data: fingerprints of instructions and of the sessions they were asked in.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from improve import cluster, files
from improve.fingerprint import fingerprint
from improve.inbox import Candidate
from improve.paths import Home

FILE = "asks"
ENOUGH = 3
"""Sessions in which an instruction is asked before it waits in the inbox."""
_KEPT = 8
"""Sessions that are remembered of one instruction."""
_HALF = 8
"""Signs that name a session, and as many that name the moment: a copy of a session has other ids, not other times."""
_CAP = 1 << 28
_CONFIDENCE, _SEVERITY, _RANK = 0.4, 2, 0.3


def repeated(home: Home, asks: Iterable[Candidate]) -> list[Candidate]:
    """Note in which sessions instructions were asked, and give those that now were asked in enough of them."""
    asked = [(plain, ask) for ask in asks if (plain := cluster.ask_of(ask.text))]
    if not asked:
        return []
    known = _load(home)
    found: dict[str, Candidate] = {}
    for plain, ask in asked:
        key = fingerprint(plain, 16)
        sessions = known.setdefault(key, [])
        session, moment = (fingerprint(f"{ask.host}\0{name}", _HALF) for name in (ask.session, ask.at))
        if len(sessions) < _KEPT and not any(one[:_HALF] == session or one[_HALF:] == moment for one in sessions):
            sessions.append(session + moment)
        if len(sessions) >= ENOUGH:
            found[key] = _candidate(key, ask, len(sessions))
    _save(home, known)
    return list(found.values())


def _candidate(key: str, ask: Candidate, sessions: int) -> Candidate:
    return ask._replace(
        key=f"ask-{key}",
        severity=_SEVERITY,
        confidence=_CONFIDENCE,
        tier="review",
        rank=_RANK,
        did=f"was asked this in {sessions}{' or more' if sessions == _KEPT else ''} sessions",
    )


def _load(home: Home) -> dict[str, list[str]]:
    data = files.read(os.path.join(home.cache, FILE), cap=_CAP).data.decode("ascii", "replace")
    rows = (line.split() for line in data.splitlines())
    return {row[0]: row[1 : 1 + _KEPT] for row in rows if row}


def _save(home: Home, known: dict[str, list[str]]) -> None:
    path = os.path.join(files.private_directory(home.cache), FILE)
    data = "".join(f"{key} {' '.join(sessions)}\n" for key, sessions in known.items())
    files.replace(files.read(path, cap=_CAP), data.encode(), mode_if_new=0o600)
