"""Whether a call of a tool does what a check denies. Pure; the parser is loaded only for a command that may be hit.

A pattern for the shell is a command in words: its name, then words that must be there in this order, then flags that
may stand anywhere. `a|b` means one or the other, `*` any part of a word. `/…/` is a regular expression. For an edit
or a write, a pattern is looked for in the text that is put in; `paths` says in which files.
"""

from __future__ import annotations

from improve.rule import Check
from improve.session import Call


def hits(check: Check, call: Call) -> tuple[str, ...]:
    """Give the parts of a call that a check denies, as they stand in it; empty when the call is fine."""
    raise NotImplementedError


def needles(check: Check) -> tuple[str, ...]:
    """Give texts one of which must stand in a call for it to be hit; empty when nothing can be ruled out that way.

    They are compared without regard to case, with what `haystack` gives for the call.
    """
    raise NotImplementedError


def haystack(call: Call) -> str:
    """Give the text of a call in which needles are looked for, in lower case."""
    raise NotImplementedError


def problem(check: Check) -> str:
    """Say what is wrong with a check, in one clause; empty when nothing is."""
    raise NotImplementedError
