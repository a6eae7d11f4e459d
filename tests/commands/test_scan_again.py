"""scan, again and again: only what is new is read, and whatever happens on the way nothing is lost or doubled."""

from __future__ import annotations

import io
import json
import os
import pty
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve, Repository
from commands.sessions import PNPM, TABS, Claude, Codex
from conftest import fenced_environment
from improve import files, inbox, locks, paths
from improve.cli import run
from improve.inbox import Candidate
from other_user import as_nobody, shared_place

DATES = "No, that's wrong: write dates as ISO 8601, always."
RULE = "Use pnpm, never npm"


@pytest.fixture
def shop(repository: Repository) -> Path:
    """Make a real repository."""
    return repository("shop")


def scanned(improve: Improve, *argv: str) -> dict[str, Any]:
    """Scan and give what the command tells programs."""
    told: dict[str, Any] = improve("scan", "--json", *argv).json
    return told


def words(improve: Improve) -> list[str]:
    """List the words of what waits."""
    return sorted(c["words"] for c in improve("inbox", "--json").json["candidates"])


def later(path: Path, seconds: float = 5.0) -> None:
    """Let a file look as if it was written to some seconds later."""
    stamp = path.stat().st_mtime + seconds
    os.utime(path, (stamp, stamp))


# --- how files change ---


def test_a_file_that_grew_is_read_from_where_it_ended(improve: Improve, home: Path, shop: Path) -> None:
    """Only the new words are found, with what the agent had done before them, and little more than the new is read."""
    session = Claude(home, shop)
    for _ in range(200):
        session.types("please go on").runs("make").answers("Done.")
    session.corrected()
    first = scanned(improve)["coverage"]
    session.runs("pip install x").answers("Installed.").types(DATES).answers("Understood.")
    second = scanned(improve)
    assert second["waiting"] == 1
    assert second["coverage"]["size"] < first["size"] / 20
    found = {c["words"]: c["did"] for c in improve("inbox", "--json").json["candidates"]}
    assert found[DATES] == "Bash: pip install x"
    assert set(found) == {PNPM, DATES}


def test_what_comes_after_a_message_is_still_seen_when_it_comes_later(improve: Improve, home: Path, shop: Path) -> None:
    """A call that was allowed to run is refused after the scan: its reason is found, whole and once."""
    session = Claude(home, shop).corrected().types("please go on")
    scanned(improve)
    session.runs("npm ci", refused="use pnpm here, never npm")
    assert scanned(improve)["waiting"] == 1
    assert scanned(improve)["waiting"] == 0
    assert words(improve) == sorted([PNPM, "use pnpm here, never npm"])


def test_a_torn_last_line_is_silent_and_read_once_it_is_whole(improve: Improve, home: Path, shop: Path) -> None:
    """A host that is writing right now is no damage."""
    session = Claude(home, shop).corrected()
    whole = session.path.read_bytes()
    session.types(DATES)
    torn = session.path.read_bytes()
    session.path.write_bytes(torn[:-40])
    assert scanned(improve)["coverage"]["bad"] == []
    with session.path.open("ab") as stream:
        stream.write(torn[-40:])
    session.answers("Understood.")
    assert scanned(improve)["waiting"] == 1
    assert len(whole) < session.path.stat().st_size
    assert words(improve) == sorted([PNPM, DATES])


def _by_rename(path: Path, data: bytes) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(data)
    other.replace(path)


def _in_place(path: Path, data: bytes) -> None:
    path.write_bytes(data)


@pytest.mark.parametrize("write", [_by_rename, _in_place])
@pytest.mark.parametrize("longer", [True, False])
def test_a_file_that_was_rewritten_is_read_whole(
    improve: Improve, home: Path, shop: Path, write: Callable[[Path, bytes], None], longer: bool
) -> None:
    """Another text under the same name, longer or shorter: what is new is found, what was there is not doubled."""
    session = Claude(home, shop)
    for _ in range(5):
        session.types("please go on").answers("Done.")
    session.corrected()
    scanned(improve)
    other = Claude(home, shop, "other").corrected(DATES)
    added = b"".join(session.path.read_bytes() if longer else b"" for _ in range(1))
    data = other.path.read_bytes() + added
    other.path.unlink()
    write(session.path, data)
    later(session.path)
    told = scanned(improve)
    assert told["coverage"]["bad"] == []
    assert words(improve) == sorted([PNPM, DATES])
    assert scanned(improve)["coverage"]["read"] == 0


def test_a_file_that_moved_is_read_again_without_doubling(improve: Improve, home: Path, shop: Path) -> None:
    """Hosts archive and people rename: the event is known, wherever its file lies."""
    session = Claude(home, shop).corrected()
    scanned(improve)
    session.path.parent.rename(session.path.parent.with_name("-somewhere-else"))
    told = scanned(improve)
    assert (told["coverage"]["read"], told["waiting"]) == (1, 0)
    assert words(improve) == [PNPM]


