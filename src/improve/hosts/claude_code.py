"""Claude Code: https://code.claude.com/docs/en/memory, https://code.claude.com/docs/en/hooks."""

from __future__ import annotations

import os
import sys

from improve.hosts import chain, imports, settings, text
from improve.hosts.base import Host, Loaded, Spot, directory, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_folder = directory("CLAUDE_CONFIG_DIR", ".claude")

_MANAGED = "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
_PLUGIN = "cc-plugin-agents-md@builtin"
"""The part of Claude Code that reads AGENTS.md."""
_TEXT = (
    " adoc bash bat c cc cfg cjs cmake cmd conf config cpp cs css csv cts cxx diff env erb fish go gql gradle"
    " graphql h hpp htm html hxx ini java js json jsx kt kts less lock log lua md mjs mts org patch php properties"
    " proto ps1 py pyi pyw r rake rb rs rst sass scala scss sh sql svelte swift tex text toml ts tsx txt vue xml"
    " yaml yml zsh"
    " "
)
"""Suffixes of files that an import may name; a name without one is fine, too."""


def _chain(spot: Spot) -> list[Loaded]:
    steps = chain.upward(spot.cwd)
    user = os.path.realpath(_folder(spot.user, spot.env))
    said = _Said(spot)
    own = _at(os.path.join(_MANAGED, ".claude"), _MANAGED) + _excluded(_at(user, user), said)
    project = [f for step in steps if os.path.realpath(step) != user for f in _step(step, user)]
    project = _excluded(_of_this_tree(project, spot.cwd), said)
    project = _without_agents(project, said, spot.cwd)
    found = chain.once(imports.follow([*own, *project], _imports(spot, user)))
    found = [f._replace(data=_sent(f)) for f in found]
    found += chain.below(spot.cwd, ("CLAUDE.md", "AGENTS.md"))
    if spot.env.get("CLAUDE_CODE_DISABLE_CLAUDE_MDS"):
        why = "CLAUDE_CODE_DISABLE_CLAUDE_MDS is set"
        found = [chain.unseen(f, "off", why, "unset CLAUDE_CODE_DISABLE_CLAUDE_MDS") for f in found]
    return found


def _sent(found: Loaded) -> bytes:
    """Give what is sent of a file: no front matter, no comments."""
    if found.state not in chain.IN_SIGHT:
        return b""
    return text.without_comments(found.data[text.front_matter(found.data)[1] :])


def _of_this_tree(found: list[Loaded], cwd: str) -> list[Loaded]:
    """In a work tree inside of the main one, leave out what the main one shares; the person's own files stay."""
    root = chain.top(cwd)
    main = chain.around(root)
    if not main:
        return found
    why, fix = f"{root} is a work tree of the same repository inside of it", f"commit it, so that {root} has it too"
    theirs = [imports.inside(main, f.path) and not imports.inside(root, f.path) for f in found]
    return [
        chain.unseen(f, "hidden", why, fix) if outer and os.path.basename(f.path) != "CLAUDE.local.md" else f
        for f, outer in zip(found, theirs, strict=True)
    ]


def _at(rules: str, folder: str) -> list[Loaded]:
    """Read what holds everywhere: one file and a directory of rules."""
    return chain.present([os.path.join(folder, "CLAUDE.md")], "global") + _rules(os.path.join(rules, "rules"), "global")


def _rules(directory: str, scope: str = "project") -> list[Loaded]:
    return [_scoped(f) for f in chain.rules(directory, (".md",), scope)]


def _scoped(found: Loaded) -> Loaded:
    said = text.front_matter(found.data)[0].get("paths", [])
    named = ",".join(glob for glob in said if not glob.startswith("{") and not glob.isdigit())
    globs = [glob.strip().removesuffix("/**") for glob in named.split(",")]
    if found.state != "loaded" or all(glob in ("", "**") for glob in globs):
        return found
    # what it imports is loaded all the same, so its text is kept until that is known
    return found._replace(state="scoped", why=f"it comes when a file that matches {named} is read")


def _step(step: str, user: str) -> list[Loaded]:
    """Read what one directory has: its files, its rules, what is only for this person."""
    inner = os.path.join(step, ".claude")
    claude = [os.path.join(step, "CLAUDE.md")]
    ruled = []
    if os.path.realpath(inner) != user:
        claude.append(os.path.join(inner, "CLAUDE.md"))
        ruled = _rules(os.path.join(inner, "rules"))
    agents = chain.present([os.path.join(step, "AGENTS.md"), os.path.join(inner, "AGENTS.md")])
    return chain.present(claude) + ruled + agents + chain.present([os.path.join(step, "CLAUDE.local.md")])


