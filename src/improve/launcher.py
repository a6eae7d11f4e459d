"""The two programs of the store that start this package from anywhere, and say nothing when it is gone.

Settings of other programs name them, so their paths never change. Each is a small script for `/bin/sh` that starts
the Python which is at work now, isolated: no variable of Python, no working directory and no start-up file has a say.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from typing import NamedTuple

from improve import paths

STAMP = "Written by `improve install`; take it away with: improve uninstall"
NEEDED = (
    "click", "filelock", "git", "gitdb", "platformdirs", "rapidfuzz", "ruamel.yaml", "smmap", "tree_sitter",
    "tree_sitter_bash",
)  # fmt: skip
"""What the package and its dependencies import; where each is found goes into the launchers."""

_HOOK = """\
import sys
sys.path += {places}
try:
    from improve.hook import main
except BaseException:
    sys.exit(0)
main(sys.argv[1:])
"""
_COMMAND = """\
import sys
sys.path += {places}
try:
    import improve.cli
    from improve.__main__ import main
except ImportError as error:
    sys.stderr.write({gone} + f" ({{error}})\\n")
    sys.exit(5)
main()
"""


class Program(NamedTuple):
    """What a launcher starts."""

    python: str
    places: tuple[str, ...]
    """Directories of the package and of what it needs."""
    home: str = ""
    """The store, unless it is the usual one."""


def path(home: str) -> str:
    """Name the program that settings of other programs call."""
    return os.path.join(home, "bin", paths.LAUNCHER)


def cli_path(home: str) -> str:
    """Name the program for people and agents."""
    return os.path.join(home, "bin", paths.PROGRAM)


def program(home: str, user: str) -> Program:
    """Say what is at work now, for a store."""
    usual = os.path.realpath(home) == os.path.realpath(os.path.join(user, ".agent-improvement"))
    return Program(sys.executable or "", _places(), "" if usual else home)


def _places() -> tuple[str, ...]:
    """List the directories in which the package and what it needs are found now."""
    from importlib.util import find_spec

    found = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    for name in NEEDED:
        spec = find_spec(name.partition(".")[0])
        where = list(spec.submodule_search_locations or [os.path.dirname(spec.origin or "")]) if spec else []
        found += [os.path.dirname(os.path.abspath(each)) for each in where if each]
    return tuple(dict.fromkeys(found))


def in_cache(started: Program, caches: str) -> str:
    """Give the part of what is started that lies in a cache, ours or uv's; empty when none does.

    Layout of uv's cache: https://docs.astral.sh/uv/reference/storage/.
    """
    passing = {"environments-v2", "archive-v0"}
    for path in (started.python, *started.places):
        if path.startswith(caches + os.sep) or passing & set(path.split(os.sep)):
            return path
    return ""


def text(started: Program, *, hook: bool) -> str:
    """Write a launcher for `/bin/sh`.

    Args:
        hook: the one for hooks, which is silent whatever happens.
    """
    gone = f"improve: it is gone from {started.places[0]}. Install it again, then run: improve install"
    code = _code(started, hook, gone)
    python = shlex.quote(started.python)
    lost = f"improve: {started.python} is gone. Install improve again, then run: improve install"
    missing = "exit 0" if hook else f"{{ printf '%s\\n' {shlex.quote(lost)} >&2; exit 5; }}"
    lines = ["#!/bin/sh", f"# {STAMP}"]
    if started.home:
        lines += [
            f'[ -n "$AGENT_IMPROVEMENT_HOME" ] || AGENT_IMPROVEMENT_HOME={shlex.quote(started.home)}',
            "export AGENT_IMPROVEMENT_HOME",
        ]
    lines += [f"[ -x {python} ] || {missing}", f'exec {python} -I -S -c {shlex.quote(code)} "$@"']
    return "\n".join(lines) + "\n"


def text_for_windows(started: Program, *, hook: bool) -> str:
    """Write a launcher for `cmd.exe`, which knows neither lines nor double quotes within an argument."""
    gone = f"improve: it is gone from {started.places[0]}. Install it again, then run: improve install"
    literal = _code(started, hook, gone).encode("unicode_escape").decode("ascii")
    for special in '"%!&|<>^':
        literal = literal.replace(special, f"\\x{ord(special):02x}")
    python = started.python.replace("%", "%%")
    lines = ["@echo off", f"rem {STAMP}"]
    if started.home:
        home = started.home.replace("%", "%%")
        lines.append(f'if not defined AGENT_IMPROVEMENT_HOME set "AGENT_IMPROVEMENT_HOME={home}"')
    lines += [
        f'if not exist "{python}" exit /b {0 if hook else 5}',
        f'"{python}" -I -S -c "exec(\'{literal}\')" %*',
        "exit /b 0" if hook else "exit /b %errorlevel%",
    ]
    return "\r\n".join(lines) + "\r\n"


def _code(started: Program, hook: bool, gone: str) -> str:
    """Write what Python runs; ASCII alone, for the locale of a host's hooks is anybody's guess."""
    places = "[" + ", ".join(map(_literal, started.places)) + "]"
    return (_HOOK if hook else _COMMAND).format(places=places, gone=_literal(gone))


def _literal(text: str) -> str:
    """Quote a string for Python without the quotes of a shell; bytes that are no text come through, too."""
    plain = text.encode("unicode_escape").decode("ascii")
    return '"' + plain.replace("'", r"\x27").replace('"', r"\x22") + '"'


def files_of(home: str, user: str) -> Mapping[str, bytes]:
    """Give both launchers of a store, by path.

    Raises:
        EnvironmentFailure: nobody knows which Python this is.
    """
    started = program(home, user)
    if not started.python:
        from improve.errors import EnvironmentFailure

        raise EnvironmentFailure("Python does not say where it is, so nothing can start it; nothing was written")
    write = text_for_windows if os.name == "nt" else text
    kinds = {path(home): True, cli_path(home): False}
    return {name: write(started, hook=hook).encode("utf-8", "surrogateescape") for name, hook in kinds.items()}
