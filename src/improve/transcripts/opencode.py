"""OpenCode: https://opencode.ai/docs/cli/. Its database, the tree of JSON files it had before 1.2, and its exports."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from improve.session import Session
from improve.transcripts.base import LONGEST, Reader, Unreadable, below, clean, head_of, parsed
from improve.transcripts.database import MAGIC, WHOLE, Database, fits, is_database, opened
from improve.transcripts.database import sides as _beside
from improve.transcripts.expansion import Expanded, expander, upward
from improve.transcripts.opencode_turns import Message, turns
from improve.transcripts.whole import moment

_TABLES = ("session", "message", "part")
_FACTS = ("id", "parent_id", "directory", "project_id", "revert", "permission", "time_created")
_KEPT = 100_000
"""Characters of each text in a part that is too long to be read whole."""
_LONG = ("$.text", "$.state.output", "$.state.error", "$.state.input.content", "$.state.input.patchText",
         "$.state.input.oldString", "$.state.input.newString")  # fmt: skip
_UNUSED = ("$.url", "$.source", "$.state.attachments", "$.state.metadata.diff", "$.state.metadata.filediff",
           "$.state.metadata.output", "$.state.metadata.preview", "$.state.metadata.diagnostics")  # fmt: skip
_LARGEST = 512 << 20
"""Bytes of an export, which is read as one text."""
_COMMANDS = ("command", "commands")
_TREE = f"{os.sep}storage{os.sep}session{os.sep}"


def files(place: str) -> Iterator[str]:
    """Name the transcripts at a place: the database, or the directory of the program or of its older tree."""
    if os.path.isfile(place):
        yield place
        return
    for tree in (os.path.join(place, "session"), os.path.join(place, "storage", "session")):
        yield from (path for path in below(tree, (".json",)) if _in_tree(path))
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return
    for path in (os.path.join(place, name) for name in names if name.endswith((".db", ".json", ".jsonl"))):
        if _in_tree(path) or claims(path, head_of(path)):
            yield path


def claims(path: str, head: bytes) -> bool:
    """Tell whether a file is one of OpenCode's."""
    if head.startswith(MAGIC):
        return fits(path, _is_ours)
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return _in_tree(path) or (start.startswith(b"{") and b'"info"' in start[:200] and b'"ses_' in start)


def sides(path: str) -> tuple[str, ...]:
    """Name what beside a transcript changes when it does: a database's log, the directory of a session's messages."""
    if not _in_tree(path):
        return _beside(path)
    return (os.path.join(_storage(path), "message", os.path.basename(path).removesuffix(".json")),)


def read(path: str, offset: int = 0) -> Iterable[Session]:
    """Give the sessions in a file, of a database those that changed after a moment in ms."""
    if _in_tree(path):
        return _from_tree(path)
    return _from_database(path, offset) if is_database(path) else _from_export(path)


def _is_ours(database: Database) -> bool:
    return all("id" in database.columns(table) for table in _TABLES) and "message_id" in database.columns("part")


def _from_database(path: str, after: int) -> Iterator[Session]:
    database = opened(path)
    if not _is_ours(database):
        raise Unreadable("its tables are not those of OpenCode: session, message, part")
    there = database.columns("session")
    facts = [name if name in there else f"NULL AS {name}" for name in _FACTS]
    trees = dict(_trees(database))
    order = "ORDER BY time_created, id" if "time_created" in there else "ORDER BY id"
    changed = _changed(database)
    query = f"SELECT {', '.join(facts)}, {changed} AS changed FROM session WHERE {changed} > ? OR ? = 0 {order}"
    # all at once: a question that stays open would keep the host from tidying up its log
    for *row, at in list(database.rows(query, after, after)):
        known = dict(zip(_FACTS, row, strict=True))
        info = {
            "id": known["id"], "parentID": known["parent_id"], "time": {"created": known["time_created"]},
            "directory": known["directory"] or trees.get(known["project_id"]),
            "revert": _json(known["revert"]), "permission": _json(known["permission"]),
        }  # fmt: skip
        session = _session(path, info, lambda session: _rows(database, session))
        session.offset = at if isinstance(at, int) else 0
        yield session


