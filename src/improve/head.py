"""The part of rules.yaml that is no rule: version, domains, projects; read it, and change one thing in it."""

from __future__ import annotations

from typing import Any

from improve import entry, splice, yamlnode
from improve.layout import BOM, Head, Irregular, Malformed, Place, decoded
from improve.outline import outline
from improve.taxonomy import Taxonomy


def read_head(data: bytes) -> Head:
    """Read version, taxonomy and projects from the bytes around the entries.

    Raises:
        Malformed: not YAML, or a value of the wrong kind.
        Irregular: `rules:` is not where its line says.
    """
    node = yamlnode.read(decoded(data))
    shape = outline(data)
    rules = node.pairs.get("rules") if node else None
    found = rules[0].line if rules and not rules[1].plain_value() else 0
    if (node or shape.has_rules_key) and found != shape.key_line:
        raise Irregular("`rules:` is not where its line says")
    return head_of(node)


def head_of(node: yamlnode.Node | None) -> Head:
    """Read the head from the root of a file.

    Raises:
        Malformed: a value of the wrong kind.
    """
    if node is None or _nothing(node):
        return Head()
    if node.kind != "mapping":
        raise Malformed(node.line, "expected the keys `version`, `domain_taxonomy` and `rules`, each with a colon")
    version = node.get("version")
    number = version.scalar if version else "1"
    if version and number not in ("1", "2"):
        raise Malformed(version.line, f"version {number!r} is not known to this improve (1 or 2); update improve")
    return Head(int(number or 1), _taxonomy(node.get("domain_taxonomy")), _projects(node.get("projects")))


def _nothing(node: yamlnode.Node) -> bool:
    return node.kind == "scalar" and node.scalar is None


def _taxonomy(node: yamlnode.Node | None) -> Taxonomy:
    if node is None or _nothing(node):
        return Taxonomy()
    if node.kind != "mapping":
        raise Malformed(node.line, "domain_taxonomy: expected the keys general and project_specific")
    standard = Taxonomy()
    lists = {"general": standard.general, "project_specific": standard.project_specific}
    for name in lists:
        value = node.get(name)
        if value is None:
            continue
        if not _nothing(value) and (value.kind != "list" or any(i.kind != "scalar" for i in value.items)):
            raise Malformed(value.line, f"domain_taxonomy.{name}: expected a list of names")
        lists[name] = tuple(item.scalar for item in value.items if item.scalar)
    return Taxonomy(**lists)


def _projects(node: yamlnode.Node | None) -> dict[str, Place]:
    if node is None or _nothing(node):
        return {}
    if node.kind != "mapping":
        raise Malformed(node.line, "projects: expected a mapping of project keys")
    return {key: _place(key, value) for key, (_, value) in node.pairs.items()}


def _place(key: str, node: yamlnode.Node) -> Place:
    if _nothing(node):
        return Place()
    if node.kind != "mapping" or any(_no_names(node.get(name)) for name in ("roots", "was")):
        raise Malformed(node.line, f"projects.{key}: expected name, remote and a list of roots")
    texts = {name: (value.scalar or "") for name, (_, value) in node.pairs.items() if value.kind == "scalar"}
    return Place(texts.get("name", ""), texts.get("remote", ""), _names(node.get("roots")), _names(node.get("was")))


def _no_names(node: yamlnode.Node | None) -> bool:
    listed = node is None or _nothing(node) or node.kind == "list"
    return not listed or (node is not None and any(item.kind != "scalar" for item in node.items))


def _names(node: yamlnode.Node | None) -> tuple[str, ...]:
    return tuple(item.scalar for item in node.items if item.scalar) if node else ()


def edit_head(
    front: bytes, tail: bytes, *, version: int | None = None, place: tuple[str, Place | None] | None = None
) -> tuple[bytes, bytes]:
    """Set the version, or add, change or (None) take out one project, in the bytes before and after the entries.

    Raises:
        Irregular: it is written in a way that cannot be changed in place; nothing is changed.
    """
    bom = BOM if front.startswith(BOM) else b""
    before, after = front.removeprefix(bom).decode(), tail.decode()
    node = yamlnode.read(before + after)
    try:
        edits = _put_version(before, after, node, version) if version is not None else []
        edits += _put_place(before + after, node, place) if place else []
        early = [e for e in edits if e.start < len(before) or not after]
        late = [e for e in edits if e not in early]
        new = splice.apply(before, early).encode(), _shifted(after, len(before), late).encode()
    except ValueError as exc:
        raise Irregular(str(exc)) from None
    head = read_head(new[0] + new[1])
    if (version and head.version != version) or (place and not _said_so(head, *place)):
        raise Irregular("the head of the file does not read back as meant")
    return bom + new[0], new[1]


def _said_so(head: Head, key: str, place: Place | None) -> bool:
    return head.projects.get(key, Place()) == (place or Place())


def _shifted(text: str, by: int, edits: list[splice.Edit]) -> str:
    moved = [splice.Edit(e.start - by, e.end - by, e.new, e.lines, e.depth) for e in edits]
    return splice.apply(text, moved)


def _put_version(front: str, tail: str, node: yamlnode.Node | None, version: int) -> list[splice.Edit]:
    if node and "version" in node.pairs:
        return splice.change(front + tail, node, {}, {"version": version})
    first = next(iter(node.pairs.values()))[0].start if node and node.pairs else len(front)
    at = splice.line_start(front, first) if first < len(front) else len(front)
    return [splice.Edit(at, at, f"version: {version}\n", lines=True)]


def _put_place(text: str, node: yamlnode.Node | None, place: tuple[str, Place | None]) -> list[splice.Edit]:
    key, value = place
    known = node.get("projects") if node else None
    if value is None and (known is None or key not in known.pairs):
        return []
    if value is None and known and not known.flow and len(known.pairs) > 1:
        name, old = known.pairs[key]
        return [splice.Edit(splice.line_start(text, name.start), splice.after_line(text, old.last_leaf()), "")]
    mapping = _mapping(value or Place())
    if node is None or known is None:
        lines = "\n".join(entry.lines_of("projects", {key: mapping}, "")) + "\n"
        anchor = node.pairs["rules"][0].start if node and "rules" in node.pairs else len(text)
        at = splice.line_start(text, anchor) if anchor < len(text) else anchor
        return [splice.Edit(at, at, lines, lines=True)]
    there = known.get(key)
    if there is None or not there.pairs:
        return splice.change(text, node, {"projects": {}}, {"projects": {key: mapping}})
    if "was" in there.pairs:
        mapping.setdefault("was", [])
    before = {name: _said(there.get(name)) for name in mapping if there.get(name)}
    return splice.change(text, there, before, mapping)


def _mapping(place: Place) -> dict[str, Any]:
    mapping: dict[str, Any] = {"name": place.name, "remote": place.remote, "roots": list(place.roots)}
    return mapping | {"was": list(place.was)} if place.was else mapping


def _said(node: yamlnode.Node | None) -> Any:
    if node is None or node.kind == "scalar":
        return (node.scalar if node else None) or ""
    return node.plain_value()
