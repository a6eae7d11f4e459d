"""What a session tells besides one message's words: refusals, stops, retries, claims, admissions, waste."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import session as s
from improve.detectors import detect, explain
from improve.detectors.finding import SURE, Finding
from improve.session import Call, Result, Session, Turn

from .conftest import Case, cases, judge, never, turns

TABLE = cases("actions.md") + cases("innocent.md")


def found(lines: list[str]) -> list[Finding]:
    """Detect in a session of lines."""
    return list(detect(turns(lines), judge=judge))


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.name)
def test_a_session_gives_what_the_table_says(case: Case) -> None:
    """Each case of the table yields its findings and no other."""
    told = [f"{one.signal} {one.severity} {one.tier}: {one.words}" for one in found(case.lines)]
    assert len(told) == len(case.expected), told
    for one, expected in zip(told, case.expected, strict=True):
        head, _, words = expected.partition(": ")
        assert one.startswith(f"{head}: ") and words in one


def test_a_finding_says_where_it_stands_and_what_was_done() -> None:
    """The turn's identity, moment and offset, and the agent's last doing in one line."""
    (one,) = found(["person: go", "agent: I push. | shell git push", "refused: not on Fridays", "agent: ok"])
    assert (one.id, one.offset, one.at) == ("t2", 200, "2026-03-01T00:02:00Z")
    assert one.did == "Bash: git push"
    (one,) = found(["person: go", "agent: Fixed! It works now.", "person: it still fails"])
    assert one.did == "said: It works now."


def test_severity_below_the_least_is_dropped_and_said_so() -> None:
    """What costs too little is explained, not found."""
    lines = ["person: go", "agent: | shell git push", "refused: not on Fridays"]
    assert list(detect(turns(lines), least=3, judge=judge)) == []
    assert any("severity 2 is below 3" in seen.why for seen in explain(turns(lines), least=3, judge=judge))


def test_an_admission_makes_a_correction_surer() -> None:
    """What the agent answers is evidence for the message, whose words stay the person's."""
    plain = found(["person: No, tabs", "agent: Changing."])
    owned = found(["person: No, tabs", "agent: I'm sorry, I should have looked at the settings."])
    assert [one.words for one in plain + owned] == ["No, tabs"] * 2
    assert owned[0].confidence > plain[0].confidence
    assert owned[0].rank > plain[0].rank


def test_a_refused_batch_is_one_refusal() -> None:
    """A host that marks all calls of a batch as refused tells of one no."""
    calls = tuple(Call(f"c{n}", "Bash", s.SHELL, f"rm {n}") for n in range(3))
    results = tuple(Result(f"c{n}", True, "", s.BY_PERSON, "keep them" if n == 1 else "") for n in range(3))
    session = [Turn(s.AGENT, calls=calls), Turn(s.TOOL, failed=True, results=results)]
    assert [one.words for one in detect(session, judge=judge)] == ["keep them"]


def test_findings_of_a_kind_are_few_in_one_session() -> None:
    """A session full of failing calls does not fill the inbox."""
    lines = ["person: go"]
    for n in range(30):
        lines += [f"agent: | shell tool{n} run x{n}", f"failed: tool{n}: command not found"]
        lines += [f"agent: | shell other{n} tool{n} run x{n}", "ok"]
    assert 1 < len(found(lines)) <= 5


def test_a_subagent_says_nothing() -> None:
    """Nobody typed there: whatever stands in it, also a reader's mistake, is no signal."""
    session = Session("claude-code", "x").with_turns(turns(["person: No, tabs", "agent: ok"]))
    session.parent = "p1"
    assert list(detect(session, judge=judge)) == []


def test_a_run_without_a_person_is_never_sure() -> None:
    """A prompt of a headless session may be a script's."""
    for how in ("typed", "scripted"):
        session = Session("codex", "x").with_turns(turns([f"person/{how}: No, tabs", "agent: I'm sorry, my mistake."]))
        session.headless = True
        assert [one.tier for one in detect(session, judge=lambda *a, **k: judge(*a, **k)._replace(tier=SURE))] == [
            "review"
        ]


def test_lines_that_a_file_holds_already_are_nobodys_words() -> None:
    """A pasted list of rules is left out; the same line typed by itself is said by the person."""
    known = {"No, use tabs", "Never push on Fridays"}
    pasted = "- No, use tabs\n- Never push on Fridays"
    for text, words in [
        (pasted, []),
        ("- No, use tabs", []),
        ("No, use tabs", ["No, use tabs"]),
        (f"No, not those:\n{pasted}", ["No, not those:"]),
    ]:
        session = [Turn(s.PERSON, how=s.TYPED, text=text)]
        assert [one.words for one in detect(session, already=known.__contains__, judge=judge)] == words


def test_a_finding_comes_as_soon_as_its_evidence_is_complete() -> None:
    """A message comes with the next one, a retry with the turn after it; nothing waits for the end."""
    read: list[int] = []

    def watched() -> Iterator[Turn]:
        lines = ["person: No, tabs", "agent: ok | shell pip install x", "failed: pip: command not found"]
        lines += ["agent: | shell pip3 install x", "ok", "agent: fine", "person: next", "agent: fine", "agent: more"]
        for number, turn in enumerate(turns(lines)):
            read.append(number)
            yield turn

    assert [(one.signal, read[-1]) for one in detect(watched(), judge=judge)] == [
        ("tool-failure", 5),
        ("correction", 6),
    ]


