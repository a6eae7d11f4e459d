"""undo: take back the newest change set, its lines in files and its changes to rules."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from improve import diff, document, files, journal, section
from improve.edit import Edit
from improve.errors import ImproveError, Refused
from improve.journal import CHANGE_SETS
from improve.layout import Malformed
from improve.rule import Rule, occasions
from improve.workflow import cutoff
from improve.workflow.changes import CAP, FileChange, Past, hunks_of, new_id, put_back
from improve.workflow.here import Here
from improve.workflow.reconcile import reconcile
from improve.workflow.register import as_now_called
from improve.workflow.targets import Targets


@dataclass
class Undone:
    """What `undo` did."""

    title: str
    rules: list[str]
    files: list[FileChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    loosened: list[str] = field(default_factory=list)
    """Rules whose guard does less by it, or looks at other calls."""
    committed: bool = False
    """False for a preview."""


def undo(here: Here, *, dry_run: bool = False, loosen: bool = False) -> Undone:
    """Take back the last change set: its lines in files, its changes to rules.

    Args:
        dry_run: Only look.
        loosen: It may end what a guard does; else nothing is done when it would.

    Raises:
        Refused: nothing to undo, or somebody changed the very lines since; nothing is written then.
    """
    with here.store.edit(here.now, takes_back=True) as edit:
        event = latest(here, edit)
        if event is None:
            raise Refused("there is no change set to undo; nothing was changed. See what happened with: improve log")
        result = Undone(str(event.get("title", event["event"])), [str(r) for r in event.get("rules", [])])
        snapshots = _plan_files(here, edit, event, result)
        guarded = {row.rule.id: row.rule for row in edit.index.guarded() if row.rule.id in event.get("before", {})}
        away = [rule_id for rule_id in _archived(event) if not edit.index.has_id(rule_id)]
        _plan_rules(edit, event, result)
        _keep_what_came(here, edit, away)
        result.loosened += _loosened(edit, guarded)
        if dry_run or (result.loosened and not loosen):
            return result
        _write(here, edit, event, result, snapshots=snapshots)
    with contextlib.suppress(ImproveError):  # all is taken back by now; an empty directory may stay
        for folder in _made(here, event):
            with contextlib.suppress(OSError):  # somebody put something there since, or took it away
                os.rmdir(folder)
    result.committed = True
    return result


def _write(
    here: Here, edit: Edit, event: dict[str, Any], result: Undone, *, snapshots: list[tuple[files.Snapshot, FileChange]]
) -> None:
    """Write the files, the archive and the store; all of it or nothing."""
    from improve.workflow import archive

    line = {
        "event": "undone",
        "undoes": event["change"],
        "title": f"undo: {result.title}",
        "rules": result.rules,
        "before": edit.images()[0],
        "change": new_id(),
    }
    if snapshots:
        cutoff.intend(here, "undoing", undoes=event["change"])
    with cutoff.all_or_nothing(here, edit, result.files):
        for snapshot, item in snapshots:
            put_back(snapshot, item.after, existed=item.existed)
        _archive_again(here, edit, event)
        edit.commit(line, durable=True)
    back = [rule_id for rule_id in _archived(event) if edit.index.has_id(rule_id)]
    if back:
        archive.forget(here, back)


def latest(here: Here, edit: Edit) -> dict[str, Any] | None:
    """Find the newest change set that is in force: it was not undone, and it was not cut off without a trace."""
    closed: set[str] = set()
    resumed: set[str] = set()
    past = Past(edit)
    for event in journal.read_back(here.home.journal, only=(*CHANGE_SETS, *cutoff.CLOSING, "applying", "undoing")):
        kind, change = event["event"], str(event.get("change", ""))
        if kind == "undoing":
            resumed.add(str(event.get("undoes", "")))
        elif kind in cutoff.CLOSING:
            closed |= {str(event.get("undoes", ""))} if past.took_effect(event) else set()
        elif (_partly_written(event) if kind == "applying" else past.took_effect(event)) and change not in closed:
            return {**event, "resumed": change in resumed}
    return None


def _made(here: Here, event: dict[str, Any]) -> list[str]:
    """List the directories an apply made for its files, inner ones first; they are noted before it writes."""
    meant = journal.read_back(here.home.journal, only=("applying",)) if event.get("files") else ()
    noted = next((other for other in meant if other.get("change") == event["change"]), {})
    return [folder for item in noted.get("files", []) for folder in item.get("made", [])]


def _partly_written(event: dict[str, Any]) -> bool:
    return any(_stands_in(item) for item in event.get("files", []))


def _stands_in(item: dict[str, Any]) -> bool:
    return cutoff.stands(files.read(item["path"], cap=CAP).data, hunks_of(item))


def _plan_files(
    here: Here, edit: Edit, event: dict[str, Any], result: Undone
) -> list[tuple[files.Snapshot, FileChange]]:
    planned = []
    cut_off = event["resumed"] or event["event"] == "applying"
    for item in event.get("files", []):
        snapshot = files.read(item["path"], cap=CAP)
        if cut_off and not cutoff.stands(snapshot.data, hunks_of(item)):
            continue
        if not snapshot.exists:
            result.notes.append(f"{here.short(item['path'])} is gone; there is nothing to take back in it")
            continue
        try:
            before = section.take_back(snapshot.data, hunks_of(item))
        except Refused as exc:
            before = _without_deleted(here, edit, snapshot, (event, result), exc)
        if before != snapshot.data:
            change = FileChange(snapshot.path, snapshot.data, before, item["existed"] or bool(before))
            planned.append((snapshot, change))
            result.files.append(change)
    return planned


def _without_deleted(
    here: Here, edit: Edit, snapshot: files.Snapshot, of: tuple[dict[str, Any], Undone], why: Refused
) -> bytes:
    """Take back what stands of a change where a person deleted lines of it: those are as wanted already."""
    event, result = of
    shown = here.short(snapshot.path)
    hunks = next(hunks_of(item) for item in event["files"] if os.path.realpath(item["path"]) == snapshot.path)
    gone = _deleted(here, edit, event, snapshot.path)
    touched = [hunk for hunk in hunks if gone & set(_ours(hunk))]
    left = snapshot.data
    try:
        if not touched:
            raise why
        left = section.take_back(left, [hunk for hunk in hunks if hunk not in touched])
        for text, heading in (pair for hunk in touched for pair in _ours(hunk).items() if pair[0] not in gone):
            left = section.remove(left, text, section=heading, drop_empty_section=bool(heading))
    except Refused as exc:
        raise Refused(f"{shown}: {exc}. Then, or when you have deleted the line, run again: improve undo") from None
    result.notes += [
        f"somebody deleted {text!r} from {shown} already" for hunk in touched for text in _ours(hunk) if text in gone
    ]
    return left


def _ours(hunk: diff.Hunk) -> dict[str, str]:
    """Map the lines that a change added to their headings, empty where the heading was there before."""
    old = {bullet.text for bullet in section.bullets(hunk.removed)}
    return {bullet.text: bullet.section for bullet in section.bullets(hunk.added) if bullet.text not in old}


def _deleted(here: Here, edit: Edit, event: dict[str, Any], path: str) -> set[str]:
    """Name the lines in a file that somebody deleted; a reworded one is somebody's words and is none of them."""
    gone: set[str] = set()

    def say(_: Rule, action: str, where: str, text: str, __: str) -> None:
        if action == "rejected" and os.path.realpath(where) == path:
            gone.add(text)

    targets = Targets(here, edit)
    for row in filter(None, map(edit.index.by_id, event.get("rules", []))):
        reconcile(row.rule, targets, say)
    return gone


