"""Which session a command runs in, where the host does not say it: found by the processes both descend from.

A hook and the agent's shell are children of one host process. The hook notes the session under that process; a
command looks whether one of its ancestors is noted. Linux only (https://man7.org/linux/man-pages/man5/proc.5.html);
elsewhere nothing is noted and each call counts by itself.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "fish", "ash", "ksh", "env", "improve-hook", "timeout"})
_HIGHEST = 12
"""Levels of ancestors that are looked at."""


def note(directory: str, host: str, session: str) -> None:
    """Remember that the host process above this one works in a session."""
    found = _above(1)
    if not found:
        return
    pid, began = found[0]
    path = os.path.join(directory, f"{host}-{pid}")
    text = f"{began}\n{session}\n"
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            if stream.read(4096) == text:
                return
    except OSError:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        _sweep(directory)
    draft = f"{path}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8", errors="replace") as stream:
        stream.write(text)
    os.replace(draft, path)


def session(directory: str, host: str) -> str:
    """Return the session that was noted for the nearest ancestor, empty when there is none."""
    if not os.path.isdir(directory):
        return ""
    for pid, began in _above(_HIGHEST):
        try:
            with open(os.path.join(directory, f"{host}-{pid}"), encoding="utf-8", errors="replace") as stream:
                noted = stream.read(4096).split("\n")
        except OSError:
            continue
        if noted[0] == began and len(noted) > 1:  # else the number belongs to another process by now
            return noted[1]
    return ""


def environments() -> Iterator[dict[str, str]]:
    """Yield the variables that each ancestor was started with, nearest first, as far up as one may look."""
    pid = os.getppid()
    for _ in range(2 * _HIGHEST):
        told = _stat(pid) if pid > 1 else None
        try:
            with open(f"/proc/{pid}/environ", encoding="utf-8", errors="replace") as stream:
                pairs = [pair.partition("=") for pair in stream.read(1 << 20).split("\0")]
        except OSError:
            return
        yield {name: value for name, _, value in pairs}
        if told is None:
            return
        pid = told[1]


def _above(most: int) -> list[tuple[int, str]]:
    """List ancestors that are no shells, nearest first, each with the moment it began."""
    found: list[tuple[int, str]] = []
    pid = os.getppid()
    for _ in range(_HIGHEST):
        told = _stat(pid) if pid > 1 else None
        if told is None:
            break
        name, parent, began = told
        if name not in _SHELLS:
            found.append((pid, began))
            if len(found) == most:
                break
        pid = parent
    return found


def _stat(pid: int) -> tuple[str, int, str] | None:
    """Give name, parent and start time of a process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stream:
            head, _, tail = stream.read(4096).rpartition(")")
        values = tail.split()
        return head.partition("(")[2], int(values[1]), values[19]
    except (OSError, ValueError, IndexError):
        return None


def _sweep(directory: str) -> None:
    """Forget processes that are gone."""
    for name in os.listdir(directory):
        pid = name.rpartition("-")[2].partition(".")[0]
        if not os.path.isdir(f"/proc/{pid}"):
            try:
                os.unlink(os.path.join(directory, name))
            except OSError:
                continue
