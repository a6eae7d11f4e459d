"""observe: what it prints, what it keeps, and how a question about a near rule is settled."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository

PNPM = "Use pnpm, never npm install"


def test_the_first_line_keeps_the_wording_agents_know(improve: Improve) -> None:
    """Each branch of the tree has its message, letter for letter."""
    say = lambda *a: improve("observe", *a).first  # noqa: E731
    assert say(PNPM, "--project", "a", "--domain", "tool-usage") == "RECORDED (count=1) → apply in-session only"
    assert say(PNPM, "--project", "a") == "RECORDED (count=2, same project) → candidate for PROJECT AGENTS.md"
    assert (
        say(PNPM, "--project", "b")
        == "RECORDED (count=3, cross-project, general domain) → candidate for GLOBAL AGENTS.md"
    )
    assert (
        say(PNPM, "--project", "b", "--explicit-scope", "local")
        == "RECORDED (count=4, explicit=local) → stays in project AGENTS.md"
    )
    assert (
        say(PNPM, "--project", "b", "--explicit-scope", "global")
        == "RECORDED (count=5, explicit=global) → should write to GLOBAL AGENTS.md"
    )
    api = "Return problem+json from every endpoint"
    say(api, "--project", "a", "--domain", "api-design")
    assert (
        say(api, "--project", "b")
        == "RECORDED (count=2, cross-project, project-specific domain) → candidate for EACH PROJECT AGENTS.md"
    )
    odd = "Paint the shed green in spring"
    say(odd, "--project", "a")
    assert (
        say(odd, "--project", "b")
        == "RECORDED (count=2, cross-project, unknown domain) → candidate for EACH PROJECT AGENTS.md"
    )


def test_an_unknown_domain_seen_in_two_projects_names_the_command_that_sets_it(improve: Improve) -> None:
    """The output says which command sets the domain and what would change."""
    improve("observe", "Paint the shed green in spring", "--project", "a")
    said = improve("observe", "Paint the shed green in spring", "--project", "b")
    assert "improve set paint-the-shed-green-in-spring --domain" in said.out
    assert "global" in said.out


def test_a_near_rule_is_asked_about_once_and_the_answer_is_kept(improve: Improve) -> None:
    """`--same-as` joins the two without counting the answer as one more occasion; the wording is known ever after."""
    improve("observe", "Use pnpm instead of npm for installing packages", "--project", "a")
    near = improve("observe", "Install packages of the web client with pnpm", "--project", "a", "--json").json
    if near["how"] == "matched":
        pytest.skip("the matcher is already sure of this pair")
    assert near["near"], near
    target = near["near"][0]["id"]
    settled = improve(
        "observe", "--same-as", target, "--project", "a", "--", "Install packages of the web client with pnpm"
    )
    assert settled.first == "RECORDED (count=2, same project) → candidate for PROJECT AGENTS.md"
    again = improve("observe", "Install packages of the web client with pnpm", "--project", "a", "--json").json
    assert (again["how"], again["rule"]["id"], again["rule"]["count"]) == ("same wording", target, 3)
    assert improve("status", "--all", "--json").json["total"] == 1


def test_new_answers_the_question_the_other_way(improve: Improve) -> None:
    """`--new` keeps the rule apart, counts nothing twice, and the question does not come again."""
    improve("observe", "Use pnpm instead of npm for installing packages", "--project", "a")
    near = improve("observe", "Install packages of the web client with pnpm", "--project", "a", "--json").json
    if not near["near"]:
        pytest.skip("the matcher does not ask about this pair")
    answer = improve(
        "observe", "--new", "--project", "a", "--json", "--", "Install packages of the web client with pnpm"
    ).json
    assert (answer["how"], answer["rule"]["count"], answer["rule"]["near"]) == ("settled", 1, [])
    assert improve("status", "--all", "--json").json["total"] == 2


def test_same_as_alone_counts_one_more_occasion(improve: Improve) -> None:
    """An agent that knows the rule from `status` names only its id."""
    rule = improve("observe", PNPM, "--project", "a", "--json").json["rule"]["id"]
    said = improve("observe", "--same-as", rule, "--project", "b", "--context", "npm again")
    assert said.first.startswith("RECORDED (count=2, cross-project")


def test_an_unknown_id_is_refused_and_nothing_is_kept(improve: Improve, home: Path) -> None:
    """Exit 7, no observation in the spool, similar ids named."""
    improve("observe", PNPM, "--project", "a")
    said = improve("observe", "--same-as", "use-pnpm", "Something", code=7)
    assert "use-pnpm-never-npm-install" in said.err
    assert not list((home / ".agent-improvement" / "spool").iterdir())


def test_a_contradiction_is_its_own_rule_and_both_sides_are_shown(improve: Improve) -> None:
    """The other rule is named with both sides' evidence and the command that settles it; nothing is merged."""
    for project in ("a", "b"):
        improve("observe", "Use tabs for indentation", "--project", project)
    said = improve("observe", "Use spaces for indentation", "--project", "a")
    assert said.first == "RECORDED (count=1) → apply in-session only"
    assert "CONTRADICTS use-tabs-for-indentation" in said.out
    assert "count 1" in said.out
    assert "count 2" in said.out
    assert "improve retire use-tabs-for-indentation" in said.out


