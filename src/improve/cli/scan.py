"""improve scan."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from improve.cli.common import json_option, look_around, merge_what_waits, on_terminal, project_option, say
from improve.escape import visible
from improve.workflow.period import USUAL, spelled

if TYPE_CHECKING:
    from improve.workflow.here import Here
    from improve.workflow.scan import Coverage, Scanned, Wanted
    from improve.workflow.sources import Source, Strange

_PAUSE = 2.0
"""Seconds between two looks of `--follow`."""
_NAMED = 5
"""Unreadable transcripts that are named; `--json` names all."""


@click.command(
    "scan",
    epilog="""\b
Examples:
  improve scan                            the last 30 days of every agent on this machine
  improve scan --all                      all there is
  improve scan --host codex --since 7d
  improve scan ~/old-laptop/.claude/projects --all
  improve scan --explain 5f1c             turn by turn: what was seen in a session, and why not
  improve scan --follow                   go on until Ctrl-C""",
)
@click.argument("paths", metavar="[PATH...]", nargs=-1, type=click.Path())
@click.option("--host", "host_names", multiple=True, metavar="HOST", help="Only transcripts of this agent; repeatable.")
@click.option("--since", default="", metavar="WHEN", help=f"Nothing older: 30d, 12h, 4w or a date. Default: {USUAL}.")
@project_option("Only sessions in this project.")
@click.option("--all", "everything", is_flag=True, help="However old it is.")
@click.option("--again", is_flag=True, help="Read also what was read before and has not changed.")
@click.option("--follow", is_flag=True, help="Look again every few seconds until Ctrl-C.")
@click.option("--explain", metavar="SESSION", help="Tell of one session (id or file) what was seen; keep nothing.")
@json_option
def scan_command(
    paths: tuple[str, ...],
    host_names: tuple[str, ...],
    since: str,
    project: str,
    everything: bool,
    again: bool,
    follow: bool,
    explain: str | None,
    as_json: bool,
) -> int:
    """Read what people said to their agents and find the corrections.

    What surely says a stored rule again counts for it; the rest waits in the inbox. What was read before is not read
    again. Transcripts are only read, never changed.
    """
    from improve.workflow import sources

    here = look_around()
    if why := here.off():
        from improve.errors import Refused

        raise Refused(why)
    names = tuple(map(sources.check_host, host_names))
    if explain is not None:
        from improve.cli.explain import explain as tell

        return tell(here, explain, names, as_json=as_json)
    merge_what_waits(here)
    since = since or ("" if everything or paths else USUAL)
    wanted = _wanted(here, since, project, again=again)

    def find(here: Here) -> Iterator[Source | Strange]:
        return sources.at(paths, names) if paths else sources.everywhere(here, names)

    done = _scan(here, find(here), wanted)
    say(_as_json(done) if as_json else "\n".join(_told(here, done, since=since)))
    while follow:
        _follow(find, wanted._replace(again=False), as_json=as_json)
    return 0


def _wanted(here: Here, since: str, project: str, *, again: bool) -> Wanted:
    from improve.workflow.period import began
    from improve.workflow.scan import Wanted

    key = here.known_project(project, here.store.view()) if project else ""
    return Wanted(began(since, here.now) if since else "", key, again)


def _follow(find: Callable[[Here], Iterator[Source | Strange]], wanted: Wanted, *, as_json: bool) -> None:
    import time

    from improve.errors import Busy

    time.sleep(_PAUSE)
    here = look_around()  # by now it is later, and a rule or a switch may have changed
    if here.off():
        return
    try:
        done = _scan(here, find(here), wanted)
    except Busy:  # another scan is at it
        return
    if any(done.taken):
        say(_as_json(done) if as_json else _found(done))


def _scan(here: Here, found: Iterator[Source | Strange], wanted: Wanted) -> Scanned:
    from improve.workflow import scan

    listed = list(found)
    size = scan.unread(here, listed, wanted) if on_terminal(sys.stderr) else 0
    with progress(size, "Reading") as tick:
        return scan.scan(here, listed, wanted, tick)


@contextmanager
def progress(total: int, label: str) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how many bytes of a long work are done, how fast, and how long the rest takes."""
    if not total:
        yield lambda _: None
        return
    import time

    began, done = time.monotonic(), 0

    def rate(_: object) -> str:
        spent = max(time.monotonic() - began, 0.001)
        return f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB, {done / 1e6 / spent:,.0f} MB/s"

    with click.progressbar(
        length=total, label=label, file=sys.stderr, item_show_func=rate, show_eta=True, update_min_steps=1 << 20
    ) as bar:

        def tick(size: int) -> None:
            nonlocal done
            done += size
            bar.update(size, None)

        yield tick


def _as_json(done: Scanned) -> str:
    from improve import report

    taken = {**done.taken._asdict()}
    taken.pop("unreadable")
    return report.as_json("scan", {"coverage": coverage_as_data(done.coverage), **taken})


def coverage_as_data(read: Coverage) -> dict[str, Any]:
    """Give what was read, and what was not, for `--json`."""
    return {
        **read._asdict(),
        "unreadable": [strange._asdict() for strange in read.unreadable],
        "bad": [{"path": path, "records": count} for path, count in read.bad],
    }


def _told(here: Here, done: Scanned, *, since: str) -> list[str]:
    return [*coverage_lines(here, done.coverage, since=since), _found(done)]


def coverage_lines(here: Here, read: Coverage, *, since: str = "") -> list[str]:
    """Say what was read of how much, and name what could not be read with the reason."""
    from improve.report import counted

    total = read.read + read.unchanged + len(read.unreadable)
    first = f"read {read.read:,} of {counted(total, 'transcript')}"
    parts = [f"{read.messages:,} messages", f"{read.size / 1e6:,.1f} MB"] if read.read else []
    parts += [f"since {since}" if "-" in since else f"the last {spelled(since)}"] if since else []
    first += f" ({', '.join(parts)})" if parts else ""
    first += f"; {read.unchanged:,} unchanged since the last scan" if read.unchanged else ""
    first += f"; {len(read.unreadable):,} unreadable:" if read.unreadable else ""
    lines = [first]
    lines += [f"  {visible(here.short(path))}: {visible(why)}" for path, why in read.unreadable[:_NAMED]]
    if len(read.unreadable) > _NAMED:
        lines.append(f"  and {len(read.unreadable) - _NAMED:,} more (all of them: --json)")
    if read.bad:
        records = sum(count for _, count in read.bad)
        where = ", ".join(visible(here.short(path)) for path, _ in read.bad[:3]) + (", …" if len(read.bad) > 3 else "")
        were = "was" if records == 1 else "were"
        lines.append(f"  {counted(records, 'record')} cannot be read and {were} passed over: {where}")
    return lines


def _found(done: Scanned) -> str:
    from improve.report import counted

    taken = done.taken
    parts = [
        f"{counted(taken.counted, 'message')} counted for stored rules" if taken.counted else "",
        f"{taken.linked} belong to rules recorded in the same session" if taken.linked else "",
        f"{counted(taken.waiting, 'new candidate')}: improve review" if taken.waiting else "",
        f"{taken.below} below the bar of their kind: improve inbox --stats" if taken.below else "",
    ]
    return "; ".join(filter(None, parts)) or "Nothing new."
