"""Claude Code: transcripts of two releases and of older ones, subagents, and the history of prompts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from improve.session import AGENT, BY_PERSON, PERSON, TOOL, Session, Turn
from improve.transcripts import blocks, claude_quick, claude_rows, reader
from improve.transcripts.claude_history import words
from transcripts.conftest import SESSIONS, needs_real, real, short
from transcripts.mangling import mangled, strange
from transcripts.sections import Section, read, sections, turns

CLAUDE = reader("claude-code")
HERE = SESSIONS / "claude-code"
RECORDED = sorted(path for path in HERE.glob("*/*.jsonl") if "history" not in path.name)
LONG = HERE / "2.1.332/tui-queued-bang-clear.jsonl"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)
STOP = f"{REFUSED}STOP what you are doing and wait for the user to tell you how to proceed."


@pytest.mark.parametrize("section", sections("claude-code"), ids=lambda section: section.name)
def test_recorded_sessions(section: Section) -> None:
    """What each recorded session holds is told: who said what, what failed, where, and who started it."""
    assert read(CLAUDE, HERE / section.name) == section.lines


def test_every_recorded_session_has_its_table() -> None:
    """No recorded file is without an expectation."""
    assert {s.name for s in sections("claude-code")} == {str(p.relative_to(HERE)) for p in HERE.glob("*/*.jsonl")}


# Rows as the program writes them: without blanks between, which the recorded files have.


def row(kind: str, number: int, **more: Any) -> dict[str, Any]:
    """Give a row with the keys in the order of the program."""
    before = {"parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/w/app", "sessionId": "s1"}
    message = {"message": more.pop("message")} if "message" in more else {}
    named = {
        "uuid": f"{number:08x}-0000-4000-8000-000000000000",
        "timestamp": f"2026-01-02T03:04:{number % 60:02}.000Z",
    }
    if kind == "assistant":
        return {**before, **message, "type": kind, **named, **more}
    return {**before, "type": kind, **message, **named, **more}


def said(content: object, number: int = 1, **more: Any) -> dict[str, Any]:
    return row("user", number, message={"role": "user", "content": content}, **more)


def agent(number: int, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {
        "model": "claude-x",
        "id": f"m{number}",
        "type": "message",
        "role": "assistant",
        "content": list(content),
    }
    return row("assistant", number, message=message, **more)


def told(number: int, text: str) -> dict[str, Any]:
    return agent(number, {"type": "text", "text": text})


def call(number: int, command: str, name: str = "Bash") -> dict[str, Any]:
    return agent(number, {"type": "tool_use", "id": f"t{number}", "name": name, "input": {"command": command}})


def result(number: int, content: object, *beside: dict[str, Any], detail: object = None, **more: Any) -> dict[str, Any]:
    """Give a row of a result; one that failed has its keys in another order, as the program writes them."""
    failed = more.pop("failed", None)
    block: dict[str, Any] = {"tool_use_id": "t1", "type": "tool_result", "content": content}
    if failed is not None:
        block["is_error"] = failed
    if failed:
        block = {"type": "tool_result", "content": content, "is_error": True, "tool_use_id": "t1"}
    given = {} if detail is None else {"toolUseResult": detail}
    return said([block, *beside], number, **given, **more)


def stored(rows: Iterable[dict[str, Any]], **style: Any) -> bytes:
    style = style or {"separators": (",", ":"), "ensure_ascii": False}
    return b"".join(json.dumps(each, **style).encode() + b"\n" for each in rows)


def session_of(place: Path, data: bytes, offset: int = 0) -> Session:
    path = place / "s1.jsonl"
    path.write_bytes(data)
    (session,) = CLAUDE.read(str(path), offset)
    return session


def told_of(place: Path, *rows: dict[str, Any]) -> list[str]:
    return turns(session_of(place, stored(rows)))


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("no, use uv", "person | typed | no, use uv"),
        ([{"type": "text", "text": "no, use uv"}], "person | typed | no, use uv"),
        ([{"type": "text", "text": "no"}, {"type": "text", "text": "use uv"}], "person | typed | no⏎use uv"),
        ([{"type": "image", "source": {"data": "A" * 70_000}}, {"type": "text", "text": "like this"}],
         "person | typed | like this"),
        ("<system-reminder>be brief</system-reminder>\nno, use uv", "person | typed | no, use uv"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>no, use uv", "person | typed | no, use uv"),
        ([{"type": "text", "text": "<ide_selection>x = 1</ide_selection>"}, {"type": "text", "text": "rename it"}],
         "person | typed | rename it"),
        ("<command-name>/review</command-name>\n            <command-message>review</command-message>\n"
         "            <command-args>only the tests</command-args>", "person | command | only the tests"),
        ("<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n"
         "<command-args>only the tests</command-args>", "person | command | only the tests"),
        ("<user-memory-input>always use uv</user-memory-input>", "person | memory | always use uv"),
        ("# always use uv", "person | typed | # always use uv"),
        ("<skill> never renders", "person | typed | <skill> never renders"),
        ("[Request interrupted by user] is in the log", "person | typed | [Request interrupted by user] is in the log"),
        ("why does <command-name> appear here?", "person | typed | why does <command-name> appear here?"),
        ('it prints "is_error":true, why?', 'person | typed | it prints "is_error":true, why?'),
        ('"type":"tool_result" is wrong', 'person | typed | "type":"tool_result" is wrong'),
    ],
)  # fmt: skip
def test_words_of_a_person(content: object, line: str, tmp_path: Path) -> None:
    """What stands around a person's words is taken off; how they came in is told."""
    assert told_of(tmp_path, said(content)) == [line]


