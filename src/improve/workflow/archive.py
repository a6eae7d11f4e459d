"""archive.yaml: rules that held long enough to leave the active set, with all their evidence.

It has the format of rules.yaml, is read and edited by the same code, and people edit it. A rule that stands in both,
as after a kill between the two files, is the one in rules.yaml; its copy is replaced when it is archived again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from improve import document
from improve.errors import ImproveError, NeedsRepair, Refused
from improve.paths import Home
from improve.store import Store

if TYPE_CHECKING:
    from improve.edit import Edit
    from improve.rule import Rule
    from improve.view import View
    from improve.workflow.here import Here

FILE = "archive.yaml"


class _Shelf(Home):
    """The home of a store, for the code that reads rules.yaml: its file is the archive."""

    @property
    def rules(self) -> str:
        return self.file(FILE)

    @property
    def cache(self) -> str:
        return os.path.join(super().cache, "archive")


def path(here: Here) -> str:
    """Name the file."""
    return here.home.file(FILE)


def exists(here: Here) -> bool:
    """Say whether anything was ever archived: without the file nothing is loaded for it."""
    return os.path.lexists(path(here))


def _store(here: Here) -> Store:
    store = Store(_Shelf(*here.home), here.config, here.tell)
    store.copies = False
    return store


@contextlib.contextmanager
def _named() -> Iterator[None]:
    """Say of a broken archive what helps: it is not rebuilt, for the journal holds what is missing in rules.yaml."""
    try:
        yield
    except NeedsRepair as exc:
        raise NeedsRepair(exc.path, exc.problems) from None


def view(here: Here) -> View:
    """Read the archive.

    Raises:
        NeedsRepair: it cannot be read; every problem with its line.
    """
    with _named():
        return _store(here).view()


def find(here: Here, rule_id: str) -> Rule | None:
    """Find an archived rule by its id; None when there is none, or no archive."""
    row = view(here).index.by_id(rule_id) if exists(here) else None
    return row.rule if row else None


def rules(here: Here) -> list[Rule]:
    """List the archived rules that are not in rules.yaml, in the order of the file."""
    if not exists(here):
        return []
    active = here.store.view().index
    return [row.rule for row in view(here).index.all() if row.rule.text and not active.has_id(row.rule.id)]


def glance(here: Here) -> View | None:
    """Read the archive; None when there is none, or none that can be read: it keeps nobody from recording."""
    if not exists(here):
        return None
    try:
        return view(here)
    except (ImproveError, OSError):
        return None


def named_in(there: View, text: str, *, alike: bool = True) -> str:
    """Name the archived rule that says a text, in the same words or, when *alike*, surely the same; else empty."""
    from improve import match
    from improve.workflow.likeness import similar

    try:
        row = there.index.same_wording(match.normalize(text))
        if row:
            return row.rule.id
        same = [like for like in similar(there, text) if like.relation == "same"] if alike else []
    except (ImproveError, OSError):
        return ""
    return max(same, key=lambda like: like.score).rule.id if same else ""


def since(rule: Rule) -> str:
    """Give the day up to which the evidence of an archived rule was known."""
    return (rule.verdict.at if rule.verdict else rule.last_reinforced)[:10]


# --- changing it; the caller holds the lock of the home ---


def keep(here: Here, texts: Mapping[str, str]) -> None:
    """Put entries into the archive, each with the exact text given; an earlier copy of one is replaced.

    Raises:
        Refused: another rule has that id there.
    """
    with _named(), _store(here).edit_held(here.now) as shelf:
        for rule_id, text in texts.items():
            if row := shelf.index.by_id(rule_id):
                _refuse_another(row.rule, document.read_entry(text, len(text) - len(text.lstrip(" "))).rule)
                shelf.drop(rule_id)
            shelf.restore_text(rule_id, text)
        shelf.save()


def _refuse_another(there: Rule, rule: Rule | None) -> None:
    """Somebody who types an id may choose one that an archived rule has, whose evidence would be lost."""
    if rule is not None and there.text not in (rule.text, *rule.aliases):
        known = {o._replace(extra=()) for o in rule.observations}
        if not all(o._replace(extra=()) in known for o in there.observations):
            raise Refused(
                f"{FILE} has another rule with the id {rule.id!r}; nothing was changed. Give one of them another id"
            )


def put(here: Here, rule: Rule) -> None:
    """Make an archived entry say something else."""
    with _named(), _store(here).edit_held(here.now) as shelf:
        shelf.put(rule)
        shelf.save()


def forget(here: Here, ids: Iterable[str]) -> None:
    """Take entries out of the archive that stand in rules.yaml by now."""
    if not exists(here):
        return
    with _named(), _store(here).edit_held(here.now) as shelf:
        for rule_id in ids:
            shelf.drop(rule_id)
        shelf.save()


def text_of(here: Here, rule_id: str) -> str:
    """Give the text of an archived entry, without the comments behind it; empty when it is not there."""
    if not exists(here):
        return ""
    there = view(here)
    return entry_text(there, rule_id) if there.index.has_id(rule_id) else ""


def entry_text(there: View, rule_id: str) -> str:
    """Give the text of an entry, without the comments behind it, which speak of the next one."""
    text = there.text_of(rule_id)
    return text.removesuffix(document.trailing_comments(text, there.shape.indent))


def bring_back(here: Here, edit: Edit, rule_id: str) -> Rule | None:
    """Put an archived rule into rules.yaml again, its verdict left behind; None when it is not in the archive.

    The caller commits, then calls `forget`.
    """
    from improve.workflow.register import as_now_called

    text = text_of(here, rule_id)
    if not text or edit.index.has_id(rule_id):
        return None
    edit.restore_text(rule_id, text)
    row = edit.index.by_id(rule_id)
    assert row is not None
    said = as_now_called(edit, row.rule)._replace(verdict=None)
    if said != row.rule:
        edit.put(said)
    return said
