"""Which project a directory belongs to. Reads the file system; runs nothing.

A git repository is a project; its key is the normalized remote, else `path:` and the real path of its main
work tree (of the repository itself when it is bare), so that worktrees agree and two clones without a remote
differ. Clones of one directory that kept it as their remote are one project, as clones of a server are.
Outside git a directory is a project when it, or one above it, holds one of MARKERS: the nearest one wins.

Never a project: `/`, temporary directories, the home directory and what only lies in it, even where the home
directory is a repository of dotfiles; the store itself; by markers alone, also hidden directories of the home
(`~/.claude`, where instruction files are global) and directories above the home. A search that starts in the
home ends there. `$AGENT_PROJECT_NAME` names what has no remote. GIT_DIR and its kin are ignored.
"""

from __future__ import annotations

import os
import sys

from improve import gitdir, remote
from improve.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

MARKERS = (
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    ".project",
    ".projectile",
    ".hg",
    ".jj",
    ".svn",
    ".cursorrules",
    "pyproject.toml",
    "setup.py",
    "package.json",
    "deno.json",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "pubspec.yaml",
    "Package.swift",
    "CMakeLists.txt",
)
"""A directory outside git that holds one of these is a project."""

UNKNOWN = "unknown"  # the same word as rule.UNKNOWN, whose module would cost 10 ms here
_NAME_MAX = 255
_TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/dev/shm")
_TEMPORARY_VARIABLES = ("TMPDIR", "TEMP", "TMP")


class Project:
    """A code base, seen from one directory; frozen. (`dataclasses` alone would cost 8 ms on every call.)"""

    __slots__ = ("key", "main_root", "name", "remote", "root")
    key: str
    """Identity: `host/owner/repo`, `path:/real/path` or a bare name; on one line, in NFC."""
    name: str
    """Short name for display, in its own letter case."""
    root: str
    """Real path of the work tree's top, where its instruction file is; empty when there is none."""
    remote: str
    """Normalized remote, or empty."""
    main_root: str
    """Top of the main work tree; differs from `root` in a linked worktree only."""

    def __init__(self, key: str, name: str, root: str = "", remote: str = "", main_root: str = "") -> None:
        for field, value in zip(self.__slots__, (key, main_root or root, name, remote, root), strict=True):
            object.__setattr__(self, field, value)

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError(f"a Project is frozen: {field} stays as it is")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Project) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return f"Project({', '.join(f'{field}={getattr(self, field)!r}' for field in self.__slots__)})"

    def _values(self) -> tuple[str, ...]:
        return tuple(getattr(self, field) for field in self.__slots__)


def current_directory() -> str | None:
    """Give the working directory, or None when it was deleted meanwhile."""
    try:
        return os.getcwd()
    except OSError:
        return None


def identify(cwd: str, *, home: str, env: Mapping[str, str]) -> Project | None:
    """Find the project this directory belongs to; None when it belongs to none.

    Args:
        cwd: An absolute path; need not exist.
        home: The person's home directory.
        env: The environment: AGENT_PROJECT_NAME, AGENT_IMPROVEMENT_HOME and the temporary directory are read.
    """
    named = _plain(env.get("AGENT_PROJECT_NAME", ""))
    found = _search(cwd, home, env)
    if found is None:
        return Project(named, remote.name_of(named)) if named else None
    for url in gitdir.remote_urls(found):
        if remote.is_relative(url):
            url = os.path.join(found.base, url)
        key = remote.normalize(url)
        if key:
            return Project(key, remote.name_of(url), found.root, key, found.main)
    key = remote.of_path(found.base)
    return Project(named or key, remote.name_of(named or key), found.root, "", found.main)


def resolve_name(name: str, current: Project | None, registry: Mapping[str, Mapping[str, Any]]) -> str:
    """Give the key a person means by `--project NAME`.

    The current project comes first, then a key of the registry, then the one project so called or rooted
    there, or that was, else the name itself, as a key without a root. It is never used as a path.

    Raises:
        Refused: several projects have this name, or it is no name.
    """
    plain = _plain(name)
    if not plain:
        if name.strip() in ("", UNKNOWN):
            return UNKNOWN
        raise Refused(f"--project {_shown(name)} is no name of a project; nothing was done. Use one line of plain text")
    if current is not None and plain in (current.name, current.key, current.root):
        return current.key
    url = remote.normalize(plain) or ""
    for key in (plain, url):
        if key and (key in registry or (current is not None and key == current.key)):
            return key
    for key, entry in registry.items():
        if any(old and old in (entry.get("was") or ()) for old in (plain, url)):
            return key
    keys = _called(plain, registry)
    if len(keys) > 1:
        listed = ", ".join(sorted(keys))
        raise Refused(f"--project {_shown(name)} could be {listed}; nothing was done. Name the one you mean in full")
    spelled_out = plain.startswith(remote.LOCAL) or "." in plain.partition("/")[0]
    return keys[0] if keys else (spelled_out and url) or plain


