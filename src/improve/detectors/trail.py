"""What the agent did and said lately: its turns, read only when something looks back at them. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from improve.session import EDIT, SHELL, WRITE, Call, Turn

LENGTH = 40
"""Turns of the agent that are remembered."""
BEFORE = 600
"""Characters of its last words that are evidence for what a person says next."""
_NEAR, _FAR = 4, 8
_CUT = 120


class Step(NamedTuple):
    """A turn of the agent and its place in the session."""

    number: int
    turn: Turn


class Lately(NamedTuple):
    """What stood before a person's message."""

    said: str
    """The end of the agent's last words."""
    calls: tuple[Call, ...]
    """Its last calls since the person spoke before, oldest first."""


class Trail:
    """The last turns of the agent."""

    def __init__(self) -> None:
        self._steps: deque[Step] = deque(maxlen=LENGTH)

    def add(self, number: int, turn: Turn) -> None:
        """Remember a turn without reading it."""
        self._steps.append(Step(number, turn))

    def back(self, limit: int = LENGTH, *, after: int = -1) -> Iterator[Step]:
        """Walk back from the newest turn to those after a place in the session."""
        for step in list(self._steps)[: -limit - 1 : -1]:
            if step.number <= after:
                return
            yield step

    def lately(self, since: int) -> Lately:
        """Gather what the agent said last and called since a place in the session."""
        said = next((step.turn.text for step in self.back(_FAR) if step.turn.text.strip()), "")
        calls = [call for step in self.back(_NEAR, after=since) for call in reversed(step.turn.calls)]
        return Lately(said.strip()[-BEFORE:], tuple(reversed(calls)))

    def call(self, name: str) -> tuple[Step, Call] | None:
        """Find the call of an id; without an id, the last one."""
        for step in self.back():
            for call in reversed(step.turn.calls):
                if not name or call.id == name:
                    return step, call
        return None


def described(call: Call) -> str:
    """Name a call in one short line.

    >>> described(Call("1", "Bash", SHELL, "npm test"))
    'Bash: npm test'
    """
    subject = " ".join(call.subject.strip()[: 4 * _CUT].partition("\n")[0].split())
    tool = call.tool if call.kind not in (EDIT, WRITE) or call.kind in call.tool.lower() else call.kind
    return f"{tool}: {cut(subject)}" if subject else tool


def cut(text: str, most: int = _CUT) -> str:
    """Shorten a text to so many characters, between words: half a key is a secret that no redaction knows any more."""
    if len(text) <= most:
        return text
    left, _, word = text[:most].rpartition(" ")
    return f"{left.rstrip()} …" if left else f"{word[: most // 4]}…"


def changes(call: Call) -> bool:
    """Tell whether a call changes files by its kind, or is a command that plainly writes some."""
    if call.kind in (EDIT, WRITE):
        return True
    subject = call.subject[:2000]
    return call.kind == SHELL and any(sign in subject for sign in ("sed -i", "<<", "apply_patch", "patch ", "tee "))
