"""suggest-destination: the nearest instruction file to the paths that a rule's evidence mentions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from improve import frontmatter, hosts
from improve.rule import Rule, projects
from improve.view import View
from improve.workflow.changes import CAP
from improve.workflow.here import Here

_EDGES = "\"'`()[]{}<>,;:!?*…“”‘’«»"
_LONGEST = 300
_MOST_RULE_FILES = 500
_SCOPED = (
    (".claude/rules", ".md", ".claude", "claude-code"),
    (".cursor/rules", ".mdc", ".cursor", "cursor"),
    (".github/instructions", ".instructions.md", ".github/instructions", "copilot"),
)
"""Directories of path-scoped rule files, how the names in them end, what shows that they are read here, by whom."""


class Suggestion(NamedTuple):
    """Where a rule would be read when it matters, in one project; no `file` when nothing says so."""

    project: str
    root: str
    mentioned: tuple[str, ...]
    """Paths that the evidence names and that exist, relative to the root."""
    directory: str
    """What they have in common, relative to the root; empty for the root itself."""
    file: str
    """Relative to the root."""
    paths: tuple[str, ...]
    """Globs it is, or would be, loaded for."""
    exists: bool
    why: str


def suggest(here: Here, view: View, rule: Rule) -> list[Suggestion]:
    """Look in every project of a rule that has a directory here."""
    texts = [rule.text, *rule.aliases]
    found = []
    for key in projects(rule):
        said = [text for o in rule.observations if o.project == key for text in (o.context, o.wording)]
        for root in here.roots_of(key, view)[:1]:
            found.append(_in_project(here, key, root, [*texts, *said]))
    return found


def _in_project(here: Here, key: str, root: str, texts: Iterable[str]) -> Suggestion:
    mentioned = tuple(dict.fromkeys(path for text in texts for path in _paths_in(text, root)))
    nothing = Suggestion(key, root, mentioned, "", "", (), False, "")
    if not mentioned:
        return nothing._replace(why="its evidence names no path that exists in this project")
    folders = [path if os.path.isdir(os.path.join(root, path)) else os.path.dirname(path) for path in mentioned]
    common = os.path.commonpath(folders) if all(folders) else ""
    near = nothing._replace(directory=common.replace(os.sep, "/"))
    if not common:
        why = "the paths have only the project's root in common, so its own instruction file is the nearest"
        return near._replace(why=why)
    return _scoped(near) or _nested(near) or _new(here, near)


# --- what the evidence mentions ---


def _paths_in(text: str, root: str) -> Iterator[str]:
    """Find the paths in a sentence that exist below a directory, relative to it."""
    for word in text.split():
        path = word.strip(_EDGES).rstrip(".").partition("::")[0]
        head, _, tail = path.rpartition(":")
        path = head if head and tail.isdigit() else path
        if "/" in path or "." in path.strip("."):
            found = _existing(path.removeprefix("./"), root)
            if found:
                yield found


def _existing(path: str, root: str) -> str:
    """Give a path relative to the root when there is such a thing inside it; the root itself is none."""
    if not path or len(path) > _LONGEST or "\0" in path or path.startswith("~"):
        return ""
    full = os.path.normpath(os.path.join(root, path))
    inside = full.startswith(root + os.sep) and os.path.exists(full)
    real = os.path.realpath(full) if inside else ""
    return os.path.relpath(full, root) if real.startswith(os.path.realpath(root) + os.sep) else ""


# --- the nearest file ---


def _nested(near: Suggestion) -> Suggestion | None:
    """Find an instruction file on the way from the common directory up to the root, which does not count."""
    folder = near.directory
    while folder:
        for name in (hosts.OVERRIDE, *hosts.PROJECT_FILES):
            if os.path.isfile(os.path.join(near.root, folder, name)):
                why = f"it is the instruction file of {folder}, which all of them are in"
                return near._replace(file=f"{folder}/{name}", exists=True, why=why)
        folder = os.path.dirname(folder)
    return None


def _scoped(near: Suggestion) -> Suggestion | None:
    """Find a rule file that is loaded for every one of the paths; of several the one with the longest glob."""
    fitting = []
    for file in _rule_files(near.root):
        globs = _globs_of(os.path.join(near.root, file))
        if globs and all(any(_matches(glob, path) for glob in frontmatter.spread(globs)) for path in near.mentioned):
            fitting.append((min(map(len, globs)), file, globs))
    if not fitting:
        return None
    _, file, globs = max(fitting)
    why = "it is loaded for every one of them"
    return near._replace(file=file.replace(os.sep, "/"), paths=globs, exists=True, why=why)


def _rule_files(root: str) -> list[str]:
    found: list[str] = []
    for folder, end, _, _ in _SCOPED:
        for where, _, names in os.walk(os.path.join(root, folder)):
            found += [os.path.relpath(os.path.join(where, name), root) for name in names if name.endswith(end)]
            if len(found) > _MOST_RULE_FILES:
                return found
    return sorted(found)


def _globs_of(path: str) -> tuple[str, ...]:
    from improve import files
    from improve.errors import ImproveError

    try:
        return frontmatter.read(path, files.read(path, cap=CAP).data)
    except ImproveError:
        return ()


def _matches(glob: str, path: str) -> bool:
    """Match as these hosts do: `**` is any number of directories, `*` stays in one."""
    import re

    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    meant = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pattern = "".join(meant.get(part, re.escape(part)) for part in parts)
    return re.fullmatch(pattern, path.replace(os.sep, "/")) is not None


def _new(here: Here, near: Suggestion) -> Suggestion:
    """Name a file that is not there yet: a rule file where the project or this machine has a host that reads them."""
    name, glob = near.directory.strip("./").replace("/", "-"), f"{near.directory}/**"
    for folder, end, sign, host in _SCOPED if not frontmatter.fault(glob) else ():
        file = f"{folder}/{name}{end}"
        read = here.host == host or os.path.isdir(os.path.join(near.root, sign))
        if read and not os.path.lexists(os.path.join(near.root, file)):
            why = f"a new file, loaded when something in {near.directory} is worked on"
            return near._replace(file=file, paths=(glob,), why=why)
    return near._replace(file=f"{near.directory}/AGENTS.md", why=f"a new instruction file of {near.directory}")
