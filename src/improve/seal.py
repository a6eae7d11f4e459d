"""A seal on a derived file: it tells whether anything but us has written the file since we last did.

A database that was cut short, overwritten or restored from elsewhere can give wrong answers without an error, and
reading it all to find out would cost more than it saves. Its size, times and inode tell at once. Whoever writes
holds a lock until the seal is there again; a writer that dies in between leaves a broken seal.
"""

from __future__ import annotations

import contextlib
import os
import stat


def intact(path: str, made_for: str) -> bool:
    """Say whether a file is as it was when it was sealed, for the same purpose."""
    try:
        expected = _looks(path, made_for)
        if not stat.S_ISREG(os.lstat(path + ".seal").st_mode):  # reading a pipe might never end
            return False
        with open(path + ".seal", encoding="utf-8", errors="replace") as stream:
            return stream.read(len(expected) + 1) == expected
    except OSError:
        return False


def put(path: str, made_for: str) -> None:
    """Seal a file as it is now; half a seal, as a kill may leave, is a broken one."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise OSError(f"{path} is no file")
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(os.lstat(path + ".seal").st_mode):
            os.unlink(path + ".seal")
    with open(path + ".seal", "w", encoding="utf-8") as stream:
        stream.write(_looks(path, made_for))


def _looks(path: str, made_for: str) -> str:
    status = os.stat(path)
    return f"{made_for}\n{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}\n"
