"""pydantic-deep's sessions: what was typed is told from what the program put in the same place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from improve.transcripts.base import Unreadable
from improve.transcripts.pydantic_deep import READER
from transcripts.conftest import SESSIONS, tell

_HERE = SESSIONS / "pydantic-deep"


def test_a_denied_call_and_a_prompt_of_the_program_are_known() -> None:
    """Recorded from the real program: a call that a person denied, and a memory that came as a prompt."""
    (found,) = READER.read(str(_HERE / "tui-deny.messages.json"), 0)
    assert (found.cwd, found.started) == ("/home/user/app", "2026-11-30T16:15:15.282650Z")
    assert tell(found) == [
        ("person", "typed", "install it"),
        ("agent", "shell pip install x", ""),
        ("tool", "person", ""),
        ("agent", "", "ok uv then"),
        ("person", "typed", "we use uv here, never pip"),
        ("agent", "", "Second done."),
    ]


def test_the_log_beside_the_messages_says_which_calls_failed() -> None:
    """A prompt of several parts, an error only the log knows, a retry, an answer that was stopped."""
    (path,) = READER.files(str(_HERE / "app" / ".pydantic-deep" / "sessions"))
    (found,) = READER.read(path, 0)
    assert (found.id, found.cwd) == ("s1", str(_HERE / "app"))
    assert tell(found) == [
        ("person", "typed", "look at this\nand run the tests"),
        ("agent", "shell pytest, write a.py", "I run them."),
        ("tool", "failed, failed", ""),
        ("agent", "", "They pass."),
        ("person", "typed", "no, one fails"),
        ("agent", "", "You are right"),
        ("host", "interrupted", ""),
    ]


def test_without_the_log_only_the_retry_failed(tmp_path: Path) -> None:
    """No log is there after a denied call."""
    text = (_HERE / "app/.pydantic-deep/sessions/s1/messages.json").read_text()
    (tmp_path / "messages.json").write_text(text)
    (found,) = READER.read(str(tmp_path / "messages.json"), 0)
    assert tell(found)[2] == ("tool", "ok, failed", "")


@pytest.mark.parametrize("text", ["", "[", "{}", "3"])
def test_a_file_that_holds_no_messages_is_named(tmp_path: Path, text: str) -> None:
    """It is said why, in a clause."""
    (tmp_path / "messages.json").write_text(text)
    with pytest.raises(Unreadable, match=r"^it"):
        list(READER.read(str(tmp_path / "messages.json"), 0))


def test_values_of_wrong_types_are_passed_over(tmp_path: Path) -> None:
    """Whatever stands where a text or an object should, the rest is read."""
    parts = [7, {"part_kind": []}, {"part_kind": "user-prompt", "content": 5, "timestamp": []}]
    messages = [None, {"kind": "request", "parts": {}}, {"kind": "request", "parts": parts}]
    messages.append({"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "use uv"}]})
    (tmp_path / "messages.json").write_text(json.dumps(messages))
    (found,) = READER.read(str(tmp_path / "messages.json"), 0)
    assert tell(found) == [("person", "typed", "use uv")]
