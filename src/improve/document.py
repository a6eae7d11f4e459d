"""rules.yaml as text: what each entry says, and how one of them changes without touching the rest.

The file is cut into entries by its lines, each entry is read alone. A file that is valid YAML but does not look like
a block list of rules (`rules: [{…}]` on one line, say) is read whole and can be shown, not edited.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from improve import entry
from improve.errors import NeedsRepair
from improve.layout import VERSION, Head, Irregular, Malformed, Outline, Place, Span, decoded
from improve.outline import before_first, head_text, is_blank, outline
from improve.rule import Rule
from improve.taxonomy import Taxonomy

if TYPE_CHECKING:
    from improve import yamlnode

__all__ = [
    "VERSION",
    "Entry",
    "Head",
    "Irregular",
    "Outline",
    "Place",
    "Span",
    "before_first",
    "decoded",
    "edit_entry",
    "head_text",
    "is_blank",
    "outline",
    "problems_of",
    "read_entry",
    "template",
    "template_after",
    "trailing_comments",
    "whole",
]

_CONFLICT = rb"(?m)^(?:<{7} |={7}\r?$|>{7} )"
WHOLE_CAP = 1 << 18
"""Largest regular file in which a broken entry is looked at once more as part of the whole."""
_DERIVED = ("cross_project", "total_count", "project_count")
NO_RULE = "a rule must be a mapping with `id` and `rule`"


class Entry(NamedTuple):
    """A rule as read, with the problems of its text (line relative to the entry, counted from 0)."""

    rule: Rule | None
    problems: tuple[tuple[int, str], ...] = ()
    id: str = ""
    """The id, also when there is no usable rule."""


def template(taxonomy: Taxonomy | None = None) -> bytes:
    """Write the rules.yaml of a new store."""
    chosen = taxonomy or Taxonomy()
    lists = {"general": list(chosen.general), "project_specific": list(chosen.project_specific)}
    lines = [
        "# Rules learned from corrections. Edit freely: comments, order and keys of your own are kept.",
        f"version: {VERSION}",
        *entry.lines_of("domain_taxonomy", lists, ""),
        "rules: []",
    ]
    return ("\n".join(lines) + "\n").encode()


def template_after(comments: bytes) -> bytes:
    """Begin a store in a file that holds only comments; they stay."""
    newline = b"\r\n" if b"\r\n" in comments else b"\n"
    if not comments.strip():
        return template()
    lead = comments if comments.endswith(b"\n") else comments + newline
    return lead + template().split(b"\n", 1)[1].replace(b"\n", newline)


def read_entry(text: str, indent: int) -> Entry:
    """Read one entry; plain lines without a YAML parser.

    Raises:
        Malformed: the entry is no YAML mapping by itself.
    """
    mapping = entry.read_lines(_plain(text), " " * indent)
    if mapping is not None:
        rule, problems = entry.from_mapping(mapping)
        if not problems and rule:
            return Entry(rule, (), rule.id)
    return _entry_of(_only_item(text))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text


def _entry_of(node: yamlnode.Node) -> Entry:
    mapping = node.plain_value()
    rule, problems = entry.from_mapping(mapping)
    named = mapping.get("id")
    placed = tuple((_line_of(node, key) - node.line, f"{key}: {what}") for key, what in problems)
    return Entry(rule, placed, named if isinstance(named, str) else "")


def _only_item(text: str) -> yamlnode.Node:
    from improve import yamlnode  # only an entry that a person has shaped needs a YAML parser

    node = yamlnode.read(text)
    if node is None or node.kind != "list" or len(node.items) != 1 or node.items[0].kind != "mapping":
        raise Malformed(1, NO_RULE)
    return node.items[0]


def _line_of(node: yamlnode.Node, key: str) -> int:
    """Find the line of a dotted key, or of the nearest thing that is there."""
    for part in key.split("."):
        pair = node.pairs.get(part)
        if pair:
            node = pair[1] if pair[1].kind != "scalar" else pair[0]
        elif node.kind == "list" and part.isdigit() and int(part) < len(node.items):
            node = node.items[int(part)]
    return node.line


def edit_entry(text: str, indent: int, new: Rule) -> str:
    """Make an entry say *new*; comments, unknown keys, order and quoting of the rest stay.

    Raises:
        Irregular: the entry is written in a way that cannot be changed in place.
    """
    known = entry.parse(_plain(text), " " * indent)
    if known:
        changed = entry.render(new._replace(extra=known.extra), " " * indent)
        changed = changed.replace("\n", "\r\n") if "\r\n" in text else changed
    else:
        known, changed = _spliced(text, new)
    try:
        after = read_entry(changed, indent)
    except Malformed as exc:
        raise Irregular(f"the entry would not be YAML any more ({exc.problem})") from None
    if after.problems or after.rule != new._replace(extra=known.extra):
        raise Irregular("the entry would not read back as meant")
    return changed


def _spliced(text: str, new: Rule) -> tuple[Rule, str]:
    from improve import splice

    node = _only_item(text)
    values = node.plain_value()
    old, problems = entry.from_mapping(values)
    if old is None or problems:
        raise Irregular(f"{problems[0][0]}: {problems[0][1]}")
    before = entry.to_mapping(old)
    after = entry.to_mapping(new._replace(extra=old.extra))
    for key in _DERIVED:
        if key not in values:
            before.pop(key), after.pop(key)
        elif not _means(values[key], after[key]):
            before.pop(key)  # what stands there is out of date, whatever the rule before said
        else:
            before[key] = after[key]
    if new._replace(extra=old.extra) == old:
        return old, text
    try:
        return old, splice.apply(text, splice.change(text, node, before, after))
    except ValueError as exc:
        raise Irregular(str(exc)) from None


def trailing_comments(text: str, indent: int) -> str:
    """Give the comments behind an entry, which speak of the next one; nothing when only blank lines follow."""
    lines = text.splitlines(keepends=True)
    at = len(lines)
    while at and (not (bare := lines[at - 1].strip()) or (bare[0] == "#" and lines[at - 1].index("#") <= indent)):
        at -= 1
    kept = "".join(lines[at:])
    return kept if kept.strip() else ""


def _means(typed: Any, value: object) -> bool:
    if isinstance(value, bool):
        return isinstance(typed, str) and typed.lower() in (("true", "yes", "on") if value else ("false", "no", "off"))
    return bool(typed == str(value))


def problems_of(path: str, data: bytes) -> NeedsRepair | None:
    """Name every problem of a file at once, each with its line; None when it can be read whole."""
    found = conflicts(data) or _broken_parts(data)
    return needs_repair(path, found) if found else None


def needs_repair(path: str, found: list[tuple[int, str]]) -> NeedsRepair:
    """Say which lines are wrong."""
    return NeedsRepair(path, [f"line {line}: {what}" for line, what in sorted(set(found))], rebuild=True)


def conflicts(data: bytes) -> list[tuple[int, str]]:
    """Find the lines git leaves in a file that two sides changed; the first one of each conflict."""
    lines = [data.count(b"\n", 0, m.start()) + 1 for m in re.finditer(_CONFLICT, data) if m[0].startswith(b"<")]
    if not lines and (other := re.search(_CONFLICT, data)):
        lines = [data.count(b"\n", 0, other.start()) + 1]
    return [(line, "a merge conflict is not resolved") for line in lines]


def _broken_parts(data: bytes) -> list[tuple[int, str]]:
    try:
        shape = outline(data)
        found = broken_head(data, shape)
    except Irregular:
        return broken_whole(data)
    for span in shape.entries:
        try:
            read_entry(decoded(data[span.start : span.end]), shape.indent)
        except Malformed as exc:
            found.append((span.line + exc.line - 1, exc.problem))
    return [] if found and is_whole(data) else found


def is_whole(data: bytes) -> bool:
    """Say whether a file that cannot be read entry by entry can be read as a whole after all."""
    return len(data) <= WHOLE_CAP and not broken_whole(data)


def broken_whole(data: bytes) -> list[tuple[int, str]]:
    """Find the first line at which a file is no store in any shape."""
    try:
        whole(data)
    except Malformed as exc:
        return [(exc.line, exc.problem)]
    return []


def broken_head(data: bytes, shape: Outline) -> list[tuple[int, str]]:
    """Find what is wrong around the entries.

    Raises:
        Irregular: the entries are not where their lines say.
    """
    from improve import yamlnode
    from improve.head import head_of, read_head

    try:
        read_head(head_text(data, shape))
    except Malformed as first:
        # Once more with the entries as blank lines, so that every line number is the file's own.
        blank = b"\n" * data.count(b"\n", shape.start, shape.end)
        try:
            head_of(yamlnode.read(decoded(data[: shape.start] + blank + data[shape.end :])))
        except Malformed as exc:
            return [(exc.line, exc.problem)]
        return [(first.line, first.problem)]
    return []


def whole(data: bytes) -> tuple[Head, list[Entry]]:
    """Read a file of any YAML shape at once (slow, exact).

    Raises:
        Malformed: it is no store in any shape.
    """
    from improve import yamlnode
    from improve.head import head_of

    node = yamlnode.read(decoded(data))
    head = head_of(node)
    rules = node.get("rules") if node else None
    if rules is None or (rules.kind == "scalar" and rules.scalar is None):
        return head, []
    if rules.kind != "list":
        raise Malformed(rules.line, "rules: expected a list")
    for item in rules.items:
        if item.kind != "mapping":
            raise Malformed(item.line, NO_RULE)
    return head, [_entry_of(item) for item in rules.items]
