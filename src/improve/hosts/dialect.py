"""How a host's hooks speak: what they are told on standard input, and what they may answer."""

from __future__ import annotations

from improve.frozen import Frozen


class Dialect(Frozen):
    """The keys of the JSON object a hook is given, and the shape of its answer. Claude Code's are the defaults.

    A key inside of another object is named by both: `userPromptSubmit.prompt`.

    https://code.claude.com/docs/en/hooks
    """

    session: str = "session_id"
    prompt: str = "prompt"
    transcript: str = "transcript_path"
    turn: str = "prompt_id"
    """Names the prompt, so that one typed twice is told from one delivered twice; may be missing."""
    subagent: str = "agent_id"
    """Is there only inside a subagent, where nobody types."""
    answer: str = "nested"
    """How context is given: `nested` (`hookSpecificOutput.additionalContext`), `flat` (`additionalContext`),
    `snake` (`additional_context`), `cline` (`contextModification`), `text` (as it is) or `none` (what a hook prints
    reaches nobody)."""
    start_event: str = "SessionStart"
    """The host's name of the start of a session, as the nested answer repeats it."""
    prompt_event: str = "UserPromptSubmit"
    briefs_with_prompt: bool = False
    """The rules come with the first prompt of a session, because context at its start does harm in this host."""
    keeps_context: bool = True
    """What was given at the start is still there when the session is resumed, so it is not given again."""
    foreign: tuple[str, ...] = ()
    """Environment variables that say that another host runs this host's hooks; that host has its own."""
    tool: str = "tool_name"
    """What is about to be called, before it runs."""
    arguments: str = "tool_input"
    """Its arguments: an object, or one as JSON in a text."""
    tool_event: str = "PreToolUse"
    """The host's name of the event before a call, as the nested answers repeat it."""
    denies: str = "nested"
    """How a call is stopped, with the reason: `nested` (`hookSpecificOutput.permissionDecision`), `flat`
    (`permissionDecision`), `decision` (`decision`, `reason`), `permission` (`permission`, `agent_message`), `cline`
    (`cancel`, `errorMessage`), `plain` (`deny`: the reason; for plugins of ours) or `none` (it cannot)."""
    warns: str = "nested"
    """How context is given beside a call that goes on, without deciding anything: as in `answer`, `plain` (`warn`:
    the text; for plugins of ours) or `none` (it cannot)."""
    warn_event: str = ""
    """The host's name of the event after a call, where context is given with what came of the call; empty where it is
    given before."""
