"""scripts/improve.py: from a machine with only Python and pip to a running command.

The real pip (and the real uv, where there is one) install a small wheel made here, so nothing goes online.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

import improve

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "improve.py"
# the Python below any virtual environment: it has pip, and does not have our dependencies by accident
PYTHON = str(getattr(sys, "_base_executable", sys.executable))
SETTING_UP = "setting up a private environment"

STUB = """
import os, sys

def main():
    loaded = sorted(sys.modules)
    import json, tinydep
    if sys.argv[1:2] == ["child"]:
        import subprocess
        sys.exit(subprocess.call([sys.executable, "-m", "improve", "from-child"]))
    if sys.argv[1:2] == ["wait"]:
        import time
        print("waiting", flush=True)
        time.sleep(60)
    answer = {"argv": sys.argv[1:], "cwd": os.getcwd(), "modules": loaded, "path": sys.path}
    answer |= {"dependency": tinydep.__file__, "improve": __file__}
    if "stdin" in sys.argv:
        answer["stdin"] = sys.stdin.read()
    print(json.dumps(answer))
    sys.exit(7 if "seven" in sys.argv else 0)

if __name__ == "__main__":
    main()
"""


def wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> None:
    """Write a wheel that pip accepts.

    https://packaging.python.org/en/latest/specifications/binary-distribution-format/
    """
    info = f"{name}-{version}.dist-info"
    held = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*held, f"{info}/RECORD"])
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in (held | {f"{info}/RECORD": record}).items():
            archive.writestr(path, text)


@dataclass(frozen=True)
class Checkout:
    """A small checkout with a command that tells how it was started, and a cache of its own."""

    root: Path

    @property
    def script(self) -> Path:
        return self.root / "scripts" / "improve.py"

    @property
    def main(self) -> Path:
        return self.root / "src" / "improve" / "__main__.py"

    @property
    def cache(self) -> Path:
        return self.root.parent / "cache" / "agent-improvement"

    def environ(self, **more: str) -> dict[str, str]:
        """Give variables under which pip and uv see only the wheels made here."""
        wheels = str(self.root.parent / "wheels")
        path = os.pathsep.join([str(Path(PYTHON).parent), "/usr/bin", "/bin"])
        return {
            "PATH": path,
            "HOME": str(self.root.parent / "home"),
            "XDG_CACHE_HOME": str(self.root.parent / "cache"),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": wheels,
            "UV_NO_INDEX": "1",
            "UV_FIND_LINKS": wheels,
            **more,
        }

    def start(self, *args: str, script: Path | None = None, **more: str) -> subprocess.Popen[str]:
        """Start the script as a person would."""
        return subprocess.Popen(
            [PYTHON, str(script or self.script), *args],
            env=self.environ(**more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *args: str, script: Path | None = None, stdin: str = "", **more: str) -> Run:
        """Run the script to its end."""
        started = self.start(*args, script=script, **more)
        out, err = started.communicate(stdin, timeout=100)
        return Run(started.returncode, out, err)

    def environments(self) -> list[str]:
        """List what stands in the cache, but for the lock, which stays for ever."""
        return sorted(path.name for path in self.cache.iterdir() if path.name != "env.lock")


@dataclass(frozen=True)
class Run:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, object]:
        """Read what the command told; its failure shows what it wrote."""
        assert self.out, self.err
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


def fresh(place: Path) -> Checkout:
    """Make a checkout below a directory whose name has a blank and letters of two scripts."""
    checkout = Checkout(place / "my чekout é")
    wheel(place / "wheels", "tinydep", "1.10.0", {"tinydep/__init__.py": ""})
    checkout.main.parent.mkdir(parents=True)
    checkout.main.write_text(STUB, encoding="utf-8")
    checkout.main.with_name("__init__.py").touch()
    checkout.script.parent.mkdir()
    text = SCRIPT.read_text(encoding="utf-8")
    needs = re.sub(r'(?m)^#     "click.*\n', '#     "tinydep>=1.9",\n', text)
    checkout.script.write_text(re.sub(r'(?m)^#     "(?!tinydep).*\n', "", needs), encoding="utf-8")
    return checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Give a checkout on which nothing ran yet."""
    return fresh(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Give a checkout whose environment is built; tests do not change it."""
    checkout = fresh(tmp_path_factory.mktemp("built"))
    assert checkout.run().code == 0
    return checkout


def bootstrap() -> ModuleType:
    """Load the script as a module under another name."""
    spec = importlib.util.spec_from_file_location("bootstrap", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program(folder: Path, name: str, text: str) -> Path:
    """Write a small shell program that can be found on PATH; give its directory."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    (folder / name).chmod(0o755)
    return folder


def at_startup(checkout: Checkout) -> set[str]:
    """Name the modules that this Python imports before it runs anything."""
    command = [PYTHON, "-c", "import sys; print(*sys.modules)"]
    environ = checkout.environ()
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environ, timeout=60)
    return set(run.stdout.split())


