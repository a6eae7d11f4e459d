"""The ledger of past sessions: only what is new is read, nothing is told twice or lost, no credential is kept."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from commands.sessions import RECORDED, Claude, Codex, put
from improve import locks
from improve.errors import Busy, EnvironmentFailure
from improve.ledger import FILE, Deed, Entry, Ledger
from improve.workflow import deeds as kept
from improve.workflow import past
from improve.workflow.here import Here
from improve.workflow.past import Covered

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"


@pytest.fixture
def shop(repository: Repository) -> Path:
    """Make a real repository."""
    return repository("shop")


def surroundings() -> Here:
    return Here.from_environment(os.environ, datetime.now(UTC).astimezone())


def read() -> tuple[list[Entry], Covered]:
    """Bring the ledger up to date and give all of it."""
    ledger, covered = past.bring_up_to_date(surroundings())
    entries = list(ledger.entries())
    ledger.close()
    return entries, covered


def subjects(entry: Entry) -> list[str]:
    return [deed.subject for deed in entry.deeds]


def place() -> Path:
    return Path(past.directory(surroundings()))


def later(path: Path, seconds: float = 5.0) -> None:
    """Let a file look as if it was written to some seconds later."""
    stamp = path.stat().st_mtime + seconds
    os.utime(path, (stamp, stamp))


# --- what a row says ---


def test_a_session_is_told_with_its_words_calls_and_place(home: Path, shop: Path) -> None:
    """A row names host, session, project and times, what a person said and what was done, with its end."""
    claude = Claude(home, shop).types("add a page").runs("ls -la").runs("rm -rf /", refused="never do that")
    claude.row(
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "id": "toolu_e",
                        "name": "Edit",
                        "input": {"file_path": f"{shop}/a.py", "old_string": "x", "new_string": "import os"},
                    }
                ],
            },
        }
    )
    [entry], covered = read()
    assert (entry.host, entry.session, entry.path) == ("claude-code", claude.id, str(claude.path))
    assert (entry.project, entry.cwd, entry.headless, entry.parent) == ("github.com/acme/shop", str(shop), False, "")
    assert entry.messages >= 1 and entry.asked[0][1] == "add a page"
    assert subjects(entry) == ["ls -la", "rm -rf /", f"{shop}/a.py"]
    assert [(d.kind, d.added, d.failed, d.ended) for d in entry.deeds] == [
        ("shell", "", False, ""),
        ("shell", "", True, "person"),
        ("edit", "import os", False, ""),
    ]
    assert entry.started <= entry.deeds[0].at <= entry.ended and entry.ended.endswith("+00:00")
    assert (covered.read, covered.size) == (1, claude.path.stat().st_size)


GROWING = {
    "claude-code": ".claude/projects/x/{}",
    "codex": ".codex/sessions/rollout-{}",
    "gemini": ".gemini/tmp/x/chats/session-{}",
    "pi": ".pi/agent/sessions/x/{}",
    "qwen": ".qwen/projects/x/chats/{}",
    "copilot": ".copilot/session-state/x/events.jsonl",
}
"""Where hosts record that add to their transcripts, by name of the file."""


def told(path: Path, *steps: bytes) -> list[object]:
    """Let a transcript grow in steps, read after each; give what is told at the end, but where it lay."""
    shutil.rmtree(place(), ignore_errors=True)
    path.unlink(missing_ok=True)
    for step in steps:
        with path.open("ab") as stream:
            stream.write(step)
        entries, _ = read()
    return [(e.session, e.messages, e.asked, e.deeds, e.headless) for e in entries]


def _grown(home: Path, host: str, cuts: int) -> None:
    """Read every recorded session of a host in two steps and in one."""
    compared = 0
    for recorded in sorted((RECORDED / host).rglob("*.jsonl")):
        if "history" in recorded.name:
            continue
        path = home / GROWING[host].format(recorded.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = recorded.read_bytes().splitlines(keepends=True)
        whole = told(path, b"".join(lines))
        for cut in sorted({len(lines) * number // (cuts + 1) for number in range(1, cuts + 1)}):
            assert told(path, b"".join(lines[:cut]), b"".join(lines[cut:])) == whole, (recorded.name, cut)
            compared += 1
        path.unlink()
    assert compared


@pytest.mark.parametrize("host", GROWING)
def test_a_session_read_in_two_steps_is_the_one_read_at_once(home: Path, host: str) -> None:
    """Whatever a host recorded, cut in the middle, is told as if it had been read in one piece."""
    _grown(home, host, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("host", GROWING)
def test_a_session_may_be_cut_anywhere(home: Path, host: str) -> None:
    """The same, cut in ten places."""
    _grown(home, host, 10)


@pytest.mark.parametrize(
    ("recorded", "where"),
    [
        ("opencode/subagent.db", ".local/share/opencode/opencode.db"),
        ("aider/two-turns.aider.chat.history.md", "app/.aider.chat.history.md"),
        ("copilot/two-turns-hooks.session-store.db", ".copilot/session-store.db"),
    ],
)
def test_what_is_read_whole_each_time_is_told_once(
    home: Path, recorded: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database or a document that changed is read again, and tells no session twice."""
    path = put(home, recorded, where)
    if "aider" in recorded:
        subprocess.run(["git", "init", "-q", str(path.parent)], check=True)
        monkeypatch.chdir(path.parent)
    first, covered = read()
    later(path)
    second, again = read()
    assert (covered.read, again.read) == (1, 1) and first and second == first


