"""What docs/hosts.md says of every host, made from its row of facts and from its simulation in a throw-away home."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import parts

from improve import hosts
from improve.hosts.base import Host, Loaded, Spot
from improve.hosts.wiring import TOOL_EVENTS, Settings, called

EVENTS = ("session-start", "prompt", "stop", "session-end")
PROJECT_FILES = (
    "AGENTS.override.md",
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "CONTEXT.md",
    "CONVENTIONS.md",
    "GEMINI.md",
    "QWEN.md",
    "SOUL.md",
    ".goosehints",
    ".goosehints.local",
    ".cursorrules",
    ".clinerules/one.md",
    ".claude/CLAUDE.md",
    ".claude/rules/one.md",
    ".cursor/rules/one.mdc",
    ".github/copilot-instructions.md",
    ".github/instructions/one.instructions.md",
    ".qwen/QWEN.local.md",
    ".qwen/rules/one.md",
)
"""Whatever any host might load from a project."""
GLOBAL_FILES = (
    ".agents/AGENTS.md",
    ".claude/CLAUDE.md",
    ".claude/rules/one.md",
    ".codex/AGENTS.md",
    ".codex/AGENTS.override.md",
    ".config/agents/AGENTS.md",
    ".config/amp/AGENTS.md",
    ".config/AGENTS.md",
    ".config/goose/.goosehints",
    ".config/goose/AGENTS.md",
    ".config/opencode/AGENTS.md",
    ".copilot/copilot-instructions.md",
    ".copilot/instructions/one.instructions.md",
    ".gemini/GEMINI.md",
    ".pi/agent/AGENTS.md",
    ".pi/agent/AGENTS.override.md",
    ".pi/agent/CLAUDE.md",
    ".qwen/AGENTS.md",
    ".qwen/QWEN.md",
    ".qwen/rules/one.md",
    "Documents/Cline/Rules/one.md",
)
"""Whatever any host might load from a home directory."""


def capture() -> str:
    """Say what each host tells us, and how rules get to it."""
    rows = []
    for host in hosts.all_hosts():
        events = told(host)
        session = next(row.session_variable for row in hosts.ROWS if row.name == host.name)
        rows.append(
            (
                f"{host.title} (`{host.name}`)",
                "yes" if "prompt" in events else "no",
                {(): "no", ("stop",): "pauses only"}.get(tuple(e for e in events if e in EVENTS[2:4]), "yes"),
                delivery(host, events),
                f"`{session}`" if session else "by its processes" if events else "not told",
            )
        )
    return parts.table(("host", "prompts noticed", "ends noticed", "rules delivered", "session id"), rows)


def told(host: Host) -> tuple[str, ...]:
    """List our events that what we install for a host reports."""
    found = set[str]()
    for part in host.wiring:
        if isinstance(part, Settings):
            found |= {hook.event for hook in part.hooks}
        else:
            made = (part.guarding or part.make)("/improve-hook")
            lines = re.findall(r"(?m)(\[ -x .*? \|\| true)", made)
            found |= {event for line in lines if (parsed := called(line)) for event in parsed[2:]}
            found |= {event for event in (*EVENTS, *TOOL_EVENTS) if not lines and f'"{event}"' in made}
    return tuple(event for event in (*EVENTS, *TOOL_EVENTS) if event in found)


def guarding() -> str:
    """Say what a guard does in each host, and how it is put there."""
    rows = []
    for host in hosts.all_hosts():
        asked, by_plugin = "pre-tool" in told(host), host.dialect.answer == "text"
        late = by_plugin or bool(host.dialect.warn_event)
        warns = "with what came of the call" if late else "before the call"
        rows.append(
            (
                f"{host.title} (`{host.name}`)",
                "yes" if asked and host.dialect.denies != "none" else "no",
                warns if asked and host.dialect.warns != "none" else "no",
                ("in the plugin" if by_plugin else "a hook, while a guard is on") if asked else "nothing",
            )
        )
    return parts.table(("host", "a guard denies", "a guard warns", "by"), rows)


def delivery(host: Host, events: tuple[str, ...]) -> str:
    """Say when and how the rules are put before the model."""
    if not events or any("is thrown away" in limit for limit in host.limits):
        return "from files only"
    if host.dialect.briefs_with_prompt:
        return "with the first prompt"
    plugin, keeps = host.dialect.answer == "text", host.dialect.keeps_context
    if plugin and not keeps:
        return "in the system prompt, by a plugin"
    return f"at the start, by a {'plugin' if plugin else 'hook'}{'' if keeps else ', again when it is resumed'}"


def files() -> str:
    """Say which files each host loads, which it is given, and how large they may be."""
    rows = [(host.title, *loaded(host), skill(host), size(host)) for host in hosts.all_hosts() if host.chain]
    return parts.table(("host", "everywhere", "in a project", "skill", "limit"), rows)


def loaded(host: Host) -> tuple[str, str]:
    """Let a host's simulation read a home and a project that have everything, and tell what it takes, in its order."""
    with tempfile.TemporaryDirectory() as base:
        user, root = Path(base, "home"), Path(base, "project")
        for folder, names in ((user, GLOBAL_FILES), (root, PROJECT_FILES)):
            for name in names:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(f"- {folder.name} {name}\n", encoding="utf-8")
        (root / ".git").mkdir()
        assert host.chain
        found = host.chain(Spot(str(root), str(root), str(user), {}))
        return _listed(found, str(user), "~/"), _listed(found, str(root), "")


