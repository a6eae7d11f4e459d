"""SKILL.md is valid, small, and its description alone is enough for the check after each message."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import skills_ref
from skills_ref.parser import read_properties

from documents import ROOT, SKILL


def test_the_skill_validates(tmp_path: Path) -> None:
    """SKILL.md is a valid skill in a directory of its name."""
    skill = tmp_path / "improve"
    skill.mkdir()
    shutil.copy(SKILL, skill)
    assert skills_ref.validate(skill) == []


def test_the_description_alone_is_enough_for_the_first_tier() -> None:
    """The description fits every host's list and names the three exact commands and both scopes."""
    described = read_properties(ROOT).description
    assert len(described) <= 1024
    assert not set("<>\n") & set(described)  # some hosts refuse what looks like a tag
    for command in ('observe "', "status`", "escalate --apply`"):
        assert f"python3 DIR/scripts/improve.py {command}" in described
    for word in (
        "correct",
        "preference",
        "repetition",
        "remember",
        "--explicit-scope global",
        "--explicit-scope local",
    ):
        assert word in described


def test_the_front_matter_is_plain() -> None:
    """Each value stands on one line and needs no quoting, so that even a simple reader gets it right."""
    front = SKILL.read_text(encoding="utf-8").split("---\n")[1]
    for line in front.splitlines():
        key, _, text = line.partition(": ")
        assert re.fullmatch(r"[a-z-]+", key)
        assert text[0].isalpha() and ": " not in text and " #" not in text


def test_the_skill_is_small() -> None:
    """The body of SKILL.md costs an agent no more than 5,000 tokens, at four characters each."""
    body = SKILL.read_text(encoding="utf-8").split("\n---\n", 1)[1]
    assert len(body) / 4 <= 5000
