"""Which project a directory belongs to, asked of real repositories; git itself is never run by the answer."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from improve import project, rule
from improve.errors import Refused
from improve.project import Project, identify, resolve_name
from other_user import as_nobody, shared_place

Ask = Callable[..., Project | None]


def git(where: Path, *arguments: str) -> str:
    """Run the real git."""
    command = ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments]
    return subprocess.run(command, cwd=where, check=True, capture_output=True, text=True).stdout.strip()


def repository(path: Path, url: str = "") -> Path:
    """Make a repository with one commit, and a remote if given."""
    path.mkdir(parents=True)
    git(path, "init", "-q")
    git(path, "commit", "-q", "--allow-empty", "-m", "first")
    if url:
        git(path, "remote", "add", "origin", url)
    return path


@pytest.fixture
def ask(home: Path) -> Ask:
    """Ask with the fenced home and an empty environment."""

    def _ask(cwd: Path | str, **env: str) -> Project | None:
        return identify(str(cwd), home=str(home), env=env)

    return _ask


def found(answer: Project | None) -> Project:
    """Insist on a project."""
    assert answer is not None
    return answer


# -- repositories ---------------------------------------------------------------------------------


def test_a_repository_is_known_by_its_remote(tmp_path: Path, ask: Ask) -> None:
    """Key and remote are normalized, the name keeps its case, and the root is the top of the work tree."""
    top = repository(tmp_path / "checkout", "https://jo:hunter2@GitHub.com/Acme/Rocket.git")
    (top / "src/deep").mkdir(parents=True)
    want = Project("github.com/acme/rocket", "Rocket", str(top), "github.com/acme/rocket", str(top))
    assert ask(top) == want
    assert ask(top / "src/deep") == want
    assert ask(top / ".git/hooks") == want


def test_two_repositories_called_api_stay_two(tmp_path: Path, ask: Ask) -> None:
    """The owner is part of the key."""
    one = found(ask(repository(tmp_path / "1/api", "git@github.com:org1/api.git")))
    two = found(ask(repository(tmp_path / "2/api", "git@github.com:org2/api.git")))
    assert one.name == two.name == "api"
    assert one.key != two.key


def test_ssh_and_https_clones_are_one(tmp_path: Path, ask: Ask) -> None:
    """Two clones of one server are one project with two roots."""
    one = found(ask(repository(tmp_path / "1", "ssh://git@ssh.github.com:443/org/api.git")))
    two = found(ask(repository(tmp_path / "2", "https://github.com/Org/API/")))
    assert one.key == two.key
    assert one.root != two.root


def test_forks_are_two(tmp_path: Path, ask: Ask) -> None:
    """Clones that share all commits but not the remote are different projects."""
    upstream = repository(tmp_path / "a", "git@github.com:org/api.git")
    git(tmp_path, "clone", "-q", str(upstream), "b")
    git(tmp_path / "b", "remote", "set-url", "origin", "git@github.com:me/api.git")
    assert found(ask(upstream)).key != found(ask(tmp_path / "b")).key


def test_without_a_remote_the_path_is_the_key(tmp_path: Path, ask: Ask) -> None:
    """Two repositories without a remote differ though they hold the same commits."""
    one = repository(tmp_path / "one")
    git(tmp_path, "clone", "-q", "one", "two")
    git(tmp_path / "two", "remote", "remove", "origin")
    assert found(ask(one)) == Project(f"path:{one}", "one", str(one))
    assert found(ask(tmp_path / "two")).key == f"path:{tmp_path / 'two'}"


@pytest.mark.parametrize("url", ["{0}/app.git", "file://{0}/app.git", "../app.git", "{0}/app.git/"])
def test_clones_of_a_directory_are_one_project_with_it(url: str, tmp_path: Path, ask: Ask) -> None:
    """A bare repository on a shared disk is a server like any other, and relative paths are resolved."""
    git(tmp_path, "init", "-q", "--bare", "app.git")
    clone = repository(tmp_path / "clone", url.format(tmp_path))
    key = f"path:{tmp_path / 'app'}"
    assert found(ask(clone)).key == found(ask(clone)).remote == key
    assert found(ask(tmp_path / "app.git")) == Project(key, "app")


def test_origin_wins_then_the_upstream_then_the_first_name(tmp_path: Path, ask: Ask) -> None:
    """With several remotes the choice does not depend on the order in the file."""
    top = repository(tmp_path / "r")
    for name in ("zoe", "bob", "amy"):
        git(top, "remote", "add", name, f"https://h.example/{name}/r")
    assert found(ask(top)).key == "h.example/amy/r"
    git(top, "config", "branch.main.remote", "zoe")
    assert found(ask(top)).key == "h.example/zoe/r"
    git(top, "config", "branch.main.remote", ".")
    assert found(ask(top)).key == "h.example/amy/r"
    git(top, "remote", "add", "origin", "https://h.example/own/r")
    assert found(ask(top)).key == "h.example/own/r"
    for name in ("origin", "bob", "amy"):
        git(top, "remote", "remove", name)
    assert found(ask(top)).key == "h.example/zoe/r"


def test_a_remote_that_makes_no_sense_is_passed_over(tmp_path: Path, ask: Ask) -> None:
    """A helper that runs a program is no name; the next remote is, or the path."""
    top = repository(tmp_path / "r", "ext::sh -c 'touch pwned'")
    assert found(ask(top)).key == f"path:{top}"
    git(top, "remote", "add", "other", "git@h.example:a/r")
    assert found(ask(top)).key == "h.example/a/r"


# -- worktrees, submodules, bare repositories -----------------------------------------------------


@pytest.mark.parametrize("url", ["git@github.com:org/api.git", ""])
def test_a_linked_worktree_is_the_same_project(url: str, tmp_path: Path, ask: Ask) -> None:
    """The key is the main repository's; the root, where AGENTS.md is written, is the worktree's own."""
    main = repository(tmp_path / "main", url)
    git(main, "worktree", "add", "-q", "../side")
    (tmp_path / "side/sub").mkdir()
    want, got = found(ask(main)), found(ask(tmp_path / "side/sub"))
    assert (got.key, got.name, got.remote) == (want.key, want.name, want.remote)
    assert (got.root, got.main_root) == (str(tmp_path / "side"), str(main))


def test_worktrees_agree_whatever_branch_they_are_on(tmp_path: Path, ask: Ask) -> None:
    """The upstream that decides between remotes is the main work tree's."""
    main = repository(tmp_path / "main")
    for name in ("amy", "zoe"):
        git(main, "remote", "add", name, f"https://h.example/{name}/r")
    git(main, "worktree", "add", "-q", "-b", "side", "../side")
    git(main, "config", "branch.side.remote", "zoe")
    assert found(ask(main)).key == found(ask(tmp_path / "side")).key == "h.example/amy/r"


