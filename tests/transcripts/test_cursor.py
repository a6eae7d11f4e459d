"""Cursor's transcripts, its command line's graph of blobs and its editor's store."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from improve.transcripts.base import Unreadable
from improve.transcripts.cursor import READER
from transcripts.conftest import SESSIONS, tell

_HERE = SESSIONS / "cursor"
_TRANSCRIPTS = _HERE / "projects" / "home-user-my-app" / "agent-transcripts"


def _store(place: Path, name: str, dump: str) -> str:
    """Make a database from its dump; the program's own are binary and do not belong here."""
    path = place / "a1" / "6f70" / name
    path.parent.mkdir(parents=True)
    base = sqlite3.connect(path)
    base.executescript((_HERE / dump).read_text(encoding="utf-8"))
    base.close()
    return str(path)


def test_a_transcript_tells_what_stands_between_the_tags() -> None:
    """The context around it is not the person's; the directory is named in it."""
    (found,) = READER.read(str(_TRANSCRIPTS / "0a1b.jsonl"), 0)
    assert (found.id, found.cwd) == ("0a1b", "/home/user/my-app")
    assert tell(found) == [
        ("person", "typed", "use pnpm"),
        ("agent", "shell npm install", "I install it."),
        ("tool", "failed", ""),
        ("person", "typed", "I said pnpm"),
        ("agent", "", "Sorry."),
    ]


def test_an_older_transcript_tells_the_same_from_lines() -> None:
    """Thoughts and results are left out, calls are known by their marks."""
    (found,) = READER.read(str(_TRANSCRIPTS / "2c3d" / "2c3d.txt"), 0)
    assert tell(found) == [
        ("person", "typed", "fix the build\nand say why"),
        ("agent", "shell make all", "I look at it."),
        ("agent", "", "It was a typo."),
        ("person", "typed", "no, it was the path"),
    ]


def test_a_subagent_has_no_person() -> None:
    """The agent that started it wrote its prompt."""
    (found,) = READER.read(str(_TRANSCRIPTS / "0a1b" / "subagents" / "4e5f.jsonl"), 0)
    assert (found.parent, tell(found)) == ("0a1b", [("agent", "", "Three.")])


def test_the_better_of_two_forms_is_found() -> None:
    """A transcript in lines is left out where the same is there as JSON."""
    names = sorted(Path(path).name for path in READER.files(str(_HERE / "projects")))
    assert names == ["0a1b.jsonl", "2c3d.txt", "4e5f.jsonl"]


def test_a_chat_of_the_command_line_is_read_in_the_order_of_its_root(tmp_path: Path) -> None:
    """System prompt and context are nobody's words."""
    path = _store(tmp_path, "store.db", "chat.sql")
    assert list(READER.files(str(tmp_path))) == [path]
    (found,) = READER.read(path, 0)
    assert (found.id, found.started) == ("6f70", "2026-03-01T09:00:00.000+00:00")
    assert tell(found) == [
        ("person", "typed", "add a page"),
        ("agent", "write page.html", "I add it."),
        ("tool", "ok", ""),
        ("person", "typed", "no, as Markdown"),
    ]


def test_the_store_of_the_editor_gives_each_chat(tmp_path: Path) -> None:
    """Bubbles by their ids, older chats with theirs inside, and the person's no to a call."""
    first, second = READER.read(_store(tmp_path, "state.vscdb", "state.sql"), 0)
    assert tell(first) == [
        ("person", "typed", "add a page"),
        ("agent", "shell npm i", "I add it."),
        ("tool", "person", ""),
        ("person", "typed", "no, with pnpm"),
    ]
    assert (first.id, first.cwd) == ("c1", "/home/user/app")
    assert (second.id, tell(second)) == ("c2", [("person", "typed", "an older chat"), ("agent", "", "Hello.")])


def test_a_database_is_read_without_a_trace(tmp_path: Path) -> None:
    """Nothing is written beside it, and it is the same afterwards."""
    path = Path(_store(tmp_path, "state.vscdb", "state.sql"))
    before = path.read_bytes()
    for found in READER.read(str(path), 0):
        list(found)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["state.vscdb"]


@pytest.mark.parametrize("data", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 200])
def test_a_file_that_is_no_store_is_named(tmp_path: Path, data: bytes) -> None:
    """It is said why, in a clause."""
    (tmp_path / "store.db").write_bytes(data)
    with pytest.raises(Unreadable, match=r"^it"):
        list(READER.read(str(tmp_path / "store.db"), 0))
    with pytest.raises(FileNotFoundError):
        list(READER.read(str(tmp_path / "none" / "store.db"), 0))


def test_a_foreign_file_is_not_claimed() -> None:
    """A database of another name or text elsewhere is no transcript."""
    assert READER.claims("/x/agent-transcripts/a.jsonl", b"{}")
    assert READER.claims("/x/store.db", b"SQLite format 3\0")
    assert not READER.claims("/x/store.db", b"")
    assert not READER.claims("/x/a.jsonl", b'{"type":"user"}')
