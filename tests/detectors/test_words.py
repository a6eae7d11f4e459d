"""What single messages are taken for, and what moves the verdict besides the words."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.detectors import model
from improve.detectors.features import features
from improve.detectors.finding import NONE, REVIEW, SURE
from improve.detectors.said import own, sentences
from improve.detectors.words import SIGNALS, Moments, evidence, judge

_SIGNALS = [
    ("No, that's wrong. You changed the wrong file again.", "I updated the parser."),
    ("still not working, same error as before", "I fixed the error, it should work now."),
    ("why did you delete my tests?", "All tests pass now."),
    ("I told you three times not to touch the config!!", "I updated the config."),
    ("that's not what I asked for, revert it", "Done, I rewrote the module."),
    ("you forgot to update the docs", "The feature is done."),
    ("nein, das ist falsch, du hast die falsche Datei geändert", "Ich habe die Datei angepasst."),
    ("non, ce n'est pas ce que j'ai demandé", "C'est fait."),
    ("no, eso está mal, te dije que no tocaras ese archivo", "Listo, actualicé el archivo."),
    ("não funciona, continua com o mesmo erro", "Corrigi o erro."),
    ("не работает, та же ошибка", "Готово, исправлено."),
    ("不对，还是报一样的错", "已修复。"),
    ("vẫn bị lỗi như cũ", "Mình đã sửa xong rồi."),
]
_NONE = [
    ("Add a login page with two fields", ""),
    ("What does this function do?", ""),
    ("yes, go ahead", "Shall I proceed?"),
    ("2", "Which option do you prefer? 1) tabs 2) spaces"),
    ("commit and push", "All tests pass."),
    ("continue", "Phase one is complete."),
    ("thanks, looks great", "Done."),
    ("Erkläre mir bitte diese Funktion", ""),
    ("explique moi ce fichier", ""),
    ("continúa", "Listo."),
    ("продолжай", "Готово."),
    ("继续", "第一阶段完成。"),
    ("tiếp tục đi", "Xong bước 1."),
]
_LASTING = [
    "from now on always use pnpm",
    "Remember that we use uv, not pip",
    "please never commit directly to main",
    "以后都用中文回答",
    "utilise toujours pnpm",
]


@pytest.mark.parametrize(("text", "before"), _SIGNALS)
def test_a_signal_is_shown(text: str, before: str) -> None:
    """A correction in any of the languages is at least put before somebody."""
    found = judge(text, before)
    assert found.tier in (SURE, REVIEW)
    assert found.signal in SIGNALS
    assert 1 <= found.severity <= 5


@pytest.mark.parametrize(("text", "before"), _NONE)
def test_what_is_no_signal_is_dropped(text: str, before: str) -> None:
    """A task, a question, an approval or an answer is none."""
    assert judge(text, before) == judge(text, before)._replace(
        signal="none", durable=False, severity=0, tier=NONE, rule=""
    )


@pytest.mark.parametrize("text", _LASTING)
def test_what_is_clear_enough_to_phrase_is_sure_and_lasting(text: str) -> None:
    """Words that make a rule are counted without asking, whatever the model thinks."""
    found = judge(text)
    assert found.tier == SURE
    assert found.durable
    assert found.rule


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "/compact keep the plan",
        "!ls -la",
        "[Request interrupted by user]",
        "<system-reminder>never do that again, that is wrong</system-reminder>",
        "```\nNo, that is wrong, you broke it again\n```",
        "> No, that is wrong, you broke it again",
        'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: wrong',
        "improve-rules v1: No, that is wrong, never do that",
        "\ud800",
        "???",
    ],
)
def test_what_no_person_said_is_nothing(text: str) -> None:
    """Commands, what hosts put in a person's name, quotations, pasted logs and our own output are ruled out."""
    found = judge(text, "I fixed it, all tests pass.")
    assert (found.tier, found.signal, found.rule) == (NONE, "none", "")


