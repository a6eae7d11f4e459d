"""The launchers start the package from anywhere, and are silent, or clear, when something of it is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import launcher
from improve.launcher import Program

STUB = """
import json, os, sys
def main(argv):
    told = {"argv": argv, "home": os.environ.get("AGENT_IMPROVEMENT_HOME"), "path": sys.path,
            "isolated": sys.flags.isolated, "site": sys.flags.no_site, "stdin": sys.stdin.read()}
    print(json.dumps(told))
"""
ODD = (
    "plain",
    "with space",
    "quote's",
    'double"quote',
    "dollar$HOME`x`",
    "ünï-日本",
    "back\\slash",
    "new\nline",
    "%d{x}",
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="these are scripts for /bin/sh")


def package(place: Path, text: str = STUB) -> str:
    """Make a package `improve` with nothing but a hook and a command."""
    folder = place / "improve"
    (folder / "cli").mkdir(parents=True)
    for name in ("__init__.py", "cli/__init__.py"):
        (folder / name).write_text("")
    (folder / "hook.py").write_text(text)
    (folder / "__main__.py").write_text(text.replace("def main(argv):", "def main():\n    argv = sys.argv[1:]"))
    return str(place)


def write(path: Path, started: Program, *, hook: bool = True) -> Path:
    """Write a launcher as an installation does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(launcher.text(started, hook=hook).encode("utf-8", "surrogateescape"))
    path.chmod(0o755)
    return path


