"""Gemini CLI: https://github.com/google-gemini/gemini-cli/blob/main/docs/hooks/reference.md."""

from __future__ import annotations

from improve.hosts.base import Host, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

_folder = directory("", ".gemini")

HOST = Host(
    name="gemini",
    title="Gemini CLI",
    folder=_folder,
    global_file=under(_folder, "GEMINI.md"),
    create_file=under(_folder, "GEMINI.md"),
    project_file="GEMINI.md",
    skills=shared_skills,
    sessions=(under(_folder, "tmp"),),
    wiring=(
        Settings(
            under(_folder, "settings.json"),
            (
                Hook("prompt", "BeforeAgent", timeout=5000),
                Hook("stop", "AfterAgent", timeout=5000),
                Hook("session-end", "SessionEnd", timeout=5000),
            ),
            comments=True,
            named=True,
        ),
    ),
    # context of SessionStart is glued to the first prompt, and a resumed session drops both
    dialect=Dialect(prompt_event="BeforeAgent", briefs_with_prompt=True),
    limits=("Its shell does not say which session it belongs to: that is found by the processes, on Linux only.",),
)