# -- what the file says of itself


def test_the_block_lists_what_the_project_depends_on() -> None:
    """The script's metadata names the very dependencies and the Python of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = SCRIPT.read_text(encoding="utf-8")
    lines = text.split("# /// script\n")[1].split("# ///\n")[0].splitlines()
    block = tomllib.loads("\n".join(line.removeprefix("# ").removeprefix("#") for line in lines))
    assert block["dependencies"] == project["dependencies"]
    assert block["requires-python"] == project["requires-python"]
    assert bootstrap().declared(str(SCRIPT)) == project["dependencies"]


def test_every_requirement_has_the_form_that_the_script_compares() -> None:
    """Requirements, those of the extras and of the development group too, are a name and a least version."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [*data["project"]["optional-dependencies"].values(), *data["dependency-groups"].values()]
    listed = [*data["project"]["dependencies"], *(text for group in groups for text in group)]
    assert [text for text in listed if not re.fullmatch(r"[A-Za-z0-9._-]+>=[0-9.]+", text)] == []


def test_a_copy_asks_for_the_distribution_of_its_own_version() -> None:
    """A script copied alone installs this version or a later one."""
    assert f"agent-improvement>={improve.__version__}" == bootstrap().DISTRIBUTION


def test_it_parses_on_old_pythons() -> None:
    """No syntax is newer than Python 3.6, so that an old one gets as far as the sentence."""
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_python_gets_one_clear_line(tmp_path: Path) -> None:
    """A Python before 3.11 is told what is needed, and nothing is built."""
    old = "import sys, runpy; sys.version_info = (3, 9, 1); "
    old += f"runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    environ = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(tmp_path / "cache")}
    run = subprocess.run([PYTHON, "-c", old], capture_output=True, text=True, check=False, env=environ, timeout=60)
    assert run.returncode == 5
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1
    assert "needs Python 3.11 or newer" in run.stderr
    assert not (tmp_path / "cache").exists()


# -- the first run and the next


def test_the_first_run_builds_and_the_second_does_not(checkout: Checkout) -> None:
    """The first run says in one line what it does and then runs; the second says nothing."""
    first = checkout.run("a")
    assert first.answer["argv"] == ["a"]
    assert first.code == 0
    assert len(first.err.splitlines()) == 1
    assert SETTING_UP in first.err
    second = checkout.run("b")
    assert (second.code, second.err, second.answer["argv"]) == (0, "", ["b"])
    assert len(checkout.environments()) == 1
    assert str(second.answer["dependency"]).startswith(str(checkout.cache))


def test_arguments_input_and_exit_code_pass_through(built: Checkout) -> None:
    """The command gets argv and stdin as they were given, and its exit code comes back."""
    arguments = ["--", "-x", "two words", "", "é\n", "*", "stdin", "seven"]
    run = built.run(*arguments, stdin="line\nлиния")
    assert run.answer["argv"] == arguments
    assert run.answer["stdin"] == "line\nлиния"
    assert run.code == 7
    assert run.err == ""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_signals_pass_through(built: Checkout) -> None:
    """A signal meets the command itself, for there is no process between."""
    run = built.start("wait")
    assert run.stdout is not None and run.stdout.readline() == "waiting\n"
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=30)
    assert run.returncode == -signal.SIGTERM


def test_an_edit_takes_effect_at_once(checkout: Checkout) -> None:
    """The sources beside the script run, without a new build."""
    checkout.run()
    checkout.main.write_text("def main():\n    print('edited')\n", encoding="utf-8")
    assert checkout.run() == Run(0, "edited\n", "")


