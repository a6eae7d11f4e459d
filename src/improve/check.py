"""Whether a call of a tool does what a check denies. Pure; the parser is loaded only for a command that may be hit.

A pattern for the shell is a command in words: its name, then words that must be there, then flags.

- `pip install`: the command `pip` whose first words are `install`; wherever the shell would run it (see `shell`), and
  not where the words are only said. `a|b` means one or the other, `*` any part of a word: `pip|pip3* install`.
- The first word is compared with the first argument that is no option, others with any that follow, in order. The
  value of an option before is passed over (`git -C dir push`); where nobody knows whether an option takes one, either
  reading will do. `make`, `just`, `gradle` and their kin may name what they do in any order.
- Flags may stand anywhere: `--force` is also `--force=x`, `-f` also a letter of `-uf`, `--force|-f` either.
- `/…/` is a regular expression, looked for in the source of one command; `/…/i` without regard to case.

`unless` is asked of each command by itself: a command that it matches is fine, and so is what that command starts.

A check of `edit` is about writes, too; one of `write` about whole files alone; `any` is all, the shell as well. For an
edit or a write, a pattern is literal text or `/…/`, looked for in the lines that are put in; `unless` takes away a line
it matches. `paths` says in which files, as globs with `*`, `**`, `?`, `{a,b}`; one that does not begin at the root may
match the end of a path. A check of the shell with `paths` and patterns is about commands that name such a file; without
patterns, about those that plainly write to it (`> file`, `tee`, `sed -i`, `rm`, `mv`, the last word of `cp`). For other
tools, `any` looks into the subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from improve.rule import Check
from improve.session import EDIT, READ, SHELL, WRITE, Call
from improve.shell import Command, NoParser, commands

LONGEST_PATTERN = 200
SEARCHED = 4_000
"""Characters of one line that a regular expression is tried on."""
PUT_IN = 1 << 20
"""Characters of an edit or a write that are looked at."""
_REPEATS = re.compile(r"\([^()]*[+*}][^()]*\)\s*[+*{]|\\[1-9]|\(\?P|[+*}]\)[+*{]")
"""What can make a regular expression run away, or look behind: repeated repeats and back references."""
_COMPOSES = re.compile(r"\$['\"]|[\w./\"'})-]\$|\w`|[`})][\w\"'$.-]|\$\w+[\"']|\{[^}\s]*,|\\[0-7xu]")
"""A line in which a name may be put together from parts: `${P}ip`, `$'\\x70ip'`, `pi{p,}`."""
_LITERAL = re.compile(r"[a-z0-9_-]+", re.ASCII)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_NEW = (
    "new_string", "newText", "new_str", "newString", "content", "file_text", "contents", "replace", "new_source",
    "code_edit", "insert_text", "text", "diff", "replacement", "newContent",
)  # fmt: skip
_MANY = ("edits", "replacements", "changes", "files")
_PATCHES = ("patchText", "patch", "input", "command", "cmd")
_PATHS = ("path", "file_path", "filePath", "target_file", "notebook_path", "filename")
_TAKES: dict[str, frozenset[str]] = {
    name: frozenset(options.split())
    for name, options in {
        "git": "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env",
        "docker": "-H --host --context --config -l --log-level --tlscacert --tlscert --tlskey -f --file -p --profile",
        "npm": "--prefix -w --workspace --registry --userconfig --cache -C",
        "pnpm": "-C --dir --filter -F --registry", "yarn": "--cwd", "bun": "--cwd",
        "kubectl": "-n --namespace --context --kubeconfig --cluster --user -s --server --as --token",
        "helm": "-n --namespace --kube-context --kubeconfig", "cargo": "--manifest-path --config -Z --color -C",
        "pip": "--python --proxy --log --cache-dir --timeout --retries --cert",
        "uv": "--directory --project --config-file --cache-dir --python -p",
        "gh": "-R --repo --hostname", "terraform": "", "make": "-C -f -j -I -o -W", "go": "-C",
        "poetry": "-C --directory -P --project", "aws": "--profile --region --output --endpoint-url --query",
        "gcloud": "--project --account --configuration --format", "psql": "-d -U -h -p -c -f", "mvn": "-f -pl -s -P",
    }.items()
}  # fmt: skip
"""Options with a value that stand before the subcommand."""
_VALUED = {
    "git": ("-m --message -F --file -C -c --author --date --reuse-message --trailer -o --push-option", "mFcCS"),
    "find": ("-name -iname -path -ipath -type -regex -newer -user -group -size -mtime", ""),
    "perl": ("-e -E -I -M", "eEIMmF"),
    "ruby": ("-e -I -r", "eIr"),
    "gh": ("-t --title -b --body -F", "tbF"),
    "npm": ("-m --message", "m"),
}
"""Options whose values are no flags, whatever they look like, and the letters of those that are short."""
_LONG = frozenset(("go", "find", "java", "javac", "terraform", "ffmpeg", "openssl", "xcodebuild", "fd"))
"""Programs whose long options begin with one dash, so that no letters are bundled."""
_INTERPRETER = re.compile(r"(?:python|pypy|node|deno|ruby|bash|sh|zsh|dash)[\d.]*")
"""Programs whose options end where a script begins; what follows is the script's."""
_TARGETS = frozenset(("make", "gmake", "just", "task", "gradle", "gradlew", "mvn", "mvnw", "ninja", "rake"))
"""Programs that take several things to do."""
_SAYS = frozenset(("echo", "printf", "grep", "egrep", "rg", "git", "gh", "|"))
"""Programs whose quoted words are often talk of a command; a pipeline, too."""
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
_WRITERS = frozenset(("tee", "rm", "mv", "truncate", "shred", "unlink", "touch", "patch", "install"))
_BARE = frozenset(
    [
        "-v",
        "-V",
        "-q",
        "-y",
        "-f",
        "-p",
        "-n",
        "-s",
        "-x",
        "-h",
        "-i",
        "--verbose",
        "--quiet",
        "--yes",
        "--force",
        "--no-pager",
        "--bare",
        "--global",
    ]
)
"""Options that take none, in nearly all programs."""


