"""A person's yes to what an agent asked for, typed where only a person types: at the prompt of its session.

The agent is told the words, with a number that is new each time. It may know them, for knowing them proves nothing:
what counts is that the host reports them as typed, in the session that asked. They say what they allow. That keeps
out an agent that is in a hurry, not one that starts another agent to type for it, or that writes these files.
"""

from __future__ import annotations

import os

from improve.fingerprint import fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from improve.paths import Home

MINUTES = 10
"""So long a question stands, and so long a yes is good."""
LONGEST = 300
"""Characters of a message that can be a yes; a longer one may have been pasted."""
_YES = "\nyes"


def fits(what: str) -> bool:
    """Say whether what is to be allowed is short enough to be typed, and kept with the yes to it."""
    return len(what) + len(" 9999") + len(_YES) + 2 <= LONGEST


def ask(home: Home, what: str, *, host: str, session: str, now: float) -> str:
    """Note that an agent asks for something, and give the words a person has to type.

    Args:
        what: What a yes allows, in lower-case words; the number comes after the first.
    """
    path = _path(home, what, host, session)
    _forget_old(home, now)
    first, _, rest = what.partition(" ")
    said = _read(path, now) or f"{first} {1000 + int.from_bytes(os.urandom(4), 'big') % 9000} {rest}"
    _write(path, said)
    return said.removesuffix(_YES)


def hear(home: Home, text: str, *, host: str, session: str, now: float) -> None:
    """Look whether what a person typed is a yes to what was asked in this session."""
    words = f" {' '.join(text.lower().split())} "
    if len(words) > LONGEST:
        return
    for path in _asked(home, host, session):
        said = _read(path, now)
        if said and not said.endswith(_YES) and f" {said} " in words:
            _write(path, said + _YES)


def take(home: Home, what: str, *, host: str, session: str, now: float) -> bool:
    """Say whether a person said yes to this; a yes is good for once."""
    path = _path(home, what, host, session)
    if not _read(path, now).endswith(_YES):
        return False
    try:
        os.unlink(path)
    except OSError:  # another command took it
        return False
    return True


def _folder(home: Home) -> str:
    return os.path.join(home.cache, "consent")


def _path(home: Home, what: str, host: str, session: str) -> str:
    return os.path.join(_folder(home), f"{_prefix(host, session)}{fingerprint(what, 16)}")


def _prefix(host: str, session: str) -> str:
    return fingerprint(f"{host}\0{session}", 16) + "-"


def _asked(home: Home, host: str, session: str) -> Iterator[str]:
    """Name the questions of a session, and of one that did not know its own name."""
    try:
        names = os.listdir(_folder(home))
    except OSError:
        return
    ours = (_prefix(host, session), _prefix(host, ""))
    for name in names:
        if name.startswith(ours):
            yield os.path.join(_folder(home), name)


def _forget_old(home: Home, now: float) -> None:
    try:
        for name in os.listdir(_folder(home)):
            path = os.path.join(_folder(home), name)
            if not _read(path, now):
                os.unlink(path)
    except OSError:  # there are none yet, or another command was first
        return


def _read(path: str, now: float) -> str:
    """Give what stands there; empty when it is too old, or none of ours."""
    try:
        with open(path, encoding="utf-8") as stream:
            said = stream.read(LONGEST)
            old = now - os.fstat(stream.fileno()).st_mtime > 60 * MINUTES
    except (OSError, ValueError):
        return ""
    return "" if old else said


def _write(path: str, said: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    draft = f"{path}.{os.getpid()}"
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        stream.write(said)
    os.replace(draft, path)
