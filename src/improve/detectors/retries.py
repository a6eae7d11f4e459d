"""Calls that failed: which one finally worked, which was repeated in vain, and what had been said of them before. Pure.

That a call worked is known without reading its result: a result that failed is marked, and only those are read.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

from improve.detectors.finding import REVIEW, Finding
from improve.detectors.trail import Step, Trail, changes, cut, described
from improve.session import OTHER, SHELL, Call, Result, Turn

HORIZON = 8
"""So many turns after a failure the agent is watched for what works."""
MOST = 5
"""Findings of a kind in one session: the rest would be more of the same."""
IN_VAIN = 3
"""A call that failed so often unchanged was a waste."""
_BACK = 12


class Failure(NamedTuple):
    """A call that failed, and what it said."""

    number: int
    call: Call
    error: str


class Retries:
    """The failures of a session that nothing has settled yet."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._failures: deque[Failure] = deque(maxlen=24)
        self._open: list[tuple[Step, Call]] = []
        self._answered = self._waited = 0
        self._watched = 0
        self._edited = -1
        self._vain: dict[str, tuple[int, int]] = {}
        self._told: Counter[str] = Counter()
        self._claims: set[str] = set()

    @property
    def watching(self) -> bool:
        """Tell whether the agent's next turns are read for a call that works."""
        return self._watched > 0

    def failed(self, number: int, turn: Turn, results: list[Result]) -> Iterator[Finding]:
        """Take results that failed, none of them refused or stopped."""
        for result in results:
            found = self._trail.call(result.call)
            self._open = [(step, call) for step, call in self._open if call.id != result.call]
            if found is None:
                continue
            step, call = found
            self._watched = HORIZON
            self._edited = max([self._edited, *(s.number for s, c in self._open if changes(c))])
            self._failures.append(Failure(number, call, result.text[:4000]))
            yield from self._in_vain(number, turn, call, result.text)
            yield from self._contradicted(turn, step, call, result.text)

    def went_well(self) -> None:
        """Take a result that did not fail."""
        self._answered += 1

    def acted(self, step: Step) -> Iterator[Finding]:
        """Take a turn of the agent while it is watched: what it called before has been answered."""
        self._watched -= 1
        self._waited += 1
        if self._answered >= len(self._open) or self._waited > 2:
            yield from self.settle()
        self._open += [(step, call) for call in step.turn.calls]
        if not self._watched:
            self._vain.clear()

    def settle(self) -> Iterator[Finding]:
        """Take the calls that nothing called a failure as those that worked."""
        done, self._open = self._open, []
        self._answered, self._waited = 0, 0
        for step, call in done:
            if changes(call):
                self._edited = step.number
            if call.kind in (SHELL, OTHER):
                yield from self._worked(step, call)

    def _worked(self, step: Step, call: Call) -> Iterator[Finding]:
        """Name the failures that a call which worked is the answer to."""
        from improve.detectors.command import change

        same = [f for f in self._failures if f.call.tool == call.tool and f.call.kind == call.kind]
        if call.kind == SHELL:
            edited = self._edited
            told = [(f, change(f.call.subject, call.subject, f.error, edited=edited > f.number)) for f in same]
            group, how = [f for f, what in told if what], next((what for _, what in told if what), "")
            over = [f for f in same if f in group or f.call.subject == call.subject]
        else:
            group, how, over = [f for f in same if f.call.subject not in ("", call.subject)], "another argument", same
            group = group if len(group) > 1 and call.subject else []
        self._failures = deque((f for f in self._failures if f not in over), maxlen=self._failures.maxlen)
        if group and self._may("tool-failure"):
            yield _retried(step, call, group, how)

    def _may(self, signal: str) -> bool:
        self._told[signal] += 1
        return self._told[signal] <= MOST

    def _in_vain(self, number: int, turn: Turn, call: Call, error: str) -> Iterator[Finding]:
        """Notice the call that fails again and again, unchanged and with nothing changed around it."""
        key = f"{call.tool}\n{call.subject if call.kind == SHELL else call.input}"[:4000]
        if not call.subject or _polls(call):
            return
        times, last = self._vain.get(key, (0, 0))
        times = 1 if self._edited > last else times + 1
        self._vain[key] = times, number
        if times == IN_VAIN and self._may("waste"):
            words = f"failed {IN_VAIN} times unchanged: {described(call)}{_error(call, error)}"
            yield placed(turn, Finding("waste", 2, words, 0.5, REVIEW, rank=0.15, did=described(call)))

    def _contradicted(self, turn: Turn, step: Step, call: Call, error: str) -> Iterator[Finding]:
        """Notice a check that fails although its success was claimed or foretold, with no edit in between."""
        from improve.detectors.command import is_check, telling_line

        if call.kind != SHELL or not is_check(call.subject):
            return
        from improve.detectors import claims

        for number, said in _said_before(self._trail, step, call):
            claim = claims.predicted(said)
            if claim is not None:
                if claim.words not in self._claims and self._may("contradicted"):
                    self._claims.add(claim.words)
                    severity = 2 + claim.checked + (claim.checked and number < step.number)
                    words = f"said: {claim.words} → {described(call)} failed: {cut(telling_line(error), 160)}"
                    sure, rank = (0.6, 0.2) if claim.checked else (0.4, 0.1)
                    found = Finding("contradicted", severity, words, sure, REVIEW, rank=rank, did=described(call))
                    yield placed(turn, found)
                return


def _said_before(trail: Trail, step: Step, call: Call) -> Iterator[tuple[int, str]]:
    """Give what the agent said before a call, newest first, back to its last edit."""
    for earlier in trail.back(_BACK + 1):
        if earlier.number > step.number:
            continue
        calls = earlier.turn.calls
        before = calls[: calls.index(call)] if earlier.number == step.number and call in calls else calls
        if any(changes(c) for c in before):
            return
        if earlier.turn.text:
            yield earlier.number, earlier.turn.text


def _retried(step: Step, call: Call, group: list[Failure], how: str) -> Finding:
    """Say what failed and what worked."""
    from improve.detectors.command import of_the_call

    last = group[-1]
    times = f" {len(group)} times" if len(group) > 1 else ""
    words = f"failed{times}: {described(last.call)}{_error(last.call, last.error)} → worked: {described(call)}"
    by_call = of_the_call(last.error)
    severity, (sure, rank) = 3 if len(group) >= IN_VAIN else 2, (0.6, 0.35) if by_call else (0.5, 0.2)
    found = Finding("tool-failure", severity, words, sure, REVIEW, durable=by_call, rank=rank, did=described(call))
    return placed(step.turn, found)


def _error(call: Call, error: str) -> str:
    """Quote the line of an error that says most, of commands only: what comes from elsewhere may say anything."""
    if call.kind != SHELL:
        return ""
    from improve.detectors.command import telling_line

    return f" ({line})" if (line := telling_line(error)) else ""


def placed(turn: Turn, finding: Finding) -> Finding:
    """Say where a finding stands."""
    return finding._replace(at=turn.at, id=turn.id, offset=turn.offset)


def _polls(call: Call) -> bool:
    """Tell a call that waits for something to come up, and looking around, which may find nothing."""
    return call.kind == SHELL and any(
        word in call.subject for word in ("sleep", "wait", "watch", "curl", "ping ", "grep", "ls ", "pgrep", "status")
    )
