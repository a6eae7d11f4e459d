"""The development environment: all that the checks need, in a private place, built once and found again.

It is made as scripts/improve.py makes its own, so a killed or a second build at the same time is safe,
and nothing is installed into the checkout or into the person's Python.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


def run(command: list[str]) -> int:
    """Run a Python command line (`-m pytest …`) in the environment, at the root of the checkout."""
    python, environ = interpreter()
    return subprocess.run([python, *command], cwd=ROOT, env=environ, check=False).returncode


def interpreter() -> tuple[str, dict[str, str]]:
    """Give the Python that has the tools, and the variables to start it with; build it if there is none."""
    bootstrap = _bootstrap()
    wanted, source = requirements(), str(ROOT / "src")
    environ = dict(os.environ)
    if not bootstrap.missing(wanted, sys.path):  # somebody's own environment that has everything
        return sys.executable, _with_path(environ, source)
    try:
        environment = bootstrap.find(wanted, source) or bootstrap.build(wanted, source)
    except bootstrap.SetUpFailed as error:
        sys.exit(f"check: {error}")
    environ.pop("PYTHONPATH", None)
    if environment.python:
        return environment.python, environ
    return sys.executable, _with_path(environ, source, environment.packages)


def requirements() -> list[str]:
    """Read what the project, its extras and its `dev` group depend on (pip before 25.1 knows no groups)."""
    import tomllib

    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = data["project"]
    extras = [text for extra in project["optional-dependencies"].values() for text in extra]
    return [*project["dependencies"], *extras, *data["dependency-groups"]["dev"]]


def _with_path(environ: dict[str, str], *first: str) -> dict[str, str]:
    own = environ.get("PYTHONPATH")
    return environ | {"PYTHONPATH": os.pathsep.join([*first, *([own] if own else [])])}


def _bootstrap() -> ModuleType:
    # by its path: its name is the package's, which no other file of this process may import by accident
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "scripts" / "improve.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
