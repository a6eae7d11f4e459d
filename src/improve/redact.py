"""Find credentials in text and replace them, before anything is written down.

Every reading of the text is searched: as it stands, with escapes undone (URL, JSON, HTML, up to three deep,
invisible characters dropped), and inside base64. Nothing written in the text can switch the search off. What
cannot be a credential, such as `password = os.environ["X"]`, a commit or a path, stays. All work is linear in
the text's length.
"""

from __future__ import annotations

from improve.credential import Found, compiled, decoded, in_text, longest_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPES = (
    r"%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,3}|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\[nrtbfv\"'/\\`$&=:@-]"
    r"|&(?:quot|apos|amp|lt|gt|nbsp|#[0-9]{1,5}|#[xX][0-9A-Fa-f]{1,4});"
    "|[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]+"
)
_NAMED = {"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">", "nbsp": " "}
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " ", "v": " "}
_MOST_ESCAPES = 10_000
"""Characters one layer of escapes may take before no further one is looked for."""
_BLOB = r"[A-Za-z0-9+/_-]{24,}+={0,2}"


class Secret:
    """One credential in a text: where it is and what kind."""

    # No dataclass: importing those costs more than all the rest of a first look at a text.

    __slots__ = ("end", "kind", "start")

    def __init__(self, start: int, end: int, kind: str) -> None:
        self.start, self.end, self.kind = start, end, kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash((self.start, self.end, self.kind))

    def __repr__(self) -> str:
        return f"Secret({self.start}, {self.end}, {self.kind!r})"


def redact(text: str) -> str:
    """Replace every credential by `[redacted:<kind>]`; doing it twice changes nothing.

    >>> redact("clone https://me:s3cretpass@example.com/r.git")
    'clone https://me:[redacted:url-password]@example.com/r.git'
    """
    for _ in range(8):  # a replacement may set free what stood beside it; seldom more than once
        secrets = find(text)
        if not secrets:
            break
        text = _replaced(text, secrets)
    return text


def _replaced(text: str, secrets: list[Secret]) -> str:
    pieces, at = list[str](), 0
    for secret in secrets:
        pieces += (text[at : secret.start], f"[redacted:{secret.kind}]")
        at = secret.end
    return "".join((*pieces, text[at:]))


def find(text: str) -> list[Secret]:
    """List the credentials in a text, first one first, none overlapping."""
    found = [*in_text(text), *_in_base64(text)]
    reading, places = text, list[int]()
    for _ in range(3):
        undone = _undo_escapes(reading)
        if undone is None:
            break
        longer = len(reading)
        reading, steps = undone
        places = [places[at] for at in steps] if places else steps
        found += [(places[start], places[end], kind) for start, end, kind in in_text(reading)]
        found += [(places[start], places[end], kind) for start, end, kind in _in_base64(reading)]
        if longer - len(reading) > _MOST_ESCAPES:
            break
    return _merged(found)


def _merged(found: list[Found]) -> list[Secret]:
    """Join what overlaps; the kind of the reading that saw it first stays."""
    secrets: list[Secret] = []
    best = 0
    for rank, (start, end, kind) in sorted(enumerate(found), key=lambda item: (item[1][0], item[0])):
        if not secrets or start >= secrets[-1].end:
            secrets.append(Secret(start, end, kind))
            best = rank
            continue
        last = secrets[-1]
        last.end = max(last.end, end)
        if rank < best:
            last.kind, best = kind, rank
    return secrets


def _undo_escapes(text: str) -> tuple[str, list[int]] | None:
    """Undo one layer of escapes; with each character's place in `text`, and the end as one more."""
    if not any(mark in text for mark in "%\\&") and "".join(text.split()).isprintable():
        return None
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for match in compiled(_ESCAPES).finditer(text):
        start, end = match.span()
        char = _meaning(match[0])
        pieces.append(text[at:start])
        pieces.append(char)
        places += range(at, start)
        if char:
            places.append(start)
        at = end
    if not at:
        return None
    pieces.append(text[at:])
    places += range(at, len(text) + 1)
    return "".join(pieces), places


def _meaning(escape: str) -> str:
    if escape[0] == "%":
        byte = bytes.fromhex(escape.replace("%", ""))
        return chr(byte[0]) if len(byte) == 1 else byte.decode("utf-8", "replace")[0]
    if escape[0] == "\\":
        return chr(int(escape[2:], 16)) if len(escape) > 2 else _CONTROL.get(escape[1], escape[1])
    if escape[0] != "&":
        return ""
    name = escape[1:-1]
    if name[0] != "#":
        return _NAMED[name]
    return chr(int(name[2:], 16) if name[1] in "xX" else int(name[1:]))


def _in_base64(text: str) -> Iterator[Found]:
    """Yield the runs of base64 that hold a credential when decoded."""
    if longest_run(text) < 24:
        return
    for match in compiled(_BLOB).finditer(text):
        text = decoded(match[0])
        inside = next(in_text(text), None) if text else None
        if inside:
            yield match.start(), match.end(), inside[2]
