"""Change rules by hand: set, merge, split, retire, restore. Each is a change set that `undo` takes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from improve import escalate, guards, wording
from improve.edit import Edit
from improve.errors import Refused, UsageError
from improve.rule import UNKNOWN, Destination, Rule, projects
from improve.workflow import changes
from improve.workflow.here import Here
from improve.workflow.record import free_id


@dataclass(frozen=True, slots=True)
class Changed:
    """A rule before and after, and what to know about it."""

    before: Rule
    after: Rule
    notes: tuple[str, ...] = ()
    title: str = ""
    """Name of the change set; empty when nothing was changed."""


class Wanted(NamedTuple):
    """What `set` is to change; what is empty stays."""

    domain: str = ""
    scope: str = ""
    """`global`, `local`, or `none` to take an explicit scope back."""
    severity: int = 0
    text: str = ""
    path: str = ""
    """A file, or `none` to take it back."""
    section: str = ""
    paths: tuple[str, ...] = ()


def set_fields(here: Here, rule_id: str, wanted: Wanted) -> Changed:
    """Set what is given."""
    if not any(wanted):
        raise UsageError("nothing to set; give --domain, --scope, --severity, --text or --file")
    with here.store.edit(here.now) as edit:
        rule = edit.view.rule(rule_id)
        after = rule
        if wanted.text:
            after = _reworded(edit, after, wording.check_rule(wanted.text))
        after = after._replace(
            domain=edit.view.taxonomy.spelled(wanted.domain) or after.domain,
            explicit_scope={"none": "", "": after.explicit_scope}.get(wanted.scope, wanted.scope),
            severity=wanted.severity or after.severity,
            destination=_destination(here, edit, rule, wanted),
        )
        if after == rule:
            return Changed(rule, rule, ("it says so already; nothing was changed",))
        edit.put(after)
        what = [{"path": "file"}.get(name, name) for name, given in wanted._asdict().items() if given]
        changes.commit(edit, "set", f"set {', '.join(what)} of {rule_id}", rules=[rule_id])
        notes = _domain_notes(edit, rule, after) + _moves(here, edit, after)
    return Changed(rule, after, notes, f"set {', '.join(what)} of {rule_id}")


def _destination(here: Here, edit: Edit, rule: Rule, wanted: Wanted) -> Destination | None:
    """Say where a rule is to stand; heading and globs may be changed by themselves."""
    from improve.workflow import destination

    old = rule.destination
    if wanted.path == "none":
        if wanted.section or wanted.paths:
            raise UsageError("--file none takes neither --section nor --paths; nothing was changed")
        return None
    if wanted.path:
        own = [here.project.root] if here.project else []
        roots = [root for key in projects(rule) for root in here.roots_of(key, edit.view)]
        return destination.named(wanted.path, wanted.section, wanted.paths, [*own, *roots], cwd=here.cwd)
    if not (wanted.section or wanted.paths):
        return old
    if old is None:
        raise UsageError(f"{'--section' if wanted.section else '--paths'} is about a --file; nothing was changed")
    paths = destination.check_paths(old.path, wanted.paths) or old.paths
    return old._replace(section=wanted.section or old.section, paths=paths)


def _moves(here: Here, edit: Edit, after: Rule) -> tuple[str, ...]:
    from improve.workflow.targets import Targets

    targets = Targets(here, edit)
    if after.retired or not any(targets.strays(after, written) for written in after.written_to):
        return ()
    return (f"its line moves there with: improve escalate --apply {after.id}",)


def _reworded(edit: Edit, rule: Rule, text: str) -> Rule:
    from improve import match

    norm = match.normalize(text)
    other = edit.index.same_wording(norm)
    if other and other.rule.id != rule.id:
        raise Refused(
            f"{other.rule.id!r} already says this; nothing was changed. "
            f"Join them with: improve merge {other.rule.id} {rule.id}"
        )
    aliases = tuple(a for a in dict.fromkeys((*rule.aliases, rule.text)) if match.normalize(a) != norm)
    return rule._replace(text=text, aliases=aliases)


def _domain_notes(edit: Edit, before: Rule, after: Rule) -> tuple[str, ...]:
    taxonomy = edit.view.taxonomy
    old = escalate.decide(before, taxonomy, edit.store.config.thresholds)
    new = escalate.decide(after, taxonomy, edit.store.config.thresholds)
    notes = []
    if after.domain not in (UNKNOWN, *taxonomy.general, *taxonomy.project_specific):
        near = "" if after.domain in taxonomy.known else taxonomy.closest(after.domain)
        notes.append(
            f"the domain {after.domain!r} is in neither list of domain_taxonomy in rules.yaml, "
            "so it stays in each project"
            + (f"; if you meant {near}: improve set {after.id} --domain {near}" if near else "")
        )
    if old.kind != new.kind:
        notes.append(f"decision: {old.kind} → {new.kind} ({new.reason})")
    if escalate.is_due(after, new):
        notes.append(f"see what would change with: improve escalate {after.id}")
    return tuple(notes)


def absorbed(keep: Rule, gone: Rule) -> Rule:
    """Join two rules that mean the same: the first keeps its words and takes over the other's evidence and places."""
    moved = tuple(o._replace(wording=o.wording or gone.text) for o in gone.observations)
    together = sorted((*keep.observations, *moved), key=lambda o: (o.at or o.date, o.oid))
    aliases = dict.fromkeys((*keep.aliases, gone.text, *gone.aliases))
    aliases.pop(keep.text, None)
    pair = {keep.id, gone.id}
    # a person turned a guard on, so joining two rules does not turn it off
    watched = max((keep, gone), key=lambda rule: (guards.strength(rule.guard), rule.check is not None))
    return keep._replace(
        observations=tuple(together),
        folded=(*keep.folded, *gone.folded),
        aliases=tuple(aliases),
        created=min(filter(None, (keep.created, gone.created)), default=""),
        last_reinforced=max(keep.last_reinforced, gone.last_reinforced),
        domain=keep.domain if keep.domain != UNKNOWN else gone.domain,
        explicit_scope=keep.explicit_scope or gone.explicit_scope,
        severity=max(keep.severity, gone.severity),
        destination=keep.destination or gone.destination,
        written_to=(*keep.written_to, *gone.written_to),
        escalation=keep.escalation or gone.escalation,
        escalated_at=keep.escalated_at or gone.escalated_at,
        near=tuple(i for i in dict.fromkeys((*keep.near, *gone.near)) if i not in pair),
        distinct_from=tuple(i for i in dict.fromkeys((*keep.distinct_from, *gone.distinct_from)) if i not in pair),
        supersedes=tuple(dict.fromkeys((*keep.supersedes, *gone.supersedes, gone.id))),
        check=watched.check,
        guard=watched.guard,
    )


