"""Gemini CLI: chats as rows, chats as whole documents, the log of prompts, and where they ran."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.session import PERSON
from improve.transcripts import reader
from improve.transcripts.base import Unreadable
from transcripts.conftest import SESSIONS, needs_real, real
from transcripts.mangling import mangled, strange
from transcripts.sections import Section, read, sections, turns

GEMINI = reader("gemini")
HERE = SESSIONS / "gemini"
CHATS = sorted(HERE.glob("*.jsonl"))
ID = "5f3e1958-a889-4dd1-8e68-af1574dd908e"
FILES = "\n--- Content from referenced files ---"
BEGIN = {"sessionId": ID, "projectHash": "ab", "startTime": "2026-01-02T03:04:00.000Z", "kind": "main"}


@pytest.mark.parametrize("section", sections("gemini"), ids=lambda section: section.name)
def test_recorded_sessions(section: Section) -> None:
    """What each recorded session holds is told: who said what, what was denied, stopped, taken back."""
    assert read(GEMINI, HERE / section.name) == section.lines


def test_every_recorded_session_has_its_table() -> None:
    """No recorded file is without an expectation."""
    assert {s.name for s in sections("gemini")} == {p.name for p in HERE.iterdir()} - {"told.txt"}


def message(
    kind: str, content: object, id: str = "", at: str = "2026-01-02T03:04:05.000Z", **more: Any
) -> dict[str, Any]:
    return {"id": id or f"{kind}-{content}", "timestamp": at, "type": kind, "content": content, **more}


def done(name: str, args: object, response: object, status: str = "success", id: str = "c1") -> dict[str, Any]:
    result = [{"functionResponse": {"id": id, "name": name, "response": response}}]
    return {"id": id, "name": name, "args": args, "result": result, "status": status}


def write(tmp_path: Path, rows: Iterable[object], name: str = "session-2026-01-02T03-04-5f3e1958.jsonl") -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def told(tmp_path: Path, *rows: object) -> list[str]:
    (session,) = GEMINI.read(str(write(tmp_path, [BEGIN, *rows])), 0)
    return turns(session)


@pytest.mark.parametrize(
    ("content", "shown", "line"),
    [
        ("use tabs", None, "person | typed | use tabs"),
        ([{"text": "use tabs"}], None, "person | typed | use tabs"),
        ([{"text": "expanded"}], [{"text": "/fix use tabs"}], "person | command | use tabs"),
        ([{"text": "expanded"}], [{"text": "/fix"}], ""),
        ([{"text": "<hook_context>a &lt;b&gt;</hook_context>\n\nuse tabs"}], None, "person | scripted | use tabs"),
        ([{"text": "<hook_context>a &lt;b&gt;</hook_context>"}], None, ""),
        ([{"text": "use tabs"}, {"text": "<hook_context>a</hook_context>"}], None, "person | typed | use tabs"),
        ([{"text": "see @a"}, {"text": FILES}, {"text": "no"}], None, "person | typed | see @a"),
        ([{"text": "<session_context>\nx\n</session_context>"}], None, ""),
        ([{"text": "I ran the following shell command:\n```sh\nls\n```"}], None, ""),
        ([{"text": "<state_snapshot>\nuse tabs\n</state_snapshot>"}], None, "host | compacted |"),
        ([{"text": "<hook_context>improve-rules v1\nuse uv</hook_context>\n\nno!"}], None, "person | scripted | no!"),
        ([{"inlineData": {"data": "x"}}, {"text": "like here"}], None, "person | typed | like here"),
        ([{"text": "x"}], [{"text": "/memory add use tabs"}], "person | memory | use tabs"),
        ([{"text": "x"}], [{"text": "/memory show"}], "person | command | show"),
        ([{"text": "x"}], [{"text": "/fix\nall of it"}], "person | command | all of it"),
        ("/etc/hosts is wrong", None, "person | typed | /etc/hosts is wrong"),
        ("!ls", None, ""),
        (None, None, ""),
        ([3, None, {"text": 4}], None, ""),
    ],
)  # fmt: skip
def test_prompts(tmp_path: Path, content: object, shown: object, line: str) -> None:
    """Of a record only what somebody typed is told, however the program, files and hooks stand around it."""
    more = {} if shown is None else {"displayContent": shown}
    assert told(tmp_path, message("user", content, "u1", **more)) == ([line] if line else [])


@pytest.mark.parametrize(
    ("name", "response", "status", "state"),
    [
        ("run_shell_command", {"output": "Output: x\nExit Code: 3\nProcess Group PGID: 1"}, "success", "failed"),
        ("run_shell_command", {"output": "Output: x\nExit Code: 0\n"}, "success", "ok"),
        ("run_shell_command", {"output": "Output: Exit Code: 3\nExit Code: 0\n"}, "success", "ok"),
        ("read_file", {"output": "Exit Code: 3\n"}, "success", "ok"),
        ("replace", {"error": "Failed to edit"}, "error", "failed"),
        ("replace", {"error": "Tool execution blocked: use uv"}, "error", "rule"),
        ("replace", {"error": "Tool execution denied by policy."}, "error", "rule"),
        ("write_file", {"error": 'Tool "write_file" not found. Did you mean'}, "error", "rule"),
        ("nosuch", {"error": 'Tool "nosuch" not found.'}, "error", "failed"),
        ("replace", {"error": "[Operation Cancelled] Reason: User denied execution."}, "cancelled", "person"),
        ("replace", {"error": "[Operation Cancelled] Reason: Operation cancelled by user"}, "cancelled", "interrupted"),
        ("replace", None, "cancelled", "interrupted"),
        ("replace", "x", "success", "ok"),
    ],
)
def test_how_a_call_ended(tmp_path: Path, name: str, response: object, status: str, state: str) -> None:
    """A result tells whether it failed, who refused it, and who stopped it."""
    lines = told(tmp_path, message("gemini", "", "g1", toolCalls=[done(name, {"command": "x"}, response, status)]))
    assert lines[-1] == f"tool | {state} |"


def test_record_written_again(tmp_path: Path) -> None:
    """A record that is written again when its calls are done tells its words once and each call once."""
    first, second = (
        done("read_file", {"file_path": "a"}, {"output": "x"}),
        done("replace", {"file_path": "b"}, {"output": "x"}, id="c2"),
    )
    rows = [message("gemini", "Let me look.", "g1")]
    rows += [message("gemini", "Let me look.", "g1", toolCalls=calls) for calls in ([first], [first, second])]
    assert told(tmp_path, *rows) == [
        "agent |  | Let me look.",
        "agent | read a |",
        "tool | ok |",
        "agent | edit b |",
        "tool | ok |",
    ]


def test_response_that_no_call_tells(tmp_path: Path) -> None:
    """A result that stands only in a record of the person's name is a result."""
    part = {"functionResponse": {"id": "c9", "name": "replace", "response": {"error": "x"}}}
    assert told(tmp_path, message("user", [part], "u1"), message("user", [part], "u2")) == ["tool | failed |"]


