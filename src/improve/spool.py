"""The spool: each observation is its own small file until it stands in rules.yaml.

Written before anything else happens, as a Maildir delivery is (https://cr.yp.to/proto/maildir.html), so that an
acknowledged observation survives a broken rules.yaml, a held lock and a killed process.
"""

from __future__ import annotations

import json
import os
import stat
from typing import Any, NamedTuple

from improve import files
from improve.errors import EnvironmentFailure, ImproveError
from improve.paths import Home

SUFFIX = ".json"


class Pending(NamedTuple):
    """An observation on its way into rules.yaml."""

    oid: str
    """Identity; merging the same one twice counts once."""
    at: str
    date: str
    text: str = ""
    """Rule text; empty when `same_as` names the rule."""
    project: str = ""
    domain: str = ""
    context: str = ""
    explicit_scope: str = ""
    session: str = ""
    host: str = ""
    signal: str = ""
    severity: int = 0
    provenance: str = ""
    same_as: str = ""
    new: bool = False
    """The caller says it is a rule of its own, whatever it resembles."""
    path: str = ""
    section: str = ""
    paths: tuple[str, ...] = ()
    root: str = ""
    remote: str = ""
    name: str = ""


_EMPTY = Pending("", "", "")


def new_oid() -> str:
    """Make an identity: 12 hexadecimal digits."""
    return os.urandom(6).hex()


def put(directory: str, pending: Pending) -> str:
    """Store an observation durably and return its path."""
    files.private_directory(directory)
    data = json.dumps({key: value for key, value in pending._asdict().items() if value}, ensure_ascii=True)
    return files.create_exclusive(directory, f"{_stamp(pending.at)}-{pending.oid}{SUFFIX}", data.encode())


def keep(home: Home, pending: Pending) -> tuple[str, EnvironmentFailure | None]:
    """Store an observation durably, in the refuge if the spool cannot be written; say where, and why there.

    An agent's shell may be a sandbox in which the person's home is read-only and the temporary directory is not.

    Raises:
        EnvironmentFailure: it can be kept nowhere.
    """
    try:
        files.private_directory(home.path)
        return put(home.spool, pending), None
    except EnvironmentFailure as exc:
        if not home.refuge:
            raise
        try:
            return put(home.refuge, pending), exc
        except ImproveError:
            raise exc from None


def _stamp(at: str) -> str:
    """Name a moment so that names sort as moments do, wherever the person has travelled."""
    from datetime import UTC, datetime

    return datetime.fromisoformat(at).astimezone(UTC).strftime("%Y-%m-%dT%H%M%SZ")


def waiting(directory: str) -> list[str]:
    """List the paths of the observations that wait, oldest first."""
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        return []
    return [os.path.join(directory, name) for name in sorted(names) if name.endswith(SUFFIX) and name[0] != "."]


def everything(home: Home) -> list[str]:
    """List the paths of all that waits, oldest first: in the spool, and in the refuge if nobody else could fill it."""
    sheltered = waiting(home.refuge) if _is_ours(home.refuge) else []
    return sorted([*waiting(home.spool), *sheltered], key=os.path.basename)


def _is_ours(directory: str) -> bool:
    try:
        seen = os.lstat(directory)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid() and not seen.st_mode & 0o077


def identities(home: Home) -> frozenset[str]:
    """Name the observations that wait, or that wait for their file to be taken away; `put` names files so."""
    return frozenset(path.removesuffix(SUFFIX).rpartition("-")[2] for path in everything(home))


def load(path: str) -> Pending | None:
    """Read one; None when it is gone (another process merged it), cannot be read or was not written by us."""
    try:
        snapshot = files.read(path, cap=1 << 20)
        values = json.loads(snapshot.data) if snapshot.exists else None
        pending = _pending(values) if isinstance(values, dict) else None
    except (ValueError, TypeError, RecursionError, ImproveError):  # it stays, and keeps no other from being merged
        return None
    return pending if pending and _sound(pending) else None


def _pending(values: dict[str, Any]) -> Pending:
    paths = values.pop("paths", [])
    listed = isinstance(paths, list) and all(isinstance(path, str) for path in paths)
    return Pending(**values, paths=tuple(paths) if listed else paths)


def _sound(pending: Pending) -> bool:
    """Say whether every value is what `put` writes; a bool is no number here."""
    typed = all(type(value) is type(_EMPTY[at]) for at, value in enumerate(pending))
    return typed and bool(pending.oid and (pending.text or pending.same_as)) and 0 <= pending.severity <= 5
