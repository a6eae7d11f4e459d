"""The exit code of `escalate`: what somebody decided is no failure, what could not be done is one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository

PNPM = "Use pnpm, never npm install"


def twice(improve: Improve, root: Path, text: str = PNPM) -> None:
    """Record a rule on two occasions in one project."""
    improve("observe", text, cwd=root)
    improve("observe", text, cwd=root)


@pytest.mark.parametrize("argv", [("escalate",), ("escalate", "--apply"), ("escalate", "--apply", "--json")])
def test_what_waits_for_a_decision_is_exit_0(
    improve: Improve, repository: Repository, home: Path, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    """No directory here, a line that says otherwise, and trust: told, not failed, so a session may end with it."""
    gone, against = repository("gone"), repository("against", agents="# A\n\n- Use tabs for indentation\n")
    twice(improve, gone)
    twice(improve, against, "Use spaces for indentation")
    shutil.rmtree(gone)
    said = improve(*argv, cwd=tmp_path).out
    assert "has no directory on this machine" in said
    assert "says otherwise" in said
    (home / ".agent-improvement" / "config.yaml").write_text("trust: verified\n")
    assert "trust is `verified`" in improve(*argv).out


def test_a_file_that_is_refused_is_exit_3(improve: Improve, repository: Repository) -> None:
    """A half-merged file is told and fails, whatever else could be written."""
    bad, good = repository("bad", agents="<<<<<<< HEAD\n"), repository("good")
    twice(improve, bad)
    twice(improve, good, "Mount the docker socket read-only")
    assert "NOT WRITTEN" in improve("escalate", "--apply", code=3).out
    assert "docker" in (good / "AGENTS.md").read_text()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the administrator may read everything")
def test_a_file_that_cannot_be_read_is_exit_5(improve: Improve, repository: Repository) -> None:
    """No permission is the machine's word."""
    shop = repository("shop", agents="# Shop\n")
    twice(improve, shop)
    (shop / "AGENTS.md").chmod(0)
    improve("escalate", "--apply", code=5)


def test_a_file_that_is_read_only_is_exit_5(improve: Improve, repository: Repository) -> None:
    """Somebody took the right to write it away; the worst file decides the code."""
    shop, bad = repository("shop", agents="# Shop\n"), repository("bad", agents="<<<<<<< HEAD\n")
    twice(improve, shop)
    twice(improve, bad, "Mount the docker socket read-only")
    (shop / "AGENTS.md").chmod(0o444)
    improve("escalate", "--apply", code=5)


def test_an_unexpected_end_of_a_file_is_a_bug_and_no_ctrl_c(
    improve: Improve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What meets an end of file inside a command says so, with its log; it does not look as if a person stopped it."""
    from improve.workflow import curate

    def ends(*_: object) -> None:
        raise EOFError("marshal data too short")

    monkeypatch.setattr(curate, "stale", ends)
    assert "internal error (EOFError" in improve("stale", code=1).err
