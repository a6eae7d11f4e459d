"""The spool: each observation is its own small file until it stands in rules.yaml.

Written before anything else happens, as a Maildir delivery is (https://cr.yp.to/proto/maildir.html), so that an
acknowledged observation survives a broken rules.yaml, a held lock and a killed process.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from improve import files

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
    root: str = ""
    remote: str = ""
    name: str = ""


def new_oid() -> str:
    """Make an identity: 12 hexadecimal digits."""
    return os.urandom(6).hex()


def put(directory: str, pending: Pending) -> str:
    """Store an observation durably and return its path."""
    files.private_directory(directory)
    data = json.dumps({key: value for key, value in pending._asdict().items() if value}, ensure_ascii=True)
    stamp = pending.at.replace(":", "").replace("+", "_")
    return files.create_exclusive(directory, f"{stamp}-{pending.oid}{SUFFIX}", data.encode())


def waiting(directory: str) -> list[str]:
    """List the paths of the observations that wait, oldest first."""
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        return []
    return [os.path.join(directory, name) for name in sorted(names) if name.endswith(SUFFIX) and name[0] != "."]


def load(path: str) -> Pending | None:
    """Read one; None when it is gone (another process merged it) or was not written by us."""
    try:
        snapshot = files.read(path, cap=1 << 20)
        values = json.loads(snapshot.data) if snapshot.exists else None
        return Pending(**values) if isinstance(values, dict) else None
    except (ValueError, TypeError):
        return None
