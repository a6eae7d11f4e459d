"""What `python3 scripts/improve.py` costs over the installed command: medians of one run, side by side.

The installed command is what pip's console script does, in the private environment's own Python.
Judged is processor time, which other work on the machine changes little; on an idle machine the two
times are the same, for the command waits for nothing. Target: at most 20 ms.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "improve.py"
ROUNDS = 20
TARGET_MS = 20.0


@dataclass(frozen=True)
class Cost:
    """Milliseconds of one command."""

    wall: float
    processor: float


def private_python() -> str:
    """Build the private environment if there is none; give its Python."""
    spec = importlib.util.spec_from_file_location("bootstrap", SCRIPT)
    assert spec is not None and spec.loader is not None
    bootstrap = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bootstrap)
    requirements, source = bootstrap.declared(str(SCRIPT)), str(SCRIPT.parent.parent / "src")
    found = bootstrap.find(requirements, source) or bootstrap.build(requirements, source)
    return str(found.python)


def once(command: list[str], environ: dict[str, str], cwd: str) -> Cost:
    """Run a command and measure it."""
    started = time.perf_counter()
    child = subprocess.Popen(command, env=environ, cwd=cwd, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command} ended with {child.returncode}")
    return Cost(1000 * (time.perf_counter() - started), 1000 * (usage.ru_utime + usage.ru_stime))


def medians(commands: dict[str, list[str]]) -> dict[str, Cost]:
    """Run the commands in turn; give the median of each. The first round only warms up."""
    taken: dict[str, list[Cost]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as home:
        environ = os.environ | {"AGENT_IMPROVEMENT_HOME": str(Path(home) / "store")}
        for _ in range(ROUNDS + 1):
            for name, command in commands.items():
                taken[name].append(once(command, environ, home))
    return {
        name: Cost(
            statistics.median(cost.wall for cost in costs[1:]),
            statistics.median(cost.processor for cost in costs[1:]),
        )
        for name, costs in taken.items()
    }


def main() -> int:
    """Print the medians and what the script costs; fail above the target."""
    python, base = private_python(), str(getattr(sys, "_base_executable", sys.executable))
    installed = "import sys; from improve.__main__ import main; sys.exit(main())"
    commands = {
        "python -c pass": [base, "-c", "pass"],
        "installed": [python, "-c", installed, "--version"],
        "script": [base, str(SCRIPT), "--version"],
    }
    found = medians(commands)
    for name, cost in found.items():
        print(f"{name:15} {cost.processor:6.1f} ms processor {cost.wall:6.1f} ms wall")
    more = found["script"].processor - found["installed"].processor
    bare = found["python -c pass"].processor
    print(f"the script costs {more:.1f} ms more than the installed command, {more / bare:.2f} × python -c pass")
    return 0 if more <= TARGET_MS else 1


if __name__ == "__main__":
    sys.exit(main())
