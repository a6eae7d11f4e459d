"""improve guard."""

from __future__ import annotations

from typing import Any

import click

from improve.cli.common import json_option, keep_history, look_around, merge_what_waits, note, say
from improve.errors import Refused
from improve.escape import visible
from improve.workflow.guard import Guarded, Reach
from improve.workflow.here import Here

_EXAMPLES = """\b
Examples:
  improve guard                              the guards that are on, and what they did
  improve guard use-uv-not-pip               how the guard of one rule stands
  improve guard use-uv-not-pip --observe     only record what goes against it
  improve guard use-uv-not-pip --warn        tell the agent, and let it go on
  improve guard use-uv-not-pip --deny        stop the call, and tell the agent why
  improve guard use-uv-not-pip --off

\b
What else stops guards at once: improve off, undo, retire."""


@click.command("guard", epilog=_EXAMPLES)
@click.argument("rule_id", required=False, default="")
@click.option("--observe", "mode", flag_value="observe", help="Record the calls that go against it, do nothing else.")
@click.option("--warn", "mode", flag_value="warn", help="Tell the agent that a call goes against it; it still runs.")
@click.option("--deny", "mode", flag_value="deny", help="Stop a call that goes against it, with the rule as reason.")
@click.option("--off", "mode", flag_value="off", help="Turn it off.")
@json_option
def guard_command(rule_id: str, mode: str | None, as_json: bool) -> int:
    """Let a program look after a rule before each call of a tool; only a person turns that on or off.

    It takes a confirmed rule with a check, and your yes: at a terminal that no agent runs in, or typed to the agent
    that asks for it. That keeps an agent from turning off what is in its way; it is no lock against a program that
    edits rules.yaml under your name.
    """
    from improve.workflow import guard

    if mode and not rule_id:
        raise click.UsageError(f"--{mode} needs the id of a rule")
    here = look_around()
    merge_what_waits(here)
    if not mode:
        found = [guard.one(here, rule_id)] if rule_id else guard.listed(here)
        _show(found, as_json=as_json, all_of_them=not rule_id)
        _tell_off(here, found)
        return 0
    found_one = guard.one(here, rule_id)
    guard.refuse(found_one.rule, mode)
    by = "nobody" if found_one.rule.guard == ("" if mode == guard.OFF else mode) else _person(here, found_one, mode)
    changed = guard.turn(here, rule_id, mode, by=by)
    failed = guard.follow(here)
    now = guard.one(here, rule_id)
    _tell(here, now, mode, changed.notes, failed, as_json=as_json)
    _tell_off(here, [now])
    keep_history(here, changed.title)
    return 0


def _person(here: Here, found: Guarded, mode: str) -> str:
    """Let a person decide, and say who it was.

    Raises:
        Refused: there is none, or they said no.
    """
    from improve.cli import person

    rule_id = found.rule.id
    wanted = person.Wanted(
        "only a person turns a guard on or off", f"improve guard {rule_id} --{mode}", "guard", f"{mode} {rule_id}"
    )
    return person.decides(here, wanted, lambda: _ask(here, found, mode))


def _ask(here: Here, found: Guarded, mode: str) -> None:
    """Show a person what it is about, and ask.

    Raises:
        Refused: they said no.
    """
    from improve.workflow import guard

    for line in (*_lines(found), f"  history: {guard.history(here, found)}"):
        click.echo(line, err=True)
    what = {"observe": "Only record such calls", "warn": "Warn of such calls", "deny": "Deny such calls"}
    if not click.confirm(f"{what.get(mode, 'Turn its guard off')} from now on?", err=True):
        raise Refused("nothing was changed")


def _lines(found: Guarded) -> list[str]:
    from improve.report import counted
    from improve.workflow import guard

    rule = found.rule
    did = f"{counted(found.fired, 'firing')}, last {visible(found.last[:16])}" if found.fired else "never fired"
    return [
        f"{rule.guard or 'off':<8} {visible(rule.id)}  {guard.place(found.where)}, {did}",
        f"  rule: {visible(rule.text)}",
        f"  check: {guard.said(rule.check)}",
    ]


def _data(found: Guarded) -> dict[str, Any]:
    rule = found.rule
    told = {
        "id": rule.id,
        "rule": rule.text,
        "guard": rule.guard or "off",
        "check": rule.check and rule.check._asdict(),
    }
    return {**told, "in_force": list(found.where), "fired": found.fired, "last": found.last or None}


def _show(found: list[Guarded], *, as_json: bool, all_of_them: bool) -> None:
    from improve import report

    if as_json:
        say(report.as_json("guard", {"guards": list(map(_data, found))}))
        return
    for each in found:
        say("\n".join(_lines(each)))
    if not found and all_of_them:
        say("No guard is on. A rule that has a check gets one from a person: improve guard <id> --warn")


def _tell(
    here: Here, found: Guarded, mode: str, notes: tuple[str, ...], failed: tuple[str, ...], *, as_json: bool
) -> None:
    from improve import report
    from improve.workflow import guard

    reach = guard.reach(here) if mode != guard.OFF else Reach()
    if as_json:
        hosts = {"deny": list(reach.deny), "warn": list(reach.warn), "nothing": list(reach.nothing)}
        body = {**_data(found), "notes": list(notes), "hosts": hosts, "to_do": [*reach.to_do, *failed]}
        say(report.as_json("guard", body))
        return
    say("\n".join([*_lines(found), *(f"  {visible(text)}" for text in notes)]))
    for line in _hosts(reach, mode):
        say(f"  {line}")
    for text in (*reach.to_do, *failed):
        note(text)


def _tell_off(here: Here, found: list[Guarded]) -> None:
    """Say that guards that are on do not act."""
    if any(each.rule.guard for each in found) and here.off():
        note("improve is off here, so no guard acts; switch it on with: improve on")


def _hosts(reach: Reach, mode: str) -> list[str]:
    """Say which agents do what about a guard of a mode."""
    if mode in ("off", "observe"):
        watching = (*reach.deny, *reach.warn, *reach.nothing) if mode == "observe" else ()
        return [f"watched in {', '.join(watching)}"] if watching else []
    acting = [("denied", reach.deny), ("only warned of", reach.warn)]
    acting = acting if mode == "deny" else [("warned of", (*reach.deny, *reach.warn))]
    lines = [f"{what} in {', '.join(names)}" for what, names in acting if names]
    lines += [f"only recorded in {', '.join(reach.nothing)}"] if reach.nothing else []
    return lines or ["no agent on this machine asks before a call; wire one with: improve install"]
