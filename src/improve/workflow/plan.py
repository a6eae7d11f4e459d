"""What `escalate` would write: which line goes into which file, and what stands in the way. Reads, never writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from improve import escalate, files, gitdir, hosts, section, taxonomy, wording
from improve.errors import ImproveError, Refused
from improve.escalate import NOBODY, Decision
from improve.rule import Rule, Written, occasions
from improve.store import Edit
from improve.workflow.changes import FileChange, interrupted
from improve.workflow.here import Here

CAP = 1 << 20
GLOBAL_TITLE = "Global Agent Rules"
PROJECT_TITLE = "Project Agent Rules"


@dataclass
class Target:
    """One instruction file being planned: as read, and as it would be."""

    path: str
    snapshot: files.Snapshot
    data: bytes
    key: str
    """Project it belongs to; empty for the global file."""
    title: str
    branch: str = ""

    @property
    def change(self) -> FileChange:
        """What would be written."""
        return FileChange(self.snapshot.path, self.snapshot.data, self.data, self.snapshot.exists)


@dataclass(frozen=True, slots=True)
class Step:
    """What happens with one rule in one place."""

    rule: str
    action: str
    """`add`, `remove`, `update`, `present`, `adopt`, `rejected`, `waiting` or `blocked`."""
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

    @property
    def changes(self) -> list[FileChange]:
        """The files that would change."""
        return [t.change for t in self.targets.values() if t.data != t.snapshot.data]

    @property
    def blocked(self) -> list[Step]:
        """What could not be planned."""
        return [step for step in self.steps if step.action == "blocked"]


class Planner:
    """Builds a Plan rule by rule; each file is read once."""

    def __init__(self, here: Here, edit: Edit, *, wanted: tuple[str, ...] = (), project: str = "") -> None:
        self.here = here
        self.edit = edit
        self.wanted = wanted
        self.project = project
        self.plan = Plan()
        self.ours = interrupted(here)
        self._unreadable: dict[str, str] = {}

    def build(self) -> Plan:
        """Look at what stands in the files, then at what has to be written."""
        for row in list(self.edit.index.written()):
            if not row.problems and (not self.wanted or row.rule.id in self.wanted):
                self._reconcile(row.rule)
        rules = [self.edit.view.rule(i) for i in self.wanted] or [row.rule for row in self.edit.index.due()]
        fresh = [r for r in self.plan.rules.values() if r.id not in {x.id for x in rules}]
        for rule in [*rules, *fresh]:
            self._decide(self.plan.rules.get(rule.id, rule), named=rule.id in self.wanted)
        return self.plan

    # --- what a person did to our lines ---

    def _reconcile(self, rule: Rule) -> None:
        """Adopt a line that was reworded; take a deleted one as a rejection."""
        kept: list[Written] = []
        current = rule
        for written in rule.written_to:
            outcome = self._look_at(current, written)
            if outcome is None:
                current = replace(current, rejected_at=occasions(current))
                self._step(
                    rule,
                    "rejected",
                    written.path,
                    written.text,
                    "somebody deleted the line; it comes back only with new occasions",
                )
                continue
            if outcome is not written:
                current = self._adopt_words(current, outcome)
            kept.append(outcome)
        if tuple(kept) != rule.written_to:
            self.plan.rules[rule.id] = replace(current, written_to=tuple(kept))

    def _look_at(self, rule: Rule, written: Written) -> Written | None:
        """Return the entry as it stands now, None when the line was deleted."""
        if not written.text or not os.path.isabs(written.path):
            return written
        target = self._target(written.path, written.project, GLOBAL_TITLE)
        if target is None or not target.snapshot.exists or (written.branch and target.branch != written.branch):
            return written
        bullets = section.bullets(target.data)
        if any(b.text == written.text for b in bullets):
            return written
        from improve import match

        norm = match.normalize(wording.plain(written.text))
        for bullet in bullets:
            if match.normalize(wording.plain(bullet.text)) == norm:
                return replace(written, text=bullet.text, section=bullet.section)
        for bullet in bullets:
            if bullet.section == written.section and self._reworded(rule, wording.plain(bullet.text)):
                return replace(written, text=bullet.text, adopted=True)
        return None

    def _reworded(self, rule: Rule, said: str) -> bool:
        """A line in the same place that means the rule, or shares most of it, and is no other rule's."""
        from improve import match

        other = self.edit.index.same_wording(match.normalize(said))
        if other and other.rule.id != rule.id:
            return False
        if match.compare(rule.text, said).relation == "same":
            return True
        from difflib import SequenceMatcher

        return SequenceMatcher(None, match.normalize(rule.text), match.normalize(said)).ratio() >= 0.6

    def _adopt_words(self, rule: Rule, written: Written) -> Rule:
        said = wording.plain(written.text)
        if said == rule.text or not written.adopted:
            return rule
        try:
            said = wording.check_rule(said)
        except Refused:
            return rule
        self._step(rule, "adopt", written.path, written.text, "somebody reworded the line; their wording wins")
        aliases = tuple(a for a in dict.fromkeys((*rule.aliases, rule.text)) if a != said)
        return replace(rule, text=said, aliases=aliases)

    # --- what has to be written ---

    def _decide(self, rule: Rule, *, named: bool) -> None:
        decision = escalate.decide(rule, self.edit.view.taxonomy, self.here.config.thresholds)
        if named and not decision.targets and not rule.written_to:
            self._step(rule, "waiting", "", rule.text, f"{decision.kind}: {decision.reason}; no file is written yet")
        if named and rule.rejected_at:
            rule = replace(rule, rejected_at=0)
        if decision.targets and not self._trusted(rule):
            self._step(
                rule, "blocked", "", rule.text, "trust is `verified` and no person's words are among its evidence"
            )
            return
        after = rule
        for target in escalate.outstanding(rule, decision):
            if not self.project or target == self.project or (target == NOBODY and self.project in self._seen_in(rule)):
                after = self._write(after, decision, target, named=named)
        if not escalate.outstanding(after, decision):
            after = self._tidy(after, decision)
        if after != self.edit.view.rule(rule.id):
            self.plan.rules[rule.id] = after

    @staticmethod
    def _seen_in(rule: Rule) -> tuple[str, ...]:
        from improve.rule import projects

        return projects(rule)

    def _trusted(self, rule: Rule) -> bool:
        if self.here.config.trust != "verified":
            return True
        return any(o.provenance in ("person", "transcript") for o in rule.observations)

    def _tidy(self, rule: Rule, decision: Decision) -> Rule:
        """Remove lines of ours that are no longer wanted, update those that say an older text."""
        for written in escalate.superfluous(rule, decision):
            rule = self._remove(rule, written)
        if not rule.retired:
            for written in escalate.outdated(rule):
                rule = self._update(rule, written)
        return rule

    def _write(self, rule: Rule, decision: Decision, key: str, *, named: bool) -> Rule:
        path, why = self._where(rule, key)
        if not path:
            self._step(rule, "blocked", key, rule.text, why)
            return rule
        target = self._target(path, key, GLOBAL_TITLE if key == NOBODY else PROJECT_TITLE)
        if target is None:
            self._step(rule, "blocked", path, rule.text, self._unreadable[path])
            return rule
        heading = (
            rule.destination.section
            if rule.destination and rule.destination.section
            else taxonomy.section_of(rule.domain)
        )
        text = wording.as_bullet(rule.text)
        present = self._present(rule, target)
        if present:
            return self._record_present(rule, target, *present)
        against = None if named else self._contradicted(rule, target)
        if against:
            self._step(
                rule,
                "blocked",
                target.path,
                text,
                f"line {against.line} there says otherwise: {against.text!r}. Change that line, or write it "
                f"all the same with: improve escalate --apply {rule.id}",
            )
            return rule
        edited = section.insert(target.data, heading, text, title=target.title if not target.snapshot.exists else "")
        target.data = edited.data
        self._step(rule, "add", target.path, text, decision.reason)
        entry = Written(
            target.snapshot.path,
            self.here.today,
            heading,
            text,
            "global" if key == NOBODY else "project",
            key,
            target.branch,
            made_section=edited.created_section,
        )
        return self._with(rule, entry)

    def _with(self, rule: Rule, entry: Written) -> Rule:
        return replace(
            rule,
            written_to=(*rule.written_to, entry),
            escalated_at=self.here.today,
            escalation="global" if entry.scope == "global" else "local",
        )

    def _record_present(self, rule: Rule, target: Target, path: str, bullet: section.Bullet) -> Rule:
        ours = (path, bullet.text) in self.ours
        self._step(
            rule,
            "present",
            path,
            bullet.text,
            "it stands there already" if not ours else "written by a run that was cut off",
        )
        return self._with(
            rule,
            Written(
                path,
                self.here.today,
                bullet.section,
                bullet.text,
                "global" if target.key == NOBODY else "project",
                target.key,
                target.branch,
                adopted=not ours,
            ),
        )

    def _present(self, rule: Rule, target: Target) -> tuple[str, section.Bullet] | None:
        """Find a bullet that says the rule, in the file or in the global one that is loaded above it."""
        places = [target]
        if target.key != NOBODY:
            above = self._target(hosts.global_choice(self.here.home.user, self.here.env).path, NOBODY, GLOBAL_TITLE)
            places += [above] if above else []
        for place in places:
            bullet = self._says(rule, place.data)
            if bullet:
                return place.snapshot.path, bullet
        return None

    def _says(self, rule: Rule, data: bytes) -> section.Bullet | None:
        from improve import match

        bullets = section.bullets(data)
        wanted = {match.normalize(text) for text in (rule.text, *rule.aliases)}
        for bullet in bullets:
            if match.normalize(wording.plain(bullet.text)) in wanted:
                return bullet
        said = match.Shelf([wording.plain(b.text) for b in bullets])
        for at, _ in said.nearest(rule.text, 5):
            if match.compare(rule.text, wording.plain(bullets[at].text)).relation == "same" and not self._other_rules(
                rule, bullets[at]
            ):
                return bullets[at]
        return None

    def _other_rules(self, rule: Rule, bullet: section.Bullet) -> bool:
        """A line that another stored rule owns, and that somebody called different, is not this rule."""
        from improve import match

        other = self.edit.index.same_wording(match.normalize(wording.plain(bullet.text)))
        return bool(other and other.rule.id != rule.id and other.rule.id in rule.distinct_from)

    def _contradicted(self, rule: Rule, target: Target) -> section.Bullet | None:
        from improve import match

        bullets = section.bullets(target.data)
        said = match.Shelf([wording.plain(b.text) for b in bullets])
        for at, _ in said.nearest(rule.text, 5):
            if match.compare(rule.text, wording.plain(bullets[at].text)).relation == "contradict":
                return bullets[at]
        return None

    def _remove(self, rule: Rule, written: Written) -> Rule:
        target = self._target(written.path, written.project, "")
        if target is None:
            self._step(rule, "blocked", written.path, written.text, self._unreadable[written.path])
            return rule
        try:
            target.data = section.remove(
                target.data, written.text, section=written.section, drop_empty_section=written.made_section
            )
        except Refused as exc:
            if target.snapshot.exists and any(b.text == written.text for b in section.bullets(target.data)):
                self._step(rule, "blocked", written.path, written.text, str(exc))
                return rule
        else:
            self._step(
                rule,
                "remove",
                written.path,
                written.text,
                "retired" if rule.retired else "it stands in a file that covers this one",
            )
        return replace(rule, written_to=tuple(w for w in rule.written_to if w is not written))

    def _update(self, rule: Rule, written: Written) -> Rule:
        target = self._target(written.path, written.project, "")
        text = wording.as_bullet(rule.text)
        if target is None or not any(b.text == written.text for b in section.bullets(target.data)):
            return rule
        target.data = section.replace(target.data, written.text, text, section=written.section).data
        self._step(rule, "update", written.path, text, "the rule's text was changed")
        new = replace(written, text=text, date=self.here.today)
        return replace(rule, written_to=tuple(new if w is written else w for w in rule.written_to))

    # --- files ---

    def _where(self, rule: Rule, key: str) -> tuple[str, str]:
        """Name the file for a target, or say why there is none."""
        if key == NOBODY:
            named = rule.destination.path if rule.destination and os.path.isabs(rule.destination.path) else ""
            return named or hosts.global_choice(self.here.home.user, self.here.env).path, ""
        roots = self.here.roots_of(key, self.edit.view)
        if not roots:
            return "", (
                f"the project {key} has no directory on this machine; nothing was written for it. Run `improve where` "
                "inside a clone of it once"
            )
        if rule.destination:
            return os.path.join(roots[0], os.path.expanduser(rule.destination.path)), ""
        inside = bool(self.here.project and self.here.project.key == key)
        return hosts.project_choice(roots[0], self.here.env, here=inside).path, ""

    def _target(self, path: str, key: str, title: str) -> Target | None:
        """Read a file once; two names of one file are one target."""
        if path in self._unreadable:
            return None
        try:
            snapshot = files.read(path, cap=CAP, within=self._fence(path, key))
            if snapshot.path in self.plan.targets:
                return self.plan.targets[snapshot.path]
            for target in self.plan.targets.values():
                if snapshot.exists and (target.snapshot.dev, target.snapshot.ino) == (snapshot.dev, snapshot.ino):
                    return target
            folder = os.path.dirname(snapshot.path)
            siblings = os.listdir(folder) if os.path.isdir(folder) else []
            section.check_editable(snapshot.data, siblings=siblings)
        except ImproveError as exc:
            self._unreadable[path] = str(exc)
            return None
        target = Target(path, snapshot, snapshot.data, key, title, gitdir.branch(folder))
        self.plan.targets[snapshot.path] = target
        return target

    def _fence(self, path: str, key: str) -> str | None:
        """A project's file must lie inside the project; a person's own links may lead anywhere."""
        if key == NOBODY:
            return None
        return next((root for root in self.here.roots_of(key, self.edit.view) if path.startswith(root + os.sep)), None)

    def _step(self, rule: Rule, action: str, path: str, text: str, why: str) -> None:
        self.plan.steps.append(Step(rule.id, action, path, text, why))


def build(here: Here, edit: Edit, *, wanted: Iterable[str] = (), project: str = "") -> Plan:
    """Plan what `escalate` does for all due rules, or for the named ones."""
    return Planner(here, edit, wanted=tuple(wanted), project=project).build()
