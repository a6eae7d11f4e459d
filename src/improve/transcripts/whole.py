"""What readers share whose files are read as one piece: documents of JSON, Markdown, folders of editors."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from improve.session import Session
from improve.transcripts.base import Unreadable, clean, lines

LARGEST = 64 << 20
"""Bytes of a file that has to be in memory as a whole."""
_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_MOST_SECONDS = 253402300800.0
"""The year 10000, which no date can tell."""


def content(path: str) -> bytes:
    """Read a whole file.

    Raises:
        Unreadable: it is too large for that.
    """
    with open(path, "rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Unreadable(f"it is larger than {LARGEST >> 20} MiB")
    return data


def text_in(data: bytes) -> str:
    """Decode text in any encoding that a mark or its NULs give away, else UTF-8, with � for what is none."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if data[1:8:2] == b"\0\0\0\0" and len(data) % 2 == 0:
        return data.decode("utf-16-le", "replace")
    return data.decode("utf-8", "replace")


def document(path: str) -> Any:
    """Read a file that is one value of JSON.

    Raises:
        Unreadable: it is none, or only a part of one.
    """
    data = content(path)
    try:
        return json.loads(text_in(data).strip("\0 \t\r\n\ufeff"))
    except RecursionError:
        raise Unreadable("its JSON is nested too deep") from None
    except ValueError:
        raise Unreadable("it is not whole JSON" if data.strip() else "it is empty") from None


def beside(path: str, *parts: str) -> Any:
    """Read a JSON document next to a file; None when there is none that can be read."""
    try:
        return document(os.path.join(os.path.dirname(path), *parts))
    except (OSError, ValueError):
        return None


def parsed_text(text: object) -> Any:
    """Read JSON that lies in a text; None when there is none in it."""
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> dict[str, Any]:
    """Give a value that is an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[dict[str, Any]]:
    """Give the objects of a list; of what is no list, none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def moment(value: object) -> str:
    """Give a moment as ISO text: milliseconds since 1970 in UTC, a text as it is; empty for anything else."""
    from datetime import UTC, datetime

    if isinstance(value, str):
        return clean(value) if value[:4].isdigit() and value[4:5] == "-" and len(value) < 40 else ""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _MOST_SECONDS * 1000:
        return ""
    return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds")


def local(naive: str) -> str:
    """Add this machine's zone to a local time that was recorded without one; empty when it is no time."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(naive).astimezone().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def path_in(uri: object) -> str:
    """Give the path a `file:` URI, or a path, names; empty for anything else."""
    if not isinstance(uri, str):
        return ""
    if "://" not in uri:
        return clean(uri) if os.path.isabs(uri) or uri[1:3] in (":\\", ":/") else ""
    if not uri.startswith("file://"):
        return ""
    from urllib.parse import unquote

    path = clean(unquote(uri[len("file://") :]))
    return path[1:] if path[:1] == "/" and path[2:3] == ":" else path


def text_lines(session: Session, path: str) -> Iterator[tuple[int, str, bool]]:
    """Give (offset, line without its end, whether it has its end) of a text; too long ones count as bad."""
    with open(path, "rb") as stream:
        head = stream.read(8)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or (len(head) == 8 and head[1::2] == b"\0\0\0\0"):
        for number, text in enumerate(text_in(content(path)).splitlines()):
            yield number, clean(text), True
        return
    for number, (offset, line, ended) in enumerate(lines(path), 1):
        if line is None:
            session.bad.append(number)
            continue
        text = line.decode("utf-8", "replace").rstrip("\r").replace("\0", "")
        yield offset, text.lstrip("\ufeff") if number == 1 else text, ended