def test_a_claim_before_makes_a_complaint_likelier() -> None:
    """The same words weigh more after the agent claimed success."""
    text = "the list is still empty"
    assert judge(text, "I fixed it, the list is filled now.").confidence > judge(text, "").confidence


def test_the_session_moves_the_verdict_by_known_steps() -> None:
    """A denial, an interrupt and a repeated ask speak for a signal; nothing known changes nothing."""
    assert evidence(Moments()) == 0
    assert evidence(Moments(turn_index=7)) == 0
    assert evidence(Moments(denied=True)) > evidence(Moments(interrupted_before=True)) > 0
    steps = [evidence(Moments(repeated=times)) for times in range(6)]
    assert steps == sorted(steps)
    assert steps[3] == steps[5] < 2
    text = "use the other helper"
    assert judge(text, moments=Moments(denied=True)).confidence > judge(text).confidence


def test_a_denial_is_shown_whatever_it_says() -> None:
    """Who says no and why has corrected the agent."""
    assert judge("put it into the config file", "Let me edit main.py:", moments=Moments(denied=True)).tier != NONE


def test_a_long_text_is_read_at_both_ends() -> None:
    """The middle of what is long costs nothing, its end is read."""
    text = "The page lists the members of the club with their names.\n" * 200
    assert len(own(text)) < 1_300
    assert judge(f"{text}\nNo, that is wrong, revert it", "Done.").confidence > judge(text, "Done.").confidence


def test_words_without_blanks_are_cut_into_known_parts() -> None:
    """Chinese is read by the words it is known to have."""
    (sentence,) = sentences("你为什么没有改")
    assert "为什么" in sentence.words
    assert {"you", "why", "not"} <= sentence.classes


def test_names_stand_for_what_they_are() -> None:
    """Paths, links, code and numbers tell nothing by their letters."""
    (sentence,) = sentences("see src/a.py, https://example.com/x, `foo()`, 42")
    assert (
        sentence.words == ["see", "<file>", ",", "<link>", ",", "<code>", ",", "<number>"] or "<file>" in sentence.words
    )


def test_the_same_words_are_the_same_numbers_everywhere() -> None:
    """No feature depends on the machine, the process or its seed."""
    code = "from improve.detectors.features import features as f; print(sorted(f('No, not 这个 file', 'Done.').words))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": s}
        ).stdout.strip()
        for s in ("1", "2")
    }
    assert told == {str(sorted(features("No, not 这个 file", "Done.").words))}


def test_the_model_is_small() -> None:
    """What ships stays below 2 MB and has a weight for every trait it names."""
    loaded = model.loaded()
    assert sum(len(table) for tables in loaded.tables.values() for table in tables) < 2_000_000
    assert all(len(weights) == len(loaded.heads) for weights in loaded.traits.values())


def test_a_model_of_another_version_is_refused() -> None:
    """A file that this code cannot read is not half read."""
    with pytest.raises(ValueError, match="another version"):
        model.read(b"words 0\n\n")


def test_it_is_fast() -> None:
    """A message is judged in well under the time anybody notices."""
    text = "Add a page that lists all members of the club with their names and a link to their profile. " * 2
    judge(text, "Done. All tests pass.")
    best = min(_seconds(lambda: judge(text, "Done. All tests pass.")) for _ in range(30))
    assert best < 0.005


def _seconds(call: object) -> float:
    start = time.perf_counter()
    call()  # type: ignore[operator]
    return time.perf_counter() - start


@given(st.text(max_size=300), st.text(max_size=100), st.text(max_size=100), st.integers(0, 50) | st.none())
def test_any_text_gets_a_verdict(text: str, before: str, after: str, turn: int | None) -> None:
    """Whatever comes in, the verdict is in form."""
    found = judge(text, before, after, moments=Moments(turn_index=turn))
    assert 0 <= found.confidence <= 1
    assert 0 <= found.rank <= 1
    assert (found.tier == NONE) == (found.signal == "none") == (found.severity == 0)
