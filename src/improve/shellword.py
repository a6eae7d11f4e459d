"""What a word of a shell command stands for: quotes, escapes, braces and known variables taken off. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN = "\ufdd0"
"""Stands for what is only known when a command runs; a character that no text has."""
_READ = 4_000
"""Bytes of a command in which variables are looked for."""
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_IN_STRING = re.compile(r'\\(\n|[$`"\\])')
_VARIABLE = re.compile(rb"\$\{?([A-Za-z_]\w*)")
_BRACES = re.compile(r"^([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)$")
_NAMES_A_COMMAND = re.compile(
    r"(?:\$\(|`)\s*(?:which|command -v|type -[pP]|echo|printf)\s+[\"']?([\w./+-]+)[\"']?\s*(?:\)|`)"
)
_ANSI = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_CODED = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|.)", re.DOTALL)


class Word(NamedTuple):
    """One word of a command."""

    value: str
    script: str
    """Its value, but with variables as they stand, for a shell that reads it as a line."""
    start: int
    end: int
    """Where it stands, in bytes."""


def words_of(node: Node, data: bytes, bound: dict[str, str]) -> list[Word]:
    """Give the words that a part of a command becomes: none or several, where a variable or a brace is spread out."""
    value, script = _read(node, data, bound)
    start, end = node.start_byte, node.end_byte
    inner = node.named_children[0] if node.type == "command_name" and node.named_children else node
    if inner.type in ("simple_expansion", "expansion") and UNKNOWN not in value:
        return [Word(part, part, start, end) for part in value.split()]
    if inner.type in ("concatenation", "word", "brace_expression") and (found := _BRACES.match(value)):
        texts = [found[1] + middle + found[3] for middle in found[2].split(",")]
        return [Word(text, text, start, end) for text in texts if text]
    return [Word(value, script, start, end)]


def assigned(node: Node, data: bytes, variables: dict[str, tuple[str, ...]]) -> None:
    """Note what a variable holds from here on, or that nobody knows it."""
    parts = node.named_children
    if len(parts) < 2 or parts[0].type != "variable_name" or parts[1].type == "array":
        return
    bound = {name: values[0] for name, values in variables.items()}
    name, (value, _) = _text(parts[0], data), _read(parts[1], data, bound)
    if UNKNOWN in value or len(value) > 1000:
        variables.pop(name, None)
    else:
        variables[name] = (value,)


def variables_in(node: Node, data: bytes) -> set[str]:
    """Name the variables a command uses."""
    text = data[node.start_byte : min(node.end_byte, node.start_byte + _READ)]
    return {name.decode() for name in _VARIABLE.findall(text)} if b"$" in text else set()


def _read(node: Node, data: bytes, bound: dict[str, str]) -> tuple[str, str]:
    """Give the value of a word and how another shell would have to read it."""
    kind = node.type
    if kind in ("word", "number", "variable_name", "special_variable_name", "regex", "extglob_pattern"):
        text = _text(node, data)
        text = _unescaped(text) if "\\" in text else text
        return text, text
    if kind == "raw_string":
        text = _text(node, data)[1:-1]
        return text, text
    if kind in ("string", "translated_string"):
        return _string(node, data, bound)
    if kind in ("command_name", "concatenation"):
        parts = [_read(child, data, bound) for child in node.children]
        return "".join(value for value, _ in parts), "".join(script for _, script in parts)
    if kind == "ansi_c_string":
        text = _CODED.sub(_decoded, _text(node, data)[2:-1])
        return text, text
    if kind in ("simple_expansion", "expansion"):
        return _expanded(_text(node, data), bound)
    if kind == "command_substitution":
        found = _NAMES_A_COMMAND.fullmatch(_text(node, data)) if node.end_byte - node.start_byte < 200 else None
        return (found[1], found[1]) if found else (UNKNOWN, UNKNOWN)
    if kind == "variable_assignment":
        name, _, rest = _text(node, data).partition("=")
        value = "".join(_read(child, data, bound)[0] for child in node.named_children[1:2]) if rest else ""
        return f"{name}={value}", f"{name}={value}"
    if kind in ("process_substitution", "arithmetic_expansion"):
        return UNKNOWN, UNKNOWN
    text = _text(node, data)
    return text, text


def _string(node: Node, data: bytes, bound: dict[str, str]) -> tuple[str, str]:
    """Read a text in double quotes; what stands between its parts belongs to it, too."""
    values, scripts = [], []
    for text, child in _pieces(node, data):
        if child is None:
            plain = _IN_STRING.sub(lambda found: "" if found[1] == "\n" else found[1], text)
            values.append(plain)
            scripts.append(plain)
        else:
            value, script = _read(child, data, bound)
            values.append(value)
            scripts.append(script)
    return "".join(values), "".join(scripts)


def _pieces(node: Node, data: bytes) -> Iterator[tuple[str, Node | None]]:
    at = node.start_byte + (2 if node.type == "translated_string" else 1)
    end = node.end_byte - (data[node.end_byte - 1 : node.end_byte] == b'"')
    for child in node.named_children:
        if child.type in ("string_content", "string"):
            continue
        if child.start_byte > at:
            yield data[at : child.start_byte].decode("utf-8", "replace"), None
        yield "", child
        at = child.end_byte
    if end > at:
        yield data[at:end].decode("utf-8", "replace"), None


def _expanded(text: str, bound: dict[str, str]) -> tuple[str, str]:
    name, _, default = text.strip("${}").partition(":-")
    if name in bound:
        return bound[name], bound[name]
    if default and not set(default) & set("$`{}\"'"):
        return default, default
    return UNKNOWN, text


def _unescaped(text: str) -> str:
    """Take off backslashes, but not those of a path of Windows: `C:\\Python\\pip.exe`."""
    if (
        text[1:3] == ":\\"
        or text[:2] == ".\\"
        or text[:3] == "..\\"
        or re.search(r"\.(?:exe|cmd|bat|ps1)$", text, re.IGNORECASE)
    ):
        return text
    return _ESCAPED.sub(lambda found: "" if found[1] == "\n" else found[1], text)


def _decoded(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) > 1 or code.isdigit():
        return chr(int(code[1:], 16) if code[0] in "xu" else int(code, 8))
    return _ANSI.get(code, code)


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")
