"""The home's own history: real commits by the real git, and never a failure that reaches the person."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from improve import repo
from improve.repo import commit_home, tidy

ALL = ("rules.yaml", "journal.jsonl")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A home with two files, not yet a repository."""
    path = tmp_path / "store"
    (path / "spool").mkdir(parents=True)
    (path / "rules.yaml").write_text("version: 2\n", "utf-8")
    (path / "journal.jsonl").write_text("{}\n", "utf-8")
    (path / "spool/1.json").write_text("{}", "utf-8")
    return path


def git(where: Path, *arguments: str) -> str:
    """Ask the real git about a home."""
    return subprocess.run(["git", *arguments], cwd=where, check=True, capture_output=True).stdout.decode().strip()


_PATH = os.environ["PATH"]


def subjects(where: Path) -> list[str]:
    """List the first lines of a home's commits, newest first, whatever a test did to the environment."""
    if not (where / ".git").exists():
        return []
    argv = ["git", "-c", "safe.directory=*", "log", "-z", "--format=%s"]
    done = subprocess.run(argv, cwd=where, env={"PATH": _PATH}, check=True, capture_output=True)
    return done.stdout.decode().split("\0")[:-1]


def program(where: Path, name: str, script: str) -> Path:
    """Write a program."""
    where.mkdir(exist_ok=True, parents=True)
    path = where / name
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return path


def tracked(store: Path) -> list[str]:
    """List what the newest commit holds."""
    return git(store, "ls-tree", "-r", "--name-only", "HEAD").splitlines()


# -- what is committed ----------------------------------------------------------------------------


def test_the_first_commit_makes_the_home_a_repository(store: Path) -> None:
    """It holds exactly the files named and .gitignore, in the name of the program."""
    (store / "private").touch()
    assert commit_home(str(store), "Record: use uv", paths=ALL) is None
    assert tracked(store) == [".gitignore", "journal.jsonl", "rules.yaml"]
    assert (
        git(store, "log", "--format=%an %ae %cn %ce|%s")
        == "improve improve@localhost improve improve@localhost|Record: use uv"
    )
    assert git(store, "status", "--short") == "?? private"
    assert b"spool/" in (store / ".gitignore").read_bytes()
    assert [path.name for path in (store / ".git/refs/heads").iterdir()] == ["main"]


def test_nothing_changed_is_no_commit(store: Path) -> None:
    """A second call without a change says nothing and adds nothing."""
    assert commit_home(str(store), "one", paths=ALL) is None
    assert commit_home(str(store), "two", paths=ALL) is None
    assert subjects(store) == ["one"]


def test_changed_new_and_removed_files_are_committed(store: Path) -> None:
    """Paths may be absolute, or gone, or never have been there; directories and the rest stay out."""
    commit_home(str(store), "one", paths=ALL)
    (store / "rules.yaml").write_text("version: 2\nrules: []\n", "utf-8")
    (store / "journal.jsonl").unlink()
    (store / "odd *?[name]").touch()
    (store / "other").touch()
    paths = [str(store / "rules.yaml"), "journal.jsonl", "never", "odd *?[name]", "spool", "."]
    assert commit_home(str(store), "two", paths=paths) is None
    assert tracked(store) == [".gitignore", "odd *?[name]", "rules.yaml"]
    assert git(store, "show", "HEAD:rules.yaml") == "version: 2\nrules: []"


@pytest.mark.parametrize("data", [b"a\r\nb\r\n", b"a\r\nb\n", b"\xef\xbb\xbfa", b"\xff\x00\xfe", b"no newline", b""])
def test_the_bytes_are_kept(data: bytes, store: Path) -> None:
    """Line ends, byte order marks and broken encodings go into the history as they are."""
    (store / "rules.yaml").write_bytes(data)
    assert commit_home(str(store), "x", paths=ALL) is None
    shown = subprocess.run(["git", "show", "HEAD:rules.yaml"], cwd=store, check=True, capture_output=True)
    assert shown.stdout == data


def test_a_person_s_gitignore_stays_and_is_no_obstacle(store: Path) -> None:
    """Files that we name are committed though an ignore pattern matches."""
    (store / ".gitignore").write_text("*\n", "utf-8")
    assert commit_home(str(store), "x", paths=ALL) is None
    assert (store / ".gitignore").read_text("utf-8") == "*\n"
    assert "rules.yaml" in tracked(store)


