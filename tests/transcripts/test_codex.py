"""Codex CLI: rollouts of every age, plain and compressed, and the history of prompts."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.session import PERSON, Session
from improve.transcripts import reader
from improve.transcripts.base import Unreadable
from improve.transcripts.codex_words import typed
from transcripts.conftest import SESSIONS, needs_real, real, short
from transcripts.mangling import mangled, strange
from transcripts.sections import Section, read, sections, turns

CODEX = reader("codex")
HERE = SESSIONS / "codex"
LONG = HERE / "tui-approval-steer-interrupt-queue.jsonl"
ID, OTHER_ID = "0199a000-0000-7000-8000-000000000001", "0199a000-0000-7000-8000-000000000000"


@pytest.mark.parametrize("section", sections("codex"), ids=lambda section: section.name)
def test_recorded_sessions(section: Section) -> None:
    """What each recorded session holds is told: who said what, what failed, where, and who started it."""
    assert read(CODEX, HERE / section.name) == section.lines


def test_every_recorded_session_has_its_table() -> None:
    """No recorded file is without an expectation."""
    assert {s.name for s in sections("codex")} == {p.name for p in HERE.iterdir()} - {"told.txt"}


# Rows as older builds wrote them; measured files of that age are not the project's to bring along.


def row(kind: str, payload: dict[str, Any], at: str = "2026-01-02T03:04:05.000Z", **more: Any) -> dict[str, Any]:
    return {"timestamp": at, **more, "type": kind, "payload": payload}


def meta(**more: Any) -> dict[str, Any]:
    return row("session_meta", {"id": ID, "cwd": "/w/app", "originator": "codex_cli_rs", "source": "cli", **more})


def item(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    block = "output_text" if role == "assistant" else "input_text"
    content = [{"type": block, "text": text}]
    return row("response_item", {"type": "message", "role": role, "content": content, **more})


def event(type: str, at: str = "2026-01-02T03:04:05.000Z", **more: Any) -> dict[str, Any]:
    return row("event_msg", {"type": type, **more}, at)


def prompt(text: str) -> list[dict[str, Any]]:
    return [item(text), event("user_message", message=text, kind="plain")]


def call(name: str, arguments: object, id: str = "c1") -> dict[str, Any]:
    return row(
        "response_item", {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": id}
    )


def output(text: object, id: str = "c1") -> dict[str, Any]:
    return row("response_item", {"type": "function_call_output", "call_id": id, "output": text})


def write(tmp_path: Path, rows: Iterable[object], name: str = "rollout-x.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{json.dumps(r, separators=(',', ':'))}\n" for r in rows), encoding="utf-8")
    return path


def told(tmp_path: Path, *rows: object) -> list[str]:
    (session,) = CODEX.read(str(write(tmp_path, rows)), 0)
    return turns(session)


def test_event_and_item_are_one_prompt(tmp_path: Path) -> None:
    """A prompt that stands in an item and in an event is one; the same words typed three times are three."""
    rows = [meta(), *prompt("go on"), *prompt("go on"), *prompt("go on"), item("Done.", "assistant")]
    assert told(tmp_path, *rows) == ["person | typed | go on"] * 3 + ["agent |  | Done."]


def test_event_before_item(tmp_path: Path) -> None:
    """The order of the two does not matter."""
    rows = [meta(), *reversed(prompt("use tabs")), item("Done.", "assistant")]
    assert told(tmp_path, *rows) == ["person | typed | use tabs", "agent |  | Done."]


def test_both_kinds_of_events(tmp_path: Path) -> None:
    """A build that writes the old and the new event of a prompt tells one prompt."""
    new = event(
        "item_completed", turn_id="t1", item={"type": "UserMessage", "content": [{"type": "text", "text": "x y"}]}
    )
    rows = [meta(), event("task_started", turn_id="t1"), *prompt("x y"), new, item("Done.", "assistant")]
    assert told(tmp_path, *rows) == ["person | typed | x y", "agent |  | Done."]


def test_items_alone(tmp_path: Path) -> None:
    """Without any event the items tell, less what Codex puts among them."""
    rows = [
        meta(),
        item("# AGENTS.md instructions for /w/app\n\n<INSTRUCTIONS>\nuse tabs\n</INSTRUCTIONS>"),
        item("<environment_context>\n  <cwd>/w/app</cwd>\n</environment_context>"),
        item("<user_instructions>\nuse tabs\n</user_instructions>"),
        item("use pathlib"),
        item("Done.", "assistant"),
        item("<turn_aborted>\nThe user interrupted.\n</turn_aborted>"),
        item("<skill>\n<name>x</name>\nalways\n</skill>"),
        item("no, os.path", role="user"),
        item("hook context: never use pip", role="developer"),
        item("Fine.", "assistant"),
    ]
    assert told(tmp_path, *rows) == [
        "person | typed | use pathlib",
        "agent |  | Done.",
        "person | typed | no, os.path",
        "agent |  | Fine.",
    ]


def test_first_builds(tmp_path: Path) -> None:
    """The first builds wrote the items without anything around them."""
    first = {"id": ID, "timestamp": "2025-06-01T00:00:00Z", "instructions": None, "git": {"branch": "dev"}}
    env = "<environment_context>\nCurrent working directory: /w/app\n</environment_context>"
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "use tabs"}]}
    rows = [first, {"record_type": "state"}, {**said, "content": [{"type": "input_text", "text": env}]}, said]
    rows += [
        call("shell", {"command": ["bash", "-lc", "ls"]})["payload"],
        output('{"output":"x","metadata":{"exit_code":2}}')["payload"],
    ]
    (session,) = CODEX.read(str(write(tmp_path, rows)), 0)
    assert turns(session) == ["person | typed | use tabs", "agent | shell ls |", "tool | failed |"]
    assert (session.id, session.branch, session.started) == (ID, "dev", "2025-06-01T00:00:00Z")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nuse tabs \n", "use tabs"),
        ("# Context from my IDE setup:\n\n## Active selection of the file:\n## My request for Codex:\nnever do it\n\n"
         "## My request for Codex:\nuse tabs \n", "use tabs"),
        ("# Files mentioned by the user:\n\n## My request for Codex:\nuse tabs", "use tabs"),
        ("# Plan\n\nuse tabs", "# Plan\n\nuse tabs"),
        ("quote: ## My request for Codex:\nx", "quote: ## My request for Codex:\nx"),
        ([{"type": "text", "text": "<image name=[Image #1]>"}, {"type": "text", "text": "like here"}], "like here"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ("<user_shell_command>\n<command>ls</command>\n</user_shell_command>", ""),
        ("<user_action>\n<context>User initiated a review task.</context>\n</user_action>", ""),
        ("Another language model started to solve this problem and produced a summary", ""),
        ('<hook_prompt hook_run_id="stop:1">fix the tests</hook_prompt>', ""),
        ("<subagent_notification>\n{}\n</subagent_notification>", ""),
        ("the <skill> tag is wrong", "the <skill> tag is wrong"),
        ("ΟΧΙ, χρησιμοποίησε tabs", "ΟΧΙ, χρησιμοποίησε tabs"),
        (None, ""),
        ({"type": "text"}, ""),
    ],
)  # fmt: skip
def test_typed(text: object, words: str) -> None:
    """What Codex, its extensions and its app put around a prompt is taken off; what nobody typed is empty."""
    assert typed(text) == words


def test_prompt_again_after_an_interrupt(tmp_path: Path) -> None:
    """A prompt that the program writes again after an interrupt is one; typed anew it would carry a name of its own."""
    again = [event("turn_aborted", reason="interrupted"), *prompt("do it")]
    rows = [meta(), *prompt("do it"), *again, item("Ok.", "assistant"), *prompt("do it")]
    assert told(tmp_path, *rows) == [
        "person | typed | do it",
        "host | interrupted |",
        "agent |  | Ok.",
        "person | typed | do it",
    ]


def test_anew_after_an_interrupt(tmp_path: Path) -> None:
    """The same words with a name of their own were typed again."""
    new = {"type": "UserMessage", "client_id": "k", "content": [{"type": "text", "text": "do it"}]}
    rows = [meta(), event("item_completed", item=new), event("turn_aborted", reason="interrupted")]
    rows += [event("item_completed", item={**new, "client_id": "l"})]
    assert told(tmp_path, *rows) == ["person | typed | do it", "host | interrupted |", "person | typed | do it"]


@pytest.mark.parametrize(
    ("payload", "state"),
    [
        ('{"output":"x","metadata":{"exit_code":0,"duration_seconds":0.1}}', "ok"),
        ('{"output":"x","metadata":{"exit_code":127,"duration_seconds":0.1}}', "failed"),
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nx", "ok"),
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nx", "failed"),
        ("Chunk ID: 1\nProcess running with session ID 5\nOutput:\nx", "ok"),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\nx", "failed"),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nExit code: 1\nerror: x", "ok"),
        ("exec command rejected by user", "person"),
        ("patch rejected by user", "person"),
        ('exec_command failed for `x`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }', "person"),
        ('exec_command failed for `x`: CreateProcess { message: "Rejected(\\"use uv\\")" }', "rule"),
        ("patch rejected: writing outside of the project; rejected by user approval settings", "rule"),
        ("approval policy is Never; reject command — you cannot ask for escalated permissions", "rule"),
        ("Command blocked by PreToolUse hook: use uv. Command: pip", "rule"),
        ("Wall time: 3.6 seconds\naborted by user", "interrupted"),
        ("command aborted by user", "interrupted"),
        ("aborted", "interrupted"),
        ("failed in sandbox LinuxSeccomp with execution error: exit code: 1", "failed"),
        ("error: Failed to find expected lines in /w/a.py", "failed"),
        ("apply_patch verification failed: x", "failed"),
        ("Plan updated", "ok"),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nexec command rejected by user", "ok"),
        ({"content": "x", "success": False}, "failed"),
        ({"content": "x", "success": True}, "ok"),
        ([{"type": "input_text", "text": "Script completed\nOutput:\n"}], "ok"),
        ([{"type": "input_text", "text": "Script failed\nOutput:\n"}], "failed"),
        (None, "ok"),
        (3, "ok"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("long", [False, True])
def test_how_a_call_ended(tmp_path: Path, payload: object, state: str, long: bool) -> None:
    """A result tells how it went by the lines around its output, in builds of every age, however long it is."""
    if long and isinstance(payload, str):
        if payload.startswith("{"):
            payload = payload.replace('"x"', json.dumps("y\n" * 9_000), 1)
        else:
            payload += "" if "Output:\n" not in payload else "y\n" * 9_000
    rows = [meta(), call("shell", {"command": ["bash", "-lc", "x"]}), output(payload)]
    (session,) = CODEX.read(str(write(tmp_path, rows)), 0)
    *_, turn = session
    assert turn.failed == (state != "ok")
    assert short(turn)[1] == state
    assert turn.results[0].failed == turn.failed


@pytest.mark.parametrize(
    ("name", "arguments", "told_as"),
    [
        ("shell", {"command": ["bash", "-lc", "pytest -q"]}, "shell pytest -q"),
        ("shell", {"command": ["powershell.exe", "-NoProfile", "-Command", "dir"]}, "shell dir"),
        ("shell", {"command": ["ls", "-la"]}, "shell ls -la"),
        ("shell", {"command": ["apply_patch", "*** Begin Patch\n*** Update File: a.py\n*** End Patch"]}, "edit a.py"),
        ("exec_command", {"cmd": "ls"}, "shell ls"),
        ("shell_command", {"command": "ls"}, "shell ls"),
        ("view_image", {"path": "a.png"}, "read a.png"),
        ("write_stdin", {"session_id": 1, "chars": "y\n"}, "other y"),
        ("mcp__docs__find", {"query": "tabs"}, "other tabs"),
        ("update_plan", {"explanation": "first look"}, "other first look"),
        ("shell", "no object", "shell"),
        ("shell", [1], "shell"),
    ],
)
def test_calls(tmp_path: Path, name: str, arguments: object, told_as: str) -> None:
    """A call tells its command line, its path or its most telling argument."""
    assert told(tmp_path, meta(), call(name, arguments)) == [f"agent | {told_as} |"]


def test_local_shell_and_search(tmp_path: Path) -> None:
    """Calls of tools that the model's maker runs have their arguments elsewhere."""
    shell = {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["bash", "-lc", "ls"]}}
    search = {"type": "web_search_call", "action": {"type": "search", "query": "tabs or spaces"}}
    rows = [meta(), row("response_item", shell), row("response_item", search)]
    assert told(tmp_path, *rows) == ["agent | shell ls |", "agent | other tabs or spaces |"]


