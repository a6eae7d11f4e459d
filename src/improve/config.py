"""config.yaml: the few settings a person may change; every key has a default and is merged by itself."""

from __future__ import annotations

import re
from typing import NamedTuple

from improve import files
from improve.errors import NeedsRepair
from improve.escalate import Thresholds

_SIMPLE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n|([a-z_]+):[ \t]+([A-Za-z0-9_.-]+)[ \t]*(?:#[^\n]*)?\n)")
_CAP = 1 << 20


class Config(NamedTuple):
    """The settings in force."""

    git: bool = True
    """Keep the store's own git history."""
    trust: str = "agent"
    """Whose word is enough to write a rule: `agent`, or `verified` (a person, or a person's turn in a transcript)."""
    thresholds: Thresholds = Thresholds()


def load(path: str) -> Config:
    """Read config.yaml; a missing file means defaults.

    Raises:
        NeedsRepair: names every problem with its line.
    """
    data = files.read(path, cap=_CAP).data
    return _checked(path, _values(path, data)) if data.strip() else Config()


def _values(path: str, data: bytes) -> dict[str, tuple[str, int]]:
    """Read keys with their lines; simple `key: word` lines need no YAML parser."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    text += "" if text.endswith("\n") else "\n"
    found: dict[str, tuple[str, int]] = {}
    at, line = 0, 1
    while at < len(text):
        match = _SIMPLE.match(text, at)
        if not match or (match[1] and match[1] in found):
            return _values_of_yaml(path, text)
        if match[1]:
            found[match[1]] = (match[2], line)
        at, line = match.end(), line + 1
    return found


def _values_of_yaml(path: str, text: str) -> dict[str, tuple[str, int]]:
    from improve import yamlnode
    from improve.layout import Malformed

    try:
        node = yamlnode.read(text)
    except Malformed as exc:
        raise NeedsRepair(path, [f"line {exc.line}: {exc.problem}"]) from None
    if node is None:
        return {}
    if node.kind != "mapping":
        raise NeedsRepair(path, [f"line {node.line}: expected settings such as `git: false`"])
    return {key: (value.scalar or "", name.line) for key, (name, value) in node.pairs.items()}


def _checked(path: str, values: dict[str, tuple[str, int]]) -> Config:
    problems: list[str] = []
    defaults = Thresholds()

    def pick(key: str, allowed: tuple[str, ...], default: str) -> str:
        value, line = values.get(key, (default, 0))
        if value.lower() not in allowed:
            problems.append(f"line {line}: {key}: expected {' or '.join(allowed)}, found {value!r}")
        return value.lower()

    def number(key: str, default: int) -> int:
        value, line = values.get(key, (str(default), 0))
        if not (value.isascii() and value.isdigit() and len(value) < 9 and 1 <= int(value) <= 1000):
            problems.append(f"line {line}: {key}: expected a number from 1 to 1000, found {value!r}")
            return default
        return int(value)

    known = ("git", "trust", "threshold_project", "threshold_several_projects")
    problems += [f"line {line}: {key}: no such setting" for key, (_, line) in values.items() if key not in known]
    config = Config(
        git=pick("git", ("true", "false"), "true") == "true",
        trust=pick("trust", ("agent", "verified"), "agent"),
        thresholds=Thresholds(
            number("threshold_project", defaults.project),
            number("threshold_several_projects", defaults.several_projects),
        ),
    )
    if problems:
        raise NeedsRepair(path, problems)
    return config