class _Pattern(NamedTuple):
    """A pattern of the shell, taken apart."""

    name: re.Pattern[str]
    words: tuple[re.Pattern[str], ...]
    flags: tuple[tuple[str, ...], ...]


def hits(check: Check, call: Call) -> tuple[str, ...]:
    """Give the parts of a call that a check denies, as they stand in it; empty when the call is fine.

    Raises:
        NoParser: the parser of shell commands is not installed.
    """
    if check.tool not in (call.kind, "any") and (check.tool, call.kind) != (EDIT, WRITE):
        return ()
    if call.kind == SHELL:
        return _in_shell(check, call)
    if call.kind in (EDIT, WRITE):
        return _in_files(check, call)
    return _in_subject(check, call) if call.kind != READ else ()


def needles(check: Check) -> tuple[str, ...]:
    """Give texts one of which must stand in a call for it to be hit; empty when nothing can be ruled out that way.

    They are compared without regard to case, with what `haystack` gives for the call.
    """
    found: list[str] = []
    for pattern in check.deny:
        if _is_regex(pattern):
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
    if check.tool not in ("shell", "edit", "write", "any"):
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
    if _is_regex(pattern):
        body = pattern[1 : pattern.rindex("/")]
        if _REPEATS.search(body) or len(re.findall(r"(?<!\\)[+*]", body)) > 4:
            return "could take for ever: no repeat within a repeat, no reference, four repeats at most"
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


def _in_shell(check: Check, call: Call) -> tuple[str, ...]:
    found = []
    all_of_them = commands(call.subject)
    fine = {c.source for c in all_of_them if any(denies(pattern, c) for pattern in check.unless)}
    for command in all_of_them:
        if check.paths and not (_names if check.deny else _changes)(command, check.paths):
            continue
        if check.deny and not any(denies(pattern, command) for pattern in check.deny):
            continue
        if command.source not in fine and not fine.intersection(command.within):
            found.append(command.source)
    return tuple(dict.fromkeys(found))


def denies(pattern: str, command: Command) -> bool:
    """Tell whether a pattern of the shell matches one command."""
    if _is_regex(pattern):
        found = _regex(pattern).search(command.source[:SEARCHED])
        return found is not None and not (command.name in _SAYS and _quoted(command.source[:SEARCHED], found))
    parts = _taken_apart(pattern)
    if not parts.name.fullmatch(command.name):
        return False
    if not all(any(_has_flag(flag, command) for flag in flags) for flags in parts.flags):
        return False
    if command.name in _TARGETS and len(parts.words) == 1:
        return any(parts.words[0].fullmatch(word) for word in command.words)
    if any("=" in word.pattern for word in parts.words):
        return all(any(word.fullmatch(given) for given in command.words) for word in parts.words)
    return not parts.words or _begins(parts.words, command.words, _TAKES.get(command.name))


