"""Qwen Code: chats in which the program notes what a person typed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.transcripts import reader
from improve.transcripts.base import Unreadable
from transcripts.conftest import SESSIONS
from transcripts.mangling import mangled, strange
from transcripts.sections import Section, read, sections, turns

QWEN = reader("qwen")
HERE = SESSIONS / "qwen"
CHATS = sorted(HERE.glob("*.jsonl"))
AT = "2026-01-02T03:04:05.000Z"


@pytest.mark.parametrize("section", sections("qwen"), ids=lambda section: section.name)
def test_recorded_sessions(section: Section) -> None:
    """What each recorded session holds is told: who said what, what was denied, stopped, refused by a rule."""
    assert read(QWEN, HERE / section.name) == section.lines


def test_every_recorded_session_has_its_table() -> None:
    """No recorded file is without an expectation."""
    assert {s.name for s in sections("qwen")} == {p.name for p in HERE.iterdir()} - {"told.txt"}


def row(kind: str, *parts: dict[str, Any], at: str = AT, **more: Any) -> dict[str, Any]:
    base = {"uuid": f"{kind}{parts}{more}{at}", "parentUuid": None, "sessionId": "s1", "timestamp": at, "type": kind}
    said = {"message": {"role": "user", "parts": list(parts)}} if parts else {}
    return {**base, "cwd": "/w/app", "gitBranch": "dev", **said, **more}


def user(text: str, **more: Any) -> dict[str, Any]:
    return row("user", {"text": text}, **{"provenance": "real_user", **more})


def agent(text: str, **more: Any) -> dict[str, Any]:
    return row("assistant", {"text": text}, provenance="assistant_output", **more)


def result(response: object, name: str = "run_shell_command", **told: Any) -> dict[str, Any]:
    part = {"functionResponse": {"id": "c1", "name": name, "response": response}}
    return row("tool_result", part, provenance="tool_result", toolCallResult=told)


def write(tmp_path: Path, rows: Iterable[object], name: str = "s1.jsonl") -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def told(tmp_path: Path, *rows: object) -> list[str]:
    (session,) = QWEN.read(str(write(tmp_path, rows)), 0)
    return turns(session)


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (user("use tabs"), "person | typed | use tabs"),
        (user("expanded", systemPayload={"displayText": "/fix use tabs"}), "person | command | use tabs"),
        (user("expanded", systemPayload={"displayText": "/fix"}), ""),
        (user("use tabs", provenance=None), "person | typed | use tabs"),
        (row("user", {"text": "use tabs"}), "person | typed | use tabs"),
        (user("use tabs", subtype="mid_turn_user_message"), "person | steered | use tabs"),
        (user("use tabs", subtype="realtime_message"), "person | typed | use tabs"),
        (user("use tabs", subtype="cron", provenance="cron"), ""),
        (user("use tabs", subtype="notification"), ""),
        (user("go on", subtype="goal_runtime", provenance="goal_runtime"), ""),
        (user("use tabs", provenance="system"), ""),
        (user("<state_snapshot>\nuse tabs\n</state_snapshot>"), ""),
        (user("I ran the following shell command:\n```sh\nls\n```"), ""),
        (user("!ls"), ""),
    ],
)
def test_prompts(tmp_path: Path, record: dict[str, Any], line: str) -> None:
    """Of the rows in the person's name only those count that a person typed."""
    assert told(tmp_path, record) == ([line] if line else [])


def test_what_hooks_and_files_add(tmp_path: Path) -> None:
    """Without the program's own note the parts before what files and hooks added are the prompt."""
    parts = ("see @a", "\n--- Content from referenced files ---", "no!", "<qwen:user-prompt-submit-context>\nx")
    record = row("user", *({"text": text} for text in parts), provenance="real_user")
    assert told(tmp_path, record) == ["person | typed | see @a"]


