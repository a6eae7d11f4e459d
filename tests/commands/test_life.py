"""What happens to rules in real life: old stores, edits by hand, changes of mind in every order."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository

PNPM = "Use pnpm, never npm install"
ID = "use-pnpm-never-npm-install"
API = "Return problem+json from every endpoint"
GREEN, ROSES = "Paint the shed green", "Water the roses weekly"

VERSION_1 = """\
version: 1
domain_taxonomy:
  general: [testing]
  project_specific: [api-design]
rules:
- id: problem-json
  rule: Return problem+json from every endpoint
  domain: api-design
  created: '2026-01-15'
  last_reinforced: '2026-02-20'
  observations:
  - {project: Shop, date: '2026-01-15', context: x}
  - {project: Shop, date: '2026-02-20', context: y}
  cross_project: false
  total_count: 2
  project_count: 1
  escalation: null
  escalated_at: null
  written_to: []
"""


def twice(improve: Improve, root: Path, text: str, *more: str) -> None:
    """Record a rule on two occasions in one project."""
    for _ in range(2):
        improve("observe", text, "--new", *more, cwd=root)


# --- stores of version 1 ---


@pytest.fixture
def old_store(rules: Path) -> Path:
    """Put a store of version 1 in place, with a bare project name."""
    rules.parent.mkdir()
    rules.write_text(VERSION_1, encoding="utf-8")
    return rules


def test_a_bare_project_name_is_the_project_one_stands_in(
    improve: Improve, repository: Repository, old_store: Path
) -> None:
    """Status shows the rule, escalate writes it, before anything new was recorded; another project sees nothing."""
    shop = repository("shop", remote="https://github.com/acme/Shop.git")
    assert "problem-json" in improve("status", cwd=shop).out
    assert "problem-json" not in improve("status", cwd=repository("blog")).out
    improve("escalate", "--apply", "--project", "Shop", cwd=shop)
    assert API in (shop / "AGENTS.md").read_text()


def test_a_line_written_under_a_bare_name_stays_when_the_project_gets_its_key(
    improve: Improve, repository: Repository, old_store: Path
) -> None:
    """A new observation under the full key is the same project: nothing is removed, found again, or rejected."""
    shop = repository("shop", remote="https://github.com/acme/Shop.git")
    improve("escalate", "--apply", cwd=shop)
    said = improve("observe", API)
    assert said.first == "RECORDED (count=3, same project) → candidate for PROJECT AGENTS.md"
    for _ in range(2):
        assert improve("escalate", "--apply").out == "Nothing is due.\n"
    assert (shop / "AGENTS.md").read_text().count(API) == 1
    assert improve("history", "problem-json", "--json").json["projects"] == ["github.com/acme/shop"]


def test_a_store_of_a_later_version_is_not_rebuilt(improve: Improve, rules: Path) -> None:
    """`doctor --fix` refuses to replace what a later improve wrote, though it cannot read it."""
    improve("observe", PNPM, "--project", "p")
    rules.write_bytes(b"version: 3\nrules: []\n")
    assert "pip install --upgrade" in improve("doctor", "--fix", code=3).err
    assert rules.read_bytes() == b"version: 3\nrules: []\n"


# --- edits by hand between commands ---


def test_undo_leaves_a_rule_alone_that_a_person_renamed_or_deleted(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """The files go back; no second rule with the old id appears."""
    shop = repository("shop", agents="# Shop\n")
    twice(improve, shop, PNPM)
    improve("escalate", "--apply")
    rules.write_bytes(rules.read_bytes().replace(b"- id: " + ID.encode(), b"- id: pnpm"))
    assert f"{ID} is no longer in rules.yaml" in improve("undo").out
    assert (shop / "AGENTS.md").read_text() == "# Shop\n"
    assert [r["id"] for r in improve("status", "--json").json["rules"]] == ["pnpm"]


def test_what_is_only_recorded_is_said(improve: Improve, repository: Repository) -> None:
    """Adopting, setting aside and finding a line write no file; the last line says what was recorded instead."""
    shop = repository("shop", agents=f"# Shop\n\n- {ROSES}\n")
    twice(improve, shop, GREEN)
    twice(improve, shop, ROSES)
    improve("escalate", "--apply")
    file = shop / "AGENTS.md"
    file.write_text(file.read_text().replace("green", "dark green"))
    assert improve("escalate").out.endswith("Nothing was changed. Record it with: improve escalate --apply\n")
    out = improve("escalate", "--apply").out
    assert out.endswith("Adopted 1 line; no file was changed. Take it back with: improve undo\n")
    twice(improve, shop, PNPM)
    improve("escalate", "--apply")
    file.write_text(file.read_text().replace(f"- {PNPM}\n", ""))
    out = improve("escalate", "--apply").out
    assert out.endswith("Set aside 1 rule; no file was changed. Take it back with: improve undo\n")


# --- changes of mind ---


def test_undo_goes_back_step_by_step_through_changes_that_cancel_out(improve: Improve) -> None:
    """Retired, restored, retired, restored: six undos name six changes, then there is nothing left."""
    improve("observe", PNPM, "--project", "p")
    improve("set", ID, "--severity", "4")
    improve("set", ID, "--severity", "5")
    for _ in range(2):
        improve("retire", ID)
        improve("restore", ID)
    told = [improve("undo", "--json").json["undid"].split()[0] for _ in range(6)]
    assert told == ["restore", "retire", "restore", "retire", "set", "set"]
    improve("undo", code=3)
    assert improve("history", ID, "--json").json["severity"] is None


def test_a_rule_split_off_takes_its_line_along(improve: Improve, repository: Repository) -> None:
    """Merged and split again, in either order, both lines stand and nothing is due."""
    shop = repository("shop", agents="# Shop\n")
    twice(improve, shop, GREEN)
    twice(improve, shop, ROSES)
    improve("escalate", "--apply")
    before = (shop / "AGENTS.md").read_bytes()
    for keep, gone, phrase in (
        ("paint-the-shed-green", "water-the-roses-weekly", ROSES),
        ("water-the-roses-weekly", "paint-the-shed-green", GREEN),
    ):
        improve("merge", keep, gone)
        improve("split", keep, phrase)
        assert improve("escalate", "--apply").out == "Nothing is due.\n"
        assert (shop / "AGENTS.md").read_bytes() == before
        assert improve("history", gone, "--json").json["confirmed"] is True


def test_a_rule_told_to_stay_in_its_projects_leaves_the_global_file(
    improve: Improve, repository: Repository, opencode: Path
) -> None:
    """Explicit scope local takes our global line out and writes each project; undo gives it back."""
    shop, blog = repository("shop"), repository("blog")
    improve("observe", PNPM, "--domain", "tool-usage", cwd=shop)
    improve("observe", PNPM, cwd=blog)
    improve("escalate", "--apply")
    before = opencode.read_bytes()
    improve("set", ID, "--scope", "local")
    improve("escalate", "--apply")
    assert PNPM not in opencode.read_text(encoding="utf-8")
    assert all(PNPM in (root / "AGENTS.md").read_text() for root in (shop, blog))
    assert improve("escalate", "--apply").out == "Nothing is due.\n"
    improve("undo")
    assert opencode.read_bytes() == before
    assert not (shop / "AGENTS.md").exists()


def test_an_undone_rewording_waits_like_any_undone_line(improve: Improve, repository: Repository) -> None:
    """After undo the next `escalate --apply` leaves the old words; the id, or a new occasion, brings the new ones."""
    shop = repository("shop", agents="# Shop\n")
    twice(improve, shop, GREEN)
    improve("escalate", "--apply")
    improve("set", "paint-the-shed-green", "--text", "Paint the shed dark green")
    improve("escalate", "--apply")
    improve("undo")
    assert improve("escalate", "--apply").out == "Nothing is due.\n"
    assert f"- {GREEN}\n" in (shop / "AGENTS.md").read_text()
    improve("escalate", "--apply", "paint-the-shed-green")
    assert "- Paint the shed dark green\n" in (shop / "AGENTS.md").read_text()


def test_retiring_a_rule_whose_line_is_a_persons_says_that_it_stays(improve: Improve, repository: Repository) -> None:
    """The file still says it: the answer names it, and the file is not touched."""
    shop = repository("shop", agents=f"# Shop\n\n- {PNPM}\n")
    twice(improve, shop, PNPM)
    improve("escalate", "--apply")
    assert "was there before and stays" in improve("retire", ID).out
    improve("escalate", "--apply")
    assert (shop / "AGENTS.md").read_text() == f"# Shop\n\n- {PNPM}\n"


def test_the_diff_of_an_undone_new_file_deletes_it(improve: Improve, repository: Repository) -> None:
    """`undo` of a file that was created shows it going, in a form that `git apply` takes."""
    shop = repository("shop")
    twice(improve, shop, PNPM)
    improve("escalate", "--apply")
    out = improve("undo").out
    assert f"+++ {'/dev/null'}\n" in out
    assert out.startswith("--- a/")


# --- outside any project ---


def test_a_rule_recorded_outside_any_project_is_listed_there(
    improve: Improve, repository: Repository, tmp_path: Path
) -> None:
    """`status` in a directory that is no project shows it; a project does not; the second time says what to do."""
    improve("observe", GREEN, cwd=tmp_path)
    said = improve("observe", GREEN)
    assert "improve set paint-the-shed-green --scope global" in said.out
    assert GREEN in improve("status").out
    assert GREEN not in improve("status", cwd=repository("shop")).out
    improve("observe", ROSES)
    assert ROSES not in improve("status", cwd=tmp_path).out


def test_at_most_three_contradictions_are_shown(improve: Improve) -> None:
    """The rest is counted; --json has them."""
    for number, word in enumerate(["2", "3", "5", "6", "8"]):
        improve("observe", f"Indent with {word} spaces", "--project", f"p{number}", "--new")
    said = improve("observe", "Indent with 4 spaces", "--project", "p", "--new", "--json").json
    if len(said["contradicts"]) < 4:
        pytest.skip("the matcher sees fewer contradictions here")
    out = improve("observe", "Indent using 7 spaces", "--project", "p", "--new").out
    assert out.count("CONTRADICTS") == 3
    assert "more contradiction" in out


@pytest.mark.parametrize(
    "text",
    [
        'Don\'t use $HOME or `pwd` in "scripts"; use !important',
        "- In scripts, do not use $HOME or pwd",
        "--force is never used inside scripts with $HOME or pwd",
    ],
)
def test_every_command_that_observe_prints_can_be_pasted(improve: Improve, text: str) -> None:
    """split, set, observe --same-as and --new work as printed, whatever quotes and dashes the rule has."""
    improve("observe", "Never use $HOME or `pwd` inside scripts", "--project", "p")
    out = improve("observe", "--project", "p", "--", text).out
    printed = [part for line in out.splitlines() for part in line.split("improve ")[1:] if "…" not in part]
    assert printed
    for part in printed[-2:]:
        improve(*shlex.split(part.replace("<domain>", "testing").split(" (it would")[0]))


# --- places ---


def test_a_runbook_gets_no_title_of_ours(improve: Improve, repository: Repository) -> None:
    """A file named with --file begins with its section; AGENTS.md alone gets our title."""
    shop = repository("shop")
    twice(improve, shop, GREEN, "--file", "docs/shed.md", "--section", "Care")
    improve("escalate", "--apply")
    assert (shop / "docs" / "shed.md").read_text() == f"## Care\n\n- {GREEN}\n"


@pytest.mark.parametrize("name", ["~/.bashrc", ".git/hooks/pre-commit", "/etc/cron.d/x", "deploy.sh", "a\x1b.md"])
def test_a_rule_is_written_to_text_only(improve: Improve, repository: Repository, rules: Path, name: str) -> None:
    """A start-up file, a hook or a script is refused at observe, and again when it was typed into rules.yaml."""
    shop = repository("shop")
    improve("observe", GREEN, "--file", name, code=3, cwd=shop)
    twice(improve, shop, GREEN, "--file", "docs/shed.md")
    shown = name.replace("\x1b", "\\e")
    text = rules.read_text(encoding="utf-8")
    assert "docs/shed.md" in text
    lines = [f'    path: "{shown}"' if line.strip().startswith("path:") else line for line in text.splitlines()]
    rules.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "NOT WRITTEN" in improve("escalate", "--apply", code=3).out
    assert [path.name for path in shop.iterdir()] == [".git"]


def test_a_submodule_is_a_project_of_its_own(improve: Improve, repository: Repository) -> None:
    """What was recorded inside goes into the submodule's file, not into that of the repository around it."""
    ui, shop = repository("ui", agents="# UI\n"), repository("shop", agents="# Shop\n")
    git = ["git", "-c", "protocol.file.allow=always", "-C"]
    subprocess.run([*git, str(ui), "add", "."], check=True)
    subprocess.run([*git, str(ui), "commit", "-qm", "start"], check=True)
    subprocess.run([*git, str(shop), "submodule", "--quiet", "add", str(ui), "packages/ui"], check=True)
    inside = shop / "packages" / "ui"
    twice(improve, inside, GREEN)
    improve("escalate", "--apply", cwd=shop)
    assert GREEN in (inside / "AGENTS.md").read_text()
    assert (shop / "AGENTS.md").read_text() == "# Shop\n"


