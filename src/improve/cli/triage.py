"""improve accept, dismiss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from improve.cli.common import by_person, json_option, look_around, merge_what_waits, note, say
from improve.errors import UsageError

if TYPE_CHECKING:
    from improve.workflow.here import Here
    from improve.workflow.triage import Accepted, Said


@click.command(
    "accept",
    epilog="""\b
Examples:
  improve accept C12 "Use pnpm, never npm" --domain tool-usage
  improve accept C12                       as it is phrased, or in its own words
  improve accept C3 C9 "Use uv" C4 "Run the tests before committing"
                                           C3 and C9 say the first, C4 says the second""",
)
@click.argument("items", metavar='ID... "RULE"', nargs=-1, required=True)
@click.option("--into", default="", metavar="RULE_ID", help="They say this stored rule again.")
@click.option("--domain", default="", help="Topic, see `improve domains`; default: unknown.")
@json_option
def accept_command(items: tuple[str, ...], into: str, domain: str, as_json: bool) -> int:
    """Record candidates of the inbox as observations of rules.

    RULE is one imperative sentence for the ids before it; without it, each is taken as it is phrased or in its own
    words. It is matched as `observe` does, and counts in the session and the project in which it was said.
    """
    from improve import wording
    from improve.cli.observe import spelled_domain
    from improve.workflow import triage

    label = wording.check_label(domain, "domain") if domain else ""
    here = look_around()
    merge_what_waits(here)
    if into:
        return _merge(here, items, into, as_json=as_json)
    said = _said(items)
    accepted = triage.accept_all(here, said, domain=spelled_domain(here, label), by_person=by_person(here))
    tell(accepted, as_json=as_json)
    note_settled(here)
    return 0


def _said(items: tuple[str, ...]) -> list[Said]:
    """Read ids and the texts that follow them; ids without a text stand for themselves."""
    from improve.workflow.triage import Said

    if items[0] != items[0].strip() or " " in items[0]:
        raise UsageError('the ids come first, then the text: improve accept C3 "Use uv"; nothing was recorded')
    groups: list[Said] = []
    names: list[str] = []
    for item in items:
        if not names or _is_name(item):
            names.append(item)
        else:
            groups.append(Said(tuple(names), item))
            names = []
    return [*groups, *(Said((name,)) for name in names)]


def _is_name(item: str) -> bool:
    return item[:1] in "cC" and item[1:].isdecimal()


def tell(accepted: list[Accepted], *, as_json: bool) -> None:
    """Say what became of candidates that were accepted."""
    from improve import report
    from improve.cli.observe import told, told_as_json

    if as_json and len(accepted) == 1:
        say(told_as_json(accepted[0].recorded))
    elif as_json:
        rules = [
            {"candidates": list(a.names), "id": a.recorded.rule.id, "rule": a.recorded.rule.text} for a in accepted
        ]
        say(report.as_json("accept", {"accepted": rules}))
    else:
        for item in accepted:
            if len(accepted) > 1 or len(item.names) > 1:
                say(f"{', '.join(item.names)}:")
            say(told(item.recorded, item.recorded.rule.text))


def note_settled(here: Here) -> None:
    """Settle what else in the inbox says the same, and tell how much that was."""
    from improve.workflow import triage

    if settled := triage.settle_quietly(here):
        note(f"{settled} more in the inbox said the same and {'counts' if settled == 1 else 'count'} for it")


def _merge(here: Here, names: tuple[str, ...], rule: str, *, as_json: bool) -> int:
    from improve import report
    from improve.workflow import triage

    done = triage.merge_into(here, names, rule)
    if as_json:
        say(report.as_json("accept", {"matched": [item.id for item in done], "rule": done[0].rule}))
    else:
        say(f"Counted for {done[0].rule}: {', '.join(item.id for item in done)}")
    return 0


@click.command(
    "dismiss",
    epilog="""\b
Examples:
  improve dismiss C12 C13
  improve dismiss C14 --always""",
)
@click.argument("candidates", metavar="ID...", nargs=-1, required=True)
@click.option("--always", is_flag=True, help="The same words never wait again.")
@json_option
def dismiss_command(candidates: tuple[str, ...], always: bool, as_json: bool) -> int:
    """Settle candidates of the inbox as no rule; what is dismissed raises the bar of its kind."""
    from improve import report
    from improve.workflow import triage

    here = look_around()
    done = triage.dismiss(here, candidates, always=always)
    if as_json:
        say(report.as_json("dismiss", {"dismissed": [item.id for item in done], "always": always}))
    else:
        again = "; the same words never wait again" if always else ""
        say(f"Dismissed: {', '.join(item.id for item in done)}{again}")
    return 0
