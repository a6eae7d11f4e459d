"""Differences between two states of a file, as bytes: find them, show them, take them back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from improve.errors import Refused

_TOO_MANY = 4_000_000
"""Pairs of lines beyond which one big hunk is better than waiting for a small one."""
_CONTEXT = 3
_Change = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Hunk:
    """One replaced stretch of a file."""

    offset: int
    """Where it starts, in bytes of the old state."""
    removed: bytes
    added: bytes
    near: str = ""
    """Where it stands, when it adds no text and no line beside it may be told: how many lines, and their digest."""


def diff_hunks(old: bytes, new: bytes, *, secret: Set[bytes] = frozenset()) -> tuple[Hunk, ...]:
    """Find what changed, by whole lines; `revert(new, diff_hunks(old, new)) == old`.

    Args:
        secret: lines, without their ends, that no hunk may hold only because they stand beside a change.
    """
    before, after = _lines(old), _lines(new)
    starts = _starts(before)
    hunks = []
    for i, k, j, m in _anchored(_changes(before, after), after, secret):
        removed, added = b"".join(before[i:k]), b"".join(after[j:m])
        # A line put after a last line that has no line end leaves that line alone.
        tail, rest = added[len(removed) :], removed[len(added) :]
        if removed and added.startswith(removed) and _appended(tail):
            hunks.append(Hunk(starts[i] + len(removed), b"", tail))
        elif added and removed.startswith(added) and _appended(rest) and not secret.isdisjoint(_bare(after[j:m])):
            hunks.append(Hunk(starts[i] + len(added), rest, b"", _beside(after, m, m)))
        else:
            hunks.append(Hunk(starts[i], removed, added, "" if added.strip() else _beside(after, j, m)))
    return tuple(hunks)


def revert(current: bytes, hunks: Sequence[Hunk]) -> bytes:
    """Take hunks back in a file that may have been edited elsewhere since; edits elsewhere survive.

    Each block is looked for at its old place, then in the whole file. Only bytes are compared: whether what
    is left still reads the same is for the caller to check (`section.remove` does).
    """
    kept: list[bytes] = []
    done = shift = drift = 0
    for hunk in sorted(hunks, key=lambda h: h.offset):
        expected = hunk.offset + shift + drift
        at, removed, added = _locate(current, hunk, expected, done)
        kept += (current[done:at], removed)
        done = at + len(added) + (_line_end(current, at + len(added), removed, added) if added else 0)
        drift += at - expected
        shift += len(hunk.added) - len(hunk.removed)
    return b"".join([*kept, current[done:]])


def unified(old: bytes, new: bytes, path: str, *, exists: bool = True, remains: bool = True) -> str:
    """Write the change as a unified diff that `git apply` and `patch` take; empty when nothing changed.

    Invalid UTF-8 comes back as surrogate escapes: encode with `surrogateescape` to apply the diff, with
    `backslashreplace` to show it. Format: https://www.gnu.org/software/diffutils/manual/#Detailed-Unified
    """
    before, after = _lines(old), _lines(new)
    groups = list(_grouped(_changes(before, after)))
    if not groups:
        return ""
    name = path.replace("\\", "/").lstrip("/")  # a path of Windows too
    parts = [
        "--- " + (_label(f"a/{name}") if exists else "/dev/null"),
        "\n+++ " + (_label(f"b/{name}") if remains else "/dev/null"),
        "\n",
    ]
    for group in groups:
        parts += _printed(group, before, after)
    return "".join(parts)


def _lines(data: bytes) -> list[bytes]:
    """Cut after each line feed, as git and patch do; a lone carriage return is part of its line."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _starts(lines: list[bytes]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _changes(before: list[bytes], after: list[bytes]) -> list[_Change]:
    """List the changed stretches as (old from, old to, new from, new to), in order."""
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    tail = next((n for n in range(shorter - head) if before[-1 - n] != after[-1 - n]), shorter - head)
    a, b = before[head : len(before) - tail], after[head : len(after) - tail]
    if not a and not b:
        return []
    if not a or not b or len(a) * len(b) > _TOO_MANY:
        return [(head, head + len(a), head, head + len(b))]
    from difflib import SequenceMatcher  # only two real edits need it

    codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [(head + i, head + k, head + j, head + m) for tag, i, k, j, m in codes if tag != "equal"]