def merge(here: Here, keep_id: str, gone_id: str) -> Changed:
    """Make two rules one; the second's words become an alias."""
    if keep_id == gone_id:
        raise UsageError("a rule cannot be merged with itself; name two ids")
    with here.store.edit(here.now) as edit:
        keep, gone = edit.view.rule(keep_id), edit.view.rule(gone_id)
        after = absorbed(keep, gone)
        edit.drop(gone_id)
        edit.put(after)
        changes.commit(edit, "merged", f"merge {gone_id} into {keep_id}", rules=[keep_id, gone_id])
    return Changed(
        keep,
        after,
        (f"{gone_id} is now an alias of {keep_id}",),
        f"merge {gone_id} into {keep_id}",
    )


def split(here: Here, rule_id: str, phrase: str) -> tuple[Changed, Rule]:
    """Take one wording out of a rule and make it a rule of its own, with the observations and lines that used it."""
    with here.store.edit(here.now) as edit:
        rule = edit.view.rule(rule_id)
        left, new = _parted(rule, phrase, today=here.today)
        edit.put(left)
        new = new._replace(id=free_id(here, edit, new.text))
        edit.put(new)
        after = left._replace(distinct_from=tuple(dict.fromkeys((*left.distinct_from, new.id))))
        edit.put(after)
        changes.commit(edit, "split", f"split {new.id} from {rule_id}", rules=[rule_id, new.id])
    return Changed(rule, after, (), f"split {new.id} from {rule_id}"), new


