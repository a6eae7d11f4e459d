"""Qwen Code: https://qwenlm.github.io/qwen-code-docs/."""

from __future__ import annotations

import os

from improve.hosts import chain, imports, settings, text
from improve.hosts.base import Host, Loaded, Spot, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

_folder = directory("", ".qwen")


def _chain(spot: Spot) -> list[Loaded]:
    folder = _folder(spot.user, spot.env)
    root = chain.top(spot.cwd)
    steps = _steps(spot, root, folder)
    found: list[Loaded] = []
    for name in _names(folder, spot) or ["QWEN.md", "AGENTS.md"]:
        found += chain.present([os.path.join(folder, name)], "global")
        found += chain.present(os.path.join(step, name) for step in steps)
    found += chain.present([os.path.join(root, ".qwen", "QWEN.local.md")]) if root else []
    found = imports.follow(found, imports.Imports(imports.prose_mentions, 5, imports.within_project))
    found += _ruled(os.path.join(folder, "rules"), "global")
    found += _ruled(os.path.join(root or spot.cwd, ".qwen", "rules"), "project")
    fix = 'add it to "context": {"fileName": [...]} in ~/.qwen/settings.json, which replaces QWEN.md and AGENTS.md'
    return chain.foreign(chain.once(found), spot, ("QWEN.md", "AGENTS.md", "CLAUDE.md"), "Qwen Code", fix)


def _names(folder: str, spot: Spot) -> list[str]:
    """Read `context.fileName`, which replaces the usual names; the project's setting replaces the person's."""
    said: list[str] = []
    for place in (folder, os.path.join(spot.cwd, ".qwen")):
        value = settings.deep(settings.read(os.path.join(place, "settings.json")), "context", "fileName")
        said = settings.strings(value) or said
    return said


def _steps(spot: Spot, root: str, folder: str) -> list[str]:
    """List the directories down from the one above the repository, or above the home outside of any."""
    if os.path.realpath(spot.cwd) == os.path.realpath(spot.user):
        return [spot.cwd]
    steps = chain.upward(spot.cwd, os.path.dirname(root or spot.user))
    return steps[steps.index(folder) + 1 :] if folder in steps else steps


def _ruled(directory: str, scope: str) -> list[Loaded]:
    real = os.path.realpath(directory)
    why, fix = "links among the rules are not followed", "put the file itself there"
    found = chain.rules(directory, (".md",), scope)
    linked = [os.path.realpath(f.path) != os.path.join(real, os.path.relpath(f.path, directory)) for f in found]
    there = zip(found, linked, strict=True)
    return [chain.unseen(f, "off", why, fix) if link else _scoped(f) for f, link in there]


def _scoped(found: Loaded) -> Loaded:
    keys, end = text.front_matter(found.data)
    found = found._replace(data=text.without_comments(found.data[end:]))
    if not keys.get("paths"):
        return found
    return chain.unseen(found, "scoped", f"it comes when a file that matches {', '.join(keys['paths'])} is read")


HOST = Host(
    name="qwen",
    title="Qwen Code",
    chain=_chain,
    own_file=".qwen/rules/improve.md",
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
                Hook("pre-tool", "PreToolUse", timeout=5),
                Hook("post-tool", "PostToolUse", timeout=5),
                Hook("post-tool", "PostToolUseFailure", timeout=5),
            ),
            comments=True,
            bom=True,
            named=True,
        ),
    ),
    # `prompt` may hold more than was typed and is empty after each tool call, where the other key is missing; context
    # of SessionStart goes into the system prompt and is recorded nowhere
    dialect=Dialect(prompt="submitted_prompt", keeps_context=False, warn_event="PostToolUse"),
    limits=(
        "Only prompts that it marks as typed are noticed: none of those taken from its history or typed in Vim mode.",
        "A single run (`qwen -p`) does not say that it ends.",
        "A guard that warns is heard with the result of the call: what is said before it reaches nobody.",
    ),
)
