"""Which instruction file a rule goes to, for every combination of hosts on a machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from improve import hosts

CLAUDE = {"CLAUDECODE": "1"}
CODEX = {"CODEX_THREAD_ID": "t"}


def put(root: Path, *names: str) -> None:
    """Make files, and directories for names that end in a slash."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_text("")


def chosen(user: Path, env: dict[str, str]) -> str:
    """Name the global file, relative to the home directory."""
    return hosts.global_choice(str(user), env).path.removeprefix(f"{user}/")


@pytest.mark.parametrize(
    ("there", "env", "file"),
    [
        ((".codex/AGENTS.md", ".claude/CLAUDE.md"), CLAUDE, ".claude/CLAUDE.md"),
        ((".codex/AGENTS.md", ".claude/CLAUDE.md"), CODEX, ".codex/AGENTS.md"),
        ((".codex/AGENTS.md", ".claude/CLAUDE.md"), {}, ".codex/AGENTS.md"),
        ((".codex/AGENTS.md", ".claude/"), CLAUDE, ".claude/rules/improve.md"),
        ((".codex/AGENTS.md", ".claude/rules/improve.md"), CLAUDE, ".claude/rules/improve.md"),
        ((".codex/", ".claude/rules/improve.md"), {}, ".claude/rules/improve.md"),
        ((".codex/AGENTS.md",), CLAUDE, ".codex/AGENTS.md"),
        ((".claude/CLAUDE.md", ".codex/AGENTS.override.md"), CODEX, ".codex/AGENTS.override.md"),
        ((".gemini/", ".claude/"), {}, ".claude/rules/improve.md"),
        ((), CLAUDE, ".config/opencode/AGENTS.md"),
    ],
)
def test_the_agent_at_work_loads_the_global_file(
    tmp_path: Path, there: tuple[str, ...], env: dict[str, str], file: str
) -> None:
    """The host a command runs in comes first, then a file that exists, then a host that has none yet."""
    put(tmp_path, *there)
    assert chosen(tmp_path, env) == file


def test_a_named_global_file_beats_the_running_host(tmp_path: Path) -> None:
    """AGENT_GLOBAL_AGENTS_MD is a person's word, and the reason says so."""
    put(tmp_path, ".claude/CLAUDE.md")
    choice = hosts.global_choice(str(tmp_path), {**CLAUDE, "AGENT_GLOBAL_AGENTS_MD": str(tmp_path / "mine.md")})
    assert choice == hosts.Choice(str(tmp_path / "mine.md"), "AGENT_GLOBAL_AGENTS_MD names it")


def test_the_reason_names_the_running_host(tmp_path: Path) -> None:
    """Whoever wonders why it is that file is told where the command runs."""
    put(tmp_path, ".claude/CLAUDE.md")
    assert hosts.global_choice(str(tmp_path), CLAUDE).why.startswith("this command runs in Claude Code; ")


def test_hosts_that_load_another_global_file_are_listed(tmp_path: Path) -> None:
    """Only hosts on this machine count, and two links to one file are one file."""
    put(tmp_path, ".codex/AGENTS.md", ".claude/CLAUDE.md", ".gemini/")
    path = str(tmp_path / ".claude/CLAUDE.md")
    assert hosts.not_loading(path, str(tmp_path), {}) == ("Codex CLI", "Gemini CLI")
    (tmp_path / ".codex/AGENTS.md").unlink()
    (tmp_path / ".codex/AGENTS.md").symlink_to(path)
    assert hosts.not_loading(path, str(tmp_path), {}) == ("Gemini CLI",)


def test_opencode_borrows_the_file_of_claude_code_until_it_has_its_own(tmp_path: Path) -> None:
    """OpenCode reads ~/.claude/CLAUDE.md only as long as it has no global AGENTS.md."""
    put(tmp_path, ".config/opencode/", ".claude/CLAUDE.md")
    path = str(tmp_path / ".claude/CLAUDE.md")
    assert hosts.not_loading(path, str(tmp_path), {}) == ()
    put(tmp_path, ".config/opencode/AGENTS.md")
    assert hosts.not_loading(path, str(tmp_path), {}) == ("OpenCode",)


@pytest.mark.parametrize(
    ("there", "file"),
    [
        (("AGENTS.md", "AGENTS.override.md"), "AGENTS.override.md"),
        (("CLAUDE.md", "AGENTS.md"), "AGENTS.md"),
        (("AGENTS.override.md/", "AGENTS.md"), "AGENTS.md"),
        ((".claude/CLAUDE.md",), ".claude/CLAUDE.md"),
        ((), "AGENTS.md"),
    ],
)
def test_a_project_has_one_file_of_its_own(tmp_path: Path, there: tuple[str, ...], file: str) -> None:
    """AGENTS.override.md hides AGENTS.md from Codex, even empty; a directory of that name hides nothing."""
    put(tmp_path, *there)
    assert hosts.project_choice(str(tmp_path), {}, here=True).path == str(tmp_path / file)