def _anchored(changes: list[_Change], after: list[bytes], secret: Set[bytes]) -> list[_Change]:
    """Widen a change that adds no text by a line that stands, so that its place can be found again."""
    wide: list[_Change] = []
    for index, (i, k, j, m) in enumerate(changes):
        floor = wide[-1][3] if wide else 0
        ceiling = changes[index + 1][2] if index + 1 < len(changes) else len(after)
        if not any(line.strip() for line in after[j:m]):
            above, below = _text_above(after, j, floor), _text_below(after, m, ceiling)
            up = j - (floor if above is None else above)
            to_text = (ceiling if below is None else below + 1) - m
            down = to_text if above is None else 0
            if not secret.isdisjoint(_bare(after[j - up : m + down])):
                up, down = 0, to_text
            if secret.isdisjoint(_bare(after[j - up : m + down])):
                i, j, k, m = i - up, j - up, k + down, m + down
        if wide and wide[-1][3] == j:
            i, _, j, _ = wide.pop()
        wide.append((i, k, j, m))
    return wide


def _text_above(lines: list[bytes], at: int, floor: int) -> int | None:
    return next((n for n in range(at - 1, floor - 1, -1) if lines[n].strip()), None)


def _text_below(lines: list[bytes], at: int, ceiling: int) -> int | None:
    return next((n for n in range(at, ceiling) if lines[n].strip()), None)


def _bare(lines: list[bytes]) -> list[bytes]:
    return [line.rstrip(b"\r\n") for line in lines]


def _beside(lines: list[bytes], start: int, stop: int) -> str:
    """Describe the nearest line with text above or below a place, and what is between, without telling it."""
    above, below = _text_above(lines, start, 0), _text_below(lines, stop, len(lines))
    if above is not None:
        return f"{start - above} {_digest(b''.join(lines[above:start]))}"
    return "" if below is None else f"-{below + 1 - stop} {_digest(b''.join(lines[stop : below + 1]))}"


def _digest(data: bytes) -> str:
    """Name bytes by so little that nobody can find out what they say."""
    import hashlib

    return hashlib.sha256(data).hexdigest()[:8]


def _appended(block: bytes) -> bool:
    """Tell a block that was put after a last line without line end, and leaves the file without one."""
    return block.startswith((b"\n", b"\r\n")) and not block.endswith(b"\n")


def _locate(current: bytes, hunk: Hunk, expected: int, floor: int) -> tuple[int, bytes, bytes]:
    """Find the block of a hunk; give its place, what stood there before, and the block as it stands now."""
    removed, added = hunk.removed, hunk.added
    if hunk.near:
        return _locate_beside(current, hunk, expected, floor)
    stands = current.startswith(added, expected) and _fits(current, expected, added)
    last = not added or _appended(added)  # such a block was the end of the file
    if stands and (not last or expected + len(added) == len(current)):
        return expected, removed, added
    for convert in (bytes, _to_crlf, _to_lf):  # a checkout may have converted every line end
        block = convert(added)
        places = list(_occurrences(current, block, floor)) if block.strip() else []
        if len(places) == 1:
            return places[0], convert(removed), block
        if places:
            raise _ambiguous(current, places)
    raise _changed(current, expected, added)


def _locate_beside(current: bytes, hunk: Hunk, expected: int, floor: int) -> tuple[int, bytes, bytes]:
    """Find the place beside lines of which only the digest is known."""
    lines = _lines(current)
    places: list[int] = []
    for convert, back in ((bytes, bytes), (_to_crlf, _to_lf), (_to_lf, _to_crlf)):
        removed, added = convert(hunk.removed), convert(hunk.added)
        for n, at in enumerate(_starts(lines)):
            fits = at >= floor and current.startswith(added, at)
            if fits and _digest(back(b"".join(_lot(lines, n, hunk.near, added)))) == hunk.near.split()[1]:
                places.append(at)
        if expected in places or len(places) == 1:
            return (expected if expected in places else places[0]), removed, added
        if places:
            raise _ambiguous(current, places)
    raise _changed(current, expected, hunk.removed, "was taken out there and the lines beside it changed")


