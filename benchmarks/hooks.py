"""Time the hooks, run as a host runs them, against the bare interpreter.

    python benchmarks/hooks.py [--rules 10000] [--guards 200] [--runs 21]

The command is the one `install` writes, given to `sh -c` with an event on standard input. Every figure is a ratio of
medians measured side by side in this run, of wall time and of processor time, which a busy machine disturbs less;
milliseconds are shown only to give a feeling.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from speed import environment, make_store

TASK = "please add a retry helper to the client"
CORRECTION = "no, use uv here, never pip install"
LONG = "no, that is wrong: " + "the handler in src/api/handlers/orders.py must not swallow the error. " * 12
QUIET = {"tool_name": "Bash", "tool_input": {"command": "git status --short && ls -la src | head -20"}}
EDIT = {
    "tool_name": "Edit",
    "tool_input": {"file_path": "/x/a.py", "old_string": "a\n" * 400, "new_string": "b\n" * 400},
}
HIT = {"tool_name": "Bash", "tool_input": {"command": "cd api && pip install -r requirements.txt"}}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rules", type=int, default=10_000)
    parser.add_argument("--guards", type=int, default=200)
    parser.add_argument("--runs", type=int, default=21)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options)


def measure(base: Path, options: argparse.Namespace) -> None:
    """Run everything interleaved, so that a slow moment of the machine hits all alike."""
    env, quiet = environment(base, "home"), environment(base, "quiet")
    repo = prepared(base, [env, quiet], options)
    cases = cases_in(repo)
    times: dict[str, list[Spent]] = {name: [] for name in ("python -c pass", *cases)}
    for run in range(options.runs):
        times["python -c pass"].append(once([sys.executable, "-c", "pass"], b"", env, repo))
        for name, (event, said) in cases.items():
            said = {**said, "session_id": f"{name}-{run}", "prompt_id": str(run)}
            # a session's start lets another process take in what prompts left: not in the one that is timed
            place = quiet if event == "session-start" else env
            times[name].append(once(["sh", "-c", command(place, event)], json.dumps(said).encode(), place, repo))
    report(times, options)


def prepared(base: Path, homes: list[dict[str, str]], options: argparse.Namespace) -> Path:
    """Make each home's store and launcher, and a project with an instruction file."""
    repo = base / "repo"
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    subprocess.run(["git", "-C", str(repo), "remote", "add", "origin", "https://github.com/acme/p1.git"], check=True)
    (repo / "CLAUDE.md").write_text("# Rules\n\n" + "- Keep functions short and name things well\n" * 40)
    for env in homes:
        make_store(Path(env["AGENT_IMPROVEMENT_HOME"]), options.rules, guards=options.guards)
        (Path(env["HOME"]) / ".claude").mkdir()
        for argv in (["install", "claude-code"], ["status"]):
            subprocess.run([sys.executable, "-m", "improve", *argv], env=env, cwd=repo, check=True, capture_output=True)
    time.sleep(2.5)  # a file that changed just now is read again each time
    said = {"cwd": str(repo), **QUIET}
    once(["sh", "-c", command(homes[0], "pre-tool")], json.dumps(said).encode(), homes[0], repo)
    return repo


def cases_in(repo: Path) -> dict[str, tuple[str, dict[str, object]]]:
    """Name the events that are timed."""
    here: dict[str, object] = {"cwd": str(repo), "source": "startup"}
    return {
        "prompt, a task": ("prompt", {**here, "prompt": TASK}),
        "prompt, a correction": ("prompt", {**here, "prompt": CORRECTION}),
        "prompt, a long correction with paths": ("prompt", {**here, "prompt": LONG}),
        "pre-tool, no guard concerned": ("pre-tool", {**here, **QUIET}),
        "pre-tool, an edit": ("pre-tool", {**here, **EDIT}),
        "pre-tool, a guard is hit": ("pre-tool", {**here, **HIT}),
        "stop": ("stop", here),
        "session-start": ("session-start", here),
    }


def command(env: dict[str, str], event: str) -> str:
    """Give the command line that stands in the settings."""
    from improve.hosts import wiring

    return wiring.command(f"{env['AGENT_IMPROVEMENT_HOME']}/bin/improve-hook", "claude-code", event)


class Spent(NamedTuple):
    """What one process took, seconds."""

    wall: float
    processor: float


def once(argv: list[str], said: bytes, env: dict[str, str], cwd: Path) -> Spent:
    """Run a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(argv, input=said, env=env, cwd=cwd, capture_output=True, check=False)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{argv}: exit {done.returncode}\n{done.stderr.decode()}")
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def report(times: dict[str, list[Spent]], options: argparse.Namespace) -> None:
    """Print one row a case."""
    middle = {name: Spent(*map(statistics.median, zip(*taken, strict=True))) for name, taken in times.items()}
    base = middle["python -c pass"]
    print(f"{options.rules:,} rules, {options.runs} runs, medians: wall time, processor time")
    for name, (wall, processor) in middle.items():
        print(f"{name:<40} {wall / base.wall:5.2f}×  {processor / base.processor:5.2f}×   {wall * 1000:6.1f} ms")


if __name__ == "__main__":
    main()
