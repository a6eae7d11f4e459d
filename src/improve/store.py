"""The store on disk: read it through the index, change it under the lock, never write over what cannot be read."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from improve import files, locks, notes
from improve.config import Config
from improve.errors import EnvironmentFailure, ImproveError, NeedsRepair, Refused
from improve.index import Index, Unusable
from improve.layout import CAP, Irregular, Malformed, Outline
from improve.paths import Home
from improve.view import Glance, View

if TYPE_CHECKING:
    from improve.edit import Edit

_NOT_EDITABLE = "`rules:` is not a block list (one `- id:` a line), so it can be read but not edited"


class Store:
    """Opens views and edits of one home."""

    def __init__(
        self,
        home: Home,
        config: Config,
        tell: Callable[[str], None] = lambda _: None,
        veto: Callable[[], str] = lambda: "",
    ) -> None:
        self.home = home
        self.config = config
        self.tell = tell
        """Takes a line when the whole file has to be read."""
        self.veto = veto
        """Says why nothing may be recorded or written now; empty when it may."""
        self.keeps = True
        """Whether the index and copies of what others wrote are kept on the disk; else nothing at all is written."""
        self.copies = True
        """Whether copies of what others wrote are kept: a rebuild of rules.yaml starts from them."""

    def view(self) -> View:
        """Read the store; brings the index up to date when rules.yaml is not what it was.

        Raises:
            NeedsRepair: rules.yaml cannot be read; every problem with its line.
        """
        looks = _looks(self.home.rules)
        snapshot = self._read()
        return self._with_index(lambda found: self._viewed(snapshot, found, looks), snapshot)

    def glance(self) -> Glance:
        """Answer from the index alone while rules.yaml looks as it did when it was read; else read the store.

        Reading and hashing a long file takes a third of the time there is when a session starts.

        Raises:
            NeedsRepair: rules.yaml cannot be read; every problem with its line.
        """
        looks = _looks(self.home.rules)
        found = self._open() if looks else None
        if found:
            with contextlib.suppress(sqlite3.Error, TypeError, ValueError, LookupError):
                if found.meta("looks") == looks:
                    return Glance(notes.noted_head(found), found)
            found.close()
        view = self.view()
        return Glance(view.head, view.index)

    @contextlib.contextmanager
    def edit(self, now: datetime, *, timeout: float = 5.0, takes_back: bool = False) -> Iterator[Edit]:
        """Hold the lock, read the store, and let `Edit.commit` write what was changed.

        Args:
            takes_back: it only takes back what was done, which is allowed where improve is switched off.

        Raises:
            Refused: improve is switched off here.
            Busy: another process holds the lock.
            NeedsRepair: rules.yaml cannot be read or edited.
        """
        if not takes_back and (why := self.veto()):
            raise Refused(why)
        files.private_directory(self.home.path)
        files.private_directory(self.home.state)
        with self._lock(timeout):
            files.sweep(self.home.path)
            with self.edit_held(now) as edit:
                yield edit

    @contextlib.contextmanager
    def edit_held(self, now: datetime) -> Iterator[Edit]:
        """As `edit`, for whoever holds the lock already: another file of the same home is changed with it.

        Raises:
            NeedsRepair: the file cannot be read or edited.
        """
        snapshot = self._read()
        view = self._with_index(lambda found: self._held(snapshot, found), snapshot)
        if not view.editable:
            raise NeedsRepair(self.home.rules, [f"line {view.shape.key_line}: {_NOT_EDITABLE}"], rebuild=True)
        from improve.edit import Edit  # what only writing commands need is loaded by them

        edit = Edit(self, view, now)
        try:
            yield edit
        except sqlite3.Error as exc:
            what = f"cannot use the index in {self.home.cache}: {exc}; nothing was written"
            raise EnvironmentFailure(f"{what}. Check the disk, then run it again") from exc
        finally:
            edit.close()

    def _lock(self, timeout: float) -> contextlib.AbstractContextManager[None]:
        return locks.lock(os.path.realpath(self.home.path), directory=self.home.state, timeout=timeout)

    def _read(self) -> files.Snapshot:
        return files.read(self.home.rules, cap=CAP)

    def _with_index(self, work: Callable[[Index], View], snapshot: files.Snapshot) -> View:
        """Use the index, or one in memory when it is damaged or another command builds it at this moment."""
        try:
            found = self._open()
            try:
                return work(found)
            except (sqlite3.Error, Unusable, TypeError, ValueError, LookupError):
                found.close()
                return work(Index.in_memory(self.config.half_life))
        except Irregular:
            return self._read_only(snapshot)

    def _open(self) -> Index:
        if not self.keeps:
            return Index.in_memory(self.config.half_life)
        limits = (self.config.threshold_project, self.config.threshold_several_projects)
        return Index.open(self.home.cache, json.dumps(limits), self.config.half_life)

    def _viewed(self, snapshot: files.Snapshot, found: Index, looks: str) -> View:
        sha = snapshot.sha
        if found.meta("sha") != sha:
            with found.writing():
                self._sync(snapshot, sha, found)
        if looks and found.meta("looks") != looks and looks == _looks(self.home.rules):
            with contextlib.suppress(sqlite3.Error, Unusable), found.writing():
                found.set_meta("looks", looks)
        if found.meta("foreign") and self.keeps and self.copies:
            self._back_up_when_free(snapshot, found)
        return _view(snapshot, found)

    def _held(self, snapshot: files.Snapshot, found: Index) -> View:
        """Keep others from writing the index until the edit ends."""
        found.begin()
        try:
            self._sync(snapshot, snapshot.sha, found)
            if found.meta("foreign") and self.copies:
                from improve import backup

                with contextlib.suppress(ImproveError, OSError):
                    backup.back_up_foreign(self.home, snapshot.data)
                found.set_meta("foreign", "")
            found.mark()
            return _view(snapshot, found)
        except BaseException:
            found.close()
            raise

    def _sync(self, snapshot: files.Snapshot, sha: str, found: Index) -> None:
        if found.meta("sha") == sha:
            return
        from improve import document, sync

        blank = document.is_blank(snapshot.data)
        data = document.template_after(snapshot.data) if blank else snapshot.data
        try:
            sync.bring_up_to_date(found, data, self.config.thresholds, self.tell)
        except sync.Broken as exc:
            if not document.conflicts(data) and document.is_whole(data):
                raise Irregular("a rule can only be read with the whole file") from None
            raise document.needs_repair(self.home.rules, document.conflicts(data) or exc.found) from None
        found.set_meta("sha", sha)
        found.set_meta("foreign", "" if blank else "1")

    def _back_up_when_free(self, snapshot: files.Snapshot, found: Index) -> None:
        """Keep a copy of what somebody else wrote, unless a command is at work; the next one does it then."""
        from improve import backup

        with contextlib.suppress(ImproveError, OSError, sqlite3.Error, Unusable), self._lock(0.0):
            if self._read().data == snapshot.data:
                backup.back_up_foreign(self.home, snapshot.data)
                with found.writing():
                    found.set_meta("foreign", "")

    def _read_only(self, snapshot: files.Snapshot) -> View:
        """Show a file whose shape we do not edit."""
        from improve import document, sync

        data = snapshot.data
        try:
            if found := document.conflicts(data):
                raise document.needs_repair(self.home.rules, found)
            head, index = sync.whole_in_memory(data, self.config.thresholds, self.config.half_life)
        except Malformed as exc:
            problem = document.problems_of(self.home.rules, data)
            raise problem or document.needs_repair(self.home.rules, [(exc.line, exc.problem)]) from None
        line = next((n for n, text in enumerate(data.split(b"\n"), 1) if b"rules" in text), 1)
        return View(snapshot, head, index, Outline((), 0, 0, key_line=line), editable=False)


def _looks(path: str) -> str:
    from improve import clock, looks

    return looks.looks(path, clock.seconds())


def _view(snapshot: files.Snapshot, found: Index) -> View:
    return View(snapshot, notes.noted_head(found), found, notes.noted_shape(found), editable=True)
