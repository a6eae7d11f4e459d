"""Install: make every agent call us, and take all of it back.

What is to be done to each file is worked out first, shown, and then done under one lock; a file that somebody saves
meanwhile is read again. `installed.json` remembers what was there before.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace

from improve import diff, files, hosts, journal, locks, redact
from improve.errors import Busy, EnvironmentFailure, ImproveError, Refused
from improve.hosts.base import Host
from improve.workflow import copies, pieces, receipt
from improve.workflow.here import Here
from improve.workflow.owner import Piece
from improve.workflow.parts import chosen, guarded, idle, launchers, leaving, parts
from improve.workflow.pieces import WRITES, Step
from improve.workflow.receipt import Item, Receipt
from improve.workflow.wired import Wired, callers, following, installed

__all__ = [
    "Step",
    "Wired",
    "chosen",
    "difference",
    "follow_guards",
    "install",
    "installed",
    "preview",
    "preview_removal",
    "uninstall",
]

USUAL = ".agent-improvement"
"""Name of a store's directory that is ours even when nobody remembers who made it."""
TRIES = 12
"""Times a file is read again when somebody saves it meanwhile."""


def preview(here: Here, found: Iterable[Host]) -> list[Step]:
    """Say what `install` would do; touches nothing."""
    known, mine = receipt.load(here.home), list(found)
    going = [pieces.take_out(piece, known) for piece in _idle(here, mine, known)]
    return [*(pieces.put_in(piece, known) for piece in parts(here, mine)), *going]


def preview_removal(here: Here, names: Sequence[str]) -> list[Step]:
    """Say what `uninstall` would do; touches nothing."""
    known = receipt.load(here.home)
    done = [pieces.take_out(piece, known) for piece in leaving(here, known, names)]
    for step in done:
        if step.state != "refused":
            known.items.pop(step.piece.path, None)
    _give_up(known, names)
    gone = {step.piece.path for step in done if step.state in WRITES}
    return done + _launchers_out(here, known, names, lambda piece: pieces.take_out(piece, known), gone)


def difference(here: Here, step: Step) -> str:
    """Show what a step does to a settings file or a file of its own, credentials around it covered."""
    if step.state not in WRITES or step.before is None:
        return ""
    exists, remains = step.before.exists, step.state == "write"
    shown = here.short(step.piece.path)
    text = diff.unified(step.before.data, step.after if remains else b"", shown, exists=exists, remains=remains)
    return redact.redact(text)


# --- doing it ---


def install(here: Here, found: Sequence[Host]) -> list[Step]:
    """Write what is missing; a file that cannot be written is told and the others go on.

    Raises:
        ImproveError: the launchers cannot be written, without which nothing works.
    """
    _refuse_sudo(here)
    planned = parts(here, found)
    with _locked(here):
        known = receipt.load(here.home)
        known.note_directories(here.home.file(receipt.NAME))
        files.private_directory(here.home.path)
        done = [_put_in(here, piece, known) for piece in planned]
        done += [_take_out(piece, known) for piece in _idle(here, found, known)]
        receipt.save(here.home, known)
        _journal(here, "installed", done)
    return done


def follow_guards(here: Here) -> list[Step]:
    """Let the hosts that call us ask before each call of a tool exactly while a guard is on."""
    _refuse_sudo(here)
    on = guarded(here)
    if not following(here, guarded=on):
        return []
    with _locked(here):
        known = receipt.load(here.home)
        done = [_put_in(here, piece, known) for piece in following(here, guarded=on)]
        done += [_take_out(piece, known) for piece in _idle(here, hosts.all_hosts(), known)]
        receipt.save(here.home, known)
    return done


def _idle(here: Here, found: Iterable[Host], known: Receipt) -> list[Piece]:
    """List what was written for guards, of which none is on any more."""
    on = guarded(here)
    return [piece for host in found for piece in idle(here, host, guarded=on) if piece.path in known.items]


def uninstall(here: Here, names: Sequence[str]) -> list[Step]:
    """Take everything back, or what belongs to the hosts named; what people changed stays.

    Raises:
        ImproveError: the store's directory is not ours.
    """
    _refuse_sudo(here)
    if not os.path.isdir(here.home.path) and not any(s.state in WRITES for s in preview_removal(here, names)):
        return []
    with _locked(here):
        known = receipt.load(here.home)
        done = [_take_out(piece, known) for piece in leaving(here, known, names)]
        _give_up(known, names)
        done += _launchers_out(here, known, names, lambda piece: _take_out(piece, known))
        _tidy(here, known, done)
        _journal(here, "uninstalled", done)
    return done


def _locked(here: Here) -> contextlib.AbstractContextManager[None]:
    return locks.lock(here.home.file(receipt.NAME), directory=here.home.state, timeout=30)


def _refuse_sudo(here: Here) -> None:
    """Under sudo the files would be read by another person's agents, or belong to the wrong one."""
    if os.name == "nt" or os.geteuid() or not here.env.get("SUDO_UID", "0").strip("0"):
        return
    with contextlib.suppress(OSError):
        if os.stat(here.home.user).st_uid:
            raise Refused(f"{here.home.user} belongs to another user; nothing was written. Run it without sudo")


def _put_in(here: Here, piece: Piece, known: Receipt) -> Step:
    """Do one step; read again when somebody saves the file meanwhile."""
    for attempt in range(TRIES):
        step = pieces.put_in(piece, known)
        try:
            if step.state == "write":
                _write(here, step, known)
            elif step.state == "same" and step.item and step.item != known.items.get(piece.path):
                _remember(here, known, step)
            break
        except Busy as busy:
            step = _failed(step, busy)
            time.sleep(random.uniform(0, 0.01 * (attempt + 1)))
        except ImproveError as error:
            step = _failed(step, error)
            break
    if piece.kind == "launcher" and step.state == "refused":
        raise {3: Refused, 4: Busy}.get(step.code, EnvironmentFailure)(step.why)
    return step


