"""pi's sessions tell who said what, what was given up, and what was stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from improve.session import Turn
from improve.transcripts.base import Unreadable
from improve.transcripts.pi import READER, claims, files
from transcripts.conftest import SESSIONS, Told, needs_real, real, short, tell

_PLACE = SESSIONS / "pi"
_SCENARIOS: dict[str, list[Told]] = {
    "guard-deny": [
        ("person", "typed", "please add the http client"),
        ("agent", "shell oldtool install requests; echo > ran-1/0", ""),
        ("tool", "rule", ""),
        ("agent", "shell slowtool run all; echo > ran-1/1", ""),
        ("tool", "ok", ""),
        ("agent", "shell echo oldtool is old; echo > ran-1/2", ""),
        ("tool", "ok", ""),
        ("agent", "", "Done."),
    ],
    "at-file": [("person", "typed", "look here"), ("agent", "", "ok")],
    "extension-throws": [
        ("person", "typed", "hi there"),
        ("agent", "shell echo ok", ""),
        ("tool", "failed", ""),
        ("agent", "", "k"),
    ],
    "model-error": [
        ("person", "typed", "hi there"),
        ("host", "failed", '400: {"message":"bad scripted","code":400,"type":"scripted"}'),
    ],
    # what a template was expanded to is marked by nothing
    "prompt-template": [("person", "typed", "M-TEMPLATE fix the parser now"), ("agent", "", "ok")],
    "skill-command": [("person", "command", "fix the parser"), ("agent", "", "ok")],
    "tool-errors": [
        ("person", "typed", "hi there"),
        ("agent", "other", ""),
        ("tool", "failed", ""),
        ("agent", "edit a.txt", ""),
        ("tool", "failed", ""),
        ("agent", "read missing.txt", ""),
        ("tool", "failed", ""),
        ("agent", "shell exit 3", ""),
        ("tool", "failed", ""),
        ("agent", "", "k"),
    ],
    "tui-abort": [
        ("person", "typed", "run the long job"),
        ("agent", "shell sleep 60", ""),
        ("tool", "interrupted", ""),
        ("host", "interrupted", ""),
        ("person", "typed", "no, use tabs"),
        ("agent", "", "ok tabs"),
    ],
    "tui-hangup": [("person", "typed", "hello there"), ("agent", "", "hi")],
    "tui-sigterm": [("person", "typed", "hello there"), ("agent", "", "hi")],
    # `!` and `!!` lines are no speech
    "tui-steer-and-bash": [
        ("person", "typed", "run the job"),
        ("agent", "shell sleep 4", ""),
        ("tool", "ok", ""),
        ("person", "steered", "stop adding comments please"),
        ("agent", "", "steered"),
        ("person", "queued", "and a follow up"),
        ("agent", "", "followed"),
        ("person", "typed", "next"),
        ("agent", "", "nexted"),
    ],
    "tui-tree-and-new": [
        ("person", "typed", "first ask"),
        ("agent", "", "one"),
        ("person", "typed", "bad ask"),
        ("agent", "", "two"),
        ("host", "rewound", ""),
        ("person", "typed", "bad ask better"),
        ("agent", "", "three"),
    ],
    "tui-tree-and-new-1": [("person", "typed", "fresh"), ("agent", "", "four")],
    # what an extension adds is no speech; a call it forbids is an error with its words
    "two-turns-extension": [
        ("person", "typed", "please add a retry helper"),
        ("agent", "shell ls", ""),
        ("tool", "ok", ""),
        ("agent", "shell forbidden pip install x", ""),
        ("tool", "failed", ""),
        ("agent", "shell ls /nonexistent-dir", ""),
        ("tool", "failed", ""),
        ("agent", "", "All done."),
        ("person", "typed", "no, use tabs not spaces"),
        ("agent", "", "Second done."),
    ],
}
_HEAD = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-11-02T09:00:00Z", "cwd": "/w/app"}


def _message(id: str, parent: str | None, role: str, content: object = "", **more: object) -> dict[str, Any]:
    at = f"2026-11-02T09:00:{len(id):02}Z"
    message = {"role": role, "content": content, **more}
    return {"type": "message", "id": id, "parentId": parent, "timestamp": at, "message": message}


def _made(*rows: object) -> list[Told]:
    path = Path("made.jsonl")
    path.write_text("\n".join(json.dumps(row) for row in (_HEAD, *rows)) + "\n", encoding="utf-8")
    (session,) = READER.read(str(path), 0)
    return tell(session)


def test_every_recorded_scenario_is_told() -> None:
    """No recording is without its expectation."""
    assert {path.stem for path in _PLACE.glob("*.jsonl")} == set(_SCENARIOS)


@pytest.mark.parametrize("name", _SCENARIOS)
def test_a_session_tells_its_scenario(name: str) -> None:
    """Persons, calls, results and notes come in the order of the file."""
    (session,) = READER.read(str(_PLACE / f"{name}.jsonl"), 0)
    assert tell(session) == _SCENARIOS[name]
    assert session.bad == []
    assert session.cwd == "/home/user/app"


def test_a_session_and_its_turns_are_known_by_the_programs_own_names() -> None:
    """Ids and moments are those of the records; a session is known before its first turn."""
    path = _PLACE / "tui-abort.jsonl"
    (session,) = READER.read(str(path), 0)
    assert (session.id, session.started) == ("01a22d33-a81f-72ad-bd5f-09b14b6e6b22", "2026-11-30T16:04:49.824Z")
    first = next(iter(session))
    assert (first.id, first.at) == ("90815cde", "2026-11-30T16:04:53.006Z")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("use tabs", [("person", "typed", "use tabs")]),
        ('<file name="/w/a">\nx\n</file>\n<file name="/w/b">\ny\n</file>\nuse tabs', [("person", "typed", "use tabs")]),
        ('<file name="/w/a.png"></file>\n', []),
        ('<skill name="a" location="/s">\nalways use npm\n</skill>', []),
        ('<skill name="a" location="/s">\n</skill> b\n</skill>\n\nuse tabs', [("person", "command", "use tabs")]),
        (
            "Skill location: /s/SKILL.md\nReferences are relative to /s.\n\nBody\n\n---\n\nUser: use tabs",
            [("person", "command", "use tabs")],
        ),
        ("Skill location: /s/SKILL.md\nReferences are relative to /s.\n\nBody", []),
        ("improve-rules v1\nuse tabs", []),
        ("<file name= is how it begins", [("person", "typed", "<file name= is how it begins")]),
    ],
)
def test_only_what_was_typed_is_a_persons_words(text: str, told: list[Told]) -> None:
    """Files and skills that the program put before the words are taken away."""
    assert _made(_message("a", None, "user", text)) == told
    blocks = [{"type": "image", "data": "x"}, {"type": "text", "text": text}]
    assert _made(_message("a", None, "user", blocks)) == told


def test_of_a_prompt_template_only_what_was_typed_is_a_persons_words(home: Path) -> None:
    """What was recorded is compared with the templates that are there."""
    place = home / ".pi" / "agent" / "prompts"
    place.mkdir(parents=True)
    (place / "fix.md").write_text("---\ndescription: x\n---\nM-TEMPLATE fix $@ now\n", encoding="utf-8")
    (session,) = READER.read(str(_PLACE / "prompt-template.jsonl"), 0)
    assert tell(session) == [("person", "command", "the parser"), ("agent", "", "ok")]


def test_going_back_gives_up_what_came_after() -> None:
    """A note follows the turns that were given up, wherever the new branch begins, and each time."""
    rows = [
        _message("a", None, "user", "one"),
        _message("b", "a", "assistant", "two"),
        _message("c", "b", "user", "three"),
        {"type": "branch_summary", "id": "d", "parentId": "a", "fromId": "c", "summary": "no words"},
        _message("e", "d", "user", "four"),
        {"type": "label", "id": "f", "parentId": "e", "targetId": "e", "label": "x"},
        _message("g", "f", "assistant", "five"),
        _message("h", "c", "user", "six"),
        _message("i", None, "user", "seven"),
    ]
    said = ["one", "two", "three", "rewound", "four", "five", "rewound", "six", "rewound", "seven"]
    assert [text or how for _, how, text in _made(*rows)] == said


def test_a_branch_without_turns_gives_up_nothing() -> None:
    """A change of the model on a path of its own was no turn."""
    rows = [
        _message("a", None, "user", "one"),
        {"type": "model_change", "id": "b", "parentId": "a", "modelId": "x"},
        _message("c", "a", "user", "two"),
    ]
    assert [how for _, how, _ in _made(*rows)] == ["typed", "typed"]


def test_what_nobody_said_is_left_out() -> None:
    """The system's own words, summaries, extensions and shell lines are no turns of a person."""
    rows = [
        _message("a", None, "system", "be good"),
        _message("b", "a", "custom", "use tabs"),
        _message("c", "b", "branchSummary", summary="use tabs"),
        {"type": "custom_message", "id": "d", "parentId": "c", "content": "use tabs"},
        _message("e", "d", "bashExecution", command="ls", output="use tabs"),
        {"type": "compaction", "id": "f", "parentId": "e", "summary": "use tabs"},
        {"type": "nobody_knows", "id": "g", "parentId": "f", "message": {"role": "user"}},
    ]
    assert _made(*rows) == [("host", "compacted", "")]


