"""Change single values of YAML text and leave every other character alone. Pure: text and nodes in, text out."""

from __future__ import annotations

import json
from typing import Any

from improve import entry
from improve.yamlnode import Node

Edit = tuple[int, int, str]
"""Replace the code points from start to end by the text."""


def apply(text: str, edits: list[Edit]) -> str:
    """Carry out edits that do not overlap, last one first, with the line ends the text has."""
    crlf = "\r\n" in text
    for start, end, new in sorted(edits, key=lambda e: (e[0], e[1]), reverse=True):
        if crlf:
            new = new.replace("\n", "\r\n")
        text = text[:start] + new + text[end:]
    return text


def put(text: str, mapping: Node, key: str, value: Any) -> list[Edit]:
    """Set *key* of a mapping to a string, number, list or mapping; lists change only where they differ."""
    pair = mapping.pairs.get(key)
    if pair is None:
        return _add_key(text, mapping, key, value)
    name, old = pair
    if old.plain_value() == _as_read(value):
        return []
    if isinstance(value, list) and old.kind == "list" and old.items and not old.flow and value:
        return _change_items(text, old, value)
    return _replace_value(text, name, old, value)


def drop(text: str, mapping: Node, key: str) -> list[Edit]:
    """Take a key and its value out of a block mapping, whole lines; the first key of a list item stays."""
    pair = mapping.pairs.get(key)
    if pair is None:
        return []
    if mapping.flow or next(iter(mapping.pairs)) == key:
        return _replace_value(text, *pair, None)
    return [(_line_start(text, pair[0].start), _after_line(text, pair[1].last_leaf()), "")]


def _as_read(value: Any) -> Any:
    """Give the value as `Node.plain_value` would: everything is a string."""
    if isinstance(value, list):
        return [_as_read(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_read(item) for key, item in value.items()}
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _add_key(text: str, mapping: Node, key: str, value: Any) -> list[Edit]:
    if mapping.flow:
        lead = ", " if mapping.pairs else ""
        return [(mapping.end - 1, mapping.end - 1, f"{lead}{key_text(key)}: {_flow(value)}")]
    indent = " " * mapping.column
    new = "\n".join(entry.lines_of(key_text(key), value, indent)) + "\n"
    return [_insert_after(text, mapping.last_leaf(), new)]


def key_text(key: str) -> str:
    """Write a key, quoted unless it is a plain word."""
    return key if key.replace("_", "a").isalpha() and key.isascii() and key.islower() else entry.scalar(key)


def _insert_after(text: str, leaf: Node, new: str) -> Edit:
    at = _after_line(text, leaf)
    lead = "" if at == 0 or text[at - 1] == "\n" else "\n"
    return (at, at, lead + (new if not lead else new.rstrip("\n")))


def _replace_value(text: str, name: Node, old: Node, value: Any) -> list[Edit]:
    nested = isinstance(value, (list, dict)) and value
    if old.flow and nested and old.plain_value():
        before = old.plain_value()
        if isinstance(value, list) and _as_read(value[: len(before)]) == before:
            more = "".join(f", {_flow(item)}" for item in value[len(before) :])
            return [(old.end - 1, old.end - 1, more)]
        return [(old.start, old.end, _flow(value))]
    if nested:
        indent = " " * name.column
        lines = entry.lines_of("x", value, indent)[1:]
        below = "\n".join(lines) + "\n"
        if old.kind != "scalar" and not old.flow:
            start = _line_start(text, old.start)
            return [(start, _after_line(text, old.last_leaf()), below)]
        cut = old.start
        while cut > 0 and text[cut - 1] == " ":
            cut -= 1
        return [(cut, old.end, ""), _insert_after(text, old, below)]
    written = _flow(value) if isinstance(value, (list, dict)) else entry.scalar(value)
    if old.kind != "scalar" and not old.flow:
        colon = text.index(":", name.end)
        return [(colon + 1, _after_line(text, old.last_leaf()), f" {written}\n")]
    lead = "" if old.start and text[old.start - 1] == " " else " "
    tail = "\n" if text[old.start : old.end].endswith("\n") else ""
    return [(old.start, old.end, lead + written + tail)]


def _change_items(text: str, old: Node, value: list[Any]) -> list[Edit]:
    """Keep the items at both ends that stay, replace those between."""
    before, after = old.plain_value(), _as_read(value)
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    dash = text.rindex("-", 0, old.items[0].start)
    indent = " " * (dash - _line_start(text, dash))
    lines = [line for item in value[head : len(value) - tail] for line in entry.item_lines(item, indent)]
    new = "\n".join(lines) + "\n" if lines else ""
    gone = old.items[head : len(old.items) - tail]
    if gone:
        start = _line_start(text, gone[0].start)
        return [(start, _after_line(text, gone[-1].last_leaf()), new)]
    if head:
        return [_insert_after(text, old.items[head - 1].last_leaf(), new)] if new else []
    start = _line_start(text, old.items[0].start)
    return [(start, start, new)]


def _flow(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_text(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else entry.scalar(value)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _after_line(text: str, leaf: Node) -> int:
    """Find the start of the line after the one a node ends in."""
    if leaf.end > leaf.start and text[leaf.end - 1] == "\n":
        return leaf.end
    end = text.find("\n", leaf.end)
    return len(text) if end < 0 else end + 1
