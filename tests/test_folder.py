"""Directories of our own state: private, created once, never somebody else's."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from improve.errors import Busy, EnvironmentFailure, Refused
from improve.folder import Folder, explained, no_directory, nothing, private_directory, resolve
from other_user import NOBODY, as_nobody, shared_place

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Run with umask 000, as some containers do."""
    old = os.umask(0)
    yield
    os.umask(old)


def mode(path: Path) -> int:
    """Give the permission bits of a path."""
    return path.stat().st_mode & 0o7777


def test_creates_what_is_missing_for_us_alone(tmp_path: Path, open_umask: None) -> None:
    """The directory and its missing parents have mode 0700 under any umask; a second call changes nothing."""
    home = tmp_path / "home" / "spool"
    assert private_directory(str(home)) == private_directory(f"{home}/") == str(home.resolve())
    assert (mode(home), mode(home.parent)) == (0o700, 0o700)


@pytest.mark.parametrize(("before", "after"), [(0o777, 0o755), (0o775, 0o755), (0o755, 0o755), (0o500, 0o500)])
def test_closes_a_directory_others_could_change(tmp_path: Path, before: int, after: int) -> None:
    """A home made under umask 002 or 000 loses the right of others to write, and nothing else."""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(before)
    private_directory(str(home))
    assert mode(home) == after


def test_follows_our_own_link(tmp_path: Path) -> None:
    """A home that is a link into a dotfiles repository stays one."""
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "home").symlink_to("dotfiles")
    assert private_directory(str(tmp_path / "home")) == str((tmp_path / "dotfiles").resolve())
    assert private_directory(f"{tmp_path}/home/") == str((tmp_path / "dotfiles").resolve())
    assert (tmp_path / "home").is_symlink()


@pytest.mark.parametrize("below", ["", "/spool"])
def test_refuses_a_file_in_the_way(tmp_path: Path, below: str) -> None:
    """A file where the directory should be is refused and kept."""
    (tmp_path / "home").write_bytes(b"mine")
    with pytest.raises(Refused, match="nothing was written"):
        private_directory(f"{tmp_path}/home{below}")
    assert (tmp_path / "home").read_bytes() == b"mine"


def test_refuses_a_link_to_nothing(tmp_path: Path) -> None:
    """A dangling link is refused; its target is not created."""
    (tmp_path / "home").symlink_to("gone")
    with pytest.raises(Refused, match="link to gone"):
        private_directory(str(tmp_path / "home"))
    assert not (tmp_path / "gone").exists()


@as_root
def test_refuses_what_another_user_planted() -> None:
    """A directory, or a link, that another user put at the place of ours is refused."""
    with shared_place() as place:
        theirs, ours = place / "theirs", place / "ours"
        theirs.mkdir()
        ours.mkdir(0o700)
        os.chown(theirs, 12345, 12345)
        os.chown(ours, NOBODY, NOBODY)
        (place / "link").symlink_to("ours")
        os.lchown(place / "link", 12345, 12345)
        assert as_nobody(partial(private_directory, str(theirs))).startswith("Refused: ")
        assert as_nobody(partial(private_directory, str(place / "link"))).startswith("Refused: ")
        assert as_nobody(partial(private_directory, str(ours))) == repr(str(ours))


@as_root
def test_under_sudo_a_new_directory_goes_to_the_person() -> None:
    """What root creates in somebody's home belongs to that person, or the next call without sudo fails."""
    with shared_place() as place:
        private_directory(str(place / "home" / "spool"))
        assert (place / "home" / "spool").stat().st_uid == NOBODY
        assert as_nobody(partial(private_directory, str(place / "home" / "spool" / "x"))).startswith("'/")


def test_says_what_a_closed_place_refused() -> None:
    """No permission to create it is one sentence with the path, the reason and what was not done."""
    with shared_place() as place:
        place.chmod(0o500)
        answer = as_nobody(partial(private_directory, str(place / "home")))
        assert answer.startswith(f"EnvironmentFailure: cannot use {place}/home: Permission denied")
        assert not (place / "home").exists()


def test_an_open_directory_stays_the_same_when_its_name_is_taken(tmp_path: Path) -> None:
    """What is done through an open directory lands in it, wherever its name leads now."""
    (tmp_path / "a").mkdir()
    (tmp_path / "victim").mkdir()
    with Folder(str(tmp_path.resolve() / "a")) as folder:
        (tmp_path / "a").rename(tmp_path / "b")
        (tmp_path / "a").symlink_to("victim")
        os.close(os.open(folder.at("x"), os.O_CREAT | os.O_WRONLY, dir_fd=folder.fd))
    assert (tmp_path / "b" / "x").exists()
    assert not (tmp_path / "victim" / "x").exists()


@pytest.mark.parametrize("part", ["a", "a/b", "a/b/c"])
def test_opens_no_directory_through_a_link(tmp_path: Path, part: str) -> None:
    """Once resolved, a path with a link in any part was swapped: it is Busy, not followed."""
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    path = str(tmp_path.resolve() / "a" / "b" / "c")
    (tmp_path / part).rename(tmp_path / "moved")
    (tmp_path / part).symlink_to(tmp_path / "moved")
    with pytest.raises(Busy, match="swapped"), explained("write", path):
        Folder(path)


def test_a_step_back_in_a_missing_path_is_not_guessed(tmp_path: Path) -> None:
    """`missing/../x` has no meaning until `missing` exists, so nothing is resolved."""
    with pytest.raises(EnvironmentFailure, match="nothing was written"):
        resolve(str(tmp_path / "missing") + "/../x")


def test_the_root_directory_holds_everything(tmp_path: Path) -> None:
    """`within` may be the root of the file system."""
    assert resolve(str(tmp_path), within="/") == str(tmp_path.resolve())
    assert resolve("/", within="/") == "/"


@pytest.mark.parametrize("ask", [no_directory, nothing])
def test_what_cannot_be_looked_at_may_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Any) -> None:
    """Only what is surely missing is gone: an error of the disk, or no right to look, says nothing."""
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("")
    assert not ask(str(tmp_path / "there"))
    for name in ("none", "file/below", "x" * 300, "a\0b"):
        assert ask(str(tmp_path / name))

    def fails(_: str) -> os.stat_result:
        raise OSError(errno.EIO, "no answer")

    monkeypatch.setattr(os, "stat", fails)
    monkeypatch.setattr(os, "lstat", fails)
    assert not ask(str(tmp_path / "none"))
