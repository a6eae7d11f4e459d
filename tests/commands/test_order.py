"""The order of rules.yaml is the person's: what is taken back stands where it stood."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from commands.conftest import Improve

HEAD = "version: 2\nrules:\n"
RULES = {
    "soup": "Order the alphabet soup by length",
    "shed": "Paint the shed green in spring",
    "lamps": "Dim every lamp before midnight",
    "owls": "Count owls on Tuesdays",
}


def entry(name: str) -> str:
    """Write a rule as a person may have done."""
    seen = "  - project: p\n    date: 2026-01-05\n    context: ''\n"
    return f"- id: {name}\n  rule: {RULES[name]}   # {name}\n  domain: unknown\n  observations:\n{seen}"


@pytest.mark.parametrize(("kept", "gone"), list(permutations(RULES, 2)))
def test_undo_of_a_merge_puts_the_rule_where_it_was(improve: Improve, rules: Path, kept: str, gone: str) -> None:
    """Whichever two rules are merged, every byte of the file is back."""
    improve("init")
    text = HEAD + "".join(map(entry, RULES))
    rules.write_text(text, encoding="utf-8")
    improve("merge", kept, gone)
    assert f"- id: {gone}\n" not in rules.read_text(encoding="utf-8")
    improve("undo")
    assert rules.read_text(encoding="utf-8") == text
    assert improve("status", "--all", "--json").json["total"] == 4
    improve("doctor")
    improve("observe", RULES["lamps"], "--project", "p")
    assert [line for line in rules.read_text(encoding="utf-8").splitlines() if line.startswith("- id: ")] == [
        f"- id: {name}" for name in RULES
    ]


@pytest.mark.parametrize(("kept", "gone"), [pair for pair in permutations(RULES, 2) if pair[1] != "soup"])
def test_comments_between_rules_are_where_they_were(improve: Improve, rules: Path, kept: str, gone: str) -> None:
    """The comment above the rule and the one above the next rule are on their sides of it again."""
    improve("init")
    text = HEAD + "\n# above\n".join(map(entry, RULES)) + "# the end\n"
    rules.write_text(text, encoding="utf-8")
    improve("merge", kept, gone)
    improve("undo")
    assert rules.read_text(encoding="utf-8") == text
    improve("doctor")


def test_a_rule_whose_neighbour_is_gone_comes_back_at_the_end(improve: Improve, rules: Path) -> None:
    """Somebody took the rule above away meanwhile: nothing is guessed and nothing is lost."""
    improve("init")
    rules.write_text(HEAD + "".join(map(entry, RULES)), encoding="utf-8")
    improve("merge", "owls", "shed")
    rules.write_text(rules.read_text(encoding="utf-8").replace(entry("soup"), ""), encoding="utf-8")
    improve("undo")
    assert rules.read_text(encoding="utf-8") == HEAD + entry("lamps") + entry("owls") + entry("shed")
