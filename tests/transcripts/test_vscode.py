"""Chats of VS Code: a document, or a log of changes that is replayed to one."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.session import Session
from improve.transcripts import vscode
from improve.transcripts.base import Unreadable
from improve.transcripts.vscode import READER
from transcripts.conftest import SESSIONS, tell

_CHATS = SESSIONS / "vscode" / "workspaceStorage" / "abc" / "chatSessions"


def _log(place: Path, *changes: dict[str, Any]) -> Session:
    path = place / "chatSessions" / "x.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(change) + "\n" for change in changes))
    (found,) = READER.read(str(path), 0)
    return found


def test_a_document_tells_words_calls_and_how_each_answer_ended() -> None:
    """Exit codes, refusals, a stop, an error, a request taken back; a button that was pressed is no words."""
    (found,) = READER.read(str(_CHATS / "11111111-aaaa.json"), 0)
    assert (found.id, found.cwd, found.started) == (
        "11111111-aaaa", "/home/user/my app", "2026-03-01T09:00:00.000+00:00",
    )  # fmt: skip
    assert tell(found) == [
        ("person", "typed", "run the tests"),
        ("agent", "shell npm test, edit Editing a.js", "I run them. One fails."),
        ("tool", "failed, person", ""),
        ("agent", "", "On it."),
        ("person", "typed", "no, use pnpm"),
        ("agent", "", "Sorry"),
        ("host", "interrupted", ""),
        ("person", "typed", "try it again"),
        ("host", "failed", "rate limited"),
        ("host", "rewound", ""),
    ]


def test_a_log_of_changes_is_replayed() -> None:
    """Set, push, push over what is there, delete; a change that leads nowhere is passed over."""
    (found,) = READER.read(str(_CHATS / "22222222-bbbb.jsonl"), 0)
    assert (found.id, found.bad) == ("22222222-bbbb", [])
    assert tell(found) == [
        ("person", "typed", "sort the list"),
        ("agent", "", "Sorted."),
        ("person", "typed", "always sort descending"),
    ]


def test_a_chat_of_an_empty_window_has_no_directory() -> None:
    """It belongs to no folder."""
    (found,) = READER.read(str(SESSIONS / "vscode/globalStorage/emptyWindowChatSessions/33333333-cccc.json"), 0)
    assert (found.cwd, tell(found)) == ("", [("person", "typed", "hello"), ("agent", "", "Hi.")])


def test_bad_lines_in_the_middle_are_counted_and_a_torn_last_one_is_not(tmp_path: Path) -> None:
    """The changes around them are applied."""
    path = tmp_path / "chatSessions" / "x.jsonl"
    path.parent.mkdir()
    start = {"kind": 0, "v": {"requests": []}}
    more = {"kind": 2, "k": ["requests"], "v": [{"message": {"text": "use uv"}}]}
    path.write_text(f'{json.dumps(start)}\n{{"kind": 2,\n{json.dumps(more)}\n{{"kind": 1, "k"')
    (found,) = READER.read(str(path), 0)
    assert (found.bad, tell(found)) == ([2], [("person", "typed", "use uv")])


@pytest.mark.parametrize("key", [-1, 1, "-1", "1", "9" * 30, "x", 0.5, True, None, [], {}])
def test_an_index_that_is_not_there_changes_nothing(tmp_path: Path, key: Any) -> None:
    """Neither from behind nor beyond the end."""
    found = _log(
        tmp_path,
        {"kind": 0, "v": {"requests": [{"message": {"text": "one"}}]}},
        {"kind": 1, "k": ["requests", key, "message"], "v": {"text": "two"}},
        {"kind": 1, "k": ["requests", key], "v": {"message": {"text": "three"}}},
        {"kind": 3, "k": ["requests", key]},
    )
    assert tell(found) == [("person", "typed", "one")]


@given(st.lists(st.fixed_dictionaries({
    "kind": st.integers(0, 4),
    "k": st.one_of(st.none(), st.lists(st.sampled_from(["requests", "message", "text", 0, 1, -1, "0", None, 2.5]))),
    "v": st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["requests", "message", "text", "response", "value"]), inner),
    ),
    "i": st.one_of(st.none(), st.integers()),
}), max_size=12))  # fmt: skip
def test_any_log_is_read_or_named(tmp_path_factory: pytest.TempPathFactory, changes: list[dict[str, Any]]) -> None:
    """Whatever changes are in it, there is a session or a clause that says why not."""
    with suppress(Unreadable):
        tell(_log(tmp_path_factory.mktemp("log"), *changes))


def test_only_chats_are_found_and_workspaces_are_not_searched(tmp_path: Path) -> None:
    """What else extensions keep below a workspace is not looked at."""
    for name in ("a/chatSessions/1.json", "a/chatSessions/2.jsonl", "a/ext/chatSessions/3.json", "a/state.json"):
        path = tmp_path / "workspaceStorage" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    found = sorted(READER.files(str(tmp_path / "workspaceStorage")))
    assert [Path(path).name for path in found] == ["1.json", "2.jsonl"]
    assert len(list(READER.files(str(tmp_path)))) == 3


def test_the_places_are_those_of_every_edition(home: Path) -> None:
    """Stable, preview and VSCodium, with and without a folder."""
    places = {locate(str(home), {}) for locate in vscode.PLACES}
    assert len(places) == 6
