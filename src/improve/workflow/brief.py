"""What an agent is told when a session starts: the rules it does not load from a file, worded as facts.

`status --host` and the session-start hook give the same text. Its first line is a stamp, so that we never learn from
our own words. Rules that a file loaded here says already are not repeated; those that are corrected all the same are
called by their id.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from improve.hosts.base import Host, Spot
from improve.rule import UNKNOWN, Observation, Rule, Written, occasions
from improve.stamp import MISSING, RECURRING, STAMP
from improve.workflow.here import Here
from improve.workflow.waiting import waiting, wording_wanted

MANY = 2000
"""Rules that are looked at: those a file says come first, and the text has room for far fewer of the others."""
_LONGEST = 500
"""Characters of a rule; a longer one was not written by us."""
_AROUND = len("- ") + len(" (said once, 2026-01-01)\n")
"""Characters that a rule takes besides its own, at the least."""
_BEGINNING = 60
"""Characters by which a rule that stands in a file already is named."""
_MARKS = " -*+#>|_`\"'[](){}xX0123456789."
"""What may stand before the first word of a line in an instruction file."""
_STOPS = ".!?。！？"

_MORE = "More rules apply here: improve status"


class Brief(NamedTuple):
    """The rules of one place as one host meets them."""

    missing: tuple[Rule, ...]
    """Not in any file the host loads here, the most needed first; no more than there is room for."""
    recurring: tuple[tuple[Rule, int, str], ...]
    """Loaded and corrected again: how often since which day."""
    more: bool
    """Whether others apply here as well."""


def text(here: Here, host: Host) -> str:
    """Give what the host's model should know at the start; empty when there is nothing to say."""
    cap = min(host.context_cap, here.config.brief_characters)
    found = gathered(here, host, cap=cap)
    unworded = waiting(here).count
    if not (found.missing or found.recurring or found.more or unworded):
        return ""
    return worded(found, unworded, cap=cap, enforced=host.dialect.denies != "none")


def gathered(here: Here, host: Host, *, cap: int) -> Brief:
    """Divide the active rules of this place by what the host loads from files here, until *cap* characters are full."""
    view = here.store.glance()
    key = here.project.key if here.project else UNKNOWN
    names = here.names_of(key, view)
    said = "\n".join(sentences(file.data) for file in host.chain(spot(here))) if host.chain else ""
    missing: list[Rule] = []
    there: list[Rule] = []
    looked = 0
    for looked, row in enumerate(view.index.active(names, MANY), 1):  # noqa: B007  (how many is asked below)
        if _stands_in(row.rule, said):
            there.append(row.rule)
        elif _plain(row.rule.text):
            missing.append(row.rule)
            cap -= len(row.rule.text) + _AROUND
            if cap < 0:
                break
    again = [(rule, *_since_written(rule)) for rule in there]
    recurring = tuple(sorted((entry for entry in again if entry[1] or _recurs(entry[0])), key=_most_often))
    return Brief(tuple(missing), recurring, cap < 0 or looked == MANY or looked > len(missing) + len(there))


def spot(here: Here) -> Spot:
    """Say where a session would start."""
    return Spot(here.cwd or os.sep, here.project.root if here.project else "", here.home.user, here.env)


def sentences(data: bytes) -> str:
    """Give an instruction file with a bullet or a paragraph a line, so that a wrapped one is found too."""
    lines = [""]
    for line in data.decode("utf-8", "replace").splitlines():
        words = " ".join(line.split())
        if lines[-1] and words and not (words[0] in "-*+#>|" or words[0].isdigit()):
            lines[-1] += " " + words
        else:
            lines.append(words)
    return "\n".join(lines)


def _stands_in(rule: Rule, said: str) -> bool:
    return any(says(said, text) for text in (rule.text, *(w.text for w in rule.written_to)))


def says(said: str, text: str) -> bool:
    """Find a text that is a sentence by itself in what `sentences` gave.

    >>> says("- Use tabs", "Use tabs."), says("- Use tabs in Makefiles only", "Use tabs")
    (True, False)
    """
    text = " ".join(text.split()).rstrip(_STOPS)
    at = said.find(text) if text else -1
    while at >= 0:
        before = said[said.rfind("\n", 0, at) + 1 : at]
        after = said[at + len(text) : at + len(text) + 8].lstrip("*_`\"'")
        begins = not before.strip(_MARKS) or before.rstrip(" *_`\"'")[-1:] in _STOPS
        if begins and (after[:1] in ("", "\n") or after.startswith(" |") or _is_stop(after)):
            return True
        at = said.find(text, at + 1)
    return False


