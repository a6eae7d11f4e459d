"""Write a complete temporary file beside its target: every byte, old owner and mode, synced; or nothing."""

# contextlib costs more at start-up than this whole module may:
# ruff: noqa: SIM105

from __future__ import annotations

import errno
import os
import stat
import sys
import time

from improve.errors import Busy
from improve.folder import NO_SYNC_HERE, Folder, close_quietly, foreign
from improve.snapshot import OPEN, Snapshot, open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PREFIX = ".improve-"
"""Start of the name of every temporary file; the pid and random digits follow."""
_HOUR = 3600.0
_HELD_BY_ANOTHER = (5, 32)  # Windows: ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION


def write_draft(folder: Folder, data: bytes, *, mode: int, old: Snapshot | None, durable: bool) -> str:
    """Write a complete temporary file beside its target and give its name; on any failure none is left."""
    name, fd = _temporary(folder, mode)
    try:
        try:
            _write_all(fd, data)
            if old is not None and old.exists:
                _keep_metadata(folder, old.path, fd)
            else:
                keep_owner(fd, folder.status())
            if durable:
                sync(fd)
        except BaseException:
            close_quietly(fd)
            raise
        os.close(fd)  # NFS reports lost writes here
    except BaseException:
        discard(folder, name)
        raise
    return name


def _temporary(folder: Folder, mode: int) -> tuple[str, int]:
    while True:
        name = f"{PREFIX}{os.getpid()}-{os.urandom(8).hex()}"
        try:
            # the kernel applies the umask and default ACLs of the directory to the mode of a new file
            fd = os.open(folder.at(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN, mode, dir_fd=folder.fd)
        except FileExistsError:
            continue
        return name, fd


def _write_all(fd: int, data: bytes) -> None:
    """Write until every byte is accepted, and count: an unnoticed short write is a truncated file."""
    rest = memoryview(data)
    while rest:
        wrote = os.write(fd, rest)
        if wrote <= 0:
            break
        rest = rest[wrote:]
    if os.fstat(fd).st_size != len(data):
        raise OSError(errno.EIO, "the disk accepted fewer bytes than it was given")


def _keep_metadata(folder: Folder, path: str, fd: int) -> None:
    """Give a new file the owner, attributes and mode of the one it replaces."""
    try:
        source, status = open_regular(folder, path, os.O_RDONLY)
    except FileNotFoundError:
        raise changed(path) from None
    try:
        keep_owner(fd, status, strict=True)
        _keep_attributes(source, fd)
        mode = stat.S_IMODE(status.st_mode)
        if hasattr(os, "fchmod") and stat.S_IMODE(os.fstat(fd).st_mode) != mode:
            os.fchmod(fd, mode)
    finally:
        close_quietly(source)


def keep_owner(fd: int, owner: os.stat_result, *, strict: bool = False) -> None:
    """Under sudo, leave a file with the person it is for; otherwise keep the group where we may."""
    if sys.platform == "win32":
        return
    ours, root = os.fstat(fd), os.geteuid() == 0
    if (ours.st_uid, ours.st_gid) == (owner.st_uid, owner.st_gid) or not (root or strict):
        return
    try:
        os.fchown(fd, owner.st_uid if root else -1, owner.st_gid)
    except OSError:
        if root and strict:
            raise
        # not a member of that group, or a root that may not: the mode still keeps others out


def _keep_attributes(source: int, fd: int) -> None:
    """Copy access lists, labels and personal attributes as far as the system lets us."""
    if sys.platform != "linux":
        return
    try:
        for name in os.listxattr(source):
            if name.startswith(("user.", "system.posix_acl_", "security.selinux")):
                os.setxattr(fd, name, os.getxattr(source, name))
    except OSError:
        pass


def sync(fd: int) -> None:
    """Bring the bytes to the platter. An error is final: a second fsync may report success for lost data."""
    if sys.platform == "darwin":
        import fcntl

        try:
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
        except OSError as error:
            if error.errno not in NO_SYNC_HERE | {errno.ENOTTY}:
                raise
    os.fsync(fd)


def patiently(action: Callable[[], None], *, tries: int = 10, patience: float = 2.0) -> None:
    """Try again while an indexer or a virus scanner holds the file, which only Windows reports."""
    for left in range(tries - 1, -1, -1):
        try:
            action()
        except OSError as error:
            if not left or getattr(error, "winerror", None) not in _HELD_BY_ANOTHER:
                raise
            time.sleep(patience / tries)
        else:
            return


def changed(path: str) -> Busy:
    """Say that somebody else saved the file meanwhile."""
    return Busy(f"{path} was changed while improve was working on it; nothing was written. Run it again")


def discard(folder: Folder, name: str) -> None:
    """Remove a draft, as far as that is possible."""
    try:
        os.unlink(folder.at(name), dir_fd=folder.fd)
    except OSError:
        pass  # gone already, or `sweep` takes it


def sweep(directory: str) -> int:
    """Remove temporary files that killed processes of ours left in a directory, and count them."""
    try:
        names = os.listdir(directory)
    except OSError:
        return 0
    swept = 0
    for name in names:
        path = os.path.join(directory, name)
        if name.startswith(PREFIX) and _abandoned(path, name):
            try:
                os.unlink(path)
            except OSError:
                continue
            swept += 1
    return swept


def _abandoned(path: str, name: str) -> bool:
    pid, _, digits = name.removeprefix(PREFIX).partition("-")
    if not (pid.isdecimal() and len(digits) == 16 and set(digits) <= set("0123456789abcdef")):
        return False
    try:
        status = os.lstat(path)
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode) or foreign(status):
        return False
    # compared with the file system's own times, which no caller can choose
    return not _alive(int(pid)) or time.time() - status.st_mtime > _HOUR  # noqa: TID251


def _alive(pid: int) -> bool:
    if os.name == "nt":
        return True  # there, signal 0 is Ctrl-C; age alone decides
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return pid > 0