def test_a_subdirectory_of_a_monorepo_belongs_to_the_repository(improve: Improve, repository: Repository) -> None:
    """The rule goes to the top file even where the subdirectory has one of its own, which is not touched."""
    shop = repository("shop", agents="# Shop\n")
    web = shop / "apps" / "web"
    web.mkdir(parents=True)
    (web / "AGENTS.md").write_text("# Web\n")
    twice(improve, web, GREEN)
    improve("escalate", "--apply")
    assert GREEN in (shop / "AGENTS.md").read_text()
    assert (web / "AGENTS.md").read_text() == "# Web\n"


def test_what_was_done_in_a_repository_can_be_rebuilt_with_its_directory(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """The journal's own lines are all understood: log shows them, and a rebuilt store knows rule and root."""
    shop = repository("my shop")
    improve("observe", GREEN, cwd=shop)
    assert "observed paint-the-shed-green" in improve("log").out
    assert "cut off" not in improve("doctor").out
    rules.write_bytes(b"version: [")
    improve("doctor", "--fix")
    where = improve("where", "--json").json
    assert (where["project"], where["roots"]) == ("github.com/acme/my shop", [str(shop)])
    assert "paint-the-shed-green" in improve("status").out


def test_a_diff_shows_tabs_as_tabs(improve: Improve, repository: Repository) -> None:
    """Tabs in the file, and behind a name with blanks, are no escapes; other control characters are."""
    shop = repository("my shop", agents="# Shop\n\n- a\tb\n- red \x1b[31m\n")
    twice(improve, shop, GREEN)
    out = improve("escalate").out
    assert "- a\tb\n" in out
    assert "\\t" not in out
    assert "\\x1b[31m" in out
