"""The session a command runs in, found by the processes it descends from."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from improve import ancestry, hosts

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

HOST = """
import subprocess, sys
note, ask = sys.argv[1:3]
for command in (note, ask):
    subprocess.run(["sh", "-c", command + " || true"], check=True)
"""


def call(text: str) -> str:
    """Give a shell command that calls the module and prints what it says."""
    code = f"from improve import ancestry; print(ancestry.{text} or '')"
    return shlex.join([sys.executable, "-c", code])


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """A program that is no shell: a host, by another name."""
    path = tmp_path / "some-agent"
    path.symlink_to(os.path.realpath(sys.executable))
    return path


def play(agent: Path, note: str, ask: str) -> str:
    """Let an agent run a hook, then a command in its shell; gives what the command found."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    argv = [str(agent), "-c", HOST, call(note), call(ask)]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=True).stdout.split("\n")[1]


def test_a_command_finds_the_session_of_its_agent(tmp_path: Path, agent: Path) -> None:
    """What a hook noted below the same agent process is found, through any number of shells."""
    folder = str(tmp_path / "noted")
    assert play(agent, f"note('{folder}', 'gemini', 's1')", f"session('{folder}', 'gemini')") == "s1"


def test_another_host_s_session_is_none_of_ours(tmp_path: Path, agent: Path) -> None:
    """Sessions are noted per host."""
    folder = str(tmp_path / "noted")
    assert play(agent, f"note('{folder}', 'gemini', 's1')", f"session('{folder}', 'qwen')") == ""


def test_another_agent_s_session_is_none_of_ours(tmp_path: Path, agent: Path) -> None:
    """What was noted below another process is not found, and a process number that came again means nothing."""
    folder = tmp_path / "noted"
    play(agent, f"note('{folder}', 'gemini', 's1')", "session('', '')")
    (noted,) = folder.iterdir()
    assert play(agent, "session('', '')", f"session('{folder}', 'gemini')") == ""
    mine = folder / f"gemini-{os.getpid()}"
    mine.write_text(noted.read_text())
    assert ancestry.session(str(folder), "gemini") == ""


def test_the_latest_session_of_a_process_counts(tmp_path: Path, agent: Path) -> None:
    """An agent that starts a new session without ending is known by the new one; gone processes are forgotten."""
    folder = tmp_path / "noted"
    for session in ("s1", "s2"):
        play(agent, f"note('{folder}', 'gemini', '{session}')", "session('', '')")
    assert [path.read_text().split("\n")[1] for path in folder.iterdir()] == ["s2"]


def test_without_notes_there_is_no_session(tmp_path: Path) -> None:
    """A directory that is not there is no error."""
    assert ancestry.session(str(tmp_path / "none"), "gemini") == ""


@pytest.mark.parametrize(
    ("outer", "inner", "host"),
    [
        ("CODEX_SESSION_ID", "CLAUDECODE", "claude-code"),
        ("CLAUDECODE", "CODEX_SESSION_ID", "codex"),
        ("QWEN_CODE", "GEMINI_CLI", "gemini"),
    ],
)
def test_the_innermost_of_two_hosts_is_the_one(outer: str, inner: str, host: str) -> None:
    """An agent that another one started from its shell has the variables of both: the nearer one is at work."""
    ask = shlex.join([sys.executable, "-c", "import os; from improve import hosts; print(hosts.name_in(os.environ))"])
    nested = f"{inner}=1 sh -c {shlex.quote(f'{ask} || true')} || true"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    argv = ["sh", "-c", f"{outer}=1 sh -c {shlex.quote(nested)} || true"]
    assert subprocess.run(argv, env=env, capture_output=True, text=True, check=True).stdout.strip() == host


def test_where_nobody_may_look_the_order_of_the_table_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hosts' variables and no way to see the processes above: the answer is the same every time."""
    monkeypatch.setattr(ancestry, "environments", lambda: iter(()))
    assert hosts.name_in({"CLAUDECODE": "1", "CODEX_SESSION_ID": "s"}) == "codex"
