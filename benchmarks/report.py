"""Time `improve report` and weigh its page on a store of made-up rules.

    python benchmarks/report.py [--rules 500] [--observations 50000] [--months 6] [--runs 5] [--keep DIRECTORY]

`--keep` leaves the store, and the page, in a directory to look at.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from speed import environment, sentences

HOSTS = ("claude-code", "codex", "opencode")
PROJECTS = ("shop", "api", "billing", "site", "infra")
SAID = (
    "no, use uv here, never pip install — we went through this yesterday",
    "Stop adding comments that repeat the code.",
    "Bitte keine englischen Commit-Nachrichten in diesem Projekt.",
    "不要直接修改 main 分支,先开一个新分支。",
    "أضف اختبارا قبل كل إصلاح من فضلك",
    "please run the tests first 🙏 and only then say that it works",
    "</script><b>that is wrong</b>, escape it & try again",
)
DOMAINS = ("testing", "code-style", "git-practices", "python-tooling", "api-design", "unknown")
CAUSES = (
    ("ignored", "the host loaded AGENTS.md in 11 of 11 sessions"),
    ("cut", "line 214 lies past the 200 lines that Claude Code reads"),
    ("contradicted", "~/shop/AGENTS.md line 12 says “Use pip for quick checks”"),
    ("vague", "nothing in “keep it clean” can be checked"),
    ("not-loaded", "Codex does not load CLAUDE.md here"),
)


def make_store(home: Path, *, rules: int, observations: int, months: int, now: datetime) -> None:
    """Write rules.yaml and inbox.jsonl: some rules held, some recur, some are new."""
    from improve import document, entry
    from improve.rule import Observation, Rule, Verdict, Written

    chance = random.Random(5)
    texts = sentences(rules)
    body = []
    for number, text in enumerate(texts):
        share = (
            max(observations // max(rules, 1), 1) if observations >= 20 * rules else 1 + int(chance.expovariate(0.2))
        )
        seen = []
        for nth in range(share):
            at = now - timedelta(days=chance.triangular(0, months * 30, months * 24), minutes=chance.randrange(900))
            seen.append(
                Observation(
                    f"github.com/acme/{PROJECTS[min(int(chance.expovariate(0.6)), 4)]}", at.strftime("%Y-%m-%d"),
                    chance.choice(SAID), at.isoformat(timespec="seconds"), HOSTS[min(int(chance.expovariate(1)), 2)],
                    f"s{chance.randrange(max(observations // 3, 400))}", chance.choice(("correction", "preference")),
                    3, "transcript", f"{number:06x}{nth:06x}",
                )
            )  # fmt: skip
        seen.sort(key=lambda o: o.at)
        day = seen[len(seen) // 2].date
        kind = number % 5 if share > 1 else 4
        written = (Written(str(home.parent / "AGENTS.md"), day, "Testing", text, "global"),) if kind < 4 else ()
        exposed, held = chance.randint(8, 40), chance.randint(0, 1)
        cause = CAUSES[number // 5 % 5] if kind == 0 else ("", "")
        verdict = {
            0: Verdict("recurring", now.isoformat(timespec="seconds"), day, 12, 6, exposed, exposed // 3, *cause),
            1: Verdict("held", now.isoformat(timespec="seconds"), day, 14, 7, exposed, held),
            2: Verdict("not-enough-data", now.isoformat(timespec="seconds"), day, 4, 2, 3, 0),
        }.get(kind)
        guard = "deny" if number % 25 == 0 and kind == 0 else ""
        body.append(
            entry.render(
                Rule(
                    f"rule-{number}", text, DOMAINS[number % 6], seen[0].date, seen[-1].date, tuple(seen),
                    written_to=written, verdict=verdict, guard=guard,
                )
            )
        )  # fmt: skip
    home.mkdir(parents=True, exist_ok=True)
    rows = b"rules:\n" if body else b"rules: []\n"
    (home / "rules.yaml").write_bytes(document.template().replace(b"rules: []\n", rows) + "".join(body).encode())
    if rules:
        _make_inbox(home / "inbox.jsonl", now)


def _make_inbox(path: Path, now: datetime) -> None:
    lines = [
        {
            "v": 1, "id": f"C{n + 1}", "key": f"k{n}", "at": (now - timedelta(days=n)).isoformat(), "text": words,
            "host": HOSTS[n % 3], "project": f"github.com/acme/{PROJECTS[n % 5]}", "signal": "correction",
            "rank": 0.9 - n / 10,
        }
        for n, words in enumerate(SAID)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def make_ledger(env: dict[str, str], *, sessions: int, months: int, now: datetime) -> None:
    """Write the sessions that were read; three weeks among them nobody read."""
    from improve import paths
    from improve.deed import Entry
    from improve.ledger import Ledger, Part
    from improve.workflow.here import Here
    from improve.workflow.past import directory

    chance = random.Random(6)
    ledger = Ledger.open(directory(Here(env, now, "", paths.find_home(env))))
    for number in range(sessions):
        days = chance.uniform(0, months * 30)
        if 40 < days < 61:
            continue
        at = (now - timedelta(days=days)).astimezone(UTC)
        host = HOSTS[min(int(chance.expovariate(1)), 2)]
        asked = tuple((at.isoformat(), "please go on") for _ in range(chance.randint(2, 14)))
        project = f"github.com/acme/{PROJECTS[min(int(chance.expovariate(0.6)), 4)]}"
        entry = Entry(
            host, f"s{number}", f"/t/{number}", project, "/w", at.isoformat(), at.isoformat(), False, "",
            len(asked), asked, (), (),
        )  # fmt: skip
        ledger.keep(Part(entry, entry.session))
    ledger.commit()
    ledger.close()


def main() -> None:
    """Print both figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rules", type=int, default=500)
    parser.add_argument("--observations", type=int, default=50_000)
    parser.add_argument("--months", type=int, default=6)
    parser.add_argument("--sessions", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if options.keep:
        measure(options.keep, options)
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options)


def measure(base: Path, options: argparse.Namespace) -> None:
    """Make the store, run the command, print seconds and bytes."""
    env, now = environment(base, "home"), datetime.now().astimezone()
    os.environ.update(env)
    shape = {"months": options.months, "now": now}
    make_store(Path(env["AGENT_IMPROVEMENT_HOME"]), rules=options.rules, observations=options.observations, **shape)
    if options.sessions:
        make_ledger(env, sessions=options.sessions, **shape)
    page = base / "report.html"
    argv = [sys.executable, "-m", "improve", "report", "--since", f"{options.months}m", "--html", str(page)]
    times = []
    for _ in range(options.runs + 1):
        begin = time.perf_counter()
        subprocess.run(argv, env=env, cwd=base, check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    print(f"{options.rules:,} rules, {options.observations:,} observations, {options.sessions:,} sessions")
    print(f"report: {statistics.median(times[1:]):.2f} s (first ever, which builds the index: {times[0]:.2f} s)")
    print(f"page: {page.stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
