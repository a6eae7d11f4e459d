"""review: one question at a time, by keys on a terminal and by lines without one."""

from __future__ import annotations

import io
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve, Repository, Said
from commands.sessions import Claude
from improve import queue

UV = "use uv here, never pip"
TABS = "always indent with tabs, never with spaces"
DATES = "write dates as ISO 8601, never in words"
LONG = "no!\nthat is wrong"


@pytest.fixture
def shop(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a real repository and go there."""
    root = repository("shop")
    monkeypatch.chdir(root)
    return root


class Inbox:
    """Puts words into the inbox as if they had been the reasons of denials."""

    def __init__(self, improve: Improve, home: Path, cwd: Path) -> None:
        self._improve, self._home, self._cwd, self._count = improve, home, cwd, 0

    def __call__(self, *texts: str) -> None:
        """Let the person say these, each in a session of its own."""
        for text in texts:
            self._count += 1
            Claude(self._home, self._cwd, f"s{self._count}").types("please go on").runs("npm i", refused=text)
        self._improve("scan")

    def states(self) -> dict[str, str]:
        """Tell what became of which words."""
        listed = self._improve("inbox", "--all", "--json").json["candidates"]
        return {c["words"]: c["state"] for c in listed}


@pytest.fixture
def said(improve: Improve, home: Path, shop: Path) -> Inbox:
    """Fill the inbox."""
    return Inbox(improve, home, shop)


def counts(improve: Improve) -> dict[str, int]:
    """Count the occasions of each rule."""
    rules = improve("status", "--all", "--json", "--budget", "0").json["rules"]
    return {rule["rule"]: rule["count"] for rule in rules}


# --- answers on standard input ---


@pytest.fixture
def answer(improve: Improve, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Review with answers on standard input."""

    def review(answers: str, *argv: str, code: int = 0) -> Said:
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        return improve("review", *argv, code=code)

    return review


def test_an_empty_inbox_needs_no_review(answer: Any, shop: Path) -> None:
    """One line, or an object of zeros."""
    assert answer("").out == "No correction waits to be phrased.\n"
    told = answer("", "--json").json
    assert (told["accepted"], told["merged"], told["dismissed"], told["skipped"]) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("line", "state", "rules"),
    [
        ("y", "accepted", {"Use uv here, never pip": 1}),
        ("e Use uv for everything", "accepted", {"Use uv for everything": 1}),
        ("n", "dismissed", {}),
        ("N", "dismissed", {}),
        ("s", "open", {}),
        ("", "open", {}),
        ("q", "open", {}),
        ("?\ny", "accepted", {"Use uv here, never pip": 1}),
        ("x\nn", "dismissed", {}),
        ("m\nn", "dismissed", {}),
        ("e\nn", "dismissed", {}),
    ],
)
def test_each_answer_does_what_it_says(
    improve: Improve, said: Inbox, answer: Any, line: str, state: str, rules: dict[str, int]
) -> None:
    """A line an answer; what is none is explained and asked again; a blank line decides later."""
    said(UV)
    answer(f"{line}\n")
    assert said.states() == {UV: state}
    assert {text.casefold(): n for text, n in counts(improve).items()} == {t.casefold(): n for t, n in rules.items()}


def test_what_an_answer_became_is_named(improve: Improve, said: Inbox, answer: Any) -> None:
    """The rule that is new or was matched, as `accept` says: nobody merges two rules without seeing it."""
    improve("observe", "Keep it tidy and labelled", "--domain", "style")
    said(DATES, TABS)
    lines = answer("e Keep it tidy and labelled\ne Never deploy on Fridays\n").out.splitlines()
    assert "  matched keep-it-tidy-and-labelled (same wording)" in lines
    assert "  new rule never-deploy-on-fridays" in lines


def test_the_end_of_the_answers_stops_it(said: Inbox, answer: Any) -> None:
    """What was answered is done; the rest waits, and the last line says how much."""
    said(UV, TABS, DATES)
    out = answer("n\n").out
    assert out.splitlines()[-1] == "1 dismissed; 2 candidates wait"
    assert sorted(said.states().values()) == ["dismissed", "open", "open"]


def test_what_says_the_same_is_one_question(improve: Improve, said: Inbox, answer: Any) -> None:
    """The pile is settled together: one rule, an occasion each."""
    said(UV, "Use uv here, never pip!", "use uv here, never pip.")
    out = answer("y\n").out
    assert "(1/1)" in out
    assert "said in 3 sessions" in out
    assert set(said.states().values()) == {"accepted"}
    assert list(counts(improve).values()) == [3]


