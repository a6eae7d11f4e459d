"""Locks: one holder at a time, freed by any death, never waited for longer than promised."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path

import filelock
import pytest

from improve import locks
from improve.errors import Busy, Refused
from improve.files import read, replace
from improve.locks import filesystem, is_network, lock
from other_user import as_nobody, shared_place

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there, filelock does all of it")
TABLE = (Path(__file__).parent / "data" / "mounts" / "table.txt").read_bytes()

_HOLDER = """
import sys, time
from improve.locks import lock
with lock(sys.argv[1], directory=sys.argv[2]):
    print("held", flush=True)
    time.sleep(60)
"""


def lock_file(directory: Path) -> Path:
    """Give the only lock file of a directory."""
    (file,) = directory.iterdir()
    return file


def holder(key: str, directory: Path) -> subprocess.Popen[bytes]:
    """Start a process that holds a lock until it is killed."""
    process = subprocess.Popen([sys.executable, "-c", _HOLDER, key, directory], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process without any warning."""
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def test_a_held_lock_is_busy_and_names_its_holder(tmp_path: Path) -> None:
    """Waiting ends at the time-out, within a second of it, and names the key and the holding process."""
    process = holder("rules.yaml", tmp_path)
    try:
        start = time.monotonic()
        with pytest.raises(Busy, match=r"rules\.yaml is in use by .*; waited 0\.2 s") as busy:
            lock("rules.yaml", directory=str(tmp_path), timeout=0.2).__enter__()
        assert 0.2 <= time.monotonic() - start < 1.2
        if sys.platform == "linux":
            assert f"process {process.pid} (" in str(busy.value)
    finally:
        end(process)


def test_no_time_out_means_one_try(tmp_path: Path) -> None:
    """With a time-out of nothing a free lock is still taken, and a held one is busy at once."""
    with lock("a", directory=str(tmp_path), timeout=0), pytest.raises(Busy):
        lock("a", directory=str(tmp_path), timeout=0).__enter__()


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    """After kill -9 the next one gets the lock at once, without any repair."""
    end(holder("rules.yaml", tmp_path))
    start = time.monotonic()
    with lock("rules.yaml", directory=str(tmp_path), timeout=2):
        assert time.monotonic() - start < 1


def test_an_error_inside_frees_the_lock(tmp_path: Path) -> None:
    """A lock ends with its block, however the block ends."""
    with pytest.raises(KeyError), lock("a", directory=str(tmp_path)):
        raise KeyError
    with lock("a", directory=str(tmp_path), timeout=0):
        pass


def test_other_keys_are_other_locks(tmp_path: Path) -> None:
    """Two files, two locks: nobody waits for what does not concern them."""
    with lock("a", directory=str(tmp_path)), lock("b", directory=str(tmp_path), timeout=0):
        pass
    assert len(list(tmp_path.iterdir())) == 2


def test_one_name_in_two_forms_is_one_key(tmp_path: Path) -> None:
    """A name with an accent is the same lock whether the file system composes it or not."""
    with lock("caf\u00e9", directory=str(tmp_path)), pytest.raises(Busy):
        lock("cafe\u0301", directory=str(tmp_path), timeout=0).__enter__()


@pytest.mark.parametrize("key", ["../../x", "/home/anna/rules.yaml", "a\0b", "ü" * 500, "\udcff", ""])
def test_the_lock_file_is_a_hash_and_stays(tmp_path: Path, key: str) -> None:
    """Any key becomes a file of 32 digits, for us alone, that is kept after the lock is free."""
    old = os.umask(0)
    try:
        with lock(key, directory=str(tmp_path / "locks")):
            file = lock_file(tmp_path / "locks")
    finally:
        os.umask(old)
    assert len(file.stem) == 32
    assert set(file.stem) <= set("0123456789abcdef")
    assert file.suffix == ".lock"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_link_in_place_of_the_lock_file_is_not_followed(tmp_path: Path) -> None:
    """What a planted link points to is neither locked nor changed."""
    locks_directory, victim = tmp_path / "locks", tmp_path / "victim"
    with lock("a", directory=str(locks_directory)):
        file = lock_file(locks_directory)
    file.unlink()
    victim.write_bytes(b"theirs")
    file.symlink_to(victim)
    with pytest.raises(Busy, match="link"):
        lock("a", directory=str(locks_directory)).__enter__()
    assert victim.read_bytes() == b"theirs"


def test_a_removed_lock_file_is_made_anew(tmp_path: Path) -> None:
    """Somebody who cleans up does no lasting harm: the next lock is on a file everybody finds."""
    with lock("a", directory=str(tmp_path)):
        lock_file(tmp_path).unlink()
    with lock("a", directory=str(tmp_path)):
        other = filelock.FileLock(str(lock_file(tmp_path)))
        with pytest.raises(filelock.Timeout):
            other.acquire(timeout=0)


