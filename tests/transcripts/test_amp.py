"""Amp's threads tell who said what, what was refused and what was stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from improve.transcripts.amp import READER
from improve.transcripts.base import Unreadable
from transcripts.conftest import SESSIONS, tell

_THREADS = SESSIONS / "amp"


def test_a_thread_tells_a_persons_words_and_what_became_of_each_call() -> None:
    """Words come from text blocks of the user, results from blocks beside them, with their ends."""
    (found,) = READER.read(str(_THREADS / "T-5f1c.json"), 0)
    assert (found.id, found.cwd, found.started) == ("T-5f1c", "/home/user/my app", "2026-03-01T09:00:00.000+00:00")
    assert tell(found) == [
        ("person", "typed", "run the tests"),
        ("agent", "shell npm test, edit /home/user/my app/a.js", "I run them."),
        ("tool", "failed, person: use pnpm", ""),
        ("agent", "shell npm test", "I try again"),
        ("host", "interrupted", ""),
        ("tool", "interrupted", ""),
        ("person", "typed", "stop, pnpm not npm"),
        ("agent", "read /nowhere", ""),
        ("tool", "failed", ""),
    ]


def test_a_thread_of_a_subagent_has_no_person() -> None:
    """What another thread asked is nobody's words."""
    (found,) = READER.read(str(_THREADS / "T-sub1.json"), 0)
    assert (found.parent, tell(found)) == ("T-5f1c", [("agent", "", "found three")])


def test_ids_and_times_are_those_of_the_messages() -> None:
    """A message is known by its number in the thread and the moment it was sent."""
    (found,) = READER.read(str(_THREADS / "T-5f1c.json"), 0)
    assert [(turn.id, turn.at) for turn in found if turn.who == "person"] == [
        ("0", "2026-03-01T09:00:01.000+00:00"),
        ("4", "2026-03-01T09:01:00.000+00:00"),
    ]


def test_only_threads_are_found(tmp_path: Path) -> None:
    """Other documents in the directory are none of them."""
    for name in ("T-1.json", "session.json", "T-2.txt"):
        (tmp_path / name).write_text("{}")
    assert list(READER.files(str(tmp_path))) == [str(tmp_path / "T-1.json")]
    assert READER.claims(str(tmp_path / "T-1.json"), b"{}")
    assert not READER.claims(str(tmp_path / "session.json"), b"{}")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"messages": 3}', "[" * 100_000])
def test_a_file_that_holds_no_thread_is_named(tmp_path: Path, text: str) -> None:
    """It is said why, in a clause, instead of giving an empty session."""
    (tmp_path / "T-1.json").write_text(text)
    with pytest.raises(Unreadable, match=r"^it"):
        list(READER.read(str(tmp_path / "T-1.json"), 0))


def test_values_of_wrong_types_are_passed_over(tmp_path: Path) -> None:
    """A message that is no object, a content that is a number: the rest is read."""
    messages = [3, {"role": "user", "content": 7}, {"role": [], "content": {}}, {"role": "user", "content": "use uv"}]
    (tmp_path / "T-1.json").write_text(json.dumps({"id": 5, "created": "x", "env": [], "messages": messages}))
    (found,) = READER.read(str(tmp_path / "T-1.json"), 0)
    assert (found.id, tell(found)) == ("T-1", [("person", "typed", "use uv")])
