"""improve backtest."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import click

from improve.cli.common import json_option, look_around, merge_what_waits, note, on_terminal, say
from improve.escape import one_line, visible
from improve.rule import TOOLS, Check

if TYPE_CHECKING:
    from improve.workflow.backtest import Group, Share, Tested
    from improve.workflow.here import Here
    from improve.workflow.past import Covered

_WIDTH = 160
"""Characters of a command that are shown."""
_NAMED = 5
"""Hosts, projects and unreadable transcripts that are named; `--json` names all."""


@click.command(
    "backtest",
    epilog="""\b
Examples:
  improve backtest use-uv-not-pip                 what its check would have hit, before and after it was written
  improve backtest --all --since 90d              every rule that has a check
  improve backtest --deny "pip install"           try a check before it belongs to a rule
  improve backtest use-uv-not-pip --deny "pip|pip3 install" --unless "pip install uv" """,
)
@click.argument("rule_id", required=False, default="")
@click.option("--all", "everything", is_flag=True, help="Every rule that has a check.")
@click.option("--deny", multiple=True, metavar="PATTERN", help="Try this pattern instead of its check; repeatable.")
@click.option("--unless", multiple=True, metavar="PATTERN", help="With --deny or --paths: what is fine; repeatable.")
@click.option("--paths", multiple=True, metavar="GLOB", help="Try a check on these files; repeatable.")
@click.option(
    "--tool",
    type=click.Choice(TOOLS),
    help="What a tried check is about.  [default: shell]",
)
@click.option(
    "--since", default="", metavar="WHEN", help="Nothing older: 90d, 4w, 6m or a date. Default: all there is."
)
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True, help="Kinds of hits shown; 0: all.")
@json_option
def backtest_command(
    rule_id: str,
    everything: bool,
    deny: tuple[str, ...],
    unless: tuple[str, ...],
    paths: tuple[str, ...],
    tool: str | None,
    since: str,
    limit: int,
    as_json: bool,
) -> int:
    """Show which past tool calls a check would have hit, and how often.

    Rates are hits per 1,000 calls of tools. Read the list for calls that it should not hit before a guard acts on it.
    """
    from improve.workflow import past
    from improve.workflow.backtest import as_data, backtest, chosen
    from improve.workflow.period import began

    check = _tried(rule_id, deny, unless, paths, tool, everything=everything)
    here = look_around()
    merge_what_waits(here)
    moment = began(since, here.now) if since else ""
    view = here.store.view()
    rules = chosen(view, rule_id, everything=everything, ad_hoc=check)
    ledger, covered = past.bring_up_to_date(here, tell=here.tell, show=_shown)
    tested = backtest(past.sessions(here, view, ledger, since=moment), rules, since=moment)
    if as_json:
        from improve import report

        coverage = {**covered._asdict(), "unreadable": [list(pair) for pair in covered.unreadable]}
        body = {"rules": [as_data(each, limit) for each in tested], "coverage": coverage, "sessions": ledger.count()}
        say(report.as_json("backtest", body))
        return 0
    if not tested:
        say("No rule has a check yet. Let one be suggested: improve check suggest RULE_ID")
    for number, each in enumerate(tested):
        say("\n".join(["", *_told(here, each, limit)] if number else _told(here, each, limit)))
    _warn(here, covered)
    return 0


def _shown(total: int) -> AbstractContextManager[Callable[[int], None]]:
    from improve.cli.scan import progress

    return progress(total if on_terminal(sys.stderr) else 0, "Reading")


def _tried(
    rule_id: str,
    deny: tuple[str, ...],
    unless: tuple[str, ...],
    paths: tuple[str, ...],
    tool: str | None,
    *,
    everything: bool,
) -> Check | None:
    from improve.errors import UsageError

    if everything and (rule_id or deny or unless or paths or tool):
        raise UsageError("--all takes each rule with its own check; leave the rule and the patterns out")
    if not (deny or paths):
        if unless or tool:
            raise UsageError("--unless and --tool belong to a check that is tried; name what it denies with --deny")
        return None
    return Check(tool or ("shell" if deny else "any"), deny, unless, paths)


def _told(here: Here, tested: Tested, limit: int) -> list[str]:
    from improve.report import counted

    lines = (
        [tested.rule_id, f"  rule: {one_line(tested.text, _WIDTH)}"] if tested.rule_id else ["A check that is tried"]
    )
    lines.append(f"  check: {one_line(_worded(tested.check), _WIDTH)}")
    if tested.written:
        day = tested.written[:10]
        lines += [f"  before {day}: {_share(tested.before)}", f"  since then:        {_share(tested.after)}"]
    else:
        lines.append(f"  {_share(tested.total)}")
    for what, found in (("other agent", tested.hosts), ("other project", tested.projects)):
        if len(found) > 1 and tested.total.hit:
            hit = [(name, share) for name, share in found if share.hit]
            lines += [f"    {visible(name)}: {_share(share)}" for name, share in hit[:_NAMED]]
            lines += [f"    and {len(hit) - _NAMED} more (--json)"] if len(hit) > _NAMED else []
            lines += [f"    none in {counted(len(found) - len(hit), what)}"] if len(hit) < len(found) else []
    if tested.groups:
        shown = tested.groups[: limit or None]
        lines.append("  The calls it hits, the newest first. Is any of them fine?")
        for group in shown:
            lines += _group(here, group)
        left = len(tested.groups) - len(shown)
        lines += [f"    and {left} more (--limit 0)"] if left else []
    return lines


def _worded(check: Check) -> str:
    told = [check.tool]
    for word, patterns in (("deny", check.deny), ("unless", check.unless), ("paths", check.paths)):
        told += [f"{word} {', '.join(repr(pattern) for pattern in patterns)}"] if patterns else []
    return "; ".join(told)


def _share(share: Share) -> str:
    from improve.report import counted

    if not share.calls:
        return "no calls are known"
    low, high = share.interval
    where = f" in {counted(share.sessions, 'session')}" if share.hit else ""
    return f"{share.rate:.1f} per 1,000 calls (95 %: {low:.1f} to {high:.1f}), {share.hit:,} of {share.calls:,}{where}"


def _group(here: Here, group: Group) -> list[str]:
    from improve.report import counted

    often = f"{group.times:,} times in {counted(group.sessions, 'session')}" if group.times > 1 else "once"
    lines = [f"       {one_line(here.short(group.part), _WIDTH)}  ({often})"]
    for hit in list({hit.subject: hit for hit in reversed(group.hits)}.values())[:-3:-1]:
        where = f"{hit.at[:16].replace('T', ' ')}  {hit.host} {hit.session[:8]}, {hit.project}"
        whole = "" if hit.subject == group.part else f": {one_line(here.short(hit.subject), _WIDTH)}"
        lines.append(f"         {visible(where)}{whole}")
    return lines


def _warn(here: Here, covered: Covered) -> None:
    """Name what could not be read, and say when nothing was because improve is off."""
    unreadable = covered.unreadable
    for path, why in unreadable[:_NAMED]:
        note(f"{here.short(path)} was not read: {why}")
    if len(unreadable) > _NAMED:
        note(f"{len(unreadable) - _NAMED} more transcripts were not read (all of them: --json)")
    if here.off():
        note("improve is off: what is new in the transcripts was not read")
