"""What the rest of the program may know about a coding agent: a row of facts.

A host is one module with one `HOST = Host(…)` and one row in `hosts/__init__.py`. Paths are functions of the person's
home and the environment, so that nothing is looked up before it is needed.
"""

from __future__ import annotations

import os
import sys

from improve.frozen import Frozen
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Settings, Whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Locate = Callable[[str, Mapping[str, str]], str]
    """(home directory, environment) → absolute path."""

    Chain = Callable[["Spot"], list["Loaded"]]
    """All instruction files that exist and that a host knows about, in the order in which it sends them."""


class Spot(Frozen):
    """Where a session would start: what decides which instruction files a host loads."""

    cwd: str
    root: str
    """Top of the project's work tree; empty outside of any project."""
    user: str
    """The person's home directory."""
    env: Mapping[str, str]


class Loaded(Frozen):
    """One instruction file as a host would treat it in a session that starts at a spot."""

    path: str
    scope: str
    """`global` or `project`."""
    state: str
    """`loaded`, `cut` (only its first `kept` bytes), `hidden`, `scoped` (comes when a matching file is touched),
    `later` (comes when something below its directory is read) or `off` (a setting switches it off)."""
    why: str = ""
    """What hides, cuts, delays or switches it off, in one clause; empty when it is simply loaded."""
    fix: str = ""
    """What a person can do about that; empty when nothing is wrong."""
    data: bytes = b""
    """What reaches the model of it at the start of the session, comments and cut-off parts left out."""
    size: int = 0
    """Bytes of the whole file."""
    via: str = ""
    """The file that imports it; empty when the host looks for it by itself."""


class Host(Frozen):
    """A coding agent that loads instruction files by itself."""

    name: str
    """Name in the store and on the command line: `claude-code`."""
    title: str
    folder: Locate | None = None
    """Its configuration directory; the host is on this machine when that exists."""
    global_file: Locate | None = None
    """The instruction file it loads in every project; None when it has none."""
    create_file: Locate | None = None
    """Where to write when that does not exist: a file it loads that hides no other."""
    borrows: tuple[Locate, ...] = ()
    """Global files of other hosts that it loads as long as it has none of its own."""
    project_file: str = "AGENTS.md"
    """The file a session in this host loads from a project that has none of the usual ones yet."""
    own_file: str = ""
    """A file of a project that this host alone loads and that hides no other; written where `project_file` would
    not be loaded or would hide one."""
    skills: Locate | None = None
    """Directory whose subdirectories are skills; None when it knows no skills."""
    chain: Chain | None = None
    """Simulates what it loads; None for a host whose rules are not known."""
    sessions: tuple[Locate, ...] = ()
    """Files or directories in which its sessions are recorded."""
    wiring: tuple[Settings | Whole, ...] = ()
    """What `install` puts where, so that the host calls us; empty for a host that runs nothing of ours."""
    dialect: Dialect = Dialect()
    """How its hooks speak."""
    context_cap: int = 8000
    """Characters of rules that are given to it at the start of a session."""
    project_bytes: int = 0
    """Bytes of all instruction files of a project together that it reads unless told otherwise; 0 for no limit."""
    advised_lines: int = 0
    """Lines the host's own documentation advises for one instruction file; 0 for no advice."""
    limits: tuple[str, ...] = ()
    """What does not work with it, a sentence each, for the documentation."""


def under(folder: Locate, *parts: str) -> Locate:
    """Name a path inside a host's directory."""
    return lambda user, env: os.path.join(folder(user, env), *parts)


def directory(variable: str, *parts: str) -> Locate:
    """Name a host's directory: what a variable says, else a path below the home directory."""

    def locate(user: str, env: Mapping[str, str]) -> str:
        named = env.get(variable, "") if variable else ""
        return os.path.abspath(os.path.expanduser(named)) if named else os.path.join(user, *parts)

    return locate


def config_directory(*parts: str) -> Locate:
    """Name a directory below `$XDG_CONFIG_HOME`, `~/.config` by default."""
    return lambda user, env: os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(user, ".config"), *parts)


def data_directory(*parts: str) -> Locate:
    """Name a directory below `$XDG_DATA_HOME`, `~/.local/share` by default."""
    return lambda user, env: os.path.join(env.get("XDG_DATA_HOME") or os.path.join(user, ".local", "share"), *parts)


def editor(name: str, *parts: str) -> Locate:
    """Name a path below the directory in which an editor of VS Code's family keeps what belongs to the person."""

    def locate(user: str, env: Mapping[str, str]) -> str:
        if sys.platform == "win32":
            top = env.get("APPDATA") or os.path.join(user, "AppData", "Roaming")
        elif sys.platform == "darwin":
            top = os.path.join(user, "Library", "Application Support")
        else:
            top = env.get("XDG_CONFIG_HOME") or os.path.join(user, ".config")
        return os.path.join(top, name, "User", *parts)

    return locate


shared_skills: Locate = directory("", ".agents", "skills")
"""The skills directory that most hosts read: https://agentskills.io."""
