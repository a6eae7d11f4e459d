"""What the variables of a shell hold, as far as the line itself says it: literals, and what they are made into. Pure.

Known: assignments, arrays, the words a function or `set --` is given, `printf -v`, `read` and `mapfile` from a literal,
`declare -n`, `shift`; defaults, parts, case and plain replacements in an expansion. All else is not known: arithmetic,
`${!x}`, globs in a replacement, decoding (`base64 -d`), files. That would need the shell itself.

https://www.gnu.org/software/bash/manual/html_node/Shell-Parameter-Expansion.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

UNKNOWN = "\ufdd0"
"""Stands for what is only known when a command runs; a character that no text has."""
APART = "\ufdd1"
"""Stands between the words of an array; another such character."""
Variables = dict[str, tuple[str, ...]]
"""What each holds: several values in a loop. Arrays are `name[@]`, positional words `@`, references `&name`."""
_LONGEST = 1_000
_NAME = re.compile(r"([A-Za-z_]\w*|[@*]|\d+)(?:\[([@*]|\d{1,4})\])?")
_REPLACES = re.compile(r"(//?)([#%]?)([^/*?\[\]$`\\\"'{}]+)(?:/([^$`\"'\\{}]*))?")
_CUTS = re.compile(r"(##?|%%?)(\*?)([^*?\[\]$`\\\"'{}]*)(\*?)")
_SLICES = re.compile(r":\s?(\d{1,4})(?::(\d{1,4}))?")
_FORMAT = re.compile(r"%(?:%|[-+ #0-9.]*[A-Za-z])")
_TAKES = {
    "read": frozenset(["-d", "-n", "-N", "-p", "-t", "-u", "-i", "-a"]),
    "mapfile": frozenset(["-d", "-n", "-O", "-s", "-u", "-C", "-c"]),
}


def expanded(text: str, bound: dict[str, str]) -> str | None:
    """Give what `$x` or `${x…}` stands for; None when that is not known.

    >>> expanded("${x/a/b}", {"x": "cat"}), expanded("${x,,}", {"x": "SUDO"}), expanded("$y", {})
    ('cbt', 'sudo', None)
    """
    inner = text[2:-1] if text.startswith("${") else text[1:]
    found = _NAME.match(inner)
    if found is None:
        return None
    rest = inner[found.end() :]
    value = _held(found[1], found[2] or "", bound)
    if value is not None and (found[1] in "@*" or found[2] in ("@", "*")) and (cut := _SLICES.fullmatch(rest)):
        first = int(cut[1]) - (found[1] in "@*")
        return APART.join(_apart(value)[max(first, 0) :][: int(cut[2]) if cut[2] else None])
    return _changed(value, rest) if rest else value


def _apart(value: str) -> list[str]:
    return value.split(APART) if value else []


def _held(name: str, index: str, bound: dict[str, str]) -> str | None:
    if name in "@*" or name.isdigit():
        value = bound.get("@")
        if value is None or name == "@":
            return value
        if name == "*":
            return value.replace(APART, " ")
        return None if name == "0" else next(iter(_apart(value)[int(name) - 1 :]), "")
    whole = bound.get(f"{name}[@]", bound.get(name))
    if not index and name in bound:
        return bound[name]
    if whole is None or index == "@":
        return whole
    return whole.replace(APART, " ") if index == "*" else next(iter(_apart(whole)[int(index or 0) :]), "")


def _changed(value: str | None, rest: str) -> str | None:
    """Apply what stands behind a name in `${…}`."""
    if rest[:2] in (":-", ":=") or rest[:1] == "-":
        default = rest.removeprefix(":")[1:]
        return value or (None if set(default) & set("$`{}\"'") or not default else default)
    if value is None or APART in value or UNKNOWN in value:
        return None
    if rest[:2] == ":+":
        return None if set(rest[2:]) & set("$`{}\"'") else rest[2:] if value else ""
    if rest in (",,", "^^"):
        return value.lower() if rest == ",," else value.upper()
    if rest in (",", "^"):
        return (value[:1].lower() if rest == "," else value[:1].upper()) + value[1:]
    if cut := _SLICES.fullmatch(rest):
        return value[int(cut[1]) :][: int(cut[2]) if cut[2] else None]
    if found := _REPLACES.fullmatch(rest):
        new = found[4] or ""
        if found[2]:
            whole = value.startswith(found[3]) if found[2] == "#" else value.endswith(found[3])
            left = value.removeprefix(found[3]) if found[2] == "#" else value.removesuffix(found[3])
            return (new + left if found[2] == "#" else left + new) if whole else value
        return value.replace(found[3], new, -1 if found[1] == "//" else 1)
    return _cut(value, rest)


def _cut(value: str, rest: str) -> str | None:
    """Take off a beginning or an end: a literal, or one with a single star at its far side."""
    found = _CUTS.fullmatch(rest)
    if found is None or not found[3]:
        return None
    sign, before, text, after = found[1], found[2], found[3], found[4]
    if sign[0] == "#" and not after:
        if not before:
            return value.removeprefix(text)
        return (value.rpartition(text)[2] if sign == "##" else value.partition(text)[2]) if text in value else value
    if sign[0] == "%" and not before:
        if not after:
            return value.removesuffix(text)
        return (value.partition(text)[0] if sign == "%%" else value.rpartition(text)[0]) if text in value else value
    return None


def formatted(words: Sequence[str]) -> str:
    """Give what `printf` makes of its words.

    >>> formatted(["%s-%s ", "a", "b", "c", "d"])
    'a-b c-d '
    """
    form, *left = words or [""]
    form = form.replace("\\n", "\n").replace("\\t", "\t")
    out: list[str] = []
    for _ in range(50):
        before = len(left)

        def fill(found: re.Match[str]) -> str:
            return "%" if found[0] == "%%" else left.pop(0) if left else ""

        out.append(_FORMAT.sub(fill, form))
        if not left or len(left) == before:
            break
    return "".join(out)


def put(variables: Variables, name: str, value: str | None) -> None:
    """Let a variable hold a value, or nothing that is known."""
    for key in (f"{name}[@]", f"&{name}", name):
        variables.pop(key, None)
    if value is not None and UNKNOWN not in value and len(value) <= _LONGEST:
        variables[name] = (value.replace(APART, " "),)


def put_words(variables: Variables, name: str, words: Sequence[str]) -> None:
    """Let an array, or `@`, hold words; those that are not known stay marked."""
    key = name if name == "@" else f"{name}[@]"
    put(variables, name, None)
    if len(words) <= 200 and sum(map(len, words)) <= 4 * _LONGEST:
        variables[key] = (APART.join(words),)


def changed(name: str, words: Sequence[str], fed: Callable[[], str], variables: Variables) -> None:
    """Note what a builtin gives to variables: `printf -v`, `read`, `mapfile`, `set --`, `shift`, `declare -n`, `unset`.

    Args:
        fed: Gives the literal text it reads, empty when there is none.
    """
    if name == "printf" and words[:1] == ["-v"] and len(words) > 2:
        put(variables, words[1], formatted(words[2:]))
    elif name == "read":
        _read(words, fed(), variables)
    elif name in ("mapfile", "readarray"):
        names = _names(words, _TAKES["mapfile"])
        text = fed()
        put_words(variables, names[-1] if names else "MAPFILE", text.splitlines() if text else [UNKNOWN])
    elif name == "set" and words and (words[0] == "--" or words[0][:1] not in ("-", "+")):
        put_words(variables, "@", words[1:] if words[0] == "--" else words)
    elif name == "shift" and "@" in variables:
        by = int(words[0]) if words and words[0].isdecimal() and len(words[0]) < 4 else 1
        put_words(variables, "@", _apart(variables["@"][0])[by:])
    elif name in ("declare", "typeset", "local") and "-n" in words:
        for ref, _, target in (word.partition("=") for word in words if "=" in word):
            variables[f"&{ref}"] = (target,)
    elif name == "unset":
        for word in words:
            put(variables, word, None)


GIVES = frozenset(["printf", "read", "mapfile", "readarray", "set", "shift", "declare", "typeset", "local", "unset"])
"""The builtins of which `changed` knows."""


def _names(words: Sequence[str], takes: frozenset[str]) -> list[str]:
    return [
        word for at, word in enumerate(words) if word[:1] != "-" and not (at and words[at - 1] in takes and word[:1])
    ]


def _read(words: Sequence[str], text: str, variables: Variables) -> None:
    line = text.split("\n", 1)[0]
    if "-a" in words[:-1]:
        put_words(variables, words[list(words).index("-a") + 1], line.split() or [UNKNOWN])
        return
    names = _names(
        [word if not re.fullmatch(r"-[ers]+[pdntu]", word) else f"-{word[-1]}" for word in words], _TAKES["read"]
    )
    names = names or ["REPLY"]
    parts = line.split(maxsplit=len(names) - 1) if len(names) > 1 else [line.strip()]
    for at, name in enumerate(names):
        put(variables, name, (parts[at].strip() if at < len(parts) else "") if text else None)
