"""The history of the store: a git repository in the home itself, written by the real git through GitPython.

Whatever is wrong with git (none installed, a lock left behind, a home inside somebody's work tree) costs the
history and never the change itself: `commit_home` answers with one line and does not raise. The person's own
git set-up has no say here: no hooks, no signing, no templates, no config outside the home, no GIT_* variable.

GitPython is imported inside a function only (it costs 90 ms), and this is its only home.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence

from improve import files, gitdir
from improve.errors import ImproveError
from improve.remote import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git import Git

IGNORED = b"""# What is derived or on its way is no part of the history.
spool/
queue/
bin/
installed.json
off.json
.improve-*
*.tmp
*.lock
*~
"""
"""The .gitignore of a new home; people may change it."""

_PERSON = ("improve", "improve@localhost")
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "commit.gpgSign": "false",
    "gpg.program": "false",
    "i18n.commitEncoding": "UTF-8",
    "i18n.logOutputEncoding": "UTF-8",
    "init.defaultBranch": "main",
    # packing in the background would outlive the command: `tidy` does it in the foreground
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    **{f"GIT_{role}_NAME": _PERSON[0] for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": _PERSON[1] for role in ("AUTHOR", "COMMITTER")},
}
_LAST_WORDS = 0.5  # seconds git gets to remove its lock files before it is killed
_LINE = 400
_LOCKED = "another git is at work there; if none is, delete {}"
_starting = threading.Lock()
_COMMIT = "commit --quiet --no-verify --untracked-files=no --allow-empty-message --cleanup=whitespace -F-"


class _Failed(Exception):
    """Why there is no commit, as the end of a sentence."""


def commit_home(home: str, message: str, *, paths: Sequence[str], timeout: float = 5.0) -> str | None:
    """Commit these files of the home; None when that is done or nothing changed, else one line why not.

    The first call makes the home a repository. One inside another work tree is left alone unless it has a
    `.git` of its own already.

    Args:
        home: The store's directory; a link to it is followed.
        message: Any text.
        paths: Files, relative to the home or absolute; one that is gone is committed as removed.
        timeout: Seconds for everything together; git is stopped after that.
    """
    with _failing_softly(home, "saved, but not in its git history") as notice:
        real = _real(home)
        git = _Git(real, timeout)
        names = _names(home, real, paths)
        _prepare(git)
        git.run("update-index", "--add", "--remove", "-z", "--stdin", given=os.fsencode("\0".join(names) + "\0"))
        git.run(*_COMMIT.split(), given=message.replace("\0", "\ufffd").encode("utf-8", "replace"))
    return notice.text


def tidy(home: str, *, timeout: float = 60.0) -> str | None:
    """Pack the home's history, in the foreground; None when that is done, else one line why not."""
    with _failing_softly(home, "its git history was not packed") as notice:
        real = _real(home)
        if gitdir.is_git_directory(os.path.join(real, ".git")):
            _Git(real, timeout).run("gc", "--quiet")
    return notice.text


class _Notice:
    text: str | None = None


@contextlib.contextmanager
def _failing_softly(home: str, undone: str = "") -> Iterator[_Notice]:
    """Turn whatever goes wrong into one line."""
    notice = _Notice()
    try:
        yield notice
    except Exception as error:  # a history that cannot be kept never costs the change it would have kept
        why = str(error) if isinstance(error, _Failed | ImproveError) else f"{type(error).__name__}: {error}"
        why = why.replace("; nothing was written", "")  # the change itself was
        notice.text = printable(" ".join(f"{home}: {undone}: {why}".split()))[:_LINE]


def _real(home: str) -> str:
    if not os.path.isabs(home):
        raise _Failed("it is no absolute path")
    return os.path.realpath(home)


