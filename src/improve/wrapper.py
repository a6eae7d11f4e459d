"""Programs that run another one: what `sudo`, `env`, `xargs`, `npx` or `bash -c` would start. Pure.

Left out on purpose: `ssh`, `docker exec`, `kubectl exec` and their kin, which run it somewhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from improve.shellvalue import UNKNOWN
from improve.shellword import Word


class Inner(NamedTuple):
    """What a wrapper starts."""

    commands: tuple[Sequence[Word], ...] = ()
    lines: tuple[str, ...] = ()
    """Lines that a shell would read."""
    here: bool = False
    """It is this shell that reads them, with its functions and variables."""
    given: tuple[str, ...] | None = None
    """The words that the lines are given as `$1` and so on, when they are known."""


_SHELLS = frozenset(["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "rbash"])
_POWERSHELLS = frozenset(["pwsh", "powershell"])
_WINDOWS = (".exe", ".cmd", ".bat", ".ps1", ".com")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*w?|py")
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?|infinity")
_TAKES: dict[str, str] = {
    "sudo": "-u --user -g --group -h --host -p --prompt -C -D --chdir -r -t -T -U -R",
    "doas": "-u -C",
    "env": "-u --unset -C --chdir -S --split-string",
    "command": "",
    "builtin": "",
    "exec": "-a",
    "nohup": "",
    "time": "-f --format -o --output",
    "timeout": "-k --kill-after -s --signal",
    "nice": "-n --adjustment",
    "ionice": "-c --class -n --classdata -p",
    "stdbuf": "-i -o -e --input --output --error",
    "setsid": "",
    "xargs": "-I -n -P -L -d -E -s -a --replace --max-args --max-procs --max-lines --delimiter --arg-file -J -R",
    "watch": "-n --interval -q",
    "coproc": "",
    "chronic": "", "unbuffer": "", "caffeinate": "-t -w", "strace": "-e -o -p -s -u", "ltrace": "-e -o",
    "valgrind": "", "rlwrap": "", "fakeroot": "", "xvfb-run": "-n -s -e -f", "dbus-run-session": "",
    "proxychains": "-f", "proxychains4": "-f", "torsocks": "", "torify": "", "catchsegv": "", "then": "", "do": "",
    "else": "", "!": "", "systemd-run": "-p --unit -u -M", "arch": "-e", "cross-env": "", "dotenv": "-e -f -c",
    "npx": "-p --package -c --call -w --workspace", "bunx": "-p --package", "uvx": "--from --with --python -p",
    "pnpx": "--package", "flock": "-w --timeout -E -c --command", "parallel": "-j --jobs -S -a --arg-file -N -n -I",
    "taskset": "", "chrt": "", "entr": "", "direnv": "", "hyperfine": "", "su": "-s -g -G",
    "script": "",
}  # fmt: skip
"""Wrappers, and those of their options that take a value as the next word."""
_SKIPS = {"timeout": 1, "taskset": 1, "chrt": 1, "flock": 1}
"""Wrappers with words of their own before what they run."""
_ASSIGNS = frozenset(("env", "sudo", "doas", "cross-env"))
_PACKAGES = frozenset(["npx", "bunx", "pnpx", "uvx"])
"""Runners whose program may carry a version: `npx jest@29`."""
_RUNNERS: dict[str, tuple[str, ...]] = {
    "uv": ("run", "tool run"), "poetry": ("run",), "pipenv": ("run",), "pdm": ("run",), "hatch": ("run",),
    "rye": ("run",), "pipx": ("run",), "conda": ("run",), "mamba": ("run",), "micromamba": ("run",),
    "pixi": ("run",), "bundle": ("exec",), "npm": ("exec", "x"), "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx"),
    "bun": ("x",), "mise": ("exec", "x"), "asdf": ("exec",), "rbenv": ("exec",), "pyenv": ("exec",),
    "doppler": ("run",), "op": ("run",), "dotenvx": ("run",), "infisical": ("run",), "perf": ("stat", "record"),
    "nvm": ("exec",), "volta": ("run",), "corepack": ("",), "busybox": ("",), "git": ("bisect run",), "rtk": ("",),
}  # fmt: skip
"""Programs of which one subcommand runs what follows it; the empty one means that they do so at once."""
_RUN_TAKES = frozenset(
    [
        "--with",
        "--python",
        "-p",
        "--package",
        "--extra",
        "--group",
        "--directory",
        "--project",
        "--env-file",
        "--from",
        "-n",
        "--name",
        "--env",
        "-C",
        "--prefix",
        "--filter",
        "-F",
        "--cwd",
        "--with-requirements",
        "--index-url",
        "--node",
        "--npm",
    ]
)
_LINES = frozenset(("watch", "parallel", "hyperfine"))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def name_of(word: str) -> str:
    """Give the name of a program without its directory and `.exe`.

    >>> name_of("/usr/bin/pip"), name_of("C:\\\\Python\\\\pip.EXE"), name_of("pip")
    ('pip', 'pip', 'pip')
    """
    name = word.rstrip("/").rpartition("/")[2]
    if "\\" in name:
        name = name.rpartition("\\")[2]
    for ending in _WINDOWS:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name or word


def unwrap(name: str, words: Sequence[Word], fed: Callable[[], str]) -> Inner:
    """Say what a program runs; nothing for most.

    Args:
        words: Its arguments.
        fed: Gives the literal text it reads, empty when there is none.
    """
    if name in _SHELLS or name in _POWERSHELLS or name == "cmd":
        return _shell(name, words, fed)
    if name == "find" or name == "fd":
        return _found(words)
    if name == "git":
        return _git(words)
    if _PYTHON.fullmatch(name):
        return _module(words)
    if name == "eval":
        return Inner(lines=(" ".join(word.script for word in words),), here=True)
    if name in ("source", "."):
        reads_input = words and words[0].value in ("/dev/stdin", "/dev/fd/0")
        text = (fed() if reads_input else words[0].text) if words else ""
        return Inner(lines=(text,) if text else (), here=True)
    if name in ("su", "script", "flock", "nix-shell", "nix") and (
        given := _after(words, "-c", "-qc", "-lc", "--command", "--run")
    ):
        return Inner(lines=(given.script,)) if name != "nix" else Inner((words[words.index(given) :],))
    if name in ("npx", "npm") and (given := _after(words, "-c", "--call")):
        return Inner(lines=(given.script,))
    if name in _TAKES:
        return _wrapped(name, words, fed)
    return _runner(name, words) if name in _RUNNERS else Inner()


def _wrapped(name: str, words: Sequence[Word], fed: Callable[[], str]) -> Inner:
    if name == "command" and any(word.value in ("-v", "-V") for word in words[:1]):
        return Inner()  # it only asks where the program is
    if name == "env" and (given := _after(words, "-S", "--split-string")):
        return Inner(lines=(given.script,))
    rest = _past_options(words, _TAKES[name].split(), assigns=name in _ASSIGNS)[_SKIPS.get(name, 0) :]
    if name in _LINES:
        return _lines(name, rest)
    if name == "direnv":
        rest = rest[2:] if rest and rest[0].value == "exec" else []
    if name == "dotenv" and rest and rest[0].value in ("run", "--"):
        rest = _past_options(rest[1:], [])
    if name in ("su", "script"):
        return Inner()
    if name == "coproc" and [word.value for word in rest[1:2]] == ["{"]:
        rest = rest[1:]  # its name
    if not rest:
        return Inner()
    if name in _PACKAGES:
        rest = [_unversioned(rest[0]), *rest[1:]]
    if name == "xargs" and (text := fed()):
        rest = [*rest, *(Word(part, part, 0, 0) for part in text.split()[:100])]
    return Inner((rest,))


def _lines(name: str, rest: Sequence[Word]) -> Inner:
    if name in ("hyperfine",):
        return Inner(lines=tuple(word.script for word in rest if not word.value.startswith("-")))
    own = [word for word in rest if word.value not in (":::", "::::")] if name == "parallel" else rest
    if name == "parallel" and ":::" in [word.value for word in rest]:
        own = rest[: [word.value for word in rest].index(":::")]
    if len(own) == 1:
        return Inner(lines=(own[0].script,))
    return Inner((own,)) if own else Inner()


def _shell(name: str, words: Sequence[Word], fed: Callable[[], str]) -> Inner:
    """Find the line a shell is given: after `-c`, or in what it reads when it is given no script."""
    for at, word in enumerate(words):
        low = word.value.lower()
        asks = (
            (low in ("/c", "/k") and name == "cmd")
            or (name in _POWERSHELLS and low in ("-c", "-command", "--command"))
            or (name in _SHELLS and re.fullmatch(r"-[a-z]*c[a-z]*|--command", word.value))
        )
        if asks:
            rest = _past_options(words[at + 1 :], []) if name in _SHELLS else words[at + 1 :]
            if name not in _SHELLS:
                return Inner(lines=(" ".join(part.script for part in rest),))
            return Inner(lines=tuple(part.script for part in rest[:1]), given=tuple(part.value for part in rest[2:]))
        if word.value == "-s":
            break
        if low[:1] not in ("-", "+") and not (at and re.fullmatch(r"[-+][a-z]*[oO]|--rcfile", words[at - 1].value)):
            given = tuple(part.value for part in words[at + 1 :])
            return Inner(lines=(word.text,) if word.text else (), given=given)  # the text of a script nobody knows
    return Inner(lines=(text,)) if (text := fed()) else Inner()


def _found(words: Sequence[Word]) -> Inner:
    """Take what `find` or `fd` runs for each file."""
    inner, at = [], 0
    values = [word.value for word in words]
    while at < len(values):
        if values[at] in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"):
            end = next((i for i in range(at + 1, len(values)) if values[i] in (";", "+")), len(values))
            inner.append(words[at + 1 : end])
            at = end
        at += 1
    return Inner(tuple(inner))


def _git(words: Sequence[Word]) -> Inner:
    """Take what git itself hands to a shell or runs."""
    values = [word.value for word in words]
    if "rebase" in values and (given := _after(words, "-x", "--exec")):
        return Inner(lines=(given.script,))
    if values[:2] == ["submodule", "foreach"]:
        return Inner(lines=(" ".join(word.script for word in _past_options(words[2:], [])),))
    if values[:2] == ["bisect", "run"]:
        return Inner((words[2:],))
    return Inner()


def _module(words: Sequence[Word]) -> Inner:
    """Take the module of `python -m` for a program of that name."""
    for at, word in enumerate(words):
        if word.value == "-m" and at + 1 < len(words):
            return Inner((words[at + 1 :],))
        if word.value[:1] != "-" or word.value == "-c":
            return Inner()
        if word.value[:2] == "-m" and word.value[2:]:
            first = Word(word.value[2:], word.value[2:], word.start, word.end)
            return Inner(([first, *words[at + 1 :]],))
    return Inner()


def _runner(name: str, words: Sequence[Word]) -> Inner:
    for said in _RUNNERS[name]:
        rest = _past_options(words, list(_RUN_TAKES))
        asked = said.split()
        if [word.value for word in rest[: len(asked)]] != asked:
            continue
        rest = _past_options(rest[len(asked) :], list(_RUN_TAKES), assigns=False)
        marks = [word.value for word in rest]
        if name in ("mise", "asdf", "nvm", "op", "doppler", "infisical") and "--" in marks:
            rest = rest[marks.index("--") + 1 :]
        if rest:
            return Inner(([_unversioned(rest[0]), *rest[1:]],))
    return Inner()


def _past_options(words: Sequence[Word], takes: list[str], *, assigns: bool = False) -> list[Word]:
    """Leave out the options at the beginning, the values of those that take one, `--`, and assignments."""
    at = 0
    while at < len(words):
        value = words[at].value
        if value == "--":
            at += 1
            if not assigns:
                break
        elif value[:1] == "-" and len(value) > 1:
            bundle = value[1:].isalpha() and f"-{value[-1]}" in takes
            at += 2 if value in takes or (bundle and value[:2] not in takes) else 1
        elif (assigns and _ASSIGNMENT.match(value)) or (value[:1] == "+" and len(value) > 1):
            at += 1
        else:
            break
    return list(words[at:])


def _after(words: Sequence[Word], *options: str) -> Word | None:
    """Give the word after one of these options."""
    for at, word in enumerate(words[:-1]):
        if word.value in options:
            return words[at + 1]
    return None


def _unversioned(word: Word) -> Word:
    """Take the version off a package that is run: `jest@29`, `black==23`."""
    head, at, _ = word.value.partition("==") if "==" in word.value else word.value.rpartition("@")
    return word._replace(value=head) if at and head and UNKNOWN not in head else word
