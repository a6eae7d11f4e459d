"""observe: spool first, then merge into rules.yaml; say what it matched and what it may be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from improve import escalate, files, spool
from improve.edit import Edit
from improve.errors import EnvironmentFailure, ImproveError, NeedsRepair, NoSuchRule, Refused
from improve.escalate import Decision
from improve.layout import Place
from improve.rule import UNKNOWN, Observation, Rule, occasions, projects
from improve.spool import Pending
from improve.taxonomy import Taxonomy
from improve.workflow.here import Here
from improve.workflow.likeness import Likeness, similar
from improve.workflow.register import register

NEAR = 5
LEAST_SEVERITY = 2
"""Below it a recurrence costs nothing, and nothing is stored."""
_PATIENCE = 0.3


class Recorded(NamedTuple):
    """What became of one observation."""

    rule: Rule
    decision: Decision
    message: str
    taxonomy: Taxonomy
    how: str
    """`new`, `same wording`, `matched`, `named`, `settled`, `already there`, `back` (out of the archive) or
    `archived` (added there)."""
    score: float = 1.0
    near: tuple[Likeness, ...] = ()
    contradicts: tuple[Likeness, ...] = ()
    unplaced: tuple[str, ...] = ()
    """Projects that have no directory on this machine."""


def observe(here: Here, pending: Pending) -> Recorded:
    """Record an observation; once it is spooled it is safe, whatever happens after.

    Raises:
        ImproveError: not merged yet; the message says that the observation is kept.
        NoSuchRule: `--same-as` names none; nothing is kept.
        Refused: improve is switched off here, or its severity is below what is kept; nothing is kept.
    """
    if 0 < pending.severity < LEAST_SEVERITY:
        raise Refused(
            f"severity {pending.severity} is below what is kept ({LEAST_SEVERITY} to 5); nothing was recorded"
        )
    if why := here.off():  # before anything is spooled
        raise Refused(why)
    _check_named(here, pending)
    path, shut_out = spool.keep(here.home, pending)
    if shut_out:
        raise EnvironmentFailure(_kept(str(shut_out)))
    try:
        with here.store.edit(here.now) as edit:
            results, refused = merge_waiting(here, edit)
            if pending.oid in refused:
                raise refused[pending.oid]
            recorded = results.get(pending.oid) or _found_merged(edit, pending, path)
            unknown = pending.same_as and edit.index.by_id(pending.same_as) is None
    except ImproveError as exc:
        exc.args = (_kept(str(exc)),)
        raise
    if recorded:
        return recorded
    if unknown:
        files.unlink(path)
        raise NoSuchRule(f"no rule has the id {pending.same_as!r}; nothing was recorded")
    raise EnvironmentFailure(_kept(f"cannot read {path} now"))


def _kept(why: str) -> str:
    """Say that the observation is safe; whoever is told to run it again would count it twice."""
    reason, _, _ = why.partition("nothing was written")
    return f"{reason.rstrip(' ,;.')}. The observation is kept and merged by the next command that can; do not repeat it"


def _check_named(here: Here, pending: Pending) -> None:
    """Refuse an unknown id before anything is spooled; an unreadable store is no reason to refuse."""
    if pending.same_as:
        try:
            view = here.store.view()
        except ImproveError:
            return
        from improve.workflow import archive

        there = archive.glance(here)
        if there is None or not there.index.has_id(pending.same_as):
            view.rule(pending.same_as)


def _found_merged(edit: Edit, pending: Pending, path: str) -> Recorded | None:
    """Another command may have merged our file between our spooling and our lock."""
    row = edit.index.holder(pending.oid)
    if row is None and not os.path.lexists(path):  # so many came after it that it is part of a total by now
        from improve import match

        named = edit.index.by_id(pending.same_as) if pending.same_as else None
        row = named or edit.index.same_wording(match.normalize(pending.text))
    return _recorded(edit, row.rule, "already there") if row else None


def merge_waiting(here: Here, edit: Edit) -> tuple[dict[str, Recorded], dict[str, NeedsRepair]]:
    """Merge everything that waits in the spool, oldest first; returns results and refusals by observation.

    One whose rule somebody has to mend first stays in the spool, and the others go on.
    """
    done: list[str] = []
    results: dict[str, Recorded] = {}
    refused: dict[str, NeedsRepair] = {}
    told: list[dict[str, Any]] = []
    for path in spool.everything(here.home):
        pending = spool.load(path)
        if pending is None:
            continue
        if os.path.dirname(path) == here.home.refuge:  # whoever is in a sandbox is no person at a terminal
            pending = pending._replace(provenance="agent")
        try:
            recorded = _merge(here, edit, pending)
        except NeedsRepair as exc:
            refused[pending.oid] = exc
            continue
        if recorded is None:
            continue
        done.append(path)
        results[pending.oid] = recorded
        told.append(
            {
                "oid": pending.oid,
                "rule": recorded.rule.id,
                "how": recorded.how,
                "score": round(recorded.score, 3),
                "occasions": occasions(recorded.rule),
                "decision": recorded.decision.kind,
            }
        )
    if done:
        edit.commit({"event": "observed", "observations": told})
        _leave_the_archive(here, [recorded.rule.id for recorded in results.values() if recorded.how == "back"])
        for path in done:
            files.unlink(path)
    return results, refused


def _leave_the_archive(here: Here, back: list[str]) -> None:
    """Take rules that came back out of the archive; one that stays there too is passed over."""
    if back:
        import contextlib

        from improve.workflow import archive

        with contextlib.suppress(ImproveError, OSError):
            archive.forget(here, back)


def drain(here: Here) -> int:
    """Merge what waits, if anything does; a store that cannot be changed now is left for later."""
    if not spool.everything(here.home) or here.off():
        return 0
    if os.path.isdir(here.home.path) and not os.access(here.home.path, os.W_OK):  # in a sandbox: nothing can be merged
        return 0
    # a command that only looks does not wait for one that writes
    with here.store.edit(here.now, timeout=_PATIENCE) as edit:
        return len(merge_waiting(here, edit)[0])


def _merge(here: Here, edit: Edit, pending: Pending) -> Recorded | None:
    if row := edit.index.holder(pending.oid):
        return _recorded(edit, row.rule, "already there")
    pending = register(here, edit, pending)
    if pending.same_as:
        return _from_archive(here, edit, pending) or _merge_named(edit, pending)
    rule, how, score, likenesses = _match(edit, pending)
    if rule is None:
        return _from_archive(here, edit, pending) or _add_new(here, edit, pending, likenesses)
    if pending.new:
        return _keep_apart(edit, pending, rule)
    return _reinforce(edit, rule, pending, how, score)


def _from_archive(here: Here, edit: Edit, pending: Pending) -> Recorded | None:
    """Bring back an archived rule that is named, or that these words say again: it did not hold after all."""
    from improve.workflow import archive

    there = archive.glance(here)
    if there is None or edit.index.has_id(pending.same_as):
        return None
    if row := there.index.holder(pending.oid):  # a transcript that is read anew
        return None if edit.index.has_id(row.rule.id) else _recorded(edit, row.rule, "already there")
    named = pending.same_as or archive.named_in(there, pending.text, alike=not pending.new)
    row = there.index.by_id(named) if named else None
    if row is None or edit.index.has_id(named):
        return None
    if pending.date < archive.since(row.rule):
        archive.put(here, _reinforced(row.rule, pending))
        return _recorded(edit, row.rule, "archived")
    rule = archive.bring_back(here, edit, named)
    return _reinforce(edit, rule, pending, "back", 1.0) if rule else None


def _match(edit: Edit, pending: Pending) -> tuple[Rule | None, str, float, list[Likeness]]:
    from improve import match

    row = edit.index.same_wording(match.normalize(pending.text))
    if row:
        return row.rule, "same wording", 1.0, []
    likenesses = similar(edit, pending.text)
    if not pending.new:
        same = [like for like in likenesses if like.relation == "same"]
        if same:
            surest = max(same, key=lambda like: like.score)
            return surest.rule, "matched", surest.score, []
    return None, "new", 0.0, likenesses


def _observation(pending: Pending, rule: Rule) -> Observation:
    other = pending.text if pending.text and pending.text != rule.text else ""
    return Observation(
        project=pending.project or UNKNOWN,
        date=pending.date,
        context=pending.context,
        at=pending.at,
        host=pending.host,
        session=pending.session,
        signal=pending.signal,
        severity=pending.severity,
        provenance=pending.provenance,
        oid=pending.oid,
        wording=other,
    )


def _reinforced(rule: Rule, pending: Pending) -> Rule:
    """Add the observation, and what the caller says about domain, scope, severity and destination."""
    from improve.rule import Destination

    return rule._replace(
        observations=(*rule.observations, _observation(pending, rule)),
        last_reinforced=max(rule.last_reinforced, pending.date),
        domain=pending.domain if pending.domain and rule.domain == UNKNOWN else rule.domain,
        explicit_scope=pending.explicit_scope or rule.explicit_scope,
        severity=max(rule.severity, pending.severity),
        destination=Destination(pending.path, pending.section, pending.paths) if pending.path else rule.destination,
    )


def _reinforce(edit: Edit, rule: Rule, pending: Pending, how: str, score: float) -> Recorded:
    from improve import match

    new = _reinforced(rule, pending)
    known = {match.normalize(text) for text in (rule.text, *rule.aliases)}
    if pending.text and match.normalize(pending.text) not in known:
        new = new._replace(aliases=(*new.aliases, pending.text))
    edit.put(new)
    return _recorded(edit, new, how, score)


def _merge_named(edit: Edit, pending: Pending) -> Recorded | None:
    """`--same-as`: the caller knows the rule; an own rule that was waiting for this answer goes into it."""
    from improve import match

    row = edit.index.by_id(pending.same_as)
    if row is None:
        return None
    twin = edit.index.same_wording(match.normalize(pending.text)) if pending.text else None
    if twin is None or twin.rule.id == row.rule.id:
        return _reinforce(edit, row.rule, pending, "named", 1.0)
    from improve.workflow.curate import absorbed

    joined = absorbed(row.rule, twin.rule)
    if twin.rule.near:
        settled = _with_answer(joined, pending)
        edit.put(settled)
        recorded = _recorded(edit, settled, "settled")
    else:  # no question was open: it is one more occasion
        recorded = _reinforce(edit, joined, pending, "named", 1.0)
    edit.drop(twin.rule.id)
    return recorded


def _with_answer(joined: Rule, pending: Pending) -> Rule:
    """Take the caller's further words, but not the answer as one more occasion."""
    answer = _reinforced(joined._replace(observations=()), pending)
    return answer._replace(observations=joined.observations, last_reinforced=joined.last_reinforced)