def test_cursors_are_derived(improve: Improve, home: Path, shop: Path) -> None:
    """Without the cache all is read again, and nothing is doubled."""
    Claude(home, shop).corrected()
    scanned(improve)
    shutil.rmtree(home / ".cache")
    told = scanned(improve)
    assert (told["coverage"]["read"], told["waiting"]) == (1, 0)
    assert words(improve) == [PNPM]


def test_a_longer_span_reads_what_a_shorter_one_left(improve: Improve, home: Path, shop: Path) -> None:
    """What was read for the last day is read again for all, and then no more."""
    session = Claude(home, shop)
    session.corrected(DATES)
    Claude(home, shop, "b").corrected()
    scanned(improve, "--since", "1h")
    assert words(improve) == []
    assert scanned(improve, "--all")["waiting"] == 2
    for argv in (("--all",), (), ("--since", "1d")):
        assert scanned(improve, *argv)["coverage"]["read"] == 0


# --- what cannot be read ---


def test_what_cannot_be_read_is_named_each_time(improve: Improve, home: Path, shop: Path) -> None:
    """With the reason, until it changes; the others are read; bad records are counted."""
    good = Claude(home, shop).corrected()
    good.path.write_bytes(good.path.read_bytes() + b"{broken\n[1]\n")
    bad = home / ".codex" / "sessions" / "2026" / "11" / "30" / "rollout-2026-11-30T16-04-46-x.jsonl"
    bad.parent.mkdir(parents=True)
    bad.write_bytes(b"what is this\nno rollout\n" * 9)
    for number in range(3):
        said = improve("scan").out
        assert f"read {int(not number)} of 2 transcripts" in said
        assert "1 unreadable:\n  ~/.codex/sessions/2026/11/30/rollout-2026-11-30T16-04-46-x.jsonl: its rows" in said
        assert ("2 records cannot be read and were passed over: ~/.claude" in said) == (not number)
    assert words(improve) == [PNPM]
    bad.write_bytes(Codex(home, shop, "x").corrected(DATES).path.read_bytes())
    assert scanned(improve)["coverage"]["unreadable"] == []
    assert DATES in words(improve)


def test_many_unreadable_ones_are_summed_up(improve: Improve, home: Path) -> None:
    """Five are named, the number of the rest is told, `--json` has all."""
    place = home / ".codex" / "sessions"
    place.mkdir(parents=True)
    for number in range(8):
        (place / f"rollout-2026-11-30T16-04-46-{number}.jsonl").write_bytes(b"what\nis\nthis\n" * 9)
    said = improve("scan").out
    assert said.count("rollout-") == 5
    assert "and 3 more" in said
    assert len(scanned(improve)["coverage"]["unreadable"]) == 8