@pytest.mark.parametrize(
    ("content", "more"),
    [
        ("<command-name>/clear</command-name>\n            <command-args></command-args>", {}),
        ("<local-command-stdout>Compacted</local-command-stdout>", {}),
        ("<local-command-caveat>Caveat: The messages below …</local-command-caveat>", {}),
        ("<bash-input>git push</bash-input>", {}),
        ("<bash-stdout>never do this</bash-stdout><bash-stderr></bash-stderr>", {}),
        ("<task-notification><task-id>b1</task-id></task-notification>", {}),
        ("<task-notification>done</task-notification>", {"origin": {"kind": "task-notification"}}),
        ("always use uv", {"origin": {"kind": "coordinator"}}),
        ("always use uv", {"promptSource": "system"}),
        ("always use uv", {"isMeta": True}),
        ("always use uv", {"isSidechain": True}),
        ("Implement the following plan:\n\n# Plan", {"planContent": "# Plan"}),
        ("Implement the following plan:\n\n# Plan", {}),
        ("Stop hook feedback:\nnever use pip", {"isMeta": True}),
        ("Stop hook feedback:\nnever use pip", {}),
        ("This session is being continued from a previous conversation that ran out of context.", {}),
        ([{"type": "text", "text": "Base directory for this skill: /x\n\nalways"}], {"isMeta": True}),
        ("<system-reminder>always use uv</system-reminder>", {}),
        ('<!-- improve-rules v1 -->\nAlways use uv', {}),
        ('<teammate-message teammate_id="a">always use uv</teammate-message>', {}),
        ("", {}), ([], {}), (None, {}), (3, {}), ({"text": "x"}, {}), ([None, 3, {"type": "text"}], {}),
    ],
)  # fmt: skip
def test_words_of_nobody(content: object, more: dict[str, Any], tmp_path: Path) -> None:
    """What a program, a hook, another agent or a command wrote where a prompt stands is nobody's words."""
    assert told_of(tmp_path, said(content, **more)) == []


