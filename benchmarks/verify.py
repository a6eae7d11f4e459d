"""Time a verification of many written rules against many past sessions: the first run, and the next ones.

    python benchmarks/verify.py [--rules 500] [--sessions 5000]
    python benchmarks/verify.py --rules 100 --history DATA [--megabytes 1000]

Every third rule is about what goes on in every session, as one about types or tests is; processor time, not the clock,
for the machine may be shared. With `--history` the sessions are real ones, repeated as `benchmarks/ledger.py` does it,
and what each run reads of the transcripts is told, too; one rule in ten has a check.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from speed import environment, sentences

REAL = (
    "Use uv, never pip install", "Run the tests before committing", "Never force-push to main", "Write type hints",
    "Use tabs", "Keep functions short", "Answer in short sentences", "Use pnpm, never npm install",
)  # fmt: skip
LINES = (
    "git status", "uv add httpx", "pytest -q tests/test_a.py", "npm install left-pad", "git push origin main",
    "rg -n foo src", "cat README.md", "make build && make test", "python -m pip install rich", "docker compose up -d",
)  # fmt: skip
WORDS = [
    "please",
    "fix",
    "the",
    "failing",
    "test",
    "parser",
    "module",
    "add",
    "handler",
    "tokens",
    "commit",
    "push",
    "deploy",
]
KEY, FILE = "github.com/acme/shop", "/shop/AGENTS.md"


def make_rules(home: Path, count: int, *, checks: bool = False) -> list[str]:
    """Write a store of so many written rules, one in ten with a check if wanted; give their texts."""
    from improve import entry
    from improve.rule import Check, Observation, Rule, Written

    plain = sentences(count)
    texts = [f"{REAL[n % len(REAL)]} ({n})" if n % 3 == 0 else plain[n] for n in range(count)]
    made = []
    for number, text in enumerate(texts):
        seen = tuple(Observation(KEY, "2026-07-01", session=f"s{number * 3 + i}", host="claude-code") for i in range(3))
        line = Written(FILE, "2026-08-01", "Tools", text, "global", at="2026-08-01T00:00:00+00:00")
        rule = Rule(f"rule-{number}", text, observations=seen, written_to=(line,), escalation="global")
        check = Check("shell", (LINES[number // 10 % len(LINES)],)) if checks and number % 10 == 0 else None
        made.append(rule._replace(check=check))
    home.mkdir(parents=True)
    (home / "rules.yaml").write_text("version: 2\nrules:\n" + "".join(entry.render(rule, "") for rule in made))
    return texts


def make_sessions(place: str, texts: list[str], count: int) -> None:
    """Fill the ledger with sessions of five messages and thirty calls."""
    from improve.deed import Deed, Entry, Loaded
    from improve.ledger import Ledger, Part

    chance, ledger = random.Random(7), Ledger.open(place)
    digest = ledger.keep_text("".join(f"- {text}\n" for text in texts).encode())
    began = datetime(2026, 3, 1, tzinfo=UTC)
    for number in range(count):
        at = (began + timedelta(hours=number * 6000 / count)).isoformat()
        asked = tuple((at, " ".join(chance.choices(WORDS, k=25)) + f" {number}") for _ in range(5))
        deeds = []
        for _ in range(30):
            if chance.random() < 0.6:
                deeds.append(Deed(at, "shell", f"{chance.choice(LINES)} # {chance.randrange(999)}"))
            else:
                added = "def f(x: int) -> int:\n    return x + 1\n" * chance.randrange(1, 8)
                deeds.append(Deed(at, "edit", f"/shop/src/mod{chance.randrange(50)}.py", added))
        loaded = (Loaded(FILE, "loaded", digest),)
        session = Entry(
            "claude-code", f"s{number}", f"/t/{number}", KEY, "/shop", at, at, False, "", 5, asked, tuple(deeds), loaded
        )
        ledger.keep(Part(session, session.session))
    ledger.commit()
    ledger.close()


def spent(env: dict[str, str], cwd: Path) -> float:
    """Run a verification; give the seconds of processor time it took."""
    before = os.times()
    run = [sys.executable, "-m", "improve", "verify", "--json"]
    subprocess.run(run, env=env, cwd=cwd, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def measured(env: dict[str, str], cwd: Path) -> str:
    """Run a verification; say what it read, how long it took and how much memory."""
    began = time.monotonic()
    run = [sys.executable, "-m", "improve", "verify", "--json"]
    with subprocess.Popen(run, env=env, cwd=cwd, stdout=subprocess.PIPE) as process:
        assert process.stdout
        told = json.loads(process.stdout.read())["coverage"]
        _, _, used = os.wait4(process.pid, 0)
    took, busy = time.monotonic() - began, used.ru_utime + used.ru_stime
    return (
        f"{told['bytes']:,} bytes of {told['read']:,} transcripts read, {told['sessions']:,} sessions; "
        f"{took:.1f} s ({busy:.1f} s of processor time), {used.ru_maxrss / 1024:.0f} MB resident"
    )


def verify_history(data: Path, base: Path, env: dict[str, str], megabytes: int) -> None:
    """Verify on real sessions: all of them are new, none is, one has grown."""
    from ledger import history

    files = history(data / "transcripts", Path(env["HOME"]), megabytes * 1_000_000)
    print(f"{len(files):,} transcripts, {sum(path.stat().st_size for path in files) / 1e6:,.0f} MB")
    print("first run:", measured(env, base))
    print("second run:", measured(env, base))
    with files[len(files) // 2].open("ab") as stream:
        stream.write(b'{"type":"user","uuid":"n","timestamp":"2026-11-30T10:00:00Z","message":{"content":"go on"}}\n')
    print("after 92 bytes more:", measured(env, base))


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=int, default=500)
    parser.add_argument("--sessions", type=int, default=5000)
    parser.add_argument("--history", type=Path, metavar="DATA", help="the folder that holds transcripts/")
    parser.add_argument("--megabytes", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        env = environment(base, "home")
        os.environ.update(env)
        from improve.workflow import past
        from improve.workflow.here import Here

        texts = make_rules(Path(env["AGENT_IMPROVEMENT_HOME"]), options.rules, checks=bool(options.history))
        if options.history:
            verify_history(options.history, base, env, options.megabytes)
            return
        here = Here.from_environment(env, datetime.now(UTC))
        make_sessions(past.directory(here), texts, options.sessions)
        began = time.monotonic()
        first = spent(env, base)
        print(f"{options.rules} rules, {options.sessions} sessions: first run {first:.1f} s of processor time")
        print("next runs " + ", ".join(f"{spent(env, base):.1f} s" for _ in range(3)))
        print(f"all of it took {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
