"""The store on disk: read it through the index, change it under the lock, never write over what cannot be read."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, replace
from datetime import datetime
from typing import Any

from improve import document, escalate, files, index, journal, locks, yamlnode
from improve.config import Config
from improve.document import Head, Outline, Place, Span
from improve.errors import ImproveError, NeedsRepair, NoSuchRule
from improve.index import Fresh, Index, Row
from improve.paths import Home
from improve.rule import Rule
from improve.taxonomy import Taxonomy

CAP = 256 << 20
"""Largest rules.yaml that is read, bytes."""
FOLD_ABOVE = 60
FOLD_TO = 30


class View:
    """What a command may ask about the store at one moment."""

    def __init__(self, snapshot: files.Snapshot, head: Head, found: Index, shape: Outline, *, editable: bool) -> None:
        self.snapshot = snapshot
        self.head = head
        self.index = found
        self.shape = shape
        self.editable = editable

    @property
    def taxonomy(self) -> Taxonomy:
        """The domains of this store."""
        return self.head.taxonomy

    def rule(self, rule_id: str) -> Rule:
        """Return a rule.

        Raises:
            NoSuchRule: names ids that begin alike.
        """
        row = self.index.by_id(rule_id)
        if row:
            return row.rule
        like = self.index.ids_like(rule_id[:12], 3) or self.index.ids_like(rule_id[:4], 3)
        hint = f" Similar: {', '.join(like)}." if like else ""
        raise NoSuchRule(f"no rule has the id {rule_id!r}; nothing was changed.{hint} List them with: improve status --all")

    def text_of(self, rule_id: str) -> str:
        """Return the bytes of a rule's entry as text."""
        found = self.index.locate(rule_id)
        if not found:
            return ""
        start = self.shape.start + found[2]
        return self.snapshot.data[start : start + found[3]].decode("utf-8")


class Store:
    """Opens views and edits of one home."""

    def __init__(self, home: Home, config: Config) -> None:
        self.home = home
        self.config = config

    def view(self) -> View:
        """Read the store; brings the index up to date when rules.yaml is not what it was.

        Raises:
            NeedsRepair: rules.yaml cannot be read; every problem with its line.
        """
        snapshot = self._read()
        found = self._index()
        return _view(snapshot, found) if found.meta("sha") == snapshot.sha else self._synced(snapshot, found)

    def _read(self) -> files.Snapshot:
        return files.read(self.home.rules, cap=CAP)

    def _index(self) -> Index:
        return Index.open(self.home.cache, json.dumps(astuple(self.config.thresholds)))

    def _synced(self, snapshot: files.Snapshot, found: Index) -> View:
        data = document.template() if document.is_blank(snapshot.data) else snapshot.data
        try:
            shape = document.outline(data)
            with found.writing():
                if found.meta("sha") != snapshot.sha:
                    _bring_up_to_date(found, data, shape, self.config.thresholds)
                    found.set_meta("sha", snapshot.sha)
        except (document.Irregular, yamlnode.Malformed):
            problem = document.problems_of(self.home.rules, data)
            if problem:
                raise problem from None
            return self._read_only(snapshot, data)
        except sqlite3.OperationalError:  # another command holds the index; this one goes without
            return self._synced(snapshot, Index.in_memory())
        if snapshot.exists:
            self._back_up(snapshot)
        return _view(snapshot, found)

    def _read_only(self, snapshot: files.Snapshot, data: bytes) -> View:
        """Show a file whose shape we do not edit, from an index in memory."""
        head, entries = document.whole(data)
        found = Index.in_memory()
        for order, item in enumerate(entries):
            phrases, terms = _found_by(item.rule)
            problems = tuple(f"{what}" for _, what in item.problems)
            decision = escalate.decide(item.rule, head.taxonomy, self.config.thresholds) if item.rule else None
            found.insert(Fresh(order, b"", 0, item.rule, problems, decision), phrases, terms)
        return View(snapshot, head, found, Outline((), 0, 0), editable=False)

    def _back_up(self, snapshot: files.Snapshot) -> None:
        """Keep a verified copy of a file somebody else wrote; the journal carries what we write after it."""
        with contextlib.suppress(ImproveError, OSError):
            keep_backup(self.home, snapshot.data, "rules.yaml")
            journal.append(self.home.journal, {"event": "backup", "sha": snapshot.sha}, durable=False)

    def peek(self, now: datetime) -> Edit:
        """Give an edit for a preview: it can be asked everything and must not be committed; no lock is held."""
        return Edit(self, self.view(), now)

    @contextlib.contextmanager
    def edit(self, now: datetime, *, timeout: float = 5.0) -> Iterator[Edit]:
        """Hold the lock, read the store, and let `Edit.commit` write what was changed.

        Raises:
            Busy: another process holds the lock; NeedsRepair: rules.yaml cannot be read or edited.
        """
        files.private_directory(self.home.state)
        with locks.lock(os.path.realpath(self.home.path), directory=self.home.state, timeout=timeout):
            view = self.view()
            if not view.editable:
                raise NeedsRepair(
                    self.home.rules,
                    ["line 1: `rules:` is not a block list (one `- id:` a line), so it can be read but not edited"],
                )
            edit = Edit(self, view, now)
            try:
                yield edit
            finally:
                edit.close()


