#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "click>=8.1.7",
#     "filelock>=4.2",
#     "GitPython>=3.1.43",
#     "platformdirs>=4.2",
#     "rapidfuzz>=3.9",
#     "ruamel.yaml>=0.18.6",
#     "tree-sitter>=0.23",
#     "tree-sitter-bash>=0.23",
# ]
# ///
"""Run `improve` where nothing is installed but Python 3.11 and pip or uv: `python3 scripts/improve.py …`.

The first run builds a private environment below the user's cache directory, with uv when it is on PATH and
works, else with this Python's pip. It is built aside and renamed when complete, so a build that is killed
leaves nothing half-made. Deleting it loses nothing.

Every later run finds the environment's stamp and goes on in this very process: starting uv, or a second
Python, would cost more than the command itself. So uv only builds. `uv run scripts/improve.py` works too, and
needs no private environment, for it brings the dependencies above.

In a checkout the sources beside this file run, so an edit takes effect at once. A copy of this file alone
installs the distribution instead.

The file must parse on Python 3.6, so that an old Python gets a sentence and not a SyntaxError. Nothing but
`os`, `sys` and `zlib` is imported on the way to the command; the rest waits in the functions that build,
and nothing at all is imported before `trust_no_neighbour` cleaned the path.
"""

import os
import sys

if sys.version_info < (3, 11):
    sys.stderr.write(
        f"improve: needs Python 3.11 or newer, and {sys.executable} is {sys.version.split()[0]}. Nothing was "
        f"done. Use a newer one, for example: python3.12 {sys.argv[0]} (or: uv run {sys.argv[0]})\n"
    )
    sys.exit(5)

DISTRIBUTION = "agent-improvement>=0.1.0"
STAMP = "ready"
ENVIRONMENT_FAILURE = 5  # docs/commands.md lists the exit codes


class SetUpFailed(Exception):
    """The private environment could not be built; says why and what to do."""


class Environment:
    """Where the packages are, and the Python that finds them (empty where there are only the packages)."""

    def __init__(self, packages: str, python: str) -> None:
        self.packages = packages
        self.python = python


def main() -> int:
    """Run the command, building its environment first if there is none."""
    here = os.path.dirname(os.path.realpath(__file__))
    source = source_beside(here)
    trust_no_neighbour(here)
    requirements = declared(__file__) if source else [DISTRIBUTION]
    try:
        environment = find(requirements, source)
        if environment is None and missing(requirements, sys.path):
            environment = build(requirements, source)
    except SetUpFailed as error:
        say(str(error))
        return ENVIRONMENT_FAILURE
    except KeyboardInterrupt:
        say("interrupted; nothing was left behind")
        return 130
    enter(environment, source)
    from improve.__main__ import main as command

    command()
    return 0


def source_beside(here: str) -> str:
    """Give the source directory of the checkout that holds this script, or nothing."""
    source = os.path.join(os.path.dirname(here), "src")
    return source if os.path.isfile(os.path.join(source, "improve", "__init__.py")) else ""


def trust_no_neighbour(here: str) -> None:
    """Import nothing from the working directory, nor from beside this file (whose name is the package's)."""
    cwd = working_directory()
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    relative = {os.path.normpath(os.path.join(cwd, entry)) for entry in named if not os.path.isabs(entry)}
    unsafe = {os.path.realpath(entry) for entry in (here, cwd, *relative)} - {os.path.dirname(os.__file__)}
    safe = [entry for entry in sys.path if os.path.isabs(entry) and os.path.realpath(entry) not in unsafe]
    sys.path[:] = safe


