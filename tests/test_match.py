"""The matcher: same, near, contradictory and unrelated rules, and how they are found again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import match
from improve.errors import UsageError
from improve.lexicon import build, built

DATA = Path(__file__).parent / "data"
WORDS = ("use", "never", "run", "tests", "commit", "npm", "pnpm", "not", "without", "over", "before", "lines", "测试")
SIGNS = ("80", "100", "%", "(", ")", ".", ",", ":", "-", "`x`", "しない", "é", "postnot", "..", "at least", "e.g.")
SENTENCES = st.one_of(st.text(max_size=120), st.lists(st.sampled_from(WORDS + SIGNS), max_size=25).map(" ".join))


def cases(name: str) -> list[list[str]]:
    """Read the rows of a case table: fields between bars, `#` before a remark."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [[part.strip() for part in line.split(" | ")] for line in lines if line and not line.startswith("#")]


SAME, CONTRADICT, APART = cases("match_same.txt"), cases("match_contradict.txt"), cases("match_apart.txt")


@pytest.mark.parametrize(("a", "b"), SAME)
def test_one_rule_in_other_words_is_the_same(a: str, b: str) -> None:
    """What a person would merge without a second thought counts at once."""
    assert match.compare(a, b).relation == "same"


@pytest.mark.parametrize(("a", "b", "why"), CONTRADICT)
def test_what_nobody_can_follow_both_is_a_contradiction(a: str, b: str, why: str) -> None:
    """An opposite demand, another number or another exclusive tool is named as the reason."""
    found = match.compare(a, b)
    assert found.relation == "contradict"
    assert why in found.reason


@pytest.mark.parametrize(("a", "b"), APART)
def test_rules_that_can_stand_side_by_side_are_left_alone(a: str, b: str) -> None:
    """Alike in wording only: neither merged nor called a contradiction."""
    assert match.compare(a, b).relation in ("related", "different")


@pytest.mark.parametrize(("a", "b"), [row[:2] for row in CONTRADICT + APART])
def test_nothing_else_is_ever_merged(a: str, b: str) -> None:
    """A contradiction and another rule are below the score that counts at once."""
    assert match.compare(a, b).score < 0.7


@pytest.mark.parametrize("row", SAME + CONTRADICT + APART)
def test_a_rule_equals_itself(row: list[str]) -> None:
    """Every rule is the same as itself, surely."""
    assert match.compare(row[0], row[0]) == match.Comparison("same", 1.0, "the same words")


@given(SENTENCES, SENTENCES)
def test_order_does_not_matter(a: str, b: str) -> None:
    """Comparing is symmetric, and the score lies between 0 and 1."""
    one, other = match.compare(a, b), match.compare(b, a)
    assert (one.relation, round(one.score, 9)) == (other.relation, round(other.score, 9))
    assert 0.0 <= one.score <= 1.0
    assert one.reason


@given(SENTENCES)
def test_normalizing_twice_changes_nothing(text: str) -> None:
    """`normalize` is idempotent."""
    once = match.normalize(text)
    assert match.normalize(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "- **Never**  commit `secrets`.",
        "* never commit secrets",
        "3. Never commit secrets!",
        "- [ ] NEVER commit _secrets_;",
        "Ｎｅｖｅｒ commit\tsecrets",
    ],
)
def test_marks_make_no_other_rule(text: str) -> None:
    """Case, width, emphasis, bullets, code marks, closing signs and runs of spaces make no other rule."""
    assert match.normalize(text) == "never commit secrets"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use snake_case names", "Use snakecase names"),
        ("Use C#", "Use C"),
        ("Never run rm -rf *", "Never run rm -rf"),
        ("Name it __init__", "Name it"),
        ("Use 2 spaces", "Use 4 spaces"),
    ],
)
def test_what_has_meaning_is_kept(a: str, b: str) -> None:
    """Signs inside words, and numbers, tell rules apart."""
    assert match.normalize(a) != match.normalize(b)


