"""How well and how fast rules are matched, on labelled pairs of real rules.

    python benchmarks/match.py [DATA]

DATA is the folder that holds `rule-pairs/` (default: $IMPROVE_DATA).
The labelled data is not part of this repository; without it the benchmark says so and ends.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from improve import match
from improve.lexicon.words import stem

Nearest = Callable[[str], Sequence[int]]
MORE = 10
"""How many rules each way is asked for, so that five are left without the query's own text."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A labelled pair of rules."""

    a: str
    b: str
    label: str
    origin: str
    lang: str


@dataclass(frozen=True, slots=True)
class Query:
    """A rule whose twin is in the store at `answer`."""

    text: str
    answer: int
    origin: str
    lang: str


def main() -> None:
    """Print the table."""
    folder = data_folder(sys.argv)
    pairs = load_pairs(folder)
    found = [match.compare(pair.a, pair.b).relation for pair in pairs]
    tiers(pairs, found)
    parts(pairs, found)
    store, queries = load_store(folder)
    retrieval(store, queries)
    speed(pairs, store)


def data_folder(argv: list[str]) -> Path:
    """Find the labelled data, or end with a clear line."""
    named = argv[1] if len(argv) > 1 else os.environ.get("IMPROVE_DATA", "")
    if not named or not (Path(named) / "rule-pairs" / "pairs_dev.jsonl").is_file():
        print(
            f"skipped: no labelled rule pairs {f'in {named} ' if named else ''}(name their folder, or set IMPROVE_DATA)"
        )
        raise SystemExit(0)
    return Path(named)