class Edit:
    """Changes being made to the store; visible to its own view at once, on disk with `commit`."""

    def __init__(self, store: Store, view: View, now: datetime) -> None:
        self.store = store
        self.view = view
        self.now = now
        self._texts: dict[int, tuple[int, int, str]] = {}
        self._new: dict[int, str] = {}
        self._places: dict[str, Place] = {}
        self._entries: dict[str, str | None] = {}
        self._before: dict[str, str | None] = {}
        self._open = False
        self._torn = False

    @property
    def index(self) -> Index:
        """The index, with the changes made so far."""
        return self.view.index

    @property
    def changed(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self._texts or self._new or self._places)

    def _begin(self) -> None:
        if not self._open:
            self.index.db.execute("BEGIN IMMEDIATE")
            self._open = True

    def close(self) -> None:
        """Forget what was not committed."""
        if self._open:
            self.index.db.execute("ROLLBACK")
            self._open = False

    def put(self, rule: Rule) -> None:
        """Add a rule, or make the one with its id say this."""
        self._begin()
        rule = _folded(rule)
        place = self.index.locate(rule.id)
        if place and self.index.is_twin(rule.id):
            raise NeedsRepair(self.store.home.rules, [f"the id {rule.id!r} is used by several rules; give them different ids"])
        if place is None:
            self._append(rule)
            return
        key, order, before, size = place
        if key in self._new:
            self._new[key] = self._text_of_new(rule)
        else:
            start = self.view.shape.start + before
            left, right, old = self._texts.get(key, (start, start + size, self._original(start, size)))
            self._before.setdefault(rule.id, old)
            self._texts[key] = (left, right, document.edit_entry(old, self.view.shape.indent, rule))
        self._entries[rule.id] = self._new.get(key) or self._texts[key][2]
        self.index.update(key, self._fresh(order, size, rule), *_found_by(rule))

    def _original(self, start: int, size: int) -> str:
        return self.view.snapshot.data[start : start + size].decode("utf-8")

    def _text_of_new(self, rule: Rule) -> str:
        shape = self.view.shape
        from improve import entry

        return entry.render(rule, " " * shape.indent).replace("\n", shape.newline)

    def _append(self, rule: Rule) -> None:
        text = self._text_of_new(rule)
        key = self.index.insert(self._fresh(self.index.last_order() + 1, 0, rule), *_found_by(rule))
        self._new[key] = text
        self._entries[rule.id] = text
        self._before.setdefault(rule.id, None)

    def _fresh(self, order: int, size: int, rule: Rule) -> Fresh:
        decision = escalate.decide(rule, self.view.taxonomy, self.store.config.thresholds)
        return Fresh(order, b"", size, rule, (), decision)

    def drop(self, rule_id: str) -> None:
        """Take a rule out of rules.yaml; its text stays in the journal."""
        self._begin()
        place = self.index.locate(rule_id)
        if place is None:
            return
        key, _, before, size = place
        if key in self._new:
            del self._new[key]
        else:
            start = self.view.shape.start + before
            left, right, old = self._texts.get(key, (start, start + size, self._original(start, size)))
            self._before.setdefault(rule_id, old)
            self._texts[key] = (left, right, "")
        self._entries[rule_id] = None
        # The row stays, empty, until the commit: the offsets of later entries are counted from its size.
        self.index.update(key, Fresh(place[1], b"", size, None, (), None), (), {})

    def restore_text(self, rule_id: str, text: str) -> None:
        """Put back the exact text an entry had, for `undo`."""
        rule = document.read_entry(text, self.view.shape.indent).rule
        if rule is None:
            raise ImproveError(f"the journal holds no usable text for {rule_id!r}; nothing was changed")
        self.put(rule)
        place = self.index.locate(rule_id)
        if place and place[0] in self._texts:
            left, right, _ = self._texts[place[0]]
            self._texts[place[0]] = (left, right, text)
        elif place:
            self._new[place[0]] = text
        self._entries[rule_id] = text

    def place(self, key: str, place: Place) -> None:
        """Add or change a project of the registry."""
        if self.view.head.projects.get(key) != place:
            self._places[key] = place

    def places(self) -> dict[str, Place]:
        """List the registry, with the changes made so far."""
        return {**self.view.head.projects, **self._places}

    def images(self) -> tuple[dict[str, str | None], dict[str, str | None]]:
        """Return the text of every changed entry, before and after."""
        return dict(self._before), dict(self._entries)

    def commit(self, event: dict[str, Any], *, durable: bool = False) -> None:
        """Write the journal, then rules.yaml, then the index; without changes only the journal is written."""
        head = self.view.head
        data, start = self._assembled()
        if self.changed and head.version < document.VERSION:
            keep_backup(self.store.home, self.view.snapshot.data, f"rules-v{head.version}.yaml")
        line = {"v": 1, "at": self.now.isoformat(timespec="seconds"), **event}
        if self._entries:
            line["entries"] = self._entries
        files.private_directory(self.store.home.path)
        if self._places:
            line["projects"] = {key: astuple(place) for key, place in self._places.items()}
        journal.append(self.store.home.journal, line, durable=durable)
        if not self.changed:
            return
        files.replace(self.view.snapshot, data, mode_if_new=0o600)
        if not self._torn:  # else the last entry got a line end: the next view reads it again
            self._note(data, start)

    def _assembled(self) -> tuple[bytes, int]:
        """Build the new bytes and say where the entries start."""
        data, shape = self.view.snapshot.data, self.view.shape
        if document.is_blank(data):
            data = document.template_after(data)
            shape = document.outline(data)
        parts, at = [], shape.start
        for left, right, text in sorted(self._texts.values()):
            parts += [data[at:left], text.encode()]
            at = right
        body = b"".join([*parts, data[at : shape.end]])
        front, tail = data[: shape.start], data[shape.end :]
        if self._new:
            front, self._torn = document.before_first(front, shape), body[-1:] not in (b"", b"\n")
            body += shape.newline.encode() if self._torn else b""
            body += "".join(self._new.values()).encode()
        return self._with_head(front, body, tail)

    def _with_head(self, front: bytes, body: bytes, tail: bytes) -> tuple[bytes, int]:
        old = self.view.head.version < document.VERSION
        if old:
            front, tail = document.edit_head(front, tail, version=document.VERSION)
        for place in self._places.items():
            front, tail = document.edit_head(front, tail, place=place)
        return front + body + tail, len(front)

    @property
    def _head_changed(self) -> bool:
        view = self.view
        return bool(self._places) or view.head.version < document.VERSION or document.is_blank(view.snapshot.data)

    def _note(self, data: bytes, start: int) -> None:
        """Tell the index what rules.yaml is now."""
        found = self.index
        self._begin()
        for key, (_, _, text) in self._texts.items():
            raw = text.encode()
            if raw:
                order = found.db.execute("SELECT ord FROM entry WHERE key = ?", (key,)).fetchone()[0]
                found.resize(key, order, _digest(raw), len(raw))
            else:
                found.delete(key)
        for key, text in self._new.items():
            raw = text.encode()
            order = found.db.execute("SELECT ord FROM entry WHERE key = ?", (key,)).fetchone()[0]
            found.resize(key, order, _digest(raw), len(raw))
        end = start + found.total_size()
        _note_head(found, document.read_head(data[:start] + data[end:]) if self._head_changed else self.view.head)
        found.set_meta("head sha", _digest(data[:start] + data[end:]).hex())
        shape = replace(self.view.shape, start=start, end=end, empty_value=None, has_rules_key=True)
        _note_shape(found, shape if end > start else document.outline(data))
        found.set_meta("sha", hashlib.sha256(data).hexdigest())
        found.db.execute("COMMIT")
        self._open = False


