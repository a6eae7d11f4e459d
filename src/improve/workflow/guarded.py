"""Compile the guards in force for the hook, which has no time to read rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from improve import check, clock, escalate, files, guards
from improve.errors import ImproveError, NeedsRepair
from improve.guards import EVERYWHERE, Guard
from improve.rule import UNKNOWN, Rule, places
from improve.workflow.here import Here

if TYPE_CHECKING:
    from collections.abc import Callable

    from improve.view import Glance, View


def _silent(_: BaseException) -> None:
    """Tell nobody."""


def compiled(here: Here, trouble: Callable[[BaseException], None] = _silent) -> tuple[Guard, ...]:
    """Make the compiled file anew, and give the guards in force.

    Where rules.yaml cannot be read, those that were in force go on: a veto that got damaged is still a veto.
    """
    looking = guards.seen(here.home, clock.seconds())
    try:
        view = here.store.glance()
        found = tuple(
            guard for guard in (_guard(here, row.rule, view, trouble) for row in view.index.guarded()) if guard
        )
    except NeedsRepair as exc:
        trouble(exc)
        found = guards.load(here.home) or ()
    same = looking == guards.seen(here.home, clock.seconds())
    _keep(here, guards.written(found, looking if same else ""))  # unsettled ones answer only for who cannot wait
    guards.in_time(here.home)
    return found


def _keep(here: Here, data: bytes) -> None:
    """Write the file; where that cannot be done, the next call makes the guards anew."""
    try:
        files.private_directory(here.home.cache)
        path = guards.path(here.home)
        files.replace(files.read(path, cap=guards.CAP), data, mode_if_new=0o600, durable=False)
    except (ImproveError, OSError):
        return


def _guard(here: Here, rule: Rule, view: Glance | View, trouble: Callable[[BaseException], None]) -> Guard | None:
    if rule.check is None or rule.guard not in guards.MODES:
        return None
    try:
        needles = check.needles(rule.check)
    except Exception as exc:  # one check that is broken switches off no other guard
        trouble(RuntimeError(f"the check of {rule.id} cannot be used ({type(exc).__name__}: {exc})"))
        return None
    given = rule.check
    return Guard(
        *(rule.id, rule.text, rule.guard, given.tool, needles, given.deny, given.unless, given.paths),
        scope(here, rule, view),
    )


def scope(here: Here, rule: Rule, view: Glance | View) -> tuple[str, ...]:
    """Name the projects in which a guard of a rule is in force, as they may be called there; `*` for everywhere.

    It is where the rule applies: everywhere when it is meant or written for everywhere, else where it was seen.
    """
    decision = escalate.decide(rule, view.head.taxonomy, here.config.thresholds)
    targets = {escalate.target_of(rule, written) for written in rule.written_to}
    if decision.kind == escalate.GLOBAL or escalate.NOBODY in targets:
        return (EVERYWHERE,)
    seen = dict.fromkeys([*places(rule), *filter(None, targets)])
    known = [key for key in view.head.projects if not seen.keys().isdisjoint(here.names_of(key, view))]
    return tuple(dict.fromkeys([*(name or UNKNOWN for name in seen), *known]))
