"""Writing: a file is its old self or its new self, whatever happens in between, and nothing else changes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, pairwise
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import folder
from improve.errors import Busy, EnvironmentFailure, ImproveError, Refused
from improve.files import (
    Snapshot,
    append_line,
    create_exclusive,
    edit,
    private_directory,
    read,
    replace,
    unlink,
)
from other_user import NOBODY, as_nobody, shared_place

CAP = 1 << 20
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    """Set the umask for one test."""
    old = os.umask(0o022)
    yield os.umask
    os.umask(old)


@pytest.fixture(params=["as on Linux", "as on macOS", "as on Windows"])
def handles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do without what another system lacks: entering directories part by part, or holding them open."""
    if request.param != "as on Linux":
        monkeypatch.setattr(folder, "_PASS", None)
    if request.param == "as on Windows":
        monkeypatch.setattr(folder, "_DIR_FD", False)


def look(path: Path) -> Snapshot:
    """Read without limits."""
    return read(str(path), cap=CAP)


def names(directory: Path) -> list[str]:
    """List a directory, hidden and temporary files too."""
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.usefixtures("handles")
def test_every_system_keeps_the_same_promises(tmp_path: Path) -> None:
    """Replace, create, append, deliver, refuse: the same with and without handles of directories."""
    file, new = tmp_path / "AGENTS.md", tmp_path / "a" / "b" / "new.md"
    file.write_bytes(b"old")
    seen = look(file)
    assert replace(seen, b"new") is True
    with pytest.raises(Busy):
        replace(seen, b"other")
    assert file.read_bytes() == b"new"
    with pytest.raises(Refused, match="is missing"):
        replace(look(new), b"new")
    assert replace(look(new), b"new", make_parents=True) is True
    spool = private_directory(str(tmp_path / "home" / "spool"))
    assert Path(create_exclusive(spool, "1.json", b"{}")).read_bytes() == b"{}"
    with pytest.raises(FileExistsError):
        create_exclusive(spool, "1.json", b"other")
    append_line(str(tmp_path / "home" / "log"), b"one")
    with pytest.raises(Refused):
        private_directory(str(file / "x"))
    with pytest.raises(Refused):
        private_directory(str(file))
    assert names(tmp_path) == ["AGENTS.md", "a", "home"]
    assert names(Path(spool)) == ["1.json"]


# replace


def test_writes_new_bytes(tmp_path: Path) -> None:
    """The file holds exactly the new bytes afterwards, and no temporary file is left beside it."""
    file = tmp_path / "AGENTS.md"
    file.write_bytes(b"old\r\n")
    assert replace(look(file), b"new\r\n\xff") is True
    assert file.read_bytes() == b"new\r\n\xff"
    assert names(tmp_path) == ["AGENTS.md"]


@pytest.mark.parametrize("durable", [True, False])
def test_creates_a_missing_file(tmp_path: Path, durable: bool) -> None:
    """A file that was missing when it was read is created whole."""
    assert replace(look(tmp_path / "AGENTS.md"), b"rules\n", durable=durable) is True
    assert (tmp_path / "AGENTS.md").read_bytes() == b"rules\n"
    assert names(tmp_path) == ["AGENTS.md"]


def test_equal_bytes_are_not_written(tmp_path: Path) -> None:
    """With nothing to change the file keeps its inode and its time, also in a directory we cannot write."""
    file = tmp_path / "AGENTS.md"
    file.write_bytes(b"same")
    os.utime(file, (1, 1))
    before = file.stat()
    assert replace(look(file), b"same") is False
    assert (file.stat().st_ino, file.stat().st_mtime) == (before.st_ino, 1)


def test_nothing_is_created_to_hold_nothing(tmp_path: Path) -> None:
    """No bytes for a missing file leave it missing: an empty instruction file can hide another one."""
    assert replace(look(tmp_path / "AGENTS.override.md"), b"") is False
    assert names(tmp_path) == []


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o666])
def test_keeps_the_mode(tmp_path: Path, umask: Callable[[int], int], mask: int, mode: int) -> None:
    """Under any umask a replaced file has the permissions it had."""
    file = tmp_path / "AGENTS.md"
    file.write_bytes(b"old")
    file.chmod(mode)
    umask(mask)
    replace(look(file), b"new")
    assert file.stat().st_mode & 0o7777 == mode


