"""Synonyms: words and phrases that mean one thing in a rule for a coding agent.

One concept a line: its name, then what people write for it (`_` joins the words of a phrase). Every word is
stemmed when the table is read, so one form is enough.
"""

from __future__ import annotations

from functools import lru_cache

from improve.lexicon.jargon import JARGON
from improve.lexicon.synonyms import SYNONYMS
from improve.lexicon.tables import rows_of
from improve.lexicon.terms import TERMS
from improve.lexicon.words import stem

Phrases = tuple[tuple[tuple[str, ...], str], ...]

FLIPPED = {"immutable": "mutate", "deduplicate": "duplicate", "pure": "side-effect", "yagni": "over-engineer"}
"""Concepts that say no to another one: `immutable` is read as `mutate`, forbidden."""


PARTS = """
test: unit-test e2e-test integration-test regression-test test-suite test-driven code-then-test coverage
  fixture mock assert snapshot flaky
component: server-component client-component function-component class-component
server: server-component server-render
client: client-component client-render
export: named-export default-export barrel
import: absolute-import relative-import static-import dynamic-import type-only-import esm commonjs barrel
function: arrow-function function-keyword early-return
comment: why-comment docstring
document: docstring readme changelog
commit: commit-message conventional-commit
git: git-status git-add-all
name: descriptive abbreviation camel-case pascal-case snake-case kebab-case upper-case
type: explicit-type type-inference any-type type-alias interface
input: sanitize
focused: single-responsibility
orm: prisma drizzle typeorm sequelize sqlalchemy eloquent hibernate knex sqlmodel
error: error-handling exception catch
change: refactor
style: pattern format tab-indent space-indent consistent
line: line-length
over-engineer: premature abstraction
reuse: duplicate extract helper shared modular
ask-user: guess unclear approval
obvious: non-obvious self-documenting why-comment
performance: lazy-load memoization re-render cache
secret: env-variable
destructive: remove revert
scope: unrelated
logic: algorithm
response: summary filler
"""
"""What a concept has to do with: each of these words also counts, for less, as the word before the colon."""


@lru_cache(maxsize=1)
def parts() -> dict[str, tuple[str, ...]]:
    """Map each concept to the concepts it is partly about."""
    found: dict[str, tuple[str, ...]] = {}
    for whole, members in rows_of(PARTS):
        for member in members:
            word = concept_of(member)
            found[word] = (*found.get(word, ()), concept_of(whole))
    return found


@lru_cache(maxsize=1)
def single() -> dict[str, str]:
    """Map the stem of each single word to its concept (a concept's own name included)."""
    names = {concept: concept for concept, _ in _members() if "-" in concept}
    return names | {stems[0]: concept for concept, stems in _members() if len(stems) == 1}


@lru_cache(maxsize=1)
def phrases() -> dict[tuple[str, ...], Phrases]:
    """Map the first two stems of each phrase to its phrases (longest first) with their concept."""
    found: dict[tuple[str, ...], list[tuple[tuple[str, ...], str]]] = {}
    for concept, stems in _members():
        if len(stems) > 1:
            found.setdefault(stems[:2], []).append((stems, concept))
    return {first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in found.items()}


def _members() -> list[tuple[str, tuple[str, ...]]]:
    rows: list[tuple[str, tuple[str, ...]]] = []
    for concept, members in rows_of(SYNONYMS) + rows_of(JARGON) + rows_of(TERMS):
        for member in (concept, *members):
            rows.append((concept, tuple(stem(word) for word in member.replace("-", "_").split("_") if word)))
    return rows


def concept_of(word: str) -> str:
    """Give the concept a single word stands for (its stem, when it has none)."""
    return single().get(stem(word), stem(word))
