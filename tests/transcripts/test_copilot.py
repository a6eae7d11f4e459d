"""Copilot's events tell who said what, who said no and why; its database only what no events tell."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from improve.session import Turn
from improve.transcripts.base import Unreadable
from improve.transcripts.copilot import READER, claims, files
from transcripts.conftest import SESSIONS, Told, needs_real, real, short, tell

_PLACE = SESSIONS / "copilot"
_STORE = _PLACE / "two-turns-hooks.session-store.db"
_SCENARIOS: dict[str, list[Told]] = {
    "guard-deny": [
        ("person", "scripted", "please add the http client"),
        ("agent", "shell oldtool install requests; echo > ran-1/0", ""),
        ("tool", "rule", ""),
        ("agent", "shell slowtool run all; echo > ran-1/1", ""),
        ("tool", "ok", ""),
        ("agent", "shell echo oldtool is old; echo > ran-1/2", ""),
        ("tool", "ok", ""),
        ("agent", "", "Done."),
    ],
    "headless-denied-tool": [
        ("person", "scripted", "hi there"),
        ("agent", "shell touch zzz", ""),
        ("tool", "rule", ""),
        ("agent", "", "k"),
    ],
    "model-error": [("person", "scripted", "hi there"), ("host", "failed", "400 bad scripted")],
    # what the agent asked of its subagent is nobody's words
    "subagent": [
        ("person", "scripted", "where are the tests"),
        ("agent", "other look", ""),
        ("agent", "shell false", ""),
        ("tool", "failed", ""),
        ("agent", "", "sub answer"),
        ("tool", "ok", ""),
        ("agent", "", "main answer"),
    ],
    "tool-errors": [
        ("person", "scripted", "hi there"),
        ("agent", "other", ""),
        ("tool", "failed", ""),
        ("agent", "read /nonexistent/x", ""),
        ("tool", "rule", ""),
        ("agent", "shell exit 3", ""),
        ("tool", "failed", ""),
        ("agent", "", "k"),
    ],
    # the command was put into the background, not stopped
    "tui-abort": [
        ("person", "typed", "run the long job"),
        ("agent", "shell sleep 60", ""),
        ("tool", "ok", ""),
        ("person", "steered", "stop adding comments please"),
        ("agent", "", "ok tabs"),
        ("person", "typed", "no, use tabs"),
        ("agent", "", "Done."),
    ],
    "tui-deny": [
        ("person", "typed", "install it"),
        ("agent", "shell pip install x", ""),
        ("tool", "person: we use uv here, never pip", ""),
        ("agent", "", "ok uv"),
    ],
    "tui-esc": [
        ("person", "typed", "run the long job"),
        ("agent", "shell sleep 60", ""),
        ("tool", "ok", ""),
        ("person", "steered", "no, use tabs"),
        ("agent", "", "ok tabs"),
    ],
    # a call that was stopped never comes back; what was said and then taken back is no longer in the file
    "tui-abort-and-rewind": [
        ("person", "typed", "first job"),
        ("agent", "shell sleep 40", ""),
        ("tool", "interrupted", ""),
        ("host", "interrupted", ""),
        ("host", "rewound", ""),
        ("person", "typed", "use spaces then"),
        ("agent", "", "four"),
    ],
    # the first prompt by the command line; a line after `!` is no call of the agent's
    "tui-shell-and-resume": [
        ("person", "typed", "first prompt by flag"),
        ("agent", "", "one"),
        ("person", "typed", "second typed"),
        ("agent", "", "two"),
        ("person", "typed", "third resumed"),
        ("agent", "shell sleep 40", ""),
        ("tool", "ok", ""),
        ("person", "steered", "after esc"),
        ("agent", "", "three"),
    ],
    "tui-skill-and-compact": [
        ("person", "typed", "first job"),
        ("agent", "shell sleep 40", ""),
        ("tool", "ok", ""),
        ("person", "steered", "after esc"),
        ("agent", "", "three"),
        ("person", "command", "fix the parser"),
        ("agent", "", "four"),
        ("host", "compacted", ""),
        ("person", "typed", "rewound prompt"),
        ("agent", "", "six"),
    ],
    "two-turns-hooks": [
        ("person", "scripted", "please add a retry helper"),
        ("agent", "shell ls", ""),
        ("tool", "ok", ""),
        ("agent", "shell forbidden pip install x", ""),
        ("tool", "rule", ""),
        ("agent", "shell ls /nonexistent-dir", ""),
        ("tool", "failed", ""),
        ("agent", "", "All done."),
        ("person", "scripted", "no, use tabs not spaces"),
        ("agent", "", "Second done."),
    ],
}
_START = {"sessionId": "s1", "copilotVersion": "1.0.102", "context": {"cwd": "/w/app", "branch": "main"}}
_TERMINAL = ("session.model_change", {"source": "startup"})


def _events(*events: tuple[str, dict[str, Any]], path: Path = Path("events.jsonl")) -> Path:
    rows = [
        {"type": kind, "id": f"e{number}", "timestamp": f"2026-11-02T09:{number:02}:00Z", "data": data}
        for number, (kind, data) in enumerate([("session.start", _START), *events])
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _made(*events: tuple[str, dict[str, Any]]) -> list[Told]:
    (session,) = READER.read(str(_events(_TERMINAL, *events)), 0)
    return tell(session)


def test_every_recorded_scenario_is_told() -> None:
    """No recording is without its expectation."""
    assert {path.name.removesuffix(".events.jsonl") for path in _PLACE.glob("*.jsonl")} == set(_SCENARIOS)


@pytest.mark.parametrize("name", _SCENARIOS)
def test_events_tell_their_scenario(name: str) -> None:
    """Persons, calls, results and notes come in the order of the file."""
    (session,) = READER.read(str(_PLACE / f"{name}.events.jsonl"), 0)
    assert tell(session) == _SCENARIOS[name]
    assert (session.cwd, session.branch, session.bad) == ("/home/user/app", "main", [])
    assert session.headless is not name.startswith("tui")


def test_a_result_is_without_what_hooks_add() -> None:
    """What a hook tells the model after a call did not come from the tool."""
    (session,) = READER.read(str(_PLACE / "two-turns-hooks.events.jsonl"), 0)
    texts = [result.text for turn in session for result in turn.results]
    assert texts[0] == "AGENTS.md\n<shellId: 0 completed with exit code 0>"
    assert not [text for text in texts if "CTX-" in text]


def test_a_session_and_its_turns_are_known_by_the_programs_own_names() -> None:
    """Ids and moments are those of the events."""
    (session,) = READER.read(str(_PLACE / "tui-deny.events.jsonl"), 0)
    assert (session.id, session.started) == ("db9e1a70-75b4-4639-af31-9848e1f81931", "2026-11-30T16:08:52.212Z")
    first = next(iter(session))
    assert first.at == "2026-11-30T16:08:54.305Z"
    assert len(first.id) == 36


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"content": "use tabs", "transformedContent": "<x>use tabs"}, [("person", "typed", "use tabs")]),
        ({"content": "use tabs", "delivery": "queued"}, [("person", "queued", "use tabs")]),
        ({"content": "use tabs", "source": "user"}, [("person", "typed", "use tabs")]),
        ({"content": "use tabs", "source": "skill-gp"}, []),
        ({"content": "<skill-context name='gp'>use tabs</skill-context>"}, []),
        ({"content": "use tabs", "parentToolCallId": "c1"}, []),
        ({"content": "/gp use tabs"}, [("person", "command", "use tabs")]),
        ({"content": "/gp"}, []),
        ({"content": "improve-rules v1\nuse tabs"}, []),
        ({"content": 5}, []),
    ],
)
def test_only_what_was_typed_is_a_persons_words(data: dict[str, Any], told: list[Told]) -> None:
    """Skills, subagents and what the model was sent instead are nobody's words."""
    assert _made(("user.message", data)) == told


