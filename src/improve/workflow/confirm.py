"""confirm: an agent wrote a rule by hand; find the line and put it on record."""

from __future__ import annotations

import os
from collections.abc import Collection

from improve import files, gitdir, section, wording
from improve.edit import Edit
from improve.errors import Refused
from improve.escalate import NOBODY
from improve.rule import Rule, Written, projects
from improve.workflow import changes
from improve.workflow.changes import CAP
from improve.workflow.curate import Changed
from improve.workflow.here import Here
from improve.workflow.targets import Targets


def confirm(here: Here, rule_id: str, scope: str) -> Changed:
    """Record that an agent wrote the rule by hand, after looking: the line must be in the file."""
    with here.store.edit(here.now) as edit:
        rule = edit.view.rule(rule_id)
        path, key, bullet = _find_line(here, edit, rule, scope)
        found = Written(
            os.path.realpath(path),
            here.today,
            bullet.section,
            bullet.text,
            "global" if scope == "global" else "project",
            key,
            gitdir.branch(os.path.dirname(os.path.realpath(path))),
            adopted=True,
            at=here.moment,
        )
        standing = {other.text for other in section.bullets(files.read(path, cap=CAP).data)}
        written = _with_line(rule.written_to, found, standing)
        notes = (f"written to {here.short(path)}",)
        if written == rule.written_to:
            return Changed(rule, rule, notes)
        after = rule._replace(written_to=written, escalation=scope, escalated_at=rule.escalated_at or here.today)
        edit.put(after)
        changes.commit(edit, "confirmed", f"confirm {rule_id} in {path}", rules=[rule_id])
    return Changed(rule, after, notes, f"confirm {rule_id}")


def _with_line(written: tuple[Written, ...], found: Written, standing: Collection[str]) -> tuple[Written, ...]:
    """Put a line that was found among those on record; one that is there already stays ours if it was ours."""
    here = [w for w in written if os.path.realpath(w.path) == found.path and w.scope in (found.scope, "")]
    same = next((w for w in here if w.text == found.text), None)
    if same:
        found = same._replace(path=found.path, scope=found.scope, project=same.project or found.project)
    if found in written:
        return written
    past = [w for w in here if w is same or w.text not in standing]
    return (*(w for w in written if w not in past), found)


def _find_line(here: Here, edit: Edit, rule: Rule, scope: str) -> tuple[str, str, section.Bullet]:
    from improve import match

    places = _places_to_look(here, edit, rule, scope)
    wanted = {match.normalize(text) for text in (rule.text, *rule.aliases)}
    for near in (False, True):
        for path, key in places:
            for bullet in section.bullets(files.read(path, cap=CAP).data):
                said = wording.plain(bullet.text)
                if match.normalize(said) in wanted or (near and match.compare(rule.text, said).relation == "same"):
                    return path, key, bullet
    looked = (
        ", ".join(here.short(path) for path, _ in places) or "no file: the project has no directory on this machine"
    )
    raise Refused(
        f"{rule.id!r} is not written yet: no bullet in {looked} says {rule.text!r}; nothing was recorded. "
        f"Write it there, or run: improve escalate --apply {rule.id}"
    )


def _places_to_look(here: Here, edit: Edit, rule: Rule, scope: str) -> list[tuple[str, str]]:
    """List the files the rule would be written to, each with its project; the current project comes first."""
    targets = Targets(here, edit)
    if scope == "global":
        return [(targets.where(rule, NOBODY)[0], NOBODY)]
    current = [here.project.key] if here.project else []
    found = [(targets.where(rule, key)[0], key) for key in dict.fromkeys((*current, *projects(rule)))]
    return [(path, key) for path, key in found if path]
