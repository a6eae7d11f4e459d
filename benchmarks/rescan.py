"""Time a scan that has nothing new to read against the bare interpreter, and weigh a scan of one long file.

    python benchmarks/rescan.py [--files 5000] [--runs 15] [--megabytes 300]

The ratio is one of medians measured side by side in this run; milliseconds are shown only to give a feeling. The files
are sessions of Claude Code and of Codex, half and half, in a hundred projects.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from speed import environment

SAID = "No, that's wrong: use pnpm, never npm."
LONG = "x" * 4_000


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--megabytes", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rescan(Path(folder), options)
    if options.megabytes:
        with tempfile.TemporaryDirectory() as folder:
            weigh(Path(folder), options.megabytes)


def rescan(base: Path, options: argparse.Namespace) -> None:
    """Read everything once, then look again and again."""
    env = environment(base, "home")
    home = Path(env["HOME"])
    for number in range(options.files):
        (claude if number % 2 else codex)(home, number)
    scan = [str(Path(sys.executable).with_name("improve")), "scan", "--json"]
    begin = time.perf_counter()
    first = json.loads(subprocess.run(scan, env=env, cwd=base, capture_output=True, check=True).stdout)
    print(f"first scan: {first['coverage']['read']:,} files in {time.perf_counter() - begin:.1f} s")
    times: dict[str, list[float]] = {"python -c pass": [], "rescan": []}
    for _ in range(options.runs):
        times["python -c pass"].append(once([sys.executable, "-c", "pass"], env, base))
        times["rescan"].append(once(scan, env, base))
    again = json.loads(subprocess.run(scan, env=env, cwd=base, capture_output=True, check=True).stdout)
    assert again["coverage"]["read"] == 0, again
    bare, spent = (statistics.median(times[name]) for name in ("python -c pass", "rescan"))
    print(f"{again['coverage']['unchanged']:,} unchanged files, medians of {options.runs} runs, side by side")
    print(f"python -c pass {bare * 1000:.1f} ms, rescan {spent * 1000:.1f} ms: {spent / bare:.1f} x")


def once(argv: list[str], env: dict[str, str], cwd: Path) -> float:
    """Run a command and give its wall time."""
    begin = time.perf_counter()
    subprocess.run(argv, env=env, cwd=cwd, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def weigh(base: Path, megabytes: int) -> None:
    """Scan one long file and print how much memory that took."""
    env = environment(base, "home")
    path = claude(Path(env["HOME"]), 0)
    block = path.read_bytes() + result().encode() * 250
    with path.open("ab") as stream:
        for _ in range(megabytes * 1_000_000 // len(block)):
            stream.write(block)
    begin = time.perf_counter()
    scan = [str(Path(sys.executable).with_name("improve")), "scan", "--json"]
    process = subprocess.Popen(scan, env=env, cwd=base, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    spent = time.perf_counter() - begin
    size = path.stat().st_size / 1e6
    print(f"one file of {size:,.0f} MB: {usage.ru_maxrss / 1024:.0f} MB resident, {size / spent:,.0f} MB/s")
    assert status == 0


def claude(home: Path, number: int) -> Path:
    """Write a session of Claude Code."""
    named, cwd = str(uuid5(NAMESPACE_URL, f"claude {number}")), f"/home/me/project-{number % 100}"
    path = home / ".claude" / "projects" / cwd.replace("/", "-") / f"{named}.jsonl"
    rows = []
    for step, text in enumerate(("please go on", SAID)):
        head = {"uuid": f"{named}-{step}", "timestamp": moment(number, step), "cwd": cwd, "sessionId": named}
        rows.append({**head, "type": "user", "message": {"role": "user", "content": text}})
        rows.append({**head, "type": "assistant", "message": {"content": [{"type": "text", "text": "I ran npm i."}]}})
    return written(path, rows)


def result() -> str:
    """Give a line with what a tool said, which is most of every real session."""
    block = {"type": "tool_result", "tool_use_id": "t", "content": LONG}
    row = {"type": "user", "message": {"role": "user", "content": [block]}, "timestamp": moment(0, 0)}
    return json.dumps(row) + "\n"


def codex(home: Path, number: int) -> Path:
    """Write a session of Codex."""
    named, at = str(uuid5(NAMESPACE_URL, f"codex {number}")), moment(number, 0)
    path = (
        home / ".codex" / "sessions" / at[:10].replace("-", "/") / f"rollout-{at[:19].replace(':', '-')}-{named}.jsonl"
    )
    meta = {"id": named, "timestamp": at, "cwd": f"/home/me/project-{number % 100}", "source": "cli"}
    rows: list[dict[str, object]] = [{"timestamp": at, "type": "session_meta", "payload": meta}]
    for step, text in enumerate(("please go on", SAID)):
        told = {"type": "user_message", "message": text}
        rows.append({"timestamp": moment(number, step), "type": "event_msg", "payload": told})
    return written(path, rows)


def moment(number: int, step: int) -> str:
    """Give each line its own moment within the last weeks."""
    at = datetime.now(UTC) - timedelta(days=20) + timedelta(minutes=4 * number, seconds=step)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    """Write lines of JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
