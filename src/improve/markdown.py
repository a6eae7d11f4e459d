"""Read the structure of a Markdown file from its bytes: headings and list items, and where each of them ends.

CommonMark (https://spec.commonmark.org/0.31.2/) with two deliberate differences. A tag such as `<rules>` is
transparent: people wrap lists in such tags, and agents read the list. And a line that starts with a tag never
continues a bullet that it is not indented under. Nothing is decoded before a line is understood, so invalid
UTF-8 costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from improve import block
from improve.block import Above, Kind

BOM = b"\xef\xbb\xbf"
BLANKS = b" \t\r\n"
BULLET_MARKERS = ("-", "*", "+")
_DEEPEST = 60
"""Lists nested deeper than this are text, so that no input can exhaust the stack."""


@dataclass(frozen=True, slots=True)
class Bullet:
    """One bullet of a list: its first paragraph, not what is nested below it."""

    line: int
    """Counted from 1."""
    section: str
    """Text of the nearest heading above, whatever its level; empty above the first heading."""
    text: str
    """Inline Markdown as written; continuation lines are joined by one space."""
    start: int
    end: int
    """Byte span of its whole lines, continuation lines and line end included."""
    marker: str


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading of the document itself, not of a list item or a quote."""

    level: int
    text: str
    line: int
    start: int
    end: int
    """Byte span of its whole lines; a setext heading has its underline in it."""


@dataclass(slots=True)
class Line:
    """One line with its line end, and what it is."""

    number: int
    start: int
    end: int
    kind: Kind = Kind.BLANK


@dataclass(slots=True)
class Item:
    """A list item, bulleted or numbered, with the columns that decide what belongs to it."""

    line: Line
    section: str
    marker: str
    depth: int
    """In how many list items it sits."""
    column: int
    """Column of its marker."""
    content: int
    """Column at which its content starts; lines indented this far belong to it."""
    text_start: int
    end: int
    """End of its first paragraph."""
    stop: int
    """End of its last non-blank line, nested content included."""
    parts: list[bytes] = field(default_factory=list)
    fresh: bool = True
    """Nothing is in it yet."""

    @property
    def start(self) -> int:
        """Give the first byte of its first line."""
        return self.line.start

    @property
    def text(self) -> str:
        """Give its first paragraph as one line."""
        return _decoded(self.parts)

    @property
    def is_bullet(self) -> bool:
        """Tell a bullet from a numbered item."""
        return self.marker in BULLET_MARKERS


@dataclass(slots=True)
class Document:
    """What one scan found."""

    lines: list[Line] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    unclosed: Line | None = None
    """The line that opens a code block or comment which swallows the rest of the file."""


@dataclass(frozen=True, slots=True)
class _Verbatim:
    """An open fence, comment or raw tag: until it closes, nothing in it is Markdown."""

    line: Line
    kind: Kind
    depth: int
    fence: bytes = b""
    ends: tuple[bytes, ...] = ()

    def closes(self, rest: bytes, indent: int) -> bool:
        """Tell whether a line ends it."""
        if not self.fence:
            return any(end in rest.lower() for end in self.ends)
        run = rest.rstrip(b" \t")
        return indent < 4 and len(run) >= len(self.fence) and not run.strip(self.fence[:1])


def scan(data: bytes) -> Document:
    """Find every heading and list item of a file, and what each line is."""
    scanner = _Scanner()
    at = len(BOM) if data.startswith(BOM) else 0
    lines: list[Line] = []
    rows: list[bytes] = []
    for number, raw in enumerate(data[at:].splitlines(keepends=True), 1):
        lines.append(Line(number, at, at + len(raw)))
        rows.append(raw.rstrip(b"\r\n"))
        at += len(raw)
    front = block.front_matter(rows)
    for line in lines[:front]:
        line.kind = Kind.FRONT
    for line, row in zip(lines[front:], rows[front:], strict=True):
        scanner.feed(line, row)
    scanner.document.lines = lines
    if scanner.verbatim and not scanner.verbatim.depth:
        scanner.document.unclosed = scanner.verbatim.line
    return scanner.document


def bullets(data: bytes) -> list[Bullet]:
    """List the bullets of a file that have text, nested ones as entries of their own; never fails."""
    found = (item for item in scan(data).items if item.is_bullet)
    return [Bullet(i.line.number, i.section, i.text, i.start, i.end, i.marker) for i in found if i.text]


def headings(data: bytes) -> list[Heading]:
    """List the headings of a file, `#` and underlined ones, in order; never fails."""
    return scan(data).headings


def _decoded(parts: list[bytes]) -> str:
    return b" ".join(parts).decode("utf-8", "surrogateescape")


