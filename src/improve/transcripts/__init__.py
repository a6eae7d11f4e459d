"""Readers of transcripts: one module per format, one row here.

A reader turns a host's files into `Session`s. It streams, it passes over types it does not know, and it never fails on
what a file holds: records nobody can read are counted.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from improve.hosts.base import Locate
    from improve.transcripts.base import Reader


class Row(NamedTuple):
    """A format and the module that reads it."""

    name: str
    """The host's name in the store."""
    module: str
    inside: tuple[str, ...] = ()
    """Files or directories inside a project in which it records; the others are named by the host's `sessions`."""
    more: bool = False
    """Its module names places besides, as `PLACES`."""


ROWS = (
    Row("claude-code", "claude_code"),
    Row("codex", "codex"),
    Row("opencode", "opencode"),
    Row("gemini", "gemini"),
    Row("pi", "pi"),
    Row("copilot", "copilot"),
    Row("qwen", "qwen"),
    Row("cursor", "cursor", more=True),
    Row("goose", "goose"),
    Row("amp", "amp"),
    Row("cline", "cline"),
    Row("vscode", "vscode", more=True),
    Row("aider", "aider", (".aider.chat.history.md", ".aider.input.history")),
    Row("pydantic-deep", "pydantic_deep", (".pydantic-deep/sessions",)),
    Row("specstory", "specstory", (".specstory/history",)),
)


def reader(name: str) -> Reader:
    """Import the reader of a host.

    Raises:
        KeyError: there is none of that name.
    """
    module = next((row.module for row in ROWS if row.name == name), None)
    if module is None:
        raise KeyError(name)
    found: Reader = import_module(f"improve.transcripts.{module}").READER
    return found


def places(name: str) -> tuple[Locate, ...]:
    """Give where a host keeps its transcripts outside of projects; a program that is no host of ours names its own."""
    from improve import hosts

    row = next(row for row in ROWS if row.name == name)
    own: tuple[Locate, ...] = import_module(f"improve.transcripts.{row.module}").PLACES if row.more else ()
    return (hosts.host(name).sessions if name in hosts.names() else ()) + own


def reader_of(path: str, head: bytes) -> str:
    """Name the host whose reader knows a file by its path and its first bytes; empty when none does."""
    return next((row.name for row in ROWS if reader(row.name).claims(path, head)), "")