def test_a_worktree_that_nothing_points_back_to_is_on_its_own(tmp_path: Path, ask: Ask) -> None:
    """A copied `.git` file does not make a directory part of another repository."""
    main = repository(tmp_path / "main", "git@github.com:org/secret.git")
    git(main, "worktree", "add", "-q", "../side")
    thief = tmp_path / "thief"
    thief.mkdir()
    (thief / ".git").write_bytes((tmp_path / "side/.git").read_bytes())
    assert found(ask(thief)) == Project(f"path:{thief}", "thief", str(thief))


def test_a_relative_back_link_is_followed(tmp_path: Path, ask: Ask) -> None:
    """Newer git writes both links of a worktree relative to where they stand."""
    main = repository(tmp_path / "main", "git@github.com:org/api.git")
    git(main, "worktree", "add", "-q", "../side")
    (tmp_path / "side/.git").write_text("gitdir: ../main/.git/worktrees/side\n", "utf-8")
    (main / ".git/worktrees/side/gitdir").write_text("../../../../side/.git\n", "utf-8")
    assert found(ask(tmp_path / "side")).key == "github.com/org/api"


@pytest.mark.parametrize("hidden", [".bare", "app.git"])
@pytest.mark.parametrize("url", ["git@github.com:org/api.git", ""])
def test_worktrees_of_a_bare_repository_agree(hidden: str, url: str, tmp_path: Path, ask: Ask) -> None:
    """Without a main work tree each worktree is its own main root, and the key is the repository's."""
    first = repository(tmp_path / "first")
    git(tmp_path, "clone", "-q", "--bare", str(first), f"app/{hidden}")
    bare = tmp_path / "app" / hidden
    git(bare, "remote", "remove", "origin")
    if url:
        git(bare, "remote", "add", "origin", url)
    for name in ("one", "two"):
        git(bare, "worktree", "add", "-q", f"{tmp_path}/app/{name}", "-b", name)
    one, two = found(ask(tmp_path / "app/one")), found(ask(tmp_path / "app/two"))
    assert one.key == two.key == found(ask(bare)).key
    assert one.main_root == one.root == str(tmp_path / "app/one")
    assert one.name == ("api" if url else "app")
    assert found(ask(bare)).root == ""


