"""What `improve scan --explain` prints: one session, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from improve import report
from improve.cli.common import say
from improve.escape import one_line, visible

if TYPE_CHECKING:
    from improve.detectors.look import Seen
    from improve.session import Session, Turn
    from improve.workflow.here import Here

_WIDTH = 100
"""Characters of a turn's words."""
_LEGEND = "Signals are marked *; the number in parentheses is how likely the words are one, 0 to 1"


def explain(here: Here, name: str, hosts: tuple[str, ...], *, as_json: bool) -> int:
    """Tell of one session what was seen in each turn, and why it is a signal or none; nothing is kept.

    Args:
        name: A file, or the beginning of a session's id.
        hosts: Only these.
    """
    from improve.detectors import explain as look
    from improve.workflow import find

    session = find.session(here, name, hosts)
    seen = look(session, least=here.config.least_severity)
    if as_json:
        turns = [_as_data(one) for one in seen]
        head = {name: getattr(session, name) for name in ("host", "id", "path", "cwd", "started", "parent", "headless")}
        say(report.as_json("explain", {**head, "turns": turns, "bad": session.bad}))
        return 0
    for number, line in enumerate(_lines(seen)):
        if not number:
            say(f"{_head(here, session)}\n{_LEGEND}")
        say(line)
    if session.bad:
        say(f"{report.counted(len(session.bad), 'record')} could not be read")
    return 0


def _head(here: Here, session: Session) -> str:
    facts = (session.host, session.id, here.short(session.cwd), session.started, here.short(session.path))
    return "  ".join(visible(fact) for fact in facts if fact)


def _lines(seen: Iterator[Seen]) -> Iterator[str]:
    from improve.redact import redact
    from improve.session import PERSON

    told: set[str] = set()
    for one in seen:
        mark = "*" if one.finding else " "
        yield f"{mark}{one.number + 1:>4}  {_who(one.turn):<16} {_said(one.turn)}"
        if one.finding or one.turn.who == PERSON or one.why not in told:  # of hundreds of calls, each reason once
            yield f"       {visible(redact(one.why))}"
        told.add(one.why)
        if one.finding:
            yield f"       severity {one.finding.severity}{', durable' if one.finding.durable else ''}{_rule(one)}"


def _rule(one: Seen) -> str:
    return f", as a rule: {visible(one.finding.rule)}" if one.finding and one.finding.rule else ""


def _who(turn: Turn) -> str:
    return f"{turn.who} {turn.how}".strip()


def _said(turn: Turn) -> str:
    """Show what a turn holds in one line, without credentials."""
    from improve.redact import redact

    words = turn.text or "; ".join(f"{call.tool}: {call.subject}" for call in turn.calls)
    if not words and turn.failed:
        words = "; ".join(result.reason or result.text for result in turn.results if result.failed)
    words = one_line(redact(words[:2000]), _WIDTH)
    return report.quoted(words) if words else ""


def _as_data(one: Seen) -> dict[str, Any]:
    from improve.redact import redact

    turn, found = one.turn, one.finding
    finding = None if found is None else {**found._asdict(), "words": redact(found.words), "did": redact(found.did)}
    return {
        "number": one.number + 1,
        "who": turn.who,
        "how": turn.how,
        "at": turn.at,
        "why": redact(one.why),
        "words": redact(turn.text[:2000]) if turn.who == "person" else "",
        "finding": finding,
    }
