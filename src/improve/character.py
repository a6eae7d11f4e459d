"""Which characters a line of text may hold, and where the first one is that it may not.

Categories come from the generated tables in ignorable.py, so every Python gives the same verdict. Joiners and
U+FE0F are invisible too, but pass where a script or an emoji cannot be written without them.
"""

from __future__ import annotations

from bisect import bisect_right

from improve.ignorable import MARKS, VISIBLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BLANKS = " \t\r\n\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""What is stripped from both ends: spaces, tab, and the line end a shell or editor adds."""

LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Everything `str.splitlines` splits on; editors and YAML do not agree on it, so none may be inside."""

MOST_MARKS = 4
"""Combining marks in a row that still are writing; more is a way to paint over the lines around."""

TOO_MANY_MARKS = "too many combining marks in a row"

_ZWNJ, _ZWJ, _EMOJI_STYLE, _KEYCAP = "\u200c", "\u200d", "\ufe0f", "\u20e3"

# Scripts whose spelling needs joiners: Arabic to Mandaic, the Indic blocks, Myanmar, Khmer and Mongolian, the
# Brahmic blocks outside the first plane, Adlam. RFC 5892: https://www.rfc-editor.org/rfc/rfc5892#appendix-A
_JOINING = (
    0x600, 0x900, 0x900, 0xE00, 0x1000, 0x10A0, 0x1780, 0x18B0, 0x1A20, 0x1AB0, 0x1B00, 0x1C50, 0x1CD0,
    0x1D00, 0xA800, 0xA900, 0xA980, 0xAA80, 0xAAE0, 0xAB00, 0xABC0, 0xAC00, 0xFB50, 0xFE00, 0xFE70, 0xFEFD,
    0x10A00, 0x10A60, 0x11000, 0x12000, 0x1E900, 0x1E960,
)  # fmt: skip
# Blocks emoji sequences are built from: arrows to miscellaneous symbols, 〰 〽 ㊗ ㊙, the pictographs.
_EMOJI = (0x2190, 0x2C00, 0x3030, 0x3031, 0x303D, 0x303E, 0x3297, 0x3298, 0x3299, 0x329A, 0x1F000, 0x20000)
_EMOJI_ALONE = "\u00a9\u00ae\u203c\u2049\u2122\u2139"


def within(table: tuple[int, ...], char: str) -> bool:
    """Tell whether a character is in a table of edges."""
    return bisect_right(table, ord(char)) % 2 == 1


def plain_ascii(text: str) -> bool:
    """Tell the common case apart at C speed: printable ASCII holds nothing to refuse."""
    return text.isascii() and text.isprintable()


def faults(text: str) -> Iterator[tuple[int, str]]:
    """Yield the index of each character that may not be there, with what is wrong with it.

    >>> list(faults("a\\u202eb"))
    [(1, 'an invisible or bidi formatting character')]
    """
    if plain_ascii(text):
        return
    marks = 0
    for index, char in enumerate(text):
        if " " <= char <= "~":
            marks = 0
        elif not within(VISIBLE, char):
            marks = 0
            if not _needed(text, index):
                yield index, _kind(char)
        elif within(MARKS, char):
            marks += 1
            if marks > MOST_MARKS:
                yield index, TOO_MANY_MARKS
        else:
            marks = 0


def _needed(text: str, index: int) -> bool:
    """Tell whether an invisible character is part of an emoji or of correct spelling."""
    char = text[index]
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    if not before or char not in (_ZWNJ, _ZWJ, _EMOJI_STYLE):
        return False
    if char == _EMOJI_STYLE:
        return _emoji(before) or before in _EMOJI_ALONE or (before in "0123456789#*" and after == _KEYCAP)
    if char == _ZWJ and _emoji(after):
        return _emoji(before) or (before == _EMOJI_STYLE and _needed(text, index - 1))
    return _joins(before) and (_joins(after) or _virama(before))


def _emoji(char: str) -> bool:
    return bool(char) and within(_EMOJI, char) and within(VISIBLE, char)


def _joins(char: str) -> bool:
    return bool(char) and within(_JOINING, char) and within(VISIBLE, char) and (char.isalnum() or within(MARKS, char))


def _virama(char: str) -> bool:
    import unicodedata

    return unicodedata.combining(char) == 9


def _kind(char: str) -> str:
    point = ord(char)
    if char in LINE_BREAKS:
        return "a line break"
    if point < 0x20 or 0x7F <= point < 0xA0:
        return "a control character"
    if 0xD800 <= point < 0xE000:
        return "half of a surrogate pair (broken text)"
    if 0xE000 <= point < 0xF900 or point >= 0xF0000:
        return "a private-use or unassigned character"
    if point == 0xFFFD:
        return "the replacement character (broken text)"
    if point in (0x2800, 0x3164, 0xFFA0, 0x115F, 0x1160):
        return "a character that looks blank"
    from improve.ignorable import IGNORABLE

    if within(IGNORABLE, char) or 0x600 <= point < 0x900 or 0xFFF9 <= point <= 0xFFFB:
        return "an invisible or bidi formatting character"
    return "an unassigned or invisible character"
