"""What happens to instruction files when a command is cut off between writing them and telling the store.

Before the first file is written, the journal says what is meant to happen (`applying`, `undoing`). A command that
fails puts the files back itself. After a kill the next `escalate --apply` takes back what stands and does it anew,
so that the end is the same as if nobody had been killed; `undo` takes it back, too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from improve import diff, files, journal, section
from improve.edit import Edit
from improve.errors import ImproveError
from improve.journal import CHANGE_SETS
from improve.workflow.changes import CAP, FileChange, Past, hunks_of, put_back
from improve.workflow.here import Here

CLOSING = ("undone", "cut off")
"""Events that end another one, which `undoes` names."""


def intend(here: Here, event: str, **said: Any) -> dict[str, Any]:
    """Say in the journal what is about to happen to files, durably."""
    line = {"v": 1, "at": here.now.isoformat(timespec="seconds"), "event": event, **said}
    journal.append(here.home.journal, line, durable=True)
    return line


@contextlib.contextmanager
def all_or_nothing(here: Here, edit: Edit, changed: Iterable[FileChange]) -> Iterator[None]:
    """Give the files their old bytes again when the block fails before rules.yaml knows of them."""
    try:
        yield
    except BaseException as exc:
        if _rules_as_before(here, edit):
            left = [here.short(change.path) for change in changed if not _restored(change)]
            if left and isinstance(exc, ImproveError):
                why = str(exc).replace("; nothing was written", "")
                exc.args = (f"{why}. What was written to {', '.join(left)} stands; run the same command again",)
        raise


def _rules_as_before(here: Here, edit: Edit) -> bool:
    try:
        return files.read(here.home.rules, cap=len(edit.view.snapshot.data) + CAP).data == edit.view.snapshot.data
    except ImproveError:
        return False


def _restored(change: FileChange) -> bool:
    try:
        now = files.read(change.path, cap=CAP)
        if now.data == change.after != change.before:
            put_back(now, change.before, existed=change.existed)
    except ImproveError:
        return False
    return True


def interrupted(here: Here) -> set[tuple[str, str]]:
    """List (file, line) of an apply that was cut off and could not be taken back: these lines are ours."""
    cut_off: set[str] = set()
    for event in journal.read_back(here.home.journal, only=("applying", *CHANGE_SETS, *CLOSING)):
        if event["event"] == "cut off":
            cut_off.add(str(event.get("undoes", "")))
        elif event["event"] == "applying":
            return {
                (item["path"], bullet.text)
                for item in event.get("files", [])
                for hunk in hunks_of(item)
                for bullet in section.bullets(hunk.added)
            }
        elif event.get("change") not in cut_off:
            return set()
    return set()


def recover(here: Here, edit: Edit) -> None:
    """Take back what an apply wrote that was cut off before rules.yaml knew, so that it can be done anew."""
    closed: set[str] = set()
    past = Past(edit)
    for event in journal.read_back(here.home.journal, only=(*CHANGE_SETS, "applying", *CLOSING)):
        if event["event"] == "applying":
            if event.get("change") not in closed:
                _take_back(event)
                intend(here, "cut off", undoes=event["change"])
            return
        if past.took_effect(event):
            closed.add(str(event.get("undoes" if event["event"] in CLOSING else "change", "")))


def _take_back(event: dict[str, Any]) -> None:
    for item in event.get("files", []):
        with contextlib.suppress(ImproveError):  # a line that cannot be taken back is known as ours by `interrupted`
            snapshot = files.read(item["path"], cap=CAP)
            if stands(snapshot.data, hunks_of(item)):
                before = section.take_back(snapshot.data, hunks_of(item))
                put_back(snapshot, before, existed=item["existed"])


def stands(data: bytes, hunks: Iterable[diff.Hunk]) -> bool:
    """Tell whether a change is in a file: what it added is there, and what it removed is not."""
    lines = {line.strip() for line in data.splitlines()}
    added = {line.strip() for hunk in hunks for line in hunk.added.splitlines()} - {b""}
    removed = {line.strip() for hunk in hunks for line in hunk.removed.splitlines()} - {b""}
    return added - removed <= lines and not (removed - added) & lines
