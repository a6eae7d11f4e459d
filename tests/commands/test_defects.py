"""The defects of the program this one replaces, each shown not to be here."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.conftest import Improve, Repository

PNPM = "Use pnpm, never npm install"


def observe_twice(improve: Improve, text: str, first: Path, second: Path, domain: str = "tool-usage") -> None:
    """Record a rule in two repositories."""
    improve("observe", text, "--domain", domain, cwd=first)
    improve("observe", text, "--domain", domain, cwd=second)


def test_a_init_creates_the_store_once_and_leaves_it_alone_after(improve: Improve, rules: Path) -> None:
    """`init` says Created, then Already there; both succeed and nothing recorded is lost."""
    assert improve("init").out.startswith("Created")
    improve("observe", PNPM, "--project", "p")
    before = rules.read_bytes()
    assert improve("init").out.startswith("Already there")
    assert rules.read_bytes() == before


def test_b_a_rule_goes_into_its_own_project_wherever_the_command_runs(
    improve: Improve, repository: Repository, opencode: Path
) -> None:
    """`escalate --apply` in blog writes shop's rule into shop and leaves blog alone."""
    shop, blog = repository("shop"), repository("blog")
    improve("observe", PNPM, cwd=shop)
    improve("observe", PNPM, cwd=shop)
    improve("escalate", "--apply", cwd=blog)
    assert f"- {PNPM}\n" in (shop / "AGENTS.md").read_text()
    assert not (blog / "AGENTS.md").exists()
    assert not opencode.exists()


def test_b_a_project_specific_rule_is_written_to_every_affected_project_in_one_run(
    improve: Improve, repository: Repository, opencode: Path, tmp_path: Path
) -> None:
    """One run from a third place writes both projects' own files, each exactly once."""
    shop, blog = repository("shop"), repository("blog")
    observe_twice(improve, "Return problem+json from the API", shop, blog, "api-design")
    improve("escalate", "--apply", cwd=tmp_path)
    for root in (shop, blog):
        assert (root / "AGENTS.md").read_text().count("problem+json") == 1
    assert not opencode.exists()


def test_c_a_written_project_rule_is_promoted_and_its_copy_is_removed(
    improve: Improve, repository: Repository, opencode: Path
) -> None:
    """New evidence from a second project moves a general rule to the global file in one change set."""
    shop, blog = repository("shop", agents="# Shop\n"), repository("blog")
    improve("observe", PNPM, "--domain", "tool-usage", cwd=shop)
    improve("observe", PNPM, cwd=shop)
    improve("escalate", "--apply")
    assert PNPM in (shop / "AGENTS.md").read_text()
    improve("observe", PNPM, cwd=blog)
    improve("escalate", "--apply")
    assert PNPM in opencode.read_text(encoding="utf-8")
    assert (shop / "AGENTS.md").read_bytes() == b"# Shop\n"
    improve("undo")
    assert PNPM in (shop / "AGENTS.md").read_text()
    assert not opencode.exists()


def test_c_a_rule_written_to_one_project_reaches_the_second_one_later(improve: Improve, repository: Repository) -> None:
    """A project-specific rule that shows up in a second project is written there too."""
    shop, blog = repository("shop"), repository("blog")
    for _ in range(2):
        improve("observe", "Return problem+json", "--domain", "api-design", cwd=shop)
    improve("escalate", "--apply")
    improve("observe", "Return problem+json", cwd=blog)
    improve("escalate", "--apply")
    assert "problem+json" in (blog / "AGENTS.md").read_text()
    assert (shop / "AGENTS.md").read_text().count("problem+json") == 1


def test_d_a_rule_that_already_stands_in_the_file_is_recorded_as_written(
    improve: Improve, repository: Repository
) -> None:
    """It is found, not repeated, and is no longer due."""
    text = f"# Shop\n\n## Anything\n\n* {PNPM}.\n"
    shop = repository("shop", agents=text)
    improve("observe", PNPM, cwd=shop)
    improve("observe", PNPM, cwd=shop)
    assert "stands there already" in improve("escalate", "--apply").out
    assert (shop / "AGENTS.md").read_text() == text
    assert improve("due").out == "Nothing is due.\n"


def test_e_a_longer_rule_or_a_mention_in_prose_is_not_the_rule(improve: Improve, repository: Repository) -> None:
    """A substring, a sentence in prose and a line in a code fence do not count as written."""
    text = "# Shop\n\nUse uv everywhere.\n\n```\n- Use uv\n```\n\n- Use uv tool for installing command line programs\n"
    shop = repository("shop", agents=text)
    improve("observe", "Use uv", cwd=shop)
    improve("observe", "Use uv", cwd=shop)
    improve("escalate", "--apply")
    after = (shop / "AGENTS.md").read_text()
    assert after.count("\n- Use uv\n") == 2
    assert after.startswith(text.rstrip("\n"))


