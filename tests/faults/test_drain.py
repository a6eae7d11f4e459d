"""No fault in any file system call of `improve drain` loses a prompt that a hook kept, or counts it twice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from faults import scene
from faults.fault import Call, Fault, missing, telling
from faults.scene import DUE, PNPM, Scene, command_line
from faults.sweep import Command, Outcome, sweep
from improve import inbox, queue
from improve.queue import Heard

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

AT = "2026-01-02T03:04:05+00:00"
WRONG = "no, that is wrong"
SCENE = Scene(DUE, warm=True)


def prepare(place: Path) -> None:
    """Fill a directory with a store of one rule and a queue of two prompts, one of which says the rule again."""
    SCENE.prepare(place)
    for text in (PNPM, WRONG):
        heard = Heard(queue.key_of("s", "", text), AT, "codex", "s", str(place / "shop"), text, "correction")
        queue.hear(str(place / "home/queue"), heard)


def nothing_lost(outcome: Outcome) -> Iterable[str]:
    """After a fault each prompt is somewhere; after the next run it is where it belongs, once."""
    place = outcome.place
    found, problems = scene.evidence(place)
    yield from problems
    if "Traceback" in outcome.err + outcome.out:
        yield f"there is a traceback: {outcome.err[-600:]}"
    queued = [path.name for path in (place / "home/queue").glob("heard-*.json")]
    listed = inbox.read(str(place / "home/inbox.jsonl"))
    states = {candidate.text: candidate.state for candidate in listed.candidates.values()}
    if found["earlier"] != 2 or found[PNPM] > 1:
        yield f"observations are gone or doubled: {found}"
    if outcome.fault is None:
        if (queued, states, found[PNPM]) != ([], {PNPM: "matched", WRONG: "open"}, 1):
            yield f"after a run without a fault: {queued} {states} {found}"
        if list((place / "home/spool").iterdir()):
            yield "the spool is not empty after a run without a fault"
        return
    for text, kept in ((PNPM, found[PNPM]), (WRONG, states.get(WRONG))):
        if not kept and f"heard-{queue.key_of('s', '', text)}.json" not in queued:
            yield f"{text!r} is lost"


def pick(calls: list[Call]) -> list[Fault]:
    """Leave out that nothing can be opened any more: it hits our own modules, which are imported when needed."""
    return [fault for fault in telling(calls) if not (fault.lasting and fault.call.name.startswith("open"))]


DRAIN = Command(
    name="drain",
    argv=command_line("drain"),
    env=scene.VARIABLES,
    cwd="{dir}/shop",
    prepare=prepare,
    check=nothing_lost,
    pick=pick,
)


def test_no_sampled_fault_breaks_a_drain(tmp_path: Path) -> None:
    """A fixed sample of kills, errors and short writes loses nothing and doubles nothing."""
    report = sweep(DRAIN, tmp_path, sample=12)
    print(report)
    assert report.problems == []


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_no_fault_at_all_breaks_a_drain(tmp_path: Path) -> None:
    """Every fault in every call, without exception, loses nothing and doubles nothing."""
    report = sweep(DRAIN, tmp_path)
    print(report)
    assert report.problems == []
