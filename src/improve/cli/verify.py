"""improve verify."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import click

from improve.cli.common import in_colour, json_option, keep_history, look_around, merge_what_waits, note, say
from improve.escape import visible

if TYPE_CHECKING:
    from improve.workflow.here import Here
    from improve.workflow.verify import Proof, Verified

_COLOURS = {"recurring": "red", "held": "green"}
_WORDS = {"recurring": "recurring", "held": "held", "not-enough-data": "not enough data"}
_MANY = 40
"""Rules without a verdict that are listed; the others are counted."""
_SLIPS = 30
_WIDEST = 44
"""Columns up to which names of rules are lined up."""


@click.command(
    "verify",
    epilog="""\b
Examples:
  improve verify                       every written rule, what recurs first
  improve verify use-uv-not-pip        the slips behind it, and the sessions it was measured in
  improve verify --since 30d --json""",
)
@click.argument("rule_ids", nargs=-1, metavar="[RULE_ID]...")
@click.option("--since", default="", metavar="WHEN", help="Look only at what is later: 30d, 6m, or a date.")
@json_option
def verify_command(rule_ids: tuple[str, ...], since: str, as_json: bool) -> int:
    """Show whether each written rule did something: how often its mistake was made before and after it was written.

    Counted are the sessions in which its topic came up and, since it was written, in which the agent had loaded it. A
    verdict needs five of them and seven days. It is kept with the rule; `status` shows what recurs first.
    """
    from improve.workflow import verify
    from improve.workflow.period import began

    here = look_around()
    merge_what_waits(here)
    found = verify.verify(here, rule_ids, since=began(since, here.now) if since else "")
    if as_json:
        from improve import report

        say(report.as_json("verify", _as_data(found)))
    else:
        _show(here, found, whole=bool(rule_ids))
    for text in found.notes:
        note(text)
    if found.kept:
        keep_history(here, f"verify: {verify.summed(found.proofs)}")
    return 0


def _show(here: Here, found: Verified, *, whole: bool) -> None:
    from improve.workflow.verify import summed

    wide = max((_cells(visible(proof.rule.id)) for proof in found.proofs), default=0)
    dim = [proof for proof in found.proofs if not (proof.slips or whole) and _state(proof) == "not-enough-data"]
    left_out = dim[_MANY:] if len(found.proofs) > 2 * _MANY else []
    for proof in found.proofs:
        if proof not in left_out:
            say(_line(proof, wide=min(wide, _WIDEST)))
            if whole:
                _show_behind(here, proof)
    if left_out:
        say(f"… and {len(left_out)} more without enough data: improve verify --json")
    if not found.proofs:
        say("No rule is written yet, so there is nothing to verify. See what is due: improve due")
    else:
        say(f"\nVerified {summed(found.proofs)}.")
    say(_coverage(here, found))


def _state(proof: Proof) -> str:
    return proof.judgement.state


def _line(proof: Proof, *, wide: int) -> str:
    """Say of one rule: state, name, numbers, and what to do."""
    state = f"{_WORDS[_state(proof)]:<15}"
    if in_colour() and _state(proof) in _COLOURS:
        state = click.style(state, fg=_COLOURS[_state(proof)], bold=_state(proof) == "recurring")
    name = visible(proof.rule.id)
    text = f"{state}  {name}{' ' * (wide - _cells(name))}  {_numbers(proof)}"
    if proof.cause:
        return "\n".join([text, *(f"    {line}" for line in _why(proof))])
    missing = _missing(proof) if _state(proof) == "not-enough-data" and proof.written else ""
    return f"{text} — {missing}" if missing else text


def _cells(text: str) -> int:
    """Count the columns that a text takes in a terminal."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def _numbers(proof: Proof) -> str:
    from improve.report import counted

    before, after = proof.judgement.before, proof.judgement.after
    if not proof.written:
        return "not written"
    then = f" (before: {before.failed} of {before.exposed})" if before.exposed else ""
    day = proof.written[:10]
    return f"{after.failed} of {counted(after.exposed, 'session')} since {day}{then}"


def _why(proof: Proof) -> list[str]:
    """Give the cause with what shows it, and what helps, a line each."""
    from improve.report import CAUSES

    detail = f": {visible(proof.detail)}" if proof.detail and proof.cause not in ("ignored",) else ""
    told = [f"{CAUSES.get(proof.cause, proof.cause)}{detail}"]
    return [*told, f"→ {visible(proof.fix)}"] if proof.fix else told