def test_f_a_heading_that_only_contains_the_section_is_another_section(
    improve: Improve, repository: Repository
) -> None:
    """`## Testing Strategy`, `### Testing` in a fence and prose are not `## Testing`."""
    text = "# Shop\n\n## Testing Strategy\n\n- Mock nothing.\n\n```md\n## Testing\n```\n"
    shop = repository("shop", agents=text)
    for _ in range(2):
        improve("observe", "Name tests after behaviour", "--domain", "testing", cwd=shop)
    improve("escalate", "--apply")
    after = (shop / "AGENTS.md").read_text()
    assert after == text + "\n## Testing\n\n- Name tests after behaviour\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("提交前运行所有测试", "不要提交密钥"),
        ("Пиши комментарии по-русски", "Не удаляй тесты"),
        ("常にpnpmを使う", "コメントは英語で書く"),
    ],
)
def test_g_rules_in_other_scripts_do_not_collide(improve: Improve, one: str, other: str) -> None:
    """Each rule has its own id made of its own letters."""
    first = improve("observe", one, "--project", "p", "--json").json["rule"]
    second = improve("observe", other, "--project", "p", "--json").json["rule"]
    assert first["id"] != second["id"]
    assert first["count"] == second["count"] == 1
    assert any(not c.isascii() for c in first["id"])


def test_g_long_rules_that_begin_alike_do_not_collide(improve: Improve) -> None:
    """Two rules whose first 80 letters are the same stay two."""
    start = "Write the changelog entry for every user-visible change in the imperative mood and put the ticket number"
    first = improve("observe", f"{start} first", "--project", "p", "--new", "--json").json["rule"]["id"]
    second = improve(
        "observe", f"{start} in brackets at the end of line two", "--project", "p", "--new", "--json"
    ).json["rule"]["id"]
    assert first != second


def test_h_a_retired_rule_is_not_shown_due_or_written(improve: Improve, repository: Repository) -> None:
    """`retired: true`, typed by a person, is obeyed everywhere."""
    shop = repository("shop")
    improve("observe", PNPM, cwd=shop)
    improve("observe", PNPM, cwd=shop)
    rule = improve("due", "--json").json["rules"][0]["id"]
    improve("retire", rule, "--because", "we use bun now")
    assert improve("due").out == "Nothing is due.\n"
    assert rule not in improve("status").out
    improve("escalate", "--apply")
    assert not (shop / "AGENTS.md").exists()
    assert improve("stale", "--days", "0", "--json").json["rules"] == []
    improve("restore", rule)
    assert improve("due", "--json").json["total"] == 1


def test_i_a_directory_that_is_no_project_is_no_second_project(
    improve: Improve, repository: Repository, home: Path
) -> None:
    """Observations from home count as occasions, not as another project."""
    shop = repository("shop")
    improve("observe", PNPM, "--domain", "tool-usage", cwd=shop)
    said = improve("observe", PNPM, cwd=home)
    assert said.first == "RECORDED (count=2, same project) → candidate for PROJECT AGENTS.md"


def test_j_two_repositories_of_one_name_are_two_projects(improve: Improve, repository: Repository) -> None:
    """org1/api and org2/api differ; ssh and https clones of one do not."""
    one = repository("one", remote="git@github.com:org1/api.git")
    two = repository("two", remote="https://github.com/org2/api")
    again = repository("again", remote="https://user:secret@github.com/Org1/API.git")
    improve("observe", PNPM, "--domain", "api-design", cwd=one)
    assert "same project" in improve("observe", PNPM, cwd=again).first
    assert "cross-project" in improve("observe", PNPM, cwd=two).first


