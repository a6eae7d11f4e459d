"""Ways in which a transcript can be broken: each makes variants of bytes, with a given source of chance."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

Mangle = Callable[[bytes, Random], bytes]

_STRANGE: tuple[str, ...] = (
    "null", "true", "false", "0", "-1", "1e999", "-1e999", "NaN", "Infinity", "9" * 400, "9" * 5000, "1.5", "1e-400",
    '""', '"x"', '"\\ud800"', '"\\u0000\\u001b[31m"', '"' + "a" * 20_000 + '"', "[]", "{}", "[[]]", "[null]",
    '[{"a": []}]',
    '{"type": {}}', '{"text": []}', '[{"type": "text", "text": 7}]', '{"": {"": ""}}', "[" * 500 + "]" * 500,
    '{"a":' * 900 + "1" + "}" * 900, '"2026-99-99T99:99:99Z"', '"9999-12-31T23:59:59Z"', '"../../../etc/passwd"',
    '"file://%zz"',
)  # fmt: skip
"""Values, as JSON, that stand where others are expected."""
_MARKS = (
    b"#### ", b"> ", b"# aider chat started at ", b"_**User**_\n\n", b"---\n",
    b"_**Agent (x 2026-01-01 00:00Z)**_\n\n",
    b'<tool-use data-tool-type="shell" data-tool-name="x"><details>\n', b"</details></tool-use>\n",
    b"<!-- x Session y (",
    b"user:\n", b"assistant:\n", b"<user_query>", b"</user_query>", b"[Tool call] x\n", b"```\n", b"<system-reminder>",
    b"\xef\xbb\xbf",
)  # fmt: skip
"""What parts texts, put where it does not belong."""

_AGAIN = (
    "<system-reminder>", "<system-reminder>x</system-reminder>", "<command-args>", "<command-name>/x</command-name>",
    "\n", "<user_query>", "<user_query>x</user_query>", "</user_query>", "API", "aider --m ", "#### ", "> ",
    "a=1\n  ", "`", "```\n", "Current Working Directory (", "user denied this operation", "# 2026-01-01 ", "---\n",
    "(Y)es/(N)o [Yes]: n", " ", "\ufeff", "<hook_context>", "\\", "<!-- ", "_**User**_\n\n", "[Request interrupted",
    "the user said:\n", "Exit code 1\n", "\x1b[31m", "<environment_context>\n", "improve-rules v", "- ",
    "[Tool call] x\n", "\r", "😀", "IDE context:\n", "## ", "a.b ",
)  # fmt: skip
"""What texts have once, to be put into one a thousand times."""


def truncate(data: bytes, chance: Random) -> bytes:
    """Cut the end off."""
    return data[: chance.randrange(len(data) + 1)]


def flip(data: bytes, chance: Random) -> bytes:
    """Turn a few bits over."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 2, 8, 64)) if changed else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def splice(data: bytes, chance: Random) -> bytes:
    """Put random bytes, or a part of the file itself, over another part."""
    start = chance.randrange(len(data) + 1)
    size = chance.choice((1, 16, 512))
    other = chance.randrange(len(data) + 1)
    new = chance.randbytes(size) if chance.random() < 0.5 else data[other : other + size]
    return data[:start] + new + data[start + chance.choice((0, size)) :]


def reorder(data: bytes, chance: Random) -> bytes:
    """Shuffle lines."""
    lines = data.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def duplicate(data: bytes, chance: Random) -> bytes:
    """Write lines, or all of it, twice."""
    if chance.random() < 0.2:
        return data + data
    return b"".join(line * chance.choice((1, 1, 1, 2, 3)) for line in data.splitlines(keepends=True))


def drop(data: bytes, chance: Random) -> bytes:
    """Leave lines out, the first ones above all."""
    lines = data.splitlines(keepends=True)
    kept = lines[chance.randrange(min(len(lines), 4) + 1) :]
    return b"".join(line for line in kept if chance.random() < 0.8)


