"""What of a recorded prompt a person typed, for formats that keep what hosts and hooks put around it."""

from __future__ import annotations

import re

from improve import cue, session
from improve.session import Turn
from improve.stamp import STAMP
from improve.transcripts.base import clean

_NEVER_TYPED = (
    "caveat: the messages below", "stop hook feedback", "base directory for this skill", "# agents.md instructions",
    "[tool result",
)  # fmt: skip
_BUTTON = re.compile(r'@\w+ [A-Z]\w*(?: \w+){0,3}: "[^"\n]*"')
"""What VS Code sends when a person presses a button of its chat."""
_LONGEST = 100_000
"""Characters of a prompt that are looked at; nobody typed more."""
_COMMAND = ("<command-name>", "<command-message>")


def said(text: object, *, at: str = "", id: str = "", offset: int = 0, how: str = session.TYPED) -> Turn | None:
    """Give the turn a recorded prompt stands for: a person's, a note of the host, or none."""
    whole = clean(text)[:_LONGEST]
    if is_command(whole):
        words, how = "".join(within(whole, "command-args")[:1]), session.COMMAND
    else:
        words = cue.words_only(whole)
    low = words[:60].casefold()
    if low.startswith("[request interrupted"):
        return Turn(session.HOST, at=at, id=id, offset=offset, how=session.INTERRUPTED)
    if low.startswith("this session is being continued"):
        return Turn(session.HOST, at=at, id=id, offset=offset, how=session.COMPACTED)
    if not words or low.startswith(_NEVER_TYPED) or STAMP in whole or _BUTTON.fullmatch(words):
        return None
    if words[0] == "!" and words[1:2].isalnum():
        return None
    if words[0] == "/" and how != session.SCRIPTED and "/" not in words.split(None, 1)[0][1:]:
        words, how = _arguments(words)
    return Turn(session.PERSON, at=at, id=id, offset=offset, how=how, text=words) if words else None


def _arguments(words: str) -> tuple[str, str]:
    """Give what was typed after the name of a command; with some commands a wish to remember it."""
    name, *rest = words.split(None, 1)
    said = rest[0].strip() if rest else ""
    if name == "/memory" and said.startswith("add "):
        return said[4:].strip(), session.MEMORY
    return said, session.MEMORY if name == "/remember" else session.COMMAND


def is_command(text: str) -> bool:
    """Tell the record of a slash command, which its body may follow."""
    return text.lstrip().startswith(_COMMAND)


def within(text: str, name: str) -> list[str]:
    """Give what stands between the opening and closing tags of a name, in order."""
    opening, closing = f"<{name}>", f"</{name}>"
    found: list[str] = []
    end = 0
    while (start := text.find(opening, end)) >= 0:
        start += len(opening)
        end = text.find(closing, start)
        if end < 0:
            break
        found.append(text[start:end].strip())
    return found
