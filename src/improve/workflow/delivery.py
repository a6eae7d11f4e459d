"""Which rules reach a host in this directory: from a file it loads, by its hook, or not at all and why."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from improve import switch
from improve.escape import visible
from improve.hosts.base import Host, Loaded
from improve.hosts.chain import IN_SIGHT
from improve.report import counted
from improve.rule import Rule
from improve.workflow import brief
from improve.workflow.here import Here
from improve.workflow.reach import Reached, advice, reach
from improve.workflow.repair import Finding

_MANY = 3
"""Files that are named; more are counted."""


class Way(NamedTuple):
    """How one rule gets to a host, if it does."""

    rule: Rule
    how: str
    """`file`, `hook` or empty."""
    path: str = ""
    """The file that says it, or that was to say it."""
    why: str = ""
    """Why it does not arrive."""
    fix: str = ""


def chain(here: Here, host: Host) -> list[Loaded]:
    """List the instruction files a host knows about here."""
    return host.chain(brief.spot(here)) if host.chain else []


def ways(here: Here, host: Host, files: Sequence[Loaded], *, hook: bool) -> list[Way]:
    """Say of each active rule of this place how it reaches a host.

    Args:
        hook: the host runs our hook and gives what it says to the model.
    """
    view = here.store.view()
    names = here.names_of(here.project_key("", view), view)
    told = brief.text(here, host) if hook and not _off(here, host) else ""
    said = [(file.path, brief.sentences(file.data)) for file in files if file.state in IN_SIGHT]
    written = {found.rule_id: found for found in reach(here, host, view)}
    return [_way(row.rule, written.get(row.rule.id), said, told) for row in view.index.active(names, brief.MANY)]


def _off(here: Here, host: Host) -> bool:
    place = (here.project.key, here.project.root) if here.project else ("", "")
    return switch.in_force(here.home.file(switch.FILE), lambda: here.now, lambda: host.name, lambda: place) is not None


def _way(rule: Rule, written: Reached | None, said: Iterable[tuple[str, str]], told: str) -> Way:
    if written and written.reached:
        return Way(rule, "file", written.path)
    for path, text in said:
        if brief.says(text, rule.text):
            return Way(rule, "file", path)
    how = "hook" if f"- {visible(rule.text)} (" in told else ""
    return Way(rule, how, written.path, written.why, written.fix) if written else Way(rule, how)


def summary(here: Here, found: Sequence[Way]) -> str:
    """Say in one line how many rules arrive, and from where."""
    if not found:
        return "no rules here"
    files = Counter(way.path for way in found if way.how == "file")
    names = [shown(here, path) for path, _ in files.most_common(_MANY)]
    names += [f"{len(files) - _MANY} more"] if len(files) > _MANY else []
    by_hook, lost = (sum(way.how == how for way in found) for how in ("hook", ""))
    parts = [f"{counted(files.total(), 'rule')} loaded from {', '.join(names)}"] if files else []
    parts += [f"{by_hook if parts else counted(by_hook, 'rule')} by the hook"] if by_hook else []
    parts += [f"{lost} not at all" if parts else f"none of {counted(lost, 'rule')}"] if lost else []
    return ", ".join(parts)


def shown(here: Here, path: str) -> str:
    """Name a file from the project's root, or from the home directory."""
    root = here.project.root if here.project else ""
    inside = root and os.path.commonpath((root, path)) == root
    return os.path.relpath(path, root) if inside else here.short(path)


def losses(here: Here, host: Host, found: Sequence[Way], *, installed: bool) -> Iterator[Finding]:
    """Name each file whose rules the host does not see, and why."""
    for path, group in _by_file(found).items():
        told = "; its hook tells them" if all(way.how == "hook" for way in group) else ""
        verb = "does" if len(group) == 1 else "do"
        what = f"{counted(len(group), 'rule')} in {shown(here, path)} {verb} not load: {group[0].why}{told}"
        install = "" if installed or not host.wiring else f"improve install {host.name}"
        yield Finding(True, what, group[0].fix or install)
    left = sum(not way.how and not way.path for way in found)
    if left and any(way.how == "hook" for way in found):
        verb = "does" if left == 1 else "do"
        what = f"{counted(left, 'rule')} {verb} not fit into the {host.context_cap:,} characters a session is told"
        yield Finding(True, what, "improve due, and improve stale for what nobody needs any more")


def _by_file(found: Iterable[Way]) -> dict[str, list[Way]]:
    groups: dict[str, list[Way]] = {}
    for way in found:
        if way.how != "file" and way.path:
            groups.setdefault(way.path, []).append(way)
    return groups


def long_files(here: Here, host: Host, files: Iterable[Loaded]) -> Iterator[Finding]:
    """Name files that are longer than the host's makers advise, or than it reads."""
    for said in advice(host, files, here.home.user):
        yield Finding(True, said, "move what concerns few files out of it: improve suggest-destination RULE_ID")