def test_explain_tells_every_turn_in_order_and_finds_the_same() -> None:
    """One code path: each turn is told of, in order, and the findings are those of `detect`."""
    for case in TABLE:
        seen = list(explain(turns(case.lines), judge=judge))
        numbers = [one.number for one in seen]
        assert set(numbers) == set(range(len(case.lines)))
        assert [one.finding for one in seen if one.finding] == sorted(
            found(case.lines), key=lambda one: [o.finding for o in seen].index(one)
        )
        assert all(one.why for one in seen)


def test_results_that_went_well_are_never_read() -> None:
    """Of most of a transcript nobody ever wants the text, nor of the agent's turns far from a person or a failure."""
    session = [Turn(s.PERSON, how=s.TYPED, text="go")]
    session += [Turn(s.AGENT, text="on it", calls=(Call("a", "Bash", s.SHELL, "ls"),)) for _ in range(3)]
    for _ in range(50):
        session += [Turn(s.AGENT, load=never), Turn(s.TOOL, load=never)]
    session += [Turn(s.AGENT, text="done") for _ in range(10)]
    session += [Turn(s.PERSON, how=s.TYPED, text="No, tabs")]
    assert [one.words for one in detect(session, judge=judge)] == ["No, tabs"]


texts = st.one_of(st.text(max_size=60), st.sampled_from([case.lines[-1].partition(": ")[2] for case in TABLE]))
names = st.sampled_from(["", "a", "b", "c"])
calls = st.builds(
    Call, names, names, st.sampled_from([s.SHELL, s.EDIT, s.WRITE, s.READ, s.OTHER, "?"]), texts, st.just({})
)
ends = st.sampled_from(["", s.BY_PERSON, s.BY_RULE, s.CUT_OFF, "?"])
results = st.builds(Result, names, st.booleans(), texts, ends, texts)
hows = st.sampled_from(["", s.TYPED, s.ANSWER, s.SCRIPTED, s.MEMORY, s.INTERRUPTED, s.REWOUND, s.COMPACTED, "?"])
whos = st.sampled_from([s.PERSON, s.AGENT, s.TOOL, s.HOST, "?"])
some = st.lists(
    st.tuples(whos, hows, st.booleans(), texts, st.lists(calls, max_size=3), st.lists(results, max_size=3)), max_size=25
)


def made(rows: list[tuple[str, str, bool, str, list[Call], list[Result]]]) -> Iterator[Turn]:
    """Make turns of anything."""
    for n, (who, how, failed, text, called, came) in enumerate(rows):
        yield Turn(
            who, how=how, failed=failed, text=text, calls=tuple(called), results=tuple(came), id=f"t{n}", offset=n
        )  # fmt: skip


@given(some)
def test_no_session_fails_and_every_turn_is_told_of(
    rows: list[tuple[str, str, bool, str, list[Call], list[Result]]],
) -> None:
    """Whatever the turns hold and in whatever order they come, a list and a stream give the same."""
    as_list = list(detect(list(made(rows)), judge=judge))
    assert as_list == list(detect(made(rows), judge=judge))
    assert {one.number for one in explain(made(rows), judge=judge)} == set(range(len(rows)))
    assert all(1 <= one.severity <= 5 and 0 <= one.confidence <= 1 and 0 <= one.rank <= 1 for one in as_list)
    assert all(one.signal and one.signal != "none" for one in as_list)


@pytest.mark.parametrize("case", [case for case in TABLE if len(case.lines) > 2], ids=lambda case: case.name)
def test_a_session_read_in_two_parts_loses_no_word_of_a_person(case: Case) -> None:
    """A later scan begins at the last message of a person: together both parts find what one reading finds."""
    whole = list(turns(case.lines))
    heard = {(one.id, one.words) for one in detect(iter(turns(case.lines)), judge=judge) if _said(one)}
    for end in range(1, len(whole)):
        begin = max((n for n in range(end) if whole[n].who == s.PERSON), default=0)
        parts = [
            *detect(list(turns(case.lines))[:end], judge=judge),
            *detect(list(turns(case.lines))[begin:], judge=judge),
        ]
        assert heard <= {(one.id, one.words) for one in parts}


def _said(one: Finding) -> bool:
    return one.signal in ("correction", "interrupt", "remember", "admission")


@pytest.mark.parametrize("failing", [False, True])
def test_time_grows_with_the_turns(failing: bool) -> None:
    """Ten times the turns take about ten times as long, also where every second call fails."""
    from time import process_time

    def long(n: int) -> list[Turn]:
        lines = [
            "person: No, use the other one",
            "agent: I fix it. | shell make x",
            "failed: error",
            "agent: | edit a",
            "ok",
        ]
        plain = ["person: and now the next part", "agent: I do. | shell make x", "ok", "agent: | edit a", "ok"]
        return [turn for k in range(n // 5) for turn in turns(lines if failing else plain)]

    def seconds(n: int) -> float:
        session = long(n)
        began = process_time()
        list(detect(session, judge=judge))
        return process_time() - began

    seconds(500)
    assert seconds(20_000) < 30 * max(min(seconds(2_000) for _ in range(3)), 0.01)


def test_what_a_guard_stopped_teaches_nothing() -> None:
    """A call denied with our own words is no failure to learn from, and no refusal by a person, in any host's form."""
    again = ["agent: | shell uv run tool3", "ok", "person: thanks"]
    failed = ["person: go", "agent: | shell tool3 run x", "failed: tool3: command not found", *again]
    assert any(one.signal == "tool-failure" for one in found(failed))
    for how in ("failed", "refused", "blocked"):
        said = f"{how}: Error: improve-rules v1: this call was denied. Rule a: Use tool4 (tool3: command not found)."
        assert found(["person: go", "agent: | shell tool3 run x", said, *again]) == []
