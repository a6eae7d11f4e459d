"""Fit the detector's weights: from labelled messages to `src/improve/detectors/words.bin`.

    python training/fit.py [--data FOLDER] [--out FILE] [--report]

FOLDER holds `user-messages/train.jsonl` and `dev.jsonl` (default: $IMPROVE_DATA). The weights are learned from the
first and from our own messages in `training/messages/`; the second serves to choose thresholds, which are those of
models that saw no message of the same owner. Needs numpy, scipy and scikit-learn; what it writes needs none of them.
`--report` prints the figures of cross-validation over owners and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags, hstack
from sklearn.linear_model import LogisticRegression

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))

from improve.detectors import model as kept  # noqa: E402
from improve.detectors.features import BITS, Features, features  # noqa: E402

HEADS = ("signal", "durable", "preference", "frustration", "remember", "costly", "small")
WEIGHTS = {"traits": 0.1, "words": 2.5, "kinds": 1.0, "before": 0.8, "after": 0.5}
"""How loudly a block speaks: its features are multiplied by this, so that the penalty on its weights is less."""
OF_WORDS = ("traits", "words", "kinds")
"""Blocks of the heads that name a signal: few messages have one, so they learn from the words alone."""
COST, OURS, APART = 0.7, 1.0, 1.0
"""Inverse penalty; weight of our own messages; how far the two kinds of messages may differ in weights."""
SEEN = 2.0
"""A hashed feature needs to be in that many messages, ours counting half."""
FOLDS = 8
SURE = 0.92
"""Precision of the sure tier, a little above what is wanted."""
ENOUGH, ENOUGH_DURABLE = 0.91, 0.91
"""Shares of signals and of durable ones that the review tier shows, of the honest part."""


@dataclass
class Rows:
    """Labelled messages: those of real sessions first, then ours."""

    rows: list[dict[str, Any]]
    real: int

    def labels(self, head: str) -> np.ndarray:
        """Give a head's answer for each message."""
        severity = np.array([row["severity"] for row in self.rows])
        if head == "signal":
            return np.array([row["signal"] != "none" for row in self.rows])
        if head == "durable":
            return np.array([bool(row["durable"]) for row in self.rows])
        if head in ("costly", "small"):
            return severity >= 3 if head == "costly" else severity == 1
        return np.array([row["signal"] == head for row in self.rows])


def read(folder: Path) -> Rows:
    """Read the labelled messages, and ours."""
    rows = []
    for name in ("train", "dev"):
        path = folder / "user-messages" / f"{name}.jsonl"
        rows += [json.loads(line) | {"file": name} for line in path.read_text("utf-8").splitlines() if line.strip()]
    real = len(rows)
    for path in sorted((HERE / "messages").glob("*.jsonl")):
        rows += [json.loads(line) | {"file": "ours"} for line in path.read_text("utf-8").splitlines() if line.strip()]
    return Rows(rows, real)


@dataclass
class Design:
    """Messages as matrices, one for each block, and what is needed to write weights back."""

    blocks: dict[str, csr_matrix]
    names: list[str]
    mean: np.ndarray
    spread: np.ndarray
    seen: dict[str, np.ndarray]
    """Block → the numbers of the features that are used."""
    real: int


def design(rows: Rows) -> Design:
    """Turn messages into matrices; what is unknown of ours stands at the mean."""
    found = [_features(row) for row in rows.rows]
    names = sorted({name for one in found[: rows.real] for name in one.traits})
    place = {name: at for at, name in enumerate(names)}
    values = np.zeros((len(found), len(names)))
    for at, one in enumerate(found):
        for name, value in one.traits.items():
            if name in place:
                values[at, place[name]] = value
    often = (values[: rows.real] != 0).sum(0) >= 8
    values, names = values[:, often], [name for name, kept_ in zip(names, often, strict=True) if kept_]
    mean, spread = values[: rows.real].mean(0), values[: rows.real].std(0) + 0.05
    for at, one in enumerate(found):
        for group, sign in kept.UNKNOWN.items():
            if sign not in one.traits:
                columns = [index for index, name in enumerate(names) if kept.group_of(name) == group]
                values[at, columns] = mean[columns]
    blocks, seen = {"traits": csr_matrix((values - mean) / spread)}, {}
    for block, bits in BITS.items():
        blocks[block], seen[block] = _hashed([getattr(one, block) for one in found], bits, rows.real)
    return Design(blocks, names, mean, spread, seen, rows.real)