def test_item_says_how_a_call_went(tmp_path: Path) -> None:
    """An item that says a call failed or was declined counts where the result does not say so."""
    done = {"type": "FileChange", "id": "c1", "changes": {}, "status": "declined"}
    rows = [meta(), call("apply_patch", {"input": "x"}), event("item_completed", item=done), output("ok")]
    assert told(tmp_path, *rows)[-1] == "tool | person |"


def test_command_of_the_person(tmp_path: Path) -> None:
    """A command that the person ran and that failed is no failure of the agent's next call."""
    mine = {
        "type": "CommandExecution",
        "id": "c1",
        "command": ["ls"],
        "source": "user_shell",
        "exit_code": 2,
        "status": "failed",
    }
    rows = [meta(), event("item_completed", item=mine), call("shell", {"cmd": "x"}), output("Exit code: 0\nOutput:\n")]
    assert told(tmp_path, *rows)[-1] == "tool | ok |"


def test_denied_and_stopped_is_one_act(tmp_path: Path) -> None:
    """A denial that ends the turn is told once, as a denial; an interrupt after a result is an interrupt."""
    denied = [
        call("shell", {"cmd": "x"}),
        output("exec command rejected by user"),
        event("turn_aborted", reason="interrupted"),
    ]
    stopped = [
        call("shell", {"cmd": "x"}),
        output("Exit code: 0\nOutput:\n"),
        event("turn_aborted", reason="interrupted"),
    ]
    assert told(tmp_path, meta(), *denied) == ["agent | shell x |", "tool | person |"]
    assert told(tmp_path, meta(), *stopped)[-1] == "host | interrupted |"


