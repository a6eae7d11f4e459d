"""Codex CLI: https://developers.openai.com/codex/guides/agents-md, https://developers.openai.com/codex/hooks."""

from __future__ import annotations

import os
from collections.abc import Mapping

from improve.hosts.base import Host, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

_folder = directory("CODEX_HOME", ".codex")


def _global_file(user: str, env: Mapping[str, str]) -> str:
    """Prefer AGENTS.override.md: where it exists, even empty, Codex does not read AGENTS.md."""
    override = os.path.join(_folder(user, env), "AGENTS.override.md")
    return override if os.path.exists(override) else os.path.join(_folder(user, env), "AGENTS.md")


HOST = Host(
    name="codex",
    title="Codex CLI",
    folder=_folder,
    global_file=_global_file,
    create_file=under(_folder, "AGENTS.md"),
    skills=shared_skills,
    sessions=(under(_folder, "sessions"), under(_folder, "archived_sessions"), under(_folder, "history.jsonl")),
    # Codex asks the person to trust each hook by its definition: nothing here may change without need
    wiring=(
        Settings(
            under(_folder, "hooks.json"),
            (
                Hook("session-start", "SessionStart", timeout=10),
                Hook("prompt", "UserPromptSubmit", timeout=5),
                Hook("stop", "Stop", timeout=5),
                Hook("session-end", "SessionEnd", timeout=3),
            ),
        ),
    ),
    dialect=Dialect(turn="turn_id"),
)
