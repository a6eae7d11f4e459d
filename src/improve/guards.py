"""The guards in force, as a hook asks before every call of a tool; next to nothing is imported until one is hit.

They stand in one file of the cache, which answers as long as rules.yaml looks as it did when that was made. A call is
first looked through for the words without which no check can be hit; only then it is parsed.
"""

from __future__ import annotations

import os

from improve import __version__, looks, quick
from improve.frozen import Frozen
from improve.kind import HIT, kind_of
from improve.stamp import STAMP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from improve.hosts.dialect import Dialect
    from improve.paths import Home

FILE = "guards.json"
MODES = ("observe", "warn", "deny")
"""What a guard does about a call, weakest first: `rule.GUARDS`, which is not loaded before a guard is hit."""
LONGEST = 300
"""Characters of the part of a call that is told and kept."""
REASON = 1500
"""Characters of what a model is told: Claude Code cuts nothing, Codex at 10,000."""
CAP = 8 << 20
"""Bytes of the compiled file."""
_RULES = 3
"""Rules that one answer names."""
_PATIENCE = 120.0
"""Seconds after which a process that reads the rules is given up."""


class Guard(Frozen):
    """A rule that a hook looks after."""

    id: str
    text: str
    mode: str
    tool: str
    needles: tuple[str, ...]
    """One of them stands in every call that is hit; none when nothing can be ruled out that way."""
    deny: tuple[str, ...]
    unless: tuple[str, ...]
    paths: tuple[str, ...]
    projects: tuple[str, ...]
    """Keys and names of the projects it is in force in; `*` for everywhere."""


class Fired(Frozen):
    """A guard that a call goes against."""

    guard: Guard
    part: str
    """How the part of the call stands in it, redacted and on one line."""


EVERYWHERE = "*"


# --- the compiled file ---


def seen(home: Home, now: float) -> str:
    """Say how what the guards are made from looks; empty while it may change unseen."""
    rules = looks.looks(home.rules, now)
    try:
        config = os.stat(home.file("config.yaml"))
        settings = f"{config.st_size} {config.st_mtime_ns}"
    except OSError:
        settings = ""
    return f"{__version__} {rules} {settings}" if rules else ""


def path(home: Home) -> str:
    """Name the compiled file."""
    return os.path.join(home.cache, FILE)


def load(home: Home, looking: str | None = None) -> tuple[Guard, ...] | None:
    """Read the compiled file; None when it cannot be read, or rules.yaml does not look as `looking` says."""
    try:
        with open(path(home), encoding="utf-8") as stream:
            said = quick.loads(stream.read())
        if looking is not None and (not looking or said["looks"] != looking):
            return None
        return tuple(map(_guard, said["guards"]))
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None


def late(home: Home, now: float) -> bool:
    """Say whether the rules took too long to read for a hook, so that another process is at it."""
    try:
        return 0 <= now - os.stat(_late(home)).st_mtime < _PATIENCE
    except OSError:
        return False


def be_late(home: Home) -> bool:
    """Note that; says whether it could be noted."""
    try:
        os.makedirs(home.cache, mode=0o700, exist_ok=True)
        with open(_late(home), "w", encoding="utf-8"):
            return True
    except OSError:
        return False


def in_time(home: Home) -> None:
    """Take the note back: the guards were made."""
    try:
        os.unlink(_late(home))
    except OSError:
        return


def _late(home: Home) -> str:
    return os.path.join(home.cache, "guards.late")


def _guard(said: list[Any]) -> Guard:
    id, text, mode, tool = said[:4]
    lists = [tuple(texts) for texts in said[4:]]
    if mode not in MODES or len(lists) != 5 or not all(isinstance(each, str) for each in (id, text, tool)):
        raise ValueError("no guard")
    if not all(isinstance(each, str) for texts in lists for each in texts):
        raise ValueError("no guard")
    return Guard(id, text, mode, tool, *lists)


def written(found: Iterable[Guard], looking: str) -> bytes:
    """Give the text of the compiled file."""
    rows = [[list(value) if isinstance(value, tuple) else value for value in guard] for guard in found]
    return quick.dumps({"looks": looking, "guards": rows}).encode()


# --- one call ---


def concerned(guards: Iterable[Guard], tool: str, arguments: object) -> list[Guard]:
    """Leave out the guards that a call surely does not hit: those for other tools, and those without their words."""
    kind = kind_of(tool)
    said = ""
    left = []
    for guard in guards:
        if kind not in HIT.get(guard.tool, ()):
            continue
        if guard.needles:
            said = said or haystack(arguments)
            if not any(needle in said for needle in guard.needles) and not ("$'" in said and "\\" in said):
                continue  # `$'\x70ip'` may spell any word
        left.append(guard)
    return left


