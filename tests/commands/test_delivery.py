"""`doctor` says which rules reach a host in this directory, which do not, and what brings them there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commands.conftest import Improve
from commands.test_health import UV, host, install, shop

__all__ = ["install", "shop"]  # fixtures


def test_a_shadowed_file_is_told_with_its_remedy(
    home: Path, shop: Path, improve: Improve, install: Callable[..., None]
) -> None:
    """CLAUDE.md hides AGENTS.md from Claude Code: the rule comes by the hook, and without one not at all."""
    install("claude-code")
    (shop / "AGENTS.md").write_text("# shop\n")
    improve("observe", UV, "--session", "b")
    improve("escalate", "--apply")
    assert "ok     claude-code: 1 rule loaded from AGENTS.md; 4 hooks run" in improve("doctor").out
    (shop / "CLAUDE.md").write_text("# shop\n")
    said = improve("doctor", "--json")
    (rule,) = host(said, "claude-code")["rules"]
    assert (rule["by"], rule["path"]) == ("hook", str(shop / "AGENTS.md"))
    (told,) = host(said, "claude-code")["findings"]
    assert told["what"].startswith("1 rule in AGENTS.md does not load: ")
    assert told["what"].endswith("; its hook tells them")
    assert told["fix"]
    improve("off")
    assert "claude-code: none of 1 rule" in improve("doctor").out


def test_a_file_past_the_cap_is_told(home: Path, shop: Path, improve: Improve, install: Callable[..., None]) -> None:
    """Codex cuts project files after 32 KiB: a rule behind that does not arrive by the file."""
    install("codex")
    (shop / "AGENTS.md").write_text("# shop\n\n" + "- Say what you do and why.\n" * 1500)
    improve("observe", UV, "--session", "b")
    improve("escalate", "--apply")
    said = improve("doctor", "--json")
    (rule,) = host(said, "codex")["rules"]
    assert rule["by"] == "hook"
    assert "32,768" in rule["why"]


def test_more_than_a_session_can_be_told_is_said(
    shop: Path, rules: Path, improve: Improve, install: Callable[..., None]
) -> None:
    """Rules that no file says and that are too many for the hook are counted, and not called delivered."""
    install("claude-code")
    for number in range(40):
        improve("observe", f"Call part {number} by its name, {'w' * 180} {number}", "--session", "a", "--new")
    told = host(improve("doctor", "--json"), "claude-code")
    by_hook = sum(rule["by"] == "hook" for rule in told["rules"])
    assert 20 < by_hook < 41
    (found,) = told["findings"]
    assert found["what"] == f"{41 - by_hook} rules do not fit into the 8,000 characters a session is told"


def test_a_long_file_is_told(home: Path, shop: Path, improve: Improve, install: Callable[..., None]) -> None:
    """Longer than the makers of the host advise."""
    install("claude-code")
    (shop / "CLAUDE.md").write_text("- Say what you do\n" * 201)
    assert "CLAUDE.md has 201 lines; Claude Code advises fewer than 200\n           → move " in improve("doctor").out
    (shop / "CLAUDE.md").write_text("- Say what you do\n" * 199)
    assert "advises" not in improve("doctor").out


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# shop\n\n- Use \u202epip\n", "line 3: an invisible or bidi formatting character (U+202E) at column 7"),
        ("- Use p\u0430ckages\n", "line 1: "),
        ("\ufeff- Use uv 👨‍👩‍👧, naïve\n- می‌خواهم\n", ""),
        ("- Пиши тесты на JSON\n", ""),
    ],
)
def test_hidden_characters_are_reported(
    home: Path, shop: Path, improve: Improve, install: Callable[..., None], text: str, line: str
) -> None:
    """What an agent reads and a person does not see is reported; emoji, marks and other scripts are none of that."""
    install("codex")
    (shop / "AGENTS.md").write_text(text, encoding="utf-8")
    notes = [row for row in improve("doctor").out.splitlines() if row.startswith("note   ") and "shop" in row]
    assert len(notes) == bool(line)
    assert all(line in note for note in notes)


def test_a_directory_that_is_gone_stops_nothing(
    shop: Path, improve: Improve, install: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session may go on in a directory that somebody deleted."""
    install("claude-code", "qwen")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    said = improve("doctor").out
    assert "ok     claude-code: " in said
    assert "ok     qwen: " in said
