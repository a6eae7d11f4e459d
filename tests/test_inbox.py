"""inbox.jsonl: lines become candidates, a state is changed by a later line, and no damage is taken for emptiness."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import inbox
from improve.errors import EnvironmentFailure, NoSuchRule, Refused
from improve.inbox import Candidate
from improve.paths import Home

AT = "2026-11-30T12:00:00+01:00"


def line(**values: Any) -> bytes:
    """Write one line."""
    return json.dumps(values).encode() + b"\n"


def candidate(number: int, **more: Any) -> bytes:
    """Write the line of a candidate."""
    return line(v=1, **{"id": f"C{number}", "key": f"k{number}", "at": AT, "text": f"use tabs {number}", **more})


def change(number: int, state: str, **more: Any) -> bytes:
    """Write the line of a change."""
    return line(v=1, key=f"k{number}", at=AT, state=state, **more)


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """Give a store without files."""
    return Home(str(tmp_path / "store"), str(tmp_path), str(tmp_path / "cache"), str(tmp_path / "state"))


def made(key: str, text: str = "no, use tabs", **more: Any) -> Candidate:
    """Make a candidate that has no id yet."""
    return Candidate(id="", key=key, at=AT, text=text, **more)


def test_a_missing_file_is_empty(place: Home) -> None:
    """Nothing was ever typed: nothing waits, and nothing is bad."""
    found = inbox.read(place.file(inbox.FILE))
    assert (found.open, found.bad) == ([], ())


def test_what_is_added_is_read_back(place: Home) -> None:
    """Ids count up, and every field comes back as it went in."""
    full = made("a", host="codex", session="s", project="p", cwd="/x", signal="correction", severity=3, confidence=0.5)
    [first] = inbox.add(place, [full])
    [second] = inbox.add(place, [made("b", "ü\u2028\ud800")])
    assert first == full._replace(id="C1")
    assert second.id == "C2"
    assert list(inbox.read(place.file(inbox.FILE)).candidates.values()) == [first, second]
    assert Path(place.file(inbox.FILE)).stat().st_mode & 0o777 == 0o600


def test_an_event_never_becomes_two(place: Home) -> None:
    """The same key is passed over, in one call, in a later one, and after the candidate was closed."""
    assert len(inbox.add(place, [made("a"), made("a", "other words")])) == 1
    assert inbox.add(place, [made("a")]) == []
    inbox.close(place, "C1", state=inbox.DISMISSED, at=AT)
    assert inbox.add(place, [made("a")]) == []
    assert inbox.read(place.file(inbox.FILE)).open == []


def test_what_is_kept_is_redacted_and_short(place: Home) -> None:
    """No credential and no more than 500 characters reach the disk."""
    [kept] = inbox.add(place, [made("a", "no, use https://me:s3cretpass@example.com/r.git " + "x" * 900)])
    data = Path(place.file(inbox.FILE)).read_bytes()
    assert b"s3cretpass" not in data
    assert len(kept.text) <= inbox.LONGEST
    assert kept.text.endswith("…")


def test_closing_says_what_became_of_it(place: Home) -> None:
    """State and rule are read back; a second closing is refused and names the first."""
    inbox.add(place, [made("a")])
    inbox.close(place, "c1", state=inbox.ACCEPTED, at=AT, rule="use-tabs")
    found = inbox.read(place.file(inbox.FILE)).named("C1")
    assert (found.state, found.rule) == ("accepted", "use-tabs")
    with pytest.raises(Refused, match="accepted already, as rule use-tabs"):
        inbox.close(place, "C1", state=inbox.DISMISSED, at=AT)


def test_an_unknown_id_is_named(place: Home) -> None:
    """There is no such candidate, so nothing is written."""
    with pytest.raises(NoSuchRule, match="C7"):
        inbox.close(place, "C7", state=inbox.DISMISSED, at=AT)
    assert not Path(place.file(inbox.FILE)).exists()


def test_many_at_once_get_ids_of_their_own(place: Home) -> None:
    """Eight writers at the same time lose nothing and share no id."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: inbox.add(place, [made(f"k{n}"), made(f"l{n % 3}")]), range(24)))
    found = inbox.read(place.file(inbox.FILE)).candidates
    assert len(found) == 27
    assert {c.id for c in found.values()} == {f"C{n}" for n in range(1, 28)}


