"""Which commands a line of shell would run, told by a real parser: tree-sitter with the grammar of bash.

What is handed to a shell in words is read as a line of its own: `bash -c "…"`, `eval`, a heredoc or a literal piped
into `sh`. What runs elsewhere is not: `ssh host …`, `docker exec …`. Nor are words given to `echo`, `grep` or
`git commit -m`, comments, a heredoc for `cat` or `python`, or a function that the line does not call. A wrapper is told
beside what it runs, and a pipeline as a whole by the name `|`.

Of a line longer than `LONGEST` the rest is not read, and no more than `MOST` parts and `DEEPEST` shells within shells.
A line with mistakes is read as far as the parser recovers; nothing raises but a parser that is not installed.

https://github.com/tree-sitter/tree-sitter-bash
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from improve import wrapper
from improve.shellword import UNKNOWN, Word, assigned, variables_in, words_of

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 1 << 17
"""Characters of a line that are read."""
MOST = 100_000
"""Parts of a line that are looked at."""
DEEPEST = 6
"""Shells within shells."""
_LAYERS = 12
"""Wrappers around one command."""
_NESTED = 300
"""Levels of a tree that are looked at: the way up from a deep one is long."""
_ARGUMENTS = 2_000
"""Words of one command that are read."""
_SOURCE = 4_000
"""Bytes of a command that are kept as its source."""
_OPENS = frozenset(("command", "declaration_command", "unset_command"))
_CONTINUED = re.compile(r"(?<=\w)\\\n(?=\w)")
_PASSES_ON = re.compile(r"(?:[{;&|!\n(]|\b(?:do|then|else|if|while|until|eval|exec|command|time|sudo))\s*\"?\$[@*]")
"""The body of a function that runs the words it is given."""
_FEEDS = frozenset(("echo", "printf", "cat"))


class NoParser(Exception):
    """The parser of shell commands is not installed, so nothing can be said of any line."""


class Command(NamedTuple):
    """One command as it would be run, wrappers such as `env X=1` and `sudo` taken off."""

    name: str
    """Its name without directory and `.exe`."""
    words: tuple[str, ...]
    """Its arguments, quotes taken off; a part that is only known when it runs is `\\0`."""
    source: str
    """How it stands in the line."""
    within: tuple[str, ...] = ()
    """The sources of the wrappers that start it, outermost first."""


def commands(line: str) -> list[Command]:
    """List every command a line would run, those in substitutions, subshells and `bash -c` among them.

    Raises:
        NoParser: tree-sitter or its grammar of bash cannot be imported.
    """
    reader = _Reader({}, DEEPEST)
    reader.read(line)
    return list(dict.fromkeys(reader.found))


@lru_cache(maxsize=1)
def _parser() -> Any:
    try:
        import tree_sitter
        import tree_sitter_bash
    except ImportError as exc:
        raise NoParser(
            f"the parser of shell commands is missing ({exc}). Install it with: "
            "pip install tree-sitter tree-sitter-bash"
        ) from exc
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


class _Reader:
    """Walks over the tree of one line without recursion, and remembers what its variables hold."""

    def __init__(self, variables: dict[str, tuple[str, ...]], depth: int) -> None:
        self.found: list[Command] = []
        self.functions: dict[str, Node] = {}
        self.defined: dict[str, bool] = {}
        self.around: tuple[str, ...] = ()
        self.variables, self.depth, self.left = variables, depth, MOST
        self.data = b""

    def read(self, line: str) -> None:
        """Collect the commands of a line."""
        clean = _CONTINUED.sub("", line[:LONGEST].replace("\0", "").replace("\r\n", "\n"))
        self.data = clean.encode("utf-8", "surrogatepass")
        waiting = [(_parser().parse(self.data).root_node, 0)]
        while waiting and self.left:
            node, deep = waiting.pop()
            self.left -= 1
            kind = node.type
            if kind in _OPENS:
                called = self._command(node)
                waiting.extend((self.functions.pop(name), deep + 1) for name in called & self.functions.keys())
            elif kind == "function_definition":
                name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
                if name is not None and body is not None:
                    self.functions[self._text(name)] = body
                    self.defined[self._text(name)] = _PASSES_ON.search(self._text(body)) is not None
                continue
            elif kind == "file_redirect":
                self._after_heredoc(node)
            elif kind == "pipeline":
                self.found.append(Command("|", (), self._said(node, node.start_byte, node.end_byte)))
            elif kind == "variable_assignment":
                assigned(node, self.data, self.variables)
            elif kind == "for_statement":
                self._loop(node)
            if deep < _NESTED and node.named_child_count:
                waiting.extend((child, deep + 1) for child in reversed(node.named_children))

    def _after_heredoc(self, node: Node) -> None:
        """Find the command in `<<EOF 2>&1 | tee log`, which the grammar takes for a part of the redirection."""
        at = next((i for i, child in enumerate(node.children) if child.type == "ERROR"), -1)
        if at < 0 or self._text(node.children[at]) not in ("|", "|&", "&&", "||", ";"):
            return
        words = [word for part in node.children[at + 1 :] if part.type in _WORDS for word in self._words(part, {})]
        if words:
            self._run(node, words)

    def _loop(self, node: Node) -> None:
        """Let the variable of a loop hold each of its words."""
        name = node.child_by_field_name("variable")
        values = [word.value for part in node.children_by_field_name("value") for word in self._words(part, {})]
        if name is not None and values and len(values) <= 16 and not any(UNKNOWN in value for value in values):
            self.variables[self._text(name)] = tuple(dict.fromkeys(values))

    def _command(self, node: Node) -> set[str]:
        """Note what a command runs; give the names it goes by, which may be those of functions."""
        declares = node.type != "command"
        parts = [child for child in node.children if child.type in _WORDS or (declares and child.type in _OPENERS)]
        called: set[str] = set()
        parts = parts[:_ARGUMENTS]
        for bound in self._bindings(node):
            words = [word for part in parts for word in self._words(part, bound)]
            if words:
                called.add(words[0].value)
                self._run(node, words)
        return called

    def _bindings(self, node: Node) -> list[dict[str, str]]:
        """Say what the variables hold: once, or once for each turn of a loop over words."""
        used = {name: self.variables[name] for name in variables_in(node, self.data) if name in self.variables}
        single = {name: values[0] for name, values in used.items()}
        for name, values in used.items():
            if len(values) > 1:
                return [single | {name: value} for value in values]
        return [single]

    def _run(self, node: Node, all_words: list[Word]) -> None:
        """Take off the wrappers one by one, and read what is handed to a shell."""
        start, end = node.start_byte, _end(node)
        waiting: list[tuple[Sequence[Word], int, int, tuple[str, ...]]] = [(all_words, start, end, self.around)]
        while waiting and self.left:
            words, start, end, around = waiting.pop()
            self.left -= 1
            name = wrapper.name_of(words[0].value)
            values = tuple(word.value.replace(UNKNOWN, "\0") for word in words[1:])
            source = self._said(node, start, end)
            if not around and name in self.defined:
                if self.defined[name] and words[1:]:
                    waiting.append((words[1:], words[1].start, words[-1].end, (source,)))
                continue
            self.found.append(Command(name.replace(UNKNOWN, "\0"), values, source, around))
            inner = wrapper.unwrap(name, words[1:], lambda: self._fed(node))
            if len(around) < _LAYERS:
                within = (*around, source)
                waiting += [(list(part), part[0].start, part[-1].end, within) for part in inner.commands if part]
                for text in inner.lines:
                    self._within(text, within)

    def _said(self, node: Node, start: int, end: int) -> str:
        """Give what stands between two places of the line, cut."""
        if end <= start:
            start, end = node.start_byte, node.end_byte
        return self.data[start : min(end, start + _SOURCE)].decode("utf-8", "replace")

    def _within(self, text: str, around: tuple[str, ...]) -> None:
        """Read a line that is handed to another shell."""
        if self.depth <= 0 or not text.strip():
            return
        inner = _Reader(self.variables, self.depth - 1)
        inner.left, inner.around = self.left, around
        inner.read(text)
        self.left = inner.left
        self.found += inner.found

    def _fed(self, node: Node) -> str:
        """Give the literal text a command reads: its heredoc, its here-string, or what is echoed into it."""
        outer = node.parent if node.parent is not None and node.parent.type == "redirected_statement" else node
        for redirect in (child for holder in (outer, node) for child in holder.children):
            if redirect.type == "heredoc_redirect":
                return self._heredoc(redirect)
            if redirect.type == "herestring_redirect" or (
                redirect.type == "file_redirect"
                and self.data[redirect.start_byte - 2 : redirect.start_byte + 1] == b"<<<"
            ):
                return " ".join(word.script for part in redirect.named_children for word in self._words(part, {}))
        return self._piped(outer)

    def _heredoc(self, redirect: Node) -> str:
        body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
        return self._text(body) if body is not None else ""

    def _piped(self, node: Node) -> str:
        """Give what the command before in a pipeline says, when that is known from the line."""
        pipe = node.parent
        if pipe is None or pipe.type != "pipeline":
            return ""
        if pipe.parent is not None and pipe.parent.type == "heredoc_redirect" and pipe.named_children[0] == node:
            return self._heredoc(pipe.parent)
        before = node.prev_named_sibling
        if before is None:
            return ""
        if before.type == "redirected_statement":
            return self._fed(before.named_children[0])
        if before.type != "command":
            return ""
        words = [word for part in before.children if part.type in _WORDS for word in self._words(part, {})]
        name = words[0].value if words else ""
        said = [word for word in words[1:] if not word.value.startswith("-")]
        if name == "printf" and said:
            said = [word for word in said if "%" not in word.value] or said
        if name not in _FEEDS or name == "cat":
            return ""
        return " ".join(word.script for word in said).replace("\\n", "\n")

    def _words(self, node: Node, bound: dict[str, str]) -> list[Word]:
        return words_of(node, self.data, bound)

    def _text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


_WORDS = frozenset(
    (
        "command_name", "word", "string", "raw_string", "concatenation", "number", "ansi_c_string", "expansion",
        "translated_string", "simple_expansion", "command_substitution", "process_substitution", "brace_expression",
        "arithmetic_expansion", "regex", "special_variable_name", "extglob_pattern", "variable_name",
    )
)  # fmt: skip
_OPENERS = frozenset(("export", "declare", "typeset", "readonly", "local", "unset", "unsetenv", "variable_assignment"))


def _end(node: Node) -> int:
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