def _quoted(source: str, found: re.Match[str]) -> bool:
    """Tell whether a match lies within quotes: `echo "never curl x | sh"`."""
    return any(span.start() < found.start() and found.end() < span.end() for span in _QUOTED.finditer(source))


def _begins(wanted: Sequence[re.Pattern[str]], words: Sequence[str], takes: frozenset[str] | None) -> bool:
    """Tell whether the arguments begin with these words, options left out; with doubt, either reading will do."""
    starts = {at for at in _positions(words, 0, takes) if wanted[0].fullmatch(words[at])}
    if len(wanted) == 1 or not starts:
        return bool(starts)
    at = min(starts) + 1
    for pattern in wanted[1:]:
        near = _positions(words, at, takes)
        at = next((i + 1 for i in range(at, len(words)) if pattern.fullmatch(words[i]) and _free(words, i, near)), 0)
        if not at:
            return False
    return True


def _free(words: Sequence[str], at: int, near: set[int]) -> bool:
    """Tell whether a word is no value of an option before it, or is where the next word is looked for anyway."""
    before = words[at - 1] if at else ""
    return at in near or before[:1] != "-" or before in _BARE or "=" in before


def _positions(words: Sequence[str], start: int, takes: frozenset[str] | None) -> set[int]:
    """Say where the next word that is no option may stand."""
    waiting, found = [start], set()
    seen: set[int] = set()
    while waiting:
        at = waiting.pop()
        if at >= len(words) or at in seen:
            continue
        seen.add(at)
        word = words[at]
        if word[:1] == "+" and len(word) > 1:
            waiting.append(at + 1)
        elif word[:1] != "-" or word == "-":
            found.add(at)
        elif takes is not None and word in takes:
            waiting.append(at + 2)
        else:
            waiting.append(at + 1)
            if word not in _BARE and "=" not in word and word != "--":
                waiting.append(at + 2)
    return found


def _has_flag(flag: str, command: Command) -> bool:
    words = _flags(command)
    if "*" in flag:
        return any(_glob_word(flag).fullmatch(word) for word in words)
    if len(flag) != 2 or command.name in _LONG:
        return any(word == flag or word.startswith(f"{flag}=") for word in words)
    valued = _VALUED.get(command.name, ("", ""))[1]
    return any(word[:1] == "-" and word[1:2] != "-" and flag[1] in _letters(word, valued) for word in words)


def _letters(word: str, valued: str) -> str:
    """Give the letters of a bundle of short flags: all of `-uf`, of `-am"text"` those up to the one with a value."""
    letters = word[1:]
    for at, letter in enumerate(letters):
        if not letter.isalpha() or letter in valued:
            return letters[: at + 1]
    return letters if len(letters) <= 6 else letters[:1]


def _flags(command: Command) -> list[str]:
    """List the words that may be flags: those before `--` that are no values of the option before."""
    words, valued = command.words, _VALUED.get(command.name, ("", ""))
    takes = frozenset(valued[0].split())
    runs_scripts = _INTERPRETER.fullmatch(command.name) is not None
    found = []
    for at, word in enumerate(words):
        if word == "--" or (at and words[at - 1] in ("-m", "-c") and runs_scripts):
            break
        if runs_scripts and word[:1] != "-" and words[at - 1 : at] not in (("-W",), ("-X",), ("-r",), ("-o",)):
            break
        before = words[at - 1] if at else ""
        bundle = (
            before[:1] == "-" and before[1:2] != "-" and before[-1:] in valued[1].rstrip("S") and before[1:].isalpha()
        )
        if before not in takes and not (bundle and command.name not in _LONG):
            found.append(word)
    return found


@lru_cache(maxsize=2048)
def _taken_apart(pattern: str) -> _Pattern:
    name, *rest = pattern.split() or [""]
    words = tuple(_glob_word(word) for word in rest if word[:1] != "-")
    flags = tuple(tuple(word.split("|")) for word in rest if word[:1] == "-")
    return _Pattern(_glob_word(name), words, flags)


