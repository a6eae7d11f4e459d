"""What differs between a command that failed and a similar one that worked, and whether the difference tells anything.

Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from improve.detectors.trail import cut

LONGEST = 300
"""Characters of a command line that is still one command and no script."""


def _set(table: str) -> frozenset[str]:
    return frozenset(table.split())


_LOOKING = _set("""
cat ls ll dir head tail less more grep egrep rg ag ack find fd wc which where type stat file diff cmp test [ echo printf
tree awk sed sort uniq jq pwd cd ps lsof pgrep sleep true false kill pkill killall mkdir rm touch sha256sum du df env
printenv date whoami xxd strings read export set source history clear
""")
"""Programs by which one looks around: that they find nothing is an answer, and what they looked for differs anyway."""
_CHECKS = _set("""
pytest py.test tox nox jest vitest mocha ava karma playwright cypress ctest rspec phpunit unittest tsc eslint prettier
biome ruff mypy pyright flake8 pylint black clippy golangci-lint shellcheck rubocop xcodebuild
""")
_CHECK_WORDS = _set("test tests lint build check typecheck type-check compile e2e verify ci vet clippy spec")
_RUNNERS = _set("""
npm pnpm yarn bun cargo go make just mvn gradle gradlew mvnw dotnet swift mix deno rake task turbo nx python python3 uv
npx poetry bundle composer
""")
_QUIET = _set("-v -vv -vvv -q -s -x --verbose --quiet --silent --no-color --color -l --debug --bail")
"""Flags that change what one is told, not what is done."""
_WRAPPERS = _set("sudo npx uvx bunx time nice nohup exec command env timeout stdbuf")
_RUN = (("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pnpm", "exec"), ("bundle", "exec"), ("yarn", "dlx"))
_AFTER = re.compile(
    r"""\s*( \d?>{1,2}\s*(&\d|/dev/null|"[^"]*"|[^\s;&|]+) | &>\s*\S+
           | \|\s*(head|tail|grep|cat|tee|less|sort|wc|sed|awk|jq)\b(?:"[^"]*"|'[^']*'|[^|&;"'])*
           | (\|\||;|&&)\s*(true|echo\b(?:"[^"]*"|'[^']*'|[^;&|"'])*|exit\s*\d*) )\s*$""",
    re.VERBOSE,
)
_QUOTES = "\"'"
_WORD = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*'|["'])+""")
_SPLIT = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_ASSIGNED = re.compile(r"^[A-Za-z_]\w*=")
_UNDOES = re.compile(
    r"""\bgit\s+(?:-C\s+\S+\s+)?(?: checkout\s+(?:HEAD\s+)?(?:--?\s|\.(?:\s|$)) | restore\s+(?!--staged\b)
         | reset\s+--hard | revert\b | stash\s+(?:drop|clear)\b )""",
    re.VERBOSE,
)

INVOCATION = re.compile(
    r"""command\ not\ found | (?<!\d):\ not\ found\b | not\ recognized\ as | no\ module\ named | cannot\ find\ module
      | (unknown|unrecogni[sz]ed|invalid|illegal|unexpected|no\ such|ambiguous)
        \ (option|argument|flag|command|subcommand|script|switch|parameter)
      | missing\ (script|required|argument|operand) | ^usage: | externally-managed-environment | permission\ denied
      | is\ not\ installed | not\ found\ in\ path | no\ such\ file\ or\ directory | \b(EACCES|ENOENT|ERESOLVE)\b
      | did\ you\ mean | requires\ (a|an|the|python|node|at\ least) | executable\ file\ not\ found | exec\ format
      | unsupported | no\ longer\ supported | is\ deprecated | not\ a\ git\ repository | not\ (logged|signed)\ in
      | authenti(cation|cate) | could\ not\ (find|determine) | couldn't\ find | no\ package\.json | unable\ to\ locate
      | not\ in\ the\ \w+\ directory | no\ configuration | \bENOTFOUND\b | frozen | engine\ .*incompatible
      | wrong\ (version|node)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
"""Errors that speak of how something was called or of what a machine lacks, and not of the code."""


class Command(NamedTuple):
    """One command line, in parts that can be compared."""

    program: str
    args: tuple[str, ...]
    flags: frozenset[str]
    around: frozenset[str]
    """What it was wrapped in: variables, `sudo`, `uv run`."""
    place: str
    """The directory it changed to first."""
    script: bool = False
    """It was given a script that is not compared."""


def parse(line: str) -> Command | None:
    """Take a command line apart; None for a script, a pipeline of own logic or one too long to be compared.

    >>> parse("cd web && CI=1 npm test -- --run 2>&1 | tail -5").program
    'npm'
    """
    line, script, _ = line.strip().partition("<<")
    command = None if len(line) > 2 * LONGEST else _parsed(line)  # what is remembered is short
    return command._replace(script=bool(script)) if command else None


