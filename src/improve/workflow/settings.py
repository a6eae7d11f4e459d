"""config: change one setting of config.yaml under the store's lock."""

from __future__ import annotations

import os
from typing import Any

from improve import config, entry, files, locks, settings, splice, yamlnode
from improve.errors import ImproveError, NeedsRepair, Refused, UsageError
from improve.layout import BOM, Malformed, decoded
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
        Refused: improve is switched off here.
        UsageError: there is no such setting, or it may not be that.
        NeedsRepair: config.yaml is broken; nothing was written.
    """
    setting(name)
    value, problems = parse_value(name, text) if text is not None else (None, [])
    if problems:
        raise UsageError(f"{'; '.join(problems)}; nothing was changed")
    if why := here.off():
        raise Refused(why)
    path = here.home.file(FILE)
    if text is None and not os.path.lexists(path):
        return False
    files.private_directory(here.home.path)
    files.private_directory(here.home.state)

    def change(snapshot: files.Snapshot) -> bytes:
        data = changed(path, snapshot.data, name, settings.as_data(value))
        return snapshot.data if _says_so(snapshot, name, text, value) else data

    with locks.lock(os.path.realpath(here.home.path), directory=here.home.state, timeout=5.0):
        return files.edit(path, change, cap=config.CAP, mode_if_new=0o600)


def _says_so(snapshot: files.Snapshot, name: str, text: str | None, value: Any) -> bool:
    """Say whether nothing has to change: the value stands there, however it is spelled."""
    found = config.understood(snapshot.data)
    return text is not None and name in found.lines and getattr(found.config, name) == value


# --- changing it ---


def parse_value(name: str, text: str) -> tuple[Any, list[str]]:
    """Read a value from the command line as the file would give it; names what is wrong with it."""
    setting = next(s for s in settings.SETTINGS if s.name == name)
    given: Any = text
    if setting.kind == "routes":
        try:
            node = yamlnode.read(text)
        except Malformed as exc:
            return setting.default, [f"{name}: {exc.problem}"]
        given = node.plain_value() if node else None
    value, problems = settings.parse(setting, given)
    return value, [f"{settings.name_of((name, *where))}: {what}" for where, what in problems]


def changed(path: str, data: bytes, name: str, value: Any) -> bytes:
    """Make one setting say this, or go when the value is None; comments, order and quoting of all else stay.

    Args:
        value: plain data: bool, number, text, or a list of mappings.

    Raises:
        NeedsRepair: the file is broken.
        Refused: it is written in a way that cannot be changed in place.
    """
    before = config.understood(data)
    if before.problems:
        raise NeedsRepair(path, before.problems)
    try:
        text = decoded(data)
    except Malformed as exc:
        raise NeedsRepair(path, [f"line {exc.line}: {exc.problem}"]) from None
    node = config.tree(text)
    try:
        after = _dropped(text, node, name) if value is None else _set(text, node, name, value)
        config.tree(after)
    except ValueError as exc:
        raise Refused(f"{path}: {name} cannot be changed where it stands ({exc}); nothing was written") from None
    _read_back(path, before, after, name, value)
    return (BOM if data.startswith(BOM) else b"") + after.encode()


def _set(text: str, node: yamlnode.Node | None, name: str, value: Any) -> str:
    if node is None:
        newline = "\r\n" if "\r\n" in text else "\n"
        ended = text.find("\n...") + 1
        head, tail = (text[:ended], text[ended:]) if ended else (text, "")
        gap = newline if head and not head.endswith("\n") else ""
        return head + gap + newline.join(entry.lines_of(name, value, "")) + newline + tail
    before = node.plain_value()
    return splice.apply(text, splice.change(text, node, before, {**before, name: value}))


def _dropped(text: str, node: yamlnode.Node | None, name: str) -> str:
    if node is None or name not in node.pairs:
        return text
    key, value = node.pairs[name]
    if not node.flow:
        start, end = splice.line_start(text, key.start), splice.after_line(text, value.last_leaf())
        return text[:start] + text[end:]
    names = list(node.pairs)
    at = names.index(name)
    if at:
        return text[: node.pairs[names[at - 1]][1].end] + text[value.end :]
    return text[: key.start] + text[node.pairs[names[1]][0].start if len(names) > 1 else value.end :]


def _read_back(path: str, before: config.Found, text: str, name: str, value: Any) -> None:
    """Make sure that the new text says what was meant and nothing else."""
    after = config.understood(text.encode())
    setting = next(s for s in settings.SETTINGS if s.name == name)
    given = value if isinstance(value, list) else str(value).lower()
    wanted = setting.default if value is None else settings.parse(setting, given)[0]
    meant = after.config == before.config._replace(**{name: wanted})
    if after.problems or not meant or (name in after.lines) != (value is not None):
        raise ImproveError(
            f"{path}: with {name} changed the file would not read back as meant; nothing was written. "
            "Change the line by hand; this is a bug of improve, please report it with the file"
        )
