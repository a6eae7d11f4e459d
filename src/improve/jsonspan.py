"""Find where the values of a JSON text begin and end, with or without comments between them.

Syntax: https://www.rfc-editor.org/rfc/rfc8259.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

CAP = 5 << 20
"""Bytes of a file; a larger one is nobody's settings."""
_DEEPEST = 100
"""Levels of nesting; the strictest host takes 127."""
WHITE = " \t\r\n"
_TOKEN = re.compile(r'["/]')
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_STRING = json.JSONDecoder()

Path = Sequence[str | int]
"""Keys of objects and indices of arrays, from the top."""


class Unfit(ValueError):
    """The text is not what its host accepts, or not of the shape we know; says what and in which line."""


class Number(str):
    """A number as it is written: nothing is rounded, and none is too long to be read."""

    __slots__ = ()


class Part(NamedTuple):
    """A member of an object or an element of an array, by where it stands."""

    key: str
    start: int
    """Where its key begins, in an array the value itself."""
    value: int
    end: int


class Box(NamedTuple):
    """An object or an array, by where it stands."""

    start: int
    end: int
    parts: tuple[Part, ...]


class Source(NamedTuple):
    """A text, the same with blanks in the place of comments, and where those are."""

    text: str
    plain: str
    comments: tuple[tuple[int, int], ...]


_reader = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)


