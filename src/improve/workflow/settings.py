"""config: change one setting of config.yaml under the store's lock."""

from __future__ import annotations

import os
from typing import Any

from improve import config, files, locks, settings
from improve.errors import UsageError
from improve.workflow.here import Here

FILE = "config.yaml"


def setting(name: str) -> settings.Setting:
    """Find a setting by its name.

    Raises:
        UsageError: there is none; names the nearest.
    """
    found = settings.named(name)
    if found is None:
        raise UsageError(f"{name!r} is no setting{settings.nearest(name, settings.NAMES)}")
    return found


def put(here: Here, name: str, text: str | None) -> bool:
    """Make a setting say this, or take its line out when there is no text; tells whether the file was changed.

    Raises:
        UsageError: there is no such setting, or it may not be that.
        NeedsRepair: config.yaml is broken; nothing was written.
    """
    setting(name)
    value, problems = config.parse_value(name, text) if text is not None else (None, [])
    if problems:
        raise UsageError(f"{'; '.join(problems)}; nothing was changed")
    path = here.home.file(FILE)
    if text is None and not os.path.lexists(path):
        return False
    files.private_directory(here.home.path)
    files.private_directory(here.home.state)

    def change(snapshot: files.Snapshot) -> bytes:
        data = config.changed(path, snapshot.data, name, settings.as_data(value))
        return snapshot.data if _says_so(snapshot, name, text, value) else data

    with locks.lock(os.path.realpath(here.home.path), directory=here.home.state, timeout=5.0):
        return files.edit(path, change, cap=config.CAP, mode_if_new=0o600)


def _says_so(snapshot: files.Snapshot, name: str, text: str | None, value: Any) -> bool:
    """Say whether nothing has to change: the value stands there, however it is spelled."""
    found = config.understood(snapshot.data)
    return text is not None and name in found.lines and getattr(found.config, name) == value
