"""What stands in an instruction file already: the line that says a rule, or says otherwise, and for which paths."""

from __future__ import annotations

import os

from improve import hosts, match, section
from improve.edit import Edit
from improve.rule import Rule
from improve.workflow.destination import Goal
from improve.workflow.targets import Target

CLOSEST = 5
"""So many bullets of a file are compared with a rule."""

_HIDING = {"CLAUDE.md": "Claude Code", "CLAUDE.local.md": "Claude Code", hosts.OVERRIDE: "Codex"}
"""New files that take the place of an AGENTS.md, and for whom."""


def saying(rule: Rule, target: Target, edit: Edit) -> section.Bullet | None:
    """Find a bullet that says the rule."""
    wanted = {match.normalize(text) for text in (rule.text, *rule.aliases)}
    said = [bullet for text in wanted if (bullet := target.page.by_wording.get(text))]
    if said:
        return min(said, key=lambda bullet: bullet.line)
    return closest(rule, target, edit, "same")


def closest(rule: Rule, target: Target, edit: Edit, relation: str) -> section.Bullet | None:
    """Find a bullet near a rule that relates to it like this; one that was called another rule is passed over."""
    page = target.page
    for at, _ in page.shelf.nearest(rule.text, CLOSEST):
        said = page.said[at]
        if match.compare(rule.text, said).relation == relation and not _set_apart(rule, said, edit):
            return page.bullets[at]
    return None


def _set_apart(rule: Rule, said: str, edit: Edit) -> bool:
    other = edit.index.same_wording(match.normalize(said))
    return bool(other and other.rule.id in rule.distinct_from)


def other_paths(target: Target, goal: Goal) -> str:
    """Say for which other paths a file that is there is loaded; empty when it is for those that are meant."""
    if not (goal.paths and target.data.strip()):
        return ""
    from improve import frontmatter

    there = frontmatter.read(target.path, target.data)
    if frontmatter.same(there, goal.paths):
        return ""
    shown = f"loaded for {', '.join(there)}" if there else "loaded whatever the agent works on"
    return f"the file is there and {shown}, not only for {', '.join(goal.paths)}; its first lines stay as they are"


def first_lines(goal: Goal) -> bytes:
    """Begin a new rule file: for which paths it is loaded."""
    if not goal.paths:
        return b""
    from improve import frontmatter

    return frontmatter.make(goal.path, goal.paths)


def hides(target: Target, goal: Goal) -> str:
    """Say which file a new one would hide from a host; empty when none, or when the file is there already.

    Claude Code reads no AGENTS.md at or below a CLAUDE.md; Codex reads AGENTS.override.md instead of it.
    """
    folder, name = os.path.split(target.path)
    if not goal.by or target.snapshot.exists or name not in _HIDING:
        return ""
    folder = os.path.dirname(folder) if os.path.basename(folder) == ".claude" else folder
    while True:
        other = os.path.join(folder, "AGENTS.md")
        if os.path.lexists(other):
            return f"{_HIDING[name]} would read it instead of {other}, which is there; name that one, or a rule file"
        up = os.path.dirname(folder)
        if name == hosts.OVERRIDE or up == folder or os.path.lexists(os.path.join(folder, ".git")):
            return ""
        folder = up
