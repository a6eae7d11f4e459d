"""One rule as it stands in rules.yaml: Rule ⇄ plain mapping, the text we write, and a reader for plain lines.

`read_lines` reads what programs and most people write (`key: value`, one a line) without a YAML parser:
thousands of rules a second instead of hundreds. Whatever it does not know for sure, it leaves to YAML.
"""

from __future__ import annotations

import json
import re
from typing import Any

from improve.rule import Observation, Rule, occasions, projects
from improve.schema import CHECK, DESTINATION, FOLDED, OBSERVATION, VERDICT, WRITTEN, Problem, from_mapping

__all__ = [
    "Problem",
    "from_mapping",
    "item_lines",
    "key_text",
    "lines_of",
    "parse",
    "read_lines",
    "render",
    "scalar",
    "to_mapping",
]

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_WORDS_OF_YAML = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_LINE = r"( *)(- )?(?:([A-Za-z_][A-Za-z0-9_-]*):(?: +(.*))?|(.+))"
_ODD = "\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff"
"""What YAML does not allow, takes for a line end, or treats in a way of its own; for a class of a pattern."""
_NULLS = ("~", "null", "Null", "NULL")


def to_mapping(rule: Rule) -> dict[str, Any]:
    """List what is written for a rule: the keys of version 1 always, later ones when they say something."""
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
        "written_to": [_nonempty(WRITTEN, w) for w in rule.written_to],
    }
    later = {
        "explicit_scope": rule.explicit_scope,
        "retired": rule.retired,
        "retired_because": rule.retired_because,
        "aliases": list(rule.aliases),
        "near": list(rule.near),
        "distinct_from": list(rule.distinct_from),
        "destination": rule.destination and _nonempty(DESTINATION, rule.destination),
        "severity": rule.severity,
        "folded": [_nonempty(FOLDED, f) for f in rule.folded],
        "rejected_at": rule.rejected_at,
        "supersedes": list(rule.supersedes),
        "check": rule.check and _nonempty(CHECK, rule.check),
        "guard": rule.guard,
        "verdict": rule.verdict and _nonempty(VERDICT, rule.verdict),
    }
    return mapping | {key: value for key, value in later.items() if value} | dict(rule.extra)


def _observation(observation: Observation) -> dict[str, Any]:
    mapping = {
        key: value
        for key in OBSERVATION
        if (value := getattr(observation, "oid" if key == "id" else key)) or key in OBSERVATION[:3]
    }
    return mapping | dict(observation.extra) if observation.extra else mapping


def _nonempty(keys: tuple[str, ...], thing: object) -> dict[str, Any]:
    """Take the keys that say something; the first one names the thing and always stands."""
    said = {key: value for key in keys if (value := getattr(thing, key)) or key == keys[0]}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in said.items()}


