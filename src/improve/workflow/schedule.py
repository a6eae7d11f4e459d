"""Put the scheduled run where the system's scheduler finds it, look whether it is there, take it away."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from improve import files, timetable
from improve.errors import EnvironmentFailure, Refused
from improve.timetable import Job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from improve.workflow.here import Here

CRON, SYSTEMD, LAUNCHD = "cron", "systemd", "launchd"
_CAP = 1 << 20
_PLACES = (
    "AGENT_IMPROVEMENT_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "PI_CODING_AGENT_DIR",
)  # fmt: skip
"""Variables that name where something is; a scheduler starts us without those of the person's shell."""
_PATIENCE = 10.0
"""Seconds for a scheduler's own program."""


class Placed(NamedTuple):
    """What one scheduler gets: files with their bytes, commands that make it known, and the text to show."""

    way: str
    files: tuple[tuple[str, str], ...]
    """(path, text)"""
    start: tuple[tuple[str, ...], ...] = ()
    stop: tuple[tuple[str, ...], ...] = ()
    text: str = ""


def job(here: Here, *, hour: int, minute: int, weekday: int | None) -> Job:
    """Say what runs: the program in the store where it is installed, else this very one."""
    program = (here.home.program,) if os.access(here.home.program, os.X_OK) else (sys.executable, "-m", "improve")
    env = tuple((name, value) for name in _PLACES if os.path.isabs(value := here.env.get(name, "")))
    return Job((*program, "schedule", "--run"), hour, minute, weekday, env)


def usual_way(here: Here) -> str:
    """Name the scheduler of this machine."""
    if sys.platform == "darwin":
        return LAUNCHD
    return SYSTEMD if os.path.isdir(os.path.join(os.sep, "run", "systemd", "system")) or not _cron() else CRON


def _cron() -> str:
    import shutil

    return shutil.which("crontab") or ""


def placed(here: Here, way: str, what: Job) -> Placed:
    """Give what a scheduler needs."""
    if way == CRON:
        return Placed(CRON, (), text=timetable.cron_line(what) + "\n")
    if way == LAUNCHD:
        path = os.path.join(here.home.user, "Library", "LaunchAgents", f"{timetable.LABEL}.plist")
        domain = f"gui/{os.getuid()}" if hasattr(os, "getuid") else "gui/501"
        text = timetable.launchd_plist(what)
        stop = ("launchctl", "bootout", f"{domain}/{timetable.LABEL}")
        return Placed(LAUNCHD, ((path, text),), (("launchctl", "bootstrap", domain, path),), (stop,), text)
    base = os.path.join(here.env.get("XDG_CONFIG_HOME") or os.path.join(here.home.user, ".config"), "systemd", "user")
    units = {
        f"{timetable.NAME}.service": timetable.systemd_service(what),
        f"{timetable.NAME}.timer": timetable.systemd_timer(what),
    }
    own, reload = ("systemctl", "--user"), ("systemctl", "--user", "daemon-reload")
    return Placed(
        SYSTEMD,
        tuple((os.path.join(base, name), text) for name, text in units.items()),
        (reload, (*own, "enable", "--now", f"{timetable.NAME}.timer")),
        ((*own, "disable", "--now", f"{timetable.NAME}.timer"),),
        "\n".join(f"# {os.path.join(base, name)}\n{text}" for name, text in units.items()),
    )


def installed(here: Here) -> tuple[list[str], list[str]]:
    """Name the schedulers that have a run of ours; returns also notes for the person."""
    what, notes = job(here, hour=0, minute=0, weekday=None), []
    found = [way for way in (SYSTEMD, LAUNCHD) if _ours(placed(here, way, what))]
    try:
        if _cron() and timetable.MARK in _crontab():
            found.append(CRON)
    except EnvironmentFailure as exc:  # the other schedulers can still be looked at, and cleared
        notes.append(str(exc))
    return found, notes


