"""rules.yaml in the styles people and programs write, and an independent reader to check results with."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from improve import document, schema
from improve.rule import Rule

DATA = Path(__file__).parent / "data" / "rules"
BOM = b"\xef\xbb\xbf"


def fixtures(kind: str) -> list[str]:
    """Name the files of one kind."""
    return sorted(f"{kind}/{path.name}" for path in (DATA / kind).iterdir())


def load(name: str) -> bytes:
    """Read a fixture."""
    return (DATA / name).read_bytes()


def crlf(data: bytes) -> bytes:
    """End lines as Windows does."""
    return data.replace(b"\n", b"\r\n")


SHAPES = {
    "as it is": lambda data: data,
    "crlf": crlf,
    "bom": lambda data: BOM + data,
    "no last newline": lambda data: data.rstrip(b"\n"),
    "blanks at the end": lambda data: data + b"\n  \n\n",
    "bom, crlf, no last newline": lambda data: BOM + crlf(data.rstrip(b"\n")),
}


@lru_cache(maxsize=256)
def oracle(data: bytes) -> dict[str, Any]:
    """Read a whole file with a YAML library, every scalar a string; nothing of ours is used."""
    found = YAML(typ="base", pure=True).load(io.StringIO(data.decode("utf-8-sig")))
    plain = _plain(found)
    return plain if isinstance(plain, dict) else {}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    halves = str(value).encode("utf-16", "surrogatepass")  # JSON escapes a character in two halves
    return None if value in ("", "~", "null") else halves.decode("utf-16", "surrogatepass")


def oracle_rules(data: bytes) -> dict[str, Rule]:
    """Give the rules of a file by id, as the library reads them."""
    read = [schema.from_mapping(item)[0] for item in oracle(data).get("rules") or []]
    return {rule.id: rule for rule in read if rule}


def our_rules(data: bytes) -> dict[str, Rule]:
    """Give the rules of a file by id, entry by entry, as the store reads them."""
    shape = document.outline(data)
    entries = [document.read_entry(document.decoded(data[s.start : s.end]), shape.indent) for s in shape.entries]
    return {entry.rule.id: entry.rule for entry in entries if entry.rule}


def edited(data: bytes, rule: Rule) -> bytes:
    """Make one entry of a file say something else, the way the store does."""
    shape = document.outline(data)
    for span in shape.entries:
        text = document.decoded(data[span.start : span.end])
        if document.read_entry(text, shape.indent).id == rule.id:
            new = document.edit_entry(text, shape.indent, rule)
            return data[: span.start] + new.encode() + data[span.end :]
    raise LookupError(rule.id)
