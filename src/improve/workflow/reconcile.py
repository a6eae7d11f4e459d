"""What a person did to our lines since: a reworded one is adopted, a deleted one is a rejection."""

from __future__ import annotations

import os
from collections.abc import Callable

from improve import folder, match, section, wording
from improve.edit import Edit
from improve.errors import Refused
from improve.rule import Rule, Written, occasions
from improve.workflow.targets import Target, Targets

ALIKE = 0.6
"""Share of letters a line in the same section must keep to be taken for ours, reworded."""
Say = Callable[[Rule, str, str, str, str], None]
"""(rule, action, path, text, why)."""


def reconcile(rule: Rule, targets: Targets, say: Say, *, named: bool = False) -> Rule:
    """Look where a rule was written and return it as it is to be recorded.

    Args:
        named: somebody asked for this rule, so a file that is gone is no reason to leave it unwritten.
    """
    kept: list[Written] = []
    current = rule
    for written in rule.written_to:
        if _is_gone(written, named):
            say(rule, "forgotten", written.path, written.text, "the file it was written to is gone")
            continue
        found = _look_at(current, written, targets)
        if found is None and written.adopted and not written.beside:
            say(rule, "forgotten", written.path, written.text, "the line that said it is gone")
        elif found is None:
            current = current._replace(rejected_at=occasions(current))
            why = "somebody deleted the line; it comes back only with new occasions"
            say(rule, "rejected", written.path, written.text, why)
        else:
            current, entry = _adopted(current, written, found, say)
            kept.append(entry)
    return current._replace(written_to=tuple(kept)) if tuple(kept) != rule.written_to else rule


def _is_gone(written: Written, named: bool) -> bool:
    """Say whether there is nothing left to look at: a discarded worktree, or a deleted file of a rule asked for."""
    if not written.text or not os.path.isabs(written.path):
        return False
    return folder.no_directory(os.path.dirname(written.path)) or (named and folder.nothing(written.path))


def _look_at(rule: Rule, written: Written, targets: Targets) -> Written | None:
    """Return the entry as the file has it now, None when the line was deleted.

    A file that is missing, unreadable or on another branch tells nothing.
    """
    if not written.text or not os.path.isabs(written.path):
        return written
    target = targets.open(written.path, written.project)
    if target is None or not target.snapshot.exists or (written.branch and target.branch != written.branch):
        return written
    if target.has(written.text):
        return written
    norm = match.normalize(wording.plain(written.text))
    bullet = target.page.by_wording.get(norm)
    if bullet:
        return written._replace(text=bullet.text, section=bullet.section)
    reworded = _reworded(rule, written, target, targets.edit)
    return written._replace(text=reworded.text, section=reworded.section, adopted=True) if reworded else None


def _reworded(rule: Rule, written: Written, target: Target, edit: Edit) -> section.Bullet | None:
    """Find the line that ours became: alike in the same section, or the same rule anywhere; never another rule's.

    When the section has fewer lines than it had with ours, ours was deleted, whatever resembles it.
    """
    bullets = target.bullets()
    inside = [bullet for bullet in bullets if bullet.section == written.section]
    if written.beside and len(inside) < written.beside:
        inside = []
    for bullet in [*inside, *(b for b in bullets if b.section != written.section)]:
        said = wording.plain(bullet.text)
        other = edit.index.same_wording(match.normalize(said))
        if other and other.rule.id != rule.id:
            continue
        if (bullet in inside and _resembles(rule.text, said)) or match.compare(rule.text, said).relation == "same":
            return bullet
    return None


def _resembles(text: str, said: str) -> bool:
    return match.normalize(text) in match.normalize(said) or match.likeness(text, said) >= ALIKE


def _adopted(rule: Rule, before: Written, found: Written, say: Say) -> tuple[Rule, Written]:
    """Take a person's words for the rule, unless they are none a rule may have."""
    if found is before or not found.adopted or before.adopted:
        return rule, found
    said = wording.plain(found.text)
    try:
        said = wording.check_rule(said)
    except Refused as exc:
        why = f"somebody changed the line to what is no rule ({exc}); it is left as it is"
        say(rule, "blocked", before.path, rule.text, why)
        return rule, before
    if said == rule.text:
        return rule, found
    say(rule, "adopt", found.path, found.text, "somebody reworded the line; their wording wins")
    aliases = tuple(a for a in dict.fromkeys((*rule.aliases, rule.text)) if a != said)
    return rule._replace(text=said, aliases=aliases), found
