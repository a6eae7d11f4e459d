"""doctor: look at everything in the home, name every problem with its line, and rebuild what is broken."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from improve import config, diff, document, entry, files, journal, locks, spool
from improve.backup import keep_backup
from improve.errors import ImproveError, NeedsRepair, Refused
from improve.head import edit_head, read_head
from improve.layout import CAP, VERSION, Malformed, Place
from improve.view import View
from improve.workflow.here import Here


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
        _rebuild(here, report)
        report.findings = []
        _home(here, report)
        _config(here, report)
        healthy = _rules(here, report)
    if fix and here.config.git:
        _tidy(here, report)
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


def _rebuild(here: Here, report: Report) -> None:
    """Move the broken file aside under a new name and write what backup, journal and spool know."""
    home = here.home
    with locks.lock(os.path.realpath(home.path), directory=home.state, timeout=5.0):
        snapshot = files.read(home.rules, cap=CAP)
        _refuse_newer(here, snapshot.data)
        aside = f"{home.rules}.broken-{here.now.strftime('%Y%m%dT%H%M%S')}"
        files.replace(files.read(aside, cap=CAP), snapshot.data, mode_if_new=0o600)
        data = _readable(snapshot.data) or _from_backup(here)
        problem = document.problems_of(home.rules, data)
        if problem:
            raise ImproveError(
                f"the rebuilt {home.rules} would not be readable ({problem.problems[0]}); nothing was replaced"
            )
        files.replace(snapshot, data, mode_if_new=0o600)
        report.done.append(f"the broken file is kept as {here.short(aside)}")
        report.done.append(f"{here.short(home.rules)} was rebuilt")
        report.diff = diff.unified(snapshot.data, data, here.short(home.rules))
        keep_backup(home, data, "rules.yaml")
        journal.append(
            home.journal,
            {
                "v": 1,
                "at": here.now.isoformat(timespec="seconds"),
                "event": "backup",
                "sha": hashlib.sha256(data).hexdigest(),
            },
            durable=True,
        )


def _tidy(here: Here, report: Report) -> None:
    """Pack the store's own git history, which no other command stops for."""
    from improve import repo

    notice = repo.tidy(here.home.path)
    if notice:
        report.add(True, notice)


def _refuse_newer(here: Here, data: bytes) -> None:
    """Leave a file alone that a later improve wrote: it is not broken."""
    import re

    found = re.search(rb"(?m)^version:[ ]*['\"]?(\d{1,9})", data)
    if found and int(found[1]) > VERSION:
        raise Refused(
            f"{here.short(here.home.rules)} has version {int(found[1])}, which a later improve wrote; nothing was "
            "changed. Update improve: pip install --upgrade agent-improvement"
        )


def _readable(data: bytes) -> bytes | None:
    """Write a store that YAML can read but we cannot edit as a block list."""
    try:
        head, entries = document.whole(data)
    except Malformed:
        return None
    texts = {e.rule.id: entry.render(e.rule) for e in entries if e.rule and not e.problems}
    if len(texts) != len(entries):
        return None
    return _assembled(document.template(head.taxonomy), texts, head.projects)


def _from_backup(here: Here) -> bytes:
    """Start from the last verified backup and repeat what the journal says came after it."""
    path = os.path.join(here.home.file("backup"), "rules.yaml")
    base = files.read(path, cap=CAP).data
    if not base or document.problems_of(path, base):
        base = b""
    sha = hashlib.sha256(base).hexdigest()
    later: list[dict[str, object]] = []
    follows = not base
    for event in journal.read_back(here.home.journal):
        follows = follows or (event["event"] == "backup" and event.get("sha") == sha)
        if base and follows:
            break
        later.append(event)
    texts, places, front = _parts(base or document.template())
    newer = set() if follows else set(texts)  # a copy whose place in the journal is not known counts as the newer
    for event in reversed(later):
        for rule_id, text in dict(event.get("entries") or {}).items():  # type: ignore[call-overload]
            if rule_id in newer:
                continue
            if text is None:
                texts.pop(rule_id, None)
            elif _usable(text):
                texts[rule_id] = text
        for key, values in dict(event.get("projects") or {}).items():  # type: ignore[call-overload]
            places[key] = Place(*values[:2], *map(tuple, values[2:4]))
            if not any(places[key]):  # it goes by another key since
                del places[key]
    return _assembled(front, texts, places)


def _usable(text: str) -> bool:
    """Say whether the journal's text of a rule can be read; somebody may have edited the journal."""
    indent = len(text) - len(text.lstrip(" "))
    try:
        return document.read_entry(text, indent).rule is not None
    except Malformed:
        return False


def _parts(data: bytes) -> tuple[dict[str, str], dict[str, Place], bytes]:
    """Take a readable file apart: entry texts by id, projects, and the rest with an empty list of rules."""
    shape = document.outline(data)
    texts: dict[str, str] = {}
    for number, span in enumerate(shape.entries):
        text = data[span.start : span.end].decode("utf-8")
        rule = document.read_entry(text, shape.indent).rule
        texts[rule.id if rule else f"#{number}"] = text
    said = read_head(document.head_text(data, shape))
    return texts, dict(said.projects), document.head_text(data, shape)


def _assembled(front: bytes, texts: dict[str, str], places: Mapping[str, Place]) -> bytes:
    shape = document.outline(front)
    tail = front[shape.end :]
    front = document.before_first(front[: shape.start], shape) if texts else front[: shape.start]
    said = read_head(front + tail)
    for key, place in places.items():
        if said.projects.get(key) != place:
            front, tail = edit_head(front, tail, place=(key, place))
    body = "".join(text if text.endswith("\n") else text + "\n" for text in texts.values())
    return front + body.encode() + tail
