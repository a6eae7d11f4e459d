"""What the rest of the program may know about a coding agent: a row of facts.

A host is one module with one `HOST = Host(…)` and one row in `hosts/__init__.py`. Paths are functions of the person's
home and the environment, so that nothing is looked up before it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

Locate = Callable[[str, Mapping[str, str]], str]
"""(home directory, environment) → absolute path."""


class Host(NamedTuple):
    """A coding agent that loads instruction files by itself."""

    name: str
    """Name in the store and on the command line: `claude-code`."""
    title: str
    folder: Locate
    """Its configuration directory; the host is on this machine when that exists."""
    global_file: Locate
    """The instruction file it loads in every project."""
    create_file: Locate
    """Where to write when it has none: a file it loads that hides no other."""
    marks: tuple[str, ...] = ()
    """Environment variables that say a command runs inside it."""
    borrows: tuple[Locate, ...] = ()
    """Global files of other hosts that it loads as long as it has none of its own."""
    session_variable: str = ""
    """Environment variable that holds the id of the session, where the host gives one."""


def under(folder: Locate, *parts: str) -> Locate:
    """Name a path inside a host's directory."""
    return lambda user, env: os.path.join(folder(user, env), *parts)


def directory(variable: str, *parts: str) -> Locate:
    """Name a host's directory: what a variable says, else a path below the home directory."""

    def locate(user: str, env: Mapping[str, str]) -> str:
        named = env.get(variable, "") if variable else ""
        return os.path.abspath(os.path.expanduser(named)) if named else os.path.join(user, *parts)

    return locate
