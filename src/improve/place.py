"""Decide where in an instruction file a new bullet goes, and how its line is written there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from improve.block import Kind
from improve.errors import Refused
from improve.markdown import BLANKS, BOM, Document, Heading, Item, scan

_WIDE_MARKER = b"-   "
"""Content at column 4: nothing that follows can be indented so far and still be a heading."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bullet goes, and the lines that come with it."""

    at: int
    section: str
    """Heading text above the bullet once it is there."""
    before: tuple[bytes, ...] = ()
    after: tuple[bytes, ...] = ()
    markers: tuple[bytes, ...] = (b"- ", _WIDE_MARKER)
    created_section: bool = False
    created_title: bool = False


def find_place(data: bytes, doc: Document, section: str, title: str) -> Place:
    """Find where a bullet of this section goes; a new section goes to the end of the file."""
    heading = _heading(doc, section)
    if heading is None:
        place = _new_section(data, doc, section, title)
    else:
        stop = next((h.start for h in doc.headings if h.start > heading.start), len(data))
        tops = _own_bullets(data, doc, heading.end, stop)
        place = _below(data, heading, tops) if tops else _first_of(data, doc, heading, stop)
    if doc.unclosed and place.at > doc.unclosed.start:
        raise Refused(
            f"line {doc.unclosed.number}: this {doc.unclosed.kind.value} is never closed, so a rule after it"
            " would be part of it; nothing was written; close it, then run this again"
        )
    return place


def _heading(doc: Document, section: str) -> Heading | None:
    """Find the heading with this text; same case, then level 2, then the earlier one is preferred."""
    same = [h for h in doc.headings if h.text == section]
    same = same or [h for h in doc.headings if h.text.casefold() == section.casefold()]
    return min(same, key=lambda h: h.level != 2, default=None) if section else None


def _own_bullets(data: bytes, doc: Document, start: int, stop: int) -> list[Item]:
    """List the top-level bullets of a section; one indented under a numbered item is meant to be in it."""
    tops: list[Item] = []
    numbered: Item | None = None
    reach = start
    for item in doc.items:
        if item.depth or not start <= item.start < stop:
            continue
        if not item.is_bullet:
            numbered = item
        elif numbered is None or item.column <= numbered.column or data[reach : item.start].strip(BLANKS):
            numbered = None
            tops.append(item)
        reach = item.stop
    return tops


def _below(data: bytes, heading: Heading, tops: list[Item]) -> Place:
    """Go after the whole last item, in its style."""
    last = tops[-1]
    head = data[last.start : last.text_start]
    stem = head.rstrip(b" \t")
    gap = head[len(stem) :] if last.parts else b""
    marker = stem + (gap if gap in {b"  ", b"   ", b"    ", b"\t"} else b" ")
    gaps = [data[a.stop : b.start] for a, b in pairwise(tops) if a.marker == b.marker]
    joined = [bool(between) for between in gaps if not between.strip(BLANKS)]
    before = (b"",) if sum(joined) * 2 > len(joined) else ()
    return Place(last.stop, heading.text, before, markers=(marker,))


def _first_of(data: bytes, doc: Document, heading: Heading, stop: int) -> Place:
    """Go below what stands in the section, above the blank lines and the rule that close it."""
    body = [line for line in doc.lines if heading.end <= line.start < stop]
    kept = [line for line in body if line.kind not in {Kind.BLANK, Kind.BREAK}]
    at = kept[-1].end if kept else heading.end
    follows = next((line for line in doc.lines if line.start >= at), None)
    after = (b"",) if follows and follows.kind is not Kind.BLANK else ()
    return Place(at, heading.text, (b"",), after)


def _new_section(data: bytes, doc: Document, section: str, title: str) -> Place:
    """Go to the end of the file, under a heading of our own."""
    empty = all(line.kind is Kind.BLANK for line in doc.lines)
    titled = bool(title) and empty
    top = (_own_heading(title, 1), b"") if titled else ()
    gap = () if empty or doc.lines[-1].kind is Kind.BLANK else (b"",)
    before = (*gap, *top, _own_heading(section, 2), b"")
    return Place(len(data), section, before, created_section=True, created_title=titled)


def blocks(data: bytes, place: Place, own: bytes) -> Iterator[bytes]:
    """Write what goes in, tightest first; more blank lines or a wider marker are for odd neighbours."""
    end = b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"
    at_line_start = data[: place.at] in {b"", BOM} or data[place.at - 1 : place.at] in {b"\n", b"\r"}
    seen = set()
    for marker in place.markers:
        for above, below in ((0, 0), (0, 1), (1, 0), (1, 1)):
            before = place.before or (b"",) * above
            after = place.after or (b"",) * below
            lines = end.join([*before, marker + own, *after])
            block = lines + end if at_line_start else end + lines
            if block not in seen:
                seen.add(block)
                yield block


def own_line(text: str) -> bytes:
    """Encode the text of a bullet; refuse what would not be one plain paragraph."""
    own = _encoded(text)
    if [line.kind for line in scan(own).lines] != [Kind.TEXT] or b"\0" in own:
        raise Refused(
            f"{text!r} would not read as one plain bullet in Markdown; nothing was written;"
            " word it as one line that starts with a word"
        )
    return own


def _own_heading(text: str, level: int) -> bytes:
    """Write a heading; refuse what would not read back as its text."""
    own = b"#" * level + b" " + _encoded(text)
    found = scan(own).headings
    if len(found) != 1 or not text or found[0].text != text or b"\0" in own:
        raise Refused(f"{text!r} cannot be a heading in Markdown; nothing was written; name the section in plain words")
    return own


def _encoded(text: str) -> bytes:
    try:
        return text.strip().encode()
    except UnicodeEncodeError:
        raise Refused(f"{text!r} holds half a character; nothing was written; type it again") from None
