"""improve resolve, budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from improve.cli.common import (
    json_option,
    keep_history,
    look_around,
    merge_what_waits,
    project_option,
    say,
    say_diff,
)
from improve.errors import UsageError
from improve.escape import visible

if TYPE_CHECKING:
    from improve.workflow.budget import Budget, Room
    from improve.workflow.here import Here
    from improve.workflow.resolve import Resolved

_SHOWN = 20


@click.command(
    "resolve",
    epilog="\b\nExamples:\n  improve resolve                          what has held long enough, and what is archived\n"
    "  improve resolve use-uv-not-pip           its line stays where it is\n"
    "  improve resolve use-uv-not-pip --prune   its line goes, too\n"
    "  improve resolve --held                   all that have held for 30 days",
)
@click.argument("rule_ids", nargs=-1, metavar="[RULE_ID]...")
@click.option("--held", is_flag=True, help="Archive all rules that have held for 30 days.")
@click.option("--prune", is_flag=True, help="Also remove their lines, as far as we wrote them and nobody edited them.")
@json_option
def resolve_command(rule_ids: tuple[str, ...], held: bool, prune: bool, as_json: bool) -> int:
    """Move rules that held to archive.yaml, out of the active set, with all their evidence.

    Without an id it only shows what might go. A correction that says an archived rule again brings it back, as does
    `improve restore`; `improve undo` takes all of it back.
    """
    from improve.workflow import resolve

    here = look_around()
    merge_what_waits(here)
    if not (rule_ids or held):
        if prune:
            raise UsageError("--prune is about rules that are archived: name them, or say --held; nothing was changed")
        return _proposed(here, as_json=as_json)
    done = resolve.resolve(here, rule_ids, prune=prune, held=held)
    if as_json:
        from improve import report

        told = {
            "archived": [r.id for r in done.rules],
            "files": [f.path for f in done.files],
            "notes": list(done.notes),
        }
        say(report.as_json("resolve", told))
    else:
        _show(here, done)
    keep_history(here, done.title)
    return 0


def _show(here: Here, done: Resolved) -> None:
    for change in done.files:
        say_diff(change.diff(here.short(change.path)))
    for rule in done.rules:
        say(f"Archived: {visible(rule.id)}")
    for note in done.notes:
        say(f"  {visible(note)}")
    if done.rules:
        they = "It is" if len(done.rules) == 1 else "They are"
        say(f"{they} in {visible(here.short(here.home.file('archive.yaml')))}; take it back with: improve undo")
    else:
        say("Nothing has held for 30 days yet. What was measured: improve verify")


def _proposed(here: Here, *, as_json: bool) -> int:
    from improve import report
    from improve.workflow import archive, resolve

    due, kept = resolve.due(here), archive.rules(here)
    days = {rule.id: resolve.held_days(rule.verdict, here.today) for rule in due}
    if as_json:
        told = [{"id": rule.id, "rule": rule.text, "days": days[rule.id]} for rule in due]
        say(report.as_json("resolve", {"due": told, "in_archive": [{"id": r.id, "rule": r.text} for r in kept]}))
        return 0
    for rule in due[:_SHOWN]:
        say(f"  held for {days[rule.id]} days  {visible(rule.id)}: {visible(rule.text)}")
    more = f" ({len(due) - _SHOWN} more)" if len(due) > _SHOWN else ""
    if due:
        say(f"Archive them{more} with: improve resolve --held; one of them: improve resolve {report.shell(due[0].id)}")
    else:
        say("Nothing has held for 30 days yet. What was measured: improve verify")
    if kept:
        names = ", ".join(visible(rule.id) for rule in kept[:_SHOWN]) + (" …" if len(kept) > _SHOWN else "")
        say(f"In the archive: {names}. Bring one back with: improve restore {report.shell(kept[0].id)}")
    return 0


@click.command(
    "budget",
    epilog="\b\nExamples:\n  improve budget\n  improve budget --host claude-code --json",
)
@click.option("--host", default="", metavar="NAME", help="Only what this agent loads; default: all on this machine.")
@project_option("Measure this project instead of the current directory's.")
@json_option
def budget_command(host: str, project: str, as_json: bool) -> int:
    """Show how much room the instruction files have that are loaded here, and which rules might leave first.

    It changes nothing.
    """
    from improve import hosts, report
    from improve.workflow import budget

    if host and host not in hosts.names():
        raise click.UsageError(f"no host is called {host!r}; they are: {', '.join(hosts.names())}")
    here = look_around()
    merge_what_waits(here)
    found = budget.budget(here, host=host, project=project)
    if as_json:
        say(report.as_json("budget", _as_data(found)))
    else:
        _show_budget(here, found)
    return 0


def _as_data(found: Budget) -> dict[str, Any]:
    return {
        "files": [{**room._asdict(), "left": room.left if room.advised else None} for room in found.rooms],
        "leave_first": [
            {"id": one.rule.id, "rule": one.rule.text, "kind": one.kind, "why": one.why, "command": one.command,
             "paths": list(one.paths)}
            for one in found.leaving
        ],
        "unmeasured": found.unmeasured,
    }  # fmt: skip


def _show_budget(here: Here, found: Budget) -> None:
    from improve import hosts, report

    for room in found.rooms:
        say(f"{visible(here.short(room.path))}  ({hosts.host(room.host).title})")
        say(f"    {_told(room)}")
    if not found.rooms:
        say("No agent on this machine loads an instruction file here.")
    if found.leaving:
        say("\nWhat might leave first; nothing leaves by itself:")
    for one in found.leaving[:_SHOWN]:
        say(f"  {visible(one.rule.id)}: {visible(one.why)}\n    → {visible(one.command)}")
    if len(found.leaving) > _SHOWN:
        say(f"  … {len(found.leaving) - _SHOWN} more: improve budget --json")
    if found.unmeasured:
        rules = report.counted(found.unmeasured, "rule")
        say(f"\nNothing was measured yet for {rules} of these files; measure with: improve verify")


def _told(room: Room) -> str:
    from improve import report

    size = f"{room.size:,} {'byte' if room.size == 1 else 'bytes'}"
    parts = [f"{report.counted(room.lines, 'line')}, {size}, {room.ours} ours"]
    if room.advised:
        over = "left" if room.left >= 0 else "too many"
        parts.append(f"{abs(room.left)} {over} of the {room.advised} lines that are advised")
    if room.cap:
        left = room.cap - room.used
        over = "left of" if left >= 0 else "more than"
        parts.append(f"{abs(left):,} bytes {over} the {room.cap:,} that are read of all files of the project")
    if room.state == "cut":
        parts.append("its end is not read")
    return "; ".join(parts)
