"""GitHub Copilot CLI: https://docs.github.com/en/copilot/reference/hooks-configuration."""

from __future__ import annotations

from improve.hosts.base import Host, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Whole, own_hooks

_folder = directory("COPILOT_HOME", ".copilot")

HOST = Host(
    name="copilot",
    title="GitHub Copilot CLI",
    folder=_folder,
    global_file=under(_folder, "copilot-instructions.md"),
    create_file=under(_folder, "copilot-instructions.md"),
    skills=shared_skills,
    sessions=(under(_folder, "session-state"), under(_folder, "session-store.db")),
    # every file in this directory is loaded, so ours is a file of its own
    wiring=(
        Whole(
            under(_folder, "hooks", "improve.json"),
            own_hooks(
                "copilot",
                (
                    Hook("session-start", "sessionStart", timeout=10),
                    Hook("prompt", "userPromptSubmitted", timeout=5),
                    Hook("stop", "agentStop", timeout=5),
                    Hook("session-end", "sessionEnd", timeout=5),
                ),
            ),
        ),
    ),
    dialect=Dialect(session="sessionId", transcript="transcriptPath", answer="flat"),
    limits=("What is typed while it works is not noticed: no hook is run for it.",),
)
