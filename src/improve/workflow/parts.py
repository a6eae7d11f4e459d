"""What belongs to an installation: the launchers, our part of each host's files, the skill."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

from improve import hosts, launcher
from improve.errors import ImproveError, Refused
from improve.hosts.base import Host
from improve.hosts.wiring import Settings, Whole, standing
from improve.workflow import skill
from improve.workflow.here import Here
from improve.workflow.owner import Piece
from improve.workflow.receipt import Item, Receipt

READS_CLAUDES_SKILLS = ("opencode",)
"""Hosts that read the skills directory of Claude Code as well as the shared one."""


def chosen(here: Here, names: Sequence[str]) -> list[Host]:
    """Give the hosts to install: those named, or all that are on this machine.

    Raises:
        Refused: there is none, or nothing can be installed for one that was named.
    """
    user, env = here.home.user, here.env
    if names:
        found = [hosts.host(name) for name in dict.fromkeys(names)]
        for each in found:
            if not _can(each):
                raise Refused(
                    f"{each.title} runs nothing of ours and reads no skills; nothing was written. Rules reach it "
                    f"through the files it loads: improve where --host {each.name}"
                )
        return found
    found = [each for each in hosts.on_this_machine(user, env) if _can(each)]
    if not found:
        looked = ", ".join(here.short(each.folder(user, env)) for each in hosts.all_hosts() if each.folder)
        raise Refused(
            f"no agent was found on this machine; nothing was written. Looked for {looked}. "
            "Name one to install it all the same: improve install codex"
        )
    return found


def _can(host: Host) -> bool:
    return bool(host.wiring or host.skills)


def parts(here: Here, found: Iterable[Host]) -> list[Piece]:
    """List the files of an installation, in the order in which they are written.

    Raises:
        Refused: the store lies in the project, which could then change what every session runs.
    """
    _refuse_store_in_project(here)
    mine = list(found)
    on = guarded(here)
    theirs = [*(piece for host in mine for piece in wiring(here, host, guarded=on)), *_skills(here, mine)]
    return [*launchers(here), *(allowed(here, piece) for piece in theirs)]


def allowed(here: Here, piece: Piece) -> Piece:
    """Bar a file that is none of the person's own."""
    return replace(piece, barred=piece.barred or _in_project(here, piece))


def _refuse_store_in_project(here: Here) -> None:
    root = _project_around(here, here.home.path)
    if root and here.home.path != os.path.join(here.home.user, ".agent-improvement"):
        raise Refused(
            f"the store {here.home.path} lies in the project at {root}, and whoever changes the project would change "
            "what every session runs; nothing was written. Set AGENT_IMPROVEMENT_HOME to a directory elsewhere, or, "
            "if the project is yours alone, run this in another directory"
        )


def _project_around(here: Here, path: str) -> str:
    """Give the root of the project we are in, or the directory, if a file lies below it and the home does not."""
    roots = [root for root in (here.project.root if here.project else "", here.cwd) if root]
    return next((root for root in roots if _holds(root, path) and not _holds(root, here.home.user)), "")


def _in_project(here: Here, piece: Piece) -> str:
    """Say why a file is none of the person's own: a variable, which may come from the project, leads into it."""
    place = os.path.normpath(os.path.join(here.cwd, piece.path))
    root = _project_around(here, place)
    if (not root and os.path.isabs(piece.path)) or piece.path in _usual(here, piece):
        return ""
    where = f"lies in the project at {root}" if root else "is named by a path that starts where this runs"
    return (
        f"{place} {where}, and improve changes no project's settings; nothing was written. "
        "If it is your own all the same, name it by its absolute path, and run this in another directory"
    )


def _holds(folder: str, path: str) -> bool:
    folder, path = os.path.realpath(folder), os.path.realpath(path)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _usual(here: Here, piece: Piece) -> set[str]:
    """List where the hosts of a piece have their files when no variable says otherwise."""
    user, found = here.home.user, [hosts.host(name) for name in piece.hosts]
    wired = {part.file(user, {}) for host in found for part in host.wiring}
    return wired | {_skill_in(host.skills(user, {})) for host in found if host.skills}


def _skill_in(folder: str) -> str:
    return os.path.join(folder, skill.NAME, "SKILL.md")


