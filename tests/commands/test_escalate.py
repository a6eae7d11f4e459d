"""due, escalate, confirm, undo: on real repositories and real files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository

PNPM = "Use pnpm, never npm install"
ID = "use-pnpm-never-npm-install"


def twice(improve: Improve, root: Path, text: str = PNPM, *more: str) -> None:
    """Record a rule on two occasions in one project."""
    improve("observe", text, *more, cwd=root)
    improve("observe", text, *more, cwd=root)


def test_applying_twice_equals_once_and_undo_restores_the_bytes(improve: Improve, repository: Repository) -> None:
    """The second run writes nothing; undo gives back the file as it was, missing last newline and CRLF included."""
    for number, text in enumerate(
        ["# A\r\n\r\ntext\r\n", "no newline at the end", "\ufeff# bom\n\n- x\n", "a\n\n\n", ""]
    ):
        root = repository(f"r{number}", agents=text)
        twice(improve, root, f"{PNPM} in place {number}")
        improve("escalate", "--apply")
        once = (root / "AGENTS.md").read_bytes()
        assert once != text.encode()
        improve("escalate", "--apply")
        assert (root / "AGENTS.md").read_bytes() == once
        improve("undo")
        assert (root / "AGENTS.md").read_bytes() == text.encode()


def test_a_file_that_was_created_is_gone_after_undo(improve: Improve, repository: Repository) -> None:
    """Undo of a created AGENTS.md removes it."""
    root = repository("shop")
    twice(improve, root)
    improve("escalate", "--apply")
    assert (root / "AGENTS.md").exists()
    improve("undo")
    assert not (root / "AGENTS.md").exists()


def test_undo_keeps_what_a_person_wrote_since(improve: Improve, repository: Repository) -> None:
    """Only our own line goes; a later edit elsewhere in the file stays."""
    root = repository("shop", agents="# Shop\n\nIntro.\n")
    twice(improve, root)
    improve("escalate", "--apply")
    file = root / "AGENTS.md"
    file.write_text(file.read_text().replace("Intro.", "A better intro."))
    improve("undo")
    assert file.read_text() == "# Shop\n\nA better intro.\n"


def test_undo_refuses_when_our_line_was_changed(improve: Improve, repository: Repository) -> None:
    """A line a person reworded is theirs: exit 3, nothing changed."""
    root = repository("shop", agents="# Shop\n")
    twice(improve, root)
    improve("escalate", "--apply")
    file = root / "AGENTS.md"
    file.write_text(file.read_text().replace("never npm", "not npm"))
    before = file.read_bytes()
    improve("undo", code=3)
    assert file.read_bytes() == before


def test_an_undone_rule_waits_for_new_evidence(improve: Improve, repository: Repository) -> None:
    """The agent's next `escalate --apply` does not fight the person; a new occasion, or the id, brings it back."""
    root = repository("shop")
    twice(improve, root)
    improve("escalate", "--apply")
    assert "set aside" in improve("undo").out
    improve("escalate", "--apply")
    assert not (root / "AGENTS.md").exists()
    improve("observe", PNPM)
    improve("escalate", "--apply")
    assert PNPM in (root / "AGENTS.md").read_text()


def test_an_undone_promotion_leaves_the_line_in_the_project(
    improve: Improve, repository: Repository, opencode: Path
) -> None:
    """The project's line goes once the global one stands; while a person does not want that one, it stays."""
    shop, other = repository("shop"), repository("api")
    twice(improve, shop, PNPM, "--domain", "tool-usage")
    improve("escalate", "--apply")
    improve("observe", PNPM, cwd=other)
    improve("escalate", "--apply")
    assert not (shop / "AGENTS.md").exists() or PNPM not in (shop / "AGENTS.md").read_text()
    improve("undo")
    improve("escalate", "--apply")
    assert PNPM in (shop / "AGENTS.md").read_text()
    assert not opencode.exists()