@pytest.mark.parametrize(
    ("record", "state"),
    [
        (result({"output": "Output: x\nExit Code: 0\n"}, status="success"), "ok"),
        (result({"output": "Output: x\nExit Code: 2\n"}), "failed"),
        (result({"output": "Exit Code: 2\n"}, name="read_file"), "ok"),
        (result({"output": "x"}, status="success", resultDisplay={"type": "shell_result", "exitCode": 2}), "failed"),
        (result({"error": "x"}, status="error", errorType="invalid_tool_params"), "failed"),
        (result({"error": "use uv"}, status="error", errorType="execution_denied"), "rule"),
        (result({"error": "[Operation Cancelled] Reason: User did not allow tool call"}, status="cancelled"), "person"),
        (result({"error": "[Operation Cancelled] User intentionally cancelled"}, status="cancelled"), "interrupted"),
        (result(None, status="cancelled"), "interrupted"),
        (result("x", status=3, resultDisplay="x"), "ok"),
    ],
)  # fmt: skip
def test_how_a_call_ended(tmp_path: Path, record: dict[str, Any], state: str) -> None:
    """A result tells whether it failed, who refused it, and who stopped it."""
    assert told(tmp_path, record) == [f"tool | {state} |"]


def test_results_of_older_builds(tmp_path: Path) -> None:
    """Results that stand in rows of the person's name are results."""
    part = {"functionResponse": {"id": "c1", "name": "edit", "response": {"error": "x"}}}
    assert told(tmp_path, row("user", part)) == ["tool | failed |"]


def test_calls(tmp_path: Path) -> None:
    """A call tells its command line or path; what the agent only thought is not said."""
    parts = [{"text": "hm", "thought": True}, {"text": "Let me."}]
    calls = (
        ("run_shell_command", {"command": "ls"}),
        ("edit", {"file_path": "/a"}),
        ("write_file", {"file_path": "/b"}),
    )
    parts += [
        {"functionCall": {"id": name, "name": name, "args": args}}
        for name, args in (*calls, ("glob", {"pattern": "*"}))
    ]
    assert told(tmp_path, row("assistant", *parts)) == ["agent | shell ls, edit /a, write /b, read * | Let me."]


def test_slash_command_and_its_body(tmp_path: Path) -> None:
    """Of a command the arguments count, and its body, which comes at once, does not; what is typed later does."""
    command = row(
        "system", subtype="slash_command", systemPayload={"phase": "invocation", "rawCommand": "/fix use tabs"}
    )
    rows = [command, user("Fix all of it. use tabs"), user("no!", at="2026-01-02T03:04:09.000Z")]
    assert told(tmp_path, *rows) == ["person | command | use tabs", "person | typed | no!"]


def test_command_without_a_body(tmp_path: Path) -> None:
    """A command that sends nothing to the model has no body: the next prompt is one, however soon it comes."""
    payload = {"phase": "invocation", "rawCommand": "/remember use tabs", "sentToModel": False}
    rows = [row("system", subtype="slash_command", systemPayload=payload), user("no!")]
    assert told(tmp_path, *rows) == ["person | memory | use tabs", "person | typed | no!"]


def test_notes(tmp_path: Path) -> None:
    """A compaction and turns taken back are the host's notes."""
    rows = [
        row("system", subtype=name, systemPayload={}) for name in ("chat_compression", "rewind", "ui_telemetry", "news")
    ]
    assert told(tmp_path, *rows) == ["host | compacted |", "host | rewound |"]


def test_waited(tmp_path: Path) -> None:
    """A prompt that follows the agent's last word at once had waited."""
    rows = [agent("Ok."), user("and tabs", at="2026-01-02T03:04:05.200Z")]
    assert told(tmp_path, *rows)[-1] == "person | queued | and tabs"


def test_copies(tmp_path: Path) -> None:
    """A row that stands there twice is one."""
    assert told(tmp_path, user("use tabs"), user("use tabs")) == ["person | typed | use tabs"]


def test_subagents(tmp_path: Path) -> None:
    """Nobody typed the prompts of a subagent, known by its place or by its rows."""
    rows = [user("look around", isSidechain=True, agentId="a1"), agent("Ok.", isSidechain=True, agentId="a1")]
    path = write(tmp_path / "subagents" / "s0", rows, "agent-a1.jsonl")
    assert read(QWEN, path) == ["agent |  | Ok.", "- s1 in /w/app on dev below s0"]
    assert read(QWEN, write(tmp_path, rows)) == ["agent |  | Ok.", "- s1 in /w/app on dev below s1"]


