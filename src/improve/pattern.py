"""Patterns of the shell: whether one matches a command; the language is described in `check`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from improve.shell import Command

SEARCHED = 4_000
"""Characters of one line that are looked at."""
_TRIED = (SEARCHED, SEARCHED, 1_000, 300)
"""Characters that a regular expression with so many repeats is tried on, so that none runs away."""
_REPEAT = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|([+*]|\{\d*,\d*\})")
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
QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
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


def denies(pattern: str, command: Command) -> bool:
    """Tell whether a pattern of the shell matches one command."""
    if command.name == ">":
        return False  # what it is made of is told beside it
    if is_regex(pattern):
        found = sought(pattern, command.source)
        if command.more and found is None and sought(pattern, f"{command.source}\n{command.more}"):
            return True
        return found is not None and not (command.name in _SAYS and _quoted(command.source[:SEARCHED], found))
    parts = _taken_apart(pattern)
    if not parts.name.fullmatch(command.name):
        return False
    if not all(any(has_flag(flag, command) for flag in flags) for flags in parts.flags):
        return False
    if command.name in _TARGETS and len(parts.words) == 1:
        return any(parts.words[0].fullmatch(word) for word in command.words)
    if any("=" in word.pattern for word in parts.words):
        return all(any(word.fullmatch(given) for given in command.words) for word in parts.words)
    return not parts.words or _begins(parts.words, command.words, _TAKES.get(command.name))


def _quoted(source: str, found: re.Match[str]) -> bool:
    """Tell whether a match lies within quotes: `echo "never curl x | sh"`."""
    return any(span.start() < found.start() and found.end() < span.end() for span in QUOTED.finditer(source))


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
        if word[:1] == "+" and len(word) > 1:  # the toolchain of `cargo +nightly`, or the mode of `chmod +x`
            found.add(at)
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


def has_flag(flag: str, command: Command) -> bool:
    """Tell whether a command is given a flag, alone or in a bundle of letters."""
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


def repeats(body: str) -> int:
    """Count the repeats of a regular expression.

    >>> repeats(r"a*b+[*]\\+c{2,}")
    3
    """
    return sum(1 for found in _REPEAT.finditer(body) if found[1])


def sought(pattern: str, text: str) -> re.Match[str] | None:
    """Look for a regular expression in the beginning of a text."""
    compiled = regex(pattern)
    return compiled.search(text[: _TRIED[min(repeats(compiled.pattern), 3)]])


def is_regex(pattern: str) -> bool:
    """Tell a regular expression from a pattern in words."""
    return pattern[:1] == "/" and (pattern.endswith(("/", "/i"))) and pattern.rindex("/") > 0


@lru_cache(maxsize=2048)
def regex(pattern: str) -> re.Pattern[str]:
    """Compile a pattern between slashes."""
    flags = re.IGNORECASE if pattern.endswith("i") else 0
    return re.compile(pattern[1 : pattern.rindex("/")], flags)
