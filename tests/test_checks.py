"""check: what a pattern denies, on the labelled calls and by property; suggestion: what a rule's words imply."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from improve import shell as shell_module
from improve.check import haystack, hits, needles, problem
from improve.deed import Deed, Entry
from improve.errors import ImproveError
from improve.rule import Check, Rule
from improve.session import EDIT, OTHER, READ, SHELL, WRITE, Call
from improve.suggestion import contradicts, suggest
from improve.transcripts import calling
from improve.workflow import suggestion
from improve.workflow.sieve import Sieve

DATA = Path(__file__).parent / "data" / "guards"
KNOWN = {"a019a", "a086a", "a221a", "m185a"}
"""Labelled rows that are told wrongly: braces that are a whole command, a script that is written and run at once, a
quote that is never closed, and a command that is decoded first. No parser would tell them; an interpreter would."""
OPEN = {"n165b", "n183a", "n185a", "n260a"}
"""Rows of the last set that are told wrongly as first measured; its README says why."""


def shell(line: str) -> Call:
    """Make a call of the shell."""
    return Call("", "Bash", SHELL, line, {"command": line})


def rows() -> list[dict[str, Any]]:
    """Read the labelled calls."""
    return [json.loads(line) for path in sorted(DATA.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]


def asked(row: dict[str, Any]) -> tuple[Check, Call]:
    """Read one of them."""
    made = Check(row["check"]["tool"], *(tuple(row["check"].get(key, ())) for key in ("deny", "unless", "paths")))
    if "command" in row:
        return made, shell(row["command"])
    call = row["call"]
    return made, Call("", call["tool"], call["kind"], call["subject"], call["input"])


def test_labelled_calls_are_told_as_labelled() -> None:
    """Every labelled call gets its label, but for the few that are known: no more, and no fewer."""
    wrong = {row["id"] for row in rows() if bool(hits(*asked(row))) != row["hit"]}
    assert wrong == KNOWN | OPEN


def test_a_hit_call_holds_a_needle() -> None:
    """No labelled call that is hit would have been passed over for want of a needle."""
    for row in rows():
        check, call = asked(row)
        if needles(check) and hits(check, call):
            assert any(needle in haystack(call) for needle in needles(check)), row["id"]


PARTS = st.sampled_from([
    "pip", "pi", "p", "'", '"', "\\", "${P}", "$P", "P=pi;", "P=pip;", "$'\\x70'", "{p,q}", " ", " install", "''",
    "x=paip;", "${x/a/}", "${x#a}", "x+=p;", "printf -v x %s%s ", "read x <<< ", "a=(", ")", "\"${a[@]}\"",
    "\"$@\"", "set -- ",
    "PIP", "\n", "\\\n", ";", "sudo ", "$(echo pi)", "`echo pi`", "\0", "bash -c ", "3",
])  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PARTS, max_size=10).map("".join))
def test_needles_are_sound_for_any_line(line: str) -> None:
    """However a name is put together, a line that is hit holds a needle."""
    check, call = Check("shell", ("pip|pip3* install", "pip")), shell(line)
    if hits(check, call):
        assert any(needle in haystack(call) for needle in needles(check))


@settings(max_examples=100)
@given(st.text(max_size=12), st.text(max_size=40))
def test_needles_are_sound_for_any_text(pattern: str, text: str) -> None:
    """Text that holds a pattern holds its needle, whatever the letters."""
    check, call = Check("any", (pattern,)), Call("", "Write", WRITE, "a.py", {"content": text + pattern + text})
    if not problem(check) and needles(check) and hits(check, call):
        assert any(needle in haystack(call) for needle in needles(check))


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "empty"),
        ("*", "names no command"),
        ("--force", "names no command"),
        ("/(a+)+$/", "for ever"),
        ("/((a+)b?)+$/", "for ever"),
        ("/(a|a)*b/", "for ever"),
        ("/a*a*a*a*b/", "for ever"),
        ("/(/", "no regular expression"),
        ("/a*/", "matches everything"),
        ("pip install; ls", "characters of a shell"),
        ("x" * 300, "longer than"),
    ],
)
def test_a_pattern_that_cannot_work_is_named(pattern: str, said: str) -> None:
    """What is wrong with a pattern is said in one clause."""
    assert said in problem(Check("shell", (pattern,)))


@pytest.mark.parametrize(
    "path",
    [
        "src/gen/a.ts",
        "/home/me/p/src/gen/deep/a.ts",
        "C:\\p\\src\\gen\\a.ts",
        "src/x/../gen/a.ts",
        "/p//src/./gen/a.ts",
        "./src//gen/a.ts",
    ],
)
def test_a_path_is_meant_whether_relative_or_not(path: str) -> None:
    """A glob that does not begin at the root matches the end of a path."""
    check = Check("any", (), (), ("src/gen/**",))
    assert hits(check, Call("", "Edit", EDIT, path, {"file_path": path, "new_string": "x"}))
    assert not hits(check, Call("", "Read", READ, path, {"file_path": path}))
    for other in ("src/generated.ts", "src/gen/../a.ts", "src/gen"):
        assert not hits(check, Call("", "Edit", EDIT, other, {"file_path": other}))


PATCH = "*** Begin Patch\n*** {0} File: src/gen/a.ts\n+x\n*** End Patch\n"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Edit", {"file_path": "src/gen/a.ts", "old_string": "a", "new_string": "b"}),
        ("Write", {"file_path": "src/gen/a.ts", "content": "b"}),
        ("NotebookEdit", {"notebook_path": "src/gen/a.ipynb", "new_source": "b"}),
        ("apply_patch", {"command": PATCH.format("Add")}),
        ("apply_patch", {"command": PATCH.format("Update")}),
        ("replace", {"file_path": "src/gen/a.ts", "instruction": "b", "old_string": "a", "new_string": "b"}),
        ("write_file", {"file_path": "src/gen/a.ts", "content": "b"}),
        ("edit", {"filePath": "src/gen/a.ts", "oldString": "a", "newString": "b"}),
        ("write", {"filePath": "src/gen/a.ts", "content": "b"}),
        ("edit", {"path": "src/gen/a.ts", "edits": [{"oldText": "a", "newText": "b"}]}),
        ("edit", {"path": "src/gen/a.ts", "old_str": "a", "new_str": "b"}),
        ("create", {"path": "src/gen/a.ts", "file_text": "b"}),
    ],
)
def test_every_host_s_own_way_to_edit_is_an_edit(tool: str, arguments: dict[str, Any]) -> None:
    """Names and arguments as Claude Code, Codex, Gemini CLI, OpenCode, pi, Qwen Code and Copilot CLI tell hooks."""
    assert hits(Check("edit", paths=("src/gen/**",)), calling.call(tool, arguments))
    assert not hits(Check("edit", paths=("src/other/**",)), calling.call(tool, arguments))


def test_a_shell_that_writes_a_file_counts_and_one_that_reads_it_does_not() -> None:
    """A redirection, `tee`, `sed -i` and `rm` change a file; `cat` does not."""
    check = Check("any", (), (), ("src/gen/**",))
    for line in ("echo a > src/gen/a.ts", "sed -i s/a/b/ src/gen/a.ts", "echo a | tee src/gen/a.ts", "rm src/gen/a.ts"):
        assert hits(check, shell(line)), line
    for line in ("cat src/gen/a.ts", "sed s/a/b/ src/gen/a.ts", "grep x src/gen/a.ts > out"):
        assert not hits(check, shell(line)), line


def test_another_tool_is_looked_at_only_by_any() -> None:
    """The subject of a search or a fetch counts for `any` alone."""
    call = Call("", "WebFetch", OTHER, "https://example.com/x", {"url": "https://example.com/x"})
    assert hits(Check("any", ("example.com",)), call)
    assert not hits(Check("shell", ("example.com",)), call)


DERIVED = [
    ("Use uv, never pip install", "shell", "pip install x", "uv pip install x"),
    ("Never force-push to main", "shell", "git push -f origin main", "git push --force-with-lease"),
    ("Don't use npm, use pnpm", "shell", "npm ci", "pnpm install"),
    ("Use python3, never python", "shell", "python x.py", "python3 x.py"),
    ("Use `uv pip install` instead of `pip install`", "shell", "pip install x", "uv pip install x"),
    ("Nutze pnpm statt npm", "shell", "npm ci", "pnpm i"),
    ("N'utilise jamais npm, utilise pnpm", "shell", "npm ci", "pnpm i"),
    ("Nunca uses pip, usa uv", "shell", "pip list", "uv sync"),
    ("不要用 npm，用 pnpm", "shell", "npm ci", "pnpm i"),
    ("Use docker compose, never docker-compose", "shell", "docker-compose up -d", "docker compose up -d"),
    ("Use ruff, not isort or autopep8", "shell", "isort .", "ruff check --select I"),
    ("Never edit generated files in src/gen", "any", "rm src/gen/a.ts", "cat src/gen/a.ts"),
    ("Do not edit docs under `docs/ja`, `docs/ko`, or `docs/zh` (generated)", "any", "rm docs/ko/a.md", "rm docs/a.md"),
    ("Never force-push to main", "shell", "git push --force origin HEAD:main", "git push -f origin feature"),
    ("Never `git push` to main", "shell", "git push origin HEAD:main", "git push origin feature"),
    ("Never run: `npm run dev`, `npm test`", "shell", "npm test", "npm run lint"),
    ("Don't use `git add -A` or `git add .`", "shell", "git add .", "git add a.py"),
]


@pytest.mark.parametrize(("rule", "tool", "bad", "good"), DERIVED)
def test_a_rule_that_names_something_gets_a_check(rule: str, tool: str, bad: str, good: str) -> None:
    """The check hits what the rule forbids, and never what it recommends."""
    found = suggest(rule)
    assert found.check is not None and found.check.tool == tool
    assert hits(found.check, shell(bad))
    assert not hits(found.check, shell(good))
    assert not contradicts(found.check, found.recommended)


@pytest.mark.parametrize(
    "rule",
    [
        "Be careful with names",
        "Always run tests with -x",
        "Never push without asking",
        "Never leave docker-compose files unformatted",
        "Never be verbose",
        "Use uv",
        "。",
        "No explicit `any`; `any` is only allowed in test files",
        "Never use `git restore` to revert files of others",
        "Never amend commits to fix hooks",
        "Never use npm in `web/`",
        "Never change the watch command in package.json",
        "Do not edit generated files (`schema/.json`)",
        "Style guides must never re-permit the em dash",
        "No em dashes in these files",
        "Never use npm except in CI",
        "Evals in `apps/web/eval/` run with `pnpm ai` (not `pnpm test`)",
        "Never tell others to use `find`, `grep`, or `rg`",
        "Never force-push to shared branches",
        "When working with JSON output, use jq and never grep.",
        "Never run `rm -rf` on the data directory",
        "Never `git push` to branches of others",
        "Never use python 2",
        "Never run `docker` with sudo",
        "Never run npm from web/",
        "Never use `curl` for models",
        "Don't edit `package.json` dependencies by hand",
        "Never edit `tests/` to make them pass",
        "Wenn du JSON liest, nutze jq statt grep",
    ],
)
def test_a_rule_that_names_nothing_gets_none_and_says_why(rule: str) -> None:
    """There is no guess; the reason is said."""
    found = suggest(rule)
    assert found.check is None and found.why


def test_a_ban_in_tests_is_a_ban_in_tests_alone() -> None:
    """Where a rule restricts its ban to tests, the check is about the files of tests."""
    check = suggest("No console.log in tests").check
    assert check is not None
    for path, hit in (("src/a.test.ts", True), ("tests/a.ts", True), ("src/a.ts", False)):
        assert bool(hits(check, Call("", "", EDIT, path, {"path": path, "content": "console.log(1)"}))) == hit


def test_without_a_parser_a_check_of_the_shell_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an error of ours that every command tells; what needs no parser goes on, and nothing is suggested."""
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    shell_module._parser.cache_clear()
    check = Check("any", ("pip install",))
    with pytest.raises(ImproveError, match="pip install tree-sitter"):
        hits(check, shell("pip install x"))
    assert hits(check, Call("", "", WRITE, "a", {"content": "pip install x"}))
    assert "pip install tree-sitter" in suggestion.of(Rule("a", "Use uv, never pip install")).why
    entry = Entry("", "", "", "", "", "", "", False, "", 1, (), (Deed("", SHELL, "pip install x"),), ())
    with pytest.raises(ImproveError, match="pip install tree-sitter"):
        list(Sieve({"a": check}).of(entry))
    monkeypatch.undo()
    shell_module._parser.cache_clear()
    assert hits(check, shell("pip install x"))


@settings(max_examples=100)
@given(st.text(max_size=80))
def test_any_rule_gets_a_sound_check_or_none(text: str) -> None:
    """Whatever a rule says, nothing raises, and what is suggested has no problem."""
    found = suggest(f"Never use {text}, use uv")
    assert found.check is None or not problem(found.check)


@pytest.mark.parametrize("pattern", ["/a*a*a*b/", "/a*a*b/", "/.*.*x/", "/(aa|a)a*b/"])
def test_a_pattern_that_is_let_through_ends_in_time(pattern: str) -> None:
    """The worst line for a pattern that is no problem takes no more than seconds."""
    assert not problem(Check("any", (pattern,)))
    start = time.perf_counter()
    hits(Check("any", (pattern,)), Call("", "Write", WRITE, "a", {"content": "a" * 100_000}))
    assert time.perf_counter() - start < 10