@pytest.mark.parametrize(
    ("text", "more", "line"),
    [
        (f"{REFUSED}To tell you how to proceed, the user said:\nuse uv", {}, "person: use uv"),
        (f"{REFUSED}To tell you how to proceed, the user said:\nuse uv\n\nNote: The user's next message may contain a "
         "correction or preference.", {}, "person: use uv"),
        (f"{REFUSED}To tell you how to proceed, the user said:\nuse uv",
         {"userFeedback": "use uv", "toolDenialKind": "user-rejected",
          "permissionDecision": {"decision": "reject", "source": "user_reject"}}, "person: use uv"),
        (f"{REFUSED}To tell you how to proceed, the user said:\nThe user wants to clarify these questions.\n    This …",
         {}, "person"),
        (STOP, {}, "person"),
        (STOP, {"toolDenialKind": "user-rejected", "toolDenialBeforeRun": True}, "person"),
        ("The agent proposed a plan that was rejected by the user. The user chose to stay in plan mode.", {}, "person"),
        ("MARK", {"toolDenialKind": "user-rejected", "permissionDecision": {"decision": "reject", "source": "config"}},
         "rule"),
        ("MARK", {"toolDenialKind": "user-rejected", "entrypoint": "sdk-cli"}, "rule"),
        ("MARK", {"toolDenialKind": "permission-rule"}, "rule"),
        ("Claude requested permissions to use Bash, but you haven't granted it yet.", {}, "rule"),
        ("PreToolUse:Bash hook error: use uv", {}, "rule"),
        ("MARK", {"toolDenialKind": "interrupted"}, "interrupted"),
        ("[Request interrupted by user for tool use]", {}, "interrupted"),
        ("Exit code 1\nboom", {}, "failed"),
        ("it says: the user said:\nuse uv", {}, "failed"),
        (f"cat log: {STOP}", {}, "failed"),
    ],
)  # fmt: skip
def test_why_a_call_failed(text: str, more: dict[str, Any], line: str, tmp_path: Path) -> None:
    """A person's no, with the reason typed, is told from a rule's, from a stop and from an error."""
    assert told_of(tmp_path, result(2, text, failed=True, **more)) == [f"tool | {line} |"]


def test_a_stop_writes_the_text_of_a_denial(tmp_path: Path) -> None:
    """Only the row that follows tells that a call was running: it names the message that was cut."""
    interrupted = said([{"type": "text", "text": "[Request interrupted by user for tool use]"}], 3)
    denied = result(2, STOP, failed=True)
    assert told_of(tmp_path, denied, interrupted) == ["tool | person |"]
    assert told_of(tmp_path, denied, {**interrupted, "interruptedMessageId": "m1"}) == ["tool | interrupted |"]
    assert told_of(tmp_path, denied, told(3, "Fine.")) == ["tool | person |", "agent |  | Fine."]
    assert told_of(tmp_path, told(2, "Ha"), interrupted) == ["agent |  | Ha", "host | interrupted |"]
    assert told_of(tmp_path, denied, told(3, "Ha"), {**interrupted, "uuid": "4"})[-1] == "host | interrupted |"


def test_answers_to_questions(tmp_path: Path) -> None:
    """A chosen label, free text and notes are the person's words; the question is the agent's."""
    detail = {"questions": [{"question": "A?"}], "answers": {"A?": "uv", "B?": "neither, use pdm"},
              "annotations": {"A?": {"notes": "always"}}}  # fmt: skip
    answered = result(2, 'User has answered your questions: "A?"="uv"', detail=detail)
    assert told_of(tmp_path, answered) == ["tool | ok |", "person | answer | uv⏎always⏎neither, use pdm"]
    assert told_of(tmp_path, {**answered, "agentId": "a", "isSidechain": True}) == ["tool | ok |"]


def test_words_beside_a_result(tmp_path: Path) -> None:
    """What a person types while allowing a call stands beside its result."""
    beside = {"type": "text", "text": "but use uv"}
    line = "person | steered | but use uv"
    assert told_of(tmp_path, result(2, "done", beside)) == ["tool | ok |", line]
    assert told_of(tmp_path, result(2, "done", beside, failed=False)) == ["tool | ok |", line]
    for source, lines in (("config", []), ("user_temporary", [line]), ("user_permanent", [line])):
        accepted = {"permissionDecision": {"decision": "accept", "source": source}}
        assert told_of(tmp_path, result(2, "done", beside, **accepted)) == ["tool | ok |", *lines]


