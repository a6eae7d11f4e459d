"""What a hook does that its host neither sees nor waits for: a line in `hook.log`, a process that goes on by itself."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from improve.paths import Home

_LONGEST = 1 << 18
"""Bytes of `hook.log`; then it becomes the one before."""


def start(home: Home, *argv: str) -> None:
    """Let another process do what takes longer: it outlives this one and holds none of its files open."""
    program = home.program
    if os.name != "posix" or not os.access(program, os.X_OK):
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, nothing, number) for number in (0, 1, 2)]
    os.posix_spawn(program, [program, *argv], os.environ, file_actions=actions, setsid=True)


def log(argv: list[str], exc: BaseException) -> None:
    """Leave one line, if that is possible; nobody is told otherwise."""
    try:
        from improve import clock, paths
        from improve.escape import visible

        home = paths.find_home(os.environ)
        folder = os.path.dirname(home.state)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > _LONGEST:
            os.replace(path, path + ".1")
        what = visible(f"{' '.join(argv[:2])}: {type(exc).__name__}: {exc}")[:1000]
        with open(path, "a", encoding="utf-8", errors="replace") as log:
            log.write(f"{clock.stamp()} {what}\n")
    except BaseException:
        return


def keep_newest(folder: str, most: int) -> None:
    """Of the small files in a directory forget the older half when there are too many.

    Raises:
        OSError: one cannot be looked at or removed.
    """
    names = os.listdir(folder)
    if len(names) > most:
        paths = sorted((os.path.join(folder, name) for name in names), key=os.path.getmtime)
        for path in paths[: len(paths) // 2]:
            os.unlink(path)
