"""improve install, uninstall."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from improve.cli.common import json_option, keep_history, look_around, note, on_terminal, say, say_diff
from improve.escape import visible

if TYPE_CHECKING:
    from improve.workflow.here import Here
    from improve.workflow.pieces import Step


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what both commands take."""
    for add in (
        json_option,
        click.option("--yes", is_flag=True, help="Do not ask, on a terminal either."),
        click.option("--dry-run", is_flag=True, help="Show what would be done; touch nothing."),
        click.option("--all", "everything", is_flag=True, help="Every agent, as when none is named."),
        click.argument("names", nargs=-1, metavar="[HOST]..."),
    ):
        command = add(command)
    return command


@click.command(
    "install",
    epilog="\b\nExamples:\n  improve install --dry-run\n  improve install\n  improve install claude-code codex --yes",
)
@_options
def install_command(names: tuple[str, ...], everything: bool, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Make the agents on this machine call improve: hooks in their settings, the skill, two launchers.

    Shows the exact change of each settings file first. Entries are appended, nothing else is touched; a file that
    cannot be understood is left alone, and what to paste is printed. `uninstall` takes all of it back.
    """
    from improve.workflow import advice, install

    here = look_around()
    found = install.chosen(here, _known(names, everything))
    planned = install.preview(here, found)
    if not _agreed(here, planned, dry_run=dry_run, yes=yes, as_json=as_json):
        return 0
    done = planned if dry_run else _unless_stopped("install", lambda: install.install(here, found))
    _report(here, "install", done, dry_run=dry_run, as_json=as_json, notes=advice.after_install(here, done))
    if not dry_run:
        _keep(here, done, "Install")
    return max((step.code for step in done), default=0)


@click.command(
    "uninstall",
    epilog="\b\nExamples:\n  improve uninstall --dry-run\n  improve uninstall\n  improve uninstall codex",
)
@_options
def uninstall_command(names: tuple[str, ...], everything: bool, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Take back what `install` did, and nothing else; the store and its rules stay.

    A file that nobody changed since has the very bytes of before. In any other only the entries of improve go.
    """
    from improve.workflow import install

    here = look_around()
    chosen = _known(names, everything)
    planned = install.preview_removal(here, chosen)
    if not _agreed(here, planned, dry_run=dry_run, yes=yes, as_json=as_json):
        return 0
    done = planned if dry_run else _unless_stopped("uninstall", lambda: install.uninstall(here, chosen))
    _report(here, "uninstall", done, dry_run=dry_run, as_json=as_json, notes={})
    if not dry_run:
        _keep(here, done, "Uninstall")
    return max((step.code for step in done), default=0)


def _unless_stopped(command: str, action: Callable[[], list[Step]]) -> list[Step]:
    """Tell who presses Ctrl-C that a part may be done, and what sets it right."""
    try:
        return action()
    except KeyboardInterrupt:
        other = "uninstall" if command == "install" else "install"
        note(f"some files may be done already. To finish, run: improve {command}; to go back: improve {other}")
        raise


def _known(names: Sequence[str], everything: bool) -> tuple[str, ...]:
    """Check the names; none means all."""
    from improve import hosts
    from improve.errors import UsageError

    if names and everything:
        raise UsageError("name agents or give --all, not both; nothing was done")
    unknown = [name for name in names if name not in hosts.names()]
    if unknown:
        raise UsageError(f"no agent is called {unknown[0]!r}; nothing was done. There are: {', '.join(hosts.names())}")
    return tuple(dict.fromkeys(names))


def _agreed(here: Here, planned: list[Step], *, dry_run: bool, yes: bool, as_json: bool) -> bool:
    """Show what will be done, and ask on a terminal."""
    from improve.workflow import install
    from improve.workflow.pieces import WRITES

    if as_json:
        return True
    for step in planned:
        # a file that is all ours and goes is no news
        if step.piece.kind == "settings" or (step.piece.kind == "whole" and step.state == "write"):
            say_diff(install.difference(here, step))
    writes = any(step.state in WRITES for step in planned)
    if dry_run or yes or not writes or not (on_terminal(sys.stdin) and on_terminal(sys.stdout)):
        return True
    for step in planned:
        if step.state in WRITES:
            say(_line(here, step, dry_run=True))
    if click.confirm("Do this?", default=True):
        return True
    say("Nothing was written.")
    return False


def _report(here: Here, command: str, done: list[Step], *, dry_run: bool, as_json: bool, notes: dict[str, str]) -> None:
    """Say what was done to each file, and what is left to do."""
    if as_json:
        _report_json(here, command, done, dry_run=dry_run, notes=notes)
        return
    told = [step for step in done if step.state != "same"]
    for step in told:
        say(_line(here, step, dry_run=dry_run))
        if step.snippet:
            say("  paste into it:")
            say("".join(f"    {line}\n" for line in visible(step.snippet, multiline=True).splitlines()), newline=False)
    if not told:
        done_before = "Everything is installed already. Check it with: improve doctor"
        say(done_before if command == "install" else "Nothing is installed.")
    written = {name for step in done if step.state == "write" for name in (step.piece.hosts or ("launchers",))}
    for name, text in notes.items():
        if name in written:
            say(f"next, {name}: {text}")
    if written - {"launchers"} and command == "install" and not dry_run:
        say("Agents that run now see this in their next session. Check it with: improve doctor")


def _line(here: Here, step: Step, *, dry_run: bool) -> str:
    """Say in a line what is done to a file, for whom, and why not."""
    verbs = {"write": "writes", "remove": "removes"} if dry_run else {"write": "wrote", "remove": "removed"}
    users = f" ({', '.join(step.piece.hosts)})" if step.piece.hosts else ""
    kinds = {"settings": "hooks in", "whole": "hooks in", "skill": "skill", "launcher": "launcher"}
    kind = "file" if getattr(step.piece.part, "optional", False) else kinds[step.piece.kind]
    what = f"{kind} {visible(here.short(step.piece.path))}{users}"
    why = visible(step.why.removeprefix(f"{step.piece.path}: ").removeprefix(f"{step.piece.path} "))
    return f"{verbs.get(step.state, step.state):8} {what}{': ' * bool(why)}{why}"


def _report_json(here: Here, command: str, done: list[Step], *, dry_run: bool, notes: dict[str, str]) -> None:
    from improve import report
    from improve.workflow import install

    listed = [
        {
            "hosts": list(step.piece.hosts),
            "kind": step.piece.kind,
            "path": step.piece.path,
            "state": step.state,
            "why": step.why,
            "snippet": step.snippet,
            "diff": install.difference(here, step) if step.piece.kind in ("settings", "whole") else "",
        }
        for step in done
    ]
    say(report.as_json(command, {"dry_run": dry_run, "files": listed, "next": notes}))


def _keep(here: Here, done: list[Step], verb: str) -> None:
    """Keep the journal's line in the store's history, if there is a store and anything was done."""
    import os

    from improve.workflow.pieces import WRITES

    names = sorted({name for step in done if step.state in WRITES for name in step.piece.hosts})
    if names and os.path.exists(here.home.rules):
        keep_history(here, f"{verb} {', '.join(names)}")
