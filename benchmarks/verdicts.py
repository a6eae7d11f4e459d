"""How often a verdict is wrong, on simulated histories whose truth is known.

    python benchmarks/verdicts.py [HISTORIES] [SEED]

Each scenario says what a right, a wrong and an undecided verdict is. A history is looked at every week, as `verify`
does it, and counts as wrong when the verdict was wrong at any of these looks.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from improve.proof import HELD, RECURRING, UNKNOWN, Judgement, Tally, judge

FIXED, SECOND, CLUSTER = "a fixed time", "the second mistake", "a cluster of mistakes"
"""When the rule was written: by the calendar; when its mistake was seen twice, or twice in six sessions."""
LONGEST = 400
"""Sessions before which a rule that waits for mistakes is written all the same."""


class Scenario(NamedTuple):
    """What is true of a history, and which verdicts on it are wrong; the rest is right or undecided."""

    name: str
    before: float
    """Chance of the mistake in a session in which the topic comes up."""
    after: float
    right: str
    """The verdict a perfect judge would give; `not-enough-data` where there is none to give."""
    wrong: frozenset[str]
    exposure: float = 0.5
    """Share of sessions in which the topic comes up."""
    a_week: int = 10
    weeks_before: int = 12
    weeks: int = 26
    written: str = FIXED
    quiet: int = 0
    """Sessions right before the rule was written in which the mistake had already stopped."""
    recall: float = 1.0
    """Chance that a correction is noticed."""
    noise: float = 0.0
    """Share of all sessions, exposed or not, with a match that is none."""
    burst: float = 0.0
    """Chance that a mistake is made once more in the same session."""
    projects: tuple[float, ...] = (1.0,)
    """Factors on both rates, one a project; a session is in one of them."""
    loaded: bool = True
    known: bool = True
    """The time before is known."""
    daily: bool = False
    """Looked at on each of the first six days only, with a week's sessions a day."""


_NEVER_HELD, _NEVER_RECURRING = frozenset({HELD}), frozenset({RECURRING})
_NO_VERDICT = frozenset({HELD, RECURRING})

# Half the mistakes gone is no rule that held: people still meet the mistake. `held` is wrong there, and a perfect judge
# says `recurring`. A mistake that stopped before the rule was written is rare now: `held` is true, the praise is not.
SCENARIOS = (
    Scenario("works fully", 0.4, 0.0, HELD, _NEVER_RECURRING),
    Scenario("works 90 %", 0.4, 0.04, HELD, _NEVER_RECURRING),
    Scenario("works 90 %, common", 0.6, 0.06, HELD, _NEVER_RECURRING),
    Scenario("no effect", 0.4, 0.4, RECURRING, _NEVER_HELD),
    Scenario("makes it worse", 0.3, 0.5, RECURRING, _NEVER_HELD),
    Scenario("half effect", 0.4, 0.2, RECURRING, _NEVER_HELD),
    Scenario("half effect, common", 0.6, 0.3, RECURRING, _NEVER_HELD),
    Scenario("topic never comes up", 0.4, 0.4, UNKNOWN, _NO_VERDICT, exposure=0.0),
    Scenario("topic never comes up, noise 1 %", 0.4, 0.4, UNKNOWN, _NO_VERDICT, exposure=0.0, noise=0.01, a_week=5),
    Scenario("few sessions", 0.4, 0.0, UNKNOWN, _NO_VERDICT, a_week=1, weeks=4),
    Scenario("few sessions, no effect", 0.4, 0.4, UNKNOWN, _NO_VERDICT, a_week=1, weeks=4),
    Scenario("file never loaded", 0.4, 0.4, UNKNOWN, _NO_VERDICT, loaded=False),
    Scenario("rare before, works", 0.05, 0.0, HELD, _NEVER_RECURRING),
    Scenario("rare before, no effect", 0.05, 0.05, UNKNOWN, _NEVER_HELD),
    Scenario("common before, works", 0.6, 0.0, HELD, _NEVER_RECURRING),
    Scenario("common before, no effect", 0.6, 0.6, RECURRING, _NEVER_HELD),
    Scenario("less than 7 days, works", 0.4, 0.0, UNKNOWN, _NO_VERDICT, daily=True),
    Scenario("less than 7 days, no effect", 0.4, 0.4, UNKNOWN, _NO_VERDICT, daily=True),
    Scenario("regression to the mean, 15 %", 0.15, 0.15, RECURRING, _NEVER_HELD, written=CLUSTER),
    Scenario("regression to the mean, 40 %", 0.4, 0.4, RECURRING, _NEVER_HELD, written=CLUSTER),
    Scenario("written at the second mistake, no effect", 0.3, 0.3, RECURRING, _NEVER_HELD, written=SECOND),
    Scenario("written at the second mistake, works", 0.3, 0.0, HELD, _NEVER_RECURRING, written=SECOND),
    Scenario("bursts, no effect", 0.3, 0.3, RECURRING, _NEVER_HELD, burst=0.7, recall=0.6),
    Scenario("bursts, works 90 %", 0.3, 0.03, HELD, _NEVER_RECURRING, burst=0.7, recall=0.6),
    Scenario("several projects, no effect", 0.3, 0.3, RECURRING, _NEVER_HELD, projects=(0.3, 1.0, 2.0)),
    Scenario("several projects, works 90 %", 0.3, 0.03, HELD, _NEVER_RECURRING, projects=(0.3, 1.0, 2.0)),
    Scenario("60 % noticed, no effect", 0.4, 0.4, RECURRING, _NEVER_HELD, recall=0.6),
    Scenario("60 % noticed, works", 0.4, 0.0, HELD, _NEVER_RECURRING, recall=0.6),
    Scenario("noise 1 %, works", 0.4, 0.0, HELD, _NEVER_RECURRING, noise=0.01),
    Scenario("noise 2 %, works", 0.4, 0.0, HELD, _NEVER_RECURRING, noise=0.02),
    Scenario("noise 2 %, no effect", 0.4, 0.4, RECURRING, _NEVER_HELD, noise=0.02),
    Scenario("written late, mistake had stopped", 0.4, 0.0, HELD, _NEVER_RECURRING, quiet=40),
    Scenario("nothing known before, works", 0.4, 0.0, HELD, _NEVER_RECURRING, known=False),
    Scenario("nothing known before, no effect", 0.3, 0.3, RECURRING, _NEVER_HELD, known=False),
    Scenario("nothing known before, noise 2 %, works", 0.4, 0.0, HELD, _NEVER_RECURRING, known=False, noise=0.02),
    Scenario("nothing known before, 10 % remain", 0.1, 0.1, UNKNOWN, _NEVER_HELD, known=False),
)


