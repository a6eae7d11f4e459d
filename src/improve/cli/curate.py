"""improve set, merge, split, retire, restore."""

from __future__ import annotations

from typing import Any

import click

from improve.cli.common import json_option, keep_history, look_around, merge_what_waits, say
from improve.escape import visible
from improve.workflow.curate import Changed
from improve.workflow.here import Here


def _ready() -> Here:
    here = look_around()
    merge_what_waits(here)
    return here


def _told(here: Here, command: str, changed: Changed, said: str, *, as_json: bool) -> int:
    from improve.report import as_json as answer

    if as_json:
        say(
            answer(
                command,
                {
                    "rule": changed.after.id,
                    "text": changed.after.text,
                    "changed": changed.before != changed.after,
                    "notes": list(changed.notes),
                },
            )
        )
    else:
        say(visible(said))
        for text in changed.notes:
            say(f"  {visible(text)}")
    keep_history(here, changed.title)
    return 0


@click.command(
    "set",
    epilog="\b\nExamples:\n  improve set use-uv-not-pip --domain python-tooling\n"
    "  improve set use-uv-not-pip --scope none\n"
    "  improve set mock-no-database --file .claude/rules/tests.md --paths 'tests/**'\n"
    "  improve set mock-no-database --file none",
)
@click.argument("rule_id")
@click.option("--domain", default="", help="Topic, see `improve domains`.")
@click.option(
    "--scope",
    type=click.Choice(["global", "local", "none"]),
    default=None,
    help="Where the user wants it; `none` leaves it to the tree.",
)
@click.option("--severity", type=click.IntRange(1, 5), default=None, help="Cost of a recurrence.")
@click.option("--text", default="", help="New wording; the old one stays an alias.")
@click.option("--file", "path", default="", help="Write it to this file; `none` leaves it to routes and the tree.")
@click.option("--section", default="", help="Heading in that file.")
@click.option("--paths", multiple=True, metavar="GLOB", help="Load that rule file only for these; repeatable.")
@json_option
def set_command(rule_id: str, scope: str | None, severity: int | None, as_json: bool, **given: Any) -> int:
    """Change the domain, scope, severity, wording or file of a rule.

    A line that we wrote moves to the new file with the next `improve escalate --apply`, unless somebody edited it.
    """
    from improve import wording
    from improve.workflow import curate

    domain, section = (wording.check_label(given[n], n) if given[n] else "" for n in ("domain", "section"))
    here = _ready()
    wanted = curate.Wanted(
        domain, scope or "", severity or 0, given["text"], path=given["path"], section=section, paths=given["paths"]
    )
    changed = curate.set_fields(here, rule_id, wanted)
    return _told(
        here, "set", changed, f"Changed: {rule_id}" if changed.before != changed.after else rule_id, as_json=as_json
    )


@click.command("merge", epilog="\b\nExample:\n  improve merge use-uv-not-pip prefer-uv-over-pip")
@click.argument("keep")
@click.argument("other")
@json_option
def merge_command(keep: str, other: str, as_json: bool) -> int:
    """Make two rules one: KEEP stays, OTHER becomes an alias of it with all its evidence."""
    from improve.workflow import curate

    here = _ready()
    changed = curate.merge(here, keep, other)
    from improve.rule import occasions

    return _told(here, "merge", changed, f"Merged: {keep} (count={occasions(changed.after)})", as_json=as_json)


@click.command("split", epilog="\b\nExample:\n  improve split use-uv-not-pip 'Prefer uv over pip'")
@click.argument("rule_id")
@click.argument("wording_text", metavar="WORDING")
@json_option
def split_command(rule_id: str, wording_text: str, as_json: bool) -> int:
    """Make one of a rule's other wordings a rule of its own again."""
    from improve.workflow import curate

    here = _ready()
    changed, new = curate.split(here, rule_id, wording_text)
    return _told(here, "split", changed, f"Split: {new.id} from {rule_id}", as_json=as_json)


@click.command("retire", epilog='\b\nExample:\n  improve retire use-uv-not-pip --because "we moved to pixi"')
@click.argument("rule_id")
@click.option("--because", default="", help="Why; kept with the rule.")
@json_option
def retire_command(rule_id: str, because: str, as_json: bool) -> int:
    """Set a rule aside for good; `restore` brings it back."""
    from improve.workflow import curate

    here = _ready()
    if (rule := here.store.view().rule(rule_id)).guard and rule.check and not rule.retired:
        from improve.cli import person

        person.loosens(here, [rule_id], f"Retire {rule_id}", f"improve retire {rule_id}")
    changed = curate.retire(here, rule_id, because)
    return _told(here, "retire", changed, f"Retired: {rule_id}", as_json=as_json)


@click.command("restore", epilog="\b\nExample:\n  improve restore use-uv-not-pip")
@click.argument("rule_id")
@json_option
def restore_command(rule_id: str, as_json: bool) -> int:
    """Make a retired rule, an archived one, or one that was set aside, active again."""
    from improve.workflow import curate

    here = _ready()
    return _told(here, "restore", curate.restore(here, rule_id), f"Restored: {rule_id}", as_json=as_json)