def _is_stop(after: str) -> bool:
    """Tell the end of a sentence from `node.js`."""
    return after[:1] in _STOPS and (after[1:2] in ("", " ", "\n", *"*_)\"'") or not after[:1].isascii())


def _since_written(rule: Rule) -> tuple[int, str]:
    """Count the occasions after it was last written, and name that day; a session from before is none of them."""
    last = max(rule.written_to, key=lambda w: (w.date, w.at), default=None)
    if last is None or not last.date:
        return 0, ""
    begun = {(o.host, o.session) for o in rule.observations if o.session and not _is_later(o, last)}
    after = tuple(o for o in rule.observations if _is_later(o, last) and (o.host, o.session) not in begun)
    return occasions(rule._replace(observations=after, folded=())), last.date


def _recurs(rule: Rule) -> bool:
    return rule.verdict is not None and rule.verdict.state == "recurring"


def _most_often(entry: tuple[Rule, int, str]) -> tuple[bool, int]:
    """Put what is proved to recur first, each by how often."""
    rule, count, _ = entry
    return not _recurs(rule), -max(count, rule.verdict.failed if rule.verdict else 0)


def _is_later(observation: Observation, written: Written) -> bool:
    """Compare moments; where one of them is not known, days: the same day says nothing."""
    if observation.at and written.at:
        from datetime import datetime

        try:
            return datetime.fromisoformat(observation.at) > datetime.fromisoformat(written.at)
        except (ValueError, TypeError):  # a hand wrote it, or it has no zone
            pass
    return observation.date > written.date


def worded(found: Brief, unworded: int, *, cap: int, enforced: bool = False) -> str:
    """Write the text, within *cap* characters.

    Args:
        enforced: the host stops calls that a guard denies, so rules with such a guard say that they are enforced.
    """
    last = [wording_wanted(unworded)] if unworded else []
    heads = [STAMP, *([MISSING] if found.missing else []), *([RECURRING] if found.recurring else []), _MORE, *last]
    room = cap - _size(heads)
    # those a file says already come last, yet find room beside any number of others
    again = _fitting((_again(entry, enforced) for entry in found.recurring), room // 4 if found.missing else room)
    listed = _fitting((f"- {_fact(rule, enforced)}" for rule in found.missing), room - _size(again))
    more = found.more or len(listed) < len(found.missing)
    lines = [STAMP, *([MISSING, *listed] if listed else []), *([RECURRING, *again] if again else [])]
    return "\n".join([*lines, *([_MORE] if more else []), *last]) + "\n"


def _again(entry: tuple[Rule, int, str], enforced: bool) -> str:
    """Name a rule by its id and its beginning: the whole stands in the file already."""
    rule, count, day = entry
    words = rule.text[:_BEGINNING].rpartition(" ")[0] if _plain(rule.text) else ""
    mark = "enforced, " if _denied(rule, enforced) else ""
    told = rule.verdict if _recurs(rule) else None
    often = f"in {told.failed} of {told.exposed} sessions" if told else f"{count}×"
    day = min((w.date for w in rule.written_to if w.date), default=day) if told else day
    return f"- {rule.id}{f' ({words} …)' if words else ''}: {mark}{often} since {day}"


def _denied(rule: Rule, enforced: bool) -> bool:
    """Say whether a call against a rule is denied; a guard that only watches must not change what an agent does."""
    return enforced and rule.guard == "deny" and rule.check is not None


def _fact(rule: Rule, enforced: bool) -> str:
    count = occasions(rule._replace(observations=tuple(o for o in rule.observations if o.provenance != "import")))
    when = _shown(rule.last_reinforced or rule.created)
    how_often = f"said {count} times, last {when}" if count > 1 else f"said once, {when}" if count else f"since {when}"
    return f"{rule.text} ({how_often}{'; enforced' if _denied(rule, enforced) else ''})"


def _shown(said: str) -> str:
    """Escape what only a hand can have made unprintable; loading what does it takes a while."""
    if said.isprintable():
        return said
    from improve.escape import visible

    return visible(said)


def _plain(said: str) -> bool:
    """Leave out what only a hand in rules.yaml can have made: a paragraph, or letters nobody sees."""
    return said.isprintable() and len(said) <= _LONGEST


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _fitting(lines: Iterable[str], room: int) -> list[str]:
    """Keep the lines that find room; one that does not leaves it to shorter ones."""
    kept: list[str] = []
    for line in lines:
        if len(line) < room:
            kept.append(line)
            room -= len(line) + 1
    return kept