def working_directory() -> str:
    """Give the working directory, or, when it was deleted, one from which nothing is imported."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def declared(script: str) -> "list[str]":
    """Read the dependencies from the block at the top of this file.

    https://packaging.python.org/en/latest/specifications/inline-script-metadata/
    """
    found: "list[str]" = []
    with open(script, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith('#     "'):
                found.append(line.split('"')[1])
            elif found and line.startswith("# ///"):
                break
    return found


def find(requirements: "list[str]", source: str) -> "Environment | None":
    """Give the private environment for these requirements if it is there and complete."""
    place, key = location(requirements, source)
    try:
        with open(os.path.join(place, STAMP), "rb") as stamp:
            owner = os.fstat(stamp.fileno()).st_uid
            inside, python, found = stamp.read().split(b"\n", 2)
    except (OSError, ValueError):
        return None
    packages = os.path.join(place, os.fsdecode(inside))
    theirs = hasattr(os, "getuid") and owner not in (0, os.getuid())
    if theirs or found != key or missing(requirements, [packages]):
        return None
    return Environment(packages, os.path.join(place, os.fsdecode(python)) if python else "")


def location(requirements: "list[str]", source: str) -> "tuple[str, bytes]":
    """Give the directory of the environment, and the text that says exactly what it is for."""
    import zlib

    machine = os.uname().machine if hasattr(os, "uname") else ""
    flags = getattr(sys, "abiflags", "")
    python = [str(sys.implementation.cache_tag), flags, sys.platform, machine, sys.base_prefix]
    key = os.fsencode("\n".join([*python, source, *requirements]))
    return os.path.join(cache(), f"env-{zlib.crc32(key):08x}"), key


def cache() -> str:
    """Give the directory for what can be built again, by the custom of the platform."""
    variable, usual = "XDG_CACHE_HOME", "~/.cache"
    if sys.platform == "win32":
        variable, usual = "LOCALAPPDATA", "~\\AppData\\Local"
    elif sys.platform == "darwin":
        usual = "~/Library/Caches"
    base = os.environ.get(variable, "")
    # a relative value is to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
    return os.path.join(base if os.path.isabs(base) else os.path.expanduser(usual), "agent-improvement")


def missing(requirements: "list[str]", path: "list[str]") -> "list[str]":
    """List the requirements that no distribution installed on the path satisfies."""
    installed: "dict[str, tuple[int, ...]]" = {}
    for directory in path:
        if os.path.basename(directory) in ("site-packages", "dist-packages") and os.path.isdir(directory):
            for name in os.listdir(directory):
                if name.endswith(".dist-info"):
                    project, _, version = name[: -len(".dist-info")].partition("-")
                    installed.setdefault(plain(project), numbers(version))
    wanted = [(requirement, *requirement.split(">=")) for requirement in requirements]
    return [text for text, name, least in wanted if installed.get(plain(name), ()) < numbers(least)]


def plain(project: str) -> str:
    """Give the one spelling that all spellings of a project's name share."""
    return project.lower().replace("_", "-").replace(".", "-")


def numbers(version: str) -> "tuple[int, ...]":
    """Give the leading numbers of a version, for comparing."""
    found = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if digits:
            found.append(int(digits))
        if digits != part:
            break
    return tuple(found)


def enter(environment: "Environment | None", source: str) -> None:
    """Make the sources and the environment the first places that imports look at."""
    first = [source] if source else []
    if environment is not None:
        foreign = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        sys.path[:] = [entry for entry in sys.path if entry not in foreign]
        first.append(environment.packages)
        if environment.python:
            sys.executable = environment.python  # what the command starts with it finds `improve` too
    sys.path[:0] = first


def build(requirements: "list[str]", source: str) -> Environment:
    """Build the private environment, unless another process just did."""
    place, _ = location(requirements, source)
    base = os.path.dirname(place)
    try:
        os.makedirs(base, mode=0o700, exist_ok=True)
        with open(os.path.join(base, "env.lock"), "a+b") as lock:
            take(lock.fileno())
            environment = find(requirements, source)
            if environment is None:
                say(f"setting up a private environment in {place} (once, about 20 s)")
                sweep(base)
                make(requirements, source, lock.fileno())
                environment = find(requirements, source)
    except OSError as error:
        raise SetUpFailed(
            f"cannot set up its private environment in {base}: {error}. Nothing was done. Free some space, "
            "or set XDG_CACHE_HOME to a directory you can write to, and run the command again"
        ) from error
    if environment is None:
        raise SetUpFailed(f"what was installed in {place} cannot be used. Remove it and try again")
    return environment


def say(message: str) -> None:
    """Tell the person something; standard output belongs to the command."""
    sys.stderr.write(f"improve: {message}\n")
    sys.stderr.flush()


def take(lock: int) -> None:
    """Wait until no other process builds; where files cannot be locked, the rename alone must do."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(lock, 0, os.SEEK_SET)
        msvcrt.locking(lock, msvcrt.LK_LOCK, 1)
        return
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("waiting for another set-up to finish")
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:
        return


def sweep(base: str) -> None:
    """Remove what killed builds left."""
    import shutil

    for name in os.listdir(base):
        if name.startswith("tmp-"):
            shutil.rmtree(os.path.join(base, name), ignore_errors=True)


def make(requirements: "list[str]", source: str, lock: int) -> None:
    """Build the environment aside and rename it into its place when it is complete."""
    import shutil
    import signal
    import tempfile

    place, key = location(requirements, source)
    aside = tempfile.mkdtemp(prefix="tmp-", dir=os.path.dirname(place))
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that `finally` runs
    try:
        environment = lay_out(aside)
        install(requirements, environment, lock)
        if source:
            link_source(environment.packages, source)
        paths = environment.packages, environment.python
        inside = [os.fsencode(os.path.relpath(path, aside) if path else "") for path in paths]
        with open(os.path.join(aside, STAMP), "xb") as stamp:
            stamp.write(b"\n".join([*inside, key]))
        if os.path.lexists(place):
            os.rename(place, os.path.join(aside, "replaced"))
        os.rename(aside, place)
    finally:
        signal.signal(signal.SIGTERM, before)
        shutil.rmtree(aside, ignore_errors=True)
        shutil.rmtree(os.path.join(place, "replaced"), ignore_errors=True)


def lay_out(aside: str) -> Environment:
    """Make an empty virtual environment, or, where this Python cannot, a plain directory for packages."""
    import shutil
    import sysconfig

    try:
        import venv  # some distributions package it apart

        # without pip: this Python's own installs from outside, and ensurepip is often missing
        venv.EnvBuilder(symlinks=os.name != "nt").create(aside)
    except Exception:
        shutil.rmtree(aside)
        os.makedirs(os.path.join(aside, "site-packages"), mode=0o700)
        return Environment(os.path.join(aside, "site-packages"), "")
    packages = sysconfig.get_path("purelib", "venv", {"base": aside, "platbase": aside})
    python = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return Environment(packages, os.path.join(aside, *python))


def link_source(packages: str, source: str) -> None:
    """Let the environment's own Python import the sources of the checkout."""
    # a path file's encoding depends on the version of Python and on the locale, so it is kept to ASCII
    with open(os.path.join(packages, "agent-improvement-source.pth"), "w", encoding="ascii") as path:
        path.write(f"import sys; sys.path.append({source!a})\n")


