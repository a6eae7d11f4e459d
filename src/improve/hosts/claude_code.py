"""Claude Code: https://code.claude.com/docs/en/memory, https://code.claude.com/docs/en/hooks."""

from __future__ import annotations

from improve.hosts.base import Host, directory, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

_folder = directory("CLAUDE_CONFIG_DIR", ".claude")

HOST = Host(
    name="claude-code",
    title="Claude Code",
    folder=_folder,
    global_file=under(_folder, "CLAUDE.md"),
    create_file=under(_folder, "rules", "improve.md"),
    skills=under(_folder, "skills"),
    sessions=(under(_folder, "projects"), under(_folder, "history.jsonl")),
    wiring=(
        Settings(
            under(_folder, "settings.json"),
            (
                Hook("session-start", "SessionStart", timeout=10),
                Hook("prompt", "UserPromptSubmit", timeout=5),
                Hook("stop", "Stop", timeout=5),
                Hook("session-end", "SessionEnd", timeout=10),
            ),
            bom=True,
        ),
    ),
    # Cursor runs Claude Code's hooks too
    dialect=Dialect(foreign=("CURSOR_VERSION",)),
    advised_lines=200,
)
