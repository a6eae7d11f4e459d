"""Guards: which rules a hook looks after, what they did, and turning one on or off.

Only a person does that: at a terminal of their own, or by typing a number to the agent that asks. It is no lock:
whatever runs as the same user can edit rules.yaml. It keeps an agent from turning off what is in its way, and the
journal says who did it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from improve import check, guards, hosts
from improve.errors import ImproveError, Refused
from improve.escape import visible
from improve.rule import Check, Rule, occasions
from improve.workflow import changes
from improve.workflow.curate import Changed
from improve.workflow.firing import firings
from improve.workflow.guarded import compiled, scope
from improve.workflow.here import Here

if TYPE_CHECKING:
    from improve.hosts.base import Host
    from improve.view import Glance, View

OFF = "off"


class Guarded(NamedTuple):
    """A rule as its guard stands, or would."""

    rule: Rule
    where: tuple[str, ...]
    """Keys of the projects it is in force in; `*` for everywhere."""
    fired: int = 0
    last: str = ""
    """The moment it fired last."""


class Reach(NamedTuple):
    """What the agents on this machine do about guards."""

    deny: tuple[str, ...] = ()
    """Titles of those that stop a call."""
    warn: tuple[str, ...] = ()
    """Those that cannot stop it and tell the model."""
    nothing: tuple[str, ...] = ()
    to_do: tuple[str, ...] = ()
    """What a person must still do, a sentence each."""


def listed(here: Here) -> list[Guarded]:
    """List the rules with a guard, in the order of the file, with what the guards did."""
    counts = _counts(here)
    view = here.store.view()
    compiled(here)  # a hook that had no time for it waits for this
    return [_guarded(here, row.rule, view, counts) for row in view.index.guarded()]


def one(here: Here, rule_id: str) -> Guarded:
    """Give one rule as its guard stands, or would.

    Raises:
        NoSuchRule: there is none.
    """
    view = here.store.view()
    return _guarded(here, view.rule(rule_id), view, _counts(here))


def _guarded(here: Here, rule: Rule, view: View | Glance, counts: dict[str, tuple[int, str]]) -> Guarded:
    return Guarded(rule, scope(here, rule, view), *counts.get(rule.id, (0, "")))


def _counts(here: Here) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    for firing in firings(here):  # newest first
        count, last = found.get(firing.rule_id, (0, firing.at))
        found[firing.rule_id] = (count + firing.times, last)
    return found


def refuse(rule: Rule, mode: str) -> None:
    """See that a guard may be turned on: the rule is confirmed and has a check that works.

    Raises:
        Refused: it is not; names the command that is missing.
    """
    name = rule.id
    if mode == OFF:
        return
    if rule.retired:
        raise Refused(f"{name!r} is retired; nothing was changed. Bring it back with: improve restore {name}")
    if rule.check is None:
        raise Refused(
            f"{name!r} has no check, so no program can tell what goes against it; nothing was changed. "
            f"Get one with: improve check suggest {name}"
        )
    if wrong := check.problem(rule.check):
        raise Refused(
            f"the check of {name!r} cannot work: {wrong}; nothing was changed. See: improve check show {name}"
        )
    if occasions(rule) < 2 and not any(o.provenance == "person" for o in rule.observations):
        raise Refused(
            f"{name!r} is not confirmed: it was seen on one occasion, and no person vouched for it; nothing was "
            f"changed. Record the next occasion, or say it yourself at a terminal, with: "
            f"improve observe {_shell(rule.text)}"
        )


def _shell(text: str) -> str:
    from improve.report import shell

    return shell(text)


def turn(here: Here, rule_id: str, mode: str, *, by: str) -> Changed:
    """Set what a guard does, or turn it off; `undo` takes it back.

    Args:
        by: Who wants it, for the journal.

    Raises:
        Refused: the rule is not confirmed or has no check.
    """
    with here.store.edit(here.now) as edit:
        rule = edit.view.rule(rule_id)
        refuse(rule, mode)
        after = rule._replace(guard="" if mode == OFF else mode)
        if after == rule:
            return Changed(rule, rule, ("it says so already; nothing was changed",))
        edit.put(after)
        title = f"turn the guard of {rule_id} off" if mode == OFF else f"let a guard {mode} what goes against {rule_id}"
        changes.commit(edit, "set", f"{title}, by {by}", rules=[rule_id])
    compiled(here)
    return Changed(rule, after, (), title)


def is_loosened(before: Rule, after: Rule | None) -> bool:
    """Say whether a guard that is on would do less, or look at other calls, than before."""
    if not before.guard or not before.check or before.retired:
        return False
    if after is None or after.retired or not after.guard or after.check != before.check:
        return True
    return guards.strength(after.guard) < guards.strength(before.guard)


def inside_an_agent() -> bool:
    """Look whether a process above this one was started in an agent's shell, whatever its own variables say."""
    from improve import ancestry

    return any(hosts.name_in(env) for env in ancestry.environments())


