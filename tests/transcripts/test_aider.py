"""Aider's histories: which lines a person typed, which the program said, which the agent wrote."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from improve.session import Session
from improve.transcripts.aider import READER
from transcripts.conftest import SESSIONS, Told, real, tell

_HERE = SESSIONS / "aider"
_RUN = "\n# aider chat started at 2026-03-01 09:00:00\n\n> Aider v0.86.2  \n\n"


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put this machine five and a half hours east."""
    monkeypatch.setenv("TZ", "XYZ-5:30")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def _read(path: Path) -> list[Session]:
    return list(READER.read(str(path), 0))


def _said(place: Path, text: str, name: str = "x.aider.chat.history.md") -> list[Told]:
    (place / name).write_text(text, encoding="utf-8")
    return [short for found in _read(place / name) for short in tell(found)]


def test_a_run_is_a_session_and_scripts_are_told_from_people(zone: None) -> None:
    """Recorded from the real program: two runs with `--message`, the first of two lines that spill into the header."""
    first, second = _read(_HERE / "two-turns.aider.chat.history.md")
    assert (first.id, first.headless, first.started) == (
        "aider-20261130161646", True, "2026-11-30T16:16:46+05:30",
    )  # fmt: skip
    assert tell(first) == [
        ("person", "scripted", "set x to 2\nand keep it short"),
        ("agent", "edit app.py", "app.py\n```\nx = 2\n```"),
        ("tool", "ok", ""),
    ]
    assert (second.headless, tell(second)) == (
        True, [("person", "scripted", "no, use tabs not spaces"), ("agent", "", "Done.")],
    )  # fmt: skip


def test_every_kind_of_line_is_told_apart() -> None:
    """Prompts of several lines, headings and quotations of the agent, commands, questions, comments in files."""
    first, second = _read(_HERE / "many.aider.chat.history.md")
    told = tell(first)
    assert told[1][2].startswith("I would change `helper.py`:\n\n#### A heading of the agent\n\n> a quotation of the")
    told[1] = ("agent", told[1][1], "…")
    assert told == [
        ("person", "typed", "please rename the helper\n\nand keep its tests"),
        ("agent", "", "…"),
        ("tool", "person", ""),
        ("person", "command", "why not in place?"),
        ("agent", "", "Because the file was not in the chat."),
        ("tool", "ok", ""),
        ("person", "typed", "no, never rename without asking"),
        ("host", "interrupted", ""),
        ("agent", "", "I started to"),
        ("host", "rewound", ""),
        ("tool", "ok", ""),
        ("tool", "ok", ""),
        ("person", "typed", "never use print here, AI!"),
        ("agent", "edit helper.py, shell ruff check helper.py", "Done."),
        ("tool", "failed", ""),
    ]
    assert not first.headless
    assert second.headless
    assert tell(second) == [
        ("person", "scripted", "run the tests"),
        ("host", "failed", "litellm.RateLimitError: too many requests"),
        ("tool", "ok", ""),
    ]


def test_prompts_alone_are_read_where_no_chat_is_beside_them(tmp_path: Path) -> None:
    """A session for each day; answers of a letter and commands are no words."""
    first, second = _read(_HERE / "alone" / ".aider.input.history")
    assert (first.id, first.cwd) == ("aider-20260301090005", str(_HERE / "alone"))
    assert first.started[:23] == "2026-03-01T09:00:05.100"
    assert tell(first) == [("person", "typed", "use tabs here\nand nothing else")]
    assert tell(second) == [("person", "typed", "no, tabs I said")]
    for name in (".aider.chat.history.md", ".aider.input.history"):
        (tmp_path / name).write_text(_RUN)
    assert list(READER.files(str(tmp_path))) == [str(tmp_path / ".aider.chat.history.md")]
    assert list(READER.files(str(tmp_path / ".aider.input.history"))) == []
    assert list(READER.files(str(tmp_path / "gone"))) == []


def test_the_directory_is_the_histories_own(tmp_path: Path) -> None:
    """A history of the usual name lies at the top of its project; one of another name can lie anywhere."""
    for name, cwd in ((".aider.chat.history.md", str(tmp_path)), ("old.aider.chat.history.md", "")):
        (tmp_path / name).write_text(f"{_RUN}#### use tabs  \n")
        (found,) = _read(tmp_path / name)
        assert found.cwd == cwd


@pytest.mark.parametrize("text", [
    f"{_RUN}#### use ta",
    f"{_RUN}> Add file? (Y)es/(N)o [Yes]: y  \n",
    f"{_RUN}#### <blank>  \n",
    f"{_RUN}#### /add a.py  \n#### \n",
    f"{_RUN}#### Add URL to the chat? (Y)es/(N)o/(D)on't ask again [Yes]: n  \n",
    f"{_RUN}#### !rm -rf build  \n",
    f"{_RUN}#### improve-rules v1  \n#### - Always use pnpm  \n",
    "\n# aider chat started at nonsense\n\n> --message x\n#### of two lines  \n> Aider  \n",
    "Some text that is no history\n#### a heading\n",
])  # fmt: skip
def test_what_nobody_said_to_the_agent_is_no_persons_turn(tmp_path: Path, text: str) -> None:
    """A torn last line, questions, commands, our own rules, a spilled argument."""
    heading = "a heading" in text
    assert [short for short in _said(tmp_path, text) if short[0] == "person"] == (
        [("person", "typed", "a heading")] if heading else []
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_history_in_another_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    """The program has a setting for it."""
    path = tmp_path / ".aider.chat.history.md"
    path.write_bytes("# aider chat started at 2026-03-01 09:00:00\n\n#### nein, mit Umläuten  \n".encode(encoding))
    (found,) = _read(path)
    assert (found.started[:10], tell(found)) == ("2026-03-01", [("person", "typed", "nein, mit Umläuten")])


def test_lines_with_the_ends_of_windows_are_read(tmp_path: Path) -> None:
    """A carriage return is part of the end."""
    text = f"{_RUN}#### first  \n#### second  \n\nanswer\n".replace("\n", "\r\n")
    assert _said(tmp_path, text) == [("person", "typed", "first\nsecond"), ("agent", "", "answer")]


def test_a_real_history_holds_what_was_counted_in_it() -> None:
    """23 prompts by eye in 13 runs, an edit refused, seven answers the program could not apply, one undo."""
    (path,) = real("aider").glob("Aquaticat*")
    found = _read(path)
    turns = [turn for session in found for turn in session]
    results = [result for turn in turns for result in turn.results]
    assert len(found) == 13
    assert Counter(turn.how for turn in turns if turn.who == "person") == {"typed": 23}
    assert Counter(turn.how for turn in turns if turn.who == "host") == {"failed": 7, "rewound": 1}
    assert sum("did not conform" in result.text for result in results if result.failed) == 7
    assert [result.ended for result in results if result.ended] == ["person"]
    assert sum(turn.text == "AI? What is this general purpose fp lib missing?" for turn in turns) == 3


def test_a_shorter_real_history_holds_what_was_counted_in_it() -> None:
    """Six prompts in two runs; the first ended with an error of the model's service."""
    (path,) = real("aider").glob("sabelosimelane*")
    found = _read(path)
    turns = [turn for session in found for turn in session]
    assert [session.id for session in found] == ["aider-20250124095000", "aider-20250124095324"]
    assert Counter(turn.how for turn in turns if turn.who == "person") == {"typed": 6}
    assert [turn.how for turn in turns if turn.who == "host"] == ["failed"]
    edits = [call.subject for turn in turns for call in turn.calls]
    assert edits == ["backend/README.md", "backend/README.md"]