def test_new_requirements_build_a_new_environment(checkout: Checkout) -> None:
    """A script that asks for something else does not run with the old environment."""
    checkout.run()
    text = checkout.script.read_text(encoding="utf-8")
    checkout.script.write_text(text.replace("tinydep>=1.9", "tinydep>=1.10"), encoding="utf-8")
    assert SETTING_UP in checkout.run().err
    assert checkout.run().err == ""


def test_the_way_to_the_command_imports_next_to_nothing(built: Checkout) -> None:
    """A later run loads no module but zlib before the command's own."""
    ours = {"zlib", "improve", "improve.__main__"}
    loaded = set(built.run().answer["modules"])  # type: ignore[call-overload]
    unexpected = loaded - at_startup(built) - ours
    assert [name for name in unexpected if not name.startswith("encodings.")] == []


def test_a_child_of_the_command_finds_it_too(built: Checkout) -> None:
    """What the command starts with sys.executable can run `-m improve`."""
    run = built.run("child")
    assert run.answer["argv"] == ["from-child"]
    assert run.answer["improve"] == str(built.main)


def test_a_damaged_environment_is_built_again(checkout: Checkout) -> None:
    """An environment from which a package was deleted is replaced."""
    checkout.run()
    for package in checkout.cache.rglob("tinydep*"):
        shutil.rmtree(package)
    again = checkout.run("again")
    assert SETTING_UP in again.err
    assert again.answer["argv"] == ["again"]
    assert len(checkout.environments()) == 1


# -- where it is run from, and what must not be imported


def test_it_runs_through_a_link_from_anywhere(built: Checkout, tmp_path: Path) -> None:
    """A skill directory may be a link to the checkout, and so may the script alone."""
    (tmp_path / "skills dir").mkdir()
    (tmp_path / "skills dir" / "improve").symlink_to(built.root)
    (tmp_path / "improve").symlink_to(built.script)
    for script in (tmp_path / "skills dir" / "improve" / "scripts" / "improve.py", tmp_path / "improve"):
        run = built.run(script=script)
        assert (run.code, run.err) == (0, "")
        assert run.answer["improve"] == str(built.main)
        assert run.answer["cwd"] == str(Path.cwd())


@pytest.mark.parametrize("pythonpath", [None, "", ".", "{cwd}", ":{cwd}:relative"])
def test_nothing_is_imported_from_the_working_directory(built: Checkout, pythonpath: str | None) -> None:
    """Modules of the working directory are never run, whatever PYTHONPATH says."""
    for name in {"improve", "tinydep", "zlib", "json", "subprocess"} - at_startup(built):
        for place in (Path(), Path("relative")):
            place.mkdir(exist_ok=True)
            (place / f"{name}.py").write_text("import sys; sys.exit('hijacked')\n", encoding="utf-8")
    more = {} if pythonpath is None else {"PYTHONPATH": pythonpath.format(cwd=Path.cwd())}
    run = built.run("", script=None, stdin="", **more)
    assert run.code == 0, run.err
    path = run.answer["path"]
    assert isinstance(path, list)
    assert [entry for entry in path if str(entry).startswith(str(Path.cwd()))] == []
    assert str(built.script.parent) not in path


