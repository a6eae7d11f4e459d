"""The store on disk: what it answers is what rules.yaml says, whoever wrote it and whatever happened in between."""

from __future__ import annotations

import difflib
import json
import os
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from improve.config import Config
from improve.errors import Busy, NeedsRepair, NoSuchRule
from improve.head import Place
from improve.paths import Home
from improve.rule import Observation, Rule
from improve.store import Store
from styles import BOM, SHAPES, fixtures, load, oracle, oracle_rules

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SEEN = Observation("github.com/acme/shop", "2026-11-30", "said so", session="s1", oid="0001")


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """Give an empty home."""
    return home_in(tmp_path)


def home_in(base: Path) -> Home:
    """Give a home below a directory."""
    return Home(str(base / "store"), str(base), str(base / "cache"), str(base / "locks"))


def write(home: Home, data: bytes) -> None:
    """Save rules.yaml as an editor does."""
    Path(home.path).mkdir(exist_ok=True, mode=0o700)
    Path(home.rules).write_bytes(data)


def read(home: Home) -> bytes:
    """Read rules.yaml."""
    return Path(home.rules).read_bytes()


def shaped(name: str, shape: str) -> bytes:
    """Give a file that ends its last line where a line end would be part of a text."""
    return SHAPES["as it is" if "blocks" in name and "no last" in shape else shape](load(name))


def store(home: Home) -> Store:
    """Open the store as a new command does."""
    return Store(home, Config())


def put(home: Home, *rules: Rule, event: str = "observed") -> None:
    """Store rules in one command."""
    with store(home).edit(NOW) as edit:
        for each in rules:
            edit.put(each)
        edit.commit({"event": event})


def lost(old: bytes, new: bytes) -> list[bytes]:
    """Give the lines of the old text that are not in the new one; an added line end at the end is no difference."""
    before, after = old.removeprefix(BOM).splitlines(), new.removeprefix(BOM).splitlines()
    codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [line for tag, a, b, _, _ in codes if tag in ("replace", "delete") for line in before[a:b] if line.strip()]


def told(home: Home) -> dict[str, Rule]:
    """Give every rule that a view answers with."""
    return {row.rule.id: row.rule for row in store(home).view().index.all()}


def damage(home: Home, change: Callable[[bytes], bytes]) -> None:
    """Change the index behind our back, as a bad disk or a sync program does."""
    path = Path(home.cache) / "index.sqlite"
    time.sleep(0.011)  # file times have the grain of the clock's tick
    path.write_bytes(change(path.read_bytes()))


# --- beginning ---


def test_a_new_home_is_empty_and_gets_a_file(place: Home) -> None:
    """A missing rules.yaml is an empty store; the first rule makes the file, readable by its owner only."""
    assert told(place) == {}
    put(place, Rule("a", "Use tabs", observations=(SEEN,)))
    assert told(place) == oracle_rules(read(place)) == {"a": Rule("a", "Use tabs", observations=(SEEN,))}
    assert Path(place.rules).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", fixtures("empty"))
def test_empty_files_begin_a_store(place: Home, name: str, shape: str) -> None:
    """A file without rules, of whatever look, gets its first rules, and every byte that was there stays in order."""
    data = SHAPES[shape](load(name))
    write(place, data)
    assert told(place) == {}
    first, second = Rule("a", "Use tabs", observations=(SEEN,)), Rule("b", "Use: 'spaces'")
    put(place, first)
    put(place, second)
    new = read(place)
    assert oracle_rules(new) == {"a": first, "b": second} == told(place)
    assert all(b"rules" in line or b"version" in line for line in lost(data, new))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", fixtures("editable"))
