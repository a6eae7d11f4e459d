"""Write a rule as the inline Markdown of one bullet, so that no reader takes it for more than words.

CommonMark 0.31.2 (https://spec.commonmark.org/0.31.2/) says what is a block, a tag or a code span. Hosts load
the file behind `@path` where a word starts outside code spans, Claude Code also inside those of a tight list
(https://docs.anthropic.com/en/docs/claude-code/memory, https://geminicli.com/docs/core/memport/).
"""

from __future__ import annotations

from bisect import bisect_left

from improve.character import BLANKS, LINE_BREAKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_PAIRS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」"}
_ENDS = ".,;:!?*_~…。，；：！？、"
_JOINED = "/.-+=&?%#:$^@"
"""What may stand before an `@` without a word starting there: `a/@b`, `x=@y`, `user.@`."""

_patterns: dict[str, re.Pattern[str]] = {}

Atom = tuple[str, str, str]
"""One piece of inline Markdown: kind (`text`, `escape`, `code`, `link`), as written, as read."""
Span = tuple[int, int]


def as_bullet(text: str) -> str:
    """Give the inline Markdown of one bullet, without its `- `; text that is safe stays byte for byte.

    What would open a block is escaped, `@path` and HTML tags become code spans. Twice is the same as once.

    >>> as_bullet("see @docs/style.md, then run `make`")
    'see `@docs/style.md`, then run `make`'
    """
    line = "".join(" " if c in LINE_BREAKS else c for c in text).strip(BLANKS)
    line = _open_nothing(line)
    if "@" in line or "<" in line or "&" in line:
        line = _open_nothing(_inert(line))
    return line


def plain(bullet: str) -> str:
    """Give the words of a bullet as read: no code span marks, no escapes, single blanks.

    `plain(as_bullet(text)) == plain(text)` for every text: two bullets with equal plain forms say the same.

    >>> plain("see `@docs/style.md`, then run `make`")
    'see @docs/style.md, then run make'
    """
    if not any(mark in bullet for mark in "`\\&"):
        return " ".join(bullet.split())
    return " ".join("".join(read for _, _, read in _atoms(bullet)).replace("`", "").split())


def _pattern(source: str) -> re.Pattern[str]:
    if source not in _patterns:
        import re

        _patterns[source] = re.compile(source)
    return _patterns[source]


def _open_nothing(line: str) -> str:
    """Escape the first mark of a line that would open a heading, quote, list, fence, rule or definition."""
    if not line or line[0].isalpha():
        return line
    opens = _pattern(
        r"#{1,6}(?:[ \t]|$)|>|~{3}|`{3,}[^`]*$|[-+*](?:[ \t]|$)|([-*_])(?:[ \t]*\1)+[ \t]*$"
        r"|\[(?:[^\[\]\\]|\\.)*\]:"
    )
    if opens.match(line):
        return "\\" + line
    number = _pattern(r"\d{1,9}(?=[.)](?:[ \t]|$))").match(line)
    return f"{number[0]}\\{line[number.end() :]}" if number else line


def _atoms(line: str) -> list[Atom]:
    """Read a line as CommonMark does once no HTML is left in it."""
    closers: dict[int, list[int]] = {}
    if "`" in line:
        for run in _pattern("`+").finditer(line):
            closers.setdefault(len(run[0]), []).append(run.start())
    atoms: list[Atom] = []
    at = 0
    while at < len(line):
        atom = _atom(line, at, closers)
        atoms.append(atom)
        at += len(atom[1])
    return atoms