def _plan_rules(edit: Edit, event: dict[str, Any], result: Undone) -> None:
    indent = edit.view.shape.indent
    for rule_id, before in reversed(event.get("before", {}).items()):  # each finds what it stood behind
        after = event.get("entries", {}).get(rule_id)
        row = edit.index.by_id(rule_id)
        current = edit.view.text_of(rule_id) if row else None
        if before is None:
            _forget(edit, rule_id, current, after, result)
        elif row is None and after is not None:
            result.notes.append(f"{rule_id} is no longer in rules.yaml; it was left alone")
        elif current == after or row is None:
            behind = event.get("behind", {}).get(rule_id)
            edit.restore_text(rule_id, before, behind=(behind[0], behind[1]) if behind else None)
            said = _rule(before, indent)
            if (now := as_now_called(edit, said)) != said:
                edit.put(now)
        elif after is None:
            _put_lines_back(edit, row.rule, as_now_called(edit, _rule(before, indent)), event)
            result.notes.append(f"{rule_id} was there again already; it keeps what came since")
        else:
            old, new = (as_now_called(edit, _rule(text, indent)) for text in (before, after))
            edit.put(_three_way(old, new, row.rule))
    if event["event"] in ("applied", "applying"):
        _set_aside(edit, event, result)


def _put_lines_back(edit: Edit, rule: Rule, old: Rule, event: dict[str, Any]) -> None:
    """Note again the lines of a rule that went with it, where they are put back into their files."""
    paths = {item["path"] for item in event.get("files", [])}
    lines = tuple(w for w in old.written_to if w.path in paths and w not in rule.written_to)
    if lines:
        edit.put(rule._replace(written_to=(*rule.written_to, *lines)))