def test_a_rule_may_begin_with_a_dash_or_come_from_standard_input(
    improve: Improve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After `--` nothing is an option; `-` reads standard input."""
    assert (
        improve("observe", "--project", "p", "--json", "--", "--apply nothing by yourself")
        .json["rule"]["rule"]
        .startswith("--apply")
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO("Keep functions short\n"))
    assert improve("observe", "-", "--project", "p", "--json").json["rule"]["rule"] == "Keep functions short"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("use pnpm\n## New system rule", "column 9"),
        ("use \u202epnpm", "U+202E at column 5"),
        ("use pnpm <!-- hidden -->", "<!--"),
        ("tag\U000e0041ged", "U+E0041 at column 4"),
        ("a" * 100_000, "1,000"),
    ],
)
def test_a_rule_that_is_not_one_plain_line_is_refused(improve: Improve, home: Path, text: str, where: str) -> None:
    """Exit 3, the reason and its position, and the home is byte for byte what it was."""
    improve("observe", PNPM, "--project", "p")
    before = {p: p.read_bytes() for p in (home / ".agent-improvement").rglob("*") if p.is_file()}
    said = improve("observe", text, "--project", "p", code=3)
    assert where in said.err
    assert {p: p.read_bytes() for p in (home / ".agent-improvement").rglob("*") if p.is_file()} == before


def test_nothing_to_record_is_a_usage_error(improve: Improve) -> None:
    """No rule, a blank rule, and --same-as with --new exit 2."""
    improve("observe", code=2)
    improve("observe", "   ", code=2)
    improve("observe", "x", "--same-as", "y", "--new", code=2)
    improve("observe", "x", "--severity", "9", code=2)


def test_secrets_in_the_context_never_reach_the_disk(improve: Improve, home: Path) -> None:
    """The whole home, journal and spool included, is free of the token; a rule with one is refused."""
    token = "ghp_" + "Ab3" * 12
    improve("observe", PNPM, "--project", "p", "--context", f"pushed with {token} in the url")
    improve("observe", f"Use {token} to push", "--project", "p", code=3)
    for path in home.rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes(), path


def test_observing_from_a_directory_registers_the_project(improve: Improve, repository: Repository) -> None:
    """The registry knows key, name, remote and root; a second clone is a second root of the same project."""
    one, two = (
        repository("one", remote="git@github.com:acme/shop.git"),
        repository("two", remote="https://github.com/acme/shop"),
    )
    improve("observe", PNPM, cwd=one)
    improve("observe", PNPM, cwd=two)
    where = improve("where", "--json").json
    assert where["project"] == "github.com/acme/shop"
    assert where["roots"] == [str(two), str(one)]


def test_a_destination_is_kept_and_used(improve: Improve, repository: Repository) -> None:
    """`--file` and `--section` send the rule to a runbook instead of AGENTS.md."""
    shop = repository("shop")
    (shop / "docs").mkdir()
    for _ in range(2):
        improve(
            "observe", "Drain the queue before a deploy", "--file", "docs/deploy.md", "--section", "Steps", cwd=shop
        )
    improve("escalate", "--apply")
    assert "## Steps\n\n- Drain the queue before a deploy\n" in (shop / "docs" / "deploy.md").read_text()
    assert not (shop / "AGENTS.md").exists()


def test_a_rule_with_a_mistake_keeps_only_its_own_observations_waiting(improve: Improve, rules: Path) -> None:
    """Exit 6 for the rule somebody mistyped, success for all others, and nothing is lost once it is mended."""
    improve("observe", PNPM, "--project", "p")
    good = rules.read_text(encoding="utf-8")
    rules.write_text(good.replace("  cross_project:", "  severity: banana\n  cross_project:"), encoding="utf-8")
    assert "kept" in improve("observe", PNPM, "--project", "p", code=6).err
    assert improve("observe", "Water the roses weekly", "--project", "p").first.startswith("RECORDED (count=1)")
    mended = rules.read_text(encoding="utf-8").replace("  severity: banana\n", "")
    rules.write_text(mended, encoding="utf-8")
    improve("status")
    assert improve("history", "use-pnpm-never-npm-install", "--json").json["count"] == 2


def test_same_as_joins_a_wording_that_has_a_rule_of_its_own(improve: Improve) -> None:
    """Without an open question the call is one more occasion, and the two rules are one."""
    improve("observe", "Paint the shed green", "--project", "a")
    improve("observe", "Water the roses weekly", "--project", "a")
    said = improve(
        "observe", "--same-as", "paint-the-shed-green", "--project", "a", "--json", "--", "Water the roses weekly"
    ).json
    assert said["rule"]["count"] == 3
    assert improve("status", "--all", "--json").json["total"] == 1
