"""A message as a detector reads it: the person's own words, in sentences, each word with its classes. Pure."""

from __future__ import annotations

from typing import NamedTuple

from improve import cue
from improve.detectors.traits import PARTS, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_HEAD, _TAIL = 900, 300
"""Characters read of what a person wrote: how it begins, and how it ends."""
_ENDS = frozenset(".!?…。！？;；\n")
_LIKE = {"？": "?", "！": "!", "。": ".", "；": ";", "…": "."}
_UNSPACED = (("\u0e00", "\u0eff"), ("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"))
"""Thai and Lao, kana, Han, Hangul: letters that are words, or words without blanks."""
_ONE = r"https?://\S+|`[^`\n]{1,80}`|@[\w./\\-]+|\w*[./\\_](?=\w)[\w./\\-]*\w|[^\W_]+(?:-[^\W_]+)*|[?!.,:;…。！？；，、：\n]"
CODE, LINK, FILE, NUMBER, RULES = "<code>", "<link>", "<file>", "<number>", "<rules>"
"""What stands for things whose names tell nothing here; a file of rules for agents is one that does."""
_RULE_FILES = (
    "claude.md",
    "agents.md",
    "gemini.md",
    "cursorrules",
    ".mdc",
    "copilot-instructions",
    "memory.md",
    "rules.md",
)
_LONGEST_PART = 5


class Sentence(NamedTuple):
    """Its words in lower case, its end mark the last of them, and the first class of each (`_` for none)."""

    words: list[str]
    kinds: list[str]
    classes: frozenset[str]
    heads: tuple[str, ...]
    """The classes of its first word."""


_compiled: re.Pattern[str] | None = None


def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, words in (*TABLE.items(), *PARTS.items()):
        for word in words.split():
            if name not in found.get(word, ()):
                found[word] = (*found.get(word, ()), name)
    return found


CLASSES = _by_word() | {RULES: ("keep",)}


def own(text: str) -> str:
    """Give what the person wrote, without what was pasted, its middle cut out when it is long."""
    said = cue.spoken(cue.words_only(text))
    return said if len(said) <= _HEAD + _TAIL else f"{said[:_HEAD]}\n{said[-_TAIL:]}"


def sentences(text: str) -> list[Sentence]:
    """Split a text into sentences of words."""
    global _compiled
    if _compiled is None:
        import re

        _compiled = re.compile(_ONE)
    low = text.casefold()
    for mark in "'’‘´":
        low = low.replace(mark, "")
    found: list[Sentence] = []
    words: list[str] = []
    for word in _compiled.findall(low):
        if word in _ENDS:
            if word != "\n":
                words.append(_LIKE.get(word, word))
            _close(words, found)
            words = []
        elif word < "\u0e00" and word.isalpha():
            words.append(word)
        else:
            _add(word, words)
    _close(words, found)
    return found


def _add(word: str, words: list[str]) -> None:
    first = word[0]
    if first.isalpha():
        if first > "\u0dff" and any(low <= first <= high for low, high in _UNSPACED):
            words.extend(_parts(word))
            return
        named = any(mark in word for mark in "./\\_")
        words.append(LINK if word.startswith("http") and "://" in word else _file(word) if named else word)
    elif first.isdigit():
        words.append(NUMBER)
    elif first == "`":
        words.append(CODE)
    else:
        words.append("," if len(word) == 1 else _file(word))


def _file(name: str) -> str:
    return RULES if name.endswith(_RULE_FILES) else FILE


def _parts(word: str) -> list[str]:
    """Cut what has no blanks into known parts and single letters."""
    parts, at = list[str](), 0
    while at < len(word):
        for size in range(_LONGEST_PART, 1, -1):
            if word[at : at + size] in CLASSES:
                break
        else:
            size = 1
        parts.append(word[at : at + size])
        at += size
    return parts


def _close(words: list[str], found: list[Sentence]) -> None:
    if any(len(word) > 1 or word.isalnum() for word in words):
        classes = [CLASSES.get(word, ()) for word in words]
        kinds = [known[0] if known else "_" for known in classes]
        found.append(Sentence(words, kinds, frozenset(name for known in classes for name in known), classes[0]))
