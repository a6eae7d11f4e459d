"""Read YAML into plain nodes that know where they stand; the only home of ruamel.yaml.

Scalars stay strings: the schema, not YAML, says what `no`, `1e3` or `2026-11-30` mean. Anchors, aliases,
tags, merge keys, duplicate keys and deep nesting are refused while reading, before anything is built of them.
Format: https://yaml.org/spec/1.2.2/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from improve.layout import Malformed

MAX_DEPTH = 20
# A value that is not there is marked where the next thing begins; it belongs behind its colon or dash.
_COLON = re.compile(r"\s*:")
_TOWER = re.compile(r"(?:[\[{][ \t]*){200}")
_DASH = re.compile(r"^ *-", re.M)
NULLS = ("", "~", "null", "Null", "NULL")


@dataclass(slots=True)
class Node:
    """A scalar, a list or a mapping, with the code-point span it covers in the text."""

    kind: str
    start: int
    end: int
    line: int
    column: int
    scalar: str | None = None
    plain: bool = False
    flow: bool = False
    block: bool = False
    """A scalar written with `|` or `>`: it ends with its trailing blank lines."""
    items: list[Node] = field(default_factory=list)
    pairs: dict[str, tuple[Node, Node]] = field(default_factory=dict)

    def get(self, key: str) -> Node | None:
        """Return the value node of *key*, if this is a mapping that has it."""
        pair = self.pairs.get(key)
        return pair[1] if pair else None

    def last_leaf(self) -> Node:
        """Return the node that ends last: a block collection's own end mark lies past trailing comments."""
        if self.flow or self.kind == "scalar":
            return self
        if self.kind == "list":
            return self.items[-1].last_leaf() if self.items else self
        return list(self.pairs.values())[-1][1].last_leaf() if self.pairs else self

    def plain_value(self) -> Any:
        """Return strings, None, lists and dicts."""
        if self.kind == "scalar":
            return self.scalar
        if self.kind == "list":
            return [item.plain_value() for item in self.items]
        return {key: value.plain_value() for key, (_, value) in self.pairs.items()}


def read(text: str) -> Node | None:
    """Read one YAML document; None when it holds nothing but comments.

    Raises:
        Malformed: not YAML, several documents, or a construct that is refused.
    """
    if tower := _TOWER.search(text):  # the scanner would take seconds to come to the same end
        raise Malformed(_line_at(text, tower.start()), f"nested deeper than {MAX_DEPTH} levels")
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    loader: Any = YAML(typ="safe", pure=True)
    builder = _Builder(text)
    try:
        return builder.document(loader.parse(text))
    except YAMLError as exc:
        mark = getattr(exc, "problem_mark", None) or getattr(exc, "context_mark", None)
        # A character that YAML does not allow has a position and no mark.
        line = builder.line(mark) if mark else _line_at(text, getattr(exc, "position", 0))
        problem = getattr(exc, "problem", None) or getattr(exc, "reason", None)
        raise Malformed(line, str(problem or "not valid YAML")) from None
    except RecursionError:
        raise Malformed(1, f"nested deeper than {MAX_DEPTH} levels") from None


def _line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


class _Builder:
    """Turns the events of one text into nodes, and stops at the first thing that is refused."""

    def __init__(self, text: str) -> None:
        self.text = text
        # YAML libraries count these as line ends, editors do not.
        self.odd = any(mark in text for mark in "\x85\u2028\u2029") or text.count("\r") != text.count("\r\n")
        self.depth = 0

    def line(self, mark: Any) -> int:
        """Count the line of a mark as editors do, from 1."""
        return _line_at(self.text, mark.index) if self.odd else int(mark.line) + 1

    def document(self, events: Iterator[Any]) -> Node | None:
        root: Node | None = None
        for event in events:
            name = type(event).__name__
            if name == "DocumentStartEvent" and root is not None:
                raise Malformed(self.line(event.start_mark), "a second document begins here")
            if name in ("ScalarEvent", "MappingStartEvent", "SequenceStartEvent", "AliasEvent"):
                root = self.node(event, events)
        return root

    def node(self, event: Any, events: Iterator[Any]) -> Node:
        mark, name = event.start_mark, type(event).__name__
        node = Node("scalar", mark.index, event.end_mark.index, self.line(mark), mark.column)
        self._refuse(event, name, node.line)
        if name == "ScalarEvent":
            node.plain = event.style in (None, "")
            node.block = event.style in ("|", ">")
            node.scalar = None if node.plain and event.value in NULLS else _whole_characters(event.value)
            return node
        node.flow = bool(event.flow_style)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Malformed(node.line, f"nested deeper than {MAX_DEPTH} levels")
        node.kind = "list" if name == "SequenceStartEvent" else "mapping"
        last = self._items(node, events) if node.kind == "list" else self._pairs(node, events)
        self.depth -= 1
        node.end = last.end_mark.index
        return node

    def _refuse(self, event: Any, name: str, line: int) -> None:
        if name == "AliasEvent" or getattr(event, "anchor", None) is not None:
            raise Malformed(line, "anchors and aliases (& and *) are not accepted")
        if (tag := getattr(event, "tag", None)) not in (None, "", "!"):
            raise Malformed(line, f"the tag {tag} is not accepted")

    def _items(self, node: Node, events: Iterator[Any]) -> Any:
        while type(event := next(events)).__name__ != "SequenceEndEvent":
            item = self.node(event, events)
            if item.start == item.end and not node.flow:
                dash = _DASH.search(self.text, node.items[-1].last_leaf().end) if node.items else None
                item.start = item.end = dash.end() if dash else node.start + 1
            node.items.append(item)
        return event

    def _pairs(self, node: Node, events: Iterator[Any]) -> Any:
        while type(event := next(events)).__name__ != "MappingEndEvent":
            key = self.node(event, events)
            name = key.scalar if key.kind == "scalar" else None
            if name is None:
                raise Malformed(key.line, "a key must be a word")
            if key.plain and name == "<<":
                raise Malformed(key.line, "merge keys (<<) are not accepted")
            if name in node.pairs:
                above = key.line - node.pairs[name][0].line  # lines are those of a part of the file
                where = f"first {above} line{'s' * (above != 1)} above" if above else "in one line"
                raise Malformed(key.line, f"the key {name!r} is here twice ({where})")
            value = self.node(next(events), events)
            if value.start == value.end and (colon := _COLON.match(self.text, key.end)):
                value.start = value.end = colon.end()
            node.pairs[name] = (key, value)
        return event


def _whole_characters(text: str) -> str:
    """Join halves of a character that were escaped one by one, as JSON writes them."""
    if any("\ud800" <= c <= "\udbff" for c in text):
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return text
