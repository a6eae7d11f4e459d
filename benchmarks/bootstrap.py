"""What `python3 scripts/improve.py` costs over the installed command: medians of one run, side by side.

The installed command is what pip's console script does, in the private environment's own Python.
Target: at most 20 ms.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "improve.py"
ROUNDS = 20
TARGET_MS = 20.0


def private_python() -> str:
    """Build the private environment if there is none; give its Python."""
    spec = importlib.util.spec_from_file_location("bootstrap", SCRIPT)
    assert spec is not None and spec.loader is not None
    bootstrap = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bootstrap)
    requirements, source = bootstrap.declared(str(SCRIPT)), str(SCRIPT.parent.parent / "src")
    found = bootstrap.find(requirements, source) or bootstrap.build(requirements, source)
    return str(found.python)


def medians(commands: dict[str, list[str]]) -> dict[str, float]:
    """Run the commands in turn; give the median milliseconds of each."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as home:
        environ = os.environ | {"AGENT_IMPROVEMENT_HOME": str(Path(home) / "store")}
        for _ in range(ROUNDS + 1):
            for name, command in commands.items():
                started = time.perf_counter()
                subprocess.run(command, env=environ, cwd=home, stdout=subprocess.DEVNULL, check=True)
                taken[name].append(1000 * (time.perf_counter() - started))
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


def main() -> int:
    """Print the medians and what the script costs; fail above the target."""
    python, base = private_python(), str(getattr(sys, "_base_executable", sys.executable))
    installed = "import sys; from improve.__main__ import main; sys.exit(main())"
    found = medians(
        {
            "python -c pass": [base, "-c", "pass"],
            "installed": [python, "-c", installed, "--version"],
            "script": [base, str(SCRIPT), "--version"],
        }
    )
    for name, milliseconds in found.items():
        print(f"{name:15} {milliseconds:6.1f} ms")
    cost = found["script"] - found["installed"]
    print(f"scripts/improve.py costs {cost:.1f} ms over the installed command (target: {TARGET_MS:.0f} ms)")
    return 0 if cost <= TARGET_MS else 1


if __name__ == "__main__":
    sys.exit(main())
