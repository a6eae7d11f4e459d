"""`undo` after a person's own edits of the lines it is to take back."""

from __future__ import annotations

from pathlib import Path

from commands.conftest import Improve, Repository

PNPM, DOCKER = "Use pnpm, never npm install", "Mount the docker socket read-only"


def wrote(improve: Improve, shop: Path, *rules: str) -> Path:
    """Write rules into a project's file in one change set."""
    for rule in rules:
        improve("observe", rule, "--domain", "tool-usage", cwd=shop)
        improve("observe", rule, "--domain", "tool-usage", cwd=shop)
    improve("escalate", "--apply", cwd=shop)
    return shop / "AGENTS.md"


def test_undo_goes_on_when_the_line_was_deleted_by_hand(improve: Improve, repository: Repository) -> None:
    """The file stays as the person left it, the rules are taken back, and the note says why."""
    agents = wrote(improve, repository("shop", agents="# Shop\n"), PNPM)
    agents.write_text("# Shop\n")
    said = improve("undo")
    assert f"somebody deleted {PNPM!r} from" in said.out
    assert agents.read_text() == "# Shop\n"
    assert improve("status", "--json").json["rules"][0]["written_to"] == []
    assert improve("undo", code=3).err.startswith("improve: there is no change set to undo")


def test_undo_takes_back_the_lines_that_still_stand(improve: Improve, repository: Repository) -> None:
    """Of two lines written together one was deleted by hand; undo removes the other."""
    agents = wrote(improve, repository("shop", agents="# Shop\n"), PNPM, DOCKER)
    agents.write_text(agents.read_text().replace(f"- {PNPM}\n", ""))
    improve("undo")
    assert agents.read_text() == "# Shop\n"


def test_undo_refuses_when_the_line_was_reworded_and_says_how_to_go_on(
    improve: Improve, repository: Repository
) -> None:
    """A reworded line is somebody's words: it stays until they delete it, and then undo goes on."""
    agents = wrote(improve, repository("shop", agents="# Shop\n"), PNPM)
    agents.write_text(agents.read_text().replace("install", "install, not even once"))
    theirs = agents.read_text()
    said = improve("undo", code=3)
    assert "run again: improve undo" in said.err
    assert agents.read_text() == theirs
    agents.write_text(theirs.replace(f"- {PNPM}, not even once\n", ""))
    improve("undo")


def test_undo_of_a_preview_changes_nothing(improve: Improve, repository: Repository) -> None:
    """`--dry-run` after a deletion by hand says the same and leaves the rules as they are."""
    agents = wrote(improve, repository("shop", agents="# Shop\n"), PNPM)
    agents.write_text("# Shop\n")
    assert "somebody deleted" in improve("undo", "--dry-run").out
    assert improve("status", "--json").json["rules"][0]["written_to"]


def test_undo_takes_away_the_directories_it_made(improve: Improve, repository: Repository, home: Path) -> None:
    """Folders that were made for a file go with it; those that were there, or hold something since, stay."""
    (home / ".claude").mkdir()
    shop = repository("shop")
    improve("observe", PNPM, "--explicit-scope", "global", cwd=shop)
    improve("observe", DOCKER, "--file", "docs/ops/docker.md", cwd=shop)
    improve("observe", DOCKER, cwd=shop)
    improve("escalate", "--apply")
    assert (home / ".claude/rules/improve.md").exists()
    assert (shop / "docs/ops/docker.md").exists()
    (shop / "docs/mine.txt").write_text("")
    improve("undo")
    assert list((home / ".claude").iterdir()) == []
    assert list((shop / "docs").iterdir()) == [shop / "docs/mine.txt"]