def _atom(line: str, at: int, closers: dict[int, list[int]]) -> Atom:
    char = line[at]
    if char == "\\" and line[at + 1 : at + 2] in _PUNCTUATION and at + 1 < len(line):
        return "escape", line[at : at + 2], line[at + 1]
    if char == "`":
        ticks = len(line) - at - len(line[at:].lstrip("`"))
        starts = closers.get(ticks, [])
        index = bisect_left(starts, at + ticks)
        if index == len(starts):
            return "ticks", line[at : at + ticks], line[at : at + ticks]
        inside = line[at + ticks : starts[index]]
        return "code", line[at : starts[index] + ticks], _unpadded(inside)
    if char == "&":
        sign = _pattern(r"&(?:#0{0,5}64|#[xX]0{0,4}40|commat);").match(line, at)
        if sign:
            return "escape", sign[0], "@"
    if char == "<":
        link = _pattern(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>`]*|[\w.+-]{1,64}@[\w.-]{1,255})>").match(line, at)
        if link:
            return "link", link[0], link[0]
    return "text", char, char


def _unpadded(inside: str) -> str:
    padded = inside.startswith(" ") and inside.endswith(" ") and inside.strip(" ")
    return inside[1:-1] if padded else inside


def _inert(line: str) -> str:
    """Put `@path` and HTML tags into code spans, and escape each `<` that begins a tag without an end."""
    line = _in_code(line, _import)
    if "<" in line:
        line = _in_code(line, _tag)
        atoms = _atoms(line)
        line = "".join("\\<" if _opens_tag(atoms, at) else atom[1] for at, atom in enumerate(atoms))
    return "".join(_split(raw, read) if kind == "code" else raw for kind, raw, read in _atoms(line))


def _in_code(line: str, find: Callable[[list[Atom], int], Span | None]) -> str:
    """Put the words around everything found into code spans."""
    atoms = _atoms(line)
    taken = {len(raw) for kind, raw, _ in atoms if kind == "ticks"}
    pieces: list[str] = []
    at = 0
    while found := find(atoms, at):
        first, last = _words(atoms, found, at)
        pieces += (raw for _, raw, _ in atoms[at:first])
        pieces.append(_code("".join(read for _, _, read in atoms[first:last]), taken))
        at = last
    return "".join((*pieces, *(raw for _, raw, _ in atoms[at:])))


def _code(words: str, taken: set[int]) -> str:
    ticks = next(n for n in range(1, len(taken) + 2) if n not in taken)
    return "`" * ticks + words.replace("`", "") + "`" * ticks


def _import(atoms: list[Atom], start: int) -> Span | None:
    """Find the next `@` that starts a word and goes on like a path."""
    for at in range(start, len(atoms) - 1):
        kind, _, read = atoms[at]
        after = atoms[at + 1]
        if read == "@" and kind != "code" and after[0] == "text" and (after[2].isalnum() or after[2] in "./~_-"):
            before = atoms[at - 1] if at else ("text", " ", " ")
            if before[0] != "text" or not (before[2].isalnum() or before[2] in _JOINED):
                return at, at + 2
    return None


def _opens_tag(atoms: list[Atom], at: int) -> bool:
    after = atoms[at + 1] if at + 1 < len(atoms) else ("", "", "")
    return atoms[at][:2] == ("text", "<") and (after[2] in tuple("/!?") or (after[2].isascii() and after[2].isalpha()))


def _tag(atoms: list[Atom], start: int) -> Span | None:
    """Find the next whole HTML tag, or what looks like one: `<name>`, `</b>`, `<!-- … -->`."""
    for at in range(start, len(atoms)):
        if not _opens_tag(atoms, at):
            continue
        end = next((i for i in range(at + 1, len(atoms)) if atoms[i][0] != "text" or atoms[i][1] in "<>"), len(atoms))
        if end < len(atoms) and atoms[end][1] == ">":
            first, last = _words(atoms, (at, end + 1), start)
            if all(kind in ("text", "escape") for kind, _, _ in atoms[first:last]):
                return at, end + 1
    return None


def _words(atoms: list[Atom], inner: Span, floor: int) -> Span:
    """Grow a span to whole words, then leave out the punctuation around them."""
    first, last = inner
    while first > floor and not atoms[first - 1][1].isspace():
        first -= 1
    while last < len(atoms) and not atoms[last][1].isspace():
        last += 1
    while True:
        trimmed = _trim(atoms, first, last)
        if trimmed[0] > inner[0] or trimmed[1] < inner[1] or trimmed == (first, last):
            return first, last
        first, last = trimmed


def _trim(atoms: list[Atom], first: int, last: int) -> Span:
    inside = [raw if kind == "text" else "" for kind, raw, _ in atoms[first:last]]
    head, tail = inside[0], inside[-1]
    if tail and tail in _ENDS and not (tail == "*" and inside[-2:-1] == ["/"]):
        return first, last - 1
    if head and head in "*_~":
        return first + 1, last
    if tail and _PAIRS.get(head) == tail:
        return first + 1, last - 1
    if head in _PAIRS and _PAIRS[head] not in inside[1:]:
        return first + 1, last
    opener = next((o for o, closer in _PAIRS.items() if closer == tail), "")
    if opener and opener not in inside[:-1]:
        return first, last - 1
    return first, last


def _split(raw: str, read: str) -> str:
    """End a code span before a path that Claude Code would load from inside it.

    >>> _split("`cat @~/x now`", "cat @~/x now")
    '`cat` `@~/x now`'
    """
    ticks = raw[: len(raw) - len(raw.lstrip("`"))]
    path = _pattern(r"(?:^|\s+)(?=@(?:~|\.{0,2}/)[^\s\\#]*[\s\\#])")
    if not path.search(raw[len(ticks) : -len(ticks)]):
        return raw
    first, *rest = path.split(f" {read}".replace("`", ""))
    return " ".join(f"{ticks}{part}{ticks}" for part in (first[1:], *rest) if part)
