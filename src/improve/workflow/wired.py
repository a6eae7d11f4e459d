"""Our hooks as the hosts' own files have them now."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from dataclasses import replace
from typing import NamedTuple

from improve import files, hosts, jsontext
from improve.errors import ImproveError
from improve.hosts.wiring import TOOL_EVENTS, Settings, Whole, called, command, launchers_in
from improve.workflow import entries, receipt
from improve.workflow.here import Here
from improve.workflow.owner import Piece
from improve.workflow.parts import allowed, guarded, wiring


class Wired(NamedTuple):
    """A hook as it stands in a host's file now."""

    host: str
    file: str
    event: str
    """Our name of the event; empty for a plugin, which reports several."""
    theirs: str
    command: str
    """What the host runs, by a shell; empty for a plugin."""
    state: str
    """`ok`, `missing` or `changed`."""


def installed(here: Here) -> list[Wired]:
    """List our hooks as the hosts' own files have them now, and those that should be there and are not."""
    known, found, on = receipt.load(here.home), list[Wired](), guarded(here)
    for host in hosts.all_hosts():
        for piece in wiring(here, host, guarded=on):
            wired = list(_wired(piece))
            there = piece.path in known.items or any(each.state != "missing" for each in wired)
            found += wired if there else []
    return found


def callers(here: Here) -> list[str]:
    """List the files of hosts that call the launcher of this store, and those nobody can read."""
    every = (piece for host in hosts.all_hosts() for piece in wiring(here, host, guarded=True))
    return [piece.path for piece in every if _calls(piece)]


def following(here: Here, *, guarded: bool) -> list[Piece]:
    """List the files of the hosts that call us, as they are to stand while a guard is on, or none is.

    A host that does not call us is left alone, and so is an entry that a person took out.
    """
    found = list[Piece]()
    for host in hosts.all_hosts():
        every = wiring(here, host, guarded=guarded)
        kept = [piece for piece in map(_as_kept, every) if piece and _calls(piece)]
        if kept and guarded:
            kept += [piece for piece in every if isinstance(piece.part, Whole) and piece.part.guards_only]
        found += {piece.path: piece for piece in kept}.values()
    return [allowed(here, piece) for piece in found]


def _as_kept(piece: Piece) -> Piece | None:
    """Ask of a settings file only for the hooks that are still in it, and for those on calls of tools."""
    if not isinstance(piece.part, Settings):
        return piece
    there = {wired.theirs for wired in _wired(piece) if wired.state != "missing" and wired.event not in TOOL_EVENTS}
    if there == {""}:  # it cannot be read, which is to be told
        return piece
    kept = tuple(hook for hook in piece.part.hooks if hook.theirs in there or hook.event in TOOL_EVENTS)
    return replace(piece, part=piece.part._replace(hooks=kept)) if there else None


def _calls(piece: Piece) -> bool:
    try:
        return piece.launcher in launchers_in(files.read(piece.path, cap=1 << 26).data)
    except ImproveError:
        return os.path.exists(piece.path)


def _wired(piece: Piece) -> list[Wired]:
    try:
        seen = files.read(piece.path, cap=1 << 24)
        if isinstance(piece.part, Settings):
            return _wired_settings(piece, piece.part, seen.data)
    except (ImproveError, ValueError):
        return [Wired(piece.hosts[0], piece.path, "", "", "", "changed")]
    state = "missing" if not seen.exists else "ok" if seen.data == piece.data else "changed"
    return _wired_file(piece, seen.data if seen.exists else piece.data, state)


def _wired_settings(piece: Piece, part: Settings, data: bytes) -> list[Wired]:
    host, found = piece.hosts[0], list[Wired]()
    value = jsontext.parse(jsontext.decode(data, bom=part.bom), comments=part.comments) if data else {}
    there = [entry for entry in entries.find(value) if entry.host == host]
    for hook in part.hooks:
        line = command(piece.launcher, host, hook.event)
        mine = [e for e in there if (e.theirs, e.event) == (hook.theirs, hook.event)]
        state = "missing" if not mine else "ok" if any(e.line == line for e in mine) else "changed"
        found.append(Wired(host, piece.path, hook.event, hook.theirs, mine[0].line if mine else line, state))
    return found


def _wired_file(piece: Piece, data: bytes, state: str) -> list[Wired]:
    """List the commands of a file that is all ours; a plugin has none."""
    part, host = piece.part, piece.hosts[0]
    if isinstance(part, Whole) and part.executable:
        lines = [called(line) for line in data.decode("utf-8", "replace").splitlines()]
        event = next((found[2] for found in lines if found), "")
        return [Wired(host, piece.path, event, os.path.basename(piece.path), shlex.quote(piece.path), state)]
    with contextlib.suppress(ValueError, AttributeError):
        hooks = [entry for entry in entries.find(json.loads(data)) if entry.host == host]
        if hooks:
            return [Wired(host, piece.path, e.event, e.theirs, e.line, state) for e in hooks]
    return [Wired(host, piece.path, "", "", "", state)]
