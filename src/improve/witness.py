"""What a rule forbids that names only what it wants: the command a person refused or stopped when it was learnt. Pure.

"Use uv here", learnt when `pip install x` was refused, forbids `pip install`. Something is derived only where the rule
names one program, and the command is of another program that is there for the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from improve.rule import Check
from improve.shell import commands
from improve.suggestion import Suggested, named, pattern_of, recommended

_ALIKE = tuple(
    frozenset(names.split())
    for names in (
        "pip pip3 uv poetry pipenv pdm conda easy_install",
        "npm pnpm yarn bun",
        "npx bunx pnpx uvx",
        "grep egrep rg ag ack",
        "find fd",
        "pytest unittest tox nose2",
        "jest vitest mocha",
        "eslint biome oxlint",
        "black ruff flake8 pylint",
        "mypy pyright",
        "docker podman",
        "mvn maven gradle",
        "virtualenv uv conda",
        "make just task",
    )
)
"""Programs one of which is used in place of another."""
_REFUSED = re.compile(
    r"^refused: (?:Bash|bash|shell|run_shell_command|exec_command|[Tt]erminal|execute): (.+)$", re.MULTILINE
)
"""How a refusal without a reason is recorded."""
_STOPPED = re.compile(
    r"\b(?:stopped|denied|refused|rejected|interrupted|cancell?ed|blocked)\s+(?:an?|the|my|another|its)?\s*"
    r"`?([a-z][\w.-]*(?: [a-z][\w:-]*)?)`?",
    re.IGNORECASE,
)
"""How an agent tells it: `user stopped a pip3 install`."""
_WORD = re.compile(r"[a-z][a-z:-]*")
_NO_WORD = frozenset(
    ("and", "or", "but", "to", "in", "on", "at", "for", "with", "when", "because", "as", "again", "call")
)
_MANY = frozenset(("pip", "uv", "poetry", "pipenv", "pdm", "conda", "npm", "pnpm", "yarn", "bun", "docker", "podman"))
"""Programs that do many things, of which the one that was stopped is meant."""


def suggest(text: str, contexts: Sequence[str]) -> Suggested:
    """Derive a check from what happened on the occasions of a rule.

    Raises:
        NoParser: the parser of shell commands is not installed.

    >>> suggest("Use uv here", ["user stopped a pip3 install"]).check.deny
    ('pip|pip3|pip3.* install',)
    """
    programs = {command.split()[0] for command in (*recommended(text), *named(text))}
    wanted = programs.pop() if len(programs) == 1 else ""
    others = set().union(*(names for names in _ALIKE if wanted in names)) - {wanted}
    if not others or re.search(r"(?<!\w)(?:" + "|".join(map(re.escape, others)) + r")(?!\w)", text):
        return Suggested(None, "what happened names no other program for the same")
    found = [command for context in contexts for command in _stopped(context[:4_000]) if command[0] in others]
    deny = tuple(dict.fromkeys(pattern_of(" ".join(command)) for command in found))
    if not deny or len(deny) > 4:
        return Suggested(None, "what happened names no other program for the same, or too many")
    said = " ".join(found[0])
    return Suggested(Check("shell", deny), f"{said!r} was stopped, and it says to use {wanted!r}", recommended(text))


def _stopped(context: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands that were refused or stopped, each with the word that says what it does."""
    for line in _REFUSED.findall(context):
        if line.rstrip().endswith("…"):
            line = line.rstrip(" …")
        for command in commands(line):
            yield _short(command.name, command.words)
    for said in _STOPPED.findall(context):
        name, *words = said.lower().split()
        yield _short("pip" if name == "pip3" else name, words)


def _short(name: str, words: Sequence[str]) -> tuple[str, ...]:
    """Keep a name and what it is to do; another option, path or message differs from call to call."""
    what = next((word for word in words if word[:1] != "-"), "")
    name = "pip" if name == "pip3" else name
    return (name, what) if name in _MANY and _WORD.fullmatch(what) and what not in _NO_WORD else (name,)