def launchers(here: Here) -> list[Piece]:
    """List the programs that everything else calls."""
    path, home = launcher.path(here.home.path), here.home
    made = launcher.files_of(home.path, home.user)
    return [Piece("launcher", name, (), path, data=data, executable=True) for name, data in made.items()]


def wiring(here: Here, host: Host, *, guarded: bool) -> list[Piece]:
    """List the files through which a host calls us.

    Args:
        guarded: a guard is on, so the host asks us before each call of a tool.
    """
    return [
        _piece(here, host, standing(part, guarded))
        for part in host.wiring
        if guarded or not (isinstance(part, Whole) and part.guards_only)
    ]


def _piece(here: Here, host: Host, part: Settings | Whole) -> Piece:
    path, place = launcher.path(here.home.path), part.file(here.home.user, here.env)
    if isinstance(part, Settings):
        return Piece("settings", place, (host.name,), path, part)
    data = part.make(path).encode("utf-8", "surrogateescape")
    return Piece("whole", place, (host.name,), path, part, data, part.executable)


def idle(here: Here, host: Host, *, guarded: bool) -> list[Piece]:
    """List the files of a host that have no use now, for no guard is on."""
    without = () if guarded else host.wiring
    return [_piece(here, host, part) for part in without if isinstance(part, Whole) and part.guards_only]


def guarded(here: Here) -> bool:
    """Say whether a guard looks after a rule; where rules.yaml cannot be read, whether one did the last time."""
    if not os.path.lexists(here.home.rules):
        return False
    try:
        return next(here.store.glance().index.guarded(), None) is not None
    except ImproveError:
        from improve import guards

        return bool(guards.load(here.home))


def _skills(here: Here, found: list[Host]) -> list[Piece]:
    """List the skill once for each directory, with the hosts that read it there."""
    readers: dict[str, tuple[str, list[str]]] = {}
    user, env = here.home.user, here.env
    claude = next((host for host in found if host.name == "claude-code"), None)
    for host in found:
        reads = claude if claude and host.name in READS_CLAUDES_SKILLS else host
        if reads.skills:
            place = _skill_in(reads.skills(user, env))
            # one of two directories may be a link to the other
            readers.setdefault(os.path.realpath(place), (place, []))[1].append(host.name)
    if not readers:
        return []
    data, barred, path = b"", "", launcher.path(here.home.path)
    try:
        data = skill.text(launcher.cli_path(here.home.path), user).encode("utf-8", "surrogateescape")
    except ImproveError as error:  # the hooks work without it, and one that is there can go
        barred = str(error)
    return [Piece("skill", place, tuple(names), path, data=data, barred=barred) for place, names in readers.values()]


def leaving(here: Here, known: Receipt, names: Sequence[str]) -> list[Piece]:
    """List what is to be taken out: what the receipt names, and what is found where we would write it.

    Args:
        names: the hosts that are given up; empty for all.
    """
    found = [host for host in map(hosts.host, names or hosts.names()) if _can(host)]
    on = guarded(here)
    theirs = (
        piece
        for host in found
        for piece in (*wiring(here, host, guarded=on), *idle(here, host, guarded=on), *_skills(here, [host]))
    )
    there = {piece.path: piece for piece in theirs if piece.path in known.items or not _in_project(here, piece)}
    wanted = {host.name for host in found}
    for path, item in known.items.items():
        going = tuple(name for name in item.host.split() if name in wanted)
        if going and path not in there:
            there[path] = _elsewhere(here, path, item, going)
    return [
        piece if item is None else replace(piece, hosts=tuple(item.host.split()))
        for path, piece in there.items()
        for item in (known.items.get(path),)
        if piece.kind != "skill" or _unread(piece, known, wanted, names)
    ]


def _unread(piece: Piece, known: Receipt, wanted: set[str], names: Sequence[str]) -> bool:
    """Tell whether no host that stays reads a skill."""
    item = known.items.get(piece.path)
    return not names if item is None else wanted.issuperset(item.host.split())


def _elsewhere(here: Here, path: str, item: Item, users: tuple[str, ...]) -> Piece:
    """Describe a file that a host would look for in another place today."""
    host, settings = hosts.host(users[0]), item.kind == "settings"
    part = next((each for each in host.wiring if isinstance(each, Settings) == settings), None)
    return Piece(item.kind, path, users, launcher.path(here.home.path), None if item.kind == "skill" else part)
