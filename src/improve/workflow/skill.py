"""The skill as it is put on a machine: SKILL.md, with the launcher of the store in the place of the checkout's script.

Format: https://agentskills.io/specification.
"""

from __future__ import annotations

import json
import os
import re

from improve import paths
from improve.errors import EnvironmentFailure, Refused
from improve.hosts.wiring import STAMP

NAME = "improve"
LONGEST = 1024
"""Characters of a description."""
_CALLED = re.compile(r"python3 (?:DIR|<skill-dir>)/scripts/improve\.py")
_WHERE = re.compile(r" DIR is this skill's directory[^;]*; `uv run` works in place of `python3`\.")
_HOW = re.compile(r"## How to call it\n.*?(?=\n## )", re.DOTALL)
_STANDS_FOR = re.compile(r"`improve` stands for `(.+?)`: give its commands that way\.")
_PLAIN = re.compile(r"(?!.*(?:: | #|[<>\n\t]))[A-Za-z].*")


def source() -> str:
    """Read SKILL.md: from the package, or from the checkout that the package is in.

    Raises:
        EnvironmentFailure: it is in neither place.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for path in (os.path.join(package, "SKILL.md"), os.path.join(package, "..", "..", "SKILL.md")):
        if os.path.isfile(path):
            with open(path, encoding="utf-8", newline="") as stream:
                return stream.read()
    raise EnvironmentFailure(f"SKILL.md is missing in {package}; no skill was written. Install improve again")


def text(command: str, user: str) -> str:
    """Write the skill for a machine.

    Args:
        command: path of the launcher for people and agents.
        user: the person's home directory.

    Raises:
        Refused: the launcher's path is too long for a description.
        EnvironmentFailure: this installation has no skill.
    """
    return _text(_called(command, user))


def program_in(data: bytes) -> str:
    """Give the path of the launcher that a skill as this version writes it names; empty for any other text."""
    import shlex

    said = data.decode("utf-8", "surrogateescape")
    found = _STANDS_FOR.search(said)
    if not found or _text(found[1]) != said:
        return ""
    return os.path.expanduser(shlex.split(found[1])[0])


def _text(called: str) -> str:
    _, front, body = source().split("---\n", 2)
    lines = [_described(line, called) if line.startswith("description: ") else line for line in front.splitlines()]
    how = (
        f"## How to call it\n\n```bash\n{called} status\n```\n\n"
        f"Below, and in what the program prints, `improve` stands for `{called}`: give its commands that way.\n\n"
        f"{STAMP}\n"
    )
    body = _CALLED.sub(lambda _: called, _HOW.sub(lambda _: how, body, count=1))
    return "---\n" + "\n".join(lines) + "\n---\n" + body


def _called(command: str, user: str) -> str:
    """Write the launcher's path as it is typed in a shell."""
    import shlex

    short = paths.short(command, user)
    if short.startswith("~/") and shlex.quote(short[2:]) == short[2:]:
        return short
    return shlex.quote(command)


def _described(line: str, called: str) -> str:
    said = _WHERE.sub("", _CALLED.sub(lambda _: called, line.partition(": ")[2]))
    if len(said) > LONGEST:
        raise Refused(
            f"the path {called} is too long for the description of a skill; no skill was written. "
            "Set AGENT_IMPROVEMENT_HOME to a shorter one"
        )
    return "description: " + (said if _PLAIN.fullmatch(said) else json.dumps(said, ensure_ascii=False))
