"""Time what happens to each correction that a scan finds: which of 10,000 stored rules it says, and what it joins.

    python benchmarks/candidates.py [--rules 10000] [--found 5000]

Milliseconds and growth, of one process; the texts are made of the words that `speed.py` makes rules of.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from pathlib import Path

import speed


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, default=10_000)
    parser.add_argument("--found", type=int, default=5_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        print(f"{'matching one candidate':<44}{'median':>10}{'mean':>10}")
        for count in (given.rules // 10, given.rules):
            spent = matching(Path(place) / str(count), count)
            print(f"  {count:>6,} rules, ms{statistics.median(spent):>36.2f}{statistics.mean(spent):>10.2f}")
    print(f"{'grouping what was found':<44}{'seconds':>10}{'× half':>10}")
    before = 0.0
    for count in (given.found // 2, given.found):
        took = grouping(count)
        print(f"  {count:>6,} candidates{took:>35.2f}{f'{took / before:.2f}' if before else '':>10}")
        before = took


def matching(home: Path, count: int) -> list[float]:
    """Give the milliseconds of each of 300 candidates against a store of so many rules."""
    speed.make_store(home / "store", count)
    os.environ |= {
        "AGENT_IMPROVEMENT_HOME": str(home / "store"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
    }
    from improve import clock
    from improve.inbox import Candidate
    from improve.workflow.here import Here
    from improve.workflow.recurrence import rule_of

    view = Here.from_environment(os.environ, clock.now()).store.view()
    spent = []
    for number, words in enumerate(said(300)):
        candidate = Candidate(id="", key=str(number), at="2026-11-11T00:00:00+00:00", text=words, session="s")
        began = time.perf_counter()
        rule_of(view, candidate)
        spent.append((time.perf_counter() - began) * 1e3)
    return spent[10:]


def said(count: int) -> list[str]:
    """Make messages: half say what a rule could say, half are about something else."""
    chance = random.Random(11)
    openings = ["no, ", "please ", "I said ", "why did you not ", "again: ", "stop, ", "from now on "]
    others = ["the second page is still empty after the reload", "revert that, the footer was right before"]
    others += ["this does not compile on my machine", "you changed the wrong file, look at the other one"]
    rules = speed.sentences(count)
    return [f"{chance.choice(openings)}{chance.choice((rules[n].lower(), others[n % 4]))}" for n in range(count)]


def grouping(count: int) -> float:
    """Give the seconds in which so many candidates are put together."""
    from improve import cluster

    chance = random.Random(5)
    texts = said(max(count // 3, 1))
    told = [
        cluster.Told(chance.choice(texts), f"s{number % 900}", f"p{number % 40}", "codex", key=str(number))
        for number in range(count)
    ]
    began = time.perf_counter()
    cluster.cluster(told)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
