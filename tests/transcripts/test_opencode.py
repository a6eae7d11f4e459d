"""OpenCode's sessions tell who said what, wherever they are kept: database, older tree, export."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from improve.transcripts.base import Unreadable
from improve.transcripts.opencode import READER, claims, files, sides
from transcripts import opencode_rows
from transcripts.conftest import SESSIONS, Told, needs_real, real, tell
from transcripts.opencode_rows import Row, conversation, said, used

_ROWS = SESSIONS / "opencode"

_TWO_TURNS: list[Told] = [
    ("person", "scripted", "please add a retry helper"),
    ("agent", "shell ls", ""),
    ("tool", "ok", ""),
    ("agent", "shell forbidden pip install x", ""),
    ("tool", "failed", ""),
    ("agent", "shell ls /nonexistent-dir", ""),
    ("tool", "failed", ""),
    ("agent", "", "All done."),
    ("person", "scripted", "no, use tabs not spaces"),
    ("agent", "", "Second done."),
]
_KILLED: list[Told] = [("person", "scripted", "start the long job"), ("agent", "shell sleep 30", "")]
_SCENARIOS: dict[str, list[list[Told]]] = {
    "guard-deny": [
        [
            ("person", "scripted", "please add the http client"),
            ("agent", "shell oldtool install requests; echo > ran-1/0", ""),
            ("tool", "rule", ""),
            ("agent", "shell slowtool run all; echo > ran-1/1", ""),
            ("tool", "ok", ""),
            ("agent", "shell echo oldtool is old; echo > ran-1/2", ""),
            ("tool", "ok", ""),
            ("agent", "", "Done."),
        ]
    ],
    # a run that was killed leaves its call without a result
    "abort-sigint": [_KILLED],
    "abort-sigterm": [_KILLED],
    "bad-tool-and-edit-error": [
        [
            ("person", "scripted", "change it"),
            ("agent", "other", ""),
            ("tool", "failed", ""),
            ("agent", "edit app.py", ""),
            ("tool", "failed", ""),
            ("agent", "read missing.txt", ""),
            ("tool", "failed", ""),
            ("agent", "", "ok"),
        ]
    ],
    # what a command of the person's own was expanded to is marked by nothing
    "command": [[("person", "scripted", 'M-COMMAND fix "the parser" carefully'), ("agent", "", "ok")]],
    "file-mention": [
        [
            ("person", "scripted", "look at this"),
            ("agent", "", "ok"),
            ("person", "scripted", "and see @app.py too"),
            ("agent", "", "Done."),
        ]
    ],
    "model-error": [[("person", "scripted", "hello"), ("host", "failed", "bad request scripted")]],
    # without a terminal the program says no by itself, in the words of a person's no
    "permission-ask-headless": [
        [("person", "scripted", "do it"), ("agent", "shell pip install x", ""), ("tool", "rule", "")]
    ],
    "permission-deny-config": [
        [
            ("person", "scripted", "do it"),
            ("agent", "shell pip install x", ""),
            ("tool", "rule", ""),
            ("agent", "", "ok"),
        ]
    ],
    "plugin-throws": [[]],
    "plugin-throws-system": [[("person", "scripted", "do it"), ("host", "failed", "boom-sys")]],
    "skill-tool": [
        [("person", "scripted", "use skill"), ("agent", "other", ""), ("tool", "failed", ""), ("agent", "", "ok")]
    ],
    "subagent": [
        [
            ("person", "scripted", "where are the tests?"),
            ("agent", "other look", ""),
            ("tool", "ok", ""),
            ("agent", "", "main answer"),
        ],
        [("agent", "", "sub answer")],
    ],
    "tui-abort-and-queue": [
        [
            ("person", "typed", "run the long job"),
            ("agent", "shell sleep 60", ""),
            ("person", "queued", "stop adding comments please"),
            ("tool", "interrupted", ""),
            ("host", "interrupted", ""),
            ("person", "typed", "no, use tabs"),
            ("agent", "", "ok tabs"),
        ]
    ],
    # what commands and `/init` were expanded to; a line after `!`; two prompts of a script that went on
    "tui-commands-and-shell": [
        [
            ("person", "typed", "M-PLAIN be careful\nsecond line\n\nuse tabs not spaces"),
            ("agent", "", "a"),
            ("person", "typed", "M-TWO first alpha rest beta gamma end"),
            ("agent", "", "a"),
            ("person", "typed", "M-ARGS do the parser now `x`\n\nshell-out\n and @AGENTS.md"),
            ("agent", "", "a"),
            ("person", "typed", "M-PLAIN be careful\nsecond line"),
            ("agent", "", "a"),
            ("person", "command", "only brief"),
            ("agent", "", "a"),
            ("person", "typed", "two words"),
            ("agent", "", "a"),
            ("person", "typed", "hello"),
            ("agent", "", "a"),
        ]
    ],
    "tui-compact": [[("person", "typed", "hello there"), ("agent", "", "hi"), ("host", "compacted", "")]],
    "tui-reject-then-prompt": [
        [
            ("person", "typed", "install it"),
            ("agent", "shell pip install x", ""),
            ("tool", "person", ""),
            ("person", "typed", "we use uv here, never pip"),
            ("agent", "", "ok uv then"),
        ]
    ],
    # what a subagent wants to do is asked of the person, who may say why not
    "tui-subagent-deny": [
        [("person", "typed", "go"), ("agent", "other look", ""), ("tool", "ok", ""), ("agent", "", "a")],
        [("agent", "shell pip install x", ""), ("tool", "person: we use uv never pip", ""), ("agent", "", "a")],
    ],
    "tui-undo": [
        [
            ("person", "typed", "write a file"),
            ("agent", "write new.txt", ""),
            ("tool", "ok", ""),
            ("agent", "", "wrote"),
            ("host", "rewound", ""),
        ]
    ],
    "two-turns-plugin": [_TWO_TURNS],
}


def _told(path: Path) -> list[list[Told]]:
    return [tell(session) for session in READER.read(str(path), 0)]


def _made(place: Path, *messages: tuple[str, Row, list[Row]], session: Row | None = None) -> list[Told]:
    path = opencode_rows.database(place / "opencode.db", conversation(*messages, session=session))
    (found,) = _told(path)
    return found


def test_every_recorded_scenario_is_told() -> None:
    """No recording is without its expectation."""
    assert {path.name.removesuffix(".rows.jsonl") for path in _ROWS.glob("*.rows.jsonl")} == set(_SCENARIOS)


@pytest.mark.parametrize("name", _SCENARIOS)
def test_a_database_tells_each_scenario(name: str, tmp_path: Path) -> None:
    """Persons, calls, results and notes come in the order in which they happened."""
    rows = opencode_rows.recorded(_ROWS / f"{name}.rows.jsonl")
    assert _told(opencode_rows.database(tmp_path / "opencode.db", rows)) == _SCENARIOS[name]


@pytest.mark.parametrize("name", _SCENARIOS)
def test_the_older_tree_tells_each_scenario(name: str, tmp_path: Path) -> None:
    """The tree of files before the database says the same."""
    paths = opencode_rows.tree(tmp_path / "storage", opencode_rows.recorded(_ROWS / f"{name}.rows.jsonl"))
    assert [told for path in paths for told in _told(path)] == _SCENARIOS[name]


@pytest.mark.parametrize("name", ["tui-abort-and-queue", "subagent"])
def test_a_database_of_the_real_program_tells_its_scenario(name: str) -> None:
    """The program's own database, with all its tables, is read as it is."""
    assert _told(_ROWS / f"{name}.db") == _SCENARIOS[name]


