"""Bring the index up to date with the bytes of rules.yaml: only entries that are not known by their hash are read."""

from __future__ import annotations

from collections.abc import Callable

from improve import document, escalate
from improve.document import Entry
from improve.index import Fresh, Index
from improve.layout import Head, Malformed, Outline, Span
from improve.notes import digest, note_head, note_shape, noted_head
from improve.rule import Rule
from improve.taxonomy import Taxonomy

_MANY = 2000
"""So many entries take a second or more."""
_BATCH = 500
"""Entries read before they are written; it bounds the memory a first build takes."""


class Broken(Exception):
    """Parts of the file cannot be read: pairs of line and problem."""

    def __init__(self, found: list[tuple[int, str]]) -> None:
        super().__init__(found)
        self.found = found


def bring_up_to_date(
    found: Index, data: bytes, limits: escalate.Thresholds, tell: Callable[[str], None] = lambda _: None
) -> None:
    """Read the entries that are not known by their hash, forget those that are gone.

    Raises:
        Broken: with every line that cannot be read; Irregular: the file has another shape.
    """
    shape = document.outline(data)
    broken = document.broken_head(data, shape)
    if not broken:
        _note_changed_head(found, document.head_text(data, shape))
    moved, fresh, gone = _compared(found, data, shape)
    for key in gone:
        found.delete(key)
    found.reorder(moved)
    if len(fresh) >= _MANY:
        tell(f"reading {len(fresh):,} rules for the first time; later commands are faster")
    _read_all(found, data, shape, limits=limits, fresh=fresh, broken=broken)
    if fresh or gone:
        found.mark_twins()
    note_shape(found, shape)


def _compared(
    found: Index, data: bytes, shape: Outline
) -> tuple[list[tuple[int, int]], list[tuple[int, Span, bytes]], list[int]]:
    """Tell entries by their hash: known ones in another place, new ones, and those that are no longer there."""
    known: dict[bytes, list[tuple[int, int]]] = {}
    for key, order, name in found.shas():
        known.setdefault(name, []).append((order, key))
    moved, fresh = [], []
    for order, span in enumerate(shape.entries, 1):
        name = digest(data[span.start : span.end])
        same = known.get(name)
        if same:
            old, key = same.pop(0)
            if old != order:
                moved.append((order, key))
        else:
            fresh.append((order, span, name))
    return moved, fresh, [key for rest in known.values() for _, key in rest]


def _note_changed_head(found: Index, head_bytes: bytes) -> None:
    name = digest(head_bytes).hex()
    if found.meta("head sha") == name:
        return
    from improve.head import read_head

    head = read_head(head_bytes)
    if found.meta("head") and noted_head(found).taxonomy != head.taxonomy:
        found.clear()  # every decision hangs on the taxonomy
    note_head(found, head, head_bytes)


def _read_all(
    found: Index,
    data: bytes,
    shape: Outline,
    *,
    limits: escalate.Thresholds,
    fresh: list[tuple[int, Span, bytes]],
    broken: list[tuple[int, str]],
) -> None:
    taxonomy = Taxonomy() if broken else noted_head(found).taxonomy
    batch: list[Fresh] = []
    for order, span, name in fresh:
        try:
            item = document.read_entry(document.decoded(data[span.start : span.end]), shape.indent)
        except Malformed as exc:
            broken.append((span.line + exc.line - 1, exc.problem))
            continue
        if not broken:
            batch.append(of_entry(item, taxonomy, limits, place=(order, name, span.end - span.start)))
        if len(batch) == _BATCH:
            found.insert(batch)
            batch = []
    if broken:
        raise Broken(broken)
    found.insert(batch)


def of_entry(
    item: Entry,
    taxonomy: Taxonomy,
    limits: escalate.Thresholds,
    *,
    place: tuple[int, bytes, int],
    words: bool = True,
) -> Fresh:
    """Derive what the index keeps of an entry.

    Args:
        place: its order, hash and size.
        words: work out by which words it is found; not needed when they are the same as before.
    """
    problems = tuple(f"+{line} {what}" for line, what in item.problems)
    if item.rule is None:
        return Fresh(*place, None, problems, None, id=item.id)
    decision = escalate.decide(item.rule, taxonomy, limits)
    phrases, terms = _found_by(item.rule) if words else ((), ())
    return Fresh(*place, item.rule, problems, decision, phrases, terms)


def _found_by(rule: Rule) -> tuple[tuple[str, ...], tuple[tuple[str, float], ...]]:
    """Say by which normalized wordings and terms a rule is found."""
    from improve import match

    wordings = (rule.text, *rule.aliases)
    phrases = dict.fromkeys(norm for text in wordings if (norm := match.normalize(text)))
    terms = dict(match.terms(rule.text))
    for text in rule.aliases[:8]:
        for term, weight in match.terms(text).items():
            terms[term] = max(weight, terms.get(term, 0.0))
    return tuple(phrases), tuple(terms.items())


def whole_in_memory(data: bytes, limits: escalate.Thresholds, half_life: int) -> tuple[Head, Index]:
    """Read a file whose shape we do not edit into an index nobody else sees."""
    head, entries = document.whole(data)
    found = Index.in_memory(half_life)
    found.insert([of_entry(item, head.taxonomy, limits, place=(n, b"", 0)) for n, item in enumerate(entries, 1)])
    found.mark_twins()
    return head, found
