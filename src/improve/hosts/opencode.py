"""OpenCode: https://opencode.ai/docs/rules/."""

from __future__ import annotations

import os
from collections.abc import Mapping

from improve.hosts.base import Host, under


def _folder(user: str, env: Mapping[str, str]) -> str:
    return os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(user, ".config"), "opencode")


HOST = Host(
    name="opencode",
    title="OpenCode",
    folder=_folder,
    global_file=under(_folder, "AGENTS.md"),
    create_file=under(_folder, "AGENTS.md"),
    borrows=(lambda user, _: os.path.join(user, ".claude", "CLAUDE.md"),),
    marks=("OPENCODE",),
    session_variable="OPENCODE_SESSION_ID",
)
