"""confirm, split and seed: what is ours stays ours, and nothing a person said is lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository

PNPM, ID = "Use pnpm, never npm install", "use-pnpm-never-npm-install"


def written(improve: Improve, root: Path, *places: str) -> None:
    """Record a rule twice in a project and write it."""
    improve("observe", PNPM, *places, cwd=root)
    improve("observe", PNPM, cwd=root)
    improve("escalate", "--apply", cwd=root)


def test_confirm_through_a_link_leaves_our_line_ours(
    improve: Improve, repository: Repository, rules: Path, home: Path
) -> None:
    """Two names of one file are one place; retiring the rule still takes the line away."""
    dotfiles = home / "dotfiles.md"
    dotfiles.write_text("# Mine\n")
    (home / ".claude").mkdir()
    (home / ".claude" / "CLAUDE.md").symlink_to(dotfiles)
    improve("observe", PNPM, "--explicit-scope", "global", cwd=repository("shop"))
    improve("escalate", "--apply")
    before = rules.read_bytes()
    improve("confirm", ID, "--scope", "global")
    assert rules.read_bytes() == before
    improve("retire", ID)
    improve("escalate", "--apply")
    assert dotfiles.read_text() == "# Mine\n"


def test_confirm_records_the_real_path_of_a_line_it_finds(
    improve: Improve, repository: Repository, home: Path, opencode: Path
) -> None:
    """A line a person wrote is theirs, and its place is the file behind the link."""
    dotfiles = home / "dotfiles.md"
    dotfiles.write_text(f"# Mine\n\n- {PNPM}\n")
    opencode.symlink_to(dotfiles)
    improve("observe", PNPM, "--explicit-scope", "global", cwd=repository("shop"))
    assert improve("confirm", ID, "--scope", "global", "--json").json["written_to"] == [str(dotfiles)]
    improve("retire", ID)
    improve("escalate", "--apply")
    assert PNPM in dotfiles.read_text()


def test_confirm_keeps_a_line_of_ours_that_stands_beside_it(improve: Improve, repository: Repository) -> None:
    """A person's own bullet higher up is recorded, and our line is still known as ours."""
    shop = repository("shop", agents="# Shop\n")
    written(improve, shop)
    agents = shop / "AGENTS.md"
    agents.write_text(agents.read_text().replace("# Shop\n", f"# Shop\n\n- {PNPM}.\n"))
    improve("confirm", ID, "--scope", "local")
    improve("retire", ID)
    improve("escalate", "--apply")
    assert agents.read_text() == f"# Shop\n\n- {PNPM}.\n"


def test_split_keeps_what_the_user_said_of_scope_and_cost(improve: Improve) -> None:
    """The new rule holds where the old one does and costs as much."""
    improve("observe", PNPM, "--project", "p", "--explicit-scope", "global", "--severity", "4")
    improve("observe", "--same-as", ID, "--project", "p", "--", "- Use the pnpm workspace protocol")
    improve("split", "--", ID, "- Use the pnpm workspace protocol")
    told = {rule["id"]: rule for rule in improve("status", "--all", "--json").json["rules"]}
    assert len(told) == 2
    assert {(rule["explicit_scope"], rule["severity"]) for rule in told.values()} == {("global", 4)}


def test_seed_takes_the_domains_people_added(improve: Improve, repository: Repository, rules: Path) -> None:
    """`## Data Mesh` is the section of `data-mesh` where that is in domain_taxonomy, and unknown where it is not."""
    text = "# Shop\n\n## Data Mesh\n\n- Own each data product in one team\n\n## Data Lake\n\n- Partition by day\n"
    shop = repository("shop", agents=text)
    rules.parent.mkdir(mode=0o700)
    rules.write_text(
        "version: 2\ndomain_taxonomy:\n  general: [data-mesh]\n  project_specific: []\nrules: []\n", encoding="utf-8"
    )
    improve("seed", "--from-agents-md", "AGENTS.md", cwd=shop)
    found = {rule["rule"]: rule["domain"] for rule in improve("status", "--json").json["rules"]}
    assert found == {"Own each data product in one team": "data-mesh", "Partition by day": "unknown"}


def test_a_seed_that_only_adds_places_is_a_change_set(
    improve: Improve, repository: Repository, home: Path, rules: Path
) -> None:
    """It is in the log and in the store's git history, and `undo` takes it back; one that adds nothing is not."""
    shop = repository("shop", agents=f"# Shop\n\n- {PNPM}\n")
    improve("observe", PNPM, cwd=shop)
    before = rules.read_bytes()
    for _ in range(2):
        assert improve("seed", "--from-agents-md", "AGENTS.md", cwd=shop).out.startswith("Seeded 0 rules from ")
    events = [event for event in improve("log", "--json").json["events"] if event["event"] == "seeded"]
    assert [event["rules"] for event in events] == [[ID]]
    git = ["git", "-C", str(home / ".agent-improvement"), "log", "--format=%s"]
    history = subprocess.run(git, capture_output=True, text=True, check=True).stdout
    assert history.count("seed the place of 1 known rule in AGENTS.md") == 1
    improve("undo")
    assert rules.read_bytes() == before


def test_confirm_looks_in_the_file_a_person_named_for_the_rule(improve: Improve, repository: Repository) -> None:
    """A rule with a file of its own is looked for there, and a line in another file does not count."""
    shop = repository("shop", agents=f"# Shop\n\n- {PNPM}\n")
    improve("observe", PNPM, "--file", "docs/packages.md", cwd=shop)
    assert "docs/packages.md says" in improve("confirm", ID, "--scope", "local", code=3).err
    (shop / "docs").mkdir()
    (shop / "docs/packages.md").write_text(f"- {PNPM}\n")
    improve("confirm", ID, "--scope", "local")


GUARDED = "  check:\n    tool: shell\n    deny:\n    - npm install\n  guard: {}\n"


@pytest.mark.parametrize(
    ("kept", "gone", "guard"),
    [("", GUARDED.format("deny"), "deny"), (GUARDED.format("warn"), "", "warn"), ("", "", None)],
)
def test_a_merge_turns_no_guard_off(
    improve: Improve, repository: Repository, rules: Path, kept: str, gone: str, guard: str | None
) -> None:
    """Whichever of two rules is guarded, the one that stays is; two without a guard stay without."""
    shop = repository("shop")
    improve("observe", "Use uv, never pip install", cwd=shop)
    rules.write_bytes(rules.read_bytes() + kept.encode())
    improve("observe", PNPM, cwd=shop)
    rules.write_bytes(rules.read_bytes() + gone.encode())
    improve("merge", "use-uv-never-pip-install", ID)
    left = rules.read_text(encoding="utf-8")
    assert (f"guard: {guard}" in left, "check:" in left) == (guard is not None, guard is not None)
