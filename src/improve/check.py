"""Whether a call of a tool does what a check denies. Pure; the parser is loaded only for a command that may be hit.

A pattern for the shell is a command in words: its name, then words that must be there, then flags.

- `pip install`: the command `pip` whose first words are `install`; wherever the shell would run it (see `shell`), and
  not where the words are only said. `a|b` means one or the other, `*` any part of a word: `pip|pip3* install`.
- The first word is compared with the first argument that is no option, others with any that follow, in order. The
  value of an option before is passed over (`git -C dir push`); where nobody knows whether an option takes one, either
  reading will do. `make`, `just`, `gradle` and their kin may name what they do in any order.
- Flags may stand anywhere: `--force` is also `--force=x`, `-f` also a letter of `-uf`, `--force|-f` either.
- `/…/` is a regular expression, looked for in the source of one command; `/…/i` without regard to case. To the source
  of an interpreter or a client (`python`, `node`, `psql`, `mysql`, `sqlite3`, …) belongs the here-document or text that
  it is fed, which it carries out; to that of `cat` it does not.

`unless` is asked of each command by itself: a command that it matches is fine, and so is what that command starts.

A check of `edit` is about writes, too; one of `write` about whole files alone; `any` is all, the shell as well. For an
edit or a write, a pattern is literal text or `/…/`, looked for in the lines that are put in; `unless` takes away a line
it matches. `paths` says in which files, as globs with `*`, `**`, `?`, `{a,b}`; one that does not begin at the root may
match the end of a path. A check of the shell with `paths` and patterns is about commands that name such a file, not as
what is looked for or said; without patterns, about those that plainly write to it or take it away (see `target`), for
reading is fine. Where a line goes to another directory, its paths are meant from there. For other tools, `any` looks
into the subject.
"""

from __future__ import annotations

import re

from improve import target
from improve.added import PUT_IN, put_in
from improve.globs import within
from improve.kind import HIT
from improve.pattern import denies, is_regex, repeats, sought
from improve.rule import TOOLS, Check
from improve.session import EDIT, SHELL, WRITE, Call
from improve.shell import NoParser, commands

LONGEST_PATTERN = 200
_LOOKS_BACK = re.compile(r"\\[1-9]|\(\?P")
_COMPOSES = re.compile(
    r"\$['\"]|[\w./\"'})-]\$|\w`|[`})][\w\"'$.-]|\$\w+[\"']|\{[^}\s]*,|\\[0-7xu]|\$\{[^}\s]{0,60}[/#%:,^]|\+=|%[sb]"
)
"""A line in which a name may be put together from parts: `${P}ip`, `$'\\x70ip'`, `pi{p,}`, `${x/a/}`, `printf -v`."""
_LITERAL = re.compile(r"[a-z0-9_-]+", re.ASCII)


def hits(check: Check, call: Call) -> tuple[str, ...]:
    """Give the parts of a call that a check denies, as they stand in it; empty when the call is fine.

    Raises:
        NoParser: the parser of shell commands is not installed.
    """
    if call.kind not in HIT.get(check.tool, ()):
        return ()
    if call.kind == SHELL:
        return _in_shell(check, call)
    if call.kind in (EDIT, WRITE):
        return _in_files(check, call)
    return _in_subject(check, call)


def needles(check: Check) -> tuple[str, ...]:
    """Give texts one of which must stand in a call for it to be hit; empty when nothing can be ruled out that way.

    They are compared without regard to case, with what `haystack` gives for the call.
    """
    found: list[str] = []
    for pattern in check.deny:
        if is_regex(pattern):
            return ()
        words = pattern.split()
        parts = (_longest(words[0]) if words and check.tool in ("shell", "any") else []) + (
            [_squeezed(pattern)] if check.tool != "shell" else []
        )
        if not parts or "" in parts:
            return ()
        found += parts
    return tuple(dict.fromkeys(found))


def haystack(call: Call) -> str:
    """Give the text of a call in which needles are looked for, in lower case, without what a shell takes out."""
    if call.kind != SHELL:
        return _squeezed("\n".join([call.subject, *(text for _, text in put_in(call))]))
    text = _squeezed(call.subject)
    if _COMPOSES.search(call.subject):
        try:
            text = "\n".join((text, *(_squeezed(command.name) for command in commands(call.subject))))
        except NoParser:
            return text
    return text


