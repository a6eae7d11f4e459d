"""Blocks of whole lines of a file that may still grow, for readers that decide from bytes what is worth a look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from improve.transcripts.base import LONGEST

BLOCK = 1 << 18
"""Bytes read at once: small enough to stay in a processor's cache while it is searched."""


class Block(NamedTuple):
    """A piece of a file that begins and ends with a line."""

    offset: int
    data: bytes | None
    """The lines, and behind `end` what is read again with the next block; None for one line longer than `LONGEST`."""
    end: int
    """Bytes of the lines."""
    whole: bool
    """The last line has its end; it has not where a program was killed, or is still writing."""


def blocks(path: str, start: int = 0) -> Iterator[Block]:
    """Give a file in blocks of whole lines, in bounded memory."""
    with open(path, "rb", buffering=0) as stream:
        offset, size = start, BLOCK
        while True:
            stream.seek(offset)
            data = stream.read(size)
            end = data.rfind(b"\n") + 1
            if not data:
                return
            if not end and len(data) < size:
                yield Block(offset, data, len(data), False)
                return
            if end:
                yield Block(offset, data, end, True)
                offset, size = offset + end, BLOCK
            elif size <= LONGEST:
                size = min(size * 4, LONGEST + 1)
            else:
                while data and (end := data.find(b"\n") + 1) == 0:
                    size += len(data := stream.read(BLOCK))
                if not data:
                    return
                length = size - len(data) + end
                yield Block(offset, None, length, True)
                offset, size = offset + length, BLOCK
