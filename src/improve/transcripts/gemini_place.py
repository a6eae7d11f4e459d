"""In which directory a Gemini session ran: no record says so, the files around it do."""

from __future__ import annotations

import os
import re

from improve.transcripts.base import clean
from improve.transcripts.whole import beside, mapping

_LISTED = re.compile(
    r"\*\*Workspace Directories:\*\*\s*\n\s*- (?P<new>[^\n]+)"
    r"|working in the (?:following )?director(?:y|ies):\s*(?:- )?(?P<old>[^\n]+)"
)

_STEPS = 5
"""Directories above a file that may be the host's home: `tmp/<project>/chats/<parent>` are below it."""


def directory_in(text: str) -> str:
    """Find the directory in what the program tells the model first; empty in any other text."""
    if not text[:200].lstrip().startswith(("<session_context", "This is the Gemini CLI")):
        return ""
    found = _LISTED.search(text)
    return (found["new"] or found["old"]).strip() if found else ""


def directory_of(path: str, digest: str) -> str:
    """Find the directory of a chat or a log by `.project_root` above it, else by the list of all projects."""
    folder, names = os.path.dirname(path), {digest}
    for _ in range(_STEPS):
        try:
            with open(os.path.join(folder, ".project_root"), encoding="utf-8", errors="replace") as stream:
                return clean(stream.read(4096)).strip()
        except OSError:
            pass
        if named := _listed(folder, names - {""}):
            return named
        names.add(os.path.basename(folder))
        folder = os.path.dirname(folder)
    return ""


def _listed(home: str, names: set[str]) -> str:
    """Look a project up in `projects.json`, by its short name or by the hash of its path."""
    projects = mapping(mapping(beside(os.path.join(home, "projects.json"), "projects.json")).get("projects"))
    return next((clean(place) for place, slug in projects.items() if str(slug) in names or _hash(place) in names), "")


def _hash(place: str) -> str:
    from hashlib import sha256

    return sha256(place.encode("utf-8", "surrogatepass")).hexdigest()
