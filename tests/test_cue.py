"""The first look at a typed prompt keeps what may be a correction and drops what surely is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import cue, phrase
from improve.stamp import STAMP

DATA = Path(__file__).parent / "data" / "cues"
SIGNALS = {"correction", "preference", "frustration", "remember"}
texts = st.text(st.characters(exclude_categories=()), max_size=300)
blanks = st.text("\ufeff \t\n\x0b\x1c\u2003/!", max_size=6)
words = st.lists(
    st.sampled_from(["no", "never", "use", "<system-reminder>", "</system-reminder>", "<prompt>", "\n", "> x", "```"])
).map(" ".join)


def rows(name: str) -> list[object]:
    """Read a table of language and sentence."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    pairs = [line.split(" | ", 1) for line in lines if line and not line.startswith("# ")]
    return [pytest.param(said.replace("\\n", "\n"), id=f"{language}-{said[:30]}") for language, said in pairs]


@pytest.mark.parametrize("sentence", rows("keep.txt"))
def test_what_may_be_a_correction_is_kept(sentence: str) -> None:
    """A correction, a preference, a complaint and a wish to remember get a signal, in each language."""
    assert cue.signal_of(sentence) in SIGNALS


@pytest.mark.parametrize("sentence", rows("drop.txt"))
def test_what_is_none_is_dropped(sentence: str) -> None:
    """Tasks, questions, approvals, commands, pasted text, wrappers and our own words get none."""
    assert cue.signal_of(sentence) == ""


@pytest.mark.parametrize(
    ("sentence", "signal"),
    [
        ("Remember that the staging database is shared", "remember"),
        ("don't forget the changelog", "remember"),
        ("How many times do I have to say it, damn", "frustration"),
        ("From now on one commit per task", "preference"),
        ("that's wrong", "correction"),
        ("记住，我们周四发布", "remember"),
        ("Merk dir das", "remember"),
    ],
)
def test_the_likeliest_signal_is_named(sentence: str, signal: str) -> None:
    """A clear case gets the signal that a person would give it."""
    assert cue.signal_of(sentence) == signal


def test_a_very_long_text_was_pasted() -> None:
    """The same words count in a short text, and not in one of more than 4,000 characters."""
    said = "no, that is wrong, never do that again. "
    assert cue.signal_of(said * 90)
    assert cue.signal_of(said * 101) == ""


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("use tabs", "use tabs"),
        ("\ufeff  use tabs\n", "use tabs"),
        ("<system-reminder>a</system-reminder>\n<ide_selection>b</ide_selection> use tabs", "use tabs"),
        ("use tabs\n<system-reminder>a\nb</system-reminder>", "use tabs"),
        ("<user_query>use tabs</user_query>", "use tabs"),
        ("<hook_context>x</hook_context>\n\n<user_query>\nuse tabs\n</user_query>", "use tabs"),
        ("the <system-reminder> tag is wrong", "the <system-reminder> tag is wrong"),
        ("<div> is the wrong tag, use <p>", "<div> is the wrong tag, use <p>"),
        ("<command-name>/x</command-name> use tabs", ""),
        ("<system-reminder>never closed", ""),
        ("<system-reminder>\nnever closed", ""),
        ("<skill> tags are never rendered", "<skill> tags are never rendered"),
        ("", ""),
        ("\x0b\x1c\u2003", ""),
        ("\ufeff \x0b\ufeff!", "!"),
    ],
)
def test_the_persons_own_words(text: str, own: str) -> None:
    """Blocks before, after and around are taken away; what stands inside the words stays."""
    assert cue.words_only(text) == own


@pytest.mark.parametrize(
    ("before", "after"), [("<skill>a</skill>\n", ""), ("", " <skill>a</skill>"), ("<prompt>", "</prompt>")]
)
def test_blocks_without_number_take_no_time(before: str, after: str) -> None:
    """Each block costs its own length, not that of the whole text."""
    begin = process_time()
    assert cue.words_only(f"{before * 50_000}use tabs{after * 50_000}") == "use tabs"
    assert process_time() - begin < 2


@given(texts | words | blanks)
def test_any_text_gets_an_answer(text: str) -> None:
    """Nothing raises, the answer is a signal or nothing, and own words have no own words but themselves."""
    assert cue.signal_of(text) in {*SIGNALS, ""}
    own = cue.words_only(text)
    assert own in text
    assert cue.words_only(own) == own


@given(st.sampled_from(["no, use tabs", "never do that again"]), texts)
def test_the_stamp_anywhere_silences(said: str, rest: str) -> None:
    """A text with the stamp on it is ours, whatever else it says."""
    assert cue.signal_of(f"{said}\n{STAMP}\n{rest}") == ""


def test_tables_hold_what_can_be_found() -> None:
    """Every cue is lower case without apostrophes, so that the folded text can hold it."""
    for cue_words in (*phrase.SIGNS["correction"], *phrase.HINTS, *phrase.OPENINGS, *phrase.TASKS):
        assert cue_words == cue_words.casefold()
        assert not set(cue_words) & set("'’,|?!\n")
    assert all(len(set(table)) == len(table) for table in phrase.SCRIPTS.values())


def test_it_loads_next_to_nothing() -> None:
    """The prompt hook imports it on every prompt, so it brings no module of weight along."""
    heavy = "{'re', 'typing', 'json', 'unicodedata', 'functools', 'collections', 'click'}"
    code = f"import sys; from improve import cue; cue.signal_of('no!'); print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False, env=_path())
    assert run.stdout.strip() == "[]", run.stderr


def _path() -> dict[str, str]:
    return {"PYTHONPATH": str(Path(cue.__file__).parents[1])}
