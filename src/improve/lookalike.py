"""Find words spelled with letters of another script that look like their own. A warning only: names may do so.

What counts is how a text is written: people who mean Cyrillic use letters that Latin has not, and their endings on
Latin words (`JSONа`) stand behind them. Look-alikes after https://www.unicode.org/Public/security/latest/confusables.txt
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LATIN = "aceopxyijshABEKMHOPCTXYIJSZNv"
"""Latin letters that can be taken for Cyrillic or Greek ones."""
_SCRIPTS = (
    ("Cyrillic", 0x400, 0x530, frozenset("асеорхуіјѕһӏԁԛԝАВЕКМНОРСТХУІЈЅԀԚԜҮӀ")),
    ("Greek", 0x370, 0x400, frozenset("ονραικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")),
)


def look_alikes(text: str) -> str:
    """Say which word is not what it looks like, and where; empty when all are.

    >>> look_alikes("Use pnpm, n\\u0435ver npm")
    '"n\\u0435ver" has the Cyrillic letter U+0435 at column 12, which looks like a Latin one'
    >>> look_alikes("Пиши тесты на JSONе"), look_alikes("Use \\u03bcs, not ms")
    ('', '')
    """
    if text.isascii():
        return ""
    for script, low, high, spies in _SCRIPTS:
        theirs = frozenset(char for char in text if low <= ord(char) < high and char.isalpha())
        latin = any(char.isascii() and char.isalpha() for char in text)
        if not theirs or not latin:
            continue
        for start, word in _words(text):
            at = _odd_letter(word, theirs, spies, honest=bool(theirs - spies))
            if at >= 0:
                own, other = (script, "Latin") if word[at] in theirs else ("Latin", script)
                where = f"U+{ord(word[at]):04X} at column {start + at + 1}"
                return f'"{word}" has the {own} letter {where}, which looks like a {other} one'
    return ""


def _words(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for at, char in enumerate(text + " "):
        if not char.isalnum():
            if at > start:
                yield start, text[start:at]
            start = at + 1


def _odd_letter(word: str, theirs: frozenset[str], spies: frozenset[str], *, honest: bool) -> int:
    """Give the place of the letter that is not what it seems, or -1.

    Args:
        theirs: The letters of the other script in the whole text.
        spies: Its letters that look like Latin ones.
        honest: The text has letters of that script that nobody takes for Latin ones.
    """
    others = [at for at, char in enumerate(word) if char in theirs]
    latin = [at for at, char in enumerate(word) if char.isascii() and char.isalpha()]
    symbol = others == [0] and "α" <= word[0] <= "ω"  # mathematics: α, ρmax
    if symbol or not others:
        return -1
    if not honest:
        return others[0]
    if latin and all(word[at] in spies for at in others) and others[0] < latin[-1]:
        return others[0]
    if latin and len(others) > 1 and all(word[at] in _LATIN for at in latin) and latin[-1] > others[0]:
        return next(at for at in latin if at > others[0])
    return -1
