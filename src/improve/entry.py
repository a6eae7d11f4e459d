"""One rule as it stands in rules.yaml: plain mapping ⇄ Rule, and the canonical text we write.

Text that is byte for byte what `render` gives is read back without a YAML parser (`parse`): thousands of rules a
second instead of hundreds. Anything a person has touched goes through `yamlnode` and comes to `from_mapping` alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from improve.rule import UNKNOWN, Destination, Folded, Observation, Rule, Written, occasions, projects

T = TypeVar("T")
Problem = tuple[str, str]
"""Key (as typed, dotted for inner ones) and what is wrong with it."""

_OBSERVATION = ("project", "date", "context", "at", "host", "session", "signal", "severity", "provenance", "wording", "id")
_WRITTEN = ("path", "date", "section", "text", "scope", "project", "branch", "made_section", "adopted")
_KNOWN = (
    "id rule domain created last_reinforced observations cross_project total_count project_count escalation "
    "escalated_at written_to explicit_scope retired retired_because aliases near distinct_from destination "
    "severity folded rejected_at supersedes"
).split()
_PLAIN = re.compile(r"[a-z][a-z0-9-]*")
_WORDS_OF_YAML = frozenset("y n yes no on off true false null".split())
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_DATE = re.compile(r"(19[7-9]\d|2[01]\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")


def to_mapping(rule: Rule) -> dict[str, Any]:
    """List what is written for a rule: the keys of version 1 always and in order, later ones when they say something."""
    seen = projects(rule)
    mapping: dict[str, Any] = {
        "id": rule.id,
        "rule": rule.text,
        "domain": rule.domain,
        "created": rule.created,
        "last_reinforced": rule.last_reinforced,
        "observations": [_observation(o) for o in rule.observations],
        "cross_project": len(seen) > 1,
        "total_count": occasions(rule),
        "project_count": len(seen),
        "escalation": rule.escalation or None,
        "escalated_at": rule.escalated_at or None,
        "written_to": [_nonempty(_WRITTEN, w) for w in rule.written_to],
    }
    later = {
        "explicit_scope": rule.explicit_scope,
        "retired": rule.retired,
        "retired_because": rule.retired_because,
        "aliases": list(rule.aliases),
        "near": list(rule.near),
        "distinct_from": list(rule.distinct_from),
        "destination": rule.destination and _nonempty(("path", "section"), rule.destination),
        "severity": rule.severity,
        "folded": [_nonempty(("project", "occasions", "first", "last"), f) for f in rule.folded],
        "rejected_at": rule.rejected_at,
        "supersedes": list(rule.supersedes),
    }
    return mapping | {key: value for key, value in later.items() if value}


def _observation(observation: Observation) -> dict[str, Any]:
    return {
        key: value
        for key in _OBSERVATION
        if (value := getattr(observation, "oid" if key == "id" else key)) or key in _OBSERVATION[:3]
    }


def _nonempty(keys: tuple[str, ...], thing: object) -> dict[str, Any]:
    """Take the keys that say something; the first one names the thing and always stands."""
    return {key: value for key in keys if (value := getattr(thing, key)) or key == keys[0]}


def scalar(value: object) -> str:
    """Write one value so that YAML 1.1 and 1.2 both read back the same string, number or boolean."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    if _PLAIN.fullmatch(text) and text not in _WORDS_OF_YAML:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda m: f"\\u{ord(m[0]):04x}", quoted)


def lines_of(key: str, value: object, indent: str) -> list[str]:
    """Write `key: value` in block style, lists with their dashes under the key, as version 1 files have them."""
    if isinstance(value, dict):
        return [f"{indent}{key}:"] + [line for k, v in value.items() for line in lines_of(k, v, indent + "  ")]
    if isinstance(value, list):
        if not value:
            return [f"{indent}{key}: []"]
        return [f"{indent}{key}:"] + [line for item in value for line in item_lines(item, indent)]
    return [f"{indent}{key}: {scalar(value)}"]


def item_lines(item: object, indent: str) -> list[str]:
    """Write one list item with its dash at *indent*."""
    if not isinstance(item, dict):
        return [f"{indent}- {scalar(item)}"]
    lines = [line for k, v in item.items() for line in lines_of(k, v, indent + "  ")]
    return [f"{indent}- {lines[0].lstrip(' ')}", *lines[1:]]


def render(rule: Rule, indent: str = "") -> str:
    """Write a whole rule as one list item, newline at the end."""
    return "\n".join(item_lines(to_mapping(rule), indent)) + "\n"


def parse(text: str, indent: str = "") -> Rule | None:
    """Read back exactly what `render` wrote; None for anything else, which then goes through YAML."""
    if not text.startswith(f"{indent}- id: "):
        return None
    try:
        rule, problems = from_mapping(_mapping(text.split("\n")[:-1], len(indent)))
    except (ValueError, IndexError, AttributeError, TypeError):
        return None
    return rule if rule and not problems and render(rule, indent) == text else None


def _mapping(lines: list[str], base: int) -> dict[str, Any]:
    """Read the shapes `render` can give: scalars, lists of scalars or mappings, one inner mapping."""
    entry: dict[str, Any] = {}
    holder: Any = None
    lines = [" " * (base + 2) + lines[0][base + 2 :], *lines[1:]]
    for line in lines:
        body = line[base + 2 :]
        if body.startswith("- "):
            holder_list: list[Any] = entry[key] if isinstance(entry[key], list) else []
            entry[key] = holder_list
            name, colon, value = body[2:].partition(": ")
            if colon and not body.startswith('- "'):
                holder = {name: _value(value)}
                holder_list.append(holder)
            else:
                holder_list.append(_value(body[2:]))
        elif body.startswith("  "):
            name, _, value = body[2:].partition(": ")
            if not isinstance(holder, dict):
                holder = entry[key] = {}
            holder[name] = _value(value)
        elif body.endswith(":"):
            key, holder = body[:-1], None
            entry[key] = None
        else:
            key, _, value = body.partition(": ")
            entry[key], holder = _value(value), None
    return entry