def test_a_pile_is_dismissed_together(improve: Improve, said: Inbox, answer: Any) -> None:
    """Never again holds for each wording in it."""
    said(UV, "Use uv here, never pip!")
    answer("N\n")
    assert set(said.states().values()) == {"dismissed"}
    assert all(c["always"] for c in improve("inbox", "--all", "--json").json["candidates"])
    said(UV)
    assert improve("inbox", "--json").json["open"] == 0


def test_a_near_rule_is_offered_and_merged_into(improve: Improve, said: Inbox, answer: Any) -> None:
    """`m` makes it an occasion of the rule that is shown."""
    improve("observe", "Install Python packages with uv, never with pip")
    said("packages are installed with uv here, I told you")
    assert "near: install-python-packages-with-uv-never-with-pip: " in answer("m\n").out
    assert list(counts(improve).values()) == [2]
    assert list(said.states().values()) == ["matched"]


def test_what_an_answer_settled_is_not_asked(
    improve: Improve, said: Inbox, home: Path, shop: Path, answer: Any
) -> None:
    """A rule that was just accepted settles what else says it; the next question is about something that waits."""
    said(DATES)
    key = queue.key_of("z1", "", DATES)
    for session in ("z1", "z2"):
        event = queue.Heard(
            key + session, "2026-11-29T12:00:00+01:00", "codex", session, str(shop), DATES, "correction"
        )
        queue.hear(str(home / ".agent-improvement" / "queue"), event)
    improve("inbox")
    improve("observe", "Put commas after the last item")
    answer("y\n" * 5)
    assert "open" not in said.states().values()
    assert counts(improve)["Put commas after the last item"] == 1
    assert len(counts(improve)) == 2


def test_what_others_settle_meanwhile_is_passed_over(
    improve: Improve, said: Inbox, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another command dismissed the second while the first was shown: no question, no failure."""
    from improve.workflow import triage

    said(UV, TABS)
    real = triage.dismiss

    def both(here: Any, names: Any, **more: Any) -> Any:
        listed = improve_inbox(here)
        return real(here, listed, **more)

    def improve_inbox(here: Any) -> list[str]:
        from improve import inbox

        return [c.id for c in inbox.read(here.home.file(inbox.FILE)).open]

    with monkeypatch.context() as patch:
        patch.setattr("improve.workflow.triage.dismiss", both)
        out = answer("n\ny\n").out
    assert "(1/2)" in out
    assert "(2/2)" not in out
    assert set(said.states().values()) == {"dismissed"}


def test_words_that_cannot_be_a_rule_must_be_worded(improve: Improve, said: Inbox, answer: Any) -> None:
    """`y` is not offered for them; `e` is."""
    said("no, <!-- that --> is wrong here, always")
    out = answer("y\ne Write the comment as text\n").out
    assert "'y' is no answer here" in out
    assert "word it with e" in out
    assert list(counts(improve)) == ["Write the comment as text"]


def test_a_bad_rule_text_is_refused_and_changes_nothing(improve: Improve, said: Inbox, answer: Any) -> None:
    """A credential in the text: exit 3, and the candidate waits."""
    said(UV)
    answer("e Use the password https://me:s3cretpass@example.com/x\n", code=3)
    assert set(said.states().values()) == {"open"}
    assert counts(improve) == {}


def test_only_one_kind_or_so_many(said: Inbox, answer: Any) -> None:
    """--signal and --limit."""
    said(UV, TABS, DATES)
    assert answer("s\n" * 9, "--signal", "remember").out.startswith("No remember waits. ")
    assert "(1/3)" in answer("q\n", "--signal", "denial").out
    assert "1 skipped; 3 candidates wait" in answer("s\n" * 9, "--limit", "1").out


def test_of_very_many_the_likeliest_are_asked_about(said: Inbox, answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was said twice and what looks most like a rule comes before the rest, which still waits."""
    said(UV, TABS, DATES, UV)
    monkeypatch.setattr("improve.workflow.pile._GROUPED", 3)
    out = answer("s\n" * 9).out
    assert "(1/2)" in out
    assert out.index("said in 2 sessions") < out.index("(2/2)")
    assert out.splitlines()[-1] == "2 skipped; 4 candidates wait"


def test_json_tells_what_was_done(said: Inbox, answer: Any) -> None:
    """Nothing but one object on the standard output."""
    said(UV, TABS)
    told = answer("y\nn\n", "--json")
    assert told.out.isascii()
    assert told.json["waiting"] == 0
    assert (told.json["accepted"], told.json["dismissed"]) == (1, 1)


def test_off_settles_nothing(improve: Improve, said: Inbox, answer: Any) -> None:
    """Exit 3, and all of it waits."""
    said(UV)
    improve("off")
    answer("y\n", code=3)
    improve("on")
    assert set(said.states().values()) == {"open"}


# --- keys on a terminal ---


class Terminal:
    """A command on a real terminal: what it shows, and keys."""

    def __init__(self, *argv: str, **env: str) -> None:
        self.ours, theirs = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "improve", *argv],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", **env},
            start_new_session=True,
        )
        os.close(theirs)

    def expect(self, text: str, seconds: float = 20.0) -> str:
        """Wait until something is shown after what was seen before; give all up to there."""
        until = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < until, f"{text!r} was not shown: {self.shown!r}"
            if not self._read(0.2) and self.process.poll() is not None:
                assert text in self.shown, self.shown
        before, found, self.shown = self.shown.partition(text)
        return before + found

    def press(self, keys: str) -> None:
        """Press keys, once the command waits for one: what is typed before the question is seen answers nothing."""
        until = time.monotonic() + 20
        while not keys.endswith("\n") and termios.tcgetattr(self.ours)[3] & termios.ICANON:
            assert time.monotonic() < until, "it does not wait for a key"
            time.sleep(0.005)
        os.write(self.ours, keys.encode())

    def end(self) -> int:
        """Wait for the end; give the exit code."""
        while self._read(0.2) or self.process.poll() is None:
            pass
        os.close(self.ours)
        return self.process.wait(20)

    def _read(self, seconds: float) -> bool:
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.ours, 65536)
        except OSError:  # the other side is closed
            return False
        self.shown += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