def test_undo_again_takes_back_the_change_set_before(improve: Improve, repository: Repository) -> None:
    """Each undo goes one step further; with nothing left it is refused."""
    root = repository("shop")
    twice(improve, root)
    improve("set", ID, "--severity", "4")
    improve("set", ID, "--domain", "testing")
    improve("undo")
    improve("undo")
    told = improve("history", ID, "--json").json
    assert (told["severity"], told["domain"]) == (None, "unknown")
    improve("undo", code=3)


def test_undo_of_a_merge_keeps_evidence_that_came_later(improve: Improve) -> None:
    """Both rules are back; the observation made after the merge stays with the rule it was counted for."""
    improve("observe", "Paint the shed green", "--project", "a")
    improve("observe", "Water the roses weekly", "--project", "a")
    improve("merge", "paint-the-shed-green", "water-the-roses-weekly")
    improve("observe", "Paint the shed green", "--project", "b")
    improve("undo")
    assert improve("history", "paint-the-shed-green", "--json").json["count"] == 2
    assert improve("history", "water-the-roses-weekly", "--json").json["count"] == 1


def test_split_gives_a_wording_its_own_observations_back(improve: Improve) -> None:
    """Merged and split again, both rules have the counts they had."""
    improve("observe", "Paint the shed green", "--project", "a")
    for _ in range(2):
        improve("observe", "Water the roses weekly", "--project", "a")
    improve("merge", "paint-the-shed-green", "water-the-roses-weekly")
    assert improve("history", "paint-the-shed-green", "--json").json["count"] == 3
    improve("split", "paint-the-shed-green", "Water the roses weekly")
    assert improve("history", "paint-the-shed-green", "--json").json["count"] == 1
    assert improve("history", "water-the-roses-weekly", "--json").json["count"] == 2


def test_a_reworded_line_is_adopted(improve: Improve, repository: Repository) -> None:
    """Their wording becomes the rule's text, ours an alias; nothing is added again."""
    root = repository("shop", agents="# Shop\n")
    twice(improve, root, PNPM, "--domain", "tool-usage")
    improve("escalate", "--apply")
    file = root / "AGENTS.md"
    file.write_text(file.read_text().replace(PNPM, "Always use pnpm, never npm install"))
    before = file.read_bytes()
    assert "their wording wins" in improve("escalate", "--apply").out
    assert file.read_bytes() == before
    told = improve("history", ID, "--json").json
    assert told["rule"] == "Always use pnpm, never npm install"
    assert PNPM in told["aliases"]


def test_a_deleted_line_is_a_rejection(improve: Improve, repository: Repository) -> None:
    """It is said, not written again, and comes back only with a new occasion."""
    root = repository("shop", agents="# Shop\n")
    twice(improve, root)
    improve("escalate", "--apply")
    (root / "AGENTS.md").write_text("# Shop\n")
    assert "somebody deleted the line" in improve("escalate", "--apply").out
    improve("escalate", "--apply")
    assert (root / "AGENTS.md").read_text() == "# Shop\n"
    improve("observe", PNPM)
    improve("escalate", "--apply")
    assert PNPM in (root / "AGENTS.md").read_text()


def test_a_line_missing_on_another_branch_is_no_rejection(improve: Improve, repository: Repository) -> None:
    """Switching to a branch without the line changes nothing in the store."""
    root = repository("shop", agents="# Shop\n")
    git = lambda *a: subprocess.run(["git", "-C", str(root), *a], check=True, capture_output=True)  # noqa: E731
    git("add", "."), git("commit", "-qm", "start"), git("checkout", "-qb", "feature")
    twice(improve, root)
    improve("escalate", "--apply")
    git("commit", "-qam", "rule"), git("checkout", "-q", "main")
    assert PNPM not in (root / "AGENTS.md").read_text()
    assert "Nothing is due." in improve("escalate", "--apply").out
    assert improve("history", ID, "--json").json["confirmed"] is True


def test_a_rule_in_the_global_file_is_not_repeated_in_the_project(
    improve: Improve, repository: Repository, opencode: Path
) -> None:
    """What a host loads above the project's file counts as written."""
    opencode.write_text(f"# Mine\n\n- {PNPM}\n", encoding="utf-8")
    root = repository("shop")
    twice(improve, root)
    assert "stands there already" in improve("escalate", "--apply").out
    assert not (root / "AGENTS.md").exists()


