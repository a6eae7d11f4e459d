"""GitHub Copilot CLI: https://docs.github.com/en/copilot/reference/hooks-configuration."""

from __future__ import annotations

import os

from improve.hosts import chain, imports, text
from improve.hosts.base import Host, Loaded, Spot, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Whole, own_hooks, without_tools

_folder = directory("COPILOT_HOME", ".copilot")

_NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_GITHUB = os.path.join(".github", "copilot-instructions.md")
_ALL = ("**", "**/*", "*")


def _chain(spot: Spot) -> list[Loaded]:
    folder = _folder(spot.user, spot.env)
    root = chain.top(spot.cwd) or spot.cwd
    ends = list(dict.fromkeys((root, spot.cwd)))
    found = chain.present([os.path.join(folder, "copilot-instructions.md")], "global")
    found += chain.present(os.path.join(end, _GITHUB) for end in ends)
    found += [f for end in ends for f in _named(end)]
    for step in chain.upward(spot.cwd, root)[1:-1]:
        found += chain.present([os.path.join(step, _GITHUB)]) + _named(step)
    found = [g for f in found for g in _with_imports(f)]
    found += _instructions(os.path.join(folder, "instructions"), "global")
    for end in ends:
        found += _instructions(os.path.join(end, ".github", "instructions"))
        found += [_scoped(f, "paths") for f in chain.rules(os.path.join(end, ".claude", "rules"), (".md",))]
    for extra in filter(None, map(str.strip, spot.env.get("COPILOT_CUSTOM_INSTRUCTIONS_DIRS", "").split(","))):
        found += _instructions(os.path.join(spot.cwd, extra), "global")
    return _said_once(chain.once(found))


def _with_imports(found: Loaded) -> list[Loaded]:
    if os.path.basename(found.path).lower() == "gemini.md":
        return [found]
    return imports.follow([found], imports.Imports(imports.loose_mentions, 10, imports.within_project))


def _named(step: str) -> list[Loaded]:
    """Read the files of a directory that have one of the names, in any letter case."""
    try:
        there = sorted(os.listdir(step))
    except OSError:
        return []
    listed = ([n for n in there if n.lower() == name.lower()] for name in _NAMES)
    return chain.present(os.path.join(step, names[0]) for names in listed if names)


def _instructions(directory: str, scope: str = "project") -> list[Loaded]:
    return [_scoped(f, "applyTo") for f in chain.rules(directory, (".instructions.md",), scope)]


def _scoped(found: Loaded, key: str) -> Loaded:
    globs = text.front_matter(found.data)[0].get(key, [])
    if not globs or all(glob in _ALL for glob in globs):
        return found
    return chain.unseen(found, "scoped", f"only its path is given, for files that match {', '.join(globs)}")


def _said_once(found: list[Loaded]) -> list[Loaded]:
    """Leave out a file whose bytes are those of one that was sent already."""
    seen, kept = set[bytes](), []
    for file in found:
        if not file.data or file.data not in seen:
            kept.append(file)
        seen.add(file.data)
    return kept


_HOOKS = (
    Hook("session-start", "sessionStart", timeout=10),
    Hook("prompt", "userPromptSubmitted", timeout=5),
    Hook("stop", "agentStop", timeout=5),
    Hook("session-end", "sessionEnd", timeout=5),
    Hook("pre-tool", "preToolUse", timeout=5),
)

HOST = Host(
    name="copilot",
    title="GitHub Copilot CLI",
    chain=_chain,
    own_file=".github/instructions/improve.instructions.md",
    folder=_folder,
    global_file=under(_folder, "copilot-instructions.md"),
    create_file=under(_folder, "copilot-instructions.md"),
    skills=shared_skills,
    sessions=(under(_folder, "session-state"), under(_folder, "session-store.db")),
    # every file in this directory is loaded, so ours is a file of its own
    wiring=(
        Whole(
            under(_folder, "hooks", "improve.json"),
            own_hooks("copilot", without_tools(_HOOKS)),
            guarding=own_hooks("copilot", _HOOKS),
        ),
    ),
    # what a session was told at its start is not recorded, so a resumed one is told again
    dialect=Dialect(
        session="sessionId",
        transcript="transcriptPath",
        answer="flat",
        keeps_context=False,
        tool="toolName",
        arguments="toolArgs",
        tool_event="preToolUse",
        denies="flat",
        warns="flat",
    ),
    limits=(
        "What is typed while it works is not noticed: no hook is run for it.",
        "A single run (`copilot -p`) refuses commands that name a path outside of the folder, unless "
        "`--allow-all-paths` is given: `~/.agent-improvement/bin/improve` passes, a store elsewhere does not.",
    ),
)