class Found(NamedTuple):
    """What was said of the histories of one scenario."""

    scenario: Scenario
    histories: int
    wrong: int
    """Histories with a wrong verdict at any look."""
    wrong_at_last: int
    last: dict[str, int]
    """What was said at the last look."""
    until: float
    """Median of the exposed sessions until the right verdict was given; 0 where it was in fewer than half."""


def run(scenario: Scenario, histories: int, seed: int) -> Found:
    """Judge histories of a scenario at every look."""
    chance = random.Random(f"{seed} {scenario.name}")
    wrong = wrong_at_last = 0
    last = dict.fromkeys((HELD, RECURRING, UNKNOWN), 0)
    until: list[float] = []
    for _ in range(histories):
        looks = list(judged(scenario, chance))
        wrong += any(look.state in scenario.wrong for look in looks)
        wrong_at_last += looks[-1].state in scenario.wrong
        last[looks[-1].state] += 1
        until.append(next((look.after.exposed for look in looks if look.state == scenario.right), float("inf")))
    median = statistics.median(until)
    return Found(scenario, histories, wrong, wrong_at_last, last, median if median < float("inf") else 0.0)


def judged(scenario: Scenario, chance: random.Random) -> Iterator[Judgement]:
    """Yield what is said of one history, look by look."""
    before = _before(scenario, chance) if scenario.known else Tally(0, 0)
    exposed = failed = 0
    for look in range(1, (6 if scenario.daily else scenario.weeks) + 1):
        for _ in range(scenario.a_week if scenario.loaded else 0):
            came_up, made = _session(scenario, scenario.after, chance)
            exposed, failed = exposed + came_up, failed + made
        yield judge(before, Tally(exposed, failed), look if scenario.daily else look * 7)


def _before(scenario: Scenario, chance: random.Random) -> Tally:
    exposed = failed = 0
    recent: list[bool] = []
    for number in range(LONGEST):
        if scenario.written == FIXED and number == scenario.weeks_before * scenario.a_week:
            break
        came_up, made = _session(scenario, scenario.before, chance)
        exposed, failed = exposed + came_up, failed + made
        recent += [made] if came_up else []
        if (scenario.written == SECOND and failed == 2) or (scenario.written == CLUSTER and sum(recent[-6:]) >= 2):
            break
    for _ in range(scenario.quiet):
        came_up, made = _session(scenario, 0.0, chance)
        exposed, failed = exposed + came_up, failed + made
    return Tally(exposed, failed)


def _session(scenario: Scenario, rate: float, chance: random.Random) -> tuple[bool, bool]:
    """Say whether the topic came up in a session, as far as one can tell, and whether a mistake was noticed."""
    came_up = chance.random() < scenario.exposure
    seen = False
    if came_up and chance.random() < min(1.0, rate * chance.choice(scenario.projects)):
        seen = chance.random() < scenario.recall
        while chance.random() < scenario.burst:
            seen = chance.random() < scenario.recall or seen
    stray = chance.random() < scenario.noise
    return came_up or stray, seen or stray  # a session with a match counts as one in which the topic came up


def main() -> None:
    """Print a table of all scenarios."""
    histories = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    begun = time.perf_counter()
    print("| scenario | right | wrong at any look | at the last | held | recurring | open | sessions until right |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for scenario in SCENARIOS:
        found = run(scenario, histories, seed)
        shares = " | ".join(f"{found.last[state] / histories:.1%}" for state in (HELD, RECURRING, UNKNOWN))
        errors = f"{found.wrong / histories:.1%} | {found.wrong_at_last / histories:.1%}"
        until = f"{found.until:.0f}" if found.until and scenario.right != UNKNOWN else "–"
        print(f"| {scenario.name} | {scenario.right} | {errors} | {shares} | {until} |", flush=True)
    print(f"\n{len(SCENARIOS)} scenarios of {histories} histories, seed {seed}, {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