class _Scanner:
    """One pass over the lines; its state is what is open: list items, a paragraph, a verbatim block."""

    def __init__(self) -> None:
        self.document = Document()
        self.stack: list[Item] = []
        self.verbatim: _Verbatim | None = None
        self.paragraph: list[tuple[Line, bytes]] = []
        self.soft = False
        self.owner: Item | None = None

    def feed(self, line: Line, content: bytes) -> None:
        """Take the next line."""
        position, column = block.indentation(content)
        if position == len(content):
            if not self.verbatim:
                self._blank()
            return
        matched = self._matched(column)
        if self.verbatim and matched >= self.verbatim.depth:
            line.kind = self.verbatim.kind
            if self.verbatim.closes(content[position:], column - self._base(self.verbatim.depth)):
                self.verbatim = None
        else:
            self.verbatim = None
            self._open(line, content, position, column, matched)
        for item in self.stack:
            item.stop = line.end

    def _blank(self) -> None:
        self._end_paragraph()
        if self.stack and self.stack[-1].fresh:
            self.stack.pop()  # "a list item can begin with at most one blank line"

    def _matched(self, column: int) -> int:
        count = 0
        for item in self.stack:
            if column < item.content:
                break
            count += 1
        return count

    def _base(self, matched: int) -> int:
        return self.stack[matched - 1].content if matched else 0

    def _open(self, line: Line, content: bytes, position: int, column: int, matched: int) -> None:
        """Continue the paragraph, or close what the line is not part of and open what it starts."""
        rest = content[position:]
        last = self.paragraph[-1][1] if self.paragraph else None
        above = Above(last, self.soft, lazy=matched < len(self.stack), nested=bool(self.stack))
        kind = block.starts(rest, column - self._base(matched), above)
        if kind is None and self.paragraph:
            self._text(line, rest)
            return
        del self.stack[matched:]
        if kind is Kind.UNDERLINE:
            self._underline(line, rest)
        self._end_paragraph()
        if kind is Kind.ITEM and matched < _DEEPEST:
            self._item(line, content, position, column)
        elif kind is None or kind is Kind.TEXT or kind is Kind.ITEM:
            self._text(line, rest)
        elif kind is not Kind.UNDERLINE:
            self._leaf(kind, line, rest, column)

    def _item(self, line: Line, content: bytes, position: int, column: int) -> None:
        """Open a list item and whatever follows its marker on the line."""
        mark = block.marker(content, position)
        after = column + len(mark)
        inner, inner_column = block.indentation(content, position + len(mark), after)
        # Five blanks or more: one belongs to the marker, the rest is indented code.
        narrow = inner < len(content) and inner_column - after <= 4
        if self.stack:
            self.stack[-1].fresh = False
        line.kind = Kind.ITEM
        item = Item(
            line,
            self.document.headings[-1].text if self.document.headings else "",
            mark.decode(),
            depth=len(self.stack),
            column=column,
            content=inner_column if narrow else after + 1,
            text_start=line.start + inner,
            end=line.end,
            stop=line.end,
        )
        self.document.items.append(item)
        self.stack.append(item)
        if inner < len(content):
            self._open(line, content, inner, inner_column, len(self.stack))

    def _text(self, line: Line, rest: bytes) -> None:
        if not self.paragraph and self.stack and self.stack[-1].fresh:
            self.owner = self.stack[-1]
            self.owner.fresh = False
        self.paragraph.append((line, rest))
        _mark(line, Kind.TEXT)
        if self.owner:
            self.owner.parts.append(rest.strip(b" \t"))
            self.owner.end = line.end

    def _leaf(self, kind: Kind, line: Line, rest: bytes, column: int) -> None:
        """Open a block that holds no list item."""
        if self.stack and self.stack[-1].fresh:
            self.stack[-1].fresh = False
            self.stack[-1].parts.append(rest.strip(b" \t"))
            self.stack[-1].end = line.end
        _mark(line, kind)
        depth = len(self.stack)
        if kind is Kind.FENCE:
            self.verbatim = _Verbatim(line, kind, depth, fence=block.fence(rest))
        elif kind is Kind.COMMENT:
            opened = _Verbatim(line, kind, depth, ends=block.verbatim_ends(rest))
            self.verbatim = None if opened.closes(rest, 0) else opened
        elif kind is Kind.HEADING and not self.stack:
            level, text = block.heading(rest)
            self._heading(level, _decoded([text]), line, line)
        elif kind is Kind.TABLE or (kind is Kind.QUOTE and block.quotes_text(rest, column)):
            self.paragraph, self.soft = [(line, rest)], True

    def _underline(self, line: Line, rest: bytes) -> None:
        """Turn the open paragraph into a heading."""
        line.kind = Kind.HEADING
        if not self.stack:
            for above, _ in self.paragraph:
                above.kind = Kind.HEADING
            text = _decoded([text.strip(b" \t") for _, text in self.paragraph])
            self._heading(1 if rest[:1] == b"=" else 2, text, self.paragraph[0][0], line)

    def _heading(self, level: int, text: str, first: Line, last: Line) -> None:
        self.document.headings.append(Heading(level, text, first.number, first.start, last.end))

    def _end_paragraph(self) -> None:
        self.paragraph, self.soft, self.owner = [], False, None


def _mark(line: Line, kind: Kind) -> None:
    """Say what a line is; the line of a list marker stays that."""
    if line.kind is Kind.BLANK:
        line.kind = kind
