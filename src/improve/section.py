"""Edit instruction files such as AGENTS.md: a rule is one bullet under the heading of its domain.

Bytes in, bytes out. We leave no markers: we own exactly the lines we wrote, and find them by their text.
Every edit is read back before it is returned; when anything but our own line reads differently than before,
it is not made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from improve.block import Kind
from improve.diff import Hunk, diff_hunks, revert, unified
from improve.errors import ImproveError, Refused
from improve.markdown import BLANKS, Bullet, Document, Heading, Item, bullets, headings, scan
from improve.place import Place, blocks, find_place, own_line

__all__ = [
    "Bullet",
    "Edit",
    "Heading",
    "Hunk",
    "bullets",
    "check_editable",
    "diff_hunks",
    "headings",
    "insert",
    "remove",
    "replace",
    "revert",
    "take_back",
    "unified",
]

LARGEST = 1 << 20
"""Bytes; no host loads an instruction file of this size, so it is something else."""
_LINE_ENDS = (b"\r\n", b"\n", b"\r")


@dataclass(frozen=True, slots=True)
class Edit:
    """A changed file, and what the change owns in it."""

    data: bytes
    created_section: bool
    created_title: bool
    line: int
    """Line of the bullet in the new file, counted from 1."""
    hunks: tuple[Hunk, ...]
    """What `revert` takes to restore the file."""


def check_editable(data: bytes, *, siblings: Collection[str] = ()) -> None:
    """Refuse a file that cannot be patched safely; `siblings` are the names of the files beside it."""
    if len(data) > LARGEST:
        raise Refused(f"the file has {len(data):,} bytes, more than {LARGEST:,}; nothing was written; split it")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data:
        raise Refused("the file is UTF-16, UTF-32 or not text; nothing was written; save it as UTF-8 first")
    _check_conflict(data)
    pointed = data.decode("utf-8", "surrogateescape").strip()
    if pointed and pointed.replace("\\", "/").removeprefix("./") in siblings:
        raise Refused(
            f"the file holds only the name of its sibling {pointed}: it is a symbolic link that was checked"
            f" out as text; nothing was written; write to {pointed}, or make it a link again"
        )


def insert(data: bytes, section: str, text: str, *, title: str = "") -> Edit:
    """Put a bullet after the last one of a section; make the section, and in an empty file the title.

    No byte that was there changes. So a last line without line end gets it as part of what we add, and the
    file then still ends without one; `remove` takes both away together.
    """
    check_editable(data)
    own = own_line(text)
    before = scan(data)
    place = find_place(data, before, section.strip(), title.strip())
    for block in blocks(data, place, own):
        edited = data[: place.at] + block + data[place.at :]
        item = _landed(before, scan(edited), place, len(block), text.strip())
        if item:
            _check_encoding(data, block)
            hunks = (Hunk(place.at, b"", block),)
            return Edit(edited, place.created_section, place.created_title, item.line.number, hunks)
    raise ImproveError(
        f"the bullet for section {section!r} would not read back at byte {place.at}; nothing was written."
        " This is a bug in improve, please report it with the file"
    )


def remove(
    data: bytes,
    bullet_text: str,
    *,
    section: str = "",
    drop_empty_section: bool = False,
    hunks: Sequence[Hunk] = (),
) -> bytes:
    """Take out the one bullet with exactly this text, in a section if one is named.

    With the `hunks` of its insertion the file is restored to the byte. Without them go the lines of the bullet,
    one blank line above where two would meet or the file would end in one, and the line end before it where the
    file ends without one. `drop_empty_section` takes the heading too once nothing is left under it.
    """
    check_editable(data)
    before = scan(data)
    text, section = bullet_text.strip(), section.strip()
    exact = _exactly(data, before, _matching(before, text, section), hunks, drop_empty_section)
    if exact is not None:
        return exact
    item = _only(before, text, section)
    if item.stop != item.end:
        raise Refused(
            f"line {item.line.number}: something is nested under this bullet; nothing was removed; edit it by hand"
        )
    start = _section_start(data, before, item) if drop_empty_section else item.start
    edited = data[: _above(data, before, start, item.end)] + data[item.end :]
    if not _without(before, scan(edited), item, drop_empty_section):
        raise Refused(
            f"line {item.line.number}: without this bullet the lines around it would read differently;"
            " nothing was removed; edit it by hand"
        )
    return edited


def take_back(data: bytes, hunks: Sequence[Hunk]) -> bytes:
    """Undo hunks as `revert` does, but keep a heading of ours under which somebody has written since."""
    edited = revert(data, hunks)
    restored = Counter(line.strip(BLANKS) for hunk in hunks for line in hunk.removed.splitlines())
    astray = _placed(edited) - _placed(data)
    if not Counter(line for _, line in astray.elements()) - restored:
        return edited
    left = revert(data, [hunk for hunk in hunks if hunk.removed])
    for bullet in (bullet for hunk in hunks if not hunk.removed for bullet in bullets(hunk.added)):
        left = remove(left, bullet.text, section=bullet.section)
    return left


def replace(data: bytes, old_text: str, new_text: str, *, section: str = "") -> Edit:
    """Reword the one bullet with exactly this text; what is nested under it stays."""
    check_editable(data)
    own = own_line(new_text)
    before = scan(data)
    item = _only(before, old_text.strip(), section.strip())
    block = data[item.start : item.text_start] + own + _line_end_before(data, item.end)
    edited = data[: item.start] + block + data[item.end :]
    after = scan(edited)
    _check_encoding(data, block)
    item.parts = [own]  # the only difference that is meant
    if _read(after.items) != _read(before.items) or _shape(before.headings) != _shape(after.headings):
        raise Refused(
            f"line {item.line.number}: with the new wording the lines around it would read differently;"
            " nothing was changed; edit it by hand"
        )
    hunks = (Hunk(item.start, data[item.start : item.end], block),) if edited != data else ()
    return Edit(edited, False, False, item.line.number, hunks)


# What may be edited, and what may be written


def _check_conflict(data: bytes) -> None:
    """Refuse a half-merged file; `=======` alone is a heading underline."""
    for number, line in enumerate(data.splitlines(), 1):
        if line.startswith((b"<<<<<<< ", b">>>>>>> ")):
            raise Refused(
                f"line {number}: merge conflict marker; nothing was written; resolve the conflict, then run this again"
            )


def _check_encoding(data: bytes, block: bytes) -> None:
    if block.isascii():
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused(
            f"line {line}: the file is not valid UTF-8 and the rule is not plain ASCII; nothing was written;"
            " save the file as UTF-8 first"
        ) from None


# Reading back


def _landed(before: Document, after: Document, place: Place, size: int, text: str) -> Item | None:
    """Give the new bullet if it reads as meant and everything else reads as before."""
    span = range(place.at, place.at + size)
    ours = [item for item in after.items if item.start in span]
    rest = [item for item in after.items if item.start not in span]
    kinds = [line.kind for line in after.lines if line.start not in span]
    heads = [h for h in after.headings if h.start not in span]
    made = [h.text for h in after.headings if h.start in span]
    if len(ours) != 1 or len(made) != place.created_section + place.created_title:
        return None
    item = ours[0]
    unchanged = (
        _read(rest) == _read(before.items)
        and _shape(heads) == _shape(before.headings)
        and kinds == [line.kind for line in before.lines]
    )
    wanted = (place.section, 0, text, item.end)
    same = item.is_bullet and (item.section, item.depth, item.text, item.stop) == wanted
    return item if unchanged and same else None


def _without(before: Document, after: Document, item: Item, drop: bool) -> bool:
    """Tell whether only this bullet, and with `drop` the headings right above it, are gone."""
    gone = len(before.headings) - len(after.headings)
    index = sum(h.start < item.start for h in before.headings)
    left = before.headings[: index - gone] + before.headings[index:] if gone else before.headings
    rest = [other for other in before.items if other is not item]
    allowed = 0 <= gone <= (min(index, 2) if drop else 0)
    return allowed and _shape(left) == _shape(after.headings) and _read(rest) == _read(after.items)


def _placed(data: bytes) -> Counter[tuple[str, bytes]]:
    """Count the lines of a file that hold text, each with the section it stands in."""
    doc = scan(data)
    heads = {heading.start: heading.text for heading in doc.headings}
    section = ""
    found: Counter[tuple[str, bytes]] = Counter()
    for line in doc.lines:
        section = heads.get(line.start, section)
        if line.kind is not Kind.HEADING and line.kind is not Kind.BLANK:
            found[section, data[line.start : line.end].strip(BLANKS)] += 1
    return found


def _read(items: Sequence[Item]) -> list[tuple[str, str, int, str]]:
    return [(item.section, item.marker, item.depth, item.text) for item in items]


def _shape(found: Sequence[Heading]) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in found]


# Taking out


def _matching(doc: Document, text: str, section: str) -> list[Item]:
    same = [item for item in doc.items if item.is_bullet and item.text == text and text]
    if not section:
        return same
    exact = [item for item in same if item.section == section]
    return exact or [item for item in same if item.section.casefold() == section.casefold()]


def _only(doc: Document, text: str, section: str) -> Item:
    same = _matching(doc, text, section)
    if len(same) == 1:
        return same[0]
    where = f" under {section!r}" if section else ""
    if not same:
        raise Refused(f"no bullet reads {text!r}{where}; nothing was changed; it was reworded or removed by hand")
    lines = ", ".join(str(item.line.number) for item in same)
    raise Refused(f"lines {lines}: {text!r} stands there more than once{where}; nothing was changed; keep one of them")


def _exactly(data: bytes, before: Document, same: list[Item], hunks: Sequence[Hunk], drop: bool) -> bytes | None:
    """Undo an insertion by what it recorded; None where the file was edited around it."""
    if not hunks:
        return None
    try:
        edited = revert(data, hunks)
    except Refused:
        return None
    after = scan(edited)
    whole = [item for item in same if item.stop == item.end]
    return edited if any(_without(before, after, item, drop) for item in whole) else None


def _section_start(data: bytes, doc: Document, item: Item) -> int:
    """Give the start of the heading above if this bullet is all that stands under it, else of the bullet."""
    index = sum(h.start < item.start for h in doc.headings)
    if not index:
        return item.start
    heading, following = doc.headings[index - 1], doc.headings[index : index + 1]
    stop = following[0].start if following else len(data)
    alone = not (data[heading.end : item.start] + data[item.end : stop]).strip(BLANKS)
    deeper = bool(following) and following[0].level > heading.level
    return heading.start if alone and not deeper else item.start


def _above(data: bytes, doc: Document, start: int, end: int) -> int:
    """Widen what goes by one blank line above it and by the line end before it, where these came with it."""
    over = [line for line in doc.lines if line.start < start][-1:]
    under = next((line for line in doc.lines if line.start >= end), None)
    if over and data[over[0].start : start] in _LINE_ENDS and (under is None or under.kind is Kind.BLANK):
        start = over[0].start
    if end == len(data) and data[-1:] not in _LINE_ENDS:
        start -= len(_line_end_before(data, start))
    return start


def _line_end_before(data: bytes, at: int) -> bytes:
    return next((end for end in _LINE_ENDS if data[:at].endswith(end)), b"")
