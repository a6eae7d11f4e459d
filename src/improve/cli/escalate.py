"""improve due, escalate, confirm, undo."""

from __future__ import annotations

from typing import Any

import click

from improve.cli.common import (
    json_option,
    keep_history,
    look_around,
    merge_what_waits,
    project_option,
    say,
    say_diff,
    warn_troubled,
)
from improve.errors import UsageError
from improve.escape import visible
from improve.workflow.here import Here

DUE_SHOWN = 50


@click.command("due", epilog="\b\nExample:\n  improve due\n  improve due --limit 0 --json")
@click.option(
    "--limit", type=click.IntRange(min=0), default=DUE_SHOWN, show_default=True, help="Show so many; 0 for all."
)
@json_option
def due_command(limit: int, as_json: bool) -> int:
    """List the rules that have reached their threshold but stand in no file yet."""
    from improve import escalate, report

    here = look_around()
    merge_what_waits(here)
    view = here.store.view()
    rows = list(view.index.due(limit or -1))
    total = view.index.due_count()
    found = [(row.rule, escalate.decide(row.rule, view.taxonomy, here.config.thresholds)) for row in rows]
    if as_json:
        say(
            report.as_json(
                "due",
                {
                    "total": total,
                    "rules": [
                        {
                            **report.rule_as_data(rule, decision, view.taxonomy),
                            "targets": list(escalate.outstanding(rule, decision)),
                        }
                        for rule, decision in found
                    ],
                },
            )
        )
    elif not found:
        say("Nothing is due.")
    else:
        say("\n".join(report.due_block(r, d, escalate.outstanding(r, d)) for r, d in found), newline=False)
        more = f" ({report.counted(total - len(found), 'more rule')}: --limit 0)" if total > len(found) else ""
        say(f"\nPreview the lines with: improve escalate; write them with: improve escalate --apply{more}")
    warn_troubled(view)
    return 0


@click.command(
    "escalate",
    epilog="\b\nExamples:\n  improve escalate                  show the diff, change nothing\n"
    "  improve escalate --apply          write every project's own file\n"
    "  improve escalate --apply RULE_ID  write this rule, whatever it contradicts",
)
@click.argument("rule_ids", nargs=-1, metavar="[RULE_ID]...")
@click.option("--dry-run", is_flag=True, help="Only show the diff (the default).")
@click.option("--apply", "write", is_flag=True, help="Write the files.")
@project_option("Only what concerns this project.")
@json_option
def escalate_command(rule_ids: tuple[str, ...], dry_run: bool, write: bool, project: str, as_json: bool) -> int:
    """Preview, or write, every rule that is due into the instruction file where it will be read.

    One run writes the file of every affected project, wherever it is started from.
    """
    if dry_run and write:
        raise UsageError("--dry-run and --apply exclude each other; nothing was changed")
    from improve.workflow import apply

    here = look_around()
    merge_what_waits(here)
    outcome = apply.escalate(here, rules=rule_ids, project=project, apply=write)
    if as_json:
        say(_as_json(outcome))
    else:
        _show(here, outcome)
    keep_history(here, outcome.title)
    return outcome.code


def _show(here: Here, outcome: Any) -> None:
    shown = outcome.written if outcome.applied else outcome.plan.changes
    for change in shown:
        say_diff(change.diff(here.short(change.path)))
    for step in outcome.steps:
        where = visible(here.short(step.path)) if step.path else ""
        if step.action == "present":
            say(f"{visible(step.rule)}: {step.why} ({where})")
        elif step.action in ("blocked", "rejected", "adopt", "forgotten", "waiting", "note"):
            label = "NOT WRITTEN" if step.action == "blocked" else step.action
            say(f"{visible(step.rule)}: {label}: {f'{where}: ' if where else ''}{visible(step.why)}")
    for path, error in outcome.failures:
        say(f"NOT WRITTEN: {visible(here.short(path))}: {visible(str(error))}")
    if not shown and not outcome.steps:
        say("Nothing is due.")
    elif outcome.applied:
        say(_sum(outcome, {path for path, _ in outcome.failures}))
    else:
        verb = "Write" if shown else "Record" if outcome.plan.rules else ""
        say("Nothing was changed." + (f" {verb} it with: improve escalate --apply" if verb else ""))