def test_a_deleted_working_directory_is_no_obstacle(built: Checkout) -> None:
    """The script needs no working directory."""
    gone = Path.cwd() / "gone"
    gone.mkdir()
    command = f'cd "{gone}" && rmdir "{gone}" && exec "{PYTHON}" "{built.script}" child'
    run = subprocess.run(
        ["/bin/sh", "-c", command],
        env=built.environ(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    # the stub's child got as far as asking for the directory itself
    assert 'answer = {"argv"' in run.stderr
    assert "scripts/improve.py" not in run.stderr


def test_a_hostile_uv_in_the_working_directory_is_not_run(checkout: Checkout) -> None:
    """uv is taken from PATH, but neither from a relative directory nor from the working directory."""
    program(Path.cwd(), "uv", f"touch '{checkout.root}/hijacked'; exit 1")
    path = os.pathsep.join([".", "", str(Path.cwd()), checkout.environ()["PATH"]])
    assert checkout.run(PATH=path).code == 0
    assert not (checkout.root / "hijacked").exists()


# -- the installers


def test_uv_builds_where_it_is_on_the_path(checkout: Checkout, tmp_path: Path) -> None:
    """uv is preferred, and later runs start it no more."""
    uv = shutil.which("uv") or str(Path(sys.prefix) / "bin" / "uv")
    if not Path(uv).exists():
        pytest.skip("no uv on this machine")
    log = tmp_path / "uv.log"
    folder = program(tmp_path / "bin", "uv", f'echo "$@" >> "{log}"; exec "{uv}" "$@"')
    path = f"{folder}:{checkout.environ()['PATH']}"
    assert checkout.run("with-uv", PATH=path).answer["argv"] == ["with-uv"]
    assert checkout.run(PATH=path).err == ""
    assert len(log.read_text(encoding="utf-8").splitlines()) == 1


def test_a_broken_uv_falls_back_to_pip(checkout: Checkout, tmp_path: Path) -> None:
    """A uv that fails is no reason to fail."""
    folder = program(tmp_path / "bin", "uv", "echo error: broken; exit 2")
    run = checkout.run(PATH=f"{folder}:{checkout.environ()['PATH']}")
    assert run.code == 0
    assert len(run.err.splitlines()) == 1


@pytest.mark.parametrize("module", ["ensurepip", "venv"])
def test_a_python_without_venv_or_ensurepip_is_enough(checkout: Checkout, tmp_path: Path, module: str) -> None:
    """Where a distribution packages venv or ensurepip apart, pip alone builds the environment."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / f"{module}.py").write_text(f"raise ImportError('No module {module}')", encoding="utf-8")
    first = checkout.run(PYTHONPATH=str(tmp_path / "broken"))
    assert first.code == 0, first.err
    assert str(first.answer["dependency"]).startswith(str(checkout.cache))
    assert checkout.run().err == ""


def test_settings_for_another_place_to_install_are_ignored(checkout: Checkout, tmp_path: Path) -> None:
    """pip's own variables that would install elsewhere, or refuse to install, do not reach it."""
    away = str(tmp_path / "away")
    run = checkout.run(PIP_TARGET=away, PIP_PREFIX=away, PIP_USER="1", PIP_REQUIRE_VIRTUALENV="1")
    assert run.code == 0, run.err
    assert not Path(away).exists()


def test_an_environment_that_has_everything_is_used_as_it_is(built: Checkout, tmp_path: Path) -> None:
    """Under a Python that has the dependencies, as `uv run` gives one, nothing is built."""
    python = next(built.cache.glob("env-*/bin/python"))
    cache = tmp_path / "unused"
    run = subprocess.run(
        [str(python), str(built.script), "straight"],
        env=built.environ(XDG_CACHE_HOME=str(cache)),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(run.stdout)["argv"] == ["straight"]
    assert run.stderr == ""
    assert not cache.exists()


def test_a_copy_without_the_sources_installs_the_distribution(checkout: Checkout, tmp_path: Path) -> None:
    """The script alone in a skill directory gets `agent-improvement` from the index."""
    skill = tmp_path / "skill" / "scripts"
    skill.mkdir(parents=True)
    shutil.copy(checkout.script, skill)
    refused = checkout.run(script=skill / "improve.py")
    assert refused.code == 5
    assert "link to this file in a checkout" in refused.err
    files = {"improve/__init__.py": "", "improve/__main__.py": STUB, "tinydep/__init__.py": ""}
    wheel(tmp_path / "wheels", "agent_improvement", improve.__version__, files)
    run = checkout.run("alone", script=skill / "improve.py")
    assert run.answer["argv"] == ["alone"]
    assert str(run.answer["improve"]).startswith(str(checkout.cache))
    assert checkout.run(script=skill / "improve.py").err == ""


# -- what goes wrong


def test_offline_gets_one_clear_line(checkout: Checkout) -> None:
    """Where nothing can be installed, one line says what happened and what to do; nothing is left behind."""
    run = checkout.run(PIP_FIND_LINKS="", UV_FIND_LINKS="")
    assert (run.code, run.out) == (5, "")
    progress, failure = run.err.splitlines()
    assert SETTING_UP in progress
    assert "No matching distribution found for tinydep" in failure
    assert "Nothing was done. Check the network" in failure
    assert checkout.environments() == ["setup.log"]
    assert checkout.run().code == 0
    assert len(checkout.environments()) == 1


def test_a_python_without_any_pip_is_told_which_package_to_install() -> None:
    """No pip at all is its own case, with its own advice."""
    for said in ("Traceback:\nModuleNotFoundError: No module named 'ensurepip'\n", ""):
        line = bootstrap().explain(said, ["tinydep>=1"], "/log")
        assert "apt install python3-pip" in line
        assert "\n" not in line


def test_an_unreachable_index_is_called_that() -> None:
    """pip ends with "No matching distribution", which is not what is wrong when nothing was reached."""
    said = "WARNING: Retrying (…) after connection broken by 'NewConnectionError(…)': /simple/click/\n"
    said += "ERROR: No matching distribution found for click>=8\n"
    line = bootstrap().explain(said, ["click>=8"], "/log")
    assert "the package index cannot be reached (No matching distribution found for click>=8)." in line
    assert "cannot be reached" not in bootstrap().explain(said.splitlines()[1], ["click>=8"], "/log")


def test_a_cache_that_cannot_be_written_gets_one_clear_line(checkout: Checkout, tmp_path: Path) -> None:
    """Where the cache directory cannot be made, one line names it and the variable that moves it."""
    (tmp_path / "file").touch()
    run = checkout.run(XDG_CACHE_HOME=str(tmp_path / "file"))
    assert (run.code, run.out) == (5, "")
    assert len(run.err.splitlines()) == 1
    assert str(tmp_path / "file") in run.err
    assert "set XDG_CACHE_HOME" in run.err


def test_a_relative_cache_directory_is_ignored(built: Checkout) -> None:
    """A relative XDG_CACHE_HOME means the usual place, as its specification says."""
    usual = Path(built.environ()["HOME"]) / ".cache"
    usual.parent.mkdir(exist_ok=True)
    usual.symlink_to(built.cache.parent)
    try:
        assert built.run(XDG_CACHE_HOME="relative").code == 0
    finally:
        usual.unlink()
    assert not Path("relative").exists()


def test_two_at_once_build_once(checkout: Checkout) -> None:
    """Of several first runs at the same time one builds, the others wait, and all of them work."""
    runs = [checkout.start(str(number)) for number in range(3)]
    ends = [run.communicate(timeout=100) for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert [json.loads(out)["argv"] for out, _ in ends] == [["0"], ["1"], ["2"]]
    assert "".join(err for _, err in ends).count(SETTING_UP) == 1
    assert len(checkout.environments()) == 1


def _alive(pid: int) -> bool:
    """Say whether a process runs; one that only waits to be collected does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_build_that_is_stopped_leaves_nothing_half_made(
    checkout: Checkout, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """However a build is stopped, no environment stands there, and the next run builds one and tidies up."""
    # it tells that the build is under way, then works on for as long as nobody stops it
    folder = program(tmp_path / "bin", "uv", f"echo $$ > '{tmp_path}/started'; exec sleep 600")
    run = checkout.start(PATH=f"{folder}:{checkout.environ()['PATH']}")
    while not (tmp_path / "started").exists() or not (tmp_path / "started").read_text(encoding="utf-8"):
        time.sleep(0.02)
    installer = int((tmp_path / "started").read_text(encoding="utf-8"))
    run.send_signal(number)
    run.communicate(timeout=30)
    assert run.returncode == code
    left = checkout.environments()
    if number == signal.SIGKILL:
        assert [name for name in left if name.startswith("env-")] == []
        os.kill(installer, signal.SIGKILL)  # nobody was left to stop it
    else:
        assert left == []
        deadline = time.monotonic() + 20  # a process that was told to stop takes a moment
        while _alive(installer):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert checkout.run("next").answer["argv"] == ["next"]
    assert len(checkout.environments()) == 1


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_new_run_waits_for_the_installer_of_a_killed_one(checkout: Checkout, tmp_path: Path) -> None:
    """An installer that outlives its killed starter is waited for, and what it wrote is removed."""
    folder = program(tmp_path / "bin", "uv", f"touch '{tmp_path}/started'; sleep 2; touch '{tmp_path}/ended'")
    run = checkout.start(PATH=f"{folder}:{checkout.environ()['PATH']}")
    while not (tmp_path / "started").exists():
        time.sleep(0.02)
    run.kill()
    run.communicate(timeout=30)
    following = checkout.run()
    assert following.code == 0
    assert "waiting for another set-up" in following.err
    assert (tmp_path / "ended").exists()
    assert len(checkout.environments()) == 1
