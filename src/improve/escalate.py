"""The decision tree: what should happen with a rule now. Pure: no clock, no disk."""

from __future__ import annotations

from typing import NamedTuple

from improve.inline import as_bullet
from improve.rule import Rule, Written, means, occasions, projects
from improve.taxonomy import Taxonomy

NOTHING, IN_SESSION, PROJECT, EACH_PROJECT, GLOBAL = "nothing", "in-session", "project", "each-project", "global"
NOBODY = ""
"""Project of a target that stands for the global file."""


class Thresholds(NamedTuple):
    """Occasions a rule needs before it is written; config.yaml can set them."""

    project: int = 2
    several_projects: int = 2


class Decision(NamedTuple):
    """What the tree says for a rule now, with the reason."""

    kind: str
    reason: str
    projects: tuple[str, ...] = ()
    """Keys of the projects whose file it belongs in."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Name where the rule belongs: project keys, or `NOBODY` for the global file."""
        return (NOBODY,) if self.kind == GLOBAL else self.projects


def decide(rule: Rule, taxonomy: Taxonomy, thresholds: Thresholds | None = None) -> Decision:
    """Walk the tree from the top; the first line that fits decides."""
    limits = thresholds or Thresholds()
    count, seen, kind = occasions(rule), projects(rule), taxonomy.kind(rule.domain)
    if rule.retired:
        return Decision(NOTHING, "retired")
    if rule.explicit_scope == "global":
        return Decision(GLOBAL, "explicit scope global")
    if rule.explicit_scope == "local":
        if count < limits.project:
            return Decision(IN_SESSION, f"explicit scope local, {_times(count)}")
        return _in_projects(seen, f"explicit scope local, {_times(count)}")
    if count < min(limits.project, limits.several_projects):
        return Decision(IN_SESSION, _times(count))
    if len(seen) < 2:
        if count < limits.project:
            return Decision(IN_SESSION, _times(count))
        return _in_projects(seen, f"{_times(count)}, one project" if seen else f"{_times(count)}, no project known")
    if count < limits.several_projects:
        return Decision(IN_SESSION, f"{_times(count)}, {len(seen)} projects")
    if kind == "general":
        return Decision(GLOBAL, f"{_times(count)}, {len(seen)} projects, general domain")
    return Decision(EACH_PROJECT, f"{_times(count)}, {len(seen)} projects, {kind} domain", seen)


def _in_projects(seen: tuple[str, ...], reason: str) -> Decision:
    if not seen:
        return Decision(IN_SESSION, reason)
    return Decision(PROJECT if len(seen) == 1 else EACH_PROJECT, reason, seen)


def _times(count: int) -> str:
    return "seen once" if count == 1 else f"seen {count} times"


def target_of(rule: Rule, written: Written) -> str | None:
    """Say which target a written line serves; None when a version 1 file does not tell."""
    scope = written.scope or {"global": "global", "local": "project"}.get(rule.escalation, "")
    if scope == "global":
        return NOBODY
    if scope != "project":
        return None
    seen = projects(rule)
    if written.project and written.project not in seen:  # version 1 gave it a bare name
        return next((key for key in seen if means(written.project, key)), written.project)
    return written.project or (seen[0] if len(seen) == 1 else None)


def _set_aside(rule: Rule) -> bool:
    return bool(rule.rejected_at) and occasions(rule) <= rule.rejected_at


def outstanding(rule: Rule, decision: Decision) -> tuple[str, ...]:
    """List the targets the rule still has to be written to; a rejection holds until there is new evidence."""
    if _set_aside(rule):
        return ()
    done = {target_of(rule, written) for written in rule.written_to}
    return tuple(target for target in decision.targets if target not in done)


def superfluous(rule: Rule, decision: Decision) -> tuple[Written, ...]:
    """List lines of ours that are no longer wanted: copies after a promotion or a merge, anything of a retired rule."""
    wanted = None if decision.kind == IN_SESSION else set(decision.targets)
    # a copy goes once what covers it stands: never before, and not while a person does not want that one
    covered = wanted is not None and wanted <= {target_of(rule, written) for written in rule.written_to}
    seen: set[tuple[str, str | None]] = set()
    extra = []
    for written in rule.written_to:
        target = target_of(rule, written)
        again = (written.path, target) in seen
        seen.add((written.path, target))
        unwanted = covered and target is not None and target not in decision.targets
        if written.text and not written.adopted and (again or unwanted):
            extra.append(written)
    return tuple(extra)


def outdated(rule: Rule) -> tuple[Written, ...]:
    """List lines of ours that still say what the rule said before its text was changed, unless that was undone."""
    if _set_aside(rule):
        return ()
    now = as_bullet(rule.text)
    return tuple(w for w in rule.written_to if w.text and not w.adopted and w.text != now)


def is_due(rule: Rule, decision: Decision) -> bool:
    """Say whether some file has to change for this rule."""
    if rule.retired or decision.kind == IN_SESSION:
        return bool(superfluous(rule, decision))
    return bool(outstanding(rule, decision) or superfluous(rule, decision) or outdated(rule))


def message(rule: Rule, decision: Decision, taxonomy: Taxonomy) -> str:
    """Say it in the words agents know from version 1."""
    count, cross = occasions(rule), len(projects(rule)) > 1
    if rule.retired:
        return f"RECORDED (count={count}) → retired, nothing is written"
    if rule.explicit_scope == "global":
        return f"RECORDED (count={count}, explicit=global) → should write to GLOBAL AGENTS.md"
    if rule.explicit_scope == "local":
        return f"RECORDED (count={count}, explicit=local) → stays in project AGENTS.md"
    if decision.kind in (IN_SESSION, NOTHING):
        return f"RECORDED (count={count}) → apply in-session only"
    if not cross:
        return f"RECORDED (count={count}, same project) → candidate for PROJECT AGENTS.md"
    kind = taxonomy.kind(rule.domain)
    goal = "GLOBAL AGENTS.md" if decision.kind == GLOBAL else "EACH PROJECT AGENTS.md"
    return f"RECORDED (count={count}, cross-project, {kind} domain) → candidate for {goal}"


TREE: tuple[tuple[str, str], ...] = (
    ("retired or archived", "nothing"),
    ("explicit scope global", "GLOBAL, any count"),
    ("explicit scope local", "never beyond PROJECT; written at count ≥ 2"),
    ("count = 1", "in-session only, no file is written"),
    ("count ≥ 2, one project", "PROJECT (any domain, unknown too)"),
    ("count ≥ 2, several projects, general domain", "GLOBAL"),
    ("count ≥ 2, several projects, project-specific domain", "EACH affected PROJECT"),
    ("count ≥ 2, several projects, unknown domain", "EACH affected PROJECT, never GLOBAL"),
)
"""The tree as people read it; docs/decision-tree.md is made from it and a test holds it against `decide`."""