def test_a_record_that_was_written_twice_is_one() -> None:
    """The same id is the same record."""
    row = _message("a", None, "user", "one")
    assert len(_made(row, row, _message("b", "a", "assistant", "two"))) == 2


def test_wrong_types_are_passed_over_and_broken_lines_counted() -> None:
    """What is no object is numbered, a last line that was cut is not; the rest is read."""
    rows = [
        {"type": "message", "id": 5, "parentId": [], "timestamp": {}, "message": "x"},
        {"type": "message", "id": "a", "message": {"role": "user", "content": 7, "timestamp": "x"}},
        {"type": "message", "id": "b", "message": {"role": "assistant", "content": [{"type": "toolCall"}, 5, None]}},
        {"type": "message", "id": "c", "message": {"role": "toolResult", "content": {}, "isError": "yes"}},
        _message("d", "c", "user", "use tabs"),
    ]
    path = Path("odd.jsonl")
    lines = [json.dumps(row) for row in (_HEAD, *rows)]
    path.write_text("\n".join([*lines[:3], "{broken", *lines[3:], '{"type": "mess']), encoding="utf-8")
    (session,) = READER.read(str(path), 0)
    assert tell(session)[-1] == ("person", "typed", "use tabs")
    assert session.bad == [4]


@pytest.mark.parametrize("name", ["tui-tree-and-new", "tui-steer-and-bash", "two-turns-extension"])
def test_reading_goes_on_where_it_ended(name: str) -> None:
    """Of a file that grew, only what is new is read, and what it follows is still known."""
    data = (_PLACE / f"{name}.jsonl").read_bytes()
    path, offset = Path("grows.jsonl"), 0
    turns: list[Turn] = []
    for end in (len(data) // 3, 2 * len(data) // 3, len(data)):
        path.write_bytes(data[:end])
        (session,) = READER.read(str(path), offset)
        turns += list(session)
        assert session.cwd == "/home/user/app"
        offset = session.offset
    told = [short(turn) for turn in turns]
    words = [one for one in told if one[0] != "host"]
    # whether a prompt waited is seen from the record before it
    assert [(who, text) for who, _, text in words] == [
        (who, text) for who, _, text in _SCENARIOS[name] if who != "host"
    ]
    assert offset == len(data)


@settings(max_examples=80)
@given(st.sampled_from(sorted(_SCENARIOS)), st.integers(0, 6100))
def test_a_file_that_was_cut_gives_what_it_has(name: str, at: int) -> None:
    """A torn last line is silent, and all turns before it are there."""
    path = Path("cut.jsonl")
    path.write_bytes((_PLACE / f"{name}.jsonl").read_bytes()[:at])
    (session,) = READER.read(str(path), 0)
    told = tell(session)
    assert told == _SCENARIOS[name][: len(told)]
    assert session.bad == []


def test_what_is_no_session_is_unreadable(tmp_path: Path) -> None:
    """Lines without one record of pi are none of its files."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"hello\nthere\n" * 40)
    with pytest.raises(Unreadable):
        list(READER.read(str(path), 0))
    with pytest.raises(OSError, match="missing"):
        list(READER.read(str(tmp_path / "missing.jsonl"), 0))


def test_a_broken_first_record_takes_only_its_facts_away(tmp_path: Path) -> None:
    """The session is then known by the name of its file."""
    path = tmp_path / "2026-11-02T09-00-00_s1.jsonl"
    path.write_text(f"{{broken\n{json.dumps(_message('a', None, 'user', 'use tabs'))}\n", encoding="utf-8")
    (session,) = READER.read(str(path), 0)
    assert (session.id, tell(session)) == ("s1", [("person", "typed", "use tabs")])


def test_files_and_claims_know_what_is_pis(tmp_path: Path) -> None:
    """A session's first record says what it is."""
    data = (_PLACE / "at-file.jsonl").read_bytes()
    (tmp_path / "--w-app--").mkdir()
    path = tmp_path / "--w-app--" / "x.jsonl"
    path.write_bytes(data)
    (tmp_path / "notes.txt").write_text("x")
    assert list(files(str(tmp_path))) == [str(path)]
    assert claims("x", data[:4096])
    assert not claims("x", b'{"type":"session.start","data":{"cwd":"/w"}}\n')
    assert not claims("x", b'{"type":"user","cwd":"/w"}\n{"type":"session","cwd":"/w"}')


@needs_real
def test_a_real_session_holds_what_was_counted_by_eye() -> None:
    """Person's turns, errors, stops and summaries are those in the raw rows of a session of the first version."""
    (session,) = READER.read(str(real("pi", "badlogic__pi-mono__67306b36__before-compaction.jsonl")), 0)
    turns = list(session)
    notes = [turn.how for turn in turns if turn.who == "host"]
    results = [result for turn in turns for result in turn.results]
    assert (session.id, session.cwd) == ("ffae836b-9420-4060-ac13-7745215f90ff", "/Users/user/workspaces/pi-mono")
    assert sum(turn.who == "person" for turn in turns) == 55
    assert {how: notes.count(how) for how in notes} == {"interrupted": 18, "compacted": 2, "failed": 1}
    assert (len(results), sum(result.failed for result in results)) == (448, 12)
    assert sum(result.ended == "interrupted" for result in results) == 2
    assert session.bad == []