def test_a_new_rule_and_a_project_join_any_style(place: Home, name: str, shape: str) -> None:
    """A new rule, a new project and the upgrade to version 2 leave every line of the file, in order."""
    data = shaped(name, shape)
    write(place, data)
    new = Rule("brand-new", "Ask first: always", observations=(SEEN,))
    root = Place("shop", "github.com/acme/shop", ("/home/ann/shop", "/srv/a: b"))
    before = oracle_rules(data)
    with store(place).edit(NOW) as edit:
        edit.put(new)
        edit.place("github.com/acme/shop", root)
        edit.commit({"event": "observed"})
    after = read(place)
    assert oracle_rules(after) == {**before, "brand-new": new}
    assert told(place) == oracle_rules(after)
    assert oracle(after)["version"] == "2"
    projects = dict(oracle(after)["projects"])
    assert projects.pop("github.com/acme/shop") == {"name": root.name, "remote": root.remote, "roots": list(root.roots)}
    assert projects == {k: v for k, v in (oracle(data).get("projects") or {}).items() if "shop" not in k or "web" in k}
    assert all(b"version" in line or b"projects" in line for line in lost(data, after))
    assert store(place).view().head.projects["github.com/acme/shop"] == root
    with store(place).edit(NOW) as edit:
        edit.place("github.com/acme/shop", root._replace(roots=(*root.roots, "/x")))
        edit.commit({"event": "observed"})
    assert oracle(read(place))["projects"]["github.com/acme/shop"]["roots"] == [*root.roots, "/x"]
    assert oracle_rules(read(place)) == {**before, "brand-new": new}


def test_version_1_is_kept_before_the_upgrade(place: Home) -> None:
    """The file as it was is in backup/ before version 2 is written over it."""
    data = load("editable/version-1.yaml")
    write(place, data)
    put(place, Rule("a", "Use tabs"))
    assert (Path(place.path) / "backup" / "rules-v1.yaml").read_bytes() == data
    assert b"version: 2\n" in read(place)


@pytest.mark.parametrize("shape", ["as it is", "crlf", "bom"])
@pytest.mark.parametrize("name", fixtures("whole"))
def test_other_shapes_are_shown_not_edited(place: Home, name: str, shape: str) -> None:
    """A valid file that is no block list of rules answers every question; a change is refused with the line."""
    data = load(name) if "mac" in name and shape == "crlf" else SHAPES[shape](load(name))
    write(place, data)
    assert told(place) == oracle_rules(data)
    assert {"use-pnpm", "no-npm"} >= told(place).keys() > set()
    with pytest.raises(NeedsRepair, match="line "):
        put(place, Rule("a", "Use tabs"))
    assert read(place) == data


# --- commands one after the other ---


def test_an_entry_dropped_leaves_the_comment_on_the_next(place: Home) -> None:
    """A comment above a rule stays when the rule before it goes."""
    write(place, b"rules:\n- id: a\n  rule: A\n  # of a\n\n# about b\n- id: b\n  rule: B\n# end\n")
    with store(place).edit(NOW) as edit:
        edit.drop("a")
        edit.commit({"event": "merged"})
    assert read(place) == b"version: 2\nrules:\n\n# about b\n- id: b\n  rule: B\n# end\n"
    assert told(place).keys() == {"b"}
    with store(place).edit(NOW) as edit:
        edit.drop("b")
        edit.commit({"event": "merged"})
    assert read(place) == b"version: 2\nrules:\n\n# about b\n# end\n"
    put(place, Rule("c", "C"))
    assert told(place).keys() == {"c"}
    assert b"# about b\n# end\n" in read(place)


def test_restore_text_gives_back_the_bytes(place: Home) -> None:
    """An entry that is put back has its own bytes again, comments and quoting included."""
    text = "- id: a # mine\n  rule: 'A'\n  odd: [1,2]\n"
    write(place, b"version: 2\nrules:\n" + text.encode() + b"- id: b\n  rule: B\n")
    for changed in (Rule("a", "Other"), None):
        with store(place).edit(NOW) as edit:
            edit.put(changed) if changed else edit.drop("a")
            edit.commit({"event": "set"})
        with store(place).edit(NOW) as edit:
            edit.restore_text("a", text)
            edit.commit({"event": "undone"})
        assert text.encode() in read(place)
        assert told(place) == oracle_rules(read(place))


@pytest.mark.parametrize(
    "now", [b"version: 2\nrules:\n  - id: b\n    rule: B\n", b"version: 2\r\nrules:\r\n- id: b\r\n  rule: B\r\n"]
)
def test_restore_text_fits_the_file_as_it_is_now(place: Home, now: bytes) -> None:
    """Text from before the person indented the list, or changed the line ends, is written to fit."""
    write(place, now)
    with store(place).edit(NOW) as edit:
        edit.restore_text("a", "- id: a\n  rule: 'A'\n")
        edit.commit({"event": "undone"})
    assert told(place) == oracle_rules(read(place)) == {"b": Rule("b", "B"), "a": Rule("a", "A")}
    assert read(place).startswith(now)


