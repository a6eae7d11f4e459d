"""resolve: take rules that held out of the active set, into the archive; restore brings them back.

The archive is written first, then rules.yaml: a kill in between leaves the rule in both, which counts as active.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from improve import document, files, section
from improve.errors import ImproveError, NoSuchRule, Refused
from improve.proof import HELD, RECURRING
from improve.rule import Rule, Verdict, Written
from improve.workflow import archive, changes, cutoff
from improve.workflow.moments import age
from improve.workflow.targets import Target, Targets

if TYPE_CHECKING:
    from improve.edit import Edit
    from improve.workflow.here import Here

HELD_DAYS = 30
"""Days that a rule has to hold before it leaves the active set."""
FRESH_DAYS = 14
"""Days after which nobody knows whether what held still does; verdicts are measured weekly."""


class Resolved(NamedTuple):
    """What went into the archive."""

    rules: tuple[Rule, ...]
    files: tuple[changes.FileChange, ...] = ()
    """Instruction files that lost lines of ours."""
    notes: tuple[str, ...] = ()
    title: str = ""
    """Name of the change set; empty when nothing was changed."""


def held_days(verdict: Verdict | None, today: str) -> int:
    """Say for how many days a rule has held; -1 when it does not.

    >>> held_days(Verdict("held", since="2026-01-01"), "2026-02-01"), held_days(Verdict("recurring"), "2026-02-01")
    (31, -1)
    """
    if verdict is None or verdict.state != HELD:
        return -1
    return age(verdict.since, today) or 0


def is_due(rule: Rule, today: str) -> bool:
    """Say whether a rule held so long, by a recent verdict, that it may leave the active set.

    One that a guard enforces may not.
    """
    if rule.guard or rule.retired or held_days(rule.verdict, today) < HELD_DAYS:
        return False
    return rule.verdict is not None and (age(rule.verdict.at, today) or 0) <= FRESH_DAYS


def due(here: Here) -> list[Rule]:
    """List the rules that may go, those that held longest first."""
    rows = here.store.view().index.written()
    found = [row.rule for row in rows if not row.problems and is_due(row.rule, here.today)]
    return sorted(found, key=lambda rule: (-held_days(rule.verdict, here.today), rule.id))


def resolve(here: Here, ids: Sequence[str], *, prune: bool = False, held: bool = False) -> Resolved:
    """Move rules with all their evidence to the archive, as one change set.

    Args:
        prune: Also remove their lines from instruction files: only ours, and only as we wrote them.
        held: Those that are due, besides the ones named.

    Raises:
        NoSuchRule: an id is not known.
        Refused: a rule still recurs, or a guard enforces it.
    """
    with here.store.edit(here.now) as edit:
        cutoff.recover(here, edit)
        rules = {rule_id: _fit(edit.view.rule(rule_id)) for rule_id in ids}
        if held:
            there = [row.rule for row in edit.index.written() if not row.problems]
            rules |= {rule.id: rule for rule in there if is_due(rule, here.today)}
        if not rules:
            return Resolved(())
        notes = [note for rule in rules.values() for note in _young(rule, here.today) if rule.id in ids]
        pruning = _Pruning(here, edit) if prune else None
        texts = {rule.id: _text(edit, rule, pruning) for rule in rules.values()}
        title = f"archive {', '.join(rules)}" if len(rules) < 4 else f"archive {len(rules)} rules"
        _move(here, edit, texts, pruning, title=title)
        notes += pruning.notes if pruning else _lines_that_stay(here, rules.values())
    return Resolved(tuple(rules.values()), pruning.changes if pruning else (), tuple(notes), title)


def _fit(rule: Rule) -> Rule:
    if rule.verdict and rule.verdict.state == RECURRING:
        raise Refused(
            f"{rule.id!r} still recurs, so it is not archived; nothing was changed. See why with: "
            f"improve verify {rule.id}; to set it aside for good: improve retire {rule.id}"
        )
    if rule.guard:
        raise Refused(
            f"a guard enforces {rule.id!r}, which would end; nothing was changed. "
            f"Turn it off first: improve guard {rule.id} --off"
        )
    return rule


def _young(rule: Rule, today: str) -> Iterator[str]:
    days = held_days(rule.verdict, today)
    if days < 0:
        yield f"{rule.id} was archived without proof that it held"
    elif days < HELD_DAYS:
        yield f"{rule.id} has held for {days} days, not for {HELD_DAYS}"
    elif not is_due(rule, today):
        yield f"{rule.id} was not measured for {FRESH_DAYS} days; it may not hold any more"


def _lines_that_stay(here: Here, rules: Iterable[Rule]) -> list[str]:
    paths = [w.path for rule in rules for w in rule.written_to]
    return [f"its line in {here.short(path)} stays" for path in dict.fromkeys(paths)][:20]


def _text(edit: Edit, rule: Rule, pruning: _Pruning | None) -> str:
    text = archive.entry_text(edit.view, rule.id)
    left = tuple(w for w in rule.written_to if not pruning.prune(rule, w)) if pruning else rule.written_to
    if left == rule.written_to:
        return text
    return document.edit_entry(text, edit.view.shape.indent, rule._replace(written_to=left))


def _move(here: Here, edit: Edit, texts: dict[str, str], pruning: _Pruning | None, *, title: str) -> None:
    change, changed = changes.new_id(), pruning.changes if pruning else ()
    if changed:
        said = {"change": change, "title": f"{title}, cut off", "rules": list(texts)}
        cutoff.intend(here, "applying", **said, files=[item.record() for item in changed])
    with cutoff.all_or_nothing(here, edit, changed):
        if pruning:
            pruning.write()
        archive.keep(here, texts)
        for rule_id in texts:
            edit.drop(rule_id)
        changes.commit(edit, "archived", title, rules=list(texts), changed=list(changed), change=change)


class _Pruning:
    """Takes lines of ours out of instruction files, in memory."""

    def __init__(self, here: Here, edit: Edit) -> None:
        self.here = here
        self.targets = Targets(here, edit)
        self.notes: list[str] = []
        self.holders: dict[tuple[str, str], set[str]] = {}
        for row in edit.index.written():
            for written in row.rule.written_to:
                self.holders.setdefault((written.path, written.text), set()).add(row.rule.id)

    def write(self) -> None:
        """Write the files."""
        for target in self.targets.known.values():
            if target.data != target.snapshot.data:
                files.replace(target.snapshot, target.data)

    @property
    def changes(self) -> tuple[changes.FileChange, ...]:
        """The files that lose lines."""
        return tuple(t.change for t in self.targets.known.values() if t.data != t.snapshot.data)

    def prune(self, rule: Rule, written: Written) -> bool:
        """Remove a line; False when it stays, with a note why."""
        why, target = self._why_not(rule, written)
        if not why and target:
            try:
                target.data = section.remove(
                    target.data, written.text, section=written.section, drop_empty_section=written.made_section
                )
                return True
            except ImproveError as exc:
                why = str(exc)
        self.notes.append(f"{rule.id}: its line in {self.here.short(written.path)} stays: {why}")
        return False

    def _why_not(self, rule: Rule, written: Written) -> tuple[str, Target | None]:
        if written.adopted or not written.text:
            return "it was there before us, or was reworded by somebody", None
        target = self.targets.open(written.path, written.project)
        if target is None:
            return str(self.targets.errors[written.path]), None
        if not target.has(written.text):
            return "it does not stand there as we wrote it", None
        self.holders[written.path, written.text].discard(rule.id)
        if self.holders[written.path, written.text]:
            return f"it also says {', '.join(sorted(self.holders[written.path, written.text]))}", None
        return "", target


def restore(here: Here, rule_id: str) -> Rule | None:
    """Bring a rule back from the archive as a change set; None when it is not there.

    Raises:
        NoSuchRule: neither the archive nor rules.yaml has it.
    """
    if archive.find(here, rule_id) is None:
        return None
    with here.store.edit(here.now) as edit:
        if edit.index.has_id(rule_id):
            return None
        text = archive.text_of(here, rule_id)
        rule = archive.bring_back(here, edit, rule_id)
        if rule is None:
            raise NoSuchRule(f"no rule has the id {rule_id!r}, in the archive either; nothing was changed")
        before, _ = edit.images()
        line = {
            "event": "restored",
            "change": changes.new_id(),
            "title": f"restore {rule_id} from the archive",
            "rules": [rule_id],
            "before": before,
            "files": [],
            "archive": {rule_id: text},
        }
        edit.commit(line, durable=True)
        archive.forget(here, [rule_id])
    return rule
