"""Cursor: https://cursor.com/docs/context/rules, https://cursor.com/docs/agent/hooks."""

from __future__ import annotations

import os

from improve.hosts import chain, text
from improve.hosts.base import Host, Loaded, Spot, directory, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

_folder = directory("", ".cursor")


def _chain(spot: Spot) -> list[Loaded]:
    root = chain.top(spot.cwd) or spot.cwd
    steps = chain.upward(spot.cwd, root)
    found = [f for step in steps for f in _ruled(os.path.join(step, ".cursor", "rules"))]
    found += chain.present(os.path.join(step, "AGENTS.md") for step in steps)
    found += chain.present(os.path.join(root, name) for name in ("CLAUDE.md", ".cursorrules"))
    return chain.once(found) + chain.below(spot.cwd, ("AGENTS.md",))


def _ruled(directory: str) -> list[Loaded]:
    found = [_scoped(f) for f in chain.rules(directory, (".mdc",))]
    there = chain.rules(directory, (".md",))
    return found + [
        chain.unseen(f, "off", "only files that end in .mdc are rules", f"rename it to {f.path}c") for f in there
    ]


def _scoped(found: Loaded) -> Loaded:
    keys, end = text.front_matter(found.data)
    found = found._replace(data=found.data[end:])
    if not end or keys.get("alwaysApply") == ["true"]:
        return found
    if keys.get("globs"):
        return chain.unseen(found, "scoped", f"it comes when a file that matches {', '.join(keys['globs'])} is at hand")
    fix = "set alwaysApply: true in its front matter"
    if keys.get("description"):
        return chain.unseen(found, "scoped", "it comes when the model finds its description fitting", fix)
    return chain.unseen(found, "off", "it comes only when a person names it", fix)


HOST = Host(
    name="cursor",
    title="Cursor",
    chain=_chain,
    own_file=".cursor/rules/improve.mdc",
    folder=_folder,
    skills=under(_folder, "skills"),
    sessions=(under(_folder, "projects"), under(_folder, "chats")),
    wiring=(
        Settings(
            under(_folder, "hooks.json"),
            (
                Hook("session-start", "sessionStart"),
                Hook("prompt", "beforeSubmitPrompt"),
                Hook("stop", "stop"),
                Hook("session-end", "sessionEnd"),
                Hook("pre-tool", "preToolUse"),
                Hook("post-tool", "postToolUse"),
            ),
            shape="flat",
        ),
    ),
    dialect=Dialect(
        session="conversation_id",
        turn="generation_id",
        answer="snake",
        tool_event="preToolUse",
        denies="permission",
        warns="snake",
        warn_event="postToolUse",
    ),
    limits=(
        "There is no global instruction file: rules for everywhere come through the hook.",
        "It does not wait for the hook at the start: a prompt sent at once may go without the rules.",
        "A guard that warns is heard with the result of the call.",
        "Agents in the cloud do not run the hook at the start.",
        "Taken from its documentation, not seen on the real program.",
    ),
)