def test_queued_words_come_once(tmp_path: Path) -> None:
    """Words typed while the agent works are noted in its queue, and again where they are taken up."""

    def queue(operation: str, text: str = "", **more: Any) -> dict[str, Any]:
        content = {"content": text} if text else {}
        return {
            "type": "queue-operation",
            "operation": operation,
            "timestamp": "2026-01-02T03:04:05Z",
            **content,
            **more,
        }

    taken = {"type": "queued_command", "prompt": "no pip", "commandMode": "prompt"}
    done = {**taken, "prompt": "<task-notification>x</task-notification>", "commandMode": "task-notification"}
    steered, queued = "person | steered | no pip", "person | queued | no pip"
    put, fine = queue("enqueue", "no pip"), told(9, "Fine.")
    absorbed = [queue("remove", "no pip"), result(2, "x"), row("attachment", 3, attachment=taken)]
    assert told_of(tmp_path, put, *absorbed, fine) == ["tool | ok |", steered, "agent |  | Fine."]
    assert told_of(tmp_path, put, queue("dequeue"), said("no pip")) == [queued]
    assert told_of(tmp_path, said("no pip", promptSource="queued", origin={"kind": "human"})) == [queued]
    assert told_of(tmp_path, put, queue("remove"), fine) == [steered, "agent |  | Fine."]
    assert told_of(tmp_path, put, queue("popAll"), fine) == ["agent |  | Fine."]
    assert told_of(tmp_path, row("attachment", 3, attachment=done)) == []
    assert told_of(tmp_path, row("attachment", 3, attachment={**taken, "origin": {"kind": "peer"}})) == []
    assert told_of(tmp_path, queue("enqueue", '{"task_id":"b1"}'), queue("remove"), fine) == ["agent |  | Fine."]
    assert told_of(tmp_path, put, queue("dequeue"), said("no pip", entrypoint="sdk-cli")) == [
        "person | scripted | no pip"
    ]


def test_runs_without_a_terminal(tmp_path: Path) -> None:
    """A script may have written the prompt of `-p`; an editor's extension is no script; a person may take it over."""
    script: dict[str, Any] = {"entrypoint": "sdk-cli", "promptSource": "sdk"}
    session = session_of(tmp_path, stored([said("do it", **script)]))
    assert (turns(session), session.headless) == (["person | scripted | do it"], True)
    session = session_of(tmp_path, stored([said("do it", entrypoint="claude-vscode", promptSource="sdk")]))
    assert (turns(session), session.headless) == (["person | typed | do it"], False)
    rows: list[dict[str, Any]] = [
        said("do it", **script),
        said("no, use uv", 2, entrypoint="cli", promptSource="typed", origin={"kind": "human"}),
    ]
    session = session_of(tmp_path, stored(rows))
    assert turns(session) == ["person | scripted | do it", "person | typed | no, use uv"]
    assert not session.headless


def test_what_the_program_notes(tmp_path: Path) -> None:
    """Compaction is told once, its summary is nobody's; an error of the model is no word of the agent."""
    boundary = row("system", 1, subtype="compact_boundary")
    summary = said("This session is being continued …", 2, isCompactSummary=True)
    assert told_of(tmp_path, boundary, {**summary, "parentUuid": boundary["uuid"]}) == ["host | compacted |"]
    assert told_of(tmp_path, summary) == ["host | compacted |"]
    error = told(3, "API Error: 529")
    error["message"]["model"] = "<synthetic>"
    assert told_of(tmp_path, {**error, "isApiErrorMessage": True}) == ["host | failed | API Error: 529"]
    assert told_of(tmp_path, error) == []


def test_subagents(tmp_path: Path) -> None:
    """A subagent's file names its parent and holds no person; inline, its prompt is nobody's."""
    rows = [said("SUBTASK", 1, isSidechain=True, agentId="a1"), told(2, "Found.")]
    session = session_of(tmp_path, stored(rows))
    assert (turns(session), session.id, session.parent) == (["agent |  | Found."], "a1", "s1")
    inline = [said("do it", 3), said("SUBTASK", 1, isSidechain=True), told(2, "Found.")]
    session = session_of(tmp_path, stored(inline))
    assert (turns(session), session.parent) == (["person | typed | do it", "agent |  | Found."], "")


