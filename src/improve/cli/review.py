"""improve review: one candidate at a time, like `git add -p`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from improve.cli.common import by_person, in_colour, json_option, look_around, merge_what_waits, on_terminal, say
from improve.errors import ImproveError, Refused, UsageError
from improve.escape import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from improve.rule import Rule
    from improve.workflow.here import Here
    from improve.workflow.pile import Pile

_NOTHING = "No correction waits to be phrased."
_WORDS = 80
"""Characters of a person's words where several are listed."""
_HELP = """\
y  it is a rule, worded as shown
e  it is a rule; word it
m  it says the rule shown under "near" again
n  it is none
N  it is none, and the same words never wait again
s  decide later
q  stop here
?  this help"""


@click.command(
    "review",
    epilog="""\b
Examples:
  improve review
  improve review --signal preference
  printf 'y\\nn\\nq\\n' | improve review       without a terminal, an answer a line
  improve accept C3 "Use uv" && improve dismiss C4""",
)
@click.option("--signal", default="", metavar="SIGNAL", help="Only candidates of this kind: correction, denial, …")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", default=50, show_default=True, help="At most so many questions."
)
@json_option
def review_command(signal: str, limit: int, as_json: bool) -> int:
    """Settle what waits in the inbox, one question at a time: accept, edit, merge, dismiss, skip.

    What says the same thing is one question. Without a terminal the answers are read from standard input, one a line:
    `y`, `e NEW TEXT`, `m`, `n`, `N`, `s`, `q`.
    """
    from improve import report
    from improve.workflow import pile

    if as_json and on_terminal(sys.stdin):  # nobody would see what is asked
        raise UsageError("with --json the answers are read from a pipe, one a line; nothing was asked")
    here = look_around()
    if why := here.off():
        raise Refused(why)
    merge_what_waits(here)
    piles = pile.waiting(here, signal)[:limit]
    if not piles:
        told = f"No {visible(signal)} waits. The kinds: improve inbox --stats" if signal else _NOTHING
        nothing = {**_Done()._asdict(), "waiting": pile.count_waiting(here)}
        say(report.as_json("review", nothing) if as_json else told)
        return 0
    quiet = (lambda _: None) if as_json else _show
    done = _Done()
    for number, listed in enumerate(piles, 1):
        each = pile.left_of(here, listed)
        if each is None:
            continue
        near = pile.near(here.store.view(), each)
        quiet(f"\n({number}/{len(piles)}) {_described(here, each, near)}")
        answered = _settle(here, each, near, quiet)
        if answered is None:
            break
        done = done.plus(answered)
    left = pile.count_waiting(here)
    say(report.as_json("review", {**done._asdict(), "waiting": left}) if as_json else f"\n{_summary(done, left)}")
    return 0


class _Done(NamedTuple):
    accepted: int = 0
    merged: int = 0
    dismissed: int = 0
    skipped: int = 0

    def plus(self, what: str) -> _Done:
        return self._replace(**{what: getattr(self, what) + 1})


def _show(text: str) -> None:
    first, _, rest = text.partition("\n  ")
    if in_colour():
        click.echo(
            click.style(visible(first, multiline=True), bold=True)
            + ("\n  " + visible(rest, multiline=True) if rest else "")
        )
    else:
        click.echo(visible(text, multiline=True))


def _described(here: Here, each: Pile, near: Rule | None) -> str:
    from improve import report
    from improve.cli.inbox import block

    lines = [block(each.first, here.now)]
    if each.more:
        lines.append(f"    said {each.times}:")
        told = [
            f"      {item.at[:10]}  {item.host}  {report.quoted(one_line(item.text, _WORDS))}" for item in each.more
        ]
        shown = list(dict.fromkeys(told))[:4]  # the same words on the same day are one line
        lines += shown
        lines += [f"      and {len(told) - len(shown)} more"] if len(told) > len(shown) else []
    if not each.phrase:
        lines.append("    as a rule: its words cannot be one as they stand; word it with e")
    elif each.phrase != each.first.phrase:
        lines.append(f"    as a rule: {visible(each.phrase)}")
    if near:
        lines.append(f"    near: {visible(near.id)}: {report.quoted(near.text)}")
    return "\n".join(lines)


def _settle(here: Here, each: Pile, near: Rule | None, show: Callable[[str], None]) -> str | None:
    """Ask until an answer was carried out, and name what was done; None to stop."""
    while True:
        key, text = _answer(each, near)
        if key == "q":
            return None
        if key == "s":
            return "skipped"
        try:
            if key in "yemnN" and (done := _carried_out(here, each, near, key, text, show)):
                return done
        except ImproveError as exc:
            if not on_terminal(sys.stdin):
                raise
            show(f"  {exc}")
            continue
        show(_HELP if key == "?" else f"  {key!r} is no answer here; ? explains them")


def _carried_out(here: Here, each: Pile, near: Rule | None, key: str, text: str, show: Callable[[str], None]) -> str:
    from improve.cli.observe import became, hints
    from improve.workflow import triage
    from improve.workflow.triage import Said

    if key in "nN":
        triage.dismiss(here, each.names, always=key == "N")
        return "dismissed"
    if key == "m":
        if not near:
            return ""
        triage.merge_into(here, each.names, near.id)
        return "merged"
    text = text if key == "e" else each.phrase
    if not text:
        return ""
    accepted = triage.accept_all(here, [Said(each.names, text)], by_person=by_person(here))
    triage.settle_quietly(here)
    recorded = accepted[0].recorded
    show("\n  ".join([f"  {recorded.message}", became(recorded, text), *hints(recorded)]))
    return "accepted"


def _answer(each: Pile, near: Rule | None) -> tuple[str, str]:
    """Get a key, and the text that goes with `e`; the end of the input is `q`."""
    keys = [k for k in "yemnNsq?" if (k != "y" or each.phrase) and (k != "m" or near)]
    if not on_terminal(sys.stdin):
        line = sys.stdin.readline() if sys.stdin is not None else ""  # closed by whoever started us
        key, _, text = line.strip().partition(" ")
        return (key[:1] or "s", text.strip()) if line else ("q", "")
    click.echo(f"Keep it as a rule? [{','.join(keys)}] ", nl=False)
    try:
        key = click.getchar()
    except EOFError:  # Ctrl-D
        raise click.Abort from None
    click.echo(key if key.isprintable() else "")
    if key == "\x1b":
        return "q", ""
    if key == "e":
        return key, click.prompt("  Rule", default=each.phrase or None, show_default=bool(each.phrase))
    return key, ""


def _summary(done: _Done, left: int) -> str:
    from improve.report import counted

    named: Iterable[tuple[str, int]] = done._asdict().items()
    parts = [f"{count} {what}" for what, count in named if count]
    return f"{', '.join(parts) or 'nothing settled'}; {counted(left, 'candidate')} {'waits' if left == 1 else 'wait'}"
