"""rules.yaml as bytes: where each rule stands, what it says, and how one of them changes without touching the rest.

The file is cut into entries by its lines, each entry is read alone. A file that is valid YAML but does not look like
a block list of rules (`rules: [{…}]` on one line, say) is read whole and can be shown, not edited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from improve import entry, splice, yamlnode
from improve.errors import ImproveError, NeedsRepair
from improve.rule import Rule
from improve.taxonomy import Taxonomy

VERSION = 2
_TOP = re.compile(rb"^([^\s#\-][^\n]*)$", re.M)
_KEY = re.compile(rb"""(?:["']?)([A-Za-z_][\w-]*)(?:["']?)[ \t]*:(?=\s|$)[ \t]*([^\r\n]*)""")
_ITEM = re.compile(rb"^( *)-(?=[ \r\n]|$)", re.M)
_CONTENT = re.compile(rb"^[ \t]*[^\s#]", re.M)
_CONFLICT = re.compile(rb"^(?:<{7} |={7}\r?$|>{7} )", re.M)


@dataclass(frozen=True, slots=True)
class Span:
    """One entry: its bytes and the line it starts in, counted from 1."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Outline:
    """Where the parts of a rules.yaml are."""

    entries: tuple[Span, ...]
    start: int
    """Offset of the first entry, or where the first one would go."""
    end: int
    """Offset behind the last entry."""
    indent: int = 0
    newline: str = "\n"
    empty_value: tuple[int, int] | None = None
    """Span of `[]` or `null` behind `rules:`, taken out when the first rule comes."""
    has_rules_key: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """A project as the registry knows it."""

    name: str = ""
    remote: str = ""
    roots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Head:
    """Everything in rules.yaml that is not a rule."""

    version: int = VERSION
    taxonomy: Taxonomy = field(default_factory=Taxonomy)
    projects: dict[str, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule as read, with the problems of its text (line relative to the entry, counted from 0)."""

    rule: Rule | None
    problems: tuple[tuple[int, str], ...] = ()


class Irregular(Exception):
    """The lines do not show a block list of rules."""


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


def is_blank(data: bytes) -> bool:
    """Say whether a file holds nothing but comments: a valid empty store."""
    return not _has_content(data[3:] if data.startswith(b"\xef\xbb\xbf") else data)


def template_after(comments: bytes) -> bytes:
    """Begin a store in a file that holds only comments; they stay."""
    if not comments.strip():
        return template()
    lead = comments if comments.endswith(b"\n") else comments + b"\n"
    return lead + template().split(b"\n", 1)[1]


def outline(data: bytes) -> Outline:
    """Find the entries by their lines.

    Raises:
        Irregular: the file has another shape; read it whole.
    """
    keys = [key for match in _TOP.finditer(data) if (key := _top_key(data, match))]
    newline = "\r\n" if b"\r\n" in data else "\n"
    at = next((i for i, key in enumerate(keys) if key.name == b"rules"), None)
    if at is None:
        return Outline((), len(data), len(data), 0, newline, None, has_rules_key=False)
    end = keys[at + 1].start if at + 1 < len(keys) else len(data)
    return _entries(data, keys[at], end, newline)


@dataclass(frozen=True, slots=True)
class _Key:
    """A key in the first column: its line and what stands behind the colon."""

    name: bytes
    value: bytes
    value_at: int
    start: int
    after: int


def _top_key(data: bytes, match: re.Match[bytes]) -> _Key | None:
    line, start = match[1], match.start()
    if start == 0 and line.startswith(b"\xef\xbb\xbf"):
        line, start = line[3:], 3
        if not line.strip() or line.startswith(b"#"):
            return None
    if line.rstrip() == b"---" and not _has_content(data[: match.start()]):
        return None
    key = _KEY.match(line)
    if not key:
        raise Irregular
    value = re.split(rb"(?:^|\s)#", key[2])[0].strip()
    return _Key(key[1], value, start + key.start(2), match.start(), min(match.end() + 1, len(data)))


def _entries(data: bytes, key: _Key, end: int, newline: str) -> Outline:
    start, value = key.after, key.value
    if value not in (b"", b"[]", b"null", b"~"):
        raise Irregular
    first = _ITEM.search(data, start, end)
    if first is None:
        if _has_content(data[start:end]):
            raise Irregular
        gap = (key.value_at, key.value_at + len(value)) if value else None
        return Outline((), start, start, 0, newline, gap)
    if value or _has_content(data[start : first.start()]):
        raise Irregular
    indent = first[1]
    starts = [m.start() for m in _ITEM.finditer(data, first.start(), end) if m[1] == indent]
    _refuse_shallow(data, starts[0], end, len(indent))
    edges = [*starts, end]
    spans, line = [], data.count(b"\n", 0, starts[0]) + 1
    for left, right in zip(edges, edges[1:], strict=False):
        spans.append(Span(left, right, line))
        line += data.count(b"\n", left, right)
    return Outline(tuple(spans), starts[0], end, len(indent), newline)


def _refuse_shallow(data: bytes, start: int, end: int, indent: int) -> None:
    """Content left of the dashes means the list ended where the lines do not show it."""
    if indent and re.compile(rb"^ {0,%d}[^ #\r\n]" % (indent - 1), re.M).search(data, start, end):
        raise Irregular


def _has_content(data: bytes) -> bool:
    return _CONTENT.search(data) is not None


def read_entry(text: str, indent: int) -> Entry:
    """Read one entry; canonical text without a YAML parser.

    Raises:
        yamlnode.Malformed: the entry is no YAML mapping by itself.
    """
    newline = "\r\n" in text
    rule = entry.parse(text.replace("\r\n", "\n") if newline else text, " " * indent)
    if rule:
        return Entry(rule)
    node = _only_item(text)
    rule, problems = entry.from_mapping(node.plain_value())
    return Entry(rule, tuple((_line_of(node, key) - 1, f"{key}: {what}") for key, what in problems))


def _only_item(text: str) -> yamlnode.Node:
    node = yamlnode.read(text)
    if node is None or node.kind != "list" or len(node.items) != 1 or node.items[0].kind != "mapping":
        raise yamlnode.Malformed(1, "a rule must be a mapping with `id` and `rule`")
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
        ImproveError: the result would not read back as meant (our bug, nothing is changed).
    """
    pad = " " * indent
    plain = text.replace("\r\n", "\n")
    if entry.parse(plain, pad):
        changed = entry.render(new, pad)
        return changed.replace("\n", "\r\n") if "\r\n" in text else changed
    node = _only_item(text)
    wanted = entry.to_mapping(new)
    derived = ("cross_project", "total_count", "project_count", "escalation", "escalated_at", "written_to")
    edits: list[splice.Edit] = []
    for key, value in wanted.items():
        if key in node.pairs or value or key not in (*derived, "observations", "created", "last_reinforced"):
            if key == "domain" and value == "unknown" and key not in node.pairs:
                continue
            if key in derived[:3] and key not in node.pairs:
                continue
            edits += splice.put(text, node, key, value)
    for key in ("explicit_scope", "retired", "retired_because", "aliases", "near", "distinct_from", "destination",
                "severity", "folded", "rejected_at", "supersedes"):
        if key not in wanted:
            edits += splice.drop(text, node, key)
    changed = splice.apply(text, _merged(edits))
    after, _ = entry.from_mapping(_only_item(changed).plain_value())
    if after != new:
        raise ImproveError(f"the rule {new.id!r} could not be changed without touching other text; nothing was written. "
                           "This is a bug of improve: please report the entry as it stands")
    return changed


def _merged(edits: list[splice.Edit]) -> list[splice.Edit]:
    """Join insertions at one place in the order they were asked for."""
    joined: dict[tuple[int, int], str] = {}
    for start, end, new in edits:
        if start == end and (start, end) in joined:
            joined[start, end] += ("" if joined[start, end].endswith("\n") or new.startswith("\n") else "\n") + new
        else:
            joined[start, end] = new
    return [(start, end, new) for (start, end), new in joined.items()]


def head_text(data: bytes, shape: Outline) -> bytes:
    """Give the bytes around the entries."""
    return data[: shape.start] + data[shape.end :]


def read_head(data: bytes) -> Head:
    """Read version, taxonomy and projects from the bytes around the entries.

    Raises:
        yamlnode.Malformed: not YAML, or a value of the wrong kind.
    """
    node = yamlnode.read(_decode(data))
    if node is None:
        return Head()
    if node.kind != "mapping":
        raise yamlnode.Malformed(node.line, "expected the keys `version`, `domain_taxonomy` and `rules`")
    version = node.get("version")
    number = version.scalar if version else "1"
    if number not in ("1", "2"):
        raise yamlnode.Malformed(version.line if version else 1, f"version {number!r} is not known to this improve (1 or 2)")
    return Head(int(number), _taxonomy(node.get("domain_taxonomy")), _projects(node.get("projects")))


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        raise yamlnode.Malformed(line, "not UTF-8") from None


def _taxonomy(node: yamlnode.Node | None) -> Taxonomy:
    if node is None or (node.kind == "scalar" and node.scalar is None):
        return Taxonomy()
    standard = Taxonomy()
    lists = {"general": standard.general, "project_specific": standard.project_specific}
    for name in lists:
        value = node.get(name)
        if value is None:
            continue
        if value.kind != "list" or any(item.kind != "scalar" for item in value.items):
            raise yamlnode.Malformed(value.line, f"domain_taxonomy.{name}: expected a list of names")
        lists[name] = tuple(item.scalar for item in value.items if item.scalar)
    return Taxonomy(**lists)


def _projects(node: yamlnode.Node | None) -> dict[str, Place]:
    if node is None or (node.kind == "scalar" and node.scalar is None):
        return {}
    if node.kind != "mapping":
        raise yamlnode.Malformed(node.line, "projects: expected a mapping of project keys")
    return {key: _place(key, value) for key, (_, value) in node.pairs.items()}


def _place(key: str, node: yamlnode.Node) -> Place:
    if node.kind == "scalar" and node.scalar is None:
        return Place()
    roots = node.get("roots") if node.kind == "mapping" else None
    if node.kind != "mapping" or (roots and roots.kind != "list" and roots.scalar is not None):
        raise yamlnode.Malformed(node.line, f"projects.{key}: expected name, remote and a list of roots")
    texts = {name: (value.scalar or "") for name, (_, value) in node.pairs.items() if value.kind == "scalar"}
    listed = tuple(item.scalar for item in roots.items if item.scalar) if roots else ()
    return Place(texts.get("name", ""), texts.get("remote", ""), listed)


def edit_head(
    front: bytes, tail: bytes, *, version: int | None = None, place: tuple[str, Place] | None = None
) -> tuple[bytes, bytes]:
    """Set the version, or add or change one project, in the bytes before and after the entries."""
    bom = b"\xef\xbb\xbf" if front.startswith(b"\xef\xbb\xbf") else b""
    text = _decode(front + tail)
    node = yamlnode.read(text)
    if node is None:
        return front, tail
    edits = splice.put(text, node, "version", version) if version is not None else []
    if place:
        edits += _put_place(text, node, place)
    split = len(front[len(bom) :].decode())
    before = splice.apply(text[:split], [e for e in edits if e[1] <= split])
    after = splice.apply(text[split:], [(s - split, e - split, new) for s, e, new in edits if e > split])
    return bom + before.encode(), after.encode()


def _put_place(text: str, node: yamlnode.Node, place: tuple[str, Place]) -> list[splice.Edit]:
    key, value = place
    mapping: dict[str, Any] = {"name": value.name, "remote": value.remote, "roots": list(value.roots)}
    known = node.get("projects")
    if known is None or known.kind != "mapping" or not known.pairs:
        new = {splice.key_text(key): mapping}
        if known is not None:
            return splice.put(text, node, "projects", new)
        first = next(iter(node.pairs.values()))[0]
        anchor = node.pairs["rules"][0] if "rules" in node.pairs else first
        at = text.rfind("\n", 0, anchor.start) + 1
        return [(at, at, "\n".join(entry.lines_of("projects", new, "")) + "\n")]
    there = known.get(key)
    if there is None or there.kind != "mapping":
        return splice.put(text, known, key, mapping)
    return [edit for name, item in mapping.items() for edit in splice.put(text, there, name, item)]


def before_first(front: bytes, shape: Outline) -> bytes:
    """Make the bytes before the entries ready to be followed by one: `rules:` with nothing behind it."""
    if not shape.has_rules_key:
        front += b"" if not front or front.endswith(b"\n") else shape.newline.encode()
        return front + f"rules:{shape.newline}".encode()
    if shape.empty_value:
        left, right = shape.empty_value
        front = front[:left].rstrip(b" \t") + front[right:]
    return front if front.endswith(b"\n") else front + shape.newline.encode()


def problems_of(path: str, data: bytes) -> NeedsRepair | None:
    """Name every problem of a file at once, each with its line; None when it can be read whole."""
    conflict = _CONFLICT.search(data)
    found: list[tuple[int, str]] = []
    if conflict:
        found.append((data.count(b"\n", 0, conflict.start()) + 1, "a merge conflict is not resolved"))
    else:
        found = _broken_parts(data)
    return NeedsRepair(path, [f"line {line}: {what}" for line, what in sorted(found)]) if found else None


def _broken_parts(data: bytes) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    try:
        shape = outline(data)
        found += _broken_head(data, shape)
        for span in shape.entries:
            try:
                read_entry(_decode(data[span.start : span.end]), shape.indent)
            except yamlnode.Malformed as exc:
                found.append((span.line + exc.line - 1, exc.problem))
    except Irregular:
        found.append((1, "irregular"))
    if not found:
        return []
    try:
        whole(data)
    except yamlnode.Malformed as exc:
        regular = [problem for problem in found if problem != (1, "irregular")]
        return regular or [(exc.line, exc.problem)]
    return []


def _broken_head(data: bytes, shape: Outline) -> list[tuple[int, str]]:
    try:
        read_head(head_text(data, shape))
    except yamlnode.Malformed as exc:
        line = exc.line
        if shape.entries and line > data.count(b"\n", 0, shape.start):
            line += data.count(b"\n", shape.start, shape.end)
        return [(line, exc.problem)]
    return []


def whole(data: bytes) -> tuple[Head, list[Entry]]:
    """Read a file of any YAML shape at once (slow, exact).

    Raises:
        yamlnode.Malformed: it is no store in any shape.
    """
    node = yamlnode.read(_decode(data))
    if node is None:
        return Head(), []
    if node.kind != "mapping":
        raise yamlnode.Malformed(node.line, "expected the keys `version`, `domain_taxonomy` and `rules`")
    head = read_head(data)
    rules = node.get("rules")
    if rules is None or (rules.kind == "scalar" and rules.scalar is None):
        return head, []
    if rules.kind != "list":
        raise yamlnode.Malformed(rules.line, "rules: expected a list")
    entries = []
    for item in rules.items:
        if item.kind != "mapping":
            raise yamlnode.Malformed(item.line, "a rule must be a mapping with `id` and `rule`")
        rule, problems = entry.from_mapping(item.plain_value())
        entries.append(Entry(rule, tuple((_line_of(item, key) - 1, f"{key}: {what}") for key, what in problems)))
    return head, entries


def upgraded(rule: Rule) -> Rule:
    """Say explicitly what version 1 left to the reader: the scope of what was written."""
    scope = {"global": "global", "local": "project"}.get(rule.escalation, "")
    written = tuple(w if w.scope or not scope else replace(w, scope=scope) for w in rule.written_to)
    return replace(rule, written_to=written)