def test_a_git_file_beside_a_hidden_bare_repository_is_believed(tmp_path: Path, ask: Ask) -> None:
    """`gitdir: ./.bare` stays inside its own directory; there is no work tree around it."""
    git(tmp_path, "init", "-q", "--bare", "app/.bare")
    git(tmp_path / "app/.bare", "remote", "add", "origin", "git@github.com:org/app.git")
    (tmp_path / "app/.git").write_text("gitdir: ./.bare\n", "utf-8")
    assert ask(tmp_path / "app") == Project("github.com/org/app", "app", "", "github.com/org/app")


def test_a_submodule_is_its_own_project(tmp_path: Path, ask: Ask) -> None:
    """It has its own remote and root, and so has a worktree of it."""
    library = repository(tmp_path / "library")
    outer = repository(tmp_path / "outer", "git@github.com:org/outer.git")
    git(outer, "submodule", "add", "-q", str(library), "deps/lib")
    inner = outer / "deps/lib"
    git(inner, "remote", "set-url", "origin", "git@github.com:org/lib.git")
    want = Project("github.com/org/lib", "lib", str(inner), "github.com/org/lib")
    assert ask(inner) == want
    assert found(ask(outer / "deps")).key == "github.com/org/outer"
    git(inner, "worktree", "add", "-q", "-b", "side", f"{tmp_path}/side")
    assert ask(tmp_path / "side") == Project(want.key, "lib", str(tmp_path / "side"), want.key, str(inner))
    git(inner, "config", "extensions.worktreeConfig", "true")
    git(inner, "config", "--worktree", "core.worktree", git(inner, "config", "core.worktree"))
    git(inner, "config", "--file", str(outer / ".git/modules/deps/lib/config"), "--unset", "core.worktree")
    assert ask(inner) == want


def test_a_submodule_without_a_remote_is_known_by_its_path(tmp_path: Path, ask: Ask) -> None:
    """Not by the directory inside the outer repository's `.git`."""
    library = repository(tmp_path / "library")
    outer = repository(tmp_path / "outer")
    git(outer, "submodule", "add", "-q", str(library), "lib")
    git(outer / "lib", "remote", "remove", "origin")
    git(outer / "lib", "worktree", "add", "-q", "-b", "side", f"{tmp_path}/side")
    assert found(ask(outer / "lib")).key == f"path:{outer / 'lib'}"
    assert found(ask(tmp_path / "side")).key == f"path:{outer / 'lib'}"


def test_a_bare_repository_has_no_root(tmp_path: Path, ask: Ask) -> None:
    """It has a key, and nowhere to write; inside a work tree the work tree counts."""
    git(tmp_path, "init", "-q", "--bare", "store.git")
    git(tmp_path / "store.git", "remote", "add", "origin", "git@github.com:org/api.git")
    want = Project("github.com/org/api", "api", "", "github.com/org/api")
    assert ask(tmp_path / "store.git") == want
    assert ask(tmp_path / "store.git/hooks") == want
    outer = repository(tmp_path / "outer", "git@github.com:org/outer.git")
    git(outer, "init", "-q", "--bare", "fixtures/x.git")
    assert found(ask(outer / "fixtures/x.git")).key == "github.com/org/outer"


