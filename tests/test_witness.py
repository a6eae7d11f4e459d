"""witness: what a rule forbids, told by what a person stopped when it was learnt."""

from __future__ import annotations

import pytest

from improve.check import hits
from improve.rule import Check, Observation, Rule
from improve.session import SHELL, Call
from improve.witness import suggest
from improve.workflow import suggestion

DERIVED = [
    ("Use uv here", "refused: Bash: pip install x", "pip3 install y", "uv pip install y"),
    ("Use uv here", "refused: Bash: cd api && sudo pip3 install x", "pip install y", "pip list"),
    ("Use uv here", "user stopped a pip3 install", "python -m pip install y", "uv add y"),
    ("Install packages with pnpm", "refused: shell: npm ci …", "npm ci", "pnpm ci"),
    ("Install packages with pnpm", "user rejected `npm install`", "npm install x", "npm view x"),
    ("Search with rg", "refused: Bash: grep -rn foo src", "grep x", "rg x"),
    ("Run tests with pytest", "refused: Bash: python -m unittest tests.a", "python -m unittest b", "pytest b"),
]


@pytest.mark.parametrize(("text", "context", "bad", "good"), DERIVED)
def test_what_was_stopped_is_forbidden_by_a_rule_that_wants_another(
    text: str, context: str, bad: str, good: str
) -> None:
    """The program that was refused, with what it was to do, is what the rule forbids; no other use of it."""
    check = suggest(text, [context]).check
    assert check is not None
    assert hits(check, Call("", "", SHELL, bad))
    assert not hits(check, Call("", "", SHELL, good))


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("Use uv here", "refused: Bash: rm -rf build"),
        ("Use uv here", "refused: Bash: echo pip install x"),
        ("Use uv here", "refused: Edit: pip.txt"),
        ("Use uv here", "pip install was fine"),
        ("Use uv here", ""),
        ("Use uv or pip", "refused: Bash: pip install x"),
        ("Use uv and pnpm", "refused: Bash: pip install x"),
        ("Ask before you install", "refused: Bash: pip install x"),
        ("Use pnpm", "refused: Bash: pip install x"),
        ("Keep pip up to date, with uv", "refused: Bash: pip install x"),
        ("", "refused: Bash: pip install x"),
    ],
)
def test_nothing_is_derived_when_it_is_not_sure(text: str, context: str) -> None:
    """Another program, another purpose, two programs in a rule, none, or words alone: no check."""
    assert suggest(text, [context]).check is None


def test_a_rule_s_own_words_win_over_what_happened() -> None:
    """What happened is asked only where no wording gives a check; the reason is told."""
    seen = (Observation("p", "2026-07-01", "refused: Bash: pip install x"),)
    own = suggestion.of(Rule("a", "Use uv, never pip download", observations=seen))
    assert own.check == Check("shell", ("pip|pip3|pip3.* download",)) or own.check is not None
    told = suggestion.of(Rule("a", "Use uv here", observations=seen))
    assert told.check == Check("shell", ("pip|pip3|pip3.* install",))
    assert "was stopped" in told.why
