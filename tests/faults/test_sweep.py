"""No fault in any file system call of a write tears a file, loses an acknowledged one, or is a traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from faults import driver
from faults.fault import Call, Fault, choose, faults, missing
from faults.sweep import Command, Outcome, no_problems, sweep, trace

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


def prepare(place: Path) -> None:
    """Make a repository whose instruction file is a link into dotfiles, and a home with a journal."""
    for name in ("repo", "dotfiles", "home"):
        (place / name).mkdir()
    (place / "dotfiles" / "agents").write_bytes(driver.OLD)
    (place / "dotfiles" / "agents").chmod(0o640)
    (place / "repo" / "AGENTS.md").symlink_to("../dotfiles/agents")
    (place / "home" / "journal.jsonl").write_bytes(b'{"event": "first"}\n{"torn')


def journal(outcome: Outcome) -> Iterable[str]:
    """Look for earlier lines that changed, and for an acknowledged line that is not there whole."""
    lines = (outcome.place / "home" / "journal.jsonl").read_bytes().splitlines()
    if lines[:2] != [b'{"event": "first"}', b'{"torn']:
        yield f"earlier lines of the journal changed: {lines[:2]}"
    if outcome.acknowledged and outcome.fault and lines.count(driver.LINE) != 1:
        yield f"the acknowledged line is there {lines.count(driver.LINE)} times"
    if outcome.acknowledged and driver.LINE not in lines:
        yield "the journal lost an acknowledged line"


def spool(outcome: Outcome) -> Iterable[str]:
    """Look for an entry that is not whole, and for an acknowledged one that is not there."""
    entry = outcome.place / "home" / "spool" / "1.json"
    if entry.exists() and entry.read_bytes() != driver.ENTRY:
        yield f"the entry is torn: {entry.read_bytes()!r}"
    if outcome.acknowledged and not entry.exists():
        yield "the spool lost an acknowledged entry"


def command(kind: str) -> Command:
    """Give the sweep of one kind of write."""
    watched = {
        "replace": ("repo/AGENTS.md", "dotfiles/agents"),
        "create": ("repo/.claude/rules/improve.md", "repo/AGENTS.md", "dotfiles/agents"),
        "append": ("repo/AGENTS.md", "dotfiles/agents"),
        "spool": ("repo/AGENTS.md", "dotfiles/agents"),
    }
    return Command(
        name=kind,
        argv=[sys.executable, driver.__file__, kind, "{dir}"],
        prepare=prepare,
        watched=watched[kind],
        check={"append": journal, "spool": spool}.get(kind, no_problems),
    )


@pytest.mark.parametrize(("kind", "sample"), [("replace", 40), ("create", 24), ("append", 24), ("spool", 30)])
def test_no_sampled_fault_breaks_a_write(tmp_path: Path, kind: str, sample: int) -> None:
    """A fixed sample of kills, errors and short writes leaves every file as it was, or as it should be."""
    report = sweep(command(kind), tmp_path, sample=sample)
    print(report)
    assert report.problems == []
    assert report.outcomes["missed"] == 0


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", ["replace", "create", "append", "spool"])
def test_no_fault_at_all_breaks_a_write(tmp_path: Path, kind: str) -> None:
    """Every fault in every call, without exception, leaves every file as it was, or as it should be."""
    report = sweep(command(kind), tmp_path)
    print(report)
    assert report.problems == []


@pytest.mark.parametrize("kind", ["replace", "create", "spool"])
def test_bytes_are_durable_before_their_name_and_the_name_before_the_answer(tmp_path: Path, kind: str) -> None:
    """The temporary file is synced, then it gets its name, then the directory is synced, and then nothing."""
    place = tmp_path / "run"
    place.mkdir()
    prepare(place)
    calls = trace(command(kind), place, tmp_path / "trace")
    order = [
        "name" if call.name.startswith(("rename", "link")) else "file" if "/.improve-" in call.text else "directory"
        for call in calls
        if call.name.startswith(("fsync", "rename", "link"))
    ]
    assert order[-3:] == ["file", "name", "directory"]
    assert order[:-3] == ["directory"] * (len(order) - 3)


_CARELESS = """
import os, sys
from pathlib import Path
file = Path(sys.argv[1]) / "repo" / "AGENTS.md"
data = file.read_bytes()
with open(file, "wb") as stream:
    stream.write(data + b"- use pnpm")
"""


def test_the_sweep_finds_a_careless_writer(tmp_path: Path) -> None:
    """A program that truncates and writes in place is found to tear its file and to show tracebacks."""
    careless = Command(
        name="careless",
        argv=[sys.executable, "-c", _CARELESS, "{dir}"],
        prepare=prepare,
        watched=("dotfiles/agents",),
    )
    problems = "\n".join(sweep(careless, tmp_path, sample=30).problems)
    assert "dotfiles/agents is neither as before nor as after" in problems
    assert "Traceback" in problems


def test_a_sample_is_always_the_same(tmp_path: Path) -> None:
    """The same calls give the same faults, with kills and errors in it; no sample means all of them."""
    found = faults([Call("write", n, "") for n in range(1, 20)])
    assert choose(found, 30) == choose(found, 30)
    assert {fault.kind for fault in choose(found, 30)} == {"kill", "error", "short"}
    assert choose(found, None) == choose(found, 10_000) == found
    assert len(choose(found, 30)) == 30


def test_a_fault_is_said_in_the_words_of_strace() -> None:
    """Number, errno and duration of a fault come out as strace wants them."""
    call = Call("fsync", 3, "")
    assert Fault(call, "error", "EIO").injection == "inject=fsync:error=EIO:when=3"
    assert Fault(call, "error", "EIO", lasting=True).injection == "inject=fsync:error=EIO:when=3+"
    assert Fault(call, "kill").injection == "inject=fsync:signal=KILL:when=3"
    assert Fault(call, "short", "1").injection == "inject=fsync:retval=1:when=3"
