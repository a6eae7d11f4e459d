"""Which files a command of a shell writes or takes away, and which it names. Pure.

Written: redirections of output (`>`, `>>`, `>|`, `&>`, `2>`), what `tee`, `touch`, `truncate`, `shred`, `sponge` and
`patch` name, the last word of `cp`, `ln`, `install`, `rsync`, `scp`, both ends of `mv`, `rm`, `unlink`, `dd of=`,
`sed -i`, `perl -pi`, `awk -i inplace`, `curl -o`, `wget -O`, `sort -o`, `find -name … -delete`, and git's `mv`, `rm`,
`restore` and `checkout … --`. Reading is no write, nor are `mkdir`, `rmdir`, `chmod`, an archive that is unpacked,
formatters, editors, or what a program does inside itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from improve.globs import placed, within
from improve.pattern import has_flag
from improve.shell import Command

_ALL = frozenset(("tee", "touch", "truncate", "shred", "sponge", "patch"))
_TAKERS = frozenset(("rm", "unlink", "mv"))
_COPIES = frozenset(("cp", "mv", "ln", "install", "rsync", "scp"))
_IN_PLACE = frozenset(("sed", "gsed", "perl"))
_OUTPUT = {"curl": ("-o", "--output"), "wget": ("-O", "--output-document"), "sort": ("-o", "--output")}
_VALUED = {
    "truncate": ("-s", "--size", "-r"), "touch": ("-d", "-t", "-r", "--date"), "shred": ("-n", "-s"),
    "install": ("-m", "-o", "-g", "-S"), "rsync": ("-e", "--exclude", "--include", "-f", "--rsh"),
    "scp": ("-i", "-P", "-o", "-F"), "sed": ("-e", "-f", "--expression", "--file"), "perl": ("-I", "-M"),
    "patch": ("-p", "-i", "-d"), "ln": ("-S",), "cp": ("-S",), "mv": ("-S",),
}  # fmt: skip
_SOUGHT = frozenset(["grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "gsed", "awk", "gawk", "jq", "yq", "perl"])
"""Programs whose first word is what they look for or a script, unless an option gives it."""
_FILES = frozenset(
    ("rm", "mv", "cp", "cat", "less", "head", "tail", "touch", "ls", "wc", "unlink", "ln", "tee", "rmdir")
)
"""Programs of which every word is a file."""
_SAYS = frozenset(("echo", "printf", "|", ">"))
_MESSAGES = frozenset(("-m", "--message", "-e", "--regexp", "--title", "--body", "-c"))


def changes(command: Command, paths: Sequence[str]) -> bool:
    """Tell whether a command plainly writes to such a file or takes it away."""
    takes = command.name in _TAKERS or command.name == "git"
    return _any(paths, (placed(command.at, path) for path in command.into), takes=False) or _any(
        paths, _written(command), takes=takes
    )


def names(command: Command, paths: Sequence[str]) -> bool:
    """Tell whether a command names such a file, or writes to it."""
    if changes(command, paths):
        return True
    if command.name in _SAYS:
        return False
    return _any(paths, _meant(command), takes=command.name in _TAKERS)


def _meant(command: Command) -> Iterator[str]:
    """Yield what may be files: as it stands, and from the directory that was gone to where it looks like one."""
    at, all_files = _at(command), command.name in _FILES
    for word in _said(command):
        option, _, value = word.rpartition("=")
        if option or word[:1] != "-":
            plain = not option and (all_files or set(word) & set("./*"))
            yield placed(at, word) if plain else value


def _any(paths: Sequence[str], found: Iterator[str], *, takes: bool) -> bool:
    # what takes a directory away takes what is in it
    return any(within(paths, path) or (takes and within(paths, path.rstrip("/") + "/")) for path in found)


def _said(command: Command) -> Iterator[str]:
    """Yield the words that may be files."""
    words, sought = command.words, command.name in _SOUGHT
    given = any(word in ("-e", "-f", "--regexp", "--file", "--expression", "--files") for word in words)
    skips = sought and not given
    for at, word in enumerate(words):
        if at and words[at - 1] in _MESSAGES and (sought or command.name in ("git", "gh")):
            continue
        if skips and (word[:1] != "-" or word == "-"):
            skips = False
            continue
        yield word


def _at(command: Command) -> str:
    """Give the directory a command works in, that of `git -C` among them."""
    at, words = command.at, command.words
    if command.name == "git":
        for before, word in pairwise(words):
            if before == "-C":
                at = placed(at or ".", word)
    return at


def _written(command: Command) -> Iterator[str]:
    name, at = command.name, _at(command)
    if name == "git":
        found = _of_git(command)
    elif name in _ALL or name in _TAKERS:
        found = _plain(command)
    elif name in _IN_PLACE:
        found = _in_place(command)
    elif name in ("awk", "gawk"):
        found = _plain(command)[1:] if "inplace" in command.words else []
    elif name == "dd":
        found = [word[3:] for word in command.words if word.startswith("of=")]
    elif name in _OUTPUT:
        found = _after(command.words, _OUTPUT[name])
        short = _OUTPUT[name][0][1]
        found += [to for word, to in pairwise(command.words) if re.fullmatch(rf"-[a-zA-Z]+{short}", word)]
    elif name == "find" and "-delete" in command.words:
        found = _after(command.words, ("-name", "-iname", "-path", "-wholename"))
    else:
        found = []
    if name in _COPIES:
        found = [*found, *_copied(command)]
    return (placed(at, path) for path in found)


def _plain(command: Command) -> list[str]:
    """List the words that are no options and no values of them."""
    takes, words = _VALUED.get(command.name, ()), command.words
    found, ended = [], False
    for at, word in enumerate(words):
        if word == "--" and not ended:
            ended = True
        elif ended or not (word[:1] == "-" or (at and words[at - 1] in takes)):
            found.append(word)
    return found


def _in_place(command: Command) -> list[str]:
    edits = has_flag("-i", command) or any(word.startswith("--in-place") for word in command.words)
    if command.name == "perl":
        edits = edits or any(re.fullmatch(r"-[a-z0-9]*i(?:\.\w+)?[a-z]*", word) for word in command.words)
    if not edits:
        return []
    given = any(re.fullmatch(r"-[a-zA-Z]*[eEf]|--expression|--file", word) for word in command.words)
    found = [word for word in _plain(command) if word]  # `-i ''` of BSD
    return found if given else found[1:]


def _copied(command: Command) -> list[str]:
    """Give what copies, links and moves are put at."""
    words = _plain(command)
    if into := _after(command.words, ("-t", "--target-directory")):
        return [f"{into[0]}/{word.rpartition('/')[2]}" for word in words if word != into[0]]
    if len(words) < 2:
        return [word.rpartition("/")[2] for word in words] if command.name == "ln" else []
    *sources, last = words
    if ":" in last.partition("/")[0] and last[1:3] not in (":\\", ":/"):
        return []  # another machine
    inside = [f"{last.rstrip('/')}/{source.rstrip('/').rpartition('/')[2]}" for source in sources]
    known = last.endswith("/") or last in (".", "..") or len(sources) > 1
    return [last, *inside] if known else [last]


def _of_git(command: Command) -> list[str]:
    words = list(command.words)
    while len(words) > 1 and words[0][:1] == "-":
        words = words[2:] if words[0] in ("-C", "-c", "--git-dir", "--work-tree") else words[1:]
    what, rest = (words[0], words[1:]) if words else ("", [])
    plain = [word for word in rest if word[:1] != "-"]
    if what in ("rm", "mv"):
        return plain if "--cached" not in rest and not {"-n", "--dry-run"} & set(rest) else []
    if what == "restore":
        staged = {"--staged", "-S"} & set(rest) and not {"--worktree", "-W"} & set(rest)
        return [] if staged else rest[rest.index("--") + 1 :] if "--" in rest else plain
    return rest[rest.index("--") + 1 :] if what == "checkout" and "--" in rest else []


def _after(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """Give the values of these options, as the next word or behind `=`."""
    found = [word for before, word in pairwise(words) if before in options]
    return found + [word.partition("=")[2] for word in words if word.partition("=")[0] in options and "=" in word]
