"""The fence of conftest.py holds, for this process and for the ones it starts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from conftest import NetworkBarred, fenced_environment, foreign

REAL_HOME = os.environ.get("HOME", "")  # read at import, before any test is fenced
TEMP = Path(tempfile.gettempdir()).resolve()


def child(code: str) -> str:
    """Run code in a child Python and give what it prints."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return run.stdout.strip()


def below(path: str | Path, parent: Path) -> bool:
    """Tell whether a path lies below a directory."""
    return Path(path).resolve().is_relative_to(parent.resolve())


def test_home_of_this_process_is_fenced(home: Path) -> None:
    """HOME, ~ and USERPROFILE are a fresh directory that is not the person's."""
    assert Path.home() == home == Path("~").expanduser() == Path(os.environ["USERPROFILE"])
    assert str(home) != REAL_HOME
    assert list(home.iterdir()) == []


def test_home_of_a_child_is_fenced(home: Path) -> None:
    """A child process sees the same home."""
    assert child("import pathlib; print(pathlib.Path.home())") == str(home)


def test_every_directory_variable_points_into_the_home(home: Path) -> None:
    """Each variable that names a place to write names one below the fenced home, for children too."""
    names = [n for n in fenced_environment(home) if n.startswith(("XDG_", "APPDATA", "LOCALAPP", "AGENT_"))]
    assert len(names) >= 8
    seen = child(f"import os; print(*[os.environ[n] for n in {names!r}], sep='\\n')").splitlines()
    assert all(below(path, home) for path in seen)
    assert seen == [os.environ[name] for name in names]


def test_platform_directories_are_fenced(home: Path) -> None:
    """What platformdirs answers lies below the fenced home."""
    import platformdirs

    answers = [
        platformdirs.user_cache_dir("x"),
        platformdirs.user_state_dir("x"),
        platformdirs.user_config_dir("x"),
    ]
    assert all(below(answer, home) for answer in answers)


def test_cwd_is_fenced_and_empty(tmp_path: Path) -> None:
    """The working directory is temporary, empty, and leaves tmp_path to the test."""
    assert list(Path.cwd().iterdir()) == []
    assert list(tmp_path.iterdir()) == []
    assert not below(Path.cwd(), tmp_path)
    assert child("import os; print(os.getcwd())") == str(Path.cwd())


@pytest.mark.parametrize("number", [1, 2])
def test_no_test_sees_what_another_left(home: Path, number: int) -> None:
    """Two tests never share a home or a working directory."""
    assert not (home / "left").exists()
    (home / "left").write_text(str(number), encoding="utf-8")
    assert not Path("left").exists()
    Path("left").write_text(str(number), encoding="utf-8")


def test_undo_of_the_own_monkeypatch_keeps_the_fence(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """A test that undoes its patches is still inside."""
    monkeypatch.setenv("HOME", "/elsewhere")
    monkeypatch.undo()
    assert Path.home() == home


@pytest.mark.parametrize(
    "name",
    [
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDECODE",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "CODEX_THREAD_ID",
        "PI_SESSION_ID",
        "PI_CODING_AGENT_DIR",
        "COPILOT_AGENT_SESSION_ID",
        "COPILOT_HOME",
        "OPENCODE",
        "OPENCODE_CONFIG_DIR",
        "AI_AGENT",
        "AGENT_PROJECT_NAME",
        "AGENT_GLOBAL_AGENTS_MD",
        "AGENT_PROJECT_AGENTS_MD",
        "GEMINI_CLI_HOME",
        "ANTHROPIC_API_KEY",
        "SOME_SERVICE_API_KEY",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "NO_COLOR",
        "FORCE_COLOR",
    ],
)
def test_variables_of_a_surrounding_agent_are_removed(name: str) -> None:
    """A host's, a session's, a model's or a terminal's variable never reaches a test or its children."""
    assert foreign(name)
    assert name not in os.environ
    assert child(f"import os; print({name!r} in os.environ)") == "False"


@pytest.mark.parametrize("name", ["PATH", "LANG", "TMPDIR", "PIP_CERT", "PYTHONPATH", "GIT_EXEC_PATH", "HOMEDRIVE"])
def test_ordinary_variables_are_left_alone(name: str) -> None:
    """The fence takes away only what it names."""
    assert not foreign(name)


def test_git_reads_no_configuration_of_the_person(home: Path) -> None:
    """git sees neither the person's nor the machine's configuration, and commits as the test person."""
    (home / ".gitconfig").write_text("[user]\n\tname = Somebody Else\n", encoding="utf-8")
    listed = subprocess.run(["git", "config", "--list"], capture_output=True, text=True, check=False, timeout=60)
    assert listed.stdout == ""
    ident = subprocess.run(["git", "var", "GIT_AUTHOR_IDENT"], capture_output=True, text=True, check=True, timeout=60)
    assert ident.stdout.startswith("Test Person <person@example.invalid>")


def test_the_temporary_directory_is_no_repository() -> None:
    """git finds no repository above a test's working directory."""
    run = subprocess.run(["git", "rev-parse", "--show-toplevel"], capture_output=True, check=False, timeout=60)
    assert run.returncode == 128


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0), ("example.invalid", 443)])
def test_the_network_is_barred(address: tuple[str, int]) -> None:
    """Connecting or sending to another machine, or asking for its name, raises."""
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as stream, pytest.raises(NetworkBarred):
        stream.connect(address)
    with socket.socket(family, socket.SOCK_STREAM) as stream, pytest.raises(NetworkBarred):
        stream.connect_ex(address)
    with socket.socket(family, socket.SOCK_DGRAM) as datagram, pytest.raises(NetworkBarred):
        datagram.sendto(b"x", address)
    with pytest.raises(NetworkBarred):
        socket.create_connection(address[:2], timeout=1)


def test_loopback_stays_open(tmp_path: Path) -> None:
    """A server of the test's own on this machine can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5).close()
    if hasattr(socket, "AF_UNIX"):
        with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
            server.bind(str(tmp_path / "s"))
            server.listen()
            client.connect(str(tmp_path / "s"))


def test_a_child_finds_only_a_dead_proxy() -> None:
    """A child that honours the proxy variables fails at once, and never leaves the machine."""
    code = (
        "import urllib.request\n"
        "try: urllib.request.urlopen('http://192.0.2.1/', timeout=20)\n"
        "except OSError as error: print(type(error.reason).__name__)"
    )
    started = time.monotonic()
    assert child(code) == "ConnectionRefusedError"
    assert time.monotonic() - started < 15