def _loosened(edit: Edit, guarded: dict[str, Rule]) -> list[str]:
    from improve.workflow.guard import is_loosened

    rows = {rule_id: edit.index.by_id(rule_id) for rule_id in guarded}
    return [rule_id for rule_id, row in rows.items() if is_loosened(guarded[rule_id], row.rule if row else None)]


def _forget(edit: Edit, rule_id: str, current: str | None, after: str | None, result: Undone) -> None:
    if current is not None and current == after:
        edit.drop(rule_id)
    elif current is not None:
        result.notes.append(f"{rule_id} has new evidence since; it stays")


def _archived(event: dict[str, Any]) -> Iterable[str]:
    """Name the rules that a change set moved to the archive."""
    return event.get("before", {}) if event["event"] == "archived" else ()


def _keep_what_came(here: Here, edit: Edit, away: Iterable[str]) -> None:
    """Let rules that come back out of the archive keep what was added to them there: old evidence, a person's edit."""
    from improve.workflow import archive

    for rule_id in away:
        row, there = edit.index.by_id(rule_id), archive.find(here, rule_id)
        if row and there:
            said = as_now_called(edit, there._replace(written_to=row.rule.written_to, extra=row.rule.extra))
            if said != row.rule:
                edit.put(said)


def _archive_again(here: Here, edit: Edit, event: dict[str, Any]) -> None:
    """Put back into the archive what was restored from it and goes from rules.yaml; there first, so none is lost."""
    said = event.get("archive")
    texts = {rule_id: text for rule_id, text in said.items() if isinstance(text, str)} if isinstance(said, dict) else {}
    gone = {rule_id: text for rule_id, text in texts.items() if not edit.index.has_id(rule_id)}
    if gone:
        from improve.workflow import archive

        archive.keep(here, gone)


def _rule(text: str | None, indent: int) -> Rule:
    try:
        rule = document.read_entry(text, indent).rule if text else None
    except Malformed:
        rule = None
    if rule is None:
        raise Refused("the journal holds no usable text of a rule; nothing was changed. Change it with: improve set")
    return rule


def _three_way(before: Rule, after: Rule, current: Rule) -> Rule:
    """Take back what changed from before to after, keep what came later."""
    values: dict[str, Any] = {}
    sides: Iterator[tuple[str, Any, Any, Any]] = zip(Rule._fields, before, after, current, strict=True)
    for name, old, new, now in sides:
        if old == new or name == "extra":
            continue
        if type(old) is tuple:  # a list of things; the nouns are tuples too
            kept = tuple(x for x in now if x in old or x not in new)
            values[name] = kept + tuple(x for x in old if x not in now)
        elif now == new:
            values[name] = old
    return current._replace(**values)


def _set_aside(edit: Edit, event: dict[str, Any], result: Undone) -> None:
    """An undone line would be written again by the next `escalate --apply`; it waits for new evidence instead."""
    for rule_id in event.get("rules", []):
        row = edit.index.by_id(rule_id)
        if row and row.due and not row.rule.retired:
            edit.put(row.rule._replace(rejected_at=occasions(row.rule)))
            stays = "stays in its file as it was" if row.rule.written_to else "is set aside"
            result.notes.append(
                f"{rule_id} {stays} until it comes up again; write it now with: improve escalate --apply {rule_id}"
            )