def test_history_written_again(tmp_path: Path) -> None:
    """A history that is written again adds what nobody has seen, and says nothing twice."""
    context = message("user", [{"text": "<session_context>x</session_context>"}], "s")
    merged = message(
        "user", [{"text": "<session_context>x</session_context>"}, {"text": "one"}, {"text": "three"}], "m"
    )
    rows = [message("user", "one", "u1"), message("gemini", "Ok.", "g1")]
    rows += [{"$set": {"messages": [context, message("user", "one", "u1"), message("user", "two", "u2")]}}]
    rows += [merged, {"$set": {"messages": [message("user", "one", "u9")]}}, message("user", "one", "u3")]
    assert [line.rpartition("| ")[2] for line in told(tmp_path, *rows)] == ["one", "Ok.", "two", "three", "one"]


def test_denied_and_cancelled_is_one_act(tmp_path: Path) -> None:
    """The note after a denial tells of the same act; alone it is an interrupt."""
    denied = done(
        "replace", {"file_path": "a"}, {"error": "[Operation Cancelled] Reason: User denied execution."}, "cancelled"
    )
    note = message("info", "Request cancelled.")
    assert told(tmp_path, message("gemini", "", "g", toolCalls=[denied]), note)[-1] == "tool | person |"
    assert told(tmp_path, message("gemini", "Well", "g"), note)[-1] == "host | interrupted |"


def test_notes(tmp_path: Path) -> None:
    """An error is a failure; news and warnings are nothing."""
    rows = [
        message("error", "quota"),
        message("info", "Update available"),
        message("warning", "x"),
        {"$rewindTo": "u1"},
    ]
    assert told(tmp_path, *rows) == ["host | failed | quota", "host | rewound |"]


def test_waited(tmp_path: Path) -> None:
    """A prompt that follows the agent's last word at once had waited."""
    rows = [
        message("gemini", "Ok.", "g", "2026-01-02T03:04:05.000Z"),
        message("user", "and tabs", "u", "2026-01-02T03:04:05.200Z"),
    ]
    assert told(tmp_path, *rows)[-1] == "person | queued | and tabs"


