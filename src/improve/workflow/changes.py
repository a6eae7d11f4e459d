"""Change sets: how one is recorded in the journal, in the store and in the store's own git history."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from improve import diff, document, files, redact
from improve.edit import Edit
from improve.errors import ImproveError, Refused
from improve.workflow.here import Here

CAP = 1 << 20


@dataclass(frozen=True, slots=True)
class FileChange:
    """One instruction file before and after."""

    path: str
    before: bytes
    after: bytes
    existed: bool

    def diff(self, shown: str) -> str:
        """Show the change as a unified diff."""
        goes = not self.existed and bool(self.before)
        return diff.unified(self.before, self.after, shown, exists=self.existed or goes, remains=not goes)

    def record(self) -> dict[str, Any]:
        """Say in the journal what was done, so that it can be undone.

        Raises:
            Refused: a line that changes holds a credential, which must not get into the journal.
        """
        secret = _secret_lines(self.before) | _secret_lines(self.after)
        hunks = diff.diff_hunks(self.before, self.after, secret=secret)
        for hunk in hunks if secret else ():
            if not secret.isdisjoint(line.rstrip(b"\r") for line in (hunk.removed + b"\n" + hunk.added).split(b"\n")):
                raise Refused(
                    f"{self.path}: a line that would change holds a credential; nothing was written, because the "
                    "journal would keep it. Take the credential out of the file, then run the same command again"
                )
        made = {} if self.existed else {"made": _missing_above(self.path)}
        return {"path": self.path, "existed": self.existed, "hunks": [_noted(hunk) for hunk in hunks], **made}


def _noted(hunk: diff.Hunk) -> list[int | str]:
    return [hunk.offset, _text(hunk.removed), _text(hunk.added), *([hunk.near] if hunk.near else [])]


def _secret_lines(data: bytes) -> frozenset[bytes]:
    """List the lines that hold a credential or a part of one."""
    text, lines = _text(data), data.split(b"\n")
    secret: set[bytes] = set()
    done = number = 0
    for found in redact.find(text):
        number += text.count("\n", done, found.start)
        done = found.start
        last = number + text.count("\n", found.start, found.end)
        secret.update(line.rstrip(b"\r") for line in lines[number : last + 1] if line.strip())
    return frozenset(secret)


def _missing_above(path: str) -> list[str]:
    """List the directories that have to be made for a file, innermost first; none once it is written."""
    folder, missing = os.path.dirname(path), []
    while folder != os.path.dirname(folder) and not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def hunks_of(item: dict[str, Any]) -> tuple[diff.Hunk, ...]:
    """Read what `FileChange.record` noted."""
    return tuple(diff.Hunk(at, _raw(removed), _raw(added), *near) for at, removed, added, *near in item["hunks"])


def put_back(snapshot: files.Snapshot, data: bytes, *, existed: bool) -> None:
    """Give a file earlier bytes; one that we created and that would be empty goes."""
    if not existed and not data:
        files.unlink(snapshot.path)
    else:
        files.replace(snapshot, data)


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


class Past:
    """What the entries of rules said, going back in time: ask about every change set, newest first."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        self.said: dict[str, str] = {}

    def took_effect(self, event: dict[str, Any]) -> bool:
        """Tell whether rules.yaml ever knew of an event: the journal is written first, and a kill can come between."""
        entries, before = event.get("entries", {}), event.get("before", {})
        changed = [rule_id for rule_id, text in entries.items() if before.get(rule_id) != text]
        known = not changed or any(self._text(rule_id) != (before.get(rule_id) or "") for rule_id in changed)
        if known:
            self.said |= {rule_id: text or "" for rule_id, text in before.items()}
        return known

    def _text(self, rule_id: str) -> str:
        if rule_id in self.said:
            return self.said[rule_id]
        text = self.edit.view.text_of(rule_id)
        return text.removesuffix(document.trailing_comments(text, self.edit.view.shape.indent)) if text else ""


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
