"""Traits of a message: what kind of text it is, which classes of words keep company in it, what it answers. Pure."""

from __future__ import annotations

from math import log1p

from improve.detectors.said import CODE, FILE, LINK, Sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_PATTERNS = {
    "listed": r"(?m)^\s*(?:[-*•]|\d+[.)])\s",
    "loud": r"\b(?:NOT|NEVER|ALWAYS|DO|DONT|ONLY|STOP|MUST|NO|ALL|STILL|WHY)\b",
    "claim": r"\b(?:done|fixed|completed?|should now|now works?|working|works|ready|success\w*|implemented|updated"
    r"|added|resolved|created|all (?:\d+ )?tests|passing|pass|committed|pushed|deployed|restored|installed|verified)\b"
    r"|✅|🎉|完成|已|修复|成功|đã|hoàn|listo|pronto|terminé|corregid|corrigid|fertig|erledigt|готово|исправ",
    "try": r"\b(?:test it|try it|please (?:test|try|refresh|restart|check|remove|rebuild)|test again|restart|refresh"
    r"|reload|run (?:it|the))\b",
    "underway": r"(?:now )?(?:let me|ill|i will|now|lets|next|first|i need to|im going to|time to|good[,.]"
    r"|perfect[.!,])\b",
}
_OPTION = (
    "would you like", "do you want", "want me to", "shall i", "should i", "let me know", "option", "which one",
    "which of", "prefer", "reply with", "¿", "quieres", "bạn muốn", "要不要", "需要我", "möchtest",
    "voulez", "quer que", "vuoi", "хотите",
)  # fmt: skip
_SORRY = (
    "youre right", "you are right", "apolog", "sorry", "my mistake", "good catch", "i missed", "i should have",
    "entschuldig", "désolé", "disculp", "desculp", "抱歉", "对不起", "xin lỗi", "извин", "scusa",
)  # fmt: skip
_STOPPED = (
    "cancelled", "interrupted by user", "rejected", "doesnt want to proceed", "tool use was", "denied", "aborted",
)  # fmt: skip
_compiled: dict[str, re.Pattern[str]] = {}


def _pattern(name: str) -> re.Pattern[str]:
    if name not in _compiled:
        import re

        _compiled[name] = re.compile(_PATTERNS[name])
    return _compiled[name]


def traits(
    text: str,
    said: str,
    here: list[Sentence],
    *,
    before: str | None,
    there: list[Sentence],
    after: str,
    later: list[Sentence],
    turn: int | None,
) -> dict[str, float]:
    """Give the traits by name; one that is not there is 0, one that is unknown is left out.

    Args:
        said: The person's own words of `text`, and `here` their sentences.
        before: The end of the agent's last text, with its sentences `there`; None if it is unknown.
        after: The start of the person's next message, with its sentences `later`; empty if it is unknown.
        turn: How many messages of the person stand before this one; None if it is unknown.
    """
    found = dict(_shape(text, said, here))
    found.update(_classes(here))
    if before is not None:
        found.update(_answering(before, there, here, found))
    if after:
        found.update(_going_on(text, after, here, later))
    if turn is not None:
        found["turn first"], found["turn second"], found["turn late"] = turn == 0, turn == 1, log1p(max(turn, 0))
        found["turn without before"] = turn == 0 and not before
    return found


def _shape(text: str, said: str, here: list[Sentence]) -> Iterator[tuple[str, float]]:
    """Say how the text looks."""
    count = sum(len(sentence.words) for sentence in here)
    yield "length", log1p(len(text))
    yield "own", log1p(len(said))
    yield "share", len(said) / (len(text) + 1)
    yield "sentences", min(len(here), 12)
    yield "words", log1p(count)
    yield "few", count <= 3
    yield "lines", log1p(text.count("\n"))
    yield "fence", "```" in text
    yield "listed", len(_pattern("listed").findall(text)) > 1
    yield "asks at end", text.rstrip()[-1:] in ("?", "？")
    yield "asks", "?" in said or "？" in said
    yield "exclaims", min(said.count("!") + said.count("！"), 3)
    capitals, letters = _letters(said)
    yield "capitals", capitals / (letters + 5)
    yield "loud", _pattern("loud").search(said) is not None
    yield "small", said[:1].islower()
    for mark in (FILE, CODE, LINK):
        yield mark, any(mark in sentence.words for sentence in here)
    questions = sum(sentence.words[-1] == "?" for sentence in here)
    yield "questions", min(questions, 4)
    yield "only questions", bool(here) and questions == len(here)
    orders = sum("do" in sentence.heads for sentence in here)
    tells = sum(
        sentence.words[-1] != "?" and "do" not in sentence.heads and "ask" not in sentence.heads for sentence in here
    )
    yield "orders", orders / (len(here) + 1)
    yield "tells", tells / (len(here) + 1)


