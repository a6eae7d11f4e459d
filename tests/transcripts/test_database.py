"""Databases of hosts are read without a trace: no lock, no change, no file left beside them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from improve.transcripts import copilot, goose, opencode
from improve.transcripts.base import Unreadable
from improve.transcripts.database import opened
from other_user import as_nobody, shared_place
from transcripts import opencode_rows
from transcripts.conftest import SESSIONS, tell
from transcripts.opencode_rows import conversation, said, used

_PROMPTS = conversation(*(("user", {}, [said(f"prompt {number}")]) for number in range(3)))
_TOLD = [("person", "typed", f"prompt {number}") for number in range(3)]


def _live(path: Path) -> sqlite3.Connection:
    """Fill a database whose rows are all in its log, and keep it open as the host does."""
    base = sqlite3.connect(path)
    base.execute("pragma journal_mode = wal")
    base.execute("pragma wal_autocheckpoint = 0")
    with base:
        opencode_rows.fill(base, _PROMPTS)
    return base


def _state(place: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in place.iterdir() if not entry.name.endswith("-shm")}


def _told(path: Path) -> list[Any]:
    return [turn for session in opencode.READER.read(str(path), 0) for turn in tell(session)]


@pytest.fixture
def host() -> Iterator[sqlite3.Connection]:
    """Run a host that has written everything into its log."""
    base = _live(Path("opencode.db"))
    yield base
    base.close()


def test_what_is_only_in_the_log_of_a_running_host_is_read(host: sqlite3.Connection) -> None:
    """The database itself holds nothing yet; it and its log stay as they are."""
    place = Path.cwd()
    before = _state(place)
    assert _told(place / "opencode.db") == _TOLD
    assert _state(place) == before
    assert {entry.name for entry in place.iterdir()} == {"opencode.db", "opencode.db-wal", "opencode.db-shm"}
    assert host.execute("select count(*) from message").fetchone() == (3,)


def test_a_host_can_write_while_it_is_read(host: sqlite3.Connection) -> None:
    """In the middle of a session nothing is locked against it, and its log can be put away."""
    (session,) = opencode.READER.read("opencode.db", 0)
    turns = iter(session)
    next(turns)
    host.execute("pragma busy_timeout = 0")
    with host:
        host.execute("update session set title = 'x'")
    assert [turn.text for turn in turns] == ["prompt 1", "prompt 2"]
    assert host.execute("pragma wal_checkpoint(truncate)").fetchone()[0] == 0


def test_a_log_without_its_index_is_read_from_a_copy(host: sqlite3.Connection, tmp_path: Path) -> None:
    """A database that was copied with its log gets no index beside it, and the copy goes away."""
    for name in ("opencode.db", "opencode.db-wal"):
        shutil.copy(name, tmp_path)
    before = {entry.name for entry in Path(tempfile.gettempdir()).iterdir()}
    assert _told(tmp_path / "opencode.db") == _TOLD
    assert {entry.name for entry in tmp_path.iterdir()} == {"opencode.db", "opencode.db-wal"}
    assert {entry.name for entry in Path(tempfile.gettempdir()).iterdir()} == before


def test_a_host_that_ended_gets_no_files_beside_its_database(tmp_path: Path) -> None:
    """Its log is gone, the mode stays: reading makes neither log nor index."""
    _live(tmp_path / "opencode.db").close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["opencode.db"]
    assert _told(tmp_path / "opencode.db") == _TOLD
    assert [entry.name for entry in tmp_path.iterdir()] == ["opencode.db"]


@pytest.mark.parametrize("ended", [True, False])
def test_a_database_nobody_may_write_to_is_read(ended: bool) -> None:
    """Neither the files nor their directory need the right to write."""
    with shared_place() as place:
        base = _live(place / "opencode.db")
        if ended:
            base.close()
        for entry in place.iterdir():
            entry.chmod(0o444)
        place.chmod(0o555)
        try:
            assert as_nobody(lambda: _told(place / "opencode.db")) == repr(_TOLD)
        finally:
            place.chmod(0o755)
            base.close()


def test_one_nobody_may_read_is_an_error() -> None:
    """It is an OSError, as for any file."""
    with shared_place() as place:
        path = opencode_rows.database(place / "opencode.db", _PROMPTS)
        path.chmod(0)
        assert as_nobody(lambda: _told(path)).startswith("PermissionError: ")


@pytest.mark.parametrize("name", ["a b.db", "100%.db", "what?#x.db", "naïve.db", "a'b.db", "x&mode=rwc.db"])
def test_any_name_is_a_name(name: str, tmp_path: Path) -> None:
    """What means something in an address means nothing in the name of a file."""
    assert _told(opencode_rows.database(tmp_path / name, _PROMPTS)) == _TOLD
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_sessions_can_be_read_after_the_last_was_given(tmp_path: Path) -> None:
    """The database stays open as long as one of its sessions is still there."""
    path = opencode_rows.database(tmp_path / "opencode.db", _PROMPTS)
    sessions = list(opencode.READER.read(str(path), 0))
    assert [turn for session in sessions for turn in tell(session)] == _TOLD


def test_nothing_is_asked_of_tables_that_hold_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accounts and credentials are in the same file; no statement names them."""
    path = opencode_rows.database(tmp_path / "opencode.db", _PROMPTS)
    statements: list[str] = []
    connect = sqlite3.connect

    def traced(*values: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*values, **named)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    assert _told(path) == _TOLD
    assert statements
    assert not [one for one in statements if "credential" in one or "account" in one]


