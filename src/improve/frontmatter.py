"""The YAML block at the top of a rule file that is loaded only for some paths: make one, read one, find its end.

Claude Code: https://code.claude.com/docs/en/memory (`paths:`, a list). Cursor: https://docs.cursor.com/context/rules
(`globs:`, commas between). Copilot: https://docs.github.com/en/copilot (`applyTo:`, commas between). A block that is
there is never changed.
"""

from __future__ import annotations

import json

_BOM = b"\xef\xbb\xbf"
PATHS, GLOBS, APPLY_TO = "paths", "globs", "applyTo"
_HOMES = (
    (PATHS, "/.claude/rules/", ".md"),
    (GLOBS, "/.cursor/rules/", ".mdc"),
    (APPLY_TO, "/.github/instructions/", ".instructions.md"),
)
LONGEST_GLOB = 200
MOST_GLOBS = 50
_MOST_SPREAD = 200
_UNFIT = "\"'`\\#:<>|[]"
_UNFIT_FIRST = "!&%@,-?"
"""What YAML would take for something else where a value begins."""


def key_for(path: str) -> str:
    """Name the key that says for which paths a file is loaded; empty for a file that cannot say so.

    >>> key_for(".claude/rules/testing.md"), key_for("docs/testing.md")
    ('paths', '')
    """
    name = "/" + path.replace("\\", "/")
    return next((key for key, home, end in _HOMES if home in name and name.lower().endswith(end)), "")


def fault(glob: str) -> str:
    """Say what keeps a glob from being written; empty when nothing does."""
    if not glob or glob != glob.strip() or len(glob) > LONGEST_GLOB:
        return f"is empty, has outer blanks or more than {LONGEST_GLOB} characters"
    if glob.startswith(("/", "~")) or ".." in glob.replace("\\", "/").split("/"):
        return "is not relative to the project's root"
    odd = glob[0] if glob[0] in _UNFIT_FIRST else next((c for c in glob if c in _UNFIT or not c.isprintable()), "")
    if odd:
        return f"has the character {odd!r}"
    if len(_split(glob)) != 1 or _depth(glob) is None:
        return "has a comma outside of braces, or braces that do not match; give each glob by itself"
    meant = spread((glob,))
    if any(one != one.strip() or not one for one in meant):
        return "stands for nothing, or for a glob with outer blanks, when its braces are written out"
    return "" if len(meant) <= _MOST_SPREAD else "stands for too many globs"


def spread(globs: tuple[str, ...]) -> tuple[str, ...]:
    """Write out braces, each glob once: where commas part the globs of a list, they cannot stand inside one.

    >>> spread(("src/*.{ts,tsx}", "docs/**"))
    ('src/*.ts', 'src/*.tsx', 'docs/**')
    """
    return tuple(dict.fromkeys(one for glob in globs for one in _unbraced(glob)))


def _unbraced(glob: str) -> list[str]:
    """Expand the innermost pair of braces first, until there is none; stop when there are too many."""
    waiting, done = [glob], list[str]()
    while waiting and len(done) + len(waiting) <= _MOST_SPREAD:
        one = waiting.pop(0)
        close = one.find("}")
        start = one.rfind("{", 0, close) if close >= 0 else -1
        if start < 0:
            done.append(one)
            continue
        waiting[:0] = [one[:start] + part + one[close + 1 :] for part in one[start + 1 : close].split(",")]
    return done + waiting


def same(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Say whether two lists of globs name the same paths, whatever their order and way of writing."""
    return set(spread(first)) == set(spread(second))


def make(path: str, globs: tuple[str, ...]) -> bytes:
    """Write the block for a new file; empty for a file that cannot say for which paths it is."""
    key = key_for(path)
    if not key or not globs:
        return b""
    joined = ",".join(spread(globs))
    body = {
        PATHS: ["paths:", *(f"  - {json.dumps(glob, ensure_ascii=False)}" for glob in globs)],
        GLOBS: [f"description: Rules for files that match {joined}", f"globs: {joined}", "alwaysApply: false"],
        APPLY_TO: [f"applyTo: {json.dumps(joined, ensure_ascii=False)}"],
    }[key]
    return "\n".join(["---", *body, "---", ""]).encode()


def end(data: bytes) -> int:
    """Find where the block ends; 0 when the file has none."""
    from improve import block

    start = len(_BOM) if data.startswith(_BOM) else 0
    lines = data[start:].splitlines(keepends=True)
    count = block.front_matter([line.rstrip(b"\r\n") for line in lines])
    return start + sum(map(len, lines[:count])) if count else 0


def read(path: str, data: bytes) -> tuple[str, ...]:
    """List the globs that the block of a file names; none when it has no block or names none."""
    key, stop = key_for(path), end(data)
    if not key or not stop:
        return ()
    lines = data[:stop].decode("utf-8-sig", "replace").splitlines()[1:-1]
    at = next((n for n, line in enumerate(lines) if line.partition(":")[0].strip("\"' ") == key), None)
    if at is None:
        return ()
    value = _uncommented(lines[at].partition(":")[2].strip())
    if not value:
        return tuple(filter(None, map(_unquoted, _items(lines[at + 1 :]))))
    if value.startswith("["):
        return tuple(filter(None, map(_unquoted, _split(value.strip("[]")))))
    return tuple(filter(None, map(str.strip, _split(_unquoted(value)))))


def _items(lines: list[str]) -> list[str]:
    """Take the items of a block list: lines that begin with a dash, up to the next key."""
    found = []
    for line in lines:
        text = line.strip()
        if text and not text.startswith(("-", "#")):
            break
        if text.startswith("- "):
            found.append(_uncommented(text[2:].strip()))
    return found


def _uncommented(value: str) -> str:
    """Drop a comment behind a value; one inside quotation marks is none."""
    if value[:1] in ('"', "'"):
        return value[: _closing(value) + 1]
    return "" if value.startswith("#") else value.partition(" #")[0].rstrip()


def _closing(value: str) -> int:
    """Find the quotation mark that ends a value; the end of the line when none does."""
    at = 1
    while at < len(value):
        if value[at] == value[0] and value[at : at + 2] != "''":
            return at
        at += 2 if value[at] in ("\\", "'") and (value[at] == "'" or value[0] == '"') else 1
    return len(value)


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value[1:-1].replace("''", "'") if len(value) > 1 and value[0] == value[-1] == "'" else value


def _depth(text: str) -> int | None:
    """Count open braces at the end; None when one closes that was not opened, or is left open."""
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return None
    return None if depth else 0


def _split(text: str) -> list[str]:
    """Part a list at its commas, but not at those inside braces or quotation marks."""
    parts, depth, quote = [""], 0, ""
    for char in text:
        if char in "\"'" and quote in ("", char):
            quote = "" if quote else char
        depth += 0 if quote else (char == "{") - (char == "}")
        if char == "," and depth <= 0 and not quote:
            parts.append("")
        else:
            parts[-1] += char
    return parts
