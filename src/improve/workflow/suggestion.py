"""check: derive one from a rule, see what it would have hit, keep it with the rule or take it away."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from improve import check, suggestion, witness
from improve.errors import Refused, UsageError
from improve.rule import Check, Rule
from improve.shell import NoParser
from improve.workflow import changes
from improve.workflow.curate import Changed

if TYPE_CHECKING:
    from improve.workflow.backtest import Tested
    from improve.workflow.here import Here


class Proposal(NamedTuple):
    """What was derived from a rule."""

    rule: Rule
    check: Check | None
    why: str
    """What it stands on, or why there is none."""


def derive(here: Here, rule_id: str) -> Proposal:
    """Derive a check from a rule: from its text, how it was worded on its occasions, or what a person stopped there.

    Raises:
        NoSuchRule: there is none of that id.
    """
    return of(here.store.view().rule(rule_id))


def of(rule: Rule) -> Proposal:
    """Derive a check from a rule that is at hand."""
    try:
        return _of(rule)
    except NoParser as exc:
        return Proposal(rule, None, str(exc))


def _of(rule: Rule) -> Proposal:
    first = suggestion.suggest(rule.text)
    found = first
    for words in dict.fromkeys((*rule.aliases, *(o.wording for o in rule.observations if o.wording))):
        if found.check is not None:
            break
        found = suggestion.suggest(words)
    if found.check is None:
        found = witness.suggest(rule.text, [o.context for o in rule.observations if o.context])
    if found.check is None or _against(rule, found.check):
        return Proposal(rule, None, first.why)
    return Proposal(rule, found.check, found.why)


def past_hits(here: Here, rule: Rule, tried: Check) -> Tested:
    """Try a check on every call of the past; transcripts that are new are read first."""
    from improve.workflow.backtest import backtest
    from improve.workflow.past import bring_up_to_date

    ledger, _ = bring_up_to_date(here)
    try:
        return backtest(ledger.entries(), [(rule, tried)])[0]
    finally:
        ledger.close()


def sound(wanted: Check) -> None:
    """Look whether a check can work at all, before a person is asked about it.

    Raises:
        UsageError: it cannot.
    """
    if wrong := check.problem(wanted):
        raise UsageError(f"the check cannot work: {wrong}; nothing was changed")


def keep(here: Here, rule_id: str, wanted: Check | None) -> Changed:
    """Keep a check with a rule, or take it away with None; `undo` takes that back.

    Raises:
        UsageError: the check cannot work.
        Refused: it would hit what the rule recommends, or a guard still needs it.
    """
    if wanted:
        sound(wanted)
    with here.store.edit(here.now) as edit:
        rule = edit.view.rule(rule_id)
        if wanted and (against := _against(rule, wanted)):
            raise Refused(
                f"this check would hit {against!r}, which the rule recommends; nothing was changed. "
                "Name what is forbidden more closely, or say what is fine with --unless"
            )
        if wanted is None and rule.guard:
            raise Refused(
                f"the guard of {rule_id!r} needs its check; nothing was changed. "
                f"Turn the guard off first: improve guard {rule_id} --off"
            )
        after = rule._replace(check=wanted)
        if after == rule:
            return Changed(rule, rule, ("it says so already; nothing was changed",))
        edit.put(after)
        title = f"set check of {rule_id}" if wanted else f"take the check of {rule_id} away"
        changes.commit(edit, "set", title, rules=[rule_id])
    return Changed(rule, after, (), title)


def _against(rule: Rule, wanted: Check) -> str:
    return suggestion.contradicts(wanted, suggestion.recommended(rule.text))
