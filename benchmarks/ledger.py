"""Time how the ledger is brought up to date over a long history, and how checks are tried on it.

    python benchmarks/ledger.py [DATA] [--megabytes 1000] [--runs 9] [--where]

DATA is the folder that holds `transcripts/` (default: $IMPROVE_DATA). Its sessions of Claude Code and of Codex are
repeated, each time with identities and days of their own, until there is as much as asked for. Every reading is a
process of its own. What a reading opens is counted by an audit hook, so that "reads nothing" is no claim of ours.
`--where` adds a profile of the first reading.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

from speed import environment

_IDENTITY = re.compile(rb"([0-9a-f]{8})-[0-9a-f]{4}-([0-9a-f]{4}-)")
_DAY = re.compile(rb"(20[0-9]{2}-[01][0-9]-[0-3][0-9])(?=T[0-9]{2}:)")
_READING = """
import json, os, sys, time
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from datetime import UTC, datetime
from improve.workflow import past
from improve.workflow.here import Here
begin = time.perf_counter()
ledger, covered = past.bring_up_to_date(Here.from_environment(os.environ, datetime.now(UTC).astimezone()))
spent = time.perf_counter() - begin
most = next((int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")), 0)
touched = sum(path.endswith(".jsonl") and ".agent-improvement" not in path for path in opened)
print(json.dumps({"spent": spent, "read": covered.read, "unchanged": covered.unchanged, "size": covered.size,
    "opened": touched, "most": most, "ledger": os.path.getsize(ledger.path), "unreadable": len(covered.unreadable)}))
"""
_WHERE = """
import cProfile, pstats, sys
profile = cProfile.Profile()
profile.run(sys.argv[1])
pstats.Stats(profile).sort_stats("tottime").print_stats(22)
"""
_CHECKS = """
import os, sys, time
from datetime import UTC, datetime
from improve.rule import Check
from improve.workflow import past
from improve.workflow.here import Here
from improve.workflow.sieve import Sieve
ledger, _ = past.bring_up_to_date(Here.from_environment(os.environ, datetime.now(UTC).astimezone()))
words = ("pip install", "npm install", "git push --force", "rm -rf", "sudo", "curl", "docker run", "git add .", "yarn",
    "make clean", "git reset --hard", "chmod 777", "kill -9", "npx", "poetry add", "pytest", "sed -i", "cat", "wget",
    "brew install")
checks = {word: Check("shell", (word,)) for word in words}
begin = time.perf_counter()
calls = hits = 0
sieve = Sieve(checks)
for entry in ledger.entries():
    calls += len(entry.deeds)
    hits += sum(len(found) for _, found in sieve.of(entry))
print(f"{calls:,} calls x {len(checks)} checks: {time.perf_counter() - begin:.2f} s, {hits:,} hits")
"""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", default=os.environ.get("IMPROVE_DATA", ""))
    parser.add_argument("--megabytes", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--where", action="store_true")
    options = parser.parse_args()
    if not options.data or not any(Path(options.data, "transcripts").glob("*/*.jsonl")):
        print("skipped: no real transcripts (name their folder, or set IMPROVE_DATA)")
        return
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        env = {**environment(base, "home"), "XDG_STATE_HOME": str(base / "state")}
        files = history(Path(options.data, "transcripts"), Path(env["HOME"]), options.megabytes * 1_000_000)
        if options.where:
            subprocess.run([sys.executable, "-c", _WHERE, _READING], env=env, cwd=base, check=True)
            return
        readings(files, env, base, options.runs)
        print(run(_CHECKS, env, base))


def readings(files: list[Path], env: dict[str, str], base: Path, runs: int) -> None:
    """Read all of it, then nothing, then what one session gained."""
    total = sum(path.stat().st_size for path in files)
    first = json.loads(run(_READING, env, base))
    print(f"{len(files):,} transcripts, {total / 1e6:,.0f} MB")
    print(
        f"first reading: {first['spent']:.1f} s, {total / 1e6 / first['spent']:.0f} MB/s, "
        f"{first['most'] / 1024:.0f} MB resident, ledger {first['ledger'] / 1e6:.1f} MB "
        f"({first['ledger'] / total * 1000:.1f} MB per GB), {first['unreadable']} unreadable"
    )
    bare, again = [], []
    for _ in range(runs):
        bare.append(once("pass", env, base))
        again.append(once(_READING, env, base))
    second = json.loads(run(_READING, env, base))
    middle, least = statistics.median(again), statistics.median(bare)
    print(
        f"second reading: {second['size']} bytes of {second['read']} transcripts, {second['opened']} opened; "
        f"{middle * 1000:.0f} ms, python -c pass {least * 1000:.0f} ms: {middle / least:.1f} x"
    )
    grown = files[len(files) // 2]
    more = b'{"type":"user","uuid":"new-%d","timestamp":"2026-11-30T10:00:00.000Z","message":{"content":"go on"}}\n'
    added = b"".join(more % number for number in range(5))
    with grown.open("ab") as stream:
        stream.write(added)
    third = json.loads(run(_READING, env, base))
    print(
        f"third reading, {len(added)} bytes added to one session: {third['size']} bytes of {third['read']} transcripts"
    )
    assert (second["size"], second["opened"], third["size"]) == (0, 0, len(added)), (second, third)


def run(code: str, env: dict[str, str], base: Path) -> str:
    """Run code in a process of its own and give what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=base, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.rstrip()


def once(code: str, env: dict[str, str], base: Path) -> float:
    """Give the wall time of a process."""
    begin = time.perf_counter()
    run(code, env, base)
    return time.perf_counter() - begin


def history(data: Path, home: Path, size: int) -> list[Path]:
    """Write sessions until there is as much as asked for."""
    texts = [("claude", path.read_bytes().rstrip(b"\n") + b"\n") for path in sorted(data.glob("claude-code/*.jsonl"))]
    texts += [("codex", path.read_bytes().rstrip(b"\n") + b"\n") for path in sorted(data.glob("codex/*.jsonl"))]
    files: list[Path] = []
    written = copy = 0
    while written < size:
        host, text = texts[copy % len(texts)]
        places = {
            "claude": home / ".claude" / "projects" / f"p-{copy // 50}" / f"{copy}.jsonl",
            "codex": home / ".codex" / "sessions" / "2026" / f"rollout-{copy}.jsonl",
        }
        path = places[host]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(fresh(text, copy))
        files.append(path)
        written, copy = written + len(text), copy + 1
    return files


def fresh(text: bytes, copy: int) -> bytes:
    """Give a copy of a session that has identities and days of its own."""
    text = _IDENTITY.sub(lambda found: b"%s-%04x-%s" % (found[1], copy % 65536, found[2]), text)
    return _DAY.sub(lambda found: earlier(found[1], copy), text)


@lru_cache(maxsize=1 << 16)
def earlier(day: bytes, days: int) -> bytes:
    """Count days back from one that is written down; what is no day stays."""
    try:
        return str(date.fromisoformat(day.decode()) - timedelta(days=days)).encode()
    except (ValueError, OverflowError):
        return day


if __name__ == "__main__":
    main()
