"""Qwen Code: https://qwenlm.github.io/qwen-code-docs/."""

from __future__ import annotations

from improve.hosts.base import Host, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

_folder = directory("", ".qwen")

HOST = Host(
    name="qwen",
    title="Qwen Code",
    folder=_folder,
    global_file=under(_folder, "QWEN.md"),
    create_file=under(_folder, "QWEN.md"),
    skills=shared_skills,
    sessions=(under(_folder, "projects"),),
    wiring=(
        Settings(
            under(_folder, "settings.json"),
            (
                Hook("session-start", "SessionStart", timeout=10),
                Hook("prompt", "UserPromptSubmit", timeout=5),
                Hook("stop", "Stop", timeout=5),
                Hook("session-end", "SessionEnd", timeout=5),
            ),
            comments=True,
            bom=True,
            named=True,
        ),
    ),
    # `prompt` may hold more than was typed and is empty after each tool call, where the other key is missing; context
    # of SessionStart goes into the system prompt and is recorded nowhere
    dialect=Dialect(prompt="submitted_prompt", keeps_context=False),
    limits=(
        "Only prompts that it marks as typed are noticed: none of those taken from its history or typed in Vim mode.",
        "A single run (`qwen -p`) does not say that it ends.",
    ),
)
