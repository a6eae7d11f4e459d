"""Tell what one line of Markdown starts, looking at the line alone.

The rules are those of https://spec.commonmark.org/0.31.2/ and, for the table row, https://github.github.com/gfm/.
Every pattern is linear in the length of the line: a file of one endless line must cost nothing special.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_ATX = re.compile(rb"(#{1,6})(?=[ \t]|$)(.*)", re.DOTALL)
_FENCE = re.compile(rb"(`{3,})[^`]*$|(~{3,})", re.DOTALL)
_ITEM = re.compile(rb"([-*+]|(\d{1,9})[.)])(?=[ \t]|$)")
_UNDERLINE = re.compile(rb"(?:=+|-+)$")
_TABLE_RULE = re.compile(rb"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_TAG_START = re.compile(rb"</?[A-Za-z][\w-]*(?=[ \t/>]|$)")
_TAG_LINE = re.compile(rb"</?[A-Za-z][\w-]*(?:[ \t][^<>]*)?/?>$")
_RAW_TAG = re.compile(rb"<(?:script|pre|style|textarea)(?=[ \t>]|$)", re.IGNORECASE)
_RAW_ENDS = (b"</script>", b"</pre>", b"</style>", b"</textarea>")
_DEEPEST_QUOTE = 20
_YAML_KEY = re.compile(rb"[^\s:#-][^:]*:(?:\s|$)")


class Kind(Enum):
    """What a line is or starts."""

    BLANK = "blank"
    TEXT = "text"
    HEADING = "heading"
    UNDERLINE = "underline of a heading"
    ITEM = "list item"
    CODE = "code"
    FENCE = "fenced code block"
    COMMENT = "comment or raw HTML"
    TAG = "tag"
    QUOTE = "quote"
    TABLE = "table"
    BREAK = "thematic break"
    FRONT = "front matter"


@dataclass(slots=True)  # made for every line: frozen would cost twice as much
class Above:
    """What is still open above a line."""

    text: bytes | None
    """Last line of the open paragraph; None when no paragraph is open."""
    soft: bool
    """The paragraph is a quote or a table: text may follow, but no underline turns it into a heading."""
    lazy: bool
    """The line is not indented enough for the innermost open list item."""
    nested: bool
    """A list item is open."""


def starts(rest: bytes, indent: int, above: Above) -> Kind | None:
    """Name the block that a line starts from its first non-blank byte; None for text of a paragraph."""
    if indent >= 4:
        return Kind.CODE if above.text is None else None
    lead = rest[:1]
    direct = above.text is not None and not above.lazy and not above.soft
    if direct and (lead == b"=" or lead == b"-") and _UNDERLINE.match(rest.rstrip(b" \t")):
        return Kind.UNDERLINE
    if lead == b"#":
        return Kind.HEADING if _ATX.match(rest) else None
    if lead == b"`" or lead == b"~":
        return Kind.FENCE if _FENCE.match(rest) else None
    if lead == b">":
        return Kind.QUOTE
    if lead == b"<":
        return _starts_tag(rest, above, direct)
    if is_break(rest):
        return Kind.BREAK
    if _starts_item(rest, direct):
        return Kind.ITEM
    return Kind.TABLE if direct and _rules_table(rest.rstrip(b" \t"), above.text or b"") else None


def _rules_table(rest: bytes, header: bytes) -> bool:
    """Tell the line below a table's header: as many cells, nothing but dashes and colons in them."""
    cells = [row.strip(b" \t").removeprefix(b"|").removesuffix(b"|").count(b"|") for row in (rest, header)]
    return b"|" in rest and b"|" in header and cells[0] == cells[1] and bool(_TABLE_RULE.match(rest))


def _starts_tag(rest: bytes, above: Above, direct: bool) -> Kind | None:
    if verbatim_ends(rest):
        return Kind.COMMENT
    if _TAG_LINE.match(rest.rstrip(b" \t")) and not (direct and above.nested):
        return Kind.TAG
    return Kind.TEXT if above.lazy and _TAG_START.match(rest) else None


def _starts_item(rest: bytes, direct: bool) -> bool:
    found = _ITEM.match(rest)
    if not found or not direct:
        return bool(found)
    # Only an item with text, and only number 1, may interrupt a paragraph.
    return bool(rest[found.end() :].strip(b" \t")) and (found[2] is None or int(found[2]) == 1)


def quotes_text(rest: bytes, column: int) -> bool:
    """Tell whether a quote line leaves a paragraph open, which the next line may continue without a `>`."""
    position, base = 0, column
    for _ in range(_DEEPEST_QUOTE):
        if column - base >= 4:
            break
        mark = rest[position : position + 1] if rest[position : position + 1] == b">" else b""
        if not mark and not is_break(rest[position:]):
            mark = marker(rest, position)
        if not mark:
            break
        base = column + len(mark) + 1  # the blank after the mark belongs to it
        position, column = indentation(rest, position + len(mark), column + len(mark))
    left = rest[position:]
    alone = Above(None, soft=False, lazy=False, nested=False)
    return bool(left) and starts(left, column - base, alone) is None


def is_break(rest: bytes) -> bool:
    """Tell a thematic break: three or more of one of `-*_`, blanks between them allowed."""
    if rest[:1] not in {b"-", b"*", b"_"}:
        return False
    marks = rest.translate(None, b" \t")
    return len(marks) >= 3 and marks.count(marks[:1]) == len(marks)


def marker(content: bytes, position: int) -> bytes:
    """Give the list marker that stands at a position."""
    found = _ITEM.match(content, position)
    return found[1] if found else b""


def fence(rest: bytes) -> bytes:
    """Give the run of backticks or tildes that opens a fenced code block."""
    found = _FENCE.match(rest)
    return (found[1] or found[2]) if found else b""


def verbatim_ends(rest: bytes) -> tuple[bytes, ...]:
    """Give what ends the comment or raw tag that starts here; empty when none starts."""
    if _RAW_TAG.match(rest):
        return _RAW_ENDS
    for opening, end in ((b"<!--", b"-->"), (b"<?", b"?>"), (b"<![cdata[", b"]]>")):
        if rest[:9].lower().startswith(opening):
            return (end,)
    return (b">",) if rest[:2] == b"<!" and rest[2:3].isalpha() else ()


def heading(rest: bytes) -> tuple[int, bytes]:
    """Give level and text of an ATX heading, without the closing `#` signs."""
    found = _ATX.match(rest)
    if not found:
        return 0, b""
    text = found[2].strip(b" \t")
    bare = text.rstrip(b"#")
    return len(found[1]), bare.rstrip(b" \t") if not bare or bare[-1:] in {b" ", b"\t"} else text


def indentation(content: bytes, position: int = 0, column: int = 0) -> tuple[int, int]:
    """Skip blanks; give the position and the column reached, with tab stops of four."""
    while position < len(content) and content[position] in b" \t":
        column += 4 - column % 4 if content[position] == 9 else 1
        position += 1
    return position, column


def front_matter(rows: list[bytes]) -> int:
    """Count the lines of the YAML block at the top; 0 for a file that just begins with a thematic break."""
    if not rows or rows[0].rstrip() != b"---":
        return 0
    for count, row in enumerate(rows[1:], 2):
        if row.rstrip() in {b"---", b"..."}:
            inner = [r for r in rows[1 : count - 1] if r.strip()]
            keys = [r for r in inner if not r.startswith(b"#")]
            return count if not inner or (keys and _YAML_KEY.match(keys[0])) else 0
    return 0