def test_an_export_tells_what_its_database_tells() -> None:
    """`opencode export` holds the same session."""
    assert _told(_ROWS / "two-turns-plugin.export.json") == [_TWO_TURNS]


def test_a_session_knows_where_and_when_it_was_and_who_started_it() -> None:
    """Directory, start, parent, and whether anybody sat there come from the session's own row."""
    main, sub = READER.read(str(_ROWS / "subagent.db"), 0)
    assert (main.id, main.cwd, main.started) == (
        "ses_dd2d5507dffed2xrAV4Yg6EPe0", "/home/user/app", "2026-11-30T15:55:01.890+00:00",
    )  # fmt: skip
    assert (main.parent, main.headless, sub.parent) == ("", True, main.id)
    (typed,) = READER.read(str(_ROWS / "tui-abort-and-queue.db"), 0)
    assert not typed.headless
    turns = list(typed)
    assert (turns[0].id, turns[0].at) == ("msg_22d2e101100192sDFdCj7e4GRm", "2026-11-30T15:58:43.217+00:00")


def test_the_words_of_a_denial_are_its_reason(tmp_path: Path) -> None:
    """What a person typed when they said no is the reason, and no turn of its own."""
    error = (
        "The user rejected permission to use this specific tool call with the following feedback: we use uv, never pip"
    )
    denied = used("bash", {"command": "pip install x"}, status="error", error=error)
    assert _made(tmp_path, ("user", {}, [said("install it")]), ("assistant", {}, [denied])) == [
        ("person", "typed", "install it"),
        ("agent", "shell pip install x", ""),
        ("tool", "person: we use uv, never pip", ""),
    ]


