"""The command line itself: help, errors, streams."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from commands.conftest import Improve
from improve.cli import COMMANDS, root

HEAVY = (
    "git",
    "rich",
    "asyncio",
    "ruamel",
    "filelock",
    "socket",
    "ssl",
    "http",
    "urllib.request",
    "pydantic",
    "requests",
)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_help_with_an_example(improve: Improve, name: str) -> None:
    """`improve NAME --help` explains itself and shows a command to copy."""
    out = improve(name, "--help").out
    assert "Example" in out
    assert "improve " + name in out or "| improve " in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_json(name: str) -> None:
    """All commands answer as JSON; `match` does without being asked, too."""
    command = root.get_command(click.Context(root), name)
    assert command is not None
    assert any("--json" in p.opts for p in command.params)


def test_a_mistyped_command_is_answered_with_the_nearest(improve: Improve) -> None:
    """Exit 2 and a suggestion."""
    assert "improve escalate" in improve("escalte", code=2).err


def test_errors_are_json_when_json_was_asked_for(improve: Improve) -> None:
    """A failing `--json` command prints one JSON object with the exit code."""
    error = improve("history", "nope", "--json", code=7).json["error"]
    assert error["exit_code"] == 7
    assert "nope" in error["message"]


def child(*argv: str, **more: object) -> subprocess.CompletedProcess[str]:
    """Run improve in its own process."""
    return subprocess.run(
        [sys.executable, "-m", "improve", *argv], capture_output=True, text=True, encoding="utf-8", check=False, **more
    )  # type: ignore[call-overload, no-any-return]


def test_observe_status_and_due_import_nothing_heavy(tmp_path: Path) -> None:
    """No GitPython, no network, no rich, no asyncio, no YAML parser on the path of every session."""
    child("observe", "Start a store and its index", "--project", "p", cwd=tmp_path)
    script = (
        "import sys\nfrom improve.cli import run\n"
        "for argv in (['observe', 'Paint the shed green'], ['observe', 'Paint the shed in green', '--project', 'p'],"
        " ['status'], ['due']):\n"
        "    assert run(argv) == 0\n"
        f"heavy = [m for m in {HEAVY!r} if m in sys.modules]\n"
        "sys.exit(' '.join(heavy) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_output_survives_a_terminal_of_another_encoding() -> None:
    """The arrow is printed under cp1252 and in the C locale without a crash."""
    for extra in ({"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}):
        done = child("observe", "Paint the shed green", "--project", "p", env={**os.environ, **extra})
        assert done.returncode == 0, done.stderr
        assert "RECORDED" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_output_device_is_an_error_without_a_traceback() -> None:
    """Exit 5, nothing but one line."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "improve", "domains"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 5
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_error_message() -> None:
    """`improve domains | head -0` prints nothing on stderr."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "improve", "domains"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert "Traceback" not in done.stderr


def test_closed_standard_streams_do_not_crash() -> None:
    """With stdin, stdout and stderr closed the observation is still recorded."""
    code = f"exec {shlex.quote(sys.executable)} -m improve observe 'Paint the shed green' --project p <&- >&- 2>&-"
    subprocess.run(["sh", "-c", code], check=False)
    assert "paint-the-shed-green" in child("status", "--all").stdout


def test_without_a_home_the_error_says_what_to_set() -> None:
    """No HOME, no passwd entry, no AGENT_IMPROVEMENT_HOME: exit 5 and the variable's name."""
    env = {k: v for k, v in os.environ.items() if k not in ("HOME", "USERPROFILE", "AGENT_IMPROVEMENT_HOME")}
    script = (
        "import os, pwd, sys\ndef nobody(uid):\n    raise KeyError(uid)\npwd.getpwuid = nobody\n"
        "from improve.cli import run\nsys.exit(run(['status']))"
    )
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert "AGENT_IMPROVEMENT_HOME" in done.stderr


def test_a_read_only_home_is_exit_5_and_changes_nothing(tmp_path: Path) -> None:
    """Where the home cannot be made, the error names it; reading still works."""
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    env = {**os.environ, "AGENT_IMPROVEMENT_HOME": str(blocked / "home")}
    done = child("observe", "Paint the shed green", "--project", "p", env=env)
    assert done.returncode in (3, 5)
    assert "Traceback" not in done.stderr
    assert blocked.read_text() == "not a directory"


def test_the_store_has_a_readable_git_history(improve: Improve, home: Path, tmp_path: Path) -> None:
    """Each change set is a commit with its title; observe is folded into the next one; `git: false` turns it off."""
    improve("observe", "Paint the shed green", "--project", "p")
    store = home / ".agent-improvement"
    assert not (store / ".git").exists()
    improve("set", "paint-the-shed-green", "--severity", "3")

    def log():
        return subprocess.run(
            ["git", "-C", str(store), "log", "--format=%s"], capture_output=True, text=True, check=False
        ).stdout

    assert log().splitlines()[0] == "set severity of paint-the-shed-green"
    status = subprocess.run(
        ["git", "-C", str(store), "status", "--porcelain"], capture_output=True, text=True, check=False
    ).stdout
    assert "rules.yaml" not in status
    (store / "config.yaml").write_text("git: false\n")
    improve("set", "paint-the-shed-green", "--severity", "4")
    assert log().splitlines()[0] == "set severity of paint-the-shed-green"


def test_a_closed_standard_output_is_no_bug(home: Path, tmp_path: Path) -> None:
    """What a command did is done, and no internal error is reported, when nobody gave it a place to print to."""
    for argv in (
        "observe 'Use uv, never pip'",
        "status",
        "observe --json 'Use uv, never pip'",
        "set nothing --domain x",
    ):
        done = subprocess.run(
            ["sh", "-c", f"{shlex.quote(sys.executable)} -m improve {argv} >&-"], stderr=subprocess.PIPE, check=False
        )
        assert done.returncode != 1, done.stderr
        assert b"internal error" not in done.stderr