PROMPT = "Keep it as a rule? ["


def test_keys_on_a_terminal(improve: Improve, said: Inbox) -> None:
    """No Enter is needed; ? explains; an arrow is no answer; e asks for the text; the sum comes last."""
    said(UV, TABS, DATES)
    review = Terminal("review")
    assert "\x1b[1m" in review.expect("(1/3)")
    review.expect(PROMPT + "y,e,n,N,s,q,?] ")
    review.press("?")
    review.expect("N  it is none, and the same words never wait again")
    review.press("\x1b[A")
    review.expect("is no answer here; ? explains them")
    review.expect(PROMPT)
    review.press("n")
    review.expect("(2/3)")
    review.expect(PROMPT)
    review.press("e")
    review.expect("Rule")
    review.press("Keep it tidy and labelled\n")
    review.expect("RECORDED (count=1)")
    review.expect("(3/3)")
    review.expect(PROMPT)
    review.press("y")
    review.expect("2 accepted, 1 dismissed; 0 candidates wait")
    assert review.end() == 0
    assert len(counts(improve)) == 2
    assert "person" in improve("history", "keep-it-tidy-and-labelled").out


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("\x03", 130), ("\x04", 130), ("\x1b", 0)])
def test_ways_to_stop_on_a_terminal(improve: Improve, said: Inbox, key: str, code: int) -> None:
    """q, Escape, Ctrl-C and Ctrl-D end it; what was answered before is kept."""
    said(UV, TABS)
    review = Terminal("review")
    review.expect(PROMPT)
    review.press("n")
    review.expect("(2/2)")
    review.expect(PROMPT)
    review.press(key)
    assert review.end() == code
    assert "Traceback" not in review.shown
    assert sorted(said.states().values()) == ["dismissed", "open"]


def test_a_refusal_on_a_terminal_asks_again(improve: Improve, said: Inbox) -> None:
    """A text that cannot be a rule is refused in a sentence, and the question comes again; no colour if not wanted."""
    said(UV)
    review = Terminal("review", NO_COLOR="1")
    review.expect(PROMPT)
    review.press("e")
    review.expect("Rule")
    review.press("Use the password https://me:s3cretpass@example.com/x\n")
    review.expect(PROMPT)
    review.press("N")
    shown = review.expect("1 dismissed; 0 candidates wait")
    assert "\x1b[1m" not in shown
    assert review.end() == 0
    assert said.states() == {UV: "dismissed"}


def test_a_kind_of_which_nothing_waits_is_named(improve: Improve, said: Inbox) -> None:
    """A mistyped kind is no empty inbox, in text and in JSON."""
    said(UV)
    assert "No preferense waits" in improve("review", "--signal", "preferense").out
    assert improve("review", "--signal", "preferense", "--json").json["waiting"] == 1


def test_json_and_keys_do_not_go_together() -> None:
    """Nobody would see what is asked: it is no question, and an error of usage."""
    review = Terminal("review", "--json")
    review.expect("nothing was asked")
    assert review.end() == 2


def test_a_closed_input_is_an_end(improve: Improve, said: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started without a standard input it asks once, settles nothing and says what waits."""
    said(UV)
    monkeypatch.setattr("sys.stdin", None)
    assert improve("review").out.rstrip().endswith("nothing settled; 1 candidate waits")