def decode(data: bytes, *, bom: bool = False) -> str:
    """Give the text of a file.

    Args:
        bom: the host takes a byte order mark.

    Raises:
        Unfit: it cannot be the text of a JSON file.
    """
    if len(data) > CAP:
        raise Unfit(f"it is larger than {CAP >> 20} MB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unfit(f"line {data.count(10, 0, error.start) + 1} is not UTF-8") from None
    if "\0" in text:
        raise Unfit(f"line {line_of(text, text.index(chr(0)))} holds a NUL")
    if text.startswith("\ufeff") and not bom:
        raise Unfit("it begins with a byte order mark, which this agent does not take")
    return text


def blanked(text: str, comments: bool) -> Source:
    """Blank what the host passes over, so that the strict parser sees the rest at its place."""
    plain = " " + text[1:] if text.startswith("\ufeff") else text
    spans = tuple(_comments(plain)) if comments else ()
    if spans:
        pieces, done = list[str](), 0
        for start, end in spans:
            pieces += (plain[done:start], " " * (end - start))
            done = end
        plain = "".join([*pieces, plain[done:]])
    return Source(text, plain, spans)


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """Find comments: what looks like one inside a string is none."""
    at = 0
    while found := _TOKEN.search(text, at):
        at = found.start()
        if text[at] == '"':
            try:
                at = _STRING.raw_decode(text, at)[1]
            except ValueError:
                return  # the parser will say what is wrong with it
            continue
        if text.startswith("//", at):
            ends = [end for end in (text.find("\n", at), text.find("\r", at)) if end >= 0]
            end = min(ends, default=len(text))
        elif text.startswith("/*", at) and (close := text.find("*/", at + 2)) >= 0:
            end = close + 2
        else:
            return
        yield at, end
        at = end


def parsed(source: Source) -> Any:
    """Read it with the standard parser and refuse what some host would not take."""
    if not source.plain.strip(WHITE):
        raise Unfit("it is empty, which is no JSON")
    try:
        start = len(source.plain) - len(source.plain.lstrip(WHITE))
        value, end = _reader.raw_decode(source.plain, start)
        if source.plain[end:].strip(WHITE):
            raise json.JSONDecodeError("Extra data", source.plain, end)
        _measure(value)
        if _SURROGATE.search(source.text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise Unfit(f"line {line_of(source.text, error.pos)}: {_complaint(source.plain, error)}") from None
    except UnicodeEncodeError:
        raise Unfit("it holds half of a surrogate pair") from None
    except RecursionError:
        raise Unfit("it is nested too deeply") from None
    return value


def _measure(value: object) -> None:
    """Refuse deep nesting, and numbers that are none."""
    level: list[object] = [value]
    for _ in range(_DEEPEST):
        deeper: list[object] = []
        for item in level:
            if isinstance(item, dict):
                deeper += item.values()
            elif isinstance(item, list):
                deeper += item
            elif isinstance(item, Number) and item[-1] in "Ny":
                raise Unfit(f"{item} is no JSON")
        if not deeper:
            return
        level = deeper
    raise Unfit("it is nested too deeply")


def _complaint(plain: str, error: json.JSONDecodeError) -> str:
    """Name the two mistakes that people make; give the parser's words for others."""
    rest = plain[error.pos :].lstrip(WHITE)
    before = plain[: error.pos].rstrip(WHITE)
    if rest[:2] in ("//", "/*"):
        return "a comment, which this agent does not take"
    if error.msg.startswith("Illegal trailing comma") or (before[-1:] == "," and rest[:1] in ("}", "]")):
        return "a comma before a closing bracket"
    return error.msg[0].lower() + error.msg[1:]


def line_of(text: str, at: int) -> int:
    """Give the number of the line of a place."""
    return text.count("\n", 0, at) + 1


def named(path: Path) -> str:
    """Show a path in a message."""
    return "`" + ".".join(map(str, path)) + "`" if path else "its outermost value"


def top(source: Source) -> int:
    """Give the place where the value begins."""
    return len(source.plain) - len(source.plain.lstrip(WHITE))


def _skip(plain: str, at: int) -> int:
    while plain[at] in WHITE:
        at += 1
    return at


def box_at(plain: str, start: int) -> Box:
    """Find the parts of the object or array that begins at a place; the text is known to be JSON."""
    close = "}" if plain[start] == "{" else "]"
    parts = list[Part]()
    at = _skip(plain, start + 1)
    while plain[at] != close:
        key, begin = "", at
        if close == "}":
            key, at = _reader.raw_decode(plain, at)
            at = _skip(plain, _skip(plain, at) + 1)
        _, end = _reader.raw_decode(plain, at)
        parts.append(Part(key, begin, at, end))
        at = _skip(plain, end)
        if plain[at] == ",":
            at = _skip(plain, at + 1)
    return Box(start, at + 1, tuple(parts))


def first_in(plain: str, start: int) -> Part | None:
    """Find the first part of an object or array, without its end; None in an empty one."""
    if plain[start] not in "{[":
        return None
    at = _skip(plain, start + 1)
    if plain[at] in "}]":
        return None
    if plain[start] == "[":
        return Part("", at, at, at)
    key, end = _reader.raw_decode(plain, at)
    value = _skip(plain, _skip(plain, end) + 1)
    return Part(key, at, value, value)


def member(source: Source, at: int, path: Path) -> tuple[Box, Part | None]:
    """Find the member of an object that the last step of a path names."""
    if source.plain[at] != "{":
        raise Unfit(f"line {line_of(source.text, at)}: {named(path[:-1])} is no object")
    box = box_at(source.plain, at)
    found = [part for part in box.parts if part.key == path[-1]]
    if len(found) > 1:
        raise Unfit(f"line {line_of(source.text, found[1].start)}: {named(path)} is there twice")
    return box, found[0] if found else None


def found_at(source: Source, path: Path) -> tuple[Box, int]:
    """Find what stands at a path: what holds it, and its number in there."""
    at, box, number = top(source), Box(0, 0, ()), -1
    for depth, step in enumerate(path):
        if isinstance(step, str):
            box, part = member(source, at, path[: depth + 1])
            number = box.parts.index(part) if part else -1
        else:
            box = box_at(source.plain, at) if source.plain[at] == "[" else Box(at, at, ())
            number = step if 0 <= step < len(box.parts) else -1
        if number < 0:
            raise Unfit(f"there is no {named(path[: depth + 1])}")
        at = box.parts[number].value
    return box, number
