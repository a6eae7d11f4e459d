"""schedule: a run at night with the machine's own scheduler, put there and taken away, and nothing else touched."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from commands.sessions import PNPM, Claude
from improve import paths, timetable

CRONTAB = """#!/bin/sh
echo "$@" >> "$FAKE/calls"
test -e "$FAKE/deny" && { echo "you are not allowed to use this program" >&2; exit 1; }
case "$1" in
-l) test -e "$FAKE/table" && exec cat "$FAKE/table"; echo "no crontab for person" >&2; exit 1;;
-r) rm -f "$FAKE/table";;
-) test -e "$FAKE/refuse" && { echo "errors in crontab file, can't install." >&2; exit 1; }; cat > "$FAKE/table";;
esac
"""
CALLED = """#!/bin/sh
echo "${0##*/} $@" >> "$FAKE/calls"
test -e "$FAKE/fail" && { echo "Failed to connect to bus" >&2; exit 1; }
exit 0
"""
OWN = b"MAILTO=me@example.invalid\n# my own\n*/5 * * * * /usr/bin/true \xff\xe9\t%percent\r\n\n0 4 * * 1 echo hi"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put schedulers that only keep what they are told before the real ones; give the directory they keep it in."""
    place, programs = tmp_path / "fake", tmp_path / "programs"
    place.mkdir()
    programs.mkdir()
    for name, text in (("crontab", CRONTAB), ("systemctl", CALLED), ("launchctl", CALLED)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("FAKE", str(place))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return place


def calls(fake: Path) -> list[str]:
    """List what the schedulers were told to do; what was only asked is left out."""
    told = (fake / "calls").read_text().splitlines() if (fake / "calls").exists() else []
    return [line for line in told if line != "-l"]


# --- cron ---


@pytest.mark.parametrize("own", [None, b"", OWN, OWN + b"\n", b"\n\n", "0 0 * * * écho ☃\n".encode()])
def test_cron_keeps_the_persons_lines(improve: Improve, fake: Path, own: bytes | None) -> None:
    """One line is added at the end and taken away again; every other byte stays."""
    table = fake / "table"
    if own is not None:
        table.write_bytes(own)
    improve("schedule", "--install", "--with", "cron", "--at", "02:05")
    kept = own or b""
    kept += b"\n" if kept and not kept.endswith(b"\n") else b""
    data = table.read_bytes()
    assert data.startswith(kept)
    [line] = data[len(kept) :].decode().splitlines()
    assert line.startswith("5 2 * * * AGENT_IMPROVEMENT_HOME=")
    assert line.endswith(timetable.MARK)
    improve("schedule", "--install", "--with", "cron", "--weekly")
    assert table.read_bytes().startswith(kept + b"17 3 * * 0 ")
    assert table.read_bytes().count(timetable.MARK.encode()) == 1
    assert improve("schedule", "--json").json["scheduled"] == ["cron"]
    assert improve("schedule", "--remove").out == "Removed from cron.\n"
    assert (table.read_bytes() if table.exists() else b"") == kept
    assert improve("schedule", "--remove").out == "Nothing was scheduled.\n"


def test_the_line_runs_as_cron_runs_it(
    improve: Improve, fake: Path, home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a plain shell from any directory, with hardly a variable: it scans where the person's agents are."""
    session = Claude(home, repository("shop")).corrected()
    (home / ".claude").rename(home / "else where %")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "else where %"))
    assert not session.path.exists()
    improve("schedule", "--install", "--with", "cron")
    command = (fake / "table").read_text().split(" ", 5)[5].replace("\\%", "%").replace(">/dev/null", "")
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "LANG": "C"}
    done = subprocess.run(["/bin/sh", "-c", command], cwd="/", env=env, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [c["words"] for c in improve("inbox", "--json").json["candidates"]] == [PNPM]


def test_a_crontab_that_cannot_be_read_is_never_overwritten(improve: Improve, fake: Path) -> None:
    """Exit 5 with what cron said; nothing is written; looking and removing tell it and go on."""
    (fake / "table").write_bytes(OWN)
    (fake / "deny").touch()
    assert "you are not allowed" in improve("schedule", "--install", "--with", "cron", code=5).err
    assert "you are not allowed" in improve("schedule").err
    assert "you are not allowed" in improve("schedule", "--remove").out
    assert (fake / "table").read_bytes() == OWN
    assert calls(fake) == []


def test_a_table_that_cron_refuses_leaves_the_old_one(improve: Improve, fake: Path) -> None:
    """Exit 5 with what cron said."""
    (fake / "table").write_bytes(OWN)
    (fake / "refuse").touch()
    said = improve("schedule", "--install", "--with", "cron", code=5).err
    assert "errors in crontab file" in said
    assert "the old one stands" in said
    assert (fake / "table").read_bytes() == OWN


def test_a_machine_without_cron_says_so(improve: Improve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Exit 5, and nothing is claimed."""
    git = shutil.which("git")
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "git").symlink_to(git or "/usr/bin/git")
    monkeypatch.setenv("PATH", str(tmp_path / "only"))
    assert "crontab is not there" in improve("schedule", "--install", "--with", "cron", code=5).err
    assert improve("schedule", "--json").json["scheduled"] == []


# --- systemd and launchd ---


@pytest.mark.parametrize("argv", [(), ("--weekly", "--at", "12:30")])
def test_systemd_gets_a_timer(improve: Improve, fake: Path, home: Path, argv: tuple[str, ...]) -> None:
    """Two units in the person's directory, made known; removed again, nothing is left."""
    place = home / ".config" / "systemd" / "user"
    improve("schedule", "--install", "--with", "systemd", *argv)
    timer = (place / "agent-improvement.timer").read_text()
    assert f"OnCalendar={'Sun *-*-* 12:30:00' if argv else '*-*-* 03:17:00'}\n" in timer
    service = (place / "agent-improvement.service").read_text()
    assert f'Environment="AGENT_IMPROVEMENT_HOME={home}/.agent-improvement"\n' in service
    assert '"schedule" "--run"\n' in service
    enable = "systemctl --user enable --now agent-improvement.timer"
    assert calls(fake) == ["systemctl --user daemon-reload", enable]
    assert improve("schedule").first == "Scheduled with systemd."
    assert improve("schedule", "--remove").out == "Removed from systemd.\n"
    assert calls(fake)[2] == "systemctl --user disable --now agent-improvement.timer"
    assert list(place.iterdir()) == []


def test_launchd_gets_an_agent(improve: Improve, fake: Path, home: Path) -> None:
    """One property list, loaded; put in anew it is unloaded first; removed, nothing is left."""
    path = home / "Library" / "LaunchAgents" / "io.github.agent-improvement.scan.plist"
    improve("schedule", "--install", "--with", "launchd", "--weekly")
    told = plistlib.loads(path.read_bytes())
    assert told["StartCalendarInterval"] == {"Hour": 3, "Minute": 17, "Weekday": 0}
    assert told["ProgramArguments"][-2:] == ["schedule", "--run"]
    domain = f"gui/{os.getuid()}"
    loaded = f"launchctl bootstrap {domain} {path}"
    gone = f"launchctl bootout {domain}/io.github.agent-improvement.scan"
    assert calls(fake) == [loaded]
    improve("schedule", "--install", "--with", "launchd", "--at", "4:05")
    assert calls(fake)[1:] == [gone, loaded]
    assert plistlib.loads(path.read_bytes())["StartCalendarInterval"] == {"Hour": 4, "Minute": 5}
    assert improve("schedule", "--remove").out == "Removed from launchd.\n"
    assert calls(fake)[3:] == [gone]
    assert not path.exists()


@pytest.mark.parametrize("way", ["systemd", "launchd"])
def test_a_scheduler_that_fails_is_told_and_no_failure_of_ours(improve: Improve, fake: Path, way: str) -> None:
    """What is written stays; a note names the command that is left to run; removing works the same."""
    (fake / "fail").touch()
    said = improve("schedule", "--install", "--with", way)
    assert said.out.startswith(f"Scheduled every night at 03:17 with {way}")
    assert "failed (Failed to connect to bus); run it yourself" in said.err
    assert improve("schedule", "--install", "--with", way, "--json").json["notes"]
    told = improve("schedule", "--remove").out
    assert told.startswith(f"Removed from {way}.\n")
    assert "run it yourself" in told
    assert improve("schedule", "--json").json["scheduled"] == []


def test_another_scheduler_takes_the_place_of_the_first(improve: Improve, fake: Path) -> None:
    """There is one run, whichever way it was scheduled before."""
    for way in ("cron", "systemd", "launchd", "cron"):
        improve("schedule", "--install", "--with", way)
        assert improve("schedule", "--json").json["scheduled"] == [way]
    assert improve("schedule", "--remove", "--json").json["removed"] == ["cron"]


@pytest.mark.parametrize(
    ("way", "name"),
    [
        ("systemd", ".config/systemd/user/agent-improvement.timer"),
        ("launchd", "Library/LaunchAgents/io.github.agent-improvement.scan.plist"),
    ],
)
def test_a_file_of_somebody_else_is_refused(improve: Improve, fake: Path, home: Path, way: str, name: str) -> None:
    """Exit 3; it is neither overwritten nor removed."""
    path = home / name
    path.parent.mkdir(parents=True)
    path.write_text("[Timer]\nOnCalendar=daily\n")
    assert "not ours" in improve("schedule", "--install", "--with", way, code=3).err
    improve("schedule", "--remove")
    assert path.read_text() == "[Timer]\nOnCalendar=daily\n"


# --- all ---


def test_without_an_option_nothing_is_changed(improve: Improve, fake: Path, home: Path) -> None:
    """It shows what would be, for each scheduler, and leaves no file."""
    before = sorted(home.rglob("*"))
    for way, sign in (
        ("cron", "17 3 * * * "),
        ("systemd", "OnCalendar=*-*-* 03:17:00"),
        ("launchd", "<key>Hour</key>"),
    ):
        said = improve("schedule", "--with", way).out
        assert said.startswith(f"Nothing is scheduled. With {way} it would be:\n")
        assert sign in said
        told = improve("schedule", "--with", way, "--json")
        assert told.out.isascii()
        assert (told.json["scheduled"], told.json["with"]) == ([], way)
    assert sorted(home.rglob("*")) == before
    assert calls(fake) == []


@pytest.mark.parametrize("at", ["24:00", "3", "03:60", "soon", "-1:00", ""])
def test_a_time_that_is_none_is_a_usage_error(improve: Improve, fake: Path, at: str) -> None:
    """Exit 2, and nothing is scheduled."""
    improve("schedule", "--install", "--with", "cron", "--at", at, code=2)
    assert calls(fake) == []


def test_off_is_not_scheduled_and_a_run_does_nothing(
    improve: Improve, fake: Path, home: Path, repository: Repository
) -> None:
    """Switched off, installing is refused and a run that comes anyway reads nothing; removing works."""
    Claude(home, repository("shop")).corrected()
    improve("schedule", "--install", "--with", "cron")
    improve("off")
    improve("schedule", "--install", "--with", "cron", code=3)
    assert improve("schedule", "--run").out == ""
    assert not (home / ".agent-improvement" / "inbox.jsonl").exists()
    assert improve("schedule", "--remove").out == "Removed from cron.\n"


def test_a_run_is_quiet_and_takes_in_all(improve: Improve, home: Path, repository: Repository) -> None:
    """What is new is found; what goes wrong is told with its exit code."""
    Claude(home, repository("shop")).corrected()
    said = improve("schedule", "--run")
    assert (said.out, said.err) == ("", "")
    assert [c["words"] for c in improve("inbox", "--json").json["candidates"]] == [PNPM]
    (home / ".agent-improvement" / "rules.yaml").write_bytes(b"rules: [\n")
    Claude(home, repository("blog"), "b").corrected()
    assert improve("schedule", "--run", code=6).err


def test_the_program_of_an_installed_store_is_what_runs(improve: Improve, fake: Path, home: Path) -> None:
    """Where `improve install` put a program into the store, the scheduler starts that one; else this very Python."""
    assert f"{sys.executable} -m improve schedule --run" in improve("schedule", "--with", "cron").out
    program = Path(paths.find_home(os.environ).program)
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    assert f"{program} schedule --run" in improve("schedule", "--with", "cron").out
