"""What became of what was heard or found. Alone, for a scan with nothing to read loads no more than this."""

from __future__ import annotations

from typing import NamedTuple


class Taken(NamedTuple):
    """What became of what was heard or found."""

    waiting: int = 0
    """New candidates."""
    counted: int = 0
    """Words that said a stored rule again."""
    linked: int = 0
    """Words whose rule the agent had recorded itself."""
    dropped: int = 0
    """Our own words, events known before, words dismissed for good, and what is no signal at a close look."""
    unreadable: tuple[str, ...] = ()
    """Files that stay in the queue because nobody can read them."""
    left: int = 0
    """Prompts for the next run."""
    below: int = 0
    """Not sure enough for a kind that people mostly dismissed."""

    def plus(self, other: Taken) -> Taken:
        """Add up."""
        return Taken(
            self.waiting + other.waiting,
            self.counted + other.counted,
            self.linked + other.linked,
            self.dropped + other.dropped,
            self.unreadable + other.unreadable,
            self.left + other.left,
            self.below + other.below,
        )
