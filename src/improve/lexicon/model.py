"""A small logistic model: how likely two rules are the same, from the features of features.py."""

from __future__ import annotations

import math

SURE = 0.72
NEAR = 0.25
WEIGHTS = (0.24, 0.55, 0.0, 1.43, 0.0, 0.0, -1.61, -1.99, -1.02, -1.02, -1.8, -0.95, 0.6, 0.0, 0.88)
BIAS = -1.63


def sameness(values: tuple[float, ...]) -> float:
    """Give the likelihood that the two rules are the same."""
    return 1.0 / (1.0 + math.exp(-(BIAS + sum(w * v for w, v in zip(WEIGHTS, values, strict=True)))))