def test_turn_replaced(tmp_path: Path) -> None:
    """A turn that gave way to the next prompt was not stopped."""
    assert told(tmp_path, meta(), event("turn_aborted", reason="replaced")) == []


def test_answer_to_a_question(tmp_path: Path) -> None:
    """What a person answers to a question of the agent is the person's."""
    answers = {"answers": {"q1": {"answers": ["Tabs", "user_note: four wide"]}}}
    rows = [meta(), *prompt("go"), call("request_user_input", {"questions": []}), output(json.dumps(answers))]
    assert told(tmp_path, *rows)[-1] == "person | answer | Tabs⏎four wide"


def test_notes(tmp_path: Path) -> None:
    """Turns taken back, errors and compactions are the host's notes; a compaction is told once."""
    rows = [
        meta(),
        event("thread_rolled_back", num_turns=1),
        event("error", message="429"),
        event("stream_error", message="x"),
    ]
    rows += [row("compacted", {"message": "SUMMARY use tabs", "replacement_history": []}), event("context_compacted")]
    assert told(tmp_path, *rows) == ["host | rewound |", "host | failed | 429", "host | compacted |"]


def test_slash_command(tmp_path: Path) -> None:
    """Of a command only its arguments count; a path is no command."""
    rows = [meta(), *prompt("/review use tabs"), *prompt("/compact"), *prompt("/etc/hosts is wrong")]
    assert told(tmp_path, *rows) == ["person | command | use tabs", "person | typed | /etc/hosts is wrong"]