def _lot(lines: list[bytes], at: int, near: str, added: bytes) -> list[bytes]:
    """Take as many lines above the place, or below it, as were described."""
    count = int(near.split()[0])
    if count > 0:
        return lines[at - count : at] if at >= count else []
    below = at + added.count(b"\n")
    return lines[below : below - count]


def _ambiguous(current: bytes, places: list[int]) -> Refused:
    lines = ", ".join(str(current.count(b"\n", 0, place) + 1) for place in places[:5])
    return Refused(
        f"lines {lines}: the same text stands in {len(places)} places and none is where it was written;"
        " nothing was taken back; remove the right one by hand"
    )


def _changed(
    current: bytes,
    expected: int,
    added: bytes,
    what: str = "was written there and no longer stands in the file as it was written",
) -> Refused:
    line = current.count(b"\n", 0, expected) + 1
    shown = next((part.strip() for part in added.splitlines() if part.strip()), b"").decode("utf-8", "replace")
    return Refused(f"line {line}: {shown[:80]!r} {what}; nothing was taken back; edit the file by hand")


def _line_end(current: bytes, at: int, removed: bytes, added: bytes) -> int:
    """Count the bytes of the line end that a block got later, when it was the end of the file without one."""
    if added.endswith(b"\n") or _appended(added) or (removed and not removed.endswith(b"\n")):
        return 0
    return 2 if current.startswith(b"\r\n", at) else int(current.startswith(b"\n", at))


def _occurrences(current: bytes, block: bytes, floor: int) -> Iterator[int]:
    at = current.find(block, floor)
    while at >= 0:
        split = current[at - 1 : at] == b"\r" and block[:1] == b"\n"
        if not split and _fits(current, at, block):
            yield at
        at = current.find(block, at + 1)


def _fits(current: bytes, at: int, block: bytes) -> bool:
    """Tell whether a block stands as whole lines at a place, so that taking it out joins no two lines."""
    end = at + len(block)
    top = at == 0 or (at == 3 and current.startswith(b"\xef\xbb\xbf"))
    starts_line = top or current[at - 1 : at] in {b"\n", b"\r"}
    ends_line = end == len(current) or block[-1:] == b"\n" or current[end : end + 1] in {b"\n", b"\r"}
    return ends_line and (starts_line or _appended(block))


def _to_lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _to_crlf(data: bytes) -> bytes:
    return _to_lf(data).replace(b"\n", b"\r\n")


def _grouped(changes: list[_Change]) -> Iterator[list[_Change]]:
    """Put changes together whose context lines would meet."""
    group: list[_Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * _CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _printed(group: list[_Change], before: list[bytes], after: list[bytes]) -> Iterator[str]:
    lead = min(_CONTEXT, group[0][0])
    trail = min(_CONTEXT, len(before) - group[-1][1])
    old, new = (group[0][0] - lead, group[-1][1] + trail), (group[0][2] - lead, group[-1][3] + trail)
    yield f"@@ -{_range(*old)} +{_range(*new)} @@\n"
    at = old[0]
    for i, k, j, m in group:
        yield from (_row(" ", line) for line in before[at:i])
        yield from (_row("-", line) for line in before[i:k])
        yield from (_row("+", line) for line in after[j:m])
        at = k
    yield from (_row(" ", line) for line in before[at : old[1]])


def _range(start: int, stop: int) -> str:
    """Write a line range; an empty one names the line before it."""
    count = stop - start
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


def _row(sign: str, line: bytes) -> str:
    text = sign + line.decode("utf-8", "surrogateescape")
    return text if text.endswith("\n") else text + "\n\\ No newline at end of file\n"


def _label(name: str) -> str:
    """Write a file name as git does: quoted if it holds controls, with a tab after one that holds a blank."""
    if any(c < " " or c in '"\\\x7f' for c in name):
        escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
        return '"' + "".join(escapes.get(c, f"\\{ord(c):03o}" if c < " " or c == "\x7f" else c) for c in name) + '"'
    return name + "\t" if " " in name else name