def test_nothing_is_written_without_commit(place: Home) -> None:
    """An edit that ends without commit leaves file, journal and answers as they were."""
    put(place, Rule("a", "Use tabs"))
    data, journal = read(place), Path(place.journal).read_bytes()
    with store(place).edit(NOW) as edit:
        edit.put(Rule("b", "B"))
        edit.put(Rule("a", "Other"))
        assert edit.index.by_id("b") is not None
    assert (read(place), Path(place.journal).read_bytes()) == (data, journal)
    assert told(place).keys() == {"a"}
    with pytest.raises(RuntimeError), store(place).edit(NOW) as edit:
        edit.drop("a")
        raise RuntimeError
    assert told(place) == {"a": Rule("a", "Use tabs")}


def test_one_edit_holds_several_changes(place: Home) -> None:
    """Put, put again, drop and add inside one edit come out as the last word on each rule."""
    put(place, Rule("a", "A"), Rule("b", "B"), Rule("c", "C"))
    with store(place).edit(NOW) as edit:
        edit.put(Rule("a", "A1"))
        edit.put(Rule("a", "A2"))
        edit.put(Rule("d", "D"))
        edit.put(Rule("d", "D2"))
        edit.put(Rule("e", "E"))
        edit.drop("e")
        edit.drop("b")
        edit.put(Rule("b", "B again"))
        edit.commit({"event": "set"})
    assert told(place) == oracle_rules(read(place)) == {
        "a": Rule("a", "A2"), "c": Rule("c", "C"), "d": Rule("d", "D2"), "b": Rule("b", "B again"),
    }  # fmt: skip
    assert store(place).view().index.count() == 4


def test_a_rule_with_many_observations_is_folded(place: Home) -> None:
    """Old observations become totals per project; the count stays."""
    many = tuple(Observation(f"p{n % 3}", "2026-11-30", oid=str(n)) for n in range(100))
    put(place, Rule("a", "A", observations=many))
    found = told(place)["a"]
    assert len(found.observations) == 30
    assert sum(f.occasions for f in found.folded) == 70
    assert oracle_rules(read(place)) == {"a": found}


def test_no_such_rule_names_what_begins_alike(place: Home) -> None:
    """An id that nobody has is answered with ids that begin alike."""
    put(place, Rule("use-tabs", "Use tabs"))
    with pytest.raises(NoSuchRule, match="use-tabs"):
        store(place).view().rule("use-tabz")


def test_half_characters_are_kept(place: Home) -> None:
    """Half a surrogate pair, as broken file names give it, is stored and found again."""
    odd = Rule("x\ud800", "Say \udcff", observations=(Observation("p\udc80", "2026-11-30", oid="\ud800"),))
    put(place, odd)
    view = store(place).view()
    assert view.rule("x\ud800") == odd
    assert [row.rule for row in view.index.active(("p\udc80",))] == [odd]
    assert view.index.holder("\ud800") is not None


# --- rules with a mistake ---


BAD = b"""version: 2
rules:
- id: good
  rule: Use tabs
- id: bad
  rule: Use spaces
  created: 9999-12-31
  total_count: -1
  severity: banana # mine
  written_to:
  - date: 2026-13-01
- id: twin
  rule: One
- id: twin
  rule: Two
- id: no-text
- rule: No id
"""


