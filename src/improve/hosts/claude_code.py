"""Claude Code: https://code.claude.com/docs/en/memory."""

from __future__ import annotations

from improve.hosts.base import Host, directory, under

_folder = directory("CLAUDE_CONFIG_DIR", ".claude")

HOST = Host(
    name="claude-code",
    title="Claude Code",
    folder=_folder,
    global_file=under(_folder, "CLAUDE.md"),
    create_file=under(_folder, "rules", "improve.md"),
    marks=("CLAUDECODE",),
    session_variable="CLAUDE_CODE_SESSION_ID",
)