class _Said:
    """The settings in force; each file is read when something depends on it."""

    def __init__(self, spot: Spot) -> None:
        mine = os.path.join(spot.cwd, ".claude")
        self._files = (
            os.path.join(_folder(spot.user, spot.env), "settings.json"),
            os.path.join(mine, "settings.json"),
            os.path.join(mine, "settings.local.json"),
            os.path.join(_MANAGED, "managed-settings.json"),
        )
        self._read: list[dict[str, Any]] | None = None

    def values(self, *keys: str) -> list[tuple[Any, str]]:
        """List what the files say, the weakest first, with the file."""
        if self._read is None:
            self._read = [settings.read(path) for path in self._files]
        found = zip((settings.deep(read, *keys) for read in self._read), self._files, strict=True)
        return [(value, path) for value, path in found if value is not None]


def _excluded(found: list[Loaded], said: _Said) -> list[Loaded]:
    globs = [glob for value, _ in said.values("claudeMdExcludes") for glob in settings.strings(value)]
    if not globs:
        return found
    matches = chain.matcher(globs)
    why, fix = "claudeMdExcludes in the settings names it", "take it out of claudeMdExcludes"
    return [chain.unseen(f, "off", why, fix) if matches(f.path) else f for f in found]


def _without_agents(found: list[Loaded], said: _Said, cwd: str) -> list[Loaded]:
    """Switch AGENTS.md off where a setting or a CLAUDE.md with something in it does."""
    if not any(os.path.basename(file.path) == "AGENTS.md" for file in found):
        return found
    switched, where = [(True, ""), *said.values("enabledPlugins", _PLUGIN)][-1]
    state, why, fix = "off", f"enabledPlugins in {where} switches AGENTS.md off", f'set "{_PLUGIN}" to true there'
    switch = next((f for f in found if _switches(f)), None)
    if switched is not False and not switch:
        return found
    kept = []
    for file in found:
        if os.path.basename(file.path) == "AGENTS.md":
            if switched is not False and switch:
                state, why, fix = "hidden", f"{switch.path} is read instead", _drawn_in(file, switch, cwd)
            file = chain.unseen(file, state, why, fix)
        kept.append(file)
    return kept


def _drawn_in(file: Loaded, switch: Loaded, cwd: str) -> str:
    line = f"@{os.path.relpath(file.path, os.path.dirname(switch.path))}"
    asked = "" if imports.inside(cwd, file.path) else ", and approve external imports when Claude Code asks"
    return f"add the line {line} to {switch.path}{asked}"


def _switches(found: Loaded) -> bool:
    named = os.path.basename(found.path) in ("CLAUDE.md", "CLAUDE.local.md")
    return named and found.state == "loaded" and bool(text.without_comments(found.data).strip())


def _imports(spot: Spot, user: str) -> imports.Imports:
    return imports.Imports(imports.markdown_mentions, 4, _refused(spot, user), spot.user)


def _refused(spot: Spot, user: str) -> Callable[[str, Loaded], tuple[str, str]]:
    def refused(path: str, origin: Loaded) -> tuple[str, str]:
        suffix = os.path.splitext(path)[1][1:].lower()
        if suffix and f" {suffix} " not in _TEXT:
            return "its name is none of a text file", ""
        if origin.scope == "global" or imports.inside(spot.cwd, path) or _approved(spot):
            return "", ""
        why = f"it lies outside of {spot.cwd}, and such imports wait for the person's approval"
        return why, f"start the session in {os.path.dirname(path)}, or approve external imports when Claude Code asks"

    return refused


def _approved(spot: Spot) -> bool:
    state = os.path.join(spot.env.get("CLAUDE_CONFIG_DIR") or spot.user, ".claude.json")
    project = chain.top(spot.cwd) or spot.cwd
    return settings.deep(settings.read(state), "projects", project, "hasClaudeMdExternalIncludesApproved") is True


HOST = Host(
    name="claude-code",
    title="Claude Code",
    folder=_folder,
    global_file=under(_folder, "CLAUDE.md"),
    create_file=under(_folder, "rules", "improve.md"),
    skills=under(_folder, "skills"),
    sessions=(under(_folder, "projects"), under(_folder, "history.jsonl")),
    wiring=(
        Settings(
            under(_folder, "settings.json"),
            (
                Hook("session-start", "SessionStart", timeout=10),
                Hook("prompt", "UserPromptSubmit", timeout=5),
                Hook("stop", "Stop", timeout=5),
                Hook("session-end", "SessionEnd", timeout=10),
                Hook("pre-tool", "PreToolUse", timeout=5),
            ),
            bom=True,
        ),
    ),
    # Cursor runs Claude Code's hooks too
    dialect=Dialect(foreign=("CURSOR_VERSION",)),
    advised_lines=200,
    chain=_chain,
    own_file=".claude/rules/improve.md",
    limits=("In a folder it was not told to trust, a session in the terminal runs no hooks at all.",),
)