def test_what_fails_to_open_once_is_tried_again(
    improve: Improve, home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the disk is named with its reason; once it is over, the transcript is read."""
    from improve import transcripts

    session = Claude(home, shop).corrected()
    whole = transcripts.reader("claude-code")

    def broken(path: str, offset: int) -> Iterator[Any]:
        raise OSError(5, "Input/output error", path)

    with monkeypatch.context() as patch:
        patch.setattr("improve.transcripts.claude_code.READER", whole._replace(read=broken))
        assert f"{session.path.name}: input/output error" in improve("scan").out
    assert scanned(improve)["waiting"] == 1


def test_a_reader_that_fails_is_a_named_bug(
    improve: Improve, home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other transcripts are read, and what was found before it failed is kept."""
    from improve import transcripts

    Claude(home, shop).corrected()
    Codex(home, shop).corrected(DATES)
    whole = transcripts.reader("claude-code")

    def failing(path: str, offset: int) -> Iterator[Any]:
        yield from whole.read(path, offset)
        raise KeyError("x")

    monkeypatch.setattr("improve.transcripts.claude_code.READER", whole._replace(read=failing))
    assert "its reader failed on it (KeyError): a bug, please report it" in improve("scan").out
    assert words(improve) == sorted([PNPM, DATES])


def test_a_named_file_that_no_reader_knows(improve: Improve, home: Path, tmp_path: Path) -> None:
    """It is named with what to do; a directory without transcripts is nothing to read."""
    odd = tmp_path / "notes.txt"
    odd.write_text("hello")
    assert "no reader knows it; name its host with --host (claude-code, " in improve("scan", str(odd)).out
    odd.rename(tmp_path / "notes.md")
    assert scanned(improve, str(tmp_path))["coverage"]["unreadable"] == []


# --- a store that cannot be used ---


def test_a_broken_store_stops_the_scan_and_loses_nothing(improve: Improve, home: Path, shop: Path, rules: Path) -> None:
    """Exit 6 with the line; the cursors stay where they were; once mended, all is found."""
    improve("observe", RULE, cwd=shop)
    good = rules.read_bytes()
    Claude(home, shop).corrected(TABS)
    Codex(home, shop).corrected(f"{RULE}!")
    rules.write_bytes(b"rules: [\n")
    assert "line" in improve("scan", code=6).err
    assert not (home / ".cache" / "agent-improvement" / "cursors").exists()
    rules.write_bytes(good)
    told = scanned(improve)
    assert (told["waiting"], told["counted"]) == (1, 1)


def held(name: str) -> AbstractContextManager[None]:
    """Hold one of the store's locks as another command does."""
    store = paths.find_home(os.environ)
    return locks.lock(
        str(Path(store.path).resolve() / name), directory=files.private_directory(store.state), timeout=1.0
    )


def test_a_held_inbox_stops_the_scan_and_loses_nothing(
    improve: Improve, home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process holds the inbox for long: exit 4, and the next scan finds all."""
    Claude(home, shop).corrected()
    scanned(improve, "--since", "1h")
    monkeypatch.setattr("improve.workflow.desk.Desk.__init__.__kwdefaults__", {"patience": 0.1}, raising=False)
    with held(inbox.FILE):
        improve("scan", code=4)
    assert scanned(improve)["waiting"] == 1


def command(*argv: str, **more: Any) -> subprocess.Popen[bytes]:
    """Start a command of its own."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    return subprocess.Popen([sys.executable, "-P", "-m", "improve", *argv], **pipes)


def test_two_scans_at_once(improve: Improve, home: Path, shop: Path) -> None:
    """One does it, the other says that it is busy and exits with 4 — or comes late; nothing is lost or doubled."""
    for number in range(30):
        Claude(home, shop, f"s{number}").corrected(f"No, that's wrong: write it in style {number}, always.")
    started = [command("scan") for _ in range(3)]
    codes = [process.wait(60) for process in started]
    assert 0 in codes
    assert set(codes) <= {0, 4}
    scanned(improve)
    assert len(words(improve)) == 30


def test_while_another_scan_is_at_it_nothing_is_done(improve: Improve, home: Path, shop: Path) -> None:
    """Exit 4 with one sentence; `schedule --run` is quiet and content."""
    Claude(home, shop).corrected()
    scanned(improve, "--since", "1h")
    with held("scan"):
        assert improve("scan", code=4).err.startswith("improve: ")
        assert improve("schedule", "--run").out == ""
    assert words(improve) == []
    assert scanned(improve)["waiting"] == 1


def test_killed_anywhere_a_scan_loses_and_doubles_nothing(improve: Improve, home: Path, shop: Path) -> None:
    """However often it is killed, each correction is one candidate and each repetition one occasion in the end."""
    improve("observe", RULE, cwd=shop)
    for number in range(40):
        Claude(home, shop, f"s{number}").corrected(f"No, that's wrong: write it in style {number}, always.")
        Codex(home, shop, f"c{number}").corrected(f"{RULE}!")
    chance = random.Random(7)
    for _ in range(7):
        process = command("scan")
        time.sleep(chance.uniform(0.1, 0.9))
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    improve("scan")
    assert len(words(improve)) == 40
    rules = improve("status", "--all", "--json", "--budget", "0").json["rules"]
    assert [rule["count"] for rule in rules] == [41]


@pytest.mark.parametrize("point", ["improve.cursors.save", "improve.inbox.add", "improve.workflow.desk.count"])
def test_stopped_at_a_step_a_scan_goes_on_from_there(
    improve: Improve, home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """Ctrl-C at each step that keeps something: exit 130 without a traceback, and the next scan completes it."""
    improve("observe", RULE, cwd=shop)
    for number in range(3):
        Claude(home, shop, f"s{number}").corrected(f"No, that's wrong: write it in style {number}, always.")
        Codex(home, shop, f"c{number}").corrected(f"{RULE}!")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(point, stop)
        improve("scan", code=130)
    improve("scan")
    assert len(words(improve)) == 3
    rules = improve("status", "--all", "--json", "--budget", "0").json["rules"]
    assert [rule["count"] for rule in rules] == [4]


_KILLED = """
import os, sys
from improve import cursors
from improve.cli import run
from improve.workflow import scan
real, scan._SAVED = cursors.save, -1.0
def save(directory, known):
    real(directory, known)
    if len(known) == 2:
        os._exit(9)
cursors.save = save
run(["scan"])
"""


def test_asks_of_a_scan_that_was_killed_are_kept(improve: Improve, home: Path, shop: Path) -> None:
    """What was read before the cursors moved on counts for what is asked again."""
    for number in range(3):
        Claude(home, shop, f"s{number}").types("Add a changelog entry for the parser with a link").answers("Done.")
    assert subprocess.run([sys.executable, "-c", _KILLED], check=False).returncode == 9
    assert scanned(improve)["coverage"]["read"] == 1
    assert "repeated-ask" in {c["signal"] for c in improve("inbox", "--json").json["candidates"]}


# --- the machine ---


def test_a_read_only_home_is_the_machines_fault() -> None:
    """Exit 5 and one sentence; once it can be written to, the scan finds all."""
    with shared_place() as place:
        home, store = place / "home", place / "home" / ".agent-improvement"
        with pytest.MonkeyPatch.context() as patch:
            for name, value in fenced_environment(home).items():
                patch.setenv(name, value)

            def prepare() -> None:
                Claude(home, place).corrected()
                for part in (store, home / ".cache", home / ".local" / "state"):
                    part.mkdir(parents=True)
                    part.chmod(0o500)

            def scan() -> int:
                return run(["scan"])

            def mend() -> int:
                for part in (store, home / ".cache", home / ".local" / "state"):
                    part.chmod(0o700)
                return run(["scan"])

            assert [as_nobody(step) for step in (prepare, scan, mend)] == ["None", "5", "0"]
            assert "pnpm" in (store / "inbox.jsonl").read_text()


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
def test_a_full_disk_loses_nothing(improve: Improve, home: Path, shop: Path) -> None:
    """Exit 5 in the middle of the inbox; the next scan has every candidate once."""
    for number in range(60):
        Claude(home, shop, f"s{number}").corrected(f"No, that's wrong: write it in style {number}, always.")
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # half a file of it would be read by others
    limit = (9_000, 9_000)
    process = command("scan", env=env, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    assert process.wait(60) == 5, process.stderr and process.stderr.read()
    improve("scan")
    assert len(words(improve)) == 60


def test_follow_picks_up_what_is_said_and_ends_with_ctrl_c(home: Path, shop: Path) -> None:
    """A new line is found within a few seconds; Ctrl-C ends it without a traceback."""
    session = Claude(home, shop).corrected()
    process = command("scan", "--follow", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        assert _document(process)["waiting"] == 1
        session.runs("npm i").types(DATES).answers("Understood.")
        assert _document(process)["waiting"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read().strip() == b"improve: stopped; what was acknowledged is kept"
    finally:
        process.kill()
        process.communicate()


def _document(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Read one JSON document that is followed by nothing yet."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line == b"}\n":
            break
    told: dict[str, Any] = json.loads(b"".join(lines))
    return told


def test_on_a_terminal_a_bar_shows_how_far_it_is(home: Path, shop: Path) -> None:
    """Megabytes, rate and time left on stderr of a terminal; nothing of it in a pipe."""
    session = Claude(home, shop)
    session.types("x" * 2_500_000).answers("Done.").corrected()
    ours, theirs = pty.openpty()
    process = command("scan", stderr=theirs)
    os.close(theirs)
    out = process.stdout.read() if process.stdout else b""
    shown = b""
    with pytest.raises(OSError), os.fdopen(ours, "rb", buffering=0) as stream:
        while True:
            shown += stream.read(4096)
    assert process.wait(20) == 0, shown
    assert b"Reading" in shown
    assert b"MB/s" in shown
    assert b"Reading" not in out


# --- size ---


def test_an_inbox_of_ten_thousand_stays_quick(
    improve: Improve, home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scan adds to it, and inbox, status and review answer, in moments."""
    store = home / ".agent-improvement"
    store.mkdir(mode=0o700)
    signals = ("correction", "preference", "denial")
    rows = [
        Candidate(
            f"C{n}",
            f"key-{n}",
            f"2026-11-{1 + n % 28:02}T12:00:00+00:00",
            f"No, use tool number {n} for the {n % 97} modules of part {n % 89}",
            "codex",
            f"s{n}",
            "github.com/acme/shop",
            str(shop),
            signals[n % 3],
            2,
            0.5,
            "review",
            rank=n % 1000 / 1000,
        )
        for n in range(1, 10_001)
    ]
    (store / "inbox.jsonl").write_bytes(b"".join(inbox._line(row) + b"\n" for row in rows))
    Claude(home, shop).corrected()
    monkeypatch.setattr("sys.stdin", io.StringIO("s\nq\n"))
    slower = ("scan",), ("review",)
    for argv in (*slower, ("inbox",), ("status",), ("inbox", "--for-agent")):
        begin = time.monotonic()
        improve(*argv)
        assert time.monotonic() - begin < (4.0 if argv in slower else 2.0), argv
    assert improve("inbox", "--json").json["open"] == 10_001