def test_shell_lines_of_a_person_are_no_calls_of_the_agent() -> None:
    """A line after `!` is run for the person."""
    asked = {"toolCallId": "u1", "toolName": "local_shell", "arguments": {"command": "false"}}
    done = {"toolCallId": "u1", "isUserRequested": True, "success": False, "shellExecution": {"exitCode": 1}}
    assert _made(("tool.user_requested", asked), ("tool.execution_complete", done)) == []


def _permission(kind: str, **more: str) -> tuple[str, dict[str, Any]]:
    return "permission.completed", {"toolCallId": "c1", "result": {"kind": kind, **more}}


@pytest.mark.parametrize(
    ("before", "done", "state"),
    [
        (_permission("denied-interactively-by-user"), {"success": False, "error": {"message": "no"}}, "person"),
        (_permission("denied-by-rules"), {"success": False, "error": {"message": "no"}}, "rule"),
        (_permission("approved"), {"success": True}, "ok"),
        (_permission("approved"), {"success": True, "shellExecution": {"exitCode": 2}}, "failed"),
        (
            ("hook.start", {}),
            {"success": False, "error": {"message": "The user rejected this tool call. User feedback: use uv"}},
            "person: use uv",
        ),
        (
            _permission("approved"),
            {"success": False, "error": {"message": "The user rejected this tool call. User feedback: use uv"}},
            "failed",
        ),
        (("hook.end", {}), {"success": False, "error": {"code": "denied", "message": "Denied by preToolUse"}}, "rule"),
        (("hook.end", {}), {"success": False, "error": {"code": "failure", "message": "boom"}}, "failed"),
        (("hook.end", {}), {"success": False, "error": "boom"}, "failed"),
    ],
)
def test_who_said_no_is_known(before: tuple[str, dict[str, Any]], done: dict[str, Any], state: str) -> None:
    """A person, a rule, a hook and a plain failure are told apart, with the person's reason."""
    assert _made(before, ("tool.execution_complete", {"toolCallId": "c1", **done})) == [("tool", state, "")]


