"""A throw-away home and git repository, and programs run in them that never outlive their time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

_PORT_NOBODY_LISTENS_ON = "http://127.0.0.1:9"


class Ran(NamedTuple):
    """How a program ended."""

    argv: tuple[str, ...]
    code: int | None
    """None when it had to be stopped."""
    out: str
    err: str
    seconds: float

    @property
    def told(self) -> str:
        """What it said, for a message."""
        ended = "did not end in time" if self.code is None else f"exit {self.code}"
        return f"$ {' '.join(self.argv)}\n({ended}, {self.seconds:.1f} s)\n{self.out[-800:]}\n{self.err[-800:]}"


class Box:
    """A home, a repository and an environment without the machine's own agents, keys and proxies."""

    def __init__(self, root: Path, first_on_path: tuple[Path, ...] = ()) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root.resolve()
        # a space and a letter beyond ASCII, as in many people's names
        self.home = self.root / "Zoë B"
        self.repository = self.root / "app"
        self.home.mkdir()
        self.env = _environment(self.home, first_on_path)
        self._runs = 0
        self._git("init", "-q", "-b", "main", str(self.repository), cwd=self.root)
        self._git("remote", "add", "origin", "https://github.com/acme/app.git")
        self._git("commit", "-q", "--allow-empty", "-m", "Start")

    def _git(self, *arguments: str, cwd: Path | None = None) -> None:
        subprocess.run(["git", *arguments], cwd=cwd or self.repository, env=self.env, check=True, timeout=30)

    @property
    def store(self) -> Path:
        """The store's directory in this home."""
        return self.home / ".agent-improvement"

    def write(self, path: Path, content: object) -> None:
        """Write a text, or a value as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=2) + "\n"
        path.write_text(text, encoding="utf-8")

    def run(self, *argv: str, seconds: float = 90) -> Ran:
        """Run a program in the repository, in a process group of its own that is ended with it."""
        self._runs += 1
        out, err = (self.root / f"run-{self._runs}.{name}" for name in ("out", "err"))
        started = time.monotonic()
        # into files: a pipe would stay open as long as any child of the program lives
        with out.open("wb") as out_file, err.open("wb") as err_file:
            process = subprocess.Popen(
                argv,
                cwd=self.repository,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=out_file,
                stderr=err_file,
                start_new_session=True,
            )
            try:
                code: int | None = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _end_group(process)
        out_text, err_text = (path.read_text(encoding="utf-8", errors="replace") for path in (out, err))
        return Ran(argv, code, out_text, err_text, time.monotonic() - started)

    def improve(self, *arguments: str) -> Ran:
        """Run the command under test as a person would, outside of any host."""
        ran = self.run(sys.executable, "-m", "improve", *arguments, seconds=60)
        assert ran.code == 0, f"expected exit 0 of improve:\n{ran.told}"
        return ran

    def answer(self, *arguments: str) -> Any:
        """Give the JSON answer of a command."""
        return json.loads(self.improve(*arguments, "--json").out)

    def tree(self) -> dict[str, str]:
        """Give every file of the home with a hash of its bytes, without the store and what is derived from it."""
        ours = [self.store, *(self.home / folder / "agent-improvement" for folder in (".cache", ".local/state"))]
        return dict(_files(self.home, ours))


def _files(top: Path, apart: list[Path]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for path in sorted(top.iterdir()):
        if path in apart:
            continue
        if path.is_symlink():
            found.append((str(path), f"-> {path.readlink()}"))
        elif path.is_dir():
            found += [(str(path), "directory"), *_files(path, apart)]
        elif path.is_file():
            found.append((str(path), hashlib.sha256(path.read_bytes()).hexdigest()))
    return found


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End whatever is left of a program, its children included."""
    for number, patience in ((signal.SIGTERM, 3.0), (signal.SIGKILL, 10.0)):
        if number == signal.SIGTERM and process.poll() is not None:
            continue  # it has ended by itself; its children get no time of their own
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)


def _environment(home: Path, first_on_path: tuple[Path, ...]) -> dict[str, str]:
    """Build an environment from nothing: only where programs are, and how Python finds this one."""
    system = ["/usr/local/bin", "/usr/bin", "/bin"]
    person = {"NAME": "Test Person", "EMAIL": "person@example.invalid"}
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "TMPDIR") if name in os.environ}
    return {
        "HOME": str(home),
        "PATH": os.pathsep.join([*map(str, first_on_path), *system]),
        "SHELL": "/bin/sh",
        "USER": "person",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in person.items()},
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), _PORT_NOBODY_LISTENS_ON),
        **dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost"),
        **kept,
    }
