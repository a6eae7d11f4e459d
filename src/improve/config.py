"""config.yaml: read the settings in force; every key has its default, merged by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from improve import files
from improve.errors import NeedsRepair

if TYPE_CHECKING:
    from improve.escalate import Thresholds
    from improve.route import Route
    from improve.settings import Problem, Where
    from improve.yamlnode import Node

CAP = 1 << 20
_KEY = frozenset("abcdefghijklmnopqrstuvwxyz_")
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


class Config(NamedTuple):
    """The settings in force; a test holds names and defaults against the table."""

    git: bool = True
    trust: str = "agent"
    threshold_project: int = 2
    threshold_several_projects: int = 2
    brief_characters: int = 8000
    least_severity: int = 2
    half_life: int = 60
    archive_held: bool = False
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
    from improve.settings import check  # not needed by the many who have no such file

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
    from improve.settings import check

    try:
        node = tree(text)
    except Malformed as exc:
        return Found(Config(), {}, [f"line {exc.line}: {exc.problem}", *_beside(text, exc.line)])
    if node is None:
        return Found(Config(), {}, [])
    values, problems = check(node.plain_value())
    lines = {key: name.line for key, (name, _) in node.pairs.items()}
    problems.sort(key=lambda problem: _line(node, problem[0]))
    return Found(Config(**values), lines, [_said(node, problem) for problem in problems])


def tree(text: str) -> Node | None:
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
    from improve.settings import name_of

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
    from improve.settings import check

    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        key, word = _pair(line)
        if key and word and number != broken:
            problems += [f"line {number}: {key}: {what}" for _, what in check({key: word})[1]]
    return problems