def encode(data: bytes, chance: Random) -> bytes:
    """Write it, or some of its lines, in another encoding."""
    encoding = chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-8-sig", "cp1252"))
    if chance.random() < 0.5:
        return data.decode("utf-8", "replace").encode(encoding, "replace")
    lines = data.splitlines(keepends=True)
    return b"".join(
        line.decode("utf-8", "replace").encode(encoding, "replace") if chance.random() < 0.2 else line for line in lines
    )


def nuls(data: bytes, chance: Random) -> bytes:
    """Put NULs in: one, a few, a page at the end or in the middle, as file systems leave after a crash."""
    at = chance.randrange(len(data) + 1)
    return data[:at] + bytes(chance.choice((1, 3, 4096))) + data[at:]


def ends(data: bytes, chance: Random) -> bytes:
    """Change how lines end."""
    end = chance.choice((b"\r\n", b"\r", b"\n\n", b"\n\r", b"\x0b\n", b"\xe2\x80\xa8"))
    changed = data.replace(b"\n", end)
    return changed[: -len(end)] if chance.random() < 0.3 else changed


def lengthen(data: bytes, chance: Random) -> bytes:
    """Put a very long line in."""
    size = (9 << 20) if chance.random() < 0.03 else chance.choice((1 << 16, 1 << 20))
    filler = chance.choice((b"a", b"[", b'{"a":', b"\\", b'"', b"#### ", b" ", b"\xff", b"`", b"<user_query>"))
    lines = data.splitlines(keepends=True)
    lines.insert(chance.randrange(len(lines) + 1), filler * (size // len(filler)) + chance.choice((b"\n", b"")))
    return b"".join(lines)


def nest(data: bytes, chance: Random) -> bytes:
    """Put deep nesting where a value is, or on a line of its own."""
    depth = chance.choice((200, 900, 1100, 5_000, 100_000))
    opening, closing = chance.choice((("[", "]"), ('{"a":', "}"), ('{"content":[', "]}"), ('[{"text":', "}]")))
    deep = (opening * depth + "1" + closing * depth).encode()
    return _with_value(data, chance, deep) if chance.random() < 0.7 else data + deep + b"\n"


def retype(data: bytes, chance: Random) -> bytes:
    """Replace values of JSON by others of any type."""
    if chance.random() < 0.5:
        for _ in range(chance.choice((1, 1, 3))):
            data = _with_value(data, chance, chance.choice(_STRANGE).encode())
        return data
    lines = data.splitlines(keepends=True)
    rate = chance.choice((0.05, 0.3))
    if len(lines) > 1 and lines[0].lstrip().startswith(b"{") and lines[0].rstrip().endswith(b"}"):
        return b"".join(_retyped(line, chance, rate) if chance.random() < 0.5 else line for line in lines)
    return _retyped(data, chance, rate)


def mark(data: bytes, chance: Random) -> bytes:
    """Put what parts texts where it does not belong."""
    lines = data.splitlines(keepends=True)
    for _ in range(chance.choice((1, 5, 20))):
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(_MARKS))
    return b"".join(lines)


def rekey(data: bytes, chance: Random) -> bytes:
    """Give a record a key twice, or none of the name it should have."""
    places = _places(data, b'":')
    for at in chance.sample(places, min(len(places), chance.choice((1, 4)))):
        start = data.rfind(b'"', 0, at)
        if start > 0:
            name = data[start + 1 : at]
            new = chance.choice((b"", name + b'": null, "' + name, name[::-1], b"type", b"\\u0000"))
            new = new[: len(name)].ljust(len(name), b"_") if chance.random() < 0.7 else new
            data = data[: start + 1] + new + data[at:]
            if len(new) != len(name):
                break
    return data


def bloat(data: bytes, chance: Random) -> bytes:
    """Put a long text of one thing again and again where a value is, or on lines: what makes a search start over."""
    one = chance.choice(_AGAIN)
    count = chance.choice((20_000, 400_000)) // len(one)
    if chance.random() < 0.7:
        return _with_value(data, chance, json.dumps(one * count).encode())
    start = data.find(b"\n", chance.randrange(len(data) + 1)) + 1
    return data[:start] + f"{one}\n".encode() * count + data[start:]


MANGLES: tuple[Mangle, ...] = (
    truncate, flip, splice, reorder, duplicate, drop, encode, nuls, ends, lengthen, nest, retype, retype, mark, rekey,
    bloat,
)  # fmt: skip
"""Wrong types twice, for they are what versions of a host really differ in."""
IN_DOCUMENTS: tuple[Mangle, ...] = (*MANGLES, *(retype,) * 10, *(bloat,) * 2)
"""A document that is no JSON any more is not read at all, so most variants of one are JSON still."""
IN_DATABASES: tuple[Mangle, ...] = (truncate, flip, flip, splice, nuls, duplicate)


def database(path: Path, chance: Random) -> None:
    """Change values in a database's rows, as a host of another version would have written them."""
    base = sqlite3.connect(path, isolation_level=None)
    base.execute("PRAGMA synchronous=OFF")
    plain = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' AND sql NOT LIKE '%ROWID%'"
    )
    tables = [name for (name,) in base.execute(plain) if not name.startswith("sqlite_")]
    for _ in range(chance.choice((1, 3, 10))):
        table = chance.choice(tables)
        columns = [row[1] for row in base.execute(f'PRAGMA table_info("{table}")')]
        rows = [rowid for (rowid,) in base.execute(f'SELECT rowid FROM "{table}" LIMIT 200')]
        if rows and columns:
            _cell(base, table, chance.choice(columns), chance.choice(rows), chance)
    base.close()


