"""Globs of paths: `*`, `**`, `?`, `{a,b}`; one that does not begin at the root may match the end of a path. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache


def within(paths: Sequence[str], path: str) -> bool:
    """Tell whether a path, or what it ends with, is one of these globs."""
    plain = path.replace("\\", "/")
    if "./" in plain or "//" in plain:  # `src/x/../generated/a` is `src/generated/a`
        plain = posixpath.normpath(plain)
    return any(_glob(glob).fullmatch(plain) is not None for glob in paths)


def placed(at: str, path: str) -> str:
    """Say where a path is, given the directory it is said in.

    >>> placed("/p/src", "../a"), placed("", "a"), placed("x", "/a"), placed("src", "gen/")
    ('/p/a', 'a', '/a', 'src/gen/')
    """
    plain = path.replace("\\", "/")
    if not at or plain[:1] in ("/", "~") or plain[1:2] == ":":
        return path
    return posixpath.normpath(posixpath.join(at, plain)) + ("/" if plain.endswith("/") else "")


@lru_cache(maxsize=2048)
def _glob(glob: str) -> re.Pattern[str]:
    """Turn a glob into a regular expression; one that does not begin at the root may match the end of a path."""
    plain = glob.replace("\\", "/").removeprefix("./")
    if plain.endswith("/"):
        plain += "**"
    out = re.escape(plain)
    for escaped, meant in (
        (r"\*\*/", "(?:[^/]*/)*"),
        (r"\*\*", ".*"),
        (r"\*", "[^/]*"),
        (r"\?", "[^/]"),
    ):
        out = out.replace(escaped, f"\0{meant}\0") if escaped != r"\*" else re.sub(r"\\\*(?!\0)", "[^/]*", out)
    out = re.sub(r"\\\{([^{}]*)\\\}", lambda found: "(?:" + found[1].replace(",", "|") + ")", out).replace("\0", "")
    return re.compile(out if plain.startswith(("/", "~")) or plain[1:2] == ":" else f"(?:.*/)?{out}", re.DOTALL)
