"""JSON text takes a member and gives it back, and no other byte of it moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import jsontext
from improve.jsontext import Change, Unfit

ITEM = {"hooks": [{"type": "command", "command": "[ -x /a/b ] && /a/b codex stop || true", "timeout": 5}]}
PATH = ("hooks", "Stop")

_words = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _words
_values = st.recursive(
    _leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3), max_leaves=8
)
_events = st.dictionaries(
    st.sampled_from(["Stop", "SessionStart", "Other"]), st.lists(_values, min_size=1, max_size=3), max_size=3
)
_roots = st.dictionaries(_words.filter(lambda key: key != "hooks"), _values, max_size=4)
_layouts = st.sampled_from(
    [
        {"indent": 2},
        {"indent": 4},
        {"indent": "\t"},
        {"indent": 0},
        {},
        {"separators": (",", ":")},
        {"indent": 2, "ensure_ascii": False},
    ]
)


@st.composite
def settings(draw: st.DrawFn) -> str:
    """Make a settings file as some tool writes it."""
    value = draw(_roots)
    if draw(st.booleans()):
        value = dict([*value.items(), ("hooks", draw(_events.filter(bool)))])
    text = json.dumps(value, **draw(_layouts)) + draw(st.sampled_from(["", "\n", "\n\n", " "]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def put_in(text: str, **more: bool) -> Change:
    """Append the item."""
    return jsontext.append(text, PATH, ITEM, **more)


def take_out(change: Change, **more: bool) -> str:
    """Take the item out by its place, then what was made for it, as if nobody remembered the splices."""
    value = jsontext.parse(change.text, **more)
    text = jsontext.remove(change.text, (*PATH, len(value["hooks"]["Stop"]) - 1), **more).text
    for made in reversed(change.made):
        text = jsontext.remove(text, made, **more).text
    return text


@given(settings())
def test_what_goes_in_comes_out(text: str) -> None:
    """Removing what was appended gives the very text of before, by memory and by place."""
    change = put_in(text)
    assert jsontext.revert(change.text, change.splices) == text
    left = take_out(change)
    if json.loads(text):
        assert left == text
    else:
        assert json.loads(left) == {}


@given(settings())
def test_nothing_else_moves(text: str) -> None:
    """What was added is one stretch; all before and all behind it is as it was."""
    change = put_in(text)
    (splice,) = change.splices
    assert splice.old == ""
    assert change.text[: splice.at] == text[: splice.at]
    assert change.text[splice.at + len(splice.new) :] == text[splice.at :]
    assert text.count("\r\n") == text.count("\n") or "\r" not in splice.new


@given(settings())
def test_only_the_entry_is_new(text: str) -> None:
    """Read again, the text says what it said, and the entry at the end of its list."""
    before, after = json.loads(text), json.loads(put_in(text).text)
    assert after["hooks"]["Stop"].pop() == ITEM
    if not after["hooks"]["Stop"]:
        del after["hooks"]["Stop"]
    if not after["hooks"]:
        del after["hooks"]
    assert after == before
    assert list(after) == list(before)


_notes = st.sampled_from(
    ["", "", " // note", " /* { [ */", '\t// "quoted" /*', "/**/", "\n// own line", " /* two\nlines */"]
)


@given(settings(), st.data())
def test_what_goes_in_comes_out_between_comments(text: str, data: st.DataObject) -> None:
    """The same in a file full of comments; each of them is still there while ours is, in the same order."""
    text = "\n".join(line + data.draw(_notes) for line in text.split("\n")) + "\n"
    change = put_in(text, comments=True)
    assert not any(splice.old for splice in change.splices)
    assert jsontext.parse(change.text, comments=True)["hooks"]["Stop"]
    assert jsontext.revert(change.text, change.splices) == text
    assert jsontext.parse(take_out(change, comments=True), comments=True) == jsontext.parse(text, comments=True)


@given(settings(), st.data())
def test_any_part_can_go(text: str, data: st.DataObject) -> None:
    """Removing any element leaves valid JSON that lacks just that."""
    value = json.loads(text)
    places: list[tuple[Any, ...]] = [(key,) for key in value]
    places += [("hooks", event, i) for event, rows in value.get("hooks", {}).items() for i in range(len(rows))]
    if not places:
        return
    path = data.draw(st.sampled_from(places))
    holder = value
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    assert json.loads(jsontext.remove(text, path).text) == value


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_no_text_is_a_surprise(text: str | bytes) -> None:
    """Whatever the text, it is read or refused; nothing else is raised."""
    for comments in (False, True):
        try:
            given_text = jsontext.decode(text) if isinstance(text, bytes) else text
            put_in(given_text, comments=comments)
        except Unfit:
            continue


REFUSED = {
    "": "empty",
    " \n": "empty",
    "[]": "is no object",
    "null": "is no object",
    '"x"': "is no object",
    "{": "line 1",
    "{} x": "line 1",
    '{"a": 1,}': "a comma before a closing bracket",
    '{"a": [1,]}': "a comma before a closing bracket",
    '{\n// note\n"a": 1}': "line 2: a comment",
    '{"a": 1 /* note */}': "a comment",
    '{"a": NaN}': "NaN",
    '{"a": -Infinity}': "Infinity",
    '{"a": "\\ud800"}': "surrogate",
    '{"a": "\x01"}': "line 1",
    '{"hooks": null}': "`hooks` is no object",
    '{"hooks": []}': "`hooks` is no object",
    '{"hooks": "x"}': "`hooks` is no object",
    '{"hooks": {"Stop": {}}}': "`hooks.Stop` is no list",
    '{"hooks": {"Stop": null}}': "`hooks.Stop` is no list",
    '{"hooks": {}, "hooks": {}}': "`hooks` is there twice",
    '{"hooks": {"Stop": [], "Stop": []}}': "`hooks.Stop` is there twice",
    '{"hooks": {}, "h\\u006foks": {}}': "`hooks` is there twice",
    '{"a": ' + "[" * 101 + "]" * 101 + "}": "nested too deeply",
    '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}": "nested too deeply",
    "{'a': 1}": "line 1",
    "{a: 1}": "line 1",
    "\ufeff\ufeff{}": "line 1",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_no_strict_host_takes_is_refused(text: str) -> None:
    """A text that a strict host would not take, or whose shape is not ours to change, is refused with the reason."""
    with pytest.raises(Unfit, match=REFUSED[text].replace(".", r"\.")):
        put_in(text)


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"\xff{}", "line 1"), (b'{"a":\n"\xc3"}', "line 2"), (b"{}\0", "NUL"), (b"\xef\xbb\xbf{}", "byte order")],
)
def test_what_is_no_text_is_refused(data: bytes, why: str) -> None:
    """Bytes that no host reads as text are refused with the line."""
    with pytest.raises(Unfit, match=why):
        jsontext.decode(data)


def test_a_file_too_large_is_refused() -> None:
    """5 MB is taken, one byte more is not."""
    assert jsontext.decode(b"{}" + b" " * (jsontext.CAP - 2))
    with pytest.raises(Unfit, match="larger"):
        jsontext.decode(b"{}" + b" " * (jsontext.CAP - 1))


def test_a_byte_order_mark_stays_where_the_host_takes_it() -> None:
    """The mark stays the first character, and is no part of what is read."""
    text = jsontext.decode(b'\xef\xbb\xbf{\n  "a": 1\n}\n', bom=True)
    change = put_in(text)
    assert change.text.startswith('\ufeff{\n  "a": 1,\n  "hooks": {')
    assert take_out(change) == text


COMMENTED = [
    "// first\n{}\n",
    "{\n  // alone\n}\n",
    '{\n  "a": 1 // one\n}\n',
    '{\n  "a": 1, // one\n  "b": "// no comment", /* two */\n  "c": "/* nor */" /* three */ // four\n  // five\n}\n',
    '{"a": 1 /* x */}',
    '{"hooks": {"Stop": [/* none */]}}',
    '{"hooks": {"Stop": [1 /* one */, 2 // two\n]}}',
    '{\n  "hooks": {\n    // mine\n    "Stop": [\n      1 // last\n      // really\n    ]\n  }\n}\n// end',
    '{"a": "Read(//c/Users/x)", "b": "http://x", "c": "\\"//"}',
    '{\r\n  "a": 1 // one\r\n}\r\n',
]


@pytest.mark.parametrize("text", COMMENTED)
def test_comments_stay_where_they_are(text: str) -> None:
    """In a host that allows comments, each stays with its line, and all comes back."""
    change = put_in(text, comments=True)
    assert not any(splice.old for splice in change.splices)
    for comment in ("// first", "// alone", "/* two */", "/* three */ // four", "// five", "// last", "// really"):
        assert (f"{comment}\n" in text) == (f"{comment}\n" in change.text)
    assert jsontext.parse(change.text, comments=True)["hooks"]["Stop"][-1] == json.loads(
        json.dumps(ITEM), parse_int=jsontext.Number
    )
    assert jsontext.revert(change.text, change.splices) == text
    left = take_out(change, comments=True)
    assert left == text or "{\n  // alone" in text or not jsontext.parse(text, comments=True)


@pytest.mark.parametrize("text", ['{"a": 1, // x\n}', '{"a": /', '{"a": 1} /* open', '{"a": 1 # x\n}', "{} /"])
def test_what_a_lenient_host_does_not_take_is_refused(text: str) -> None:
    """Comments are no licence for trailing commas, other comments or open ones."""
    with pytest.raises(Unfit):
        put_in(text, comments=True)


LAYOUTS = [
    ("{}\n", '{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}\n'),
    ('{"a":1}', '{"a":1,"hooks":{"Stop":[1]}}'),
    ('{"a": 1}', '{"a": 1, "hooks": {"Stop": [1]}}'),
    ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t1\n\t\t]\n\t}\n}'),
    ('{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "hooks": {\r\n    "Stop": [\r\n      1\r\n    ]\r\n  }\r\n}'),
    ('{\n  "hooks": {"Stop": [0]}\n}', '{\n  "hooks": {"Stop": [0, 1]}\n}'),
    ('{\n  "hooks": {}\n}', '{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}'),
    (
        '{\n    "hooks": {\n        "Stop": []\n    }\n}',
        '{\n    "hooks": {\n        "Stop": [\n            1\n        ]\n    }\n}',
    ),
]


@pytest.mark.parametrize(("text", "after"), LAYOUTS)
def test_what_is_added_looks_like_its_neighbours(text: str, after: str) -> None:
    """Indentation, line ends and spacing are those of the file."""
    assert jsontext.append(text, PATH, 1).text == after


def test_the_comma_goes_before_the_comment_of_its_line() -> None:
    """What is added stands below the comments of the element before it."""
    change = jsontext.append('{\n  "a": 1 // one\n  // two\n}', ("b",), 2, comments=True)
    assert change.text == '{\n  "a": 1, // one\n  // two\n  "b": [\n    2\n  ]\n}'


def test_a_string_is_replaced_in_its_place() -> None:
    """Only the value changes, whatever stands around it."""
    text = '{"hooks": {"Stop": [ {"command" :  "old", "timeout": 5 } ]}}'
    change = jsontext.replace(text, ("hooks", "Stop", 0, "command"), "nëw")
    assert change.text == text.replace('"old"', '"nëw"')
    assert jsontext.revert(change.text, change.splices) == text


def test_a_change_is_not_made_in_another_text() -> None:
    """Splices of one text are refused in another."""
    change = put_in('{"a": 1}')
    with pytest.raises(Unfit, match="meanwhile"):
        jsontext.revert('{"a": 2}', change.splices)


def test_what_is_not_there_cannot_be_taken() -> None:
    """A path that leads nowhere is an error, and a number is no key."""
    for path in (("b",), ("a", 0), ("hooks", "Stop", 3), ("hooks", "Stop", -1)):
        with pytest.raises(Unfit):
            jsontext.remove('{"a": {}, "hooks": {"Stop": [1]}}', path)


def test_what_cannot_be_written_is_not() -> None:
    """A path of a file system that is not UTF-8 does not get into a file that is."""
    with pytest.raises(Unfit, match="UTF-8"):
        jsontext.append("{}", PATH, {"command": "/home/\udcff"})
