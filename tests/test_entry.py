"""A rule as text: what is written reads back the same, by us and by YAML libraries of both versions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import entry, yamlnode
from improve.lookup import decode, encode
from improve.rule import GUARDS, TOOLS, VERDICTS, Check, Destination, Folded, Observation, Rule, Verdict, Written
from styles import oracle_rules

ANY = st.text(st.characters(exclude_categories=()), max_size=30).map(
    lambda t: t.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
SOME = ANY.filter(bool)
DAY = st.dates().map(lambda d: f"{1970 + d.year % 200}-{d.month:02}-{min(d.day, 28):02}") | st.just("")
KEY = st.sampled_from(["mood", "x y", "no", "a: b", "日", "null", "~"])
EXTRA = st.dictionaries(
    KEY, ANY | st.none() | st.lists(SOME, max_size=2) | st.dictionaries(KEY, SOME, max_size=2), max_size=2
)
OBSERVATIONS = st.tuples(
    SOME, DAY, ANY, ANY, ANY, ANY, ANY, st.integers(0, 5), ANY, ANY, ANY, EXTRA.map(lambda d: tuple(d.items()))
).map(lambda values: Observation(*values))
WRITTEN = st.tuples(
    SOME,
    DAY,
    ANY,
    ANY,
    st.sampled_from(["", "global", "project"]),
    ANY,
    ANY,
    st.integers(0, 99),
    st.booleans(),
    st.booleans(),
).map(lambda values: Written(*values))
TEXTS = st.lists(ANY, max_size=3).map(tuple)
MANY = st.lists(ANY, min_size=1, max_size=3).map(tuple)
RULES = st.builds(
    lambda id, text, domain, rest, many: Rule(id, text, domain, **rest, **many),
    SOME,
    SOME,
    SOME,
    st.fixed_dictionaries(
        {
            "created": DAY,
            "last_reinforced": DAY,
            "escalation": st.sampled_from(["", "global", "local"]),
            "escalated_at": DAY,
            "explicit_scope": st.sampled_from(["", "global", "local"]),
            "retired": st.booleans(),
            "retired_because": ANY,
            "severity": st.integers(0, 5),
            "rejected_at": st.integers(0, 99),
            "destination": st.none() | st.builds(Destination, SOME, ANY),
            "check": st.none() | st.builds(Check, st.sampled_from(TOOLS), MANY, TEXTS, TEXTS),
            "guard": st.sampled_from(["", *GUARDS]),
            "verdict": st.none()
            | st.builds(Verdict, st.sampled_from(VERDICTS), ANY, DAY, *[st.integers(0, 99)] * 4, ANY, ANY),
        }
    ),
    st.fixed_dictionaries(
        {
            "observations": st.lists(OBSERVATIONS, max_size=3).map(tuple),
            "written_to": st.lists(WRITTEN, max_size=2).map(tuple),
            "aliases": TEXTS,
            "near": TEXTS,
            "distinct_from": TEXTS,
            "supersedes": TEXTS,
            "folded": st.lists(st.builds(Folded, SOME, st.integers(0, 9), DAY, DAY), max_size=2).map(tuple),
            "extra": EXTRA,
        }
    ),
)


@given(RULES, st.sampled_from(["", "  ", "    "]))
def test_what_is_written_reads_back(rule: Rule, indent: str) -> None:
    """Any rule at all, with any text and any keys of a person's own, comes back from YAML as it was."""
    node = yamlnode.read(entry.render(rule, indent))
    assert node is not None
    assert entry.from_mapping(node.items[0].plain_value()) == (rule, [])


@given(RULES, st.sampled_from(["", "  "]))
def test_what_is_written_is_read_without_yaml(rule: Rule, indent: str) -> None:
    """The quick reader knows its own hand, and is right or says that it does not know."""
    text = entry.render(rule, indent)
    assert entry.parse(text, indent) in (
        (rule, None) if rule.extra or any(o.extra for o in rule.observations) else (rule,)
    )
    assert text.endswith("\n")
    assert all(line.startswith((f"{indent}  ", f"{indent}- id: ")) for line in text.splitlines() if line)


@given(RULES)
def test_the_index_keeps_a_rule_whole(rule: Rule) -> None:
    """What the index stores is the rule, unknown keys included."""
    assert decode(encode(rule)) == rule
    assert encode(rule).isascii()


@given(st.text(max_size=20))
def test_scalars_are_strings_to_yaml_1_1_and_1_2(text: str) -> None:
    """A scalar is a plain word or double-quoted JSON, which no version of YAML takes for anything else."""
    written = entry.scalar(text)
    assert written == text if written[0] != '"' else json.loads(written) == text
    assert "\n" not in written
    words = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"}
    assert written[0] == '"' or (
        written not in words and written[0].isalpha() and written.isascii() and written.islower()
    )


PIECES = st.sampled_from(
    [
        *(
            "- ",
            "-  ",
            "  ",
            "    ",
            "id: a",
            "rule: b c",
            "domain:",
            "observations:",
            "project: x",
            "date: 2026-01-01",
        ),
        *("written_to: []", "aliases:", "one", "'it''s'", '"a\\nb"', "# note", "a #b", "a#b", "a: b", "a:b", ">", "|"),
        *("[x]", "{}", "~", "null", "null: x", "'a' # c", "é ü", "\t", "- - x", "? y", "&a", "*a", "!t", "---", "..."),
        *("x:", ":", "%y", "@z", "\\"),
    ]
)


@given(st.lists(st.lists(PIECES, min_size=1, max_size=3).map("".join), max_size=7))
def test_the_quick_reader_agrees_with_yaml(lines: list[str]) -> None:
    """Whatever lines stand there, the quick reader reads what YAML reads, or leaves them to YAML."""
    text = "- id: a\n" + "".join(f"{line}\n" for line in lines)
    quick = entry.read_lines(text)
    if quick is not None:
        node = yamlnode.read(text)
        assert node is not None
        assert len(node.items) == 1
        assert node.items[0].plain_value() == quick


@pytest.mark.parametrize(
    "text",
    [
        "- id: a\n  rule: b",
        "- id: a\n  rule: b\n  rule: c\n",
        "- id: a\n  rule: b # c\n",
        "- id: a\n  rule: b\n    c\n",
        "- id: a\n  rule: |\n    b\n",
        "- id: a\n  rule: *b\n",
        "- id: a\n rule: b\n",
        "- id: a\n  x:\n    y:\n      z: 1\n",
        "- id: a\n  rule: b\u2028c\n",
        "-\n  id: a\n  rule: b\n",
        "id: a\nrule: b\n",
    ],
)
def test_the_quick_reader_leaves_the_rest_to_yaml(text: str) -> None:
    """Comments behind values, folded text, nesting, anchors and odd line ends are not for it."""
    assert entry.read_lines(text) is None


def test_a_version_1_entry_is_canonical_but_for_its_quotes() -> None:
    """Keys come in the order of version 1; keys that say nothing are left out."""
    rule = Rule("a", "Use tabs", observations=(Observation("p", "2026-11-30", "x"),))
    assert entry.render(rule) == (
        '- id: a\n  rule: "Use tabs"\n  domain: unknown\n  created: ""\n  last_reinforced: ""\n  observations:\n'
        '  - project: p\n    date: "2026-11-30"\n    context: x\n  cross_project: false\n  total_count: 1\n'
        "  project_count: 1\n  escalation: null\n  escalated_at: null\n  written_to: []\n"
    )
    assert oracle_rules(b"rules:\n" + entry.render(rule).encode()) == {"a": rule}
