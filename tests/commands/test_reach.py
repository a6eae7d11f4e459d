"""Which written rules reach a host here, and what `where --host` says of its files."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from improve import hosts
from improve.hosts.base import Host, Loaded
from improve.workflow import reach
from improve.workflow.here import Here

TEXT = "Run the tests before you commit"


def written(improve: Improve, root: Path) -> None:
    """Have one rule of a project written into its file."""
    for session in ("s1", "s2"):
        improve("observe", TEXT, "--domain", "testing", "--session", session, "--explicit-scope", "local", cwd=root)
    improve("escalate", "--apply", cwd=root)


def reached(root: Path, name: str) -> reach.Reached:
    """Give what becomes of the one rule in a host."""
    os.chdir(root)
    here = Here.from_environment(os.environ, datetime.now(UTC))
    [found] = reach.reach(here, hosts.host(name), here.store.view())
    return found


@pytest.fixture
def project(improve: Improve, repository: Repository) -> Path:
    """Make a project whose AGENTS.md has the rule."""
    root = repository("app", agents="# App\n\n## Testing\n\n- Old\n")
    written(improve, root)
    assert TEXT in (root / "AGENTS.md").read_text()
    return root


def test_a_rule_in_a_loaded_file_reaches_the_host(project: Path) -> None:
    """The file that carries it is named."""
    found = reached(project, "codex")
    assert found.reached
    assert (found.text, found.path, found.why) == (TEXT, str(project / "AGENTS.md"), "")


@pytest.mark.parametrize(
    ("host", "file", "said", "state", "part"),
    [
        ("claude-code", "CLAUDE.md", "- x\n", "hidden", "CLAUDE.md is read instead"),
        ("codex", "AGENTS.override.md", "", "hidden", "AGENTS.override.md beside it is read instead"),
        ("gemini", "GEMINI.md", "- x\n", "off", "does not read AGENTS.md"),
    ],
)
def test_a_rule_in_a_file_that_is_not_loaded_says_why(
    project: Path, host: str, file: str, said: str, state: str, part: str
) -> None:
    """What hides the file is named, and what to do about it."""
    (project / file).write_text(said)
    found = reached(project, host)
    assert (found.state, found.reached) == (state, False)
    assert part in found.why
    assert found.fix


def test_a_rule_reaches_a_host_by_another_file_too(project: Path) -> None:
    """It is the words that count, not the file they were written to."""
    (project / "GEMINI.md").write_text(f"- {TEXT}\n")
    assert reached(project, "gemini").path == str(project / "GEMINI.md")


def test_a_rule_that_begins_like_another_line_is_not_found_in_it(project: Path) -> None:
    """A longer bullet that holds the words is another rule."""
    (project / "GEMINI.md").write_text(f"- {TEXT} on Fridays\n")
    assert not reached(project, "gemini").reached


def test_a_rule_beyond_the_cap_is_cut(project: Path) -> None:
    """Codex reads the first 32 KiB of the project's files."""
    rest = (project / "AGENTS.md").read_text()
    (project / "AGENTS.md").write_text("x" * (32 << 10) + "\n\n" + rest)
    found = reached(project, "codex")
    assert found.state == "cut"
    assert "project_doc_max_bytes" in found.fix


def test_a_deleted_line_or_file_is_gone(project: Path) -> None:
    """The person took it away; that is said, not repaired."""
    (project / "AGENTS.md").write_text("# App\n")
    assert reached(project, "codex").state == "gone"
    (project / "AGENTS.md").unlink()
    assert reached(project, "codex").state == "gone"


def test_a_global_file_of_another_host_is_foreign(improve: Improve, repository: Repository, home: Path) -> None:
    """The rule stands in Codex's own file, which Gemini CLI does not load; the fix links its file to that one."""
    (home / ".codex").mkdir()
    (home / ".gemini").mkdir()
    (home / ".codex" / "AGENTS.md").write_text("# Mine\n")
    root = repository("app")
    improve("observe", TEXT, "--domain", "testing", "--explicit-scope", "global", cwd=root)
    improve("escalate", "--apply", cwd=root)
    assert reached(root, "codex").reached
    found = reached(root, "gemini")
    assert found.state == "foreign"
    assert found.fix == "ln -s ~/.codex/AGENTS.md ~/.gemini/GEMINI.md"


