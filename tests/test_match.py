"""The matcher: same, near, contradictory and unrelated rules."""

from __future__ import annotations

import json

import pytest

from improve import match
from improve.errors import UsageError


def test_equal_but_for_markdown_is_exact() -> None:
    """Case, emphasis, bullets, code marks, final stops and runs of spaces make no other rule."""
    assert match.normalize("- **Never**  commit `secrets`.") == match.normalize("never commit secrets")


def test_answers_one_line_for_each_pair() -> None:
    """`answer_pairs` answers in ASCII JSON lines, in order."""
    lines = [json.dumps({"id": 1, "a": "Use pnpm for installs", "b": "Use npm for installs"})]
    answer = json.loads("".join(match.answer_pairs(lines)))
    assert answer["id"] == 1 and answer["relation"] == "contradict"


def test_malformed_line_is_named() -> None:
    """A line that is no pair is a usage error which names its number."""
    with pytest.raises(UsageError, match="line 2"):
        list(match.answer_pairs(['{"id": 1, "a": "x", "b": "y"}', "nonsense"]))
