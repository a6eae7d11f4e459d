"""A host that is none for the plugins: tests/data/plugins/play.mjs, the events it sends and what comes of them."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from improve.hosts.wiring import template

PLAYER = Path(__file__).parents[1] / "data" / "plugins" / "play.mjs"
FILES = {"opencode": "opencode.js", "opencode2": "opencode.js", "pi": "pi.js", "amp": "amp.ts"}
ALL = tuple(FILES)
RULES = "improve-rules v1\nCorrections: use uv, not pip."
LIMIT = 2.0
"""Seconds a plugin gives the launcher."""
SOON = 0.6
"""The same where a test has to wait for it."""

GOOD = """cat > "$BOX/said.$$"; mv "$BOX/said.$$" "$BOX/$(date +%s%N)-$$-$1-$2.json"
[ "$2" = session-start ] && cat "$BOX/rules"; exit 0"""
"""A launcher that notes what it is told and answers."""


def node() -> str:
    """Name a Node that runs the plugins."""
    found = shutil.which("node")
    if not found:
        pytest.skip("no node on this machine")
    return found


class Box:
    """A launcher in an awkward place, a plugin that knows it, and what the launcher was told."""

    def __init__(self, root: Path, kind: str, script: str | None, limit: float = LIMIT) -> None:
        self.root, self.kind = root, kind
        self.project = root / "a projéct"
        self.project.mkdir()
        (root / "rules").write_text(RULES + "\n")
        self.launcher = root / "my störe's $HOME" / "improve-hook"
        self.launcher.parent.mkdir()
        if script is not None:
            self.launcher.write_text(f"#!/bin/sh\nBOX={shlex.quote(str(root))}\n{script}\n")
            self.launcher.chmod(0o755)
        name = FILES[kind]
        self.plugin = root / "plugin.mjs"  # TypeScript too: it has no types
        text = template(name)(str(self.launcher))
        assert f"const LIMIT = {LIMIT * 1000:.0f} " in text
        self.plugin.write_text(text.replace(f"{LIMIT * 1000:.0f}", f"{limit * 1000:.0f}"), encoding="utf-8")

    def play(self, *steps: dict[str, Any], **behaviour: Any) -> list[dict[str, Any]]:
        """Let the host run through steps; no handler may throw."""
        program = node()
        play = {"steps": steps, "cwd": str(self.project), "session": "s1", "file": "/t/s1.jsonl", **behaviour}
        done = subprocess.run(
            [program, "--no-warnings", PLAYER, self.kind, self.plugin],
            input=json.dumps(play),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        rows: list[dict[str, Any]] = json.loads(done.stdout)
        assert [row["error"] for row in rows if "error" in row] == []
        assert all(row["known"] or behaviour for row in rows)
        return rows

    def told(self) -> list[tuple[str, dict[str, Any]]]:
        """List the events the launcher was told, in order."""
        names = sorted(self.root.glob("*.json"))
        return [(path.stem.split("-", 3)[3], json.loads(path.read_text())) for path in names]

    def prompts(self) -> list[str]:
        """List the prompts the launcher was told."""
        return [said["prompt"] for event, said in self.told() if event == "prompt"]


def text_part(text: str, **more: Any) -> dict[str, Any]:
    """Give a text part of a message of OpenCode."""
    return {"type": "text", "text": text, **more}


def prompt_step(kind: str, text: str = "no, use tabs", session: str = "s1", message: str = "m1") -> dict[str, Any]:
    """Give the step in which a person sends a prompt."""
    ways: dict[str, tuple[str, list[Any]]] = {
        "opencode": (
            "chat.message",
            [{"sessionID": session}, {"message": {"id": message}, "parts": [text_part(text)]}],
        ),
        "opencode2": ("prompt", [{"sessionID": session, "messageID": message, "prompt": {"text": text}}]),
        "pi": ("input", [{"text": text, "source": "interactive"}]),
        "amp": ("agent.start", [{"message": text, "id": message, "thread": {"id": session}}]),
    }
    call, args = ways[kind]
    return {"call": call, "with": args}


def model_step(kind: str, session: str = "s1") -> dict[str, Any]:
    """Give the step in which the host is about to call the model."""
    ways: dict[str, tuple[str, list[Any]]] = {
        "opencode": ("experimental.chat.system.transform", [{"sessionID": session}, {"system": ["You are an agent."]}]),
        "opencode2": ("context", [{"sessionID": session, "system": [text_part("You are an agent.")], "messages": []}]),
        "pi": ("before_agent_start", [{"prompt": "x", "systemPromptOptions": {"sections": {"theirs": "kept"}}}]),
    }
    call, args = ways[kind]
    return {"call": call, "with": args}


def end_steps(kind: str, session: str = "s1") -> list[dict[str, Any]]:
    """Give the steps in which a turn and then the session ends."""
    idle = {"type": "session.idle", "properties": {"sessionID": session}}
    over = {"type": "session.execution.succeeded", "data": {"sessionID": session}}
    ways: dict[str, list[dict[str, Any]]] = {
        "opencode": [{"call": "event", "with": [{"event": idle}]}, {"call": "dispose"}],
        "opencode2": [{"call": "event", "with": [over], "wait": 300}, {"call": "over"}],
        "pi": [{"call": "agent_end", "with": [{"messages": []}]}, {"call": "session_shutdown", "with": [{}]}],
        "amp": [{"call": "agent.end", "with": [{"status": "done", "thread": {"id": session}}]}, {"call": "dispose"}],
    }
    return ways[kind]


def whole_session(kind: str) -> list[dict[str, Any]]:
    """Give a session of one prompt and two calls of the model."""
    models = [] if kind == "amp" else [model_step(kind), model_step(kind)]
    return [prompt_step(kind), *models, *end_steps(kind)]


def given(kind: str, row: dict[str, Any]) -> list[str]:
    """List the rules that one call of the model was given."""
    if kind == "amp":
        return [row["gave"]["message"]["content"]] if row.get("gave") else []
    if kind == "pi":
        sections = row["args"][0]["systemPromptOptions"]["sections"]
        return [text for name, text in sections.items() if name == "improve_rules"]
    parts = row["args"][1]["system"] if kind == "opencode" else [part["text"] for part in row["args"][0]["system"]]
    return [part for part in parts if part.startswith("improve-rules")]


def calls(kind: str, rows: list[dict[str, Any]]) -> list[list[str]]:
    """List what each call of the model was given."""
    name = "agent.start" if kind == "amp" else model_step(kind)["call"]
    return [given(kind, row) for row in rows if row["call"] == name]