def test_a_project_without_a_directory_is_reported(improve: Improve, repository: Repository, tmp_path: Path) -> None:
    """It is named with what to do, and the other project is written all the same."""
    shop = repository("shop")
    api = "Return problem+json from every endpoint"
    improve("observe", api, "--domain", "api-design", cwd=shop)
    improve("observe", api, "--project", "elsewhere")
    said = improve("escalate", "--apply", cwd=tmp_path).out
    assert "elsewhere has no directory on this machine" in said
    assert api in (shop / "AGENTS.md").read_text()


def test_an_existing_claude_md_is_the_target_where_there_is_no_agents_md(
    improve: Improve, repository: Repository
) -> None:
    """The file the host loads already is written; no second one is made beside it."""
    root = repository("shop")
    (root / "CLAUDE.md").write_text("# Shop\n")
    twice(improve, root)
    improve("escalate", "--apply")
    assert PNPM in (root / "CLAUDE.md").read_text()
    assert not (root / "AGENTS.md").exists()


def test_a_link_between_two_names_is_written_once_and_stays_a_link(improve: Improve, repository: Repository) -> None:
    """AGENTS.md -> CLAUDE.md: the text goes through the link, one time."""
    root = repository("shop")
    (root / "CLAUDE.md").write_text("# Shop\n")
    (root / "AGENTS.md").symlink_to("CLAUDE.md")
    twice(improve, root)
    improve("escalate", "--apply")
    assert (root / "AGENTS.md").is_symlink()
    assert (root / "CLAUDE.md").read_text().count(PNPM) == 1


def test_a_projects_link_that_leaves_the_project_is_refused(
    improve: Improve, repository: Repository, home: Path
) -> None:
    """A hostile AGENTS.md -> ~/.bashrc is shown and not followed; exit 3."""
    victim = home / ".bashrc"
    victim.write_text("alias x=y\n")
    root = repository("hostile")
    (root / "AGENTS.md").symlink_to(victim)
    twice(improve, root)
    said = improve("escalate", "--apply", code=3).out
    assert "NOT WRITTEN" in said
    assert ".bashrc" in said
    assert victim.read_text() == "alias x=y\n"


def test_a_global_file_that_is_a_link_into_dotfiles_is_written_through(
    improve: Improve, opencode: Path, home: Path
) -> None:
    """The link stays, the file in the dotfiles repository changes."""
    real = home / "dotfiles" / "AGENTS.md"
    real.parent.mkdir()
    real.write_text("# Mine\n")
    opencode.symlink_to(real)
    improve("observe", PNPM, "--project", "a", "--explicit-scope", "global")
    improve("escalate", "--apply")
    assert opencode.is_symlink()
    assert PNPM in real.read_text()


def test_a_rule_that_contradicts_a_line_is_held_back_and_named(improve: Improve, repository: Repository) -> None:
    """The person's own line is quoted with its number; naming the rule writes it all the same."""
    root = repository("shop", agents="# Shop\n\n- Use tabs for indentation\n")
    twice(improve, root, "Use spaces for indentation")
    said = improve("escalate", "--apply").out
    assert "line 3 there says otherwise" in said
    assert "Use spaces" not in (root / "AGENTS.md").read_text()
    improve("escalate", "--apply", "use-spaces-for-indentation")
    assert "Use spaces" in (root / "AGENTS.md").read_text()


@pytest.mark.parametrize("data", [b"\xff\xfe#\x00", b"# a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n", b"# a\x00\n"])
def test_a_file_that_cannot_be_edited_safely_is_reported_and_others_are_written(
    improve: Improve, repository: Repository, data: bytes
) -> None:
    """UTF-16, conflict markers and NUL are refused with the file named, exit 3; the other project gets its line."""
    bad, good = repository("bad"), repository("good")
    (bad / "AGENTS.md").write_bytes(data)
    api = "Return problem+json from every endpoint"
    improve("observe", api, "--domain", "api-design", cwd=bad)
    improve("observe", api, cwd=good)
    said = improve("escalate", "--apply", code=3).out
    assert "NOT WRITTEN" in said
    assert (bad / "AGENTS.md").read_bytes() == data
    assert api in (good / "AGENTS.md").read_text()
    assert improve("due", "--json").json["rules"][0]["targets"] == ["github.com/acme/bad"]