# Copies of other sessions.


def test_copied_rows_without_names_of_turns(tmp_path: Path) -> None:
    """Rows that an old build copied from the session before the fork are passed over until somebody can have typed."""
    late = "2026-01-02T03:05:00.000Z"
    rows = [meta(), row("session_meta", {"id": OTHER_ID, "cwd": "/w"}), *prompt("old words"), item("Old.", "assistant")]
    rows += [{**r, "timestamp": late} for r in (*prompt("new words"), item("New.", "assistant"))]
    assert told(tmp_path, *rows) == ["person | typed | new words", "agent |  | New."]


def test_copied_rows_with_names_of_turns(tmp_path: Path) -> None:
    """Turns that are older than the session they stand in were copied, however slowly."""
    later = "0199a000-0000-7000-8000-000000000002"
    late = "2026-01-02T03:05:00.000Z"
    rows = [
        meta(),
        row("session_meta", {"id": OTHER_ID}),
        event("task_started", turn_id=OTHER_ID),
        *prompt("old words"),
    ]
    rows += [event("task_started", turn_id=later, at=late), *({**r, "timestamp": late} for r in prompt("new words"))]
    assert told(tmp_path, *rows) == ["person | typed | new words"]


def test_fork_without_copies(tmp_path: Path) -> None:
    """A fork that only names its origin has nothing to pass over."""
    assert told(tmp_path, meta(forked_from_id=OTHER_ID), *prompt("new words")) == ["person | typed | new words"]