@pytest.mark.parametrize(
    ("part", "state"),
    [
        (used("bash", {"command": "x"}, output="", metadata={"exit": 0}), "ok"),
        (used("bash", {"command": "x"}, output="", metadata={"exit": 1}), "failed"),
        (used("bash", {"command": "x"}, output="", metadata={"exit": None}), "ok"),
        (used("bash", {"command": "x"}, status="error", error="Tool execution aborted"), "interrupted"),
        (used("bash", {"command": "x"}, status="error", error="boom"), "failed"),
        (used("bash", {"command": "x"}, output="cat says: User aborted the command\nso"), "ok"),
        (used("question", {"questions": []}, status="error", error="The user dismissed this question"), "person"),
    ],
)
def test_what_became_of_a_call_is_known(part: Row, state: str, tmp_path: Path) -> None:
    """An exit code, an error, a stop and a dismissal are told apart."""
    assert _made(tmp_path, ("assistant", {}, [part]))[1][1] == state


def test_of_answers_only_those_that_were_typed_are_a_persons_words(tmp_path: Path) -> None:
    """An option that the agent worded is not."""
    asked = {"questions": [{"question": "Tabs?", "options": [{"label": "Yes"}, {"label": "No"}]}]}
    for answers, told in (([["No"]], []), ([["No", "four spaces"]], [("person", "answer", "four spaces")])):
        place = tmp_path / str(len(told))
        place.mkdir()
        made = _made(place, ("assistant", {}, [used("question", asked, output="", metadata={"answers": answers})]))
        assert made[2:] == told


def test_what_the_program_put_into_a_persons_message_is_not_theirs(tmp_path: Path) -> None:
    """Synthetic and ignored parts, reminders, files, our own words: none of them was typed."""
    parts = [
        said("Called the Read tool", synthetic=True),
        said("hidden", ignored=True),
        said("use tabs <system-reminder>plan mode</system-reminder>"),
        {"type": "file", "url": "file:///w/a.py"},
        said("here, too"),
    ]
    made = _made(tmp_path, ("user", {}, parts), ("user", {}, [said("improve-rules v1\nalways use pnpm")]))
    assert made == [("person", "typed", "use tabs <system-reminder>plan mode</system-reminder>\nhere, too")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"use \\"tabs\\" here"', 'use "tabs" here'),
        ('"tabs"', '"tabs"'),
        ('use "tabs here"', 'use "tabs here"'),
        ('"use tabs', '"use tabs'),
    ],
)
def test_quotes_that_the_command_line_adds_are_taken_away(text: str, words: str, tmp_path: Path) -> None:
    """`opencode run` puts an argument of several words into quotes."""
    assert _made(tmp_path, ("user", {}, [said(text)])) == [("person", "typed", words)]


def test_a_script_that_goes_on_with_a_persons_session_says_no_by_itself(tmp_path: Path) -> None:
    """Whether anybody was asked is seen from the prompt before."""
    call = used("bash", {"command": "x"}, status="error", error="The user rejected permission to use this")
    made = _made(
        tmp_path,
        ("user", {}, [said("do it")]),
        ("assistant", {}, [call]),
        ("user", {}, [said('"do it again"')]),
        ("assistant", {}, [call]),
    )
    assert [how for who, how, _ in made if who == "tool"] == ["person", "rule"]


def test_a_line_of_the_shell_that_a_person_ran_is_no_call_of_the_agent(tmp_path: Path) -> None:
    """A line after `!` is recorded as if the agent had run it."""
    made = _made(
        tmp_path,
        ("user", {}, [said("The following tool was executed by the user", synthetic=True)]),
        ("assistant", {"parentID": "msg_000"}, [used("bash", {"command": "ls"}, output="", metadata={"exit": 1})]),
        ("user", {}, [said("use tabs")]),
        ("assistant", {"parentID": "msg_002"}, [said("ok")]),
    )
    assert made == [("person", "typed", "use tabs"), ("agent", "", "ok")]


