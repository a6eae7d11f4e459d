"""The learned weights: how they are kept, and what they say of a message's features. Pure.

`words.bin` is written by `training/fit.py`. It begins with lines of text: the version, the heads, one line for each
block of hashed features (name, bits, a scale for each head), one for each trait (name, mean, a weight for each head),
one for each threshold; an empty line ends them. Behind it stand signed bytes, block by block and head by
head, one for each feature; none where the scale is 0.
"""

from __future__ import annotations

from math import exp, sqrt
from operator import itemgetter
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from improve.detectors.features import Features

VERSION = "words 1"
FILE = "words.bin"
UNKNOWN = {"before": "before none", "after": "after", "turn": "turn first"}
"""Group of traits → the one whose absence says that nothing of the group is known."""


class Model(NamedTuple):
    """Weights by head."""

    heads: tuple[str, ...]
    traits: dict[str, tuple[float, ...]]
    unknown: dict[str, tuple[float, ...]]
    """Group of traits → what to add for each head when nothing of the group is known: the traits' means."""
    bias: tuple[float, ...]
    scales: dict[str, tuple[float, ...]]
    tables: dict[str, tuple[memoryview, ...]]
    at: dict[str, float]
    """Thresholds and calibration."""


_loaded: Model | None = None


def loaded() -> Model:
    """Give the model that is shipped, read once."""
    global _loaded
    if _loaded is None:
        from pkgutil import get_data

        data = get_data("improve.detectors", FILE)
        if data is None:
            raise FileNotFoundError(FILE)
        _loaded = read(data)
    return _loaded


def read(data: bytes) -> Model:
    """Read a model from the bytes of its file."""
    head, _, body = data.partition(b"\n\n")
    version, *lines = head.decode().split("\n")
    if version != VERSION:
        raise ValueError(f"a model of another version: {version}")
    heads: tuple[str, ...] = ()
    bias: tuple[float, ...] = ()
    traits: dict[str, tuple[float, ...]] = {}
    means: dict[str, float] = {}
    scales: dict[str, tuple[float, ...]] = {}
    tables: dict[str, tuple[memoryview, ...]] = {}
    thresholds: dict[str, float] = {}
    view, place = memoryview(body).cast("b"), 0
    for line in lines:
        kind, name, *rest = line.split("\t")
        if kind == "heads":
            heads = (name, *rest)
        elif kind == "trait":
            means[name], *weights = map(float, rest)
            traits[name] = tuple(weights)
        elif kind == "block":
            size, scales[name] = 1 << int(rest[0]), tuple(map(float, rest[1:]))
            ends = [place + size * sum(map(bool, scales[name][: at + 1])) for at in range(len(heads))]
            tables[name] = tuple(view[end - size : end] for end in ends)
            place = ends[-1]
        elif kind == "bias":
            bias = tuple(map(float, rest))
        else:
            thresholds[name] = float(rest[0])
    unknown = {group: _mean_of(group, traits, means) for group in UNKNOWN}
    return Model(heads, traits, unknown, bias, scales, tables, thresholds)


def _mean_of(group: str, traits: dict[str, tuple[float, ...]], means: dict[str, float]) -> tuple[float, ...]:
    belonging = [name for name in traits if group_of(name) == group]
    columns = zip(*([means[name] * weight for weight in traits[name]] for name in belonging), strict=True)
    return tuple(map(sum, columns))


def group_of(trait: str) -> str:
    """Name the group a trait belongs to: what must be known for it to be known; empty for the text itself."""
    first = trait.partition(" ")[0]
    if first in ("claims", "underway", "asked", "try"):
        return "before"
    return first if first in UNKNOWN else ""


def scores(found: Features, model: Model, heads: range) -> list[float]:
    """Give the log-odds of some of the heads."""
    traits = model.traits
    known = [(traits[name], value) for name, value in found.traits.items() if value and name in traits]
    missing = [model.unknown[group] for group, one in UNKNOWN.items() if one not in found.traits]
    blocks = [
        (picked(numbers), model.tables[name], model.scales[name], sqrt(len(numbers)))
        for name, numbers in zip(found._fields[1:], found[1:], strict=True)
        if numbers and name in model.tables
    ]
    told = []
    for head in heads:
        total = model.bias[head]
        total += sum(weights[head] * value for weights, value in known)
        total += sum(weights[head] for weights in missing)
        for pick, tables, scale, norm in blocks:
            if scale[head]:
                total += sum(pick(tables[head])) * scale[head] / norm
        told.append(total)
    return told


def picked(numbers: set[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """Give what takes the entries of these numbers out of a table."""
    if len(numbers) == 1:
        (only,) = numbers
        return lambda table: (table[only],)
    return itemgetter(*numbers)


def likelihood(score: float) -> float:
    """Turn log-odds into a probability."""
    return 1 / (1 + exp(-score)) if score > -60 else 0.0
