"""What a person typed after a command's name is found in what a host made of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.transcripts.expansion import expander, template, typed_after, upward

_BODIES = [
    "Review it: $ARGUMENTS",
    "Review it: $ARGUMENTS\n\nand be brief.",
    "Review $1 it: and be brief.",
    "Review it and be brief: ${@:1}",
    "---\nagent: build\n---\nReview it: $@ and be brief.",
    "Review it and be brief.",
]


@pytest.mark.parametrize("body", _BODIES)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40).map(str.strip))
def test_what_was_typed_is_given_back(body: str, typed: str) -> None:
    """Whatever it was, and where the command had no place for it, too."""
    known = template(body)
    assert known is not None
    fixed = [part for one in known.fixed for part in (one, typed)][:-1]
    text = "".join(fixed) if known.typed else f"{fixed[0]}\n\n{typed}" if typed else fixed[0]
    assert typed_after(f"{text}\n", known) == typed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Review",
        "Review it: x",
        "Review it: x and be",
        "review it: x and be brief.",
        "So: Review it: x and be brief.",
    ],
)
@pytest.mark.parametrize("body", [body for body in _BODIES if "be brief" in body and "ARG" not in body])
def test_other_words_are_made_of_no_command(body: str, text: str) -> None:
    """All that a command says must be there, from the beginning to the end."""
    known = template(body)
    assert known is not None
    assert typed_after(text, known) is None


@pytest.mark.parametrize("body", ["", "$ARGUMENTS", "Fix $1", "---\nagent: build\n---\n", "---", "!`cat notes.md`"])
def test_a_command_that_says_too_little_is_not_looked_for(body: str) -> None:
    """Anything might have been made of it."""
    assert template(body) is None


def test_the_output_of_a_program_was_not_typed() -> None:
    """What stands in the place of a program's output is passed over."""
    known = template("Look at !`git diff` and then at $ARGUMENTS, please")
    assert known is not None
    assert typed_after("Look at +a\n-b and then at the tests, please", known) == "the tests"


def test_places_are_those_up_to_the_repository(tmp_path: Path) -> None:
    """Above the repository nothing is looked for; a directory that is no path has no places."""
    (tmp_path / "app" / ".git").mkdir(parents=True)
    places = list(upward(str(tmp_path / "app" / "src"), ".x"))
    assert places == [str(tmp_path / "app" / "src" / ".x"), str(tmp_path / "app" / ".x")]
    assert list(upward("", ".x")) == list(upward("src", ".x")) == []


def test_commands_are_read_when_the_first_text_comes(tmp_path: Path) -> None:
    """The one that says more is asked first; what cannot be read is none."""
    asked: list[str] = []

    def places() -> list[str]:
        asked.append("")
        return [str(tmp_path), str(tmp_path / "missing")]

    (tmp_path / "a.md").write_text("Review it: $ARGUMENTS", encoding="utf-8")
    (tmp_path / "b.md").write_text("Review it: with care, $ARGUMENTS", encoding="utf-8")
    (tmp_path / "c.md").write_bytes(b"\xff\xfe\x00")
    expanded = expander(places)
    assert asked == []
    assert [expanded(text) for text in ("Review it: with care, x", "Review it: y", "Review")] == ["x", "y", None]
    assert asked == [""]
