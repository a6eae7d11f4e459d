"""improve history, log, domains, stale, where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from improve.cli.common import json_option, look_around, merge_what_waits, project_option, say
from improve.escape import visible
from improve.rule import UNKNOWN
from improve.view import View
from improve.workflow.here import Here

if TYPE_CHECKING:
    from improve.hosts.base import Loaded
    from improve.rule import Rule
    from improve.workflow.firing import Firing

_NEWEST = 10
"""Firings that are told of one rule."""


@click.command("history", epilog="\b\nExample:\n  improve history use-uv-not-pip")
@click.argument("rule_id")
@json_option
def history_command(rule_id: str, as_json: bool) -> int:
    """Tell the whole story of one rule: evidence, wordings, decision, where it was written, what its guard did."""
    from improve import escalate, report
    from improve.workflow.firing import firings

    here = look_around()
    merge_what_waits(here)
    view = here.store.view()
    rule = view.rule(rule_id)
    decision = escalate.decide(rule, view.taxonomy, here.config.thresholds)
    fired = [firing for firing in firings(here) if firing.rule_id == rule.id]
    if as_json:
        told = [{key: value for key, value in o._asdict().items() if value} for o in rule.observations]
        say(
            report.as_json(
                "history",
                {
                    **report.rule_as_data(rule, decision, view.taxonomy),
                    "observations": told,
                    "folded": [f._asdict() for f in rule.folded],
                    "guard": rule.guard or None,
                    "firings": [f._asdict() for f in fired],
                    "extra": rule.extra,
                },
            )
        )
    else:
        say(report.history_text(rule, decision, view.taxonomy), newline=False)
        _say_fired(rule.guard, fired)
    return 0


def _say_fired(mode: str, fired: list[Firing]) -> None:
    """Tell what a guard did, the newest of it."""
    from improve.report import counted

    if not (mode or fired):
        return
    say(f"  guard: {mode or 'off'}, {counted(sum(f.times for f in fired), 'firing')}")
    for f in fired[:_NEWEST]:
        say(f"    {visible(f.at[:16])}  {visible(_fired(f.mode, f.what, f.host, f.times))}")
    if len(fired) > _NEWEST:
        say(f"    and {len(fired) - _NEWEST} more, with: improve log")


def _fired(mode: str, what: str, host: str, times: int) -> str:
    done = {"deny": "denied", "warn": "warned of"}.get(mode, "observed")
    return f"{done}: {what} ({host}{f', {times} times' if times > 1 else ''})"


@click.command("log", epilog="\b\nExample:\n  improve log --limit 5")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Show so many, newest first.")
@json_option
def log_command(limit: int, as_json: bool) -> int:
    """Show what was done, newest first, from the journal."""
    from itertools import islice

    from improve import journal, report

    here = look_around()
    told = (e for e in journal.read_back(here.home.journal) if e["event"] not in journal.INTERNAL)
    shown = list(islice(told, limit))
    if as_json:
        say(report.as_json("log", {"events": [_event(e) for e in shown]}))
        return 0
    for event in shown:
        say(f"{visible(str(event.get('at', ''))[:16])}  {_line(event)}")
    if not shown:
        say("Nothing was done yet.")
    return 0


def _event(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in ("entries", "before", "v")}


def _line(event: dict[str, Any]) -> str:
    if event["event"] == "observed":
        told = [
            f"{o.get('rule', '')} (count={o.get('occasions', '?')}, {o.get('how', '')})"
            for o in event.get("observations", [])
        ]
        return visible("observed " + "; ".join(told))
    if event["event"] == "fired":
        mode, what, host = (str(event.get(name, "")) for name in ("mode", "what", "host"))
        return visible(f"guard of {', '.join(event.get('rules', []))} {_fired(mode, what, host, 1)}")
    change = f"  [{event['change']}]" if "change" in event else ""
    return visible(f"{event['event']}  {event.get('title', '')}{change}")


@click.command("domains", epilog="\b\nExample:\n  improve domains --json")
@json_option
def domains_command(as_json: bool) -> int:
    """List the domains, whether each is general or project-specific, and its section heading."""
    from improve import report
    from improve.taxonomy import SECTION_ONLY, section_of

    view = look_around().store.view()
    lists = {
        "general": view.taxonomy.general,
        "project-specific": view.taxonomy.project_specific,
        "section only": tuple(SECTION_ONLY),
    }
    if as_json:
        say(
            report.as_json(
                "domains",
                {
                    "domains": [
                        {"domain": name, "kind": kind, "section": section_of(name)}
                        for kind, names in lists.items()
                        for name in names
                    ]
                },
            )
        )
        return 0
    about = {
        "general": "global once seen in several projects",
        "project-specific": "stays in each project",
        "section only": "a heading of its own; stays in each project until you add it to a list in rules.yaml",
    }
    for kind, names in lists.items():
        say(f"{kind} ({about[kind]})")
        for name in names:
            say(f"  {visible(name):<20} ## {visible(section_of(name))}")
    return 0


@click.command("stale", epilog="\b\nExample:\n  improve stale --days 60")
@click.option("--days", type=click.IntRange(min=0), default=90, show_default=True, help="Not needed for so many days.")
@json_option
def stale_command(days: int, as_json: bool) -> int:
    """List active rules that nobody has needed for a long time, those that are worth least by now first.

    An occasion is worth half as much after each half-life (`half_life` in config.yaml, 60 days).
    """
    from improve import report
    from improve.rank import worth
    from improve.workflow import curate

    here = look_around()
    merge_what_waits(here)
    found = curate.stale(here, days)
    if as_json:
        say(
            report.as_json(
                "stale",
                {
                    "days": days,
                    "rules": [
                        {
                            "id": rule.id,
                            "rule": rule.text,
                            "days": age,
                            "last_reinforced": rule.last_reinforced,
                            "worth": worth(rule, here.today, here.config.half_life),
                        }
                        for rule, age in found
                    ],
                },
            )
        )
        return 0
    for rule, age in found:
        left = f"worth {worth(rule, here.today, here.config.half_life):.2g} of an occasion by now"
        unused = f"not needed for {report.counted(age, 'day')}"
        works = _works(rule)
        say(f"  {visible(rule.id)}\n    rule: {visible(rule.text)}\n    {unused}, {left}{works}")
    say(
        "Set one aside with: improve retire <id>"
        if found
        else f"No active rule is older than {report.counted(days, 'day')}."
    )
    return 0


def _works(rule: Rule) -> str:
    """Say of a rule that came up and was followed that this may be why nobody needed it."""
    from improve.report import counted

    told = rule.verdict
    if not (told and told.exposed) or told.failed:
        return ""
    return f"\n    it may well work: it came up in {counted(told.exposed, 'session')} since, and was followed"


_WHERE = """\b
Examples:
  improve where
  improve where --host codex      what Codex loads here, and what it does not"""


@click.command("where", epilog=_WHERE)
@project_option("Ask for this project instead of the current directory's.")
@click.option(
    "--host", default="", metavar="NAME", help="Show which instruction files this agent loads here, and why not."
)
@json_option
def where_command(project: str, host: str, as_json: bool) -> int:
    """Show where the store is, which project this is, and which file each decision writes to, here."""
    if host:
        return _chain(project, host, as_json)
    from improve import hosts, report

    here = look_around()
    view = here.store.view()
    key = here.project_key(project, view)
    roots = here.roots_of(key, view)
    inside = bool(here.project and here.project.key == key)
    everywhere = hosts.global_choice(here.home.user, here.env)
    blind = hosts.not_loading(everywhere.path, here.home.user, here.env)
    own = hosts.project_choice(roots[0], here.env, here=inside) if roots else None
    if as_json:
        told = {
            "home": here.home.path,
            "rules": here.home.rules,
            "cache": here.home.cache,
            "project": key,
            "roots": roots,
            "global": {"path": everywhere.path, "why": everywhere.why, "not_loaded_by": list(blind)},
            "local": {"path": own.path, "why": own.why} if own else None,
        }
        say(report.as_json("where", told))
        return 0
    say(f"store    {_shown(here, here.home.rules)}")
    say(f"project  {visible(key)}{f' in {_shown(here, roots[0])}' if roots else ''}")
    say(f"global   {_shown(here, everywhere.path)} ({everywhere.why})")
    if blind:
        say(f"         not loaded by: {', '.join(blind)}")
    say(f"local    {_shown(here, own.path)} ({own.why})" if own else f"local    none: {_why_none(key)}")
    for other in sorted(set(view.head.projects) - {key}):
        say(f"each     {visible(other)}: {_own_file(here, other, view)}")
    return 0


def _chain(project: str, name: str, as_json: bool) -> int:
    """Show the load chain of one host, in the order in which it sends the files."""
    from improve import hosts, report
    from improve.workflow import reach

    if name not in hosts.names():
        raise click.UsageError(f"no host is called {name!r}; they are: {', '.join(hosts.names())}")
    here, host = look_around(), hosts.host(name)
    spot = reach.spot_of(here, project)
    chain = host.chain(spot) if host.chain else []
    advice = reach.advice(host, chain, here.home.user)
    if as_json:
        files = [_file(file) for file in chain]
        say(report.as_json("where", {"host": name, "directory": spot.cwd, "files": files, "advice": advice}))
        return 0
    say(f"{host.title}, for a session that starts in {_shown(here, spot.cwd)}:")
    for file in chain:
        size = report.counted(file.size, "byte")
        lines = f"{report.counted(reach.count_lines(file.data), 'line')}, " if file.data else ""
        say(f"  {file.state:<7} {_shown(here, file.path)} ({lines}{size})")
        via = f"imported by {here.short(file.via)}" if file.via else ""
        for label, told in (("", via), ("why: ", file.why), ("fix: ", file.fix)):
            if told:
                say(f"          {label}{visible(_short_all(here, told))}")
    if not chain:
        say("  It finds no instruction file here.")
    for line in advice:
        say(f"note: {visible(line)}")
    return 0


def _file(file: Loaded) -> dict[str, Any]:
    from improve.workflow import reach

    told = {key: value for key, value in file._asdict().items() if key not in ("data", "size")}
    return {**told, "bytes": file.size, "lines": reach.count_lines(file.data)}


def _short_all(here: Here, told: str) -> str:
    """Show the paths inside a sentence with `~`."""
    return told.replace(here.home.user + "/", "~/") if len(here.home.user) > 1 else told


def _shown(here: Here, path: str) -> str:
    return visible(here.short(path))


def _why_none(key: str) -> str:
    return "this directory is no project" if key == UNKNOWN else "the project has no directory on this machine"


def _own_file(here: Here, key: str, view: View) -> str:
    from improve import hosts

    root = next(iter(here.roots_of(key, view)), "")
    return _shown(here, hosts.project_choice(root, here.env, here=False).path) if root else _why_none(key)
