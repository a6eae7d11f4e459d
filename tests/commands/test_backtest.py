"""backtest: how often a check would have hit, before and after its rule was written, and which calls those are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.conftest import Improve, Repository
from commands.sessions import Claude, Codex
from improve.workflow.backtest import wilson

RULE = """\
version: 2
rules:
  - id: use-uv
    rule: Use uv, never pip install.
    domain: tooling
    created: '2026-01-01'
    observations: [{date: '2026-01-01', project: github.com/acme/shop}]
    written_to: [{path: /x/AGENTS.md, date: 'DAY', at: 'AT', scope: project}]
    check: {tool: shell, deny: [pip install], unless: [pip install uv]}
  - id: plain
    rule: Be nice.
    domain: style
    created: '2026-01-01'
    observations: [{date: '2026-01-01', project: github.com/acme/shop}]
"""


@pytest.fixture
def shop(home: Path, rules: Path, repository: Repository) -> Path:
    """Make a repository, a rule that was written to a file ten days ago, and sessions before and after that."""
    root = repository("shop")
    written = datetime.now(UTC) - timedelta(days=10)
    rules.parent.mkdir(parents=True, exist_ok=True)
    text = RULE.replace("DAY", f"{written:%Y-%m-%d}").replace("AT", written.isoformat(timespec="seconds"))
    rules.write_text(text, encoding="utf-8")
    before = Claude(home, root, "before", began=written - timedelta(days=5)).types("go")
    before.runs("ls").runs("pip install requests").runs("cd x && pip install requests").runs("pip install uv")
    after = Claude(home, root, "after", began=written + timedelta(days=5)).types("go")
    after.runs("pip install rich").runs("echo 'never pip install'").runs("uv add rich")
    Codex(home, root, began=written + timedelta(days=6)).types("go").answers("done")
    return root


def figures(improve: Improve, *argv: str) -> dict[str, Any]:
    """Test one check and give what is told of it."""
    [found] = improve("backtest", "--json", *argv).json["rules"]
    return dict(found)


def test_calls_are_counted_before_and_after_the_rule_was_written(improve: Improve, shop: Path) -> None:
    """Of four calls before two are hit, of three after one; what is fine, or only said, is not."""
    found = figures(improve, "use-uv")
    assert [(found[when]["hit"], found[when]["calls"]) for when in ("before", "after", "total")] == [
        (2, 4),
        (1, 3),
        (3, 7),
    ]
    assert found["before"]["per_1000"] == 500 and found["before"]["low"] < 500 < found["before"]["high"]
    assert found["projects"]["github.com/acme/shop"]["hit"] == 3 and found["hosts"]["claude-code"]["sessions"] == 2


def test_the_calls_are_listed_to_be_read(improve: Improve, shop: Path) -> None:
    """Each hit is shown with its session and day, grouped by what is denied in it, the newest first."""
    found = figures(improve, "use-uv")
    subjects = [hit["subject"] for group in found["groups"] for hit in group["hits"]]
    assert subjects[0] == "pip install rich" and set(subjects[1:]) == {
        "pip install requests",
        "cd x && pip install requests",
    }
    assert sum(group["times"] for group in found["groups"]) == 3
    said = improve("backtest", "use-uv").out
    assert "pip install rich" in said and "per 1,000 calls" in said and "since then" in said


def test_a_check_can_be_tried_before_it_belongs_to_a_rule(improve: Improve, shop: Path) -> None:
    """With --deny a pattern is tried, alone or in the place of a rule's own."""
    assert figures(improve, "--deny", "uv add")["total"]["hit"] == 1
    assert figures(improve, "use-uv", "--deny", "pip install")["before"]["hit"] == 3


def test_all_rules_with_a_check_are_figures(improve: Improve, shop: Path) -> None:
    """--all leaves out rules without a check."""
    found = improve("backtest", "--all", "--json").json["rules"]
    assert [each["rule_id"] for each in found] == ["use-uv"]


def test_only_a_span_of_time_is_looked_at(improve: Improve, shop: Path) -> None:
    """--since leaves out older calls, from the count as from the list."""
    found = figures(improve, "use-uv", "--since", "10d")
    assert (found["before"]["calls"], found["after"]["calls"], found["total"]["hit"]) == (0, 3, 1)


def test_the_list_can_be_shortened(improve: Improve, shop: Path) -> None:
    """--limit says how many kinds of hits are shown, and what was left out is said."""
    every = figures(improve, "--deny", "pip install", "--limit", "0")["groups"]
    few = figures(improve, "--deny", "pip install", "--limit", "1")
    assert len(few["groups"]) == 1 and few["groups_left_out"] == len(every) - 1


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["backtest"], 2),
        (["backtest", "no-such-rule"], 7),
        (["backtest", "plain"], 3),
        (["backtest", "--all", "use-uv"], 2),
        (["backtest", "--all", "--deny", "x"], 2),
        (["backtest", "use-uv", "--unless", "x"], 2),
        (["backtest", "use-uv", "--since", "soon"], 2),
        (["backtest", "--deny", ""], 2),
    ],
)
def test_what_makes_no_sense_is_said(improve: Improve, shop: Path, argv: list[str], code: int) -> None:
    """A wrong command line, an unknown rule and a rule without a check each have their own exit code."""
    assert improve(*argv, code=code).err


def test_without_any_history_there_is_nothing_to_tell(improve: Improve, home: Path) -> None:
    """Where nothing was recorded the answer says so."""
    assert "no calls are known" in improve("backtest", "--deny", "pip install").out
    assert "No rule has a check" in improve("backtest", "--all").out


def test_what_was_stored_cannot_steer_a_terminal(improve: Improve, home: Path, repository: Repository) -> None:
    """Control characters in a past command are shown as escapes."""
    Claude(home, repository("evil")).types("go").runs("pip install \x1b[2Jx\x07\u202e")
    said = improve("backtest", "--deny", "pip install").out
    assert "\x1b" not in said and "\u202e" not in said and "\\x1b" in said


def test_what_it_prints_is_no_correction_when_it_is_pasted(improve: Improve, shop: Path) -> None:
    """A person who pastes the answer of backtest said nothing."""
    from improve import cue

    said = improve("backtest", "use-uv").out
    assert cue.is_ours(said)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_an_interval_holds_the_share(one: int, other: int) -> None:
    """Wilson's bounds lie within 0 and 1, around the share itself."""
    hit, of = min(one, other), max(one, other)
    low, high = wilson(hit, of)
    assert 0 <= low <= high <= 1
    if of:
        assert low - 1e-12 <= hit / of <= high + 1e-12


def test_projects_without_a_hit_are_only_counted(
    improve: Improve, shop: Path, repository: Repository, home: Path
) -> None:
    """What is never hit takes no line of its own."""
    for name in ("web", "api"):
        Claude(home, repository(name), name).types("go").runs("ls")
    said = improve("backtest", "use-uv", cwd=shop).out
    assert "github.com/acme/shop: 428.6 per 1,000 calls" in said
    assert "    none in 2 other projects\n" in said
    assert "acme/web" not in said and "none in" not in said.replace("none in 2 other projects", "")
