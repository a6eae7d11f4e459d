"""A rule as one inert bullet: no other block, no HTML, nothing a host would import."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from improve.wording import as_bullet, plain

DATA = Path(__file__).parent / "data" / "wording"
BULLETS = json.loads((DATA / "bullets.json").read_text(encoding="utf-8"))
COMMONMARK = MarkdownIt("commonmark")
TABLES = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ONE_PARAGRAPH = ["list_item_open", "paragraph_open", "inline", "paragraph_close", "list_item_close"]

# Pieces that mean something in Markdown, for texts that a random alphabet would hardly ever make.
PIECES = (DATA / "pieces.txt").read_text(encoding="utf-8").split()
MARKDOWN = st.lists(
    st.sampled_from([*PIECES, '<a title="`">', " ", "  ", "\t", "\u00a0", "# ", "- ", "1. "]), max_size=12
).map("".join)


def parsed(bullet: str, parser: MarkdownIt = COMMONMARK) -> tuple[list[str], list[Token]]:
    """Parse a bullet between two others; give the middle item's token types and its inline children."""
    tokens = parser.parse(f"# Title\n\n- before\n- {bullet}\n- after\n")
    assert [token.type for token in tokens if token.level == 0][2:] == ["bullet_list_open", "bullet_list_close"]
    items = [index for index, token in enumerate(tokens) if token.type == "list_item_open" and token.level == 1]
    assert len(items) == 3
    middle = tokens[items[1] : items[2]]
    return [token.type for token in middle], [child for token in middle for child in token.children or []]


def imports(bullet: str) -> list[str]:
    """List the paths Claude Code would load: it reads a tight item's text whole, then each text in it.

    Source: https://docs.anthropic.com/en/docs/claude-code/memory (Gemini CLI wants a blank before the `@` too).
    """
    _, children = parsed(bullet)
    texts = [bullet, *(child.content for child in children if child.type == "text")]
    found = [
        match[1].partition("#")[0] for text in texts for match in re.finditer(r"(?:^|\s)@((?:[^\s\\]|\\ )+)", text)
    ]
    # A path with a backtick in it runs to the end of a code span: no such file.
    return [path for path in found if re.match(r"\./|~/|/.|[a-zA-Z0-9._-]", path) and "`" not in path]


@pytest.mark.parametrize(("text", "bullet"), BULLETS)
def test_a_rule_is_rendered_as_one_inert_bullet(text: str, bullet: str | None) -> None:
    """What would open a block, a tag or an import is escaped or put in a code span; all else stays byte for byte."""
    expected = text if bullet is None else bullet
    assert as_bullet(text) == expected
    assert as_bullet(expected) == expected
    assert plain(expected) == plain(text)
    assert imports(expected) == []
    for parser in (COMMONMARK, TABLES):
        types, children = parsed(expected, parser)
        assert types == ONE_PARAGRAPH
        assert "html_inline" not in [child.type for child in children]


@given(MARKDOWN | st.text())
def test_any_text_becomes_one_paragraph_without_html(text: str) -> None:
    """Whatever a rule holds, its bullet is one item of one paragraph, and rendering it again changes nothing."""
    bullet = as_bullet(text)
    assert as_bullet(bullet) == bullet
    assert len(bullet.splitlines()) <= 1
    if bullet.strip("\0"):
        types, children = parsed(bullet)
        assert types == ONE_PARAGRAPH
        assert "html_inline" not in [child.type for child in children]


@given(MARKDOWN | st.text())
def test_any_text_keeps_its_words(text: str) -> None:
    """A bullet reads as the rule does: their plain forms are equal."""
    assert plain(as_bullet(text)) == plain(text)


@given(
    st.lists(
        st.sampled_from(
            [
                "@~/x",
                "@/etc/x",
                "@./a",
                "@../b ",
                " ",
                "`",
                "``",
                "(",
                ")",
                "*",
                "_",
                "[",
                "]",
                "\\",
                "<b>",
                "&#64;/x",
                "é",
                "#",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_no_text_makes_a_host_load_a_file(text: str) -> None:
    """No `@path` of any text is expandable in its bullet, inside or outside of code spans."""
    assert imports(as_bullet(text)) == []


def test_the_import_reader_of_these_tests_finds_imports() -> None:
    """The reader is no rubber stamp: it finds imports in text, after a code span, in emphasis and in a code span."""
    for text in ("see @docs/a", "@~/x", "`x`@docs/a", "**@docs/a**", "`cat @~/x now`", "a\\/ @b"):
        assert imports(text)
    for text in ("me@example.com", "`@docs/a`", "`npm i @scope/pkg`", "a/@b"):
        assert not imports(text)


@pytest.mark.parametrize(
    ("bullet", "words"),
    [
        ("Use `uv tool`, never `pip`", "Use uv tool, never pip"),
        ("\\# no heading", "# no heading"),
        ("`` a`b `` and \\`c\\`", "ab and c"),
        ("two  blanks", "two blanks"),
        ("a \\d b \\_ c", "a \\d b _ c"),
        ("`\\_` stays", "\\_ stays"),
        ("&#64;x", "@x"),
        ("", ""),
    ],
)
def test_plain_reads_code_spans_and_escapes(bullet: str, words: str) -> None:
    """Plain form: code span marks and escapes undone, single blanks."""
    assert plain(bullet) == words


def test_lines_are_joined_and_trimmed() -> None:
    """Text of an old store that has several lines still becomes one bullet."""
    assert as_bullet("  one\r\n# two\u2028three ") == "one  # two three"


def test_rendering_takes_linear_time() -> None:
    """A hundred times a rule's longest length renders within half a second."""
    for piece in ("`", "` ``", "<b", "@a ", "\\", "[", "<", "&#64;", "*", "(@a", "`@~/x y` "):
        start = time.process_time()
        plain(as_bullet((piece * 100_000)[:20_000]))
        assert time.process_time() - start < 0.5
