"""A person's yes to what loosens or tightens the hold on an agent: at a terminal, or typed to the agent that asks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from improve.cli.common import on_terminal
from improve.errors import Refused

if TYPE_CHECKING:
    from improve.workflow.here import Here


class Wanted(NamedTuple):
    """What a person is to decide."""

    what: str
    """The first half of a refusal: `only a person turns a guard on or off`."""
    command: str
    """What they would run."""
    word: str
    """Begins the words they type to an agent: `guard`."""
    about: str
    """Ends them, and says what they allow: `deny use-uv-not-pip`."""


def at_terminal(here: Here) -> bool:
    """Tell whether a person sits at a terminal, and no agent opened it."""
    from improve.workflow.guard import inside_an_agent

    return on_terminal(sys.stdin) and on_terminal(sys.stderr) and not here.host and not inside_an_agent()


def decides(here: Here, wanted: Wanted, ask: Callable[[], None]) -> str:
    """Let a person decide, and say who it was.

    Args:
        ask: Shows them at their terminal what it is about, and asks; it raises when they say no.

    Raises:
        Refused: nobody is there, or they said no.
    """
    from improve import clock, consent
    from improve.workflow.guard import hears_prompts

    if at_terminal(here):
        ask()
        return "a person at a terminal"
    allowed = " ".join(f"{wanted.word} {wanted.about}".lower().split())
    place: Any = {"host": here.host, "session": here.session, "now": clock.seconds()}
    if here.host and consent.take(here.home, allowed, **place):
        return f"a person at the prompt of {here.host}"
    ways = f"run in a terminal of their own: {wanted.command}"
    if here.host and consent.fits(allowed) and hears_prompts(here):
        words = consent.ask(here.home, allowed, **place)
        ways = f"type this to you as a message of its own, after which you run the same again: {words}, or to {ways}"
    raise Refused(f"{wanted.what}; nothing was changed. Ask the user to {ways}")


def loosens(here: Here, ids: Sequence[str], title: str, command: str) -> None:
    """Let a person decide whether guards may do less because of something else that is done.

    Raises:
        Refused: nobody is there, or they said no.
    """
    import click

    names = ", ".join(ids)

    def ask() -> None:
        click.echo(f"This ends what a guard does for {names}.", err=True)
        if not click.confirm(f"{title}?", err=True):
            raise Refused("nothing was changed")

    decides(
        here,
        Wanted(f"it ends what a guard does for {names}, which only a person may", command, "guard", f"off {names}"),
        ask,
    )
