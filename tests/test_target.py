"""target: which files a command of a shell writes, takes away or names."""

from __future__ import annotations

import pytest

from improve.check import hits
from improve.rule import Check
from improve.session import SHELL, Call

WRITES = [
    "echo x > .env",
    "mkdir -p a && echo x > .env",
    "mkdir -p a && cat a >> .env; ls",
    "true || { echo x; } > .env",
    "cat a | sort > .env",
    "cat a | tee -a .env | wc",
    "{ echo a; echo b; } > .env",
    "(echo a; echo b) >> .env",
    "for i in 1 2; do echo $i; done > .env",
    "while read x; do echo $x; done < a > .env",
    "if a; then b; fi > .env",
    "f() { echo x; } > .env; f",
    "f() { echo x > .env; }; f",
    "cat <<'M' >> .env\na\nM",
    "cat > .env <<'M'\na\nM",
    "a && cat <<M > .env\na\nM",
    "cat <<M | tee .env\na\nM",
    "make &> .env",
    "make >| .env",
    "make 2> .env",
    "make >& .env",
    "> .env",
    ": > .env",
    "if ! { echo a > .env; }; then b; fi",
    "x=$(echo a > .env)",
    "bash -c 'echo a > .env'",
    "sudo tee .env < a",
    "f=.env; echo a > $f",
    "sed -i s/a/b/ .env",
    "sed -i.bak -e s/a/b/ .env",
    "perl -pi -e s/a/b/ .env",
    "cp .env.example .env",
    "cp -t deploy a/.env",
    "cp a/.env .",
    "cp .env /backup/",
    "mv .env .env.old",
    "mv x .env",
    "install -m 600 x .env",
    "ln -s ../shared/.env .env",
    "ln -sf ../shared/.env",
    "rsync -a x .env",
    "dd if=x of=.env",
    "touch .env",
    "truncate -s 0 .env",
    "rm -f .env",
    "git checkout -- .env",
    "git checkout HEAD~1 -- .env",
    "git restore .env",
    "git mv .env x",
    "git rm .env",
    "git -C api rm .env",
    "curl -s https://example.com -o .env",
    "sort -o .env a",
    "curl -so .env https://example.com",
    "find . -name .env -delete",
    'f() { cat > "$1"; }; f .env',
    "mv .env{,.bak}",
    'for f in .env .env.local; do echo x >> "$f"; done',
    "echo .env | xargs rm",
    "find . -name x -exec cp a .env \\;",
]
"""Lines that write to `.env` or take it away."""

READS = [
    "cat .env",
    "source .env",
    "cat .env > out",
    "cat < .env",
    "make 2>&1 | tee log",
    "make > /dev/null 2>&1",
    'rg "\\.env" docs/',
    "grep -n .env .gitignore",
    "sed s/a/b/ .env",
    "sed -n 1p .env",
    "cp .env backup",
    "rsync .env host:.env",
    "diff .env .env.example",
    "echo '> .env'",
    'echo "a > .env"',
    "echo .env",
    "git add .env",
    "git rm --cached .env",
    "git restore --staged .env",
    "git commit -m 'write > .env'",
    "git diff -- .env",
    "f() { echo x > .env; }",
    "f() { echo x; } > .env",
    "cat > a <<M\necho x > .env\nM",
    "test 1 \\> .env",
    "[[ a > .env ]]",
    "(( a > 2 ))",
    "chmod 600 .env",
    "ssh host 'echo x > .env'",
    "dd if=.env of=x",
    "ls # > .env",
    "cp .env{,.bak}",
    "sed -i -e /.env/d .gitignore",
    "sed -i s/x/.env/ y",
    "truncate -s .env x",
    "rsync -av --exclude .env a b",
    "awk '{print > \".env\"}' x",
    'f() { cat "$1"; }; f .env',
    "find . -name .env -print",
]
"""Lines that do not."""


def hit(line: str, *paths: str, deny: tuple[str, ...] = ()) -> bool:
    """Ask a check of the shell about files."""
    return bool(hits(Check("shell", deny, (), paths), Call("", "Bash", SHELL, line, {"command": line})))


@pytest.mark.parametrize("line", WRITES)
def test_what_writes_a_file_is_told(line: str) -> None:
    """Wherever a redirection stands, and whatever plainly writes, moves or removes."""
    assert hit(line, ".env")


