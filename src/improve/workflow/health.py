"""Are the hosts well: do our hooks run, will the host run them, and which rules reach it in this directory?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from improve import hosts
from improve.errors import ImproveError, UsageError
from improve.hosts.base import Host, Loaded
from improve.hosts.wiring import called
from improve.workflow import delivery, install, probe, upkeep, wired
from improve.workflow.barrier import barriers
from improve.workflow.delivery import Way
from improve.workflow.here import Here
from improve.workflow.probe import Run
from improve.workflow.repair import Finding
from improve.workflow.wired import Wired

UNWELL = 5
"""Exit code for a host that does not run our hooks."""


@dataclass
class Health:
    """One host: what stands in its files, what became of it, and what is wrong."""

    host: Host
    there: bool
    """It is on this machine."""
    hooks: list[Wired]
    runs: list[Run]
    files: list[Loaded] = field(default_factory=list)
    rules: list[Way] = field(default_factory=list)
    reached: str = ""
    """How rules reach it here, in one line."""
    findings: list[Finding] = field(default_factory=list)

    def wrong(self, what: str, fix: str) -> None:
        """Note what has to be mended."""
        self.findings.append(Finding(False, what, fix, UNWELL))

    def note(self, what: str, fix: str) -> None:
        """Note what is good to know."""
        self.findings.append(Finding(True, what, fix))

    @property
    def good(self) -> bool:
        """Tell whether nothing has to be mended."""
        return all(finding.good for finding in self.findings)


@dataclass
class Checked:
    """All hosts, and what belongs to none of them."""

    findings: list[Finding] = field(default_factory=list)
    hosts: list[Health] = field(default_factory=list)


def examine(here: Here, only: str = "") -> Checked:
    """Run the hooks of every host on this machine, or of one, and look at all that decides about them.

    Raises:
        UsageError: no host has this name.
    """
    if only and only not in hosts.names():
        raise UsageError(f"no host is called {only!r}; nothing was done. They are: {', '.join(hosts.names())}")
    found = [each for each in wired.installed(here) if only in ("", each.host)]
    checked = Checked()
    dead = _dead_launchers(here, found, checked)
    before = upkeep.log_lines(here)
    runs = probe.run_all(here, (each for each in found if _launcher(here, each) not in dead))
    _new_in_log(here, before, checked)
    for host in _chosen(here, found, only):
        mine = [each for each in found if each.host == host.name]
        there = not host.folder or os.path.isdir(host.folder(here.home.user, here.env))
        health = Health(host, there, mine, [run for run in runs if run.host == host.name])
        _hooks(here, health, dead)
        if there or mine:
            _loading(here, health)
        checked.hosts.append(health)
    loaded = (file.path for health in checked.hosts for file in health.files if file.data)
    checked.findings += upkeep.hidden(here, loaded)
    if found and not dead:
        checked.findings += _out_of_date(here, [health.host for health in checked.hosts if health.hooks])
    return checked


def _chosen(here: Here, found: Iterable[Wired], only: str) -> list[Host]:
    there = {host.name for host in hosts.on_this_machine(here.home.user, here.env)} | {each.host for each in found}
    return [host for host in hosts.all_hosts() if host.name == only or (not only and host.name in there)]


# --- what starts us ---


def _launcher(here: Here, each: Wired) -> str:
    """Name the launcher that a hook calls; that of a file which is itself the hook stands in it."""
    parts = called(each.command) if each.command else None
    return parts[0] if parts else here.home.launcher


def _dead_launchers(here: Here, found: Iterable[Wired], checked: Checked) -> set[str]:
    """Find launchers that start nothing: every hook that calls one is silent, and looks well."""
    used = dict.fromkeys(_launcher(here, each) for each in found if each.state != "missing")
    dead = {path: why for path in used if (why := probe.dead(here, path))}
    for path, why in dead.items():
        checked.findings.append(
            Finding(False, f"{here.short(path)}, which hosts call: {why}", "improve install", UNWELL)
        )
    if used and not dead and (why := probe.program_trouble(here)):
        what = f"{here.short(here.home.program)}, which the skill calls: {why}"
        checked.findings.append(Finding(False, what, "improve install", UNWELL))
    return set(dead)


def _new_in_log(here: Here, before: list[str], checked: Checked) -> None:
    """A hook that fails says so in the log alone."""
    after = upkeep.log_lines(here)
    new = after[-1:] if after != before else []
    for line in new:
        fix = f"read {here.short(upkeep.log_path(here))}"
        checked.findings.append(Finding(False, f"a hook failed when it was run: {upkeep.cut(line)}", fix, UNWELL))


# --- the hooks of one host ---


def _hooks(here: Here, health: Health, dead: set[str]) -> None:
    if not health.hooks:
        return
    again = f"improve install {health.host.name}"
    _as_written(here, health, again)
    if any(_launcher(here, each) in dead for each in health.hooks if each.state != "missing"):
        health.wrong("its hooks call a launcher that does nothing", again)
    for run in health.runs:
        if run.trouble:
            health.wrong(f"the hook for {run.event} {run.trouble}: {run.command}", again)
    for barrier in barriers(here, health.host):
        (health.wrong if barrier.closed else health.note)(barrier.what, barrier.fix)


def _as_written(here: Here, health: Health, again: str) -> None:
    """Compare what stands there with what this version writes; a file that cannot be read is told elsewhere."""
    plugin = health.host.dialect.answer == "text"
    extras = {part.file(here.home.user, here.env) for part in health.host.wiring if getattr(part, "optional", False)}
    found = [each for each in health.hooks if (each.theirs or plugin) and each.file not in extras]
    for path, state in dict.fromkeys((each.file, each.state) for each in found if each.state != "ok"):
        names = [each.theirs for each in found if (each.file, each.state) == (path, state)]
        whole = plugin or len(names) == sum(each.file == path for each in found)
        said = "is missing" if state == "missing" else "is not as this version writes it"
        what = f"{here.short(path)}" if whole else f"{here.short(path)}: the hook for {', '.join(names)}"
        health.wrong(f"{what} {said}", again)


def _loading(here: Here, health: Health) -> None:
    """Say which rules reach the host here; a store that cannot be read, or no directory, has been told of already."""
    host = health.host
    tells = bool(health.runs) and health.good and host.dialect.answer != "none"
    try:
        health.files = delivery.chain(here, host)
        health.rules = delivery.ways(here, host, health.files, hook=tells)
    except (ImproveError, OSError):
        return
    health.reached = delivery.summary(here, health.rules)
    health.findings += delivery.losses(here, host, health.rules, installed=bool(health.hooks))
    health.findings += delivery.long_files(here, host, health.files)


def _out_of_date(here: Here, found: Iterable[Host]) -> Iterator[Finding]:
    """Name the skill or a launcher that an install would write anew."""
    try:
        steps = install.preview(here, found)
    except ImproveError as error:
        yield Finding(False, str(error), "improve install", UNWELL)
        return
    for step in steps:
        if step.piece.kind in ("skill", "launcher") and step.state == "write":
            said = "is not as this version writes it" if os.path.exists(step.piece.path) else "is missing"
            yield Finding(True, f"{here.short(step.piece.path)} {said}", "improve install")
