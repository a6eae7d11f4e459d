"""Own the bytes on disk: read with care, replace as a whole or not at all, append whole lines.

Nothing else in the package writes a file. The promises: only a missing file is empty; a file is its old or
its new self and never a mixture; links stay links; no write leaves the directory that was looked at.
"""

# contextlib costs more at start-up than this whole module may:
# ruff: noqa: SIM105

from __future__ import annotations

import errno
import os

from improve.draft import PREFIX, changed, discard, keep_owner, patiently, sweep, sync, write_draft
from improve.errors import Busy, EnvironmentFailure, Refused
from improve.folder import NO_SYNC_HERE, Folder, close_quietly, explained, private_directory, resolve
from improve.snapshot import Snapshot, followed, open_regular, read, unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Snapshot",
    "append_line",
    "create_exclusive",
    "edit",
    "open_to_read",
    "private_directory",
    "read",
    "replace",
    "resolve",
    "sweep",
    "unlink",
]

_NO_LINK_HERE = NO_SYNC_HERE | {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EMLINK}


def replace(
    snapshot: Snapshot,
    new: bytes,
    *,
    mode_if_new: int = 0o644,
    make_parents: bool = False,
    durable: bool = True,
) -> bool:
    """Put `new` in the place of what was read, if that is still there; tell whether it differed."""
    if new == snapshot.data:
        return False
    path = snapshot.path
    _refuse_shared(snapshot)
    _refuse_stand_in(snapshot)
    _refuse_read_only(snapshot)
    with explained("write", path), _parent(path, make_parents) as folder:
        sweep(folder.path)
        mode = 0o600 if snapshot.exists else mode_if_new
        draft = write_draft(folder, new, mode=mode, old=snapshot, durable=durable)
        try:
            _compare(folder, snapshot)
            patiently(lambda: _rename(folder, draft, os.path.basename(path)))
        except BaseException:
            discard(folder, draft)
            raise
        _confirm(folder, path, durable)
    return True


def _parent(path: str, make: bool) -> Folder:
    where = os.path.dirname(path)
    try:
        return Folder(where, make=0o777 if make else None)
    except FileNotFoundError as error:
        raise Refused(f"{path}: the directory {where} is missing; nothing was written. Create it") from error


def edit(
    path: str,
    change: Callable[[Snapshot], bytes],
    *,
    cap: int,
    within: str | None = None,
    mode_if_new: int = 0o644,
    make_parents: bool = False,
    tries: int = 3,
) -> bool:
    """Read, change and replace; start again when somebody else saved in between, at most `tries` times."""
    while True:
        snapshot = read(path, cap=cap, within=within)
        try:
            return replace(snapshot, change(snapshot), mode_if_new=mode_if_new, make_parents=make_parents)
        except Busy:
            tries -= 1
            if tries <= 0:
                raise


def _refuse_shared(seen: Snapshot) -> None:
    if seen.links > 1:
        raise Refused(
            f"{seen.path} has {seen.links} hard links, and writing it would split them; nothing was written. "
            "Replace the others by symbolic links"
        )


def _refuse_stand_in(seen: Snapshot) -> None:
    """Refuse what git leaves on a file system without links: a CLAUDE.md that only says `AGENTS.md`."""
    if len(seen.data) > 255 or b"\n" in seen.data or not seen.path.lower().endswith(".md"):
        return
    other = seen.data.decode("utf-8", "replace")
    if other.lower().endswith(".md") and "\0" not in other and not os.path.isabs(other):
        where = os.path.normpath(os.path.join(os.path.dirname(seen.path), other))
        if where != seen.path and os.path.isfile(where):
            raise Refused(
                f"{seen.path} stands for a link to {other}, checked out as text; nothing was written. "
                f"Name {where} instead, or turn on core.symlinks in git"
            )


def _refuse_read_only(seen: Snapshot) -> None:
    """Somebody took the right to write it away; the rename would not ask for it."""
    if seen.exists and not seen.mode & 0o222:
        raise EnvironmentFailure(f"{seen.path} is read-only; nothing was written. Allow it with: chmod u+w {seen.path}")


