"""The block at the top of a rule file: what is made reads back, what is there is found and never changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import frontmatter, section, yamlnode
from improve.markdown import BOM

FILES = (
    ".claude/rules/testing.md",
    "apps/web/.claude/rules/sub/x.md",
    "/home/me/.claude/rules/x.md",
    ".cursor/rules/t.mdc",
    ".github/instructions/t.instructions.md",
)
PART = st.text("abcz09_-. éж(),{}@", min_size=1, max_size=6).map(str.strip).filter(bool)
GLOBS = (
    st.lists(
        st.sampled_from(["**", "*", "*.py", "?x", "{a,b}", "*.{ts,tsx}", "src", "@x"]) | PART, min_size=1, max_size=4
    )
    .map("/".join)
    .filter(lambda glob: not frontmatter.fault(glob))
)
MANY = st.lists(GLOBS, min_size=1, max_size=4, unique=True).map(tuple)


@pytest.mark.parametrize("glob", ["{}", "{,}", "{a,}", "{ a,b}"])
def test_a_glob_that_may_stand_for_nothing_is_refused(glob: str) -> None:
    """Where braces are written out, an empty alternative would be a rule for no file, or for every one."""
    assert "stands for nothing" in frontmatter.fault(glob)


@given(st.sampled_from(FILES), MANY, st.binary(max_size=60))
def test_what_is_made_reads_back(path: str, globs: tuple[str, ...], rest: bytes) -> None:
    """Any globs that may be written come back, whatever follows, and the block ends where it was ended."""
    made = frontmatter.make(path, globs)
    assert frontmatter.same(frontmatter.read(path, made + rest), globs)
    assert frontmatter.end(made + rest) == len(made)
    assert made.startswith(b"---\n")
    assert made.endswith(b"\n---\n")
    if frontmatter.key_for(path) == frontmatter.PATHS:
        assert frontmatter.read(path, made) == globs


@given(st.sampled_from([f for f in FILES if not f.endswith(".mdc")]), MANY)
def test_what_is_made_is_yaml(path: str, globs: tuple[str, ...]) -> None:
    """A YAML parser reads the same; Cursor's own way of writing globs is none."""
    node = yamlnode.read(frontmatter.make(path, globs).decode().removesuffix("---\n"))
    assert node is not None
    value = node.plain_value()[frontmatter.key_for(path)]
    assert frontmatter.same(tuple(value) if isinstance(value, list) else tuple(value.split(",")), globs)


BODIES = st.lists(
    st.sampled_from(["# Title", "## Rules", "- Use uv", "---", "text", "", "```", "paths: x", "<!-- c -->", "1. one"]),
    max_size=8,
)


@given(st.sampled_from(FILES), MANY, BODIES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_bullet_never_touches_the_block(
    path: str, globs: tuple[str, ...], body: list[str], end: str, bom: bool
) -> None:
    """Inserting and removing a rule leaves every byte of the block, and what it says is no rule and no heading."""
    front = (BOM if bom else b"") + frontmatter.make(path, globs).replace(b"\n", end.encode())
    data = front + end.join(body).encode()
    stop = frontmatter.end(data)
    assert stop == len(front)
    assert all(bullet.start >= stop for bullet in section.bullets(data))
    assert all(heading.start >= stop for heading in section.headings(data))
    try:
        edited = section.insert(data, "Rules", "Mock no database").data
    except section.Refused:
        return  # a code block that is never closed
    assert edited.startswith(front)
    assert frontmatter.read(path, edited) == frontmatter.read(path, data)
    assert section.remove(edited, "Mock no database", section="Rules").startswith(front)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        (".claude/rules/a.md", "paths"),
        ("~/.claude/rules/a.md", "paths"),
        (".claude\\rules\\a.md", "paths"),
        (".cursor/rules/a.mdc", "globs"),
        (".github/instructions/a.instructions.md", "applyTo"),
        (".cursor/rules/a.md", ""),
        (".github/instructions/a.md", ""),
        (".claude/CLAUDE.md", ""),
        ("docs/.claude/a.md", ""),
        ("xclaude/rules/a.md", ""),
        ("AGENTS.md", ""),
    ],
)
def test_files_that_can_be_loaded_for_some_paths(path: str, key: str) -> None:
    """The directory and the end of the name say so; any other file gets no block."""
    assert frontmatter.key_for(path) == key
    assert bool(frontmatter.make(path, ("a/**",))) == bool(key)
    assert frontmatter.make(path, ()) == b""


@pytest.mark.parametrize(
    ("text", "globs"),
    [
        ("---\npaths: src/**\n---\n", ("src/**",)),
        ("---\npaths: 'src/**' # why\n---\n", ("src/**",)),
        ('---\npaths: [src/**, "a b/*"]\n---\n', ("src/**", "a b/*")),
        ("---\npaths:\n- src/**\n  # no\n- 'it''s/*' # x\ntitle: x\n- y\n---\n", ("src/**", "it's/*")),
        ("---\ntitle: x\npaths:\n\n  - src/*.{ts,tsx}\n---\n", ("src/*.{ts,tsx}",)),
        ("---\npaths: a/**, b/*.{c,d}\n---\n", ("a/**", "b/*.{c,d}")),
        ("\ufeff---\r\npaths: src/**\r\n---\r\n", ("src/**",)),
        ("---\npaths: src/**\n...\n", ("src/**",)),
        ("---\ntitle: x\n---\npaths: src/**\n", ()),
        ("---\npaths: src/**\n", ()),
        ("\n---\npaths: src/**\n---\n", ()),
        ("---\n- a\n---\n", ()),
        ("---\npaths:\n---\n", ()),
        ("# Title\n", ()),
        ("", ()),
    ],
)
def test_blocks_that_people_wrote_are_read(text: str, globs: tuple[str, ...]) -> None:
    """Lists in both styles, one string, quotes and remarks; what is no block names nothing."""
    assert frontmatter.read(".claude/rules/a.md", text.encode()) == globs


def test_each_kind_of_file_has_its_own_words() -> None:
    """The block is written as its host documents it."""
    globs = ("tests/**", "src/*.{ts,tsx}")
    assert frontmatter.make(".claude/rules/a.md", globs) == b'---\npaths:\n  - "tests/**"\n  - "src/*.{ts,tsx}"\n---\n'
    joined = "tests/**,src/*.ts,src/*.tsx"
    cursor = f"---\ndescription: Rules for files that match {joined}\nglobs: {joined}\nalwaysApply: false\n---\n"
    assert frontmatter.make(".cursor/rules/a.mdc", globs) == cursor.encode()
    copilot = frontmatter.make(".github/instructions/a.instructions.md", globs)
    assert copilot == f'---\napplyTo: "{joined}"\n---\n'.encode()


@pytest.mark.parametrize(
    "glob",
    [
        "",
        " a",
        "/etc/**",
        "~/x",
        "../x",
        "a/../../b",
        "a,b",
        "{a",
        "a}b{",
        "a\nb",
        'a"b',
        "a: b",
        "!a",
        "@a/b",
        "a\u202eb",
        "x" * 201,
        "{a,b}" * 9,
    ],
)
def test_globs_that_would_mean_something_else_are_refused(glob: str) -> None:
    """What leaves the project, breaks the block or stands for a thousand globs is not written."""
    assert frontmatter.fault(glob)


@given(st.binary(max_size=200), st.sampled_from(FILES))
def test_any_bytes_are_read(data: bytes, path: str) -> None:
    """Reading never fails, and the end is inside the file."""
    assert 0 <= frontmatter.end(data) <= len(data)
    frontmatter.read(path, data)