def keep_backup(home: Home, data: bytes, name: str) -> str:
    """Keep a copy in `backup/` and read it back; an equal copy is left alone."""
    directory = home.file("backup")
    files.private_directory(directory)
    path = os.path.join(directory, name)
    files.replace(files.read(path, cap=CAP), data, mode_if_new=0o600)
    if files.read(path, cap=CAP).data != data:
        raise ImproveError(f"{path}: the backup does not read back as it was written; nothing else was changed")
    return path


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=12).digest()


def _found_by(rule: Rule | None) -> tuple[list[str], dict[str, float]]:
    """Say by which normalized wordings and terms a rule is found."""
    if rule is None:
        return [], {}
    from improve import match

    phrases = list(dict.fromkeys(match.normalize(text) for text in (rule.text, *rule.aliases)))
    terms: dict[str, float] = {}
    for text in (rule.text, *rule.aliases[:8]):
        for term, weight in match.terms(text).items():
            terms[term] = max(weight, terms.get(term, 0.0))
    return phrases, terms


def _folded(rule: Rule) -> Rule:
    """Fold the oldest observations of a long-standing rule into totals per project."""
    if len(rule.observations) <= FOLD_ABOVE:
        return rule
    from improve.rule import fold

    return fold(rule, keep=FOLD_TO)


