"""The fence: no test sees the person's home, store, hosts, git identity, surrounding session or network.

It is autouse, so a new test is inside without asking. `tmp_path` stays empty for the test itself:
the fenced home and the working directory are elsewhere below pytest's temporary directory.
tests/test_fence.py proves all of it, for this process and for children.
"""

from __future__ import annotations

import ipaddress
import itertools
import os
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The machine is shared and slow at times: a test is too slow by its timeout, not by one example.
settings.register_profile("improve", deadline=None)
settings.load_profile("improve")

# Variables of hosts, of an agent that runs these tests, of models, of git, and of the terminal.
_FOREIGN = re.compile(
    r"""^( (AGENT|AGENTS|AI|AIDER|AMP|ANTHROPIC|CLAUDE|CLINE|CODEX|COPILOT|CURSOR|GEMINI|GOOSE|IMPROVE|OPENAI
            |OPENCODE|PI|QWEN|WINDSURF)_.*
         | AGENT | CLAUDECODE | OPENCODE | GOOGLE_GEMINI_.* | DISABLE_TELEMETRY
         | .*_(API_KEY|TOKEN|SECRET)
         | GIT_(?!SSL_|EXEC_PATH$).* | EMAIL | XDG_.*
         | NO_COLOR | FORCE_COLOR | CLICOLOR | CLICOLOR_FORCE | COLORTERM | COLUMNS | LINES
         | EDITOR | VISUAL | PAGER | BROWSER | PYTHONSTARTUP | PYTHONHASHSEED | VIRTUAL_ENV
       )$""",
    re.VERBOSE,
)

# Started in the background, as some build servers do, a shell passes an ignored SIGINT on; the tests that
# send one to their children need the usual one.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_PORT_NOBODY_LISTENS_ON = "http://127.0.0.1:9"
_serial = itertools.count()


def foreign(name: str) -> bool:
    """Tell whether an environment variable belongs to something outside the tests."""
    return _FOREIGN.match(name) is not None


def fenced_environment(home: Path) -> dict[str, str]:
    """Give the variables that point everything a test may touch below `home`."""
    local = home / ".local"
    person = {"NAME": "Test Person", "EMAIL": "person@example.invalid"}
    return {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "APPDATA": str(home / "AppData" / "Roaming"),
        "LOCALAPPDATA": str(home / "AppData" / "Local"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(local / "share"),
        "XDG_STATE_HOME": str(local / "state"),
        "XDG_RUNTIME_DIR": str(home / ".run"),
        "TMPDIR": str(home.parent / "tmp"),
        "AGENT_IMPROVEMENT_HOME": str(home / ".agent-improvement"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_PAGER": "cat",
        # a temporary directory inside somebody's repository is still no repository
        "GIT_CEILING_DIRECTORIES": str(home.parent.parent.parent),
        **{f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in person.items()},
        "TERM": "dumb",
        # children need not compile the sources again and again, whatever the machine says about bytecode
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(home.parent.parent / "bytecode"),
        # children have no socket guard, so what honours a proxy fails at once instead
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), _PORT_NOBODY_LISTENS_ON),
        "NO_PROXY": "localhost,127.0.0.1,::1",
        "no_proxy": "localhost,127.0.0.1,::1",
    }


@pytest.fixture(autouse=True)
def fence(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Put this test behind the fence; yield the fenced home."""
    place = tmp_path_factory.getbasetemp() / "fence" / str(next(_serial))
    home, cwd = place / "home", place / "cwd"
    for folder in (home, cwd, place / "tmp"):
        folder.mkdir(parents=True)
    # its own MonkeyPatch: a test that calls monkeypatch.undo() stays inside
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if foreign(name)]:
            patch.delenv(name)
        for name, value in fenced_environment(home).items():
            patch.setenv(name, value)
        patch.chdir(cwd)
        yield home


@pytest.fixture
def home(fence: Path) -> Path:
    """Give the fenced home, which HOME points to."""
    return fence


class NetworkBarred(RuntimeError):
    """A test tried to leave the machine."""


def _is_local(host: object) -> bool:
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    text = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _check(address: Any) -> None:
    # only inet addresses are tuples; AF_UNIX has a path, and stays on this machine
    if isinstance(address, tuple) and not _is_local(address[0]):
        raise NetworkBarred(f"a test tried to reach {address[0]!r}; tests stay on this machine")


def _guard(name: str, position: int) -> None:
    real = getattr(socket.socket, name)

    def guarded(self: socket.socket, *args: Any) -> Any:
        _check(args[position] if len(args) > abs(position) - 1 else None)
        return real(self, *args)

    setattr(socket.socket, name, guarded)


def _guard_names() -> None:
    real = socket.getaddrinfo

    def guarded(host: Any, *args: Any, **kwargs: Any) -> Any:
        _check((host,))
        return real(host, *args, **kwargs)

    socket.getaddrinfo = guarded


# Once a process, not once a test: no test of ours may go online.
for _name, _position in (("connect", 0), ("connect_ex", 0), ("sendto", -1)):
    _guard(_name, _position)
_guard_names()
