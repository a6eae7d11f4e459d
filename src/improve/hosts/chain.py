"""What the simulations of all hosts share: walking directories, reading with care, saying why a file is not loaded.

Nothing here raises for what lies on the disk: a file that cannot be read is a file that is not loaded, and that is
said. A pipe does not block, a directory of rules that contains itself ends.
"""

from __future__ import annotations

import errno
import os
import stat

from improve.hosts.base import Loaded, Spot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

CAP = 4 << 20
"""Bytes of the largest file that is looked at; Claude Code has the same limit."""
MANY = 256
"""Files that are read of one directory of rules."""
_DIRECTORIES = 40
"""Directories below the current one that are looked into for files that come later."""
_DEEPEST = 12
_SKIPPED = frozenset(("node_modules", "venv", "site-packages", "target", "dist", "build", "vendor", "__pycache__"))
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_ABSENT = (errno.ENOENT, errno.ENOTDIR)
IN_SIGHT = ("loaded", "cut")
"""States of a file of which something reaches the model at the start."""

_imagined: set[str] = set()


class imagined:
    """Simulate as if a file with a rule in it were there, to see what it would hide."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> str:
        _imagined.add(self.path)
        return self.path

    def __exit__(self, *_: object) -> None:
        _imagined.discard(self.path)


def look(path: str, scope: str = "project", via: str = "") -> Loaded | None:
    """Read one instruction file; None when nothing is there, `off` when it cannot be read."""
    if path in _imagined:
        return Loaded(path, scope, "loaded", data=b"- a rule\n", size=9, via=via)
    try:
        status = os.stat(path)
        trouble = _trouble(status)
        data = b"" if trouble else _content(path)
    except (OSError, ValueError) as exc:
        if getattr(exc, "errno", 0) in _ABSENT or isinstance(exc, ValueError):
            return None
        return Loaded(path, scope, "off", f"it cannot be read: {getattr(exc, 'strerror', '') or exc}", via=via)
    if b"\0" in data[:8192] and not _is_text(data):
        trouble, data = "it is no text", b""
    fix = "move it away or replace it by a text file" if trouble else ""
    return Loaded(path, scope, "off" if trouble else "loaded", trouble, fix, data, status.st_size, via)


def _trouble(status: os.stat_result) -> str:
    if stat.S_ISDIR(status.st_mode):
        return "it is a directory"
    if not stat.S_ISREG(status.st_mode):
        return "it is no regular file"
    return f"it has more than {CAP >> 20} MiB" if status.st_size > CAP else ""


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _content(path: str) -> bytes:
    descriptor = os.open(path, _OPEN)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        chunks, left = [], CAP
        while left > 0 and (chunk := os.read(descriptor, min(left, 1 << 16))):
            chunks.append(chunk)
            left -= len(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def present(paths: Iterable[str], scope: str = "project") -> list[Loaded]:
    """Read those of some files that are there."""
    return [found for path in paths if (found := look(path, scope))]


def is_file(path: str) -> bool:
    """Say whether a regular file is there; never raises."""
    return os.path.isfile(path) if "\0" not in path else False


def upward(cwd: str, stop: str = "") -> list[str]:
    """List a directory and those above it, the topmost first, down from *stop*; `/` itself is none of them."""
    steps = []
    step = os.path.normpath(cwd) if cwd else "/"
    while os.path.dirname(step) != step:
        steps.append(step)
        if step == stop:
            break
        step = os.path.dirname(step)
    return steps[::-1]


def top(cwd: str, markers: Sequence[str] = (".git",)) -> str:
    """Find the nearest directory at or above this one that holds a marker; empty when there is none."""
    return next((s for s in reversed(upward(cwd)) if any(os.path.lexists(os.path.join(s, m)) for m in markers)), "")


def around(root: str) -> str:
    """Give the main work tree that a linked one lies inside of; empty for any other directory."""
    if not root:
        return ""
    mark = os.path.join(root, ".git")
    said = look(mark) if is_file(mark) else None
    name, _, place = said.data.decode("utf-8", "surrogateescape").strip().partition(": ") if said else ("", "", "")
    shared = os.path.dirname(os.path.dirname(os.path.normpath(os.path.join(root, place))))
    main = os.path.realpath(os.path.dirname(shared))
    inner = os.path.realpath(root).startswith(main + os.sep)
    return main if name == "gitdir" and os.path.basename(shared) == ".git" and inner else ""


def unseen(found: Loaded, state: str, why: str, fix: str = "") -> Loaded:
    """Say that a file does not reach the model; one that cannot be read stays what it is."""
    return found if found.state == "off" else found._replace(state=state, why=why, fix=fix, data=b"")


def first(directory: str, names: Sequence[str], scope: str = "project", *, blank: bool = True) -> list[Loaded]:
    """Read the first of some names that a directory holds, and say of the others that it hides them.

    Args:
        blank: a file with nothing in it counts as well.
    """
    there = present((os.path.join(directory, name) for name in names), scope)
    chosen = next((f for f in there if f.why != "it is a directory" and (blank or f.data.strip())), None)
    if not chosen:
        return there
    name = os.path.basename(chosen.path)
    why = f"{name} beside it is read instead"
    return [f if f is chosen else unseen(f, "hidden", why, f"move its text into {chosen.path}") for f in there]


def rules(directory: str, ends: Sequence[str], scope: str = "project") -> list[Loaded]:
    """Read a directory of rule files, what is nested in it included, in the order of their names."""
    more = {path for path in _imagined if path.startswith(directory + os.sep) and path.endswith(tuple(ends))}
    return present(sorted({*_nested(directory, tuple(ends)), *more})[:MANY], scope)


def _nested(directory: str, ends: tuple[str, ...]) -> Iterator[str]:
    waiting, seen, given = [(directory, 0)], set[tuple[int, int]](), 0
    while waiting and given < MANY:
        here, depth = waiting.pop()
        try:
            status = os.stat(here)
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            entries = sorted(os.listdir(here))
        except (OSError, ValueError):
            continue
        for name in entries:
            path = os.path.join(here, name)
            if name.endswith(ends):
                given += 1
                yield path
            elif depth < _DEEPEST and os.path.isdir(path):
                waiting.append((path, depth + 1))


def below(cwd: str, names: Sequence[str], how: str = "something there is read") -> list[Loaded]:
    """Find files in directories below, which come later; a large tree is not searched to its end."""
    found: list[Loaded] = []
    waiting, looked = [cwd] if cwd else [], 0
    while waiting and looked < _DIRECTORIES:
        here = waiting.pop(0)
        looked += 1
        try:
            with os.scandir(here) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
                waiting += [e.path for e in inside if _worth(e)]
        except (OSError, ValueError):
            continue
        there = {entry.name for entry in inside} if here != cwd else set()
        found += present(os.path.join(here, name) for name in names if name.partition("/")[0] in there)
    return [unseen(f, "later", f"it comes when {how}") for f in found]


def _worth(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in _SKIPPED:
        return False
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def cut(found: Iterable[Loaded], cap: int, fix: str) -> list[Loaded]:
    """Keep the first bytes of all files together: the file in which they end loses its tail, later ones all."""
    kept, left = [], cap
    for file in found:
        if file.state == "loaded" and len(file.data) > left:
            why = f"only {left:,} of its {len(file.data):,} bytes are read; {cap:,} are of all files together"
            file = file._replace(state="cut", data=file.data[:left], why=why, fix=fix)
        left -= len(file.data)
        kept.append(file)
    return kept


def once(found: Iterable[Loaded]) -> list[Loaded]:
    """Leave out a file that is there already by another name, and what is said of one that is loaded elsewhere."""
    found = list(found)
    in_sight = {os.path.realpath(f.path) for f in found if f.state in IN_SIGHT}
    kept, seen = [], set[str]()
    for file in found:
        real = os.path.realpath(file.path)
        if real not in seen and (file.state in IN_SIGHT or real not in in_sight):
            seen.add(real)
            kept.append(file)
    return kept


def foreign(found: list[Loaded], spot: Spot, names: Sequence[str], title: str, fix: str) -> list[Loaded]:
    """Add the instruction files of the project that this host does not know."""
    known = {os.path.realpath(f.path) for f in found}
    steps = dict.fromkeys(filter(None, (top(spot.cwd), spot.cwd)))
    paths = (os.path.join(step, name) for step in steps for name in names)
    there = present(path for path in paths if os.path.realpath(path) not in known)
    return found + [unseen(f, "off", f"{title} does not read {os.path.basename(f.path)}", fix) for f in there]


def globbed(path: str) -> list[str]:
    """Find the files that an absolute path with `*`, `?` or `**` in it means, in the order of their names."""
    if not any(mark in path for mark in "*?["):
        return [path] if is_file(path) else []
    from glob import iglob
    from itertools import islice

    return sorted(filter(is_file, islice(iglob(path, recursive=True, include_hidden=False), MANY)))


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Make a test for paths from globs: `*`, `?`, `**` and `{a,b}`."""
    import re

    tests = [re.compile(_as_pattern(pattern)) for pattern in patterns]
    return lambda path: any(test.fullmatch(path) for test in tests)


def _as_pattern(glob: str) -> str:
    import re

    made, at, depth = "", 0, 0
    while at < len(glob):
        step = 3 if glob.startswith("**/", at) else 2 if glob.startswith("**", at) else 1
        part = glob[at : at + step]
        depth += (part == "{") - (part == "}" and depth > 0)
        special = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:"}
        closing = {"}": ")", ",": "|"} if depth or part == "}" else {}
        made += special.get(part) or closing.get(part) or re.escape(part)
        at += step
    return made + ")" * depth
