"""Hold directories open, resolve links, and say in one sentence what a file system refused.

A path that was checked is only worth something if nobody can swap a part of it before the write. So the
directory is opened once, link by link refused, and everything after happens relative to that handle.
"""

# contextlib costs more at start-up than this whole module may:
# ruff: noqa: SIM105

from __future__ import annotations

import errno
import os
import stat
import sys

from improve.errors import Busy, EnvironmentFailure, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
"""Flags of every open: no child inherits it, and Windows does not translate line ends."""
_FOLDER = COMMON | getattr(os, "O_DIRECTORY", 0)
_LINKS_REFUSED = getattr(os, "O_NOFOLLOW_ANY", getattr(os, "O_NOFOLLOW", 0))  # macOS: in every part of a path
_DIR_FD = os.open in os.supports_dir_fd
_PASS = getattr(os, "O_PATH", None)  # Linux: enter a directory without the right to list it
NO_SYNC_HERE = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF})
"""What old NFS, FUSE and some containers answer to a request to sync a directory."""
_HINTS = {
    errno.ENOSPC: "Free some space, then run it again",
    errno.EDQUOT: "Free some of your quota, then run it again",
    errno.EFBIG: "Raise the file size limit (ulimit -f), then run it again",
    errno.EROFS: "It is managed read-only: make the change where it is managed",
    errno.EACCES: "Get the permission, then run it again",
    errno.EPERM: "Lift its protection (owner, immutable flag), then run it again",
    errno.EIO: "Check the disk, then run it again",
}


class explained:
    """Turn an OSError inside the block into one sentence a person can act on."""

    __slots__ = ("doing", "path")

    def __init__(self, doing: str, path: str) -> None:
        self.doing, self.path = doing, path

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if not isinstance(error, OSError) or isinstance(error, FileExistsError):
            return
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Busy(
                f"{self.path}: a part of it was swapped for a link while improve was working; "
                "nothing was written. Run it again"
            ) from error
        what = f"cannot {self.doing} {self.path}: {error.strerror or error}; nothing was written"
        raise EnvironmentFailure(f"{what}. {_HINTS.get(error.errno or 0, 'Run it again')}") from error


def no_directory(path: str) -> bool:
    """Say whether there surely is no directory at a path; one that cannot be looked at now may be there."""
    try:
        return not stat.S_ISDIR(os.stat(path).st_mode)
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
    except ValueError:
        return True


def nothing(path: str) -> bool:
    """Say whether there surely is nothing at a path, not even a broken link."""
    try:
        os.lstat(path)
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
    except ValueError:
        return True
    return False


def resolve(path: str, *, within: str | None = None) -> str:
    """Follow every link of a path that may not exist yet; refuse one leading nowhere or out of `within`."""
    with explained("follow", path):
        try:
            real = _follow(path)
        except (ValueError, RecursionError) as error:
            raise Refused(f"{path!r} cannot be a path ({error}); nothing was written") from error
        if within is None or _inside(real, os.path.realpath(within)):
            return real
    raise Refused(
        f"{path} leads to {real}, which is outside {within}; nothing was written. "
        "Replace the link by a file, or name the real file"
    )


def _follow(path: str) -> str:
    parent, name = os.path.split(path)
    if not name and parent != path:  # a separator at the end
        return _follow(parent)
    try:
        return os.path.realpath(path, strict=True)
    except FileNotFoundError:
        if name in ("", ".", ".."):
            raise
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.ENAMETOOLONG):
            raise
        why = "is a loop of links" if error.errno == errno.ELOOP else f"cannot be reached ({error.strerror})"
        raise Refused(f"{path} {why}; nothing was written. Correct the path, or the link") from error
    if os.path.islink(path):
        raise Refused(
            f"{path} is a link to {os.readlink(path)}, which does not exist; nothing was written. "
            "Create that file, or remove the link"
        )
    return os.path.join(_follow(parent or os.curdir), name)


def _inside(real: str, root: str) -> bool:
    real, root = os.path.normcase(real), os.path.normcase(root)
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


