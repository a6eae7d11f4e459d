"""The decision tree that the documents show is what `decide` does."""

from __future__ import annotations

import re

import pytest

from documents import docgen
from improve import escalate
from improve.rule import Observation, Rule
from improve.taxonomy import Taxonomy

KNOWN = Taxonomy()


def seen(*projects: str, domain: str = "unknown", scope: str = "", retired: bool = False) -> Rule:
    """Make a rule observed once in each of these projects."""
    evidence = tuple(Observation(project, "2026-01-01") for project in projects)
    return Rule("r", "R", domain, observations=evidence, explicit_scope=scope, retired=retired)


DOMAINS = ("testing", "api-design", "unknown")
ROWS: dict[str, dict[str, list[Rule]]] = {
    "retired or archived": {
        "nothing": [seen(*"aab", domain=d, scope=s, retired=True) for d in DOMAINS for s in ("", "global", "local")],
    },
    "explicit scope global": {
        "global": [seen(*p, domain=d, scope="global") for p in ("a", "aa", "ab") for d in DOMAINS],
    },
    "explicit scope local": {
        "in-session": [seen("a", domain=d, scope="local") for d in DOMAINS],
        "project": [seen("a", "a", domain=d, scope="local") for d in DOMAINS],
        "each-project": [seen("a", "b", domain=d, scope="local") for d in DOMAINS],
    },
    "count = 1": {"in-session": [seen(p, domain=d) for p in ("a", "unknown") for d in DOMAINS]},
    "count ≥ 2, one project": {
        "project": [seen(*p, domain=d) for p in (("a", "a"), ("a", "unknown"), ("a",) * 9) for d in DOMAINS],
        "in-session": [seen("unknown", "unknown")],  # no project, so no file either
    },
    "count ≥ 2, several projects, general domain": {
        "global": [seen(*p, domain="testing") for p in ("ab", "abc", "aabb")],
    },
    "count ≥ 2, several projects, project-specific domain": {
        "each-project": [seen(*p, domain="api-design") for p in ("ab", "abc", "aabb")],
    },
    "count ≥ 2, several projects, unknown domain": {
        "each-project": [seen(*p, domain=d) for p in ("ab", "abc", "aabb") for d in ("unknown", "data-mesh")],
    },
}
"""For each row of the tree, what is decided for which rules."""


def test_the_tree_in_the_documents_has_cases_for_every_row() -> None:
    """The rows of the tree are those that are tested here, in its order."""
    assert list(ROWS) == [when for when, _ in escalate.TREE]


@pytest.mark.parametrize("when", ROWS)
def test_the_tree_is_what_decide_does(when: str) -> None:
    """For each row of the documented tree, `decide` does what the row says."""
    for kind, rules in ROWS[when].items():
        for rule in rules:
            assert escalate.decide(rule, KNOWN).kind == kind, rule


@pytest.mark.parametrize("when", ROWS)
def test_the_example_of_a_row_is_one_of_its_cases(when: str) -> None:
    """The example shown beside a row is decided as the row says."""
    words = {"nothing": "nothing", "GLOBAL": "global", "never": "project", "in-session": "in-session"}
    words |= {"PROJECT": "project", "EACH": "each-project"}
    then = dict(escalate.TREE)[when]
    assert escalate.decide(docgen("parts").EXAMPLES[when], KNOWN).kind == words[re.split(r"[ ,]", then)[0]]
