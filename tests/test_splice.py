"""Changing one rule: what was asked for is there afterwards, and every other byte is where it was."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable

import pytest

from improve.document import Irregular, edit_entry, read_entry
from improve.rule import Check, Destination, Folded, Observation, Rule, Verdict, Written
from styles import SHAPES, edited, fixtures, load, oracle, oracle_rules, our_rules

SEEN = Observation("github.com/acme/new", "2026-11-30", 'said: "no": really', session="s9", oid="abc")
WRITTEN = Written("/home/ann/new/AGENTS.md", "2026-11-30", "Testing", "- Use pnpm", "project", "new")
DERIVED = "cross_project total_count project_count"
VERDICT = Verdict("recurring", "2026-11-30T08:00:00+01:00", "2026-11-23", 4, 2, 9, 3, "contradicted", "a: 'b'")

Change = Callable[[Rule], Rule]

# name -> the change, and the keys whose lines may be another afterwards
CHANGES: dict[str, tuple[Change, str]] = {
    "nothing": (lambda r: r, ""),
    "observation": (lambda r: r._replace(observations=(*r.observations, SEEN)), f"observations {DERIVED}"),
    "two observations": (lambda r: r._replace(observations=(*r.observations, SEEN, SEEN)), f"observations {DERIVED}"),
    "day": (lambda r: r._replace(last_reinforced="2026-11-30"), "last_reinforced"),
    "written": (lambda r: r._replace(written_to=(*r.written_to, WRITTEN)), "written_to"),
    "escalated": (lambda r: r._replace(escalation="global", escalated_at="2026-11-30"), "escalation escalated_at"),
    "text": (lambda r: r._replace(text="Use bun: 'always'"), "rule"),
    "domain": (lambda r: r._replace(domain="data-mesh"), "domain"),
    "explicit scope": (lambda r: r._replace(explicit_scope="local"), "explicit_scope"),
    "retire": (lambda r: r._replace(retired=True, retired_because="no: longer"), "retired retired_because"),
    "alias": (lambda r: r._replace(aliases=(*r.aliases, "Take pnpm: always")), "aliases"),
    "near": (lambda r: r._replace(near=("mixed", "a b")), "near"),
    "distinct": (lambda r: r._replace(distinct_from=("mixed",)), "distinct_from"),
    "destination": (lambda r: r._replace(destination=Destination("docs/x: y.md", "A")), "destination path section"),
    "severity": (lambda r: r._replace(severity=5), "severity"),
    "folded": (lambda r: r._replace(folded=(Folded("p", 3, "2026-01-01", "2026-01-02"),)), f"folded {DERIVED}"),
    "rejected": (lambda r: r._replace(rejected_at=2), "rejected_at"),
    "check": (
        lambda r: r._replace(check=Check("shell", ("pip install", "/a: b/"), ("uv *",))),
        "check tool deny unless",
    ),
    "guard": (lambda r: r._replace(check=Check("any", ("x",)), guard="deny"), "check tool deny guard"),
    "verdict": (lambda r: r._replace(verdict=VERDICT), "verdict state at since exposed failed cause detail"),
    "supersedes": (lambda r: r._replace(supersedes=("old-1",)), "supersedes"),
    "all at once": (
        lambda r: r._replace(
            observations=(*r.observations, SEEN),
            written_to=(*r.written_to, WRITTEN),
            aliases=(*r.aliases, "x"),
            severity=4,
            supersedes=("y",),
            near=(),
            last_reinforced="2026-11-30",
        ),
        f"observations written_to aliases severity supersedes near last_reinforced {DERIVED}",
    ),
}
# changes that take something out: a removed item or key takes its own lines and comments with it
REMOVALS: dict[str, Change] = {
    "no first observation": lambda r: r._replace(observations=r.observations[1:]),
    "no last observation": lambda r: r._replace(observations=r.observations[:-1]),
    "no observations": lambda r: r._replace(observations=()),
    "other observation": lambda r: r._replace(observations=tuple(o._replace(context="other") for o in r.observations)),
    "moved": lambda r: r._replace(observations=tuple(o._replace(project="moved") for o in r.observations[:1])),
    "not written": lambda r: r._replace(written_to=()),
    "not written first": lambda r: r._replace(written_to=r.written_to[1:]),
    "written text": lambda r: r._replace(written_to=tuple(w._replace(text="- other") for w in r.written_to)),
    "no aliases": lambda r: r._replace(aliases=()),
    "first alias only": lambda r: r._replace(aliases=r.aliases[:1]),
    "restored": lambda r: r._replace(retired=False, retired_because=""),
    "no destination": lambda r: r._replace(destination=None),
    "destination without section": lambda r: r._replace(destination=Destination("docs/run.md")),
    "no check": lambda r: r._replace(check=None, guard="", verdict=None),
    "no scope": lambda r: r._replace(explicit_scope="", severity=0, near=(), rejected_at=0),
}
FILES = [(name, shape) for name in fixtures("editable") for shape in SHAPES]
SOME = [(n, s, c) for n, s in FILES for c in CHANGES if s == "as it is" or c == "all at once"]
SOME_REMOVALS = [(n, s, c) for n, s in FILES for c in REMOVALS if s == "as it is" or c == "no last observation"]


def rules_to_change(data: bytes, shape: str) -> list[Rule]:
    """Give the rules of a file, but for one that ends in a block scalar without a line end: nothing can follow it."""
    return [rule for rule in our_rules(data).values() if not (rule.id == "three-lines" and "no last" in shape)]


def comments(data: bytes) -> list[str]:
    """List the comments of a file that holds `#` in no other place."""
    return [match[0].rstrip() for match in re.finditer(r"#.*", data.decode("utf-8-sig"))]


@pytest.mark.parametrize(("name", "shape"), FILES)
def test_every_style_is_read(name: str, shape: str) -> None:
    """Entry by entry we read what a YAML library reads in the whole."""
    data = SHAPES[shape](load(name))
    assert our_rules(data) == oracle_rules(data)
    assert len(our_rules(data)) >= 2


@pytest.mark.parametrize(("name", "shape", "change"), SOME)
def test_a_change_touches_its_own_lines_only(name: str, shape: str, change: str) -> None:
    """For every style and kind of change: the whole file reads as meant, and no other line is another."""
    data = SHAPES[shape](load(name))
    make, keys = CHANGES[change]
    for rule in rules_to_change(data, shape):
        wanted = make(rule)
        new = edited(data, wanted)
        assert oracle_rules(new) == {**oracle_rules(data), rule.id: wanted}
        assert unknown(new) == unknown(data)
        assert_only(data, new, keys and f"{keys} {DERIVED}", loose=name == "editable/flow.yaml")


def unknown(data: bytes) -> list[object]:
    """Give what stands in a file under keys that are nobody's."""
    return [
        {k: v for k, v in oracle(data).items() if k != "rules"},
        [rule.extra for rule in oracle_rules(data).values()],
        [
            {k: v for k, v in written.items() if k == "by"}
            for rule in oracle(data)["rules"]
            for written in (rule.get("written_to") or [])[:2]
            if "new" not in written["path"]
        ],
    ]