def test_timer(tmp_path: Path) -> None:
    """A session that a timer began is one without a person."""
    source = row("system", subtype="session_source", systemPayload={"sourceType": "scheduled_task"})
    (session,) = QWEN.read(str(write(tmp_path, [source, user("use tabs")])), 0)
    assert turns(session) == ["person | scripted | use tabs"]
    assert session.headless


def test_files(tmp_path: Path) -> None:
    """Chats and those of subagents are found, nothing else."""
    for name in ("p/chats/a.jsonl", "p/subagents/a/agent-b.jsonl", "p/memory/x.jsonl", "p/chats/a.meta.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = {Path(path).relative_to(tmp_path).as_posix() for path in QWEN.files(str(tmp_path))}
    assert found == {"p/chats/a.jsonl", "p/subagents/a/agent-b.jsonl"}


def test_claims() -> None:
    """The reader knows its chats by their first bytes, and no other host's files."""
    for path in CHATS:
        assert QWEN.claims(path.name, path.read_bytes()[:4096]), path.name
    for other in ("codex", "gemini", "pi", "copilot", "opencode", "claude_code"):
        for path in (SESSIONS / other).glob("*.jsonl") if (SESSIONS / other).is_dir() else ():
            assert not QWEN.claims(path.name, path.read_bytes()[:4096]), path.name


def test_not_a_chat(tmp_path: Path) -> None:
    """Rows of another program are refused with a reason; an empty file is an empty session."""
    path = write(tmp_path, [{"type": "user", "message": {"content": "x"}, "sessionId": "s"}] * 3)
    with pytest.raises(Unreadable, match="not those of a Qwen Code chat"):
        list(QWEN.read(str(path), 0))
    path.write_bytes(b"")
    (session,) = QWEN.read(str(path), 0)
    assert turns(session) == []


@given(st.sampled_from(CHATS), st.integers(0, 17_000))
def test_torn_anywhere(tmp_path_factory: pytest.TempPathFactory, path: Path, length: int) -> None:
    """A chat torn anywhere gives the first turns of the whole one, and no error."""
    torn = tmp_path_factory.mktemp("torn") / path.name
    torn.write_bytes(path.read_bytes()[:length])
    (session,), (whole,) = QWEN.read(str(torn), 0), QWEN.read(str(path), 0)
    first = turns(session)
    assert first == turns(whole)[: len(first)]
    assert session.bad == []


@given(st.sampled_from(CHATS), st.integers(0, 30))
def test_read_on(tmp_path_factory: pytest.TempPathFactory, path: Path, rows: int) -> None:
    """A chat read in two parts, wherever a row ends, gives the turns it gives in one."""
    lines = path.read_bytes().splitlines(keepends=True)
    growing = tmp_path_factory.mktemp("grow") / path.name
    growing.write_bytes(b"".join(lines[:rows]))
    (first,) = QWEN.read(str(growing), 0)
    told = turns(first)
    growing.write_bytes(path.read_bytes())
    (second,) = QWEN.read(str(growing), first.offset)
    (whole,) = QWEN.read(str(path), 0)
    assert told + turns(second) == turns(whole)
    assert (second.id, second.cwd, second.offset) == (whole.id, whole.cwd, whole.offset)


@given(st.sampled_from(CHATS), st.data())
def test_unknown_rows(tmp_path_factory: pytest.TempPathFactory, path: Path, data: st.DataObject) -> None:
    """Rows of types nobody knows, anywhere among the others, change nothing."""
    mixed = tmp_path_factory.mktemp("mixed") / path.name
    mixed.write_bytes(strange(path.read_bytes(), data))
    (session,), (whole,) = QWEN.read(str(mixed), 0), QWEN.read(str(path), 0)
    assert turns(session) == turns(whole)


@given(st.sampled_from(CHATS), st.data())
def test_wrong_values(tmp_path_factory: pytest.TempPathFactory, path: Path, data: st.DataObject) -> None:
    """Values of a wrong kind, anywhere, are borne."""
    wrong = tmp_path_factory.mktemp("wrong") / path.name
    wrong.write_bytes(mangled(path.read_bytes(), data))
    with contextlib.suppress(Unreadable):  # without its first rows it may be no chat
        for session in QWEN.read(str(wrong), 0):
            turns(session)
