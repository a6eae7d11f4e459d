"""What an agent is told when a session starts: the rules it does not load from a file, worded as facts.

`status --host` and the session-start hook give the same text. Its first line is a stamp, so that we never learn from
our own words. Rules that a file loaded here says already are not repeated; those that are corrected all the same are
called by their id.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from improve.hosts.base import Host, Loaded, Spot
from improve.rule import Rule, occasions
from improve.workflow.here import Here

STAMP = "improve-rules v1"
MANY = 400
"""Rules that are looked at; the text has room for far fewer."""
_LONGEST = 500
"""Characters of a rule; a longer one was not written by us."""

_NEW = "Corrections this person has made before and that no instruction file loaded here says:"
_RECURRING = "Loaded from a file here, and corrected again since it was written:"


class Brief(NamedTuple):
    """The rules of one place as one host meets them."""

    missing: tuple[Rule, ...]
    """Not in any file the host loads here, the most needed first; no more than there is room for."""
    recurring: tuple[tuple[Rule, int, str], ...]
    """Loaded and corrected again: how often since which day."""
    loaded: int
    """Rules that a file says, among those that were looked at."""
    total: int
    """All active rules of this place."""


def text(here: Here, host: Host) -> str:
    """Give what the host's model should know at the start; empty when there is nothing to say."""
    cap = min(host.context_cap, here.config.brief_characters)
    found = gathered(here, host, cap=cap)
    unworded = waiting(here)
    if not (found.missing or found.recurring or unworded):
        return ""
    return worded(found, unworded, cap=cap)


def gathered(here: Here, host: Host, *, cap: int) -> Brief:
    """Divide the active rules of this place by what the host loads from files here, until *cap* characters are full."""
    view = here.store.view()
    names = here.names_of(here.project_key("", view), view)
    said = _said(host.chain(spot(here))) if host.chain else ""
    missing: list[Rule] = []
    there: list[Rule] = []
    for row in view.index.active(names, MANY):
        if _stands_in(row.rule, said):
            there.append(row.rule)
        else:
            missing.append(row.rule)
            cap -= len(row.rule.text)
            if cap < 0:
                break
    again = [(rule, *_since_written(rule)) for rule in there]
    recurring = tuple(sorted((entry for entry in again if entry[1]), key=lambda entry: -entry[1]))
    return Brief(tuple(missing), recurring, len(there), view.index.active_count(names))


def spot(here: Here) -> Spot:
    """Say where a session would start."""
    return Spot(here.cwd or os.sep, here.project.root if here.project else "", here.home.user, here.env)


def _said(chain: Iterable[Loaded]) -> str:
    """Join what reaches the model from files, on one line, so that a wrapped bullet is found too."""
    return " ".join(b" ".join(file.data for file in chain).decode("utf-8", "replace").split())


def _stands_in(rule: Rule, said: str) -> bool:
    return bool(said) and any(" ".join(t.split()) in said for t in (rule.text, *(w.text for w in rule.written_to)) if t)


def _since_written(rule: Rule) -> tuple[int, str]:
    """Count the occasions after the day it was last written, and name that day."""
    day = max((w.date for w in rule.written_to), default="")
    after = tuple(o for o in rule.observations if day and o.date > day)
    return occasions(rule._replace(observations=after, folded=())), day


def worded(found: Brief, unworded: int, *, cap: int) -> str:
    """Write the text, within *cap* characters."""
    lines = [STAMP]
    room = cap - len(STAMP) - 200  # for the last lines
    listed = _fitting([f"- {_fact(rule)}" for rule in found.missing if _plain(rule.text)], room)
    if listed:
        lines += [_NEW, *listed]
        room -= sum(map(len, listed)) + len(listed)
    again = _fitting([f"- {rule.id}: {count}× since {day}" for rule, count, day in found.recurring], room)
    if again:
        lines += [_RECURRING, *again]
    left = found.total - found.loaded - len(listed)
    if left > 0:
        lines.append(f"{left} more, less often needed: improve status")
    if unworded:
        lines.append(wording_wanted(unworded))
    return "\n".join(lines) + "\n"


def wording_wanted(count: int) -> str:
    """Say that corrections wait to be worded."""
    what = "1 correction this person typed is" if count == 1 else f"{count} corrections this person typed are"
    return f"{what} not worded as a rule yet: improve inbox"


def _fact(rule: Rule) -> str:
    from improve.escape import visible

    count = occasions(rule)
    when = rule.last_reinforced or rule.created
    how_often = f"said {count} times, last" if count > 1 else "said once,"
    return f"{visible(rule.text)} ({how_often} {visible(when)})"


def _plain(said: str) -> bool:
    """Leave out what only a hand in rules.yaml can have made: a paragraph, or letters nobody sees."""
    return said.isprintable() and len(said) <= _LONGEST


def _fitting(lines: list[str], room: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def anything_waits(here: Here) -> bool:
    """Say whether the queue or the spool holds something to take in."""
    for folder, prefix in ((here.home.file("queue"), "heard-"), (here.home.spool, "")):
        try:
            if any(name.startswith(prefix) and name[0] != "." for name in os.listdir(folder)):
                return True
        except OSError:
            continue
    return False


def waiting(here: Here) -> int:
    """Count the candidates that nobody has worded yet; an inbox that cannot be read is told by `improve inbox`."""
    path = here.home.file("inbox.jsonl")
    if not os.path.lexists(path):
        return 0
    from improve import inbox
    from improve.errors import ImproveError

    try:
        return len(inbox.read(path).open)
    except ImproveError:
        return 0