def test_of_huge_values_only_a_part_is_read(tmp_path: Path) -> None:
    """The end of a call is known, its endless output is not loaded; a file in a part is left out."""
    huge = "x" * 6_000_000
    rows = conversation(
        ("user", {"summary": {"diffs": [huge]}}, [said("use tabs"), {"type": "file", "url": huge}]),
        ("assistant", {}, [used("bash", {"command": "y"}, output=huge, metadata={"output": huge, "exit": 1})]),
    )
    (session,) = opencode.READER.read(str(opencode_rows.database(tmp_path / "opencode.db", rows)), 0)
    turns = list(session)
    assert tell(turns) == [("person", "typed", "use tabs"), ("agent", "shell y", ""), ("tool", "failed", "")]
    assert len(turns[2].results[0].text) == 100_000
    assert session.bad == []


def test_text_that_is_no_unicode_is_read(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 become �."""
    path = opencode_rows.database(tmp_path / "opencode.db", conversation(("user", {}, [])))
    with sqlite3.connect(path) as base:
        data = b'{"type": "text", "text": "tabs \xff"}'
        base.execute("insert into part (id, message_id, data) values ('p', 'msg_000', cast(? as text))", (data,))
    base.close()
    assert _told(path) == [("person", "typed", "tabs �")]


@pytest.mark.parametrize(
    "data", [b"", b"SQLite format 3", b"SQLite format 3\x00", b"SQLite format 3\x00" + b"\x01" * 99]
)
def test_what_is_no_database_is_unreadable(data: bytes, tmp_path: Path) -> None:
    """It is said which file, not raised from below."""
    path = tmp_path / "opencode.db"
    path.write_bytes(data)
    with pytest.raises((Unreadable, OSError)):
        opened(str(path)).columns("session")
    with pytest.raises((Unreadable, OSError)):
        list(opencode.READER.read(str(path), 0))


def test_a_database_of_others_is_unreadable(tmp_path: Path) -> None:
    """A database without the host's tables is none of its."""
    sqlite3.connect(tmp_path / "x.db").execute("create table t (x)").connection.close()
    for module in (opencode, goose, copilot):
        assert not module.claims(str(tmp_path / "x.db"), (tmp_path / "x.db").read_bytes()[:4096])
        with pytest.raises(Unreadable):
            list(module.READER.read(str(tmp_path / "x.db"), 0))


_STORES = [
    (opencode, SESSIONS / "opencode" / "subagent.db"),
    (opencode, SESSIONS / "opencode" / "tui-abort-and-queue.db"),
    (copilot, SESSIONS / "copilot" / "two-turns-hooks.session-store.db"),
]


@settings(max_examples=150)
@given(
    st.sampled_from(range(len(_STORES))),
    st.lists(st.tuples(st.integers(0, 1 << 17), st.integers(0, 255)), min_size=1, max_size=300),
    st.integers(0, 1 << 17),
    st.integers(0, 2),
)
def test_broken_bytes_break_nothing_else(which: int, flips: list[tuple[int, int]], end: int, cut: int) -> None:
    """However bytes of a database are changed or cut off, it is unreadable or gives what it can."""
    module, path = _STORES[which]
    data = bytearray(path.read_bytes())
    for at, byte in flips:
        data[at % len(data)] = byte
    broken = Path(f"broken-{os.getpid()}.db")
    broken.write_bytes(data[: end % len(data)] if not cut else data)
    module.claims(str(broken), bytes(data[:4096]))
    try:
        for session in module.READER.read(str(broken), 0):
            tell(session)
    except (Unreadable, OSError):
        pass
