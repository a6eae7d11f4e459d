"""Detectors: pure functions that find candidates in a session and never act."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from improve.detectors.finding import Finding
    from improve.detectors.look import Seen
    from improve.detectors.message import Judge
    from improve.session import Turn


def detect(
    session: Iterable[Turn],
    *,
    least: int = 2,
    already: Callable[[str], bool] | None = None,
    judge: Judge | None = None,
) -> Iterator[Finding]:
    """Find what may be worth a rule, each finding as soon as its evidence is complete.

    A person's message waits for the next one, or the end: what is said next is evidence. A later reading that begins
    at the last message of a person misses none.

    Args:
        session: The turns, once; a `Session` also tells whether it is a subagent's or ran without a person.
        least: Severity below which nothing is given.
        already: Tells whether a line, without the sign of a list before it, is one of ours or of an instruction file:
            pasted with others or as a list, it is nobody's correction.
        judge: Judges the words of a person in place of `words.judge`.
    """
    from improve.detectors.look import findings

    return findings(session, least=least, already=already, judge=judge)


def explain(
    session: Iterable[Turn],
    *,
    least: int = 2,
    already: Callable[[str], bool] | None = None,
    judge: Judge | None = None,
) -> Iterator[Seen]:
    """Say turn by turn, in the session's order, what was seen and why it is a signal or none."""
    from improve.detectors.look import look

    held: list[Seen] = []
    for seen in look(session, least=least, already=already, judge=judge):
        held.append(seen)
        if seen.waited:
            yield from sorted(held, key=lambda one: one.number)
            held.clear()
    yield from sorted(held, key=lambda one: one.number)
