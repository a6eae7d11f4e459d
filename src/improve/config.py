"""config.yaml: read the settings in force, and change one of them without touching another byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from improve import files
from improve.errors import ImproveError, NeedsRepair, Refused
from improve.settings import SETTINGS, Problem, Where, check, name_of, parse

if TYPE_CHECKING:
    from improve.escalate import Thresholds
    from improve.route import Route
    from improve.yamlnode import Node

CAP = 1 << 20
_KEY = frozenset("abcdefghijklmnopqrstuvwxyz_")
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_BOM = b"\xef\xbb\xbf"


class Config(NamedTuple):
    """The settings in force; a test holds names and defaults against the table."""

    git: bool = True
    trust: str = "agent"
    threshold_project: int = 2
    threshold_several_projects: int = 2
    brief_characters: int = 8000
    routes: tuple[Route, ...] = ()

    @property
    def thresholds(self) -> Thresholds:
        """What the decision tree takes."""
        from improve.escalate import Thresholds

        return Thresholds(self.threshold_project, self.threshold_several_projects)


class Found(NamedTuple):
    """What a config.yaml says: the settings in force, and where those that it gives stand."""

    config: Config
    lines: dict[str, int]
    """Setting → line, counted from 1."""
    problems: list[str]
    """Each with its line."""


def load(path: str) -> Config:
    """Read config.yaml; a missing file means defaults.

    Raises:
        NeedsRepair: names every problem with its line.
    """
    text = _decoded(files.read(path, cap=CAP).data)
    if not text.strip():
        return Config()
    plain = _plain(text)
    values, problems = check(plain) if plain is not None else ({}, [])
    if plain is not None and not problems:
        return Config(**values)
    found = _understood(text)
    if found.problems:
        raise NeedsRepair(path, found.problems)
    return found.config


def look(path: str) -> Found:
    """Read config.yaml with lines and problems; what is wrong has its default."""
    return understood(files.read(path, cap=CAP).data)


def understood(data: bytes) -> Found:
    """Read the bytes of a config.yaml with lines and problems."""
    return _understood(_decoded(data))


def _decoded(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


# --- lines of `key: word` need no YAML parser: config.yaml is read by every command and when a session starts ---


def _plain(text: str) -> dict[str, Any] | None:
    """Read a file of plain lines; None when only YAML can tell what it says."""
    found: dict[str, Any] = {}
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.strip(" \t") or line.lstrip(" \t")[0] == "#":
            continue
        key, word = _pair(line)
        if not key or key in found:
            return None
        found[key] = word
        if not word:
            stop = _block_end(lines, at)
            items = _items(lines[at:stop])
            if items is None:
                return None
            found[key], at = items, stop
    return found


def _pair(line: str) -> tuple[str, str]:
    """Split `key: word # remark`; no key when the line is anything else."""
    key, colon, rest = line.partition(":")
    body, mark, _ = rest.partition("#")
    word = body.strip(" \t")
    plain = colon and key and _KEY.issuperset(key) and _WORD.issuperset(word)
    parted = rest[:1] in ("", " ", "\t") and (not mark or body[-1:] in (" ", "\t"))
    return (key, word) if plain and parted else ("", "")


def _block_end(lines: list[str], at: int) -> int:
    while at < len(lines) and (not lines[at] or lines[at][0] in " -#"):
        at += 1
    return at


def _items(lines: list[str]) -> list[Any] | None:
    """Read a list of mappings, one `key: value` a line."""
    first = next((line for line in lines if line.strip() and line.lstrip(" ")[0] != "#"), "")
    indent = first[: len(first) - len(first.lstrip(" "))]
    groups: list[list[str]] = []
    for line in lines:
        if line.startswith(f"{indent}- "):
            groups.append([])
        elif not groups:
            if line.strip() and line.lstrip(" ")[0] != "#":
                return None
            continue
        groups[-1].append(line)
    read = [_item(group, indent) for group in groups]
    return None if not read or None in read else read


def _item(lines: list[str], indent: str) -> dict[str, Any] | None:
    """Read one route; lists in brackets are those that JSON knows too."""
    from improve import entry

    lists: dict[str, Any] = {}
    kept = []
    for line in lines:
        key, _, value = line.strip().partition(": ")
        if value.startswith("[") and line.startswith(f"{indent}  {key}:") and key not in lists:
            lists[key] = _json_list(value)
        else:
            kept.append(line)
    read = entry.read_lines("\n".join(kept) + "\n", indent)
    if read is None or None in lists.values() or lists.keys() & read.keys():
        return None
    return {**read, **lists}


def _json_list(text: str) -> list[str] | None:
    import json

    try:
        items = json.loads(text)
    except ValueError:
        return None
    return items if isinstance(items, list) and all(isinstance(item, str) for item in items) else None


# --- any YAML ---


def _understood(text: str) -> Found:
    from improve.layout import Malformed

    try:
        node = _tree(text)
    except Malformed as exc:
        return Found(Config(), {}, [f"line {exc.line}: {exc.problem}", *_beside(text, exc.line)])
    if node is None:
        return Found(Config(), {}, [])
    values, problems = check(node.plain_value())
    lines = {key: name.line for key, (name, _) in node.pairs.items()}
    problems.sort(key=lambda problem: _line(node, problem[0]))
    return Found(Config(**values), lines, [_said(node, problem) for problem in problems])


def _tree(text: str) -> Node | None:
    """Read YAML; None when it holds nothing but comments."""
    from improve import yamlnode
    from improve.layout import Malformed

    node = yamlnode.read(text)
    if node is not None and node.kind == "scalar" and node.scalar in (None, *yamlnode.NULLS) and node.start == node.end:
        return None  # nothing between two document markers
    if node is not None and node.kind != "mapping":
        raise Malformed(node.line, "expected settings such as `git: false`")
    return node


def _said(node: Node, problem: Problem) -> str:
    where, what = problem
    return f"line {_line(node, where)}: {name_of(where)}: {what}"


def _line(node: Node, where: Where) -> int:
    line = node.line
    for step in where:
        if isinstance(step, int):
            if not node.items:
                break
            node = node.items[step]
            line = node.line
        elif step in node.pairs:
            name, node = node.pairs[step]
            line = name.line
    return line


def _beside(text: str, broken: int) -> list[str]:
    """Name what else is wrong in a file that YAML gave up on, as far as single lines tell."""
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        key, word = _pair(line)
        if key and word and number != broken:
            problems += [f"line {number}: {key}: {what}" for _, what in check({key: word})[1]]
    return problems


# --- changing it ---


def parse_value(name: str, text: str) -> tuple[Any, list[str]]:
    """Read a value from the command line as the file would give it; names what is wrong with it."""
    setting = next(s for s in SETTINGS if s.name == name)
    given: Any = text
    if setting.kind == "routes":
        from improve import yamlnode
        from improve.layout import Malformed

        try:
            node = yamlnode.read(text)
        except Malformed as exc:
            return setting.default, [f"{name}: {exc.problem}"]
        given = node.plain_value() if node else None
    value, problems = parse(setting, given)
    return value, [f"{name_of((name, *where))}: {what}" for where, what in problems]


def changed(path: str, data: bytes, name: str, value: Any) -> bytes:
    """Make one setting say this, or go when the value is None; comments, order and quoting of all else stay.

    Args:
        value: plain data: bool, number, text, or a list of mappings.

    Raises:
        NeedsRepair: the file is broken.
        Refused: it is written in a way that cannot be changed in place.
    """
    from improve.layout import Malformed, decoded

    try:
        text = decoded(data)
        before = _understood(text)
        if before.problems:
            raise NeedsRepair(path, before.problems)
        node = _tree(text)
    except Malformed as exc:
        raise NeedsRepair(path, [f"line {exc.line}: {exc.problem}"]) from None
    try:
        after = _dropped(text, node, name) if value is None else _set(text, node, name, value)
    except ValueError as exc:
        raise Refused(f"{path}: {name} cannot be changed where it stands ({exc}); nothing was written") from None
    _read_back(path, before, after, name, value)
    return (_BOM if data.startswith(_BOM) else b"") + after.encode()


def _set(text: str, node: Node | None, name: str, value: Any) -> str:
    from improve import entry, splice

    if node is None:
        newline = "\r\n" if "\r\n" in text else "\n"
        ended = text.find("\n...") + 1
        head, tail = (text[:ended], text[ended:]) if ended else (text, "")
        gap = newline if head and not head.endswith("\n") else ""
        return head + gap + newline.join(entry.lines_of(name, value, "")) + newline + tail
    before = node.plain_value()
    return splice.apply(text, splice.change(text, node, before, {**before, name: value}))


def _dropped(text: str, node: Node | None, name: str) -> str:
    from improve import splice

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


def _read_back(path: str, before: Found, text: str, name: str, value: Any) -> None:
    """Make sure that the new text says what was meant and nothing else."""
    after = _understood(text)
    setting = next(s for s in SETTINGS if s.name == name)
    given = value if isinstance(value, list) else str(value).lower()
    wanted = setting.default if value is None else parse(setting, given)[0]
    meant = after.config == before.config._replace(**{name: wanted})
    if after.problems or not meant or (name in after.lines) != (value is not None):
        raise ImproveError(
            f"{path}: with {name} changed the file would not read back as meant; nothing was written. "
            "Change the line by hand; this is a bug of improve, please report it with the file"
        )
