"""Where the output of a command goes, and what literal text it reads: redirections, here-documents, pipes. Pure.

https://www.gnu.org/software/bash/manual/html_node/Redirections.html
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from improve.shellvalue import UNKNOWN, Variables
from improve.shellword import bindings, heredoc, printed, said, words_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CLIMBS = frozenset(("while_statement", "do_group", "compound_statement", "subshell", "list", "redirected_statement"))
_WRITES = re.compile(r"&>>?|(?:\d*|\{\w+\})(?:>>?\|?|<>)")


def files(parts: Sequence[Node], data: bytes, variables: Variables) -> tuple[str, ...]:
    """Give the files that redirections write."""
    found: list[str] = []
    for part in parts:
        if part.type == "heredoc_redirect":
            found += files(part.children, data, variables)
        elif part.type == "file_redirect" and (to := part.child_by_field_name("destination")) is not None:
            sign = data[part.start_byte : to.start_byte].decode("utf-8", "replace").strip()
            if _WRITES.fullmatch(sign) or (sign == ">&" and to.type not in ("number", "file_descriptor")):
                found += [
                    word.value.replace(UNKNOWN, "\0") for word in words_of(to, data, bindings(to, data, variables)[0])
                ]
    return tuple(path for path in found if path != "-")


def written(node: Node, data: bytes, variables: Variables) -> tuple[str, ...]:
    """Give the files a command writes: its own redirections, and those behind a list of which it is the last."""
    found: tuple[str, ...] = ()
    for _ in range(6):
        outer = node.parent
        if outer is None:
            break
        if outer.type == "redirected_statement" and outer.named_children[0] == node:
            found += files(outer.children, data, variables)
        elif outer.type not in ("list", "pipeline", "negated_command") or outer.named_children[-1] != node:
            break
        node = outer
    return found


def fed(node: Node, data: bytes, variables: Variables, *, far: bool = False) -> str:
    """Give the literal text a command reads: its heredoc, its here-string, or what is echoed into it.

    Args:
        far: Look at the groups and loops around it, too.
    """
    outer = node.parent if node.parent is not None and node.parent.type == "redirected_statement" else node
    for redirect in (child for holder in (outer, node) for child in holder.children):
        if redirect.type == "heredoc_redirect":
            return heredoc(redirect, data)
        before = data[redirect.start_byte - 2 : redirect.start_byte + 1]
        if redirect.type == "herestring_redirect" or (redirect.type == "file_redirect" and before == b"<<<"):
            bound = bindings(redirect, data, variables)[0]
            return " ".join(word.script for part in redirect.named_children for word in words_of(part, data, bound))
        if redirect.type == "file_redirect" and data[redirect.start_byte : redirect.start_byte + 1] == b"<":
            for part in redirect.named_children:
                if part.type == "process_substitution":
                    return printed(part, data, bindings(part, data, variables)[0])
    if (text := _piped(outer, data, variables)) or not far:
        return text
    for _ in range(5):
        if outer.parent is None or outer.parent.type not in _CLIMBS:
            return ""
        outer = outer.parent
        if text := fed(outer, data, variables):
            return text
    return ""


def _piped(node: Node, data: bytes, variables: Variables) -> str:
    """Give what the command before in a pipeline says, when that is known from the line."""
    pipe = node.parent
    if pipe is None or pipe.type != "pipeline":
        return ""
    if pipe.parent is not None and pipe.parent.type == "heredoc_redirect" and pipe.named_children[0] == node:
        return heredoc(pipe.parent, data)
    before = node.prev_named_sibling
    if before is None:
        return ""
    if before.type == "redirected_statement":
        return fed(before.named_children[0], data, variables)
    return said(before, data, bindings(before, data, variables)[0]) if before.type == "command" else ""


def last(node: Node) -> Node | None:
    """Give the command whose output a redirection sends: the last one of a list or pipeline."""
    for _ in range(8):
        if node.type not in ("redirected_statement", "list", "pipeline", "negated_command") or not node.named_children:
            break
        children = node.named_children
        node = children[0] if node.type == "redirected_statement" else children[-1]
    return None if node.type in ("file_redirect", "heredoc_redirect", "herestring_redirect") else node


def end_of(node: Node) -> int:
    """Say where a command ends: after its last word or redirection of a file, before any heredoc."""
    end = node.end_byte
    outer = node.parent
    if outer is not None and outer.type == "redirected_statement":
        for child in outer.children:
            if child.type == "file_redirect":
                end = max(end, child.end_byte)
            elif child.type != node.type:
                break
    return end
