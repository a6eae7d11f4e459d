"""A home with guards, and a hook that is asked about calls of tools as a host asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from improve import entry
from improve.rule import Check, Observation, Rule

APP = "github.com/acme/app"
PIP = Check("shell", ("pip install",))

PRELUDE = """
import os, sys
sys.path[:0] = os.environ.pop("PLACES").split(os.pathsep)
from improve import event, looks
event.DEADLINE = float(os.environ.pop("DEADLINE", "15"))  # the machine is shared and slow at times
event.PATIENCE = event.DEADLINE / 2
looks._UNSETTLED = float(os.environ.pop("UNSETTLED", "0"))
exec(os.environ.pop("BEFORE", ""))
from improve.hook import main
main(sys.argv[1:])
"""


def rule(name: str = "use-uv-not-pip", mode: str = "deny", **changes: Any) -> Rule:
    """Make a rule that was seen twice in a project and has a guard."""
    seen = tuple(Observation(APP, "2026-01-01", "said so", session=f"s{n}", host="codex") for n in (1, 2))
    made = Rule(name, "Use uv, never pip", "python-tooling", "2026-01-01", "2026-01-01", seen, check=PIP, guard=mode)
    return made._replace(**changes)


class Told(NamedTuple):
    """What a hook answered."""

    out: str
    err: str
    code: int

    @property
    def reason(self) -> str:
        """Why it was denied, as Claude Code is told; empty when it was not."""
        inner = json.loads(self.out)["hookSpecificOutput"] if self.out else {}
        assert not inner or inner["hookEventName"] == "PreToolUse"
        return str(inner.get("permissionDecisionReason", "")) if inner.get("permissionDecision") == "deny" else ""

    @property
    def warning(self) -> str:
        """What was said beside a call that goes on."""
        inner = json.loads(self.out)["hookSpecificOutput"] if self.out else {}
        return "" if "permissionDecision" in inner else str(inner.get("additionalContext", ""))


class Guarding:
    """A store with rules, and a project beside it."""

    def __init__(self, base: Path) -> None:
        self.user, self.app = base / "user", base / "app"
        self.store = self.user / ".agent-improvement"
        self.store.mkdir(parents=True)
        project(self.app, APP)

    def keep(self, *rules: Rule, head: str = "version: 2\n") -> None:
        """Write rules.yaml."""
        text = head + "rules:\n" + "".join(map(entry.render, rules))
        (self.store / "rules.yaml").write_text(text, encoding="utf-8")

    def argv(self, host: str = "claude-code", event: str = "pre-tool") -> list[str]:
        """Give the command of the hook."""
        return [sys.executable, "-I", "-S", "-c", PRELUDE, host, event]

    def env(self, **more: str) -> dict[str, str]:
        """Give its environment."""
        places = os.pathsep.join(path for path in sys.path if path)
        given = {"HOME": str(self.user), "PATH": os.environ["PATH"], "PLACES": places}
        return {**given, **more}

    def call(
        self,
        command: str = "",
        *,
        host: str = "claude-code",
        event: str = "pre-tool",
        said: object = None,
        env: Any = None,
        **more: Any,
    ) -> Told:
        """Ask about a call: of the shell, unless something else is said."""
        usual = {"cwd": str(self.app), "session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": command}}
        data = said if isinstance(said, bytes) else json.dumps({**usual, **more}).encode()
        given = self.env(**(env or {}))
        done = subprocess.run(self.argv(host, event), input=data, env=given, capture_output=True, timeout=20)
        return Told(done.stdout.decode("ascii"), done.stderr.decode(), done.returncode)

    def fired(self) -> list[dict[str, Any]]:
        """Read the firings in the journal."""
        path = self.store / "journal.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [event for event in _objects(lines) if event["event"] == "fired"]

    def compiled(self) -> list[Path]:
        """Find the compiled file."""
        return list(self.user.rglob("guards.json"))

    def log(self) -> list[str]:
        """Give the lines of the hooks' log."""
        return [line for path in self.user.rglob("hook.log") for line in path.read_text(encoding="utf-8").splitlines()]


def _objects(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue


def project(path: Path, key: str) -> Path:
    """Make a repository with a remote."""
    (path / ".git" / "objects").mkdir(parents=True)
    (path / ".git" / "refs").mkdir()
    (path / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (path / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://{key}.git\n', encoding="utf-8")
    return path
