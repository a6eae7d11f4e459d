"""The one switch: what is off, where, and until when."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import switch
from improve.switch import Off

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = (NOW + timedelta(hours=2)).isoformat()
BEFORE = (NOW - timedelta(seconds=1)).isoformat()


def off(folder: Path, *entries: Off, host: str = "codex", project: str = "p", root: str = "/p") -> Off | None:
    """Say what switches a host off in a project."""
    path = folder / switch.FILE
    path.write_bytes(switch.written(entries))
    return switch.in_force(str(path), lambda: NOW, lambda: host, lambda: (project, root))


@pytest.mark.parametrize(
    "entry",
    [
        Off(),
        Off(host="codex"),
        Off(project="p"),
        Off(project="other", root="/p"),
        Off(host="codex", project="p"),
        Off(until=LATER),
        Off(until="soon"),
        Off(until="2026-11-30T11:00:00"),
    ],
)
def test_what_is_off(tmp_path: Path, entry: Off) -> None:
    """A host, a project by key or directory, both, everything; an end that cannot be read has not come."""
    assert off(tmp_path, Off(host="pi"), entry) == entry


@pytest.mark.parametrize(
    "entry",
    [
        Off(host="gemini"),
        Off(project="other"),
        Off(host="codex", project="other"),
        Off(host="gemini", project="p"),
        Off(until=BEFORE),
        Off(until=NOW.isoformat()),
    ],
)
def test_what_is_on(tmp_path: Path, entry: Off) -> None:
    """Another host, another project, a time that is over."""
    assert off(tmp_path, entry) is None


def test_without_a_file_all_is_on(tmp_path: Path) -> None:
    """The project is not even looked for, nor the clock."""

    def never() -> datetime:
        raise AssertionError

    assert switch.in_force(str(tmp_path / switch.FILE), never, lambda: "codex", lambda: ("", "")) is None


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"off": 1}', b'{"off": [{"until": 3}]}', b'{"off": [{"colour": "red"}]}', b"\xff\x00"]
)
def test_a_damaged_veto_is_a_veto(tmp_path: Path, data: bytes) -> None:
    """A file that cannot be understood switches everything off, and the words say why."""
    path = tmp_path / switch.FILE
    path.write_bytes(data)
    found = switch.in_force(str(path), lambda: NOW, lambda: "codex", lambda: ("", ""))
    assert found == switch.DAMAGED
    assert "cannot be understood" in switch.said(switch.DAMAGED)


AT = NOW.isoformat()


@pytest.mark.parametrize(
    ("entry", "held"),
    [
        (Off(since=BEFORE), True),
        (Off(since=AT), True),
        (Off(since=BEFORE, until=LATER), True),
        (Off(host="codex", project="p", since=BEFORE, until=LATER), True),
        (Off(project="other", root="/p", since=BEFORE, until=LATER), True),
        (Off(since=BEFORE, until=AT), False),
        (Off(since=LATER), False),
        (Off(until=LATER), False),
        (Off(since="damaged"), False),
        (Off(since="2026-11-30T11:00:00"), False),
        (Off(host="pi", since=BEFORE), False),
        (Off(project="other", since=BEFORE), False),
    ],
)
def test_what_was_off_at_a_moment(entry: Off, held: bool) -> None:
    """From its beginning to its end, the end not included; without a beginning that can be read nobody can say."""
    assert switch.held([Off(host="pi", since=BEFORE), entry], NOW, "codex", "p", "/p") is held


def test_an_end_is_kept_or_set() -> None:
    """What is over stays as it ended; what goes on, for good or until later, ends now, to the millisecond."""
    now = NOW + timedelta(milliseconds=1500)
    assert switch.ended(Off(until=BEFORE), now) == Off(until=BEFORE)
    for until in ("", LATER, "soon"):
        assert switch.ended(Off(until=until), now).until == "2026-11-30T12:00:01.500+00:00"


@given(st.lists(st.builds(Off, *[st.text()] * 5)))
def test_what_is_written_is_read(entries: list[Off]) -> None:
    """Any entry survives the file."""
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        file.write(switch.written(entries))
        file.flush()
        assert switch.read(file.name) == entries


def test_what_is_no_file_is_a_veto(tmp_path: Path) -> None:
    """A pipe or a directory under the name does not make anybody wait, and does not switch anything on."""
    import os

    path = tmp_path / switch.FILE
    os.mkfifo(path)
    assert switch.read(str(path)) is None
    path.unlink()
    path.mkdir()
    assert switch.read(str(path)) is None


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("Europe/Berlin", "2026-03-29 03:30"),
        ("Asia/Kolkata", "2026-03-29 07:00"),
        ("America/New_York", "2026-03-28 21:30"),
    ],
)
def test_the_end_is_told_by_the_reader_s_clock(monkeypatch: pytest.MonkeyPatch, zone: str, shown: str) -> None:
    """Two hours that were asked for before the clocks went forward end an hour later by the clock."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    entry = Off(until="2026-03-29T02:30:00+01:00")
    assert switch.said(entry) == f"off everywhere until {shown}"
    assert switch.said(Off(until="some day")) == "off everywhere until some day"
    monkeypatch.undo()
    time.tzset()
