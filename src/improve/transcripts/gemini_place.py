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


def directory_in(text: str) -> str:
    """Find the directory in what the program tells the model first; empty in any other text."""
    if not text[:200].lstrip().startswith(("<session_context", "This is the Gemini CLI")):
        return ""
    found = _LISTED.search(text)
    return (found["new"] or found["old"]).strip() if found else ""


def directory_of(path: str, digest: str) -> str:
    """Find the directory of a chat or a log by `.project_root` above it, else by the list of all projects."""
    folder = os.path.dirname(path)
    for _ in range(3):
        try:
            with open(os.path.join(folder, ".project_root"), encoding="utf-8", errors="replace") as stream:
                return clean(stream.read(4096)).strip()
        except OSError:
            pass
        named = _listed(folder, digest)
        if named:
            return named
        folder = os.path.dirname(folder)
    return ""


def _listed(folder: str, digest: str) -> str:
    """Look a project up in `projects.json` of the host's home, by its short name or by the hash of its path."""
    projects = mapping(mapping(beside(os.path.join(os.path.dirname(folder), "x"), "projects.json")).get("projects"))
    name = os.path.basename(folder)
    for place, slug in projects.items():
        if slug == name or (digest and _hash(place) == digest) or _hash(place) == name:
            return clean(place)
    return ""


def _hash(place: str) -> str:
    from hashlib import sha256

    return sha256(place.encode("utf-8", "surrogatepass")).hexdigest()
