"""Which rule takes which route: all conditions, whole words, never across the border between one place and all."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import route
from improve.route import Route
from improve.rule import Rule

MOCK = Rule("r", "Mock no database in tests, never call C++ from db-tests", "testing")
SHOP = ("github.com/acme/shop", "shop")


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        ("", True),
        ("mock", True),
        ("DATABASE tests", True),
        ("c++", True),
        ("db-tests", True),
        ("tests,", True),
        ("base", False),
        ("test", False),
        ("mock pip", False),
        ("c", True),
    ],
)
def test_every_word_of_a_match_stands_in_the_text(words: str, fits: bool) -> None:
    """Whole words, in any order and case; a part of a longer word is none."""
    assert (route.choose([Route("a.md", match=words)], MOCK, SHOP) is not None) is fits


def test_scripts_without_blanks_are_searched_as_they_stand() -> None:
    """Where no blank parts words, a word is found inside a sentence."""
    rule = Rule("r", "测试中不要模拟数据库")
    assert route.choose([Route("a.md", match="数据库")], rule, SHOP)
    assert not route.choose([Route("a.md", match="部署")], rule, SHOP)


@pytest.mark.parametrize(
    ("file", "project", "names", "fits"),
    [
        ("docs/a.md", "", SHOP, True),
        ("docs/a.md", "", (), False),
        ("~/a.md", "", (), True),
        ("/a.md", "", (), True),
        ("C:\\a.md", "", (), True),
        ("~/a.md", "", SHOP, False),
        ("~/a.md", "shop", SHOP, True),
        ("docs/a.md", "SHOP", SHOP, True),
        ("docs/a.md", "github.com/acme/shop", SHOP, True),
        ("docs/a.md", "acme", SHOP, False),
        ("~/a.md", "shop", (), False),
    ],
)
def test_a_route_reaches_one_place_or_all_of_them(file: str, project: str, names: tuple[str, ...], fits: bool) -> None:
    """Relative files are for projects, absolute ones for everywhere or for the named project."""
    assert (route.choose([Route(file, project=project)], MOCK, names) is not None) is fits


def test_the_first_that_fits_is_taken() -> None:
    """Those before it that do not fit, and all after it, have no say."""
    routes = [Route("a.md", domain="other"), Route("b.md", domain="Testing"), Route("c.md")]
    assert route.choose(routes, MOCK, SHOP) == routes[1]
    assert route.choose([], MOCK, SHOP) is None


@given(st.lists(st.sampled_from(["..", ".", "a", "b.md", "", "..."]), max_size=7), st.sampled_from(["/", "\\"]))
def test_what_does_not_leave_stays_inside(parts: list[str], separator: str) -> None:
    """A path that is let through names something below the root, whatever dots are in it."""
    file = separator.join(parts)
    if not route.is_absolute(file) and not route.leaves(file):
        assert posixpath.normpath(posixpath.join("/root/x", *parts)).startswith("/root/x/")