def install(requirements: "list[str]", into: Environment, lock: int) -> None:
    """Install with the first of uv and pip that can; say what went wrong if none can."""
    path = os.path.join(cache(), "setup.log")
    said = b""
    try:
        with open(path, "w+b") as log:
            for command in installers(into):
                if run([*command, *requirements], log.fileno(), lock):
                    return
            log.seek(0)
            said = log.read()
        raise SetUpFailed(explain(said.decode("utf-8", "replace"), requirements, path))
    finally:
        if not said:
            os.remove(path)


def explain(output: str, requirements: "list[str]", log: str) -> str:
    """Say in one line why no installer worked, and what to do."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line[len("error:") :].strip() for line in lines if line.lower().startswith("error:")]
    reason = (errors or lines or ["there is no pip"])[-1].rstrip(".")
    advice = "Check the network and pip's index settings"
    if not lines or any("ensurepip" in line for line in lines):  # the last resort, and it is not there either
        advice = "Install pip (on Debian and Ubuntu: apt install python3-pip) or uv"
    elif "connection broken" in output:  # after which pip says only that it found nothing
        reason = f"the package index cannot be reached ({reason})"
    elif requirements == [DISTRIBUTION]:
        advice += ", or link to this file in a checkout instead of copying it"
    more = f"; what the installers said is in {log}" if lines else ""
    return (
        f"cannot set up its private environment: {reason}. Nothing was done. {advice}, and run the command again{more}"
    )


def installers(into: Environment) -> "list[list[str]]":
    """List the commands that may fill the environment, best first; only the requirements are to be added."""
    options = ["--no-input", "--retries", "2", "--prefer-binary"]
    target = [] if into.python else ["--target", into.packages]
    found = []
    uv = on_path("uv")
    if uv:
        found.append([uv, "pip", "install", "--compile-bytecode", "--python", into.python or sys.executable, *target])
    # a virtual environment lacks pip at times, and the Python it was made from has it
    own = dict.fromkeys([sys.executable, getattr(sys, "_base_executable", sys.executable)])
    for python in filter(has_pip, own):
        choose = ["--python", into.python] if into.python else []
        found.append([python, "-I", "-m", "pip", *choose, "install", *target, *options])
        break
    else:
        bundled = "import ensurepip, runpy; ensurepip.bootstrap(); runpy.run_module('pip', None, '__main__')"
        if into.python:  # never into the person's own Python
            found.append([into.python, "-I", "-c", bundled, "install", *options])
    return found


def has_pip(python: str) -> bool:
    """Tell whether a Python has pip."""
    import subprocess

    quiet = subprocess.DEVNULL
    command = [python, "-I", "-c", "import pip"]
    return subprocess.run(command, stdin=quiet, stdout=quiet, stderr=quiet, check=False).returncode == 0


def on_path(tool: str) -> str:
    """Find a program on PATH, but in no relative directory and not in the working directory."""
    import shutil

    here = os.path.realpath(working_directory())
    safe = [entry for entry in os.get_exec_path() if os.path.isabs(entry) and os.path.realpath(entry) != here]
    return shutil.which(tool, path=os.pathsep.join(safe)) or ""


def run(command: "list[str]", log: int, lock: int) -> bool:
    """Run an installer to its end; one that outlives this process holds the lock until then."""
    import signal
    import subprocess

    drop = {"PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV", "PIP_PYTHON"}
    environ = {name: value for name, value in os.environ.items() if name not in drop}
    environ.update(PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1", UV_PYTHON_DOWNLOADS="never")
    for name in (
        "UV_SYSTEM_CERTS",
        "UV_NATIVE_TLS",
    ):  # the certificates pip trusts; the second for an older uv
        environ.setdefault(name, "1")
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd=cache(),
        env=environ,
        pass_fds=() if os.name == "nt" else (lock,),
        start_new_session=True,
    )
    try:
        return child.wait() == 0
    except BaseException:
        if sys.platform == "win32":
            child.kill()
        else:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise


if __name__ == "__main__":
    sys.exit(main())
