"""Read YAML into plain nodes that know where they stand; the only home of ruamel.yaml.

Scalars stay strings: the schema, not YAML, says what `no`, `1e3` or `2026-11-30` mean. Anchors, aliases, tags,
merge keys, duplicate keys and deep nesting are refused while reading, before anything is built from them.
Format: https://yaml.org/spec/1.2.2/
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 20
NULLS = ("", "~", "null", "Null", "NULL")


class Malformed(ValueError):
    """The text is no YAML we accept; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


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
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    loader: Any = YAML(typ="safe", pure=True)
    try:
        events = iter(list(_bounded(loader.parse(text))))
        return _document(events)
    except YAMLError as exc:
        mark = getattr(exc, "problem_mark", None) or getattr(exc, "context_mark", None)
        line = mark.line + 1 if mark else _bad_character_line(text, exc)
        raise Malformed(line, getattr(exc, "problem", None) or "not valid YAML") from None
    except RecursionError:
        raise Malformed(1, f"nested deeper than {MAX_DEPTH} levels") from None


def _bad_character_line(text: str, exc: Exception) -> int:
    position = getattr(exc, "position", 0)
    return text.count("\n", 0, position) + 1 if isinstance(position, int) else 1


def _bounded(events: Any) -> Iterator[Any]:
    """Pass events on until they show something that is refused."""
    depth = 0
    for event in events:
        name = type(event).__name__
        line = event.start_mark.line + 1 if event.start_mark else 1
        if name == "AliasEvent" or getattr(event, "anchor", None) is not None:
            raise Malformed(line, "anchors and aliases (& and *) are not accepted")
        if _explicit_tag(event):
            raise Malformed(line, f"the tag {event.tag} is not accepted")
        if name.endswith("StartEvent") and name[:3] in ("Map", "Seq"):
            depth += 1
            if depth > MAX_DEPTH:
                raise Malformed(line, f"nested deeper than {MAX_DEPTH} levels")
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            depth -= 1
        yield event


def _explicit_tag(event: Any) -> bool:
    return getattr(event, "tag", None) not in (None, "", "!")


def _document(events: Iterator[Any]) -> Node | None:
    root: Node | None = None
    for event in events:
        name = type(event).__name__
        if name == "DocumentStartEvent" and root is not None:
            raise Malformed(event.start_mark.line + 1, "a second document begins here")
        if name in ("ScalarEvent", "MappingStartEvent", "SequenceStartEvent"):
            root = _node(event, events)
    return root


def _node(event: Any, events: Iterator[Any]) -> Node:
    mark = event.start_mark
    node = Node("scalar", mark.index, event.end_mark.index, mark.line + 1, mark.column)
    name = type(event).__name__
    if name == "ScalarEvent":
        node.plain = event.style in (None, "")
        node.scalar = None if node.plain and event.value in NULLS else str(event.value)
        return node
    node.flow = bool(event.flow_style)
    if name == "SequenceStartEvent":
        node.kind = "list"
        while type(item := next(events)).__name__ != "SequenceEndEvent":
            node.items.append(_node(item, events))
    else:
        node.kind = "mapping"
        item = _pairs(node, events)
    node.end = item.end_mark.index
    return node


def _pairs(node: Node, events: Iterator[Any]) -> Any:
    while type(event := next(events)).__name__ != "MappingEndEvent":
        key = _node(event, events)
        name = key.scalar if key.kind == "scalar" else None
        if name is None:
            raise Malformed(key.line, "a key must be a word")
        if key.plain and name == "<<":
            raise Malformed(key.line, "merge keys (<<) are not accepted")
        if name in node.pairs:
            raise Malformed(key.line, f"the key {name!r} is here twice (first in line {node.pairs[name][0].line})")
        node.pairs[name] = (key, _node(next(events), events))
    return event
