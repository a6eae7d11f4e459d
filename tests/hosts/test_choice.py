"""The project's file that a rule goes to: one the agent at work loads, and a new one only where it hides nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from improve import hosts

CLAUDE, CODEX, GEMINI = {"CLAUDECODE": "1"}, {"CODEX_THREAD_ID": "t"}, {"GEMINI_CLI": "1"}
OPENCODE, QWEN, PI = {"OPENCODE": "1"}, {"QWEN_CODE": "1"}, {"PI_CODING_AGENT": "true"}


def chosen(tmp_path: Path, env: dict[str, str], *there: str) -> str:
    """Name the file that is chosen in a repository that has these."""
    root = tmp_path / "app"
    (root / ".git").mkdir(parents=True)
    for name in there:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("- a rule\n")
    return hosts.project_choice(str(root), env, here=True).path.removeprefix(f"{root}/")


@pytest.mark.parametrize(
    ("env", "there", "file"),
    [
        ({}, ("AGENTS.md", "CLAUDE.md"), "AGENTS.md"),
        (CLAUDE, ("AGENTS.md", "CLAUDE.md"), "CLAUDE.md"),
        (CLAUDE, ("AGENTS.md", ".claude/CLAUDE.md"), ".claude/CLAUDE.md"),
        (CLAUDE, ("AGENTS.md", "AGENTS.override.md"), "AGENTS.md"),
        (CODEX, ("AGENTS.md", "AGENTS.override.md"), "AGENTS.override.md"),
        (CODEX, ("AGENTS.md", "CLAUDE.md"), "AGENTS.md"),
        (GEMINI, ("AGENTS.md", "GEMINI.md"), "GEMINI.md"),
        (OPENCODE, ("CONTEXT.md",), "CONTEXT.md"),
        (QWEN, ("QWEN.md",), "QWEN.md"),
        (QWEN, ("QWEN.md", "AGENTS.md"), "AGENTS.md"),
        (PI, ("CLAUDE.md",), "CLAUDE.md"),
        # what others would not get is never chosen, nor what only some files bring
        (CLAUDE, ("AGENTS.md", ".claude/rules/a.md"), "AGENTS.md"),
        # the host loads none of them: the file of the project stays the one
        (GEMINI, ("AGENTS.md",), "AGENTS.md"),
        (CODEX, ("CLAUDE.md",), "CLAUDE.md"),
    ],
)
def test_a_file_that_the_agent_loads_comes_first(
    tmp_path: Path, env: dict[str, str], there: tuple[str, ...], file: str
) -> None:
    """Of several files the one at work's own chain decides; without a host the usual order."""
    assert chosen(tmp_path, env, *there) == file


@pytest.mark.parametrize(
    ("env", "file"),
    [
        ({}, "AGENTS.md"),
        (CLAUDE, "AGENTS.md"),
        (CODEX, "AGENTS.md"),
        (OPENCODE, "AGENTS.md"),
        (QWEN, "AGENTS.md"),
        (PI, "AGENTS.md"),
        (GEMINI, "GEMINI.md"),
    ],
)
def test_a_new_file_is_one_that_is_loaded(tmp_path: Path, env: dict[str, str], file: str) -> None:
    """In a project without any, the usual name is created where the host loads it."""
    assert chosen(tmp_path, env) == file


def test_a_new_file_that_another_would_hide_is_not_made(tmp_path: Path) -> None:
    """A CLAUDE.md above the repository hides AGENTS.md from Claude Code, so the rule gets a file of its own."""
    (tmp_path / "CLAUDE.md").write_text("- a rule\n")
    assert chosen(tmp_path, CLAUDE) == ".claude/rules/improve.md"


def test_a_personal_file_is_no_file_of_the_project(tmp_path: Path) -> None:
    """CLAUDE.local.md is one person's, and hides AGENTS.md; a rule of the project goes beside it."""
    assert chosen(tmp_path, CLAUDE, "CLAUDE.local.md") == ".claude/rules/improve.md"


def test_a_switched_off_agents_md_is_not_made(tmp_path: Path, home: Path) -> None:
    """Where a setting switches AGENTS.md off, Claude Code's own place is used."""
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"enabledPlugins": {"cc-plugin-agents-md@builtin": false}}')
    assert chosen(tmp_path, CLAUDE) == ".claude/rules/improve.md"