# -- hostile and broken repositories --------------------------------------------------------------


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A repository whose identity others would like to have."""
    return repository(tmp_path / "secret", "git@github.com:org/secret.git")


def _git_file(thief: Path, secret: Path) -> None:
    (thief / ".git").write_text(f"gitdir: {secret}/.git\n", "utf-8")


def _git_link(thief: Path, secret: Path) -> None:
    (thief / ".git").symlink_to(secret / ".git")


def _common_link(thief: Path, secret: Path) -> None:
    git(thief, "init", "-q")
    (thief / ".git/commondir").write_text(f"{secret}/.git\n", "utf-8")


def _config_link(thief: Path, secret: Path) -> None:
    git(thief, "init", "-q")
    (thief / ".git/config").unlink()
    (thief / ".git/config").symlink_to(secret / ".git/config")


def _include(thief: Path, secret: Path) -> None:
    git(thief, "init", "-q")
    for section in ("include", f'includeIf "gitdir:{thief}/"'):
        with (thief / ".git/config").open("a", encoding="utf-8") as file:
            file.write(f"[{section}]\n\tpath = {secret}/.git/config\n")


def _forged_worktree(thief: Path, secret: Path) -> None:
    fake = thief / "x/worktrees/w"
    fake.mkdir(parents=True)
    (thief / ".git").write_text("gitdir: x/worktrees/w\n", "utf-8")
    (fake / "commondir").write_text(f"{secret}/.git\n", "utf-8")
    (fake / "gitdir").write_text(f"{thief}/.git\n", "utf-8")
    (fake / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")


def _forged_main(thief: Path, secret: Path) -> None:
    """A real worktree of a repository that says its main work tree is the other one."""
    git(thief, "init", "-q", "inner")
    (thief / "inner/.git").rename(thief / "inner/store")
    git(thief, "--git-dir=inner/store", "commit", "-q", "--allow-empty", "-m", "x")
    git(thief, "--git-dir=inner/store", "config", "core.worktree", str(secret))
    common, side = thief / "inner/store", thief / "inner/store/worktrees/w"
    side.mkdir(parents=True)
    (thief / ".git").write_text(f"gitdir: {side}\n", "utf-8")
    (side / "commondir").write_text(f"{common}\n", "utf-8")
    (side / "gitdir").write_text(f"{thief}/.git\n", "utf-8")


def _work_tree_elsewhere(thief: Path, secret: Path) -> None:
    git(thief, "init", "-q")
    git(thief, "config", "core.worktree", str(secret))


TRICKS = [_git_file, _git_link, _common_link, _config_link, _include, _forged_worktree, _work_tree_elsewhere]


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.__name__)
def test_no_trick_makes_a_directory_another_project(
    trick: Callable[[Path, Path], None], tmp_path: Path, secret: Path, ask: Ask
) -> None:
    """Without a link back the directory is known by its own path, and its root is itself."""
    thief = tmp_path / "thief"
    thief.mkdir()
    trick(thief, secret)
    assert ask(thief) == Project(f"path:{thief}", "thief", str(thief))


def test_a_forged_main_work_tree_is_not_believed(tmp_path: Path, secret: Path, ask: Ask) -> None:
    """`core.worktree` names the main work tree only when that points back."""
    thief = tmp_path / "thief"
    thief.mkdir()
    _forged_main(thief, secret)
    got = found(ask(thief))
    assert got.root == got.main_root == str(thief)
    assert got.key == f"path:{thief / 'inner/store'}"


def test_a_separate_git_directory_keeps_its_work_tree(tmp_path: Path, ask: Ask) -> None:
    """Nothing in it points back, so the path names the project."""
    git(tmp_path, "init", "-q", "--separate-git-dir", f"{tmp_path}/elsewhere", "work")
    git(tmp_path / "work", "remote", "add", "origin", "git@github.com:org/api.git")
    assert found(ask(tmp_path / "work")).key == f"path:{tmp_path / 'work'}"


def test_nothing_a_repository_configures_is_run(tmp_path: Path, ask: Ask) -> None:
    """fsmonitor, ssh commands, pagers, aliases and hooks stay text."""
    top = repository(tmp_path / "r", "git@github.com:org/api.git")
    flag = tmp_path / "pwned"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {flag}\n", "utf-8")
    program.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.hooksPath",
        "credential.helper",
    ):
        git(top, "config", key, str(program))
    assert found(ask(top, PATH="", GIT_DIR="/nowhere", GIT_WORK_TREE="/nowhere")).key == "github.com/org/api"
    assert not flag.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"gitdir:",
        b"gitdir: ",
        b"gitdir: nowhere\n",
        b"gitdir: a\0b\n",
        b"hello\n",
        b"\xff\xfe",
        b"x" * 70_000,
        b"gitdir: .\n",
        b"gitdir: .git\n",
        b"gitdir: /\n",
    ],
)
def test_a_broken_git_file_falls_back_to_the_path(content: bytes, tmp_path: Path, ask: Ask) -> None:
    """Where git would stop with an error there is still a project."""
    top = tmp_path / "r"
    top.mkdir()
    (top / ".git").write_bytes(content)
    assert ask(top) == Project(f"path:{top}", "r", str(top))


@pytest.mark.parametrize(
    "content", [b"", b"\0\xff", b"[remote", b'[remote "o"\nurl=', b'url = x\n[remote "origin"]\nurl\n']
)
def test_a_broken_config_falls_back_to_the_path(content: bytes, tmp_path: Path, ask: Ask) -> None:
    """A config git cannot read names nothing."""
    top = repository(tmp_path / "r", "git@github.com:org/api.git")
    (top / ".git/config").write_bytes(content)
    assert found(ask(top)).key == f"path:{top}"


def test_a_pipe_called_git_or_config_does_not_block(tmp_path: Path, ask: Ask) -> None:
    """Only regular files are read."""
    top = repository(tmp_path / "r", "git@github.com:org/api.git")
    (top / "sub").mkdir()
    os.mkfifo(top / "sub/.git")
    (top / ".git/config").unlink()
    os.mkfifo(top / ".git/config")
    assert found(ask(top / "sub")).key == f"path:{top}"


def test_an_empty_git_directory_is_passed_over(tmp_path: Path, ask: Ask) -> None:
    """As git does, which looks further up."""
    top = repository(tmp_path / "r", "git@github.com:org/api.git")
    (top / "sub/.git").mkdir(parents=True)
    assert found(ask(top / "sub")).root == str(top)


def test_an_unreadable_git_directory_falls_back_to_the_path() -> None:
    """Another owner's `.git` still marks the top of a project."""
    with shared_place() as place:
        top = repository(place / "r", "git@github.com:org/api.git")
        (top / ".git").chmod(0o000)
        answer = as_nobody(lambda: found(identify(str(top), home="/nonexistent", env={})).key)
        (top / ".git").chmod(0o755)
        assert answer == repr(f"path:{top}")
        # reading what another user owns is fine: nothing is run, so git's `safe.directory` is not needed
        answer = as_nobody(lambda: found(identify(str(top), home="/nonexistent", env={})).key)
        assert answer == repr("github.com/org/api")


