"""The contract of each host: a row says what it loads and what we put into it, and the same test holds for all."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import pytest

from commands.conftest import Improve, Repository
from improve import hosts
from improve.hosts.base import Spot


class Contract(NamedTuple):
    """What is promised of one host; paths below the home directory begin with `~/`."""

    name: str
    folder: str = ""
    """Directory by which it is found on a machine."""
    loads: tuple[str, ...] = ("AGENTS.md",)
    """Files it loads when all of them are there, in its order."""
    wired: tuple[str, ...] = ()
    """Files that hold what calls us once it is installed."""
    inside: str = ""
    """Variable, or NAME=value, by which a command knows that it runs inside."""
    session: str = ""
    """Variable that holds the session's id there."""
    asks: bool = False
    """A person has to allow our hooks before it runs them."""


CONTRACTS = (
    Contract(
        "opencode",
        "~/.config/opencode",
        ("~/.config/opencode/AGENTS.md", "AGENTS.md"),
        ("~/.config/opencode/plugins/improve.js",),
        inside="OPENCODE",
        session="OPENCODE_SESSION_ID",
    ),
    Contract(
        "codex",
        "~/.codex",
        ("~/.codex/AGENTS.md", "AGENTS.md"),
        ("~/.codex/hooks.json",),
        inside="CODEX_THREAD_ID",
        session="CODEX_SESSION_ID",
        asks=True,
    ),
    Contract(
        "claude-code",
        "~/.claude",
        ("~/.claude/CLAUDE.md", "~/.claude/rules/improve.md", "CLAUDE.md", ".claude/rules/improve.md"),
        ("~/.claude/settings.json",),
        inside="CLAUDECODE",
        session="CLAUDE_CODE_SESSION_ID",
    ),
    Contract(
        "gemini", "~/.gemini", ("~/.gemini/GEMINI.md", "GEMINI.md"), ("~/.gemini/settings.json",), inside="GEMINI_CLI"
    ),
    Contract(
        "pi",
        "~/.pi/agent",
        ("~/.pi/agent/AGENTS.md", "AGENTS.md"),
        ("~/.pi/agent/extensions/improve.js",),
        inside="PI_CODING_AGENT",
        session="PI_SESSION_ID",
    ),
    Contract(
        "copilot",
        "~/.copilot",
        ("~/.copilot/copilot-instructions.md", ".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md"),
        ("~/.copilot/hooks/improve.json",),
        inside="COPILOT_CLI",
        session="COPILOT_AGENT_SESSION_ID",
    ),
    Contract(
        "qwen",
        "~/.qwen",
        ("~/.qwen/QWEN.md", "QWEN.md", "~/.qwen/AGENTS.md", "AGENTS.md"),
        ("~/.qwen/settings.json",),
        inside="QWEN_CODE",
        session="QWEN_CODE_SESSION_ID",
    ),
    Contract("cursor", "~/.cursor", ("AGENTS.md", "CLAUDE.md"), ("~/.cursor/hooks.json",), inside="CURSOR_AGENT"),
    Contract(
        "goose",
        "~/.config/goose",
        ("~/.config/goose/.goosehints", ".goosehints", "AGENTS.md"),
        ("~/.agents/plugins/improve/hooks/hooks.json",),
        inside="AGENT=goose",
    ),
    Contract(
        "amp",
        "~/.config/amp",
        ("~/.config/amp/AGENTS.md", "AGENTS.md"),
        ("~/.config/amp/plugins/improve.ts",),
        inside="AGENT=amp",
        session="AMP_CURRENT_THREAD_ID",
    ),
    Contract(
        "cline",
        "~/Documents/Cline",
        ("~/Documents/Cline/Rules/improve.md", "AGENTS.md"),
        ("~/Documents/Cline/Hooks/TaskStart", "~/Documents/Cline/Hooks/UserPromptSubmit"),
        inside="CLINE_ACTIVE",
    ),
    Contract("aider", loads=()),
    Contract("pydantic-deep", "~/.pydantic-deep", ("AGENTS.md", "CLAUDE.md")),
    Contract("generic"),
)
each = pytest.mark.parametrize("row", CONTRACTS, ids=[row.name for row in CONTRACTS])


def test_every_host_has_its_contract() -> None:
    """No host without a row, and the rows stand in the order of the table of hosts."""
    assert [row.name for row in CONTRACTS] == list(hosts.names())
    assert len({host.title for host in hosts.all_hosts()}) == len(CONTRACTS)


def place(path: str, home: Path, root: Path) -> Path:
    """Give a path of a row."""
    return home / path[2:] if path.startswith("~/") else root / path


@each
def test_it_loads_what_it_should(home: Path, repository: Repository, row: Contract) -> None:
    """The simulation sends exactly these files, in this order, each as it stands."""
    root = repository("shop")
    paths = [place(path, home, root) for path in row.loads]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"- Use {path}\n", encoding="utf-8")
    chain = hosts.host(row.name).chain
    assert chain
    found = [file for file in chain(Spot(str(root), str(root), str(home), {})) if file.state == "loaded"]
    assert [file.path for file in found] == list(map(str, paths))
    assert [file.data for file in found] == [path.read_bytes() for path in paths]


@each
def test_it_is_known_from_inside(row: Contract) -> None:
    """A command knows the host it runs in, and the session, by what is set there and by nothing else."""
    name, _, value = row.inside.partition("=")
    env = {name: value or "1"} if name else {}
    assert hosts.name_in(env) == (row.name if name else "")
    assert hosts.session_in({**env, row.session: "s1"} if row.session else env) == ("s1" if row.session else "")


@each
def test_installed_it_works_and_uninstalled_it_is_as_before(
    home: Path, improve: Improve, repository: Repository, row: Contract
) -> None:
    """Doctor finds nothing wrong with what install wrote, and uninstall leaves every byte of before and no other."""
    root = repository("shop")
    if row.folder:
        place(row.folder, home, root).mkdir(parents=True)
    if not hosts.host(row.name).wiring and not hosts.host(row.name).skills:
        assert "runs nothing of ours" in improve("install", row.name, "--yes", cwd=root, code=3).err
        return
    before = tree(home)
    improve("install", row.name, "--yes", cwd=root)
    assert [path for path in row.wired if not place(path, home, root).is_file()] == []
    (host,) = improve("doctor", "--host", row.name, "--json", cwd=root, code=5 if row.asks else 0).json["hosts"]
    assert {str(place(path, home, root)) for path in row.wired} <= {wired["file"] for wired in host["hooks"]}
    assert [(run["event"], run["trouble"]) for run in host["runs"] if run["trouble"]] == []
    assert bool(host["runs"]) == bool(row.wired)
    improve("uninstall", row.name, "--yes", cwd=root)
    assert tree(home) == before


def tree(home: Path) -> dict[str, str]:
    """Give all that stands in a home but the store and what is derived from it."""
    own = (".agent-improvement", ".cache", ".local")
    found = [path for path in home.rglob("*") if path.relative_to(home).parts[0] not in own]
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() if p.is_file() else "" for p in sorted(found)}