def test_a_home_behind_a_link_is_committed_where_it_is(store: Path, tmp_path: Path) -> None:
    """Paths may be given through the link."""
    (tmp_path / "link").symlink_to(store)
    link = str(tmp_path / "link")
    assert commit_home(link, "x", paths=[f"{link}/rules.yaml", str(store / "journal.jsonl")]) is None
    assert tracked(store) == [".gitignore", "journal.jsonl", "rules.yaml"]


@pytest.mark.parametrize(
    "message",
    [
        "",
        " ",
        "\n",
        "# looks like a comment",
        "-m",
        "a\0b",
        "a\x1b[2Jb",
        "\ud800 lone",
        "прави́ло 規則 🚀\n\nbody\r\nx",
        "é" * 5000,
    ],
)
def test_any_message_is_fine(message: str, store: Path) -> None:
    """Empty, hostile, undecodable or long."""
    assert commit_home(str(store), message, paths=ALL) is None
    assert len(subjects(store)) == 1


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1))
def test_a_message_comes_back(tmp_path_factory: pytest.TempPathFactory, message: str) -> None:
    """But for NUL and lone surrogates, and blanks at the ends of lines, which no commit can hold."""
    home = tmp_path_factory.mktemp("home")
    (home / "f").touch()
    assert commit_home(str(home), f"x{message}x", paths=["f"]) is None
    body = subprocess.run(["git", "log", "-1", "--format=%B"], cwd=home, check=True, capture_output=True).stdout
    want = f"x{message}x".replace("\0", "\ufffd").encode("utf-8", "replace")
    assert b"".join(body.split()) == b"".join(want.split())


# -- the person's git set-up has no say -----------------------------------------------------------