def start(path: Path, *argv: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a launcher in an environment that holds nothing but what is given."""
    return subprocess.run(
        [str(path), *argv], input="{}", env=env, cwd=cwd, capture_output=True, encoding="utf-8", check=False
    )


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("hook", [True, False])
def test_it_works_with_any_path(tmp_path: Path, name: str, hook: bool) -> None:
    """Whatever the directories are called, program, package and store are found, and arguments come through whole."""
    odd = tmp_path / name
    odd.mkdir()
    python = odd / "python"
    python.symlink_to(sys.executable)
    home = str(odd / "store")
    path = write(odd / "bin" / "improve-hook", Program(str(python), (package(odd / "src"),), home), hook=hook)
    done = start(path, "codex", "a b'c", "")
    said = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert said["argv"] == ["codex", "a b'c", ""]
    assert said["home"] == home
    assert said["stdin"] == "{}"
    assert (said["isolated"], said["site"]) == (1, 1)


def test_a_name_that_is_no_text_works(tmp_path: Path) -> None:
    """A directory whose name is not UTF-8 is found, too."""
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("this file system takes only text")
    path = write(odd / "improve-hook", Program(sys.executable, (package(odd / "src"),), str(odd)))
    done = start(path, "codex", "stop")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"argv": ["codex", "stop"]' in done.stdout


def test_the_variable_wins_over_the_store_it_was_written_for(tmp_path: Path) -> None:
    """AGENT_IMPROVEMENT_HOME of the surroundings counts; empty counts as not set."""
    path = write(tmp_path / "improve-hook", Program(sys.executable, (package(tmp_path / "src"),), "/own"))
    assert '"home": "/other"' in start(path, AGENT_IMPROVEMENT_HOME="/other").stdout
    assert '"home": "/own"' in start(path, AGENT_IMPROVEMENT_HOME="").stdout
    usual = write(tmp_path / "usual", Program(sys.executable, (package(tmp_path / "src2"),)))
    assert '"home": null' in start(usual).stdout


@pytest.mark.parametrize(
    "gone", ["python", "python is no program", "package", "package is broken", "dependency", "package wants to end"]
)
def test_the_hook_is_silent_when_something_is_gone(tmp_path: Path, gone: str) -> None:
    """Whatever is missing, a hook ends with 0 and says nothing on either stream."""
    source = tmp_path / "src"
    text = {"package is broken": "def", "dependency": "import is_not_there", "package wants to end": "exit('no')"}
    package(source, text.get(gone, STUB))
    python = tmp_path / "python"
    if gone == "python is no program":
        python.write_text("x")
    elif gone != "python":
        python.symlink_to(sys.executable)
    places = (str(tmp_path / "elsewhere"),) if gone == "package" else (str(source),)
    done = start(write(tmp_path / "improve-hook", Program(str(python), places)), "codex", "prompt")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("gone", ["python", "package"])
def test_the_command_says_what_is_gone(tmp_path: Path, gone: str) -> None:
    """The launcher for people ends with 5 and one line that says what to do."""
    python = sys.executable if gone == "package" else str(tmp_path / "it's gone")
    path = write(tmp_path / "improve", Program(python, (str(tmp_path / "src"),)), hook=False)
    done = start(path, "status")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (5, "", 1)
    assert done.stderr.startswith("improve: ")
    assert "run: improve install" in done.stderr


def test_nothing_is_imported_from_where_it_runs(tmp_path: Path) -> None:
    """Neither the working directory nor a variable of Python can put code into a hook."""
    evil = tmp_path / "evil"
    package(evil, "raise SystemExit('evil hook')")
    for name in ("json", "sitecustomize", "usercustomize", "os", "click"):
        (evil / f"{name}.py").write_text("raise SystemExit('evil import')")
    (evil / "start.py").write_text("print('evil start')")
    path = write(tmp_path / "improve-hook", Program(sys.executable, (package(tmp_path / "src"),)))
    done = start(
        path,
        "codex",
        "prompt",
        cwd=evil,
        PYTHONPATH=str(evil),
        PYTHONSTARTUP=str(evil / "start.py"),
        PYTHONHOME=str(evil),
        PYTHONINSPECT="1",
        PATH=str(evil),
        HOME=str(evil),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert '"argv": ["codex", "prompt"]' in done.stdout
    assert str(evil) not in done.stdout


def test_the_working_directory_may_be_gone(tmp_path: Path) -> None:
    """A hook runs where the directory was deleted meanwhile."""
    path = write(tmp_path / "improve-hook", Program(sys.executable, (package(tmp_path / "src"),)))
    lost = tmp_path / "lost"
    lost.mkdir()
    done = subprocess.run(
        ["/bin/sh", "-c", f"cd '{lost}'; rmdir '{lost}'; exec '{path}' codex stop"],
        input="{}",
        env={},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0
    assert '"argv": ["codex", "stop"]' in done.stdout


def test_the_real_program_starts(tmp_path: Path, home: Path) -> None:
    """Both launchers of a store start this very package, in an environment with nothing but a home."""
    store = home / ".agent-improvement"
    for name, data in launcher.files_of(str(store), str(home)).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)
        Path(name).chmod(0o755)
    done = start(Path(launcher.cli_path(str(store))), "--version", HOME=str(home))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("improve ")
    done = start(Path(launcher.path(str(store))), "claude-code", "prompt", HOME=str(home))
    assert (done.returncode, done.stderr) == (0, "")


def test_only_an_unusual_store_is_named(home: Path, tmp_path: Path) -> None:
    """The usual store is found by itself, so its launchers are the same for everybody."""
    usual = launcher.program(str(home / ".agent-improvement"), str(home))
    assert usual.home == ""
    assert launcher.program(str(tmp_path), str(home)).home == str(tmp_path)
    assert usual.python == sys.executable
    source = str(Path(launcher.__file__).parents[1])
    assert usual.places[0] == source
    assert all(Path(place).is_dir() for place in usual.places)


def test_everything_is_found_where_each_package_has_a_directory_of_its_own(tmp_path: Path, home: Path) -> None:
    """As on Nix: the launcher names the directories of what the dependencies need, too."""
    import git
    import gitdb
    import smmap

    for module in (git, gitdb, smmap):
        package = Path(str(module.__file__)).parent
        (tmp_path / package.name).mkdir()
        (tmp_path / package.name / package.name).symlink_to(package)
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]; from improve import launcher; "
        "print(*launcher.program('/h', '/u').places, sep='\\n')"
    )
    folders = [str(tmp_path / name) for name in ("git", "gitdb", "smmap")]
    said = subprocess.run([sys.executable, "-c", code, *folders], capture_output=True, text=True, check=True).stdout
    assert set(folders) <= set(said.splitlines())


@pytest.mark.parametrize(
    ("python", "place", "lasts"),
    [
        ("/v/bin/python", "/v/lib/site-packages", True),
        ("/u/.cache/agent-improvement/env-1/bin/python", "/src", False),
        ("/usr/bin/python", "/u/.cache/agent-improvement/env-1/site-packages", False),
        ("/elsewhere/environments-v2/improve-1/bin/python", "/src", False),
        ("/u/.cache/uv/archive-v0/x/bin/python", "/u/.cache/uv/archive-v0/x/lib", False),
        ("/u/.local/share/uv/tools/improve/bin/python", "/u/.local/share/uv/tools/improve/lib", True),
        ("/u/.cache/agent-improvement-too/bin/python", "/src", True),
    ],
)
def test_what_lies_in_a_cache_is_known(python: str, place: str, lasts: bool) -> None:
    """An environment that is made for a run can be gone tomorrow; one that was installed stays."""
    found = launcher.in_cache(Program(python, (place,)), "/u/.cache/agent-improvement")
    assert (found == "") == lasts


def test_its_name_and_its_stamp_are_the_same_everywhere(home: Path) -> None:
    """What writes the launchers, what runs them and what knows them by their stamp agree."""
    from improve.hosts import wiring
    from improve.paths import find_home

    store = find_home(os.environ)
    assert (launcher.path(store.path), launcher.cli_path(store.path)) == (store.launcher, store.program)
    assert launcher.STAMP == wiring.STAMP


def test_an_unknown_python_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python does not know its own path, nothing is written that could not work."""
    from improve.errors import EnvironmentFailure

    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(EnvironmentFailure):
        launcher.files_of("/store", "/home")


@given(st.text(st.characters(exclude_characters="\0"), max_size=30))
def test_a_path_is_one_literal(path: str) -> None:
    """A path stands in the code as an ASCII literal that no shell looks into, and that means the path."""
    literal = launcher._literal(path)
    assert literal.isascii()
    assert "'" not in literal
    assert eval(literal) == path


def test_windows_gets_one_line_without_quotes() -> None:
    """For cmd.exe the code is one argument: no line ends, no double quotes, no percent signs."""
    started = Program("C:\\Program Files\\100%\\python.exe", ("C:\\it's\\src", 'C:\\ü"x'), "C:\\my%store")
    for hook in (True, False):
        text = launcher.text_for_windows(started, hook=hook)
        assert text.count("\r\n") == text.count("\n")
        (line,) = [line for line in text.split("\r\n") if " -c " in line]
        code = line.partition(' -c "')[2].removesuffix('" %*')
        assert not set('"%\n&|<>^!') & set(code)
        literal = code.removeprefix("exec(").removesuffix(")")
        assert eval(literal) == launcher._code(started, hook, GONE)
    assert 'if not exist "C:\\Program Files\\100%%\\python.exe" exit /b 5' in text
    assert 'set "AGENT_IMPROVEMENT_HOME=C:\\my%%store"' in text


GONE = "improve: it is gone from C:\\it's\\src. Install it again, then run: improve install"
