"""How sure a candidate of a kind must be to wait in the inbox: what people dismissed before moves it. Pure.

A kind is a signal. Its bar is 0 as long as at least a third of what was settled was of use, or little was settled;
it rises towards a half the more of it was dismissed:

    share = (accepted + 1) / (accepted + dismissed + 3)        bar = max(0, 0.5 x (1 - 3 x share))

What is surely a signal passes any bar.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_HIGHEST, _FAIR = 0.5, 1 / 3


class Tally(NamedTuple):
    """What became of the candidates of one kind."""

    accepted: int = 0
    """They became a rule, or said one again."""
    dismissed: int = 0
    waiting: int = 0

    @property
    def bar(self) -> float:
        """Give the confidence below which a candidate of this kind does not wait."""
        share = (self.accepted + 1) / (self.accepted + self.dismissed + 3)
        return round(max(0.0, _HIGHEST * (1 - share / _FAIR)), 3)


def tally(settled: Iterable[tuple[str, str]]) -> dict[str, Tally]:
    """Count (signal, state) pairs by signal; states are those of the inbox.

    >>> tally([("correction", "dismissed")] * 5)["correction"].bar
    0.312
    """
    counts: dict[str, list[int]] = {}
    places = {"accepted": 0, "matched": 0, "dismissed": 1, "open": 2}
    for signal, state in settled:
        counts.setdefault(signal, [0, 0, 0])[places[state]] += 1
    return {signal: Tally(*row) for signal, row in sorted(counts.items())}