def test_hooks_signing_and_templates_of_the_person_are_not_used(
    store: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither from ~/.gitconfig, nor from the environment, nor from the home's own hooks."""
    flag = tmp_path / "ran"
    fail = program(tmp_path / "bin", "fail", f"touch {flag}; exit 1")
    for hook in ("pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "reference-transaction"):
        program(tmp_path / "hooks", hook, f"touch {flag}; exit 1")
        program(tmp_path / "template/hooks", hook, f"touch {flag}; exit 1")
    (home / ".gitconfig").write_text(
        f"[core]\n hooksPath = {tmp_path}/hooks\n fsmonitor = {fail}\n autocrlf = true\n editor = {fail}\n"
        f" pager = {fail}\n[commit]\n gpgSign = true\n template = /nowhere\n[gpg]\n program = {fail}\n"
        f"[init]\n templateDir = {tmp_path}/template\n defaultBranch = other\n"
        "[user]\n name = Jo\n useConfigOnly = true\n"
        "[include]\n path = /nowhere\n[broken\n",
        "utf-8",
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    for name, value in {
        "GIT_DIR": "/nowhere",
        "GIT_WORK_TREE": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere/index",
        "GIT_OBJECT_DIRECTORY": "/nowhere",
        "GIT_TEMPLATE_DIR": str(tmp_path / "template"),
        "GIT_AUTHOR_NAME": "Jo",
        "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
        "GIT_TRACE": str(flag),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(tmp_path / "hooks"),
        "GIT_PYTHON_GIT_EXECUTABLE": str(fail),
    }.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    (store / "rules.yaml").write_bytes(b"a\r\n")
    assert commit_home(str(store), "x", paths=ALL) is None
    program(store / ".git/hooks", "pre-commit", f"touch {flag}; exit 1")
    (store / "rules.yaml").write_bytes(b"b\r\n")
    assert commit_home(str(store), "y", paths=ALL) is None
    assert subjects(store) == ["y", "x"]
    assert dict(os.environ) == before
    assert not flag.exists()
    for name in os.environ.copy():
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    assert git(store, "log", "-1", "--format=%an") == "improve"
    assert subprocess.run(["git", "show", "HEAD:rules.yaml"], cwd=store, capture_output=True).stdout == b"b\r\n"


def test_ignore_and_attribute_files_of_the_person_are_not_used(store: Path, home: Path) -> None:
    """~/.config/git/ignore and attributes apply without any config."""
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*.yaml\n", "utf-8")
    (home / ".config/git/attributes").write_text("* text eol=crlf\n", "utf-8")
    (store / "rules.yaml").write_bytes(b"a\r\n")
    assert commit_home(str(store), "x", paths=ALL) is None
    assert subprocess.run(["git", "show", "HEAD:rules.yaml"], cwd=store, capture_output=True).stdout == b"a\r\n"


# -- where it is not our place --------------------------------------------------------------------


def test_a_home_inside_another_work_tree_is_left_alone(tmp_path: Path) -> None:
    """A store linked into a dotfiles repository belongs to that; one line says so, nothing is made."""
    dotfiles = tmp_path / "dotfiles"
    (dotfiles / "improve").mkdir(parents=True)
    git(dotfiles, "init", "-q")
    (dotfiles / "improve/rules.yaml").touch()
    (tmp_path / "home").symlink_to(dotfiles / "improve")
    said = commit_home(str(tmp_path / "home"), "x", paths=ALL)
    assert said is not None
    assert str(dotfiles) in said
    assert [path.name for path in (dotfiles / "improve").iterdir()] == ["rules.yaml"]
    # unless the person made it a repository of its own
    git(dotfiles / "improve", "init", "-q")
    assert commit_home(str(tmp_path / "home"), "x", paths=ALL) is None
    assert tracked(dotfiles / "improve") == ["rules.yaml"]
    assert git(dotfiles, "status", "--short") == "?? improve/"


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_git_that_leads_elsewhere_is_left_alone(kind: str, store: Path, tmp_path: Path) -> None:
    """A `.git` file or link would commit into another repository."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    if kind == "file":
        (store / ".git").write_text(f"gitdir: {other}/.git\n", "utf-8")
    else:
        (store / ".git").symlink_to(other / ".git")
    said = commit_home(str(store), "x", paths=ALL)
    assert said is not None
    assert "another repository" in said
    assert not (other / ".git/index").exists()


@pytest.mark.parametrize("path", ["../other", "/etc/passwd", "a/../../b", "a\0b"])
def test_a_path_outside_the_home_is_not_committed(path: str, store: Path) -> None:
    """It is named, and nothing is made."""
    said = commit_home(str(store), "x", paths=[*ALL, path])
    assert said is not None
    assert said.isprintable()
    assert not (store / ".git").exists()


# -- what may go wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/nonexistent", "."])
def test_a_missing_git_is_one_line(path: str, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With PATH empty, wrong, or naming the working directory, where anybody could have put a `git`."""
    flag = store.parent / "ran"
    program(Path.cwd(), "git", f"touch {flag}")
    monkeypatch.setenv("PATH", path)
    assert (
        commit_home(str(store), "x", paths=ALL) == f"{store}: saved, but not in its git history: git is not installed"
    )
    assert subjects(store) == []
    assert not flag.exists()
    assert not (store / ".git").exists()


def test_gitpython_loads_without_git(store: Path) -> None:
    """The import itself neither fails nor starts a program."""
    code = (
        "import os, sys; os.environ['PATH'] = '/nonexistent'; from improve import repo\n"
        "assert 'git' not in sys.modules\nrepo._gitpython()\nassert 'git' in sys.modules\n"
        "assert not [name for name in os.environ if name.startswith('GIT_PYTHON')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_lock_that_is_there_is_not_waited_for(store: Path) -> None:
    """One line names it; the lock, which may be a living git's, stays."""
    commit_home(str(store), "one", paths=ALL)
    (store / ".git/index.lock").touch()
    (store / "rules.yaml").write_text("changed", "utf-8")
    start = time.monotonic()
    said = commit_home(str(store), "two", paths=ALL)
    assert time.monotonic() - start < 2
    assert said is not None
    assert "index.lock" in said
    (store / ".git/index.lock").unlink()
    assert commit_home(str(store), "three", paths=ALL) is None
    (store / "rules.yaml").write_text("again", "utf-8")
    (store / ".git/refs/heads/main.lock").touch()
    said = commit_home(str(store), "four", paths=ALL)
    assert said is not None
    assert ".lock" in said


@pytest.mark.parametrize("broken", ["HEAD", "objects", "index", "config"])
def test_a_broken_repository_is_one_line(broken: str, store: Path) -> None:
    """Whatever git says about it, in one line without control characters."""
    commit_home(str(store), "one", paths=ALL)
    path = store / ".git" / broken
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.write_bytes(b"\x1b[2J nonsense \xff\n[")
    (store / "rules.yaml").write_text("changed", "utf-8")
    said = commit_home(str(store), "two", paths=ALL)
    assert said is not None
    assert said.isprintable()
    assert said.startswith(f"{store}: saved, but not in its git history: ")


def test_a_repository_cut_off_while_it_was_made_is_finished(store: Path) -> None:
    """A kill in the middle of the first `git init` costs nothing."""
    (store / ".git/objects").mkdir(parents=True)
    assert commit_home(str(store), "one", paths=ALL) is None
    assert len(subjects(store)) == 1


@pytest.mark.parametrize("home_", ["/nonexistent", "", "a\0b", "/dev/null"])
def test_a_home_that_is_none_is_one_line(home_: str) -> None:
    """Nothing is created."""
    said = commit_home(home_, "x", paths=["rules.yaml"])
    assert said is not None
    assert said.isprintable()
    assert not Path.cwd().joinpath(".git").exists()


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
@pytest.mark.parametrize("trap", ["", "trap '' TERM;"])
def test_a_git_that_hangs_is_stopped_with_all_it_started(
    trap: str, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Politely, then for good; nothing is left running."""
    pids = tmp_path / "pids"
    program(tmp_path / "bin", "git", f"{trap} sleep 300 & echo $! >> {pids}; echo $$ >> {pids}; wait; sleep 300")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    start = time.monotonic()
    said = commit_home(str(store), "x", paths=ALL, timeout=0.5)
    assert time.monotonic() - start < 5
    assert said == f"{store}: saved, but not in its git history: git took longer than 0.5 s and was stopped"
    started = [int(line) for line in pids.read_text("utf-8").split()]
    assert len(started) == 2
    deadline = time.monotonic() + 5
    while any(map(_alive, started)):
        assert time.monotonic() < deadline, "a child was left"
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text("utf-8").rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_an_interrupt_stops_git_too(store: Path, tmp_path: Path) -> None:
    """Ctrl-C reaches the person's program only, which takes git along."""
    pids = tmp_path / "pids"
    program(tmp_path / "bin", "git", f"echo $$ >> {pids}; exec sleep 300")
    code = "from improve.repo import commit_home; "
    code += f"commit_home({str(store)!r}, 'x', paths=['rules.yaml'], timeout=60)"
    env = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    process = subprocess.Popen([sys.executable, "-c", code], env=env, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not (pids.exists() and pids.read_text("utf-8").strip()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in err
    pid = int(pids.read_text("utf-8"))
    deadline = time.monotonic() + 30
    while _alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_four_at_once_leave_a_sound_history(store: Path) -> None:
    """Some commits may be folded into another one; none is torn, and the last state is in it."""
    code = (
        "import sys; from pathlib import Path; from improve.repo import commit_home\n"
        "home, name = sys.argv[1:]\n"
        "for n in range(4):\n"
        "    Path(home, name).write_text(f'{n}', 'utf-8')\n"
        "    said = commit_home(home, f'{name} {n}', paths=[name], timeout=30)\n"
        "    assert said is None or 'another git' in said, said\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(store), f"file{i}"]) for i in range(4)]
    assert [process.wait(90) for process in running] == [0] * 4
    assert commit_home(str(store), "last", paths=[f"file{i}" for i in range(4)]) is None
    git(store, "fsck", "--strict")
    assert git(store, "status", "--short", "--untracked-files=no") == ""
    assert [git(store, "show", f"HEAD:file{i}") for i in range(4)] == ["3"] * 4
    assert not list((store / ".git").rglob("*.lock"))


# -- reading and packing --------------------------------------------------------------------------


def test_tidying_packs_the_history(store: Path) -> None:
    """Loose objects become one pack; without a history there is nothing to do."""
    assert tidy(str(store)) is None
    assert not (store / ".git").exists()
    commit_home(str(store), "x", paths=ALL)
    assert tidy(str(store)) is None
    assert list((store / ".git/objects/pack").glob("*.pack"))
    assert len(subjects(store)) == 1


def test_the_ignored_patterns_hide_what_is_derived(store: Path) -> None:
    """A person's own `git status` and `git add .` show neither spool nor drafts."""
    commit_home(str(store), "x", paths=ALL)
    for name in (".improve-123-x", "a.tmp", "rules.yaml.lock", "rules.yaml~"):
        (store / name).touch()
    assert git(store, "status", "--short") == ""


def test_files_we_make_are_the_person_s_alone(store: Path) -> None:
    """.gitignore is created as private as the rest."""
    commit_home(str(store), "x", paths=ALL)
    assert stat.S_IMODE((store / ".gitignore").stat().st_mode) & 0o022 == 0
    assert (store / ".gitignore").read_bytes() == repo.IGNORED