# -- without git ----------------------------------------------------------------------------------


@pytest.mark.parametrize("marker", project.MARKERS)
def test_a_marker_makes_a_project(marker: str, home: Path, ask: Ask) -> None:
    """Outside git, in the home or elsewhere, the nearest directory with a marker is the project."""
    top = home / "work/thing"
    (top / "src").mkdir(parents=True)
    (top / marker).touch()
    want = Project(f"path:{top}", "thing", str(top))
    assert ask(top) == ask(top / "src") == want
    (home / "work" / marker).touch()
    assert ask(top / "src") == want


def test_outside_the_home_a_marker_counts_too(tmp_path: Path, ask: Ask) -> None:
    """A container has its code in /app or /workspace."""
    (tmp_path / "app/src").mkdir(parents=True)
    (tmp_path / "app/package.json").touch()
    assert found(ask(tmp_path / "app/src")).root == str(tmp_path / "app")


def test_a_directory_without_marker_is_none(tmp_path: Path, home: Path, ask: Ask) -> None:
    """A folder of downloads is no project."""
    (home / "Downloads").mkdir()
    (tmp_path / "x").mkdir()
    assert ask(home / "Downloads") is None
    assert ask(tmp_path / "x") is None


def test_home_root_and_temporary_directories_are_none(tmp_path: Path, home: Path, ask: Ask) -> None:
    """Not even with a marker or a repository in them."""
    (home / "AGENTS.md").touch()
    (home / "Documents").mkdir()
    (home.parent / "AGENTS.md").touch()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "package.json").touch()
    assert ask(home) is None
    assert ask(home / "Documents") is None
    assert ask(home.parent) is None
    assert ask("/") is None
    assert ask("/tmp") is None
    assert ask(scratch, TMPDIR=str(scratch)) is None
    git(scratch, "init", "-q")
    assert ask(scratch, TMPDIR=str(scratch)) is None
    assert found(ask(scratch)).root == str(scratch)