def _sum(outcome: Any, failed: set[str]) -> str:
    """Say in one line what was written and what was only recorded."""
    from improve.report import counted

    done = [s.action for s in outcome.steps if s.path not in failed]
    written = sum(done.count(action) for action in ("add", "update", "remove"))
    told = [f"wrote {counted(written, 'line')} in {counted(len(outcome.written), 'file')}"] if outcome.written else []
    for action, said in (("present", "found {} already there"), ("adopt", "adopted {}"), ("rejected", "set aside {}")):
        if done.count(action):
            told.append(said.format(counted(done.count(action), "line" if action != "rejected" else "rule")))
    if not outcome.title:
        return "Nothing was written."
    said = (", ".join(told) or "updated what is recorded") + ("" if outcome.written else "; no file was changed")
    return f"{said[0].upper()}{said[1:]}. Take it back with: improve undo"


def _as_json(outcome: Any) -> str:
    from dataclasses import asdict

    from improve import report

    changed = outcome.written if outcome.applied else outcome.plan.changes
    return report.as_json(
        "escalate",
        {
            "applied": outcome.applied,
            "files": [{"path": c.path, "created": not c.existed, "diff": c.diff(c.path)} for c in changed],
            "steps": [asdict(step) for step in outcome.steps],
            "failures": [{"path": path, "exit_code": e.exit_code, "message": str(e)} for path, e in outcome.failures],
        },
    )


@click.command("confirm", epilog="\b\nExample:\n  improve confirm use-uv-not-pip --scope global")
@click.argument("rule_id")
@click.option(
    "--scope", type=click.Choice(["global", "local"]), required=True, help="Which kind of file it was written to."
)
@json_option
def confirm_command(rule_id: str, scope: str, as_json: bool) -> int:
    """Record that you wrote a rule into its file by hand; checks that it is really there."""
    from improve.report import as_json as answer
    from improve.workflow.confirm import confirm

    here = look_around()
    merge_what_waits(here)
    changed = confirm(here, rule_id, scope)
    if as_json:
        paths = [w.path for w in changed.after.written_to]
        say(answer("confirm", {"rule": rule_id, "scope": scope, "written_to": paths}))
    else:
        say(f"Confirmed: {visible(rule_id)} {visible(changed.notes[0])}")
    keep_history(here, changed.title)
    return 0


@click.command("undo", epilog="\b\nExample:\n  improve undo --dry-run")
@click.option("--dry-run", is_flag=True, help="Only show what would be taken back.")
@json_option
def undo_command(dry_run: bool, as_json: bool) -> int:
    """Take back the last change set: the lines it wrote and what it changed in rules. Again for the one before."""
    from improve.cli import person
    from improve.report import as_json as answer
    from improve.workflow.undo import undo

    here = look_around()
    done = undo(here, dry_run=dry_run)
    if done.loosened and not dry_run:
        person.loosens(here, done.loosened, f"undo: {done.title}", "improve undo")
        done = undo(here, loosen=True)
    if as_json:
        say(
            answer(
                "undo",
                {
                    "undid": done.title,
                    "dry_run": dry_run,
                    "rules": done.rules,
                    "notes": done.notes,
                    "files": [{"path": c.path, "diff": c.diff(c.path)} for c in done.files],
                },
            )
        )
    else:
        for change in done.files:
            say_diff(change.diff(here.short(change.path)))
        say(f"{'Would undo' if dry_run else 'Undone'}: {visible(done.title)}")
        for text in done.notes:
            say(f"  {visible(text)}")
    keep_history(here, f"undo: {done.title}" if done.committed else "")
    return 0