def _cell(base: sqlite3.Connection, table: str, column: str, row: int, chance: Random) -> None:
    (old,) = base.execute(f'SELECT "{column}" FROM "{table}" WHERE rowid = ?', (row,)).fetchone()
    text = old.encode("utf-8", "replace") if isinstance(old, str) else old if isinstance(old, bytes) else b""
    new: Any = chance.choice((None, -1, 2**62, 1e300, b"\xff\xfe", "", "x", "[" * 2000, chance.choice(_STRANGE)))
    if text and chance.random() < 0.6:
        new = chance.choice(MANGLES)(text, chance)[:1_000_000]
        new = new.decode("utf-8", "surrogateescape") if chance.random() < 0.5 and _is_utf8(new) else new
    try:
        base.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (new, row))
    except (sqlite3.Error, UnicodeEncodeError):
        return


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _places(data: bytes, sign: bytes) -> list[int]:
    found, at = [], data.find(sign)
    while at >= 0 and len(found) < 20_000:
        found.append(at)
        at = data.find(sign, at + 1)
    return found


def _with_value(data: bytes, chance: Random, new: bytes) -> bytes:
    """Put a value in the place of one behind a colon, without minding whether the rest still parses."""
    places = _places(data, b'":')
    if not places:
        return data + new
    start = chance.choice(places) + 2
    try:
        text = data[start : start + 65_536].decode("utf-8", "replace")
        bare = text.lstrip()
        _, size = json.JSONDecoder().raw_decode(bare)
    except (ValueError, RecursionError):
        return data[:start] + new + data[start:]
    return data[:start] + new + data[start + len(text[: len(text) - len(bare) + size].encode("utf-8", "replace")) :]


def _retyped(line: bytes, chance: Random, rate: float) -> bytes:
    try:
        value = json.loads(line)
        changed = _changed(value, chance, rate)
        return json.dumps(changed).encode() + b"\n"
    except (ValueError, RecursionError):
        return line


def _changed(value: Any, chance: Random, rate: float) -> Any:
    if chance.random() < rate:
        return json.loads(chance.choice(_STRANGE[:27]), parse_int=lambda digits: int(digits[:300]))
    if isinstance(value, dict):
        return {key: _changed(inner, chance, rate) for key, inner in value.items()}
    if isinstance(value, list):
        return [_changed(inner, chance, rate) for inner in value]
    return value
