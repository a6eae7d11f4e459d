"""Ask each past session which of many rules it was about, and which of them its host had loaded.

What a session was about is asked once and kept among the derived data: reading all words of years of sessions takes
most of the time of a verification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from improve import exposure
from improve.loaded import delivery, had
from improve.workflow.gist import Gist
from improve.workflow.moments import stood

if TYPE_CHECKING:
    from improve.deed import Entry, Loaded
    from improve.exposure import Topic
    from improve.ledger import Ledger
    from improve.rule import Rule
    from improve.workflow.here import Here


class Topics:
    """The rules of one run, ready to be asked of any session."""

    def __init__(self, here: Here, rules: Sequence[Rule], ledger: Ledger) -> None:
        self.ledger = ledger
        self.about: dict[Topic, list[str]] = {}
        """Many rules are about the same."""
        for rule in rules:
            self.about.setdefault(exposure.topic(rule), []).append(rule.id)
        self._by_word: dict[str, list[Topic]] = {}
        self._by_program: dict[str, list[str]] = {}
        self._others: list[Topic] = []
        """Topics that no word of a session rules out."""
        for about, ids in self.about.items():
            for word, _ in about.words:
                self._by_word.setdefault(word, []).append(about)
            for program in about.programs:
                self._by_program.setdefault(program, []).extend(ids)
            if about.always or about.paths or about.texts or about.edited or about.code:
                self._others.append(about)
        self.gist = Gist(here, texts=any(about.texts for about in self.about))
        self._texts: dict[str, bytes] = {}
        self._chains: dict[tuple[str, str, tuple[Loaded, ...]], int] = {}
        self._delivered: dict[tuple[str, int, str], str] = {}
        self._had: dict[tuple[str, int], bool] = {}
        self._entry: Entry | None = None
        self._files = 0

    def close(self) -> None:
        """Keep what was learned of sessions."""
        self.gist.close()

    def came_up(self, entry: Entry) -> set[str]:
        """Name the rules whose topic came up in a session."""
        held = self.gist.terms(entry)
        found: set[str] = set()
        for program in held.programs:
            found.update(self._by_program.get(program, ()))
        possible = set(self._others)
        for word in held.said | held.done:
            possible.update(self._by_word.get(word, ()))
        for about in possible:
            if exposure.came_up(about, held):
                found.update(self.about[about])
        return found

    def delivery(self, rule: Rule, entry: Entry) -> str:
        """Say whether the host had loaded a rule when a session began that began after it was written somewhere."""
        # of a rule that was written several times it also matters when
        key = (rule.id, self._chain(entry), entry.started if len(rule.written_to) > 1 else "")
        if key not in self._delivered:
            self._delivered[key] = delivery(rule, entry, self._text, written=stood(rule, entry.started))
        return self._delivered[key]

    def had(self, rule: Rule, entry: Entry) -> bool:
        """Say whether a session surely had a rule before the lines that it stands in now."""
        key = (rule.id, self._chain(entry))
        if key not in self._had:
            self._had[key] = had(rule, entry, self._text)
        return self._had[key]

    def _chain(self, entry: Entry) -> int:
        """Number what a session had loaded, and where: most sessions are alike in it."""
        if entry is not self._entry:
            self._entry = entry
            self._files = self._chains.setdefault((entry.project, entry.cwd, entry.loaded), len(self._chains))
        return self._files

    def _text(self, digest: str) -> bytes:
        if digest not in self._texts:
            self._texts[digest] = self.ledger.text(digest)
        return self._texts[digest]
