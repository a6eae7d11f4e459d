"""The guess of a rule's domain: offered when it is plain, withheld when it is not."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import domains
from improve.taxonomy import GENERAL, PROJECT_SPECIFIC, Taxonomy

TAXONOMY = Taxonomy()
DOMAINS = (*TAXONOMY.general, *TAXONOMY.project_specific)


def cases() -> list[tuple[str, str]]:
    """Read `domain | rule` lines; `-` is no guess."""
    lines = (Path(__file__).parent / "data" / "domains.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.partition("|") for line in lines if line and not line.startswith("#")]
    return [(domain.strip(), rule.strip()) for domain, _, rule in rows]


@pytest.mark.parametrize(("domain", "rule"), cases())
def test_guess(domain: str, rule: str) -> None:
    """A rule that speaks plainly of one domain is guessed, any other is not."""
    found = domains.guess(rule, DOMAINS)
    assert (found[0] if found else "-") == domain


def test_every_domain_of_the_taxonomy_has_cases() -> None:
    """Each domain of the taxonomy has words of its own and is guessed in at least one case."""
    assert {domain for domain, _ in cases()} >= {*GENERAL, *PROJECT_SPECIFIC}


def test_only_known_domains_are_guessed() -> None:
    """A domain which the store does not have is never guessed."""
    assert domains.guess("Add a regression test for each bug you fix", ["security", "deployment"]) is None


def test_a_domain_people_added_is_guessed_by_its_name() -> None:
    """A domain of the store that we have no words for is found when a rule says its name."""
    found = domains.guess("Data mesh products publish their schema", ["data-mesh"])
    assert found and found[0] == "data-mesh"
    assert domains.guess("The mesh is red", ["data-mesh"]) is None


def test_nothing_is_guessed_among_no_domains() -> None:
    """Without domains there is no guess."""
    assert domains.guess("Add a test", []) is None


@given(st.text(max_size=200))
def test_any_text_gets_an_answer(text: str) -> None:
    """Whatever the text, the guess is None or a known domain with a sureness between 0 and 1."""
    found = domains.guess(text, DOMAINS)
    assert found is None or (found[0] in DOMAINS and 0 <= found[1] <= 1)


def test_examples_in_the_docs_hold() -> None:
    """The examples in the docstrings are true."""
    assert doctest.testmod(domains).failed == 0
