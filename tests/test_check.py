"""scripts/check: the one gate, for people and for CI."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def check(*args: str) -> subprocess.CompletedProcess[str]:
    """Run scripts/check with this Python, which has all the tools."""
    command = [sys.executable, str(ROOT / "scripts" / "check"), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


def test_check_runs_one_step_with_arguments() -> None:
    """`scripts/check STEP ARGUMENTS…` runs one step from anywhere and says its name and time."""
    run = check("tests", "--version")
    assert run.returncode == 0, run.stderr
    assert re.search(r"^pytest \d", run.stdout, re.MULTILINE)
    assert re.search(r"^== tests: ok, \d+\.\d s$", run.stdout, re.MULTILINE)


def test_check_stops_and_says_how_to_repeat() -> None:
    """A step that fails gives its code and the command that repeats it."""
    run = check("tests", "-n", "0", "no-such-file")
    assert run.returncode == 4
    assert "To repeat it alone: python3 scripts/check tests -n 0 no-such-file" in run.stderr


def test_check_refuses_an_unknown_step() -> None:
    """A step that does not exist is a wrong use, and the steps are listed."""
    run = check("tets")
    assert run.returncode == 2
    assert "format, lint, types, layers, docs, tests" in run.stderr


def test_ci_runs_the_same_gate() -> None:
    """CI calls the command that the README gives to people."""
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == "exec python3 scripts/check"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
