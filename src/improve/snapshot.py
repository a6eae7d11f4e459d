"""Look at a file: what it held at one moment, or a clear reason why it is none we read."""

from __future__ import annotations

import errno
import io
import os
import stat

from improve.errors import Refused
from improve.folder import COMMON, Folder, close_quietly, explained, foreign, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPEN = COMMON | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Flags of every open of a file: no link is followed, and a pipe does not block."""
_BLOCK = 1 << 18
"""Bytes after which the state of a hash is kept."""
_KINDS = ((stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))


class Snapshot:
    """What a path held at one moment; frozen. (`dataclasses` alone would cost 8 ms on every call.)"""

    _FIELDS = ("data", "dev", "exists", "ino", "links", "mode", "path")
    __slots__ = (*_FIELDS, "_hash")
    path: str
    """Real path: no part of it is a link."""
    data: bytes
    exists: bool
    mode: int
    dev: int
    ino: int
    links: int
    _hash: Any

    def __init__(
        self,
        path: str,
        data: bytes = b"",
        exists: bool = False,
        mode: int = 0,
        dev: int = 0,
        ino: int = 0,
        links: int = 0,
    ) -> None:
        values = (data, dev, exists, ino, links, mode, path)
        for name, value in zip((*self._FIELDS, "_hash"), (*values, None), strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Snapshot is frozen: {name} stays as it is")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Snapshot):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._FIELDS)

    def __hash__(self) -> int:
        return hash((self.path, self.data, self.dev, self.ino))

    def __repr__(self) -> str:
        held = f"{len(self.data)} bytes" if self.exists else "missing"
        return f"Snapshot({self.path!r}, {held}, mode={self.mode:o}, links={self.links})"

    @property
    def sha(self) -> str:
        """SHA-256 of the bytes, in hex."""
        return self.sha_of(self.data)

    def sha_of(self, data: bytes) -> str:
        """Give the SHA-256 of other bytes; the blocks they begin with as these do are not hashed again."""
        states = self._states()
        shared = 0
        while shared + 1 < len(states) and self._same_block(data, shared):
            shared += 1
        state = states[shared].copy()
        state.update(memoryview(data)[shared * _BLOCK :])
        return str(state.hexdigest())

    def _same_block(self, data: bytes, number: int) -> bool:
        start, end = number * _BLOCK, (number + 1) * _BLOCK
        return data is self.data or data[start:end] == self.data[start:end]

    def _states(self) -> list[Any]:
        """Hash the bytes once, and keep how far that was after each whole block."""
        import hashlib

        if self._hash is None:
            states = [hashlib.sha256()]
            view = memoryview(self.data)
            for start in range(0, len(self.data) - _BLOCK + 1, _BLOCK):
                state = states[-1].copy()
                state.update(view[start : start + _BLOCK])
                states.append(state)
            object.__setattr__(self, "_hash", states)
        return list(self._hash)


def read(path: str, *, cap: int, within: str | None = None) -> Snapshot:
    """Read a whole file of at most `cap` bytes, through links that stay `within`; missing is no error."""
    with explained("read", path):
        real = resolve(path, within=within)
        try:
            folder = Folder(os.path.dirname(real))
        except FileNotFoundError:
            return Snapshot(real)
        with folder, followed(path, real):
            seen = look(folder, real, cap, strict=True)
    if len(seen.data) > cap:  # it grew while we read
        raise _too_large(path, cap)
    return seen


def _too_large(path: str, cap: int) -> Refused:
    return Refused(f"{path} is larger than {cap:,} bytes; nothing was read or written. Shorten it")


class followed:
    """Name the link, too, when what it leads to is refused: a person knows the file by that name."""

    __slots__ = ("path", "real")

    def __init__(self, path: str, real: str) -> None:
        self.path, self.real = path, real

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Refused) and os.path.islink(self.path):
            raise Refused(f"{self.path} leads elsewhere: {error}") from error


def look(folder: Folder, path: str, cap: int, *, strict: bool = False) -> Snapshot:
    """Read a file of an open directory, at most one byte more than `cap`; with `strict`, refuse a larger one."""
    try:
        fd, status = open_regular(folder, path, os.O_RDONLY)
    except FileNotFoundError:
        return Snapshot(path)
    try:
        if strict and status.st_size > cap:
            raise _too_large(path, cap)
        chunks, left = [], cap + 1
        piece = max(status.st_size + 1, 1 << 16)  # one call for a file that holds still
        while left > 0 and (chunk := os.read(fd, min(left, piece))):
            chunks.append(chunk)
            left -= len(chunk)
    finally:
        close_quietly(fd)
    mode = stat.S_IMODE(status.st_mode)
    return Snapshot(path, b"".join(chunks), True, mode, status.st_dev, status.st_ino, status.st_nlink)


def unchanged(folder: Folder, before: Snapshot) -> tuple[bool, int]:
    """Say whether a file still is what was read, and how many links it has; compared piece by piece, not kept."""
    try:
        fd, status = open_regular(folder, before.path, os.O_RDONLY)
    except FileNotFoundError:
        return not before.exists, 0
    try:
        same = before.exists and status.st_size == len(before.data) and _reads_as(fd, before.data)
    finally:
        close_quietly(fd)
    return same, status.st_nlink


def _reads_as(fd: int, data: bytes) -> bool:
    piece, at = bytearray(1 << 18), 0
    with io.FileIO(fd, closefd=False) as stream:
        while got := stream.readinto(piece):
            if piece[:got] != data[at : at + got]:  # copies of a piece cost less than comparing views
                return False
            at += got
    return at == len(data)


def open_regular(folder: Folder, path: str, flags: int, mode: int = 0o600) -> tuple[int, os.stat_result]:
    """Open a regular file of ours; look before the open, for opening a device can do things, and after it."""
    name = folder.at(os.path.basename(path))
    try:
        _refuse_odd(os.stat(name, dir_fd=folder.fd, follow_symlinks=False), path)
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    fd = os.open(name, flags | OPEN, mode, dir_fd=folder.fd)
    try:
        status = os.fstat(fd)
        _refuse_odd(status, path)
    except BaseException:
        close_quietly(fd)
        raise
    return fd, status


def _refuse_odd(status: os.stat_result, path: str) -> None:
    if stat.S_ISLNK(status.st_mode):  # a file when the path was resolved
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    if not stat.S_ISREG(status.st_mode):
        kind = next((word for test, word in _KINDS if test(status.st_mode)), "a device")
        raise Refused(f"{path} is {kind}, not a file; nothing was written. Move it away, or name another path")
    if foreign(status) and not _managed(status):
        raise Refused(f"{path} belongs to another user; nothing was written. Take it over with chown")


def _managed(status: os.stat_result) -> bool:
    """Tell whether nobody but root can change a file, as all that Nix makes: it is good to read, and never written."""
    return status.st_uid == 0 and not status.st_mode & 0o222