def test_records_written_twice(tmp_path: Path) -> None:
    """A file in which every record stands twice, or that was copied behind itself, tells the same."""
    for path in RECORDED:
        data = b"".join(
            json.dumps(json.loads(line), separators=(",", ":")).encode() + b"\n" for line in path.open("rb")
        )
        once = turns(session_of(tmp_path, data))
        rows = [line for line in data.splitlines(keepends=True) if b'"queue-operation"' not in line]
        if len(rows) == data.count(b"\n"):
            assert turns(session_of(tmp_path, data + data)) == once, path.name
            assert turns(session_of(tmp_path, b"".join(line * 2 for line in rows))) == once, path.name


ERROR = agent(23, {"type": "text", "text": "API Error: 529"}, isApiErrorMessage=True)
EMPTY = agent(24, {"type": "text", "text": "No response requested. " * 30})
for each in (ERROR, EMPTY):
    each["message"]["model"] = "<synthetic>"
LINES = [
    ERROR,
    EMPTY,
    said("no, use uv"),
    said("<b>x", 2),
    call(3, "pip install x"),
    result(4, "fine", detail={"stdout": "x", "interrupted": False}),
    result(5, 'it prints "is_error":true', failed=False, detail={"stdout": 'a "interrupted":true'}),
    result(6, "x", detail={"stdout": "", "interrupted": True}),
    result(7, "boom", failed=True, detail="Error: boom"),
    result(8, [{"type": "text", "text": "from a server"}], detail=[{"type": "text", "text": "from a server"}]),
    result(9, '}]},"uuid":"', detail={"file": {"content": '"answers":{"a":"b"}'}}),
    result(10, "x", detail={"new": {"k": 1}}),
    result(11, "ok", {"type": "tool_result", "tool_use_id": "t2", "content": "bad", "is_error": True}),
    result(12, "ok", {"type": "text", "text": "but use uv"}),
    result(13, STOP, failed=True),
    said([{"type": "text", "text": "[Request interrupted by user for tool use]"}], 14, interruptedMessageId="m1"),
    result(15, "Q", detail={"questions": [], "answers": {"A?": "uv"}}),
    told(16, 'has "type":"user" in it'),
    agent(17, {"type": "thinking", "thinking": "x"}),
    row("progress", 18, data={"type": "user", "message": {"role": "user"}}),
    row("system", 19, subtype="compact_boundary"),
    row("attachment", 20, attachment={"type": "hook_success", "stdout": "never"}),
    row("attachment", 21, attachment={"type": "queued_command", "prompt": "no pip"}),
    said("x" * 9_000, 22, isMeta=True),
    {"type": "file-history-snapshot", "messageId": "x", "snapshot": {"uuid": "x"}},
    {"type": "summary", "summary": "never"},
    {"type": "news", "message": {"role": "user", "content": "never"}},
]


def shuffled(value: Any, draw: st.DataObject) -> Any:
    """Put the keys of all objects in another order."""
    if isinstance(value, dict):
        keys = draw.draw(st.permutations(list(value)))
        return {key: shuffled(value[key], draw) for key in keys}
    return [shuffled(each, draw) for each in value] if isinstance(value, list) else value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data())
def test_any_order_and_spacing_tells_the_same(tmp_path: Path, draw: st.DataObject) -> None:
    """However a row is written, with any order of keys and any blanks, it tells the same."""
    chosen = [
        LINES[i] for i in draw.draw(st.lists(st.integers(0, len(LINES) - 1), min_size=1, max_size=6, unique=True))
    ]
    separators = draw.draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : "), (",", ": ")]))
    style = {"separators": separators, "ensure_ascii": draw.draw(st.booleans())}
    other = stored((shuffled(each, draw) for each in chosen), **style)
    if draw.draw(st.booleans()):
        other = other.replace(b"\n", b"\r\n")
    assert facts(session_of(tmp_path, other)) == facts(session_of(tmp_path, stored(chosen)))


def facts(session: Iterable[Turn]) -> list[object]:
    """Tell turns with all that is known of them but where they stand."""
    return [(t.who, t.how, t.id, t.at, t.failed, t.text, [c[:4] for c in t.calls], t.results) for t in session]


