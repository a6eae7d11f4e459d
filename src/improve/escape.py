"""Make text safe to show on a terminal: what does not show by itself is shown as an escape."""

from __future__ import annotations

from improve.character import TOO_MANY_MARKS, faults, plain_ascii

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str, *, multiline: bool = False) -> str:
    """Show control, invisible, bidi and broken characters as `\\x1b` or `\\u202e`; keep all others.

    Joiners and emoji selectors stay where a word or an emoji needs them.

    Args:
        text: Any string, lone surrogates included.
        multiline: Keep plain newlines; all other line ends are still escaped.

    >>> visible("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    if plain_ascii(text):
        return text
    chars = list(text)
    for index, fault in faults(text):
        if fault != TOO_MANY_MARKS and not (multiline and chars[index] == "\n"):
            chars[index] = _escape(chars[index])
    return "".join(chars)


def one_line(text: str, most: int) -> str:
    """Put a text on one line, cut after so many characters.

    >>> one_line("use  tabs\\nhere", 9)
    'use tabs…'
    """
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _escape(char: str) -> str:
    point = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
