"""Print the matcher's fitted constants: the rarity bands and the logistic model, with figures from cross-validation.

    python benchmarks/fit_match.py [DATA]

DATA is the folder that holds `rule-pairs/` (default: $IMPROVE_DATA).
The constants are pasted into src/improve/lexicon/rarity.py and src/improve/lexicon/model.py by hand.
"""

from __future__ import annotations

import math
import random
import sys
import textwrap
from collections import Counter, defaultdict
from pathlib import Path

from match import Pair, data_folder, load_pairs

from improve.lexicon.features import NAMES, features, prepare
from improve.lexicon.model import to_the_point
from improve.match import compare

FOLDS = 8
ROUNDS = 5
RIDGE = 1.0
OWN_NAMES = {"ankra", "gitnexus", "herdr", "iptvnator", "isr", "omx", "scanboxid", "transcendent"}
"""Words that one project's files repeat."""
SEEN_OFTEN = 9
"""A word in fewer bullets than this counts as rare."""


def main() -> None:
    """Print both sets of constants."""
    folder = data_folder(sys.argv)
    bands(folder)
    pairs = load_pairs(folder)
    rows = [features(prepare(pair.a), prepare(pair.b)) for pair in pairs]
    wanted = [pair.label == "same" for pair in pairs]
    *weights, bias = fit(rows, wanted)
    print("\nWEIGHTS = (", *(f"    {w:.2f},  # {name}" for name, w in zip(NAMES, weights, strict=True)), ")", sep="\n")
    print(f"BIAS = {bias:.2f}\n")
    cross_validate(pairs, rows, wanted)


def bands(folder: Path) -> None:
    """Print how telling each frequent word is."""
    counts: Counter[str] = Counter()
    bullets = (folder / "rule-pairs" / "bullets.txt").read_text(encoding="utf-8").splitlines()
    for bullet in bullets:
        counts.update(prepare(bullet).weights.keys())
    found: dict[float, list[str]] = defaultdict(list)
    for word, count in counts.items():
        if count >= SEEN_OFTEN and word.isascii() and not word[0].isdigit() and word not in OWN_NAMES:
            found[round(math.log(len(bullets) / count) * 2) / 2].append(word)
    for band in sorted(found):
        line = " ".join(sorted(found[band], key=lambda word: (-counts[word], word)))
        for part in textwrap.wrap(line, 102, break_long_words=False, break_on_hyphens=False):
            print(f"{band}: {part}")


def fit(rows: list[tuple[float, ...]], wanted: list[bool]) -> list[float]:
    """Fit a logistic model with a small ridge by Newton's method; the last number is the bias."""
    size = len(rows[0]) + 1
    model = [0.0] * size
    for _ in range(12):
        slope = [RIDGE * w for w in model[:-1]] + [0.0]
        curve = [[RIDGE * (i == j and i < size - 1) for j in range(size)] for i in range(size)]
        for row, yes in zip(rows, wanted, strict=True):
            full = (*row, 1.0)
            likely = chance(model, row)
            for i in range(size):
                slope[i] += (likely - yes) * full[i]
                for j in range(size):
                    curve[i][j] += likely * (1 - likely) * full[i] * full[j]
        model = [w - step for w, step in zip(model, solve(curve, slope), strict=True)]
    return model


def chance(model: list[float], row: tuple[float, ...]) -> float:
    """Give what the model says of one pair."""
    return 1 / (1 + math.exp(-model[-1] - sum(w * v for w, v in zip(model, row, strict=False))))


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a small linear system by elimination with pivoting."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for at in range(size):
        pivot = max(range(at, size), key=lambda n: abs(rows[n][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for n in range(size):
            if n != at:
                rows[n] = [value - rows[n][at] * head for value, head in zip(rows[n], rows[at], strict=True)]
    return [row[-1] for row in rows]


def cross_validate(pairs: list[Pair], rows: list[tuple[float, ...]], wanted: list[bool]) -> None:
    """Print merge figures for pairs the model did not see (no text is on both sides of a fold)."""
    groups = components(pairs)
    barred = [compare(pair.a, pair.b).relation == "contradict" for pair in pairs]
    barred = [bar or not to_the_point(row) for bar, row in zip(barred, rows, strict=True)]
    scores = [0.0] * len(pairs)
    for number in range(ROUNDS):
        dice = random.Random(number)
        fold = {group: dice.randrange(FOLDS) for group in sorted(set(groups))}
        for held in range(FOLDS):
            train = [n for n in range(len(pairs)) if fold[groups[n]] != held]
            model = fit([rows[n] for n in train], [wanted[n] for n in train])
            for n in range(len(pairs)):
                if fold[groups[n]] == held:
                    scores[n] += chance(model, rows[n]) / ROUNDS
    print(f"cross-validated ({FOLDS} folds, no text on both sides, {ROUNDS} rounds):")
    for step in range(56, 82, 2):
        merged = [n for n in range(len(pairs)) if scores[n] >= step / 100 and not barred[n]]
        labels = Counter(pairs[n].label for n in merged)
        print(
            f"  sure at {step / 100:.2f}: {len(merged):3} merged, {labels['same'] / len(merged):.1%} same,"
            f" {labels['different'] / len(merged):.1%} different, {labels['contradict']} contradictions,"
            f" recall {labels['same'] / sum(wanted):.3f}"
        )


def components(pairs: list[Pair]) -> list[str]:
    """Give each pair a group: pairs that share a text, directly or not, are in one."""
    parent: dict[str, str] = {}

    def root(text: str) -> str:
        parent.setdefault(text, text)
        while parent[text] != text:
            text = parent[text]
        return text

    for pair in pairs:
        parent[root(pair.a)] = root(pair.b)
    return [root(pair.a) for pair in pairs]


if __name__ == "__main__":
    main()
