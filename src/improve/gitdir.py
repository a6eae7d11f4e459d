"""What a `.git` says, read as data: git never runs, nothing it names is executed, no include is followed.

A `.git` directory inside its work tree is believed. A `.git` file is believed when what it points to lies in
the same directory or points back (https://git-scm.com/docs/gitrepository-layout): a linked worktree by
`worktrees/<name>/gitdir`, a submodule by `core.worktree`. All else, `--separate-git-dir` too, keeps the work
tree that git sees and loses the remote, so that no directory can claim to be another repository.
"""

from __future__ import annotations

import os
import stat

from improve.errors import EnvironmentFailure
from improve.folder import close_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CONFIG_CAP = 1 << 20
_LINE_CAP = 1 << 14
# A pipe does not block, and a link that leads out of the repository is no part of it.
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_TRUE = ("true", "yes", "on", "1")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}
# `.bare` beside the worktrees it serves is a habit, not git's own layout.
_HIDDEN = (".git", ".bare")


class Checkout:
    """A place git works in. (`dataclasses` alone would cost 8 ms on every call.)"""

    __slots__ = ("base", "config", "main", "root", "settings")
    root: str
    """Top of the work tree; empty in a bare repository."""
    main: str
    """Top of the main work tree; the same as `root` unless this is a linked worktree of one that has one."""
    base: str
    """What the repository is called when no remote names it; all its worktrees agree."""
    config: str
    """Git directory whose remotes and branch are believed; empty for none."""
    settings: dict[str, list[str]]
    """The `core` and `remote` sections of its config."""

    def __init__(
        self,
        root: str,
        *,
        main: str = "",
        base: str = "",
        config: str = "",
        settings: dict[str, list[str]] | None = None,
    ) -> None:
        self.root = root
        self.main = main or root
        self.base = base or root
        self.config = config
        self.settings = settings or {}


def checkout(directory: str) -> Checkout | None:
    """Read the `.git` of this directory (a real path); None when git would look further up."""
    link = os.path.join(directory, ".git")
    try:
        mode = os.stat(link).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return Checkout(directory)
    if stat.S_ISREG(mode):
        return _linked(directory, link)
    if not stat.S_ISDIR(mode) or not is_git_directory(link):
        return None
    if not _inside(os.path.realpath(link), directory) or os.path.lexists(os.path.join(link, "commondir")):
        return Checkout(directory)
    return _own(directory, link, link)


def bare(directory: str) -> Checkout | None:
    """Read a directory that is itself a bare repository."""
    if os.path.basename(directory) == ".git" or not is_git_directory(directory):
        return None
    settings = config(directory)
    if not _is_bare(settings):
        return None
    return Checkout("", base=_base(directory), config=directory, settings=settings)


def is_git_directory(path: str) -> bool:
    """Tell by git's own test whether this is a git directory; one that may not be read counts."""
    try:
        os.stat(os.path.join(path, "objects"))
        os.stat(os.path.join(path, "refs"))
        os.lstat(os.path.join(path, "HEAD"))
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def remote_urls(found: Checkout) -> list[str]:
    """List the URLs of the remotes, the one that names the project first.

    `origin` comes first, then the upstream of the branch of the main work tree, then the others by name.
    """
    settings = found.settings
    keys = [key for key in settings if key.startswith("remote.") and key.endswith(".url")]
    names = [key[len("remote.") : -len(".url")] for key in keys if len(key) > len("remote..url")]
    upstream = ""
    if len(names) > 1 and "origin" not in names:
        branch = (_text(os.path.join(found.config, "HEAD")) or "").strip().removeprefix("ref: refs/heads/")
        upstream = config(found.config, "branch").get(f"branch.{branch}.remote", [""])[-1]
    names.sort(key=lambda name: (name != "origin", name != upstream, name))
    urls = (settings[f"remote.{name}.url"] for name in names)
    return [next(filter(None, several), "") for several in urls if any(several)]