def _compare(folder: Folder, before: Snapshot) -> None:
    """Look again right before the rename, so that an editor's save in between is never lost."""
    same, links = unchanged(folder, before)
    if not same:
        raise changed(before.path)
    _refuse_shared(Snapshot(before.path, links=links))


def _rename(folder: Folder, draft: str, name: str) -> None:
    try:
        os.replace(folder.at(draft), folder.at(name), src_dir_fd=folder.fd, dst_dir_fd=folder.fd)
    except FileNotFoundError:
        raise changed(os.path.join(folder.path, name)) from None


def _confirm(folder: Folder, path: str, durable: bool) -> None:
    """Make the new name durable; when that fails the file is there, and we say that it may not last."""
    if not durable:
        return
    try:
        folder.sync()
    except OSError as error:
        raise EnvironmentFailure(
            f"{path} was written, but the disk did not confirm it ({error.strerror}). Check the disk"
        ) from error


def create_exclusive(directory: str, name: str, data: bytes) -> str:
    """Create a complete new file (0600) as Maildir does, give its path; FileExistsError on a clash."""
    if name != os.path.basename(name) or name.startswith(PREFIX) or name in ("", ".", ".."):
        raise ValueError(f"{name!r} is no name for an entry")
    path = os.path.join(directory, name)
    with explained("write", path), Folder(resolve(directory)) as folder:
        sweep(folder.path)
        draft = write_draft(folder, data, mode=0o600, old=None, durable=True)
        try:
            patiently(lambda: _publish(folder, draft, name))
        finally:
            discard(folder, draft)
        _confirm(folder, path, True)
    return path


def _publish(folder: Folder, draft: str, name: str) -> None:
    """Give a draft its name without ever taking the name from another file."""
    old, new, fd = folder.at(draft), folder.at(name), folder.fd
    if os.name == "nt":
        os.rename(old, new)  # refuses an existing name there
        return
    try:
        os.link(old, new, src_dir_fd=fd, dst_dir_fd=fd)
    except OSError as error:
        if error.errno not in _NO_LINK_HERE:
            raise
        # FAT, Android and some FUSE have no hard links
        try:
            os.stat(new, dir_fd=fd, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(old, new, src_dir_fd=fd, dst_dir_fd=fd)
            return
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from None


def append_line(path: str, line: bytes, *, durable: bool = True) -> None:
    """Add one whole line to a log (created 0600) in one write; first end a line that a kill left torn."""
    line = line.removesuffix(b"\n") + b"\n"
    if b"\n" in line[:-1]:
        raise ValueError("a line of a log holds no line end")
    with explained("append to", path):
        real = resolve(path)
        with Folder(os.path.dirname(real)) as folder, followed(path, real):
            fd, before = open_regular(folder, real, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            try:
                if not before.st_size:
                    keep_owner(fd, folder.status())
                _append(fd, before.st_size, line)
                if durable:
                    sync(fd)
            except BaseException:
                close_quietly(fd)
                raise
            os.close(fd)
            _confirm(folder, path, durable and not before.st_size)


def _append(fd: int, size: int, line: bytes) -> None:
    if size:
        os.lseek(fd, -1, os.SEEK_END)
        if os.read(fd, 1) != b"\n":
            line = b"\n" + line
    # The rest of a short write is not sent after it: another process may have appended since. What is torn
    # stays torn, readers skip it, and the line counts as not written.
    if os.write(fd, line) != len(line) or os.fstat(fd).st_size < size + len(line):
        raise OSError(errno.ENOSPC, "the disk accepted only a part of the line")


def open_to_read(path: str) -> int | None:
    """Open a file of ours to read parts of it, None when it is missing; a pipe or a device is refused."""
    with explained("read", path):
        real = resolve(path)
        try:
            with Folder(os.path.dirname(real)) as folder, followed(path, real):
                return open_regular(folder, real, os.O_RDONLY)[0]
        except FileNotFoundError:
            return None


def unlink(path: str) -> None:
    """Remove a file or a link; a missing one is no error."""
    with explained("remove", path):
        try:
            patiently(lambda: os.unlink(path))
        except FileNotFoundError:
            pass
