"""Verified copies of rules.yaml: what a rebuild starts from, together with the journal."""

from __future__ import annotations

import hashlib
import os

from improve import files, journal
from improve.errors import ImproveError
from improve.layout import CAP
from improve.paths import Home


def keep_backup(home: Home, data: bytes, name: str) -> str:
    """Keep a copy in `backup/` and read it back; an equal copy is left alone."""
    path = _path(home, name)
    files.private_directory(os.path.dirname(path))
    files.replace(files.read(path, cap=CAP), data, mode_if_new=0o600)
    if files.read(path, cap=CAP).data != data:
        raise ImproveError(f"{path}: the backup does not read back as it was written; nothing else was changed")
    return path


def back_up_foreign(home: Home, data: bytes) -> None:
    """Keep a file that somebody else wrote; the journal carries what we write after it. Hold the lock."""
    if files.read(_path(home, "rules.yaml"), cap=CAP).data == data:
        return
    # The journal comes first: a copy whose place in the journal is not known would be taken for an older one.
    sha = hashlib.sha256(data).hexdigest()
    journal.append(home.journal, {"event": "backup", "sha": sha}, durable=False)
    keep_backup(home, data, "rules.yaml")


def _path(home: Home, name: str) -> str:
    return os.path.join(home.file("backup"), name)
