"""Reading: only a missing file is empty, and what is no plain file of ours is refused at once."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.errors import EnvironmentFailure, Refused
from improve.files import Snapshot, read
from other_user import NOBODY, as_nobody, shared_place

CAP = 1 << 20
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")


def test_gives_the_bytes_as_they_are(tmp_path: Path) -> None:
    """Line ends, BOM, NUL and invalid UTF-8 come through untouched, with mode, inode and links."""
    file = tmp_path / "AGENTS.md"
    data = b"\xef\xbb\xbfa\r\nb\rc\0\xff\xfe no newline"
    file.write_bytes(data)
    file.chmod(0o640)
    seen, status = read(str(file), cap=CAP), file.stat()
    assert (seen.data, seen.exists, seen.path) == (data, True, os.path.realpath(file))
    assert (seen.dev, seen.ino, seen.links) == (status.st_dev, status.st_ino, 1)
    assert seen.mode == status.st_mode & 0o7777


def test_a_missing_file_is_empty(tmp_path: Path) -> None:
    """A file that is not there gives no bytes and says so."""
    seen = read(str(tmp_path / "AGENTS.md"), cap=CAP)
    assert (seen.exists, seen.data, seen.links) == (False, b"", 0)


def test_a_file_in_a_missing_directory_is_missing(tmp_path: Path) -> None:
    """Missing parents are no error: they may be created when the file is."""
    seen = read(str(tmp_path / "a" / "b" / "AGENTS.md"), cap=CAP)
    assert not seen.exists
    assert seen.path == str(tmp_path.resolve() / "a" / "b" / "AGENTS.md")


def test_a_relative_path_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snapshot names its file for good, wherever the process goes next."""
    monkeypatch.chdir(tmp_path)
    assert read("AGENTS.md", cap=CAP).path == str(tmp_path.resolve() / "AGENTS.md")


def test_a_snapshot_is_frozen(tmp_path: Path) -> None:
    """Nobody changes what was seen; equal sights are equal and have the SHA-256 of their bytes."""
    seen = Snapshot("/x", b"abc", True)
    with pytest.raises(AttributeError):
        seen.data = b""
    assert seen == Snapshot("/x", b"abc", True)
    assert len({seen, Snapshot("/x", b"abc", True), Snapshot("/x", b"abd", True)}) == 2
    assert seen.sha == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("over", [0, 1])
def test_the_cap_is_exact(tmp_path: Path, over: int) -> None:
    """A file of exactly the cap is read, one byte more is refused with its name."""
    file = tmp_path / "rules.yaml"
    file.write_bytes(b"x" * (100 + over))
    if over:
        with pytest.raises(Refused, match=r"rules\.yaml is larger than 100 bytes"):
            read(str(file), cap=100)
    else:
        assert len(read(str(file), cap=100).data) == 100


@posix
@pytest.mark.parametrize("links", [1, 2, 40])
def test_follows_chains_of_links(tmp_path: Path, links: int) -> None:
    """One link, two, or as many as a kernel follows lead to the same file."""
    file = tmp_path / "real.md"
    file.write_bytes(b"rules")
    for n in range(links):
        (tmp_path / f"link{n}").symlink_to(f"link{n - 1}" if n else "real.md")
    seen = read(str(tmp_path / f"link{links - 1}"), cap=CAP)
    assert (seen.data, seen.path) == (b"rules", os.path.realpath(file))


@posix
def test_an_endless_chain_of_links_is_no_traceback(tmp_path: Path) -> None:
    """A thousand links in a row are followed or refused, never a stack overflow."""
    (tmp_path / "real.md").write_bytes(b"rules")
    for n in range(2000):
        (tmp_path / f"{n}").symlink_to(f"{n - 1}" if n else "real.md")
    try:
        assert read(str(tmp_path / "1999"), cap=CAP).data == b"rules"
    except Refused as error:
        assert "cannot be" in str(error)


@posix
@pytest.mark.parametrize("target", ["AGENTS.md", "b.md"])
def test_refuses_a_loop_of_links(tmp_path: Path, target: str) -> None:
    """A link to itself, alone or by way of another, is refused and named."""
    (tmp_path / "AGENTS.md").symlink_to(target)
    (tmp_path / "b.md").symlink_to("AGENTS.md")
    with pytest.raises(Refused, match=r"AGENTS\.md is a loop of links"):
        read(str(tmp_path / "AGENTS.md"), cap=CAP)


@posix
@pytest.mark.parametrize("below", ["", "/AGENTS.md", "/a/b/AGENTS.md"])
def test_refuses_a_link_to_nothing(tmp_path: Path, below: str) -> None:
    """A dangling link, at the end of a path or inside it, is no missing file; the refusal says its target."""
    (tmp_path / "link").symlink_to("/nowhere/at-all")
    with pytest.raises(Refused, match=r"link to /nowhere/at-all, which does not exist"):
        read(str(tmp_path / "link") + below, cap=CAP)


@posix
@pytest.mark.parametrize("kind", ["directory", "pipe", "socket", "device", "endless"])
def test_refuses_what_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """A directory, pipe, socket or device is refused by name in far less than a second."""
    odd = tmp_path / "AGENTS.md"
    if kind == "directory":
        odd.mkdir()
    elif kind == "pipe":
        os.mkfifo(odd)
    elif kind == "socket":
        monkeypatch.chdir(tmp_path)  # the whole path may be too long for a socket
        with socket.socket(socket.AF_UNIX) as end:
            end.bind("AGENTS.md")
    else:
        odd.symlink_to("/dev/null" if kind == "device" else "/dev/zero")
    start = time.monotonic()
    with pytest.raises(Refused, match="device" if kind == "endless" else kind):
        read(str(odd), cap=CAP)
    assert time.monotonic() - start < 1


