"""What says the same thing in many sessions: findings that one rule would answer, and instructions asked again. Pure.

Both are near-linear: each text is compared with a few that share its rarest words, and never with all.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from improve.match import Prepared

READ = 300
"""Characters of a person's words that are compared: a correction says so early."""
SAME = 0.78
"""Score from which typed words are surely the same: they are looser than the rules the score was made for."""
RELATED = 0.5
"""Score from which words that are not surely the same are shown together."""
ENOUGH = 9.0
"""Weight of what two related texts must have in common, so that `wrong file` is not `wrong name`."""
_FRAME = re.compile(
    r"^(?:(?:no+|nope|nah|nein|non|wrong|falsch|stop|again|(?:that|this|it)(?:['’]?s|\ (?:is|was))"
    r"(?:\ (?:just|still|all|completely))?\ (?:wrong|incorrect|not\ right)(?:\ again)?)\s*[,.!:;–—-]+\s*)+",
    re.IGNORECASE,
)
"""What opens a complaint and says nothing of what is wanted: it would make all complaints alike."""
_COMPARED, _POSTINGS = 6, 400
_LONGEST_ASK, _LEAST_WORDS = 600, 3
_ALIKE = 0.8
_SHARE = 0.12
"""Share of its own score that a text must give another to be compared with it."""
_NEAR = 24


class Told(NamedTuple):
    """What was said once, and where."""

    words: str
    session: str = ""
    project: str = ""
    host: str = ""
    at: str = ""
    rule: str = ""
    """The sentence it was phrased to, if it was."""
    signal: str = ""
    severity: int = 2
    rank: float = 0.0
    key: str = ""
    """Whatever the caller knows it by."""


class Cluster(NamedTuple):
    """What was told in the same sense, oldest first."""

    told: tuple[Told, ...]

    @property
    def text(self) -> str:
        """Give the wording that says it best: a phrased rule, else the likeliest words."""
        best = max(self.told, key=lambda one: (bool(one.rule), one.rank, -len(one.words)))
        return best.rule or best.words

    @property
    def sessions(self) -> int:
        """Count the sessions; what has none counts as one of its own."""
        return len({(one.host, one.session) if one.session else number for number, one in enumerate(self.told)})

    @property
    def projects(self) -> int:
        """Count the projects; of what has none, one at most."""
        return len({one.project for one in self.told} - {""}) or 1

    @property
    def hosts(self) -> int:
        """Count the agents."""
        return len({one.host for one in self.told} - {""}) or 1

    @property
    def severity(self) -> int:
        """Give the highest severity."""
        return max(one.severity for one in self.told)

    @property
    def score(self) -> float:
        """Weigh how much a rule would save: sessions × projects × severity × how likely it is one for later."""
        return self.sessions * self.projects * self.severity * (0.05 + max(one.rank for one in self.told))


def cluster(findings: Iterable[Told], *, surely: bool = False) -> list[Cluster]:
    """Group what one rule would answer, the group first that would save most.

    Texts that contradict each other are never together.

    Args:
        surely: Group only what surely says the same, for it is settled together; else also what looks related.
    """
    shelf = _Shelf(surely)
    for words, members in _alike(findings).items():
        shelf.put(words, members)
    return sorted(map(_ordered, shelf.groups), key=lambda group: (-group.score, group.told[0].at, group.text))


def _alike(findings: Iterable[Told]) -> dict[str, list[Told]]:
    """Put together what is equal but for signs and case."""
    from improve.match import normalize

    found: dict[str, list[Told]] = defaultdict(list)
    for one in findings:
        found[normalize(one.rule or _FRAME.sub("", one.words[:READ]) or one.words[:READ])].append(one)
    return found


def _ordered(members: list[Told]) -> Cluster:
    return Cluster(tuple(sorted(members, key=lambda one: (one.at, one.host, one.session))))


class _Shelf:
    """The groups so far, found again by the terms of the first text of each."""

    def __init__(self, surely: bool) -> None:
        self._surely = surely
        self.groups: list[list[Told]] = []
        self._postings: dict[str, list[int]] = defaultdict(list)
        self._first: list[Prepared] = []

    def put(self, words: str, members: list[Told]) -> None:
        """Add to the group that says the same, or begin one."""
        from improve import match

        terms = match.terms(words)
        place = self._same(words, terms)
        if place is not None:
            self.groups[place] += members
            return
        for term in terms:
            self._postings[term].append(len(self.groups))
        self._first.append(match.read_rule(words))
        self.groups.append(list(members))

    def _same(self, words: str, terms: dict[str, float]) -> int | None:
        from improve import match

        asked, near = match.read_rule(words), None
        for place in self._candidates(terms):
            other = self._first[place]
            found = match.compare_prepared(asked, other)
            if found.relation == "same" and found.score >= SAME:
                return place
            if near is None and not self._surely and found.relation in ("same", "related") and found.score >= RELATED:
                shared = asked.weights.keys() & other.weights.keys()
                common = sum(min(asked.weights[word], other.weights[word]) for word in shared)
                near = place if common >= ENOUGH else None
        return near

    def _candidates(self, terms: dict[str, float]) -> list[int]:
        """List the groups that share enough of the rarest terms, the likeliest first."""
        scores: dict[int, float] = defaultdict(float)
        budget, own = _POSTINGS, 0.0
        for term in sorted(terms, key=lambda term: len(self._postings.get(term, ()))):
            found = self._postings.get(term, ())
            budget -= len(found)
            if scores and budget < 0:
                break
            weight = terms[term] * _importance(len(found), len(self.groups))
            own += weight
            for place in found[-_POSTINGS:]:
                scores[place] += weight
        likely = [place for place, score in scores.items() if score >= _SHARE * own]
        return sorted(likely, key=lambda place: (-scores[place], place))[:_COMPARED]


