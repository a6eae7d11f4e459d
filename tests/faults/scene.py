"""Homes to break: a small store, two real git repositories and a global file, made once by real commands and copied.

Every command of a scene runs with the environment of `VARIABLES`: all it may touch is below the directory of the run.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from improve import document
from improve.cli import run
from improve.rule import Rule
from improve.workflow.here import Here

VARIABLES: Mapping[str, str] = {
    "HOME": "{dir}/user",
    "USERPROFILE": "{dir}/user",
    "AGENT_IMPROVEMENT_HOME": "{dir}/home",
    "XDG_CACHE_HOME": "{dir}/cache",
    "XDG_STATE_HOME": "{dir}/state",
    "XDG_CONFIG_HOME": "{dir}/user/.config",
    "TMPDIR": "{dir}/tmp",
}
GLOBAL = "user/.config/opencode/AGENTS.md"
SHOP, API, WEB = (f"{name}/AGENTS.md" for name in ("shop", "api", "web"))
FILES = (GLOBAL, SHOP, API, WEB, "home/config.yaml")
"""What a command may leave as it was, or as it should be, and nothing in between."""
PNPM, ERRORS = "Use pnpm, never npm install", "Return problem+json from every endpoint"
KEPT = b"# kept by hand\n"
_SHOP = b"# Shop\r\n\r\nSells shelves.\r\n\r\n## Tools\r\n\r\n- Keep the lockfile in git\r\n"
_GLOBAL = b"# Everywhere\n\n- Answer briefly"

Step = tuple[str, Sequence[str]]
"""Directory below the scene, and what `improve` is told there."""


@dataclass(frozen=True)
class Scene:
    """What was done before the command."""

    steps: Sequence[Step] = ()
    line: str = ""
    """What somebody then added to the project's file."""
    waiting: str = ""
    """Context of an observation that waits in the spool."""
    git: bool = False
    warm: bool = False
    """The index is there and up to date."""
    _copies: dict[Path, Path] = field(default_factory=dict, init=False)

    def prepare(self, place: Path) -> None:
        """Fill an empty directory."""
        copy = self._copies.get(place)
        if copy is None:
            self._make(place)
            self._copies[place] = copy = place.with_name(f"scene-{len(list(place.parent.iterdir()))}")
            shutil.copytree(place, copy, symlinks=True)
        else:
            shutil.copytree(copy, place, symlinks=True, dirs_exist_ok=True)
        if self.warm:
            with inside(place):
                Here.from_environment(os.environ, NOW).store.view()

    def original(self, place: Path) -> Path:
        """Give the directory that holds what a prepared one held."""
        return self._copies[place]

    def _make(self, place: Path) -> None:
        for name in ("home", "user/.config/opencode", "tmp", "elsewhere"):
            (place / name).mkdir(parents=True)
        for name in ("shop", "api", "web"):
            subprocess.run(["git", "init", "-q", "--template=", "-b", "main", place / name], check=True)
            remote = f"https://example.com/acme/{name}.git"
            subprocess.run(["git", "-C", place / name, "remote", "add", "origin", remote], check=True)
        (place / SHOP).write_bytes(_SHOP)
        (place / GLOBAL).write_bytes(_GLOBAL)
        (place / "home").chmod(0o700)
        (place / "home/config.yaml").write_bytes(b"git: false\n")
        (place / "home/rules.yaml").write_bytes(KEPT)
        for where, argv in self.steps:
            code, said = improve(place, where, *argv)
            assert code == 0, (argv, said)
        with (place / SHOP).open("ab") as file:
            file.write(self.line.encode())
        if self.waiting:
            self._leave_waiting(place)
        if self.git:
            (place / "home/config.yaml").write_bytes(b"git: true\n")
        shutil.rmtree(place / "cache", ignore_errors=True)

    def _leave_waiting(self, place: Path) -> None:
        (place / "home/spool").mkdir(exist_ok=True, mode=0o700)
        entry = {"oid": "5eed5eed5eed", "at": "2026-01-02T03:04:05+00:00", "date": "2026-01-02"}
        entry |= {"text": "Write dates as ISO 8601", "project": "example.com/acme/shop", "context": self.waiting}
        path = place / "home/spool/2026-01-02T030405_0000-5eed5eed5eed.json"
        path.write_text(json.dumps(entry), encoding="utf-8")
        path.chmod(0o600)


NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def observed(*rules: tuple[str, str, str]) -> list[Step]:
    """Give the steps that record rules: triples of place, text and domain."""
    return [(where, ("observe", text, "--domain", domain, "--context", "earlier")) for where, text, domain in rules]


DUE = observed(("shop", PNPM, "tool-usage"), ("shop", PNPM, "tool-usage"))
PROMOTED = [
    *DUE,
    ("shop", ("escalate", "--apply")),
    *observed(("api", PNPM, "tool-usage"), ("api", ERRORS, "api-design"), ("web", ERRORS, "api-design")),
]
"""One rule stands in a project and belongs into the global file by now; another is due in two other projects."""


@contextlib.contextmanager
def inside(place: Path, where: str = "elsewhere") -> Iterator[None]:
    """Be in a scene: its environment, and a directory of it."""
    before = Path.cwd()
    with mock.patch.dict(os.environ, environment(place)):
        os.chdir(place / where)
        try:
            yield
        finally:
            os.chdir(before)


def environment(place: Path) -> dict[str, str]:
    """Give the variables of a scene."""
    return {name: value.replace("{dir}", str(place)) for name, value in VARIABLES.items()}


def improve(place: Path, where: str, *argv: str) -> tuple[int, str]:
    """Run a command in this process, in a scene; give its exit code and all it said."""
    said = io.StringIO()
    with inside(place, where), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        return run(list(argv)), said.getvalue()


def command_line(*argv: str) -> list[str]:
    """Give the process that runs a command; `-P` because the installed command has no working directory to import."""
    return [sys.executable, "-P", "-m", "improve", *argv]


def rules(place: Path) -> list[Rule]:
    """Read rules.yaml with the parser that reads the whole file."""
    data = (place / "home/rules.yaml").read_bytes()
    entries = document.whole(data)[1] if not document.is_blank(data) else []
    assert all(entry.rule and not entry.problems for entry in entries), data
    return [entry.rule for entry in entries if entry.rule]


def store(place: Path) -> dict[str, object]:
    """Give what rules.yaml says, without what differs in every run: times and the names of observations."""
    return {"rules.yaml": {rule.id: _facts(rule) for rule in rules(place)}}


def _facts(rule: Rule) -> tuple[object, ...]:
    evidence = sorted((o.project, o.context, o.wording) for o in rule.observations)
    places = sorted((w.path, w.section, w.text, w.scope, w.project, w.made_section, w.adopted) for w in rule.written_to)
    more = (rule.severity, rule.aliases, rule.near, rule.distinct_from, rule.rejected_at, rule.retired, rule.escalation)
    return (rule.text, rule.domain, rule.explicit_scope, evidence, places, *more)


def instructions(place: Path) -> dict[str, bytes]:
    """Give the bytes of every instruction file that is there."""
    return {name: (place / name).read_bytes() for name in FILES if name.endswith(".md") and (place / name).exists()}


def evidence(place: Path) -> tuple[Counter[str], list[str]]:
    """Count what is in the spool or in rules.yaml, by context; also list what is there twice or cannot be read."""
    found: dict[str, str] = {}
    problems = []
    for rule in rules(place):
        for item in rule.observations:
            if item.oid in found:
                problems.append(f"observation {item.oid} ({item.context}) is there twice")
            found[item.oid] = item.context
    for path in [*(place / "home/spool").glob("*"), *(place / "tmp").glob("improve-*/*")]:
        if path.name.startswith("."):
            continue
        try:
            entry = json.loads(path.read_bytes())
            found[entry["oid"]] = entry.get("context", "")
        except ValueError:
            problems.append(f"{path.name} is torn")
    return Counter(found.values()), problems


def events(place: Path) -> list[str]:
    """List the kinds of events in the journal, oldest first; torn lines are passed over."""
    kinds = []
    for line in (place / "home/journal.jsonl").read_bytes().splitlines():
        with contextlib.suppress(ValueError):
            kinds.append(str(json.loads(line)["event"]))
    return kinds