def haystack(arguments: object) -> str:
    """Give all texts in the arguments of a call in lower case, and once more without what a shell takes off."""
    text = "\n".join(_texts(arguments))
    said = text.lower()
    if not text.isascii():  # needles are folded, which in some scripts is more than lower case
        said = f"{said}\n{text.casefold()}"
    bare = said
    for mark in "\\\n", "\\", "'", '"':
        bare = bare.replace(mark, "")
    return said if bare == said else f"{said}\n{bare}"


def _texts(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def in_scope(guards: Iterable[Guard], where: Callable[[], tuple[str, ...]]) -> list[Guard]:
    """Leave out the guards of other projects; `where` gives what the project here is called, asked only if needed."""
    left = []
    names: tuple[str, ...] | None = None
    for guard in guards:
        if EVERYWHERE not in guard.projects:
            names = where() if names is None else names
            if not any(name in guard.projects for name in names):
                continue
        left.append(guard)
    return left


def fired(
    guards: Iterable[Guard], tool: str, arguments: object, trouble: Callable[[BaseException], None]
) -> list[Fired]:
    """Ask each check; one that cannot be asked is told to `trouble` and lets the call pass, and the others go on."""
    from improve import check
    from improve.rule import Check
    from improve.transcripts import calling

    call = calling.call(tool, arguments)
    found = []
    for guard in guards:
        try:
            parts = check.hits(Check(guard.tool, guard.deny, guard.unless, guard.paths), call)
        except Exception as exc:
            trouble(RuntimeError(f"the check of {guard.id} cannot be asked ({type(exc).__name__}: {exc})"))
            continue
        if parts:
            found.append(Fired(guard, _plain(parts[0])))
    return found


def _plain(part: str) -> str:
    from improve.escape import one_line, visible
    from improve.redact import redact

    # what is cut off first is not searched for credentials; what a cut could tear is beyond what is kept
    return one_line(visible(one_line(redact(part[: 8 * LONGEST]), 2 * LONGEST)), LONGEST)


# --- what a model is told ---


def strength(mode: str) -> int:
    """Rank what a guard does; one that is off is the weakest."""
    return MODES.index(mode) if mode else -1


def strongest(found: Iterable[Fired]) -> tuple[str, list[Fired]]:
    """Give the strongest mode among guards that were hit, and those that have it; deny wins over warn over observe."""
    mode = max((each.guard.mode for each in found), key=strength)
    return mode, [each for each in found if each.guard.mode == mode]


def able(each: Fired, dialect: Dialect) -> Fired:
    """Give what a host can do of what a guard wants: where it cannot deny it warns, where it cannot warn it watches."""
    mode = each.guard.mode
    if mode == "deny" and dialect.denies == "none":
        mode = "warn"
    if mode == "warn" and dialect.warns == "none":
        mode = "observe"
    return each if mode == each.guard.mode else each._replace(guard=each.guard._replace(mode=mode))


def told(mode: str, found: list[Fired]) -> str:
    """Word what a model is told; our stamp is in it, so that no reader ever takes it for a person's words."""
    from improve.escape import one_line, visible

    several = len(found) > 1
    lines = [
        f"Rule {visible(each.guard.id)}: {one_line(visible(each.guard.text), LONGEST)} (against it: {each.part})"
        for each in found[:_RULES]
    ]
    if len(found) > _RULES:
        lines.append(f"and {len(found) - _RULES} more rules")
    head, tail = _AROUND[mode]
    guards = "guards" if several else "guard"
    said = [f"{STAMP}: {head}", *lines, tail.replace("guard ", f"{guards} ", 1)]
    room = REASON - len(said[0]) - len(said[-1]) - 4
    body = one_line(" · ".join(said[1:-1]), room)
    return f"{said[0]} {body}. {said[-1]}" if body[-1:] not in ".…" else f"{said[0]} {body} {said[-1]}"


_AROUND = {
    "deny": (
        "this call was denied and has not run.",
        "A person turned this guard on. Do it the way the rule says; where that is impossible, say so and ask the "
        "person instead of working around it.",
    ),
    "warn": (
        "this call goes against a rule of this person; it was not stopped.",
        "A person turned this guard on to be told. Do it the way the rule says, now if it can still be "
        "corrected, and from here on.",
    ),
}
