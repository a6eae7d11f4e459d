"""Run installed hooks the way their hosts do, with events that leave nothing behind, and look at what comes back.

A hook is silent when something is wrong, so silence proves nothing: that a launcher starts us at all is seen in a
throw-away store, in which a correction must leave its trace.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from improve import hosts
from improve.hosts.base import Host
from improve.hosts.wiring import TOOL_EVENTS
from improve.workflow.here import Here
from improve.workflow.wired import Wired

LIMIT = 5.0
"""Seconds after which a hook is ended."""
SLOW = 1.0
"""Seconds a person may be kept waiting by a hook."""
_AT_ONCE = 4
_SESSION = "doctor"
_TASK = "please add a retry helper to the client"
_CORRECTION = "no, use uv here, never pip install"
_TOOL, _ARGUMENTS = "Bash", {"command": ":"}
"""A call of a tool that does nothing, so that no guard is about it."""
_KEPT = (
    *("HOME", "LANG", "LC_ALL", "LOGNAME", "TMPDIR", "TZ", "USER"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
    *("APPDATA", "COMSPEC", "LOCALAPPDATA", "SYSTEMROOT", "TEMP", "USERPROFILE"),
)
"""Variables that a hook is given: a host that is started from a menu has not many more."""
_STAMP = "improve-rules v"


class Run(NamedTuple):
    """One hook that was run."""

    host: str
    event: str
    command: str
    code: int
    """Exit code; negative when a signal ended it."""
    seconds: float
    said: str
    trouble: str = ""
    """What is wrong with that, in one clause; empty when nothing is."""


def run_all(here: Here, found: Iterable[Wired]) -> list[Run]:
    """Run the hooks that stand in the hosts' files, several at a time."""
    jobs = {tuple(job[3]): job for wired in found for job in _jobs(here, wired)}.values()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        runs = list(pool.map(lambda job: _run(here, *job), jobs))
    # on a busy machine each of several may be slow, and alone it is not
    return [_run(here, *job) if run.trouble and run.code == 0 else run for job, run in zip(jobs, runs, strict=True)]


_Job = tuple[Host, str, str, list[str]]


def _jobs(here: Here, wired: Wired) -> list[_Job]:
    """List what a host would run for an entry: by a shell, or, for a plugin of ours, without one."""
    host = hosts.host(wired.host)
    if wired.state == "missing":
        return []
    if wired.command:
        return [(host, wired.event, wired.command, [_shell(), "-c", wired.command])]
    if host.dialect.answer != "text":  # a file nobody can read
        return []
    events = ("session-start", "prompt", "stop", "session-end", "pre-tool")
    called = [[here.home.launcher, host.name, event] for event in events]
    return [(host, argv[2], " ".join(argv), argv) for argv in called]


def _shell() -> str:
    return "/bin/sh" if os.path.exists("/bin/sh") else "sh"


def _run(here: Here, host: Host, event: str, command: str, argv: list[str]) -> Run:
    code, seconds, said, trouble = _started(argv, sample(host, event, here.cwd), _environment(here.env), here.cwd)
    trouble = trouble or _fault(host, event, code, said)
    if not trouble and seconds > SLOW:
        trouble = f"took {seconds:.1f} s, and {host.title} waits for it"
    return Run(host.name, event, command, code, seconds, said, trouble)


def sample(host: Host, event: str, cwd: str) -> dict[str, Any]:
    """Make an event in a host's own words that records nothing: no session ends, and nobody corrects anything."""
    dialect = host.dialect
    said: dict[str, Any] = {"cwd": cwd}
    if event in ("session-start", "prompt", *TOOL_EVENTS):
        _put(said, dialect.session, _SESSION)
    if event in TOOL_EVENTS:
        _put(said, dialect.tool, _TOOL)
        _put(said, dialect.arguments, _ARGUMENTS)
    if event == "session-start":
        said["source"] = "startup"
    if event == "prompt":
        _put(said, dialect.prompt, _TASK)
    return said


def _put(said: dict[str, Any], key: str, value: object) -> None:
    """Set a value by a key, or a dotted path of keys."""
    *outer, last = key.split(".")
    for part in outer:
        said = said.setdefault(part, {})
    said[last] = value


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    """Keep next to nothing: a host started from a menu has no more, and no host's own marks are handed on."""
    return {"PATH": os.defpath, **{name: value for name, value in env.items() if name in _KEPT}}


def _started(
    argv: list[str], event: Mapping[str, Any], env: Mapping[str, str], cwd: str
) -> tuple[int, float, str, str]:
    """Run a program; gives exit code, seconds, what it said, and what was wrong."""
    began = time.monotonic()
    where = cwd if os.path.isdir(cwd) else None
    pipe, data = subprocess.PIPE, json.dumps(event).encode()
    try:
        process = subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=where, start_new_session=True
        )
    except OSError as error:
        return 127, 0.0, "", f"cannot be started: {error.strerror}"
    with process:
        try:
            out, err = process.communicate(data, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            _end(process)
            return -signal.SIGTERM, time.monotonic() - began, "", f"did not end within {LIMIT:.0f} s"
    seconds, code = time.monotonic() - began, process.returncode
    complaint = err.decode("utf-8", "replace").strip().splitlines()
    trouble = f"exit code {code}{': ' + complaint[-1] if complaint else ''}" if code else ""
    return code, seconds, out.decode("utf-8", "replace"), trouble


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and what it started: its pipes stay open as long as one of them lives."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.communicate()


def _fault(host: Host, event: str, code: int, said: str) -> str:
    """Say what the host could not make sense of; no answer is always good."""
    text = said.strip()
    if code or not text:
        return ""
    if event not in ("session-start", "prompt", *TOOL_EVENTS):
        return "printed something, which this event must not"
    if host.dialect.answer == "text" and event not in TOOL_EVENTS:
        return "" if text.startswith(_STAMP) else "printed something that is no list of rules"
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    return "" if isinstance(answer, dict) else f"printed something that {host.title} cannot read: it is no JSON object"


# --- the launchers ---


def dead(here: Here, launcher: str) -> str:
    """Say why a launcher does not start us; empty when it does."""
    if not os.path.exists(launcher):
        return "it is gone"
    if not os.access(launcher, os.X_OK):
        return "it may not be executed"
    with tempfile.TemporaryDirectory(prefix="improve-doctor-") as scratch:
        store = os.path.join(scratch, "store")
        env = {**_environment(here.env), "AGENT_IMPROVEMENT_HOME": store}
        env |= {"XDG_CACHE_HOME": scratch, "XDG_STATE_HOME": scratch}
        host = hosts.host("claude-code")  # it names its sessions itself, so nothing is noted of them
        event = {**sample(host, "prompt", scratch), host.dialect.prompt: _CORRECTION}
        trouble = _started([launcher, host.name, "prompt"], event, env, scratch)[3]
        queue = os.path.join(store, "queue")
        if not trouble and os.path.isdir(queue) and os.listdir(queue):
            return ""
    return trouble or "it does nothing, and Python or this package was moved or removed"


def program_trouble(here: Here) -> str:
    """Say why the program that the skill calls does not run; empty when it does."""
    path = here.home.program
    if not os.access(path, os.X_OK):
        return "it is gone" if not os.path.exists(path) else "it may not be executed"
    return _started([path, "--version"], {}, _environment(here.env), here.cwd)[3]
