"""Why a written rule recurs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.cause import Facts, Placed, find, vague_words
from improve.rule import Check, Rule, Written

DATA = Path(__file__).parent / "data" / "vague.txt"
ROWS = [
    line.split(" | ", 1) for line in DATA.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
]
UV = Rule("use-uv", "Use uv, never pip install", written_to=(Written("/p/AGENTS.md", "2026-03-01", text="Use uv"),))
HERE = Placed("codex", "/p/AGENTS.md", "loaded")


@pytest.mark.parametrize(("label", "text"), ROWS)
def test_vague_rules_are_told_from_clear_ones(label: str, text: str) -> None:
    """A rule is vague when nobody could tell from a session whether it was followed."""
    assert (vague_words(text) is not None) == (label == "vague")


@pytest.mark.parametrize(
    ("facts", "cause", "shown", "fix"),
    [
        (Facts(UV._replace(written_to=())), "not-written", "no instruction file", "improve escalate --apply use-uv"),
        (Facts(UV, (Placed("codex", "/p/AGENTS.md", "gone"),)), "not-written", "/p/AGENTS.md", "improve escalate"),
        (
            Facts(UV, (HERE, Placed("pi", "/p/X.md", "hidden", "Y hides it", "mv Y"))),
            "not-loaded",
            "in pi, Y hides it",
            "mv Y",
        ),
        (Facts(UV, (Placed("pi", "/p/X.md", "foreign"),)), "not-loaded", "pi does not load /p/X.md", "--host pi"),
        (Facts(UV, (Placed("codex", "/p/A.md", "cut"),)), "cut", "start of /p/A.md", "improve budget"),
        (Facts(UV, (HERE,), (Rule("pip", "Use pip, not uv"),)), "contradicted", "rule pip says", "improve retire pip"),
        (Facts(UV, (HERE,), (), (("A.md", b"# A\n\n- x\n- Always use pip\n"),)), "contradicted", "A.md:4", "line 4"),
        (Facts(UV, (HERE,), (), (("A.md", b"## Don't\n\n- Run uv\n"),)), "contradicted", "A.md:3", "line 3 of A.md"),
        (Facts(UV._replace(text="Write clean code"), (HERE,)), "vague", "clean", "improve set use-uv --text"),
        (Facts(UV, (HERE,)), "ignored", "by codex", "improve check suggest use-uv, then improve guard use-uv --warn"),
        (Facts(UV._replace(check=Check("shell")), (HERE,)), "ignored", "followed", "improve guard use-uv --warn"),
        (Facts(UV._replace(check=Check("shell"), guard="warn")), "ignored", "followed", "improve guard use-uv --deny"),
        (Facts(UV._replace(check=Check("shell"), guard="deny")), "ignored", "followed", "improve history use-uv"),
    ],
)
def test_the_first_cause_that_holds_is_named_with_its_fix(facts: Facts, cause: str, shown: str, fix: str) -> None:
    """What shows it is quoted, and the command that helps stands beside it."""
    found = find(facts)
    assert found.cause == cause
    assert shown in found.detail
    assert fix in found.fix


@pytest.mark.parametrize(
    "data",
    [
        b"- Use uv\n- Use `uv`, never `pip install`\n",
        b"- Use uv for Python and npm for the site\n",
        b"- Never use pip\n",
        b"- Install packages with uv\n- Say in the docs which version of pip is the oldest that works\n",
        b"- If there is a requirements.txt, say so\n",
        b"## Don't\n\n- use pip\n",
        b"## Avoid\n\n* `pip install` outside of a virtual environment\n",
        b"```\n- Use pip, not uv\n```\n",
        b"<!--\n- Use pip, not uv\n-->\n",
        b"- Use tabs\n- Reply in German\n- Commit often\n",
        "## 禁止\n\n- 使用 pip\n".encode(),
        b"",
        b"\xff\xfe- \x00\n",
    ],
)
def test_lines_that_agree_or_speak_of_something_else_are_no_contradiction(data: bytes) -> None:
    """Nor is the rule's own line, code, a comment, or what stands under a heading that forbids it."""
    assert find(Facts(UV, (HERE,), (), (("A.md", data),))).cause == "ignored"


@pytest.mark.parametrize(
    "other",
    [
        Rule("use-uv", "Use pip, not uv"),
        Rule("old", "Use pip, not uv", retired=True),
        Rule("npm", "Use pnpm, never npm"),
        Rule("tabs", "Use tabs"),
        Rule("same", "Never use pip"),
        Rule("uv", "Use uv run for scripts"),
        Rule("poetry", "Never use poetry"),
    ],
)
def test_rules_that_can_be_followed_together_are_no_contradiction(other: Rule) -> None:
    """Nor is the rule itself, or one that was retired."""
    assert find(Facts(UV, (HERE,), (other,))).cause == "ignored"


def test_what_a_rule_superseded_does_not_contradict_it() -> None:
    """The question was answered when it took the other's place."""
    other = Rule("pip", "Use pip, not uv")
    assert find(Facts(UV._replace(supersedes=("pip",)), (HERE,), (other,))).cause == "ignored"


@given(st.text(max_size=200), st.binary(max_size=300))
def test_no_text_breaks_it(text: str, data: bytes) -> None:
    """There is always a cause and a fix, whatever the rule and the file say."""
    found = find(Facts(UV._replace(text=text), (HERE,), (Rule("o", text[::-1]),), (("A.md", data),)))
    assert found.cause and found.fix and found.detail


def test_a_line_of_the_same_subject_with_the_other_choice_is_a_contradiction() -> None:
    """What both speak of counts, too: the line is about nothing else."""
    rule = UV._replace(text="Indent Terraform with two spaces, never tabs")
    found = find(Facts(rule, (HERE,), (), (("A.md", b"- Name things\n- Indent Terraform files with tabs.\n"),)))
    assert (found.cause, "A.md:2" in found.detail) == ("contradicted", True)
    said = b"- Indent lists in Markdown with tabs where the file does, or leave the Terraform docs alone\n"
    assert find(Facts(rule, (HERE,), (), (("A.md", said),))).cause == "ignored"
