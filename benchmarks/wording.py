"""What checking text costs: the first look in a fresh process, and the worst inputs for the redactor.

`python benchmarks/wording.py` prints processor milliseconds, the best of several runs, beside those of an empty one.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from improve.redact import redact

RUNS = 12
LOOK = """
from improve import wording
wording.check_rule("Use uv for Python tools, never pip; the keys sit in the vault")
wording.check_evidence("no, use uv again!\\nI said so yesterday (see docs/setup.md)")
wording.slug("Use uv for Python tools, never pip")
"""
INPUTS = {
    '"sk-" repeated': "sk-" * 21_333,
    '"a" repeated': "a" * 64_000,
    "quotes": "'" * 64_000,
    '"password = " repeated': "password = " * 5_818,
    "backslashes": "\\" * 64_000,
    "%41 repeated": "%41" * 21_333,
    "heads of private keys": "-----BEGIN PRIVATE KEY-----" * 2_370,
    "prose": "Say what you changed, and run the tests before you say that you are done. " * 864,
}


def process(code: str) -> float:
    """Give the processor milliseconds of the cheapest of several fresh processes."""
    costs = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(costs) * 1_000


def redacting(text: str) -> float:
    """Give the processor milliseconds of the cheapest of three redactions."""
    costs = []
    for _ in range(3):
        start = time.process_time()
        redact(text)
        costs.append(time.process_time() - start)
    return min(costs) * 1_000


def main() -> None:
    """Print both tables."""
    empty, looked = process("pass"), process(LOOK)
    print(f"empty process {empty:6.1f} ms")
    print(f"first look    {looked:6.1f} ms   + {looked - empty:.1f} ms, {looked / empty:.2f} times an empty process")
    for name, text in INPUTS.items():
        print(f"redact 64,000 characters, {name:24} {redacting(text):6.1f} ms")


if __name__ == "__main__":
    main()
