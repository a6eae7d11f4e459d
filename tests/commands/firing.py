"""Fire hooks as a host does: the command of the settings in a shell, or the launcher itself, with an event on stdin."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from improve import hosts, launcher
from improve.hosts import wiring

EVENTS = ("session-start", "prompt", "pre-tool", "stop", "session-end")
FORMS = ("shell", "exec")
HOSTS = tuple(host.name for host in hosts.all_hosts() if host.wiring)
CORRECTION = "no, that is wrong: use uv here, never pip install"
MARK = "TEST_FIRING"
"""Variable by which every process that a hook starts is found, whatever session it puts itself into."""

CLOSED, SILENT = object(), object()
"""A standard input that is closed, and one from which nothing ever comes."""

RULES = """\
version: 1
rules:
- id: use-uv-not-pip
  rule: Use uv, never pip
  domain: python-tooling
  created: '2026-01-01'
  last_reinforced: '2026-01-02'
  observations:
  - {project: app, date: '2026-01-01', context: first}
  - {project: app, date: '2026-01-02', context: second}
  cross_project: false
  total_count: 2
  project_count: 1
  escalation: null
  escalated_at: null
  written_to: []
"""


class Fired(NamedTuple):
    """What came of one event."""

    code: int
    out: bytes
    err: bytes
    seconds: float
    left: list[str]
    """Processes that were alive a tenth of a second after the end."""


class Machine:
    """A home with a store and the launchers of `install`, and a project beside it."""

    def __init__(self, base: Path, name: str = "h", *, drains: bool = False) -> None:
        """Make all of it.

        Args:
            drains: hooks can start the program that empties the queue behind our back.
        """
        self.base, self.user, self.app = base, base / name / "user", base / name / "app"
        self.store = self.user / ".agent-improvement"
        self.store.mkdir(parents=True)
        (self.store / "rules.yaml").write_text(RULES, encoding="utf-8")
        (self.app / ".git" / "objects").mkdir(parents=True)
        (self.app / ".git" / "refs").mkdir()
        (self.app / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        for path, data in launcher.files_of(str(self.store), str(self.user)).items():
            Path(path).parent.mkdir(exist_ok=True)
            Path(path).write_bytes(data)
            Path(path).chmod(0o755 if drains or path == launcher.path(str(self.store)) else 0o644)

    @property
    def env(self) -> dict[str, str]:
        """Give the least a host hands on."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.user)}

    def fire(
        self,
        host: str,
        event: str,
        *,
        form: str = "shell",
        stdin: object = None,
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        before: Callable[[], None] | None = None,
    ) -> Fired:
        """Run one hook and look what is left of it.

        Args:
            stdin: bytes, `CLOSED`, `SILENT`, or a pair of bytes and `SILENT`; a usual event unless given.
            env: variables to add to the least, or with None to leave out.
            before: runs in the child.
        """
        program = launcher.path(str(self.store))
        argv = ["sh", "-c", wiring.command(program, host, event)] if form == "shell" else [program, host, event]
        mark = uuid.uuid4().hex
        given = {**self.env, MARK: mark, **(env or {})}
        said = payload(host, event, self.app) if stdin is None else stdin
        began = time.monotonic()
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={name: value for name, value in given.items() if value is not None},
            cwd=cwd or self.app,
            preexec_fn=_prepared(said, before),
            start_new_session=True,
        )
        try:
            out, err = _told(process, said)
        finally:
            _end(process)
        seconds = time.monotonic() - began
        left = alive(mark)
        if left:  # else nothing is there that could start something
            time.sleep(0.1)
            left = alive(mark)
        return Fired(process.returncode, out, err, seconds, left)

    def heard(self) -> list[dict[str, Any]]:
        """Give the prompts in the queue."""
        found = sorted((self.store / "queue").glob("heard-*.json"))
        return [json.loads(path.read_text(encoding="utf-8")) for path in found]

    def log(self) -> list[str]:
        """Give the lines of the hooks' log, wherever it lies below the home."""
        found = [*self.user.rglob("hook.log")]
        return [line for path in found for line in path.read_text(encoding="utf-8").splitlines()]


def payload(host: str, event: str, cwd: Path, **more: str) -> bytes:
    """Give the object a host sends, with its own keys."""
    dialect = hosts.host(host).dialect
    said: dict[str, Any] = {"cwd": str(cwd), "hook_event_name": event, "source": "startup"}
    values = {"session": "s-1", "prompt": CORRECTION, "transcript": "/tmp/t.jsonl", "turn": "t-1", **more}
    for name, value in values.items():
        at, (*parents, key) = said, getattr(dialect, name).split(".")
        for parent in parents:
            at = at.setdefault(parent, {})
        if key:
            at[key] = value
    return json.dumps(said).encode()


def _prepared(said: object, before: Callable[[], None] | None) -> Callable[[], None]:
    def prepare() -> None:
        if said is CLOSED:
            os.close(0)
        if before:
            before()

    return prepare


def _told(process: subprocess.Popen[bytes], said: object) -> tuple[bytes, bytes]:
    """Say what a host says and collect the answer; an input that never ends is held open until then."""
    if isinstance(said, bytes):
        return process.communicate(said, timeout=30)
    first, last = said if isinstance(said, tuple) else (b"", said)
    assert process.stdin and process.stdout and process.stderr
    if last is CLOSED:
        process.stdin.close()
    elif first:
        process.stdin.write(first)
        process.stdin.flush()
    process.wait(timeout=30)
    out, err = process.stdout.read(), process.stderr.read()
    process.stdin.close()
    return out, err


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def alive(mark: str) -> list[str]:
    """Name the living processes that have a mark in their environment."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={mark}".encode() in environ.read_bytes():
                found.append((environ.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # it ended meanwhile, or is another user's
            continue
    return found


def valid(host: str, event: str, out: bytes) -> bool:
    """Tell whether an answer is one that a host understands: nothing, or context in its own form."""
    if not out:
        return True
    form = hosts.host(host).dialect.answer
    if event not in ("session-start", "prompt"):
        return False
    if form == "text":
        return event == "session-start" and bool(out.decode("utf-8"))
    keys = {"nested": "hookSpecificOutput", "flat": "additionalContext", "snake": "additional_context"}
    body = json.loads(out.decode("ascii"))
    return isinstance(body, dict) and keys.get(form, "contextModification") in body


def slack() -> float:
    """Measure how slow the machine is right now, in seconds that a hook may take longer."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return 15 * (time.monotonic() - began)