def test_a_home_full_of_dotfiles_is_no_project(home: Path, ask: Ask) -> None:
    """Neither the home that is a repository nor a folder in it; a repository below it is one."""
    git(home, "init", "-q")
    git(home, "remote", "add", "origin", "git@github.com:jo/dotfiles.git")
    (home / "notes").mkdir()
    assert ask(home) is None
    assert ask(home / "notes") is None
    assert found(ask(repository(home / "src/app", "git@github.com:jo/app.git"))).key == "github.com/jo/app"
    assert found(ask(repository(home / ".dotfiles", "git@github.com:jo/dotfiles.git"))).key == "github.com/jo/dotfiles"


def test_hidden_directories_of_the_home_are_none(home: Path, ask: Ask) -> None:
    """`~/.claude/CLAUDE.md` is global: the directory around it is no project."""
    for name in (".claude", ".codex", ".config/opencode"):
        (home / name / "sub").mkdir(parents=True)
        (home / name / "AGENTS.md").touch()
        assert ask(home / name / "sub") is None


def test_the_store_is_no_project(home: Path, tmp_path: Path, ask: Ask) -> None:
    """Though it is a git repository of its own."""
    store = repository(home / ".agent-improvement")
    other = repository(tmp_path / "store")
    (store / "spool").mkdir()
    assert ask(store / "spool") is None
    assert ask(other, AGENT_IMPROVEMENT_HOME=str(other)) is None


def test_a_repository_around_the_home_counts_only_outside_it(tmp_path: Path) -> None:
    """A home inside a work tree, as in some containers, hides nothing of that work tree."""
    top = repository(tmp_path / "work", "git@github.com:org/api.git")
    inner = top / ".home/docs"
    inner.mkdir(parents=True)
    assert found(identify(str(top), home=str(top / ".home"), env={})).key == "github.com/org/api"
    assert identify(str(inner), home=str(top / ".home"), env={}) is None


@pytest.mark.parametrize("home_", ["", "/", "/nonexistent", "relative", "a\0b"])
def test_a_missing_home_changes_nothing(home_: str, tmp_path: Path) -> None:
    """HOME may be unset, or the root of a container."""
    top = repository(tmp_path / "r", "git@github.com:org/api.git")
    assert found(identify(str(top), home=home_, env={})).key == "github.com/org/api"
    assert identify("/", home=home_, env={}) is None


# -- names and directories ------------------------------------------------------------------------


