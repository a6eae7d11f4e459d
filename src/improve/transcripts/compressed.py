"""Lines of a transcript that a host has compressed with Zstandard: https://datatracker.ietf.org/doc/html/rfc8878."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any, BinaryIO

from improve.transcripts.base import BLOCK, Unreadable, lines_of

SUFFIX = ".zst"
_WINDOW = 27
"""Log2 of the bytes a reader has to remember, 128 MiB; a file that asks for more is refused."""
_MISSING = "it is compressed and nothing here can read that: pip install 'agent-improvement[zst]'"


def lines(path: str, start: int = 0) -> Iterator[tuple[int, bytes | None, bool]]:
    """Give the lines of a compressed file as `base.lines` does, offsets counted in what was compressed.

    Raises:
        Unreadable: nothing here can decompress it, or it is damaged.
    """
    opened, failures = _decompressor()
    try:
        with open(path, "rb") as raw, closing(opened(raw)) as stream:
            left = start
            while left and (block := stream.read(min(left, BLOCK))):
                left -= len(block)
            yield from lines_of(stream, start - left)
    except failures as error:
        raise Unreadable(f"its compression is damaged ({error})") from None


def _decompressor() -> tuple[Any, Any]:
    """Find what decompresses: the standard library from Python 3.14 on, else the package `zstandard`."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]

        most = {zstd.DecompressionParameter.window_log_max: _WINDOW}
        return (lambda raw: zstd.ZstdFile(raw, options=most)), (zstd.ZstdError, EOFError)
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise Unreadable(_MISSING) from None

    def opened(raw: BinaryIO) -> Any:
        found = zstandard.ZstdDecompressor(max_window_size=1 << _WINDOW)
        return found.stream_reader(raw, read_across_frames=True, closefd=False)

    return opened, zstandard.ZstdError
