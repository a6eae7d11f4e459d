"""Play short scenes with the real program in throw-away directories, and show what it printed.

README.md shows acts of `improve demo`; SKILL.md shows what `observe` answers to an agent.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from improve.workflow import demo

ACTS = {
    "demo-first": ("observe", 0),
    "demo-again": ("observe", 1),
    "demo-preview": ("escalate", 0),
    "demo-elsewhere": ("observe", 2),
    "demo-promote": ("escalate --apply", 1),
    "demo-status": ("status", 0),
    "demo-undo": ("undo", 0),
}
"""Part → which act of the demo it shows: the command without its arguments, and its number among the like."""

KNOWN = "Use pnpm for JavaScript packages, never npm install"
SCENES = {
    "scene-near": ("Use pnpm instead of npm", "It may be one of these"),
    "scene-contradiction": ("Use npm for JavaScript packages", "CONTRADICTS"),
}
"""Part → what is observed when `KNOWN` is known, and what the answer must say to be worth showing."""


class Unplayable(Exception):
    """A scene does not show any more what it is there to show."""


def act(part: str) -> str:
    """Show one act of the demo."""
    command, number = ACTS[part]
    shown = [text for said, text in played() if said == command]
    if len(shown) <= number:
        raise Unplayable(f"the demo has no `improve {command}` number {number + 1} any more; see ACTS")
    return shown[number]


@cache
def played() -> list[tuple[str, str]]:
    """Play the demo once; give each act's command without its arguments, and what a terminal would show."""
    told: list[str] = []
    with tempfile.TemporaryDirectory() as base:
        told.extend(demo.story(str(Path(base).resolve())))
    acts = "".join(line + "\n" for line in told).split("\n# ")[1:]
    shown = [text.partition("\n")[2].strip("\n") for text in acts]
    commands = [" ".join([*a.argv[:1], *(["--apply"] if "--apply" in a.argv else [])]) for a in demo.ACTS]
    return [(command, console(text)) for command, text in zip(commands, shown, strict=False) if command]


def scene(part: str) -> str:
    """Show how a second rule is answered."""
    rule, wanted = SCENES[part]
    with tempfile.TemporaryDirectory() as base:
        observe(Path(base), KNOWN)
        said = observe(Path(base), rule)
    if wanted not in said:
        raise Unplayable(f"{part} does not show {wanted!r} any more, but:\n{said}")
    return console(f"$ {shlex.join(['improve', 'observe', rule])}\n{said}")


def observe(base: Path, rule: str) -> str:
    """Observe a rule with a home of its own, outside any project."""
    passed = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "LANG")
    kept = {key: value for key, value in os.environ.items() if key in passed}
    home = dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA"), str(base))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "improve", "observe", "--project", "shop", "--", rule],
        env={**kept, **home, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=base,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout + done.stderr


def console(text: str) -> str:
    """Fence what a terminal showed; days are left open, for they differ from run to run.

    Raises:
        Unplayable: it shows a command that failed.
    """
    if re.search("^improve: ", text, re.MULTILINE):
        raise Unplayable(f"a command failed:\n{text}")
    return f"```console\n{re.sub(r'20[0-9]{2}-[0-9]{2}-[0-9]{2}', 'YYYY-MM-DD', text).rstrip()}\n```"


PARTS: dict[str, Callable[[], str]] = {
    **{name: partial(act, name) for name in ACTS},
    **{name: partial(scene, name) for name in SCENES},
}
