"""Broken files: never a traceback, never a changed file; every line that is wrong is named at once."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from improve import document, yamlnode
from improve.config import Config
from improve.document import Irregular
from improve.errors import ImproveError, NeedsRepair
from improve.head import Place
from improve.paths import Home
from improve.rule import Rule
from improve.store import Store
from styles import DATA, fixtures, load, oracle_rules
from test_store import NOW, home_in, put, read, told, write

SMALL = b"""version: 2
domain_taxonomy:
  general: [testing]
rules:
- id: a
  rule: "Use tabs"  # why
  observations:
  - project: p
    date: 2026-01-01
    context: x
- id: b
  rule: >
    Use spaces
  aliases: [c, 'd']
projects:
  p: {name: p, roots: [/p]}
"""


def bombs() -> dict[str, tuple[bytes, str]]:
    """Give what people and attackers put into a file, and the line that must be named."""
    rules = b"rules:\n- id: a\n  rule: A\n"
    return {
        "anchor": (rules + b"  note: &x y\n", "line 4"),
        "alias": (rules + b"  note: *x\n", "line 4"),
        "billion laughs": (b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n" + rules, "line 1"),
        "merge key": (rules + b"  <<: {a: b}\n", "line 4"),
        "tag": (b"rules:\n- id: !!python/object/apply:os.system [id]\n  rule: A\n", "line 2"),
        "tag on the list": (b"rules: !!seq\n- id: a\n  rule: A\n", "line 1"),
        "deep": (rules + b"  note: " + b"[" * 3000 + b"\n", "line 4"),
        "deep in the head": (b"note: " + b"{a: " * 3000 + b"\n" + rules, "line 1"),
        "same key twice": (rules + b"  domain: x\n  rule: B\n", "line 5.*first [0-9] lines? above"),
        "same top key twice": (b"version: 2\n" + rules + b"version: 2\n", "line 5.*first [0-9] lines? above"),
        "rules twice": (rules + b"rules:\n- id: b\n  rule: B\n", "line 4.*first [0-9] lines? above"),
        "tab": (b"rules:\n- id: a\n\trule: A\n", "line 3"),
        "NUL": (b"rules:\n- id: a\n  rule: A\0\n", "line 3"),
        "UTF-16": ("version: 2\nrules: []\n".encode("utf-16"), "line 1.*UTF-8"),
        "Latin-1": (b"rules:\n- id: a\n  rule: caf\xe9\n", "line 3.*UTF-8"),
        "Latin-1 in the head": (b"# caf\xe9\nversion: 2\n" + rules, "line 1.*UTF-8"),
        "conflict": (
            b"version: 2\n" + b"<<<<<<< HEAD\n" + rules + b"=======\nrules: []\n>>>>>>> b\n",
            "line 2.*conflict",
        ),
        "conflict in a rule": (
            rules + b"<<<<<<< HEAD\n  domain: a\n=======\n  domain: b\n>>>>>>> x\n",
            "line 4.*conflict",
        ),
        "word": (b"hello\n", "line 1"),
        "list": (b"- 1\n- 2\n", "line 1"),
        "rules is a word": (b"version: 2\nrules: hello\n", "line 2"),
        "rules is a mapping": (b"version: 2\nrules:\n  a: b\n", "line"),
        "a rule is a word": (rules + b"- hello\n", "line 4"),
        "a rule is a number": (rules + b"- 1\n", "line 4"),
        "a rule is nothing": (rules + b"-\n", "line 4"),
        "open quote": (b"rules:\n- id: a\n  rule: 'A\n", "line"),
        "open bracket": (rules + b"  aliases: [x\n", "line"),
        "second document": (rules + b"---\nrules: []\n", "line 4"),
        "unknown version": (b"version: 7\n" + rules, "line 1.*7"),
        "version is a list": (b"version: [2]\n" + rules, "line 1"),
        "domains are words": (b"domain_taxonomy: x\n" + rules, "line 1"),
        "domains are numbers": (b"domain_taxonomy:\n  general: 5\n" + rules, "line 2"),
        "projects is a list": (rules + b"projects:\n- a\n", "line 5"),
        "roots is a word": (rules + b"projects:\n  a:\n    roots: /x\n", "line"),
        "escape": (b'rules:\n- id: a\n  rule: "\\q"\n', "line 3"),
        "left of the list": (b"rules:\n  - id: a\n    rule: A\n - id: b\n", "line"),
        "tab before a comment": (b"\t# note\n", "line 1"),
        "Latin-1 in comments": (b"# caf\xe9\n", "line 1.*UTF-8"),
        "cut off": (b"rules:\n- id: a\n  rule", "line"),
    }


@pytest.mark.parametrize("name", bombs())
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    """Reading and writing both say the line, quickly, and leave every byte where it was."""
    data, said = bombs()[name]
    home = home_in(tmp_path)
    write(home, data)
    started = time.process_time()
    for work in (lambda: told(home), lambda: put(home, Rule("new", "New"))):
        with pytest.raises(NeedsRepair, match=said) as caught:
            work()
        assert all(problem.startswith("line ") for problem in caught.value.problems)
    assert time.process_time() - started < 2
    assert read(home) == data
    assert document.problems_of(home.rules, data) is not None


@pytest.mark.parametrize(
    "value", ["no", "on", "1e3", "2026-11-30", "0o14", "0x1F", "1_000", "null", "~", "12:30", ".inf", "=", "<<", "!x"]
)
def test_text_stays_text(tmp_path: Path, value: str) -> None:
    """What YAML 1.1 or 1.2 would take for something else is text in a rule, an id and an alias."""
    home = home_in(tmp_path)
    put(home, Rule(value, value, aliases=(value,), domain=value))
    assert told(home) == oracle_rules(read(home).replace(b'"null"', b'"null" ')) or value in ("null", "~")
    assert told(home) == {value: Rule(value, value, aliases=(value,), domain=value)}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("total_count: -1", "total_count: expected a number"),
        ("total_count: " + "9" * 30, "total_count: expected a number"),
        ("created: 9999-01-01", "created: expected a day"),
        ("created: 2026-02-30", "created: expected a day"),
        ("last_reinforced: yesterday", "last_reinforced: expected a day"),
        ("explicit_scope: everywhere", "explicit_scope: expected global or local"),
        ("escalation: [global]", "escalation: expected text"),
        ("retired: perhaps", "retired: expected true or false"),
        ("severity: 6", "severity: expected a number from 0 to 5"),
        ("aliases: one", "aliases: expected a list of texts"),
        ("aliases: [[a]]", "aliases: expected a list of texts"),
        ("observations: many", "observations: expected a list of mappings"),
        ("observations: [a]", "observations: expected a list of mappings"),
        ("observations: [{date: 1}]", "observations.0.date: expected a day"),
        ("written_to: [{date: 2026-01-01}]", "written_to.0.path: is missing"),
        ("destination: {section: A}", "destination.path: is missing"),
    ],
)
def test_a_mistake_in_a_rule_sets_only_that_rule_aside(tmp_path: Path, line: str, said: str) -> None:
    """The line is named, the rule is shown and never changed, and the rule beside it works."""
    home = home_in(tmp_path)
    data = f"version: 2\nrules:\n- id: a\n  rule: A\n  # note\n  {line} # typed\n- id: b\n  rule: B\n".encode()
    write(home, data)
    [row] = Store(home, Config()).view().index.troubled()
    assert row.rule.id == "a"
    assert row.problems == (f"+3 {said}",) or row.problems[0].startswith(f"+3 {said}")
    with pytest.raises(NeedsRepair, match=f"line 6: {said.split(':')[0]}"):
        put(home, Rule("a", "A2"))
    assert read(home) == data
    put(home, Rule("b", "B2"))
    assert read(home).startswith(data[: data.index(b"- id: b")])


def outcome(home: Home, data: bytes) -> str:
    """Do what commands do with a file; say what came of it."""
    write(home, data)
    try:
        rules = told(home)
    except NeedsRepair as exc:
        assert all(problem.startswith("line ") for problem in exc.problems)
        assert read(home) == data
        return "refused"
    assert read(home) == data
    try:
        with Store(home, Config()).edit(NOW) as edit:
            edit.put(Rule("brand-new", "New"))
            for known in [r for r in rules.values() if r.id and r.id != "brand-new"][:2]:
                edit.put(known._replace(aliases=(*known.aliases, "more")))
            edit.place("x", Place("x", "", ("/x",)))
            edit.commit({"event": "observed"})
    except ImproveError as exc:
        assert isinstance(exc, NeedsRepair), exc
        assert read(home) == data
        return "shown"
    assert {"brand-new"} <= told(home).keys()
    return "edited"


def check(home: Home, data: bytes) -> str:
    """Check one broken file: the outcome is one of three, and what we read is what a library reads."""
    result = outcome(home, data)
    if result == "edited":
        try:
            now = oracle_rules(read(home))
        except Exception:  # the library may be stricter about what we do not look at
            return result
        view = {
            row.rule.id: row.rule for row in Store(home, Config()).view().index.all() if row.rule.id and row.rule.text
        }
        assert bare(view) == bare(now), data
    return result


def bare(rules: dict[str, Rule]) -> dict[str, Rule]:
    """Take an empty text under a key of a person's own for nothing, as the other reader does."""
    return {name: rule._replace(extra={k: v or None for k, v in rule.extra.items()}) for name, rule in rules.items()}