class _Git:
    """The real git at work on one home, with nothing of the person's own set-up."""

    def __init__(self, home: str, timeout: float) -> None:
        import shutil

        if not os.path.isdir(home):
            raise _Failed("there is no such directory")
        program = shutil.which("git")
        if program is None or not os.path.isabs(program):  # a relative one lies in the working directory
            raise _Failed("git is not installed")
        self.home = home
        self._program = program
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout

    def run(self, *arguments: str, given: bytes = b"", anew: bool = False) -> str:
        """Run one command to its end, or to ours; give what it printed."""
        settings = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]
        place = [] if anew else [f"--git-dir={os.path.join(self.home, '.git')}", f"--work-tree={self.home}"]
        process = self._start([self._program, *settings, *place, *arguments])
        try:
            out, err = process.communicate(given, max(0.01, self._deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            _stop(process)
            raise _Failed(f"git took longer than {self._timeout:g} s and was stopped") from None
        except BaseException:
            _stop(process)
            raise
        # a commit without a change ends with 1 and says nothing
        if process.returncode and not (arguments[0] == "commit" and process.returncode == 1 and not err.strip()):
            raise _Failed(_reason(err.decode("utf-8", "replace")))
        return out.decode("utf-8", "replace")

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        with _without_git_variables():
            git = _gitpython()
            # a session of its own, so that git and all it starts can be stopped together
            handle = git(self.home).execute(
                command, istream=subprocess.PIPE, as_process=True, env=_ENVIRONMENT, start_new_session=True
            )
        process: subprocess.Popen[bytes] | None = handle.proc
        handle.proc = None  # it would end the process when it goes out of scope
        if process is None:
            raise _Failed("git did not start")
        return process


def _gitpython() -> type[Git]:
    """Import GitPython, but not as it likes: it would run git, without a time-out, and raise without one."""
    # no program has this name, and a missing one is what it is told to be quiet about
    quiet = {"GIT_PYTHON_REFRESH": "quiet", "GIT_PYTHON_GIT_EXECUTABLE": "git-is-not-started-by-an-import"}
    os.environ.update(quiet)
    try:
        from git import Git
    finally:
        for name in quiet:
            del os.environ[name]
    return Git


@contextlib.contextmanager
def _without_git_variables() -> Iterator[None]:
    """Hide GIT_* while a process starts: GitPython hands os.environ on, and can only add to it."""
    with _starting:
        hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.upper().startswith("GIT_")}
        try:
            yield
        finally:
            os.environ.update(hidden)


def _prepare(git: _Git) -> None:
    """Make the home a repository of its own unless it is one."""
    own = os.path.join(git.home, ".git")
    if os.path.lexists(own):
        if os.path.islink(own) or not os.path.isdir(own):
            raise _Failed(f"{own} leads to another repository")
        lock = os.path.join(own, "index.lock")
        if os.path.lexists(lock):
            raise _Failed(_LOCKED.format(lock))
        if gitdir.is_git_directory(own):
            return
    elif outer := _work_tree_around(git.home):
        raise _Failed(f"it lies in the work tree of {outer}; for a history of its own run: git init {git.home}")
    git.run("init", "--quiet", "--template=", anew=True)
    with contextlib.suppress(FileExistsError):
        files.create_exclusive(git.home, ".gitignore", IGNORED)


def _work_tree_around(home: str) -> str:
    """Find the work tree of another repository that a directory lies in, or nothing."""
    while (outer := os.path.dirname(home)) != home:
        found = gitdir.checkout(outer)
        if found is not None and found.root:
            return outer
        home = outer
    return ""


def _names(home: str, real: str, paths: Sequence[str]) -> list[str]:
    """Give the paths relative to the home, as git spells them; directories are left out."""
    names = [".gitignore"]
    for path in paths:
        inside = os.path.relpath(path, home) if os.path.isabs(path) else os.path.normpath(path)
        if inside.split(os.sep)[0] == os.pardir and os.path.isabs(path):
            inside = os.path.relpath(path, real)
        if inside.split(os.sep)[0] == os.pardir or "\0" in inside:
            raise _Failed(f"{path} is not in it")
        if not os.path.isdir(os.path.join(real, inside)):
            names.append(inside.replace(os.sep, "/"))
    return names


def _reason(said: str) -> str:
    """Pick the line of git's words that says why."""
    lines = [line for line in said.splitlines() if line.strip()]
    if any(sign in said for sign in (".lock'", "cannot lock ref", "could not lock")):
        return _LOCKED.format("the .lock file in its .git")
    told = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines or ["nothing"]
    return f"git says: {told[0].removeprefix('fatal: ').removeprefix('error: ')}"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask git to go, so that it takes its lock files along, then make it and all it started."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, number)
            else:
                process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LAST_WORDS)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