def _called(plain: str, registry: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """List the keys with this name or root; another letter case counts when nothing fits exactly."""
    names = {key: str(entry.get("name") or remote.name_of(key)) for key, entry in registry.items()}
    exact = [key for key, name in names.items() if name == plain]
    rooted = [key for key, entry in registry.items() if plain in (entry.get("roots") or ())]
    alike = [key for key, name in names.items() if name.casefold() == plain.casefold()]
    once = [key for key, entry in registry.items() if plain in map(remote.name_of, entry.get("was") or ())]
    return exact or rooted or alike or once


def _plain(name: str) -> str:
    """Give a name as it may be stored: one line of plain text in NFC, a URL as its key; else nothing."""
    text = remote.nfc(name.strip()) if len(name) <= _NAME_MAX else ""
    if not text.isprintable() or text == UNKNOWN:
        return ""
    if "://" in text or "@" in text[1:]:
        # it may hold a password
        return remote.normalize(text) or ""
    return text


def _shown(name: str) -> str:
    text = remote.printable(name if len(name) < 80 else name[:80] + "…")
    return "(not shown, it may hold a password)" if "@" in text else repr(text)


def _search(cwd: str, home: str, env: Mapping[str, str]) -> gitdir.Checkout | None:
    """Look for a repository, then for a marker."""
    start = _directory(cwd)
    if start is None:
        return None
    wall = _directory(home) or ""
    store = env.get("AGENT_IMPROVEMENT_HOME") or os.path.join(home, ".agent-improvement")
    temporary = (*_TEMPORARY, *(env.get(name, "") for name in _TEMPORARY_VARIABLES))
    never = {_place(path) for path in (store, *temporary) if path}
    steps = [step for step in _upward(start, wall) if _place(step) not in never]
    unnamed: gitdir.Checkout | None = None
    for step in steps:
        found = gitdir.checkout(step)
        if found is not None:
            return found
        unnamed = unnamed or gitdir.bare(step)
    return unnamed or _marked(steps, wall)


def _marked(steps: list[str], wall: str) -> gitdir.Checkout | None:
    above = {_place(step) for step in _upward(os.path.dirname(wall), "")} if wall else set()
    for step in steps:
        hidden = wall and step.startswith(os.path.join(wall, "."))
        if not hidden and _place(step) not in above and any(map(os.path.exists, _candidates(step))):
            return gitdir.Checkout(step)
    return None


def _candidates(directory: str) -> Iterator[str]:
    return (os.path.join(directory, marker) for marker in MARKERS)


def _upward(directory: str, wall: str) -> Iterator[str]:
    """Give the directory and those above it, without the root and not beyond the wall."""
    stop = _place(wall) if wall else None
    while (parent := os.path.dirname(directory)) != directory and (stop is None or _place(directory) != stop):
        yield directory
        directory = parent


def _place(path: str) -> tuple[int, int] | str:
    """Give what two names of one directory have in common, on file systems that ignore letter case too."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return path
    return status.st_dev, status.st_ino


def _directory(path: str) -> str | None:
    """Give the real path of a directory, spelled as the disk spells it; None when there is none."""
    try:
        real = os.path.realpath(path)
        if not os.path.isabs(path) or not os.path.isdir(real):
            return None
    except (OSError, ValueError):
        return None
    return _spelled(real) if sys.platform == "darwin" else real


def _spelled(path: str) -> str:
    """Ask macOS for the letter case that `cd` did not have to get right."""
    if sys.platform == "darwin":
        import fcntl

        try:
            fd = os.open(path, os.O_RDONLY)
        except OSError:
            return path
        try:
            return os.fsdecode(fcntl.fcntl(fd, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
        except OSError:
            return path
        finally:
            os.close(fd)
    return path
