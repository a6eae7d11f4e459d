"""Rebuild a broken rules.yaml from what can be read of it, or from backup, journal and spool."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from improve import diff, document, entry, files, journal, locks
from improve.backup import keep_backup
from improve.errors import ImproveError, Refused
from improve.head import edit_head, read_head
from improve.layout import CAP, VERSION, Malformed, Place
from improve.workflow.here import Here

if TYPE_CHECKING:
    from improve.workflow.repair import Report


def rebuild(here: Here, report: Report) -> None:
    """Move the broken file aside under a new name and write what backup, journal and spool know."""
    home = here.home
    with locks.lock(os.path.realpath(home.path), directory=home.state, timeout=5.0):
        snapshot = files.read(home.rules, cap=CAP)
        _refuse_newer(here, snapshot.data)
        aside = f"{home.rules}.broken-{here.now.strftime('%Y%m%dT%H%M%S')}"
        files.replace(files.read(aside, cap=CAP), snapshot.data, mode_if_new=0o600)
        data = _readable(snapshot.data) or _from_backup(here)
        problem = document.problems_of(home.rules, data)
        if problem:
            raise ImproveError(
                f"the rebuilt {home.rules} would not be readable ({problem.problems[0]}); nothing was replaced"
            )
        files.replace(snapshot, data, mode_if_new=0o600)
        report.done.append(f"the broken file is kept as {here.short(aside)}")
        report.done.append(f"{here.short(home.rules)} was rebuilt")
        report.diff = diff.unified(snapshot.data, data, here.short(home.rules))
        keep_backup(home, data, "rules.yaml")
        journal.append(
            home.journal,
            {
                "v": 1,
                "at": here.now.isoformat(timespec="seconds"),
                "event": "backup",
                "sha": hashlib.sha256(data).hexdigest(),
            },
            durable=True,
        )


def _refuse_newer(here: Here, data: bytes) -> None:
    """Leave a file alone that a later improve wrote: it is not broken."""
    import re

    found = re.search(rb"(?m)^version:[ ]*['\"]?(\d{1,9})", data)
    if found and int(found[1]) > VERSION:
        raise Refused(
            f"{here.short(here.home.rules)} has version {int(found[1])}, which a later improve wrote; nothing was "
            "changed. Update improve: pip install --upgrade agent-improvement"
        )


def _readable(data: bytes) -> bytes | None:
    """Write a store that YAML can read but we cannot edit as a block list."""
    try:
        head, entries = document.whole(data)
    except Malformed:
        return None
    texts = {e.rule.id: entry.render(e.rule) for e in entries if e.rule and not e.problems}
    if len(texts) != len(entries):
        return None
    return _assembled(document.template(head.taxonomy), texts, head.projects)


def _from_backup(here: Here) -> bytes:
    """Start from the last verified backup and repeat what the journal says came after it."""
    path = os.path.join(here.home.file("backup"), "rules.yaml")
    base = files.read(path, cap=CAP).data
    if not base or document.problems_of(path, base):
        base = b""
    sha = hashlib.sha256(base).hexdigest()
    later: list[dict[str, object]] = []
    follows = not base
    for event in journal.read_back(here.home.journal):
        follows = follows or (event["event"] == "backup" and event.get("sha") == sha)
        if base and follows:
            break
        later.append(event)
    texts, places, front = _parts(base or document.template())
    newer = set() if follows else set(texts)  # a copy whose place in the journal is not known counts as the newer
    for event in reversed(later):
        for rule_id, text in dict(event.get("entries") or {}).items():  # type: ignore[call-overload]
            if rule_id in newer:
                continue
            if text is None:
                texts.pop(rule_id, None)
            elif _usable(text):
                texts[rule_id] = text
        for key, values in dict(event.get("projects") or {}).items():  # type: ignore[call-overload]
            places[key] = Place(*values[:2], *map(tuple, values[2:4]))
            if not any(places[key]):  # it goes by another key since
                del places[key]
    return _assembled(front, texts, places)


def _usable(text: str) -> bool:
    """Say whether the journal's text of a rule can be read; somebody may have edited the journal."""
    indent = len(text) - len(text.lstrip(" "))
    try:
        return document.read_entry(text, indent).rule is not None
    except Malformed:
        return False


def _parts(data: bytes) -> tuple[dict[str, str], dict[str, Place], bytes]:
    """Take a readable file apart: entry texts by id, projects, and the rest with an empty list of rules."""
    shape = document.outline(data)
    texts: dict[str, str] = {}
    for number, span in enumerate(shape.entries):
        text = data[span.start : span.end].decode("utf-8")
        rule = document.read_entry(text, shape.indent).rule
        texts[rule.id if rule else f"#{number}"] = text
    said = read_head(document.head_text(data, shape))
    return texts, dict(said.projects), document.head_text(data, shape)


def _assembled(front: bytes, texts: dict[str, str], places: Mapping[str, Place]) -> bytes:
    shape = document.outline(front)
    tail = front[shape.end :]
    front = document.before_first(front[: shape.start], shape) if texts else front[: shape.start]
    said = read_head(front + tail)
    for key, place in places.items():
        if said.projects.get(key) != place:
            front, tail = edit_head(front, tail, place=(key, place))
    body = "".join(text if text.endswith("\n") else text + "\n" for text in texts.values())
    return front + body.encode() + tail