def _view(snapshot: files.Snapshot, found: Index) -> View:
    return View(snapshot, _noted_head(found), found, _noted_shape(found), editable=True)


def _note_head(found: Index, head: Head) -> None:
    found.set_meta("head", json.dumps([head.version, astuple(head.taxonomy), {k: astuple(p) for k, p in head.projects.items()}]))


def _noted_head(found: Index) -> Head:
    version, lists, places = json.loads(found.meta("head"))
    known = {key: Place(name, remote, tuple(roots)) for key, (name, remote, roots) in places.items()}
    return Head(version, Taxonomy(*(tuple(names) for names in lists)), known)


def _note_shape(found: Index, shape: Outline) -> None:
    found.set_meta("shape", json.dumps([shape.start, shape.end, shape.indent, shape.newline, shape.empty_value, shape.has_rules_key]))


def _noted_shape(found: Index) -> Outline:
    start, end, indent, newline, empty, has_key = json.loads(found.meta("shape"))
    return Outline((), start, end, indent, newline, tuple(empty) if empty else None, has_key)


def _bring_up_to_date(found: Index, data: bytes, shape: Outline, limits: escalate.Thresholds) -> None:
    """Read the entries that are not known by their hash, forget those that are gone."""
    head_bytes = document.head_text(data, shape)
    if found.meta("head sha") != (sha := _digest(head_bytes).hex()):
        head = document.read_head(head_bytes)
        if found.meta("head") and _noted_head(found).taxonomy != head.taxonomy:
            found.clear()
        _note_head(found, head)
        found.set_meta("head sha", sha)
    head = _noted_head(found)
    known: dict[bytes, list[tuple[int, int]]] = {}
    for key, order, digest in found.shas():
        known.setdefault(digest, []).append((order, key))
    moved, fresh = [], []
    for order, span in enumerate(shape.entries, 1):
        raw = data[span.start : span.end]
        digest = _digest(raw)
        if known.get(digest):
            old, key = known[digest].pop(0)
            if old != order:
                moved.append((order, key))
        else:
            fresh.append((order, span, digest))
    for rest in known.values():
        for _, key in rest:
            found.delete(key)
    found.reorder(moved)
    for order, span, digest in fresh:
        _read_into(found, data, shape, head, limits, order, span, digest)
    found.mark_twins()
    _note_shape(found, replace(shape, entries=()))


def _read_into(
    found: Index, data: bytes, shape: Outline, head: Head, limits: escalate.Thresholds, order: int, span: Span, digest: bytes
) -> None:
    raw = data[span.start : span.end]
    item = document.read_entry(raw.decode("utf-8"), shape.indent)
    problems = tuple(f"+{line} {what}" for line, what in item.problems)
    decision = escalate.decide(item.rule, head.taxonomy, limits) if item.rule else None
    phrases, terms = _found_by(item.rule)
    found.insert(Fresh(order, digest, len(raw), item.rule, problems, decision), phrases, terms)
