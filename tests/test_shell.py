"""shell: which commands a line would run, and which words are only said."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from improve.shell import Command, commands

RUNS = [
    "pip install x",
    "cd a && FOO=1 env X=1 pip install x",
    "sudo -u bob pip install x | tee log",
    "sudo -iu bob pip install x",
    "(pip install x) & wait",
    "{ pip install x; }",
    "if true; then pip install x; fi",
    "for i in 1 2; do pip install x; done",
    "case $1 in a) pip install x;; esac",
    "f() { pip install x; }; f",
    'run() { "$@"; }; run pip install x',
    "y=$(pip install x)",
    "echo `pip install x`",
    "diff <(pip install x) b",
    'bash -c "pip install x"',
    "bash -euo pipefail -c 'pip install x'",
    'eval "pip install x"',
    "eval pip install x",
    "bash <<'EOF'\npip install x\nEOF",
    'sh <<< "pip install x"',
    'echo "pip install x" | sh',
    "printf 'pip install x\\n' | bash -s",
    "cat <<EOF | sh\npip install x\nEOF",
    "find . -name y -exec pip install x \\;",
    "echo y | xargs -I{} pip install x",
    "/usr/bin/pip install x",
    "\\pip install x",
    '"pip" install x',
    "pi''p install x",
    "pi\\\np install x",
    "P=pip; $P install x",
    "for p in npm pip; do $p install x; done",
    "${NOT_SET:-pip} install x",
    "$(which pip) install x",
    "$'\\x70ip' install x",
    "python -m pip install x",
    "python3.11 -m pip install x",
    "uv run pip install x",
    "poetry run pip install x",
    "timeout 5 nice -n 5 pip install x",
    "nohup stdbuf -oL pip install x &",
    "time { pip install x; }",
    "time pip install x",
    "! pip install x",
    "pip.exe install x",
    "C:\\Python\\pip.exe install x",
    "pip install x \\\n  # pip",
    "if pip install x; then",
]
"""Lines that run `pip install x`."""

SAYS = [
    'echo "pip install x"',
    "echo pip install x",
    "# pip install x",
    'git commit -m "pip install x"',
    "grep -r 'pip install' .",
    "cat <<EOF > README\npip install x\nEOF",
    "python - <<'EOF'\npip install x\nEOF",
    "uv pip install x",
    "pip-compile install x",
    "pipx install x",
    "ssh host 'pip install x'",
    "docker run image pip install x",
    "command -v pip",
    "f() { pip install x; }",
    'pip() { uv pip "$@"; }; pip install x',
    "echo $((pip + 1))",
    "",
]
"""Lines that do not."""


def ran(line: str) -> bool:
    """Say whether `pip install x` is among the commands."""
    return any(c.name == "pip" and c.words[:2] == ("install", "x") for c in commands(line))


@pytest.mark.parametrize("line", RUNS)
def test_a_command_is_found_wherever_it_would_run(line: str) -> None:
    """Wrappers, quotes, substitutions and shells within shells do not hide it."""
    assert ran(line)


@pytest.mark.parametrize("line", SAYS)
def test_words_that_are_only_said_are_no_command(line: str) -> None:
    """Strings, comments, heredocs for other programs, other programs and other machines run nothing here."""
    assert not ran(line)


def test_a_wrapper_is_told_beside_what_it_runs() -> None:
    """`sudo` and what it starts are two commands; the inner one knows what it is within."""
    assert commands("sudo pip install x") == [
        Command("sudo", ("pip", "install", "x"), "sudo pip install x"),
        Command("pip", ("install", "x"), "pip install x", ("sudo pip install x",)),
    ]


def test_what_is_only_known_when_it_runs_is_marked() -> None:
    """An unknown variable becomes NUL and nothing else."""
    assert commands('pip install "$PACKAGE"')[0].words == ("install", "\0")


PIECES = st.sampled_from([
    "pip", "install", " ", "\n", "'", '"', "$(", ")", "`", "<<EOF\n", "EOF\n", "| sh", "&& ", "; ", "$P", "P=pip;",
    "bash -c ", "eval ", "{", "}", "\\", "((", "[[", "case x in", "\0", "\udc80", "é", "\r\n", "<(", "${", "xargs ",
    "if ", "then ", "for i in a b; do ", "done", "f() ", "python -m ", "find . -exec ", "env ", "-S ", "sudo ", "<<<",
])  # fmt: skip


@settings(max_examples=150)
@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=60))
def test_no_line_raises(line: str) -> None:
    """Whatever the line, the answer is a list of commands that can be printed."""
    for command in commands(line):
        assert command.name is not None
        command.source.encode("utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "(" * 10_000 + "a" + ")" * 10_000,
        "$(" * 10_000 + "a" + ")" * 10_000,
        "a b " * 250_000,
        "a;" * 500_000,
        '"' * 100_001,
        "cat <<A\n" * 5_000,
        "eval " * 50_000,
        "env " * 50_000,
        "bash -c '" * 5_000,
        "A=$A$A$A;" * 10_000,
    ],
    ids=["subshells", "substitutions", "words", "commands", "quotes", "heredocs", "eval", "env", "bash", "doubling"],
)
def test_a_hostile_line_ends_in_time(line: str) -> None:
    """Ten thousand levels or a megabyte take no more than a few seconds, even on a busy machine."""
    start = time.perf_counter()
    commands(line)
    assert time.perf_counter() - start < 10
