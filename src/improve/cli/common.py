"""What several commands share: the surroundings, the `--json` option, printing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TextIO, TypeVar

import click

from improve import clock
from improve.escape import visible
from improve.workflow.here import Here

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Answer as one JSON object.")(command)


def project_option(help_text: str) -> Callable[[Command], Command]:
    """Add `--project NAME`."""
    return click.option("--project", default="", metavar="NAME", help=help_text)


class Place(NamedTuple):
    """Where a command runs when a process runs commands for others, such as the server of `improve mcp`."""

    cwd: str
    env: Mapping[str, str]


def look_around() -> Here:
    """Find the store, the project, the host and the moment; waiting observations are merged by the caller."""
    context = click.get_current_context(silent=True)
    place = context.find_object(Place) if context else None
    here = Here.from_environment(place.env if place else os.environ, clock.now())
    if place:
        here.cwd = place.cwd
    here.tell = _tell
    return here


def _tell(text: str) -> None:
    """Say on a terminal that something takes a while."""
    if on_terminal(sys.stderr):
        click.echo(f"improve: {text}", err=True)


def on_terminal(stream: TextIO | None) -> bool:
    """Tell whether a person sees what is written there; a stream that was closed by whoever started us is None."""
    return stream is not None and stream.isatty()


def by_person(here: Here) -> bool:
    """Tell whether a person gives the command at a terminal, and no agent in its shell."""
    return on_terminal(sys.stdin) and not here.host


def in_colour() -> bool:
    """Tell whether what is printed may have colours: on a terminal that wants them (https://no-color.org)."""
    return on_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def merge_what_waits(here: Here) -> None:
    """Take in what hooks heard and merge what is spooled, if that is possible now.

    A reading command never fails because it is not.
    """
    heard = here.heard
    if not (heard or here.spooled):
        return
    from improve.errors import ImproveError
    from improve.workflow.record import drain

    try:
        if heard:
            from improve.workflow.inbox import take_in

            take_in(here)
        drain(here)
    except (ImproveError, OSError) as exc:
        if not getattr(exc, "problems", None):
            click.echo("improve: observations wait in the spool; they are merged later", err=True)


def say(text: str, *, newline: bool = True) -> None:
    """Print to the person or agent; whatever is stored, nothing but text reaches the terminal."""
    click.echo("\n".join(map(visible, text.split("\n"))), nl=newline)


def say_diff(diff: str) -> None:
    """Print a unified diff, in colour on a terminal that wants it."""
    text = "\t".join(visible(part, multiline=True) for part in diff.split("\t"))
    if not in_colour():
        click.echo(text, nl=False)
        return
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in text.splitlines(keepends=True):
        click.echo(click.style(line, fg=colours.get(line[:1])), nl=False)


def keep_history(here: Here, title: str) -> None:
    """Commit a change set to the store's own git history, after the answer is out: nobody waits for git."""
    if not title:
        return
    from improve.workflow.changes import remember

    if sys.stdout is not None:  # closed by whoever started us
        sys.stdout.flush()
    note(remember(here, title))
    _follow_guards(here)


def _follow_guards(here: Here) -> None:
    """Where a change turned the first guard on or the last one off, let agents ask before a call, or not any more."""
    from improve.workflow.guard import follow_change

    for trouble in follow_change(here):
        note(trouble)


def note(text: str) -> None:
    """Print beside the result."""
    if text:
        click.echo(f"note: {visible(text)}", err=True)


def warn_troubled(view: Any) -> None:
    """Name rules that are set aside because their entry has a mistake."""
    rows = list(view.index.troubled())
    for row in rows[:5]:
        why = "; ".join(p.partition(" ")[2] for p in row.problems) or "several rules have this id"
        note(f"rule {row.rule.id or '(no id)'} is left alone: {why}. Details: improve doctor")
    if len(rows) > 5:
        note(f"{len(rows) - 5} more entries are left alone. Details: improve doctor")
