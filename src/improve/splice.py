"""Change single values of YAML text and leave every other character alone. Pure: text and nodes in, text out.

What changes is told by two plain mappings, before and after; what is equal in both is not looked at, so a
person's spelling of it stays. Comments between list items stay when an item is added or taken out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from improve import entry
from improve.yamlnode import Node

Mapping = dict[str, Any]


class Edit(NamedTuple):
    """Replace the code points from start to end; whole lines get a line end before them where there is none."""

    start: int
    end: int
    new: str
    lines: bool = False
    depth: int = 1 << 20
    """Of several insertions at one place the deepest comes first, and what goes into a line before new lines."""


def apply(text: str, edits: list[Edit]) -> str:
    """Carry out edits that do not overlap, with the line ends the text has."""
    newline = "\r\n" if "\r\n" in text else "\n"
    parts, at, complete = [], 0, True
    for edit in sorted(edits, key=lambda e: (e.start, e.end, -e.depth)):
        if edit.start < at:
            raise ValueError("two edits overlap")
        kept = text[at : edit.start]
        complete = kept.endswith("\n") if kept else complete
        parts.append(kept)
        if edit.lines and edit.new and not complete:
            parts.append(newline)
        parts.append(edit.new.replace("\n", newline))
        complete = edit.new.endswith("\n") if edit.new else complete
        at = edit.end
    rest = text[at:]
    whole = "".join(parts) + rest
    if not rest and text and not text.endswith("\n") and whole.endswith("\n"):
        return whole.removesuffix(newline)  # no line end at the end of the file, as before
    return whole


def change(text: str, node: Node, before: Mapping, after: Mapping) -> list[Edit]:
    """Make a mapping that says *before* say *after*; keys in neither stay as they are."""
    edits: list[Edit] = []
    for key, value in after.items():
        if key not in node.pairs:
            if key not in before or before[key] != value:
                edits.append(_new_key(text, node, key, value))
        elif key not in before or before[key] != value:
            edits += _set(text, node, key, (before.get(key), value))
    for key in before:
        if key not in after:
            edits += drop(text, node, key)
    return edits


def drop(text: str, node: Node, key: str) -> list[Edit]:
    """Take a key and its value out of a mapping; the first key of a list item stays and says nothing."""
    pair = node.pairs.get(key)
    if pair is None:
        return []
    name, value = pair
    if node.flow or next(iter(node.pairs)) == key:
        if value.items and not value.flow:
            return _emptied(text, name, value)
        if value.pairs and not value.flow:
            raise ValueError("the first key of an entry cannot be taken out")
        return [Edit(value.start, _content_end(text, value), "null" if text[value.start - 1] in " \t" else " null")]
    return [Edit(line_start(text, name.start), after_line(text, value.last_leaf()), "")]


def _new_key(text: str, node: Node, key: str, value: Any) -> Edit:
    if node.flow:
        last = list(node.pairs.values())[-1][1].end if node.pairs else node.start + 1
        lead = ", " if node.pairs else ""
        gap = " " if lead and text[last - 1] == ":" else ""
        return Edit(last, last, f"{gap}{lead}{entry.key_text(key)}: {_flow(value)}")
    lines = entry.lines_of(entry.key_text(key), value, " " * node.column)
    at = after_line(text, node.last_leaf())
    return Edit(at, at, "\n".join(lines) + "\n", lines=True, depth=2 * node.column)


def _set(text: str, node: Node, key: str, values: tuple[Any, Any]) -> list[Edit]:
    name, old = node.pairs[key]
    before, value = values
    if not isinstance(value, (list, dict)):
        return _to_scalar(text, name, old, entry.scalar(value))
    kind = "list" if isinstance(value, list) else "mapping"
    if old.kind != kind:
        _refuse_content(old)
    elif old.flow and (node.flow or old.plain_value()):
        return _set_flow(text, old, before, value)
    if node.flow:
        return _to_scalar(text, name, old, _flow(value))
    if not value:
        empty = "[]" if kind == "list" else "{}"
        return _emptied(text, name, old) if old.items else _to_scalar(text, name, old, empty)
    if isinstance(value, list):
        return _change_items(text, old, before, value) if old.items else _to_block(text, name, old, value)
    return change(text, old, before, value) if old.pairs else _to_block(text, name, old, value)


def _refuse_content(old: Node) -> None:
    if old.plain_value():
        raise ValueError("something else stands where the value belongs")


def _to_scalar(text: str, name: Node, old: Node, written: str) -> list[Edit]:
    if old.kind != "scalar":
        _refuse_content(old)
    lead = "" if text[old.start - 1] in " \t" else " "
    end = _content_end(text, old)
    if old.block and "#" in (header := text[old.start : end].split("\n", 1)[0]):
        written += " " + header[header.index("#") :].rstrip("\r")
    return [Edit(old.start, end, lead + written)]


def _emptied(text: str, name: Node, old: Node) -> list[Edit]:
    """Take every item out of a block list; comments between them stay."""
    at = _after_colon(text, name)
    return [Edit(at, at, " []"), *(Edit(*span, "") for span in _item_spans(text, old))]


def _to_block(text: str, name: Node, old: Node, value: Any) -> list[Edit]:
    """Write a list or a mapping in block style where nothing stands, or an empty one."""
    lines = entry.lines_of("x", value, " " * name.column)[1:]
    cut = old.start
    while text[cut - 1] in " \t":
        cut -= 1
    at = after_line(text, old)
    below = Edit(at, at, "\n".join(lines) + "\n", lines=True, depth=2 * name.column + 1)
    return [Edit(cut, old.end, ""), below]


def _set_flow(text: str, old: Node, before: Any, value: Any) -> list[Edit]:
    if isinstance(value, dict):
        return change(text, old, before, value)
    known = _counted(old, before)
    if known and value[: len(known)] == known:
        at = old.items[-1].end
        return [Edit(at, at, "".join(f", {_flow(item)}" for item in value[len(known) :]))]
    written = []
    for item in value:
        node = old.items[known.index(item)] if item in known else None
        written.append(text[node.start : node.end] if node else _flow(item))
    return [Edit(old.start, old.end, f"[{', '.join(written)}]")]


def _counted(old: Node, before: Any) -> list[Any]:
    """Make sure that the items in the text are the items we know."""
    if not isinstance(before, list) or len(before) != len(old.items):
        raise ValueError("the list was not read item by item")
    return before


def _change_items(text: str, old: Node, before: Any, after: list[Any]) -> list[Edit]:
    """Keep the items that stay, change those that became others, take out and add the rest."""
    before = _counted(old, before)
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    olds, news = range(head, len(before) - tail), list(after[head : len(after) - tail])
    spans = _item_spans(text, old)
    kept = _subsequence([before[n] for n in olds], news)
    if kept is not None:
        return [Edit(*spans[n], "") for n in olds if n - head not in kept]
    edits: list[Edit] = []
    for n in olds:
        if news:
            edits += _change_item(text, old.items[n], spans[n], old.column, (before[n], news.pop(0)))
        else:
            edits.append(Edit(*spans[n], ""))
    if news:
        at = spans[olds.stop - 1][1] if olds.stop else spans[0][0]
        edits.append(_items(at, news, old.column))
    return edits


def _items(at: int, items: list[Any], column: int) -> Edit:
    lines = [line for item in items for line in entry.item_lines(item, " " * column)]
    return Edit(at, at, "\n".join(lines) + "\n", lines=True, depth=2 * column + 1)


def _subsequence(before: list[Any], after: list[Any]) -> set[int] | None:
    """Say which of the old items are the new ones, when the new ones are some of the old ones in order."""
    kept: set[int] = set()
    at = 0
    for item in after:
        while at < len(before) and before[at] != item:
            at += 1
        if at == len(before):
            return None
        kept.add(at)
        at += 1
    return kept


def _change_item(text: str, node: Node, span: tuple[int, int], column: int, values: tuple[Any, Any]) -> list[Edit]:
    before, after = values
    if isinstance(before, dict) and isinstance(after, dict) and node.kind == "mapping" and node.pairs:
        return change(text, node, before, after)
    if node.kind == "scalar" and not isinstance(after, (list, dict)):
        lead = "" if text[node.start - 1] in " \t" else " "
        return [Edit(node.start, _content_end(text, node), lead + entry.scalar(after))]
    new = "\n".join(entry.item_lines(after, " " * column)) + "\n"
    return [Edit(*span, new, lines=True)]


def _item_spans(text: str, old: Node) -> list[tuple[int, int]]:
    """Give the lines of each item of a block list, from its dash; comments between items are in none."""
    spans, at = [], line_start(text, old.start)
    for item in old.items:
        while text[at : line_start_after(text, at)].lstrip(" ")[:1] != "-":
            at = line_start_after(text, at)
        end = after_line(text, item.last_leaf())
        spans.append((at, end))
        at = end
    return spans


def _flow(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{entry.key_text(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    return entry.scalar(value)


def line_start(text: str, at: int) -> int:
    """Find where the line of a position begins."""
    return text.rfind("\n", 0, at) + 1


def line_start_after(text: str, at: int) -> int:
    """Find where the next line begins."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def after_line(text: str, leaf: Node) -> int:
    """Find the start of the line after the one a node ends in."""
    if leaf.end > leaf.start and text[leaf.end - 1] == "\n":
        return leaf.end
    return line_start_after(text, leaf.end)


def _after_colon(text: str, name: Node) -> int:
    return text.index(":", name.end) + 1


def _content_end(text: str, leaf: Node) -> int:
    """Find where the last line of a node ends; blank lines after a block scalar are not its content."""
    return leaf.start + len(text[leaf.start : leaf.end].rstrip()) if leaf.block else leaf.end
