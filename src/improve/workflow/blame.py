"""Gather what the causes of a recurrence are asked about: hosts, files, other rules."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from improve import cause, files, hosts
from improve.cause import Cause, Facts, Placed
from improve.errors import ImproveError
from improve.hosts.base import Spot
from improve.loaded import LOADED
from improve.rule import UNKNOWN, Rule

if TYPE_CHECKING:
    from improve.ledger import Ledger
    from improve.view import View
    from improve.workflow.here import Here
    from improve.workflow.tally import Case, Scene

_ALIKE = 20
"""Other rules that are looked at: one that contradicts this one speaks of the same."""
_LARGEST = 1 << 24
_WAIT = "nothing more: the next sessions will show it"
_NOWHERE = "work outside of any project"
_EARLY = (cause.NOT_WRITTEN, cause.NOT_LOADED, cause.CUT)
"""Causes that are worth a word before it is clear that a rule recurs."""


def blame(here: Here, view: View, case: Case, ledger: Ledger, *, sure: bool) -> Cause | None:
    """Say why the mistake of a rule is still made, by what the sessions had loaded in which it was.

    Args:
        sure: It clearly recurs; else only what keeps the rule from the agent is a cause.
    """
    rule = case.rule
    if case.elsewhere and len(case.elsewhere) == len(case.slips):
        known = dict.fromkeys(key if key not in ("", UNKNOWN) else _NOWHERE for key in case.elsewhere.values())
        places = ", ".join(known)
        detail = f"it is not written for {places}, where it came up again"
        return Cause(cause.NOT_WRITTEN, detail, f"improve escalate --apply {rule.id}")
    placed = tuple(_placed(here, view, rule, host, scene) for host, scene in case.scenes.items())
    if not sure:
        found = cause.find(Facts(rule, placed))
        return found if found.cause in _EARLY else None
    facts = Facts(rule, placed, tuple(_others(view, rule)), tuple(_files(here, case, ledger)))
    found = cause.find(facts)
    if found.cause == cause.CONTRADICTED and not _still(here, facts, case):
        return found._replace(detail=f"{found.detail}; by now it does not", fix=_WAIT)
    return found if found.cause != cause.IGNORED or rule.check else _by_hand(found, rule)


def _still(here: Here, facts: Facts, case: Case) -> bool:
    """Say whether the files, as they are by now, contradict a rule that they did when its mistake was made."""
    paths = sorted({file.path for scene in case.scenes.values() for file in scene.entry.loaded if file.digest})
    with suppress(ImproveError):
        now = tuple((here.short(path), files.read(path, cap=_LARGEST).data) for path in paths)
        return cause.find(facts._replace(files=now)).cause == cause.CONTRADICTED
    return True


def _by_hand(found: Cause, rule: Rule) -> Cause:
    """Suggest no check where none can be derived: a person may know what a program could see."""
    from improve.workflow import suggestion

    if suggestion.of(rule).check:
        return found
    fix = f'improve check set {rule.id} --deny PATTERN, or say exactly what to do: improve set {rule.id} --text "…"'
    return found._replace(fix=fix)


def _placed(here: Here, view: View, rule: Rule, host: str, scene: Scene) -> Placed:
    """Say how a rule stood with a host in the last session in which its mistake was made, and what helps now."""
    path = rule.written_to[-1].path if rule.written_to else ""
    known = hosts.host(host) if host in hosts.names() else None
    title = known.title if known else host
    if scene.state == LOADED or not path:
        return Placed(title, path, "loaded")
    state = {"cut": "cut", "gone": "gone"}.get(scene.state, "foreign")
    if known and known.chain:
        from improve.workflow.here import Here
        from improve.workflow.reach import reach_at

        root = next(iter(here.roots_of(scene.entry.project, view)), "")
        there = Here(here.env, here.now, scene.entry.cwd or root or here.cwd, here.home)
        names = here.names_of(scene.entry.project, view)
        now = reach_at(there, known, rule, Spot(there.cwd, root, here.home.user, here.env), names)
        if now and not now.reached:
            return Placed(title, here.short(now.path), now.state, _shown(here, now.why), _shown(here, now.fix))
        if now:
            why = f"when it was made last, {title} had not loaded the rule; by now it loads it"
            return Placed(title, here.short(path), "foreign", why, _WAIT)
    return Placed(title, here.short(path), state)


def _shown(here: Here, text: str) -> str:
    """Show the paths in a sentence as they are shown everywhere."""
    return text.replace(os.path.join(here.home.user, ""), "~/")


def _others(view: View, rule: Rule) -> Iterator[Rule]:
    from improve.workflow.likeness import similar

    for like in similar(view, rule.text, most=_ALIKE):
        other = like.rule
        if other.written_to and not other.retired and other.id not in rule.distinct_from:
            yield other


def _files(here: Here, case: Case, ledger: Ledger) -> Iterator[tuple[str, bytes]]:
    """Give the files that were loaded where the mistake was made, each once."""
    found = {(file.path, file.digest) for scene in case.scenes.values() for file in scene.entry.loaded if file.digest}
    for path, digest in sorted(found):
        yield here.short(path), ledger.text(digest)