def _features(row: dict[str, Any]) -> Features:
    ours = row["file"] == "ours"
    before = row["prev_assistant"] or ("" if not ours else None)
    return features(row["text"], before, row["next_user"] or "", turn=None if ours else row["turn_index"])


def _hashed(numbers: list[set[int]], bits: int, real: int) -> tuple[csr_matrix, np.ndarray]:
    starts = np.cumsum([0] + [len(one) for one in numbers])
    columns = np.array([number for one in numbers for number in sorted(one)])
    every = csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(numbers), 1 << bits))
    count = np.asarray(every[:real].sum(0)).ravel() + 0.5 * np.asarray(every[real:].sum(0)).ravel()
    used = np.flatnonzero(count >= SEEN)
    norm = np.sqrt(np.maximum(np.diff(starts), 1))
    return (diags(1 / norm) @ every)[:, used].tocsr(), used


def matrix(made: Design, head: str) -> csr_matrix:
    """Put a head's blocks side by side: once for all messages, once for real ones, once for ours."""
    names = [name for name in made.blocks if head in HEADS[:2] or name in OF_WORDS]
    shared = hstack([made.blocks[name] * WEIGHTS[name] for name in names]).tocsr()
    real = np.arange(shared.shape[0]) < made.real
    only = csr_matrix((~real).astype(float)[:, None])
    return hstack([shared, diags(real * APART) @ shared, diags(~real * APART) @ shared, only]).tocsr()


def chosen(rows: Rows, head: str) -> np.ndarray:
    """Say which messages a head learns from: none of `dev`; those that name a signal only from messages with one."""
    use = np.array([row["file"] != "dev" for row in rows.rows])
    return use if head in HEADS[:2] else use & rows.labels("signal")


def learn(x: csr_matrix, y: np.ndarray, weight: np.ndarray) -> LogisticRegression:
    """Fit one head."""
    fitted = LogisticRegression(C=COST / (1 + APART**2), max_iter=500, solver="liblinear", random_state=0)
    return fitted.fit(x, y, sample_weight=weight)


def folds(rows: Rows, seed: int) -> np.ndarray:
    """Deal the owners of repositories into folds of about the same size."""
    owners = [row["repo"].partition("/")[0] for row in rows.rows[: rows.real]]
    order = sorted(set(owners))
    draw = np.random.RandomState(seed)
    draw.shuffle(order)
    order.sort(key=lambda owner: -owners.count(owner))
    size, of = [0] * FOLDS, {}
    for owner in order:
        of[owner] = draw.choice([fold for fold in range(FOLDS) if size[fold] <= min(size) + draw.randint(0, 60)])
        size[of[owner]] += owners.count(owner)
    return np.array([of[owner] for owner in owners])


def out_of_fold(rows: Rows, made: Design, head: str, seeds: tuple[int, ...] = (0, 1)) -> np.ndarray:
    """Give each real message the mean score of models that saw no message of its owner."""
    x, y, use = matrix(made, head), rows.labels(head), chosen(rows, head)
    total = np.zeros(rows.real)
    for seed in seeds:
        fold = folds(rows, seed)
        for at in range(FOLDS):
            train = use & np.r_[fold != at, np.ones(len(y) - rows.real, bool)]
            weight = np.where(np.arange(len(y)) < rows.real, 1.0, OURS)[train]
            test = np.flatnonzero(fold == at)
            total[test] += learn(x[train], y[train], weight).decision_function(x[test])
    return total / len(seeds)