def test_notes_of_the_program_are_notes() -> None:
    """Stops, summaries, going back and failures of the model are told; a summary that failed is none."""
    assert _made(
        ("abort", {"reason": "user initiated"}),
        ("session.compaction_complete", {"success": False}),
        ("session.compaction_complete", {"success": True, "summaryContent": "use tabs"}),
        ("session.snapshot_rewind", {"upToEventId": "e1", "eventsRemoved": 2}),
        ("session.error", {"message": "400"}),
        ("user_input.completed", {"answer": "four spaces", "wasFreeform": True}),
        ("user_input.completed", {"answer": "Yes", "wasFreeform": False}),
        ("nobody.knows", {"content": "use tabs"}),
    ) == [
        ("host", "interrupted", ""),
        ("host", "compacted", ""),
        ("host", "rewound", ""),
        ("host", "failed", "400"),
        ("person", "answer", "four spaces"),
    ]


def test_a_script_is_told_from_a_person() -> None:
    """A terminal says which model it starts with; a version that may not have said so is believed to be one."""
    for version, how in (("1.0.102", "scripted"), ("1.0.64-1", "scripted"), ("0.0.300", "typed"), (None, "typed")):
        path = _events(("user.message", {"content": "use tabs"}))
        path.write_text(path.read_text().replace('"1.0.102"', json.dumps(version)), encoding="utf-8")
        (session,) = READER.read(str(path), 0)
        assert tell(session) == [("person", how, "use tabs")]


@pytest.mark.parametrize(("seconds", "how"), [(1, "scripted"), (9, "typed")])
def test_who_goes_on_at_once_is_a_script(seconds: int, how: str) -> None:
    """A session of a terminal that a script continues has its prompt before anybody could type it."""
    path = _events(_TERMINAL, ("session.resume", {}), ("user.message", {"content": "use tabs"}))
    later = path.read_text().replace("09:03:00Z", f"09:02:{seconds:02}Z")
    path.write_text(later, encoding="utf-8")
    (session,) = READER.read(str(path), 0)
    assert tell(session) == [("person", how, "use tabs")]


