"""Tables of who said what in recorded sessions: a file `told.txt` beside them, a section a session."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from improve.session import Session
from improve.transcripts.base import Reader
from transcripts.conftest import SESSIONS, short


class Section(NamedTuple):
    """What a recorded file must give: facts of its sessions, and their turns as `who | how | text`."""

    name: str
    lines: list[str]


def sections(host: str) -> list[Section]:
    """Read the table of a host."""
    found: list[Section] = []
    for line in (SESSIONS / host / "told.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            found.append(Section(line[3:], []))
        elif line and not line.startswith("#"):
            found[-1].lines.append(line)
    return found


def turns(session: Session) -> list[str]:
    """Tell the turns of a session, a line each."""
    return [" | ".join(short(turn)).replace("\n", "⏎").rstrip() for turn in session]


def told(sessions: Iterable[Session]) -> list[str]:
    """Tell sessions: their turns, then what is known of each."""
    lines: list[str] = []
    for session in sessions:
        lines += turns(session)
        notes = [f"in {session.cwd}" if session.cwd else "", f"on {session.branch}" if session.branch else ""]
        notes += ["headless" if session.headless else "", f"below {session.parent}" if session.parent else ""]
        notes += [f"bad {session.bad}" if session.bad else ""]
        lines.append(" ".join(["-", session.id, *filter(None, notes)]))
    return lines


def read(reader: Reader, path: Path) -> list[str]:
    """Read a file from its beginning and tell it."""
    return told(reader.read(str(path), 0))
