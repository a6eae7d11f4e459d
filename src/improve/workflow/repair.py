"""doctor: look at everything in the home, name every problem with its line, and have rebuilt what is broken."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from improve import config, document, files, journal, locks, spool
from improve.errors import ImproveError, NeedsRepair
from improve.layout import CAP
from improve.view import View
from improve.workflow.here import Here
from improve.workflow.rebuild import rebuild


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    good: bool
    what: str
    fix: str = ""
    code: int = 0
    """Exit code it stands for."""


@dataclass
class Report:
    """Everything doctor found and did."""

    findings: list[Finding] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    diff: str = ""

    def add(self, good: bool, what: str, fix: str = "", code: int = 0) -> None:
        """Note a finding."""
        self.findings.append(Finding(good, what, fix, code))


def examine(here: Here, *, fix: bool = False) -> Report:
    """Check the store; with *fix*, move a broken rules.yaml aside and rebuild it."""
    report = Report()
    if not os.path.isdir(here.home.path):
        report.add(True, f"{here.short(here.home.path)}: no store yet; the first `improve observe` makes it")
        return report
    _home(here, report)
    _config(here, report)
    healthy = _rules(here, report)
    if fix and not healthy:
        rebuild(here, report)
        report.findings = []
        _home(here, report)
        _config(here, report)
        healthy = _rules(here, report)
    if fix and here.config.git:
        _tidy(here, report)
    _archive(here, report)
    _ledger(here, report, fix=fix)
    _spool(here, report)
    _journal(here, report)
    if healthy:
        _backup(here, report)
        _projects(here, report)
    return report


def _home(here: Here, report: Report) -> None:
    path = here.home.path
    mode = stat.S_IMODE(os.stat(path).st_mode)
    if mode & 0o022 and os.name != "nt":
        report.add(False, f"{here.short(path)}: others may write to it (mode {mode:o})", f"chmod 700 {path}")
    else:
        report.add(True, f"store {here.short(path)}")
    if locks.is_network(os.path.realpath(path)):
        report.add(True, f"{here.short(path)} is on a network file system; locks there may not exclude another machine")
    for name in sorted(os.listdir(path)):
        if "conflict" in name.lower() or name.startswith("rules (") or ".sync-conflict" in name:
            report.add(
                False,
                f"{here.short(os.path.join(path, name))}: a sync program left this copy",
                "look at it, then delete it",
            )


def _config(here: Here, report: Report) -> None:
    """Check the settings; the rest is looked at with the defaults when they cannot be read."""
    path = here.home.file("config.yaml")
    try:
        config.load(path)
    except ImproveError as exc:
        for problem in getattr(exc, "problems", [str(exc)]):
            report.add(False, f"{here.short(path)}: {problem}", f"edit {here.short(path)}", exc.exit_code)
        here.use_defaults()


def _rules(here: Here, report: Report) -> bool:
    """Check rules.yaml; False when it has to be rebuilt."""
    shown = here.short(here.home.rules)
    try:
        view = here.store.view()
    except NeedsRepair as exc:
        for problem in exc.problems:
            report.add(False, f"{shown}: {problem}", "fix the line, or: improve doctor --fix", 6)
        return False
    if not view.editable:
        report.add(
            False,
            f"{shown}: line 1: the rules are not a block list, so they can be read but not edited",
            "improve doctor --fix writes the same rules as a block list",
            6,
        )
        return False
    for line, what, fix in _troubles(view):
        report.add(False, f"{shown}: line {line}: {what}", fix, 6)
    report.add(True, f"{shown}: {view.index.count()} rules, version {view.head.version}")
    return True


def _archive(here: Here, report: Report) -> None:
    """Check archive.yaml; it is not rebuilt, for the journal tells what is missing in rules.yaml."""
    from improve.workflow import archive

    if not archive.exists(here):
        return
    shown = here.short(archive.path(here))
    try:
        view = archive.view(here)
    except NeedsRepair as exc:
        for problem in exc.problems:
            report.add(False, f"{shown}: {problem}", "fix the line; archived rules are left alone until then", 6)
        return
    if not view.editable:
        report.add(False, f"{shown}: line 1: the rules are not a block list, so they cannot be edited", "write one", 6)
    for line, what, fix in _troubles(view):
        report.add(False, f"{shown}: line {line}: {what}", fix, 6)
    report.add(True, f"{shown}: {view.index.count()} archived rules")


def _ledger(here: Here, report: Report, *, fix: bool) -> None:
    """Check what is known of past sessions; with *fix*, a damaged file is moved aside and read anew the next time."""
    from improve import ledger
    from improve.workflow import past

    place = past.directory(here)
    path = os.path.join(place, ledger.FILE)
    why = ledger.trouble(path)
    if not why:
        return
    if not fix:
        what = f"{here.short(path)}: the record of past sessions is damaged ({why})"
        report.add(False, what, "improve doctor --fix moves it aside; the transcripts are read anew then", 5)
        return
    with locks.lock(os.path.join(place, "ledger"), directory=here.home.state, timeout=5.0):
        if ledger.trouble(path):
            report.done.append(f"the damaged record of past sessions is kept as {here.short(ledger.put_aside(path))}")


def _troubles(view: View) -> Iterator[tuple[int, str, str]]:
    """Name what is wrong with single rules: (line, what, what to do)."""
    spans = document.outline(view.snapshot.data).entries if view.snapshot.data.strip() else ()
    orders = {key: order for key, order, _ in view.index.shas()}
    for key, rule_id, problems, twin in view.index.troubles():
        line = spans[orders[key] - 1].line
        for problem in problems:
            offset, _, what = problem.partition(" ")
            yield line + int(offset), what, "fix the line; the rule is left alone until then"
        if twin:
            yield line, f"the id {rule_id!r} is used by several rules", "give each its own id"


def _spool(here: Here, report: Report) -> None:
    waiting = spool.everything(here.home)
    broken = [path for path in waiting if spool.load(path) is None]
    for path in broken:
        report.add(False, f"{here.short(path)}: cannot be read as an observation", "look at it, then delete it")
    if len(waiting) > len(broken):
        report.add(True, f"{len(waiting) - len(broken)} observations wait in the spool for the next command")


def _journal(here: Here, report: Report) -> None:
    try:
        with open(here.home.journal, "rb") as stream:
            bad = [n for n, line in enumerate(stream, 1) if journal.parse(line) is None]
    except FileNotFoundError:
        return
    for number in bad[:5]:
        report.add(
            True, f"{here.short(here.home.journal)}: line {number} was cut off by a killed process; it is passed over"
        )


def _backup(here: Here, report: Report) -> None:
    path = os.path.join(here.home.file("backup"), "rules.yaml")
    data = files.read(path, cap=CAP).data
    read_already = data == files.read(here.home.rules, cap=CAP).data
    if data and not read_already and document.problems_of(path, data):
        report.add(
            False, f"{here.short(path)}: the backup cannot be read", "it is written again after the next edit by hand"
        )


def _projects(here: Here, report: Report) -> None:
    view = here.store.view()
    for key, place in view.head.projects.items():
        if place.roots and not any(os.path.isdir(root) for root in place.roots):
            report.add(True, f"project {key}: none of its directories is on this machine ({', '.join(place.roots)})")


def _tidy(here: Here, report: Report) -> None:
    """Pack the store's own git history, which no other command stops for."""
    from improve import repo

    notice = repo.tidy(here.home.path)
    if notice:
        report.add(True, notice)
