"""Codex CLI, and its extensions and app: rollouts, plain or compressed, and the history of prompts.

Rows are `{timestamp, type, payload}`. What a person typed stands in them up to three times: as an item of the model's
input, among much that nobody typed, and as an event of its own, of one kind up to 0.15x and of another from then on.
The events are right where there are any. https://github.com/openai/codex/blob/main/codex-rs/rollout/src/policy.rs
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from improve.session import Session, Turn
from improve.transcripts import base, codex_history, compressed
from improve.transcripts.base import Reader, Unreadable, clean
from improve.transcripts.whole import mapping

if TYPE_CHECKING:
    from improve.transcripts.codex_rollout import Rollout

HOST = "codex"
Kind: TypeAlias = tuple[bytes, bytes | None]
"""The types of a row and of what it holds."""
_HEAD = re.compile(
    rb'\{"timestamp": ?"([^"\\]*)", ?(?:"ordinal": ?(\d+), ?)?"type": ?"(\w+)", ?'
    rb'"payload": ?\{(?:"type": ?"(\w+)")?'
)
"""How every row begins that a program of 2025 or later has written."""
_SILENT: frozenset[Kind] = frozenset({
    (b"event_msg", b"token_count"), (b"event_msg", b"agent_reasoning"), (b"event_msg", b"agent_message"),
    (b"event_msg", b"agent_reasoning_raw_content"), (b"response_item", b"reasoning"),
    (b"response_item", b"ghost_snapshot"), (b"response_item", b"additional_tools"), (b"world_state", None),
    (b"event_msg", b"exec_command_end"), (b"event_msg", b"patch_apply_end"), (b"event_msg", b"view_image_tool_call"),
})  # fmt: skip
"""Rows that tell nothing that others do not: most bytes of many files are in them."""
_LONG_ONES: tuple[Kind, ...] = (
    (b"response_item", b"function_call_output"),
    (b"response_item", b"custom_tool_call_output"),
)
_ITEM: Kind = (b"event_msg", b"item_completed")
_COMPACTED: Kind = (b"compacted", None)
"""Holds much of what was said before, which is no speech."""
_ITEMS_THAT_TELL = (b'"UserMessage"', b'"ContextCompaction"', b'"Error"')
_LONG = 4_000
"""Bytes from which on a result is read when somebody asks for it."""
_TYPES = frozenset({
    "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "message",
    "function_call", "function_call_output", "reasoning", "inter_agent_communication_metadata",
})  # fmt: skip
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_FIRST = 8
"""Rows among which a rollout tells what it is."""


class Row(NamedTuple):
    """A line of a rollout: parsed, or left as it is because it is long."""

    offset: int
    line: bytes
    kind: Kind
    at: str
    ordinal: int
    whole: dict[str, Any] | None


def _files(place: str) -> Iterator[str]:
    """Name rollouts and histories; of one that is there plain and compressed, as while it is packed, the plain one."""
    found = set(base.below(place, (".jsonl", ".jsonl.zst")))
    for path in found:
        name = os.path.basename(path)
        twice = name.endswith(compressed.SUFFIX) and path.removesuffix(compressed.SUFFIX) in found
        if not twice and (path == place or name.startswith("rollout-") or name == "history.jsonl"):
            yield path


def _claims(path: str, head: bytes) -> bool:
    name = os.path.basename(path)
    if name.endswith(".jsonl.zst"):
        return name.startswith("rollout-")
    first = head.lstrip(base.BLANK)
    row = base.row_in(first.partition(b"\n")[0])
    if codex_history.claims(first):
        return True
    if row is None:
        found = _HEAD.match(first)
        return found is not None and found[3].decode() in _TYPES
    return _is_row(row) or (name.startswith("rollout-") and "instructions" in row)


def _is_row(row: dict[str, Any]) -> bool:
    typed = str(row.get("type")) in _TYPES and isinstance(row.get("timestamp"), str)
    return typed and isinstance(row.get("payload"), dict)


def _read(path: str, offset: int) -> Iterable[Session]:
    with open(path, "rb") as stream:
        head = stream.read(base.BLOCK >> 4)
    if codex_history.claims(head.lstrip(base.BLANK)):
        return codex_history.read(path, offset)
    from improve.transcripts.codex_rollout import Rollout

    session = Session(HOST, path)
    lines = compressed.lines if path.endswith(compressed.SUFFIX) else base.lines
    rollout = Rollout(session)
    if not _facts(rollout, lines(path)) and b"\n" in head:
        raise Unreadable("its rows are not those of a Codex rollout")
    session.offset = offset
    return [session.with_turns(_turns(rollout, lines(path, offset)))]


def _facts(rollout: Rollout, lines: Iterator[tuple[int, bytes | None, bool]]) -> bool:
    """Read who, where and when from the first rows; tell whether any of them is one of a rollout."""
    known, session = False, rollout.session
    for number, (_, line, _) in enumerate(lines):
        row = base.row_in(line)
        if row is not None and row.get("type") == "session_meta":
            rollout.begin(mapping(row.get("payload")))
            return True
        if row is not None and "type" not in row and isinstance(row.get("id"), str) and "timestamp" in row:
            session.id, session.started = clean(row["id"]), clean(row.get("timestamp"))
            session.branch = clean(mapping(row.get("git")).get("branch"))
            known = True
        known = known or (row is not None and str(row.get("type")) in _TYPES)
        if number >= _FIRST:
            break
    named = _UUID.findall(os.path.basename(session.path))
    session.id = session.id or (named[0] if named else "")
    return known


def _turns(rollout: Rollout, lines: Iterator[tuple[int, bytes | None, bool]]) -> Iterator[Turn]:
    for row in _rows(rollout.session, lines):
        if rollout.replayed(row.at, row.ordinal, row.line):
            continue
        if row.whole is not None:
            yield from rollout.row(row.whole, row.offset)
        elif row.kind == _COMPACTED:
            yield from rollout.row({"timestamp": row.at, "type": "compacted", "payload": {}}, row.offset)
        elif row.kind == _ITEM:
            rollout.item(row.line, row.offset)
        else:
            yield from rollout.output(row.line, row.at, row.offset)
    rollout.rest()


def _rows(session: Session, lines: Iterator[tuple[int, bytes | None, bool]]) -> Iterator[Row]:
    """Give the rows that tell something; number the bad ones, except for a last one that is torn."""
    number = 0
    try:
        for number, (offset, line, ended) in enumerate(lines, 1):
            bare = line.strip(base.BLANK) if line is not None else b""
            row = _row(offset, bare, ended)
            if row is None and not ended:
                return
            session.offset = offset + len(line or b"") + ended
            if row is not None and row.kind not in _SILENT:
                yield row
            elif row is None and (bare or line is None):
                session.bad.append(number)
    except Unreadable:  # compressed, and damaged further on
        session.bad.append(number + 1)


def _row(offset: int, line: bytes, ended: bool) -> Row | None:
    """Read a line as far as that pays; None when it is no row of JSON."""
    found = _HEAD.match(line)
    kind: Kind = (b"", None)
    at, ordinal = "", -1
    if found is not None:
        kind, at, ordinal = (found[3], found[4]), found[1].decode("utf-8", "replace"), int(found[2] or -1)
        sound = ended and line.endswith(b"}}")
        if sound and (
            kind in _SILENT
            or kind == _COMPACTED
            or (kind in _LONG_ONES and len(line) > _LONG)
            or _is_told_elsewhere(kind, line)
        ):
            return Row(offset, line, kind, at, ordinal, None)
    whole = base.parsed(line) if line else None
    return None if whole is None else Row(offset, line, kind, at, ordinal, whole)


def _is_told_elsewhere(kind: Kind, line: bytes) -> bool:
    """Tell an item that says no more than its result does, but for how it went."""
    return kind == _ITEM and not any(name in line[:600] for name in _ITEMS_THAT_TELL)


READER = Reader(HOST, _files, _read, _claims)
