"""Temporary files: what a killed process left is removed, what a living one works on is not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from improve.draft import patiently, sweep

DIGITS = "0123456789abcdef"


def dead_pid() -> int:
    """Give the pid of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-S", "-c", "pass"])
    child.wait()
    return child.pid


@pytest.mark.skipif(os.name == "nt", reason="there, only age tells")
def test_removes_what_a_dead_process_left(tmp_path: Path) -> None:
    """A temporary file of a process that is gone is removed at once, and counted."""
    (tmp_path / f".improve-{dead_pid()}-{DIGITS}").write_bytes(b"half")
    assert sweep(str(tmp_path)) == 1
    assert list(tmp_path.iterdir()) == []


def test_keeps_what_a_living_process_works_on(tmp_path: Path) -> None:
    """A fresh temporary file of a running process stays; after an hour its pid belongs to somebody else."""
    file = tmp_path / f".improve-{os.getpid()}-{DIGITS}"
    file.write_bytes(b"half")
    assert sweep(str(tmp_path)) == 0
    old = time.time() - 3700
    os.utime(file, (old, old))
    assert sweep(str(tmp_path)) == 1
    assert not file.exists()


@pytest.mark.parametrize(
    "name",
    [
        ".improve-notes",
        ".improve-1-",
        ".improve-x-0123456789abcdef",
        ".improve-99999999-0123456789ABCDEF",
        ".improve-99999999-0123456789abcdef0",
        ".improve-99999999-0123456789abcdef.md",
        "improve-99999999-0123456789abcdef",
        ".improve--1-0123456789abcdef",
        "AGENTS.md",
    ],
)
def test_keeps_every_name_that_is_not_exactly_ours(tmp_path: Path, name: str) -> None:
    """Only the whole pattern counts, however old the file is."""
    file = tmp_path / name
    file.write_bytes(b"theirs")
    os.utime(file, (0, 0))
    assert sweep(str(tmp_path)) == 0
    assert file.exists()


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
def test_keeps_links_and_directories_of_our_name(tmp_path: Path) -> None:
    """We only ever leave plain files, so nothing else of that name is ours."""
    (tmp_path / "victim").write_bytes(b"theirs")
    (tmp_path / f".improve-99999999-{DIGITS}").symlink_to("victim")
    (tmp_path / f".improve-99999998-{DIGITS}").mkdir()
    assert sweep(str(tmp_path)) == 0
    assert len(list(tmp_path.iterdir())) == 3


def test_a_missing_directory_needs_no_sweeping(tmp_path: Path) -> None:
    """Nothing there means nothing to do, and no error."""
    assert sweep(str(tmp_path / "missing")) == 0


@pytest.mark.parametrize(
    ("code", "times", "tries"),
    [
        pytest.param(5, 3, 4, id="access denied is tried again"),
        pytest.param(32, 3, 4, id="a sharing violation is tried again"),
        pytest.param(5, 99, 10, id="it gives up in the end"),
        pytest.param(3, 1, 1, id="another code of Windows is final"),
        pytest.param(None, 1, 1, id="elsewhere no error is tried again"),
    ],
)
def test_waits_for_who_holds_a_file_on_windows(code: int | None, times: int, tries: int) -> None:
    """Codes 5 and 32 mean that an indexer or a virus scanner looks at the file: try again, within bounds."""
    error = PermissionError(13, "Access is denied")
    error.winerror = code  # type: ignore[attr-defined,unused-ignore]
    calls: list[int] = []

    def action() -> None:
        calls.append(1)
        if len(calls) <= times:
            raise error

    if tries <= times:
        with pytest.raises(PermissionError):
            patiently(action, patience=0.01)
    else:
        patiently(action, patience=0.01)
    assert len(calls) == tries
