"""The parts of rules.yaml as a file: what its head says, where its entries stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from improve.taxonomy import Taxonomy

BOM = b"\xef\xbb\xbf"
CAP = 256 << 20
"""Largest rules.yaml that is read, bytes."""
VERSION = 2


class Place(NamedTuple):
    """A project as the registry knows it."""

    name: str = ""
    remote: str = ""
    roots: tuple[str, ...] = ()
    was: tuple[str, ...] = ()
    """Keys it had before its remote appeared or changed."""


class Head(NamedTuple):
    """Everything in rules.yaml that is not a rule."""

    version: int = VERSION
    taxonomy: Taxonomy = Taxonomy()
    projects: Mapping[str, Place] = {}


class Span(NamedTuple):
    """One entry: its bytes and the line it starts in, counted from 1."""

    start: int
    end: int
    line: int


class Outline(NamedTuple):
    """Where the parts of a rules.yaml are."""

    entries: tuple[Span, ...]
    start: int
    """Offset of the first entry, or where the first one would go."""
    end: int
    """Offset behind the last entry."""
    indent: int = 0
    newline: str = "\n"
    empty_value: tuple[int, int] | None = None
    """Span of `[]` or `null` behind `rules:`, taken out when the first rule comes."""
    has_rules_key: bool = True
    key_line: int = 0
    """Line of `rules:`, counted from 1."""


class Irregular(Exception):
    """The lines do not show a block list of rules, or a rule cannot be changed where it stands."""


class Malformed(ValueError):
    """The text is no YAML we accept; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


def decoded(data: bytes) -> str:
    """Decode a file or a part of one.

    Raises:
        Malformed: it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise Malformed(data.count(b"\n", 0, exc.start) + 1, "not UTF-8") from None