def test_bytes_and_parsing_agree(tmp_path: Path) -> None:
    """What bytes tell of a row is what parsing it tells, and most rows of a transcript need no parsing."""
    bare = Session("claude-code", "x")
    rows = claude_rows.Rows(bare)
    parsed = [turn for each in LINES for turn in rows.turns(each, 0)] + rows.rest()
    session = session_of(tmp_path, stored(LINES))
    found = list(session)
    assert facts(found) == facts(parsed)
    assert sum(isinstance(turn, claude_quick.Quick) for turn in found) >= 8


def test_a_result_that_quotes_a_failure_went_well(tmp_path: Path) -> None:
    """Marks inside what a tool printed are not the record's own."""
    quoted = json.dumps(result(2, STOP, failed=True), separators=(",", ":"))
    (turn,) = session_of(tmp_path, stored([result(3, f"{quoted}\n{quoted}", detail={"type": "text", "file": quoted})]))
    assert not turn.failed
    assert isinstance(turn, claude_quick.Quick)


def offsets(data: bytes) -> list[int]:
    return [0, *(i + 1 for i, byte in enumerate(data) if byte == 10)]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_reading_on_from_an_offset(path: Path) -> None:
    """From the offset after any turn the rest is told, no more and no less, and the session is known."""
    (session,) = CLAUDE.read(str(path), 0)
    whole = [(turn, session.offset) for turn in session]
    known = (session.id, session.cwd, session.parent)
    for number, (turn, offset) in enumerate(whole, 1):
        if turn.who == TOOL and any(r.ended for r in turn.results):
            continue  # the row that follows it belongs to it
        (again,) = CLAUDE.read(str(path), offset)
        expected = [short(each) for each, _ in whole[number:] if each.offset >= offset]
        assert [short(each) for each in again] == expected
        assert (again.id, again.cwd, again.parent) == known
    (again,) = CLAUDE.read(str(path), path.stat().st_size)
    assert list(again) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.sampled_from(RECORDED), st.data())
def test_cut_anywhere(tmp_path: Path, path: Path, draw: st.DataObject) -> None:
    """A file cut at any byte tells a beginning of what the whole one tells, and nothing is bad in it."""
    data = path.read_bytes()
    if draw.draw(st.booleans()):
        data = stored(json.loads(line) for line in data.splitlines())
    whole = turns(session_of(tmp_path, data))
    session = session_of(tmp_path, data[: draw.draw(st.integers(0, len(data)))])
    part = turns(session)
    assert session.bad == []
    assert [line for line in part if "interrupted" not in line and line != "tool | person |"] == [
        line for line in whole[: len(part)] if "interrupted" not in line and line != "tool | person |"
    ]


def test_torn_and_bad_lines(tmp_path: Path) -> None:
    """A torn last line is silent and read the next time; a bad one in the middle is numbered, the rest is told."""
    data = stored([said("a", 1), said("b", 2), said("c", 3)])
    first, second, third = data.splitlines(keepends=True)
    session = session_of(tmp_path, first + third[:-20])
    assert (turns(session), session.bad, session.offset) == (["person | typed | a"], [], len(first))
    session = session_of(tmp_path, first + third[:-1])
    assert (turns(session), session.offset) == (["person | typed | a", "person | typed | c"], len(first + third) - 1)
    for bad in (b"{\n", b"[]\n", b"never\n", second[:-9] + b"\n", b"\xff\xfe\n", b'{"type":"user"]}\n', b"}{\n"):
        session = session_of(tmp_path, first + bad + third)
        assert (turns(session), session.bad) == (["person | typed | a", "person | typed | c"], [2])
    for blank in (b"\n", b" \r\n", b"\x00\x00\n"):
        session = session_of(tmp_path, first + blank + third)
        assert (turns(session), session.bad) == (["person | typed | a", "person | typed | c"], [])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.sampled_from(RECORDED), st.data())
def test_strange_rows_are_passed_over(tmp_path: Path, path: Path, draw: st.DataObject) -> None:
    """Rows of types nobody knows change nothing."""
    data = path.read_bytes()
    assert turns(session_of(tmp_path, strange(data, draw))) == turns(session_of(tmp_path, data))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=120)