def test_a_rule_with_a_mistake_is_set_aside(place: Home) -> None:
    """It is shown, not decided, not changed; the line is named; other rules keep working."""
    write(place, BAD)
    with pytest.raises(NeedsRepair) as caught:
        put(place, Rule("bad", "Use spaces", observations=(SEEN,)))
    assert [p.split(":")[0] for p in caught.value.problems] == ["line 7", "line 11", "line 11", "line 9", "line 8"]
    with pytest.raises(NeedsRepair, match="line 12") as caught:
        put(place, Rule("twin", "Two"))
    assert len(caught.value.problems) == 2
    assert read(place) == BAD
    put(place, Rule("good", "Use tabs", observations=(SEEN, SEEN._replace(session="s2"))))
    assert read(place).startswith(BAD[: BAD.index(b"- id: bad")])
    assert read(place).endswith(BAD[BAD.index(b"- id: bad") :])
    index = store(place).view().index
    assert [row.rule.id for row in index.due()] == ["good"]
    assert sorted(row.rule.id for row in index.troubled()) == ["", "bad", "no-text", "twin", "twin"]
    assert index.has_id("no-text")


def test_every_broken_part_is_named_at_once(place: Home) -> None:
    """A file that cannot be read says every line, and nothing is written, not even by a command with a new rule."""
    data = (
        b"version: 3\nrules:\n- id: a\n  rule: 'A\n- id: b\n  rule: B\n  rule: C\n- hello\n- id: d\n  rule: &x D\n"
        b"- id: e\n\trule: E\nprojects: [a]\n"
    )
    write(place, data)
    for work in (lambda: told(place), lambda: put(place, Rule("new", "New"))):
        with pytest.raises(NeedsRepair) as caught:
            work()
        lines = [int(p.split(":")[0].removeprefix("line ")) for p in caught.value.problems]
        assert lines[0] == 1
        assert {7, 8, 10, 12} <= set(lines)
        assert "twice (first" in str(caught.value)
    assert read(place) == data
    assert not Path(place.journal).exists()


# --- the index is never the truth ---


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: bytes(len(data)),
        lambda data: data.replace(b"tabs", b"bats"),
        lambda data: data[:200] + bytes(b ^ 1 for b in data[200:]),
        lambda data: b"x" * 4096,
    ],
)
def test_a_damaged_index_changes_no_answer(place: Home, change: Callable[[bytes], bytes]) -> None:
    """Cut short, emptied, overwritten or with other letters in it: the answers are those of rules.yaml."""
    put(place, Rule("a", "Use tabs"), Rule("b", "Use spaces"))
    damage(place, change)
    assert told(place) == oracle_rules(read(place)) == {"a": Rule("a", "Use tabs"), "b": Rule("b", "Use spaces")}
    damage(place, change)
    put(place, Rule("c", "C"))
    assert told(place) == oracle_rules(read(place))


@pytest.mark.parametrize("what", ["file", "directory", "locked"])
def test_without_a_place_for_the_index_everything_works(place: Home, what: str) -> None:
    """When the cache cannot be written, the index is made in memory."""
    if what == "file":
        Path(place.caches).mkdir(exist_ok=True)
        Path(place.cache).write_bytes(b"in the way")
    elif what == "directory":
        (Path(place.cache) / "index.sqlite").mkdir(parents=True)
    else:
        put(place, Rule("0", "Zero"))
        other = sqlite3.connect(Path(place.cache) / "index.sqlite")
        other.execute("BEGIN EXCLUSIVE")
    put(place, Rule("a", "Use tabs"))
    put(place, Rule("b", "Use spaces"))
    assert told(place) == oracle_rules(read(place))
    assert told(place).keys() >= {"a", "b"}


def test_an_older_reader_does_not_lead_a_writer_astray(place: Home) -> None:
    """An index that answers for other bytes is brought up to date under the lock before anything is spliced."""
    put(place, Rule("a", "A"), Rule("b", "B"))
    old = read(place)
    put(place, Rule("a", "A" * 500))
    new = read(place)
    write(place, old)
    assert told(place).keys() == {"a", "b"}  # the index answers for the old bytes now
    write(place, new)
    put(place, Rule("b", "B2"))
    assert told(place) == oracle_rules(read(place)) == {"a": Rule("a", "A" * 500), "b": Rule("b", "B2")}


def test_an_editors_save_during_a_command_wins(place: Home) -> None:
    """What was saved after the command read the file is not written over; the command says so."""
    put(place, Rule("a", "A"))
    with pytest.raises(Busy), store(place).edit(NOW) as edit:
        edit.put(Rule("b", "B"))
        write(place, read(place) + b"# saved meanwhile\n")
        edit.commit({"event": "observed"})
    assert read(place).endswith(b"# saved meanwhile\n")
    assert told(place).keys() == {"a"}


