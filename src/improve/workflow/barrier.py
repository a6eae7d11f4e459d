"""What in a host's own settings keeps our hooks from running here, and how a person takes it away.

An entry in a settings file is a wish: the host may have hooks switched off, or may wait until somebody trusts them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from improve import files, jsontext
from improve.errors import ImproveError
from improve.hosts.base import Host
from improve.hosts.settings import deep, read, strings
from improve.hosts.wiring import Settings
from improve.workflow import entries
from improve.workflow.here import Here


class Barrier(NamedTuple):
    """One thing that stands between a host and our hooks."""

    closed: bool
    """No hook of ours runs; else it is only something to know."""
    what: str
    fix: str


def barriers(here: Here, host: Host) -> list[Barrier]:
    """List what keeps a host from running the hooks in its settings, worst first."""
    folder = host.folder(here.home.user, here.env) if host.folder else ""
    check = _CHECKS.get(host.name)
    found = [*_unreadable(here, host), *(check(here, folder) if check else ())]
    return sorted(found, key=lambda barrier: not barrier.closed)


def _unreadable(here: Here, host: Host) -> Iterator[Barrier]:
    """Name settings that the host cannot parse: it then ignores all of them."""
    for part in host.wiring:
        if isinstance(part, Settings):
            path = part.file(here.home.user, here.env)
            try:
                seen = files.read(path, cap=jsontext.CAP + 1)
                if seen.data:
                    jsontext.parse(jsontext.decode(seen.data, bom=part.bom), comments=part.comments)
            except (ImproveError, jsontext.Unfit) as error:
                yield Barrier(
                    True,
                    f"{here.short(path)} cannot be read: {error}",
                    f"correct it, then run: improve install {host.name}",
                )


def _off(here: Here, path: str, *keys: str, means: Any) -> Iterator[Barrier]:
    """Report a switch in a JSON settings file."""
    if deep(read(path), *keys) is means:
        said = ".".join(keys)
        yield Barrier(
            True, f"{here.short(path)} switches all hooks off ({said})", f"take {said} out of {here.short(path)}"
        )


def _linked(here: Here, path: str) -> Iterator[Barrier]:
    """Tell of settings behind a symbolic link: Claude Code was seen to ignore deny rules in them."""
    if os.path.islink(path) and deep(read(path), "permissions", "deny"):
        yield Barrier(
            False,
            f"{here.short(path)} is a link, and versions of Claude Code ignored the deny rules of linked settings",
            "try one of them out, or put a copy in the place of the link",
        )


def _project(here: Here, *parts: str) -> list[str]:
    """Name a settings file of the project, in its root and in the directory of the session."""
    roots = dict.fromkeys(filter(None, (here.project.root if here.project else "", here.cwd)))
    return [os.path.join(root, *parts) for root in roots]


# --- Claude Code: https://code.claude.com/docs/en/settings ---


def _claude_code(here: Here, folder: str) -> Iterator[Barrier]:
    managed = _managed()
    yield from _linked(here, os.path.join(folder, "settings.json"))
    local = [*_project(here, ".claude", "settings.json"), *_project(here, ".claude", "settings.local.json")]
    for path in dict.fromkeys((os.path.join(folder, "settings.json"), *local, managed)):
        yield from _off(here, path, "disableAllHooks", means=True)
    if read(managed).get("allowManagedHooksOnly") is True:
        yield Barrier(
            True, f"{managed} allows no hooks but its own (allowManagedHooksOnly)", f"ask whoever manages {managed}"
        )
    if not _trusted_by_claude_code(here, folder):
        yield Barrier(
            False,
            "Claude Code does not trust this directory yet, and runs no hooks in it until then",
            "start claude here once and say that you trust it",
        )


def _managed() -> str:
    if sys.platform == "darwin":
        return "/Library/Application Support/ClaudeCode/managed-settings.json"
    if sys.platform == "win32":
        return r"C:\Program Files\ClaudeCode\managed-settings.json"
    return "/etc/claude-code/managed-settings.json"


def _trusted_by_claude_code(here: Here, folder: str) -> bool:
    """Look whether this directory or one above was trusted; no record at all says nothing."""
    named = here.env.get("CLAUDE_CONFIG_DIR")
    path = os.path.join(folder, ".claude.json") if named else os.path.join(here.home.user, ".claude.json")
    known = read(path).get("projects")
    if not isinstance(known, dict) or not here.cwd:
        return True
    return any(deep(known, step, "hasTrustDialogAccepted") is True for step in _above(here.cwd))


def _above(cwd: str) -> Iterator[str]:
    while True:
        yield cwd
        if os.path.dirname(cwd) == cwd:
            return
        cwd = os.path.dirname(cwd)


# --- Codex CLI: https://developers.openai.com/codex/hooks ---


def _codex(here: Here, folder: str) -> Iterator[Barrier]:
    import tomllib

    path = os.path.join(folder, "config.toml")
    shown = here.short(path)
    try:
        said = tomllib.loads(files.read(path, cap=jsontext.CAP).data.decode("utf-8"))
    except (ImproveError, ValueError, RecursionError) as error:
        yield Barrier(True, f"{shown} cannot be read: {error}", f"correct {shown}")
        return
    for key in ("hooks", "codex_hooks"):
        if deep(said, "features", key) is False:
            yield Barrier(
                True, f"{shown} switches all hooks off (features.{key})", f"take {key} = false out of {shown}"
            )
    yield from _not_trusted(os.path.join(folder, "hooks.json"), deep(said, "hooks", "state"))
    inline = sorted(key for key in said.get("hooks") or () if key != "state")
    if inline:
        yield Barrier(
            False,
            f"{shown} has hooks too ({', '.join(inline)}); Codex runs both, and warns of it",
            f"keep them in one place: move those of {shown} into hooks.json, behind the ones there",
        )


def _not_trusted(path: str, state: Any) -> Iterator[Barrier]:
    """Find hooks of ours that nobody has trusted, or that were switched off; the hash is Codex's affair."""
    missing, off = [], []
    for entry in entries.find(read(path)):
        group, handler = entry.path[2], entry.path[4] if len(entry.path) > 5 else 0
        key = f"{_snake(entry.theirs)}:{group}:{handler}"
        known = [deep(state, f"{name}:{key}") for name in dict.fromkeys((path, os.path.realpath(path)))]
        if any(deep(each, "enabled") is False for each in known):
            off.append(entry.theirs)
        elif not any(deep(each, "trusted_hash") for each in known):
            missing.append(entry.theirs)
    if missing:
        what = f"Codex skips hooks that nobody has trusted yet, without a word: {', '.join(missing)}"
        yield Barrier(True, what, "start codex once and choose Trust all")
    if off:
        yield Barrier(True, f"switched off in Codex: {', '.join(off)}", "switch them on in codex with /hooks")


