"""improve seed, init, doctor, demo."""

from __future__ import annotations

import click

from improve.cli.common import json_option, keep_history, look_around, merge_what_waits, say, say_diff
from improve.escape import visible


@click.command("seed", epilog="\b\nExample:\n  improve seed --from-agents-md ./AGENTS.md")
@click.option("--from-agents-md", "path", required=True, metavar="PATH", help="Instruction file to read.")
@json_option
def seed_command(path: str, as_json: bool) -> int:
    """Take the bullets of an instruction file into the store, each with its section's domain and its place."""
    from improve import report
    from improve.workflow import seed

    here = look_around()
    merge_what_waits(here)
    result = seed.seed(here, path)
    if as_json:
        say(
            report.as_json(
                "seed",
                {
                    "path": result.path,
                    "added": [r.id for r in result.added],
                    "known": [r.id for r in result.known],
                    "skipped": [{"line": line, "why": why} for line, why in result.skipped],
                },
            )
        )
    else:
        for rule in result.added:
            say(f"  {visible(rule.id)}\n    rule: {visible(rule.text)}\n    domain: {visible(rule.domain)}")
        for line, why in result.skipped:
            say(f"  line {line} skipped: {visible(why)}")
        say(
            f"Seeded {report.counted(len(result.added), 'rule')} from {visible(here.short(result.path))}; "
            f"{len(result.known)} {'was' if len(result.known) == 1 else 'were'} known."
        )
    keep_history(here, result.title)
    return 0


@click.command("init", epilog="\b\nExample:\n  improve init")
@json_option
def init_command(as_json: bool) -> int:
    """Create the store; one that is there is left as it is. Every command that writes does this by itself."""
    from improve import document, files, report

    here = look_around()
    files.private_directory(here.home.path)
    there = files.read(here.home.rules, cap=1 << 28)
    created = not there.exists and files.replace(there, document.template(), mode_if_new=0o600)
    if as_json:
        say(report.as_json("init", {"rules": here.home.rules, "created": created}))
    else:
        say(f"{'Created' if created else 'Already there'}: {visible(here.short(here.home.rules))}")
    return 0


@click.command(
    "doctor", epilog="\b\nExamples:\n  improve doctor\n  improve doctor --host codex\n  improve doctor --fix"
)
@click.option(
    "--fix", is_flag=True, help="Move a broken rules.yaml aside and rebuild it from backup, journal and spool."
)
@click.option("--host", default="", metavar="HOST", help="Look at this agent only, and tell everything about it.")
@json_option
def doctor_command(fix: bool, host: str, as_json: bool) -> int:
    """Check the store and every agent, and name each problem with what to do.

    Runs every installed hook with a sample event that records nothing, says whether the agent will run it too, and
    which rules reach each agent in this directory.
    """
    from improve import report
    from improve.cli.checkup import as_data, lines
    from improve.workflow import health, repair, upkeep

    here = look_around()
    found = repair.examine(here, fix=fix)
    found.findings += upkeep.look(here)
    merge_what_waits(here)
    checked = health.examine(here, host)
    found.findings += checked.findings
    if as_json:
        say(report.as_json("doctor", as_data(found, checked)))
    else:
        for text in found.done:
            say(f"fixed  {visible(text)}")
        if found.diff:
            say_diff(found.diff)
        for line in lines(here, found, checked, whole=bool(host)):
            say(line)
    everything = [*found.findings, *(f for each in checked.hosts for f in each.findings)]
    return max((f.code for f in everything if not f.good), default=0)


@click.command("demo", epilog="\b\nExample:\n  improve demo")
@json_option
def demo_command(as_json: bool) -> int:
    """Play the whole loop in a throw-away home and two throw-away git repositories."""
    import shutil
    import tempfile

    from improve import report
    from improve.errors import EnvironmentFailure
    from improve.workflow import demo

    if not shutil.which("git"):
        raise EnvironmentFailure("the demo makes two git repositories and found no git; install git and run it again")
    with tempfile.TemporaryDirectory(prefix="improve-demo-") as base:
        if as_json:
            acts = [
                {"tells": act.tells, "where": act.where, "command": ["improve", *act.argv], "printed": printed}
                for act, printed in demo.play(base)
            ]
            say(report.as_json("demo", {"acts": acts}))
            return 0
        for line in demo.story(base):
            say(line)
    return 0