def test_the_environment_names_what_has_no_remote(tmp_path: Path, home: Path, ask: Ask) -> None:
    """AGENT_PROJECT_NAME is key and name, with the root if there is one; a remote is stronger."""
    bare_name = repository(tmp_path / "x")
    named = repository(tmp_path / "y", "git@github.com:org/api.git")
    assert ask(bare_name, AGENT_PROJECT_NAME="Rocket") == Project("Rocket", "Rocket", str(bare_name))
    assert ask(home, AGENT_PROJECT_NAME=" Rocket ") == Project("Rocket", "Rocket")
    assert found(ask(named, AGENT_PROJECT_NAME="Rocket")).key == "github.com/org/api"
    url = "https://jo:hunter2@github.com/org/api.git"
    assert ask(home, AGENT_PROJECT_NAME=url) == Project("github.com/org/api", "api")
    for nothing in ("", " ", "unknown", "a\nb", "a\0b", "x" * 300, "https://jo:hunter2@bad host"):
        assert ask(home, AGENT_PROJECT_NAME=nothing) is None


@pytest.mark.parametrize(
    "name", ["ロケット", "ракета", "cafe\u0301", "a b", "ﬁ", "🚀", "x\ny", "x\x1b[2J", "-x", "$(x)"]
)
def test_any_directory_name_is_fine(name: str, tmp_path: Path, ask: Ask) -> None:
    """Key and name are one printable line in NFC; the root opens."""
    got = found(ask(repository(tmp_path / name)))
    assert got.key.isprintable()
    assert got.name.isprintable()
    assert got.key == unicodedata.normalize("NFC", got.key)
    assert Path(got.root, ".git").is_dir()


def test_a_name_that_is_no_unicode_is_fine(tmp_path: Path, ask: Ask) -> None:
    """Linux allows any bytes."""
    raw = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    got = found(ask(repository(Path(raw))))
    got.key.encode()
    got.name.encode()
    assert got.root == raw


def test_a_linked_directory_is_where_it_leads(tmp_path: Path, home: Path) -> None:
    """The working directory, the home and the way to the repository may be links."""
    top = repository(tmp_path / "r", "git@github.com:org/api.git")
    (tmp_path / "way").symlink_to(top)
    (tmp_path / "house").symlink_to(home)
    (home / "AGENTS.md").touch()
    assert found(identify(str(tmp_path / "way"), home=str(home), env={})).root == str(top)
    assert identify(str(home), home=str(tmp_path / "house"), env={}) is None
    assert identify(str(tmp_path / "house"), home=str(home), env={}) is None


