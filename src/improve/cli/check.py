"""improve check: suggest, set, show, test, off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from improve.cli.common import json_option, keep_history, look_around, merge_what_waits, say
from improve.cli.person import at_terminal
from improve.errors import Refused, UsageError
from improve.escape import one_line, visible
from improve.rule import TOOLS

if TYPE_CHECKING:
    from improve.rule import Check
    from improve.workflow.backtest import Tested
    from improve.workflow.curate import Changed
    from improve.workflow.here import Here

_EXAMPLES = """\b
Examples:
  improve check suggest use-uv-not-pip                  derive one, and see what it would have hit
  improve check set use-uv-not-pip --deny "pip|pip3 install"
  improve check set no-force-push --deny "git push --force|-f" --unless "git push --force-with-lease"
  improve check set no-any --tool any --deny "/: any\\b/" --paths "**/*.ts"
  improve check test use-uv-not-pip "sudo pip install x"
  improve check off use-uv-not-pip

\b
A pattern for the shell is a command in words: its name, its subcommand, flags.
  pip install           wherever a shell would run it, not where it is only said
  pip|pip3* install     one or the other; * is any part of a word
  git push --force|-f   flags may stand anywhere; --force is also --force=x
  /rm\\s+-rf\\s+~/       a regular expression, on the source of one command
For edits and writes it is text, or /…/, in a line that is put in."""
_SHOWN = 20


@click.group("check", invoke_without_command=True, epilog=_EXAMPLES)
@json_option
@click.pass_context
def check_command(ctx: click.Context, as_json: bool) -> int | None:
    """Say in a form a program can tell what goes against a rule; alone it lists the rules that have a check.

    Guards, verify and backtest use it.
    """
    if ctx.invoked_subcommand and as_json:
        raise UsageError(f"--json goes behind {ctx.invoked_subcommand}; nothing was done")
    return None if ctx.invoked_subcommand else _list(as_json=as_json)


def _list(*, as_json: bool) -> int:
    from improve import report

    found = [row.rule for row in _ready().store.view().index.all() if row.rule.check and not row.rule.retired]
    if as_json:
        rows = [{"rule": rule.id, "check": rule.check and rule.check._asdict(), "guard": rule.guard} for rule in found]
        say(report.as_json("check", {"checks": rows}))
        return 0
    for rule in found:
        say(f"{visible(rule.id)}: {visible(rule.text)}\n  check: {_said(rule.check) if rule.check else ''}")
    if not found:
        say("No rule has a check. Get one with: improve check suggest <id>")
    return 0


@check_command.command("suggest", epilog="\b\nExample:\n  improve check suggest use-uv-not-pip")
@click.argument("rule_id")
@click.option("--accept", is_flag=True, help="Keep it; only a person can.")
@json_option
def _suggest(rule_id: str, accept: bool, as_json: bool) -> int:
    """Derive a check from a rule's words, and show every past call it would have hit."""
    from improve import report
    from improve.workflow import suggestion

    here = _ready()
    found = suggestion.derive(here, rule_id)
    if found.check is None:
        if as_json:
            say(report.as_json("check", {"rule": rule_id, "check": None, "why": found.why, "hits": []}))
        else:
            say(f"No check for {visible(rule_id)}: {one_line(found.why, 200)}")
            say(f"If you know one: improve check set {visible(rule_id)} --deny PATTERN")
        return 0
    tested = suggestion.past_hits(here, found.rule, found.check)
    asks = not as_json and not accept and at_terminal(here)
    if not as_json:
        say(f"{visible(rule_id)}: {visible(found.rule.text)}")
        say(f"  check: {_said(found.check)}\n  because {one_line(found.why, 200)}")
        _past(tested)
    wanted: Check | None = found.check if accept else _asked(found.check) if asks else None
    if wanted is not None:
        _by_person(here, rule_id, wanted, f"improve check suggest {rule_id} --accept")
        changed = suggestion.keep(here, rule_id, wanted)
        return _told(here, changed, as_json=as_json)
    if as_json:
        data = {
            "rule": rule_id,
            "check": found.check._asdict(),
            "why": found.why,
            "accept": f"improve check suggest {rule_id} --accept",
        }
        say(report.as_json("check", data | {"hits": _hits(tested), "calls": tested.total.calls}))
    elif not asks:
        say(f"A person keeps it with: improve check suggest {visible(rule_id)} --accept")
    return 0


@check_command.command("set", epilog='\b\nExample:\n  improve check set use-uv-not-pip --deny "pip|pip3 install"')
@click.argument("rule_id")
@click.option("--tool", type=click.Choice(TOOLS), default="shell", show_default=True)
@click.option("--deny", multiple=True, metavar="PATTERN", help="What goes against the rule; repeatable.")
@click.option("--unless", multiple=True, metavar="PATTERN", help="What is fine all the same; repeatable.")
@click.option("--paths", multiple=True, metavar="GLOB", help="Only these files; repeatable.")
@json_option
def _set(
    rule_id: str, tool: str, deny: tuple[str, ...], unless: tuple[str, ...], paths: tuple[str, ...], as_json: bool
) -> int:
    """Give a rule a check; only a person can."""
    from improve.rule import Check
    from improve.workflow import suggestion

    here = _ready()
    wanted = Check(tool, deny, unless, paths)
    suggestion.sound(wanted)
    _by_person(here, rule_id, wanted, f"improve check set {rule_id} {_as_options(wanted)}")
    return _told(here, suggestion.keep(here, rule_id, wanted), as_json=as_json)


