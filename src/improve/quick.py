"""JSON for the prompt hook: the standard library's own scanner and encoder, without importing what is around them.

`json` brings `re` along, which takes as long as starting Python. Where the C parts are not there, or are not as
expected, `json` does the work.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def loads(text: str) -> Any:
    """Read a JSON text.

    Raises:
        ValueError: it is none.
    """
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text)
    try:
        value, end = make_scanner(_Settings)(text, _past_blanks(text, 0))  # type: ignore[arg-type]
    except (StopIteration, SystemError):  # the latter where it is cut off: the C part looks for json's own error
        raise ValueError("no JSON value") from None
    if _past_blanks(text, end) != len(text):
        raise ValueError("more than one JSON value")
    return value


class _Settings:
    """What the scanner asks its decoder for: https://github.com/python/cpython/blob/main/Lib/json/decoder.py."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012


def _past_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at


def dumps(value: object) -> str:
    """Write objects, lists, texts, whole numbers and truth values as JSON in ASCII; `json` writes whatever else."""
    try:
        from _json import encode_basestring_ascii as quoted
    except ImportError:
        import json

        return json.dumps(value, ensure_ascii=True)
    if isinstance(value, str):
        return str(quoted(value))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(str(key))}: {dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(int(value))
    import json

    return json.dumps(value, ensure_ascii=True)
