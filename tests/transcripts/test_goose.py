"""Goose's sessions tell who said what: in its database, and in the files before it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from improve.transcripts.base import Unreadable
from improve.transcripts.goose import READER, claims, files
from transcripts.conftest import Told, tell

Message = tuple[str, list[Any], dict[str, Any]]


def _text(text: str, role: str = "user", **about: object) -> Message:
    return role, [{"type": "text", "text": text}], about


def _asked(name: str, **arguments: object) -> Message:
    call = {"status": "success", "value": {"name": name, "arguments": arguments}}
    return "assistant", [{"type": "toolRequest", "id": "c1", "toolCall": call}], {}


def _came(text: str = "done", *, error: str = "", is_error: bool = False) -> Message:
    value = {"content": [{"type": "text", "text": text}], "isError": is_error}
    result = {"status": "error", "error": error} if error else {"status": "success", "value": value}
    return "user", [{"type": "toolResponse", "id": "c1", "toolResult": result}], {}


_CONVERSATION: list[Message] = [
    _text("run the tests"),
    ("assistant", [{"type": "thinking", "thinking": "use tabs"}, {"type": "text", "text": "I run them."}], {}),
    _asked("developer__shell", command="npm test"),
    _came(is_error=True),
    _asked("developer__text_editor", command="str_replace", path="/w/a.py"),
    _came("The user has declined to run this tool. DO NOT attempt to call this tool again."),
    _text("always use pnpm"),
    _asked("developer__shell", command="sleep 60"),
    _came(error="Interrupted by the user to make a correction"),
    _text("The existing call was interrupted.", "assistant"),
    _text("hidden from the person", userVisible=False),
    ("user", [{"type": "conversationCompacted", "msg": "use tabs"}], {}),
    ("assistant", [{"type": "error", "error": "429"}], {}),
    _text("no, tabs"),
]
_TOLD: list[Told] = [
    ("person", "typed", "run the tests"),
    ("agent", "", "I run them."),
    ("agent", "shell npm test", ""),
    ("tool", "failed", ""),
    ("agent", "edit /w/a.py", ""),
    ("tool", "person", ""),
    ("person", "typed", "always use pnpm"),
    ("agent", "shell sleep 60", ""),
    ("tool", "interrupted", ""),
    ("host", "interrupted", ""),
    ("agent", "", "The existing call was interrupted."),
    ("host", "compacted", ""),
    ("host", "failed", ""),
    ("person", "typed", "no, tabs"),
]
_SESSIONS = (
    "create table sessions (id text primary key, working_dir text, created_at timestamp, session_type text,"
    " parent_session_id text)"
)
_MESSAGES = (
    "create table messages (id integer primary key autoincrement, message_id text, session_id text, role text,"
    " content_json text, created_timestamp integer, metadata_json text)"
)


def _database(path: Path, messages: list[Message], *, kind: str = "user", parent: str | None = None) -> Path:
    with sqlite3.connect(path) as base:
        base.execute(_SESSIONS)
        base.execute(_MESSAGES)
        base.execute("insert into sessions values ('s1', '/w/app', '2026-11-02 09:00:00', ?, ?)", (kind, parent))
        for number, (role, content, about) in enumerate(messages):
            row = (f"m{number}", "s1", role, json.dumps(content), 1_790_000_000 + number, json.dumps(about))
            base.execute(
                "insert into messages (message_id, session_id, role, content_json, created_timestamp, metadata_json)"
                " values (?, ?, ?, ?, ?, ?)",
                row,
            )
    base.close()
    return path


def _lines(path: Path, messages: list[Message], **about: object) -> Path:
    head = {"working_dir": "/w/app", "description": "x", "message_count": len(messages), **about}
    rows: list[dict[str, Any]] = [head]
    for number, (role, content, metadata) in enumerate(messages):
        rows.append({"role": role, "created": 1_790_000_000 + number, "content": content, "metadata": metadata})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _told(path: Path) -> list[Told]:
    (session,) = READER.read(str(path), 0)
    return tell(session)


def test_a_database_tells_a_conversation(tmp_path: Path) -> None:
    """What comes back from tools has the role of a user and is no speech; what is hidden was not typed."""
    path = _database(tmp_path / "sessions.db", _CONVERSATION)
    (session,) = READER.read(str(path), 0)
    assert (session.id, session.cwd, session.started) == ("s1", "/w/app", "2026-11-02T09:00:00Z")
    assert (session.parent, session.headless) == ("", False)
    turns = list(session)
    assert tell(turns) == _TOLD
    assert (turns[0].id, turns[0].at) == ("m0", "2026-09-21T14:13:20.000+00:00")


def test_an_older_file_tells_the_same(tmp_path: Path) -> None:
    """Before the database each session was a file of lines."""
    path = _lines(tmp_path / "20250902_1.jsonl", _CONVERSATION)
    (session,) = READER.read(str(path), 0)
    assert (session.id, session.cwd) == ("20250902_1", "/w/app")
    assert tell(session) == _TOLD


@pytest.mark.parametrize(
    ("kind", "parent", "how"),
    [("user", None, "typed"), ("user", "s0", "typed"), ("scheduled", None, "scripted"), ("sub_agent", "s0", "")],
)
def test_who_sat_there_is_known(kind: str, parent: str | None, how: str, tmp_path: Path) -> None:
    """In a fork somebody types, in a scheduled session a script, in a subagent's nobody."""
    path = _database(tmp_path / "sessions.db", [_text("use tabs"), _text("ok", "assistant")], kind=kind, parent=parent)
    said: list[Told] = [("person", how, "use tabs")] if how else []
    assert _told(path) == [*said, ("agent", "", "ok")]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"command": "view", "path": "/w/a"}, "read /w/a"),
        ({"command": "write", "path": "/w/a", "file_text": "x"}, "write /w/a"),
        ({"command": "insert", "path": "/w/a"}, "edit /w/a"),
    ],
)
def test_the_editor_does_what_its_command_says(arguments: dict[str, str], told: str, tmp_path: Path) -> None:
    """One tool reads, writes and edits."""
    path = _database(tmp_path / "sessions.db", [_asked("developer__text_editor", **arguments)])
    assert _told(path) == [("agent", told, "")]


