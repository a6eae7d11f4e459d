"""Where each rule stands in the bytes of rules.yaml, told by its lines alone."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from improve.layout import BOM, Irregular, Outline, Span

_TOP = rb"(?m)^([^\s#\-][^\n]*)$"
_KEY = rb"""(?:["']?)([A-Za-z_][\w-]*)(?:["']?)[ \t]*:(?=\s|$)[ \t]*([^\r\n]*)"""
_ITEM = rb"(?m)^( *)-(?=[ \r\n]|$)"
_COMMENT = rb"(?:^|\s)#"
_EMPTY = (b"", b"[]", b"[ ]", b"null", b"Null", b"NULL", b"~")


def has_content(data: bytes) -> bool:
    """Say whether there is more than comments and blank lines."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        line = data[at : end if end >= 0 else len(data)].strip(b" \t\r")
        if line and not line.startswith(b"#"):
            return True
        at = end + 1 if end >= 0 else len(data)
    return False


def is_blank(data: bytes) -> bool:
    """Say whether a file holds nothing but comments: a valid empty store."""
    return not has_content(data.removeprefix(BOM))


def outline(data: bytes) -> Outline:
    """Find the entries by their lines.

    Raises:
        Irregular: the file has another shape; read it whole.
    """
    returns = data.count(b"\r")
    newline = "\r\n" if returns else "\n"
    if returns and returns != data.count(b"\r\n"):
        raise Irregular("a line ends with a carriage return alone")
    keys = [key for match in re.finditer(_TOP, data) if (key := _top_key(data, match))]
    at = next((i for i, key in enumerate(keys) if key.name == b"rules"), None)
    if at is None:
        return Outline((), len(data), len(data), 0, newline, None, has_rules_key=False)
    end = keys[at + 1].start if at + 1 < len(keys) else len(data)
    return _entries(data, keys[at], end, newline)


class _Key(NamedTuple):
    """A key in the first column: its line and what stands behind the colon."""

    name: bytes
    value: bytes
    value_at: int
    start: int
    after: int


def _top_key(data: bytes, match: re.Match[bytes]) -> _Key | None:
    line, start = match[1], match.start()
    if start == 0 and line.startswith(BOM):
        line, start = line[3:], 3
        if not has_content(line) or (line.rstrip() == b"---"):
            return None
    key = re.match(_KEY, line)
    if not key:
        raise Irregular("a line in the first column is no key")
    value = re.split(_COMMENT, key[2])[0].strip()
    return _Key(key[1], value, start + key.start(2), match.start(), min(match.end() + 1, len(data)))


def _entries(data: bytes, key: _Key, end: int, newline: str) -> Outline:
    start, value = key.after, key.value
    key_line = data.count(b"\n", 0, key.start) + 1
    if value not in _EMPTY:
        raise Irregular("`rules:` is followed by something on its line")
    first = re.compile(_ITEM).search(data, start, end)
    if first is None:
        if has_content(data[start:end]):
            raise Irregular("`rules:` is no list")
        gap = (key.value_at, key.value_at + len(value)) if value else None
        return Outline((), start, start, 0, newline, gap, key_line=key_line)
    if value or has_content(data[start : first.start()]):
        raise Irregular("something stands between `rules:` and the first rule")
    indent = first[1]
    starts = [m.start() for m in re.compile(_ITEM).finditer(data, first.start(), end) if m[1] == indent]
    _refuse_shallow(data, starts[0], end, len(indent))
    return Outline(_spans(data, [*starts, end]), starts[0], end, len(indent), newline, key_line=key_line)


def _spans(data: bytes, edges: list[int]) -> tuple[Span, ...]:
    spans, line = [], data.count(b"\n", 0, edges[0]) + 1
    for left, right in pairwise(edges):
        spans.append(Span(left, right, line))
        line += data.count(b"\n", left, right)
    return tuple(spans)


def _refuse_shallow(data: bytes, start: int, end: int, indent: int) -> None:
    """Content left of the dashes means the list ended where the lines do not show it."""
    if indent and re.compile(rb"^ {0,%d}[^ #\r\n]" % (indent - 1), re.M).search(data, start, end):
        raise Irregular("a line stands further left than the rules")


def head_text(data: bytes, shape: Outline) -> bytes:
    """Give the bytes around the entries."""
    return data[: shape.start] + data[shape.end :]


def before_first(front: bytes, shape: Outline) -> bytes:
    """Make the bytes before the entries ready to be followed by one: `rules:` with nothing behind it."""
    if not shape.has_rules_key:
        front += b"" if not front or front.endswith(b"\n") else shape.newline.encode()
        return front + f"rules:{shape.newline}".encode()
    if shape.empty_value:
        left, right = shape.empty_value
        front = front[:left].rstrip(b" \t") + front[right:]
    return front if front.endswith(b"\n") else front + shape.newline.encode()