def _ours(what: Placed) -> list[str]:
    """Give those of the files that are there and ours."""
    return [path for path, _ in what.files if os.path.lexists(path) and _is_ours(files.read(path, cap=_CAP).data)]


def _is_ours(data: bytes) -> bool:
    return timetable.NAME.encode() in data


def install(here: Here, way: str, what: Job) -> list[str]:
    """Schedule the run, in the place of any earlier one of ours; returns notes for the person.

    Raises:
        EnvironmentFailure: the scheduler is not there or refuses; what was written stays and is named.
        Refused: a file that is not ours stands where one of ours would.
    """
    if why := here.off():
        raise Refused(why)
    others = [other for other in installed(here)[0] if other != way]
    return [*_installed(here, way, what), *(note for other in others for note in _removed(here, other))]


def _installed(here: Here, way: str, what: Job) -> list[str]:
    if way == CRON:
        before = _crontab()
        _put_crontab(timetable.with_ours(before, what), before)
        return []
    wanted = placed(here, way, what)
    if way == LAUNCHD and _ours(wanted):  # a service that is loaded is not loaded anew
        _tried(wanted.stop[0])
    for path, text in wanted.files:
        _write(path, text)
    return [note for command in wanted.start if (note := _tried(command))]


def remove(here: Here) -> tuple[list[str], list[str]]:
    """Take our runs away from every scheduler; returns which had one, and notes for the person."""
    gone, notes = installed(here)
    for way in gone:
        notes += _removed(here, way)
    return gone, notes


def _removed(here: Here, way: str) -> list[str]:
    """Take our run away from one scheduler; returns notes for the person."""
    if way == CRON:
        before = _crontab()
        _put_crontab(timetable.without_ours(before), before)
        return []
    wanted = placed(here, way, job(here, hour=0, minute=0, weekday=None))
    notes = [note for command in wanted.stop if (note := _tried(command))]
    for path in _ours(wanted):
        files.unlink(path)
    return notes


def _write(path: str, text: str) -> None:
    before = files.read(path, cap=_CAP)
    if before.exists and not _is_ours(before.data):
        raise Refused(f"{path} is there and not ours; nothing was scheduled. Move it away first")
    files.replace(before, text.encode(), make_parents=True)


def _crontab() -> str:
    """Read the person's crontab; no crontab is an empty one.

    Raises:
        EnvironmentFailure: cron is not there, or will not show it: it must not be taken for empty.
    """
    done = _run(("crontab", "-l"))
    if done[0] and "no crontab" not in done[1].lower():
        raise EnvironmentFailure(f"crontab -l failed ({done[1].strip() or done[0]}); the table was left as it is")
    return "" if done[0] else done[2]


def _put_crontab(text: str, before: str) -> None:
    if text == before:
        return
    code, said, _ = _run(("crontab", "-"), text) if text else _run(("crontab", "-r"))
    if code:
        raise EnvironmentFailure(f"crontab refused the new table ({said.strip() or code}); the old one stands")


def _tried(command: Sequence[str]) -> str:
    """Run a scheduler's program; where it fails, say what is left to do."""
    try:
        code, said, _ = _run(command)
    except EnvironmentFailure as exc:
        return str(exc)
    return (
        f"{' '.join(command)} failed ({said.strip().splitlines()[-1] if said.strip() else code}); run it yourself"
        if code
        else ""
    )


def _run(command: Sequence[str], text: str = "") -> tuple[int, str, str]:
    import subprocess

    try:
        done = subprocess.run(
            command,
            input=text.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        why = "took too long" if isinstance(exc, subprocess.TimeoutExpired) else "is not there"
        raise EnvironmentFailure(f"{command[0]} {why}; nothing was scheduled or taken away") from None
    said, told = (data.decode("utf-8", "surrogateescape") for data in (done.stderr, done.stdout))
    return done.returncode, said, told
