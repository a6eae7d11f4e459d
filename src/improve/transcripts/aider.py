"""Aider's histories inside a project: https://aider.chat/docs/config/options.html#history-files.

`.aider.chat.history.md` is only ever appended to and holds many runs. Each line of a prompt is `#### …` and each line
the program says `> …`, both with two blanks at the end; all else is the agent's. `.aider.input.history` has prompts
alone and is read where there is no other. Both record local times without a zone: they get this machine's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from improve import session
from improve.session import Call, Result, Session, Turn
from improve.transcripts import spoken
from improve.transcripts.base import Reader
from improve.transcripts.whole import local, text_lines

_CHAT, _INPUT = ".aider.chat.history.md", ".aider.input.history"
_START = "# aider chat started at "
_PROMPT, _NOTE = "####", ">"
_SCRIPTED = re.compile(r"\baider\b.*\s(?:--message(?:-file)?|--msg|-m|-f)(?:[ =]|$)")
_ASKED = re.compile(r"\(Y\)es/\(N\)o")
_MODEL_FAILED = re.compile(
    r"litellm\.[\w.]*Error|\b(?:API|Authentication|RateLimit|NotFound)\w*Error\b|Traceback \(most recent"
)
_REFUSED = re.compile(r"(?:Allow edits|Run shell command|Create new file|Attempt to fix)\b.*\(Y\)es/\(N\)o.*: n(?:o)?$")
_TOOL_FAILED = re.compile(
    r"^(?:Traceback|Attempt to fix |\w*Error\b|Failed to |Unable to |The LLM did not conform"
    r"|.*exit (?:code|status):? [1-9])"
)
_EDITED, _RAN = "Applied edit to ", "Running "
_WITH_WORDS = ("/ask", "/code", "/architect", "/context", "/help", "/ok")
"""Commands whose arguments are words to the agent; those of the others are files, or for a shell."""
_LONGEST = 1 << 18
"""Characters of one answer, or of one block of notes, that are kept."""
_NOTE_LONGEST = 4_000
_WATCHED = "█"
"""Marks, in a prompt the program makes itself, the comment in a file that a person wrote to it."""


def _files(place: str) -> Iterator[str]:
    """Name histories by their endings, for a person can name them; an input history beside a chat tells no more."""
    if os.path.isfile(place):
        found: Iterable[str] = (place,)
    else:
        try:
            found = [os.path.join(place, name) for name in os.listdir(place)]
        except OSError:
            return
    for path in found:
        is_input = path.endswith(_INPUT) and not os.path.exists(f"{path[: -len(_INPUT)]}{_CHAT}")
        if (path.endswith(_CHAT) or is_input) and os.path.isfile(path):
            yield path


def _claims(path: str, head: bytes) -> bool:
    return path.endswith((_CHAT, _INPUT)) or head.lstrip().startswith(_START.encode())


def _read(path: str, offset: int) -> Iterable[Session]:
    if path.endswith(_INPUT):
        yield from _inputs(path)
        return
    log = Session("aider", path)
    run = _Run(log, "", 0)
    for at, line, ended in text_lines(log, path):
        if line.startswith(_START):
            yield from run.done()
            run = _Run(log, line[len(_START) :].strip(), at)
        elif ended or not line.startswith(_PROMPT):
            run.take(line, at)
    yield from run.done()


def _named(path: str, when: str) -> Session:
    """Begin a session; the program gives it no name, so it is called by the moment it began."""
    digits = "".join(filter(str.isdigit, when))[:14]
    found = Session("aider", path, id=f"aider-{digits or 'undated'}", started=local(when))
    if os.path.basename(path) in (_CHAT, _INPUT):
        found.cwd = os.path.dirname(os.path.abspath(path))
    return found


class _Run:
    """One start of the program: what was said in it, turn by turn."""

    def __init__(self, log: Session, when: str, offset: int) -> None:
        self.found = _named(log.path, when)
        self.found.bad = log.bad
        self.offset = offset
        self.turns: list[Turn] = []
        self.prompt: list[str] = []
        self.reply: list[str] = []
        self.notes: list[str] = []
        self.size = 0
        self.prompted = self.waiting = self.failed = self.noting = self.noted = self.after_blank = False

    def take(self, line: str, at: int) -> None:
        """Take the next line."""
        marked = line.endswith("  ") or not self.reply
        after_blank, self.after_blank = self.after_blank, not line.strip()
        if line.startswith(_PROMPT) and line[4:5] in ("", " ") and marked and (after_blank or not self.noting):
            if not self.prompt:
                self.end()
                self.offset = at
            self.prompt.append(line[5:].rstrip())
            self.noted, self.noting = True, False
            return
        self.spoke()
        if line.startswith(_NOTE) and line[1:2] in ("", " ") and (marked or self.noted):
            self.noting = (self.noted or not self.prompted) and not line.endswith("  ")
            self.noted = True
            self.note(line[1:].strip(), at)
            return
        self.noted = False
        if self.noting:  # of a note of several lines only the first is marked at its beginning, the last at its end
            self.noting = not line.endswith("  ")
            self.note(line.strip(), at)
        elif self.prompted and (line.strip() or self.reply):
            if self.notes and line.strip():
                self.end()
            self.waiting = self.waiting and not line.strip()
            self.keep(self.reply, line)

    def keep(self, lines: list[str], line: str) -> None:
        if self.size < _LONGEST:
            lines.append(line)
            self.size += len(line) + 1

    def note(self, text: str, at: int) -> None:
        text = text[:_NOTE_LONGEST]
        if not self.prompted and _SCRIPTED.search(text):
            self.found.headless = True
        elif text.startswith("Tokens: "):
            self.waiting = False
        elif text == "^C again to exit" and self.waiting:
            self.end()
            self.turns.append(self.turn(session.HOST, at=at, how=session.INTERRUPTED))
            self.waiting = False
        elif self.prompted and not self.failed and _MODEL_FAILED.search(text):
            self.end()
            self.turns.append(self.turn(session.HOST, at=at, how=session.FAILED, text=text))
            self.waiting, self.failed = False, True
        elif self.prompted and text and not text.startswith("^C"):
            self.keep(self.notes, text)

    def turn(self, who: str, *, at: int = -1, how: str = "", text: str = "") -> Turn:
        return Turn(who, at=self.found.started, offset=self.offset if at < 0 else at, how=how, text=text)

    def spoke(self) -> None:
        """Take a whole prompt for what it is: words, a command, an answer to the program, or made by the program."""
        lines, self.prompt = self.prompt, []
        text = "\n".join(lines).strip()
        if not text or text == "<blank>" or _ASKED.search(lines[0]):
            return
        self.prompted = True
        first, _, rest = text.partition(" ")
        if first == "/undo":
            self.turns.append(self.turn(session.HOST, how=session.REWOUND))
        if first[0] == "!" or (first[0] == "/" and first.isascii() and first[1:].replace("-", "").isalpha()):
            if first not in _WITH_WORDS or not rest.strip():
                return
            text, how = rest.strip(), session.COMMAND
        else:
            how = session.SCRIPTED if self.found.headless else session.TYPED
        if text.startswith('Find the "AI" comments below'):
            text = _comments(lines)
        said = spoken.said(text, at=self.found.started, offset=self.offset, how=how)
        if said:
            self.turns.append(said)
            self.waiting, self.failed = True, False

    def end(self) -> None:
        """Give what the agent answered, and what the program said to that."""
        reply, notes = "\n".join(self.reply).strip(), self.notes
        self.reply, self.notes, self.size = [], [], 0
        calls = tuple(call for note in notes if (call := _call(note)))
        if reply or calls:
            turn = Turn(session.AGENT, at=self.found.started, offset=self.offset, text=reply, calls=calls)
            self.turns.append(turn)
        if notes:
            refused = any(map(_REFUSED.match, notes))
            failed = refused or any(map(_TOOL_FAILED.match, notes))
            results = (Result("", failed, "\n".join(notes), session.BY_PERSON if refused else ""),)
            turn = Turn(session.TOOL, at=self.found.started, offset=self.offset, failed=failed, results=results)
            self.turns.append(turn)

    def done(self) -> Iterator[Session]:
        self.spoke()
        self.end()
        if self.turns:
            yield self.found.with_turns(iter(self.turns))


def _comments(lines: list[str]) -> str:
    """Find the comments to the agent in what the program quotes from files."""
    marked = (line.removeprefix(_WATCHED).strip() for line in lines if line.startswith(_WATCHED))
    return "\n".join(line.lstrip("/#-;*! ") for line in marked)


def _call(note: str) -> Call | None:
    if note.startswith(_EDITED):
        return Call("", "edit", session.EDIT, note[len(_EDITED) :])
    if note.startswith(_RAN):
        return Call("", "run", session.SHELL, note[len(_RAN) :])
    return None


def _inputs(path: str) -> Iterator[Session]:
    """Read a history of prompts, one session for each day."""
    log = Session("aider", path)
    days: dict[str, tuple[Session, list[Turn]]] = {}
    when, begun, kept = "", 0, list[str]()
    for at, line, ended in text_lines(log, path):
        if line.startswith("# "):
            _entered(days, path, (when, begun, kept))
            when, begun, kept = line[2:].strip(), at, []
        elif line.startswith("+") and ended:
            kept.append(line[1:])
    _entered(days, path, (when, begun, kept))
    for found, turns in days.values():
        found.bad = log.bad
        yield found.with_turns(iter(turns))


def _entered(days: dict[str, tuple[Session, list[Turn]]], path: str, entry: tuple[str, int, list[str]]) -> None:
    when, offset, lines = entry
    text = "\n".join(lines).strip()
    if len(text) < 4 or text.startswith(("/", "!")):  # answers of a letter or a word to yes or no, and commands
        return
    turn = spoken.said(text, at=local(when), offset=offset)
    if turn:
        found, turns = days.setdefault(when[:10], (_named(path, when), []))
        found.started = found.started or turn.at
        turns.append(turn)


READER = Reader(host="aider", files=_files, read=_read, claims=_claims, grows=False)