def test_a_patch_is_told_file_by_file() -> None:
    """A patch of Codex is one deed for each of its files, with the lines that it adds."""
    patch = "*** Begin Patch\n*** Add File: a.py\n+import os\n*** Update File: b.py\n@@\n-old\n+new\n*** End Patch"
    from improve.session import Call

    call = Call("1", "apply_patch", "edit", "a.py", {"input": patch})
    assert list(kept.parts(call)) == [("edit", "a.py", "import os"), ("edit", "b.py", "new")]


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ({"new_string": "a", "old_string": "b"}, "a"),
        ({"content": "whole"}, "whole"),
        ({"edits": [{"oldText": "x", "newText": "y"}, {"new_string": "z"}]}, "y\nz"),
        ({"new_source": "cell"}, "cell"),
        ({"diff": "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new"}, "new"),
        ({"file_path": "only/a/path", "old_string": "gone"}, ""),
        ({"content": 5, "edits": "nor this"}, ""),
        ({"diff": "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"}, "new\n"),
        ({"diff": "------- SEARCH\nold\n=======\nnew\nlines\n+++++++ REPLACE\n"}, "new\nlines\n"),
        ({"ReplacementChunks": [{"replacement": "a"}, {"newContent": "b"}]}, "a\nb"),
    ],
)
def test_what_an_edit_puts_in_is_found_by_any_hosts_name_for_it(given: dict[str, object], added: str) -> None:
    """The new text of an edit is found, and the old one never is."""
    from improve.session import Call

    assert [text for _, _, text in kept.parts(Call("1", "t", "edit", "a.py", given))] == [added]


def test_a_subagent_keeps_its_parent(home: Path, shop: Path) -> None:
    """What a subagent did is a session of its own that names the one that started it."""
    main = Claude(home, shop).types("go").runs("ls")
    sub = Claude(home, shop, "sub")
    sub.more = {"isSidechain": True, "agentId": "agent-7", "sessionId": main.id}
    sub.runs("pwd")
    entries, _ = read()
    assert {(e.session, e.parent) for e in entries} == {(main.id, ""), ("agent-7", main.id)}


def test_chinese_is_kept_as_it_is(home: Path, repository: Repository) -> None:
    """Words, commands and directories in Chinese come back unchanged."""
    shop = repository("商店")
    Claude(home, shop).types("请用 uv，不要用 pip").runs("echo 你好 > 文件.txt")
    [entry], _ = read()
    assert entry.asked[0][1] == "请用 uv，不要用 pip"
    assert subjects(entry) == ["echo 你好 > 文件.txt"] and entry.cwd == str(shop)


def test_broken_characters_do_not_stop_anything(home: Path, shop: Path) -> None:
    """Halves of surrogate pairs and NULs in what an agent ran are kept in some form, and the rest is told."""
    Claude(home, shop).types("go").runs("echo \ud800 \x00").runs("ls")
    [entry], covered = read()
    assert subjects(entry)[-1] == "ls" and not covered.unreadable


