"""Whatever is stored, showing it never drives the terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.escape import visible

ANY = st.text(st.characters(exclude_categories=()) | st.sampled_from("ab \n\t\x1b\x9b\u200d\ufe0f👩"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x1b]8;;http://x\x1b\\link", "\\x1b]8;;http://x\\x1b\\link"),
        ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"),
        ("\x1bP1$r\x1b\\", "\\x1bP1$r\\x1b\\"),
        ("\x9b2J \x9d0;t", "\\x9b2J \\x9d0;t"),
        ("safe\rrm -rf", "safe\\rrm -rf"),
        ("a\x08\x7fb", "a\\x08\\x7fb"),
        ("\x1b]0;never ends", "\\x1b]0;never ends"),
        ("one\ntwo\tthree", "one\\ntwo\\tthree"),
        ("a\u202eb\u2066c\u200fd", "a\\u202eb\\u2066c\\u200fd"),
        ("\u2028\u2029\x85", "\\u2028\\u2029\\x85"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("\ud800 \udcff", "\\ud800 \\udcff"),
        ("\ufeffbom\u200b", "\\ufeffbom\\u200b"),
        ("\ue000\uffff", "\\ue000\\uffff"),
        ("\u3164\u2800", "\\u3164\\u2800"),
    ],
)
def test_what_does_not_show_is_shown_as_an_escape(text: str, shown: str) -> None:
    """Terminal controls, 8-bit ones too, bidi, invisible and broken characters appear as escapes."""
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "C:\\x1b is a path",
        "naïve",
        "日本語　です",
        "می‌خواهم",
        "क्‍ष",
        "👩‍💻 ❤️ 1️⃣",
        "ệ e\u0302\u0323",
        "a\u00a0b",
        "[red]markup[/red] %s {0}",
    ],
)
def test_what_shows_stays(text: str) -> None:
    """Words of every script, emoji, backslashes and markup stay as they are."""
    assert visible(text) == text


def test_newlines_stay_only_where_lines_are_wanted() -> None:
    """With several lines wanted, a plain newline stays; every other line end is still escaped."""
    assert visible("a\nb\r\nc\vd", multiline=True) == "a\nb\\r\nc\\x0bd"
    assert visible("a\nb") == "a\\nb"


def test_no_code_point_escapes_the_escape() -> None:
    """Of all 1,114,112 code points none is left that is a control, a format character or half a surrogate."""
    shown = visible("a".join(map(chr, range(0x110000))))
    assert {unicodedata.category(char) for char in set(shown)}.isdisjoint({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
    shown.encode()


@given(ANY, st.booleans())
def test_showing_never_fails_and_is_stable(text: str, multiline: bool) -> None:
    """Any string is shown, can be encoded, and shown again looks the same."""
    shown = visible(text, multiline=multiline)
    shown.encode()
    assert visible(shown, multiline=multiline) == shown
    assert len(shown.splitlines()) <= 1 + (text.count("\n") if multiline else 0)
