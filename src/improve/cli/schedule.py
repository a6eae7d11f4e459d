"""improve schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from improve.cli.common import json_option, look_around, note, say
from improve.errors import UsageError

if TYPE_CHECKING:
    from improve.workflow.here import Here

_SUNDAY = 0


@click.command(
    "schedule",
    epilog="""\b
Examples:
  improve schedule                       what is scheduled, and what would be
  improve schedule --install             every night, with this machine's scheduler
  improve schedule --install --weekly --at 12:30 --with cron
  improve schedule --remove""",
)
@click.option("--install", "what", flag_value="install", help="Schedule it, in the place of an earlier one.")
@click.option("--remove", "what", flag_value="remove", help="Take it away.")
@click.option("--run", "what", flag_value="run", help="What the scheduler calls: read what is new, say nothing.")
@click.option("--nightly/--weekly", default=True, help="Every night (the default), or on Sundays.")
@click.option("--at", "at", default="03:17", show_default=True, metavar="HH:MM", help="When.")
@click.option(
    "--with", "way", type=click.Choice(["cron", "systemd", "launchd"]), help="Default: what this machine has."
)
@json_option
def schedule_command(what: str | None, nightly: bool, at: str, way: str | None, as_json: bool) -> int:
    """Read new sessions every night, without a model and without the network.

    Without an option nothing is changed: it shows what is scheduled and the lines that would be.
    """
    from improve import report
    from improve.workflow import schedule

    here = look_around()
    if what == "run":
        return _run(here)
    if what == "remove":
        gone, notes = schedule.remove(here)
        done = f"Removed from {' and '.join(gone)}." if gone else "Nothing was scheduled."
        say(report.as_json("schedule", {"removed": gone, "notes": notes}) if as_json else "\n".join([done, *notes]))
        return 0
    hour, minute = _time(at)
    job = schedule.job(here, hour=hour, minute=minute, weekday=None if nightly else _SUNDAY)
    chosen = way or schedule.usual_way(here)
    if what == "install":
        notes = schedule.install(here, chosen, job)
        when = f"{'every night' if nightly else 'every Sunday'} at {hour:02}:{minute:02} with {chosen}"
        done = f"Scheduled {when}; take it away: improve schedule --remove"
        say(report.as_json("schedule", {"installed": chosen, "notes": notes}) if as_json else done)
        for text in () if as_json else notes:
            note(text)
        return 0
    there, notes = schedule.installed(here)
    text = schedule.placed(here, chosen, job).text
    if as_json:
        say(report.as_json("schedule", {"scheduled": there, "with": chosen, "text": text, "notes": notes}))
        return 0
    say(f"Scheduled with {' and '.join(there)}." if there else f"Nothing is scheduled. With {chosen} it would be:")
    change = "Change it: improve schedule --install; take it away: improve schedule --remove"
    say(change if there else f"{text.rstrip()}\nSchedule it: improve schedule --install")
    for one in notes:
        note(one)
    return 0


def _time(text: str) -> tuple[int, int]:
    hour, _, minute = text.partition(":")
    if hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60:
        return int(hour), int(minute)
    raise UsageError(f"{text!r} is no time of day such as 03:17; nothing was scheduled")


def _run(here: Here) -> int:
    """Read what is new; a scheduler mails what is printed, so all is quiet unless something goes wrong."""
    from improve.errors import Busy
    from improve.workflow import nightly

    if not here.off():
        try:
            nightly.run(here)
        except Busy:  # another run is at it
            return 0
    return 0
