"""What a person typed of a prompt that Codex CLI, its extensions or its app recorded."""

from __future__ import annotations

import re
from typing import Any

from improve import cue
from improve.transcripts.base import clean

_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
"""What the extensions put before a prompt, after the open files."""
_CONTEXT = "# "
_INJECTED = (
    "# agents.md instructions", "<environment_context", "<instructions>", "<user_instructions>", "<turn_aborted",
    "<skill>", "<subagent_notification", "<goal_context", "<codex_internal_context", "<recommended_plugins",
    "<hook_prompt", "<user_action>", "<user_shell_command", "<permissions instructions>", "<collaboration_mode>",
    "<personality_spec>", "<plugins_instructions>", "<skills_instructions>", "<apps_instructions>",
    "another language model started to solve this problem",
    "generate a file named agents.md that serves as a contributor guide",
)  # fmt: skip
"""How items begin that are in the person's name in the model's input and that nobody typed."""
_IMAGE = re.compile(r"</?image\b[^<>]*>\s*\Z")


def typed(content: Any) -> str:
    """Give what a person typed of an item or an event; empty when nobody did."""
    if isinstance(content, list):
        blocks = (b for b in content if isinstance(b, dict) and b.get("type") in ("input_text", "text"))
        content = "\n".join(t for b in blocks if isinstance(t := b.get("text"), str) and not _IMAGE.match(t))
    text = clean(content)
    if text.lstrip().startswith(_CONTEXT) and (found := list(_REQUEST.finditer(text))):
        text = text[found[-1].end() :]  # what is selected in the editor may hold such a line as well
    if text[:80].lstrip().casefold().startswith(_INJECTED):
        return ""
    return cue.words_only(text)


def directory(text: str) -> str:
    """Find the working directory in what Codex tells the model of the surroundings; empty in any other text."""
    return text.partition("<cwd>")[2].partition("</cwd>")[0].strip() if "<environment_context>" in text[:200] else ""
