"""observe in a sandbox: the person's home is read-only, the temporary directory is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository

UV = "Use uv for packages, never pip install"


@pytest.fixture
def sandbox(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put the store on a disk that can be made read-only; gives the temporary directory."""
    disk, temporary = tmp_path / "disk", tmp_path / "temporary"
    disk.mkdir()
    temporary.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", "size=4m", "none", disk], check=False).returncode:
        pytest.skip("a disk of its own needs the right to mount a tmpfs")
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", str(disk / "store"))
    monkeypatch.setenv("TMPDIR", str(temporary))
    yield temporary
    subprocess.run(["umount", "--lazy", disk], check=True)


def read_only(home: str, yes: bool) -> None:
    """Close or open the disk of the store."""
    subprocess.run(["mount", "-o", f"remount,{'ro' if yes else 'rw'}", Path(home).parent], check=True)


def observe(*argv: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, as an agent would."""
    return subprocess.run(
        [sys.executable, "-m", "improve", "observe", UV, *argv], capture_output=True, text=True, check=False
    )


def test_what_a_sandbox_keeps_out_of_the_store_is_not_lost(
    sandbox: Path, improve: Improve, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits in the temporary directory, says so, and is merged once by the next command outside."""
    monkeypatch.chdir(repository("shop"))
    improve("observe", UV, "--session", "a")
    store = os.environ["AGENT_IMPROVEMENT_HOME"]
    read_only(store, True)
    said = observe("--session", "b")
    assert said.returncode == 5
    assert "is kept" in said.stderr
    assert "do not repeat it" in said.stderr
    (folder,) = sandbox.iterdir()
    assert (folder.stat().st_mode & 0o777, len(list(folder.glob("*.json")))) == (0o700, 1)
    read_only(store, False)
    assert improve("status", "--json").json["rules"][0]["count"] == 2
    assert list(folder.glob("*.json")) == []
    assert improve("status", "--json").json["rules"][0]["count"] == 2


def test_nobody_in_a_sandbox_is_a_person(sandbox: Path, improve: Improve, repository: Repository) -> None:
    """What waits there counts as an agent's word, whatever its file says."""
    shop = repository("shop")
    improve("observe", UV, "--session", "a", cwd=shop)
    store = os.environ["AGENT_IMPROVEMENT_HOME"]
    read_only(store, True)
    observe("--session", "b")
    read_only(store, False)
    (waiting,) = sandbox.glob("*/*.json")
    waiting.write_text(json.dumps({**json.loads(waiting.read_text()), "provenance": "person"}))
    told = improve("history", "use-uv-for-packages-never-pip-install", "--json").json
    assert [o["provenance"] for o in told["observations"]] == ["agent", "agent"]


@pytest.mark.parametrize("mode", [0o755, 0o777, 0o750])
def test_a_directory_others_could_fill_is_none_of_ours(sandbox: Path, improve: Improve, mode: int) -> None:
    """What lies in a directory of that name that is open to others is not read."""
    improve("observe", "Never force-push")
    store = os.environ["AGENT_IMPROVEMENT_HOME"]
    read_only(store, True)
    observe()
    read_only(store, False)
    (folder,) = sandbox.iterdir()
    folder.chmod(mode)
    assert improve("status", "--all", "--json").json["total"] == 1
    folder.chmod(0o700)
    assert improve("status", "--all", "--json").json["total"] == 2