def _keep_apart(edit: Edit, pending: Pending, rule: Rule) -> Recorded:
    """`--new` for a wording that has its own rule: the open question is answered, or it is one more occasion."""
    if not rule.near:
        return _reinforce(edit, rule, pending, "same wording", 1.0)
    settled = rule._replace(near=(), distinct_from=tuple(dict.fromkeys((*rule.distinct_from, *rule.near))))
    edit.put(settled)
    return _recorded(edit, settled, "settled")


def _add_new(here: Here, edit: Edit, pending: Pending, likenesses: list[Likeness]) -> Recorded:
    clashes = [like for like in likenesses if like.relation == "contradict"]
    against = tuple(sorted(clashes, key=lambda like: (-like.score, -occasions(like.rule))))[:NEAR]
    near = tuple(like for like in likenesses if like.near)[:NEAR]
    base = Rule(id=free_id(here, edit, pending.text), text=pending.text, created=pending.date)
    if pending.new:
        base = base._replace(distinct_from=tuple(like.rule.id for like in near))
    else:
        base = base._replace(near=tuple(like.rule.id for like in near))
    rule = _reinforced(base, pending)
    edit.put(rule)
    recorded = _recorded(edit, rule, "new", 0.0)
    return recorded._replace(near=() if pending.new else near, contradicts=against)