def bag_of_words(rows: Rows, head: str) -> np.ndarray:
    """Give what a bag of words says that learns from the same messages of sessions, the plain way."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, y, fold = [row["text"] for row in rows.rows[: rows.real]], rows.labels(head)[: rows.real], folds(rows, 0)
    x = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit_transform(texts)
    use, told = chosen(rows, head)[: rows.real], np.zeros(rows.real)
    for at in range(FOLDS):
        fitted = LogisticRegression(C=3.0, solver="liblinear", class_weight="balanced", random_state=0)
        train = use & (fold != at)
        told[fold == at] = fitted.fit(x[train], y[train]).decision_function(x[fold == at])
    return told


def platt(score: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Fit slope and shift that turn scores into log-odds."""
    fitted = LogisticRegression(C=100.0, solver="lbfgs").fit(score[:, None], y)
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def write(rows: Rows, made: Design, thresholds: dict[str, float], path: Path) -> None:
    """Fit every head on everything and write the file."""
    parts: dict[str, list[np.ndarray]] = {name: [] for name in made.blocks}
    bias = []
    for head in HEADS:
        use = chosen(rows, head)
        weight = np.where(np.arange(len(use)) < rows.real, 1.0, OURS)[use]
        fitted = learn(matrix(made, head)[use], rows.labels(head)[use], weight)
        width = (fitted.coef_.shape[1] - 1) // 3
        flat = fitted.coef_[0, :width] + APART * fitted.coef_[0, width : 2 * width]
        bias.append(float(fitted.intercept_[0]))
        at = 0
        for name, block in made.blocks.items():
            known = head in HEADS[:2] or name in OF_WORDS
            parts[name].append(flat[at : at + block.shape[1]] * WEIGHTS[name] if known else np.zeros(block.shape[1]))
            at += block.shape[1] if known else 0
    path.write_bytes(_packed(made, parts, bias, thresholds))


def _packed(made: Design, parts: dict[str, list[np.ndarray]], bias: list[float], thresholds: dict[str, float]) -> bytes:
    traits = np.array(parts.pop("traits")) / made.spread
    bias = [float(one - weights @ made.mean) for one, weights in zip(bias, traits, strict=True)]
    lines = [kept.VERSION, "\t".join(("heads", *HEADS))]
    body = b""
    for name, heads in parts.items():
        scales = [float(np.abs(one).max() / 127) for one in heads]
        lines.append("\t".join(("block", name, str(BITS[name]), *(f"{one:.6g}" for one in scales))))
        for one, scale in zip(heads, scales, strict=True):
            if not scale:
                continue
            table = np.zeros(1 << BITS[name], np.int8)
            table[made.seen[name]] = np.rint(one / scale).astype(np.int8)
            body += table.tobytes()
    lines.append("\t".join(("bias", "", *(f"{one:.6g}" for one in bias))))
    for at, name in enumerate(made.names):
        numbers = (made.mean[at], *traits[:, at])
        lines.append("\t".join(("trait", name, *(f"{one:.5g}" for one in numbers))))
    lines += [f"at\t{name}\t{value:.5g}" for name, value in thresholds.items()]
    return "\n".join(lines).encode() + b"\n\n" + body


def choose(rows: Rows, signal: np.ndarray, durable: np.ndarray) -> dict[str, float]:
    """Choose calibration and thresholds from scores of messages whose owner was not seen."""
    y, lasting = rows.labels("signal")[: rows.real], rows.labels("durable")[: rows.real]
    honest = np.array([row.get("stratum") == "random" for row in rows.rows[: rows.real]])
    slope, shift = platt(signal[honest], y[honest])
    slope_d, shift_d = platt(durable[honest], lasting[honest])
    p, d = 1 / (1 + np.exp(-slope * signal - shift)), 1 / (1 + np.exp(-slope_d * durable - shift_d))
    return {
        "signal slope": slope,
        "signal shift": shift,
        "durable slope": slope_d,
        "durable shift": shift_d,
        "sure": sure_at(p, y, honest),
        **review_at(p[honest], d[honest], y=y[honest], lasting=lasting[honest]),
        "durable": best_f1(d[honest], lasting[honest]),
    }


def naming(rows: Rows, made: Design, head: str) -> float:
    """Find the score from which a message with a signal is given a head's name."""
    use = rows.labels("signal")[: rows.real]
    score, y = out_of_fold(rows, made, head, (0,))[use], rows.labels(head)[: rows.real][use]
    return best_f1(score, y)


