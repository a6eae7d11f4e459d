"""A session that paused or ended is read by whoever looks next, and then its pointer is gone."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve, Repository
from commands.sessions import PNPM, TABS, Claude, Codex
from improve import queue


class Ended:
    """Puts pointers to sessions into the queue, as hooks do at a pause or an end."""

    def __init__(self, store: Path) -> None:
        store.mkdir(mode=0o700, exist_ok=True)
        self.queue = store / "queue"

    def __call__(self, session: Claude | Codex, *, transcript: str | None = None, at: str = "") -> None:
        """Let a session pause."""
        host = "codex" if isinstance(session, Codex) else "claude-code"
        path = str(session.path) if transcript is None else transcript
        at = at or datetime.now(UTC).isoformat(timespec="seconds")
        queue.end(str(self.queue), queue.Ended(at, host, session.id, session.cwd, path, "stop"))

    @property
    def left(self) -> int:
        """Count the pointers."""
        return len(list(self.queue.glob("ended-*.json")))


@pytest.fixture
def ended(home: Path) -> Ended:
    """Let sessions end."""
    return Ended(home / ".agent-improvement")


@pytest.fixture
def shop(repository: Repository) -> Path:
    """Make a real repository."""
    return repository("shop")


def words(improve: Improve, *argv: str) -> list[Any]:
    """List the words of what waits."""
    return sorted(c["words"] for c in improve("inbox", "--json", *argv).json["candidates"])


def test_a_session_that_ended_is_read_and_forgotten(improve: Improve, home: Path, shop: Path, ended: Ended) -> None:
    """Its corrections wait, its pointer is gone, and a scan finds nothing new in it."""
    session = Claude(home, shop).corrected()
    ended(session)
    assert improve("drain", "--json").json["waiting"] == 1
    assert ended.left == 0
    assert words(improve) == [PNPM]
    assert improve("scan", "--json").json["coverage"]["read"] == 0


def test_a_session_goes_on_after_a_pause(improve: Improve, home: Path, shop: Path, ended: Ended) -> None:
    """Each pause gives what is new since the last one, once."""
    session = Claude(home, shop).corrected()
    ended(session)
    improve("drain")
    session.corrected(TABS)
    ended(session)
    assert improve("drain", "--json").json["waiting"] == 1
    assert words(improve) == sorted([PNPM, TABS])
    ended(session)
    assert improve("drain", "--json").json["waiting"] == 0
    assert ended.left == 0


def test_a_transcript_that_is_not_there_keeps_the_pointer(
    improve: Improve, home: Path, shop: Path, ended: Ended
) -> None:
    """Some hosts write it late: it is read once it is there."""
    session = Claude(home, shop).corrected()
    hidden = session.path.rename(home / "hidden")
    ended(session)
    improve("drain")
    assert ended.left == 1
    hidden.rename(session.path)
    improve("drain")
    assert ended.left == 0
    assert words(improve) == [PNPM]


def test_a_pointer_without_a_path_finds_its_host(improve: Improve, home: Path, shop: Path, ended: Ended) -> None:
    """Where a host names no transcript, what it wrote lately is read, and nothing of other hosts or of long ago."""
    ended(Codex(home, shop).corrected(TABS), transcript="", at=datetime.now(UTC).isoformat())
    now = Codex(home, shop, "now", began=datetime.now(UTC)).corrected("No, that's wrong: write dates as ISO 8601.")
    Claude(home, shop, began=now.at).corrected()
    improve("drain")
    assert words(improve) == ["No, that's wrong: write dates as ISO 8601."]
    assert ended.left == 0


def test_a_path_that_is_no_transcript_is_not_read(improve: Improve, home: Path, shop: Path, ended: Ended) -> None:
    """A hook that names any other file makes us read none of it."""
    session = Claude(home, shop)
    other = home / "diary.txt"
    other.write_text("No, that's wrong: use pnpm, never npm.\n" * 5)
    ended(session, transcript=str(other))
    improve("drain")
    assert words(improve, "--all") == []


def test_a_project_that_is_off_is_not_read(improve: Improve, home: Path, shop: Path, ended: Ended) -> None:
    """Nothing of it reaches the store; on again, the pointer still leads to it."""
    ended(Claude(home, shop).corrected())
    improve("off", "--project", cwd=shop)
    for _ in range(2):
        improve("drain", cwd=home)
    assert words(improve, "--all") == []
    assert ended.left == 1
    improve("on", "--project", cwd=shop)
    improve("drain", cwd=home)
    assert words(improve) == [PNPM]
    assert ended.left == 0


def test_a_host_that_is_off_is_not_read(improve: Improve, home: Path, shop: Path, ended: Ended) -> None:
    """Its sessions wait; those of others are read."""
    ended(Claude(home, shop).corrected())
    ended(Codex(home, shop).corrected(TABS))
    improve("off", "--host", "claude-code", cwd=shop)
    improve("drain", cwd=shop)
    assert words(improve) == [TABS]
    assert ended.left == 1


def test_a_broken_pointer_stops_nobody(improve: Improve, home: Path, shop: Path, ended: Ended) -> None:
    """A file in the queue that is no pointer stays; what is beside it is read."""
    ended(Claude(home, shop).corrected())
    odd = ended.queue / "ended-000000000000000000000000.json"
    odd.write_bytes(b"{")
    improve("drain")
    assert words(improve) == [PNPM]
    assert ended.left == 1


def test_a_broken_store_keeps_the_pointer(improve: Improve, home: Path, shop: Path, ended: Ended, rules: Path) -> None:
    """What cannot be sorted now is read by the next run."""
    improve("observe", "Always indent with tabs", cwd=shop)
    good = rules.read_bytes()
    ended(Claude(home, shop).corrected())
    rules.write_bytes(b"rules: [\n")
    assert improve("drain", "--json").json["left"] == 1
    assert ended.left == 1
    rules.write_bytes(good)
    improve("drain")
    assert (ended.left, words(improve)) == (0, [PNPM])
