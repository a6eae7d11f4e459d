"""Changes to the store, one command's worth: gathered entry by entry, written as a whole."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from improve import document, entry, files, journal, notes, spool, sync
from improve.backup import keep_backup
from improve.document import Entry
from improve.errors import ImproveError, NeedsRepair
from improve.index import Fresh, Index
from improve.layout import Irregular, Place
from improve.rule import Rule, fold
from improve.view import View

if TYPE_CHECKING:
    from improve.store import Store

FOLD_ABOVE = 60
FOLD_TO = 30
SESSION_DAYS = 2
"""So long a session may go on."""


class Edit:
    """Changes being made to the store; visible to its own view at once, on disk with `commit`."""

    def __init__(self, store: Store, view: View, now: datetime) -> None:
        self.store = store
        self.home = store.home
        self.view = view
        self.now = now
        self._texts: dict[int, tuple[int, int, str]] = {}
        self._new: dict[int, str] = {}
        self._places: dict[str, Place | None] = {}
        self._entries: dict[str, str | None] = {}
        self._before: dict[str, str | None] = {}
        self._behind: dict[str, tuple[str, str]] = {}
        self._open = True
        self._torn = False
        self._from_head = 0
        """Bytes of comments at the end of the head that go behind an entry again."""

    @property
    def index(self) -> Index:
        """The index, with the changes made so far."""
        return self.view.index

    @property
    def changed(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self._texts or self._new or self._places)

    def close(self) -> None:
        """Forget what was not committed."""
        self._end(keep=False)

    def _end(self, *, keep: bool) -> None:
        if self._open:
            self._open = False
            with contextlib.suppress(sqlite3.Error, OSError):  # the index is behind then, and will catch up
                self.index.end(back_to_mark=not keep)

    # --- entries ---

    def put(self, rule: Rule) -> None:
        """Add a rule, or make the one with its id say this.

        Raises:
            NeedsRepair: its entry has a mistake, or cannot be changed in place; names the line.
        """
        if len(rule.observations) > FOLD_ABOVE:
            since = (self.now - timedelta(days=SESSION_DAYS)).strftime("%Y-%m-%d")
            rule = fold(rule, keep=FOLD_TO, waiting=self._waiting, since=since)
        indent = self.view.shape.indent
        self._put(Entry(rule), lambda old: document.edit_entry(old, indent, rule) if old else self._rendered(rule))

    @cached_property
    def _waiting(self) -> frozenset[str]:
        """Observations with a file in the spool: after a kill they come again, and must be found in their rule."""
        return spool.identities(self.home)

    def restore_text(self, rule_id: str, text: str, *, behind: tuple[str, str] | None = None) -> None:
        """Put back the exact text an entry had, for `undo`.

        Args:
            behind: the rule that it stood behind (empty for none), and the comments below it, when it was dropped.
        """
        shape = self.view.shape
        item = document.read_entry(text, shape.indent)
        if item.rule is None:
            raise ImproveError(f"the journal holds no usable text for {rule_id!r}; nothing was changed")
        rule = item.rule
        fits = text.startswith(" " * shape.indent + "- ") and ("\r\n" in text) == (shape.newline == "\r\n")
        if fits:
            whole = text if text.endswith("\n") else text + shape.newline
            self._put(item, lambda _: whole, behind)
        else:  # the file has another indent or other line ends by now
            self._put(Entry(rule), lambda _: self._rendered(rule), behind)

    def _put(self, item: Entry, write: Callable[[str], str], behind: tuple[str, str] | None = None) -> None:
        rule = item.rule
        assert rule is not None
        place = self.index.locate(rule.id)
        if place is None:
            if behind is None or not self._insert(item, write(""), *behind):
                self._append(item, write(""))
            return
        key, order, before, size = place
        if key in self._new:
            self._new[key] = write("")
        else:
            self._replace(key, self.view.shape.start + before, size, rule_id=rule.id, write=write)
        self._entries[rule.id] = self._new.get(key) or self._texts[key][2]
        old = self.index.by_id(rule.id)
        same = old is not None and (old.rule.text, old.rule.aliases) == (rule.text, rule.aliases)
        self.index.update(key, self._fresh(item, order, size, words=not same), same_words=same)

    def _replace(self, key: int, start: int, size: int, *, rule_id: str, write: Callable[[str], str]) -> None:
        if key not in self._texts:
            self._refuse_troubled(rule_id, key)
        left, right, old = self._texts.get(key, (start, start + size, self._original(start, size)))
        try:
            new = write(old)
        except Irregular as exc:
            self._refuse(rule_id, f"the rule {rule_id!r} cannot be changed where it stands: {exc}")
        self._before.setdefault(rule_id, old)
        self._texts[key] = (left, right, new)

    def _refuse_troubled(self, rule_id: str, key: int) -> None:
        """A rule somebody has to look at first is left as it is."""
        if len(self.index.places(rule_id)) > 1:
            self._refuse(rule_id, f"the id {rule_id!r} is used by several rules; give each its own")
        problems = [problem.partition(" ") for problem in self.index.problems_at(key)]
        if problems:
            line = self.view.lines_of(rule_id)[0]
            path = self.home.rules
            raise NeedsRepair(path, [f"line {line + int(offset)}: {what}" for offset, _, what in problems])

    def _refuse(self, rule_id: str, what: str) -> None:
        raise NeedsRepair(self.home.rules, [f"line {line}: {what}" for line in self.view.lines_of(rule_id)])

    def _original(self, start: int, size: int) -> str:
        return self.view.snapshot.data[start : start + size].decode("utf-8")

    def _rendered(self, rule: Rule) -> str:
        shape = self.view.shape
        text = entry.render(rule, " " * shape.indent)
        if document.read_entry(text, shape.indent).rule != rule:
            raise ImproveError(
                f"the rule {rule.id!r} would not read back as it was meant; nothing was changed. "
                "This is a bug of improve: please report the command that you ran"
            )
        return text.replace("\n", shape.newline)

    def _append(self, item: Entry, text: str) -> None:
        assert item.rule is not None
        [key] = self.index.insert([self._fresh(item, self.index.last_order() + 1, 0)])
        self._new[key] = text
        self._entries[item.rule.id] = text
        self._before.setdefault(item.rule.id, None)

    def _insert(self, item: Entry, text: str, above: str, comments: str) -> bool:
        """Put an entry where it stood; False when what it stood behind is gone."""
        assert item.rule is not None
        start = self.view.shape.start
        if not above and not self.index.total_size():
            self._prepend(item, text)
            return True
        place = self.index.locate(above) if above else (0, 0, 0, 0)
        if place is None or place[0] in self._new or not self.index.total_size():
            return False
        key, order, before, size = place
        at = start
        if above:
            left, at, old = self._texts.get(key, (start + before, start + before + size, ""))
            old = old or self._original(left, size)
            if not old.endswith("\n"):
                return False
            if comments and old.endswith("\n" + comments):  # they went to the rule above when this one was dropped
                self._texts[key] = (left, at, old.removesuffix(comments))
                text += comments
        elif comments and self.view.snapshot.data[:start].endswith(comments.encode()):  # they went to the head
            self._from_head = len(comments.encode())
            text += comments
        self.index.reorder([(other + 1, row) for row, other, _ in self.index.shas() if other > order])
        [new] = self.index.insert([self._fresh(item, order + 1, 0)])
        self._texts[new] = (at, at, text)
        self._entries[item.rule.id] = text
        self._before.setdefault(item.rule.id, None)
        return True

    def _prepend(self, item: Entry, text: str) -> None:
        """Put the first entry of a file that has none into it, before the new ones that stood behind it."""
        assert item.rule is not None
        self.index.reorder([(other + 1, row) for row, other, _ in self.index.shas()])
        [new] = self.index.insert([self._fresh(item, 1, 0)])
        self._new = {new: text, **self._new}
        self._entries[item.rule.id] = text
        self._before.setdefault(item.rule.id, None)

    def _fresh(self, item: Entry, order: int, size: int, *, words: bool = True) -> Fresh:
        limits = self.store.config.thresholds
        return sync.of_entry(item, self.view.taxonomy, limits, place=(order, b"", size), words=words)

    def drop(self, rule_id: str) -> None:
        """Take a rule out of rules.yaml; its text stays in the journal, comments on the next rule in the file."""
        place = self.index.locate(rule_id)
        if place is None:
            return
        key, order, before, size = place
        self._entries[rule_id] = None
        if key in self._new:
            del self._new[key]
            self.index.delete(key)
            return
        self._refuse_troubled(rule_id, key)
        start = self.view.shape.start + before
        left, right, old = self._texts.get(key, (start, start + size, self._original(start, size)))
        kept = document.trailing_comments(old, self.view.shape.indent)
        self._before.setdefault(rule_id, old.removesuffix(kept))
        self._behind[rule_id] = (self.index.id_before(order), kept)
        self._texts[key] = (left, right, kept)
        # The row stays, empty, until the commit: the offsets of later entries are counted from its size.
        self.index.update(key, Fresh(order, b"", size, None, (), None))

    # --- projects ---

    def place(self, key: str, place: Place | None) -> None:
        """Add or change a project of the registry; None takes it out."""
        if self.view.head.projects.get(key) != place:
            self._places[key] = place
        else:
            self._places.pop(key, None)

    def places(self) -> dict[str, Place]:
        """List the registry, with the changes made so far."""
        return {key: place for key, place in {**self.view.head.projects, **self._places}.items() if place}

    def images(self) -> tuple[dict[str, str | None], dict[str, str | None]]:
        """Return the text of every changed entry, before and after."""
        return dict(self._before), dict(self._entries)

    # --- writing ---

    def commit(self, event: dict[str, Any], *, durable: bool = False) -> None:
        """Write the journal, then rules.yaml, then the index; without changes only the journal is written."""
        version = self.view.head.version
        data, start = self._assembled() if self.changed else (b"", 0)
        if self.changed and version < document.VERSION:
            keep_backup(self.home, self.view.snapshot.data, f"rules-v{version}.yaml")
        line = {"v": 1, "at": self.now.isoformat(timespec="seconds"), **event}
        if self._entries:
            line["entries"] = self._entries
        if behind := {key: said for key, said in self._behind.items() if self._entries[key] is None}:
            line["behind"] = behind
        if self._places:
            line["projects"] = {key: list(place or Place()) for key, place in self._places.items()}
        journal.append(self.home.journal, line, durable=durable)
        if self.changed:
            self._write(data, start)

    def save(self) -> None:
        """Write the file and the index without a word in the journal: it tells of them with another file."""
        if self.changed:
            self._write(*self._assembled())

    def _write(self, data: bytes, start: int) -> None:
        files.replace(self.view.snapshot, data, mode_if_new=0o600)
        noted = False
        with contextlib.suppress(sqlite3.Error, OSError, Irregular):
            noted = self._note(data, start)
        self._end(keep=noted)

    def _assembled(self) -> tuple[bytes, int]:
        """Build the new bytes and say where the entries start."""
        data, shape = self.view.snapshot.data, self.view.shape
        if document.is_blank(data):
            data = document.template_after(data)
            shape = document.outline(data)
        parts: list[bytes | memoryview] = []
        whole, at = memoryview(data), shape.start  # a view: the file is copied once, when it is put together
        for key in sorted(self._texts, key=self.index.order_of):
            left, right, text = self._texts[key]
            parts += [whole[at:left], text.encode()]
            at = right
        parts.append(whole[at : shape.end])
        front, tail = data[: shape.start - self._from_head], data[shape.end :]
        if self._new:
            front = document.before_first(front, shape)
            last = next((part[-1:] for part in reversed(parts) if part), b"\n")
            self._torn = last != b"\n"  # the last entry gets a line end: the next view reads it again
            parts += [shape.newline.encode() if self._torn else b"", "".join(self._new.values()).encode()]
        front, tail = self._with_head(front, tail)
        return b"".join([front, *parts, tail]), len(front)

    def _with_head(self, front: bytes, tail: bytes) -> tuple[bytes, bytes]:
        if self.view.head.version == document.VERSION and not self._places:
            return front, tail
        from improve.head import edit_head

        try:
            if self.view.head.version < document.VERSION:
                front, tail = edit_head(front, tail, version=document.VERSION)
            for place in sorted(
                self._places.items(), key=lambda item: item[1] is None
            ):  # the last one cannot be taken out
                front, tail = edit_head(front, tail, place=place)
        except Irregular as exc:
            raise NeedsRepair(self.home.rules, [f"line 1: the head cannot be changed in place: {exc}"]) from None
        return front, tail

    def _note(self, data: bytes, start: int) -> bool:
        """Tell the index what rules.yaml is now; False when it had better read the file again."""
        found, view = self.index, self.view
        kept = [text for _, _, text in self._texts.values() if text.strip() and text.lstrip(" ")[0] != "-"]
        if self._torn or kept:
            return False
        for key, text in [*((key, text) for key, (_, _, text) in self._texts.items()), *self._new.items()]:
            raw = text.encode()
            if raw:
                found.resize(key, notes.digest(raw), len(raw))
            else:
                found.delete(key)
        end = start + found.total_size()
        around = data[:start] + data[end:]
        if self._places or view.head.version < document.VERSION or document.is_blank(view.snapshot.data):
            from improve.head import read_head

            notes.note_head(found, read_head(around), around)
        else:
            notes.note_head(found, view.head, around)
        shape = view.shape._replace(start=start, end=end, empty_value=None, has_rules_key=True)
        notes.note_shape(found, shape if end > start else document.outline(data))
        found.set_meta("sha", view.snapshot.sha_of(data))
        return True
