"""Broken transcripts of every host: no traceback, no hang, nothing that cannot be stored, what is bad is counted.

A sample runs with every change, 20,000 variants with the nightly tests; recorded sessions of the project are broken,
and real ones where `IMPROVE_DATA` says where they are.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from faults import mangle
from improve import session, transcripts
from improve.session import Session, Turn
from improve.transcripts.base import Reader, Unreadable
from transcripts import opencode_rows
from transcripts.conftest import REAL, SESSIONS

_LONGEST = 2.0
"""Seconds of work for one variant; the clock on the wall would count what else the machine does."""
_WINDOW = 200_000
"""Bytes of a large real file that are broken at a time, so that there is time for many variants."""
_REAL = {"copilot-cli": "copilot", "claude-history": "claude-code", "codex-history": "codex"}
"""Directories of real transcripts that are not called as the host."""
_BESIDE = {
    "workspace.json": "chatSessions/*.json", "history_item.json": "ui_messages.json",
    "api_conversation_history.json": "ui_messages.json", "taskHistory.json": "../tasks/*/ui_messages.json",
    "tool_log.jsonl": "messages.json", "1772.json": "1772.messages.json",
}  # fmt: skip
"""Files that are read with another, and which."""
_SPEAKERS = {session.PERSON, session.AGENT, session.TOOL, session.HOST}
_ENDS = {"", session.BY_PERSON, session.BY_RULE, session.CUT_OFF}
_HOSTS = tuple(row.name for row in transcripts.ROWS)
_QUICK, _FULL, _PARTS = 20, 20_000, 20


class Seed(NamedTuple):
    """A sound transcript to break."""

    host: str
    path: Path
    """The file that is read."""
    broken: Path
    """The file that is changed: itself, or one beside it."""


class Trouble(NamedTuple):
    """A variant that did something it must not."""

    seed: Seed
    number: int
    what: str


@cache
def seeds(host: str) -> tuple[Seed, ...]:
    """List what can be broken of a host."""
    own = SESSIONS / host
    found = list(_of_project(host, own)) if own.is_dir() else []
    if REAL is not None:
        folders = [folder for folder in REAL.iterdir() if _REAL.get(folder.name, folder.name) == host]
        found += [Seed(host, path, path) for folder in folders for path in sorted(folder.iterdir())]
    return tuple(found)


def _of_project(host: str, own: Path) -> Iterator[Seed]:
    for path in sorted(path for path in own.rglob("*") if path.is_file() and path.name != "told.txt"):
        if path.name in _BESIDE:
            yield Seed(host, sorted(path.parent.glob(_BESIDE[path.name]))[0], path)
        else:
            yield Seed(host, path, path)


def variant(seed: Seed, number: int, place: Path) -> Path:
    """Make a variant of a seed in a directory of its own; the same one for the same number."""
    chance = Random(f"{seed.broken.name}:{number}")
    tree = SESSIONS / seed.host
    if seed.path.is_relative_to(tree):
        root = next(path for path in (seed.path, *seed.path.parents) if path.parent == tree)
        if root.is_dir() or seed.path != seed.broken:
            shutil.copytree(tree, place / "tree")
        target = place / "tree" / seed.path.relative_to(tree)
        broken = place / "tree" / seed.broken.relative_to(tree)
    else:
        target = broken = place / seed.path.name
    broken.parent.mkdir(parents=True, exist_ok=True)
    made = _database(seed, target, chance)
    if made is not None:
        return made
    data = _window(seed.broken.read_bytes(), chance)
    for _ in range(chance.choice((1, 1, 2))):
        data = chance.choice(mangle.IN_DOCUMENTS if broken.suffix == ".json" else mangle.MANGLES)(data, chance)
    broken.write_bytes(data)
    return target


def _database(seed: Seed, target: Path, chance: Random) -> Path | None:
    """Make a database of a seed that is one, or rows or a dump of one; None for any other."""
    name, recorded = seed.path.name, name_of_store(seed.path)
    path = target.parent / recorded if recorded else target
    if name.endswith(".db"):
        shutil.copyfile(seed.path, path)
    elif name.endswith(".rows.jsonl") and chance.random() < 0.8:
        path = opencode_rows.database(target.with_name("opencode.db"), opencode_rows.recorded(seed.path))
    elif name.endswith(".sql"):
        base = sqlite3.connect(path)
        base.executescript(f"PRAGMA synchronous=OFF; BEGIN;\n{seed.path.read_text(encoding='utf-8')}\nCOMMIT;")
        base.close()
    else:
        return None
    if chance.random() < 0.5:
        mangle.database(path, chance)
    if chance.random() < 0.6:
        path.write_bytes(chance.choice(mangle.IN_DATABASES)(path.read_bytes(), chance))
    return path


def name_of_store(path: Path) -> str:
    """Name the database a dump is of."""
    return {"chat.sql": "store.db", "state.sql": "state.vscdb", "sessions.sql": "sessions.db"}.get(path.name, "")


def _window(data: bytes, chance: Random) -> bytes:
    """Keep the beginning of a large file and some lines from anywhere in it."""
    if len(data) <= _WINDOW * 2 or chance.random() < 0.03:
        return data
    head = data[: data.find(b"\n", 2000) + 1]
    start = data.find(b"\n", chance.randrange(len(data) - _WINDOW)) + 1
    return head + data[start : start + _WINDOW]


def told(found: Session) -> Iterator[str]:
    """Name what is wrong with a session that was read to its end."""
    yield from _facts(found)
    for turn in found:
        yield from _problems(turn)
    yield from _facts(found)


def _facts(found: Session) -> Iterator[str]:
    for name in ("host", "id", "cwd", "started", "branch", "parent"):
        if not _storable(getattr(found, name)):
            yield f"the session's {name} cannot be stored: {getattr(found, name)!r:.80}"
    if not all(isinstance(number, int) for number in found.bad) or not isinstance(found.offset, int):
        yield "lines and offsets are no numbers"


def _problems(turn: Turn) -> Iterator[str]:
    body = turn.body
    texts = [turn.id, turn.at, turn.how, body.text]
    texts += [text for call in body.calls for text in (call.id, call.tool, call.subject)]
    texts += [text for result in body.results for text in (result.call, result.text, result.reason)]
    if turn.who not in _SPEAKERS or not all(map(_storable, texts)):
        yield f"cannot be stored: {turn!r:.200}"
    if turn.who == session.PERSON and not body.text.strip():
        yield "a person said nothing"
    if any(result.ended not in _ENDS for result in body.results):
        yield "a call ended as none does"


def _storable(text: object) -> bool:
    if not isinstance(text, str):
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def problems(reader: Reader, path: Path, chance: Random) -> list[str]:
    """Read a file as a scan does, and again from somewhere in the middle; name what went wrong."""
    found: list[str] = []
    offsets: list[int] = []
    started = time.process_time()
    try:
        reader.claims(str(path), path.read_bytes()[:4096])
        for one in reader.read(str(path), 0):
            found += told(one)
            offsets.append(one.offset)
    except Unreadable as why:
        found += [] if str(why) and "\n" not in str(why) else [f"no clause: {why!r}"]
    except OSError as error:  # a database that SQLite does not open is like a file that the system does not
        found += [] if path.suffix in (".db", ".vscdb") else [_named(error)]
    except Exception as error:  # whatever it is, it is the finding
        found.append(_named(error))
    taken = time.process_time() - started
    if taken > _LONGEST:
        found.append(f"took {taken:.1f} s")
    if reader.grows and not found:
        found += _resumed(reader, path, chance.choice([*offsets, path.stat().st_size // 2, path.stat().st_size + 5]))
    return found


def _resumed(reader: Reader, path: Path, offset: int) -> list[str]:
    try:
        return [problem for one in reader.read(str(path), offset) for problem in told(one)]
    except Unreadable:
        return []
    except Exception as error:  # whatever it is, it is the finding
        return [f"from {offset}: {_named(error)}"]


def _named(error: BaseException) -> str:
    """Name an error and where in the package it came up."""
    steps, step = [], error.__traceback__
    while step:
        name = Path(step.tb_frame.f_code.co_filename).name
        steps.append(f"{name}:{step.tb_lineno}")
        step = step.tb_next
    return f"{type(error).__name__}: {error!s:.100} at {' '.join(steps[-3:])}"


def sweep(numbers: Iterable[int], place: Path, hosts: tuple[str, ...] = _HOSTS) -> tuple[list[Trouble], Counter[str]]:
    """Break and read one variant for each number, the hosts in turn; give the troubles and how many were read."""
    troubles: list[Trouble] = []
    read: Counter[str] = Counter()
    known = [host for host in hosts if seeds(host)]
    for number in numbers:
        host = known[number % len(known)]
        of_host = seeds(host)
        seed = of_host[number // len(known) % len(of_host)]
        where = place / str(number)
        where.mkdir(parents=True)
        path = variant(seed, number, where)
        troubles += [Trouble(seed, number, what) for what in problems(transcripts.reader(host), path, Random(number))]
        read[host] += 1
        shutil.rmtree(where)
    return troubles, read


def _report(troubles: list[Trouble]) -> str:
    return "\n".join(f"{t.seed.host} {t.seed.broken.name} #{t.number}: {t.what}" for t in troubles[:40])


@pytest.mark.parametrize("host", _HOSTS)
def test_a_sample_of_broken_transcripts_is_read_or_named(host: str, tmp_path: Path) -> None:
    """No traceback, no hang, nothing that cannot be stored."""
    troubles, read = sweep(range(1_000_000, 1_000_000 + _QUICK), tmp_path, (host,))
    assert not troubles, _report(troubles)
    assert read == {host: _QUICK}


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(_PARTS))
def test_twenty_thousand_broken_transcripts_are_read_or_named(part: int, tmp_path: Path) -> None:
    """The same, a thousand at a time."""
    each = _FULL // _PARTS
    troubles, read = sweep(range(part * each, (part + 1) * each), tmp_path)
    print(f"part {part}: {read.total()} variants, {len(troubles)} troubles, {dict(read)}")
    assert not troubles, _report(troubles)


def _lines_of(host: str) -> list[Path]:
    """List recorded sessions of a host that are lines of JSON, all of them sound."""
    paths = [seed.path for seed in seeds(host) if seed.path == seed.broken and seed.path.suffix == ".jsonl"]
    return [path for path in paths if ".rows." not in path.name and _is_lines(path.read_bytes())]


def _is_lines(data: bytes) -> bool:
    first = data.partition(b"\n")[0]
    return data.endswith(b"\n") and first.startswith(b"{") and first.rstrip().endswith(b"}")


def _bad(reader: Reader, path: Path) -> list[int]:
    found: set[int] = set()
    for one in reader.read(str(path), 0):
        for turn in one:
            assert turn.who in _SPEAKERS
        found |= set(one.bad)
    return sorted(found)


_IN_LINES = tuple(host for host in _HOSTS if _lines_of(host))


@pytest.mark.parametrize("host", _IN_LINES)
def test_a_torn_last_line_is_silent(host: str, tmp_path: Path) -> None:
    """A host may be writing it just now: it is neither read nor counted, wherever it is cut."""
    reader, chance = transcripts.reader(host), Random(host)
    for path in _lines_of(host)[:6]:
        data = path.read_bytes()[:300_000]
        data = data[: data.rfind(b"\n") + 1]
        last = data.rfind(b"\n", 0, -1) + 1
        for cut in [last + 1, len(data) - 2, *(chance.randrange(last + 1, len(data) - 1) for _ in range(6))]:
            (tmp_path / path.name).write_bytes(data[:cut])
            assert _bad(reader, tmp_path / path.name) == [], f"{path.name} cut at {cut}"


@pytest.mark.parametrize("host", _IN_LINES)
def test_bad_lines_in_the_middle_are_counted(host: str, tmp_path: Path) -> None:
    """A line that is no JSON, one that is cut off, one of NULs and text: each by its number."""
    reader, chance = transcripts.reader(host), Random(host)
    for path in _lines_of(host)[:6]:
        lines = path.read_bytes().splitlines(keepends=True)[:200]
        if len(lines) < 3:
            continue
        at = chance.randrange(1, len(lines) - 1)
        torn = lines[at][: max(2, len(lines[at]) // 2)].rstrip(b"}\n") + b"\n"
        broken = [*lines[:at], b"no JSON\n", torn, b"\0\0x\0\n", *lines[at:]]
        (tmp_path / path.name).write_bytes(b"".join(broken))
        assert _bad(reader, tmp_path / path.name) == [at + 1, at + 2, at + 3], f"{path.name}, after line {at}"


def test_transcripts_of_every_host_are_broken() -> None:
    """There is something recorded of each that is read."""
    assert [host for host in _HOSTS if not seeds(host)] == []


def test_a_variant_is_the_same_for_the_same_number(tmp_path: Path) -> None:
    """What was found once can be looked at again."""
    seed = seeds("amp")[0]
    first, second = (variant(seed, 7, tmp_path / name).read_bytes() for name in ("a", "b"))
    assert first == second
    assert json.loads(seed.path.read_bytes())