def load_pairs(folder: Path) -> list[Pair]:
    """Read the labelled pairs."""
    lines = (folder / "rule-pairs" / "pairs_dev.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Pair(row["a"], row["b"], row["label"], row["origin"], row["lang"]) for row in rows]


def load_store(folder: Path) -> tuple[list[str], list[Query]]:
    """Read the stored rules and the queries."""
    data = json.loads((folder / "rule-pairs" / "retrieval_dev.json").read_text(encoding="utf-8"))
    queries = [Query(q["text"], q["answer"], q["origin"], q["lang"]) for q in data["queries"]]
    return data["store"], queries


def tiers(pairs: list[Pair], found: list[str]) -> None:
    """Print what each answer was given for."""
    labels = ("same", "broader_or_narrower", "different", "contradict")
    print(f"{'answer':12}" + "".join(f"{label:>21}" for label in labels))
    for answer in ("same", "contradict", "related", "different"):
        counts = Counter(pair.label for pair, said in zip(pairs, found, strict=True) if said == answer)
        print(f"{answer:12}" + "".join(f"{counts[label]:>21}" for label in labels))


def parts(pairs: list[Pair], found: list[str]) -> None:
    """Print the figures that matter, for all pairs and for parts of them."""
    print(f"\n{'pairs':>16} {'n':>4}  merges: same / different / contradict, recall    contradictions: P, R")
    rows = list(zip(pairs, found, strict=True))
    part(rows, "all")
    for origin in ("real", "written"):
        part([row for row in rows if row[0].origin == origin], origin)
    for lang, _ in Counter(pair.lang for pair in pairs).most_common(6):
        part([row for row in rows if row[0].lang == lang], f"language {lang}")


def part(rows: list[tuple[Pair, str]], name: str) -> None:
    """Print one line of figures."""
    merged = Counter(pair.label for pair, said in rows if said == "same")
    flagged = Counter(pair.label for pair, said in rows if said == "contradict")
    real = Counter(pair.label for pair, _ in rows)
    print(
        f"{name:>16} {len(rows):4}  {merged.total():4}: {ratio(merged['same'], merged.total())} /"
        f" {ratio(merged['different'], merged.total())} / {merged['contradict']},"
        f" recall {ratio(merged['same'], real['same'])}"
        f"{flagged.total():10}: P {ratio(flagged['contradict'], flagged.total())}"
        f" R {ratio(flagged['contradict'], real['contradict'])}"
    )


def ratio(part: int, whole: int) -> str:
    """Say a share, or `-` of nothing."""
    return f"{part / whole:.3f}" if whole else "-"


def retrieval(store: list[str], queries: list[Query]) -> None:
    """Print recall among the first five, beside that of simpler ways."""
    heads = f"{'all':>9}{'real':>8}{'written':>9}{'english':>9}{'other':>8}{'new':>8}"
    print(f"\nrecall@5 among {len(store)} rules  {heads}")
    shelf = match.Shelf(store)
    ways: dict[str, Nearest] = {
        "index and compare": lambda text: [n for n, _ in shelf.nearest(text, MORE)],
        "as observe offers": lambda text: _offered(shelf, store, text),
        "rerank without scores": lambda text: _reranked(shelf, store, text),
        "BM25 on stems": _bm25(store),
        "token_set_ratio": _fuzzy(store),
    }
    for name, nearest in ways.items():
        print(f"{name:26}", *_recall(store, queries, nearest))
    print("(new: a stored copy of the query itself takes none of the five places)")


def _recall(store: list[str], queries: list[Query], nearest: Nearest) -> Iterable[str]:
    given = [(query, nearest(query.text)) for query in queries]
    groups: list[Callable[[Query], bool]] = [
        lambda query: True,
        lambda query: query.origin == "real",
        lambda query: query.origin == "written",
        lambda query: query.lang == "en",
        lambda query: query.lang != "en",
    ]
    for width, belongs in zip((10, 7, 8, 8, 7), groups, strict=True):
        mine = [query.answer in found[:5] for query, found in given if belongs(query)]
        yield f"{sum(mine) / len(mine):{width}.3f}"
    others = [(query.answer, [n for n in found if store[n] != query.text]) for query, found in given]
    yield f"{sum(answer in found[:5] for answer, found in others) / len(others):7.3f}"


def _offered(shelf: match.Shelf, store: list[str], text: str) -> list[int]:
    """Give the near rules `observe` would name: no contradictions, nothing that shares too little."""
    listed = shelf.shortlist(text)
    own = sum(
        weight * weight * match.importance(shelf.frequency(term), len(store))
        for term, weight in match.terms(text).items()
    )
    order = match.rerank(text, [store[n] for n, _ in listed], [score for _, score in listed])
    return [
        listed[at][0] for at, found in order if match.worth_asking(found, listed[at][1] / (own or 1.0), len(store))
    ][:MORE]


def _reranked(shelf: match.Shelf, store: list[str], text: str) -> list[int]:
    listed = [number for number, _ in shelf.shortlist(text)]
    order = match.rerank(text, [store[number] for number in listed])
    return [listed[place] for place, _ in order[:MORE]]


def _bm25(store: list[str]) -> Nearest:
    bags = [Counter(_stems(text)) for text in store]
    counts = Counter(word for bag in bags for word in bag)
    length = sum(bag.total() for bag in bags) / len(bags)

    def nearest(text: str) -> Sequence[int]:
        scores = [0.0] * len(bags)
        for word in set(_stems(text)):
            telling = math.log(1 + (len(bags) - counts[word] + 0.5) / (counts[word] + 0.5))
            for n, bag in enumerate(bags):
                if word in bag:
                    scores[n] += telling * bag[word] * 2.2 / (bag[word] + 1.2 * (0.25 + 0.75 * bag.total() / length))
        return sorted(range(len(bags)), key=lambda n: (-scores[n], n))[:MORE]

    return nearest


def _stems(text: str) -> list[str]:
    return [stem(word.strip(".,;:!?`*()\"'")) for word in text.casefold().split()]


def _fuzzy(store: list[str]) -> Nearest:
    from rapidfuzz import fuzz, process

    def nearest(text: str) -> Sequence[int]:
        return [n for _, _, n in process.extract(text, store, scorer=fuzz.token_set_ratio, limit=MORE)]

    return nearest


def speed(pairs: list[Pair], store: list[str]) -> None:
    """Print how many pairs a second there are, and what a reading and a comparison cost."""
    lines = [json.dumps({"id": n, "a": pair.a, "b": pair.b}) for n, pair in enumerate(pairs)]
    texts = [pair.a for pair in pairs]
    rules = [match.prepare(text) for text in store[:60]]
    asked = match.prepare(pairs[0].a)
    new = max(_rate(lambda: _afresh(lines), len(lines)) for _ in range(3))
    again = max(_rate(lambda: list(match.answer_pairs(lines)), len(lines)) for _ in range(3))
    read = max(_rate(lambda: [match.prepare(text) for text in texts], len(texts)) for _ in range(3))
    each = max(_rate(lambda: [match.compare_prepared(asked, rule) for rule in rules], 60) for _ in range(9))
    print(f"\nimprove match, every text new to it: {new:9.0f} pairs/s")
    print(f"improve match, texts seen before:    {again:9.0f} pairs/s")
    print(f"prepare:                             {1e6 / read:9.1f} µs a rule")
    print(f"compare_prepared:                    {1e6 / each:9.1f} µs a pair")


def _afresh(lines: list[str]) -> None:
    match.read_rule.cache_clear()
    list(match.answer_pairs(lines))


def _rate(work: Callable[[], object], count: int) -> float:
    """Count per second of processor time: other work on the machine does not show."""
    start = time.process_time()
    work()
    return count / (time.process_time() - start)


if __name__ == "__main__":
    main()
