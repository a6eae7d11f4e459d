"""Which commands a line of shell would run, told by a real parser: tree-sitter with the grammar of bash.

https://github.com/tree-sitter/tree-sitter-bash
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """One command as it would be run, wrappers such as `env X=1` and `sudo` taken off."""

    name: str
    """Its name without directory and `.exe`."""
    words: tuple[str, ...]
    """Its arguments, quotes taken off; a part that is only known when it runs is `\\0`."""
    source: str
    """How it stands in the line."""


def commands(line: str) -> list[Command]:
    """List every command a line would run, those in substitutions, subshells and `bash -c` among them."""
    raise NotImplementedError
