"""How a host wants to be answered: context for the model, or the refusal of a call, in the host's own form."""

from __future__ import annotations

from improve.event import POST_TOOL, PRE_TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from improve.hosts.dialect import Dialect


def context(dialect: Dialect, kind: str, text: str) -> str:
    """Wrap context for the model the way a host understands it."""
    tools = kind in (PRE_TOOL, POST_TOOL)
    form = dialect.warns if tools else dialect.answer
    if form == "text":
        return text
    from improve import quick

    named = dialect.start_event if kind == "session-start" else dialect.prompt_event
    if tools:
        named = dialect.warn_event or dialect.tool_event
    shapes: dict[str, dict[str, object]] = {
        "nested": {"hookSpecificOutput": {"hookEventName": named, "additionalContext": text}},
        "flat": {"additionalContext": text},
        "snake": {"additional_context": text},
        "cline": {"cancel": False, "contextModification": text},
        "plain": {"warn": text},
    }
    return quick.dumps(shapes[form])


def refusal(dialect: Dialect, reason: str) -> str:
    """Deny a call the way a host understands it."""
    from improve import quick

    decided = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    shapes: dict[str, dict[str, object]] = {
        "nested": {"hookSpecificOutput": {"hookEventName": dialect.tool_event, **decided}},
        "flat": {**decided},
        "decision": {"decision": "deny", "reason": reason},
        "permission": {"permission": "deny", "user_message": reason, "agent_message": reason},
        "cline": {"cancel": True, "errorMessage": reason},
        "plain": {"deny": reason},
    }
    return quick.dumps(shapes[dialect.denies])
