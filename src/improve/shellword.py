"""What a word of a shell command stands for: quotes, escapes, braces and known variables taken off. Pure.

A substitution is known when all it runs is `echo`, `printf` or a `cat` of a here-document, with literal words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from improve.shellvalue import APART, UNKNOWN, Variables, expanded, formatted, put, put_words

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = 4_000
"""Bytes of a command in which variables are looked for."""
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_IN_STRING = re.compile(r'\\(\n|[$`"\\])')
_VARIABLE = re.compile(rb"\$\{?([A-Za-z_]\w*|[@*1-9])")
_SPREADS = re.compile(r'"?\$\{?(?:@|\w+\[@\]).*"?', re.DOTALL)
"""A word that is no word at all when an array is empty."""
WORDS = frozenset(
    (
        "command_name", "word", "string", "raw_string", "concatenation", "number", "ansi_c_string", "expansion",
        "translated_string", "simple_expansion", "command_substitution", "process_substitution", "brace_expression",
        "arithmetic_expansion", "regex", "special_variable_name", "extglob_pattern", "variable_name",
    )
)  # fmt: skip
"""Kinds of nodes that are words of a command."""
_BRACES = re.compile(r"^([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)$")
_NAMES_A_COMMAND = re.compile(r"(?:\$\(|`)\s*(?:which|command -v|type -[pP])\s+[\"']?([\w./+-]+)[\"']?\s*(?:\)|`)")
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
    text: str = ""
    """What is in the file that a process substitution stands for."""


def words_of(node: Node, data: bytes, bound: dict[str, str]) -> list[Word]:
    """Give the words that a part of a command becomes: none or several, where a variable or a brace is spread out."""
    value, script = _read(node, data, bound)
    start, end = node.start_byte, node.end_byte
    inner = node.named_children[0] if node.type == "command_name" and node.named_children else node
    if inner.type == "process_substitution":
        return [Word(UNKNOWN, UNKNOWN, start, end, printed(inner, data, bound))]
    bare = inner.type in ("simple_expansion", "expansion", "command_substitution")
    if APART in value or (not value and _SPREADS.fullmatch(_text(inner, data))):
        parts = value.replace(APART, " ").split() if bare and UNKNOWN not in value else value.split(APART)
        return [Word(part, part, start, end) for part in parts if value]
    if bare and UNKNOWN not in value:
        return [Word(part, part, start, end) for part in value.split()]
    if inner.type in ("concatenation", "word", "brace_expression") and (found := _BRACES.match(value)):
        texts = [found[1] + middle + found[3] for middle in found[2].split(",")]
        return [Word(text, text, start, end) for text in texts if text]
    return [Word(value, script.replace(APART, " "), start, end)]


def assigned(node: Node, data: bytes, variables: Variables) -> None:
    """Note what a variable holds from here on, or that nobody knows it."""
    parts = node.named_children
    if not parts or parts[0].type != "variable_name":
        return
    name = _text(parts[0], data)
    bound = {known: values[0] for known, values in variables.items()}
    if f"&{name}" in variables and node.parent is not None and node.parent.type == "declaration_command":
        return  # `declare -n name=other`, which was noted
    adds = any(child.type == "+=" for child in node.children)
    if len(parts) < 2:
        put(variables, name, "")
    elif parts[1].type == "array":
        words = [word.value for part in parts[1].named_children for word in words_of(part, data, bound)]
        before = bound.get(f"{name}[@]", "").split(APART) if adds and bound.get(f"{name}[@]") else []
        put_words(variables, name, [*before, *words])
    else:
        value = _read(parts[1], data, bound)[0]
        put(variables, name, (bound.get(name, UNKNOWN) if adds else "") + value)


def printed(node: Node, data: bytes, bound: dict[str, str]) -> str:
    """Give what a substitution yields, when all it runs prints literal text; empty when that is not known."""
    text = data[node.start_byte : node.end_byte]
    if len(node.named_children) != 1 or text.count(b"$(") + text.count(b"<(") + text.count(b"`") > 4:
        return ""
    body = node.named_children[0]
    if body.type == "redirected_statement" and len(body.named_children) == 2:
        command, redirect = body.named_children
        if redirect.type == "heredoc_redirect" and command.type == "command" and _text(command, data).strip() == "cat":
            return heredoc(redirect, data)
    return said(body, data, bound) if body.type == "command" else ""


def heredoc(redirect: Node, data: bytes) -> str:
    """Give the text of a here-document."""
    body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
    return _text(body, data) if body is not None else ""


def said(command: Node, data: bytes, bound: dict[str, str]) -> str:
    """Give what `echo` or `printf` prints; nothing for other commands."""
    words = [word for part in command.children if part.type in WORDS for word in words_of(part, data, bound)]
    name = words[0].value if words else ""
    scripts = [word.script for word in words[1:]]
    if name == "printf":
        return formatted(scripts[1:] if scripts[:1] == ["--"] else scripts) if scripts[:1] != ["-v"] else ""
    if name != "echo":
        return ""
    while scripts and re.fullmatch(r"-[neE]+", scripts[0]):
        scripts = scripts[1:]
    return " ".join(scripts).replace("\\n", "\n")


def variables_in(node: Node, data: bytes) -> set[str]:
    """Name the variables a command uses."""
    text = data[node.start_byte : min(node.end_byte, node.start_byte + _READ)]
    names = {name.decode() for name in _VARIABLE.findall(text)} if b"$" in text else set()
    return {known for name in names for known in ((name, f"{name}[@]") if name[0].isidentifier() else ("@",))}


def bindings(node: Node, data: bytes, variables: Variables) -> list[dict[str, str]]:
    """Say what the variables hold: once, or once for each turn of a loop over words."""
    if not variables:
        return [{}]
    held = variables
    used = {name: held[name] for name in variables_in(node, data) if name in held}
    for name in variables_in(node, data):
        if target := held.get(f"&{name}"):
            used |= {name: held[target[0]]} if target[0] in held else {}
    single = {name: values[0] for name, values in used.items()}
    for name, values in used.items():
        if len(values) > 1:
            return [single | {name: value} for value in values]
    return [single]


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
        return _substituted(node, data, bound)
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


def _substituted(node: Node, data: bytes, bound: dict[str, str]) -> tuple[str, str]:
    """Read a substitution: a word when it is short and on one line, else only for a shell that reads it."""
    if node.end_byte - node.start_byte < 200 and (found := _NAMES_A_COMMAND.fullmatch(_text(node, data))):
        return found[1], found[1]
    text = printed(node, data, bound).strip("\n")
    return (text if text and "\n" not in text and len(text) < 200 else UNKNOWN), text or UNKNOWN


def _expanded(text: str, bound: dict[str, str]) -> tuple[str, str]:
    value = expanded(text, bound)
    return (UNKNOWN, text) if value is None else (value, value)


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
