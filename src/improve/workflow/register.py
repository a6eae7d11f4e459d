"""Remember where a project is on this machine, and that it is the same one when its remote appears or changes."""

from __future__ import annotations

import os

from improve import project
from improve.edit import Edit
from improve.errors import NeedsRepair
from improve.layout import Place
from improve.rule import UNKNOWN, Rule, rekeyed
from improve.spool import Pending
from improve.workflow.here import Here


def register(here: Here, edit: Edit, pending: Pending) -> Pending:
    """Put the project of an observation into the registry; give the observation with the key it has by now.

    A directory is one project whatever it is called: `git remote add`, a rename or a transfer gives it a new key,
    and a rule seen before and after was not seen in two projects.
    """
    if pending.project in ("", UNKNOWN):
        return pending
    if not pending.root:
        pending = pending._replace(project=_now_called(edit, pending.project))
    if not (pending.root or pending.name):
        return pending
    for other, place in edit.places().items():
        if pending.root in place.roots and other != pending.project:
            pending = _one_project(here, edit, pending, other)
    key = pending.project
    known = edit.places().get(key, Place())
    roots = known.roots if not pending.root or pending.root in known.roots else (*known.roots, pending.root)
    edit.place(key, Place(known.name or pending.name, known.remote or pending.remote, roots, known.was))
    for other, place in edit.places().items():
        if key in place.was and pending.root:  # a clone with the old remote is there again: it is one of its own
            edit.place(other, place._replace(was=tuple(name for name in place.was if name != key)))
    return pending


def as_now_called(edit: Edit, rule: Rule) -> Rule:
    """Give a rule of earlier days with the keys its projects have by now."""
    places = edit.places()
    for key, place in places.items():
        for old in place.was:
            rule = rekeyed(rule, old, key) if old not in places else rule
    return rule


def _now_called(edit: Edit, key: str) -> str:
    places = edit.places()
    return key if key in places else next((new for new, place in places.items() if key in place.was), key)


def _one_project(here: Here, edit: Edit, pending: Pending, other: str) -> Pending:
    """Two keys have one directory: what it is called now is the project's key, and the other key goes."""
    now = _key_at(here, pending.root)
    if now == other:  # the observation waited for so long
        return pending._replace(project=other)
    if now not in ("", pending.project):
        return pending
    old = edit.places()[other]
    rest = tuple(root for root in old.roots if root != pending.root)
    if any(_is_at(here, other, root) for root in rest):  # another clone still goes by that key
        edit.place(other, old._replace(roots=rest))
        return pending
    _take_over(here, edit, pending, other)
    return pending


def _take_over(here: Here, edit: Edit, pending: Pending, other: str) -> None:
    key, places = pending.project, edit.places()
    old, known = places[other], places.get(pending.project, Place())
    moved = [root for root in old.roots if root == pending.root or _key_at(here, root) == key]
    was = tuple(name for name in dict.fromkeys((*known.was, *old.was, other)) if name != key)
    roots = tuple(dict.fromkeys((*known.roots, *moved)))
    edit.place(key, Place(known.name or pending.name, known.remote or pending.remote, roots, was))
    edit.place(other, None)
    for rule in [row.rule for row in edit.index.all()]:
        changed = rekeyed(rule, other, key)
        if changed != rule:
            try:
                edit.put(changed)
            except NeedsRepair:  # somebody has to mend it first; it keeps the old key
                continue


def _key_at(here: Here, root: str) -> str:
    found = project.identify(root, home=here.home.user, env=here.env) if os.path.isdir(root) else None
    return found.key if found else ""


def _is_at(here: Here, key: str, root: str) -> bool:
    """Say whether a directory still goes by a key; a name somebody gave is not read from the disk."""
    return _key_at(here, root) == key if "/" in key else os.path.isdir(root)
