"""Several checks at once on the calls of a session: of most calls, a look for a few words tells that none hits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from improve.check import haystack, hits, needles
from improve.deed import Deed, Entry
from improve.kind import HIT
from improve.rule import Check


class Sieve:
    """Checks by the names that the caller gives them."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks: dict[str, list[tuple[str, Check, tuple[str, ...]]]] = {}
        for name, check in checks.items():
            words = needles(check)
            for kind in HIT[check.tool]:
                self._checks.setdefault(kind, []).append((name, check, words))

    def of(self, entry: Entry) -> Iterator[tuple[Deed, dict[str, tuple[str, ...]]]]:
        """Give the calls of a session that are hit: by the name of the check, the parts that it denies."""
        for deed in entry.deeds:
            checks = self._checks.get(deed.kind)
            if not checks:
                continue
            call = deed.call
            text = haystack(call)
            found: dict[str, tuple[str, ...]] = {}
            for name, check, words in checks:
                if words and not any(word in text for word in words):
                    continue
                if parts := hits(check, call):
                    found[name] = parts
            if found:
                yield deed, found
