"""What a call of a tool does, told from the host's name for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from improve.kind import kind_of as kind_of
from improve.session import SHELL, Call
from improve.transcripts.base import clean
from improve.transcripts.whole import mapping, parsed_text

_COMMANDS = ("command", "cmd", "commandLine", "command_line", "script")
_PATHS = (
    "path", "file_path", "filePath", "target_file", "targetFile", "relativeWorkspacePath", "relative_workspace_path",
    "effectiveUri", "uri", "absolutePath", "filename", "notebook_path",
)  # fmt: skip
_OTHERS = ("pattern", "query", "regex", "glob_pattern", "url", "directory", "target_directory", "description", "prompt")


def call(tool: object, arguments: object, id: object = "") -> Call:
    """Tell a call from the name of its tool and its arguments, which may be JSON in a text."""
    given = mapping(parsed_text(arguments) if isinstance(arguments, str) else arguments)
    name = clean(tool)
    kind = kind_of(name)
    return Call(clean(id), name, kind, subject_of(kind, given), given)


def subject_of(kind: str, given: Mapping[str, Any]) -> str:
    """Find the argument that tells most: a command line, a path, else what is searched or asked for."""
    order = (_COMMANDS, _PATHS, _OTHERS) if kind == SHELL else (_PATHS, _COMMANDS, _OTHERS)
    for name in (name for names in order for name in names):
        value = given.get(name)
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            value = " ".join(value)
        if isinstance(value, str) and value:
            return clean(value)
    return ""


def telling(given: Mapping[str, Any]) -> str:
    """Give the first argument that is text, of a call whose arguments have names that nobody knows."""
    return next((clean(value) for value in given.values() if isinstance(value, str) and value), "")