def assert_only(old: bytes, new: bytes, keys: str, *, loose: bool) -> None:
    """Check that only lines of these keys went, and that no comment did."""
    before, after = old.decode().splitlines(True), new.decode().splitlines(True)
    gone, come = [], []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            gone += before[a:b]
            come += after[c:d]
    if not keys:
        assert old == new
    for line in [] if loose else gone:
        found = re.match(r"""[\s-]*(?:\?\s*)?["']?([a-z_]+)["']?\s*(?::|$)""", line)
        continued = line.rstrip("\r\n") in {text.rstrip("\r\n") for text in come}  # it only got a line end
        of_text = {"rule", "retired_because"} & set(keys.split())  # a text that goes over several lines
        assert continued or of_text or (found and found[1] in keys.split()), line
    if not (loose and "near" in keys):  # comments inside brackets go when the list is written anew
        assert comments(new) == comments(old)
    ends = {line.endswith("\r\n") for line in after if line.endswith("\n")}
    assert len(ends) <= 1


@pytest.mark.parametrize(("name", "shape", "change"), SOME_REMOVALS)
def test_taking_out_leaves_the_rest(name: str, shape: str, change: str) -> None:
    """Taking out or changing items leaves every other rule byte for byte, and every unknown key."""
    data = SHAPES[shape](load(name))
    for rule in rules_to_change(data, shape):
        wanted = REMOVALS[change](rule)
        new = edited(data, wanted)
        assert oracle_rules(new) == {**oracle_rules(data), rule.id: wanted}
        assert [r.extra for r in oracle_rules(new).values()] == [r.extra for r in oracle_rules(data).values()]
        if wanted == rule:
            assert new == data


@pytest.mark.nightly
def test_every_change_in_every_shape() -> None:
    """The two tests above, for every style, shape and change."""
    for name, shape in FILES:
        for change in CHANGES:
            test_a_change_touches_its_own_lines_only(name, shape, change)
        for change in REMOVALS:
            test_taking_out_leaves_the_rest(name, shape, change)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("written_to:\n# a\n- path: x\n# b\n- path: y\n# c\n", "written_to: []\n# a\n# b\n# c\n"),
        ("written_to: # t\n  - path: x # gone\n  # b\n", "written_to: [] # t\n  # b\n"),
        ("written_to: [{path: x}] # t\n", "written_to: [] # t\n"),
    ],
)
def test_comments_between_items_stay(before: str, after: str) -> None:
    """When a list is emptied the comments around its items stay."""

    def entry(part: str) -> str:
        lines = "".join(f"  {line}\n" for line in part.splitlines())
        return f"- id: a\n  rule: b\n{lines}  total_count: 0 # end\n"

    rule = read_entry(entry(before), 0).rule
    assert rule is not None
    assert edit_entry(entry(before), 0, rule._replace(written_to=())) == entry(after)


def test_an_empty_value_at_the_end_is_filled_before_a_key_is_added() -> None:
    """Where a file ends behind a colon, the value goes there and the new key below it."""
    rule = read_entry("- id: a\n  rule: b\n  total_count:", 0).rule
    assert rule is not None
    new = edit_entry("- id: a\n  rule: b\n  total_count:", 0, rule._replace(observations=(SEEN,), severity=2))
    assert new.startswith("- id: a\n  rule: b\n  total_count: 1\n")


@pytest.mark.parametrize(
    "text",
    [
        "- id: a\n  rule: b\n  aliases: one\n",
        "- id: a\n  rule: b\n  observations:\n  - project: p\n  -\n",
        "- id: a\n  rule: b\n  observations: none\n",
        "- id: a\n  rule: b\n  written_to:\n    path: p\n    date: 2026-01-01\n    by: hand\n",
        "- id: a\n  rule: b\n  aliases: [x, ~]\n",
    ],
)
def test_what_cannot_be_changed_in_place_is_refused(text: str) -> None:
    """Where something unexpected stands, nothing is written over it."""
    rule = read_entry(text, 0).rule
    assert rule is not None
    more = rule._replace(
        aliases=(*rule.aliases, "new"),
        observations=(*rule.observations, SEEN),
        written_to=(*rule.written_to, WRITTEN),
    )
    with pytest.raises(Irregular):
        edit_entry(text, 0, more)
