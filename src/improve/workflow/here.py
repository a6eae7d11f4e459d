"""Where and when a command runs: the store, the project, the host, the session, the moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from improve import config, folder, paths, project
from improve.config import Config
from improve.paths import Home
from improve.project import Project
from improve.rule import UNKNOWN, means

if TYPE_CHECKING:
    from improve.store import Store
    from improve.view import Glance, View


def _silent(_: str) -> None:
    """Tell nobody."""


class Here:
    """Everything a verb needs to know about its surroundings; looked up once, on first use."""

    def __init__(self, env: Mapping[str, str], now: datetime, cwd: str, home: Home) -> None:
        self.env = env
        self.now = now
        self.cwd = cwd
        self.home = home
        self.tell: Callable[[str], None] = _silent
        """Takes a line when something takes a while."""

    @classmethod
    def from_environment(cls, env: Mapping[str, str], now: datetime) -> Here:
        """Look around once."""
        return cls(env, now, project.current_directory() or "", paths.find_home(env))

    @cached_property
    def config(self) -> Config:
        """The settings in force."""
        return config.load(self.home.file("config.yaml"))

    def use_defaults(self) -> None:
        """Go on without config.yaml, which cannot be read."""
        self.__dict__["config"] = Config()

    @cached_property
    def store(self) -> Store:
        """The store of this home; what needs no rules does not load what reads them."""
        from improve.store import Store

        return Store(self.home, self.config, self.tell, self.off)

    def off(self, host: str = "") -> str:
        """Say why nothing may be recorded, delivered or written here now, or by another host; empty when it may."""
        from improve import switch

        path = self.home.file(switch.FILE)
        found = switch.in_force(path, lambda: self.now, lambda: host or self.host, self._key_and_root)
        return f"improve is {switch.said(found)}; nothing was done. Switch it on with: improve on" if found else ""

    @property
    def heard(self) -> bool:
        """Whether prompts wait in the queue; what takes them in is loaded by those who find some."""
        from improve.queue import HEARD

        return _holds(self.home.file("queue"), HEARD)

    @property
    def spooled(self) -> bool:
        """Whether observations wait to be merged."""
        return _holds(self.home.spool) or _holds(self.home.refuge)

    def _key_and_root(self) -> tuple[str, str]:
        return (self.project.key, self.project.root) if self.project else ("", "")

    @cached_property
    def project(self) -> Project | None:
        """The project of the current directory."""
        return project.identify(self.cwd, home=self.home.user, env=self.env) if self.cwd else None

    @property
    def host(self) -> str:
        """Name of the host this runs in, or empty."""
        from improve import hosts

        return hosts.name_in(self.env)

    @property
    def session(self) -> str:
        """Id of the session this runs in, or empty."""
        from improve import hosts

        told = hosts.session_in(self.env)
        if told or not self.host:
            return told
        from improve import ancestry

        return ancestry.session(os.path.join(self.home.cache, "sessions"), self.host)

    @property
    def today(self) -> str:
        """The local calendar day."""
        return self.now.strftime("%Y-%m-%d")

    @property
    def moment(self) -> str:
        """The moment, ISO 8601 with zone."""
        return self.now.isoformat(timespec="seconds")

    def short(self, path: str) -> str:
        """Show a path with `~` for the home directory."""
        return paths.short(path, self.home.user)

    def project_key(self, name: str, view: View) -> str:
        """Resolve `--project NAME`, or the current directory when no name was given."""
        if name:
            return project.resolve_name(
                name, self.project, {k: {"name": p.name, "was": p.was} for k, p in view.head.projects.items()}
            )
        return self.project.key if self.project else UNKNOWN

    def known_project(self, name: str, view: View) -> str:
        """Resolve `--project NAME` where a mistyped one would say that there is nothing.

        Raises:
            UsageError: no project is known by that name, and it is no whole key.
        """
        key = self.project_key(name, view)
        told = "/" in key or key in (UNKNOWN, *view.head.projects) or bool(self.project and self.project.key == key)
        if told or next(view.index.active([key], 1), None):
            return key
        import difflib

        from improve.errors import UsageError

        names = [place.name or known for known, place in view.head.projects.items()]
        close = difflib.get_close_matches(name, names, 3) or names[:3]
        hint = f"Known: {', '.join(close)}." if close else "None is known yet."
        raise UsageError(f"no project is called {name!r}; nothing was done. {hint} Or name it in full: host/owner/repo")

    def roots_of(self, key: str, view: View) -> list[str]:
        """List the directories of a project on this machine, the current one first, then the latest seen."""
        key = self.full_key(key, view)
        known = list(reversed(view.head.projects[key].roots)) if key in view.head.projects else []
        if self.project and self.project.key == key and self.project.root:
            known = [self.project.root, *(root for root in known if root != self.project.root)]
        return [root for root in known if not folder.no_directory(root)]

    def names_of(self, key: str, view: View | Glance) -> tuple[str, ...]:
        """List what a project may be called in observations: its key, and the bare names of version 1."""
        known = view.head.projects.get(key)
        names = [key, key.rpartition("/")[2], known.name if known else ""]
        if self.project and self.project.key == key:
            names.append(self.project.name)
        return tuple(name for name in dict.fromkeys(names) if name)

    def full_key(self, key: str, view: View) -> str:
        """Give the key a project has by now, by an earlier key or a bare name of version 1 that can mean only one."""
        if key in view.head.projects:
            return key
        renamed = next((new for new, place in view.head.projects.items() if key in place.was), "")
        if renamed or "/" in key:
            return renamed or key
        called = {full: place.name for full, place in view.head.projects.items()}
        if self.project:
            called.setdefault(self.project.key, self.project.name)
        named = [full for full, name in called.items() if name == key or means(key, full)]
        return named[0] if len(named) == 1 else key


def _holds(directory: str, prefix: str = "") -> bool:
    """Look whether a directory has a file of this kind; drafts, which begin with a dot, are none."""
    try:
        return any(name.startswith(prefix) and name[0] != "." for name in os.listdir(directory))
    except OSError:
        return False