@pytest.mark.parametrize(
    "facts",
    [
        {"thread_source": "subagent"},
        {"source": {"subagent": "review"}},
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": OTHER_ID, "depth": 1}}}},
    ],
)
def test_subagents(tmp_path: Path, facts: dict[str, Any]) -> None:
    """Nobody typed the prompts of a subagent, and nobody stops it by hand."""
    rows = [
        meta(**facts),
        *prompt("look around"),
        item("Ok.", "assistant"),
        event("turn_aborted", reason="interrupted"),
    ]
    (session,) = CODEX.read(str(write(tmp_path, rows)), 0)
    assert turns(session) == ["agent |  | Ok."]
    assert session.parent


@pytest.mark.parametrize("facts", [{"originator": "codex_exec"}, {"source": "exec"}, {"source": "mcp"}])
def test_headless(tmp_path: Path, facts: dict[str, Any]) -> None:
    """A run without a terminal is known by its originator or its source."""
    (session,) = CODEX.read(str(write(tmp_path, [meta(**facts), *prompt("use tabs")])), 0)
    assert session.headless
    assert turns(session) == ["person | scripted | use tabs"]


# Files.


@pytest.fixture(scope="module")
def zstd() -> Any:
    return pytest.importorskip("zstandard")


def test_compressed(tmp_path: Path, zstd: Any) -> None:
    """A compressed rollout is read as the plain one, from any offset that was given."""
    path = tmp_path / "rollout-x.jsonl.zst"
    path.write_bytes(zstd.ZstdCompressor().compress(LONG.read_bytes()))
    assert read(CODEX, path) == read(CODEX, LONG)
    (session,) = CODEX.read(str(path), 40_000)
    (plain,) = CODEX.read(str(LONG), 40_000)
    assert session.id == plain.id
    assert turns(session) == turns(plain)


