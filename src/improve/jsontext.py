"""Put members into JSON text and take them out again; every other byte of it stays as it is.

Nothing is ever written anew from parsed values: a change is a few splices into the text. The standard parser finds
where values begin and end, and reads the result once more: it must differ from before by the one change and no more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from improve.jsonspan import (
    CAP,
    Box,
    Number,
    Path,
    Source,
    Unfit,
    blanked,
    box_at,
    decode,
    found_at,
    line_of,
    member,
    named,
    parsed,
    top,
)
from improve.jsonstyle import Style

__all__ = [
    "CAP",
    "Change",
    "Number",
    "Splice",
    "Unfit",
    "add",
    "append",
    "apply",
    "decode",
    "parse",
    "remove",
    "replace",
    "revert",
]


class Splice(NamedTuple):
    """One replaced stretch, in characters of the text at that moment."""

    at: int
    old: str
    new: str


class Change(NamedTuple):
    """A changed text and how it came about."""

    text: str
    splices: tuple[Splice, ...] = ()
    made: tuple[tuple[str, ...], ...] = ()
    """Members that were created to hold the new one, outermost first."""


def parse(text: str, *, comments: bool = False) -> Any:
    """Read a text; numbers come as `Number`.

    Raises:
        Unfit: it is not the JSON that the host accepts.
    """
    return parsed(blanked(text, comments))


def apply(text: str, splices: Sequence[Splice]) -> str:
    """Make splices, one after the other.

    Raises:
        Unfit: the text is another one.
    """
    for at, old, new in splices:
        if text[at : at + len(old)] != old:
            raise Unfit("it was changed meanwhile")
        text = text[:at] + new + text[at + len(old) :]
    return text


def revert(text: str, splices: Sequence[Splice]) -> str:
    """Take splices back, the last one first.

    Raises:
        Unfit: the text is another one.
    """
    return apply(text, [Splice(at, new, old) for at, old, new in reversed(splices)])


def append(text: str, path: Sequence[str], item: object, *, comments: bool = False) -> Change:
    """Add an element behind the last one of the array at a path; what is missing of the path is made.

    Raises:
        Unfit: the text cannot be read, or something on the path is no object, no array, or there twice.
    """
    source = blanked(text, comments)
    after = parsed(source)
    at, made = top(source), tuple[tuple[str, ...], ...]()
    for depth, key in enumerate(path):
        box, part = member(source, at, path[: depth + 1])
        if part is None:
            made = tuple(tuple(path[: end + 1]) for end in range(depth, len(path)))
            splices = _insertion(source, box, key, _nested(path[depth + 1 :], item))
            break
        at = part.value
    else:
        if source.plain[at] != "[":
            raise Unfit(f"line {line_of(text, at)}: {named(path)} is no list")
        splices = _insertion(source, box_at(source.plain, at), None, item)
    holder = after
    for key in path[:-1]:
        holder = holder.setdefault(key, {})
    holder.setdefault(path[-1], []).append(_as_read(item))
    return Change(_checked(text, splices, after, comments), splices, made)


def add(text: str, key: str, value: object, *, comments: bool = False) -> Change:
    """Add a member behind the last one of the outermost object.

    Raises:
        Unfit: the text cannot be read, is no object, or has the member.
    """
    source = blanked(text, comments)
    after = parsed(source)
    box, part = member(source, top(source), [key])
    if part is not None:
        raise Unfit(f"line {line_of(text, part.start)}: there is {named([key])} already")
    splices = _insertion(source, box, key, value)
    after[key] = _as_read(value)
    return Change(_checked(text, splices, after, comments), splices, ((key,),))


def remove(text: str, path: Path, *, comments: bool = False) -> Change:
    """Take a member or an element out, with its comma and the white space that came with it.

    Raises:
        Unfit: the text cannot be read, or nothing is there.
    """
    source = blanked(text, comments)
    after = parsed(source)
    box, number = found_at(source, path)
    del _holder(after, path)[path[-1]]
    splices = tuple(_removal(source, box, number))
    return Change(_checked(text, splices, after, comments), splices)


def replace(text: str, path: Path, value: str, *, comments: bool = False) -> Change:
    """Put a string in the place of a value.

    Raises:
        Unfit: the text cannot be read, or nothing is there.
    """
    source = blanked(text, comments)
    after = parsed(source)
    box, number = found_at(source, path)
    _holder(after, path)[path[-1]] = value
    part = box.parts[number]
    splices = (Splice(part.value, text[part.value : part.end], json.dumps(value, ensure_ascii=False)),)
    return Change(_checked(text, splices, after, comments), splices)


def _holder(value: Any, path: Path) -> Any:
    for step in path[:-1]:
        value = value[step]
    return value


def _nested(path: Sequence[str], item: object) -> object:
    value: object = [item]
    for key in reversed(path):
        value = {key: value}
    return value


def _insertion(source: Source, box: Box, key: str | None, value: object) -> tuple[Splice, ...]:
    """Write a member behind the last one, in the way of its neighbours."""
    text, inner = source.text, box.end - 1
    last = box.parts[-1] if box.parts else None
    start = last.end if last else box.start + 1
    at = _behind_comments(source, start, inner)
    style = Style(source)
    if not style.breaks(box) and "\n" not in (text[at:inner] if at > start else ""):
        comma = style.marks()[1]
        body = style.flat(key, value)
        new = (comma if at == start else comma[1:] or " ") * bool(last) + body
    else:
        outer = style.margin(box.start)
        indent = style.indent(box, outer)
        new = style.newline + indent + style.tall(key, value, indent)
        if not last and "\n" not in text[at:inner]:
            new += style.newline + outer
        if last and at == start:
            new = "," + new
    if last and at > start:
        return Splice(start, "", ","), Splice(at + 1, "", new)
    return (Splice(at, "", new),)


def _removal(source: Source, box: Box, number: int) -> Iterator[Splice]:
    """Give the splices that take a part out, the last in the text first."""
    if number == len(box.parts) - 1:
        yield from _last_out(source, box) if number else _only_out(source, box)
        return
    part, plain = box.parts[number], source.plain
    comma = plain.index(",", part.end)
    if not number and not _comment_between(source, part.end, box.parts[1].start):
        yield _cut(source, part.start, box.parts[1].start)
        return
    start = plain.index(",", box.parts[number - 1].end) + 1 if number else box.start + 1
    start = _behind_comments(source, start, part.start)
    if _comment_between(source, part.end, comma):
        yield _cut(source, comma, comma + 1)
        yield _cut(source, start, part.end)
    else:
        yield _cut(source, start, comma + 1)


def _only_out(source: Source, box: Box) -> Iterator[Splice]:
    """Empty a box, but for comments."""
    (part,), start = box.parts, box.start + 1
    if _comment_between(source, start, box.end):
        yield _cut(source, _behind_comments(source, start, part.start), part.end)
    else:
        yield _cut(source, start, box.end - 1)


def _last_out(source: Source, box: Box) -> Iterator[Splice]:
    """Take the last of several parts out, with the comma before it."""
    part, comma = box.parts[-1], source.plain.index(",", box.parts[-2].end)
    start = _behind_comments(source, comma + 1, part.start)
    if start == comma + 1:
        yield _cut(source, comma, part.end)
    else:
        yield _cut(source, start, part.end)
        yield _cut(source, comma, comma + 1)


def _cut(source: Source, start: int, end: int) -> Splice:
    return Splice(start, source.text[start:end], "")


def _behind_comments(source: Source, start: int, end: int) -> int:
    """Give the end of the last comment in a stretch, or where the stretch begins."""
    return max((e for s, e in source.comments if start <= s < end), default=start)


def _comment_between(source: Source, start: int, end: int) -> bool:
    return any(start <= s < end for s, _ in source.comments)


def _checked(text: str, splices: tuple[Splice, ...], wanted: object, comments: bool) -> str:
    """Make the splices, read the result, and see that it says what it should."""
    new = apply(text, splices)
    try:
        new.encode("utf-8")
    except UnicodeEncodeError:
        raise Unfit("what would be written is not UTF-8") from None
    if parse(new, comments=comments) != wanted:
        raise Unfit("the change would touch more than its own entry")
    return new


def _as_read(value: object) -> object:
    """Give numbers the form they have when they are read."""
    if isinstance(value, dict):
        return {key: _as_read(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_read(item) for item in value]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return Number(json.dumps(value)) if number else value
