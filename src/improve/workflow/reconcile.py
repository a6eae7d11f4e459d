"""What a person did to our lines since: a reworded one is adopted, a deleted one is a rejection."""

from __future__ import annotations

import os
from collections.abc import Callable

from improve import match, section, wording
from improve.edit import Edit
from improve.errors import Refused
from improve.rule import Rule, Written, occasions
from improve.workflow.targets import Targets

ALIKE = 0.6
"""Share of letters a line in the same section must keep to be taken for ours, reworded."""
Say = Callable[[Rule, str, str, str, str], None]
"""(rule, action, path, text, why)."""


def reconcile(rule: Rule, targets: Targets, say: Say) -> Rule:
    """Look where a rule was written and return it as it is to be recorded."""
    kept: list[Written] = []
    current = rule
    for written in rule.written_to:
        found = _look_at(current, written, targets)
        if found is None:
            current = current._replace(rejected_at=occasions(current))
            why = "somebody deleted the line; it comes back only with new occasions"
            say(rule, "rejected", written.path, written.text, why)
            continue
        if found is not written:
            current = _adopt_words(current, found, say)
        kept.append(found)
    return current._replace(written_to=tuple(kept)) if tuple(kept) != rule.written_to else rule


def _look_at(rule: Rule, written: Written, targets: Targets) -> Written | None:
    """Return the entry as the file has it now, None when the line was deleted.

    A file that is gone, unreadable or on another branch tells nothing.
    """
    if not written.text or not os.path.isabs(written.path):
        return written
    target = targets.open(written.path, written.project)
    if target is None or not target.snapshot.exists or (written.branch and target.branch != written.branch):
        return written
    if target.has(written.text):
        return written
    bullets = target.bullets()
    norm = match.normalize(wording.plain(written.text))
    for bullet in bullets:
        if match.normalize(wording.plain(bullet.text)) == norm:
            return written._replace(text=bullet.text, section=bullet.section)
    near = (b for b in bullets if b.section == written.section)
    return next((_as_theirs(written, b) for b in near if _reworded(rule, wording.plain(b.text), targets.edit)), None)


def _as_theirs(written: Written, bullet: section.Bullet) -> Written:
    return written._replace(text=bullet.text, adopted=True)


def _reworded(rule: Rule, said: str, edit: Edit) -> bool:
    """Say whether a line in the same place means the rule, or shares most of its letters, and is no other rule's."""
    other = edit.index.same_wording(match.normalize(said))
    if other and other.rule.id != rule.id:
        return False
    return match.compare(rule.text, said).relation == "same" or match.likeness(rule.text, said) >= ALIKE


def _adopt_words(rule: Rule, written: Written, say: Say) -> Rule:
    said = wording.plain(written.text)
    if said == rule.text or not written.adopted:
        return rule
    try:
        said = wording.check_rule(said)
    except Refused:
        return rule
    say(rule, "adopt", written.path, written.text, "somebody reworded the line; their wording wins")
    aliases = tuple(a for a in dict.fromkeys((*rule.aliases, rule.text)) if a != said)
    return rule._replace(text=said, aliases=aliases)
