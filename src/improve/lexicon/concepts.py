"""How concepts hang together. A concept is what several words and phrases mean in a rule for a coding agent.

The words are in synonyms.py, jargon.py and terms.py, one concept a line: its name, then what people write for it
(`_` joins the words of a phrase). Every word is stemmed by build.py, so one form is enough.
"""

from __future__ import annotations

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