def _snake(name: str) -> str:
    """Write `UserPromptSubmit` as `user_prompt_submit`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


# --- Gemini CLI: https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md ---


def _gemini(here: Here, folder: str) -> Iterator[Barrier]:
    own = os.path.join(folder, "settings.json")
    for path in (own, *_project(here, ".gemini", "settings.json")):
        yield from _off(here, path, "hooksConfig", "enabled", means=False)
        if "improve" in strings(deep(read(path), "hooksConfig", "disabled")):
            yield Barrier(
                True,
                f"{here.short(path)} switches our hooks off (hooksConfig.disabled)",
                f"take improve out of hooksConfig.disabled in {here.short(path)}",
            )
    if deep(read(own), "security", "folderTrust", "enabled") is not False and not _trusted_by_gemini(here, folder):
        yield Barrier(
            False,
            "Gemini CLI does not trust this directory yet: it asks when it is started here, and stops with -p",
            "start gemini here once and say that you trust it",
        )


def _trusted_by_gemini(here: Here, folder: str) -> bool:
    if here.env.get("GEMINI_CLI_TRUST_WORKSPACE") == "true":
        return True
    path = here.env.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH") or os.path.join(folder, "trustedFolders.json")
    known = read(path)
    for step in _above(here.cwd) if here.cwd else ():
        if known.get(step) == "DO_NOT_TRUST":
            return False
        if known.get(step) == "TRUST_FOLDER":
            return True
    return any(os.path.dirname(name) in _above(here.cwd) for name, how in known.items() if how == "TRUST_PARENT")


# --- OpenCode: seen in version 1.18 ---


def _opencode(here: Here, _: str) -> Iterator[Barrier]:
    if here.env.get("OPENCODE_PURE", "").lower() not in ("", "0", "false"):
        yield Barrier(True, "OPENCODE_PURE is set here, so OpenCode loads no plugins", "unset OPENCODE_PURE")


# --- Qwen Code: https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/ ---


def _qwen(here: Here, folder: str) -> Iterator[Barrier]:
    for path in (os.path.join(folder, "settings.json"), *_project(here, ".qwen", "settings.json")):
        yield from _off(here, path, "disableAllHooks", means=True)


_CHECKS: dict[str, Callable[[Here, str], Iterator[Barrier]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
    "qwen": _qwen,
}
