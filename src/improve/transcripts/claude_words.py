"""What a person said in a row of a Claude Code transcript, and how it came in. Pure."""

from __future__ import annotations

from typing import Any

from improve.cue import is_ours, words_only
from improve.session import BY_PERSON, BY_RULE, COMMAND, CUT_OFF, MEMORY, QUEUED, SCRIPTED, TYPED
from improve.transcripts.base import clean

INTERRUPT = "[Request interrupted by user"
_NOT_SAID = (
    "This session is being continued", "Stop hook feedback:", "Caveat: The messages below", "Unknown slash command:",
    "Implement the following plan:\n\n", "Base directory for this skill:", "<local-command-", "<post-tool-use-hook",
    "<teammate-message", "<cross-session-message", "<scheduled-task",
)  # fmt: skip
"""How a text begins that the program wrote where a person's words stand."""
REFUSED = (
    "The user doesn't want to proceed with this tool use.", "The user doesn't want to take this action right now.",
    "The agent proposed a plan that was rejected by the user.",
)  # fmt: skip
"""How the text begins that tells the agent of a denial."""
_EDGE = "\ufeff \t\r\n"
_SAID = "the user said:\n"
_BEHIND = "\n\nNote: The user's next message may contain"
_CLARIFY = "The user wants to clarify these questions"
_RULED = (
    "Claude requested permissions to ", "Permission to use ", "This command requires approval", "Auto mode ",
    "PreToolUse:", "Hook PreToolUse:",
)  # fmt: skip
_STOPPED = (INTERRUPT, "<error>Command was aborted", "Command was aborted")


def flag(row: dict[str, Any], *names: str) -> bool:
    """Tell whether one of these is true in a row."""
    return any(row.get(name) is True for name in names)


def text(row: dict[str, Any], name: str) -> str:
    """Give a value that is text, else the empty string."""
    value = row.get(name)
    return clean(value) if isinstance(value, str) else ""


def part(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Give a value that is an object, else an empty one."""
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def is_scripted(row: dict[str, Any]) -> bool:
    """Tell a row of a run without a terminal: one of the SDK, or of claude-mem's observer that watches sessions."""
    entry = text(row, "entrypoint")
    if entry:
        return entry.startswith("sdk")
    return row.get("promptSource") == "sdk" or "/.claude-mem/" in text(row, "cwd")


def is_said(row: dict[str, Any]) -> bool:
    """Tell whether the row of a prompt is one that a person, or a script in their place, gave."""
    if flag(row, "isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly") or "planContent" in row:
        return False
    origin = part(row, "origin").get("kind")
    return origin == "human" if isinstance(origin, str) else row.get("promptSource") != "system"


def texts(content: object) -> list[str]:
    """Give the texts of a prompt: one, or those among its blocks, images left out."""
    if isinstance(content, str):
        return [clean(content)]
    blocks = content if isinstance(content, list) else []
    return [clean(b.get("text")) for b in blocks if isinstance(b, dict) and b.get("type") == "text"]


def words(prompt: list[str]) -> tuple[str, str]:
    """Give what a person typed, and whether it came as arguments of a command or as a memory; else both are empty."""
    whole = "\n".join(prompt).strip()
    if whole.startswith(("<command-name>", "<command-message>")):
        said = inside(whole, "command-args")
        return ("", "") if not said or is_ours(said) else (said, COMMAND)
    if whole.startswith("<user-memory-input>"):
        said = inside(whole, "user-memory-input")
        return (said, MEMORY) if said else ("", "")
    typed = (piece.partition("]")[2] if is_interrupt(piece) else piece for piece in prompt)
    pieces = (words_only(piece) if "<" in piece else piece.strip(_EDGE) for piece in typed)
    said = "\n".join(filter(None, pieces))
    return ("", "") if not said or said.startswith(_NOT_SAID) or is_ours(said) else (said, "")


def is_interrupt(piece: str) -> bool:
    """Tell the program's note of an interrupt from words of a person about one."""
    return piece.startswith(INTERRUPT) and not piece.partition("]")[2].split("\n", 1)[0].strip()


def inside(whole: str, name: str) -> str:
    """Give what stands between the marks of a name."""
    return whole.partition(f"<{name}>")[2].partition(f"</{name}>")[0].strip()


def way(row: dict[str, Any], how: str, *, queued: bool) -> str:
    """Name how the words of a prompt came in."""
    if is_scripted(row):
        return SCRIPTED
    return how or (QUEUED if queued or row.get("promptSource") == "queued" else TYPED)


def answers(row: dict[str, Any]) -> str:
    """Give what a person answered to questions of the agent, a line each, with the notes beside an answer."""
    given = part(row, "toolUseResult")
    notes = part(given, "annotations")
    said = []
    for question, answer in part(given, "answers").items():
        said += [clean(answer).strip(), text(part(notes, question), "notes").strip()]
    return "\n".join(line for line in said if line)


def beside(row: dict[str, Any]) -> str:
    """Give what a person typed while allowing a call ("Yes, but …"): a text beside its result.

    Newer releases note who allowed it; where a rule did, nobody typed anything.
    """
    source = part(row, "permissionDecision").get("source", "user")
    if not isinstance(source, str) or not source.startswith("user"):
        return ""
    return words(texts(part(row, "message").get("content")))[0]


def ended(row: dict[str, Any], told: str) -> tuple[str, str]:
    """Say why a call that failed did not come to its end, and what the person typed as the reason.

    `user-rejected` alone is no proof of a person: a run without a terminal notes it as well.
    """
    decision, kind = part(row, "permissionDecision"), text(row, "toolDenialKind")
    feedback = text(row, "userFeedback").strip() or reason(told)
    if decision.get("decision") == "reject":
        return (BY_PERSON, feedback) if decision.get("source") == "user_reject" else (BY_RULE, "")
    if told.startswith(REFUSED) or (flag(row, "holdsPersonsWords") and feedback):
        return BY_PERSON, feedback
    if kind in ("interrupted", "cancelled") or told.startswith(_STOPPED):
        return CUT_OFF, ""
    if kind == "user-rejected" and not is_scripted(row):
        return BY_PERSON, feedback
    return (BY_RULE, "") if kind or told.startswith(_RULED) else ("", "")


def reason(told: str) -> str:
    """Give what a person typed, from the text that tells the agent of a denial."""
    if not told.startswith(REFUSED):
        return ""
    said = told.partition(_SAID)[2].partition(_BEHIND)[0].strip()
    return "" if said.startswith(_CLARIFY) else said
