"""What the agent said and called, and what tools gave back, in a row of a Claude Code transcript. Pure."""

from __future__ import annotations

from typing import Any

from improve.session import CUT_OFF, EDIT, OTHER, READ, SHELL, WRITE, Body, Call, Result
from improve.transcripts import claude_words
from improve.transcripts.base import clean, text_of
from improve.transcripts.claude_words import flag, part, text

_KINDS = {
    "Bash": SHELL, "PowerShell": SHELL, "Edit": EDIT, "MultiEdit": EDIT, "NotebookEdit": EDIT, "Write": WRITE,
    "Read": READ,
}  # fmt: skip
_TELLING = (
    "command", "file_path", "notebook_path", "path", "pattern", "query", "url", "skill", "plan", "description",
    "prompt",
)  # fmt: skip


def said_in(row: dict[str, Any]) -> Body:
    """Read what the agent said and called."""
    content = part(row, "message").get("content")
    blocks = content if isinstance(content, list) else []
    calls = (b for b in blocks if isinstance(b, dict) and b.get("type") == "tool_use")
    return Body(text_of(content), tuple(map(_call, calls)))


def _call(block: dict[str, Any]) -> Call:
    tool, given = text(block, "name"), part(block, "input")
    subject = next((text(given, name) for name in _TELLING if text(given, name)), "") or _question(given)
    return Call(text(block, "id"), tool, _KINDS.get(tool, OTHER), subject, given)


def _question(given: dict[str, Any]) -> str:
    asked = given.get("questions")
    return text(asked[0], "question") if isinstance(asked, list) and asked and isinstance(asked[0], dict) else ""


def given_in(row: dict[str, Any]) -> Body:
    """Read what came back from tools."""
    content = part(row, "message").get("content")
    blocks = content if isinstance(content, list) else []
    cut = part(row, "toolUseResult").get("interrupted") is True
    found = (b for b in blocks if isinstance(b, dict) and b.get("type") == "tool_result")
    return Body(results=tuple(_result(row, block, cut) for block in found))


def _result(row: dict[str, Any], block: dict[str, Any], cut: bool) -> Result:
    told = text_of(block.get("content"))
    call = clean(block.get("tool_use_id"))
    if cut:
        return Result(call, True, told, CUT_OFF)
    if not flag(block, "is_error"):
        return Result(call, False, told)
    return Result(call, True, told, *claude_words.ended(row, told))
