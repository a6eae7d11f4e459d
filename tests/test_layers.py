"""The architecture is held by import-linter; here its contracts are shown to bite."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINT = "from importlinter.cli import lint_imports_command as main; main()"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Give a copy of the sources, with the contracts beside them."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(ROOT / "src" / "improve", tmp_path / "src" / "improve", ignore=ignored))


def broken(package: Path) -> str:
    """Run import-linter on a copy; give what it says is broken."""
    root = package.parent.parent
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, 'src'); {LINT}", "--no-cache"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    return run.stdout if run.returncode else ""


def test_the_sources_keep_every_contract(copy: Path) -> None:
    """As they stand, the sources keep all contracts."""
    assert broken(copy) == ""


@pytest.mark.parametrize(
    ("module", "line", "said"),
    [
        ("errors", "from improve import rule", "improve.errors is not allowed to import improve.rule"),
        ("files", "from improve import store", "improve.files is not allowed to import improve.store"),
        (
            "files",
            "def f():\n    from improve import store",
            "improve.files is not allowed to import improve.store",
        ),
        ("escalate", "import os", "improve.escalate is not allowed to import os"),
        ("match", "import time", "improve.match is not allowed to import time"),
        ("rule", "from datetime import datetime", "improve.rule is not allowed to import datetime"),
        ("splice", "import pathlib", "improve.splice is not allowed to import pathlib"),
        ("store", "import ruamel.yaml", "improve.store -> ruamel"),
        ("unplaced", "", "not listed as layers"),
    ],
)
def test_a_fault_is_reported(copy: Path, module: str, line: str, said: str) -> None:
    """An import against the direction, a side effect in a pure module, or an unplaced module is named."""
    with (copy / f"{module}.py").open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    assert said in broken(copy)


def test_imports_for_type_checking_only_are_free(copy: Path) -> None:
    """A module may name a type of a higher row."""
    text = "\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from improve import store\n"
    with (copy / "files.py").open("a", encoding="utf-8") as file:
        file.write(text)
    assert broken(copy) == ""