def _value(text: str) -> Any:
    if text.startswith('"'):
        return json.loads(text)
    return None if text == "null" else [] if text == "[]" else text


def from_mapping(mapping: dict[str, Any]) -> tuple[Rule | None, list[Problem]]:
    """Build a Rule from what a file says, collecting every problem instead of stopping at the first.

    A rule with problems is shown but never decided or written. None when not even an id and a text are there.
    """
    reader = _Reader(mapping)
    rule = Rule(
        id=reader.text("id", needed=True),
        text=reader.text("rule", needed=True),
        domain=reader.text("domain") or UNKNOWN,
        created=reader.date("created"),
        last_reinforced=reader.date("last_reinforced"),
        observations=tuple(reader.each("observations", _read_observation)),
        escalation=reader.one_of("escalation", ("global", "local")),
        escalated_at=reader.date("escalated_at"),
        written_to=tuple(reader.each("written_to", _read_written)),
        explicit_scope=reader.one_of("explicit_scope", ("global", "local")),
        retired=reader.yes("retired"),
        retired_because=reader.text("retired_because"),
        aliases=reader.texts("aliases"),
        near=reader.texts("near"),
        distinct_from=reader.texts("distinct_from"),
        destination=next(iter(reader.each("destination", _read_destination)), None),
        severity=reader.number("severity", 5),
        folded=tuple(reader.each("folded", _read_folded)),
        rejected_at=reader.number("rejected_at"),
        supersedes=reader.texts("supersedes"),
        extra={key: value for key, value in mapping.items() if key not in _KNOWN},
    )
    reader.number("total_count"), reader.number("project_count"), reader.yes("cross_project")
    return (rule if rule.id and rule.text else None), reader.problems


def _read_observation(reader: _Reader) -> Observation:
    return Observation(
        project=reader.text("project") or UNKNOWN,
        date=reader.date("date"),
        context=reader.text("context"),
        at=reader.text("at"),
        host=reader.text("host"),
        session=reader.text("session"),
        signal=reader.text("signal"),
        severity=reader.number("severity", 5),
        provenance=reader.text("provenance"),
        oid=reader.text("id"),
        wording=reader.text("wording"),
        extra=tuple((k, str(v)) for k, v in reader.mapping.items() if k not in _OBSERVATION),
    )


def _read_written(reader: _Reader) -> Written:
    return Written(
        path=reader.text("path", needed=True),
        date=reader.date("date"),
        section=reader.text("section"),
        text=reader.text("text"),
        scope=reader.one_of("scope", ("global", "project")),
        project=reader.text("project"),
        branch=reader.text("branch"),
        made_section=reader.yes("made_section"),
        adopted=reader.yes("adopted"),
    )


def _read_folded(reader: _Reader) -> Folded:
    return Folded(
        reader.text("project") or UNKNOWN, reader.number("occasions"), reader.date("first"), reader.date("last")
    )


def _read_destination(reader: _Reader) -> Destination:
    return Destination(reader.text("path", needed=True), reader.text("section"))


class _Reader:
    """Takes typed values out of a mapping of strings and remembers what was wrong."""

    def __init__(self, mapping: dict[str, Any], prefix: str = "") -> None:
        self.mapping = mapping
        self.prefix = prefix
        self.problems: list[Problem] = []

    def wrong(self, key: str, message: str) -> None:
        self.problems.append((f"{self.prefix}{key}", message))

    def text(self, key: str, *, needed: bool = False) -> str:
        value = self.mapping.get(key)
        if isinstance(value, (list, dict)):
            self.wrong(key, "expected text")
        elif value is not None and value != "":
            return str(value)
        elif needed:
            self.wrong(key, "is missing")
        return ""

    def date(self, key: str) -> str:
        value = self.text(key)
        if value and not _DATE.fullmatch(value[:10]):
            self.wrong(key, f"expected a day such as 2026-11-30, found {value[:40]!r}")
        return value

    def one_of(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self.text(key)
        if value and value not in allowed:
            self.wrong(key, f"expected {' or '.join(allowed)}, found {value[:40]!r}")
            return ""
        return value

    def yes(self, key: str) -> bool:
        value = self.text(key).lower()
        if value not in ("", "true", "false", "yes", "no"):
            self.wrong(key, f"expected true or false, found {value[:40]!r}")
        return value in ("true", "yes")

    def number(self, key: str, highest: int = 1_000_000) -> int:
        value = self.text(key)
        if value and not (value.isascii() and value.isdigit() and len(value) < 8 and int(value) <= highest):
            self.wrong(key, f"expected a number from 0 to {highest}, found {value[:40]!r}")
            return 0
        return int(value or 0)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.mapping.get(key)
        if value is None or value == "":
            return ()
        if not isinstance(value, list) or any(isinstance(item, (list, dict)) for item in value):
            self.wrong(key, "expected a list of texts")
            return ()
        return tuple(str(item) for item in value if item is not None)

    def each(self, key: str, build: Callable[[_Reader], T]) -> list[T]:
        value = self.mapping.get(key)
        items = [] if value is None else [value] if isinstance(value, dict) else value
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            self.wrong(key, "expected a list of mappings")
            return []
        built = []
        for number, item in enumerate(items):
            inner = _Reader(item, f"{key}.{number}.")
            built.append(build(inner))
            self.problems += inner.problems
        return built
