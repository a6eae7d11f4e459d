"""The form of the word tables: blocks of text, so that people can read and extend them."""

from __future__ import annotations


def words_of(block: str) -> frozenset[str]:
    """Give the words of a block."""
    return frozenset(block.split())


def rows_of(block: str) -> list[tuple[str, list[str]]]:
    """Give name and members of each `name: member member` line; an indented line continues the one before."""
    joined = block.strip().replace("\n  ", " ")
    rows = (line.partition(": ") for line in joined.splitlines())
    return [(name, members.split()) for name, _, members in rows]
