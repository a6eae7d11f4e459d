"""scan: what it costs when nothing is new, and when one file is very long; benchmarks/rescan.py has the figures."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from commands.sessions import PNPM, Claude, Codex

WEIGHED = """
import sys
from improve.cli import run
code = run(["scan", "--json"])
with open("/proc/self/status") as stream:
    told = next(line for line in stream if line.startswith("VmHWM"))
sys.stderr.write(told.split()[1])
sys.exit(code)
"""
"""The kernel counts for a child what its parent weighed; this is its own."""
LOOK = [sys.executable, "-P", "-m", "improve", "scan", "--json"]


def seconds(argv: list[str]) -> float:
    """Give the best wall time of a few runs, which a busy machine disturbs least."""
    spent = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)
        spent.append(time.perf_counter() - begin)
    return min(spent)


def test_a_scan_with_nothing_new_is_quick(improve: Improve, home: Path, repository: Repository) -> None:
    """A thousand unchanged files cost no more than a few starts of Python, and none of them is opened."""
    shop = repository("shop")
    for number in range(500):
        Claude(home, shop, f"s{number}").types("please go on")
        Codex(home, shop, f"c{number}").types("please go on")
    assert improve("scan", "--json").json["coverage"]["read"] == 1_000
    for path in (*(home / ".claude").rglob("*.jsonl"), *(home / ".codex").rglob("*.jsonl")):
        path.chmod(0)
    assert improve("scan", "--json").json["coverage"] == {
        "read": 0, "unchanged": 1_000, "sessions": 0, "messages": 0, "size": 0, "unreadable": [], "bad": [],
    }  # fmt: skip
    assert seconds(LOOK) < 20 * seconds([sys.executable, "-c", "pass"])


def resident(megabytes: int, session: Claude) -> float:
    """Make the session so long and scan it in a process of its own; give the megabytes that took."""
    block = {"type": "tool_result", "tool_use_id": "t", "content": "x" * 20_000}
    line = json.dumps({"type": "user", "message": {"role": "user", "content": [block]}, "sessionId": session.id}) + "\n"
    with session.path.open("ab") as stream:
        for _ in range(megabytes):
            stream.write(line.encode() * 50)
    session.corrected()
    done = subprocess.run([sys.executable, "-P", "-c", WEIGHED], capture_output=True, check=True)
    return int(done.stderr) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's accounting")
@pytest.mark.parametrize("megabytes", [30, pytest.param(300, marks=pytest.mark.nightly)])
def test_a_long_file_takes_little_memory(improve: Improve, home: Path, repository: Repository, megabytes: int) -> None:
    """It is read as a stream: 80 MB at most, however long it is, and what is said at its end is found."""
    session = Claude(home, repository("shop")).types("please go on")
    assert resident(megabytes, session) < 80
    assert PNPM in [c["words"] for c in improve("inbox", "--json").json["candidates"]]