def _changed(database: Database) -> str:
    """Word the moment a session changed last, in ms: its own, or that of its latest message."""
    own = "coalesce(time_updated, 0)" if "time_updated" in database.columns("session") else "0"
    if "time_updated" not in database.columns("message"):
        return own
    return f"max({own}, coalesce((SELECT max(time_updated) FROM message WHERE session_id = session.id), 0))"


def _trees(database: Database) -> Iterator[tuple[Any, Any]]:
    if {"id", "worktree"} <= database.columns("project"):
        yield from ((id, tree) for id, tree in database.rows("SELECT id, worktree FROM project"))


def _session(path: str, info: dict[str, Any], messages: Callable[[Session], Iterable[Message]]) -> Session:
    time, revert = info.get("time"), info.get("revert")
    started = moment(time.get("created")) if isinstance(time, dict) else ""
    session = Session("opencode", path, id=clean(info.get("id")), cwd=clean(info.get("directory")), started=started)
    session.parent, session.headless = clean(info.get("parentID")), _is_headless(info.get("permission"))
    undone = clean(revert.get("messageID")) if isinstance(revert, dict) else ""
    return session.with_turns(turns(session, messages(session), undone, _commands(session.cwd)))


def _commands(cwd: str) -> Expanded:
    own = [os.path.join(".opencode", name) for name in _COMMANDS]
    return expander(lambda: (*_places(), *upward(cwd, *own)))


def _places() -> Iterator[str]:
    from improve.hosts.base import config_directory

    folder = config_directory("opencode")(os.path.expanduser("~"), os.environ)
    yield from (os.path.join(folder, name) for name in _COMMANDS)


def _is_headless(rules: object) -> bool:
    """Tell a session of `opencode run`, in which the agent may not ask anything."""
    asked = (rule for rule in rules if isinstance(rule, dict)) if isinstance(rules, list) else ()
    return any(rule.get("permission") == "question" and rule.get("action") == "deny" for rule in asked)


def _rows(database: Database, session: Session) -> Iterator[Message]:
    columns = database.columns("message")
    order = "time_created, id" if "time_created" in columns else "id"
    query = f"SELECT id, {_whole_or(_without('$.summary.diffs'))} FROM message WHERE session_id = ? ORDER BY {order}"
    number = 0
    try:
        for id, data in database.rows(query, session.id):
            number += 1
            info = _json(data)
            if isinstance(info, dict):
                yield Message(clean(id), info, _parts(database, session, id, number))
            else:
                session.bad.append(number)
    except Unreadable:
        session.bad.append(number + 1)


def _parts(database: Database, session: Session, message: object, number: int) -> list[dict[str, Any]]:
    parts, bad = [], 0
    for id, data in database.rows(_PARTS, message):
        part = _json(data)
        if isinstance(part, dict):
            parts.append({**part, "id": id})
        else:
            bad += 1
    if bad:
        session.bad.append(number)
    return parts


def _without(*paths: str) -> str:
    return f"json_remove(data, {', '.join(map(repr, paths))})"


def _whole_or(less: str) -> str:
    """Word a column that is read whole where it is short, as `less` where it is long, and not at all where broken."""
    return f"CASE WHEN length(data) <= {WHOLE} THEN data WHEN json_valid(data) THEN {less} END"


def _shortened() -> str:
    cut = ", ".join(f"'{path}', substr(json_extract(data, '{path}'), 1, {_KEPT})" for path in _LONG)
    return f"json_remove(json_replace(data, {cut}), {', '.join(map(repr, _UNUSED))})"


_PARTS = f"SELECT id, {_whole_or(_shortened())} FROM part WHERE message_id = ? ORDER BY id"


