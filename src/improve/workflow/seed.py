"""seed: take the rules that already stand in an instruction file into the store, once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from improve import files, gitdir, hosts, project, section, spool, wording
from improve.edit import Edit
from improve.errors import Refused
from improve.rule import UNKNOWN, Observation, Rule, Written
from improve.taxonomy import Taxonomy, section_of
from improve.workflow import changes
from improve.workflow.changes import CAP
from improve.workflow.here import Here
from improve.workflow.record import free_id


@dataclass
class Seeded:
    """What came of each bullet."""

    path: str
    added: list[Rule] = field(default_factory=list)
    known: list[Rule] = field(default_factory=list)
    placed: list[str] = field(default_factory=list)
    """Ids of known rules that were not yet known to stand here."""
    skipped: list[tuple[int, str]] = field(default_factory=list)
    """Line and why it is no rule."""
    title: str = ""
    """Name of the change set; empty when nothing was changed."""


def seed(here: Here, path: str) -> Seeded:
    """Read the bullets of a file (prose, tables, code and headings are no rules) and record where they stand."""
    snapshot = _read(here, path)
    result = Seeded(snapshot.path)
    scope, key = _owner(here, snapshot.path)
    branch = gitdir.branch(os.path.dirname(snapshot.path))
    with here.store.edit(here.now) as edit:
        for bullet in section.bullets(snapshot.data):
            place = Written(
                *(snapshot.path, here.today, bullet.section, bullet.text, scope, key, branch),
                adopted=True,
                at=here.moment,
            )
            _take(here, edit, result, bullet.line, place)
        if edit.changed:
            result.title = _title(result)
            ids = [*(r.id for r in result.added), *result.placed]
            changes.commit(edit, "seeded", result.title, rules=ids)
    return result


def _title(result: Seeded) -> str:
    added, placed, name = len(result.added), len(result.placed), os.path.basename(result.path)
    if added or not placed:
        return f"seed {added} rule{'s' * (added != 1)} from {name}"
    return f"seed the place{'s' * (placed != 1)} of {placed} known rule{'s' * (placed != 1)} in {name}"


def _read(here: Here, path: str) -> files.Snapshot:
    full = os.path.expanduser(path)
    if not os.path.isabs(full) and not here.cwd:
        raise Refused(f"{path}: the current directory was deleted; nothing was recorded. Name the whole path")
    snapshot = files.read(os.path.normpath(os.path.join(here.cwd, full)), cap=CAP)
    if not snapshot.exists:
        raise Refused(f"{path}: no such file; nothing was recorded. Name an instruction file that is there")
    try:
        section.check_editable(snapshot.data)
    except Refused as exc:
        raise Refused(f"{path}: {exc}") from None
    return snapshot


def _owner(here: Here, path: str) -> tuple[str, str]:
    """Say whose file it is: (`global` or `project`, project key)."""
    user, env = here.home.user, here.env
    everywhere = [hosts.global_choice(user, env).path]
    for host in hosts.all_hosts():
        everywhere += [locate(user, env) for locate in (host.global_file, host.create_file) if locate]
    if path in map(os.path.realpath, everywhere):
        return "global", ""
    found = project.identify(os.path.dirname(path), home=user, env=env)
    return "project", found.key if found else UNKNOWN


def _take(here: Here, edit: Edit, result: Seeded, line: int, place: Written) -> None:
    from improve import match

    try:
        text = wording.check_rule(wording.plain(place.text))
    except Refused as exc:
        result.skipped.append((line, str(exc)))
        return
    row = edit.index.same_wording(match.normalize(text))
    if row is None and (held := _archived(here, text)):
        why = f"it says the archived rule {held}; bring that back with: improve restore {held}"
        result.skipped.append((line, why))
        return
    if row is None:
        rule = _new(here, edit, text, place)
        edit.put(rule)
        result.added.append(rule)
        return
    result.known.append(row.rule)
    if not any(w.path == place.path and w.text == place.text for w in row.rule.written_to):
        edit.put(row.rule._replace(written_to=(*row.rule.written_to, place)))
        result.placed.append(row.rule.id)


def _archived(here: Here, text: str) -> str:
    """Name the archived rule that says the same: its line went on standing in the file, which is no new evidence."""
    from improve.workflow import archive

    there = archive.glance(here)
    return archive.named_in(there, text, alike=False) if there else ""


def _new(here: Here, edit: Edit, text: str, place: Written) -> Rule:
    observation = Observation(
        place.project or UNKNOWN,
        here.today,
        f"seeded from {here.short(place.path)}",
        here.moment,
        signal="remember",
        provenance="import",
        oid=spool.new_oid(),
    )
    return Rule(
        id=free_id(here, edit, text),
        text=text,
        domain=domain_of(place.section, edit.view.taxonomy),
        created=here.today,
        last_reinforced=here.today,
        observations=(observation,),
        written_to=(place,),
        escalation="global" if place.scope == "global" else "local",
        escalated_at=here.today,
    )


def domain_of(heading: str, taxonomy: Taxonomy) -> str:
    """Find the domain whose section this is, people's own ones too; `unknown` for any other heading."""
    wanted = heading.strip().casefold()
    known = taxonomy.known
    return next((d for d in known if wanted in (section_of(d).casefold(), d.casefold())), UNKNOWN)