def test_a_file_may_be_named_after_no_text_at_all(home: Path, shop: Path) -> None:
    """A transcript whose name is no UTF-8 is told and found again as any other."""
    claude = Claude(home, shop).types("go").runs("one")
    odd = claude.path.with_name(os.fsdecode(b"\xff\xfe.jsonl"))
    data = claude.path.read_bytes().replace(b'"sessionId": ', b'"unnamed": ')
    claude.path.unlink()
    with odd.open("wb") as stream:
        stream.write(data)
    [first], covered = read()
    with odd.open("ab") as stream:
        stream.write(data.replace(b'"uuid": "', b'"uuid": "1').replace(b"one", b"two"))
    [second], again = read()
    assert (covered.read, again.read, covered.unreadable) == (1, 1, ())
    assert subjects(first) == ["one"] and second.path == str(odd) and second.messages == 2


def test_texts_are_shortened(home: Path, shop: Path) -> None:
    """A command keeps 2,000 characters, a message 500."""
    Claude(home, shop).types("word " * 400).runs("echo " + "ab " * 4_000)
    [entry], _ = read()
    assert len(entry.asked[0][1]) <= 500 and len(entry.deeds[0].subject) == 2_000


def test_of_a_huge_session_the_latest_calls_stay(home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a session with too many calls the oldest are left out and counted."""
    monkeypatch.setattr(kept, "MOST_DEEDS", 20)
    claude = Claude(home, shop).types("go")
    for number in range(50):
        claude.runs(f"echo {number}")
    [entry], _ = read()
    assert len(entry.deeds) <= 20 and entry.cut + len(entry.deeds) == 50 and subjects(entry)[-1] == "echo 49"
    claude.runs("echo last")
    [entry], _ = read()
    assert entry.cut + len(entry.deeds) == 51 and subjects(entry)[-1] == "echo last"


# --- credentials ---


def test_no_credential_reaches_the_disk(home: Path, shop: Path) -> None:
    """A token in a message, a command, an edit or at a cut is nowhere in the state directory, unpacked or not."""
    claude = Claude(home, shop).types(f"use {TOKEN} please").runs(f"curl -H 'Authorization: token {TOKEN}' x")
    claude.runs("echo " + "a " * 990 + TOKEN)
    claude.types("b" * 480 + " " + TOKEN)
    [entry], _ = read()
    told = json.dumps(entry)
    assert "[redacted:" in told
    for length in range(10, len(TOKEN)):
        assert TOKEN[:length] not in told
    assert not any(TOKEN.encode() in path.read_bytes() for path in place().iterdir())


def test_the_ledger_is_for_its_owner_alone(home: Path, shop: Path) -> None:
    """The file is readable and writable by its owner only."""
    Claude(home, shop).corrected()
    read()
    assert stat.S_IMODE((place() / FILE).stat().st_mode) == 0o600


# --- how files change ---


def test_nothing_is_opened_when_nothing_changed(home: Path, shop: Path) -> None:
    """A second reading opens no transcript at all."""
    paths = [Claude(home, shop, f"s{n}").corrected().path for n in range(3)] + [Codex(home, shop).corrected().path]
    read()
    code = (
        "import sys, os\nfrom datetime import UTC, datetime\nopened = []\n"
        "sys.addaudithook(lambda e, a: opened.append(str(a[0])) if e == 'open' else None)\n"
        "from improve.workflow import past\nfrom improve.workflow.here import Here\n"
        "_, c = past.bring_up_to_date(Here.from_environment(os.environ, datetime.now(UTC).astimezone()))\n"
        "print(c.read, c.unchanged, c.size, sum(p.endswith('.jsonl') for p in opened))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", str(len(paths)), "0", "0"]


def test_a_transcript_that_grew_is_read_from_where_it_ended(home: Path, shop: Path) -> None:
    """Only the bytes that were added are read, and all of the session is told."""
    claude = Claude(home, shop).types("go").runs("one")
    [first], _ = read()
    size = claude.path.stat().st_size
    claude.types("and again").runs("two")
    [entry], covered = read()
    assert covered.size == claude.path.stat().st_size - size
    assert subjects(entry) == ["one", "two"] and entry.messages == first.messages + 1
    assert (entry.started, entry.ended > first.ended) == (first.started, True)


def test_a_result_that_comes_later_belongs_to_its_call(home: Path, shop: Path) -> None:
    """A call whose refusal is written after it was read is told as refused, once."""
    claude = Claude(home, shop).types("go").runs("rm -rf build", refused="no")
    lines = claude.path.read_bytes().splitlines(keepends=True)
    claude.path.write_bytes(b"".join(lines[:-1]))
    [entry], _ = read()
    assert [(d.failed, d.ended) for d in entry.deeds] == [(False, "")]
    with claude.path.open("ab") as stream:
        stream.write(lines[-1])
    [entry], _ = read()
    assert [(d.failed, d.ended) for d in entry.deeds] == [(True, "person")]


def test_a_torn_last_line_is_read_when_it_is_whole(home: Path, shop: Path) -> None:
    """A record that is only half written is no bad one, and is told when the rest is there."""
    claude = Claude(home, shop).types("go").runs("one").runs("two")
    whole = claude.path.read_bytes()
    cut = whole.rindex(b"toolu_", 0, whole.rindex(b"tool_use_id"))
    claude.path.write_bytes(whole[:cut])
    _, covered = read()
    assert covered.bad == 0
    claude.path.write_bytes(whole)  # in the same file
    [entry], covered = read()
    assert subjects(entry) == ["one", "two"] and covered.bad == 0


def test_a_transcript_written_anew_takes_the_place_of_the_old_one(home: Path, shop: Path) -> None:
    """What is no longer in a file that was replaced is no longer told."""
    claude = Claude(home, shop).types("go").runs("one").runs("secret")
    read()
    claude.path.unlink()
    Claude(home, shop).types("go").runs("two")
    later(claude.path)
    [entry], _ = read()
    assert subjects(entry) == ["two"]


def test_a_shortened_transcript_is_told_as_it_is_now(home: Path, shop: Path) -> None:
    """A transcript that lost its end loses the calls there; one that lost everything keeps what was known."""
    claude = Claude(home, shop).types("go").runs("one")
    half = claude.path.read_bytes()
    claude.runs("two")
    read()
    claude.path.write_bytes(half)
    later(claude.path)
    [entry], _ = read()
    assert subjects(entry) == ["one"]
    claude.path.write_bytes(b"")
    later(claude.path, 10)
    [entry], _ = read()
    assert subjects(entry) == ["one"]


def test_what_a_host_deleted_stays(home: Path, shop: Path) -> None:
    """A session whose transcript is gone is still told."""
    claude = Claude(home, shop).types("go").runs("one")
    before, _ = read()
    claude.path.unlink()
    after, covered = read()
    assert after == before and (covered.read, covered.unchanged) == (0, 0)


def test_a_session_in_two_files_counts_once(home: Path, shop: Path) -> None:
    """A copy of a transcript adds nothing, and what only one of the two has is told."""
    claude = Claude(home, shop).types("go").runs("one")
    other = home / ".claude" / "projects" / "elsewhere" / claude.path.name
    other.parent.mkdir()
    shutil.copy(claude.path, other)
    claude.runs("two")
    [entry], _ = read()
    assert sorted(subjects(entry)) == ["one", "two"] and entry.messages == 1


def test_a_session_that_moved_counts_once(home: Path, shop: Path) -> None:
    """A transcript that a host put into its archive is the same session."""
    codex = Codex(home, shop).types("go").answers("done")
    read()
    target = home / ".codex" / "archived_sessions" / codex.path.name
    target.parent.mkdir(parents=True)
    codex.path.rename(target)
    [entry], _ = read()
    assert entry.messages == 1


def test_a_session_resumed_under_another_id_tells_only_what_is_new(home: Path, shop: Path) -> None:
    """Rows that were copied from an earlier session count there alone."""
    first = Claude(home, shop, "first").types("go").runs("one")
    second = Claude(home, shop, "second")
    second.path.write_bytes(first.path.read_bytes().replace(first.id.encode(), second.id.encode()))
    later(second.path)
    second.at = first.at + timedelta(minutes=1)
    second.types("go on").runs("two")
    later(second.path)
    entries, _ = read()
    assert {e.session: (subjects(e), e.messages) for e in entries} == {
        first.id: (["one"], 1),
        second.id: (["two"], 1),
    }


def test_the_same_command_again_is_another_call(home: Path, shop: Path) -> None:
    """A command that is run three times counts three times, however many readings that takes."""
    claude = Claude(home, shop).types("go").runs("make").runs("make")
    read()
    claude.runs("make")
    [entry], _ = read()
    assert subjects(entry) == ["make"] * 3


def test_a_session_without_an_id_is_told_once(home: Path, shop: Path) -> None:
    """A history that names no sessions is told, and told the same after another reading."""
    history = home / ".claude" / "history.jsonl"
    history.parent.mkdir(parents=True)
    row = {"display": "no, use tabs", "pastedContents": {}, "project": str(shop), "timestamp": 1_760_000_000_000}
    history.write_text(json.dumps(row) + "\n")
    first, _ = read()
    with history.open("a") as stream:
        stream.write(json.dumps({**row, "display": "and spaces never", "timestamp": 1_760_000_100_000}) + "\n")
    second, _ = read()
    assert [e.messages for e in first] == [1] and sum(e.messages for e in second) == 2


def test_a_wrong_clock_does_not_move_a_session(home: Path, shop: Path) -> None:
    """A record from the year 2099 is kept without its moment; the session ends when it did."""
    claude = Claude(home, shop).types("go").runs("one")
    claude.at = datetime(2099, 1, 1, tzinfo=UTC)
    claude.runs("two")
    [entry], _ = read()
    assert subjects(entry) == ["one", "two"]
    assert entry.started <= entry.ended < "2098" and [bool(d.at) for d in entry.deeds] == [True, False]


# --- instruction files ---


def test_the_files_a_session_loaded_are_known_afterwards(home: Path, repository: Repository) -> None:
    """What a file said is told by its digest, also when it says something else by now."""
    shop = repository("shop", agents="- Use uv.\n")
    os.utime(shop / "AGENTS.md", (1_700_000_000, 1_700_000_000))
    Codex(home, shop).corrected()
    [entry], _ = read()
    [loaded] = [file for file in entry.loaded if file.path == str(shop / "AGENTS.md")]
    assert loaded.state == "loaded"
    (shop / "AGENTS.md").write_text("- Use tabs.\n")
    [entry], _ = read()
    assert loaded in entry.loaded
    assert b"- Use uv." in Ledger.open(str(place())).text(loaded.digest)


def test_a_file_that_was_changed_after_the_session_is_marked(home: Path, repository: Repository) -> None:
    """Of a file that is younger than the session nobody knows what it said."""
    shop = repository("shop", agents="- Use uv.\n")
    Codex(home, shop).corrected()
    [entry], _ = read()
    assert [file.state for file in entry.loaded if file.path == str(shop / "AGENTS.md")] == ["unknown:loaded"]


@pytest.mark.parametrize(("pause", "loads_again"), [(timedelta(minutes=5), False), (timedelta(hours=3), True)])
def test_a_session_that_is_resumed_loads_its_files_again(
    home: Path, repository: Repository, pause: timedelta, loads_again: bool
) -> None:
    """What a session loaded stays as it was while it goes on; resumed after hours it loads what is there then."""
    shop = repository("shop", agents="- Use uv.\n")
    os.utime(shop / "AGENTS.md", (1_700_000_000, 1_700_000_000))
    codex = Codex(home, shop).types("go").answers("done")
    [first], _ = read()
    (shop / "AGENTS.md").write_text("- Use tabs.\n")
    os.utime(shop / "AGENTS.md", (1_700_000_001, 1_700_000_001))
    codex.at += pause
    codex.types("go on").answers("done")
    [second], _ = read()
    assert (second.loaded != first.loaded) is loads_again


def test_of_a_directory_that_is_gone_nothing_is_known(home: Path, tmp_path: Path) -> None:
    """A session in a directory that was deleted is told without instruction files."""
    Codex(home, tmp_path / "gone").corrected()
    [entry], _ = read()
    assert (entry.loaded, entry.project) == ((), "unknown")


# --- what goes wrong ---


def test_an_unreadable_transcript_is_named(home: Path, shop: Path) -> None:
    """What is no transcript is named with the reason, each time, and the others are read."""
    Claude(home, shop).corrected()
    broken = put(home, "opencode/subagent.db", ".local/share/opencode/opencode.db")
    broken.write_bytes(b"SQLite format 3\x00" + b"\xff" * 500)
    entries, covered = read()
    assert [path for path, _ in covered.unreadable] == [str(broken)] and len(entries) == 1
    assert read()[1].unreadable == covered.unreadable


def test_an_empty_history_is_an_empty_ledger(home: Path) -> None:
    """Where no agent ever ran there is nothing to tell, and that is no error."""
    assert read() == ([], Covered())


def test_nothing_is_read_while_improve_is_off(home: Path, shop: Path, improve: Improve) -> None:
    """What was said before is not read meanwhile; on again, it is."""
    Claude(home, shop).corrected()
    improve("off")
    assert read() == ([], Covered())
    improve("on")
    assert len(read()[0]) == 1


def test_a_project_that_is_off_is_left_out(home: Path, shop: Path, repository: Repository, improve: Improve) -> None:
    """Sessions of a project in which improve is off are not kept; others are."""
    other = repository("other")
    Claude(home, shop).corrected()
    Claude(home, other, "s2").corrected()
    improve("off", "--project", "shop", cwd=shop)
    os.chdir(other)
    entries, _ = read()
    assert [e.project for e in entries] == ["github.com/acme/other"]


def test_two_at_once_is_one(home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one run reads, another one waits a little, then says that it is busy and changes nothing."""
    monkeypatch.setattr(past, "PATIENCE", 0.05)
    Claude(home, shop).corrected()
    here = surroundings()
    key = str(place() / "ledger")
    with locks.lock(key, directory=here.home.state), pytest.raises(Busy):
        past.bring_up_to_date(here)


@pytest.mark.parametrize("what", ["text", "foreign", "older", "torn"])
def test_what_is_no_ledger_is_put_aside(home: Path, shop: Path, what: str) -> None:
    """A damaged, foreign or older file is moved away whole, and the ledger is begun anew."""
    Claude(home, shop).corrected()
    read()
    path = place() / FILE
    if what == "text":
        path.write_bytes(b"not a database at all" * 100)
    elif what == "torn":
        path.write_bytes(path.read_bytes()[:5_000])
    else:
        path.unlink()
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE part (a)")
            if what == "older":
                connection.execute("PRAGMA application_id=1768780406")
        connection.close()
    before = path.read_bytes()
    entries, _ = read()
    assert len(entries) == 1
    assert (place() / f"{FILE}.aside-1").read_bytes() == before


def test_a_ledger_of_a_later_version_is_not_touched(home: Path, shop: Path) -> None:
    """What a later version wrote stays as it is, and that is said."""
    Claude(home, shop).corrected()
    read()
    with sqlite3.connect(place() / FILE) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    before = (place() / FILE).read_bytes()
    with pytest.raises(EnvironmentFailure, match="later version"):
        read()
    assert (place() / FILE).read_bytes() == before


def test_a_row_that_is_damaged_costs_that_session_alone(home: Path, shop: Path) -> None:
    """A blob that cannot be unpacked is passed over."""
    Claude(home, shop).corrected()
    Claude(home, shop, "s2").corrected()
    read()
    with sqlite3.connect(place() / FILE) as connection:
        connection.execute("UPDATE part SET body = x'00ff' WHERE number = 1")
    connection.close()
    assert len(read()[0]) == 1


_BRING = (
    "import os\nfrom datetime import UTC, datetime\nfrom improve.workflow import past\n"
    "from improve.workflow.here import Here\nfrom improve import ledger\n{before}\n"
    "past.bring_up_to_date(Here.from_environment(os.environ, datetime.now(UTC).astimezone()))\n"
)


def test_a_full_disk_is_said_and_costs_nothing(home: Path, shop: Path) -> None:
    """When the ledger cannot grow, what it held is still there, and the next reading makes up for it."""
    Claude(home, shop).corrected()
    before, _ = read()
    claude = Claude(home, shop, "large").types("go")
    for number in range(400):
        claude.runs(f"echo {os.urandom(150).hex()} {number}")
    size = (place() / FILE).stat().st_size + 20_000
    code = _BRING.format(before="")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, preexec_fn=limited)
    assert "EnvironmentFailure" in done.stderr and done.returncode
    assert list(Ledger.open(str(place())).entries()) == before
    assert len(read()[0]) == 2