def _failed(step: Step, error: ImproveError) -> Step:
    text = pieces.to_paste(step.piece)
    return Step(step.piece, "refused", why=str(error), snippet=text, code=error.exit_code)


def _write(here: Here, step: Step, known: Receipt) -> None:
    """Write one file; what the receipt needs to know is there before, so that a kill in between costs nothing."""
    path, mode, settings = step.piece.path, 0o755 if step.piece.executable else 0o644, step.piece.kind == "settings"
    before = step.before
    assert before is not None
    earlier, new_directories = known.items.get(path), known.note_directories(path)
    if new_directories and not settings:
        receipt.save(here.home, known)
    try:
        if settings:
            mode, step = 0o600, copies.keep(here, step)
            _remember(here, known, step)
        files.replace(before, step.after, mode_if_new=mode, make_parents=True)
    except BaseException:
        if settings and not _is_written(step):
            _put_back(known, step, earlier)
        raise
    _remember(here, known, step)
    if step.piece.executable:
        _make_executable(step.piece, mode)


def _is_written(step: Step) -> bool:
    with contextlib.suppress(ImproveError):
        return files.read(step.piece.path, cap=len(step.after)).data == step.after
    return False


def _put_back(known: Receipt, step: Step, earlier: Item | None) -> None:
    """Remember a file as before, and keep no copy that was made for nothing."""
    path, made = step.piece.path, step.item.backup if step.item else ""
    known.items.pop(path, None)
    if earlier:
        known.items[path] = earlier
    if made and (earlier is None or made != earlier.backup):
        copies.drop(made)


def _make_executable(piece: Piece, mode: int) -> None:
    if not os.access(piece.path, os.X_OK):
        os.chmod(piece.path, mode)
    if not os.access(piece.path, os.X_OK):
        todo = "Set AGENT_IMPROVEMENT_HOME to another place" if piece.kind == "launcher" else "Allow it (mount: exec)"
        raise EnvironmentFailure(f"{piece.path} was written, but its file system runs no programs. {todo}")


def _remember(here: Here, known: Receipt, step: Step) -> None:
    if step.item is not None:
        known.items[step.piece.path] = step.item
        receipt.save(here.home, known)


def _take_out(piece: Piece, known: Receipt) -> Step:
    for attempt in range(TRIES):
        step = pieces.take_out(piece, known)
        try:
            if step.state in WRITES:
                _undo(step)
            if step.state != "refused":
                _forget(known, piece.path)
            return step
        except Busy as busy:
            step = _failed(step, busy)
            time.sleep(random.uniform(0, 0.01 * (attempt + 1)))
        except ImproveError as error:
            return _failed(step, error)
    return step


def _undo(step: Step) -> None:
    assert step.before is not None
    if step.state == "write":
        files.replace(step.before, step.after)
        return
    if files.read(step.piece.path, cap=len(step.before.data)).data != step.before.data:
        raise Busy(f"{step.piece.path} was saved by another program meanwhile; it was left as it is. Run it again")
    files.unlink(step.piece.path)


def _forget(known: Receipt, path: str) -> None:
    item = known.items.pop(path, None)
    if item and item.backup:
        copies.drop(item.backup)


def _give_up(known: Receipt, names: Sequence[str]) -> None:
    """Forget that these hosts read a skill that others read, too."""
    for path, item in known.items.items():
        users = [name for name in item.host.split() if name not in names]
        if item.kind == "skill" and users:
            known.items[path] = replace(item, host=" ".join(users))


def _launchers_out(
    here: Here, known: Receipt, names: Sequence[str], take: Callable[[Piece], Step], gone: Container[str] = ()
) -> list[Step]:
    """Take the launchers out once nothing calls them any more; say what does when everything was to go.

    Args:
        gone: files that will call nothing of ours.
    """
    calling = [path for path, item in known.items.items() if item.kind != "launcher"]
    calling += [path for path in callers(here) if path not in gone]
    if not calling:
        return [take(piece) for piece in launchers(here)]
    there = [piece for piece in launchers(here) if not names and os.path.exists(piece.path)]
    return [Step(piece, "left", why=f"{here.short(calling[0])} still calls it") for piece in there]


def _tidy(here: Here, known: Receipt, done: Iterable[Step]) -> None:
    """Remove the directories that were made, or that bear our name, and hold nothing; those of the receipt last."""
    ours = {os.path.dirname(step.piece.path) for step in done if step.piece.kind in ("skill", "launcher")}
    usual = {here.home.path} if here.home.path == os.path.join(here.home.user, USUAL) else set()
    made = sorted({*known.directories, *ours, *usual}, key=len, reverse=True)
    _remove_empty(made)
    known.directories = [folder for folder in known.directories if known.items and os.path.isdir(folder)]
    receipt.save(here.home, known)
    _remove_empty(made)


def _remove_empty(folders: Iterable[str]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def _journal(here: Here, event: str, done: Iterable[Step]) -> None:
    """Tell the store's journal, if there is a store."""
    names = sorted({name for step in done if step.state in WRITES for name in step.piece.hosts})
    if not names or not os.path.exists(here.home.rules):
        return
    title = ", ".join(hosts.host(name).title for name in names)
    line = {"v": 1, "at": here.now.isoformat(timespec="seconds"), "event": event, "title": title, "hosts": names}
    journal.append(here.home.journal, line, durable=False)
