"""How well and how fast single messages are judged, on labelled messages of real sessions.

    python benchmarks/detect.py [DATA] [--again]

DATA is the folder that holds `user-messages/` (default: $IMPROVE_DATA). It is not part of this repository; without it
the benchmark says so and ends. Its `dev.jsonl` was not learned from, but thresholds were chosen on it, and most of its
owners have messages in `train.jsonl`. `--again` needs scikit-learn and takes minutes: it learns anew without the
messages of the owners it then judges, and puts a bag of words beside it, learned in the same way.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from improve import cue
from improve.detectors.finding import NONE, SURE
from improve.detectors.words import SIGNALS, Moments, judge

Row = dict[str, Any]
DRAWS = 400
_STRICT = re.compile(
    r"\b(?:no|don'?t|stop|never|always|actually|instead|i (?:said|told you)|that'?s (?:not|wrong)|remember)\b.*"
    r"\b(?:use|do|not|wrong|instead|should)\b",
    re.IGNORECASE,
)
"""A pattern as tools for this purpose have: a word that rejects, and soon after it one that directs."""


class Guess(NamedTuple):
    """What a way of judging says of a message."""

    signal: float
    durable: float
    sure: bool
    shown: bool
    name: str = ""


def main() -> None:
    """Print all tables."""
    words = [word for word in sys.argv[1:] if word != "--again"]
    folder = data_folder(words[0] if words else os.environ.get("IMPROVE_DATA", ""))
    rows = load(folder, "dev")
    found = [_judged(row) for row in rows]
    honest = [row["stratum"] == "random" for row in rows]
    for name, part in (("random", honest), ("enriched", [not one for one in honest])):
        chosen = [(row, guess) for row, guess, one in zip(rows, found, part, strict=True) if one]
        print(f"\n{name} part, {len(chosen)} messages")
        table(chosen)
    print("\nbaselines, random part")
    for name, way in BASELINES.items():
        line(name, [(row, way(row)) for row, one in zip(rows, honest, strict=True) if one], lambda guess: guess.shown)
    kinds(rows, found)
    languages(rows, found)
    if "--again" in sys.argv:
        again(folder)
    speed(rows)


def data_folder(named: str) -> Path:
    """Find the labelled data, or end with a clear line."""
    if not named or not (Path(named) / "user-messages" / "dev.jsonl").is_file():
        print(
            f"skipped: no labelled messages {f'in {named} ' if named else ''}(name their folder, or set IMPROVE_DATA)"
        )
        raise SystemExit(0)
    return Path(named)


def load(folder: Path, name: str) -> list[Row]:
    """Read labelled messages."""
    text = (folder / "user-messages" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(one) for one in text.splitlines()]


def _judged(row: Row) -> Guess:
    found = judge(
        row["text"], row["prev_assistant"], row["next_user"], moments=Moments(turn_index=row.get("turn_index"))
    )
    return Guess(found.confidence, found.rank, found.tier == SURE, found.tier != NONE, found.signal)


def _net(row: Row) -> Guess:
    found = bool(cue.signal_of(row["text"]))
    return Guess(found, found, False, found)


def _strict(row: Row) -> Guess:
    found = bool(_STRICT.search(row["text"][:300]))
    return Guess(found, found, False, found)


BASELINES: dict[str, Callable[[Row], Guess]] = {"net of cues": _net, "strict patterns": _strict}


def table(chosen: Sequence[tuple[Row, Guess]]) -> None:
    """Print both tiers and the order."""
    line("sure", chosen, lambda guess: guess.sure)
    line("sure or review", chosen, lambda guess: guess.shown)
    for name, truth, score in (
        ("signal", _is_signal, lambda guess: guess.signal),
        ("durable", _is_durable, lambda guess: guess.durable),
    ):
        pairs = [(truth(row), score(guess)) for row, guess in chosen]
        low, high = interval(pairs)
        print(f"  average precision, {name:8} {average_precision(pairs):.2f} [{low:.2f}, {high:.2f}]")


def line(name: str, chosen: Sequence[tuple[Row, Guess]], said: Callable[[Guess], bool]) -> None:
    """Print precision, recall and F1 of one way, with the recall of durable ones."""
    print(f"  {name:22} {figures([(_is_signal(row), said(guess)) for row, guess in chosen])}", end="")
    lasting = [said(guess) for row, guess in chosen if row["durable"]]
    print(f"  of durable {share(sum(lasting), len(lasting))}")


def figures(pairs: Sequence[tuple[bool, bool]]) -> str:
    """Say precision, recall and F1 of pairs (is one, was called one)."""
    right = sum(one and called for one, called in pairs)
    called, there = sum(called for _, called in pairs), sum(one for one, _ in pairs)
    f1 = 2 * right / (called + there) if called + there else 0.0
    return f"P {share(right, called)}  R {share(right, there)}  F1 {f1:.2f}"


def share(part: int, whole: int) -> str:
    """Say a share with its 95 % interval (Wilson)."""
    if not whole:
        return "-".ljust(23)
    p, z = part / whole, 1.96
    middle, width = p + z * z / (2 * whole), z * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole))
    low, high = ((middle + sign * width) / (1 + z * z / whole) for sign in (-1, 1))
    return f"{p:.2f} [{low:.2f}, {high:.2f}] n={whole}".ljust(23)


def average_precision(pairs: Sequence[tuple[bool, float]]) -> float:
    """Give the area under precision over recall."""
    right, total = 0, 0.0
    for place, (one, _) in enumerate(sorted(pairs, key=lambda pair: -pair[1]), start=1):
        right += one
        total += one * right / place
    return total / right if right else 0.0


def interval(pairs: Sequence[tuple[bool, float]]) -> tuple[float, float]:
    """Give the 95 % interval of an average precision (bootstrap)."""
    draw = random.Random(0)
    drawn = sorted(average_precision(draw.choices(pairs, k=len(pairs))) for _ in range(DRAWS))
    return drawn[DRAWS // 40], drawn[-DRAWS // 40]


def kinds(rows: Sequence[Row], found: Sequence[Guess]) -> None:
    """Print how well each signal is named and found."""
    print("\nsignals, random and enriched part: named right, and shown at all whatever the name")
    for signal in SIGNALS:
        pairs = [(row["signal"] == signal, guess.name == signal) for row, guess in zip(rows, found, strict=True)]
        shown = [guess.shown for row, guess in zip(rows, found, strict=True) if row["signal"] == signal]
        print(f"  {signal:12} {figures(pairs)}  shown {share(sum(shown), len(shown))}")


def languages(rows: Sequence[Row], found: Sequence[Guess]) -> None:
    """Print the figures per language, of both tiers together."""
    print("\nlanguages, random and enriched part, sure or review")
    for language, count in Counter(row["lang"] for row in rows).most_common():
        chosen = [(row, guess) for row, guess in zip(rows, found, strict=True) if row["lang"] == language]
        if count >= 4:
            line(f"{language} ({count})", chosen, lambda guess: guess.shown)


def again(folder: Path) -> None:
    """Print the figures of models that saw no message of the owner they judge."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "training"))
    import fit  # needs scikit-learn

    rows = fit.read(folder)
    made = fit.design(rows)
    scores = {head: fit.out_of_fold(rows, made, head) for head in ("signal", "durable")}
    at = fit.choose(rows, scores["signal"], scores["durable"])
    print("thresholds", {name: round(value, 4) for name, value in at.items()})
    bag = {head: fit.bag_of_words(rows, head) for head in scores}
    for name, part in (("random part of dev", "random"), ("train and dev", None)):
        chosen = [index for index, row in enumerate(rows.rows[: rows.real]) if not part or row.get("stratum") == part]
        print(f"\nlearned anew without the owner's messages, {name}")
        told = [(rows.rows[index], _placed(at, scores, index)) for index in chosen]
        table(told)
        for head, truth in (("signal", _is_signal), ("durable", _is_durable)):
            pairs = [(truth(rows.rows[index]), float(bag[head][index])) for index in chosen]
            print(f"  bag of words, average precision, {head:8} {average_precision(pairs):.2f}; ", end="")
            ours = [(truth(rows.rows[index]), float(scores[head][index])) for index in chosen]
            print(f"precision at recall 0.9: {at_recall(pairs):.2f}, here {at_recall(ours):.2f}; ", end="")
            print(f"recall at precision 0.9: {at_precision(pairs):.2f}, here {at_precision(ours):.2f}")