@pytest.mark.parametrize("moment", [0.0, 0.03, 0.08])
def test_a_kill_loses_only_what_was_not_committed(home: Path, shop: Path, moment: float) -> None:
    """A run that is killed leaves rows and cursors that fit each other: the next one tells everything once."""
    for number in range(30):
        claude = Claude(home, shop, f"s{number}").types(f"go {number}")
        for step in range(20):
            claude.runs(f"echo {number} {step}")
    code = _BRING.format(before="past._SAVED = 0.0\nprint('begun', flush=True)")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline()
        time.sleep(moment)
        process.kill()
    entries, _ = read()
    assert len(entries) == 30 and all(len(e.deeds) == 20 and e.messages == 1 for e in entries)


def test_a_reader_does_not_hold_up_a_writer(home: Path, shop: Path) -> None:
    """Whoever is still reading the ledger keeps nobody from bringing it up to date."""
    Claude(home, shop).corrected()
    Claude(home, shop, "s2").corrected()
    ledger, _ = past.bring_up_to_date(surroundings())
    entries = ledger.entries()
    next(entries)
    Claude(home, shop, "s3").corrected()
    assert len(read()[0]) == 3
    assert len(list(entries)) == 1


def test_sessions_are_chosen_by_time(home: Path, shop: Path, repository: Repository) -> None:
    """They come oldest first; `since` leaves out those that ended before it."""
    old = datetime.now(UTC) - timedelta(days=40)
    Claude(home, shop, "old", began=old).corrected()
    Claude(home, repository("other"), "new").corrected()
    Codex(home, shop).corrected()
    ledger, _ = past.bring_up_to_date(surroundings())
    ends = [e.ended for e in ledger.entries()]
    assert ends == sorted(ends) and len(ends) == 3
    assert len(list(ledger.entries(since=ends[1]))) == 2
    assert ledger.count() == 3


