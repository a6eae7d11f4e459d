"""A repository is one project, whatever its remote is called now; two repositories stay two."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from improve import spool
from improve.spool import Pending

SWAP = "Order the alphabet soup by length"


def git(root: Path, *argv: str) -> None:
    """Run git in a repository."""
    subprocess.run(["git", "-C", str(root), *argv], check=True, capture_output=True)


def observe(improve: Improve, where: Path) -> str:
    """Record a general rule; returns the first line said."""
    return improve("observe", SWAP, "--domain", "tool-usage", cwd=where).first


def projects(improve: Improve) -> list[str]:
    """Name the projects of the one rule."""
    [rule] = improve("status", "--all", "--json").json["rules"]
    return list(rule["projects"])


@pytest.mark.parametrize("before", [None, "https://github.com/acme/shop.git", "git@github.com:acme/shop.git"])
def test_a_remote_that_appears_or_changes_makes_no_second_project(
    improve: Improve, repository: Repository, opencode: Path, rules: Path, before: str | None
) -> None:
    """Its rule stays a project rule and is written to the repository, and the global file is not touched."""
    root = repository("shop", remote=before)
    observe(improve, root)
    git(root, "remote", *(("set-url",) if before else ("add",)), "origin", "https://github.com/zen/store.git")
    assert "same project" in observe(improve, root)
    assert projects(improve) == ["github.com/zen/store"]
    improve("escalate", "--apply", cwd=root)
    assert SWAP in (root / "AGENTS.md").read_text()
    assert not opencode.exists()
    text = rules.read_text(encoding="utf-8")
    assert text.count("project: github.com/zen/store") + text.count('project: "github.com/zen/store"') >= 2
    improve("doctor")


def test_the_old_key_still_means_the_project(improve: Improve, repository: Repository) -> None:
    """`--project` with the old key or its name counts for the project, and status finds its rules."""
    root = repository("shop")
    observe(improve, root)
    git(root, "remote", "set-url", "origin", "https://github.com/zen/store.git")
    observe(improve, root)
    improve("observe", SWAP, "--project", "github.com/acme/shop")
    improve("observe", SWAP, "--project", "shop", cwd=root)
    assert projects(improve) == ["github.com/zen/store"]
    assert len(improve("status", "--json", cwd=root).json["rules"]) == 1


def test_a_written_line_is_still_ours_after_the_move(improve: Improve, repository: Repository) -> None:
    """What was written under the old key is not written twice, and goes when the rule is retired."""
    root = repository("shop", agents="# Shop\n")
    observe(improve, root)
    observe(improve, root)
    improve("escalate", "--apply", cwd=root)
    git(root, "remote", "set-url", "origin", "https://github.com/zen/store.git")
    observe(improve, root)
    improve("escalate", "--apply", cwd=root)
    assert (root / "AGENTS.md").read_text().count(SWAP) == 1
    improve("retire", "order-the-alphabet-soup-by-length", "--because", "enough", cwd=root)
    improve("escalate", "--apply", cwd=root)
    assert (root / "AGENTS.md").read_text() == "# Shop\n"


def test_an_observation_that_waited_since_before_the_move_counts_for_the_project(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """It comes late under the old key, and takes nothing back."""
    root = repository("shop")
    observe(improve, root)
    git(root, "remote", "set-url", "origin", "https://github.com/zen/store.git")
    observe(improve, root)
    at, key = "2026-01-01T12:00:00+00:00", "github.com/acme/shop"
    late = Pending("0123456789ab", at, at[:10], SWAP, key, root=str(root), remote=key, name="shop")
    spool.put(str(rules.parent / "spool"), late)
    assert projects(improve) == ["github.com/zen/store"]
    assert "count=4" in observe(improve, root)


def test_two_repositories_stay_two(improve: Improve, repository: Repository, tmp_path: Path) -> None:
    """Without a remote, with one, and when one of two clones gets another remote."""
    one, two = repository("one", remote=None), repository("two", remote=None)
    observe(improve, one)
    assert "cross-project" in observe(improve, two)
    git(two, "remote", "add", "origin", "https://github.com/acme/two.git")
    observe(improve, two)
    assert len(projects(improve)) == 2


def test_a_clone_that_stays_keeps_the_key_and_its_evidence(improve: Improve, repository: Repository) -> None:
    """Of two clones of one project one becomes a fork: two projects from then on, and the old evidence stays."""
    url = "https://github.com/acme/shop.git"
    one, two = repository("one", remote=url), repository("two", remote=url)
    observe(improve, one)
    assert "same project" in observe(improve, two)
    git(two, "remote", "set-url", "origin", "https://github.com/me/shop.git")
    assert "cross-project" in observe(improve, two)
    assert projects(improve) == ["github.com/acme/shop", "github.com/me/shop"]


def test_a_new_clone_with_the_old_remote_is_a_project_of_its_own(improve: Improve, repository: Repository) -> None:
    """The old key comes back to life elsewhere, and nothing of it goes to the one that moved on."""
    one = repository("one", remote="https://github.com/acme/shop.git")
    observe(improve, one)
    git(one, "remote", "set-url", "origin", "https://github.com/me/shop.git")
    observe(improve, one)
    two = repository("two", remote="https://github.com/acme/shop.git")
    assert "cross-project" in observe(improve, two)
    assert projects(improve) == ["github.com/me/shop", "github.com/acme/shop"]
    observe(improve, one)
    assert len(projects(improve)) == 2


def test_the_registry_of_a_moved_project_reads_back(improve: Improve, repository: Repository, rules: Path) -> None:
    """A hand-written head keeps its comments; the old key is data of the new one."""
    root = repository("shop", remote=None)
    observe(improve, root)
    rules.write_text("# mine\n" + rules.read_text(encoding="utf-8"), encoding="utf-8")
    git(root, "remote", "add", "origin", "https://github.com/acme/shop.git")
    observe(improve, root)
    assert rules.read_text(encoding="utf-8").startswith("# mine\n")
    git(root, "remote", "set-url", "origin", "https://github.com/zen/shop.git")
    observe(improve, root)
    git(root, "remote", "remove", "origin")
    assert "count=4, same project" in observe(improve, root)
    assert rules.read_text(encoding="utf-8").count("roots:") == 1


def test_a_rebuilt_store_knows_the_old_key(improve: Improve, repository: Repository, rules: Path) -> None:
    """rules.yaml is broken after the move: what the journal knows is one project again."""
    root = repository("shop", remote=None)
    observe(improve, root)
    git(root, "remote", "add", "origin", "https://github.com/acme/shop.git")
    observe(improve, root)
    (rules.parent / "backup" / "rules.yaml").unlink(missing_ok=True)
    rules.write_text("rules: [\n", encoding="utf-8")
    improve("doctor", "--fix")
    assert projects(improve) == ["github.com/acme/shop"]
    assert rules.read_text(encoding="utf-8").count("roots:") == 1
    assert "was:" in rules.read_text(encoding="utf-8")


def test_what_was_done_before_the_move_can_be_undone_after_it(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """A merge and a written line are taken back, and neither brings the old key back."""
    root = repository("shop", agents="# Shop\n")
    observe(improve, root)
    observe(improve, root)
    improve("observe", "Paint the shed green in spring", cwd=root)
    improve("escalate", "--apply", cwd=root)
    improve("merge", "order-the-alphabet-soup-by-length", "paint-the-shed-green-in-spring", cwd=root)
    git(root, "remote", "set-url", "origin", "https://github.com/zen/store.git")
    improve("observe", "Count owls on Tuesdays", cwd=root)
    improve("undo", cwd=root)
    improve("undo", cwd=root)
    assert (root / "AGENTS.md").read_text() == "# Shop\n"
    told = improve("status", "--all", "--json").json["rules"]
    assert sorted(rule["count"] for rule in told) == [1, 1, 2]
    assert {key for rule in told for key in rule["projects"]} == {"github.com/zen/store"}
    assert "path: " + str(root) not in rules.read_text(encoding="utf-8")