def test_excludes_filelock_and_is_excluded_by_it(tmp_path: Path) -> None:
    """Another program that uses filelock on the same file, in either order, never holds it with us."""
    with lock("a", directory=str(tmp_path)):
        other = filelock.FileLock(str(lock_file(tmp_path)))
        with pytest.raises(filelock.Timeout):
            other.acquire(timeout=0.05)
    with other.acquire(timeout=1), pytest.raises(Busy):
        lock("a", directory=str(tmp_path), timeout=0.05).__enter__()
    with lock("a", directory=str(tmp_path), timeout=1):
        pass


def test_a_closed_state_directory_is_one_clear_sentence() -> None:
    """Without the right to write locks, the message names what was to be locked and why it was not."""
    with shared_place() as place:
        place.chmod(0o500)
        answer = as_nobody(lambda: lock("rules.yaml", directory=str(place / "locks")).__enter__())
        assert answer.startswith("EnvironmentFailure: cannot ")
        assert "Permission denied" in answer


def _add(place: str, who: int) -> None:
    file, directory = f"{place}/numbers", f"{place}/locks"
    for n in range(50):
        with lock(file, directory=directory, timeout=60):
            seen = read(file, cap=1 << 20)
            replace(seen, seen.data + b"%d-%d\n" % (who, n), durable=False)


def _run_adders(place: Path) -> list[bytes]:
    context = get_context("fork")
    workers = [context.Process(target=_add, args=(str(place), who)) for who in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 8
    return (place / "numbers").read_bytes().splitlines()


def test_no_write_of_many_is_lost(tmp_path: Path) -> None:
    """Eight processes that each read, change and write fifty times leave four hundred changes."""
    lines = _run_adders(tmp_path)
    assert sorted(lines) == sorted(b"%d-%d" % (who, n) for who in range(8) for n in range(50))
    assert {path.name for path in tmp_path.iterdir()} == {"numbers", "locks"}


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Take the file system of the tests for one that is shared between machines."""
    monkeypatch.setattr(locks, "is_network", lambda path: True)
    return tmp_path


def test_on_a_network_a_marker_file_is_the_lock(network: Path) -> None:
    """Where flock may be a lie, the lock is a marker that exists while it is held, and is gone afterwards."""
    with lock("a", directory=str(network)):
        assert lock_file(network).suffix == ".soft"
        with pytest.raises(Busy, match="a is in use by"):
            lock("a", directory=str(network), timeout=0.05).__enter__()
    with lock("a", directory=str(network), timeout=1):
        pass
    assert [path for path in network.iterdir() if path.suffix == ".soft"] == []


def test_on_a_network_no_write_of_many_is_lost(network: Path) -> None:
    """The marker file keeps four hundred of four hundred changes, too."""
    assert len(set(_run_adders(network))) == 400


def _die_holding(directory: str) -> None:
    lock("a", directory=directory).__enter__()
    os._exit(9)


def test_on_a_network_a_dead_holder_is_found_out(network: Path) -> None:
    """The marker of a process of this machine that is gone does not block the next one."""
    process = get_context("fork").Process(target=_die_holding, args=(str(network),))
    process.start()
    process.join()
    assert process.exitcode == 9
    with lock("a", directory=str(network), timeout=5):
        pass


@pytest.mark.parametrize(
    ("path", "minor", "kind"),
    [
        pytest.param("/net/home/anna", 40, b"nfs4", id="below a mount point"),
        pytest.param("/net/home", 40, b"nfs4", id="the mount point itself"),
        pytest.param("/net/home/share/x", 41, b"cifs", id="a mount inside a mount"),
        pytest.param("/home/anna/far/x", 42, b"sshfs", id="a file system in user space"),
        pytest.param("/mnt/c/Users/anna", 43, b"9p", id="the Windows disk in WSL"),
        pytest.param("/mnt/with blank/x", 44, b"nfs", id="a mount point with a blank"),
        pytest.param("/dev/shm/x", 25, b"tmpfs", id="memory"),
        pytest.param("/home/anna/near", 99, b"btrfs", id="btrfs, which shows another device number"),
        pytest.param("/data/x", 61, b"nfs", id="mounted over another, by number"),
        pytest.param("/data/x", 99, b"nfs", id="mounted over another, the later one"),
        pytest.param("/net/homestead/x", 99, b"ext4", id="a name that only starts alike"),
        pytest.param("/odd/x", 62, b"ext4", id="a line that is no mount"),
    ],
)
def test_finds_the_file_system_of_a_path(path: str, minor: int, kind: bytes) -> None:
    """The table of mounts tells the kind: by device number first, by the longest mount point otherwise."""
    assert filesystem(TABLE, path, minor) == kind


def test_an_empty_table_is_no_network(tmp_path: Path) -> None:
    """Without a table, and on the disks and in the memory of this machine, nothing is a network."""
    assert filesystem(b"", "/home", 1) == b""
    assert not is_network(str(tmp_path))
    if Path("/dev/shm").is_dir():
        assert not is_network("/dev/shm")


def test_a_missing_lock_directory_is_created(tmp_path: Path) -> None:
    """The first lock of all makes its directory; a file in its place is an error, not a lock."""
    with lock("a", directory=str(tmp_path / "state" / "locks")):
        pass
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Refused, match="nothing was written"):
        lock("a", directory=str(tmp_path / "file")).__enter__()
