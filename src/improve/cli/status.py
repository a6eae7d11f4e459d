"""improve status."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from improve import escalate
from improve.cli.common import json_option, look_around, merge_what_waits, note, project_option, say, warn_troubled
from improve.escalate import Decision
from improve.rule import Rule
from improve.view import View
from improve.workflow.here import Here

if TYPE_CHECKING:
    from improve.workflow.waiting import Waiting

Decided = tuple[Rule, Decision]

BUDGET = 8000
MANY = 400

_EXAMPLES = """\b
Examples:
  improve status                      at the start of a session
  improve status --all --budget 0     every rule of every project
  improve status --host codex         what Codex is told here when a session starts
  improve status --format markdown"""


@click.command("status", epilog=_EXAMPLES)
@project_option("Show the rules of this project; default: the one of the current directory.")
@click.option("--all", "everything", is_flag=True, help="Show the rules of all projects.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="How to show them: for reading, to paste into a document, or like --json.",
)
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    default=BUDGET,
    show_default=True,
    metavar="CHARS",
    help="Stop after so many characters; 0 for no limit.",
)
@click.option("--host", default="", metavar="HOST", help="Show what this agent is told here when a session starts.")
@json_option
def status_command(project: str, everything: bool, form: str, budget: int, host: str, as_json: bool) -> int:
    """Show the active rules for this project: confirmed ones are hard rules, tentative ones follow.

    Those that are written and recur all the same come first. Within each group the order is that of their occasions, of
    which each is worth half as much after 60 days, then of severity.
    """
    from improve import report

    here = look_around()
    if why := here.off():
        say(report.as_json("status", {"off": why}) if as_json or form == "json" else f"{why}.")
        return 0
    merge_what_waits(here)
    if host:
        return _brief(here, host, as_json=as_json or form == "json")
    view = here.store.view()
    key = None if everything else here.project_key(project, view)
    if as_json or form == "json":
        say(_as_json(here, view, key, budget))
    else:
        _show(here, view, key, budget, text=form == "text")
    warn_troubled(view)
    if not view.editable:
        note("rules.yaml has a shape that can be read but not edited; see: improve doctor")
    return 0


def _rules(here: Here, view: View, key: str | None, budget: int) -> tuple[int, Iterator[Decided]]:
    """Count the active rules of a project, or of all, and give those that may find room with their decisions."""
    names = None if key is None else here.names_of(key, view)
    rows = view.index.active(names, MANY if budget and budget <= 40 * MANY else -1)
    limits = here.config.thresholds
    return view.index.active_count(names), ((r.rule, escalate.decide(r.rule, view.taxonomy, limits)) for r in rows)


def _as_json(here: Here, view: View, key: str | None, budget: int) -> str:
    from improve import report

    total, rules = _rules(here, view, key, budget)
    told = {
        "project": key,
        "total": total,
        "waiting": found.count if (found := _unworded(here)) else 0,
        "rules": [report.rule_as_data(rule, decision, view.taxonomy) for rule, decision in _within(rules, budget)],
    }
    return report.as_json("status", told)


def _show(here: Here, view: View, key: str | None, budget: int, *, text: bool) -> None:
    from improve import report

    total, rules = _rules(here, view, key, budget)
    if text:
        say(report.status_text(rules, view.taxonomy, total=total, budget=budget), newline=False)
    else:
        say(report.status_markdown(rules, total=total, budget=budget), newline=False)
    if found := _unworded(here):
        _say_unworded(found)


def _unworded(here: Here) -> Waiting | None:
    """Look what nobody has worded yet; without an inbox nothing is loaded for it."""
    if not os.path.lexists(here.home.file("inbox.jsonl")):
        return None
    from improve.workflow.waiting import waiting

    found = waiting(here)
    return found if found.count else None


def _say_unworded(found: Waiting) -> None:
    """Say how much waits, with the few to begin with; their words are data, so they stand between quotation marks."""
    from improve import report
    from improve.workflow.waiting import wording_wanted

    say(wording_wanted(found.count))
    for line in found.few:
        name, signal, day, words = (*line.split("\t", 3), "", "", "")[:4]
        say(f"  {name}  {signal}, {day}: {report.quoted(words)}")


def _brief(here: Here, name: str, *, as_json: bool) -> int:
    """Give the text of the session-start hook."""
    from improve import hosts, report
    from improve.workflow import brief

    if name not in hosts.names():
        raise click.UsageError(f"no host is called {name!r}; they are: {', '.join(hosts.names())}")
    if why := here.off(name):
        say(report.as_json("status", {"off": why}) if as_json else f"{why}.")
        return 0
    text = brief.text(here, hosts.host(name))
    if as_json:
        say(report.as_json("status", {"host": name, "text": text}))
    else:
        say(text or "Nothing to tell: no rule here is missing from what it loads.", newline=not text)
    return 0


def _within(rules: Iterable[Decided], budget: int) -> list[Decided]:
    """Keep as many rules as their texts fit the budget."""
    kept: list[Decided] = []
    used = 0
    for rule, decision in rules:
        used += len(rule.text) + len(rule.id)
        if budget and used > budget and kept:
            break
        kept.append((rule, decision))
    return kept
