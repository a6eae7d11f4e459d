"""Tasks of Cline and Roo Code: a refusal is told from an approval with a remark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from improve import hosts
from improve.transcripts.base import Unreadable
from improve.transcripts.cline import READER
from transcripts.conftest import SESSIONS, tell

_TASKS = SESSIONS / "cline" / "tasks"


def test_a_task_of_cline_tells_refusals_by_the_request_that_follows() -> None:
    """An answer to a refused call is its reason; to an approved one, words; after a question, the answer."""
    (found,) = READER.read(str(_TASKS / "1772355600000" / "ui_messages.json"), 0)
    assert (found.id, found.cwd) == ("1772355600000", "/home/user/app")
    assert found.started == "2026-03-01T09:00:00.000+00:00"
    assert tell(found) == [
        ("person", "typed", "add a login page"),
        ("agent", "", "I install a package."),
        ("agent", "shell npm install x", ""),
        ("tool", "person: we use pnpm here", ""),
        ("agent", "shell pnpm install x", ""),
        ("tool", "ok", ""),
        ("agent", "edit a.py", ""),
        ("tool", "ok", ""),
        ("person", "steered", "fine, but also b.py"),
        ("agent", "write c.py", ""),
        ("tool", "person", ""),
        ("host", "interrupted", ""),
        ("person", "typed", "go on without c.py"),
        ("agent", "", "Which port?"),
        ("person", "answer", "8080"),
        ("agent", "", "The page is there."),
        ("person", "typed", "no, it does not open"),
        ("host", "failed", "429 too many requests"),
    ]


def test_a_task_of_roo_tells_refusals_by_what_the_model_got() -> None:
    """Where the panel does not keep the requests, the history of the model says which answers were refusals."""
    (found,) = READER.read(str(_TASKS / "roo-1" / "ui_messages.json"), 0)
    assert (found.id, found.cwd, found.parent) == ("roo-1", "/home/user/roo", "")
    assert tell(found) == [
        ("person", "typed", "sort the list"),
        ("agent", "edit src/a.ts", ""),
        ("tool", "person: never touch src/a.ts", ""),
        ("agent", "read src/b.ts", ""),
        ("tool", "ok", ""),
        ("person", "steered", "yes, that one"),
        ("host", "compacted", ""),
        ("host", "failed", "the model gave no tool"),
    ]


def test_a_task_that_another_began_has_no_person() -> None:
    """The agent wrote its prompt."""
    (found,) = READER.read(str(_TASKS / "roo-2" / "ui_messages.json"), 0)
    assert (found.parent, tell(found)) == ("roo-1", [("agent", "", "I begin.")])


def test_a_session_of_the_command_line_tells_the_same() -> None:
    """Words between their tags, notices of the program left out, a refusal with its reason, an agent it started."""
    own, other = sorted(READER.files(str(SESSIONS / "cline" / "sessions")), key=len)
    (found,) = READER.read(own, 0)
    assert (found.id, found.cwd, found.branch) == ("1772", "/home/user/app", "main")
    assert tell(found) == [
        ("person", "typed", "add a page"),
        ("agent", "shell npm i", "I install it."),
        ("tool", "person: pnpm please", ""),
        ("person", "typed", "and only that"),
        ("agent", "", "Done."),
    ]
    (found,) = READER.read(other, 0)
    assert (found.parent, tell(found)) == ("1772", [("agent", "", "three")])


def test_an_answer_to_a_call_without_any_history_is_a_refusal(tmp_path: Path) -> None:
    """Nothing says what became of the call; the words are kept either way."""
    messages = [
        {"type": "say", "say": "task", "text": "sort"},
        {"type": "ask", "ask": "tool", "text": '{"tool": "editedExistingFile", "path": "a"}'},
        {"type": "say", "say": "user_feedback", "text": "not a"},
    ]
    (tmp_path / "ui_messages.json").write_text(json.dumps(messages))
    (found,) = READER.read(str(tmp_path / "ui_messages.json"), 0)
    assert tell(found)[-1] == ("tool", "person: not a", "")


def test_the_directory_comes_from_what_the_editor_told_the_model(tmp_path: Path) -> None:
    """No list of tasks, no item of history: the first request names it."""
    request = "# Current Working Directory (/home/user/lib) Files\na.py"
    messages = [{"type": "say", "say": "api_req_started", "text": json.dumps({"request": request})}]
    (tmp_path / "ui_messages.json").write_text(json.dumps(messages))
    (found,) = READER.read(str(tmp_path / "ui_messages.json"), 0)
    assert found.cwd == "/home/user/lib"


def test_calls_that_are_still_being_written_are_none(tmp_path: Path) -> None:
    """A partial message is followed by the whole one."""
    call = {"type": "ask", "ask": "command", "text": "npm i"}
    messages = [{"type": "say", "say": "text", "text": "go"}, {**call, "partial": True}, {**call, "partial": False}]
    (tmp_path / "ui_messages.json").write_text(json.dumps(messages))
    (found,) = READER.read(str(tmp_path / "ui_messages.json"), 0)
    assert [short[:2] for short in tell(found)] == [("person", "typed"), ("agent", "shell npm i"), ("tool", "ok")]


def test_tasks_are_looked_for_in_every_editor(home: Path) -> None:
    """Cline and Roo Code, in VS Code, its preview, VSCodium and editors made from it."""
    places = [locate(str(home), {}) for locate in hosts.host("cline").sessions]
    assert len(places) == len(set(places)) == 11
    assert all(place.startswith(str(home)) and place.endswith(("tasks", "sessions")) for place in places)


@pytest.mark.parametrize("text", ["", "[", "{}", '"x"'])
def test_a_file_that_holds_no_messages_is_named(tmp_path: Path, text: str) -> None:
    """It is said why, in a clause."""
    (tmp_path / "ui_messages.json").write_text(text)
    with pytest.raises(Unreadable, match=r"^it"):
        list(READER.read(str(tmp_path / "ui_messages.json"), 0))
