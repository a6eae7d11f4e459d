"""The spool: an observation is there whole or not at all, and nothing foreign in it stops the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import spool
from improve.spool import Pending

ONE = Pending("0a1b", "2026-11-30T12:00:00+01:00", "2026-11-30", "Use tabs", "p", severity=3, new=True)


def test_an_observation_comes_back(tmp_path: Path) -> None:
    """What was put is loaded equal, from a file only its owner can read."""
    path = spool.put(str(tmp_path / "spool"), ONE)
    assert spool.load(path) == ONE
    assert spool.waiting(str(tmp_path / "spool")) == [path]
    assert Path(path).stat().st_mode & 0o777 == 0o600
    assert Path(path).read_bytes().isascii()


@given(
    st.builds(
        lambda *texts: Pending(*texts[:2], "2026-11-30", texts[2], context=texts[3]),
        *[st.text(st.characters(exclude_categories=()), min_size=1)] * 4,
    )
)
def test_any_text_survives(pending: Pending) -> None:
    """Controls, half characters and quotes come back as they went in."""
    again = json.loads(json.dumps(pending._asdict(), ensure_ascii=True))
    assert Pending(**again)._replace() == Pending(**json.loads(json.dumps(again)))


def test_older_ones_come_first(tmp_path: Path) -> None:
    """The order of merging is the order of observing."""
    for minute in (5, 1, 3):
        spool.put(str(tmp_path), ONE._replace(oid=f"{minute}", at=f"2026-11-30T12:0{minute}:00+01:00"))
    found = [spool.load(path) for path in spool.waiting(str(tmp_path))]
    assert [pending.oid for pending in found if pending] == ["1", "3", "5"]


def test_a_missing_spool_is_empty(tmp_path: Path) -> None:
    """No directory, nothing waits; a file that another process merged meanwhile is none."""
    assert spool.waiting(str(tmp_path / "spool")) == []
    assert spool.load(str(tmp_path / "spool" / "x.json")) is None


GOOD = {"oid": "a", "at": "2026", "date": "2026-11-30", "text": "Use tabs"}


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"null", b"[]", b"5", b"\xff", b"{}", b"[" * 5000,
        *(json.dumps({**GOOD, **change}).encode() for change in (
            {"later": 1}, {"oid": 5}, {"oid": ""}, {"text": ["x"]}, {"text": ""}, {"severity": "3"}, {"severity": 99},
            {"severity": -1}, {"severity": True}, {"new": 1}, {"project": None}, {"date": 20261130},
        )),
        json.dumps({"oid": "a", "at": "b", "text": "c"}).encode(),
    ],
)  # fmt: skip
def test_what_is_none_of_ours_is_passed_over(tmp_path: Path, content: bytes) -> None:
    """A torn, foreign or mistyped file is no observation; it stays, and the one beside it is merged."""
    (tmp_path / "0.json").write_bytes(content)
    good = spool.put(str(tmp_path), ONE)
    assert [spool.load(path) for path in spool.waiting(str(tmp_path))] == [None, spool.load(good)]
    assert (tmp_path / "0.json").read_bytes() == content


def test_links_directories_and_drafts_are_passed_over(tmp_path: Path) -> None:
    """A directory, a dangling link and a temporary file in the spool stop nothing."""
    (tmp_path / "1.json").mkdir()
    (tmp_path / "2.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / ".hidden.json").write_bytes(b"{}")
    (tmp_path / "note.txt").write_bytes(b"x")
    assert [spool.load(path) for path in spool.waiting(str(tmp_path))] == [None, None]


def test_identities_differ() -> None:
    """No two observations get the same identity."""
    assert len({spool.new_oid() for _ in range(1000)}) == 1000