def _parted(rule: Rule, phrase: str, *, today: str) -> tuple[Rule, Rule]:
    """Part a rule in what stays and what goes with a wording; what the user said of scope and cost is true of both."""
    from improve import match

    norm = match.normalize(phrase)
    found = next((a for a in rule.aliases if match.normalize(a) == norm), None)
    if found is None:
        known = "; ".join(rule.aliases) or "it has none"
        raise Refused(f"{rule.id!r} has no other wording {phrase!r}; nothing was changed. Its wordings: {known}")
    theirs = tuple(o for o in rule.observations if match.normalize(o.wording) == norm)
    lines = tuple(w for w in rule.written_to if match.normalize(wording.plain(w.text)) == norm)
    days = sorted(o.date for o in theirs)
    left = rule._replace(
        aliases=tuple(a for a in rule.aliases if a != found),
        observations=tuple(o for o in rule.observations if o not in theirs),
        written_to=tuple(w for w in rule.written_to if w not in lines),
    )
    return left, Rule(
        id="",
        text=found,
        domain=rule.domain,
        explicit_scope=rule.explicit_scope,
        severity=rule.severity,
        destination=rule.destination,
        observations=tuple(o._replace(wording="") for o in theirs),
        created=days[0] if days else today,
        last_reinforced=days[-1] if days else "",
        written_to=lines,
        escalation=rule.escalation if lines else "",
        escalated_at=rule.escalated_at if lines else "",
        distinct_from=(rule.id,),
    )


def retire(here: Here, rule_id: str, because: str = "") -> Changed:
    """Set a rule aside for good; lines of ours go with the next `escalate --apply`."""
    reason = wording.check_evidence(because)
    with here.store.edit(here.now) as edit:
        rule = edit.view.rule(rule_id)
        after = rule._replace(retired=True, retired_because=reason or rule.retired_because)
        if after == rule:
            return Changed(rule, rule, ("it is retired already; nothing was changed",))
        edit.put(after)
        changes.commit(edit, "retired", f"retire {rule_id}", rules=[rule_id])
        lines = escalate.superfluous(after, escalate.decide(after, edit.view.taxonomy))
    ours = [f"its line in {here.short(w.path)} goes with: improve escalate --apply {rule_id}" for w in lines]
    theirs = [w.path for w in after.written_to if w.adopted]
    stay = [f"the line in {here.short(path)} was there before and stays; delete it by hand" for path in theirs]
    notes = tuple(dict.fromkeys((*ours, *stay)))
    return Changed(rule, after, notes, f"retire {rule_id}")


def restore(here: Here, rule_id: str) -> Changed:
    """Make a retired, set-aside or archived rule active again."""
    from improve.workflow import resolve

    back = resolve.restore(here, rule_id)
    if back is not None:
        note = "it is out of the archive, with all its evidence; whether it holds is measured anew"
        gone = f"its line is in no file; see where it would go: improve escalate {rule_id}"
        told: tuple[str, ...] = (note,) if back.written_to else (note, gone)
        return Changed(back._replace(retired=True), back, told, f"restore {rule_id} from the archive")
    with here.store.edit(here.now) as edit:
        rule = edit.view.rule(rule_id)
        after = rule._replace(retired=False, retired_because="", rejected_at=0)
        if after == rule:
            return Changed(rule, rule, ("it is active already; nothing was changed",))
        edit.put(after)
        changes.commit(edit, "restored", f"restore {rule_id}", rules=[rule_id])
        notes = _domain_notes(edit, rule, after)
    return Changed(rule, after, notes, f"restore {rule_id}")


def stale(here: Here, days: int) -> list[tuple[Rule, int]]:
    """List active rules that nobody has needed for a number of days, those that are worth least by now first."""
    from improve.rank import rank
    from improve.workflow import moments

    view = here.store.view()
    found = []
    for row in view.index.all():
        last = row.rule.last_reinforced or row.rule.created
        if row.rule.retired or not last or not row.rule.id:
            continue
        age = moments.age(last, here.today)
        if age is not None and age >= days:
            found.append((row.rule, age))
    return sorted(found, key=lambda pair: (rank(pair[0], here.config.half_life), -pair[1]))
