"""What a host's settings file says, read for one key: JSON with or without comments."""

from __future__ import annotations

from improve.hosts.chain import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read(path: str) -> dict[str, Any]:
    """Read a settings file; what cannot be read says nothing."""
    found = look(path)
    return understood(found.data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")) if found else {}


def understood(said: str) -> dict[str, Any]:
    """Read JSON that may have comments and trailing commas; what is none says nothing."""
    if not said.strip():
        return {}
    import json

    try:
        value = json.loads(said)
    except (ValueError, RecursionError):
        try:
            value = json.loads(_strict(said))
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _strict(said: str) -> str:
    """Take away comments, and commas before a closing bracket."""
    kept: list[str] = []
    at = 0
    while at < len(said):
        end = _end(said, at)
        part = said[at:end]
        if part in ("]", "}"):
            while kept and (kept[-1].isspace() or kept[-1] == ","):
                kept.pop()
        if not part.startswith(("//", "/*")):
            kept.append(part)
        at = end
    return "".join(kept)


def _end(said: str, at: int) -> int:
    """Find the end of the string or comment that begins here; anything else is one character."""
    if said[at] == '"':
        end = at + 1
        while end < len(said) and said[end] != '"':
            end += 2 if said[end] == "\\" else 1
        return end + 1
    if said.startswith(("//", "/*"), at):
        closing = "\n" if said[at + 1] == "/" else "*/"
        end = said.find(closing, at + 2)
        return len(said) if end < 0 else end + len(closing) - (closing == "\n")
    return at + 1


def deep(value: Any, *keys: str) -> Any:
    """Give a value inside nested mappings; None when something on the way is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def strings(value: Any) -> list[str]:
    """Take one string or a list of strings for a list."""
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [entry for entry in listed if isinstance(entry, str) and entry]
