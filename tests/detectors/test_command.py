"""What differs between a command that failed and one that worked, and whether it tells anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.detectors.command import change, is_check, parse, telling_line, undoes

TELLING = [
    ("python x.py", "python3 x.py", "bash: python: command not found", "another program"),
    ("./setup.sh", "bash setup.sh", "permission denied: ./setup.sh", "another program"),
    ("npm test", "pnpm test", "npm ERR! Missing script: test", "another program"),
    ("docker-compose up -d", "docker compose up -d", "docker-compose: command not found", "another program"),
    ("npm install", "npm install --legacy-peer-deps", "npm ERR! code ERESOLVE", "another option"),
    ("git push", "git push -u origin HEAD", "fatal: no upstream branch", "another option"),
    ("apt-get install jq", "sudo apt-get install jq", "Permission denied", "run in another way"),
    ("python -m app", "uv run python -m app", "ModuleNotFoundError: No module named 'yaml'", "run in another way"),
    ("npm run tests", "npm run test", "npm ERR! Missing script: tests", "another argument"),
    ("make build", "cd api && make build", "make: Makefile: No such file or directory", "another directory"),
]
ORDINARY = [
    ("pytest", "pytest", "1 failed"),
    ("pytest tests", "pytest tests/test_a.py", "3 failed"),
    ("pytest tests", "pytest tests --lf --tb=short", "3 failed"),
    ("npm test", "npm test -- --grep login", "1 failing"),
    ("grep -rn foo src", "grep -rn bar src", ""),
    ("ls web", "ls api", "No such file or directory"),
    ("node a.js", "node b.js", "TypeError: x is undefined"),
    ("git commit -m one", "git status", "nothing to commit"),
    ("curl localhost:1", "wget localhost:1 --tries 9 -O x", "Connection refused"),
    ("for x in 1 2; do false; done", "true", ""),
]


@pytest.mark.parametrize(("failed", "worked", "error", "what"), TELLING)
def test_what_was_called_otherwise_is_named(failed: str, worked: str, error: str, what: str) -> None:
    """Another program, option, place or name that an error asked for tells something."""
    assert change(failed, worked, error, edited=False) == what


@pytest.mark.parametrize(("failed", "worked", "error"), ORDINARY)
def test_ordinary_work_tells_nothing(failed: str, worked: str, error: str) -> None:
    """Looking around, fixing code and running a part of the tests are what agents do all day."""
    assert change(failed, worked, error, edited=False) == ""
    assert change(failed, worked, error, edited=True) == ""


def test_an_edit_in_between_may_be_what_made_it_work() -> None:
    """Only an error that speaks of the call itself still tells something then."""
    assert change("serve api", "serve api --host x", "it crashed", edited=False)
    assert not change("serve api", "serve api --host x", "it crashed", edited=True)
    assert change("serve --prot 1", "serve --port 1", "error: unknown option --prot", edited=True)


@pytest.mark.parametrize(
    ("line", "whether"),
    [
        ("cd web && npm run build 2>&1 | tail -20", True),
        ("uv run pytest -x", True),
        ("npx tsc --noEmit", True),
        ("cargo clippy --all", True),
        ("npm install", False),
        ("git push", False),
        ("echo pytest", False),
    ],
)
def test_a_check_is_known(line: str, whether: bool) -> None:
    """Tests, linters and builds, however they are called."""
    assert is_check(line) is whether


@pytest.mark.parametrize(
    "line", ["git checkout -- a.py", "git checkout .", "git reset --hard", "git restore src", "git stash drop"]
)
def test_work_thrown_away_is_known(line: str) -> None:
    """What git had before comes back."""
    assert undoes(line)


@pytest.mark.parametrize(
    "line",
    [
        "git checkout -b x",
        "git checkout main",
        "git restore --staged a",
        "git reset a.py",
        "git stash && pytest",
        "git log",
    ],
)
def test_other_commands_of_git_throw_nothing_away(line: str) -> None:
    """Branches, the index and what is put aside for a moment are no lost work."""
    assert not undoes(line)


def test_the_telling_line_of_an_error_is_found() -> None:
    """Not the exit code, not the banner: the line that says what was wrong."""
    assert telling_line("Exit code 127\n\n> app@1 start\nbash: pnpm: command not found\nbye") == (
        "bash: pnpm: command not found"
    )
    assert telling_line("") == ""
    assert telling_line("error: " + "x" * 1000) == "error: …"


@given(st.text(max_size=400), st.text(max_size=400), st.text(max_size=100), st.booleans())
def test_no_command_line_fails(failed: str, worked: str, error: str, edited: bool) -> None:
    """Whatever stands in a command line, the answer is a word, and nothing differs from itself."""
    assert isinstance(change(failed, worked, error, edited=edited), str)
    assert change(failed, failed, error, edited=edited) == ""
    assert parse(failed) == parse(failed)
    assert isinstance(is_check(failed) or undoes(failed), bool)