_NEW_INIT = (
    "Create or update `AGENTS.md` for this repository.\n\nMore.\n\n"
    "User-provided focus or constraints (honor these):\n{}\n\n## How"
)
_OLD_INIT = (
    "Please analyze this codebase and create an AGENTS.md file containing:\n1. x\n\nimprove it if it's located in /w{}"
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("M-PLAIN be careful\nsecond line\n\nuse tabs not spaces", "use tabs not spaces"),
        ("M-PLAIN be careful\nsecond line", ""),
        ("M-TWO first alpha rest beta gamma end", "alpha beta gamma"),
        ("M-ARGS do the parser now `x`\n\nshell-out\n and @AGENTS.md", "the parser"),
        ("MINE to do: use tabs", "use tabs"),
        (_NEW_INIT.format("only brief"), "only brief"),
        (_NEW_INIT.format(""), ""),
        (_OLD_INIT.format("\n\nonly brief"), "only brief"),
        (_OLD_INIT.format(""), ""),
    ],
)
def test_of_a_command_only_what_was_typed_is_a_persons_words(text: str, told: str, home: Path, tmp_path: Path) -> None:
    """What the program recorded for a command is compared with the commands that are there, and its own."""
    commands = {
        home / ".config/opencode/command/plain.md": "---\ndescription: x\n---\nM-PLAIN be careful\nsecond line\n",
        home / ".config/opencode/commands/more/two.md": "M-TWO first $1 rest $2 end\n",
        home / ".config/opencode/command/args.md": "M-ARGS do $ARGUMENTS now `x`\n\n!`echo shell-out` and @AGENTS.md\n",
        tmp_path / "app/.opencode/command/mine.md": "MINE to do: $ARGUMENTS",
    }
    for path, body in commands.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    session = {"directory": str(tmp_path / "app/src")}
    made = _made(tmp_path, ("user", {}, [said(text)]), session=session)
    assert made == ([("person", "command", told)] if told else [])


def test_what_was_typed_after_review_is_a_command(tmp_path: Path) -> None:
    """The program's own long words for `/review` are not the person's; what they named is."""
    prompt = "You are a code reviewer. Do it well.\n\n---\n\nInput: {}\n\n---\n\nMore."
    parts = [{"type": "subtask", "command": "review", "prompt": prompt.format(words)} for words in ("the branch", "")]
    made = _made(tmp_path, *(("user", {}, [part]) for part in parts))
    assert made == [("person", "command", "the branch")]


def test_a_database_without_newer_columns_is_read(tmp_path: Path) -> None:
    """A directory that no column names is that of the project."""
    rows = opencode_rows.recorded(_ROWS / "tui-undo.rows.jsonl")
    newer = ("directory", "revert", "permission", "parent_id", "time_updated")
    path = opencode_rows.database(tmp_path / "opencode.db", rows, without=newer)
    (session,) = READER.read(str(path), 0)
    assert session.cwd == "/home/user/app"
    assert tell(session) == _SCENARIOS["tui-undo"][0][:-1]


def test_a_session_that_moved_into_the_database_does_not_come_from_the_tree_as_well(tmp_path: Path) -> None:
    """The program copies its tree into the database and leaves the tree."""
    rows = opencode_rows.recorded(_ROWS / "tui-undo.rows.jsonl")
    (path,) = opencode_rows.tree(tmp_path / "storage", rows)
    assert len(_told(path)) == 1
    opencode_rows.database(tmp_path / "opencode.db", rows)
    assert _told(path) == []


def test_records_of_wrong_types_are_passed_over_and_counted(tmp_path: Path) -> None:
    """Numbers, lists and nulls where texts and objects belong change nothing for the others."""
    odd: list[Row] = [
        {"type": "text", "text": 5},
        {"type": "tool", "tool": [], "state": "x"},
        {"type": None},
        used("bash", {"command": {}}, output=[], metadata="y", time="z"),
    ]
    rows = conversation(
        ("user", {"time": []}, [*odd, said("use tabs")]),
        ("assistant", {"time": {"created": "x"}, "error": "no"}, odd),
        ("nobody", {}, odd),
    )
    rows += [{"table": "message", "id": "msg_9", "session_id": "ses_1", "time_created": None, "data": "[1, 2"}]
    path = opencode_rows.database(tmp_path / "opencode.db", rows)
    (session,) = READER.read(str(path), 0)
    assert ("person", "typed", "use tabs") in tell(session)
    assert len(session.bad) == 1


