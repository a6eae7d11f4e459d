"""escalate: preview the plan, or carry it out as one change set."""

from __future__ import annotations

from dataclasses import dataclass, field

from improve import files
from improve.edit import Edit
from improve.errors import ImproveError, Refused
from improve.rule import Rule
from improve.workflow import changes, cutoff, plan
from improve.workflow.here import Here
from improve.workflow.plan import Plan, Step
from improve.workflow.targets import Target


@dataclass
class Outcome:
    """What a run planned and what it did."""

    plan: Plan
    applied: bool
    written: list[changes.FileChange] = field(default_factory=list)
    failures: list[tuple[str, ImproveError]] = field(default_factory=list)
    title: str = ""
    """Name of the change set; empty when nothing was changed."""

    @property
    def steps(self) -> list[Step]:
        """What happened with each rule."""
        return self.plan.steps

    @property
    def code(self) -> int:
        """The exit code: that of the worst file which could not be read or written."""
        errors = [*(error for _, error in self.failures), *self.plan.unfit.values()]
        errors += [self.plan.errors[s.path] for s in self.steps if s.action == "blocked" and s.path in self.plan.errors]
        return max((error.exit_code for error in errors), default=0)


def escalate(here: Here, *, rules: tuple[str, ...] = (), project: str = "", apply: bool = False) -> Outcome:
    """Write what is due into every file it belongs in; without *apply* nothing is changed anywhere."""
    if not apply:
        return Outcome(_planned(here, Edit(here.store, here.store.view(), here.now), rules, project), applied=False)
    with here.store.edit(here.now) as edit:
        cutoff.recover(here, edit)
        planned = _planned(here, edit, rules, project)
        outcome = Outcome(planned, applied=True)
        if not (planned.changes or planned.rules):
            return outcome
        outcome.title = _carry_out(here, edit, planned, outcome)
    return outcome


def _carry_out(here: Here, edit: Edit, planned: Plan, outcome: Outcome) -> str:
    """Write the files, then the store; returns what the change set is called."""
    change = changes.new_id()
    said = {"change": change, "title": "escalate, cut off", "rules": list(planned.rules)}
    if planned.changes:
        cutoff.intend(here, "applying", **said, files=[c.record() for c in planned.changes])
    with cutoff.all_or_nothing(here, edit, planned.changes):
        failed = _write_files(here, planned, outcome)
        done = [_as_written(rule, edit.view.rule(rule.id), failed) for rule in planned.rules.values()]
        for rule in done:
            edit.put(rule)
        title = _title(planned, outcome)
        changes.commit(edit, "applied", title, rules=[r.id for r in done], changed=outcome.written, change=change)
    return title


def _planned(here: Here, edit: Edit, rules: tuple[str, ...], project: str) -> Plan:
    key = here.project_key(project, edit.view) if project else ""
    return plan.build(here, edit, wanted=rules, project=key)


def _as_written(rule: Rule, before: Rule, failed: set[str]) -> Rule:
    """Leave what a rule says about files that could not be written as it was."""
    if not failed & {w.path for w in {*rule.written_to} ^ {*before.written_to}}:
        return rule
    kept = [w for w in rule.written_to if w.path not in failed]
    return rule._replace(written_to=(*kept, *(w for w in before.written_to if w.path in failed)))


def _write_files(here: Here, planned: Plan, outcome: Outcome) -> set[str]:
    """Replace each file; one that fails is reported and the others are written all the same.

    Files that lose a line come last: a copy goes only once the line stands where it belongs now.
    """
    failed: set[str] = set()
    changed = [target for target in planned.targets.values() if target.data != target.snapshot.data]
    for target in sorted(changed, key=lambda t: bool(planned.rules_with("remove", at=t.path))):
        try:
            missing = [path for path in planned.needed_by(target.path) if path in failed]
            if missing:
                where = ", ".join(map(here.short, missing))
                raise Refused(f"it keeps its lines, because {where} could not be written")
            files.replace(target.snapshot, target.data, make_parents=True)
            outcome.written.append(target.change)
        except ImproveError as exc:
            outcome.failures.append((target.path, exc))
            if _landed(target):  # all but the sync of its directory went well
                outcome.written.append(target.change)
            else:
                failed.add(target.path)
    return failed


def _landed(target: Target) -> bool:
    """Say whether a file is as it was meant to be, though writing it was reported as a failure."""
    try:
        return files.read(target.path, cap=changes.CAP).data == target.data
    except ImproveError:
        return False


def _title(planned: Plan, outcome: Outcome) -> str:
    words = {
        "add": "write",
        "update": "update",
        "remove": "remove",
        "present": "find",
        "adopt": "adopt",
        "rejected": "set aside",
    }
    actions = [step.action for step in planned.steps]
    said = ", ".join(f"{word} {actions.count(name)}" for name, word in words.items() if name in actions)
    where = f" in {len(outcome.written)} file{'s' * (len(outcome.written) != 1)}" if outcome.written else ""
    return f"escalate: {said or 'update the record'}{where}"
