"""Make OpenCode's database, or the tree it had before, from recorded rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]
_TABLES = {
    "project": "id text primary key, worktree text, time_created integer",
    "session": "id text primary key, project_id text, parent_id text, directory text, title text, version text,"
    " revert text, permission text, time_created integer, time_updated integer",
    "message": "id text primary key, session_id text, time_created integer, time_updated integer, data text",
    "part": "id text primary key, message_id text, session_id text, time_created integer, time_updated integer,"
    " data text",
    "credential": "id text primary key, secret text",
    "account": "id text primary key, token text",
}
_INDEXES = "create index i on part (message_id, id); create index j on message (session_id, time_created, id);"


def recorded(path: Path) -> list[Row]:
    """Read recorded rows."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def database(path: Path, rows: Iterable[Row], *, without: tuple[str, ...] = ()) -> Path:
    """Make a database of rows, without some columns if wanted."""
    base = sqlite3.connect(path)
    with base:
        base.executescript(_INDEXES if fill(base, rows, without=without) else "")
    base.close()
    return path


def fill(base: sqlite3.Connection, rows: Iterable[Row], *, without: tuple[str, ...] = ()) -> int:
    """Put the tables and the rows into an open database."""
    for table, columns in _TABLES.items():
        kept = [column for column in columns.split(", ") if column.split()[0] not in without]
        base.execute(f"create table {table} ({', '.join(kept)})")
    for row in rows:
        there = {name for _, name, *_ in base.execute(f"pragma table_info({row['table']})")}
        values = {
            key: json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
            for key, value in row.items()
            if key in there
        }
        marks = ", ".join("?" * len(values))
        base.execute(f"insert into {row['table']} ({', '.join(values)}) values ({marks})", tuple(values.values()))
    return 1


def tree(place: Path, rows: Iterable[Row]) -> list[Path]:
    """Make the tree of JSON files of rows; give the sessions in it."""
    found = []
    for row in rows:
        id, times = row["id"], {"created": row.get("time_created")}
        if row["table"] == "project":
            _write(place / "project" / f"{id}.json", {"id": id, "worktree": row["worktree"]})
        elif row["table"] == "session":
            info = {"id": id, "projectID": row["project_id"], "directory": row.get("directory"), "time": times}
            info |= {"parentID": row["parent_id"]} if row.get("parent_id") else {}
            info |= {key: row[key] for key in ("revert", "permission") if key in row}
            found.append(_write(place / "session" / row["project_id"] / f"{id}.json", info))
        elif row["table"] == "message":
            info = {**row["data"], "id": id, "sessionID": row["session_id"]}
            _write(place / "message" / row["session_id"] / f"{id}.json", info)
        else:
            _write(place / "part" / row["message_id"] / f"{id}.json", {**row["data"], "id": id})
    return found


def _write(path: Path, value: Row) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def conversation(*messages: tuple[str, Row, list[Row]], session: Row | None = None) -> list[Row]:
    """Make rows of one session from (role, more of the message, parts), a second apart."""
    rows: list[Row] = [{"table": "session", "id": "ses_1", "directory": "/w/app", "time_created": 1, **(session or {})}]
    for number, (role, more, parts) in enumerate(messages):
        id, created = f"msg_{number:03}", 1_790_000_000_000 + 1000 * number
        data = {"role": role, "time": {"created": created, "completed": created + 500}, **more}
        rows.append({"table": "message", "id": id, "session_id": "ses_1", "time_created": created, "data": data})
        rows += [
            {"table": "part", "id": f"prt_{number:03}_{at}", "message_id": id, "session_id": "ses_1", "data": part}
            for at, part in enumerate(parts)
        ]
    return rows


def said(text: str, **more: object) -> Row:
    """Make a part of text."""
    return {"type": "text", "text": text, **more}


def used(tool: str, given: Row, **state: object) -> Row:
    """Make a part of a tool that was called, completed unless told otherwise."""
    return {"type": "tool", "tool": tool, "callID": "c1", "state": {"status": "completed", "input": given, **state}}
