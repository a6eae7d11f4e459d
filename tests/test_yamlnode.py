"""Plain nodes that know where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import yamlnode
from improve.yamlnode import Malformed, Node, read


def leaves(node: Node) -> list[Node]:
    """List the scalars below a node."""
    if node.kind == "scalar":
        return [node]
    inner = node.items or [part for pair in node.pairs.values() for part in pair]
    return [leaf for part in inner for leaf in leaves(part)]


def root(text: str) -> Node:
    """Read a text that holds something."""
    node = read(text)
    assert node is not None
    return node


def test_scalars_stay_strings_and_nothing_is_none() -> None:
    """No scalar becomes a number, a date or a boolean; only the written nulls are None."""
    text = "a: no\nb: 1e3\nc: 2026-11-30\nd: ~\ne: null\nf:\ng: ''\nh: 'null'\ni: 0o14\n"
    assert root(text).plain_value() == {
        "a": "no", "b": "1e3", "c": "2026-11-30", "d": None, "e": None, "f": None, "g": "", "h": "null", "i": "0o14",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "a: # note\nb: # - : more\n\nc:\n- # x\n-\n\n# y\n- d\n",
        "? a\n: \n'b' :\n\"c\":\n  e:   \n",
        "a: {b: , c, d: }\n",
    ],
)
def test_a_value_that_is_not_there_stands_behind_its_colon_or_dash(text: str) -> None:
    """An empty value has no length and follows the sign that announces it, whatever comes next in the text."""
    empty = [leaf for leaf in leaves(root(text)) if leaf.scalar is None]
    assert empty
    for leaf in empty:
        assert leaf.start == leaf.end
        assert text[leaf.start - 1] in ":-" or text[leaf.start - 2 : leaf.start].strip() in (":", "c")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_spans_cover_the_scalars(newline: str) -> None:
    """The span of a scalar is its text, quotes and all; the line counts as editors count."""
    text = "# x\na: 'b' # y\nc:\n- \"d\"\n- e f\ng: {h: i}\n".replace("\n", newline)
    spans = [(text[leaf.start : leaf.end], leaf.line) for leaf in leaves(root(text))]
    assert spans == [("a", 2), ("'b'", 2), ("c", 3), ('"d"', 4), ("e f", 5), ("g", 6), ("h", 6), ("i", 6)]


def test_lines_are_counted_as_editors_do() -> None:
    """A line separator of Unicode inside a text ends no line."""
    assert root("a: x\u2028y\nb: c\n").pairs["b"][0].line == 2


@pytest.mark.parametrize(
    ("text", "said"), [('"\\ud83d\\ude00"', "\U0001f600"), ('"\\ud83d"', "\ud83d"), ('"\\ude00x"', "\ude00x")]
)
def test_halves_of_a_character_join(text: str, said: str) -> None:
    """What JSON wrote in two halves is one character; half of one stays as it is."""
    assert root(text).plain_value() == said


@pytest.mark.parametrize("text", ["", "\n", "# note\n", "---\n", "--- # note\n...\n", "\ufeff"])
def test_nothing_is_no_node(text: str) -> None:
    """A text of comments only has no content."""
    node = read(text)
    assert node is None or node.plain_value() is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: &x b", 1), ("a: b\nc: *x", 2), ("a: !!str b", 1), ("- !x y", 1), ("a: b\n<<: {c: d}", 2),
        ("a: 1\nb: 2\na: 3", 3),
        ("a: b\n---\nc: d", 2), ("? [a]\n: b", 1), ("? {a: b}\n: c", 1), ("~: a", 1),
        ("a: b\n" + "[" * 21 + "]" * 21, 2),
        ("\n" + "[" * 5000, 2), ("a: 'b", 1), ("a:\n\tb: c", 2), ("a: b\0", 1), ("a: b\n\nc: \x07", 3),
        ("a: \ud800", 1),
        ("%YAML 3.0\n---\na: b", 1), ("a: b: c", 1), ("- a\nb: c", 2), ("]", 1), ("a: `b`", 1),
    ],
)  # fmt: skip
def test_what_is_refused_names_its_line(text: str, line: int) -> None:
    """Anchors, aliases, tags, merge keys, duplicates, several documents, deep nesting and broken text are refused."""
    with pytest.raises(Malformed) as caught:
        read(text)
    assert abs(caught.value.line - line) <= (1 if "'" in text or "---" in text else 0)
    assert caught.value.problem


def test_twenty_levels_are_enough() -> None:
    """Nesting up to the limit is read."""
    assert root("[" * 20 + "]" * 20).kind == "list"
    assert root('"' + "[" * 199 + '"').plain_value() == "[" * 199


@given(st.text(st.sampled_from("ab:-#'\"[]{},&*!|>? \n\t~\\%@`0\r\x85é\0"), max_size=25))
def test_any_text_is_read_or_refused(text: str) -> None:
    """There is no third way, and spans lie inside the text."""
    try:
        node = read(text)
    except Malformed as exc:
        assert 1 <= exc.line <= text.count("\n") + 2
        return
    for leaf in leaves(node) if node else []:
        assert 0 <= leaf.start <= leaf.end <= len(text)
    assert yamlnode.MAX_DEPTH == 20
