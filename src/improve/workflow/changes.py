"""Change sets: how one is recorded, found again in the journal, and taken back."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from typing import Any

from improve import diff, document, files, journal, section
from improve.errors import ImproveError, Refused
from improve.rule import Rule, occasions
from improve.store import Edit
from improve.workflow.here import Here

CAP = 1 << 20
CHANGE_SETS = ("applied", "confirmed", "merged", "split", "set", "retired", "restored", "seeded")


@dataclass(frozen=True, slots=True)
class FileChange:
    """One instruction file before and after."""

    path: str
    before: bytes
    after: bytes
    existed: bool

    def diff(self, shown: str) -> str:
        """Show the change as a unified diff."""
        if self.before and not self.existed:  # it was created by us and goes again
            return _to_nothing(diff.unified(self.before, self.after, shown))
        return diff.unified(self.before, self.after, shown, exists=self.existed)

    def record(self) -> dict[str, Any]:
        """Say in the journal what was done, so that it can be undone."""
        hunks = [[h.offset, _text(h.removed), _text(h.added)] for h in diff.diff_hunks(self.before, self.after)]
        return {"path": self.path, "existed": self.existed, "hunks": hunks}


def _to_nothing(shown: str) -> str:
    """Show a diff as the removal of the file."""
    lines = shown.splitlines(keepends=True)
    return "".join("+++ /dev/null\n" if number == 1 else line for number, line in enumerate(lines))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def commit(
    edit: Edit, event: str, title: str, *, rules: list[str], changed: list[FileChange] | None = None, change: str = ""
) -> None:
    """Write the edit to the store as one change set."""
    before, _ = edit.images()
    line = {
        "event": event,
        "change": change or new_id(),
        "title": title,
        "rules": rules,
        "before": before,
        "files": [item.record() for item in changed or []],
    }
    edit.commit(line, durable=True)


def new_id() -> str:
    """Name a change set: 8 hexadecimal digits."""
    return os.urandom(4).hex()


def remember(here: Here, message: str) -> str:
    """Commit the home to its own git history; says in one line, once, why it could not, and never fails."""
    if not here.config.git:
        return ""
    from improve import repo

    names = ["rules.yaml", "journal.jsonl", "config.yaml", "archive.yaml"]
    there = [name for name in names if os.path.exists(here.home.file(name))]
    notice = repo.commit_home(here.home.path, message, paths=there) or ""
    return notice if notice and _first_time(here, notice) else ""


def _first_time(here: Here, notice: str) -> bool:
    """Say each notice once; what was said is derived data."""
    path = os.path.join(here.home.cache, "told")
    try:
        said = files.read(path, cap=CAP).data.decode("utf-8", "replace").splitlines()
        if notice in said:
            return False
        files.append_line(path, notice.encode("utf-8", "replace") + b"\n", durable=False)
    except (ImproveError, OSError):
        return True
    return True


def latest(here: Here) -> dict[str, Any] | None:
    """Find the newest change set that was not undone."""
    undone: set[str] = set()
    for event in journal.read_back(here.home.journal):
        if event["event"] == "undone":
            undone.add(str(event.get("undoes", "")))
        elif event["event"] in CHANGE_SETS and event.get("change") not in undone:
            return event
    return None


def interrupted(here: Here) -> set[tuple[str, str]]:
    """List (file, line) of an apply that was killed before the store knew: these lines are ours."""
    for event in journal.read_back(here.home.journal):
        if event["event"] in CHANGE_SETS or event["event"] == "undone":
            return set()
        if event["event"] == "applying":
            return {
                (item["path"], bullet.text)
                for item in event.get("files", [])
                for _, _, added in item["hunks"]
                for bullet in section.bullets(_raw(added))
            }
    return set()


@dataclass
class Undone:
    """What `undo` did."""

    title: str
    rules: list[str]
    files: list[FileChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    notice: str = ""


def undo(here: Here, *, dry_run: bool = False) -> Undone:
    """Take back the last change set: its lines in files, its changes to rules.

    Raises:
        Refused: nothing to undo, or somebody changed the very lines since; nothing is written then.
    """
    with here.store.edit(here.now) as edit:
        event = latest(here)
        if event is None:
            raise Refused("there is no change set to undo; nothing was changed. See what happened with: improve log")
        result = Undone(str(event.get("title", event["event"])), [str(r) for r in event.get("rules", [])])
        snapshots = _plan_files(here, event, result)
        _plan_rules(edit, event, result)
        if dry_run:
            return result
        for snapshot, item in snapshots:
            _put_back(snapshot, item)
        line = {
            "event": "undone",
            "undoes": event["change"],
            "title": f"undo: {result.title}",
            "rules": result.rules,
            "before": edit.images()[0],
            "change": new_id(),
        }
        edit.commit(line, durable=True)
    result.notice = remember(here, f"undo: {result.title}")
    return result


def _plan_files(here: Here, event: dict[str, Any], result: Undone) -> list[tuple[files.Snapshot, FileChange]]:
    planned = []
    for item in event.get("files", []):
        snapshot = files.read(item["path"], cap=CAP)
        if not snapshot.exists:
            result.notes.append(f"{here.short(item['path'])} is gone; there is nothing to take back in it")
            continue
        hunks = tuple(diff.Hunk(at, _raw(removed), _raw(added)) for at, removed, added in item["hunks"])
        try:
            before = diff.revert(snapshot.data, hunks)
        except Refused as exc:
            raise Refused(f"{here.short(item['path'])}: {exc}") from None
        change = FileChange(snapshot.path, snapshot.data, before, item["existed"] or bool(before))
        planned.append((snapshot, change))
        result.files.append(change)
    return planned


def _put_back(snapshot: files.Snapshot, item: FileChange) -> None:
    if not item.existed and not item.after:
        files.unlink(snapshot.path)
    else:
        files.replace(snapshot, item.after)


def _plan_rules(edit: Edit, event: dict[str, Any], result: Undone) -> None:
    indent = edit.view.shape.indent
    for rule_id, before in event.get("before", {}).items():
        after = event.get("entries", {}).get(rule_id)
        row = edit.index.by_id(rule_id)
        current = edit.view.text_of(rule_id) if row else None
        if before is None:
            _forget(edit, rule_id, current, after, result)
        elif current == after or row is None:
            edit.restore_text(rule_id, before)
        else:
            old, new = _rule(before, indent), _rule(after, indent)
            edit.put(_three_way(old, new, row.rule))
    if event["event"] == "applied":
        _set_aside(edit, event, result)


def _forget(edit: Edit, rule_id: str, current: str | None, after: str | None, result: Undone) -> None:
    if current is not None and current == after:
        edit.drop(rule_id)
    elif current is not None:
        result.notes.append(f"{rule_id} has new evidence since; it stays")


def _rule(text: str | None, indent: int) -> Rule:
    rule = document.read_entry(text, indent).rule if text else None
    if rule is None:
        raise ImproveError("the journal holds no usable text of a rule; nothing was changed")
    return rule


def _three_way(before: Rule, after: Rule, current: Rule) -> Rule:
    """Take back what changed from before to after, keep what came later."""
    values: dict[str, Any] = {}
    for item in fields(Rule):
        old, new, now = (getattr(rule, item.name) for rule in (before, after, current))
        if old == new or item.name == "extra":
            continue
        if isinstance(old, tuple):
            values[item.name] = tuple(x for x in now if x in old or x not in new) + tuple(
                x for x in old if x not in now
            )
        elif now == new:
            values[item.name] = old
    return replace(current, **values)


def _set_aside(edit: Edit, event: dict[str, Any], result: Undone) -> None:
    """An undone line would be written again by the next `escalate --apply`; it waits for new evidence instead."""
    for rule_id in event.get("rules", []):
        row = edit.index.by_id(rule_id)
        if row and row.due and not row.rule.retired:
            edit.put(replace(row.rule, rejected_at=occasions(row.rule)))
            result.notes.append(
                f"{rule_id} is set aside until it comes up again; write it now with: improve escalate --apply {rule_id}"
            )
