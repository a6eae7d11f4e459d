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
    said = [(file, _flat(file.data)) for file in files if file.state in IN_SIGHT]
    return [_way(row.rule, host, files, said, told) for row in view.index.active(names, brief.MANY)]


def _off(here: Here, host: Host) -> bool:
    place = (here.project.key, here.project.root) if here.project else ("", "")
    return switch.in_force(here.home.file(switch.FILE), lambda: here.now, host.name, lambda: place) is not None


def _flat(data: bytes) -> str:
    """Give a text on one line, so that a wrapped bullet is found too."""
    return " ".join(data.decode("utf-8", "replace").split())


def _way(rule: Rule, host: Host, files: Sequence[Loaded], said: Iterable[tuple[Loaded, str]], told: str) -> Way:
    texts = [" ".join(text.split()) for text in (rule.text, *(w.text for w in rule.written_to)) if text]
    for file, text in said:
        if any(each in text for each in texts):
            return Way(rule, "file", file.path)
    where, why, fix = _lost(rule, host, files)
    return Way(rule, "hook" if f"- {visible(rule.text)} (" in told else "", where, why, fix)


def _lost(rule: Rule, host: Host, files: Sequence[Loaded]) -> tuple[str, str, str]:
    """Say what became of the lines that were written for a rule."""
    known = {os.path.realpath(file.path): file for file in files}
    for place in rule.written_to:
        file = known.get(os.path.realpath(place.path))
        if file and file.state not in IN_SIGHT:
            return file.path, file.why or f"{host.title} does not load it", file.fix
        if file and file.state == "cut":
            return file.path, file.why, file.fix
    path = next((place.path for place in rule.written_to), "")
    return path, f"{host.title} does not load it here" if path else "", ""


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


def _by_file(found: Iterable[Way]) -> dict[str, list[Way]]:
    groups: dict[str, list[Way]] = {}
    for way in found:
        if way.how != "file" and way.path:
            groups.setdefault(way.path, []).append(way)
    return groups


def long_files(here: Here, host: Host, files: Iterable[Loaded]) -> Iterator[Finding]:
    """Name loaded files that are longer than the host's makers advise, and those it cuts."""
    for file in files:
        lines = file.data.count(b"\n")
        if host.advised_lines and file.state in IN_SIGHT and lines > host.advised_lines:
            what = f"{shown(here, file.path)} has {lines} lines; {host.title}'s makers advise {host.advised_lines}"
            yield Finding(True, what, "move what concerns single paths into rule files: improve suggest-destination")
        if file.state == "cut":
            yield Finding(True, f"{shown(here, file.path)}: {file.why}", file.fix)