def test_files_and_claims_know_what_is_opencodes(tmp_path: Path) -> None:
    """The database, sessions of the tree and exports are; messages, parts and other databases are not."""
    rows = opencode_rows.recorded(_ROWS / "tui-undo.rows.jsonl")
    (in_tree,) = opencode_rows.tree(tmp_path / "storage", rows)
    path = opencode_rows.database(tmp_path / "opencode.db", rows)
    export = tmp_path / "export.json"
    export.write_bytes((_ROWS / "two-turns-plugin.export.json").read_bytes())
    (tmp_path / "auth.json").write_text('{"info": {"key": "x"}}')
    assert set(files(str(tmp_path))) == {str(in_tree), str(path), str(export)}
    assert set(files(str(path))) == {str(path)}
    for known in (path, export, in_tree):
        assert claims(str(known), known.read_bytes()[:4096])
    store = SESSIONS / "copilot" / "two-turns-hooks.session-store.db"
    assert not claims(str(store), store.read_bytes()[:4096])
    assert not claims("/w/storage/message/ses_1/msg_1.json", b'{"id": "msg_1"}')
    assert sides(str(path)) == (f"{path}-wal",)
    assert Path(*sides(str(in_tree))).is_dir()


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"hello", b'{"messages": []}', b'{"info": 5, "messages": []}'])
def test_what_is_no_session_is_unreadable(data: bytes, tmp_path: Path) -> None:
    """It is said, not taken for an empty session."""
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(Unreadable):
        list(READER.read(str(path), 0))


@settings(max_examples=60)
@given(st.integers(0, 14_215))
def test_an_export_that_was_cut_gives_what_it_has(tmp_path_factory: pytest.TempPathFactory, at: int) -> None:
    """Its turns are the first of the whole one's; nothing fails."""
    path = tmp_path_factory.mktemp("cut") / "export.json"
    path.write_bytes((_ROWS / "two-turns-plugin.export.json").read_bytes()[:at])
    try:
        told = [turn for session in READER.read(str(path), 0) for turn in tell(session)]
    except Unreadable:
        return
    assert told == _TWO_TURNS[: len(told)]


def test_an_export_with_a_broken_message_counts_it() -> None:
    """What is no message is numbered, and the others are read."""
    whole = json.loads((_ROWS / "two-turns-plugin.export.json").read_text())
    whole["messages"].insert(1, ["not", "a message"])
    path = Path("broken.json")
    path.write_text(json.dumps(whole), encoding="utf-8")
    (session,) = READER.read(str(path), 0)
    assert tell(session) == _TWO_TURNS
    assert session.bad == [2]


@needs_real
@pytest.mark.parametrize(
    ("name", "persons", "commands", "queued", "failed", "agents"),
    [
        ("dayhaysoos__nimbus__132f15da__full.jsonl", 22, 0, 1, 3, 122),
        ("dayhaysoos__nimbus__1c35361d__full.jsonl", 2, 0, 0, 2, 66),
        ("dayhaysoos__nimbus__3640ab75__full.jsonl", 4, 6, 0, 4, 82),
    ],
)
def test_real_sessions_hold_what_was_counted_by_eye(
    name: str, persons: int, commands: int, queued: int, failed: int, agents: int
) -> None:
    """Person's turns, commands, failures and the agent's turns of real exports are those in the raw rows."""
    (session,) = READER.read(str(real("opencode", name)), 0)
    turns = list(session)
    said_by = [turn for turn in turns if turn.who == "person"]
    assert sum(turn.how in ("typed", "queued") for turn in said_by) == persons
    assert sum(turn.how == "command" for turn in said_by) == commands
    assert sum(turn.how == "queued" for turn in said_by) == queued
    assert sum(turn.failed for turn in turns) == failed
    assert sum(turn.who == "agent" for turn in turns) == agents
    assert not any(result.ended for turn in turns for result in turn.results)
    assert session.bad == []


def test_a_later_reading_of_a_database_gives_the_sessions_that_changed_since(tmp_path: Path) -> None:
    """An offset is the moment of the last change: nothing new is nothing, a new message is its session again."""
    rows = opencode_rows.recorded(_ROWS / "tui-undo.rows.jsonl")
    path = opencode_rows.database(tmp_path / "opencode.db", rows)
    first = list(READER.read(str(path), 0))
    latest = max(session.offset for session in first)
    assert latest > 0
    assert list(READER.read(str(path), latest)) == []
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE message SET time_updated = ? WHERE rowid = 1", (latest + 1,))
    (again,) = READER.read(str(path), latest)
    assert again.offset == latest + 1
    assert list(again)
