"""One writer at a time: a lock that frees itself when its holder dies, whatever the holder died of.

The lock files live in our own state directory, one a key, and are never deleted: their presence means
nothing, and removing one would let two processes hold the same lock on two files.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from improve.draft import keep_owner
from improve.errors import Busy
from improve.fingerprint import fingerprint
from improve.folder import COMMON, close_quietly, explained, private_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

_LOCK = COMMON | os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_NO_FLOCK_HERE = (errno.ENOSYS, errno.ENOLCK, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)
_SHORTEST, _LONGEST = 0.001, 0.03  # pauses between two looks at a held lock, in seconds
_NETWORK = frozenset(
    b"9p afs beegfs ceph cifs davfs drvfs gcsfuse glusterfs gpfs grpcfuse lustre ncpfs nfs nfs4 osxfs prl_fs "
    b"rclone s3fs smb3 smbfs sshfs vboxsf virtiofs".split()
)
_networks: dict[int, bool] = {}


def lock(key: str, *, directory: str, timeout: float = 5.0) -> AbstractContextManager[None]:
    """Hold the lock of `key` inside a with block; after `timeout` seconds of waiting raise Busy."""
    return _Lock(key, directory, timeout)


class _Lock:
    __slots__ = ("_directory", "_key", "_release", "_timeout")

    def __init__(self, key: str, directory: str, timeout: float) -> None:
        self._key, self._directory, self._timeout = key, directory, timeout
        self._release: Callable[[], None] | None = None

    def __enter__(self) -> None:
        with explained("lock", self._key):
            directory = private_directory(self._directory)
            path = os.path.join(directory, _digits(self._key) + ".lock")
            take = _borrow if is_network(directory) else _own
            self._release = take(path, self._key, self._timeout)

    def __exit__(self, *_: object) -> None:
        release, self._release = self._release, None
        if release is not None:
            release()


def _digits(key: str) -> str:
    if not key.isascii():
        import unicodedata

        key = unicodedata.normalize("NFC", key)  # macOS gives the same name back in another form
    return fingerprint(key, 32)


def _own(path: str, key: str, timeout: float) -> Callable[[], None]:
    """Take the kernel's own lock: importing filelock would cost more than the rest of the hot path."""
    if sys.platform == "win32":
        return _borrow(path, key, timeout)
    deadline, pause = time.monotonic() + timeout, _SHORTEST
    while True:
        left = deadline - time.monotonic()
        try:
            fd = _flock(path)
        except OSError as error:
            if error.errno not in _NO_FLOCK_HERE:
                raise
            return _borrow(path, key, max(0.0, left))
        if fd is not None:
            return lambda: _free(fd)
        if left <= 0:
            raise _busy(key, timeout, _holder(path))
        time.sleep(min(left, pause * (0.5 + os.urandom(1)[0] / 255)))  # out of step with the others
        pause = min(pause * 1.5, _LONGEST)


def _flock(path: str) -> int | None:
    """Try once; None says that another process holds the lock, or that its file was swapped under us."""
    if sys.platform == "win32":
        return None
    import fcntl

    fd = os.open(path, _LOCK, 0o600)
    try:
        keep_owner(fd, os.stat(os.path.dirname(path)))
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(fd), os.stat(path)):
            return fd
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        close_quietly(fd)
        raise
    close_quietly(fd)
    return None


def _free(fd: int) -> None:
    if sys.platform == "win32":
        return
    import fcntl

    try:
        # unlock, not only close: a child forked meanwhile holds the same lock through its copy
        fcntl.flock(fd, fcntl.LOCK_UN)
    except OSError:
        pass  # the work is done, and the close frees it
    finally:
        close_quietly(fd)


def _borrow(path: str, key: str, timeout: float) -> Callable[[], None]:
    """Lock with filelock: natively on Windows, by a marker file where flock cannot be trusted."""
    import filelock

    native = os.name == "nt"
    # a name of its own: the never-deleted file of a flock would look like a lock held for ever
    marker = path.removesuffix(".lock") + ".soft"
    chosen: filelock.BaseFileLock = filelock.FileLock(path) if native else filelock.SoftFileLock(marker)
    try:
        chosen.acquire(timeout=timeout, poll_interval=_LONGEST)
    except filelock.Timeout:
        pid = None if native else getattr(chosen, "pid", None)
        raise _busy(key, timeout, f"process {pid}" if pid else "another process") from None
    return chosen.release


def _busy(key: str, timeout: float, holder: str) -> Busy:
    return Busy(f"{key} is in use by {holder}; waited {timeout:g} s, nothing was written. Run it again")


def _holder(path: str) -> str:
    """Name the process that may hold a lock, from https://man7.org/linux/man-pages/man5/proc_locks.5.html."""
    try:
        inode = f":{os.stat(path).st_ino}"
        with open("/proc/locks", encoding="ascii", errors="replace") as table:
            rows = [line.split() for line in table]
        pid = next(row[4] for row in rows if row[1] == "FLOCK" and row[5].endswith(inode))
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as comm:
            return f"process {pid} ({ascii(comm.read().strip())[1:-1]})"
    except (OSError, StopIteration, IndexError):
        return "another process"


def is_network(path: str) -> bool:
    """Tell whether a path lies on a file system shared between machines, whose flock cannot be trusted."""
    if sys.platform != "linux":
        return False
    device = os.stat(path).st_dev
    if os.major(device):  # a disk of this machine: nothing to read
        return False
    if device not in _networks:
        try:
            with open("/proc/self/mountinfo", "rb") as table:
                kind = filesystem(table.read(), os.path.realpath(path), os.minor(device))
        except OSError:
            kind = b""
        _networks[device] = kind in _NETWORK
    return _networks[device]


def filesystem(table: bytes, path: str, minor: int) -> bytes:
    """Find the kind of a file system in https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html.

    What has no disk is 0:minor there; btrfs shows another number, so then the longest mount point counts.
    """
    place = os.fsencode(path)
    for plain, escaped in ((b"\\", b"\\134"), (b" ", b"\\040"), (b"\t", b"\\011"), (b"\n", b"\\012")):
        place = place.replace(plain, escaped)
    best = (-1, -1, b"")
    for order, line in enumerate(table.splitlines()):
        before, _, after = line.partition(b" - ")
        fields = before.split(b" ")
        if len(fields) < 5 or not after:
            continue
        if (place + b"/").startswith(fields[4].rstrip(b"/") + b"/"):
            exact = fields[2] == b"0:%d" % minor
            best = max(best, (len(fields[4]) + (1 << 16) * exact, order, after.split(b" ")[0]))
    return best[2].removeprefix(b"fuse.")
