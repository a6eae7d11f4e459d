"""What doctor prints: a line for each agent that is well, and every problem with what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from improve.escape import visible
from improve.report import counted
from improve.workflow.health import Checked, Health
from improve.workflow.here import Here
from improve.workflow.repair import Finding, Report


def lines(here: Here, found: Report, checked: Checked, *, whole: bool) -> Iterator[str]:
    """Give the answer line by line.

    Args:
        whole: tell everything about each host, also when all is well.
    """
    for finding in found.findings:
        yield f"{_mark(finding)}  {visible(finding.what)}"
        yield from _fix(finding)
    for health in checked.hosts:
        yield f"{'ok   ' if health.good else 'WRONG'}  {health.host.name}: {visible(summary(health))}"
        for finding in health.findings:
            yield f"       {visible(finding.what)}"
            yield from _fix(finding, "    ")
        if whole:
            yield from _details(here, health)


def _mark(finding: Finding) -> str:
    return "WRONG" if not finding.good else "note " if finding.fix else "ok   "


def _fix(finding: Finding, deeper: str = "") -> Iterator[str]:
    if finding.fix:
        yield f"       {deeper}→ {visible(finding.fix)}"


def summary(health: Health) -> str:
    """Say in one line how rules reach a host and how its hooks do."""
    if not health.there and not health.hooks:
        return "not on this machine"
    return "; ".join(filter(None, (health.reached, _hooks(health))))


def _hooks(health: Health) -> str:
    if not health.hooks:
        return f"not installed: improve install {health.host.name}" if health.host.wiring else ""
    if not health.runs:
        return ""
    slowest = max(run.seconds for run in health.runs)
    return f"{counted(len(health.runs), 'hook')} run, {slowest * 1000:.0f} ms at most"


def _details(here: Here, health: Health) -> Iterator[str]:
    for run in health.runs:
        yield f"       {run.event:<13} {run.seconds * 1000:5.0f} ms  {visible(run.trouble or 'well')}"
    for file in health.files:
        why = f": {file.why}" if file.why else ""
        yield f"       {file.state:<13} {visible(here.short(file.path))}{visible(why)}"


def as_data(found: Report, checked: Checked) -> dict[str, Any]:
    """Give everything for `--json`."""
    everything = [*found.findings, *(finding for health in checked.hosts for finding in health.findings)]
    return {
        "healthy": all(finding.good for finding in everything),
        "done": found.done,
        "diff": found.diff,
        "findings": [asdict(finding) for finding in found.findings],
        "hosts": [_host(health) for health in checked.hosts],
    }


def _host(health: Health) -> dict[str, Any]:
    return {
        "host": health.host.name,
        "on_this_machine": health.there,
        "healthy": health.good,
        "hooks": [wired._asdict() for wired in health.hooks],
        "runs": [
            {
                "event": run.event,
                "command": run.command,
                "exit_code": run.code,
                "milliseconds": round(run.seconds * 1000),
                "trouble": run.trouble,
            }
            for run in health.runs
        ],
        "files": [
            {"path": f.path, "scope": f.scope, "state": f.state, "why": f.why, "fix": f.fix, "bytes": f.size}
            for f in health.files
        ],
        "rules": [
            {"id": w.rule.id, "by": w.how or None, "path": w.path or None, "why": w.why or None, "fix": w.fix or None}
            for w in health.rules
        ],
        "findings": [asdict(finding) for finding in health.findings],
    }
