"""What escalate must never do: lose a line, stop at one bad file, take the neighbour's words."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository

PNPM = "Use pnpm, never npm install"
ID = "use-pnpm-never-npm-install"
API = "Return problem+json from every endpoint"


def test_a_line_stays_until_it_stands_where_it_belongs_now(
    improve: Improve, repository: Repository, opencode: Path
) -> None:
    """A global file that cannot be written (hard-linked) keeps the project's copy; the next run moves it."""
    shop, blog = repository("shop", agents="# Shop\n"), repository("blog")
    for root in (shop, shop):
        improve("observe", PNPM, "--domain", "tool-usage", cwd=root)
    improve("escalate", "--apply")
    opencode.write_text("# Mine\n", encoding="utf-8")
    other = opencode.with_name("other.md")
    other.hardlink_to(opencode)
    improve("observe", PNPM, cwd=blog)
    before = (shop / "AGENTS.md").read_bytes()
    said = improve("escalate", "--apply", code=3).out
    assert "it keeps its lines" in said
    assert (shop / "AGENTS.md").read_bytes() == before
    other.unlink()
    improve("escalate", "--apply")
    assert PNPM in opencode.read_text(encoding="utf-8")
    assert (shop / "AGENTS.md").read_text(encoding="utf-8") == "# Shop\n"


@pytest.mark.parametrize("text", ["# Bad\n\n```\nnever closed\n", "# Bad\n\n<!-- never closed\n"])
def test_a_file_without_a_safe_place_is_named_and_the_others_are_written(
    improve: Improve, repository: Repository, text: str
) -> None:
    """An unclosed fence or comment blocks that file alone, with exit 3 and its path."""
    bad, good = repository("bad", agents=text), repository("good")
    improve("observe", API, "--domain", "api-design", cwd=bad)
    improve("observe", API, cwd=good)
    said = improve("escalate", "--apply", code=3).out
    assert "bad/AGENTS.md" in said
    assert (bad / "AGENTS.md").read_text(encoding="utf-8") == text
    assert API in (good / "AGENTS.md").read_text(encoding="utf-8")


def test_a_new_wording_reaches_its_file_though_another_project_is_missing(
    improve: Improve, repository: Repository
) -> None:
    """`set --text` updates the line that stands while the other target has no directory."""
    shop = repository("shop")
    improve("observe", API, "--domain", "api-design", cwd=shop)
    improve("observe", API, "--project", "elsewhere")
    improve("escalate", "--apply")
    improve("set", "return-problemjson-from-every-endpoint", "--text", "Return problem details from every endpoint")
    improve("escalate", "--apply")
    text = (shop / "AGENTS.md").read_text(encoding="utf-8")
    assert "problem details" in text
    assert "problem+json" not in text