def test_invalid_utf8_and_trailing_blanks_survive(improve: Improve, repository: Repository) -> None:
    """Bytes that are no UTF-8 stay as they are around our line."""
    root = repository("shop")
    old = b"# Caf\xe9   \n\n- old \xff line  \n"
    (root / "AGENTS.md").write_bytes(old)
    twice(improve, root)
    improve("escalate", "--apply")
    after = (root / "AGENTS.md").read_bytes()
    assert after.startswith(old)
    assert PNPM.encode() in after


def test_trust_verified_writes_only_what_a_person_said(improve: Improve, repository: Repository, home: Path) -> None:
    """The agent's own word is recorded, not written."""
    (home / ".agent-improvement").mkdir()
    (home / ".agent-improvement" / "config.yaml").write_text("trust: verified\n")
    root = repository("shop")
    twice(improve, root)
    assert "trust is `verified`" in improve("escalate", "--apply").out
    assert not (root / "AGENTS.md").exists()


def test_a_failing_file_is_an_error_code_and_nothing_is_half_written(improve: Improve, repository: Repository) -> None:
    """Hard-linked AGENTS.md: exit 3, the file is untouched, the rule stays due."""
    root = repository("shop", agents="# Shop\n")
    os.link(root / "AGENTS.md", root / "COPY.md")
    twice(improve, root)
    improve("escalate", "--apply", code=3)
    assert (root / "AGENTS.md").read_text() == "# Shop\n"
    assert improve("due", "--json").json["total"] == 1


def test_an_unknown_rule_is_exit_7(improve: Improve) -> None:
    """Every command that takes an id says so alike."""
    for argv in (
        ["escalate", "nope"],
        ["confirm", "nope", "--scope", "local"],
        ["retire", "nope"],
        ["history", "nope"],
        ["set", "nope", "--severity", "2"],
        ["merge", "nope", "nope2"],
        ["split", "nope", "x"],
        ["restore", "nope"],
    ):
        improve(*argv, code=7)


def test_environment_variables_name_the_files(
    improve: Improve, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AGENT_GLOBAL_AGENTS_MD, AGENT_PROJECT_AGENTS_MD and AGENT_PROJECT_NAME are honoured."""
    monkeypatch.setenv("AGENT_GLOBAL_AGENTS_MD", str(tmp_path / "mine.md"))
    monkeypatch.setenv("AGENT_PROJECT_AGENTS_MD", "docs/RULES.md")
    root = repository("shop")
    (root / "docs").mkdir()
    twice(improve, root)
    improve("observe", "Answer in short sentences", "--explicit-scope", "global")
    improve("escalate", "--apply")
    assert PNPM in (root / "docs" / "RULES.md").read_text()
    assert "Answer in short sentences" in (tmp_path / "mine.md").read_text()
    monkeypatch.setenv("AGENT_PROJECT_NAME", "renamed")
    local = repository("local", remote=None)
    assert improve("observe", PNPM, "--json", cwd=local).json["rule"]["projects"][-1] == "renamed"


def test_a_worktree_is_its_project_and_gets_its_own_line(
    improve: Improve, repository: Repository, tmp_path: Path
) -> None:
    """Both trees share one identity; the current one's file is written."""
    root = repository("shop", agents="# Shop\n")
    git = lambda *a: subprocess.run(["git", "-C", str(root), *a], check=True, capture_output=True)  # noqa: E731
    git("add", "."), git("commit", "-qm", "start"), git("worktree", "add", "-q", str(tmp_path / "tree"))
    improve("observe", PNPM, cwd=root)
    improve("observe", PNPM, cwd=tmp_path / "tree")
    assert improve("due", "--json").json["rules"][0]["projects"] == ["github.com/acme/shop"]
    improve("escalate", "--apply", cwd=tmp_path / "tree")
    assert PNPM in (tmp_path / "tree" / "AGENTS.md").read_text()
