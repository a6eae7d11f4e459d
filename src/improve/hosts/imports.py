"""Files that an instruction file draws in with `@path`: how each host finds the paths, and which it refuses."""

from __future__ import annotations

import os

from improve.frozen import Frozen
from improve.hosts import text
from improve.hosts.base import Loaded
from improve.hosts.chain import IN_SIGHT, look, top, unseen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_MARKUP = "*_>|#["
_CLOSING = "*_"
_ENDS = ".,;:!?"


class Imports(Frozen):
    """What a host does with `@path`."""

    mentions: Callable[[str], list[str]]
    """The paths that a text names, as written."""
    hops: int
    refused: Callable[[str, Loaded], tuple[str, str]]
    """(path, the first file of the hops) → why it is not imported and what to do; empty when it is."""
    home: str = ""
    """What `~` stands for; empty where it stands for nothing."""


def follow(found: Iterable[Loaded], how: Imports) -> list[Loaded]:
    """Put behind each loaded file what it imports; a file that is there already is not repeated."""
    seen: set[str] = set()
    kept: list[Loaded] = []
    for file in found:
        if file.state not in IN_SIGHT and not (file.state == "scoped" and file.data):
            kept.append(file)
        elif _new(file.path, seen):
            kept += [file, *_imported(file, file, how, how.hops, seen)]
    return kept


def _new(path: str, seen: set[str]) -> bool:
    real = os.path.realpath(path)
    fresh = real not in seen
    seen.add(real)
    return fresh


def _imported(file: Loaded, origin: Loaded, how: Imports, hops: int, seen: set[str]) -> Iterator[Loaded]:
    if hops <= 0 or b"@" not in file.data:
        return
    for name in how.mentions(text.decoded(file.data)):
        name = how.home + name[1:] if how.home and name.startswith("~/") else name
        path = os.path.normpath(os.path.join(os.path.dirname(file.path), name))
        there = look(path, file.scope, file.path)
        if not there or not _new(path, seen):
            continue
        why, fix = how.refused(path, origin)
        if why:
            yield unseen(there, "off", why, fix)
        elif there.state in IN_SIGHT:
            yield there
            yield from _imported(there, origin, how, hops - 1, seen)
        elif there.why != "it is a directory":
            yield there


def markdown_mentions(said: str) -> list[str]:
    """Find `@path` as Claude Code does: a word of the prose, blanks in it escaped, markup around it taken off."""
    words = text.without_tags(text.prose(said)).replace("\\ ", "\0").split()
    return [path for word in words if "@" in word and (path := _marked(word))]


def _marked(word: str) -> str:
    lead = word[: len(word) - len(word.lstrip(_MARKUP))]
    word = word[len(lead) :]
    if not word.startswith("@"):
        return ""
    path = word[1:]
    path = path.partition("]")[0] if "[" in lead else path
    path = path.rstrip(_CLOSING) if set(lead) & set(_CLOSING) else path
    path = path.partition("#")[0].replace("\0", " ")
    starts = path.startswith(("./", "~/")) or path[:1] == "/" or path[:1].isalnum() or path[:1] in ("_", "-", ".")
    return path if starts and path != "/" else ""


def word_mentions(said: str) -> list[str]:
    """Find `@path` as Gemini CLI does: a whole word outside of backticks that begins with a letter, `.` or `/`."""
    words = text.without_spans(said).replace("\x0b", "_").split()
    named = [word[1:] for word in words if word.startswith("@")]
    return [name for name in named if name[:1] in (".", "/") or (name[:1].isalpha() and name[:1].isascii())]


def prose_mentions(said: str) -> list[str]:
    """Find `@path` as Qwen Code does: as Gemini CLI, but outside of all code that Markdown knows."""
    kept = "".join(raw for kind, raw in text.blocks(said) if kind != "code")
    return word_mentions(kept)


def loose_mentions(said: str) -> list[str]:
    """Find `@path` as Copilot does: also behind a bracket, the punctuation at its end taken off, with a suffix."""
    kept = text.without_spans("".join(raw for kind, raw in text.blocks(said) if kind != "code"))
    found, at = [], kept.find("@")
    while at >= 0:
        end = at + 1
        while end < len(kept) and not kept[end].isspace() and kept[end] not in "\"'()<>`@":
            end += 1
        before = kept[at - 1 : at]
        name = kept[at + 1 : end].rstrip(_ENDS)
        if "." in name[1:] and not (before.isalnum() or before in tuple("_-*")):
            found.append(name)
        at = kept.find("@", max(end, at + 1))
    return found


def inside(directory: str, path: str) -> bool:
    """Say whether a path lies in a directory, links followed."""
    whole, part = os.path.realpath(directory), os.path.realpath(path)
    return part == whole or part.startswith(whole.rstrip(os.sep) + os.sep)


def within_project(path: str, origin: Loaded) -> tuple[str, str]:
    """Refuse what lies outside of the repository of the importing file, or of its directory when it is in none."""
    folder = os.path.dirname(origin.path)
    root = top(folder) or folder
    if inside(root, path):
        return "", ""
    return f"it lies outside of {root}, and imports end there", f"copy its text into {origin.path}"
