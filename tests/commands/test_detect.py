"""`improve detect`: one line of output for each line of input."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest
from tests.commands.conftest import Improve

_FIELDS = {"id", "signal", "durable", "severity", "confidence", "tier", "rank"}


@pytest.fixture
def ask(improve: Improve, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give lines to the command and read what it answers."""

    def asked(*lines: object, code: int = 0) -> list[dict[str, Any]]:
        text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        return [json.loads(line) for line in improve("detect", code=code).out.splitlines()]

    return asked


def test_every_line_is_answered_in_order(ask: Any) -> None:
    """The answers have the ids of the questions, in their order."""
    told = ask(
        {"id": "a", "text": "still broken", "prev_assistant": "Fixed."}, {"id": 2, "text": "go on"}, {"text": "hi"}
    )
    assert [one["id"] for one in told] == ["a", 2, None]
    assert all(set(one) == _FIELDS for one in told)


def test_a_clear_rule_is_phrased(ask: Any) -> None:
    """`rule` is there only for words that make one."""
    (told,) = ask({"id": 1, "text": "no! from now on always use pnpm"})
    assert told["rule"] == "Always use pnpm"
    assert (told["tier"], told["durable"]) == ("sure", True)


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        ("nonsense", None),
        ("[1]", None),
        ("{", None),
        ('{"id": 7}', 7),
        ('{"id": 7, "text": 5}', 7),
        ('{"id": [1], "text": "x"}', None),
        ('{"id": 7, "text": "x", "prev_assistant": 1}', 7),
        ('{"id": 7, "text": "x", "next_user": {}}', 7),
        ('{"id": 7, "text": "x", "turn_index": "3"}', 7),
        ("[" * 100_000, None),
        ("", None),
        ("  ", None),
        ('{"id": NaN, "text": "x"}', None),
        ('{"id": 1e999, "text": "x"}', None),
    ],
)
def test_a_bad_line_has_its_error_and_the_others_go_on(ask: Any, line: str, identity: object) -> None:
    """What cannot be judged is answered by an error, and the exit code is 2."""
    bad, good = ask(line, {"id": "g", "text": "go on"}, code=2)
    assert bad["id"] == identity
    assert bad["error"]
    assert good["tier"] == "none"


def test_null_is_as_good_as_missing(ask: Any) -> None:
    """Fields that are null are unknown."""
    one, two = ask(
        {"id": 1, "text": "still broken"},
        {"id": 1, "text": "still broken", "prev_assistant": None, "next_user": None, "turn_index": None},
    )
    assert one == two


def test_nothing_in_nothing_out(ask: Any) -> None:
    """An empty input has an empty answer."""
    assert ask() == []


def test_a_byte_order_mark_is_passed_over(ask: Any) -> None:
    """Some shells put one before what they hand on."""
    assert [one["id"] for one in ask('\ufeff{"id": 1, "text": "go on"}')] == [1]


@pytest.mark.parametrize("turn", [-3, 1 << 60, 10**400])
def test_a_turn_of_any_size_is_taken(ask: Any, turn: int) -> None:
    """A number that is no float is late in a session, not the end of the run."""
    assert "tier" in ask({"id": 1, "text": "still broken", "turn_index": turn})[0]


def test_it_answers_line_by_line() -> None:
    """Another program can ask and read in turns."""
    command = [sys.executable, "-m", "improve", "detect"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin and running.stdout
        for number in range(3):
            running.stdin.write(json.dumps({"id": number, "text": "go on"}) + "\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["id"] == number
        running.stdin.close()
        assert running.wait(20) == 0


def test_a_closed_input_has_no_lines(improve: Improve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started without a standard input it answers nothing, and that is no mistake."""
    monkeypatch.setattr("sys.stdin", None)
    assert improve("detect").out == ""
