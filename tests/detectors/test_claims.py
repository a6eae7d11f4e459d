"""What agents claim, predict and own up to, and what people say of it, in the languages of the table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from improve.detectors import claims, sayings

from .conftest import DATA

KINDS: dict[str, Callable[[str], bool]] = {
    "checked": lambda said: (claim := claims.claimed(said)) is not None and claim.checked,
    "done": lambda said: claims.claimed(said) is not None,
    "predicted": lambda said: claims.predicted(said) is not None,
    "assumed": lambda said: bool(claims.assumed(said)),
    "admits": lambda said: claims.admitted(said)[1] == claims.STRONG,
    "agrees": lambda said: claims.admitted(said)[1] == claims.WEAK,
    "fails": claims.fails,
    "onward": claims.goes_on,
    "wasted": claims.wasted,
}


def rows() -> list[tuple[str, str]]:
    """Read the table: kind, sentence."""
    lines = (DATA / "sayings.txt").read_text(encoding="utf-8").splitlines()
    split = [line.split(" | ", 2) for line in lines if line and not line.startswith("#")]
    return [(kind, said) for kind, _, said in split]


@pytest.mark.parametrize(("kind", "said"), [row for row in rows() if row[0][0] != "-"])
def test_what_is_said_is_known(kind: str, said: str) -> None:
    """Each sentence of the table is taken for what it is."""
    assert KINDS[kind](said)


@pytest.mark.parametrize(("kind", "said"), [(row[0][1:], row[1]) for row in rows() if row[0][0] == "-"])
def test_what_is_not_said_is_not_heard(kind: str, said: str) -> None:
    """Each sentence that only resembles it is left alone."""
    assert not KINDS[kind](said)


@pytest.mark.parametrize("name", ["CHECKED", "DONE", "PREDICTS", "ASSUMED", "ADMITS", "AGREES", "FAILS", "WASTED"])
def test_the_gate_lets_through_what_the_pattern_finds(name: str) -> None:
    """The words looked for first are in every sentence that the pattern would find."""
    saying: sayings.Saying = getattr(sayings, name)
    for _, said in rows():
        assert saying.within(said) == bool(saying.pattern.search(said.lower()))


def test_the_claim_is_the_sentence_and_not_the_text_around_it() -> None:
    """What was checked comes before what is only done, and code is not said."""
    text = "I changed `a.py`.\n```\nprint('all tests pass')\n```\nThe bug is fixed. All tests pass now! Anything else?"
    assert claims.claimed(text) == claims.Claim("All tests pass now!", True)
    assert claims.claimed("> All tests pass.\n\nI read the file.") is None


def test_a_long_text_is_read_at_its_end() -> None:
    """What an agent claims stands at the end of what it says; a huge text costs no more than a long one."""
    assert claims.claimed("word " * 200_000 + "\nThe bug is fixed.") is not None
    assert len(claims.sentences("a" * 1_000_000)[0]) <= 240