def _listed(found: Iterable[Loaded], folder: str, start: str) -> str:
    """Name files in order; one that another hides stands in brackets."""
    said = []
    for file in found:
        inside = os.path.relpath(file.path, folder)
        if file.state == "off" or inside.startswith(".."):
            continue
        name = f"`{start}{re.sub(r'one(?=[.])', '*', inside)}`"
        said.append(f"({name})" if file.state == "hidden" else name)
    return ", ".join(dict.fromkeys(said)) or "none"


def skill(host: Host) -> str:
    """Name the place of the skill."""
    return f"`{shown(host.skills)}/improve/`" if host.skills else "none"


def size(host: Host) -> str:
    """Name a limit that the host sets, found by giving it a file that is far too long, or that it advises."""
    with tempfile.TemporaryDirectory() as base:
        root = Path(base, "project")
        (root / ".git").mkdir(parents=True)
        for name in (host.project_file, "AGENTS.md", ".goosehints"):
            (root / name).write_bytes(b"- Use uv, never pip, and say so.\n" * (1 << 13))
        assert host.chain
        found = host.chain(Spot(str(root), str(root), base, {}))
    cut = next((f"cut after {len(file.data):,} bytes" for file in found if file.state == "cut"), "")
    advised = f"{host.advised_lines} lines advised" if host.advised_lines else ""
    return ", ".join(filter(None, (cut, advised)))


def shown(locate: Callable[[str, dict[str, str]], str]) -> str:
    """Write a path as a person would."""
    return locate("~", {})


def limits() -> str:
    """List what does not work with each host."""
    return "\n".join(f"- {host.title}: {' '.join(host.limits)}" for host in hosts.all_hosts() if host.limits)


def removal() -> str:
    """Say for each host what to take out of which file."""
    rows = []
    for host in hosts.all_hosts():
        for part in host.wiring:
            what = "the file, unless it is your own" if getattr(part, "optional", False) else "the file"
            what = "the entries whose command names `improve-hook`" if isinstance(part, Settings) else what
            rows.append((host.title, f"`{shown(part.file)}`", what))
    places = dict.fromkeys(skill(host) for host in hosts.all_hosts() if host.skills)
    rows += [("the skill", place, "the directory") for place in places]
    return parts.table(("what", "where", "remove"), rows)


PARTS: dict[str, Callable[[], str]] = {
    "host-capture": capture,
    "host-files": files,
    "host-guards": guarding,
    "host-limits": limits,
    "host-removal": removal,
}