def free_id(here: Here, edit: Edit, text: str) -> str:
    """Make an id nobody has, no archived rule either: the slug of the text, numbered when it is taken."""
    from improve import wording
    from improve.workflow import archive

    base, there = wording.slug(text), archive.glance(here)
    number, name = 1, base
    while edit.index.has_id(name) or (there is not None and there.index.has_id(name)):
        number += 1
        name = f"{base}-{number}"
    return name


def as_it_stands(here: Here, recorded: Recorded) -> Recorded:
    """Give what was recorded with the decision of its rule as it is now, when more was counted for it."""
    view = here.store.view()
    rule = view.rule(recorded.rule.id)
    decision = escalate.decide(rule, view.taxonomy, here.config.thresholds)
    said = escalate.message(rule, decision, view.taxonomy)
    unplaced = _unplaced(rule, decision, view.head.projects)
    return recorded._replace(rule=rule, decision=decision, message=said, unplaced=unplaced)


def _recorded(edit: Edit, rule: Rule, how: str, score: float = 1.0) -> Recorded:
    taxonomy = edit.view.taxonomy
    decision = escalate.decide(rule, taxonomy, edit.store.config.thresholds)
    unplaced = _unplaced(rule, decision, edit.places())
    return Recorded(rule, decision, escalate.message(rule, decision, taxonomy), taxonomy, how, score, unplaced=unplaced)


def _unplaced(rule: Rule, decision: Decision, places: Mapping[str, Place]) -> tuple[str, ...]:
    return tuple(p for p in projects(rule) if p in decision.projects and not places.get(p, Place()).roots)