def test_compressed_and_torn(tmp_path: Path, zstd: Any) -> None:
    """A compressed rollout that is damaged or torn gives what was before that."""
    whole = zstd.ZstdCompressor().compress(LONG.read_bytes() * 40)
    path = tmp_path / "rollout-x.jsonl.zst"
    (before,) = CODEX.read(str(LONG), 0)
    first = turns(before)
    for broken in (whole[: len(whole) // 2], whole[:-200] + b"\0" * 200):
        path.write_bytes(broken)
        try:
            (session,) = CODEX.read(str(path), 0)
        except Unreadable:
            continue
        assert turns(session)[:10] in ([], first[:10])


def test_compressed_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can decompress, the reason names the line that helps."""
    for name in ("zstandard", "compression", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / "rollout-x.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(Unreadable, match=r"pip install 'agent-improvement\[zst\]'"):
        list(CODEX.read(str(path), 0))


def test_files(tmp_path: Path) -> None:
    """Rollouts and histories are found, archived ones too; the plain one of two; nothing else."""
    day = tmp_path / "sessions" / "2026" / "01" / "02"
    day.mkdir(parents=True)
    for name in ("rollout-a.jsonl", "rollout-a.jsonl.zst", "rollout-b.jsonl.zst", "notes.jsonl"):
        (day / name).touch()
    for name in ("history.jsonl", "session_index.jsonl", "config.toml"):
        (tmp_path / name).touch()
    found = {Path(path).name for path in CODEX.files(str(tmp_path))}
    assert found == {"rollout-a.jsonl", "rollout-b.jsonl.zst", "history.jsonl"}
    assert list(CODEX.files(str(day / "notes.jsonl"))) == [str(day / "notes.jsonl")]


def test_claims() -> None:
    """The reader knows rollouts and histories by their first bytes, and no other host's files."""
    for path in HERE.glob("*.jsonl"):
        assert CODEX.claims(path.name, path.read_bytes()[:4096]), path.name
    assert CODEX.claims("rollout-2026.jsonl.zst", b"\x28\xb5\x2f\xfd")
    for other in ("gemini", "qwen", "pi", "copilot", "claude_code"):
        for path in (SESSIONS / other).glob("*.jsonl") if (SESSIONS / other).is_dir() else ():
            assert not CODEX.claims(path.name, path.read_bytes()[:4096]), path.name


def test_not_a_rollout(tmp_path: Path) -> None:
    """A file of other rows is refused with a reason; an empty one is an empty session."""
    path = write(tmp_path, [{"a": 1}, {"b": 2}])
    with pytest.raises(Unreadable, match="not those of a Codex rollout"):
        list(CODEX.read(str(path), 0))
    path.write_bytes(b"")
    (session,) = CODEX.read(str(path), 0)
    assert turns(session) == []


def test_history_beside_rollouts(tmp_path: Path) -> None:
    """Of a history only the sessions count whose rollout is gone; there the same prompts stand."""
    history = [{"session_id": id, "ts": 1_767_323_045, "text": "use tabs"} for id in (ID, OTHER_ID)]
    path = write(tmp_path, [*history, {"session_id": 3, "ts": "x", "text": None}, "x"], "history.jsonl")
    assert [s.id for s in CODEX.read(str(path), 0)] == [ID, OTHER_ID]
    (tmp_path / "archived_sessions").mkdir()
    (tmp_path / "archived_sessions" / f"rollout-2026-01-02T03-04-05-{ID}.jsonl").touch()
    (session,) = CODEX.read(str(path), 0)
    assert (session.id, session.offset, session.bad) == (OTHER_ID, path.stat().st_size, [4])
    (turn,) = session
    assert (turn.text, turn.at) == ("use tabs", "2026-01-02T03:04:05.000+00:00")


def test_history_goes_on(tmp_path: Path) -> None:
    """A history is read on from where the last reading ended; with nothing new, it says where that was."""
    path = write(tmp_path, [{"session_id": ID, "ts": 1, "text": "one"}], "history.jsonl")
    (session,) = CODEX.read(str(path), 0)
    (nothing,) = CODEX.read(str(path), session.offset)
    assert (turns(nothing), nothing.offset) == ([], session.offset)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"session_id": ID, "ts": 2, "text": "two"}) + "\n")
    (session,) = CODEX.read(str(path), session.offset)
    assert turns(session) == ["person | typed | two"]


# Whatever stands in a file.

PLAIN = [p for p in sorted(HERE.glob("*.jsonl")) if "history" not in p.name]


@given(st.sampled_from(PLAIN), st.integers(0, 80_000))
def test_torn_anywhere(tmp_path_factory: pytest.TempPathFactory, path: Path, length: int) -> None:
    """A file torn anywhere gives the first turns of the whole one, and no error."""
    torn = tmp_path_factory.mktemp("torn") / path.name
    torn.write_bytes(path.read_bytes()[:length])
    (session,), (whole,) = CODEX.read(str(torn), 0), CODEX.read(str(path), 0)
    first = turns(session)
    assert first == turns(whole)[: len(first)]
    assert session.bad == []
    assert session.offset <= length


