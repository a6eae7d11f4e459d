"""The instruction files of one run: which one a decision leads to, each read once, changed in memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

from improve import files, gitdir, hosts, match, section, wording
from improve.edit import Edit
from improve.errors import ImproveError
from improve.escalate import NOBODY, target_of
from improve.rule import Rule, Written
from improve.workflow.changes import CAP, FileChange
from improve.workflow.destination import Goal, goal
from improve.workflow.here import Here

GLOBAL_TITLE = "Global Agent Rules"
PROJECT_TITLE = "Project Agent Rules"


class Page:
    """The bullets of one text of a file, and how they are found."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.bullets = section.bullets(data)
        self.texts = frozenset(bullet.text for bullet in self.bullets)

    @cached_property
    def said(self) -> list[str]:
        """The bullets' words without Markdown."""
        return [wording.plain(bullet.text) for bullet in self.bullets]

    @cached_property
    def by_wording(self) -> dict[str, section.Bullet]:
        """Normalized words → the first bullet that has them."""
        found: dict[str, section.Bullet] = {}
        for bullet, said in zip(self.bullets, self.said, strict=True):
            found.setdefault(match.normalize(said), bullet)
        return found

    @cached_property
    def shelf(self) -> match.Shelf:
        """Finds the bullets nearest to a text."""
        return match.Shelf(self.said)


@dataclass
class Target:
    """One instruction file: as read, and as it would be."""

    snapshot: files.Snapshot
    data: bytes
    key: str
    """Project it belongs to; `NOBODY` for the global file."""
    branch: str = ""
    _page: Page | None = None

    @property
    def path(self) -> str:
        """The real path."""
        return self.snapshot.path

    @property
    def title(self) -> str:
        """First heading, for a file that does not exist yet."""
        if self.snapshot.exists:
            return ""
        return GLOBAL_TITLE if self.key == NOBODY else PROJECT_TITLE

    @property
    def change(self) -> FileChange:
        """What would be written."""
        return FileChange(self.path, self.snapshot.data, self.data, self.snapshot.exists)

    @property
    def page(self) -> Page:
        """The file's bullets as they would stand, read once for all rules that are looked for among them."""
        if self._page is None or self._page.data is not self.data:
            self._page = Page(self.data)
        return self._page

    def bullets(self) -> list[section.Bullet]:
        """List the bullets as they would stand."""
        return self.page.bullets

    def has(self, text: str) -> bool:
        """Say whether a bullet has exactly this text."""
        return text in self.page.texts


class Targets:
    """Finds and reads the files a run is about; two names of one file are one target."""

    def __init__(self, here: Here, edit: Edit) -> None:
        self.here = here
        self.edit = edit
        self.known: dict[str, Target] = {}
        self.errors: dict[str, ImproveError] = {}
        """Path → why it cannot be read or edited."""

    def everywhere(self) -> str:
        """Name the file for rules that hold everywhere."""
        return hosts.global_choice(self.here.home.user, self.here.env).path

    def where(self, rule: Rule, key: str) -> tuple[str, str]:
        """Name the file a rule goes to for a target, or say why there is none."""
        found = self.goal(rule, key)
        return found.path, found.why

    def goal(self, rule: Rule, key: str, *, beside: str = "") -> Goal:
        """Find the file a rule goes to for a target, and who named it."""
        return goal(self.here, self.edit.view, rule, key, beside=beside)

    def strays(self, rule: Rule, written: Written) -> Goal | None:
        """Say where a line of ours belongs by now, when that is another place than the one it stands in.

        Where a host is installed or an instruction file appears is no reason to move a line: only a person's word or a
        route is, and that neither holds any more.
        """
        key = target_of(rule, written)
        settled = not written.text or written.adopted or not os.path.isabs(written.path)
        if settled or key is None or not (written.sent or rule.destination or self.here.config.routes):
            return None
        found = self.goal(rule, key, beside=written.path)
        if not found.path or not (found.by or written.sent):
            return None
        here = os.path.realpath(found.path) == written.path
        return None if here and found.section.casefold() in ("", written.section.casefold()) else found

    def open(self, path: str, key: str) -> Target | None:
        """Read a file, once; None when it cannot be edited safely, `errors` says why."""
        if path in self.errors:
            return None
        try:
            snapshot = files.read(path, cap=CAP, within=self._fence(path, key))
            same = self._same(snapshot)
            if same:
                return same
            folder = os.path.dirname(snapshot.path)
            section.check_editable(snapshot.data, siblings=os.listdir(folder) if os.path.isdir(folder) else [])
        except ImproveError as exc:
            self.errors[path] = exc
            return None
        target = Target(snapshot, snapshot.data, key, gitdir.branch(folder))
        self.known[snapshot.path] = target
        return target

    def _same(self, snapshot: files.Snapshot) -> Target | None:
        if snapshot.path in self.known:
            return self.known[snapshot.path]
        file = (snapshot.dev, snapshot.ino)
        return next(
            (t for t in self.known.values() if snapshot.exists and (t.snapshot.dev, t.snapshot.ino) == file), None
        )

    def _fence(self, path: str, key: str) -> str | None:
        """A project's file must lie inside the project; a person's own links may lead anywhere."""
        if key == NOBODY:
            return None
        return next((root for root in self.here.roots_of(key, self.edit.view) if path.startswith(root + os.sep)), None)
