"""installed.json: what `install` wrote where, so that `uninstall` can leave the bytes of before.

It belongs to this machine, not to the store's history. One that is lost or broken costs the exact bytes, not the
uninstall: entries of ours are known by their commands.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from typing import Any

from improve import files
from improve.errors import ImproveError
from improve.jsontext import Splice
from improve.paths import Home

NAME = "installed.json"
_CAP = 1 << 24


@dataclass(frozen=True, slots=True)
class Item:
    """One file that was written."""

    host: str
    """Empty for what belongs to no single host: launchers."""
    kind: str
    """`settings`, `whole`, `skill` or `launcher`."""
    before: str = ""
    """SHA-256 of what was there; empty when there was no file."""
    after: str = ""
    """SHA-256 of what we left there."""
    splices: tuple[Splice, ...] | None = None
    """What turned one into the other; None when somebody else wrote in between."""
    made: tuple[tuple[str, ...], ...] | None = ()
    """Members that were created to hold our entries; None when nobody remembers."""
    backup: str = ""


@dataclass(slots=True)
class Receipt:
    """All files that were written, by path, and all directories that were created for them."""

    items: dict[str, Item] = field(default_factory=dict)
    directories: list[str] = field(default_factory=list)

    def note_directories(self, path: str) -> bool:
        """Remember the directories that will have to be made for a file; tell whether there are new ones."""
        folder, before = os.path.dirname(path), len(self.directories)
        while folder != os.path.dirname(folder) and not os.path.lexists(folder):
            if folder not in self.directories:
                self.directories.append(folder)
            folder = os.path.dirname(folder)
        return len(self.directories) > before


def load(home: Home) -> Receipt:
    """Read the receipt; nothing of one that is missing or broken."""
    try:
        data = json.loads(files.read(home.file(NAME), cap=_CAP).data)
        items = {path: _item(said, copies_of(home)) for path, said in data["files"].items() if os.path.isabs(path)}
        directories = [path for path in data["directories"] if os.path.isabs(path)]
    except (ImproveError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Receipt()
    return Receipt(items, directories)


def copies_of(home: Home) -> str:
    """Name the directory of the copies of settings files: private, outside of the store."""
    return os.path.join(os.path.dirname(home.state), "backups")


def _item(said: dict[str, Any], copies: str) -> Item:
    splices = said["splices"]
    known = None if splices is None else tuple(Splice(int(at), str(old), str(new)) for at, old, new in splices)
    made = None if said["made"] is None else tuple(tuple(map(str, path)) for path in said["made"])
    host, kind, before, after, backup = (str(said[name]) for name in ("host", "kind", "before", "after", "backup"))
    # it is removed some day, and a store can come from anywhere
    if not os.path.isabs(backup) or os.path.realpath(os.path.dirname(backup)) != os.path.realpath(copies):
        backup = ""
    return Item(host, kind, before, after, splices=known, made=made, backup=backup)


def save(home: Home, receipt: Receipt) -> None:
    """Write the receipt, private; remove it when there is nothing to remember."""
    path = home.file(NAME)
    if not receipt.items and not receipt.directories:
        files.unlink(path)
        return
    listed = {name: asdict(item) for name, item in sorted(receipt.items.items())}
    data = json.dumps({"version": 1, "directories": receipt.directories, "files": listed}, indent=1) + "\n"
    files.replace(files.read(path, cap=_CAP), data.encode("ascii"), mode_if_new=0o600)
