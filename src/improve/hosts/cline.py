"""Cline: https://docs.cline.bot/features/hooks, https://docs.cline.bot/features/cline-rules."""

from __future__ import annotations

import os

from improve.hosts import chain, text
from improve.hosts.base import Host, Loaded, Spot, directory, editor, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Whole, own_script

_folder = directory("", "Documents", "Cline")

_SUFFIXES = (".md", ".txt")
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")
"""Cline, and Roo Code, which came from it and records in the same way."""


def _chain(spot: Spot) -> list[Loaded]:
    root = chain.top(spot.cwd) or spot.cwd
    found = [_scoped(f) for f in chain.rules(os.path.join(_folder(spot.user, spot.env), "Rules"), _SUFFIXES, "global")]
    own = os.path.join(root, ".clinerules")
    found += chain.present([own]) if chain.is_file(own) else [_scoped(f) for f in chain.rules(own, _SUFFIXES)]
    found = [f for f in found if not f.path.startswith((os.path.join(own, "hooks"), os.path.join(own, "workflows")))]
    found += chain.present(os.path.join(root, name) for name in (".cursorrules", ".windsurfrules", "AGENTS.md"))
    fix = "move its text into .clinerules/ or AGENTS.md"
    return chain.foreign(chain.once(found), spot, ("CLAUDE.md", "GEMINI.md"), "Cline", fix)


def _scoped(found: Loaded) -> Loaded:
    keys, end = text.front_matter(found.data)
    found = found._replace(data=found.data[end:])
    if not keys.get("paths"):
        return found
    return chain.unseen(found, "scoped", f"it comes when files that match {', '.join(keys['paths'])} are at hand")


HOST = Host(
    name="cline",
    title="Cline",
    chain=_chain,
    own_file=".clinerules/improve.md",
    folder=_folder,
    global_file=under(_folder, "Rules", "improve.md"),
    create_file=under(_folder, "Rules", "improve.md"),
    skills=directory("", ".cline", "skills"),
    sessions=(
        directory("", ".cline", "data", "sessions"),
        *(editor(name, "globalStorage", own, "tasks") for name in _EDITORS for own in _EXTENSIONS),
    ),
    # the host knows a hook by its file's name, so there is one for all tools
    wiring=(
        Whole(under(_folder, "Hooks", "TaskStart"), own_script("cline", "session-start"), executable=True),
        Whole(under(_folder, "Hooks", "UserPromptSubmit"), own_script("cline", "prompt"), executable=True),
        Whole(
            under(_folder, "Hooks", "PreToolUse"), own_script("cline", "pre-tool"), executable=True, guards_only=True
        ),
    ),
    dialect=Dialect(
        session="taskId",
        prompt="userPromptSubmit.prompt",
        answer="cline",
        tool="preToolUse.toolName",
        arguments="preToolUse.parameters",
        denies="cline",
        warns="cline",
    ),
    limits=(
        "Hooks are off until `Enable Hooks` is checked in its settings; Windows has none.",
        "A hook is a file with a fixed name: where another tool has one, ours cannot be there.",
        "It does not say when a session ends.",
        "Taken from its documentation and source, not seen on the real program.",
    ),
)