def branch(directory: str) -> str:
    """Name the branch checked out around a directory; `detached` without one, empty where there is no git."""
    at = os.path.realpath(directory)
    while not os.path.lexists(link := os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            return ""
        at = above
    target = link if os.path.isdir(link) else _pointer(link)
    head = (_text(os.path.join(target, "HEAD")) or "").strip()
    name = head.removeprefix("ref: refs/heads/")
    return name if name != head else "detached"


def config(directory: str, *sections: str) -> dict[str, list[str]]:
    """Read the config of a git directory, or nothing."""
    return read_config(_text(os.path.join(directory, "config"), _CONFIG_CAP) or "", *sections)


def read_config(text: str, *sections: str) -> dict[str, list[str]]:
    """Read some sections of a git config, by default `core` and `remote`: `{"remote.origin.url": [...]}`.

    The format is https://git-scm.com/docs/git-config#_syntax; a line that git would stop at is skipped.
    """
    sections = sections or ("core", "remote")
    found: dict[str, list[str]] = {}
    section = ""
    lines = iter(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    for line in lines:
        line = line.lstrip()
        if line.startswith("["):
            section, line = _section(line) if line[1:8].lower().startswith(sections) else ("", line)
            section = section if section.partition(".")[0] in sections else ""
        # what is skipped may still reach over the end of its line
        if not line or line[0] in "#;" or not (section or line.endswith("\\")):
            continue
        key, mark, raw = line.partition("=")
        key = key.strip().lower()
        value = _value(raw, lines) if mark else "true" if section == "core." else ""
        if section and key.replace("-", "").isalnum():
            found.setdefault(section + key, []).append(value)
    return found


def _section(line: str) -> tuple[str, str]:
    """Read `[section "sub"]` into `section.sub.`, and what follows it."""
    head, quote, rest = line[1:].partition('"')
    close = head.find("]")
    if close >= 0:
        name, line = head[:close].strip().lower(), line[close + 2 :].lstrip()
    elif quote:
        sub, end = "", 0
        while end < len(rest) and rest[end] != '"':
            end += rest[end] == "\\"
            sub += rest[end : end + 1]
            end += 1
        name, line = f"{head.strip().lower()}.{sub}", rest[end + 1 :].lstrip().removeprefix("]").lstrip()
    else:
        return "", ""
    return name + ".", line


def _value(raw: str, lines: Iterator[str]) -> str:
    """Read quotes, escapes, comments and continuation lines of a value."""
    if not ('"' in raw or "\\" in raw or "#" in raw or ";" in raw):
        return raw.strip()
    out: list[str] = []
    quoted, length = False, 0
    for c, escaped in _characters(raw, lines):
        if not escaped:
            if c == '"':
                quoted = not quoted
                continue
            if c in "#;" and not quoted:
                break
            if c.isspace() and not quoted:
                out += c if out else ""
                continue
        out.append(c)
        length = len(out)
    return "".join(out[:length])


def _characters(raw: str, lines: Iterator[str]) -> Iterator[tuple[str, bool]]:
    """Give each character of a value, and whether a backslash stood before it."""
    while True:
        escape = False
        for c in raw:
            if escape or c != "\\":
                yield (_ESCAPES.get(c, c), True) if escape else (c, False)
                escape = False
            else:
                escape = True
        if not escape:
            return
        raw = next(lines, "")


def _linked(directory: str, link: str) -> Checkout:
    """Read a `.git` file: of a linked worktree, a submodule, or a bare repository beside its worktrees."""
    target = _pointer(link)
    if not target:
        return Checkout(directory)
    shared = _text(os.path.join(target, "commondir"))
    if shared is not None:
        return _worktree(directory, link, target, os.path.join(target, shared.strip()))
    if _inside(target, directory) or _work_tree(target) == directory:
        return _own(directory, target, directory)
    return Checkout(directory)


def _worktree(directory: str, link: str, target: str, common: str) -> Checkout:
    common = os.path.realpath(common)
    back = os.path.join(target, (_text(os.path.join(target, "gitdir")) or "").strip())
    if (
        os.path.dirname(target) != os.path.join(common, "worktrees")
        or os.path.realpath(back) != os.path.realpath(link)
        or not is_git_directory(common)
    ):
        return Checkout(directory)
    settings = config(common)
    main = _main(common, settings)
    return Checkout(directory, main=main, base=main or _base(common), config=common, settings=settings)


def _own(directory: str, target: str, base: str) -> Checkout:
    """Give the repository of this directory; with `core.bare` there is no work tree around its `.git`."""
    settings = config(target)
    if _is_bare(settings):
        return Checkout("", base=_base(base), config=target, settings=settings)
    return Checkout(directory, config=target, settings=settings)


def _main(common: str, settings: dict[str, list[str]]) -> str:
    """Find the main work tree of a git directory, or nothing when it has none that points back."""
    if _is_bare(settings):
        return ""
    outer = os.path.dirname(common)
    if os.path.basename(common) == ".git":
        return outer
    tree = _work_tree(common)
    return tree if tree and _pointer(os.path.join(tree, ".git")) == common else ""


def _work_tree(target: str) -> str:
    """Read `core.worktree`, which sparse checkouts move into config.worktree."""
    named = config(target).get("core.worktree", [])
    if not named:
        named = read_config(_text(os.path.join(target, "config.worktree")) or "").get("core.worktree", [])
    return os.path.realpath(os.path.join(target, named[-1])) if named and "\0" not in named[-1] else ""


def _pointer(link: str) -> str:
    """Read `gitdir: path` into the real path of a directory that exists, or nothing."""
    text = (_text(link) or "").rstrip("\r\n")
    path = text.removeprefix("gitdir:").strip()
    if path == text or not path or "\0" in path:
        return ""
    real = os.path.realpath(os.path.join(os.path.dirname(link), path))
    return real if os.path.isdir(real) else ""


def _is_bare(settings: dict[str, list[str]]) -> bool:
    return settings.get("core.bare", [""])[-1].lower() in _TRUE


def _base(path: str) -> str:
    return os.path.dirname(path) if os.path.basename(path) in _HIDDEN else path


def _inside(path: str, directory: str) -> bool:
    return path.startswith(directory.rstrip(os.sep) + os.sep)


def _text(path: str, cap: int = _LINE_CAP) -> str | None:
    """Read a small regular file, or nothing; a disk that fails is no answer, for a project would get another name."""
    try:
        fd = os.open(path, _OPEN)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > cap:
            return None
        return os.read(fd, cap).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise EnvironmentFailure(f"cannot read {path} ({error.strerror}); nothing was written. Run it again") from error
    finally:
        close_quietly(fd)