def test_whole_document(tmp_path: Path) -> None:
    """An older chat is one document; torn anywhere it gives its first messages and no error."""
    messages = [
        message("user", "use tabs", "u1"),
        message("gemini", 'so "messages": [ it is', "g1"),
        message("user", "no!", "u2", "2026-01-02T03:04:09.000Z"),
    ]
    text = json.dumps({**BEGIN, "messages": messages, "summary": "x"}, indent=2)
    path = tmp_path / "session-2026-01-02T03-04-5f3e1958.json"
    path.write_text(text, encoding="utf-8")
    (session,) = GEMINI.read(str(path), 0)
    assert session.id == ID
    whole = turns(session)
    assert whole == ["person | typed | use tabs", 'agent |  | so "messages": [ it is', "person | typed | no!"]
    assert session.offset == path.stat().st_size
    (again,) = GEMINI.read(str(path), session.offset)
    assert turns(again) == whole
    for length in range(len(text)):
        path.write_text(text[:length], encoding="utf-8")
        for torn in GEMINI.read(str(path), 0):
            first = turns(torn)
            assert first == whole[: len(first)]


def test_whole_document_in_one_line(tmp_path: Path) -> None:
    """The form does not matter."""
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps({**BEGIN, "messages": [message("user", "use tabs", "u1")]}), encoding="utf-8")
    assert read(GEMINI, path) == ["person | typed | use tabs", f"- {ID}"]


def test_subagents(tmp_path: Path) -> None:
    """Nobody typed the prompts of a subagent, known by its place or its kind."""
    rows = [message("user", "look around", "u1"), message("gemini", "Ok.", "g1")]
    below = write(
        tmp_path / "chats" / ID,
        [{**BEGIN, "sessionId": "sub", "kind": "subagent", "directories": ["/w/app"]}, *rows],
        "sub.jsonl",
    )
    assert read(GEMINI, below) == ["agent |  | Ok.", f"- sub in /w/app below {ID}"]
    alone = write(tmp_path, [{**BEGIN, "kind": "subagent"}, *rows])
    assert read(GEMINI, alone) == ["agent |  | Ok.", f"- {ID} below {ID}"]


@pytest.mark.parametrize("way", ["root", "slug", "hash", "name", "context", "context of 2025"])
def test_where(tmp_path: Path, way: str) -> None:
    """The directory is found by the files around a chat, else in what the program told the model."""
    slug = sha256(b"/w/app").hexdigest() if way == "name" else "app"
    home, place = tmp_path / ".gemini", tmp_path / ".gemini" / "tmp" / slug
    place.mkdir(parents=True)
    rows: list[object] = [message("user", "use tabs", "u1")]
    if way in ("slug", "hash", "name"):
        name = "app" if way == "slug" else "x"
        (home / "projects.json").write_text(json.dumps({"projects": {"/w/b": "b", "/w/app": name, "/w/c": "c"}}))
    if way == "root":
        (place / ".project_root").write_text("/w/app\n")
    if way.startswith("context"):
        told = (
            "- **Workspace Directories:**\n  - /w/app"
            if way == "context"
            else "I'm currently working in the directory: /w/app"
        )
        rows.insert(
            0,
            {
                "$set": {
                    "messages": [message("user", [{"text": f"<session_context>\n{told}\n</session_context>"}], "s")]
                }
            },
        )
    first = {**BEGIN, "projectHash": sha256(b"/w/app").hexdigest()} if way == "hash" else BEGIN
    path = write(place / "chats", [first, *rows])
    (session,) = GEMINI.read(str(path), 0)
    assert session.cwd == "/w/app"


def test_log_beside_chats(tmp_path: Path) -> None:
    """Of a log only the sessions count whose chat is gone; commands are left out."""
    rows = [
        {
            "sessionId": ID,
            "messageId": 0,
            "type": "user",
            "message": "use tabs",
            "timestamp": "2026-01-02T03:04:05.000Z",
        }
    ]
    rows += [{**rows[0], "messageId": 1, "message": "/quit"}, {**rows[0], "sessionId": "0" * 36, "message": "no!"}]
    log = tmp_path / "logs.json"
    log.write_text(json.dumps(rows, indent=1))
    (tmp_path / ".project_root").write_text("/w/app")
    assert read(GEMINI, log) == [
        "person | typed | use tabs", f"- {ID} in /w/app",
        "person | typed | no!", f"- {'0' * 36} in /w/app",
    ]  # fmt: skip
    write(tmp_path / "chats", [BEGIN])
    assert [s.id for s in GEMINI.read(str(log), 0)] == ["0" * 36]
    log.write_text(log.read_text()[:-5])
    (session,) = GEMINI.read(str(log), 0)
    assert session.bad == [1]


def test_files(tmp_path: Path) -> None:
    """Chats, those of subagents and the log are found; a chat that was turned into rows is read once."""
    project = tmp_path / "tmp" / "app"
    for name in (
        "chats/session-a.jsonl",
        "chats/session-a.json",
        "chats/session-b.json",
        "chats/x/sub.jsonl",
        "logs.json",
    ):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()
    (project / "checkpoint.json").touch()
    found = {Path(path).relative_to(project).as_posix() for path in GEMINI.files(str(tmp_path))}
    assert found == {"chats/session-a.jsonl", "chats/session-b.json", "chats/x/sub.jsonl", "logs.json"}


