"""What a command may ask about the store at one moment."""

from __future__ import annotations

import os

from improve import files
from improve.errors import ImproveError, NoSuchRule
from improve.files import Snapshot
from improve.frozen import Frozen
from improve.index import Index
from improve.layout import Head, Outline
from improve.rule import Rule
from improve.taxonomy import Taxonomy

_LARGEST = 1 << 26


def _is_archived(path: str, rule_id: str) -> bool:
    """Look for an id in an archive without reading it as one: it may be broken, and this is only a hint."""
    import re

    try:
        data = files.read(path, cap=_LARGEST).data
    except ImproveError:
        return False
    return bool(re.search(rb"^\s*-?\s*id:\s*([\"']?)%b\1\s*$" % re.escape(rule_id.encode()), data, re.MULTILINE))


class Glance(Frozen):
    """What the index knows, without the bytes it was made from."""

    head: Head
    index: Index


class View:
    """The bytes that were read, and the index that answers for them."""

    def __init__(self, snapshot: Snapshot, head: Head, found: Index, shape: Outline, *, editable: bool) -> None:
        self.snapshot = snapshot
        self.head = head
        self.index = found
        self.shape = shape
        self.editable = editable

    @property
    def taxonomy(self) -> Taxonomy:
        """The domains of this store."""
        return self.head.taxonomy

    def rule(self, rule_id: str) -> Rule:
        """Return a rule.

        Raises:
            NoSuchRule: names ids that begin alike, or says that it is in the archive.
        """
        row = self.index.by_id(rule_id)
        if row:
            return row.rule
        if _is_archived(os.path.join(os.path.dirname(self.snapshot.path), "archive.yaml"), rule_id):
            import shlex

            raise NoSuchRule(
                f"the rule {rule_id!r} is in the archive; nothing was changed. Bring it back with: improve restore "
                + shlex.quote(rule_id)
            )
        like = self.index.ids_like(rule_id[:12], 3) or self.index.ids_like(rule_id[:4], 3)
        hint = f" Similar: {', '.join(like)}." if like else ""
        raise NoSuchRule(
            f"no rule has the id {rule_id!r}; nothing was changed.{hint} List them with: improve status --all"
        )

    def text_of(self, rule_id: str) -> str:
        """Return the bytes of a rule's entry as text."""
        found = self.index.locate(rule_id)
        if not found:
            return ""
        start = self.shape.start + found[2]
        return self.snapshot.data[start : start + found[3]].decode("utf-8")

    def lines_of(self, rule_id: str) -> list[int]:
        """Return the line each entry with an id begins in, counted from 1."""
        starts = [self.shape.start + before for _, _, before, _ in self.index.places(rule_id)]
        return [self.snapshot.data.count(b"\n", 0, start) + 1 for start in starts]