@given(SENTENCES)
def test_terms_are_few_and_weighed(text: str) -> None:
    """A rule has at most forty terms, each with a weight above 0."""
    terms = match.terms(text)
    assert len(terms) <= 40
    assert all(weight > 0 for weight in terms.values())


def test_long_rules_weigh_less_a_term() -> None:
    """The weight of a term is evened out for the length of the rule."""
    short = match.terms("Use pnpm")
    long = match.terms("Use pnpm for installing packages, running scripts and publishing in every workspace of ours")
    assert long["pnpm"] < short["pnpm"]


def test_rare_terms_tell_more() -> None:
    """A term in few rules counts more than one in many, and none counts against."""
    assert match.importance(1, 1000) > match.importance(100, 1000) > match.importance(1000, 1000) >= 0


def test_the_shelf_finds_the_twin() -> None:
    """Each rule of the table is found by its other wording among all the others."""
    shelf = match.Shelf([a for a, _ in SAME])
    for number, (_, b) in enumerate(SAME):
        assert number in [n for n, _ in shelf.nearest(b)]


def test_an_empty_shelf_has_nothing_near() -> None:
    """Without rules there is nothing near, and an empty query finds nothing."""
    assert match.Shelf([]).nearest("Use pnpm") == []
    assert match.Shelf(["Use pnpm"]).nearest("") == []


def test_rerank_puts_the_twin_first() -> None:
    """The likeliest twin comes first; positions are those of the candidates."""
    order = match.rerank("Do not push to main", ["Use tabs", "Never push to main", "Push tags after a release"])
    assert order[0][0] == 1 and order[0][1].relation == "same"
    assert sorted(place for place, _ in order) == [0, 1, 2]


def test_rerank_follows_the_index() -> None:
    """Where the index gives scores, they order the candidates."""
    assert [place for place, _ in match.rerank("a b", ["x", "y", "z"], [1.0, 3.0, 2.0])] == [1, 2, 0]


def test_answers_one_line_for_each_pair() -> None:
    """`answer_pairs` answers in ASCII JSON lines, in order, and passes ids of any kind."""
    pairs = [{"id": "ü", "a": "Use pnpm here", "b": "Use npm here"}, {"id": 7, "a": "x", "b": "x"}]
    answers = list(match.answer_pairs([*map(json.dumps, pairs), "\n"]))
    assert all(answer.isascii() for answer in answers)
    first, second = map(json.loads, answers)
    assert first["id"] == "ü" and first["relation"] == "contradict" and set(first) == {"id", "relation", "score"}
    assert second == {"id": 7, "relation": "same", "score": 1.0}


@pytest.mark.parametrize("line", ["nonsense", "[]", '{"id": 1, "a": "x"}', '{"id": 1, "a": "x", "b": 2}', "null"])
def test_a_malformed_line_is_named(line: str) -> None:
    """A line that is no pair is a usage error which names its number and what to do."""
    with pytest.raises(UsageError, match=r"line 2 .*run again"):
        list(match.answer_pairs(['{"id": 1, "a": "x", "b": "y"}', line]))


def test_the_built_tables_are_current() -> None:
    """built.py is what build.py makes of the word tables."""
    assert Path(built.__file__).read_text(encoding="utf-8") == build.source()


def test_starting_up_needs_nothing_heavy() -> None:
    """Importing the matcher and finding terms loads neither rapidfuzz nor the tables of other scripts."""
    code = "import sys; from improve import match; match.terms('Use pnpm'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"rapidfuzz", "improve.lexicon.scripts", "improve.lexicon.synonyms", "asyncio"} & set(loaded)


def test_likeness_is_about_letters() -> None:
    """A reworded line shares its letters, another rule does not."""
    assert match.likeness("Never commit secrets", "Never commit secrets.") == 1.0
    assert match.likeness("Never commit secrets", "Never commit a secret") > 0.8
    assert match.likeness("Never commit secrets", "Indent with tabs") < 0.6
