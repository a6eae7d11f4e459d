"""Where and when a command runs: the store, the project, the host, the session, the moment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property

from improve import config, paths, project
from improve.config import Config
from improve.paths import Home
from improve.project import Project
from improve.rule import UNKNOWN
from improve.store import Store
from improve.view import View


class Here:
    """Everything a verb needs to know about its surroundings; looked up once, on first use."""

    def __init__(self, env: Mapping[str, str], now: datetime, cwd: str, home: Home) -> None:
        self.env = env
        self.now = now
        self.cwd = cwd
        self.home = home

    @classmethod
    def from_environment(cls, env: Mapping[str, str], now: datetime) -> Here:
        """Look around once."""
        return cls(env, now, project.current_directory() or "", paths.find_home(env))

    @cached_property
    def config(self) -> Config:
        """The settings in force."""
        return config.load(self.home.file("config.yaml"))

    @cached_property
    def store(self) -> Store:
        """The store of this home."""
        return Store(self.home, self.config)

    @cached_property
    def project(self) -> Project | None:
        """The project of the current directory."""
        return project.identify(self.cwd, home=self.home.user, env=self.env) if self.cwd else None

    @property
    def host(self) -> str:
        """Name of the host this runs in, or empty."""
        from improve import hosts

        found = hosts.running_in(self.env)
        return found.name if found else ""

    @property
    def session(self) -> str:
        """Id of the session this runs in, or empty."""
        from improve import hosts

        return hosts.session_in(self.env)

    @property
    def today(self) -> str:
        """The local calendar day."""
        return self.now.strftime("%Y-%m-%d")

    def short(self, path: str) -> str:
        """Show a path with `~` for the home directory."""
        return paths.short(path, self.home.user)

    def project_key(self, name: str, view: View) -> str:
        """Resolve `--project NAME`, or the current directory when no name was given."""
        if name:
            return project.resolve_name(
                name, self.project, {k: {"name": p.name} for k, p in view.head.projects.items()}
            )
        return self.project.key if self.project else UNKNOWN

    def roots_of(self, key: str, view: View) -> list[str]:
        """List the directories of a project on this machine, the current one first, then the latest seen."""
        key = _full_key(key, view)
        known = list(reversed(view.head.projects[key].roots)) if key in view.head.projects else []
        if self.project and self.project.key == key and self.project.root:
            known = [self.project.root, *(root for root in known if root != self.project.root)]
        return [root for root in known if os.path.isdir(root)]


def _full_key(key: str, view: View) -> str:
    """Find the one registered project a bare name of version 1 can mean; the name itself when there are several."""
    if key in view.head.projects or "/" in key:
        return key
    named = [full for full, place in view.head.projects.items() if place.name == key]
    return named[0] if len(named) == 1 else key