def test_a_deleted_line_does_not_become_its_neighbour(improve: Improve, repository: Repository) -> None:
    """A similar line that was there before us is no rewording: deleting ours is a rejection."""
    root = repository("shop", agents="# Shop\n\n## Testing\n\n- Run the linter before every commit\n")
    text = "Run the tests before every commit"
    for _ in range(2):
        improve("observe", text, "--domain", "testing", cwd=root)
    improve("escalate", "--apply")
    file = root / "AGENTS.md"
    assert text in file.read_text(encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8").replace(f"- {text}\n", ""), encoding="utf-8")
    assert "somebody deleted the line" in improve("escalate", "--apply").out
    assert improve("history", "run-the-tests-before-every-commit", "--json").json["rule"] == text


def test_a_line_reworded_and_moved_is_still_adopted(improve: Improve, repository: Repository) -> None:
    """The same rule in other words under another heading is the person's version of it, not a rejection."""
    root = repository("shop", agents="# Shop\n\n## Ours\n\n- Keep it small\n")
    for _ in range(2):
        improve("observe", PNPM, "--domain", "tool-usage", cwd=root)
    improve("escalate", "--apply")
    (root / "AGENTS.md").write_text("# Shop\n\n## Ours\n\n- Keep it small\n- Always use pnpm, never npm install\n")
    assert "their wording wins" in improve("escalate", "--apply").out


def test_a_discarded_worktree_takes_its_record_with_it(
    improve: Improve, repository: Repository, tmp_path: Path
) -> None:
    """After `git worktree remove` the main tree gets the line."""
    root = repository("shop", agents="# Shop\n")

    def git(*argv: str) -> None:
        subprocess.run(["git", "-C", str(root), *argv], check=True, capture_output=True)

    git("add", ".")
    git("commit", "-qm", "start")
    git("worktree", "add", "-q", str(tmp_path / "tree"))
    for _ in range(2):
        improve("observe", PNPM, cwd=tmp_path / "tree")
    improve("escalate", "--apply")
    improve("observe", PNPM, cwd=root)
    git("worktree", "remove", "--force", str(tmp_path / "tree"))
    improve("escalate", "--apply", cwd=root)
    assert PNPM in (root / "AGENTS.md").read_text(encoding="utf-8")


def test_a_rule_of_the_global_file_is_shown_in_every_project(
    improve: Improve, repository: Repository, opencode: Path
) -> None:
    """What was seeded from the global file is a hard rule everywhere."""
    opencode.write_text(f"# Mine\n\n- {PNPM}\n", encoding="utf-8")
    improve("seed", "--from-agents-md", str(opencode))
    assert ID in improve("status", cwd=repository("shop")).out


def test_a_secret_somebody_put_into_our_line_stays_out_of_the_store(
    improve: Improve, repository: Repository, home: Path
) -> None:
    """The line is left as it is, said so, and no file of the store has the token."""
    root = repository("shop", agents="# Shop\n")
    for _ in range(2):
        improve("observe", PNPM, cwd=root)
    improve("escalate", "--apply")
    token = "ghp_" + "Zk7" * 12
    file = root / "AGENTS.md"
    file.write_text(file.read_text(encoding="utf-8").replace(PNPM, f"{PNPM} with {token}"), encoding="utf-8")
    assert "it is left as it is" in improve("escalate", "--apply").out
    for path in home.rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes(), path


def test_a_line_of_somebody_else_that_goes_is_no_rejection(
    improve: Improve, repository: Repository, opencode: Path
) -> None:
    """A rule the global file covered is written to the project once that line is gone."""
    opencode.write_text(f"# Mine\n\n- {PNPM}\n", encoding="utf-8")
    root = repository("shop")
    for _ in range(2):
        improve("observe", PNPM, cwd=root)
    improve("escalate", "--apply")
    assert not (root / "AGENTS.md").exists()
    opencode.write_text("# Mine\n", encoding="utf-8")
    improve("escalate", "--apply")
    assert PNPM in (root / "AGENTS.md").read_text(encoding="utf-8")


def test_a_rule_that_does_not_fit_a_file_holds_no_other_rule_back(improve: Improve, repository: Repository) -> None:
    """A file that is no UTF-8 takes the ASCII rule and refuses the other one, named."""
    root = repository("shop")
    (root / "AGENTS.md").write_bytes(b"# Caf\xe9\n")
    for text in ("Пиши тесты", PNPM):
        for _ in range(2):
            improve("observe", text, cwd=root)
    improve("escalate", "--apply", code=3)
    assert PNPM.encode() in (root / "AGENTS.md").read_bytes()
    assert improve("due", "--json").json["total"] == 1


def test_a_line_that_was_reworded_and_then_deleted_is_a_rejection(improve: Improve, repository: Repository) -> None:
    """It was ours once, so its going is a no, not a reason to write it again."""
    root = repository("shop", agents="# Shop\n")
    for _ in range(2):
        improve("observe", PNPM, cwd=root)
    improve("escalate", "--apply")
    file = root / "AGENTS.md"
    file.write_text(file.read_text(encoding="utf-8").replace(PNPM, "Always use pnpm, never npm"), encoding="utf-8")
    improve("escalate", "--apply")
    file.write_text("# Shop\n", encoding="utf-8")
    improve("escalate", "--apply")
    assert file.read_text(encoding="utf-8") == "# Shop\n"


def test_our_line_stays_ours_when_its_repository_moves(
    improve: Improve, repository: Repository, opencode: Path, tmp_path: Path
) -> None:
    """After a move the line is known again and goes with a promotion."""
    shop, blog = repository("shop", agents="# Shop\n"), repository("blog")
    for _ in range(2):
        improve("observe", PNPM, "--domain", "tool-usage", cwd=shop)
    improve("escalate", "--apply")
    moved = tmp_path / "moved"
    shop.rename(moved)
    improve("observe", PNPM, cwd=moved)
    improve("escalate", "--apply")
    improve("observe", PNPM, cwd=blog)
    improve("escalate", "--apply")
    assert PNPM in opencode.read_text(encoding="utf-8")
    assert (moved / "AGENTS.md").read_text(encoding="utf-8") == "# Shop\n"
