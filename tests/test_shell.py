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
    "f() { pip install x; }; trap f EXIT",
    "trap 'pip install x' EXIT",
    "trap f EXIT; f() { pip install x; }",
    "trap 'pip install x' EXIT INT; trap - INT",
    "! { pip install x; }",
    "if ! { true; pip install x; }; then a; fi",
    "time -p { pip install x; }",
    "coproc pip install x",
    "coproc { pip install x; }",
    "coproc N { pip install x; }",
    'f() { pip "$@"; }; f install x',
    'f() { command pip "$@"; }; f install x',
    'pip() { command pip "$@"; }; pip install x',
    "f() { pip $1 $2; }; f install x",
    'f() { local a=$1; shift; pip "$a" "$@"; }; f install x',
    'f() { g "$@"; }; g() { pip "${@:1}"; }; f install x',
    'f() { pip "$@"; }; f list; f install x',
    'f() { bash -c "pip $*"; }; f install x',
    'set -- pip install x; "$@"',
    "set -- pip install x; $1 $2 $3",
    "bash -c '\"$@\"' _ pip install x",
    "sh -c 'pip \"$1\" x' sh install",
    'a=(pip install x); "${a[@]}"',
    'a=(install); a+=(x); pip "${a[@]}"',
    'a=(pip install x); ${a[0]} "${a[@]:1}"',
    "sh -c \"$(cat <<'E'\npip install x\nE\n)\"",
    "bash <(cat <<'E'\npip install x\nE\n)",
    "bash <(echo pip install x)",
    "source <(echo pip install x)",
    "eval \"$(printf '%s ' pip install x)\"",
    'eval "$(echo pip install x)"',
    "$(echo pip install) x",
    "printf 'pip %s %s' install x | sh",
    "printf -v c '%s %s x' pip install; $c",
    "read -r c <<< 'pip install x'; $c",
    "read a b <<< 'pip install x'; $a $b",
    "echo pip install x | { read -r c; $c; }",
    "echo 'pip install x' | while read -r c; do $c; done",
    "mapfile -t c < <(printf '%s\\n' pip install x); \"${c[@]}\"",
    'mapfile -t c <<E\npip\ninstall\nx\nE\n"${c[@]}"',
    "declare -n r=p; p=pip; $r install x",
    "shopt -s expand_aliases\nalias p='pip install'\np x",
    "x='pip xinstall x'; ${x/xi/i}",
    "x=PIP; ${x,,} install x",
    "x=pip.sh; ${x%.sh} install x",
    "x=a/pip; ${x##*/} install x",
    "f() { pip ${1:+install} x; }; f a",
    "f() { pip install x; }; export -f f; bash -c f",
    'f() { until "$@"; do sleep 1; done; }; f pip install x',
    'f() { local n=$1; shift; "$@"; }; f 3 pip install x',
    "f() { pip install x; }; a | f",
    "f() { pip install x; }; y=$(f)",
    "x=apip; ${x:1} install x",
    "p=pi; p+=p; $p install x",
    "cat <<E\n`pip install x`\nE",
    "cat <<-E\n\t`pip install x`\n\tE",
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
    "trap 'pip install x' EXIT; trap - EXIT",
    "f() { pip install x; }; trap - EXIT",
    "trap -p",
    "f() { pip install x; }; bash -c f",
    'a=(pip list); [ x ] && a+=(-v); "${a[@]}"',
    "trap pip",
    'f() { pip "$@"; }',
    'f() { pip "$@"; }; f list; echo install x',
    'f() { echo "$@"; }; f pip install x',
    'f() { pip list; "$@"; }; f echo install x',
    'f() { uv pip "$@"; }; f install x',
    'f() { local a=$1; shift; "$@"; }; f pip echo install x',
    'set -- pip install x; echo "$@"',
    "set -e pip install x",
    "bash -c 'echo \"$@\"' _ pip install x",
    "bash script.sh pip install x",
    'a=(pip install x); echo "${a[@]}"',
    'a=(pip install x); a=(ls); "${a[@]}"',
    "cat <(echo pip install x)",
    "echo \"$(cat <<'E'\npip install x\nE\n)\"",
    "git commit -m \"$(cat <<'E'\npip install x\nE\n)\"",
    "printf -v c 'pip install x'; echo $c",
    "read -r c <<< 'pip install x'; echo $c",
    "read -r c < file; $c",
    "alias p='pip install'\np x",
    "shopt -s expand_aliases; alias p='pip install'; p x",
    "shopt -s expand_aliases\nalias p='pip install'",
    "x=uv; ${x,,} install x",
    "x='pip install x'; ${x/pip/uv}",
    "cat <<'E'\n`pip install x`\nE",
    'f() { f "$@" x; }; f a',
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


def test_words_that_reach_a_command_through_a_function_stand_in_its_source() -> None:
    """What is shown, and what a regular expression is looked for in, is the command as it is run."""
    found = [c for c in commands('f() { git "$@"; }; f push -f') if c.name == "git"]
    assert found == [Command("git", ("push", "-f"), "git push -f")]


def test_what_an_interpreter_or_a_client_is_fed_is_kept_with_it() -> None:
    """A here-document of psql or python is what they carry out; that of cat is text."""
    assert commands("psql db <<'E'\nDROP TABLE x;\nE")[0].more == "DROP TABLE x;\n"
    assert commands("psql db <<< 'DROP TABLE x'")[0].more == "DROP TABLE x"
    assert commands("cat <<'E'\nDROP TABLE x;\nE")[0].more == ""


PIECES = st.sampled_from([
    "pip", "install", " ", "\n", "'", '"', "$(", ")", "`", "<<EOF\n", "EOF\n", "| sh", "&& ", "; ", "$P", "P=pip;",
    "bash -c ", "eval ", "{", "}", "\\", "((", "[[", "case x in", "\0", "\udc80", "é", "\r\n", "<(", "${", "xargs ",
    "if ", "then ", "for i in a b; do ", "done", "f() ", "python -m ", "find . -exec ", "env ", "-S ", "sudo ", "<<<",
    '"$@"', "set -- ", "trap ", "EXIT", "a=(", "${a[@]}", "+=", "read x ", "shift ", "cd ", "> ", ">| ", "${x/a/b}",
    "declare -n ", "alias a=b", "shopt -s expand_aliases", "<<-E\n", "printf -v ", "mapfile ", "f ", "source ",
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
        "A+=($A x $A);" * 10_000,
        'f() { f "$@" x; g "$@" y; }; g() { f "$@" a; f "$@" b; }; f z; g z',
        "".join(f"f{i}() {{ f{i + 1} a; f{i + 1} b; }};" for i in range(2_000)) + "f0",
        "cd a;" * 20_000,
        "trap 'trap \"a\" EXIT' EXIT;" * 5_000,
        "a > b && " * 10_000 + "c > d",
        "$(echo " * 3_000 + "a" + ")" * 3_000,
        "cat <<E\n" + "`a`" * 20_000 + "\nE",
    ],
    ids=[
        "subshells",
        "substitutions",
        "words",
        "commands",
        "quotes",
        "heredocs",
        "eval",
        "env",
        "bash",
        "doubling",
        "arrays",
        "recursion",
        "calls",
        "cd",
        "traps",
        "redirections",
        "echo",
        "ticks",
    ],
)
def test_a_hostile_line_ends_in_time(line: str) -> None:
    """Ten thousand levels or a megabyte take no more than a few seconds, even on a busy machine."""
    start = time.perf_counter()
    commands(line)
    assert time.perf_counter() - start < 10
