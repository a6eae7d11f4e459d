"""The registry in the head of rules.yaml: a project is added, changed and taken out where it stands."""

from __future__ import annotations

import pytest

from improve.head import edit_head, read_head
from improve.layout import Irregular, Place

SHOP = Place("shop", "github.com/acme/shop", ("/code/shop",), ("path:/code/shop",))
HEAD = (
    b"version: 2  # mine\nprojects:\n"
    b'  # the old one\n  "path:/code/shop":\n    name: shop\n    remote: ""\n    roots:\n    - /code/shop  # here\n'
    b"  github.com/acme/blog:\n    name: blog\n    remote: github.com/acme/blog\n    roots: []\nrules:\n"
)


def test_old_keys_are_written_and_read_back() -> None:
    """A project that was called otherwise says so; one that was not has no such line."""
    front, _ = edit_head(HEAD, b"", place=("github.com/acme/shop", SHOP))
    assert read_head(front).projects["github.com/acme/shop"] == SHOP
    assert front.count(b"was:") == 1
    again, _ = edit_head(front, b"", place=("github.com/acme/shop", SHOP._replace(was=())))
    assert read_head(again).projects["github.com/acme/shop"] == SHOP._replace(was=())


@pytest.mark.parametrize("key", ["path:/code/shop", "github.com/acme/blog"])
def test_a_project_is_taken_out_with_its_lines_alone(key: str) -> None:
    """First or last, its lines go and every other byte stays."""
    front, _ = edit_head(HEAD, b"", place=(key, None))
    assert list(read_head(front).projects) == [other for other in read_head(HEAD).projects if other != key]
    lines = HEAD.splitlines()
    assert [line for line in lines if line in front.splitlines()] == front.splitlines()


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_project_behind_the_rules_is_taken_out_there(end: bytes) -> None:
    """The head may stand on both sides of the entries."""
    tail = HEAD.partition(b"\n")[2].removesuffix(b"rules:\n").replace(b"\n", end)
    front, after = edit_head(b"version: 2" + end + b"rules:" + end, tail, place=("path:/code/shop", None))
    assert front == b"version: 2" + end + b"rules:" + end
    assert list(read_head(front + after).projects) == ["github.com/acme/blog"]


@pytest.mark.parametrize(
    "head",
    [
        b"version: 2\nprojects: {shop: {name: shop, roots: [/a]}, blog: {name: blog}}\nrules:\n",
        b"version: 2\nprojects:\n  shop:\n    name: shop\n    roots:\n    - /a\nrules:\n",
        b"version: 2\nrules:\n",
    ],
)
def test_a_project_that_cannot_be_taken_out_says_nothing(head: bytes) -> None:
    """In braces, as the only one, or not there at all: it has no directory afterwards."""
    front, _ = edit_head(head, b"", place=("shop", None))
    assert read_head(front).projects.get("shop", Place()) == Place()


@pytest.mark.parametrize("was", [b"{a: b}", b"word", b"[[a]]"])
def test_old_keys_of_another_kind_are_named(was: bytes) -> None:
    """The list of old keys is a list of names."""
    with pytest.raises((ValueError, Irregular)):
        read_head(b"version: 2\nprojects:\n  shop:\n    was: " + was + b"\nrules:\n")


def test_an_older_file_has_no_old_keys() -> None:
    """Nothing is missing in a file that an earlier version wrote."""
    assert all(place.was == () for place in read_head(HEAD).projects.values())
