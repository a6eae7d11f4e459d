"""Evidence is counted once: whatever is folded, killed in between, or recorded again in the same session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from improve import spool
from improve.spool import Pending

SWAP = "Order the alphabet soup by length"


def wait(rules: Path, number: int, *, session: str = "", day: str = "2026-01-05") -> None:
    """Let one observation wait in the spool."""
    at = f"{day}T12:{number // 60 % 60:02}:{number % 60:02}+00:00"
    spool.put(
        str(rules.parent / "spool"),
        Pending(f"{number:012x}", at, day, SWAP, "github.com/acme/shop", session=session, host="codex"),
    )


def count(improve: Improve) -> int:
    """Say how many occasions the rule has, from rules.yaml."""
    [rule] = improve("status", "--all", "--json").json["rules"]
    return int(rule["count"])


def observations(rules: Path) -> int:
    """Count the observations that stand in rules.yaml one by one."""
    return rules.read_text(encoding="utf-8").count("- project: ")


@pytest.mark.parametrize("day", ["2026-01-05", "today"])
def test_a_batch_that_waited_is_counted_once_though_a_kill_came_before_its_files_went(
    improve: Improve, rules: Path, tmp_path: Path, day: str
) -> None:
    """100 observations merge, their files are still there after a kill, twice: the next command counts none again."""
    improve("init")
    when = improve("observe", SWAP, "--json").json["rule"]["last_reinforced"] if day == "today" else day
    first = 1 if day == "today" else 0
    waiting = rules.parent / "spool"
    for number in range(100):
        wait(rules, number, day=when)
    kept = tmp_path / "kept"
    shutil.copytree(waiting, kept)
    for _ in range(2):
        assert count(improve) == 100 + first
        shutil.copytree(kept, waiting, dirs_exist_ok=True)
    improve("observe", SWAP, "--project", "other")
    assert count(improve) == 101 + first
    assert list(waiting.iterdir()) == []


def test_old_observations_are_folded_once_their_files_are_gone(improve: Improve, rules: Path) -> None:
    """A later observation folds what stands safely in rules.yaml, and the count stays right."""
    improve("init")
    for number in range(100):
        wait(rules, number)
    assert count(improve) == 100
    assert observations(rules) >= 100
    improve("observe", SWAP)
    assert count(improve) == 101
    assert observations(rules) < 50


def test_an_observation_in_a_session_that_was_folded_is_no_new_occasion(improve: Improve, rules: Path) -> None:
    """Many observations after it, the same session of today still counts once."""
    improve("observe", SWAP, "--session", "early")
    for _ in range(80):
        improve("observe", SWAP)
    improve("observe", SWAP, "--session", "early")
    assert count(improve) == 81
    assert observations(rules) < 62


@pytest.mark.parametrize(
    "argv",
    [
        ["--project", "elsewhere"],
        ["--project", "elsewhere", "--domain", "gardening"],
        ["--same-as", "some-rule"],
        [],
    ],
)
def test_an_observation_is_kept_when_the_store_is_no_file(improve: Improve, rules: Path, argv: list[str]) -> None:
    """rules.yaml is a directory: whatever was named, the observation waits, and is merged when the file is there."""
    improve("init")
    said = improve("observe", SWAP, "--project", "p", "--json").json["rule"]["id"]
    argv = [said if word == "some-rule" else word for word in argv]
    aside = rules.rename(rules.with_name("aside"))
    rules.mkdir()
    told = improve("observe", SWAP, *argv, code=3)
    assert "do not repeat it" in told.err
    assert len(list((rules.parent / "spool").iterdir())) == 1
    rules.rmdir()
    aside.rename(rules)
    assert count(improve) == 2


def test_a_name_that_several_projects_have_is_refused(
    improve: Improve, repository: Repository, rules: Path, tmp_path: Path
) -> None:
    """With a readable store the ambiguous name is answered, and nothing is kept."""
    for owner in ("acme", "zen"):
        improve("observe", SWAP, cwd=repository(owner, remote=f"https://github.com/{owner}/api.git"))
    said = improve("observe", SWAP, "--project", "api", cwd=tmp_path, code=3)
    assert "could be github.com/acme/api, github.com/zen/api" in said.err
    assert list((rules.parent / "spool").iterdir()) == []
    assert count(improve) == 2


def test_a_severity_of_one_is_not_kept(improve: Improve, rules: Path) -> None:
    """Exit 3, said why, and nothing in the store; two is kept."""
    improve("init")
    said = improve("observe", SWAP, "--severity", "1", code=3)
    assert "severity 1 is below what is kept" in said.err
    assert "nothing was recorded" in said.err
    assert improve("status", "--all", "--json").json["rules"] == []
    assert not (rules.parent / "spool").exists() or not list((rules.parent / "spool").iterdir())
    improve("observe", SWAP, "--severity", "2")
    assert count(improve) == 1
