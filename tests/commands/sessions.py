"""Transcripts for commands to read: written line by line as Claude Code and Codex do, or recorded ones put in place.

What is typed is unmistakable: these tests are about what becomes of it, not about telling a correction from a task.
"""

from __future__ import annotations

import itertools
import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

RECORDED = Path(__file__).parents[1] / "data" / "sessions"
AGO = timedelta(days=2)
"""How long ago a session began, unless a test says otherwise."""
TASK = "please go on"
PNPM = "No, that's wrong: use pnpm, never npm."
TABS = "No, that's wrong. Always indent with tabs, never with spaces."
DENIED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)
_serial = itertools.count()


def _a_while_ago() -> datetime:
    """Give each session its own moment: what is said twice at one moment is a copy."""
    return datetime.now(UTC) - AGO + timedelta(seconds=next(_serial) % 10_000)


class Claude:
    """A session of Claude Code, which each method adds a line or a few to.

    Args:
        home: Where `.claude` is.
        cwd: Where it was started.
        name: What its id is made from.
        began: When; each line comes a second later.
    """

    def __init__(self, home: Path, cwd: Path | str, name: str = "s1", *, began: datetime | None = None) -> None:
        self.id, self.cwd = str(uuid5(NAMESPACE_URL, name)), str(cwd)
        self.at = began or _a_while_ago()
        slug = "".join(c if c.isalnum() and c.isascii() else "-" for c in self.cwd)
        self.path = home / ".claude" / "projects" / slug / f"{self.id}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.more: dict[str, Any] = {}
        self._last: str | None = None
        self._count = 0

    def row(self, values: dict[str, Any]) -> str:
        """Add a line of any kind; returns its id."""
        self._count += 1
        self.at += timedelta(seconds=1)
        named = str(uuid5(NAMESPACE_URL, f"{self.id} {self._count}"))
        head = {
            "parentUuid": self._last,
            "isSidechain": False,
            "uuid": named,
            "timestamp": self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": self.cwd,
            "sessionId": self.id,
            "version": "2.1.332",
            "gitBranch": "main",
        }
        with self.path.open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(json.dumps({**head, **self.more, **values}) + "\n")
        self._last = named
        return named

    def types(self, text: str) -> Claude:
        """Say something as the person."""
        origin = {"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
        self.row({"type": "user", "message": {"role": "user", "content": text}, **origin})
        return self

    def answers(self, text: str) -> Claude:
        """Say something as the agent."""
        self._agent({"type": "text", "text": text})
        return self

    def runs(self, command: str, *, result: str = "ok", refused: str | None = None) -> Claude:
        """Run a command as the agent; the person may refuse it and say why."""
        call = f"toolu_{self._count}"
        self._agent({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}})
        told = result if refused is None else DENIED + refused
        block = {"type": "tool_result", "tool_use_id": call, "content": told, "is_error": refused is not None}
        found = f"Error: {told}" if refused is not None else {"stdout": told, "stderr": "", "interrupted": False}
        self.row({"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": found})
        return self

    def corrected(self, text: str = PNPM, *, after: str = "npm install left-pad") -> Claude:
        """Let the agent run something and the person say that it was wrong."""
        return self.types(TASK).runs(after).answers("Done.").types(text).answers("Understood.")

    def _agent(self, block: dict[str, Any]) -> None:
        message = {"id": f"msg_{self._count}", "type": "message", "role": "assistant", "content": [block]}
        self.row({"type": "assistant", "message": message})


class Codex:
    """A session of Codex."""

    def __init__(self, home: Path, cwd: Path | str, name: str = "c1", *, began: datetime | None = None) -> None:
        self.id, self.cwd = str(uuid5(NAMESPACE_URL, name)), str(cwd)
        self.at = began or _a_while_ago()
        day = self.at.strftime("%Y/%m/%d")
        stamp = self.at.strftime("%Y-%m-%dT%H-%M-%S")
        self.path = home / ".codex" / "sessions" / day / f"rollout-{stamp}-{self.id}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        meta = {"session_id": self.id, "id": self.id, "cwd": self.cwd, "originator": "codex-tui", "source": "cli"}
        self._row("session_meta", {**meta, "timestamp": self._moment(), "thread_source": "user"})

    def types(self, text: str) -> Codex:
        """Say something as the person."""
        return self._row("event_msg", {"type": "user_message", "message": text, "images": []})

    def answers(self, text: str) -> Codex:
        """Say something as the agent."""
        return self._row("event_msg", {"type": "agent_message", "message": text})

    def corrected(self, text: str = PNPM) -> Codex:
        """Let the agent say what it did and the person say that it was wrong."""
        return self.types(TASK).answers("I ran npm install left-pad.").types(text).answers("Understood.")

    def _moment(self) -> str:
        return self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _row(self, kind: str, payload: dict[str, Any]) -> Codex:
        self.at += timedelta(seconds=1)
        with self.path.open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(json.dumps({"timestamp": self._moment(), "type": kind, "payload": payload}) + "\n")
        return self


def put(home: Path, recorded: str, place: str, cwd: Path | str = "") -> Path:
    """Copy a recorded session to where its host keeps it, as one that was held in another directory if wanted."""
    target = home / place
    target.parent.mkdir(parents=True, exist_ok=True)
    data = (RECORDED / recorded).read_bytes()
    if cwd:
        data = data.replace(b"/home/user/app", json.dumps(str(cwd))[1:-1].encode())
    target.write_bytes(data)
    return target


def put_tree(home: Path, recorded: str, place: str) -> Path:
    """Copy a recorded directory to where its host keeps it."""
    shutil.copytree(RECORDED / recorded, home / place, dirs_exist_ok=True)
    return home / place
