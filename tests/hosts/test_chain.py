"""What each host loads, file by file: the trees of tests/data/chains, seen on the real programs where they run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hosts.trees import Case, Tree, cases, plant
from improve import hosts
from improve.hosts import chain, imports, text
from improve.hosts.base import Loaded, Spot

STATES = {"loaded", "cut", "hidden", "scoped", "later", "off"}
NAMES = [host.name for host in hosts.all_hosts()]


def simulated(host: str, tree: Tree, cwd: str = ".", env: tuple[str, ...] = ()) -> list[Loaded]:
    """Give what the host makes of the files of a tree; what lies above it on this machine is left out."""
    where = os.path.normpath(tree.app / cwd)
    variables = dict(tree.filled(each).split("=", 1) for each in env)
    find = hosts.host(host).chain
    assert find is not None
    found = find(Spot(where, str(tree.app), str(tree.home), variables))
    return [file for file in found if file.path.startswith(f"{tree.base}/")]


def told(tree: Tree, file: Loaded) -> str:
    """Write a file of a chain as the cases do."""
    via = f" < {tree.name(file.via)}" if file.via else ""
    return f"{file.state} {tree.name(file.path)}{via}"


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.host}: {case.title}")
def test_the_chain_of_a_host_is_what_the_host_loads(tmp_path: Path, case: Case) -> None:
    """Each file is listed once, in the order in which it is sent, with its state; what is not seen says why."""
    tree = plant(tmp_path, case)
    found = simulated(case.host, tree, case.cwd, case.env)
    assert tuple(told(tree, file) for file in found) == case.chain
    for file in found:
        assert file.state in STATES
        assert bool(file.why) == (file.state != "loaded")
        assert not file.data or file.state in ("loaded", "cut")


def test_every_host_has_a_chain_and_a_table() -> None:
    """A host without a case would be simulated and never checked."""
    assert {case.host for case in cases()} == set(NAMES)
    assert all(host.chain for host in hosts.all_hosts())


def tree_of(base: Path, *files: str) -> Tree:
    """Make a tree of files."""
    return plant(base, Case("", "", files, ".", (), True, ()))


@pytest.mark.parametrize("host", NAMES)
def test_what_cannot_be_read_neither_raises_nor_hangs(tmp_path: Path, host: str) -> None:
    """A pipe, a binary file, a directory, a link to itself and a huge file are `off`, with the reason, or not there."""
    tree = tree_of(tmp_path)
    os.mkfifo(tree.app / "AGENTS.md")
    (tree.app / "CLAUDE.md").write_bytes(b"\xff\xfe\0\1" * 50)
    (tree.app / "GEMINI.md").symlink_to("GEMINI.md")
    (tree.app / "QWEN.md").mkdir()
    with (tree.app / ".goosehints").open("wb") as huge:
        huge.truncate(chain.CAP + 1)
    rules = tree.app / ".claude" / "rules"
    rules.mkdir(parents=True)
    (rules / "again").symlink_to("..")
    (tree.app / ".clinerules").symlink_to(".clinerules")
    for file in simulated(host, tree):
        assert file.state in ("off", "hidden")
        assert file.why


def test_an_unreadable_file_says_so(tmp_path: Path) -> None:
    """Where the right to read was taken away, the reason names it."""
    tree = tree_of(tmp_path, "AGENTS.md")
    (tree.app / "AGENTS.md").chmod(0)
    if os.access(tree.app / "AGENTS.md", os.R_OK):
        pytest.skip("this user may read everything")
    [found] = simulated("generic", tree)
    assert found.state == "off"
    assert "ermission" in found.why


@pytest.mark.parametrize("host", NAMES)
def test_a_directory_that_is_gone_has_no_chain_of_its_own(tmp_path: Path, host: str) -> None:
    """Nothing is found below a directory that does not exist, nor where none is known."""
    find = hosts.host(host).chain
    assert find is not None
    for where in (str(tmp_path / "gone"), ""):
        found = find(Spot(where, "", str(tmp_path / "home"), {}))
        assert [file for file in found if file.path.startswith(str(tmp_path))] == []


def test_a_file_that_is_cut_keeps_its_first_bytes(tmp_path: Path) -> None:
    """Codex reads 32 KiB of a project; the file in which they end loses its tail, the one after it all."""
    tree = tree_of(tmp_path)
    (tree.app / "AGENTS.md").write_text("a" * (32 << 10))
    (tree.app / "sub").mkdir()
    (tree.app / "sub" / "AGENTS.md").write_text("tail")
    first, second = simulated("codex", tree, "sub")
    assert (first.state, len(first.data)) == ("loaded", 32 << 10)
    assert (second.state, second.data, second.size) == ("cut", b"", 4)
    assert "project_doc_max_bytes" in second.fix


def test_comments_of_their_own_do_not_reach_claude_code(tmp_path: Path) -> None:
    """A comment that stands as a block is taken away; inside a line, in code and in a list it stays."""
    said = "a\n\n<!-- block -->\n\nb <!-- inline --> c\n\n```\n<!-- fence -->\n```\n\n"
    said += "- d\n\n  <!-- item -->\n\n<!-- x --> e\n"
    tree = tree_of(tmp_path)
    (tree.app / "CLAUDE.md").write_text(said)
    [found] = simulated("claude-code", tree)
    for kept in (b"inline", b"fence", b"item", b" e"):
        assert kept in found.data
    assert b"block" not in found.data
    assert b"x -->" not in found.data


def test_the_fix_names_the_line_that_helps(tmp_path: Path) -> None:
    """An AGENTS.md that CLAUDE.md hides is told how CLAUDE.md draws it in; done so, it is loaded."""
    tree = tree_of(tmp_path, "AGENTS.md", ".claude/CLAUDE.md")
    hidden = next(f for f in simulated("claude-code", tree) if f.state == "hidden")
    assert hidden.fix == f"add the line @../AGENTS.md to {tree.app}/.claude/CLAUDE.md"
    (tree.app / ".claude" / "CLAUDE.md").write_text("@../AGENTS.md\n")
    assert [f.state for f in simulated("claude-code", tree)] == ["loaded", "loaded"]


USUAL = """
    AGENTS.md CLAUDE.md GEMINI.md QWEN.md .claude .cursor rules a.md b.mdc sub .git .github instructions üb .codex
    x.instructions.md AGENTS.override.md CLAUDE.local.md .clinerules .aider.conf.yml opencode.json settings.json
    config.toml .qwen .gemini .goosehints
