"""Our entries in the text of a settings file: find them, add what is missing, take them out.

An entry is ours when its command is one of ours; its place says nothing, for people and other tools move things.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from improve import jsontext
from improve.hosts.wiring import Hook, Settings, called, command, group
from improve.jsontext import Change, Splice, Unfit


class Entry(NamedTuple):
    """One handler of ours."""

    path: tuple[str | int, ...]
    """Where its command stands."""
    line: str
    launcher: str
    host: str
    event: str

    @property
    def theirs(self) -> str:
        """The host's name of the event it stands under."""
        return str(self.path[1])


class _Text:
    """A text under change."""

    def __init__(self, text: str, settings: Settings) -> None:
        self.text, self.settings = text, settings
        self.splices: list[Splice] = []
        self.made: list[tuple[str, ...]] = []

    def take(self, change: Change) -> None:
        self.text = change.text
        self.splices += change.splices
        self.made += change.made

    @property
    def value(self) -> Any:
        return jsontext.parse(self.text, comments=self.settings.comments)

    def remove(self, path: tuple[str | int, ...]) -> None:
        self.take(jsontext.remove(self.text, path, comments=self.settings.comments))

    def changed(self) -> Change:
        return Change(self.text, tuple(self.splices), tuple(self.made))


def wanted(settings: Settings, host: str, launcher: str) -> dict[str, Any]:
    """Give the members of a settings file that would hold nothing but our entries."""
    hooks: dict[str, Any] = {}
    for hook in settings.hooks:
        hooks.setdefault(hook.theirs, []).append(_item(settings, host, launcher, hook))
    return {"hooks": hooks} if settings.shape == "groups" else {"version": 1, "hooks": hooks}


def _item(settings: Settings, host: str, launcher: str, hook: Hook) -> dict[str, Any]:
    if settings.shape == "groups":
        return group(launcher, host, hook, named=settings.named)
    return {"command": command(launcher, host, hook.event)}


def find(value: Any) -> list[Entry]:
    """List our entries for any host, in the order of the file; what has an unknown shape is passed over."""
    hooks = value.get("hooks") if isinstance(value, dict) else None
    found = []
    for theirs, rows in hooks.items() if isinstance(hooks, dict) else ():
        for path, line in _commands(rows, ("hooks", theirs)):
            if parts := called(line):
                found.append(Entry(path, line, *parts))
    return found


def _commands(rows: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Give every command of an event, in a group or alone, with its place."""
    for number, row in enumerate(rows if isinstance(rows, list) else ()):
        if not isinstance(row, dict):
            continue
        for key in ("command", "bash"):
            if isinstance(row.get(key), str):
                yield (*path, number, key), row[key]
        if len(path) == 2:
            yield from _commands(row.get("hooks"), (*path, number, "hooks"))


def put_in(
    text: str, settings: Settings, host: str, launcher: str, made: tuple[tuple[str, ...], ...] | None = ()
) -> Change:
    """Add the entries that are missing; entries with the same command stay as they are, byte for byte.

    Args:
        made: members that were created for our entries, and go with them; None when nobody remembers.

    Raises:
        Unfit: the text is not what the host accepts, or not of the shape we know.
    """
    state = _Text(text, settings)
    value = state.value
    _expect(value, settings)
    lines = {(hook.theirs, command(launcher, host, hook.event)) for hook in settings.hooks}
    there = [entry for entry in find(value) if entry.host == host]
    kept = {(entry.theirs, entry.line) for entry in there} & lines
    for entry in reversed(_surplus(there, kept)):
        line = command(launcher, host, entry.event)
        if (entry.theirs, line) in lines - kept:
            kept.add((entry.theirs, line))
            state.take(jsontext.replace(state.text, entry.path, line, comments=settings.comments))
        else:
            _drop(state, entry)
            _drop_empty(state, ("hooks", entry.theirs), made)
    if settings.shape == "flat" and "version" not in value:
        state.take(jsontext.add(state.text, "version", 1, comments=settings.comments))
    for hook in settings.hooks:
        if (hook.theirs, command(launcher, host, hook.event)) not in kept:
            item, path = _item(settings, host, launcher, hook), ("hooks", hook.theirs)
            state.take(jsontext.append(state.text, path, item, comments=settings.comments))
    return state.changed()


def _drop_empty(state: _Text, path: tuple[str, ...], made: tuple[tuple[str, ...], ...] | None) -> None:
    """Take a member out that was made for an entry of ours, and holds nothing any more."""
    if (made is None or path in made) and _is_empty(state.value, path):
        state.remove(path)


def _surplus(there: list[Entry], kept: set[tuple[str, str]]) -> list[Entry]:
    """List the entries that are not the first with a command that is wanted."""
    seen = set[tuple[str, str]]()
    surplus = []
    for entry in there:
        mark = (entry.theirs, entry.line)
        if mark not in kept or mark in seen:
            surplus.append(entry)
        seen.add(mark)
    return surplus


def _expect(value: Any, settings: Settings) -> None:
    """Refuse a shape that is not the host's."""
    if not isinstance(value, dict):
        raise Unfit("its outermost value is no object")
    if settings.shape == "flat" and str(value.get("version", 1)) != "1":
        raise Unfit(f"its `version` is {value['version']!s}; only version 1 is known")
    hooks = value.get("hooks", {})
    if not isinstance(hooks, dict):
        raise Unfit("`hooks` is no object")
    for hook in settings.hooks:
        rows = hooks.get(hook.theirs, [])
        if not isinstance(rows, list):
            raise Unfit(f"`hooks.{hook.theirs}` is no list")
        for number, row in enumerate(rows):
            fits = isinstance(row, dict) and (settings.shape == "flat" or isinstance(row.get("hooks"), list))
            if not fits:
                raise Unfit(f"`hooks.{hook.theirs}.{number}` has an unknown shape")


def take_out(
    text: str, settings: Settings, ours: Callable[[Entry], bool], made: tuple[tuple[str, ...], ...] | None
) -> Change:
    """Take our entries out, and what was made for them if nothing else is in it.

    Args:
        ours: which entries go.
        made: members that were created for them; None when nobody remembers, then any that this leaves empty.

    Raises:
        Unfit: the text is not what the host accepts.
    """
    state = _Text(text, settings)
    going = [entry for entry in find(state.value) if ours(entry)]
    for entry in reversed(going):
        _drop(state, entry)
    if not going:
        return state.changed()
    emptied = {("hooks", entry.theirs) for entry in going} | {("hooks",)}
    for path in sorted(emptied if made is None else set(made), key=lambda path: (-len(path), path == ("version",))):
        if _is_empty(state.value, path):
            state.remove(path)
    return state.changed()


def _is_empty(value: Any, path: tuple[str, ...]) -> bool:
    if path == ("version",):
        return isinstance(value, dict) and list(value) == ["version"]
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return value in ({}, [])


def _drop(state: _Text, entry: Entry) -> None:
    """Take one handler out, with its group when it was alone in there."""
    handler = entry.path[:-1]
    if len(handler) == 5:
        inner = state.value["hooks"][entry.theirs][handler[2]]["hooks"]
        handler = handler if len(inner) > 1 else handler[:3]
    state.remove(handler)


def stranded(entry: Entry) -> bool:
    """Tell whether an entry calls a launcher that is gone."""
    return not os.path.exists(entry.launcher)