def problem(check: Check) -> str:
    """Say what is wrong with a check, in one clause; empty when nothing is."""
    if check.tool not in TOOLS:
        return f"there is no tool {check.tool!r}; it is shell, edit, write or any"
    if not check.deny and not check.paths:
        return "it denies nothing; give a pattern or a path"
    for pattern in (*check.deny, *check.unless):
        if said := _wrong(pattern, check.tool):
            return f"{pattern[:60]!r} {said}"
    return next((f"the path {path[:60]!r} is empty or too long" for path in check.paths if not 0 < len(path) < 500), "")


def _wrong(pattern: str, tool: str) -> str:
    if not pattern.strip():
        return "is empty"
    if len(pattern) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters"
    if is_regex(pattern):
        body = pattern[1 : pattern.rindex("/")]
        if _LOOKS_BACK.search(body) or _nested(body) or repeats(body) > 3:
            return "could take for ever: no repeat or choice within a repeat, no reference, three repeats at most"
        try:
            re.compile(body)
        except re.error as exc:
            return f"is no regular expression: {exc}"
        return "matches everything" if re.search(body, "") else ""
    if tool == "shell" and (set(pattern.split()[0]) <= set("*|?") or pattern.startswith("-")):
        return "names no command"
    if tool == "shell" and (set(pattern) & set("\"'`;&<>$()")):
        return "has characters of a shell in it; give the command in plain words, or a /regular expression/"
    return ""


def _nested(body: str) -> bool:
    """Tell whether a group that is repeated has a repeat or a choice in it."""
    inside = [False]
    plain = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", body)
    for at, char in enumerate(plain):
        if char == "(":
            inside.append(False)
        elif char == ")" and len(inside) > 1:
            busy = inside.pop()
            if busy and plain[at + 1 : at + 2] in ("+", "*", "{"):
                return True
            inside[-1] = inside[-1] or busy
        elif char in "+*{|":
            inside[-1] = True
    return False


def _in_shell(check: Check, call: Call) -> tuple[str, ...]:
    found = []
    all_of_them = commands(call.subject)
    fine = {c.source for c in all_of_them if any(denies(pattern, c) for pattern in check.unless)}
    for command in all_of_them:
        if check.paths and not (target.names if check.deny else target.changes)(command, check.paths):
            continue
        if check.deny and not any(denies(pattern, command) for pattern in check.deny):
            continue
        if command.source not in fine and not fine.intersection(command.within):
            found.append(command.source)
    return tuple(dict.fromkeys(found))


def _in_subject(check: Check, call: Call) -> tuple[str, ...]:
    """Look into the most telling argument of another tool; only a pattern is looked for, no file."""
    return _matches(check, call.subject) if check.deny and not check.paths else ()


def _in_files(check: Check, call: Call) -> tuple[str, ...]:
    found: list[str] = []
    for path, text in put_in(call):
        if check.paths and not within(check.paths, path):
            continue
        found += _matches(check, text) if check.deny else [path]
    return tuple(dict.fromkeys(found))


def _matches(check: Check, text: str) -> tuple[str, ...]:
    """Give the lines of a text in which something is denied."""
    found = []
    for line in text[:PUT_IN].splitlines():
        if any(_stands(pattern, line) for pattern in check.deny) and not any(
            _stands(pattern, line) for pattern in check.unless
        ):
            found.append(line.strip()[:200])
    if not found and any("\n" in pattern and pattern in text for pattern in check.deny):
        found = [pattern for pattern in check.deny if "\n" in pattern and pattern in text]
    return tuple(dict.fromkeys(found))


def _stands(pattern: str, line: str) -> bool:
    if is_regex(pattern):
        return sought(pattern, line) is not None
    return pattern in line


def _squeezed(text: str) -> str:
    """Take out what a shell does: `pi''p` and `\\pip` stand for pip."""
    return re.sub(r"\\\r?\n|[\"'\\\0]", "", text.casefold())


def _longest(word: str) -> list[str]:
    """Give the longest literal part of each choice of a name; an empty one when there is none."""
    return [
        max(_LITERAL.findall(choice.replace("*", " ")), key=len, default="") for choice in word.casefold().split("|")
    ]