def scalar(value: object) -> str:
    """Write one value so that YAML 1.1 and 1.2 both read back the same string, number or boolean."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    if text and text[0].isalpha() and _PLAIN.issuperset(text) and text not in _WORDS_OF_YAML:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    # A pattern of such a class takes a millisecond to compile: only for text that may need it.
    return quoted if text.isascii() and "\x7f" not in text else re.sub(f"[{_ODD}]", _escaped, quoted)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def lines_of(key: str, value: object, indent: str) -> list[str]:
    """Write `key: value` in block style, the dashes of lists under the key, as version 1 files have them."""
    if isinstance(value, dict):
        if not value:
            return [f"{indent}{key}: {{}}"]
        return [f"{indent}{key}:"] + [x for k, v in value.items() for x in lines_of(key_text(k), v, indent + "  ")]
    if isinstance(value, list):
        if not value:
            return [f"{indent}{key}: []"]
        return [f"{indent}{key}:"] + [line for item in value for line in item_lines(item, indent)]
    return [f"{indent}{key}: {scalar(value)}"]


def item_lines(item: object, indent: str) -> list[str]:
    """Write one list item with its dash at *indent*."""
    if isinstance(item, dict) and item:
        lines = [line for k, v in item.items() for line in lines_of(key_text(k), v, indent + "  ")]
    elif isinstance(item, list) and item:
        lines = [line for inner in item for line in item_lines(inner, indent + "  ")]
    else:
        lines = [indent + "  " + ("[]" if item == [] else "{}" if item == {} else scalar(item))]
    return [f"{indent}- {lines[0][len(indent) + 2 :]}", *lines[1:]]


def key_text(key: str) -> str:
    """Write a key, quoted unless it is a plain word."""
    plain = key.replace("_", "").isalpha() and key.isascii() and key.islower()
    return key if plain and key not in _WORDS_OF_YAML else scalar(key)


def render(rule: Rule, indent: str = "") -> str:
    """Write a whole rule as one list item, newline at the end."""
    return "\n".join(item_lines(to_mapping(rule), indent)) + "\n"


def parse(text: str, indent: str = "") -> Rule | None:
    """Read back exactly what `render` wrote; None for anything else, which keeps its own shape."""
    mapping = read_lines(text, indent)
    if mapping is None:
        return None
    rule, problems = from_mapping(mapping)
    return rule if rule and not problems and render(rule, indent) == text else None


def read_lines(text: str, indent: str = "") -> dict[str, Any] | None:
    """Read an entry of lines `key: value` and list items; None when only YAML can tell what it says."""
    if not text.startswith(f"{indent}- ") or not text.endswith("\n") or _is_odd(text):
        return None
    reader = _Lines(len(indent) + 2)
    lines = text[:-1].split("\n")
    lines[0] = f"{indent}  {lines[0][len(indent) + 2 :]}"
    return reader.entry if all(map(reader.take, lines)) and reader.complete() else None


def _is_odd(text: str) -> bool:
    plain = text.replace("\n", "")
    if plain.isascii():
        return not plain.isprintable()
    return re.search(f"[\x00-\x1f{_ODD}]", plain) is not None


class _Lines:
    """Reads line after line; `take` answers False at the first one it does not know for sure."""

    def __init__(self, column: int) -> None:
        self.column = column
        self.entry: dict[str, Any] = {}
        self.open = ""
        """The key whose value is to come, line by line."""
        self.inner: dict[str, Any] | None = None
        """The mapping that lines further in belong to."""
        self.listed = ""
        """Its key whose items are to come."""
        self.deep = self.dash = self.inner_dash = 0

    def complete(self) -> bool:
        return bool(self.entry)

    def take(self, line: str) -> bool:
        match = re.fullmatch(_LINE, line)
        if match is None:
            return not line.strip(" ")
        space, dash, key, value, plain = match.groups()
        column = len(space)
        if dash:
            return self._item(column, key, value, plain)
        if key is None:
            return line[column] == "#"
        if key in _NULLS:
            return False
        if column == self.column:
            self.inner, self.listed = None, ""
            return self._put(self.entry, key, value, opens=True)
        if self.inner is None and self.open and column > self.column and self.entry[self.open] is None:
            self.inner = self.entry[self.open] = {}
            self.deep = column
        return self.inner is not None and column == self.deep and self._put_inner(self.inner, key, value)

    def _put_inner(self, inner: dict[str, Any], key: str, value: str | None) -> bool:
        """Take a key of a mapping further in; only one that is no list item may hold a list of its own."""
        mapping = inner is self.entry.get(self.open)
        self.listed = key if not value and mapping else ""
        if not self.listed:
            return self._put(inner, key, value, opens=False)
        new = key not in inner
        inner[key] = None
        return new

    def _listed_item(self, column: int, plain: str | None) -> bool:
        """Take an item of the list that a key further in holds."""
        assert self.inner is not None
        held = self.inner[self.listed]
        if held is None:
            held = self.inner[self.listed] = []
            self.inner_dash = column
        if plain is None or column != self.inner_dash:
            return False
        known, value = _value(plain)
        held.append(value)
        return known

    def _item(self, column: int, key: str | None, value: str | None, plain: str | None) -> bool:
        if self.listed and column >= self.deep:
            return self._listed_item(column, plain)
        held = self.entry.get(self.open) if self.open else None
        if held is None and self.open and column >= self.column:
            held = self.entry[self.open] = []
            self.dash = column
        if not isinstance(held, list) or column != self.dash:
            return False
        if key is None:
            return plain is not None and self._append(held, plain)
        if key in _NULLS:
            return False
        self.inner = {}
        self.deep = column + 2
        held.append(self.inner)
        return self._put(self.inner, key, value, opens=False)

    def _append(self, held: list[Any], plain: str) -> bool:
        self.inner = None
        known, value = _value(plain)
        held.append(value)
        return known

    def _put(self, mapping: dict[str, Any], key: str, value: str | None, *, opens: bool) -> bool:
        if key in mapping:
            return False
        known, mapping[key] = _value(value) if value else (opens, None)
        if opens:
            self.open = "" if value else key
        return known


def _value(text: str) -> tuple[bool, Any]:
    """Read a value on one line; False when only YAML can tell what it is."""
    first = text[0]
    if first == '"':
        try:
            return True, json.loads(text)
        except ValueError:
            return False, None
    if first == "'":
        inner = text[1:-1]
        closed = len(text) > 1 and text[-1] == "'" and "'" not in inner.replace("''", "")
        return closed, inner.replace("''", "'")
    if text == "[]":
        return True, []
    if text in _NULLS:
        return True, None
    sure = (first.isalnum() or first in "_/~.(") and text[-1] not in ": " and ": " not in text
    return sure and " #" not in text, text