def test_unknown_keys_are_kept() -> None:
    """What a later version writes is there, and changes nothing else."""
    found = inbox.fold(candidate(1, turn=4)).candidates["k1"]
    assert found.extra == {"turn": 4}
    assert found.text == "use tabs 1"


@pytest.mark.parametrize(
    "bad",
    [
        b"{", b"null", b"[]", b"\xff\xfe", b"[" * 9000, b'{"text": "x"}', line(key="k", text=5)[:-1],
        line(key="k", id="C1", text="x", severity="high")[:-1], line(key="k", id="C1", text="x", severity=True)[:-1],
        line(key="k", state="lost")[:-1], line(key="", id="C1", text="x")[:-1], line(key="k", id="", text="x")[:-1],
        line(key="k", id="C1", text="x", state="lost")[:-1], line(key="k", state="open", rule=3)[:-1],
    ],
)  # fmt: skip
def test_a_bad_line_is_counted_and_the_others_hold(bad: bytes) -> None:
    """A line in the middle that nobody can read is named by its number; the lines around it are read."""
    found = inbox.fold(candidate(1) + bad + b"\n" + candidate(2))
    assert found.bad == (2,)
    assert list(found.candidates) == ["k1", "k2"]


def test_a_file_that_cannot_be_read_is_not_empty(place: Home) -> None:
    """A directory in its place is an error, not an empty inbox, and nothing is written over it."""
    Path(place.file(inbox.FILE)).mkdir(parents=True)
    with pytest.raises((Refused, EnvironmentFailure)):
        inbox.read(place.file(inbox.FILE))
    with pytest.raises((Refused, EnvironmentFailure)):
        inbox.add(place, [made("a")])


def test_a_torn_last_line_is_passed_over_and_ended(place: Home) -> None:
    """After a kill in the middle of a line the next candidate stands on a line of its own."""
    path = Path(place.file(inbox.FILE))
    path.parent.mkdir(mode=0o700)
    path.write_bytes(candidate(1) + candidate(2)[:30])
    assert inbox.read(str(path)).bad == ()
    inbox.add(place, [made("k3")])
    found = inbox.read(str(path))
    assert (list(found.candidates), found.bad) == (["k1", "k3"], (2,))


def test_joined_files_keep_their_candidates_apart() -> None:
    """Two events with one id, as two joined files have, get two ids that do not change with later lines."""
    joined = candidate(1) + candidate(2) + line(id="C1", key="other", at=AT, text="no")
    found = inbox.fold(joined)
    assert [c.id for c in found.candidates.values()] == ["C1", "C2", "C3"]
    assert inbox.fold(joined + change(1, "dismissed")).named("C3").key == "other"


lines = st.lists(
    st.one_of(
        st.builds(candidate, st.integers(1, 4)),
        st.builds(change, st.integers(1, 4), st.sampled_from(inbox.STATES)),
        st.sampled_from([b"{\n", b"\n", b"null\n"]),
    ),
    max_size=30,
)


@given(lines)
def test_any_order_of_lines_folds(written: list[bytes]) -> None:
    """Each key is one candidate, its state is that of the last change, and each bad line is counted once."""
    found = inbox.fold(b"".join(written))
    values = [json.loads(entry) if entry.startswith(b'{"') else None for entry in written]
    keys = list(dict.fromkeys(v["key"] for v in values if v and "text" in v))
    assert list(found.candidates) == keys
    for key in keys:
        states = [v["state"] for v in values if v and v["key"] == key and "text" not in v]
        assert found.candidates[key].state == (states[-1] if states else "open")
    assert found.bad == tuple(n for n, entry in enumerate(written, 1) if entry in (b"{\n", b"null\n"))


@given(lines, st.integers(0, 4000))
def test_a_file_torn_anywhere_loses_only_what_came_after(written: list[bytes], at: int) -> None:
    """A cut at any byte leaves every line before it as it was, and no bad line that was not there."""
    whole = b"".join(written)
    torn, before = inbox.fold(whole[:at]), inbox.fold(whole[: whole[:at].rfind(b"\n") + 1])
    assert torn.bad == before.bad
    assert list(torn.candidates)[: len(before.candidates)] == list(before.candidates)


@given(st.binary(max_size=400))
def test_any_bytes_fold(data: bytes) -> None:
    """Nothing in the file makes reading it fail."""
    assert inbox.fold(data).candidates == {}