_SMALL = dict.fromkeys(range(ord("a"), ord("z") + 1))
_CAPITAL = dict.fromkeys(range(ord("A"), ord("Z") + 1))


def _letters(said: str) -> tuple[int, int]:
    """Count the capitals and all letters; of plain ASCII without a look at each character."""
    if not said.isascii():
        return sum(map(str.isupper, said)), sum(map(str.isalpha, said))
    capitals = len(said) - len(said.translate(_CAPITAL))
    return capitals, capitals + len(said) - len(said.translate(_SMALL))


def _classes(here: list[Sentence]) -> Iterator[tuple[str, float]]:
    """Say which classes of words there are: in how many sentences, in the first, at the very beginning."""
    if not here:
        return
    counts: dict[str, int] = {}
    for sentence in here:
        for name in sentence.classes:
            counts[name] = counts.get(name, 0) + 1
    density = 1 + log1p(len(here))
    for name, number in counts.items():
        yield f"many {name}", min(number, 4) / density
    for name in here[0].classes:
        yield f"first {name}", 1
    for name in here[0].heads:
        yield f"begins {name}", 1


def _answering(
    before: str, there: list[Sentence], here: list[Sentence], found: dict[str, float]
) -> Iterator[tuple[str, float]]:
    """Say what the agent had said, and what it makes of this answer."""
    low = before[-600:].casefold()
    for mark in "'’":
        low = low.replace(mark, "")
    tail = low[-350:]
    ending = tail.rstrip('`*_ \n)"')[-1:] in ("?", "？")
    claims = min(len(_pattern("claim").findall(tail)), 4)
    tries = _pattern("try").search(tail) is not None
    last = low.strip().rpartition("\n")[2].strip()
    underway = any(_pattern("underway").match(part.strip()) for part in _last_two(last))
    yield "before none", not low.strip()
    yield "before claims", claims
    yield "before asks at end", ending
    yield "before asks", "?" in tail or "？" in tail
    yield "before option", any(words in tail for words in _OPTION)
    yield "before sorry", any(words in low for words in _SORRY)
    yield "before stopped", any(words in tail for words in _STOPPED)
    yield "before try", tries
    yield "before underway", underway
    yield "before colon", last.endswith(":")
    yield "before fence", last.startswith("```")
    yield "before tool", "tool use" in tail or "<tool" in tail or "used **" in tail
    yield "before long", len(before) >= 300
    yield "before listed", _pattern("listed").search(tail) is not None
    count = sum(len(sentence.words) for sentence in here)
    every = frozenset[str]().union(*(sentence.classes for sentence in here))
    yield "claims and bad", claims > 0 and "bad" in every
    yield "claims and not", claims > 0 and "not" in every
    yield "claims and still", claims > 0 and "still" in every
    yield "claims and tells", claims * found["tells"]
    yield "claims and asks", claims * found["asks"]
    yield "underway and short", underway and count < 30
    yield "asked and short", ending and count < 8
    yield "asked and not", ending and bool(here) and "not" in here[0].heads
    yield "try and see", tries and "see" in every
    telling = _telling(here)
    same = len(telling & {word for sentence in there for word in sentence.words})
    yield "before share", same / (len(telling) + 2)
    yield "before same", min(same, 5)


def _last_two(line: str) -> list[str]:
    """Give the last two sentences of a line."""
    for mark in "!?:":
        line = line.replace(f"{mark} ", f"{mark}. ")
    return line.split(". ")[-2:]


def _going_on(text: str, after: str, here: list[Sentence], later: list[Sentence]) -> Iterator[tuple[str, float]]:
    """Say how the person went on."""
    for name in frozenset[str]().union(*(sentence.classes for sentence in later)):
        yield f"after {name}", 1
    if later:
        for name in later[0].heads:
            yield f"after begins {name}", 1
    yield "after", 1
    yield "after length", log1p(len(after[:300]))
    yield "after asks", "?" in after
    yield "after again", after[:80].casefold() == text[:80].casefold()
    telling = _telling(here)
    yield "after share", len(telling & {word for sentence in later for word in sentence.words}) / (len(telling) + 2)


def _telling(here: list[Sentence]) -> set[str]:
    """Give the words that say what it is about."""
    return {
        word
        for sentence in here
        for word, kind in zip(sentence.words, sentence.kinds, strict=True)
        if kind == "_" and len(word) > 3 and word[0] != "<"
    }
