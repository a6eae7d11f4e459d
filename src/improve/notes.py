"""What the index remembers of rules.yaml beside its entries: the head, and where the entries are."""

from __future__ import annotations

import json

# hashlib loads OpenSSL, 3 ms of every command
try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

from improve.index import Index
from improve.layout import Head, Outline, Place
from improve.taxonomy import Taxonomy


def digest(raw: bytes) -> bytes:
    """Name bytes, shortly; for entries, not against an adversary."""
    return blake2b(raw, digest_size=12).digest()


def note_head(found: Index, head: Head, head_bytes: bytes) -> None:
    """Keep what the head says, and for which bytes."""
    lists = [head.version, head.taxonomy, head.projects]
    found.set_meta("head", json.dumps(lists))
    found.set_meta("head sha", digest(head_bytes).hex())


def noted_head(found: Index) -> Head:
    """Give back the head as it was kept."""
    version, lists, places = json.loads(found.meta("head"))
    known = {key: Place(name, remote, *map(tuple, keys)) for key, (name, remote, *keys) in places.items()}
    return Head(version, Taxonomy(*(tuple(names) for names in lists)), known)


def note_shape(found: Index, shape: Outline) -> None:
    """Keep where the entries begin and end."""
    found.set_meta("shape", json.dumps(shape[1:]))


def noted_shape(found: Index) -> Outline:
    """Give back the shape as it was kept, without the single entries."""
    start, end, indent, newline, empty, *rest = json.loads(found.meta("shape"))
    return Outline((), start, end, indent, newline, tuple(empty) if empty else None, *rest)
