"""What `escalate` would write: which line goes into which file, and what stands in the way. Reads, never writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from improve import escalate, section, taxonomy, wording
from improve.edit import Edit
from improve.errors import ImproveError, Refused
from improve.escalate import NOBODY, Decision
from improve.rule import Rule, Written, projects
from improve.workflow import destination, standing
from improve.workflow.changes import FileChange
from improve.workflow.cutoff import interrupted
from improve.workflow.destination import PERSON, Goal
from improve.workflow.here import Here
from improve.workflow.reconcile import reconcile
from improve.workflow.targets import Target, Targets


@dataclass(frozen=True, slots=True)
class Step:
    """What happens with one rule in one place."""

    rule: str
    action: str
    """`add`, `remove`, `update`, `present`, `adopt`, `rejected`, `forgotten`, `waiting`, `blocked` or `note`."""
    path: str
    text: str
    why: str


@dataclass
class Plan:
    """Everything one run would do."""

    targets: dict[str, Target] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    rules: dict[str, Rule] = field(default_factory=dict)
    """Rules as they will be recorded."""
    errors: dict[str, ImproveError] = field(default_factory=dict)
    """Path → why that file cannot be read or edited, or not for one of the rules."""
    unfit: dict[str, Refused] = field(default_factory=dict)
    """Rule → why its text may stand in no file; somebody typed it into the store."""

    @property
    def changes(self) -> list[FileChange]:
        """The files that would change."""
        return [t.change for t in self.targets.values() if t.data != t.snapshot.data]

    def rules_with(self, action: str, *, at: str) -> list[str]:
        """List the ids of the rules that have this action at a file."""
        return [step.rule for step in self.steps if step.action == action and step.path == at]

    def needed_by(self, path: str) -> list[str]:
        """List the files that must be written before a file may lose its lines: those its rules move to."""
        moving = set(self.rules_with("remove", at=path))
        return [step.path for step in self.steps if step.action == "add" and step.rule in moving]


def build(here: Here, edit: Edit, *, wanted: Iterable[str] = (), project: str = "") -> Plan:
    """Plan what `escalate` does for all due rules, or for the named ones."""
    return _Planner(here, edit, tuple(wanted), project).build()


class _Planner:
    """Builds a Plan rule by rule."""

    def __init__(self, here: Here, edit: Edit, wanted: tuple[str, ...], project: str) -> None:
        self.here = here
        self.edit = edit
        self.wanted = wanted
        self.names = here.names_of(project, edit.view) if project else ()
        self.targets = Targets(here, edit)
        self.plan = Plan(self.targets.known)
        self.ours = interrupted(here)
        self.moved: dict[tuple[str, str], Written] = {}
        """(rule, line) → how we wrote it to a file that is elsewhere by now, as when a repository was moved."""
        self.holders: dict[tuple[str, str], set[str]] = {}
        """(file, line) → ids of the rules that were recorded as written there."""

    def build(self) -> Plan:
        """Look at what stands in the files, then at what has to be written."""
        rules = {row.rule.id: row.rule for row in self.edit.index.due()} if not self.wanted else {}
        rules |= {rule_id: self.edit.view.rule(rule_id) for rule_id in self.wanted}
        for row in list(self.edit.index.written()):
            for written in row.rule.written_to:
                self.holders.setdefault((written.path, written.text), set()).add(row.rule.id)
            if not row.problems and (not self.wanted or row.rule.id in self.wanted):
                seen = reconcile(row.rule, self.targets, self.say, named=row.rule.id in self.wanted)
                if not seen.retired and any(self.targets.strays(seen, w) for w in seen.written_to):
                    rules[seen.id] = seen
                if seen is not row.rule:
                    self.plan.rules[seen.id] = rules[seen.id] = seen
                    self.moved |= {(seen.id, w.text): w for w in row.rule.written_to if not w.adopted}
        for rule in rules.values():
            self._decide(rule, named=rule.id in self.wanted)
        self.plan.errors |= self.targets.errors
        return self.plan

    def say(self, rule: Rule, action: str, path: str, text: str, why: str) -> None:
        """Note a step."""
        self.plan.steps.append(Step(rule.id, action, path, text, why))

    def _decide(self, rule: Rule, *, named: bool) -> None:
        decision = escalate.decide(rule, self.edit.view.taxonomy, self.here.config.thresholds)
        if named and not decision.targets and not rule.written_to:
            self.say(rule, "waiting", "", rule.text, f"{decision.kind}: {decision.reason}; no file is written yet")
        if decision.targets and not self._trusted(rule):
            self.say(rule, "blocked", "", rule.text, "trust is `verified` and no person's words are among its evidence")
            return
        after = rule._replace(rejected_at=0) if named else rule
        if decision.targets and not self._fit(after):
            return
        for key in escalate.outstanding(after, decision):
            if self._concerns(key, rule):
                after = self._write(after, decision, key, named=named)
        after = self._regroup(after, decision, named=named)
        after = self._tidy(after, decision)
        if after != self.edit.view.rule(rule.id):
            self.plan.rules[rule.id] = after

    def _concerns(self, key: str, rule: Rule) -> bool:
        """Say whether a target is about the project that was asked for."""
        seen = projects(rule) if key == NOBODY else (key,)
        return not self.names or any(name in self.names for name in seen)

    def _fit(self, rule: Rule) -> bool:
        """Check a text as `observe` does: rules.yaml may come from another machine or another program."""
        option = "--text"
        try:
            wording.check_rule(rule.text)
            option = "--file"
            if rule.destination:
                destination.check(rule.destination)
        except Refused as exc:
            self.plan.unfit[rule.id] = exc
            why = str(exc).replace("nothing was recorded", "it was not written")
            why += f" Change it in rules.yaml, or with: improve set {rule.id} {option}"
            self.say(rule, "blocked", "", rule.text, why)
            return False
        return True

    def _trusted(self, rule: Rule) -> bool:
        spoken = any(o.provenance in ("person", "transcript") for o in rule.observations)
        return spoken or self.here.config.trust != "verified"

    # --- writing ---

    def _write(self, rule: Rule, decision: Decision, key: str, *, named: bool, goal: Goal | None = None) -> Rule:
        goal = goal or self.targets.goal(rule, key)
        target = self.targets.open(goal.path, key) if goal.path else None
        if target is None:
            self.say(rule, "blocked", goal.path or key, rule.text, goal.why or str(self.targets.errors[goal.path]))
            return rule
        found = self._present(rule, target)
        if found:
            return self._record_present(rule, key, *found, goal=goal)
        against = None if named else standing.closest(rule, target, self.edit, "contradict")
        if against:
            why = (
                f"line {against.line} there says otherwise: {against.text!r}. Change that line, or write it "
                f"all the same with: improve escalate --apply {rule.id}"
            )
            self.say(rule, "blocked", target.path, rule.text, why)
            return rule
        if not self._loaded_for(rule, target, goal):
            return rule
        return self._add(rule, decision, key, target, goal=goal)

    def _loaded_for(self, rule: Rule, target: Target, goal: Goal) -> bool:
        """Say whether a named file is loaded for the paths that are meant and hides no other.

        A person may say that other paths will do.
        """
        hidden = standing.hides(target, goal)
        if hidden:
            self.say(rule, "blocked", target.path, rule.text, f"the file is not made: {hidden}")
            return False
        why = standing.other_paths(target, goal)
        if why and goal.by == PERSON:
            self.say(rule, "note", target.path, rule.text, why)
        elif why:
            why += f". Change them or the route, or name the file for this rule: improve set {rule.id} --file …"
            self.say(rule, "blocked", target.path, rule.text, why)
        return not why or goal.by == PERSON

    def _add(self, rule: Rule, decision: Decision, key: str, target: Target, *, goal: Goal) -> Rule:
        heading, text = goal.section or taxonomy.section_of(rule.domain), wording.as_bullet(rule.text)
        title = "" if target.data or goal.by else target.title
        try:
            edited = section.insert(target.data or standing.first_lines(goal), heading, text, title=title)
        except ImproveError as exc:
            return self._blocked(rule, target, text, exc)
        target.data = edited.data
        self.say(rule, "add", target.path, text, decision.reason)
        beside = sum(1 for bullet in target.bullets() if bullet.section == heading)
        entry = self._entry(target, key, heading, text)._replace(sent=bool(goal.by))
        return self._with(rule, entry._replace(made_section=edited.created_section, beside=beside))

    def _blocked(self, rule: Rule, target: Target, text: str, exc: ImproveError) -> Rule:
        """Leave one file as it is and go on with the others."""
        self.plan.errors.setdefault(target.path, exc)
        self.say(rule, "blocked", target.path, text, str(exc))
        return rule

    def _record_present(self, rule: Rule, key: str, target: Target, bullet: section.Bullet, *, goal: Goal) -> Rule:
        cut_off = (target.path, bullet.text) in self.ours
        moved = self.moved.get((rule.id, bullet.text))
        why = "written by a run that was cut off" if cut_off else "it stands there already"
        self.say(rule, "present", target.path, bullet.text, why)
        entry = self._entry(target, key, bullet.section, bullet.text)
        if moved:
            entry = entry._replace(beside=moved.beside, made_section=moved.made_section)
        return self._with(rule, entry._replace(adopted=not (cut_off or moved), sent=bool(goal.by)))

    def _entry(self, target: Target, key: str, heading: str, text: str) -> Written:
        scope = "global" if key == NOBODY else "project"
        return Written(target.path, self.here.today, heading, text, scope, key, target.branch, at=self.here.moment)

    def _with(self, rule: Rule, entry: Written) -> Rule:
        scope = "global" if entry.scope == "global" else "local"
        self.holders.setdefault((entry.path, entry.text), set()).add(rule.id)
        return rule._replace(written_to=(*rule.written_to, entry), escalated_at=self.here.today, escalation=scope)

    # --- what stands there ---

    def _present(self, rule: Rule, target: Target) -> tuple[Target, section.Bullet] | None:
        """Find a bullet that says the rule, in the file or in the global one that is loaded above it."""
        above = self.targets.open(self.targets.everywhere(), NOBODY) if target.key != NOBODY else None
        for place in (target, above):
            bullet = standing.saying(rule, place, self.edit) if place else None
            if place and bullet and (place is target or not self._leaves(rule, place, bullet)):
                return place, bullet
        return None

    @staticmethod
    def _leaves(rule: Rule, above: Target, bullet: section.Bullet) -> bool:
        """Say whether a line in the global file is ours and goes, because the rule belongs in projects now."""
        line = (above.path, bullet.text)
        return any((w.path, w.text) == line and not w.adopted for w in rule.written_to)

    # --- moving ---

    def _regroup(self, rule: Rule, decision: Decision, *, named: bool) -> Rule:
        """Move lines of ours whose file or section is another one by now, because a route or a person says so."""
        for written in rule.written_to:
            key = escalate.target_of(rule, written)
            goal = self.targets.strays(rule, written)
            if goal and key in decision.targets and self._concerns(key, rule) and self._stands(written):
                rule = self._move(rule, decision, written, goal=goal, named=named)
        return rule

    def _stands(self, written: Written) -> bool:
        """Say whether a line is there to be moved; one on another branch stays where it is."""
        target = self.targets.open(written.path, written.project)
        return bool(target and target.has(written.text) and written.branch in ("", target.branch))

    def _move(self, rule: Rule, decision: Decision, written: Written, *, goal: Goal, named: bool) -> Rule:
        key = escalate.target_of(rule, written) or NOBODY
        if os.path.realpath(goal.path) == written.path:
            return self._move_within(rule, decision, written, goal=goal, named=named)
        there = any(w.path == os.path.realpath(goal.path) and w is not written for w in rule.written_to)
        moved = rule if there else self._write(rule, decision, key, named=named, goal=goal)
        return rule if moved is rule and not there else self._remove(moved, written)

    def _move_within(self, rule: Rule, decision: Decision, written: Written, *, goal: Goal, named: bool) -> Rule:
        """Move a line to another section of its file: out first, for it would be found where it stands."""
        key, target = escalate.target_of(rule, written) or NOBODY, self.targets.open(written.path, written.project)
        if target is None:
            return rule
        before, said = target.data, len(self.plan.steps)
        out = self._remove(rule, written)
        moved = rule if out is rule else self._write(out, decision, key, named=named, goal=goal)
        if moved is rule or moved is out:
            target.data = before
            self.plan.steps[said:] = [step for step in self.plan.steps[said:] if step.action == "blocked"]
            return rule
        return moved

    # --- tidying ---

    def _tidy(self, rule: Rule, decision: Decision) -> Rule:
        """Remove lines of ours that are no longer wanted, update those that say an older text."""
        for written in escalate.superfluous(rule, decision):
            rule = self._remove(rule, written)
        if not rule.retired:
            for written in escalate.outdated(rule):
                if not self.names or written.project in self.names or not written.project:
                    rule = self._update(rule, written)
        return rule

    def _remove(self, rule: Rule, written: Written) -> Rule:
        target = self.targets.open(written.path, written.project)
        if target is None:
            self.say(rule, "blocked", written.path, written.text, str(self.targets.errors[written.path]))
            return rule
        rest = tuple(w for w in rule.written_to if w is not written)
        if target.has(written.text) and not self._held(written, rule, rest):
            try:
                target.data = section.remove(
                    target.data, written.text, section=written.section, drop_empty_section=written.made_section
                )
            except ImproveError as exc:
                return self._blocked(rule, target, written.text, exc)
            why = "retired" if rule.retired else "it stands in the file it belongs in"
            self.say(rule, "remove", written.path, written.text, why)
        return rule._replace(written_to=rest)

    def _held(self, written: Written, rule: Rule, rest: tuple[Written, ...]) -> bool:
        """Say whether the same line also stands for something else, so that it has to stay."""
        line = (written.path, written.text)
        return any((w.path, w.text) == line for w in rest) or bool(self.holders.get(line, set()) - {rule.id})

    def _update(self, rule: Rule, written: Written) -> Rule:
        target = self.targets.open(written.path, written.project)
        text = wording.as_bullet(rule.text)
        if target is None or not target.has(written.text):
            return rule
        try:
            target.data = section.replace(target.data, written.text, text, section=written.section).data
        except ImproveError as exc:
            return self._blocked(rule, target, text, exc)
        self.say(rule, "update", written.path, text, "the rule's text was changed")
        new = written._replace(text=text, date=self.here.today, at=self.here.moment)
        return rule._replace(written_to=tuple(new if w is written else w for w in rule.written_to))