@pytest.mark.nightly
def test_thousands_of_sessions(home: Path, shop: Path) -> None:
    """5,000 sessions are told, and the second reading of them takes less than two seconds."""
    for number in range(5_000):
        Claude(home, shop, f"s{number}").types(f"go {number}").runs(f"echo {number}")
    assert len(read()[0]) == 5_000
    began = time.monotonic()
    _, covered = past.bring_up_to_date(surroundings())
    assert (covered.read, covered.unchanged) == (0, 5_000) and time.monotonic() - began < 2


def test_a_deed_can_be_asked_about_as_a_call() -> None:
    """A deed gives a call with its command, or its path and what it puts in."""
    assert Deed("", "shell", "ls").call.input == {"command": "ls"}
    call = Deed("", "edit", "a.py", "import os").call
    assert (call.kind, call.subject, call.input) == ("edit", "a.py", {"file_path": "a.py", "content": "import os"})


def test_while_improve_is_off_no_file_is_begun(improve: Improve, home: Path, shop: Path) -> None:
    """`verify` and `backtest` look at what is known already; where that is nothing, they leave nothing behind."""
    Claude(home, shop).types("go").runs("ls")
    improve("off")
    improve("verify")
    improve("backtest", "--deny", "ls")
    assert not [*home.rglob("ledger.db"), *home.rglob("gist.sqlite")]