def review_at(p: np.ndarray, d: np.ndarray, *, y: np.ndarray, lasting: np.ndarray) -> dict[str, float]:
    """Find the two thresholds that show the least and still show enough signals, and enough of the durable ones."""
    best = (0.0, 0.0, 0.0)
    for low in np.quantile(p[y], np.linspace(0.01, 0.15, 29)):
        for durable in (*np.quantile(d[lasting], np.linspace(0.01, 0.4, 40)), 1.01):
            shown = (p >= low) | (d >= durable)
            if shown[y].mean() >= ENOUGH and shown[lasting].mean() >= ENOUGH_DURABLE:
                best = max(best, (y[shown].mean(), float(low), float(durable)))
    return {"review": best[1], "review durable": best[2]}


def sure_at(p: np.ndarray, y: np.ndarray, honest: np.ndarray) -> float:
    """Find the lowest threshold with a precision of SURE, the others weighted to the honest share of signals."""
    share = y[honest].mean()
    weight = np.where(y, share / y.mean(), (1 - share) / (1 - y.mean()))
    order = np.argsort(-p, kind="stable")
    right, every = np.cumsum((weight * y)[order]), np.cumsum(weight[order])
    good = np.flatnonzero((right / every >= SURE) & (np.arange(len(y)) >= 15))
    return float(p[order][good[-1]]) if len(good) else 0.97


def best_f1(p: np.ndarray, y: np.ndarray) -> float:
    """Find the threshold with the best F1."""
    order = np.argsort(-p, kind="stable")
    right = np.cumsum(y[order])
    f1 = 2 * right / (np.arange(1, len(y) + 1) + y.sum())
    return float(p[order][int(np.argmax(f1))])


def main() -> None:
    """Fit and write, or report."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--data", type=Path, default=os.environ.get("IMPROVE_DATA"))
    asked.add_argument("--out", type=Path, default=HERE.parent / "src/improve/detectors" / kept.FILE)
    asked.add_argument("--report", action="store_true")
    given = asked.parse_args()
    if given.data is None or not (given.data / "user-messages").is_dir():
        sys.exit("fit: no labelled messages; name the folder that holds user-messages/ with --data")
    rows = read(given.data)
    made = design(rows)
    print(
        f"{sum(row['file'] == 'train' for row in rows.rows)} messages of sessions, {len(rows.rows) - rows.real} of ours"
    )
    signal, durable = out_of_fold(rows, made, "signal"), out_of_fold(rows, made, "durable")
    thresholds = choose(rows, signal, durable) | {head: naming(rows, made, head) for head in HEADS[2:]}
    report(rows, signal, durable, thresholds)
    if not given.report:
        write(rows, made, thresholds, given.out)
        print(f"wrote {given.out}: {given.out.stat().st_size:,} bytes")


def report(rows: Rows, signal: np.ndarray, durable: np.ndarray, at: dict[str, float]) -> None:
    """Print the figures of messages whose owner was not seen."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    y, lasting = rows.labels("signal")[: rows.real], rows.labels("durable")[: rows.real]
    honest = np.array([row.get("stratum") == "random" for row in rows.rows[: rows.real]])
    p = 1 / (1 + np.exp(-at["signal slope"] * signal - at["signal shift"]))
    d = 1 / (1 + np.exp(-at["durable slope"] * durable - at["durable shift"]))
    sure, shown = p >= at["sure"], (p >= at["review"]) | (d >= at["review durable"])
    for name, part in (("random", honest), ("all", np.ones(rows.real, bool))):
        print(
            f"{name:8}AP {average_precision_score(y[part], p[part]):.3f} AUC {roc_auc_score(y[part], p[part]):.3f}"
            f" | durable AP {average_precision_score(lasting[part], d[part]):.3f}"
            f" | sure P {y[part & sure].mean():.2f} R {sure[part & y].mean():.2f} n {(part & sure).sum()}"
            f" | review P {y[part & (shown | sure)].mean():.2f} R {(shown | sure)[part & y].mean():.2f}"
            f" of durable {(shown | sure)[part & lasting].mean():.2f}"
        )
    print({name: round(value, 3) for name, value in at.items()})


if __name__ == "__main__":
    main()
