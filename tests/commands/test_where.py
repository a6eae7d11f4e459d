"""`where`: which file each decision writes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.conftest import Improve, Repository


def put_codex_and_claude(home: Path) -> None:
    """Give both hosts a global file of their own."""
    for name in (".codex/AGENTS.md", ".claude/CLAUDE.md"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text("# Mine\n")


def test_where_names_the_hosts_that_load_another_global_file(
    improve: Improve, repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Claude Code its own file is the target, and Codex, which is there too, is named as not loading it."""
    put_codex_and_claude(home)
    monkeypatch.setenv("CLAUDECODE", "1")
    said = improve("where", cwd=repository("shop"))
    assert "global   ~/.claude/CLAUDE.md (this command runs in Claude Code; " in said.out
    assert "\n         not loaded by: Codex CLI\n" in said.out
    assert improve("where", "--json").json["global"]["not_loaded_by"] == ["Codex CLI"]


def test_a_global_rule_is_written_once_for_the_agent_at_work(
    improve: Improve, repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule stands in the file Claude Code loads; a later run elsewhere does not scatter it over others."""
    put_codex_and_claude(home)
    monkeypatch.setenv("CLAUDECODE", "1")
    improve("observe", "Use uv, never pip install", "--explicit-scope", "global", cwd=repository("shop"))
    improve("escalate", "--apply")
    monkeypatch.delenv("CLAUDECODE")
    improve("escalate", "--apply")
    assert "- Use uv" in (home / ".claude/CLAUDE.md").read_text()
    assert (home / ".codex/AGENTS.md").read_text() == "# Mine\n"


def test_a_project_with_an_override_file_is_written_there(improve: Improve, repository: Repository) -> None:
    """Codex reads AGENTS.override.md instead of AGENTS.md, so the rule goes there."""
    shop = repository("shop", agents="# Shop\n")
    (shop / "AGENTS.override.md").write_text("# Mine\n")
    improve("observe", "Use pnpm, never npm install", "--explicit-scope", "local", cwd=shop)
    improve("observe", "Use pnpm, never npm install", cwd=shop)
    improve("escalate", "--apply")
    assert "- Use pnpm" in (shop / "AGENTS.override.md").read_text()
    assert (shop / "AGENTS.md").read_text() == "# Shop\n"
    assert "Codex reads it instead of AGENTS.md" in improve("where").out