def test_claims() -> None:
    """The reader knows its chats and logs by their first bytes, and no other host's files."""
    for path in HERE.glob("*.json*"):
        assert GEMINI.claims(path.name, path.read_bytes()[:4096]), path.name
    for other in ("codex", "qwen", "pi", "copilot", "opencode"):
        for path in (SESSIONS / other).glob("*.json*") if (SESSIONS / other).is_dir() else ():
            assert not GEMINI.claims(path.name, path.read_bytes()[:4096]), path.name


def test_not_a_chat(tmp_path: Path) -> None:
    """Rows of another program are refused with a reason."""
    path = write(tmp_path, [{"type": "user", "timestamp": "2026-01-01T00:00:00Z", "content": "x"}] * 3)
    with pytest.raises(Unreadable, match="not those of a Gemini chat"):
        list(GEMINI.read(str(path), 0))
    assert not GEMINI.claims(str(path), path.read_bytes())


@given(st.sampled_from(CHATS), st.integers(0, 8_000))
def test_torn_anywhere(tmp_path_factory: pytest.TempPathFactory, path: Path, length: int) -> None:
    """A chat torn anywhere gives the first turns of the whole one, and no error."""
    torn = tmp_path_factory.mktemp("torn") / path.name
    torn.write_bytes(path.read_bytes()[:length])
    (session,), (whole,) = GEMINI.read(str(torn), 0), GEMINI.read(str(path), 0)
    first = turns(session)
    assert first == turns(whole)[: len(first)]
    assert session.bad == []


@given(st.sampled_from(CHATS), st.integers(0, 30))
def test_read_on(tmp_path_factory: pytest.TempPathFactory, path: Path, rows: int) -> None:
    """A chat read in two parts, wherever a row ends, gives exactly the turns it gives in one."""
    lines = path.read_bytes().splitlines(keepends=True)
    growing = tmp_path_factory.mktemp("grow") / path.name
    growing.write_bytes(b"".join(lines[:rows]))
    (first,) = GEMINI.read(str(growing), 0)
    told = turns(first)
    growing.write_bytes(path.read_bytes())
    (second,) = GEMINI.read(str(growing), first.offset)
    (whole,) = GEMINI.read(str(path), 0)
    assert told + turns(second) == turns(whole)
    assert second.offset == whole.offset


@given(st.sampled_from(CHATS), st.data())
def test_unknown_rows(tmp_path_factory: pytest.TempPathFactory, path: Path, data: st.DataObject) -> None:
    """Rows of types nobody knows, anywhere among the others, change nothing."""
    mixed = tmp_path_factory.mktemp("mixed") / path.name
    mixed.write_bytes(strange(path.read_bytes(), data))
    (session,), (whole,) = GEMINI.read(str(mixed), 0), GEMINI.read(str(path), 0)
    assert turns(session) == turns(whole)


@given(st.sampled_from(CHATS), st.data())
def test_wrong_values(tmp_path_factory: pytest.TempPathFactory, path: Path, data: st.DataObject) -> None:
    """Values of a wrong kind, anywhere, are borne."""
    wrong = tmp_path_factory.mktemp("wrong") / path.name
    wrong.write_bytes(mangled(path.read_bytes(), data))
    with contextlib.suppress(Unreadable):  # without the first row it may be no chat
        for session in GEMINI.read(str(wrong), 0):
            turns(session)


# Real files, read by eye and counted with a look at the raw rows.


@needs_real
@pytest.mark.parametrize(
    ("name", "expected", "cwd"),
    [
        ("bishwajit-sharma101__memoriant", (5, 32, 1), r"C:\Users\user\OneDrive\Desktop\eagerminds-bookmarks-task"),
        ("entireio__cli", (1, 9, 0), ""),  # a whole document of January 2026, though named as rows
    ],
)
def test_real_chats(name: str, expected: tuple[int, int, int], cwd: str) -> None:
    """Real chats hold as many prompts, turns with results and failures as somebody counted."""
    (path,) = real("gemini").glob(f"{name}*")
    (session,) = GEMINI.read(str(path), 0)
    told = list(session)
    prompts = sum(turn.who == PERSON for turn in told)
    results = [turn for turn in told if turn.results]
    assert (prompts, len(results), sum(turn.failed for turn in results)) == expected
    assert (session.cwd, session.bad) == (cwd, [])


@needs_real
def test_real_file_of_another_program() -> None:
    """Rows that a plugin of OpenCode writes look a little like a chat of Gemini's; they are refused."""
    (path,) = real("gemini").glob("aistrad__work*")
    assert not GEMINI.claims(path.name, path.read_bytes()[:4096])
    with pytest.raises(Unreadable):
        list(GEMINI.read(str(path), 0))
