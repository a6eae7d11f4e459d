"""Had the host loaded a rule when a session began? Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from improve import markdown
from improve.inline import plain
from improve.rule import Rule, Written, means

if TYPE_CHECKING:
    from improve.deed import Entry

LOADED = "loaded"
NOT_YET, NOT_LOADED, CUT, GONE = "not-written-yet", "not-loaded", "cut", "gone"
"""Written later; in no file the host loaded; in the part of a file the host cuts off; not in its file any more."""
_SENT = ("loaded", "scoped", "cut")
"""States of a file of which (a part of) the text reaches the model."""
_DOUBT = "unknown:"

TextOf = Callable[[str], bytes]
"""What an instruction file said, by its digest."""


def covers(rule: Rule, written: Written, project: str, cwd: str) -> bool:
    """Say whether a line is meant for the sessions of a project, or of a directory where no project was noted."""
    if written.scope == "global" or (not written.scope and rule.escalation == "global"):
        return True
    if written.project and (means(written.project, project) or means(project, written.project)):
        return True
    folder = written.path.rpartition("/")[0].removesuffix("/.claude/rules").removesuffix("/.claude")
    return bool(folder and cwd) and (cwd == folder or cwd.startswith(folder + "/"))


def delivery(rule: Rule, entry: Entry, text_of: TextOf, *, written: Sequence[Written]) -> str:
    """Say `loaded`, or what kept a rule from a session: `not-written-yet`, `not-loaded`, `cut` or `gone`.

    A file that was changed between the session and its reading is taken as it was read.

    Args:
        written: Its lines that stood in their files when the session began.
    """
    written = [line for line in written if covers(rule, line, entry.project, entry.cwd)]
    if not written:
        return NOT_YET
    files = [(file.path, file.state.removeprefix(_DOUBT), file.digest) for file in entry.loaded]
    words = _wordings(rule, written)
    if any(words & _said(text_of(digest)) for _, state, digest in files if state in _SENT and digest):
        return LOADED
    places = {w.path for w in written}
    states = {state for path, state, _ in files if path in places}
    return CUT if "cut" in states else GONE if states & set(_SENT) else NOT_LOADED


def had(rule: Rule, entry: Entry, text_of: TextOf) -> bool:
    """Say whether a session surely had a rule, whoever had written it where; a file that was changed since is in doubt.

    A line that was moved, promoted or adopted is new in its file; sessions that had it already are none before it.
    """
    words = _wordings(rule, rule.written_to)
    files = [file.digest for file in entry.loaded if file.state in _SENT and file.digest]
    return any(words & _said(text_of(digest)) for digest in files)


def _wordings(rule: Rule, lines: Iterable[Written]) -> set[str]:
    return {plain(text) for text in (*(w.text for w in lines), rule.text) if text}


@lru_cache(maxsize=256)
def _said(data: bytes) -> frozenset[str]:
    """Give the plain words of every bullet and line of a file."""
    lines = data.decode("utf-8", "replace").splitlines()
    alone = (line.strip().lstrip("-*+ ") for line in lines)
    return frozenset(plain(text) for text in (*(bullet.text for bullet in markdown.bullets(data)), *alone) if text)
