"""Which commands a line of shell would run, told by a real parser: tree-sitter with the grammar of bash.

What is handed to a shell in words is read as a line of its own: `bash -c "…"`, `eval`, a heredoc or a literal piped
into `sh`, what a `trap` that stays set names. What runs elsewhere is not: `ssh host …`, `docker exec …`. Nor are words
given to `echo`, `grep` or `git commit -m`, comments, a heredoc for `cat` or `python`, or a function that the line does
not call; one that it calls is read with the words it is given. A wrapper is told beside what it runs, a pipeline as a
whole by the name `|`, and a group, loop or function that writes files by the name `>`.

Variables are known as far as the line says what they hold (see `shellvalue`), aliases where it lets them be expanded.
Paths follow a `cd`, `pushd` or `chdir` to a directory that is named; not `cd -`, `popd`, `CDPATH`, links, `env -C`,
`make -C`; a `cd` in one branch alone is taken for done. Not read: what is decoded, decrypted or fetched and then run,
scripts that the line writes or calls, files that are sourced, arithmetic. That would need an interpreter.

Of a line longer than `LONGEST` the rest is not read, and no more than `MOST` parts and `DEEPEST` shells within shells.
A line with mistakes is read as far as the parser recovers; nothing raises but a parser that is not installed.

https://github.com/tree-sitter/tree-sitter-bash
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from improve import wrapper
from improve.errors import EnvironmentFailure
from improve.globs import placed
from improve.redirect import end_of, fed, files, last, written
from improve.shellvalue import GIVES, UNKNOWN, Variables, changed, put_words
from improve.shellword import WORDS, Word, assigned, bindings, words_of

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
_OPENERS = frozenset(("export", "declare", "typeset", "readonly", "local", "unset", "unsetenv", "variable_assignment"))
_CONTINUED = re.compile(r"(?<=\w)\\\n(?=\w)")
_CALLS = 16
"""So often is one function read, with other words each time."""
_APART = frozenset(("subshell", "command_substitution", "process_substitution", "pipeline"))
"""What goes to a directory in these, is there alone."""
_READS = re.compile(
    r"psql|mysql|mariadb|sqlite3|duckdb|mongo(?:sh)?|redis-cli|clickhouse-client|sqlplus|cqlsh|sqlcmd|bq"
    r"|(?:python|pypy|node|deno|bun|ruby|perl|php|lua|Rscript|osascript)[\d.]*"
)
"""Interpreters and clients: what is in their here-document, they carry out."""
_SPELT = re.compile(r"\$[@*\d]|\$\{[@*\d]|\[[@*]\]")
_TICKED = re.compile(r"(?<!\\)`([^`\n]+)`")


class NoParser(EnvironmentFailure):
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
    into: tuple[str, ...] = ()
    """The files its output is sent to, errors among it."""
    at: str = ""
    """The directory the line has gone to, empty for where it began; `\\0` is one that nobody knows."""
    more: str = ""
    """What it carries out of its here-document or here-string, if it is an interpreter or a client of a database."""


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
            f"the parser of shell commands is missing ({exc}), so no check of the shell can be asked. "
            "Install it with: pip install tree-sitter tree-sitter-bash"
        ) from exc
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


class _Reader:
    """Walks over the tree of one line without recursion, and remembers what its variables hold."""

    def __init__(self, variables: Variables, depth: int) -> None:
        self.found: list[Command] = []
        self.functions: dict[str, Node] = {}
        self.called: dict[str, set[tuple[str, ...]]] = {}
        self.aliases: dict[str, tuple[str, int]] = {}
        self.exported: set[str] = set()
        self.traps: dict[str, tuple[str, str]] = {}
        self.around: tuple[str, ...] = ()
        self.variables, self.depth, self.left = variables, depth, MOST
        self.data, self.at, self.expands = b"", "", False
        self.waiting: list[tuple[Node | Callable[[], None], int]] = []

    def read(self, line: str) -> None:
        """Collect the commands of a line."""
        clean = _CONTINUED.sub("", line[:LONGEST].replace("\0", "").replace("\r\n", "\n"))
        self.data = clean.encode("utf-8", "surrogatepass")
        self.waiting = [(_parser().parse(self.data).root_node, 0)]
        self._walk()
        while self.traps and self.left:
            said, source = self.traps.popitem()[1]
            self._within(said, (*self.around, source), here=True)
            self._walk()

    def _walk(self) -> None:
        while self.waiting and self.left:
            node, deep = self.waiting.pop()
            self.left -= 1
            if callable(node):
                node()
                continue
            kind = node.type
            if kind in _APART:
                self.waiting.append((partial(setattr, self, "at", self.at), deep))
            if kind in _OPENS:
                self._command(node)
            elif kind == "function_definition":
                name = node.child_by_field_name("name")
                if name is not None:
                    self.functions[self._text(name)] = node
                continue
            elif kind == "redirected_statement":
                self._group(node)
            elif kind == "file_redirect":
                self._after_heredoc(node)
            elif kind == "pipeline":
                self.found.append(Command("|", (), self._said(node, node.start_byte, node.end_byte)))
            elif kind == "variable_assignment":
                assigned(node, self.data, self.variables)
            elif kind == "for_statement":
                self._loop(node)
            elif kind == "heredoc_body":
                self._ticked(node)
            if deep < _NESTED and node.named_child_count:
                self.waiting.extend((child, deep + 1) for child in reversed(node.named_children))

    def _ticked(self, body: Node) -> None:
        """Read what stands in backticks in a here-document, which the grammar takes for text."""
        start = body.parent.children if body.parent is not None else []
        mark = next((self._text(child) for child in start if child.type == "heredoc_start"), "'")
        if not set(mark) & set("'\"\\"):
            for text in _TICKED.findall(self._text(body)):
                self._within(text, self.around)

    def _group(self, node: Node) -> None:
        """Tell the files that are written by what is no plain command: a group, a loop, or nothing at all."""
        body = last(node)
        if (body is None or body.type not in _OPENS) and (into := files(node.children, self.data, self.variables)):
            self.found.append(Command(">", (), self._said(node, node.start_byte, node.end_byte), (), into, self.at))

    def _after_heredoc(self, node: Node) -> None:
        """Find the command in `<<EOF 2>&1 | tee log`, which the grammar takes for a part of the redirection."""
        at = next((i for i, child in enumerate(node.children) if child.type == "ERROR"), -1)
        if at < 0 or self._text(node.children[at]) not in ("|", "|&", "&&", "||", ";"):
            return
        words = [word for part in node.children[at + 1 :] if part.type in WORDS for word in self._words(part, {})]
        if words:
            self._run(node, words)

    def _loop(self, node: Node) -> None:
        """Let the variable of a loop hold each of its words."""
        name = node.child_by_field_name("variable")
        bound = bindings(node, self.data, self.variables)[0]
        values = [word.value for part in node.children_by_field_name("value") for word in self._words(part, bound)]
        if name is not None and values and len(values) <= 16 and not any(UNKNOWN in value for value in values):
            self.variables[self._text(name)] = tuple(dict.fromkeys(values))

    def _command(self, node: Node) -> None:
        """Note what a command runs."""
        declares = node.type != "command"
        parts = [child for child in node.children if child.type in WORDS or (declares and child.type in _OPENERS)]
        parts = parts[:_ARGUMENTS]
        for bound in bindings(node, self.data, self.variables):
            words = [word for part in parts for word in self._words(part, bound)]
            if words:
                self._run(node, self._unaliased(words))

    def _unaliased(self, words: list[Word]) -> list[Word]:
        first = words[0]
        text, since = self.aliases.get(first.value, ("", 0))
        if not text or not self.expands or b"\n" not in self.data[since : first.start]:
            return words
        return [Word(part, part, first.start, first.end) for part in text.split()] + words[1:]

    def _run(self, node: Node, all_words: list[Word]) -> None:
        """Take off the wrappers one by one, and read what is handed to a shell."""
        start, end, into = node.start_byte, end_of(node), written(node, self.data, self.variables)
        waiting: list[tuple[Sequence[Word], int, int, tuple[str, ...]]] = [(all_words, start, end, self.around)]
        while waiting and self.left:
            words, start, end, around = waiting.pop()
            self.left -= 1
            if words[0].value == "{" and len(words) > 1:  # `! { a; }`, of which the grammar makes a command
                words, start = words[1:], words[1].start
            name = wrapper.name_of(words[0].value)
            values = tuple(word.value.replace(UNKNOWN, "\0") for word in words[1:])
            source = self._said(node, start, end)
            if (spelt := _SPELT.search(source)) and ("@" in self.variables or spelt[0][0] == "["):
                source = _spelt((name, *values))
            if around == self.around and name in self.functions:
                self._call(name, words[1:])
                continue
            more = fed(node, self.data, self.variables) if _READS.fullmatch(name) else ""
            name = name.replace(UNKNOWN, "\0")
            self.found.append(Command(name, values, source, around, into, self.at, more[:_SOURCE]))
            if all(outer.startswith(("builtin ", "command ")) for outer in around[len(self.around) :]):
                self._builtin(node, name, words[1:], source)
            inner = wrapper.unwrap(name, words[1:], lambda: fed(node, self.data, self.variables))
            if len(around) < _LAYERS:
                within = (*around, source)
                waiting += [(list(part), part[0].start, part[-1].end, within) for part in inner.commands if part]
                for text in inner.lines:
                    self._within(text, within, here=inner.here, given=inner.given)

    def _builtin(self, node: Node, name: str, words: Sequence[Word], source: str) -> None:
        """Do what a builtin does to what is known of the shell."""
        values = [word.value for word in words]
        if name in GIVES and "-f" not in values:
            changed(name, values, lambda: fed(node, self.data, self.variables, far=name == "read"), self.variables)
        elif name in ("cd", "pushd", "chdir", "popd"):
            self._go([value for value in values if value not in ("-P", "-L", "-e", "--", "/d", "/D")], name)
        elif name == "trap" and values[:1] != ["-p"] and values[:1] != ["-l"]:
            said, signals = (words[0].script, values[1:]) if len(values) > 1 else ("-", values)
            sure = node.parent is not None and node.parent.type == "program"
            for signal in signals:
                if said not in ("-", ""):
                    self.traps[signal if sure else f"{signal} {len(self.traps)}"] = said, source
                elif sure:
                    self.traps.pop(signal, None)
        elif name == "alias" and len(self.aliases) < 100:
            self.aliases |= {key: (text, node.end_byte) for key, _, text in (value.partition("=") for value in values)}
        elif name in ("export", "declare", "typeset") and {"-f", "-fx", "-xf"} & set(values):
            self.exported.update(values)
        elif name == "shopt" and "expand_aliases" in values:
            self.expands = "-s" in values

    def _go(self, values: list[str], name: str) -> None:
        """Follow a change of the directory."""
        if name == "popd" or (name == "pushd" and not values) or values[:1] == ["-"] or len(self.at) > _SOURCE:
            self.at = "\0"
        else:
            self.at = placed(self.at, values[0].replace(UNKNOWN, "\0")) if values else "~"

    def _call(self, name: str, words: Sequence[Word]) -> None:
        """Read the body of a function, with the words it is given."""
        node, given = self.functions[name], tuple(word.value for word in words)
        body, before = node.child_by_field_name("body"), self.called.setdefault(name, set())
        if body is None or given in before or len(before) >= _CALLS:
            return
        before.add(given)
        held: Variables = {}
        put_words(held, "@", given)
        self.waiting += [(partial(self._given, self.variables.get("@")), 0), (body, 1)]
        self.waiting.append((partial(self._given, held.get("@")), 0))  # once the words of this command are read
        if into := files(node.children, self.data, self.variables):
            self.found.append(Command(">", (), self._said(node, node.start_byte, node.end_byte), (), into, self.at))

    def _given(self, words: tuple[str, ...] | None) -> None:
        """Take words for those that the line, or a function, is given."""
        self.variables.pop("@", None)
        if words is not None:
            self.variables["@"] = words

    def _said(self, node: Node, start: int, end: int) -> str:
        """Give what stands between two places of the line, cut."""
        if end <= start:
            start, end = node.start_byte, node.end_byte
        return self.data[start : min(end, start + _SOURCE)].decode("utf-8", "replace")

    def _within(
        self, text: str, around: tuple[str, ...], *, here: bool = False, given: tuple[str, ...] | None = None
    ) -> None:
        """Read a line that is handed to another shell, or to this one once more."""
        if self.depth <= 0 or not text.strip():
            return
        inner = _Reader(self.variables if here else dict(self.variables), self.depth - 1)
        inner.left, inner.around, inner.at = self.left, around, self.at
        if given is not None:
            put_words(inner.variables, "@", given)
        inner.read(text)
        self.left = inner.left
        for command in inner.found:
            known = here or command.name in self.exported
            if known and command.within == around and command.name in self.functions:
                self._call(command.name, [Word(word.replace("\0", UNKNOWN), word, 0, 0) for word in command.words])
            else:
                self.found.append(command)
        if here:
            self.at = inner.at

    def _words(self, node: Node, bound: dict[str, str]) -> list[Word]:
        return words_of(node, self.data, bound)

    def _text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _spelt(words: Sequence[str]) -> str:
    """Write a command as it is run, when the line only says `"$@"`."""
    said = " ".join(f'"{word}"' if " " in word else word for word in words)
    return said[:_SOURCE].replace(UNKNOWN, "…").replace("\0", "…")