def _importance(found: int, total: int) -> float:
    """Weigh a term by how few texts have it."""
    return math.log(1.0 + total / (found + 1.0))


_SCRIPT = "\u3040-\u30ff\u3400-\u9fff"
"""Of what puts no blanks between words, each character is one."""
_WORD = re.compile(rf"[{_SCRIPT}]|[^\W_{_SCRIPT}]+(?:['’.\-/_]+[^\W_{_SCRIPT}]+)*")


def _set(table: str) -> frozenset[str]:
    return frozenset(table.split())


_LIGHT = _set("""
a an the this that these those it its is are be to of in on for with and or as at by from i me my we us our you your u
please pls can could would will just now then so ok okay also again here there all some any do does hey hi hello thanks
der die das ein eine und zu in im mit für bitte mir ich du den dem le la les un une des de du et à pour avec plaît el
los las una y en con por para que o os as um uma e do da na и с для пожалуйста
""")
_GENERIC = _set("""
run test tests testing commit push pull build fix check review code file files continue start begin deploy update pr
changes change everything proceed next step go ahead try look show me make work working implement task plan save
restart stop server app lint merge branch error errors issue bug create read see what how why where install
""")
"""Words of the everyday: an instruction of nothing else is one of those that every session has."""
_ASKING = re.compile(
    r"(?:what|why|how|who|where|when|which|is|are|does|do|did|was|were|has|have|wie|was|warum|wo|wer|ist|hat|qué|que|cómo"
    r"|dónde|por|où|quoi|comment|pourquoi|est|que|como|o que|cosa|come|perché|wat|hoe|waarom|что|как|почему|где|co|jak)"
    r"(?:'s|s|’s)?\b|\w*[\u3040-\u9fff]",
    re.IGNORECASE,
)
_TURNS = _set("""
not no never dont don't doesn't without nicht kein keine nie pas jamais nunca sem não не нет без
""")


def repeated(asks: Iterable[Told], *, least: int = 2) -> list[Cluster]:
    """Find instructions that were asked again in so many sessions, the one asked most first.

    Greetings, words of going on, commands, pasted texts and what every session asks for are left out.
    """
    groups: dict[str, list[Told]] = defaultdict(list)
    bags: dict[str, frozenset[str]] = {}
    for one in asks:
        plain = _plain(one.words)
        if plain not in bags:
            bags[plain] = _content(plain) if _is_ask(one.words) else frozenset()
        if bags[plain]:
            groups[plain].append(one)
    merged = _merged({plain: bags[plain] for plain in groups})
    clusters: dict[str, list[Told]] = defaultdict(list)
    for plain, members in groups.items():
        clusters[merged[plain]] += members
    found = [_ordered(members) for members in clusters.values()]
    return sorted(
        (group for group in found if group.sessions >= least),
        key=lambda group: (-group.sessions * group.projects, group.told[0].at, group.text),
    )


def ask_of(words: str) -> str:
    """Give the form in which the same instruction is equal; empty for what is none, or what every session has."""
    plain = _plain(words) if _is_ask(words) else ""
    return plain if plain and _content(plain) else ""


def _plain(words: str) -> str:
    return " ".join(words[: _LONGEST_ASK + 1].casefold().split()).strip(" .,!?;:。，！？")


def _is_ask(words: str) -> bool:
    """Tell an instruction of a person from a command, a paste, an answer and a question."""
    bare = words.strip()
    if bare.endswith(("?", "？", "吗", "か")) and _ASKING.match(bare):
        return False
    return 8 <= len(bare) <= _LONGEST_ASK and bare[0] not in "/!<{[#`" and bare.count("\n") < 8 and "```" not in bare


def _content(plain: str) -> frozenset[str]:
    """Give the words that carry a text; none when they are too few or those of every session."""
    words = frozenset(_WORD.findall(plain)) - _LIGHT
    telling = [word for word in words if word not in _GENERIC]
    many = sum(0.5 if word[0] > "\u3000" else 1 for word in words)
    return words if many >= _LEAST_WORDS and len(telling) > 1 else frozenset()


def _merged(bags: dict[str, frozenset[str]]) -> dict[str, str]:
    """Name for each text the first that says the same in nearly the same words."""
    counts = Counter(word for bag in bags.values() for word in bag)
    postings: dict[str, list[str]] = defaultdict(list)
    first: dict[str, str] = {}
    for plain, bag in bags.items():
        rare = sorted(bag, key=lambda word: (counts[word], word))
        # texts with so large a share in common have one of these in common
        rare = rare[: len(rare) - math.ceil(_ALIKE * len(rare)) + 2]
        near = dict.fromkeys(other for word in rare for other in postings[word][-_NEAR:])
        same = next((other for other in near if _same_ask(bag, bags[other])), None)
        first[plain] = first[same] if same is not None else plain
        for word in rare:
            postings[word].append(plain)
    return first


def _same_ask(a: frozenset[str], b: frozenset[str]) -> bool:
    """Tell whether two texts differ in nothing but a word that is neither a number, a name of a file nor a denial."""
    few, many = sorted((len(a), len(b)))
    if few < _ALIKE * many or len(a & b) < _ALIKE * len(a | b):
        return False
    return not any(word in _TURNS or not word.replace("'", "").isalpha() for word in a ^ b)