@pytest.mark.parametrize(("mask", "mode"), [(0o000, 0o644), (0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_obeys_the_umask(tmp_path: Path, umask: Callable[[int], int], mask: int, mode: int) -> None:
    """A new file has the wanted mode less the umask, and never more; 0600 stays 0600."""
    umask(mask)
    replace(look(tmp_path / "AGENTS.md"), b"new")
    replace(look(tmp_path / "rules.yaml"), b"new", mode_if_new=0o600)
    assert (tmp_path / "AGENTS.md").stat().st_mode & 0o7777 == mode
    assert (tmp_path / "rules.yaml").stat().st_mode & 0o7777 == 0o600


@pytest.mark.parametrize("links", [1, 2, 40])
def test_writes_through_links(tmp_path: Path, links: int) -> None:
    """A chain of links, as dotfiles managers make them, stays; the file at its end is what changes."""
    home, dotfiles = tmp_path / "home", tmp_path / "dotfiles"
    home.mkdir()
    dotfiles.mkdir()
    (dotfiles / "agents").write_bytes(b"old")
    chain = [dotfiles / "agents", *(home / f"{n}.md" for n in range(links))]
    for target, link in pairwise(chain):
        link.symlink_to(os.path.relpath(target, link.parent))
    replace(look(chain[-1]), b"new")
    assert all(link.is_symlink() for link in chain[1:])
    assert (dotfiles / "agents").read_bytes() == b"new"
    assert names(dotfiles) == ["agents"]


def test_refuses_to_split_hard_links(tmp_path: Path) -> None:
    """A file with a second name is refused with the number of names; both names keep the old bytes."""
    (tmp_path / "CLAUDE.md").write_bytes(b"old")
    os.link(tmp_path / "CLAUDE.md", tmp_path / "AGENTS.md")
    with pytest.raises(Refused, match="2 hard links"):
        replace(look(tmp_path / "AGENTS.md"), b"new")
    assert (tmp_path / "CLAUDE.md").read_bytes() == (tmp_path / "AGENTS.md").read_bytes() == b"old"
    assert replace(look(tmp_path / "AGENTS.md"), b"old") is False


@pytest.mark.parametrize("editor", ["overwrites", "replaces", "appends", "empties", "removes"])
def test_never_loses_what_an_editor_saved(tmp_path: Path, editor: str) -> None:
    """When the file is no longer what was read, nothing is written and the editor's work stays."""
    file = tmp_path / "AGENTS.md"
    file.write_bytes(b"old")
    seen = look(file)
    if editor == "removes":
        file.unlink()
    elif editor == "replaces":
        (tmp_path / "swap").write_bytes(b"theirs")
        (tmp_path / "swap").rename(file)
    else:
        file.write_bytes({"overwrites": b"OLD", "appends": b"old\nmore", "empties": b""}[editor])
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    with pytest.raises(Busy, match=r"AGENTS\.md was changed .* nothing was written"):
        replace(seen, b"ours")
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


def test_never_overwrites_a_file_that_appeared(tmp_path: Path) -> None:
    """A file that was missing when it was read, and is there now, is somebody else's."""
    seen = look(tmp_path / "AGENTS.md")
    (tmp_path / "AGENTS.md").write_bytes(b"")
    with pytest.raises(Busy):
        replace(seen, b"ours")
    assert (tmp_path / "AGENTS.md").read_bytes() == b""


def test_saving_the_same_bytes_is_no_change(tmp_path: Path) -> None:
    """An editor that saved what it had read did not change the file; its mode counts, not the old one."""
    file = tmp_path / "AGENTS.md"
    file.write_bytes(b"old")
    seen = look(file)
    (tmp_path / "swap").write_bytes(b"old")
    (tmp_path / "swap").chmod(0o600)
    (tmp_path / "swap").rename(file)
    assert replace(seen, b"new") is True
    assert file.stat().st_mode & 0o777 == 0o600


def test_removes_what_a_killed_write_left(tmp_path: Path) -> None:
    """The next write into a directory, of either kind, removes the temporary file of one that was killed there."""
    gone = subprocess.run([sys.executable, "-S", "-c", "import os; print(os.getpid())"], capture_output=True)
    half = tmp_path / f".improve-{int(gone.stdout)}-0123456789abcdef"
    half.write_bytes(b"half")
    replace(look(tmp_path / "AGENTS.md"), b"whole")
    assert names(tmp_path) == ["AGENTS.md"]
    half.write_bytes(b"half")
    create_exclusive(str(tmp_path), "1.json", b"whole")
    assert names(tmp_path) == ["1.json", "AGENTS.md"]


def test_missing_parents_are_made_only_when_asked(tmp_path: Path, umask: Callable[[int], int]) -> None:
    """Without being asked to, no directory is created; when asked, all of them are."""
    seen = look(tmp_path / ".claude" / "rules" / "improve.md")
    with pytest.raises(Refused, match=r"directory .* is missing"):
        replace(seen, b"rules")
    assert names(tmp_path) == []
    replace(seen, b"rules", make_parents=True)
    assert (tmp_path / ".claude" / "rules" / "improve.md").read_bytes() == b"rules"
    assert (tmp_path / ".claude").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("data", [b"AGENTS.md", b"docs/../AGENTS.md", b"./AGENTS.md"])
def test_refuses_a_link_that_git_wrote_as_text(tmp_path: Path, data: bytes) -> None:
    """On a file system without links CLAUDE.md says only where it leads: write there instead."""
    (tmp_path / "AGENTS.md").write_bytes(b"rules")
    (tmp_path / "CLAUDE.md").write_bytes(data)
    with pytest.raises(Refused, match=r"stands for a link to .*Name .*AGENTS\.md instead"):
        replace(look(tmp_path / "CLAUDE.md"), data + b"\n- rule\n")
    assert (tmp_path / "CLAUDE.md").read_bytes() == data


@pytest.mark.parametrize("data", [b"README.md", b"CLAUDE.md", b"AGENTS.md\n", b"Read AGENTS.md", b"AGENTS", b""])
def test_a_short_file_is_not_taken_for_a_link(tmp_path: Path, data: bytes) -> None:
    """A file that names none beside it, names itself, or says more than a name is written as any other."""
    (tmp_path / "AGENTS.md").write_bytes(b"rules")
    (tmp_path / "CLAUDE.md").write_bytes(data)
    assert replace(look(tmp_path / "CLAUDE.md"), data + b"\n- rule\n")


def test_keeps_personal_attributes(tmp_path: Path) -> None:
    """Extended attributes of a file survive its replacement."""
    file = tmp_path / "AGENTS.md"
    file.write_bytes(b"old")
    try:
        os.setxattr(file, "user.note", b"kept")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    replace(look(file), b"new")
    assert os.getxattr(file, "user.note") == b"kept"


@as_root
def test_under_sudo_the_owner_stays() -> None:
    """Root leaves a replaced file with its owner, and a new one with the owner of its directory."""
    with shared_place() as place:
        (place / "AGENTS.md").write_bytes(b"old")
        os.chown(place / "AGENTS.md", 12345, 12346)
        replace(look(place / "AGENTS.md"), b"new")
        replace(look(place / "a" / "CLAUDE.md"), b"new", make_parents=True)
        create_exclusive(str(place), "entry", b"new")
        append_line(str(place / "log"), b"new")
        assert ((place / "AGENTS.md").stat().st_uid, (place / "AGENTS.md").stat().st_gid) == (12345, 12346)
        assert {(place / name).stat().st_uid for name in ("a", "a/CLAUDE.md", "entry", "log")} == {NOBODY}


@as_root
def test_a_group_we_are_not_in_is_no_obstacle() -> None:
    """Without sudo the group is kept where we may; where not, the file is written all the same."""
    with shared_place() as place:
        (place / "AGENTS.md").write_bytes(b"old")
        os.chown(place / "AGENTS.md", NOBODY, 12346)
        assert as_nobody(lambda: replace(look(place / "AGENTS.md"), b"new")) == "True"
        assert (place / "AGENTS.md").stat().st_gid == NOBODY


@pytest.mark.parametrize("write", ["replace", "create", "append", "spool"])
def test_a_closed_directory_is_one_clear_sentence(write: str) -> None:
    """Without the right to write, the message names file and reason, and every byte stays."""
    with shared_place() as place:
        as_nobody(lambda: (place / "AGENTS.md").write_bytes(b"old"))
        place.chmod(0o500)
        actions: dict[str, Callable[[], object]] = {
            "replace": lambda: replace(look(place / "AGENTS.md"), b"new"),
            "create": lambda: replace(look(place / "CLAUDE.md"), b"new"),
            "append": lambda: append_line(str(place / "log"), b"new"),
            "spool": lambda: create_exclusive(str(place), "entry", b"new"),
        }
        answer = as_nobody(actions[write])
        assert answer.startswith("EnvironmentFailure: cannot "), answer
        assert "Permission denied; nothing was written" in answer
        assert str(place) in answer
        assert names(place) == ["AGENTS.md"]
        assert (place / "AGENTS.md").read_bytes() == b"old"


def limited(limit: int, action: Callable[[], object]) -> str:
    """Do something in a child whose files cannot grow beyond a limit, which is how a full disk looks."""

    import resource

    def run() -> object:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return action()

    return as_nobody(run)


@pytest.mark.parametrize("existing", [True, False])
def test_a_file_that_does_not_fit_leaves_the_old_one(existing: bool) -> None:
    """At every limit below its size a write fails with exit code 5 and leaves old bytes and no litter."""
    new = os.urandom(9000)
    with shared_place() as place:
        file = place / "AGENTS.md"
        for limit in (0, 1, 100, 4095, 4096, 4097, 8192, 8999):
            if existing:
                as_nobody(lambda: file.write_bytes(b"old"))
            answer = limited(limit, lambda: replace(look(file), new))
            assert answer.startswith("EnvironmentFailure: "), answer
            assert names(place) == (["AGENTS.md"] if existing else [])
            assert not existing or file.read_bytes() == b"old"
        assert limited(9000, lambda: replace(look(file), new)) == "True"
        assert file.read_bytes() == new


@as_root
def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """On a real file system with no room every kind of write fails cleanly, and works again with room."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False).returncode:
        pytest.skip("cannot mount here")
    try:
        (disk / "AGENTS.md").write_bytes(b"old" * 1000)
        (disk / "filler").write_bytes(b"x" * 60 * 1024)
        for action in (
            lambda: replace(look(disk / "AGENTS.md"), b"new" * 3000),
            lambda: replace(look(disk / "CLAUDE.md"), b"new" * 3000),
            lambda: create_exclusive(str(disk), "entry", b"new"),
        ):
            with pytest.raises(EnvironmentFailure, match=r"No space left .*Free some space"):
                action()
        assert names(disk) == ["AGENTS.md", "filler"]
        assert (disk / "AGENTS.md").read_bytes() == b"old" * 1000
        (disk / "filler").unlink()
        assert replace(look(disk / "AGENTS.md"), b"new" * 3000)
    finally:
        subprocess.run(["umount", disk], check=True)


_SWAPPER = """
import os, sys
real, aside, victim = sys.argv[1:]
print("ready", flush=True)
while os.getppid() == int(os.environ["PARENT"]):
    try:
        os.rename(real, aside); os.symlink(victim, real)
        os.unlink(real); os.rename(aside, real)
    except OSError:
        pass
"""


def test_a_swapped_directory_redirects_no_write(tmp_path: Path) -> None:
    """While somebody swaps the directory for a link elsewhere, the other place is never read or written."""
    sub, victim = tmp_path / "repo" / "sub", tmp_path / "victim"
    sub.mkdir(parents=True)
    victim.mkdir()
    (sub / "AGENTS.md").write_bytes(b"0")
    (victim / "AGENTS.md").write_bytes(b"victim")
    swapper = subprocess.Popen(
        [sys.executable, "-S", "-c", _SWAPPER, sub, tmp_path / "aside", victim],
        env={**os.environ, "PARENT": str(os.getpid())},
        stdout=subprocess.PIPE,
    )
    assert swapper.stdout is not None
    swapper.stdout.readline()
    outcomes: set[str] = set()
    try:
        deadline = time.monotonic() + 30
        for n in count():
            # on a busy machine the other process may not run for a while
            if time.monotonic() > deadline or (n >= 600 and len(outcomes) > 1):
                break
            try:
                seen = read(str(sub / "AGENTS.md"), cap=CAP, within=str(tmp_path / "repo"))
                assert seen.data != b"victim"
                outcomes.add(str(replace(seen, b"%d" % n, durable=False)))
            except ImproveError as error:
                outcomes.add(type(error).__name__)
    finally:
        swapper.kill()
        swapper.wait()
        swapper.stdout.close()
    assert names(victim) == ["AGENTS.md"]
    assert (victim / "AGENTS.md").read_bytes() == b"victim"
    assert len(outcomes) > 1, "the race never happened"


_serial = count()


@given(old=st.none() | st.binary(), new=st.binary())
def test_the_new_bytes_are_the_whole_truth(
    tmp_path_factory: pytest.TempPathFactory, old: bytes | None, new: bytes
) -> None:
    """For any bytes before and after: what is read back is what was written, and no other file appears."""
    place = tmp_path_factory.getbasetemp() / "any" / f"{os.getpid()}-{next(_serial)}"
    place.mkdir(parents=True)
    if old is not None:
        (place / "a.md").write_bytes(old)
    changed = replace(look(place / "a.md"), new, durable=False)
    assert changed == (new != (old or b""))
    assert look(place / "a.md").data == new
    assert names(place) == (["a.md"] if new or old is not None else [])


# edit


def test_edit_starts_again_after_somebody_saved(tmp_path: Path) -> None:
    """A change that lost the race is made again on what the other one saved."""
    file = tmp_path / "AGENTS.md"
    file.write_bytes(b"a")
    saves = iter([b"ab", b"abc"])

    def change(seen: Snapshot) -> bytes:
        if (theirs := next(saves, None)) is not None:
            file.write_bytes(theirs)
        return seen.data + b"!"

    assert edit(str(file), change, cap=CAP) is True
    assert file.read_bytes() == b"abc!"


def test_edit_gives_up_in_the_end(tmp_path: Path) -> None:
    """Three lost races in a row are Busy; the other one's bytes stay."""
    file = tmp_path / "AGENTS.md"
    calls = []

    def change(seen: Snapshot) -> bytes:
        calls.append(seen)
        file.write_bytes(b"theirs %d" % len(calls))
        return b"ours"

    with pytest.raises(Busy):
        edit(str(file), change, cap=CAP)
    assert (len(calls), file.read_bytes()) == (3, b"theirs 3")


# create_exclusive


def test_a_spool_entry_is_complete_and_private(tmp_path: Path, umask: Callable[[int], int]) -> None:
    """An entry has its bytes, mode 0600 under any umask, one name, and leaves no temporary file."""
    umask(0)
    path = create_exclusive(str(tmp_path), "1.json", b"{}")
    assert path == str(tmp_path / "1.json")
    assert (tmp_path / "1.json").read_bytes() == b"{}"
    assert (tmp_path / "1.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "1.json").stat().st_nlink == 1
    assert names(tmp_path) == ["1.json"]


@pytest.mark.parametrize("taken", ["file", "link", "directory"])
def test_a_taken_name_is_never_overwritten(tmp_path: Path, taken: str) -> None:
    """A second entry of the same name fails; what has the name, even a link to nothing, stays."""
    entry = tmp_path / "1.json"
    if taken == "file":
        entry.write_bytes(b"first")
    elif taken == "link":
        entry.symlink_to("gone")
    else:
        entry.mkdir()
    with pytest.raises(FileExistsError):
        create_exclusive(str(tmp_path), "1.json", b"second")
    assert names(tmp_path) == ["1.json"]
    assert taken != "file" or entry.read_bytes() == b"first"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", ".improve-1-0123456789abcdef"])
def test_an_entry_has_a_plain_name(tmp_path: Path, name: str) -> None:
    """What is no plain name, or looks like a temporary file, is a mistake of the caller."""
    with pytest.raises(ValueError, match="no name"):
        create_exclusive(str(tmp_path), name, b"x")
    assert names(tmp_path) == []


def test_a_missing_spool_is_a_clear_failure(tmp_path: Path) -> None:
    """The spool is made by its owner; here a missing one is said, not guessed."""
    with pytest.raises(EnvironmentFailure, match="nothing was written"):
        create_exclusive(str(tmp_path / "spool"), "1.json", b"x")


# append_line


def test_a_log_grows_by_whole_lines(tmp_path: Path, umask: Callable[[int], int]) -> None:
    """A line gets its end when it has none; the log is created for us alone."""
    umask(0)
    for line in (b"one", b"two\n", b""):
        append_line(str(tmp_path / "log"), line)
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n\n"
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


def test_a_torn_line_is_ended_first(tmp_path: Path) -> None:
    """Half a line of a killed process swallows nothing; after a whole line comes no empty one."""
    log = tmp_path / "log"
    log.write_bytes(b'{"a": 1}\n{"b"')
    append_line(str(log), b'{"c": 3}')
    append_line(str(log), b'{"d": 4}', durable=False)
    assert log.read_bytes() == b'{"a": 1}\n{"b"\n{"c": 3}\n{"d": 4}\n'


def test_a_line_is_one_line(tmp_path: Path) -> None:
    """A line end inside a line is a mistake of the caller, and nothing is written."""
    with pytest.raises(ValueError, match="no line end"):
        append_line(str(tmp_path / "log"), b"one\ntwo")
    assert names(tmp_path) == []


def test_a_log_behind_a_link_grows_there(tmp_path: Path) -> None:
    """A log in a dotfiles repository stays linked; a pipe in its place is refused at once."""
    (tmp_path / "real").write_bytes(b"one\n")
    (tmp_path / "log").symlink_to("real")
    append_line(str(tmp_path / "log"), b"two")
    assert (tmp_path / "real").read_bytes() == b"one\ntwo\n"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refused, match="pipe"):
        append_line(str(tmp_path / "pipe"), b"two")


def test_a_line_that_does_not_fit_is_not_acknowledged() -> None:
    """What was cut off by a full disk raises; earlier lines stay, and the next line starts on its own."""
    with shared_place() as place:
        log = str(place / "log")
        as_nobody(partial(append_line, log, b"one"))
        for limit in range(4, 8):
            assert limited(limit, partial(append_line, log, b"two")).startswith("EnvironmentFailure: ")
        as_nobody(partial(append_line, log, b"three"))
        lines = Path(log).read_bytes().splitlines()
        assert (lines[0], lines[-1]) == (b"one", b"three")
        assert b"two" not in lines


def _append_many(path: str, who: int) -> None:
    for n in range(50):
        append_line(path, b"%d-%d-%s" % (who, n, b"x" * 300), durable=False)


def test_lines_of_many_processes_never_mix(tmp_path: Path) -> None:
    """Eight processes without any lock append fifty lines each: four hundred whole lines."""
    log = str(tmp_path / "log")
    context = get_context("spawn")
    workers = [context.Process(target=_append_many, args=(log, who)) for who in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    lines = [line for line in Path(log).read_bytes().splitlines() if line]
    expected = {b"%d-%d-%s" % (who, n, b"x" * 300) for who in range(8) for n in range(50)}
    assert len(lines) == 400
    assert set(lines) == expected


# unlink


def test_removes_a_file_or_a_link_once(tmp_path: Path) -> None:
    """A missing file is no error; of a link only the link goes; a directory is a clear failure."""
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    for _ in range(2):
        unlink(str(tmp_path / "link"))
    assert names(tmp_path) == ["real"]
    with pytest.raises(EnvironmentFailure, match="cannot remove"):
        unlink(str(tmp_path))


# start-up


def test_start_up_stays_small() -> None:
    """The hot path imports none of the modules that would cost more than all of this."""
    heavy = "asyncio collections contextlib dataclasses enum filelock functools inspect pathlib random re"
    heavy += " secrets shutil subprocess tempfile threading typing"
    code = "import improve.files, improve.locks, sys; print(*sorted(set(sys.argv[1:]) & set(sys.modules)))"
    source = str(Path(__file__).parent.parent / "src")
    run = subprocess.run(
        [sys.executable, "-S", "-c", code, *heavy.split()],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == ""


@as_root
def test_what_root_alone_can_change_is_read_and_never_written() -> None:
    """A file as Nix makes it, of root and read-only, is read by anybody; any other file of root is refused."""
    with shared_place() as place:
        for name, mode in (("managed", 0o444), ("open", 0o644)):
            (place / name).write_bytes(b"{}")
            (place / name).chmod(mode)
        assert as_nobody(lambda: look(place / "managed").data) == "b'{}'"
        assert "read-only" in as_nobody(lambda: replace(look(place / "managed"), b"new"))
        assert "belongs to another user" in as_nobody(lambda: look(place / "open"))
        assert (place / "managed").read_bytes() == b"{}"
