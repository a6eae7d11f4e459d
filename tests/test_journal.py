"""The journal: whole lines, newest first as well as oldest first, whatever a kill left between them."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import journal

LINES = st.lists(
    st.one_of(
        st.integers(0, 9).map(lambda n: b'{"event": "e%d", "n": %d}' % (n, n)),
        st.sampled_from([b"", b"{", b"null", b"[1]", b'{"event": 5}', b"\xff\xfe", b'{"event": "x"', b"[" * 3000]),
        st.integers(1, 400).map(lambda n: b'{"event": "long", "text": "%s"}' % (b"x" * n)),
    ),
    max_size=12,
)


def test_a_missing_journal_is_empty(tmp_path: Path) -> None:
    """No file, no events."""
    assert list(journal.read(str(tmp_path / "journal.jsonl"))) == []
    assert list(journal.read_back(str(tmp_path / "journal.jsonl"))) == []


@pytest.mark.parametrize("durable", [True, False])
def test_events_come_back(tmp_path: Path, durable: bool) -> None:
    """Any text survives, half characters and line ends too; each event is one ASCII line."""
    path = str(tmp_path / "journal.jsonl")
    events = [{"event": "a", "text": "é\n\u2028\ud800"}, {"event": "b", "entries": {"x": None}}]
    for event in events:
        journal.append(path, event, durable=durable)
    assert list(journal.read(path)) == events
    assert list(journal.read_back(path)) == events[::-1]
    assert Path(path).read_bytes().isascii()
    assert Path(path).read_bytes().count(b"\n") == 2


@given(lines=LINES, block=st.integers(1, 64), end=st.booleans())
def test_backward_is_forward_reversed(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], block: int, end: bool
) -> None:
    """Torn and foreign lines are passed over in both directions, at any block size."""
    path = tmp_path_factory.getbasetemp() / "backward.jsonl"
    path.write_bytes(b"\n".join(lines) + (b"\n" if end else b""))
    forward = list(journal.read(str(path)))
    assert list(journal.read_back(str(path), block))[::-1] == forward
    assert all(isinstance(event["event"], str) for event in forward)
    only = [event for event in forward if event["event"] in ("e1", "long")]
    assert list(journal.read_back(str(path), block, only=("e1", "long")))[::-1] == only


def test_the_newest_is_read_without_the_rest(tmp_path: Path) -> None:
    """Asking a large journal for its last event reads its last block."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"x" * (1 << 22) + b"\n" + b'{"event": "last"}\n')
    assert list(islice(journal.read_back(str(path)), 1)) == [{"event": "last"}]


def test_a_torn_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    """After a kill in the middle of a line the next event stands on a line of its own."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"event": "torn')
    journal.append(str(path), {"event": "next"}, durable=False)
    assert [event["event"] for event in journal.read(str(path))] == ["next"]
    assert path.stat().st_size > 20


_FILE = {"path": "/x/AGENTS.md", "existed": True, "hunks": [[0, "", "- a\n"], [9, "- b\n", "", "1 0a1b2c3d"]]}
_CHANGE = {
    "event": "applied", "change": "0a1b2c3d", "title": "t", "at": "2026-11-30T12:00:00+01:00", "rules": ["a"],
    "entries": {"a": None}, "before": {"a": "- id: a\n"}, "files": [_FILE],
    "projects": {"p": ["p", "", ["/x"], ["q"]], "q": ["", "", []]}, "behind": {"a": ["b", ""]},
}  # fmt: skip


def test_what_is_written_is_ours() -> None:
    """Every key that other modules read, as they write it; more keys than these do no harm."""
    assert journal.parse(json.dumps({**_CHANGE, "later": [1]}).encode()) == {**_CHANGE, "later": [1]}


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": 5}, {"change": 5}, {"title": None}, {"undoes": []}, {"rules": [5]}, {"rules": "a"},
        {"entries": {"a": 5}}, {"entries": []}, {"before": {"a": []}}, {"observations": [5]}, {"observations": {}},
        {"behind": []}, {"behind": {"a": "b"}}, {"behind": {"a": ["b"]}}, {"behind": {"a": ["b", 5]}},
        {"files": [{**_FILE, "path": 5}]}, {"files": [{**_FILE, "path": "AGENTS.md"}]}, {"files": {}}, {"files": [[]]},
        *({"files": [{**_FILE, "hunks": [hunk]}]} for hunk in (
            [0, ""], ["0", "", ""], [True, "", ""], [0, "", 5], [0, "", "", 5], [0, "", "", "x"], [0, "", "", "1 "],
            [0, "", "", "x 0a"], [0, "", "", "1 0a", ""], None,
        )),
        *({"projects": {"p": place}} for place in (None, [], ["", ""], ["", "", ""], ["", "", [5]], ["", "", [], 5])),
    ],
)  # fmt: skip
def test_a_line_of_the_wrong_shape_is_passed_over(wrong: dict[str, object]) -> None:
    """Valid JSON with a value nobody could use is none of ours, so no command stumbles over it."""
    assert journal.parse(json.dumps({**_CHANGE, **wrong}).encode()) is None