@lru_cache(maxsize=256)
def _parsed(line: str) -> Command | None:
    line = _bare(line)
    if not line or len(line) > LONGEST or "\n" in line or "$(" in line:
        return None
    place, main = "", []
    for part in _SPLIT.split(line):
        words = _words(part)
        if words[:1] == ["cd"]:
            place = words[1] if len(words) > 1 else "~"
        elif words:
            main.append(words)
    return None if len(main) != 1 or "|" in main[0] else _command(main[0], place)


def _bare(line: str) -> str:
    """Leave out where the output goes and what is said afterwards."""
    line, before = line.strip(), None
    while line != before:
        before, line = line, _AFTER.sub("", line)
    return line


def _words(part: str) -> list[str]:
    return [word.strip(_QUOTES) for word in _WORD.findall(part)]


def _command(words: list[str], place: str) -> Command | None:
    around = []
    while words and (_ASSIGNED.match(words[0]) or words[0] in _WRAPPERS or tuple(words[:2]) in _RUN):
        wide = 2 if tuple(words[:2]) in _RUN or (words[0] == "timeout" and len(words) > 1) else 1
        if words[0] != "timeout":
            around.append(" ".join(words[:wide]))
        words = words[wide:]
    if not words:
        return None
    program = words[0].rpartition("/")[2]
    flags = frozenset(word for word in words[1:] if word[:1] == "-" and word.strip("-"))
    args = tuple(word for word in words[1:] if word[:1] != "-" or word == "-")
    return Command(program, args, flags, frozenset(around), place)


def is_check(line: str) -> bool:
    """Tell a run of tests, a linter, a compiler or a build: that it fails says something of the code."""
    return _checks(line.strip()[: 2 * LONGEST])


@lru_cache(maxsize=256)
def _checks(line: str) -> bool:
    for part in _SPLIT.split(_bare(line)):
        command = _command(_words(part), "")
        if command is None:
            continue
        named = {arg.partition(":")[0] for arg in command.args[:3]}
        if command.program in _CHECKS or (command.program in _RUNNERS and named & (_CHECK_WORDS | _CHECKS)):
            return True
    return False


def undoes(line: str) -> bool:
    """Tell a command that throws work away: what git had before comes back.

    >>> undoes("git checkout -- src"), undoes("git checkout -b topic")
    (True, False)
    """
    return bool(_UNDOES.search(line[: 2 * LONGEST]))


@lru_cache(maxsize=64)
def of_the_call(error: str) -> bool:
    """Tell an error of how something was called, or of what the machine lacks, from one of the code."""
    return bool(INVOCATION.search(error[:2000]))


def change(failed: str, worked: str, error: str, *, edited: bool) -> str:
    """Name what is telling in the difference of a call that failed and one that worked; empty when nothing is.

    Args:
        error: What the failed one said.
        edited: Files were changed in between, so that the code may be what made the difference.
    """
    a, b = parse(failed), parse(worked)
    if a is None or b is None or a == b or a.program in _LOOKING or b.program in _LOOKING:
        return ""
    by_call = of_the_call(error)
    if not by_call and (edited or a.script or b.script or is_check(failed) or is_check(worked)):
        return ""
    return _difference(a, b, by_call=by_call)


def _difference(a: Command, b: Command, *, by_call: bool) -> str:
    if a.program != b.program:
        told = (by_call or len(a.args) > 1) and (_same_business(a, b) or _same_business(b, a))
        return "another program" if told else ""
    ours, theirs = set(a.args), set(b.args)
    if len(ours & theirs) < 0.5 * len(ours | theirs) and not (ours and (ours <= theirs or theirs <= ours)):
        return "another argument" if by_call and _near(a, b) else ""
    if a.around != b.around:
        return "run in another way"
    if (a.flags ^ b.flags) - _QUIET:
        return "another option"
    if a.place != b.place and by_call:
        return "another directory"
    return "another argument" if by_call and ours != theirs else ""


def _same_business(a: Command, b: Command) -> bool:
    """Tell whether all that one was called with is in the other: `python x.py` and `python3 x.py`."""
    asked = set(a.args) or {a.program}
    return asked <= {b.program, *b.args} and len(b.args) <= len(a.args) + 2


def _near(a: Command, b: Command) -> bool:
    from rapidfuzz import fuzz

    return fuzz.ratio(" ".join(a.args), " ".join(b.args)) >= 60


def telling_line(error: str) -> str:
    """Give the one line of an error that says most, cut."""
    lines = [line.strip() for line in error[:4000].splitlines()]
    lines = [
        line for line in lines if line and not line.lower().startswith(("exit code", "error: exit", "<tool_use_error>"))
    ]
    best = next((line for line in lines if INVOCATION.search(line)), "")
    best = best or next(
        (line for line in lines if re.search(r"error|fail|denied|not found|cannot|invalid", line, re.I)), ""
    )
    return cut(best or next(iter(lines), ""), 160)
