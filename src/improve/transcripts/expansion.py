"""Prompts that a host made of a command of the person's own, and recorded without saying so.

A command is a Markdown file with places for what is typed after its name: `$ARGUMENTS`, `$1`, and the like. Only that
was typed. A command that changed since its prompt was recorded is not recognised.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from improve.transcripts.base import below, clean

_GAP = re.compile(r"\$ARGUMENTS|\$@|\$\{[^}\n]*\}|\$\d|!`[^`\n]*`")
_FRONT = re.compile(r"\A---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_SHORTEST, _LARGEST, _MOST = 8, 64 << 10, 200
"""Letters a command needs to be told from other words; bytes of one; commands at a place."""


class Template(NamedTuple):
    """A command: what it always says, and between that whether a gap is for what was typed."""

    fixed: tuple[str, ...]
    typed: tuple[bool, ...]


def template(text: str) -> Template | None:
    """Read a command; None when it says too little of its own to be known again."""
    body = _FRONT.sub("", text.removeprefix("\ufeff"), count=1).strip()
    gaps = [not gap.startswith("!") for gap in _GAP.findall(body)]
    fixed = _GAP.split(body)
    if sum(map(str.isalnum, "".join(fixed))) < _SHORTEST:
        return None
    return Template(tuple(fixed), tuple(gaps))


def typed_after(text: str, known: Template) -> str | None:
    """Give what was typed after the name of a command; None when the text was not made of it.

    >>> typed_after("Review it: the parser, thoroughly.", template("Review it: $ARGUMENTS, thoroughly."))
    'the parser'
    """
    text = text.strip()
    first, *rest = known.fixed
    if text == "".join(known.fixed).rstrip():
        return ""
    if not text.startswith(first):
        return None
    at, found = len(first), list[str]()
    for number, literal in enumerate(rest):
        last = number == len(rest) - 1
        end = len(text) - len(literal) if last else text.find(literal, at)
        if end < at or (last and not text.endswith(literal)):
            return None
        found += [text[at:end].strip()] if known.typed[number] else []
        at = end + len(literal)
    if not any(known.typed):  # without a place for it, it is put at the end
        tail = text[at:]
        return tail.strip() if not tail or tail.startswith("\n\n") else None
    return " ".join(dict.fromkeys(filter(None, found))) if at == len(text) else None


Expanded = Callable[[str], str | None]
"""What was typed after the name of the command that a text was made of; None when it was made of none."""


def expander(places: Callable[[], Iterable[str]]) -> Expanded:
    """Know again what the commands at some places were expanded to; they are read when the first text comes."""
    known: list[Template] | None = None

    def expanded(text: str) -> str | None:
        nonlocal known
        if known is None:
            known = templates(places())
        return next((after for one in known if (after := typed_after(text, one)) is not None), None)

    return expanded


def templates(places: Iterable[str]) -> list[Template]:
    """Read the commands at some places; the most telling first."""
    found = [known for place in places for text in _commands(place) if (known := template(text))]
    return sorted(found, key=lambda known: -len("".join(known.fixed)))


def _commands(place: str) -> Iterator[str]:
    for _, path in zip(range(_MOST), below(place, (".md",)), strict=False):
        try:
            with open(path, "rb") as stream:
                yield clean(stream.read(_LARGEST).decode("utf-8", "replace"))
        except OSError:
            continue


def upward(directory: str, *names: str) -> Iterator[str]:
    """Name places in a directory and in those above it, as far as its repository goes."""
    step = directory if os.path.isabs(directory) else ""
    while step:
        yield from (os.path.join(step, name) for name in names)
        above = os.path.dirname(step)
        step = "" if above == step or os.path.lexists(os.path.join(step, ".git")) else above
