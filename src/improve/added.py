"""Which files a call changes and what is put in, in whatever shape a host records its edits. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from improve.session import Call

PUT_IN = 1 << 20
"""Characters of an edit or a write that are looked at."""
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_NEW = (
    "new_string", "newText", "new_str", "newString", "content", "file_text", "contents", "replace", "new_source",
    "code_edit", "insert_text", "text", "diff", "patch", "replacement", "newContent",
)  # fmt: skip
_MANY = ("edits", "replacements", "changes", "files", "chunks", "ReplacementChunks")
_DIFFS = ("diff", "patch")
_SOUGHT = re.compile(r"^(?:<{3,}|-{3,}) ?SEARCH>?[ \t]*$", re.MULTILINE)
"""Begins a block that replaces one text by another, in the ways Cline has had
(https://github.com/cline/cline/blob/main/src/core/assistant-message/diff.ts)."""
_REPLACED = re.compile(r"^={3,}[ \t]*$\n?(.*?)^(?:>{3,}|\+{3,}) ?REPLACE", re.MULTILINE | re.DOTALL)
_PATCHES = ("patchText", "patch", "input", "command", "cmd")
_PATHS = ("path", "file_path", "filePath", "target_file", "notebook_path", "filename")


def put_in(call: Call) -> Iterator[tuple[str, str]]:
    """Yield each file a call changes with the text that is put in, in whatever shape the host records it."""
    given = call.input
    patch = next((text for key in _PATCHES if (text := _as_text(given.get(key))) and "*** Begin Patch" in text), "")
    if patch:
        yield from _patched(patch)
        return
    path = next((str(given[key]) for key in _PATHS if isinstance(given.get(key), str)), "") or call.subject
    yield path, "\n".join(_new(given))


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""


def _patched(patch: str) -> Iterator[tuple[str, str]]:
    if "\n" not in patch:
        patch = patch.replace("\\n", "\n")
    path, added = "", list[str]()
    for line in patch[:PUT_IN].splitlines():
        if head := _PATCHED.match(line):
            if path:
                yield path, "\n".join(added)
            path, added = (head[1] or head[2]).strip(), []
        elif line[:1] == "+":
            added.append(line[1:])
    if path:
        yield path, "\n".join(added)


def _new(given: Mapping[str, Any], depth: int = 3) -> Iterator[str]:
    for key in _NEW:
        value = given.get(key)
        if isinstance(value, str):
            yield from _added(value) if key in _DIFFS else (value,)
        elif isinstance(value, list):
            yield _as_text(value)
    for key in _MANY if depth else ():
        value = given.get(key)
        for item in value if isinstance(value, list) else ():
            if isinstance(item, Mapping):
                yield from _new(item, depth - 1)


def _added(diff: str) -> Iterator[str]:
    """Give what a diff puts in: lines with `+`, or the second half of each search-and-replace block."""
    if _SOUGHT.search(diff):
        yield from _REPLACED.findall(diff)
        return
    yield "\n".join(line[1:] for line in diff.splitlines() if line[:1] == "+" and line[:3] != "+++")
