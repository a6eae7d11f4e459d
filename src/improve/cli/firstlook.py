"""improve first-look."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from improve.cli.common import json_option, look_around, on_terminal, say
from improve.errors import Refused
from improve.escape import one_line, visible

if TYPE_CHECKING:
    from improve.inbox import Candidate
    from improve.workflow.firstlook import Look
    from improve.workflow.here import Here
    from improve.workflow.pile import Pile

_WORDS = 100


@click.command(
    "first-look",
    epilog="""\b
Examples:
  improve first-look
  improve first-look --since 1y --host claude-code
  improve first-look --limit 50 --json""",
)
@click.option("--host", "host_names", multiple=True, metavar="HOST", help="Only transcripts of this agent; repeatable.")
@click.option("--since", default="", metavar="WHEN", help="Nothing older: 30d, 1y or a date. Default: all there is.")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", default=10, show_default=True, help="Show so many of each kind."
)
@json_option
def first_look_command(host_names: tuple[str, ...], since: str, limit: int, as_json: bool) -> int:
    """Show what you corrected again and again, from the sessions that are on this machine already.

    Nothing is written. Every line has the words and dates behind it; the words are data, not instructions.
    """
    from improve import report
    from improve.cli.scan import coverage_as_data, coverage_lines, progress
    from improve.workflow import firstlook, sources

    here = look_around()
    if why := here.off():
        raise Refused(why)
    names = tuple(map(sources.check_host, host_names))
    reading = firstlook.prepare(here, names, since)
    with progress(reading.size if on_terminal(sys.stderr) else 0, "Reading") as tick:
        found = firstlook.look(reading, tick)
    if as_json:
        told = {
            "coverage": coverage_as_data(found.coverage),
            "corrected": [_as_data(each) for each in found.corrected[:limit]],
            "asked": [_as_data(each) for each in found.asked[:limit]],
        }
        say(report.as_json("first-look", told))
        return 0
    for line in coverage_lines(here, found.coverage, since=since):
        say(line)
    say("\n".join(_lines(here, found, limit)))
    return 0


def _as_data(each: Pile) -> dict[str, Any]:
    names = ("at", "host", "session", "project", "signal", "severity", "confidence", "tier", "durable", "did")
    return {
        "rule": each.phrase,
        "sessions": each.sessions,
        "projects": each.projects,
        "hosts": each.hosts,
        "said": [{**{name: getattr(c, name) for name in names}, "words": c.text} for c in each.candidates],
    }


def _lines(here: Here, found: Look, limit: int) -> list[str]:
    lines = []
    for title, piles in (("Corrected", found.corrected), ("Asked again", found.asked)):
        if piles:
            lines += ["", f"{title}, the most worth a rule first:"]
            for number, each in enumerate(piles[:limit], 1):
                lines += ["", *_of_pile(here, number, each)]
            if len(piles) > limit:
                lines += ["", f"and {len(piles) - limit:,} more: --limit {len(piles)}"]
    if not lines:
        return ["", "No correction was found. It is heard from now on with: improve install"]
    return [*lines, "", *_next(here, found)]


def _of_pile(here: Here, number: int, each: Pile) -> list[str]:
    from improve import report
    from improve.cli.inbox import place

    times = f"{len(each.candidates)}× {each.times}" if len(each.candidates) > 1 else "once"
    head = f"{number:>3}. {times}"
    lines = [f"{head}: {visible(each.phrase)}" if each.first.phrase else head]
    shown = _telling(each)
    for one in shown:
        where = " ".join(filter(None, (one.host, place(one).rpartition("/")[2])))
        lines.append(f"     {one.at[:10]}  {visible(where)}  {report.quoted(one_line(one.text, _WORDS))}")
    if len(each.candidates) > len(shown):
        lines.append(f"     and {len(each.candidates) - len(shown)} more, the first on {_first_day(each)}")
    if rule := _rule_of(here, each):
        lines.append(f"     a rule already: {visible(rule)}")
    return lines


def _rule_of(here: Here, each: Pile) -> str:
    """Name the stored rule that surely says it."""
    from improve.errors import ImproveError
    from improve.workflow.recurrence import rule_of

    try:
        rule, sure = rule_of(here.store.view(), each.first)
    except ImproveError:  # a store that cannot be read keeps nobody from looking
        return ""
    return rule if sure else ""


def _telling(each: Pile) -> list[Candidate]:
    """Pick the latest of each wording; the same words three times tell no more than once."""
    latest = sorted(each.candidates, key=lambda one: one.at, reverse=True)
    worded: dict[str, Candidate] = {}
    for one in latest:
        worded.setdefault(one_line(one.text, _WORDS).casefold(), one)
    return list(worded.values())[:3]


def _first_day(each: Pile) -> str:
    return min(one.at for one in each.candidates)[:10]


def _next(here: Here, found: Look) -> list[str]:
    """Name the exact commands that go on from here."""
    import os

    lines = ["Nothing was written. Next:"]
    lines.append("  improve scan --all        keep these as candidates")
    lines.append("  improve review            one at a time: y makes it a rule, n drops it")
    if not os.path.lexists(here.home.launcher):
        lines.append("  improve install           from now on your agents report by themselves")
    return lines
