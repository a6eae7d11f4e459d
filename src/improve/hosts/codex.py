"""Codex CLI: https://developers.openai.com/codex/guides/agents-md."""

from __future__ import annotations

import os
from collections.abc import Mapping

from improve.hosts.base import Host, directory, under

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
    marks=("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
    session_variable="CODEX_SESSION_ID",
)