def broken(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """Break a file in one of the ways files break."""
    kind = chance.randrange(9)
    at, lines = chance.randrange(len(data) + 1), data.splitlines(keepends=True)
    line = chance.randrange(len(lines)) if lines else 0
    if kind == 0:
        yield data[:at]
    elif kind == 1:
        new = bytearray(data)
        for _ in range(chance.randint(1, 16)):
            new[chance.randrange(len(new))] ^= 1 << chance.randrange(8)
        yield bytes(new)
    elif kind == 2:
        yield b"".join(lines[:line] + lines[line + 1 :])
    elif kind == 3:
        yield b"".join(lines[: line + 1] + lines[line:])
    elif kind == 4 and len(lines) > 1:
        lines[line], lines[line - 1] = lines[line - 1], lines[line]
        yield b"".join(lines)
    elif kind == 5:
        yield (
            data[:at]
            + chance.choice([b"\0", b"\xef\xbb\xbf", b"\t", b"\r", b"\xff", b"\xc2\x85", b"\xe2\x80\xa8"])
            + data[at:]
        )
    elif kind == 6:
        yield (
            data[:at]
            + chance.choice([b"'", b'"', b"[", b"{", b"#", b":", b"- ", b"|", b"&a ", b"*a", b"!", b"\n", b"  "])
            + data[at:]
        )
    elif kind == 7:
        yield b"".join(
            [*lines[:line], b"<<<<<<< HEAD\n", *lines[line : line + 1], b"=======\n>>>>>>> x\n", *lines[line:]]
        )
    elif kind == 8:
        yield chance.choice(
            [data.replace(b"\n", b"\r\n"), data.decode("utf-8-sig").encode("utf-16"), data.replace(b"  ", b" ")]
        )


def test_truncation_at_every_byte(tmp_path: Path) -> None:
    """A small file cut at any byte is read right, shown, or refused."""
    home = home_in(tmp_path)
    for at in range(0, len(SMALL), 2):
        check(home, SMALL[:at])


def test_damage_of_every_kind(tmp_path: Path) -> None:
    """A sample of the sweep below."""
    sweep(home_in(tmp_path), random.Random(11), 220)


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_damage_of_every_kind_for_long(tmp_path: Path) -> None:
    """Twenty thousand broken files, and every small file cut at every byte."""
    home = home_in(tmp_path)
    for name in fixtures("editable"):
        data = load(name)
        for at in range(len(data)):
            check(home, data[:at])
    sweep(home, random.Random(5), 20_000)


def sweep(home: Home, chance: random.Random, count: int) -> None:
    """Check so many broken files; each must be done with soon."""
    sources = [path.read_bytes() for path in sorted(DATA.rglob("*.yaml")) if path.stat().st_size]
    seen: dict[str, int] = {}
    for _ in range(count):
        for data in broken(chance.choice(sources), chance):
            started = time.process_time()
            result = check(home, data)
            assert time.process_time() - started < 4, data
            seen[result] = seen.get(result, 0) + 1
    assert seen["refused"] > count / 20
    assert seen["edited"] > count / 10


def test_a_large_broken_file_is_refused_soon(tmp_path: Path) -> None:
    """One open quote among 2,000 rules is found without reading all of them with a YAML parser."""
    home = home_in(tmp_path)
    entries = [f'- id: r{n}\n  rule: "Rule {n}"\n  domain: testing\n'.encode() for n in range(2000)]
    entries[1000] = b"- id: r1000\n  rule: 'open\n"
    data = b"version: 2\nrules:\n" + b"".join(entries) + b"- id: last\n  rule: [\n"
    write(home, data)
    started = time.process_time()
    with pytest.raises(NeedsRepair) as caught:
        told(home)
    assert time.process_time() - started < 10
    assert len(caught.value.problems) == 2
    assert read(home) == data


def test_outline_names_no_false_entries() -> None:
    """Dashes in block scalars and quotes are no rules; a list that the lines do not show is irregular."""
    shape = document.outline(b"rules:\n- id: a\n  rule: |\n    - id: b\n\n    - id: c\n- id: d\n  rule: D\n")
    assert [span.line for span in shape.entries] == [2, 7]
    with pytest.raises(Irregular):
        document.outline(b"rules:\n  - id: a\n    rule: A\n - id: b\n")
    with pytest.raises(yamlnode.Malformed):
        document.read_entry("- id: a\n- id: b\n", 0)