@pytest.mark.parametrize("name", ["two-turns-hooks", "tui-deny", "tui-abort"])
def test_reading_goes_on_where_it_ended(name: str) -> None:
    """Of a file that grew only what is new is read; what the session is, is still known."""
    data = (_PLACE / f"{name}.events.jsonl").read_bytes()
    path, offset = Path("events.jsonl"), 0
    turns: list[Turn] = []
    for end in (len(data) // 4, len(data) // 2, 3 * len(data) // 4, len(data)):
        path.write_bytes(data[:end])
        (session,) = READER.read(str(path), offset)
        turns += list(session)
        assert session.cwd == "/home/user/app"
        offset = session.offset
    assert [short(turn) for turn in turns] == _SCENARIOS[name]
    assert offset == len(data)


def test_a_file_that_was_written_anew_is_read_from_its_beginning() -> None:
    """When a person goes back, the program takes the events away; an offset of before may lie anywhere."""
    path = _events(_TERMINAL, ("user.message", {"content": "one"}), ("user.message", {"content": "two"}))
    size = path.stat().st_size
    for offset in (size - 5, size + 50):
        (session,) = READER.read(str(path), offset)
        assert [text for _, _, text in tell(session)] == ["one", "two"]
        assert (session.offset, session.bad) == (size, [])


@settings(max_examples=80)
@given(st.sampled_from(sorted(_SCENARIOS)), st.integers(0, 36_000))
def test_a_file_that_was_cut_gives_what_it_has(name: str, at: int) -> None:
    """A torn last line is silent, and all turns before it are there."""
    path = Path("events.jsonl")
    path.write_bytes((_PLACE / f"{name}.events.jsonl").read_bytes()[:at])
    (session,) = READER.read(str(path), 0)
    told = tell(session)
    assert told == _SCENARIOS[name][: len(told)]
    assert session.bad == []


def test_wrong_types_are_passed_over_and_broken_lines_counted() -> None:
    """What is no object is numbered; the rest is read."""
    path = _events(
        _TERMINAL,
        ("user.message", {"content": ["x"], "source": 5, "delivery": []}),
        ("assistant.message", {"content": {}, "toolRequests": [5, {"name": [], "arguments": "x"}]}),
        ("tool.execution_complete", {"toolCallId": [], "result": 5, "error": [], "shellExecution": "x"}),
        ("permission.completed", {"result": "denied", "toolCallId": {}}),
        ("user.message", {"content": "use tabs"}),
    )
    path.write_text(
        f"{path.read_text()}{{broken\n[1]\n" + '{"type": 5, "data": 5, "id": []}\n{"type": []}\n{"torn',
        encoding="utf-8",
    )
    (session,) = READER.read(str(path), 0)
    assert tell(session)[-1] == ("person", "typed", "use tabs")
    assert session.bad == [8, 9]


def test_the_database_tells_sessions_that_have_no_events() -> None:
    """Prompts and answers are all it has."""
    (session,) = READER.read(str(_STORE), 0)
    assert (session.id, session.cwd, session.branch) == (
        "b6cdc47d-510f-41d5-9510-17743c4bdf5e", "/home/user/app", "main",
    )  # fmt: skip
    assert session.started == "2026-11-30T16:16:01.093Z"
    assert tell(session) == [
        ("person", "typed", "please add a retry helper"),
        ("agent", "", "All done."),
        ("person", "typed", "no, use tabs not spaces"),
        ("agent", "", "Second done."),
    ]


@pytest.mark.parametrize("events", ["{}/events.jsonl", "{}.jsonl"])
def test_no_prompt_comes_twice(events: str, tmp_path: Path) -> None:
    """A session that has its events, in the place of now or of then, is not told by the database."""
    shutil.copy(_STORE, tmp_path / "session-store.db")
    path = tmp_path / "session-state" / events.format("b6cdc47d-510f-41d5-9510-17743c4bdf5e")
    path.parent.mkdir(parents=True)
    shutil.copy(_PLACE / "two-turns-hooks.events.jsonl", path)
    assert set(files(str(tmp_path))) == {str(path), str(tmp_path / "session-store.db")}
    sessions = [session for name in files(str(tmp_path)) for session in READER.read(name, 0)]
    assert [tell(session) for session in sessions] == [_SCENARIOS["two-turns-hooks"]]


def test_an_older_database_is_read(tmp_path: Path) -> None:
    """Columns that are not there are not needed; a time without a zone is in UTC."""
    path = tmp_path / "session-store.db"
    with sqlite3.connect(path) as base:
        base.executescript(
            "create table sessions (id text); create table turns (session_id text, user_message text, timestamp text);"
            "insert into sessions values ('s1'), (null);"
            "insert into turns values ('s1', 'use tabs', '2026-11-02 09:00:00'), ('s1', null, 5);"
        )
    base.close()
    first, _ = READER.read(str(path), 0)
    (turn,) = first
    assert (turn.text, turn.at) == ("use tabs", "2026-11-02T09:00:00Z")


def test_files_and_claims_know_what_is_copilots(tmp_path: Path) -> None:
    """Events and the database are, of two places of a session the newer one; its other files are not."""
    newer = _events(path=tmp_path / "session-state" / "s1" / "events.jsonl")
    _events(path=tmp_path / "session-state" / "s1.jsonl")
    older = _events(path=tmp_path / "session-state" / "s2.jsonl")
    _events(path=tmp_path / "session-state" / "s1" / "files" / "data.jsonl")
    assert set(files(str(tmp_path))) == {str(newer), str(older)}
    assert claims("x", newer.read_bytes()[:4096])
    assert claims("x", _STORE.read_bytes()[:4096]) is False  # there is no such file to look into
    assert claims(str(_STORE), _STORE.read_bytes()[:4096])
    assert not claims("x", b'{"type":"session","cwd":"/w"}\n')
    (session,) = READER.read(str(older), 0)
    assert session.id == "s1"  # as its first event says


def test_what_is_no_session_is_unreadable(tmp_path: Path) -> None:
    """Lines without one event are none of its files."""
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"hello\nthere\n" * 40)
    with pytest.raises(Unreadable):
        list(READER.read(str(path), 0))
    with pytest.raises(OSError, match="missing"):
        list(READER.read(str(tmp_path / "missing.jsonl"), 0))


@needs_real
def test_real_sessions_hold_what_was_counted_by_eye() -> None:
    """Each of the four is one prompt of a script, with no call."""
    found = sorted(real("copilot-cli").glob("*.jsonl"))
    assert len(found) == 4
    for path in found:
        (session,) = READER.read(str(path), 0)
        turns = list(session)
        assert [(turn.who, turn.how) for turn in turns if turn.who != "agent"] == [("person", "scripted")]
        assert (session.headless, session.bad, bool(session.branch)) == (True, [], True)
        assert not [call for turn in turns for call in turn.calls]
