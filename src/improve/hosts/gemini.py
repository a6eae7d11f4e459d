"""Gemini CLI: https://github.com/google-gemini/gemini-cli/blob/main/docs/hooks/reference.md."""

from __future__ import annotations

import os

from improve.hosts import chain, imports, settings
from improve.hosts.base import Host, Loaded, Spot, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

_folder = directory("", ".gemini")


def _chain(spot: Spot) -> list[Loaded]:
    folder = _folder(spot.user, spot.env)
    names = [os.path.normpath(name.strip()) for name in (*_names(folder, spot), "GEMINI.md") if name.strip()]
    names = list(dict.fromkeys(names))
    found = chain.present((os.path.join(folder, name) for name in names), "global")
    steps = [step for step in chain.upward(spot.cwd, chain.top(spot.cwd) or spot.cwd) if step != folder]
    # the host sorts the paths of the project
    found += chain.present(sorted(os.path.join(step, name) for step in steps for name in names))
    found = imports.follow(chain.once(found), imports.Imports(imports.word_mentions, 5, imports.within_project))
    found = chain.once(found + chain.below(spot.cwd, names))
    fix = 'add it to "context": {"fileName": [...]} in ~/.gemini/settings.json'
    return chain.foreign(found, spot, ("AGENTS.md", "CLAUDE.md"), "Gemini CLI", fix)


def _names(folder: str, spot: Spot) -> list[str]:
    """Read `context.fileName`; the project's setting replaces the person's, and both only add to GEMINI.md."""
    said: list[str] = []
    for place in (folder, os.path.join(spot.cwd, ".gemini")):
        value = settings.deep(settings.read(os.path.join(place, "settings.json")), "context", "fileName")
        said = settings.strings(value) or said
    return said


HOST = Host(
    name="gemini",
    title="Gemini CLI",
    chain=_chain,
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
                Hook("pre-tool", "BeforeTool", timeout=5000),
                Hook("post-tool", "AfterTool", timeout=5000),
            ),
            comments=True,
            named=True,
        ),
    ),
    # context of SessionStart is glued to the first prompt, and a resumed session drops both
    dialect=Dialect(
        prompt_event="BeforeAgent",
        briefs_with_prompt=True,
        tool_event="BeforeTool",
        denies="decision",
        warn_event="AfterTool",
    ),
    limits=(
        "Its shell does not say which session it belongs to: that is found by the processes, on Linux only.",
        "A guard that warns is heard with the result of the call: what is said before it reaches nobody.",
    ),
)