def _placed(at: dict[str, float], scores: dict[str, Any], index: int) -> Guess:
    confidence, rank = (
        1 / (1 + math.exp(-at[f"{head} slope"] * scores[head][index] - at[f"{head} shift"])) for head in scores
    )
    sure = confidence >= at["sure"]
    return Guess(confidence, rank, sure, sure or confidence >= at["review"] or rank >= at["review durable"])


def at_recall(pairs: Sequence[tuple[bool, float]], least: float = 0.9) -> float:
    """Give the best precision at that recall."""
    return max((p for p, r in _curve(pairs) if r >= least), default=0.0)


def at_precision(pairs: Sequence[tuple[bool, float]], least: float = 0.9) -> float:
    """Give the best recall at that precision, of at least five messages."""
    return max((r for place, (p, r) in enumerate(_curve(pairs), start=1) if p >= least and place >= 5), default=0.0)


def _curve(pairs: Sequence[tuple[bool, float]]) -> list[tuple[float, float]]:
    there, right, points = sum(one for one, _ in pairs), 0, list[tuple[float, float]]()
    for place, (one, _) in enumerate(sorted(pairs, key=lambda pair: -pair[1]), start=1):
        right += one
        points.append((right / place, right / there))
    return points


def speed(rows: Sequence[Row]) -> None:
    """Print what a message costs."""
    times = sorted(_seconds(row) for row in rows)
    print(f"\none message: median {times[len(times) // 2] * 1e3:.2f} ms, slowest {times[-1] * 1e3:.2f} ms")


def _seconds(row: Row) -> float:
    start = time.perf_counter()
    _judged(row)
    return time.perf_counter() - start


def _is_signal(row: Row) -> bool:
    return bool(row["signal"] != "none")


def _is_durable(row: Row) -> bool:
    return bool(row["durable"])


if __name__ == "__main__":
    main()
