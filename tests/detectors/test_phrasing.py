"""Clear cases become a rule; whatever is not clear stays in the person's words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.detectors.conftest import DATA

from improve.detectors.phrasing import phrase
from improve.wording import check_rule

_PHRASED = [line.split(" => ") for line in (DATA / "phrased.txt").read_text("utf-8").splitlines()]
_UNPHRASED = [line.replace("\\n", "\n") for line in (DATA / "unphrased.txt").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("said", "rule"), _PHRASED, ids=[said for said, _ in _PHRASED])
def test_a_clear_case_is_phrased(said: str, rule: str) -> None:
    """What holds for good and names its subject becomes one imperative."""
    assert phrase(said) == rule


@pytest.mark.parametrize("said", _UNPHRASED)
def test_what_is_not_clear_is_left_alone(said: str) -> None:
    """Nothing is made of questions, of the moment, of what points at something, of wishes for the product."""
    assert phrase(said) == ""


@pytest.mark.parametrize("said", [said for said, _ in _PHRASED if said.isascii()])
def test_a_question_is_no_rule(said: str) -> None:
    """The same words with a question mark state nothing."""
    assert phrase(said.rstrip(".!") + "?") == ""


@pytest.mark.parametrize("said", [said for said, _ in _PHRASED])
def test_a_quotation_is_no_rule_of_the_person(said: str) -> None:
    """What was quoted or pasted may be somebody else's."""
    assert phrase(f"> {said}\nwhat do you think of it") == ""
    assert phrase(f"```\n{said}\n```") == ""


def test_the_clear_sentence_of_several_is_taken() -> None:
    """A rule may stand between other sentences."""
    assert phrase("That broke the build. From now on use pnpm. Then fix the login page.") == "Use pnpm"


def test_a_rule_with_a_secret_is_none() -> None:
    """Nothing that a rule may not hold becomes one."""
    assert phrase("from now on use sk-ant-api03-" + "aB3" * 20) == ""


@given(
    st.text(max_size=200) | st.sampled_from([said for said, _ in _PHRASED]).flatmap(lambda a: st.text().map(a.__add__))
)
def test_any_text_gives_a_good_rule_or_none(text: str) -> None:
    """Whatever comes in, the answer is empty or passes as a rule."""
    rule = phrase(text)
    assert not rule or check_rule(rule) == rule