def test_k_repeats_in_one_session_are_one_occasion(improve: Improve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three repeats in one chat count once, from the option or from the host's own variable."""
    for _ in range(3):
        said = improve("observe", PNPM, "--project", "p", "--session", "s1")
    assert said.first == "RECORDED (count=1) → apply in-session only"
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s2")
    monkeypatch.setenv("CLAUDECODE", "1")
    for _ in range(3):
        said = improve("observe", PNPM, "--project", "p")
    assert said.first.startswith("RECORDED (count=2,")


def test_l_escalate_without_flags_changes_nothing(improve: Improve, repository: Repository, home: Path) -> None:
    """A preview leaves the store and every file byte for byte as they were."""
    shop = repository("shop")
    improve("observe", PNPM, cwd=shop)
    improve("observe", PNPM, cwd=shop)
    before = snapshot(home, shop)
    assert "+- Use pnpm" in improve("escalate").out
    assert "+- Use pnpm" in improve("escalate", "--dry-run").out
    assert snapshot(home, shop) == before


def snapshot(*roots: Path) -> dict[str, bytes]:
    """Read every file of a tree that is not derived."""
    found = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.is_file() and ".cache" not in path.parts and "state" not in path.parts:
                found[str(path)] = path.read_bytes()
    return found


def test_m_written_paths_are_absolute(improve: Improve, repository: Repository) -> None:
    """`written_to` names a file from anywhere."""
    shop = repository("shop")
    improve("observe", PNPM, cwd=shop)
    improve("observe", PNPM, cwd=shop)
    improve("escalate", "--apply")
    [entry] = improve("status", "--json").json["rules"][0]["written_to"]
    assert entry["path"] == str(shop / "AGENTS.md")


def test_n_a_corrupt_store_is_an_error_with_a_line_and_keeps_the_observation(improve: Improve, rules: Path) -> None:
    """Broken YAML exits 6, names the line, changes nothing; the observation is merged once the file is mended."""
    improve("observe", PNPM, "--project", "p")
    good = rules.read_bytes()
    bad = good.replace(b"  rule: ", b"  rule: [", 1)
    rules.write_bytes(bad)
    said = improve("observe", "Name things well", "--project", "p", code=6)
    assert "line " in said.err
    assert rules.read_bytes() == bad
    rules.write_bytes(good)
    assert improve("status", "--all", "--json").json["total"] == 2


def test_o_seed_takes_bullets_only_and_does_not_freeze_them(
    improve: Improve, repository: Repository, opencode: Path
) -> None:
    """Prose, tables, code, headings and numbered text are no rules; a seeded rule can still be promoted."""
    text = (
        "# Title\n\nLong prose that is no rule at all.\n\n## Testing\n\n- Run the tests twice\n\n"
        "| a | b |\n|---|---|\n| x | y |\n\n"
        "```\n- not this\n```\n\n1. nor this step\n"
    )
    shop, blog = repository("shop", agents=text), repository("blog")
    seeded = improve("seed", "--from-agents-md", str(shop / "AGENTS.md"), "--json").json
    assert seeded["added"] == ["run-the-tests-twice"]
    assert improve("seed", "--from-agents-md", str(shop / "AGENTS.md"), "--json").json["added"] == []
    rule = improve("history", "run-the-tests-twice", "--json").json
    assert rule["domain"] == "testing"
    assert rule["confirmed"] is True
    improve("observe", "Run the tests twice", cwd=blog)
    improve("escalate", "--apply")
    assert "Run the tests twice" in opencode.read_text(encoding="utf-8")
    assert (shop / "AGENTS.md").read_text() == text, "the person's own line stays"


def test_p_confirm_checks_the_file_and_records_once(improve: Improve, repository: Repository) -> None:
    """Without the line it is refused; with it, twice confirmed is once recorded."""
    shop = repository("shop", agents="# Shop\n")
    improve("observe", PNPM, cwd=shop)
    improve("observe", PNPM, cwd=shop)
    rule = improve("due", "--json").json["rules"][0]["id"]
    assert "not written yet" in improve("confirm", rule, "--scope", "local", code=3).err
    (shop / "AGENTS.md").write_text("# Shop\n\n- Always use pnpm; never run npm install\n")
    improve("confirm", rule, "--scope", "local")
    improve("confirm", rule, "--scope", "local")
    written = improve("status", "--json").json["rules"][0]["written_to"]
    assert [w["text"] for w in written] == ["Always use pnpm; never run npm install"]


def test_q_every_domain_with_a_section_is_listed_and_says_how_it_decides(improve: Improve) -> None:
    """The seven section-only domains are shown as such, and observe takes them."""
    kinds = {d["domain"]: d["kind"] for d in improve("domains", "--json").json["domains"]}
    assert len(kinds) == 25
    assert kinds["workflow"] == "section only"
    assert kinds["auth-architecture"] == "project-specific"
    said = improve(
        "set", improve("observe", PNPM, "--project", "p", "--json").json["rule"]["id"], "--domain", "workflow"
    )
    assert "neither list" in said.out


def test_r_scope_and_domain_can_be_changed_and_cleared(improve: Improve) -> None:
    """An explicit scope can be taken back, a domain set again."""
    rule = improve("observe", PNPM, "--project", "p", "--explicit-scope", "global", "--json").json["rule"]
    assert rule["decision"] == "global"
    improve("set", rule["id"], "--scope", "none", "--domain", "testing")
    improve("set", rule["id"], "--domain", "security")
    now = improve("history", rule["id"], "--json").json
    assert (now["explicit_scope"], now["domain"], now["decision"]) == (None, "security", "in-session")