def test_a_call_that_was_skipped_was_ended_by_a_setting(tmp_path: Path) -> None:
    """In a mode without tools nobody said no."""
    skipped = _came("Let the user know the tool call was skipped in goose chat mode.")
    assert _told(_database(tmp_path / "sessions.db", [skipped])) == [("tool", "rule", "")]


def test_an_older_database_is_read(tmp_path: Path) -> None:
    """Columns that are not there are not needed."""
    path = tmp_path / "sessions.db"
    with sqlite3.connect(path) as base:
        base.executescript(
            "create table sessions (id text); create table messages (session_id text, role text, content_json text);"
            "insert into sessions values ('s1');"
            """insert into messages values ('s1', 'user', '[{"type": "text", "text": "use tabs"}]');"""
        )
    base.close()
    assert _told(path) == [("person", "typed", "use tabs")]


def test_wrong_types_are_passed_over_and_counted(tmp_path: Path) -> None:
    """What is no list of blocks is numbered; the rest is read."""
    odd: list[Message] = [
        ("user", [5, None, {"type": "toolResponse", "toolResult": 5}, {"type": []}], {}),
        ("assistant", [{"type": "toolRequest", "id": [], "toolCall": "x"}], {}),
        ("assistant", [{"type": "toolRequest", "toolCall": {"value": {"name": 5, "arguments": "x"}}}], {}),
    ]
    path = _database(tmp_path / "sessions.db", [*odd, _text("use tabs")])
    with sqlite3.connect(path) as base:
        base.execute("insert into messages (session_id, role, content_json) values ('s1', 5, '{broken'), ('s1', 1, 2)")
    base.close()
    (session,) = READER.read(str(path), 0)
    assert tell(session)[-1] == ("person", "typed", "use tabs")
    assert len(session.bad) == 2


def test_files_and_claims_know_what_is_gooses(tmp_path: Path) -> None:
    """The database and older files are."""
    path = _database(tmp_path / "sessions.db", _CONVERSATION)
    older = _lines(tmp_path / "20250902_1.jsonl", _CONVERSATION)
    (tmp_path / "other.db").write_bytes(b"")
    assert set(files(str(tmp_path))) == {str(path), str(older)}
    assert claims(str(path), path.read_bytes()[:4096])
    assert claims(str(older), older.read_bytes()[:4096])
    assert not claims("x", b'{"type": "user", "message": {"working_dir": 1}}\n')


@pytest.mark.parametrize("data", [b"hello\n", b"[1]\n{}\n"])
def test_what_is_no_session_is_unreadable(data: bytes, tmp_path: Path) -> None:
    """A file whose first line tells nothing is none of its files."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    with pytest.raises(Unreadable):
        list(READER.read(str(path), 0))


@settings(max_examples=60)
@given(st.integers(0, 3_000))
def test_a_file_that_was_cut_gives_what_it_has(at: int) -> None:
    """A torn last line is silent, and all turns before it are there."""
    path = _lines(Path("cut.jsonl"), _CONVERSATION)
    path.write_bytes(path.read_bytes()[:at])
    try:
        told = _told(path)
    except Unreadable:
        return
    assert told == _TOLD[: len(told)]


def test_a_refusal_that_a_tool_found_is_none(tmp_path: Path) -> None:
    """Words of a refusal in what a tool found are no refusal."""
    found = _came("a.py:3: The user has declined to run this tool\nb.py:9: Interrupted by the user")
    assert _told(_database(tmp_path / "sessions.db", [found])) == [("tool", "ok", "")]