def test_one_command_at_a_time(place: Home) -> None:
    """A second writer waits, then gives up as busy; a reader does not wait."""
    put(place, Rule("a", "A"))
    with store(place).edit(NOW) as edit:
        edit.put(Rule("b", "B"))
        with pytest.raises(Busy), store(place).edit(NOW, timeout=0.01):
            pass
        assert told(place).keys() == {"a"}
        edit.commit({"event": "observed"})
    assert told(place).keys() == {"a", "b"}


def test_what_somebody_else_wrote_is_backed_up(place: Home) -> None:
    """A file edited by hand has a verified copy from which, with the journal, all can be rebuilt."""
    put(place, Rule("a", "A"))
    write(place, read(place) + b"# by hand\n")
    told(place)
    assert (Path(place.path) / "backup" / "rules.yaml").read_bytes() == read(place)
    events = [json.loads(line)["event"] for line in Path(place.journal).read_bytes().splitlines()]
    assert events[-1] == "backup"
    told(place)
    put(place, Rule("b", "B"))
    assert [json.loads(line)["event"] for line in Path(place.journal).read_bytes().splitlines()] == [
        *events,
        "observed",
    ]


# --- a crash at any point ---


class Crash(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("where", ["journal", "file", "index", "seal"])
def test_a_crash_leaves_all_or_nothing(place: Home, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Killed before rules.yaml nothing happened, after it everything did; the next command answers right."""
    put(place, Rule("a", "A"))
    before = read(place)

    def crash(*_: object, **__: object) -> None:
        raise Crash

    target = {
        "journal": "improve.edit.journal.append",
        "file": "improve.edit.files.replace",
        "index": "improve.edit.Edit._note",
        "seal": "improve.index.seal.put",
    }[where]
    monkeypatch.setattr(target, crash)
    with pytest.raises(Crash):
        put(place, Rule("a", "A2", observations=(SEEN,)), Rule("b", "B"))
    monkeypatch.undo()
    done = {"a": Rule("a", "A2", observations=(SEEN,)), "b": Rule("b", "B")}
    assert told(place) == oracle_rules(read(place)) == (done if where in ("index", "seal") else {"a": Rule("a", "A")})
    if where in ("journal", "file"):
        assert read(place) == before


# --- a glance ---


def glanced(place: Home) -> dict[str, str]:
    """Give ids and texts as a glance sees them."""
    return {row.rule.id: row.rule.text for row in Store(place, Config()).glance().index.all()}


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time have to pass before a file counts as settled."""
    monkeypatch.setattr("improve.looks._UNSETTLED", 0.0)


@pytest.mark.usefixtures("settled")
def test_a_glance_reads_no_rules(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """While rules.yaml looks as it did, the index answers without it being opened."""
    put(place, Rule("a", "Use tabs"))
    told(place)
    monkeypatch.setattr("improve.store.files.read", lambda *_, **__: pytest.fail("rules.yaml was read"))
    assert glanced(place) == {"a": "Use tabs"}


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("keeps", ["nothing", "size", "size and time", "inode"])
def test_a_glance_sees_every_change(place: Home, keeps: str) -> None:
    """An edit by hand is seen, of whatever it kept the size, the time or the inode."""
    put(place, Rule("a", "Use tabs"), Rule("b", "Use spaces"))
    told(place)
    before = Path(place.rules)
    status = before.stat()
    data = before.read_bytes().replace(b"Use tabs", b"Use dogs" if keeps != "nothing" else b"Use tabs and dogs")
    if keeps == "inode":
        with before.open("r+b") as stream:
            stream.write(data)
    else:
        before.unlink()
        before.write_bytes(data)
    if keeps == "size and time":
        os.utime(before, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert "dogs" in glanced(place)["a"]
    before.unlink()
    assert glanced(place) == {}


def test_a_file_that_changed_just_now_is_read(place: Home) -> None:
    """Two changes within one tick of the file system's clock look alike, so a young file is read each time."""
    put(place, Rule("a", "Use tabs"))
    told(place)
    assert Store(place, Config()).glance().index.meta("looks") == ""