class Folder:
    """A directory held open: swapping one of its parents cannot redirect what is done in it."""

    __slots__ = ("fd", "path")

    def __init__(self, path: str, *, make: int | None = None) -> None:
        """Open the directory of a resolved path; with `make`, create what is missing with that mode."""
        self.path = path
        self.fd: int | None = None
        if _PASS is not None:
            self.fd = _walk(path, make)
            return
        if make is not None and not os.path.isdir(path):
            _make(path, make)
        if _DIR_FD:
            self.fd = os.open(path, os.O_RDONLY | _FOLDER | _LINKS_REFUSED)
        elif not os.path.isdir(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        if self.fd is not None:
            close_quietly(self.fd)

    def at(self, name: str) -> str:
        """Give the name to pass with `dir_fd=self.fd`: bare where the handle counts, else the whole path."""
        return name if self.fd is not None else os.path.join(self.path, name)

    def status(self) -> os.stat_result:
        """Stat the directory itself."""
        return os.stat(self.path) if self.fd is None else os.fstat(self.fd)

    def sync(self) -> None:
        """Make the names in the directory durable, where the file system can."""
        if self.fd is not None:
            sync_names(self.fd)


def _make(path: str, mode: int) -> None:
    try:
        os.makedirs(path, mode, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from error


def _walk(path: str, make: int | None) -> int:
    """Open a directory part by part from the root, so that a link put anywhere in between is an error."""
    parts = ["/", *filter(None, path.split("/"))]
    fd: int | None = None
    for left, part in zip(range(len(parts) - 1, -1, -1), parts, strict=True):
        flags = _FOLDER | _LINKS_REFUSED | (_PASS or 0 if left else os.O_RDONLY)
        outer = fd
        try:
            fd = _step(part, flags, outer, make)
        finally:
            if outer is not None:
                close_quietly(outer)
    assert fd is not None
    return fd


def _step(part: str, flags: int, outer: int | None, make: int | None) -> int:
    try:
        return os.open(part, flags, dir_fd=outer)
    except FileNotFoundError:
        if make is None or outer is None:
            raise
    try:
        os.mkdir(part, make, dir_fd=outer)
    except FileExistsError:  # another process was first
        return os.open(part, flags, dir_fd=outer)
    fd = os.open(part, flags, dir_fd=outer)
    _settle(part, outer)
    return fd


def _settle(part: str, outer: int) -> None:
    """Make a new directory durable, and under sudo give it to the person it is for."""
    owner = os.fstat(outer)
    if sys.platform != "win32" and os.geteuid() == 0 and owner.st_uid != 0:
        try:
            os.chown(part, owner.st_uid, owner.st_gid, dir_fd=outer, follow_symlinks=False)
        except OSError:
            pass  # a root that may not: in a container, or squashed by a server
    parent = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=outer)
    try:
        sync_names(parent)
    finally:
        close_quietly(parent)


def sync_names(fd: int) -> None:
    """Fsync a directory; a file system that has no such thing is no error."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in NO_SYNC_HERE:
            raise


def close_quietly(fd: int) -> None:
    """Close a handle nothing was written through: a failure tells nothing about any data."""
    try:
        os.close(fd)
    except OSError:
        pass


def foreign(status: os.stat_result) -> bool:
    """Tell whether something belongs to another user; root may touch everything."""
    geteuid = getattr(os, "geteuid", None)
    return geteuid is not None and geteuid() != 0 and status.st_uid != geteuid()


def private_directory(path: str) -> str:
    """Create a directory for our state (0700), or see that nobody else can change it; give its real path."""
    path = path.rstrip(os.sep) or path
    with explained("use", path):
        if os.path.islink(path) and os.lstat(path).st_uid and foreign(os.lstat(path)):
            raise Refused(f"{path} is a link made by another user; nothing was written. Remove it")
        real = resolve(path)
        try:
            folder = Folder(real, make=0o700)
        except NotADirectoryError:
            raise Refused(f"{path} is no directory; nothing was written. Move it away") from None
        with folder:
            _keep_private(folder)
    return real


def _keep_private(folder: Folder) -> None:
    status = folder.status()
    if foreign(status):
        raise Refused(f"{folder.path} belongs to another user; nothing was written. Take it over with chown")
    if sys.platform == "win32" or folder.fd is None or not status.st_mode & 0o022:
        return
    # a home made under umask 002 or 000, by hand or by an older version: close it
    os.fchmod(folder.fd, stat.S_IMODE(status.st_mode) & ~0o022)
    if folder.status().st_mode & 0o022:
        raise Refused(
            f"{folder.path} can be changed by other users; nothing was written. "
            f"Its file system keeps no permissions: set AGENT_IMPROVEMENT_HOME to another place"
        )