def test_a_rule_that_is_not_written_is_not_listed(improve: Improve, repository: Repository) -> None:
    """A tentative rule has no file to be reached from."""
    root = repository("app", agents="# App\n")
    improve("observe", TEXT, "--domain", "testing", cwd=root)
    os.chdir(root)
    here = Here.from_environment(os.environ, datetime.now(UTC))
    assert reach.reach(here, hosts.host("codex"), here.store.view()) == []


def test_advice_names_long_files_and_full_caps() -> None:
    """Only what is loaded counts; a file below the limits is no matter."""
    claude, codex = hosts.host("claude-code"), hosts.host("codex")
    long = Loaded("/h/p/AGENTS.md", "project", "loaded", data=b"- x\n" * 340)
    assert reach.advice(claude, [long], "/h") == ["~/p/AGENTS.md has 340 lines; Claude Code advises fewer than 200"]
    assert reach.advice(claude, [long._replace(state="hidden", data=b"")], "/h") == []
    full = long._replace(data=b"x" * (30 << 10))
    assert reach.advice(codex, [full]) == ["the project's files: 30 KiB of the 32 KiB that Codex CLI reads are used"]
    assert reach.advice(codex, [full._replace(data=b"x" * 1000)]) == []
    cut = full._replace(state="cut", why="only its first 9 bytes fit", fix="shorten it")
    assert reach.advice(codex, [cut]) == ["/h/p/AGENTS.md: only its first 9 bytes fit; shorten it"]
    assert reach.advice(Host("x", "X"), [full]) == []


def test_where_shows_the_chain_of_a_host(improve: Improve, repository: Repository) -> None:
    """One line for each file in the order it is sent, with what hides it and what to do."""
    root = repository("app", agents="- a\n- b\n")
    (root / "CLAUDE.md").write_text("- c\n")
    lines = improve("where", "--host", "claude-code", cwd=root).out.splitlines()
    assert lines[0].startswith("Claude Code, for a session that starts in ")
    assert lines[1].strip() == f"loaded  {root}/CLAUDE.md (1 line, 4 bytes)"
    assert lines[2].strip() == f"hidden  {root}/AGENTS.md (8 bytes)"
    assert lines[3].strip() == f"why: {root}/CLAUDE.md is read instead"
    assert lines[4].strip() == f"fix: add the line @AGENTS.md to {root}/CLAUDE.md"


def test_where_gives_the_chain_as_json(improve: Improve, repository: Repository) -> None:
    """Every file with its state, size and reason; the text of a file is not given away."""
    root = repository("app", agents="- a\n- b\n")
    told = improve("where", "--host", "codex", "--json", cwd=root).json
    assert (told["host"], told["directory"], told["advice"]) == ("codex", str(root), [])
    [file] = [f for f in told["files"] if f["path"].startswith(str(root))]
    assert file == {
        "path": f"{root}/AGENTS.md", "scope": "project", "state": "loaded", "why": "", "fix": "", "via": "",
        "bytes": 8, "lines": 2,
    }  # fmt: skip


def test_where_asks_for_another_project(improve: Improve, repository: Repository, tmp_path: Path) -> None:
    """`--project` starts the session at that project's top; one without a directory here is refused."""
    written(improve, repository("app", agents="# App\n\n## Testing\n\n- Old\n"))
    told = improve("where", "--host", "codex", "--project", "app", "--json", cwd=tmp_path).json
    assert told["directory"] == str(tmp_path / "app")
    said = improve("where", "--host", "codex", "--project", "nowhere", cwd=tmp_path, code=3)
    assert "no directory on this machine" in said.err


def test_an_unknown_host_is_a_usage_error(improve: Improve) -> None:
    """The names there are are listed."""
    said = improve("where", "--host", "clod", code=2)
    assert "claude-code" in said.err