def test_a_directory_that_is_gone_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    """A deleted working directory is no project and no error."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    assert project.current_directory() == str(gone)
    gone.rmdir()
    assert project.current_directory() is None
    for nowhere in (gone, "", "relative", "a\0b", "/" + "x" * 5000, tmp_path / "gone/deeper"):
        assert ask(nowhere) is None
    (tmp_path / "file").touch()
    assert ask(tmp_path / "file") is None


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=200) | st.text(alphabet='[]remot"origin\\url=\n /.:@', max_size=120).map(str.encode),
    st.sampled_from([".git", ".git/config", ".git/HEAD", ".git/commondir"]),
)
def test_any_bytes_in_git_s_files_give_an_answer(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str
) -> None:
    """Whatever stands in `.git`, the answer is a project whose root is the directory itself, or nothing."""
    top = tmp_path_factory.mktemp("r") / "work"
    for directory in ("objects", "refs"):
        if name != ".git":
            (top / ".git" / directory).mkdir(parents=True)
            (top / ".git/HEAD").touch()
    top.mkdir(exist_ok=True)
    (top / name).write_bytes(data)
    got = identify(str(top), home="/nonexistent", env={})
    assert got is not None
    assert got.root in (str(top), "")


# -- --project NAME -------------------------------------------------------------------------------

REGISTRY: dict[str, dict[str, object]] = {
    "github.com/org1/api": {"name": "api", "roots": ["/src/api"]},
    "github.com/org2/api": {"name": "api"},
    "github.com/org1/Web": {"name": "Web"},
    "rocket": {},
    "path:/home/jo/tools": {"name": "tools", "roots": None},
}
HERE = Project("github.com/org3/api", "api", "/work/api", "github.com/org3/api")


@pytest.mark.parametrize(
    ("name", "current", "key"),
    [
        ("api", HERE, HERE.key),
        (HERE.key, HERE, HERE.key),
        ("/work/api", HERE, HERE.key),
        ("git@github.com:org3/api.git", HERE, HERE.key),
        ("github.com/org2/api", HERE, "github.com/org2/api"),
        ("https://jo:hunter2@github.com/Org2/api.git", HERE, "github.com/org2/api"),
        ("Web", HERE, "github.com/org1/Web"),
        ("web", None, "github.com/org1/Web"),
        ("rocket", None, "rocket"),
        ("tools", None, "path:/home/jo/tools"),
        ("/src/api", None, "github.com/org1/api"),
        ("/home/jo/tools", None, "path:/home/jo/tools"),
        ("new-thing", HERE, "new-thing"),
        ("org/new", HERE, "org/new"),
        ("github.com/Org/New.git", None, "github.com/org/new"),
        ("https://github.com/Org/New.git", None, "github.com/org/new"),
        ("製品", None, "製品"),
        ("cafe\u0301", None, "café"),
        ("  new-thing ", None, "new-thing"),
        ("unknown", HERE, "unknown"),
        ("", HERE, "unknown"),
        ("  ", HERE, "unknown"),
        # never used as a path: these are names, however they look
        ("../../.ssh/x", None, "../../.ssh/x"),
        ("/etc/x", None, "/etc/x"),
        ("C:\\x", None, "C:\\x"),
        ("CON", None, "CON"),
        ("trailing.", None, "trailing."),
        ("@scope/pkg", None, "@scope/pkg"),
    ],
)
def test_a_name_is_resolved(name: str, current: Project | None, key: str) -> None:
    """Current project first, then keys, then unique names and roots, else a bare key."""
    assert resolve_name(name, current, REGISTRY) == key


def test_a_name_that_several_projects_have_is_refused() -> None:
    """The refusal lists the keys to choose from."""
    with pytest.raises(Refused, match=r"github\.com/org1/api, github\.com/org2/api"):
        resolve_name("api", None, REGISTRY)


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "a\x1b[2Jb", "a\u202eb", "x" * 300, "https://jo:hunter2@bad host"])
def test_what_is_no_name_is_refused_in_one_safe_line(name: str) -> None:
    """Control characters are shown escaped, passwords not at all."""
    with pytest.raises(Refused) as caught:
        resolve_name(name, None, {})
    assert str(caught.value).isprintable()
    assert "hunter2" not in str(caught.value)


# -- the noun and its cost ------------------------------------------------------------------------


def test_a_project_is_frozen_and_compares_by_value() -> None:
    """Like the other nouns, without the price of `dataclasses`."""
    one, two = Project("k", "n", "/r"), Project("k", "n", "/r", "", "/r")
    assert one == two
    assert len({one, two}) == 1
    assert one != Project("k", "n", "/s")
    assert repr(one) == "Project(key='k', main_root='/r', name='n', remote='', root='/r')"
    with pytest.raises(AttributeError):
        one.key = "x"
    assert project.UNKNOWN == rule.UNKNOWN


def test_looking_loads_nothing_heavy_and_starts_nothing(tmp_path: Path) -> None:
    """No git, no subprocess, no dataclasses, no re on the way of every hook."""
    top = repository(tmp_path / "r", "git@github.com:org/api.git")
    source = str(Path(project.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {source!r}); from improve import project; "
    code += f"print(project.identify({str(top)!r}, home='/nonexistent', env={{}}).key, *sys.modules)"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    key, *loaded = run.stdout.split()
    assert key == "github.com/org/api"
    assert not {"re", "git", "subprocess", "dataclasses", "typing", "pathlib"} & set(loaded)
