"""Codex CLI: https://developers.openai.com/codex/guides/agents-md, https://developers.openai.com/codex/hooks."""

from __future__ import annotations

import os

from improve.hosts import chain, settings
from improve.hosts.base import Host, Loaded, Spot, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_folder = directory("CODEX_HOME", ".codex")


def _global_file(user: str, env: Mapping[str, str]) -> str:
    """Prefer AGENTS.override.md: where it exists, even empty, Codex does not read AGENTS.md."""
    override = os.path.join(_folder(user, env), "AGENTS.override.md")
    return override if os.path.exists(override) else os.path.join(_folder(user, env), "AGENTS.md")


_CAP = 32 << 10
_RAISE = "shorten the files, or raise project_doc_max_bytes in ~/.codex/config.toml"
_KEYS = ("project_doc_max_bytes", "project_doc_fallback_filenames", "project_root_markers")


def _chain(spot: Spot) -> list[Loaded]:
    folder = _folder(spot.user, spot.env)
    said = _settings(folder, spot)
    names = ["AGENTS.override.md", "AGENTS.md", *settings.strings(said.get("project_doc_fallback_filenames"))]
    own = chain.first(folder, names[:2], "global", blank=False)
    markers = settings.strings(said.get("project_root_markers", [".git"]))
    root = chain.top(spot.cwd, markers) or spot.cwd
    found = [f for step in chain.upward(spot.cwd, root) for f in chain.first(step, names)]
    cap = said.get("project_doc_max_bytes", _CAP)
    found = own + chain.cut(found, cap if isinstance(cap, int) and cap >= 0 else _CAP, _RAISE)
    found = chain.once(found + chain.below(spot.cwd, ("AGENTS.md",), "a session starts there"))
    fix = "add it to project_doc_fallback_filenames in ~/.codex/config.toml, where no AGENTS.md is beside it"
    return chain.foreign(found, spot, ("CLAUDE.md", "GEMINI.md"), "Codex CLI", fix)


def _settings(folder: str, spot: Spot) -> dict[str, object]:
    """Read config.toml, and the project's own where the project is trusted."""
    said = _toml(os.path.join(folder, "config.toml"))
    root = chain.top(spot.cwd) or spot.cwd
    if settings.deep(said, "projects", root, "trust_level") == "trusted":
        for step in chain.upward(spot.cwd, root):
            said = {**said, **_toml(os.path.join(step, ".codex", "config.toml"))}
    return said


def _toml(path: str) -> dict[str, object]:
    found = chain.look(path)
    if not found or not any(word.encode() in found.data for word in (*_KEYS, "trust_level")):
        return {}  # spares the import of the parser
    import tomllib

    try:
        return tomllib.loads(found.data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}


HOST = Host(
    name="codex",
    title="Codex CLI",
    folder=_folder,
    global_file=_global_file,
    create_file=under(_folder, "AGENTS.md"),
    skills=shared_skills,
    sessions=(under(_folder, "sessions"), under(_folder, "archived_sessions"), under(_folder, "history.jsonl")),
    # Codex asks the person to trust each hook by its definition: nothing here may change without need
    wiring=(
        Settings(
            under(_folder, "hooks.json"),
            (
                Hook("session-start", "SessionStart", timeout=10),
                Hook("prompt", "UserPromptSubmit", timeout=5),
                Hook("stop", "Stop", timeout=5),
                Hook("session-end", "SessionEnd", timeout=3),
                Hook("pre-tool", "PreToolUse", timeout=5),
            ),
        ),
    ),
    dialect=Dialect(turn="turn_id"),
    chain=_chain,
    project_bytes=_CAP,
    limits=(
        "A hook runs only after the person has trusted it, when `codex` next starts; `codex exec` skips it in silence.",
        "Leaving the terminal program does not end the session, which lives on in the background.",
        "The hook for guards has to be trusted, too, when `codex` next starts after the first one was turned on.",
        "Hooks in config.toml as well as in hooks.json all run; at each start it asks for one file instead of two.",
    ),
)
