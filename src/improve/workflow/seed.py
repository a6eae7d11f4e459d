"""seed: take the rules that already stand in an instruction file into the store, once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from improve import files, gitdir, hosts, project, section, spool, wording
from improve.edit import Edit
from improve.errors import Refused
from improve.rule import UNKNOWN, Observation, Rule, Written
from improve.taxonomy import GENERAL, PROJECT_SPECIFIC, SECTION_ONLY
from improve.workflow import changes
from improve.workflow.here import Here
from improve.workflow.record import free_id

CAP = 1 << 20


@dataclass
class Seeded:
    """What came of each bullet."""

    path: str
    added: list[Rule] = field(default_factory=list)
    known: list[Rule] = field(default_factory=list)
    skipped: list[tuple[int, str]] = field(default_factory=list)
    """Line and why it is no rule."""
    title: str = ""
    """Name of the change set; empty when nothing was changed."""


def seed(here: Here, path: str) -> Seeded:
    """Read the bullets of a file (prose, tables, code and headings are no rules) and record where they stand."""
    snapshot = _read(here, path)
    result = Seeded(snapshot.path)
    owner = _owner(here, snapshot.path)
    with here.store.edit(here.now) as edit:
        for bullet in section.bullets(snapshot.data):
            _take(here, edit, result, bullet, owner)
        if edit.changed:
            changes.commit(
                edit,
                "seeded",
                f"seed {len(result.added)} rules from {snapshot.path}",
                rules=[r.id for r in result.added],
            )
    if result.added:
        result.title = f"seed {len(result.added)} rules from {os.path.basename(path)}"
    return result


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
    everywhere = {os.path.realpath(host.global_file(here.home.user, here.env)) for host in hosts.HOSTS}
    everywhere.add(os.path.realpath(hosts.global_choice(here.home.user, here.env).path))
    if path in everywhere:
        return "global", ""
    found = project.identify(os.path.dirname(path), home=here.home.user, env=here.env)
    return "project", found.key if found else UNKNOWN


def _take(here: Here, edit: Edit, result: Seeded, bullet: section.Bullet, owner: tuple[str, str]) -> None:
    from improve import match

    try:
        text = wording.check_rule(wording.plain(bullet.text))
    except Refused as exc:
        result.skipped.append((bullet.line, str(exc)))
        return
    scope, key = owner
    entry = Written(
        result.path,
        here.today,
        bullet.section,
        bullet.text,
        scope,
        "" if scope == "global" else key,
        gitdir.branch(os.path.dirname(result.path)),
        adopted=True,
    )
    row = edit.index.same_wording(match.normalize(text))
    if row:
        if not any(w.path == entry.path and w.text == entry.text for w in row.rule.written_to):
            edit.put(row.rule._replace(written_to=(*row.rule.written_to, entry)))
        result.known.append(row.rule)
        return
    observation = Observation(
        UNKNOWN if scope == "global" else key,
        here.today,
        f"seeded from {here.short(result.path)}",
        here.now.isoformat(timespec="seconds"),
        signal="remember",
        provenance="import",
        oid=spool.new_oid(),
    )
    rule = Rule(
        id=free_id(edit, text),
        text=text,
        domain=domain_of(bullet.section),
        created=here.today,
        last_reinforced=here.today,
        observations=(observation,),
        written_to=(entry,),
        escalation="global" if scope == "global" else "local",
        escalated_at=here.today,
    )
    edit.put(rule)
    result.added.append(rule)


def domain_of(heading: str) -> str:
    """Find the domain whose section this is; `unknown` for any other heading."""
    wanted = heading.strip().casefold()
    known = {**GENERAL, **PROJECT_SPECIFIC, **SECTION_ONLY}
    return next((domain for domain, title in known.items() if wanted in (title.casefold(), domain)), UNKNOWN)
