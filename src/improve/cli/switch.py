"""improve on, off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from improve.cli.common import json_option, look_around, note, say
from improve.escape import visible

Command = TypeVar("Command", bound=Callable[..., Any])


def _where(command: Command) -> Command:
    """Add `--host` and `--project`; the latter without a name means the current project."""
    project = click.option(
        "--project", is_flag=False, flag_value="", metavar="[NAME]", help="Only this project; no name: the current one."
    )
    return click.option("--host", default="", metavar="HOST", help="Only this agent.")(project(command))


@click.command(
    "off", epilog="\b\nExamples:\n  improve off\n  improve off --for 2h\n  improve off --project --host codex"
)
@_where
@click.option("--for", "lasts", default="", metavar="TIME", help="Only so long: 30m, 2h, 3d, 1w.")
@json_option
def off_command(host: str, project: str | None, lasts: str, as_json: bool) -> int:
    """Switch improve off: nothing is recorded, delivered or written, by no command, hook, scan or model call.

    `undo`, `on`, `config` and `uninstall` still work. Waiting observations are kept. What is said meanwhile is not
    taken in later either, when it is on again.
    """
    from improve import report, switch
    from improve.workflow import switching

    here = look_around()
    entry = switching.turn_off(here, host=host, project=project, lasts=lasts)
    if as_json:
        say(report.as_json("off", _told(entry)))
    else:
        say(f"improve is {visible(switch.said(entry))}.")
        if entry.project and not entry.root:
            note(f"no directory of a project called {entry.project!r} is known here; it is off wherever one is")
    return 0


@click.command("on", epilog="\b\nExamples:\n  improve on\n  improve on --project")
@_where
@json_option
def on_command(host: str, project: str | None, as_json: bool) -> int:
    """Switch improve on again: everything, or what was switched off for one agent or one project."""
    from improve import report, switch
    from improve.workflow import switching

    here = look_around()
    left = switching.turn_on(here, host=host, project=project)
    if as_json:
        say(report.as_json("on", {"still_off": [_told(entry) for entry in left]}))
        return 0
    for entry in left:
        say(f"Still {visible(switch.said(entry))}.")
    if not left:
        say("improve is on.")
    return 0


def _told(entry: Any) -> dict[str, str | None]:
    return {
        "host": entry.host or None,
        "project": entry.project or None,
        "until": entry.until or None,
        "since": entry.since or None,
    }