def hears_prompts(here: Here) -> bool:
    """Say whether the agent around this command tells us what a person types to it."""
    from improve.workflow.wired import installed

    hears = {found.host for found in installed(here) if found.event in ("prompt", "") and found.state != "missing"}
    return here.host in hears


def history(here: Here, found: Guarded) -> str:
    """Say how often a guard would have met the calls that are known, in its place; no transcript is read for it."""
    from improve.ledger import Ledger
    from improve.report import counted
    from improve.workflow import past
    from improve.workflow.backtest import backtest

    rule, where = found.rule, found.where
    all_of_them = guards.EVERYWHERE in where
    see, tested = f"improve backtest {rule.id}", None
    if rule.check:
        with suppress(ImproveError), closing(Ledger.open(past.directory(here))) as ledger:
            held = past.sessions(here, here.store.view(), ledger)
            tested = backtest((e for e in held if all_of_them or e.project in where), [(rule, rule.check)])[0]
    if tested is None or not tested.total.calls:
        return f"unknown, for no past call was read yet; see what it would have hit with: {see}"
    there = "" if all_of_them else " there"
    of = f"{counted(tested.total.calls, 'past call')}{there}, in {counted(tested.total.sessions, 'session')}"
    return f"it would have hit {tested.total.hit:,} of {of}; see them with: {see}"


def follow(here: Here) -> tuple[str, ...]:
    """Wire the agents so that they ask before each call exactly while a guard is on; says what went wrong."""
    from improve.workflow import install

    try:
        return tuple(step.why for step in install.follow_guards(here) if step.state == "refused")
    except ImproveError as exc:
        return (str(exc),)


def follow_change(here: Here) -> tuple[str, ...]:
    """Wire the agents anew when a change, such as an undo, has turned the first guard on or the last one off."""
    if not os.path.lexists(here.home.rules):
        return ()
    before = bool(guards.load(here.home))
    try:
        after = next(here.store.glance().index.guarded(), None) is not None
    except ImproveError:
        return ()
    if before == after:
        return ()
    compiled(here)
    return follow(here)


def reach(here: Here) -> Reach:
    """Say what the agents on this machine do about guards, and what a person must still do."""
    from improve.hosts.wiring import TOOL_EVENTS
    from improve.workflow.barrier import barriers
    from improve.workflow.wired import installed

    here_now = [host for host in hosts.on_this_machine(here.home.user, here.env) if host.wiring]
    asking = {w.host for w in installed(here) if w.event in ("", *TOOL_EVENTS) and w.state != "missing"}
    wired = [host for host in here_now if host.name in asking]
    deny = [host for host in wired if host.dialect.denies != "none"]
    warn = [host for host in wired if host not in deny and host.dialect.warns != "none"]
    rest = [host.title for host in wired if host not in deny and host not in warn]
    closed = [(host, each) for host in (*deny, *warn) for each in barriers(here, host) if each.closed]
    to_do = [f"{host.title}: {each.what}: {each.fix}" for host, each in closed]
    deaf = [host for host in here_now if host not in wired]
    to_do += [
        f"{host.title} does not ask before a call yet; wire it with: improve install {host.name}" for host in deaf
    ]
    return Reach(_titles(deny), _titles(warn), tuple(rest), tuple(to_do))


def _titles(found: Iterable[Host]) -> tuple[str, ...]:
    return tuple(host.title for host in found)


def said(given: Check | None) -> str:
    """Write a check on one line."""
    if given is None:
        return "none"
    parts = [given.tool, *([f"never {_quoted(given.deny)}"] if given.deny else [])]
    parts += [f"unless {_quoted(given.unless)}"] if given.unless else []
    parts += [f"in {_quoted(given.paths)}"] if given.paths else []
    return visible(", ".join(parts))


def _quoted(patterns: Iterable[str]) -> str:
    return " or ".join(f"`{pattern}`" for pattern in patterns)


def place(where: tuple[str, ...]) -> str:
    """Say where a guard is in force."""
    if guards.EVERYWHERE in where:
        return "everywhere"
    return f"in {', '.join(map(visible, where))}" if where else "nowhere"
