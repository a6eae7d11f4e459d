"""One file of an installation: what would be done to it, in either direction, and why not."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, replace

from improve import files, jsontext
from improve.errors import EnvironmentFailure, ImproveError, Refused
from improve.hosts.wiring import STAMP, Settings, Whole
from improve.jsontext import Change, Splice, Unfit
from improve.workflow import entries, owner
from improve.workflow.owner import Piece
from improve.workflow.receipt import Item, Receipt

WRITES = ("write", "remove")
_CAP = jsontext.CAP + 1
_LARGEST = 1 << 26


@dataclass(frozen=True, slots=True)
class Step:
    """What is done to a file, or would be."""

    piece: Piece
    state: str
    """`write`, `remove`, `same`, `left` (it is the person's) or `refused`."""
    before: files.Snapshot | None = None
    after: bytes = b""
    item: Item | None = None
    """What the receipt has to say of it then; None when it is to be forgotten."""
    why: str = ""
    snippet: str = ""
    """What a person can paste."""
    code: int = 0


def put_in(piece: Piece, receipt: Receipt) -> Step:
    """Say what has to be done so that a piece is there."""
    if piece.barred:
        return Step(piece, "refused", why=piece.barred, code=Refused.exit_code)
    try:
        if isinstance(piece.part, Settings):
            return _settings_in(piece, piece.part, receipt.items.get(piece.path))
        return _file_in(piece, receipt.items.get(piece.path))
    except Unfit as unfit:
        return _refused(piece, f"{piece.path}: {unfit}; it was left as it is. Correct it, or paste the entries", 3)
    except ImproveError as error:
        return _refused(piece, str(error), error.exit_code)


def take_out(piece: Piece, receipt: Receipt) -> Step:
    """Say what has to be done so that a piece is gone."""
    if piece.path not in receipt.items and not os.path.exists(piece.path):
        return Step(piece, "same")  # a link that leads nowhere, too
    try:
        if isinstance(piece.part, Settings):
            return _settings_out(piece, piece.part, receipt.items.get(piece.path))
        return _file_out(piece, receipt.items.get(piece.path))
    except Unfit as unfit:
        why = f"{piece.path}: {unfit}; it was left as it is. Take out the entries whose command names improve-hook"
        return replace(_refused(piece, why, 3), snippet="")
    except ImproveError as error:
        return replace(_refused(piece, str(error), error.exit_code), snippet="")


def _refused(piece: Piece, why: str, code: int) -> Step:
    return Step(piece, "refused", why=why, snippet=to_paste(piece), code=code)


def to_paste(piece: Piece) -> str:
    """Write what a person can paste into a file, if there is one."""
    return snippet(piece) if os.path.isfile(piece.path) else ""


def snippet(piece: Piece) -> str:
    """Write our part of a file, as it would be alone."""
    if isinstance(piece.part, Settings):
        members = entries.wanted(piece.part, piece.hosts[0], piece.launcher)
        return json.dumps(members, indent=2, ensure_ascii=False) + "\n"
    return piece.data.decode("utf-8", "replace") if piece.kind == "whole" else ""


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --- settings ---


def _settings_in(piece: Piece, part: Settings, known: Item | None) -> Step:
    _refuse_no_text(piece.launcher)
    seen = files.read(piece.path, cap=_CAP)
    if not seen.exists:
        text = snippet(piece)
        change = Change(text, (Splice(0, "", text),), _members(part))
    else:
        text = jsontext.decode(seen.data, bom=part.bom)
        change = entries.put_in(text, part, piece.hosts[0], piece.launcher, known.made if known else ())
    after = _encoded(change.text)
    if not change.splices:
        return Step(piece, "same", seen, after, known or Item(piece.hosts[0], piece.kind, made=None))
    _refuse_managed(piece, seen)
    return Step(piece, "write", seen, after, _remembered(piece, known, seen, change), why=_until_now(piece, seen.data))


def _until_now(piece: Piece, data: bytes) -> str:
    other = owner.other_store(piece, data)
    return f"until now it called {other}, the program of another store" if other else ""


def _encoded(text: str) -> bytes:
    data = text.encode("utf-8")
    if len(data) > jsontext.CAP:
        raise Unfit("it would become too large to be read again")
    return data


def _refuse_no_text(path: str) -> None:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused(
            f"{path} is not UTF-8, and a settings file is, so it cannot be called from one; nothing was written. "
            "Set AGENT_IMPROVEMENT_HOME to another place"
        ) from None


def _refuse_managed(piece: Piece, seen: files.Snapshot) -> None:
    """Leave a file that is made from a description elsewhere, and would be made anew."""
    if (seen.exists and not seen.mode & 0o222) or seen.path.startswith(("/nix/store/", "/gnu/store/")):
        where = f" ({seen.path})" if os.path.islink(piece.path) else ""
        raise EnvironmentFailure(
            f"{piece.path} is read-only{where}; nothing was written. Make the change where it is managed"
        )


def _members(part: Settings) -> tuple[tuple[str, ...], ...]:
    """List all members that hold our entries in a file that is made for them."""
    version = [("version",)] if part.shape == "flat" else []
    return tuple(dict.fromkeys([*version, ("hooks",), *(("hooks", hook.theirs) for hook in part.hooks)]))


def _remembered(piece: Piece, known: Item | None, seen: files.Snapshot, change: Change) -> Item:
    """Say how the file came about, so that it can go back the same way."""
    host, after = piece.hosts[0], _sha(_encoded(change.text))
    ours = seen.exists and entries.find(_value(seen.data, piece))
    if known is None or not ours:
        backup = known.backup if known else ""
        before = _sha(seen.data) if seen.exists else ""
        if ours:  # of another store, or of a receipt that was lost: that is no state to go back to
            return Item(host, piece.kind, before, after, splices=None, made=None, backup=backup)
        return Item(host, piece.kind, before, after, change.splices, change.made, backup)
    made = None if known.made is None else tuple(dict.fromkeys([*known.made, *change.made]))
    whole = known.splices is not None and known.after == _sha(seen.data)
    splices = (*(known.splices or ()), *change.splices) if whole else None
    return replace(known, after=after, splices=splices, made=made)


def _value(data: bytes, piece: Piece) -> object:
    part = piece.part
    assert isinstance(part, Settings)
    return jsontext.parse(jsontext.decode(data, bom=part.bom), comments=part.comments)


def _settings_out(piece: Piece, part: Settings, known: Item | None) -> Step:
    seen = files.read(piece.path, cap=_LARGEST)
    if b"improve-hook" not in seen.data:  # whatever else is wrong with it
        return Step(piece, "same", seen, seen.data)
    exact = _exactly(seen, known)
    if exact is not None:
        _refuse_managed(piece, seen)
        return _left(piece, seen, exact, existed=bool(known and known.before))
    text = jsontext.decode(seen.data, bom=part.bom)
    made = known.made if known else None
    change = entries.take_out(text, part, lambda entry: _is_ours(entry, piece), made)
    if not change.splices:
        return _others(piece, seen) or Step(piece, "same", seen, seen.data)
    _refuse_managed(piece, seen)
    created = known is not None and not known.before and known.made is not None
    left = change.text.encode("utf-8")
    return _left(piece, seen, left, existed=not created or change.text.strip() != "{}")


def _others(piece: Piece, seen: files.Snapshot) -> Step | None:
    """Leave what another store has there."""
    other = owner.other_store(piece, seen.data)
    return Step(piece, "left", seen, why=f"it calls {other}, the program of another store") if other else None


def _is_ours(entry: entries.Entry, piece: Piece) -> bool:
    """Tell whether an entry calls this store's launcher, or one that is gone."""
    return entry.host in piece.hosts and (entry.launcher == piece.launcher or entries.stranded(entry))


def _exactly(seen: files.Snapshot, known: Item | None) -> bytes | None:
    """Give the bytes of before if nobody wrote since."""
    if known is None or known.splices is None or known.after != seen.sha:
        return None
    try:
        before = jsontext.revert(seen.data.decode("utf-8"), known.splices).encode("utf-8")
    except Unfit:
        return None
    return before if _sha(before) == known.before or (not known.before and not before) else None


def _left(piece: Piece, seen: files.Snapshot, left: bytes, *, existed: bool) -> Step:
    """Leave these bytes, or no file when there was none; a link is never removed."""
    other = owner.other_store(piece, left)
    why = f"what calls {other}, the program of another store, stays" if other else ""
    if not other and b"improve-hook" in left:
        why = "improve-hook is named in it elsewhere; that stays"
    if not existed and os.path.islink(piece.path):
        return Step(piece, "write", seen, left.strip() or b"{}\n", why=why)
    return Step(piece, "write" if existed else "remove", seen, left, why=why)


# --- files that are ours ---


def _file_in(piece: Piece, known: Item | None) -> Step:
    theirs = owner.stranger(piece, known)
    if theirs:
        return Step(piece, "left", why=theirs)
    seen = files.read(piece.path, cap=_CAP)
    item = Item(" ".join(_users(piece, known)), piece.kind, "", _sha(piece.data))
    if seen.exists and seen.data == piece.data and (not piece.executable or seen.mode & 0o100):
        return Step(piece, "same", seen, piece.data, item)
    if seen.exists and not owner.is_own(piece, known, seen):
        changed = STAMP.encode() in seen.data
        if piece.kind == "skill" or (isinstance(piece.part, Whole) and piece.part.optional):
            return Step(piece, "left", seen, why="it was changed by hand" if changed else "it is your own")
        who = "was changed by hand" if changed else "is there already, and not from improve"
        todo = "Move it away" if piece.kind == "launcher" else "Add the commands to it, or move it away"
        raise Refused(f"{piece.path} {who}; it was left as it is. {todo}")
    return Step(piece, "write", seen, piece.data, item, why=_until_now(piece, seen.data))


def _users(piece: Piece, known: Item | None) -> list[str]:
    return sorted({*piece.hosts, *(known.host.split() if known else [])})


def _file_out(piece: Piece, known: Item | None) -> Step:
    if owner.stranger(piece, known):
        return Step(piece, "same")
    seen = files.read(piece.path, cap=_CAP)
    if not seen.exists:
        return Step(piece, "same", seen, why="gone")
    if os.path.islink(piece.path):
        return Step(piece, "left", seen, why=f"it is a link to {seen.path}; remove both if you do not need them")
    others = None if seen.data == piece.data else _others(piece, seen)
    if others:
        return others
    if seen.data == piece.data or owner.is_own(piece, known, seen):
        return Step(piece, "remove", seen)
    if known is not None or STAMP.encode() in seen.data:
        return Step(piece, "left", seen, why="it was changed by hand; remove it if you do not need it")
    return Step(piece, "same", seen)