@check_command.command("show", epilog="\b\nExample:\n  improve check show use-uv-not-pip --json")
@click.argument("rule_id")
@json_option
def _show(rule_id: str, as_json: bool) -> int:
    """Show the check of a rule."""
    from improve import check, report

    rule = _ready().store.view().rule(rule_id)
    wrong = check.problem(rule.check) if rule.check else ""
    if as_json:
        data = {"rule": rule_id, "check": rule.check and rule.check._asdict(), "problem": wrong, "guard": rule.guard}
        say(report.as_json("check", data))
        return 0
    if rule.check is None:
        say(f"{visible(rule_id)} has no check. Get one with: improve check suggest {visible(rule_id)}")
        return 0
    say(f"{visible(rule_id)}: {visible(rule.text)}\n  check: {_said(rule.check)}")
    if wrong:
        say(f"  it cannot work: {visible(wrong)}")
    return 0


@check_command.command("test", epilog='\b\nExample:\n  improve check test use-uv-not-pip "cd x && sudo pip install y"')
@click.argument("rule_id")
@click.argument("command")
@json_option
def _test(rule_id: str, command: str, as_json: bool) -> int:
    """Say whether a check would hit a command, and which part of it; the exit code is 0 either way."""
    from improve import check, report
    from improve.session import SHELL, Call
    from improve.shell import NoParser

    rule = _ready().store.view().rule(rule_id)
    if rule.check is None:
        raise Refused(f"{rule_id!r} has no check; nothing was tested. Get one with: improve check suggest {rule_id}")
    try:
        found = check.hits(rule.check, Call("", "", SHELL, command, {"command": command}))
    except NoParser as exc:
        raise Refused(f"nothing was tested: {exc}") from exc
    if as_json:
        say(report.as_json("check", {"rule": rule_id, "hit": bool(found), "parts": list(found)}))
    else:
        say("\n".join(f"hit: {one_line(part, 200)}" for part in found) or "no hit")
    return 0


@check_command.command("off", epilog="\b\nExample:\n  improve check off use-uv-not-pip")
@click.argument("rule_id")
@json_option
def _off(rule_id: str, as_json: bool) -> int:
    """Take the check of a rule away; only a person can."""
    from improve.workflow import suggestion

    here = _ready()
    _by_person(here, rule_id, None, f"improve check off {rule_id}")
    return _told(here, suggestion.keep(here, rule_id, None), as_json=as_json)


def _ready() -> Here:
    here = look_around()
    merge_what_waits(here)
    return here


def _by_person(here: Here, rule_id: str, check: Check | None, command: str) -> None:
    """See that a person gives the command, or allowed it.

    Raises:
        Refused: nobody did.
    """
    from improve.cli import person

    about = f"{rule_id} {_said(check) if check else 'off'}"
    wanted = person.Wanted("only a person decides what a check denies", command, "check", about)
    person.decides(here, wanted, lambda: None)


def _asked(suggested: Check) -> Check | None:
    """Ask a person whether a check is right; they may type other patterns."""
    answer = click.prompt("Keep it?", type=click.Choice(("y", "n", "edit")), default="n", err=True)
    if answer == "edit":
        text = click.prompt("Patterns, with ; between them", default="; ".join(suggested.deny), err=True)
        return suggested._replace(deny=tuple(part.strip() for part in text.split(";") if part.strip()))
    return suggested if answer == "y" else None


def _as_options(check: Check) -> str:
    """Write a check as `set` takes it."""
    from improve.report import shell

    given = (("deny", check.deny), ("unless", check.unless), ("paths", check.paths))
    return " ".join((f"--tool {check.tool}", *(f"--{name} {shell(text)}" for name, texts in given for text in texts)))


def _said(check: Check) -> str:
    return one_line(_as_options(check).removeprefix("--tool "), 1000)


def _hits(tested: Tested) -> list[dict[str, Any]]:
    return [
        {"part": group.part, "times": group.times, "sessions": group.sessions, "newest": group.hits[0].at}
        for group in tested.groups
    ]


def _past(tested: Tested) -> None:
    from improve.report import counted

    end = ":" if tested.groups else "."
    say(f"It would have hit {tested.total.hit:,} of {counted(tested.total.calls, 'past call')}{end}")
    for group in tested.groups[:_SHOWN]:
        say(f"  {group.times}×  {one_line(group.part, 160)}")
    if len(tested.groups) > _SHOWN:
        say(f"  and {len(tested.groups) - _SHOWN} more kinds")


def _told(here: Here, changed: Changed, *, as_json: bool) -> int:
    from improve import report

    after = changed.after
    if as_json:
        same = changed.before == after
        data = {"rule": after.id, "check": after.check and after.check._asdict(), "changed": not same}
        say(report.as_json("check", data | {"notes": list(changed.notes)}))
    else:
        say(f"Changed: {visible(after.id)}" if changed.before != after else visible(after.id))
        for text in changed.notes:
            say(f"  {visible(text)}")
        if after.check:
            say(f"  check: {_said(after.check)}\n  enforce it with: improve guard {visible(after.id)} --warn")
    keep_history(here, changed.title)
    return 0
