"""JSON without `re`: the same as the standard library's."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import quick

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_it_reads_what_json_writes(value: object) -> None:
    """Whatever the standard library writes, with or without blanks, is read as the same value."""
    for text in (json.dumps(value), json.dumps(value, indent=2), f" {json.dumps(value, ensure_ascii=False)}\r\n\t"):
        assert quick.loads(text) == value


@given(VALUES)
def test_it_writes_what_json_reads(value: object) -> None:
    """What it writes is ASCII, and the standard library reads it as the same value."""
    assert quick.dumps(value).isascii()
    assert json.loads(quick.dumps(value)) == value


@given(st.text(alphabet='{}[]":,\\ntrue0-1.e "', max_size=20))
def test_it_refuses_what_json_refuses(text: str) -> None:
    """Broken text is a ValueError in both; line ends inside a text are let pass, as hosts may send them."""
    try:
        expected = json.loads(text, strict=False)
    except ValueError:
        with pytest.raises(ValueError):
            quick.loads(text)
    else:
        assert quick.loads(text) == expected


@pytest.mark.parametrize(
    "text", ['{"a": "b"', '{"a"', '["a', "{", '"', "tru", '{"a": }', "nul", '{"a": "\\u12', "{'a': 1}"]
)
def test_a_text_that_was_cut_off_is_refused_without_json(text: str) -> None:
    """Where the standard library's reader was never loaded, broken text is the same error."""
    code = f"""
from improve import quick
try:
    quick.loads({text!r})
except ValueError:
    print("refused")
"""
    argv = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"]
    assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout == "refused\n"


def test_deep_nesting_ends() -> None:
    """A hostile text ends in an error that callers expect, not in a crash."""
    with pytest.raises((RecursionError, ValueError)):
        quick.loads("[" * 200_000)
