"""Many processes that observe at once while some of them are killed: nothing acknowledged is lost or doubled.

Run alone for the long version:  python tests/commands/crowd.py 64 200
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

WORKER = """
import os, sys

from improve.cli import run
name, first, count, shelves = sys.argv[1], *(int(number) for number in sys.argv[2:5])
log = os.open(sys.argv[5], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
quiet = os.open(os.devnull, os.O_WRONLY)
os.dup2(quiet, 1)
for number in range(first, count):
    os.write(log, f"tried {number}\\n".encode())
    rule = f"Keep shelf number {(int(name) * count + number) % shelves} tidy and labelled"
    code = run(["observe", rule, "--project", "crowd", "--context", f"w{name}-{number}", "--new"])
    if code in (0, 4):
        os.write(log, f"acked {number}\\n".encode())
    else:
        os.write(log, f"failed {number} {code}\\n".encode())
"""


@dataclass(frozen=True)
class Result:
    """What the crowd tried, what it was promised, and what is there."""

    tried: set[str]
    acked: set[str]
    failed: list[str]
    found: Counter[str]
    kills: int
    strays: list[str]

    @property
    def lost(self) -> set[str]:
        """Acknowledged and not there."""
        return self.acked - set(self.found)

    @property
    def doubled(self) -> set[str]:
        """There more than once."""
        return {name for name, count in self.found.items() if count > 1}

    @property
    def invented(self) -> set[str]:
        """There and never tried."""
        return set(self.found) - self.tried


def crowd(home: Path, workers: int, count: int, *, seed: int = 1, kill_every: float = 0.05) -> Result:
    """Start the workers, kill one at random again and again, and start it anew after the number it died at."""
    chance = random.Random(seed)
    logs = home / "logs"
    logs.mkdir(parents=True)
    shelves = max(40, workers * count // 20)  # few enough observations a rule that none is folded into a total
    running = {n: _start(home, n, 0, count, shelves) for n in range(workers)}
    kills = 0
    while running:
        time.sleep(kill_every)
        for number, process in list(running.items()):
            if process.poll() is not None:
                done = _last_tried(logs / str(number)) + 1
                if process.returncode == -signal.SIGKILL and done < count:
                    running[number] = _start(home, number, done, count, shelves)
                else:
                    del running[number]
        if running and kills < workers * 3:
            victim = chance.choice(list(running.values()))
            if victim.poll() is None:
                victim.send_signal(signal.SIGKILL)
                kills += 1
    return _result(home, logs, kills)


def _start(home: Path, number: int, first: int, count: int, shelves: int) -> subprocess.Popen[bytes]:
    numbers = [str(n) for n in (number, first, count, shelves)]
    argv = [sys.executable, "-c", WORKER, *numbers, str(home / "logs" / str(number))]
    env = {
        **os.environ,
        "HOME": str(home),
        "AGENT_IMPROVEMENT_HOME": str(home / "store"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
    }
    return subprocess.Popen(argv, env=env, cwd=home, stderr=subprocess.DEVNULL)


def _last_tried(log: Path) -> int:
    tried = (
        [int(line.split()[1]) for line in log.read_text(encoding="utf-8").splitlines() if line.startswith("tried")]
        if log.exists()
        else []
    )
    return max(tried, default=-1)


def _result(home: Path, logs: Path, kills: int) -> Result:
    tried, acked, failed = set(), set(), []
    for log in logs.iterdir():
        for line in log.read_text().splitlines():
            word, number, *_ = line.split()
            name = f"w{log.name}-{number}"
            tried |= {name} if word == "tried" else set()
            acked |= {name} if word == "acked" else set()
            failed += [line] if word == "failed" else []
    env = {
        **os.environ,
        "HOME": str(home),
        "AGENT_IMPROVEMENT_HOME": str(home / "store"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
    }
    subprocess.run(
        [sys.executable, "-m", "improve", "status"], env=env, cwd=home, check=True, stdout=subprocess.DEVNULL
    )
    from improve import document

    _, entries = document.whole((home / "store" / "rules.yaml").read_bytes())
    found = Counter(o.context for e in entries if e.rule for o in e.rule.observations)
    strays = [p.name for p in (home / "store").rglob("*") if p.name.startswith(".improve-") or p.parent.name == "spool"]
    return Result(tried, acked, failed, found, kills, strays)


def main() -> None:
    """Run the long version and print its figures."""
    workers, count = (int(a) for a in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        got = crowd(Path(folder), workers, count)
        print(
            f"{workers} processes × {count}: tried {len(got.tried)}, acknowledged {len(got.acked)}, "
            f"found {len(got.found)}, "
            f"killed {got.kills}, lost {len(got.lost)}, doubled {len(got.doubled)}, invented {len(got.invented)}, "
            f"failed {len(got.failed)}, stray files {len(got.strays)}, {time.monotonic() - begin:.0f} s"
        )
        print("\n".join(got.failed), end="\n" if got.failed else "")
        sys.exit(bool(got.lost or got.doubled or got.invented or got.failed or got.strays))


if __name__ == "__main__":
    main()
