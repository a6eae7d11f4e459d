"""How surely a check tells forbidden calls: precision and recall on the labelled calls, by kind, with 95 % intervals.

python benchmarks/guards.py [FOLDER]    default: tests/data/guards
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from improve import check
from improve.rule import Check
from improve.session import EDIT, SHELL, WRITE, Call

ROOT = Path(__file__).resolve().parent.parent


def wilson(good: int, of: int) -> str:
    """Give a share with its 95 % interval (Wilson)."""
    if not of:
        return "–"
    z, p = 1.96, good / of
    middle, half = p + z * z / (2 * of), z * ((p * (1 - p) + z * z / (4 * of)) / of) ** 0.5
    low, high = ((middle + sign * half) / (1 + z * z / of) for sign in (-1, 1))
    return f"{p:.3f} [{low:.3f}, {high:.3f}] of {of}"


def asked(row: dict[str, Any]) -> tuple[Check, Call]:
    """Read a labelled row."""
    raw = row["check"]
    made = Check(raw["tool"], *(tuple(raw.get(key, ())) for key in ("deny", "unless", "paths")))
    if "command" in row:
        return made, Call("", "Bash", SHELL, row["command"], {"command": row["command"]})
    given = row["call"]
    kind = {EDIT: EDIT, WRITE: WRITE, SHELL: SHELL}.get(given["kind"], given["kind"])
    return made, Call("", given.get("tool", ""), kind, given.get("subject", ""), given.get("input", {}))


def main() -> int:
    """Measure, and list what was told wrongly."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests" / "data" / "guards"
    for path in sorted(folder.glob("*.jsonl")):
        report(path)
    return 0


def report(path: Path) -> None:
    """Print the figures of one file."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    times, wrong = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        made, call = asked(row)
        start = time.perf_counter()
        found = check.hits(made, call)
        times.append(time.perf_counter() - start)
        told, true = bool(found), bool(row["hit"])
        outcome = ("tp" if true else "fp") if told else ("fn" if true else "tn")
        for kind in (
            "all",
            str(row.get("kind", row.get("form", ""))),
            *([f"of {row['shape']}"] if "shape" in row else ()),
        ):
            counts[kind][outcome] += 1
        if told != true:
            wrong.append((outcome, row, found))
    for kind, c in counts.items():
        precision, recall = wilson(c["tp"], c["tp"] + c["fp"]), wilson(c["tp"], c["tp"] + c["fn"])
        print(f"{path.stem:10} {kind:24} {sum(c.values()):5}  precision {precision}  recall {recall}")
    times.sort()
    print(
        f"{path.stem}: median {times[len(times) // 2] * 1e3:.3f} ms, p99 {times[int(len(times) * 0.99)] * 1e3:.3f} ms"
    )
    for outcome, row, found in wrong:
        print(outcome, json.dumps(row, ensure_ascii=False), found)


if __name__ == "__main__":
    raise SystemExit(main())
