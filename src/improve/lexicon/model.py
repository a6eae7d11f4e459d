"""A small logistic model: how likely two rules are the same, from the features of features.py.

The weights were fitted with a ridge of 1 on 649 labelled pairs of rules from public instruction files
(benchmarks/fit_match.py prints them); SURE was chosen on pairs held out of the fit, where 89 % of what it merges is
the same rule, the rest broader or narrower. `spelling` counts against a pair because of what the other features
already say: two rules that agree in meaning *and* wording are often one sentence about two things.
"""

from __future__ import annotations

import math
from operator import mul

from improve.lexicon.features import NAMES

SURE = 0.68
"""From here on two rules are one."""
NEAR = 0.2
"""From here on a rule is worth showing."""
MOSTLY = 0.5
"""Share of common weight that two rules must have to be one, unless their main clauses nearly are one."""
NEARLY = 0.8
SAME_READING = 0.9
"""Share of common weight from which two rules differ in nothing that is read."""

WEIGHTS = (
    1.37,  # both
    1.11,  # less
    1.93,  # clause
    -2.67,  # spelling
    0.86,  # telling
    -1.55,  # signs
    -2.06,  # choice
    -0.93,  # world
    -2.40,  # number
    -1.83,  # code
    -0.95,  # subjects
    -1.22,  # added
)
BIAS = -0.66


def sameness(values: tuple[float, ...]) -> float:
    """Give the likelihood that the two rules are the same."""
    return 1.0 / (1.0 + math.exp(-(BIAS + sum(map(mul, WEIGHTS, values)))))


def same_reading(values: tuple[float, ...]) -> bool:
    """Say whether two rules share nearly all they say and nothing read in them speaks against it."""
    named = dict(zip(NAMES, values, strict=True))
    against = ("signs", "choice", "world", "number", "code")
    return named["both"] >= SAME_READING and not any(named[name] for name in against)


def to_the_point(values: tuple[float, ...]) -> bool:
    """Say whether the two rules have enough in common, whatever the likelihood says."""
    named = dict(zip(NAMES, values, strict=True))
    return named["both"] >= MOSTLY or named["clause"] >= NEARLY
