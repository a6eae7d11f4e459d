"""Whose a file is that stands where an installation would put one: ours, another store's, or the person's."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from improve import files
from improve.hosts.wiring import STAMP, Settings, Whole, called, launchers_in
from improve.workflow import skill
from improve.workflow.receipt import Item


@dataclass(frozen=True, slots=True)
class Piece:
    """A file that belongs to the installation."""

    kind: str
    """`settings`, `whole`, `skill` or `launcher`."""
    path: str
    hosts: tuple[str, ...]
    """Names of the hosts it is for; none for a launcher."""
    launcher: str
    part: Settings | Whole | None = None
    data: bytes = b""
    """The file as it should be, unless it is settings."""
    executable: bool = False
    barred: str = ""
    """Why it may not be written where it would belong; empty when it may."""


def is_own(piece: Piece, known: Item | None, seen: files.Snapshot) -> bool:
    """Tell whether a file is ours and as we left it; one that nobody remembers is known by what it runs."""
    if piece.kind == "launcher":
        return STAMP.encode() in seen.data
    if known is not None and known.after == seen.sha:
        return True
    if piece.kind == "skill":
        return bool(skill.program_in(seen.data))
    part, lines = piece.part, _commands_in(seen.data)
    if isinstance(part, Whole) and any(_made(part, path) == seen.data for path in launchers_in(seen.data)):
        return True
    return known is None and bool(lines) and STAMP.encode() not in seen.data and all(map(called, lines))


def _made(part: Whole, launcher: str) -> bytes:
    return part.make(launcher).encode("utf-8", "surrogateescape")


def _commands_in(data: bytes) -> list[str]:
    """List the commands of a hooks file that is all ours."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return []
    found = list[str]()
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, dict):
            found += [item[key] for key in ("command", "bash") if isinstance(item.get(key), str)]
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
    return found


def other_store(piece: Piece, data: bytes) -> str:
    """Give the launcher of another store that is there and that a file calls; empty when there is none."""
    named = {skill.program_in(data)} if piece.kind == "skill" else launchers_in(data)
    ours = os.path.realpath(os.path.dirname(piece.launcher))
    living = sorted(path for path in named if os.path.exists(path))
    return next((path for path in living if os.path.realpath(os.path.dirname(path)) != ours), "")


def stranger(piece: Piece, known: Item | None) -> str:
    """Say why the directory of a skill is somebody else's; empty when it is not."""
    folder = os.path.dirname(piece.path)
    if piece.kind != "skill" or not os.path.lexists(folder):
        return ""
    if os.path.islink(folder):
        return f"it is a link to {os.path.realpath(folder)}"
    if not os.path.isdir(folder):
        return "it is a file"
    return "it is a directory of your own" if not known and _foreign_files(folder) else ""


def _foreign_files(folder: str) -> bool:
    names = os.listdir(folder)
    return bool(names) and "SKILL.md" not in names