@given(st.sampled_from(RECORDED), st.data())
def test_values_of_wrong_kinds(tmp_path: Path, path: Path, draw: st.DataObject) -> None:
    """Values of wrong kinds are never an error, in a row that is parsed or told from its bytes."""
    data = mangled(path.read_bytes(), draw)
    if draw.draw(st.booleans()):
        data = stored((json.loads(line) for line in data.splitlines()), separators=(",", ":"))
    for turn in session_of(tmp_path, data):
        assert repr(turn).encode("utf-8", "surrogatepass")
        turn.text.encode()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(st.lists(st.binary(max_size=60), max_size=20), st.integers(1, 40), st.integers(5, 60))
def test_blocks_hold_all_lines(tmp_path: Path, pieces: list[bytes], size: int, longest: int) -> None:
    """Blocks of any size give the lines that reading line by line gives, but those that are too long."""
    path = tmp_path / "x"
    path.write_bytes(data := b"\n".join(pieces))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", size)
        patch.setattr(blocks, "LONGEST", longest)
        found = list(blocks.blocks(str(path)))
    at = 0
    for block in found:
        assert block.offset == at
        at += block.end
        assert block.data is None or data[block.offset :].startswith(block.data)
        assert block.data is not None or block.end > longest
    assert at == len(data) or (at < len(data) and b"\n" not in data[at:] and len(data) - at > longest)
    kept = b"".join(block.data[: block.end] for block in found if block.data is not None)
    left = b"".join(line for line in data.split(b"\n") if len(line) < longest)
    assert all(block.data is None or block.data[: block.end].endswith(b"\n") for block in found if block.whole)
    assert b"".join(line for line in kept.split(b"\n") if len(line) < longest) == left


def test_a_line_longer_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that is too long is counted as bad; what stands before and behind it is told."""
    monkeypatch.setattr(blocks, "BLOCK", 500)
    monkeypatch.setattr(blocks, "LONGEST", 4_000)
    rows = [said("a", 1), said("b" * 9_000, 2), said("c" * 2_000, 3), said("d", 4)]
    session = session_of(tmp_path, stored(rows))
    assert [turn.text[:1] for turn in session] == ["a", "c", "d"]
    assert (session.bad, session.offset) == ([2], len(stored(rows)))


def test_what_is_remembered_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Identities of records long past are forgotten; those of the last ones are not."""
    monkeypatch.setattr(claude_rows, "_SEEN", 10)
    monkeypatch.setattr(blocks, "BLOCK", 1_000)
    rows = [told(n, f"{n}") for n in range(100)]
    twice = [each for one in rows for each in (one, one)]
    assert [turn.text for turn in session_of(tmp_path, stored(twice))] == [f"{n}" for n in range(100)]


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        ("no, use uv", ("no, use uv", "typed")),
        ("[Pasted text #4 +3 lines]", ("", "typed")),
        ("why? [Pasted text #1 +23 lines] [Image #2]", ("why?", "typed")),
        ("[...Truncated text #1 +10 lines...] no", ("no", "typed")),
        ("[Pasted text #1", ("[Pasted text #1", "typed")),
        ("/compact", ("", "command")),
        ("/review only the tests", ("only the tests", "command")),
        ("/home/me/x is wrong", ("/home/me/x is wrong", "typed")),
        ("!git push", ("", "typed")),
        ("!!! no", ("!!! no", "typed")),
        ("# always use uv", ("# always use uv", "typed")),
        ("", ("", "typed")),
    ],
)
def test_words_of_the_history(shown: str, line: tuple[str, str]) -> None:
    """What stands for pasted text, commands and `!` lines are no words."""
    assert words(shown) == line


