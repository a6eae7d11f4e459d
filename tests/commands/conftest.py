"""Run real commands in a fenced home, with real git repositories around them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from improve.cli import run


@dataclass(frozen=True)
class Said:
    """What a command printed and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The answer of a `--json` command."""
        return json.loads(self.out)

    @property
    def first(self) -> str:
        """The first line printed."""
        return self.out.split("\n", 1)[0]


Improve = Callable[..., Said]


@pytest.fixture
def improve(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Improve:
    """Run `improve ARGS` in this process; `cwd` says where, `code` what it must exit with."""

    def command(*argv: str, cwd: Path | None = None, code: int = 0) -> Said:
        if cwd is not None:
            monkeypatch.chdir(cwd)
        capsys.readouterr()
        status = run(list(argv))
        captured = capsys.readouterr()
        said = Said(status, captured.out, captured.err)
        assert status == code, said
        assert "Traceback" not in said.err
        return said

    return command


Repository = Callable[..., Path]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Make a real git repository; its origin is github.com/acme/NAME unless `remote` says otherwise."""

    def make(name: str, *, remote: str | None = "", agents: str | None = None) -> Path:
        root = tmp_path / name
        subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
        if remote is not None:
            url = remote or f"https://github.com/acme/{name}.git"
            subprocess.run(["git", "-C", str(root), "remote", "add", "origin", url], check=True)
        if agents is not None:
            (root / "AGENTS.md").write_bytes(agents.encode())
        return root

    return make


@pytest.fixture
def opencode(home: Path) -> Path:
    """Put OpenCode on the machine; returns its global instruction file, which does not exist yet."""
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    return folder / "AGENTS.md"


@pytest.fixture
def rules(home: Path) -> Path:
    """The rules.yaml of the fenced store."""
    return home / ".agent-improvement" / "rules.yaml"