@given(st.sampled_from(PLAIN), st.integers(0, 200))
def test_read_on(tmp_path_factory: pytest.TempPathFactory, path: Path, rows: int) -> None:
    """A file read in two parts, wherever a row ends, gives the same prompts and actions as in one."""
    lines = path.read_bytes().splitlines(keepends=True)
    growing = tmp_path_factory.mktemp("grow") / path.name
    growing.write_bytes(b"".join(lines[:rows]))
    (first,) = CODEX.read(str(growing), 0)
    told = [t for t in turns(first) if not t.startswith("host")]
    growing.write_bytes(path.read_bytes())
    (second,) = CODEX.read(str(growing), first.offset)
    (whole,) = CODEX.read(str(path), 0)
    told += [t for t in turns(second) if not t.startswith("host")]
    plain = [t for t in turns(whole) if not t.startswith("host")]
    assert [t.replace("steered", "typed").replace("queued", "typed") for t in told] == [
        t.replace("steered", "typed").replace("queued", "typed") for t in plain
    ]
    assert (second.id, second.cwd, second.parent) == (whole.id, whole.cwd, whole.parent)


@given(st.sampled_from(PLAIN), st.data())
def test_unknown_rows(tmp_path_factory: pytest.TempPathFactory, path: Path, data: st.DataObject) -> None:
    """Rows of types nobody knows, anywhere among the others, change nothing."""
    mixed = tmp_path_factory.mktemp("mixed") / path.name
    mixed.write_bytes(strange(path.read_bytes(), data))
    (session,), (whole,) = CODEX.read(str(mixed), 0), CODEX.read(str(path), 0)
    assert turns(session) == turns(whole)


@given(st.sampled_from(PLAIN), st.data())
def test_wrong_values(tmp_path_factory: pytest.TempPathFactory, path: Path, data: st.DataObject) -> None:
    """Values of a wrong kind, anywhere, are borne."""
    wrong = tmp_path_factory.mktemp("wrong") / path.name
    wrong.write_bytes(mangled(path.read_bytes(), data))
    with contextlib.suppress(Unreadable):  # without the first row it may be no rollout
        for session in CODEX.read(str(wrong), 0):
            turns(session)


# Real files, read by eye and counted with a look at the raw rows.


def counted(session: Session) -> tuple[int, int, int, int]:
    """Count prompts, failed results, denials and interrupts."""
    prompts = failed = denied = interrupts = 0
    for turn in session:
        prompts += turn.who == PERSON
        interrupts += turn.how == "interrupted"
        for result in turn.results:
            failed += result.failed
            denied += result.ended == "person"
    return prompts, failed, denied, interrupts


@needs_real
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("EntityProcess__agentv", (3, 6, 0, 0)),
        ("Hoper-J__cpolar-connect", (6, 1, 0, 1)),
        ("Monotoba__OpenPrintKit", (63, 38, 0, 0)),
        # four interrupts, two of which are denials that ended the turn
        ("Python-AI-Solutions__agentic-neurodata", (14, 9, 5, 2)),
    ],
    ids=["0.142", "0.36", "0.34", "extension 0.40"],
)  # fmt: skip
def test_real_rollouts(name: str, expected: tuple[int, int, int, int]) -> None:
    """Real sessions hold as many prompts, failures, denials and interrupts as somebody counted."""
    (path,) = real("codex").glob(f"{name}*")
    (session,) = CODEX.read(str(path), 0)
    assert counted(session) == expected
    assert (bool(session.id), bool(session.cwd), bool(session.branch), session.bad) == (True, True, True, [])


@needs_real
def test_real_history() -> None:
    """A real history of one session holds thirteen prompts."""
    (path,) = CODEX.files(str(real("codex-history", "SproutSeeds__coda__ceee2444__history.jsonl")))
    (session,) = CODEX.read(path, 0)
    assert counted(session) == (13, 0, 0, 0)