def _glob_word(word: str) -> re.Pattern[str]:
    choices = ["".join("[^\\0]*" if c == "*" else re.escape(c) for c in choice) for choice in word.split("|")]
    return re.compile("|".join(choices), re.DOTALL)


def _is_regex(pattern: str) -> bool:
    return pattern[:1] == "/" and (pattern.endswith(("/", "/i"))) and pattern.rindex("/") > 0


@lru_cache(maxsize=2048)
def _regex(pattern: str) -> re.Pattern[str]:
    flags = re.IGNORECASE if pattern.endswith("i") else 0
    return re.compile(pattern[1 : pattern.rindex("/")], flags)


def _names(command: Command, paths: Sequence[str]) -> bool:
    """Tell whether a command names such a file, or sends its output there."""
    words = [word.rpartition("=")[2] for word in command.words]
    return any(within(paths, word) for word in words) or _changes(command, paths)


def _changes(command: Command, paths: Sequence[str]) -> bool:
    """Tell whether a command plainly writes to such a file or takes it away: `> file`, `tee`, `sed -i`, `rm`, `mv`."""
    if command.name == "|":
        return False
    plain = _QUOTED.sub(lambda found: found[0] if " " not in found[0] else "", command.source[:SEARCHED])
    named = re.findall(r">\|?\s*[\"']?([^\s;&|<>\"']+)", plain)
    if command.name in _WRITERS or (command.name in ("sed", "perl") and _has_flag("-i", command)):
        named += command.words
    elif command.name in ("cp", "rsync"):
        named += command.words[-1:]
    return any(within(paths, word) for word in named)


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
    if _is_regex(pattern):
        return _regex(pattern).search(line[:SEARCHED]) is not None
    return pattern in line


def put_in(call: Call) -> Iterator[tuple[str, str]]:
    """Yield each file a call changes with the text that is put in, in whatever shape the host records it."""
    given = call.input
    patch = next((text for key in _PATCHES if (text := _as_text(given.get(key))) and "*** Begin Patch" in text), "")
    if patch:
        yield from _patched(patch)
        return
    path = next((str(given[key]) for key in _PATHS if isinstance(given.get(key), str)), "") or call.subject
    yield path, "\n".join(_new(given))


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""


def _patched(patch: str) -> Iterator[tuple[str, str]]:
    if "\n" not in patch:
        patch = patch.replace("\\n", "\n")
    path, added = "", list[str]()
    for line in patch[:PUT_IN].splitlines():
        if head := _PATCHED.match(line):
            if path:
                yield path, "\n".join(added)
            path, added = (head[1] or head[2]).strip(), []
        elif line[:1] == "+":
            added.append(line[1:])
    if path:
        yield path, "\n".join(added)


def _new(given: Mapping[str, Any], depth: int = 3) -> Iterator[str]:
    for key in _NEW:
        value = given.get(key)
        if isinstance(value, str):
            yield from _added(value) if key == "diff" else (value,)
        elif isinstance(value, list):
            yield _as_text(value)
    for key in _MANY if depth else ():
        value = given.get(key)
        for item in value if isinstance(value, list) else ():
            if isinstance(item, Mapping):
                yield from _new(item, depth - 1)


def _added(diff: str) -> Iterator[str]:
    """Give what a diff puts in: lines with `+`, or the second half of each search-and-replace block."""
    if "=======" in diff and "<<<<<<<" in diff:
        for block in diff.split("=======")[1:]:
            yield block.partition(">>>>>>>")[0]
        return
    yield "\n".join(line[1:] for line in diff.splitlines() if line[:1] == "+" and line[:3] != "+++")


def within(paths: Sequence[str], path: str) -> bool:
    """Tell whether a path, or what it ends with, is one of these globs."""
    plain = path.replace("\\", "/").removeprefix("./")
    return any(_glob(glob).fullmatch(plain) is not None for glob in paths)


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


def _squeezed(text: str) -> str:
    """Take out what a shell does: `pi''p` and `\\pip` stand for pip."""
    return re.sub(r"\\\r?\n|[\"'\\\0]", "", text.casefold())


def _longest(word: str) -> list[str]:
    """Give the longest literal part of each choice of a name; an empty one when there is none."""
    return [
        max(_LITERAL.findall(choice.replace("*", " ")), key=len, default="") for choice in word.casefold().split("|")
    ]