def test_what_an_instruction_file_says_is_kept_without_credentials(home: Path, shop: Path) -> None:
    """A key that somebody wrote into AGENTS.md does not get into the ledger; all other bytes do."""
    (home / ".claude").mkdir(exist_ok=True)
    (shop / "AGENTS.md").write_bytes(b"# Shop\r\n\xff\r\ntoken: ghp_abcdefghijklmnopqrstuvwxyz0123456789\r\n")
    Claude(home, shop).types("go").runs("ls")
    [entry], _ = read()
    [text] = [Ledger.open(str(place())).text(file.digest) for file in entry.loaded if file.path.endswith("AGENTS.md")]
    assert text == b"# Shop\r\n\xff\r\ntoken: [redacted:github-token]\r\n"


def test_what_was_done_while_improve_was_off_is_never_told(
    home: Path, shop: Path, improve: Improve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when the transcript is read long after it was switched on again; what came before and after is told."""
    hours = [datetime.now(UTC) - timedelta(hours=back) for back in (4, 3, 2, 1)]
    claude = Claude(home, shop, began=hours[0] - timedelta(minutes=30)).types("one").runs("ls before")
    for moment, word in ((hours[0], "off"), (hours[2], "on")):
        monkeypatch.setattr("improve.clock.now", lambda at=moment: at.astimezone())
        improve(word)
    claude.at = hours[1]
    claude.types("two").runs("ls while off")
    claude.at = hours[3]
    claude.types("three").runs("ls after")
    monkeypatch.undo()
    (entry,) = read()[0]
    assert subjects(entry) == ["ls before", "ls after"]
    assert [words for _, words in entry.asked] == ["one", "three"]