@pytest.mark.parametrize("line", READS)
def test_what_reads_or_names_a_file_writes_nothing(line: str) -> None:
    """Reading, searching, staging, saying and other machines are fine for a check of paths alone."""
    assert not hit(line, ".env")


@pytest.mark.parametrize(
    "line",
    [
        "cd src && rm main.ts",
        "cd /home/me/p/src/tui && rm main.ts",
        "cd src; cd tui; echo x > main.ts",
        "cd docs && rm ../src/main.ts",
        "pushd src && rm main.ts",
        'cd "$ROOT/src" && rm main.ts',
        "cd src && { rm main.ts; }",
        "cd src && bash -c 'rm main.ts'",
        "d=src; cd $d && rm main.ts",
        "cd src && for f in *.ts; do rm $f; done",
        "(cd src && rm main.ts)",
        "eval 'cd src'; rm main.ts",
        "git -C src rm main.ts",
        "builtin cd src && rm main.ts",
        "cd src || exit 1; rm main.ts",
        "f() { cd src; }; f; rm main.ts",
        "f() ( cd src; rm main.ts ); f",
        "for d in src lib; do (cd $d && rm main.ts); done",
        "if cd src; then rm main.ts; fi",
        "cd src && mv a.ts /tmp/",
        "cd src && sed -i '' s/a/b/ main.ts",
        "rm -rf src",
        "cd app && rm -r src/",
    ],
)
def test_paths_follow_a_directory_that_is_gone_to(line: str) -> None:
    """A file is meant where the line has gone to, and a directory that is removed with all in it."""
    assert hit(line, "src/**")


@pytest.mark.parametrize(
    "line",
    [
        "(cd src); rm main.ts",
        "x=$(cd src && pwd); rm main.ts",
        "cd src | true; rm main.ts",
        "cd src && rm ../main.ts",
        "cd src && cd .. && rm main.ts",
        "cd src && rm /tmp/main.ts",
        "cd src && cd - && rm main.ts",
        "pushd src; popd; rm main.ts",
        "bash -c 'cd src'; rm main.ts",
        "cd src && cat main.ts > /tmp/a",
        "git -C src status; rm main.ts",
        "f() ( cd src ); f; rm main.ts",
        "cd src; cd; rm main.ts",
        "cd src && sed -n 1p main.ts",
        "cd src && rmdir old",
    ],
)
def test_paths_do_not_follow_further(line: str) -> None:
    """What a subshell, a substitution or another shell goes to is left again."""
    assert not hit(line, "src/**")


def test_a_regular_expression_is_about_commands_and_not_about_groups() -> None:
    """A group that writes a file is no command of its own: what is said within it stays said."""
    assert not hit('{ echo "curl x | sh"; } > README', deny=("/curl.*sh/",))
    assert hit("{ curl x | sh; } > log", deny=("/curl.*sh/",))


def test_a_here_document_belongs_to_what_carries_it_out() -> None:
    """A regular expression sees what psql is fed, and not what is written to a file, said or looked for."""
    deny = ("/\\bdrop\\s+table\\b/i",)
    for line in ("psql <<E\nDROP TABLE x;\nE", "echo 'drop table x' | psql", "cat <<E | psql\ndrop table x;\nE"):
        assert hit(line, deny=deny), line
    for line in ("cat <<E > m.sql\ndrop table x;\nE", "git commit -m 'drop table x'", "grep -rn 'drop table' src"):
        assert not hit(line, deny=deny), line


def test_a_pattern_that_is_looked_for_is_no_file() -> None:
    """With a command denied, its files are meant: neither what a search looks for, nor a message, nor a script."""
    deny = ("rg|grep|cat|sed|git",)
    for line in ("cat .env", "grep KEY .env", "rg -e KEY .env", "sed -n 1p a/.env", "git show HEAD:x .env"):
        assert hit(line, ".env", deny=deny), line
    for line in (
        "cd src && grep -rn x --include='*.ts' | grep -v node_modules",
        "cd src && git stash",
        "cd src && cat",
    ):
        assert not hit(line, "src/**", deny=deny), line
    assert hit("cd src && sed -n 1p main.ts", "src/**", deny=deny)
    for line in ('rg "\\.env" docs/', "grep -e .env a", "sed .env a", "git commit -m .env"):
        assert not hit(line, ".env", deny=deny), line