def _json(data: object) -> Any:
    if not isinstance(data, str | bytes):
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _in_tree(path: str) -> bool:
    return _TREE in path and os.path.basename(path).startswith("ses_") and path.endswith(".json")


def _storage(path: str) -> str:
    return path[: path.rindex(_TREE) + len(f"{os.sep}storage")]


def _from_tree(path: str) -> Iterator[Session]:
    storage, info = _storage(path), _object(path)
    if info is None:
        raise Unreadable("it is no JSON object")
    if _moved(os.path.join(os.path.dirname(storage), "opencode.db"), clean(info.get("id"))):
        return
    if not info.get("directory"):
        project = _object(os.path.join(storage, "project", f"{clean(info.get('projectID'))}.json"), quiet=True) or {}
        info["directory"] = project.get("worktree")
    yield _session(path, info, lambda session: _leaves(storage, session))


def _moved(path: str, id: str) -> bool:
    """Tell whether the database has a session that still lies in the tree, too."""
    if not os.path.isfile(path):
        return False
    try:
        database = opened(path)
        return _is_ours(database) and any(database.rows("SELECT 1 FROM message WHERE session_id = ? LIMIT 1", id))
    except (OSError, Unreadable):
        return False


def _leaves(storage: str, session: Session) -> Iterator[Message]:
    folder = os.path.join(storage, "message", session.id)
    for number, name in enumerate(_names(folder), 1):
        info = _object(os.path.join(folder, name), quiet=True)
        id = name.removesuffix(".json")
        parts = os.path.join(storage, "part", id)
        found = [_object(os.path.join(parts, part), quiet=True) for part in _names(parts)]
        if info is None or None in found:
            session.bad.append(number)
        if info is not None:
            yield Message(id, info, [part for part in found if part is not None])


def _names(folder: str) -> list[str]:
    """List the files of a directory; their names are in the order in which they were made."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []


def _object(path: str, *, quiet: bool = False) -> dict[str, Any] | None:
    try:
        with open(path, "rb") as stream:
            return parsed(stream.read(LONGEST))
    except OSError:
        if quiet:
            return None
        raise


def _from_export(path: str) -> Iterator[Session]:
    """Read `opencode export`: `{info, messages: [{info, parts}]}`."""
    if os.path.getsize(path) > _LARGEST:
        raise Unreadable(f"it is larger than {_LARGEST >> 20} MB")
    with open(path, "rb") as stream:
        text = stream.read().decode("utf-8", "replace").lstrip("\ufeff")
    at = text.find('"messages"')
    opening = text.find("[", at)
    try:
        info = json.loads(f"{text[:at].rstrip().rstrip(',')}}}")["info"] if at >= 0 else json.loads(text)["info"]
    except (ValueError, RecursionError, KeyError, TypeError):
        info = None
    if not isinstance(info, dict):
        raise Unreadable("it is no export of OpenCode")
    yield _session(path, info, lambda session: _exported(session, text, opening + 1) if opening > 0 else ())


def _exported(session: Session, text: str, at: int) -> Iterator[Message]:
    decoder, number = json.JSONDecoder(), 0
    while (at := _skipped(text, at)) < len(text) and text[at] != "]":
        number += 1
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if not isinstance(error, json.JSONDecodeError) or len(text) - error.pos > 8:  # else it was cut there
                session.bad.append(number)
            return
        info = row.get("info") if isinstance(row, dict) else None
        parts = row.get("parts") if isinstance(row, dict) else None
        if not isinstance(info, dict) or not isinstance(parts, list):
            session.bad.append(number)
            continue
        yield Message(clean(info.get("id")), info, [part for part in parts if isinstance(part, dict)])


def _skipped(text: str, at: int) -> int:
    while at < len(text) and text[at] in ", \t\r\n":
        at += 1
    return at


READER = Reader("opencode", files, read, claims, grows=False, clock=True, beside=sides)