def test_refuses_a_huge_sparse_file_at_once(tmp_path: Path) -> None:
    """Five gigabytes of nothing are refused after the first bytes over the cap."""
    file = tmp_path / "AGENTS.md"
    with file.open("wb") as stream:
        stream.truncate(5 << 30)
    start = time.monotonic()
    with pytest.raises(Refused, match="larger than"):
        read(str(file), cap=CAP)
    assert time.monotonic() - start < 1


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "file/AGENTS.md", "\ud800"])
def test_refuses_what_cannot_be_a_path(tmp_path: Path, name: str) -> None:
    """NUL, an overlong name, a file used as a directory and half a character are refused, not raised."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Refused, match="nothing was written"):
        read(str(tmp_path / name), cap=CAP)


@posix
@pytest.mark.parametrize("target", ["../secret", "/etc/passwd", "../repo-two/AGENTS.md", ".."])
def test_refuses_a_link_out_of_the_project(tmp_path: Path, target: str) -> None:
    """A repository's link that leaves it is refused before anything is opened, and the target is shown."""
    repo = tmp_path / "repo"
    repo.mkdir()
    (tmp_path / "repo-two").mkdir()
    (tmp_path / "repo-two" / "AGENTS.md").write_bytes(b"theirs")
    (tmp_path / "secret").write_bytes(b"key")
    (repo / "AGENTS.md").symlink_to(target)
    with pytest.raises(Refused, match="outside") as refusal:
        read(str(repo / "AGENTS.md"), cap=CAP, within=str(repo))
    assert os.path.realpath(repo / target) in str(refusal.value)


@posix
def test_a_directory_link_out_of_the_project_is_refused_too(tmp_path: Path) -> None:
    """It is the real path that counts, whichever part of it is the link, and for files yet to be made."""
    (tmp_path / "elsewhere").mkdir()
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "docs").symlink_to("../elsewhere")
    with pytest.raises(Refused, match="outside"):
        read(str(repo / "docs" / "AGENTS.md"), cap=CAP, within=str(repo))


@posix
def test_a_link_inside_the_project_is_followed(tmp_path: Path) -> None:
    """CLAUDE.md -> AGENTS.md is fine, also when the project itself is reached through a link."""
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "AGENTS.md").write_bytes(b"rules")
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "way").symlink_to("repo")
    for within in ("repo", "way"):
        for start in ("repo", "way"):
            seen = read(str(tmp_path / start / "CLAUDE.md"), cap=CAP, within=str(tmp_path / within))
            assert seen.data == b"rules"


@posix
def test_cannot_read_is_never_empty() -> None:
    """A file without read permission, or behind a closed directory, is a failure of the environment."""
    with shared_place() as place:
        (place / "rules.yaml").write_bytes(b"rules: []")
        (place / "closed").mkdir()
        (place / "closed" / "rules.yaml").write_bytes(b"rules: []")
        if os.geteuid() == 0:
            for path in (place / "rules.yaml", place / "closed", place / "closed" / "rules.yaml"):
                os.chown(path, NOBODY, NOBODY)
        (place / "rules.yaml").chmod(0)
        (place / "closed").chmod(0)
        for path in (place / "rules.yaml", place / "closed" / "rules.yaml"):
            answer = as_nobody(partial(read, str(path), cap=CAP))
            assert answer.startswith("EnvironmentFailure: cannot"), answer
            assert "Permission denied" in answer
        (place / "closed").chmod(0o700)


@as_root
def test_refuses_a_file_of_another_user() -> None:
    """What belongs to somebody else is neither trusted nor written; root may read everybody's."""
    with shared_place() as place:
        (place / "AGENTS.md").write_bytes(b"planted")
        assert as_nobody(lambda: read(str(place / "AGENTS.md"), cap=CAP)).startswith("Refused: ")
        os.chown(place / "AGENTS.md", NOBODY, NOBODY)
        assert "7 bytes" in as_nobody(lambda: read(str(place / "AGENTS.md"), cap=CAP))
        assert read(str(place / "AGENTS.md"), cap=CAP).data == b"planted"


def test_an_unreachable_working_directory_is_one_clear_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path in a directory that was removed is a failure of the environment, not a traceback."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    try:
        gone.rmdir()
    except OSError:
        pytest.skip("this system keeps directories that are in use")
    with pytest.raises(EnvironmentFailure, match="nothing was written"):
        read("AGENTS.md", cap=CAP)


@given(data=st.binary(max_size=300), cap=st.integers(0, 300))
def test_reads_all_or_refuses(tmp_path_factory: pytest.TempPathFactory, data: bytes, cap: int) -> None:
    """For any bytes and any cap: exactly the bytes, or a refusal when there are more."""
    file = tmp_path_factory.getbasetemp() / f"any-{os.getpid()}"
    file.write_bytes(data)
    if len(data) > cap:
        with pytest.raises(Refused):
            read(str(file), cap=cap)
    else:
        assert read(str(file), cap=cap).data == data


@pytest.mark.parametrize("size", [0, 3, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 700_000])
def test_the_hash_of_other_bytes_is_theirs(size: int) -> None:
    """Wherever they differ from ours: before, within and behind what both begin with."""
    ours = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    seen = Snapshot("/x", ours, True)
    assert seen.sha == hashlib.sha256(ours).hexdigest()
    for other in (b"", ours + b"more", ours[:-1], b"y" + ours, ours[: size // 2] + b"z" + ours[size // 2 :], ours * 2):
        assert seen.sha_of(other) == hashlib.sha256(other).hexdigest()