"""
NAME = st.sampled_from(USUAL.split())
SAID = st.one_of(
    st.binary(max_size=60),
    st.text(alphabet="@a./m d`~<>!-#*[]\n\\{}\"':,|_\t\r§", max_size=80).map(lambda s: s.encode()),
    st.sampled_from((b"@AGENTS.md @sub\n", b"---\npaths: [x\n---\n", b'{"context": 3}', b'{"instructions": ["**"]}')),
)
FILES = st.lists(st.tuples(st.lists(NAME, min_size=1, max_size=4), st.one_of(SAID, st.none(), NAME)), max_size=12)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=FILES, below=st.lists(NAME, max_size=2))
def test_no_tree_makes_a_chain_fail(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[list[str], bytes | str | None]], below: list[str]
) -> None:
    """Whatever lies on the disk, each host gives a chain: every file once, nothing but files in sight with text."""
    base = tmp_path_factory.mktemp("tree")
    for parts, what in files:
        path = base.joinpath(*parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if what is None:
                path.mkdir(exist_ok=True)
            elif isinstance(what, str):
                path.symlink_to(what)
            else:
                path.write_bytes(what)
        except OSError:
            continue
    for host in hosts.all_hosts():
        assert host.chain
        found = host.chain(Spot(str(base.joinpath(*below)), str(base), str(base), {}))
        assert len({file.path for file in found}) == len(found)
        assert all(file.data == b"" for file in found if file.state not in ("loaded", "cut"))


@given(st.text(alphabet="ab@`~<!->#*[]() \n\t\r\\1.", max_size=120))
def test_the_pieces_of_a_text_are_the_text(said: str) -> None:
    """Cutting into blocks loses nothing, and no reading of a text fails."""
    assert "".join(raw for _, raw in text.blocks(said)) == said
    for find in (imports.markdown_mentions, imports.word_mentions, imports.prose_mentions, imports.loose_mentions):
        assert all(name for name in find(said))
    assert len(text.without_comments(said.encode())) <= len(said.encode())


def test_a_long_line_of_marks_costs_nothing_special() -> None:
    """Texts made to be slow are read in the time that their length takes."""
    for said in ("`" * 20_000 + "a", "<!--" * 10_000, "@" * 40_000, "<a" * 20_000, "` `` " * 8_000, "- " * 20_000):
        imports.markdown_mentions(said)
        imports.loose_mentions(said)
        text.without_comments(said.encode())