def test_history_of_many_sessions(tmp_path: Path) -> None:
    """A history gives a session a stretch; older rows name no session; sessions may be read after all were named."""
    path = tmp_path / "history.jsonl"
    shown = [("a", "s1"), ("b", "s1"), ("c", "s2"), ("d", "s1"), ("e", None)]
    rows: list[dict[str, Any]] = [
        {"display": t, "pastedContents": {}, "timestamp": 1_796_054_007_187, "project": "/w", "sessionId": s}
        for t, s in shown
    ]
    path.write_bytes(stored([*rows[:4], {k: v for k, v in rows[4].items() if v is not None}]))
    found = [(session.id, session.cwd, session.started, turns(session)) for session in CLAUDE.read(str(path), 0)]
    assert [(id, len(told)) for id, _, _, told in found] == [("s1", 2), ("s2", 1), ("s1", 1), ("", 1)]
    assert found[0] == ("s1", "/w", "", ["person | typed | a", "person | typed | b"])
    unread = list(CLAUDE.read(str(path), 0))
    assert unread[-1].offset == path.stat().st_size
    (last,) = CLAUDE.read(str(path), unread[-2].offset)
    assert turns(last) == ["person | typed | e"]
    assert last.started == "2026-11-30T15:53:27.187Z"


def test_history_beside_transcripts(tmp_path: Path) -> None:
    """Prompts of a session whose transcript is still there are read from it alone; its history tells of the others."""
    row: dict[str, Any] = {"pastedContents": {}, "timestamp": 1_796_054_007_187, "project": "/w"}
    shown = [{**row, "display": id, "sessionId": id} for id in ("kept", "deleted", "kept")]
    path = tmp_path / "history.jsonl"
    path.write_bytes(stored(shown))
    (tmp_path / "projects" / "-w").mkdir(parents=True)
    (tmp_path / "projects" / "-w" / "kept.jsonl").write_text("{}")
    assert [(session.id, turns(session)) for session in CLAUDE.read(str(path), 0)] == [
        ("deleted", ["person | typed | deleted"])
    ]


def test_files_of_a_home(tmp_path: Path) -> None:
    """Sessions and subagents are named, what else lies beside them is not."""
    wanted = ["p/s.jsonl", "p/s/subagents/agent-a.jsonl"]
    for name in (*wanted, "p/s/subagents/agent-a.meta.json", "p/s/subagents/journal.jsonl", "p/s/tool-results/x.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert sorted(CLAUDE.files(str(tmp_path))) == [str(tmp_path / name) for name in wanted]


def test_claims(tmp_path: Path) -> None:
    """Every recorded file is known by its first bytes; files of others are not."""
    for path in HERE.glob("*/*.jsonl"):
        assert CLAUDE.claims(str(path), path.read_bytes()[:4096]), path.name
    for host in ("codex", "gemini", "pi", "qwen", "copilot", "cursor"):
        for path in (SESSIONS / host).rglob("*.jsonl"):
            assert not CLAUDE.claims(str(path), path.read_bytes()[:4096]), path.name


def counts(sessions: Iterable[Session]) -> dict[str, int]:
    """Count a person's turns by how they came, denials, failures and notes."""
    found: Counter[str] = Counter()
    for turn in (turn for session in sessions for turn in session):
        found[turn.how or turn.who] += turn.who not in (AGENT, TOOL)
        found["failed"] += turn.failed
        found["denied"] += any(r.ended == BY_PERSON for r in turn.results)
        found["reasons"] += any(r.reason for r in turn.results)
    return {name: number for name, number in found.items() if number}


@needs_real
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("FSM1__cipher-box__91ddb5d4__full.jsonl", {"typed": 3}),
        ("FSM1__cipher-box__c11fe03c__full.jsonl", {"typed": 5, "failed": 1}),
        ("entireio__cli__c0458550__full.jsonl", {"typed": 2, "answer": 3, "failed": 5, "denied": 5, "reasons": 3}),
    ],
)
def test_real_transcripts(name: str, expected: dict[str, int]) -> None:
    """Real transcripts of releases without marks of origin give what somebody counted by eye."""
    (session,) = CLAUDE.read(str(real("claude-code", name)), 0)
    assert counts([session]) == expected
    assert session.bad == []


@needs_real
def test_real_history() -> None:
    """A real history of 146 prompts gives them all but four that were only pasted."""
    path = real("claude-history", "AndersKaae__dotfiles__c4cc9b25__history.jsonl")
    sessions = [(session, list(session)) for session in CLAUDE.read(str(path), 0)]
    assert sum(len(found) for _, found in sessions) == 142
    assert {turn.who for _, found in sessions for turn in found} == {PERSON}
    assert len({session.id for session, _ in sessions}) == 3