def _missing(proof: Proof) -> str:
    """Say what a verdict still needs."""
    from improve.proof import LEAST_DAYS, LEAST_SESSIONS
    from improve.report import counted

    after, lacks = proof.judgement.after, []
    if not after.exposed:
        return "it has not come up since"
    if after.exposed < LEAST_SESSIONS:
        lacks.append(f"{after.exposed} of the {counted(LEAST_SESSIONS, 'session')}")
    if proof.days < LEAST_DAYS:
        lacks.append(f"{int(proof.days)} of the {counted(LEAST_DAYS, 'day')}")
    if lacks:
        return f"{' and '.join(lacks)} that a verdict needs"
    return visible(proof.judgement.why.rpartition(": ")[2])


def _show_behind(here: Here, proof: Proof) -> None:
    """Show what a verdict rests on: the slips with their words, and the sessions."""
    from improve.report import counted, quoted

    told = proof.judgement
    say(f"    rule: {visible(proof.rule.text)}")
    if proof.written:
        say(f"    {visible(told.why)} (the rate since is between {told.low:.0%} and {told.high:.0%})")
    before, after = counted(proof.occasions_before, "occasion"), proof.occasions_after
    say(f"    {before} before it was written, {after} since")
    if proof.slips:
        say("    the mistake since, newest first:")
    for slip in proof.slips[:_SLIPS]:
        where = f"{visible(slip.host)} {visible(slip.session[:12])}".strip()
        say(f"      {visible(slip.at[:16])}  {slip.by:<10}  {where}: {quoted(slip.what)}")
    if len(proof.slips) > _SLIPS:
        say(f"      … {len(proof.slips) - _SLIPS} more: --json")
    if proof.met:
        say("    sessions since in which it came up, newest first:")
    for met in proof.met[:_SLIPS]:
        state = "slipped" if met.slipped else "fine"
        loaded = "" if met.loaded else ", not loaded"
        say(f"      {visible(met.at[:16])}  {visible(met.host)} {visible(met.session[:12])}: {state}{loaded}")
    if len(proof.met) > _SLIPS:
        say(f"      … {len(proof.met) - _SLIPS} more: --json")


def _coverage(here: Here, found: Verified) -> str:
    """Say what was looked at, always."""
    from improve.report import counted

    covered = found.covered
    span = f", {visible(found.first[:10])} to {visible(found.last[:10])}" if found.first else ""
    new = f"{counted(covered.read, 'transcript')} read now, {covered.unchanged} known already"
    new = "nothing new was read, for improve is off" if here.off() else new
    lines = [f"Looked at {counted(found.sessions, 'session')}{span}; {new}."]
    if covered.unreadable:
        path, why = covered.unreadable[0]
        more = f", and {len(covered.unreadable) - 1} more" if len(covered.unreadable) > 1 else ""
        lines.append(f"Could not read {len(covered.unreadable)}: {visible(path)} ({visible(why)}){more}.")
    return "\n".join(lines)


def _as_data(found: Verified) -> dict[str, Any]:
    covered = found.covered
    return {
        "rules": [_proof(proof) for proof in found.proofs],
        "coverage": {
            "sessions": found.sessions,
            "from": found.first,
            "to": found.last,
            "read": covered.read,
            "unchanged": covered.unchanged,
            "bytes": covered.size,
            "unreadable": [{"path": path, "why": why} for path, why in covered.unreadable],
        },
        "kept": found.kept,
        "notes": list(found.notes),
    }


def _proof(proof: Proof) -> dict[str, Any]:
    told = proof.judgement
    return {
        "id": proof.rule.id,
        "rule": proof.rule.text,
        "state": told.state,
        "written": proof.written,
        "days": round(proof.days, 1),
        "before": told.before._asdict(),
        "after": told.after._asdict(),
        "low": round(told.low, 4),
        "high": round(told.high, 4),
        "why": told.why,
        "occasions_before": proof.occasions_before,
        "occasions_after": proof.occasions_after,
        "cause": proof.cause or None,
        "detail": proof.detail or None,
        "fix": proof.fix or None,
        "slips": [slip._asdict() for slip in proof.slips],
        "sessions": [met._asdict() for met in proof.met],
    }
