"""What says the same in many sessions is found together, what only looks alike is not."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.cluster import Told, cluster, repeated

ASKS = Path(__file__).parent / "data" / "detect" / "asks.txt"
TOGETHER = [
    ("no, use pnpm not npm!", "I told you to use pnpm instead of npm"),
    ("Don't commit without asking me", "ask me before you commit"),
    ("stop adding comments", "don't add comments"),
]
APART = [
    ("use tabs for indentation", "use spaces for indentation"),
    ("no, use pnpm not npm!", "no, use uv not pip!"),
    ("wrong file", "wrong name"),
    ("yes always", "yes to all of them, we will always need the other generators too"),
    ("that is still broken", "what is that"),
    ("always write tests first", "never write tests first"),
]


def rows(kind: str) -> list[list[str]]:
    """Read the rows of one kind."""
    lines = [line.replace("\\n", "\n").split(" | ") for line in ASKS.read_text(encoding="utf-8").splitlines()]
    return [row[1:] for row in lines if row[0] == kind]


def in_sessions(*texts: str) -> list[Told]:
    """Say each in a session of its own."""
    return [Told(text, session=f"s{n}", project="p", host="h", at=f"2026-03-0{n + 1}") for n, text in enumerate(texts)]


def test_how_a_complaint_opens_says_nothing_of_what_is_wanted() -> None:
    """The same wish after other openings is one group; other wishes after the same opening are not in it."""
    same = (
        "No, that's wrong: use pnpm, never npm.",
        "No! Use pnpm, never npm!",
        "That's wrong again: use pnpm, never npm.",
    )
    others = (
        "No, that's wrong: write dates as ISO 8601, always.",
        "No, that's wrong. Indent with tabs.",
        "No npm please",
    )
    groups = cluster(in_sessions(*same, *others))
    assert sorted(len(group.told) for group in groups) == [1, 1, 1, 3]


@pytest.mark.parametrize(("a", "b"), TOGETHER)
def test_one_correction_in_other_words_is_one_group(a: str, b: str) -> None:
    """What one rule would answer is shown once, with both dates."""
    (group,) = cluster(in_sessions(a, b))
    assert (group.sessions, [one.words for one in group.told]) == (2, [a, b])


@pytest.mark.parametrize(("a", "b"), APART)
def test_other_corrections_stay_apart(a: str, b: str) -> None:
    """Opposites, other tools and words that say too little are never put together."""
    assert len(cluster(in_sessions(a, b))) == 2


def test_equal_words_are_one_group_however_little_they_say() -> None:
    """The very same words need no other evidence."""
    assert [len(group.told) for group in cluster(in_sessions("Still broken.", "still broken", "STILL BROKEN!"))] == [3]


def test_the_group_that_would_save_most_comes_first() -> None:
    """Sessions, projects, severity and the likelihood of a rule weigh together."""
    often = [Told("use pnpm, not npm", f"s{n}", f"p{n}", "h", f"2026-03-0{n + 1}", rank=0.8) for n in range(3)]
    once = [Told("never touch the production database", "s9", "p9", "h", "2026-03-09", severity=5, rank=0.9)]
    idle = [Told("still broken", f"t{n}", f"q{n}", "h", "2026-03-01", rank=0.0) for n in range(4)]
    groups = cluster([*idle, *once, *often])
    assert [group.told[0].words for group in groups] == [
        "use pnpm, not npm",
        "never touch the production database",
        "still broken",
    ]
    assert (groups[0].sessions, groups[0].projects, groups[0].hosts, groups[0].severity) == (3, 3, 1, 2)


def test_one_session_counts_once_in_a_group() -> None:
    """Fifty complaints of one session are one session; what has none counts each time."""
    assert cluster([Told("use pnpm, not npm", "s1") for _ in range(50)])[0].sessions == 1
    assert cluster([Told("use pnpm, not npm") for _ in range(3)])[0].sessions == 3


def test_a_group_is_named_by_its_phrased_rule() -> None:
    """A sentence that was phrased says it better than what was typed."""
    group = cluster([Told("from now on pnpm please", "s1", rule="Always use pnpm"), Told("always use pnpm", "s2")])[0]
    assert group.text == "Always use pnpm"


@pytest.mark.parametrize(("a", "b"), rows("same"))
def test_an_instruction_asked_again_is_found(a: str, b: str) -> None:
    """The same instruction in two sessions, in the same or nearly the same words."""
    (group,) = repeated(in_sessions(a, b))
    assert group.sessions == 2


@pytest.mark.parametrize(("a", "b"), rows("apart"))
def test_another_instruction_is_another(a: str, b: str) -> None:
    """A number, a name or a denial makes it another one."""
    assert repeated(in_sessions(a, b)) == []
    assert len(repeated([*in_sessions(a, b), *in_sessions(b, a)])) == 2


@pytest.mark.parametrize("text", [row[0] for row in rows("none")])
def test_what_every_session_says_is_no_repeated_ask(text: str) -> None:
    """Greetings, going on, the everyday, commands and pasted text are left out."""
    assert repeated(in_sessions(text, text, text)) == []


def test_an_instruction_repeated_in_one_session_is_not_enough() -> None:
    """It takes as many sessions as asked for."""
    asked = "explain your plan in three sentences first"
    assert repeated([Told(asked, "s1"), Told(asked, "s1")]) == []
    assert repeated(in_sessions(asked, asked), least=3) == []


def anything() -> st.SearchStrategy[Told]:
    """Say anything anywhere."""
    return st.builds(
        Told,
        st.text(max_size=80),
        st.sampled_from(["", "s1", "s2"]),
        st.sampled_from(["", "p"]),
        st.sampled_from(["", "h"]),
        rule=st.sampled_from(["", "Use tabs"]),
        severity=st.integers(1, 5),
        rank=st.floats(0, 1),
    )


@given(st.lists(anything(), max_size=12))
def test_nothing_is_lost_and_nothing_counted_twice(findings: list[Told]) -> None:
    """Whatever was said, each saying is in exactly one group, and the order of the groups holds."""
    groups = cluster(findings)
    assert sorted(one for group in groups for one in group.told) == sorted(findings)
    assert [group.score for group in groups] == sorted((group.score for group in groups), reverse=True)
    asked = [one for group in repeated(findings) for one in group.told]
    assert len(asked) <= len(findings)


def spoken(n: int) -> list[Told]:
    """Make so many messages of a hundred thousand words that come with the frequencies of a language."""
    state, texts = 12345, []
    for number in range(n):
        words = []
        for _ in range(12):
            state = (state * 1103515245 + 12345) % (1 << 31)
            words.append(f"w{int((state / (1 << 31)) ** 4 * 20_000)}")
        texts.append(Told(" ".join(words), session=f"s{number // 9}"))
    return texts


def seconds(work: object, texts: list[Told]) -> float:
    """Time it."""
    began = process_time()
    work(texts)  # type: ignore[operator]
    return process_time() - began


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("work", "few", "many"), [(cluster, 400, 3_200), (repeated, 3_000, 24_000)], ids=["cluster", "repeated"]
)
def test_time_grows_with_what_was_said(work: object, few: int, many: int) -> None:
    """Eight times as much takes about eight times as long, not sixty-four times."""
    seconds(work, spoken(100))
    assert seconds(work, spoken(many)) < 24 * max(seconds(work, spoken(few)), 0.01)
