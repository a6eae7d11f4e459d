"""From a plain mapping, as a file or the index gives it, to a Rule; every mistake is named, none is fatal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from improve.rule import (
    GUARDS,
    TOOLS,
    UNKNOWN,
    VERDICTS,
    Check,
    Destination,
    Folded,
    Observation,
    Rule,
    Verdict,
    Written,
)

T = TypeVar("T")
Problem = tuple[str, str]
"""Key (as typed, dotted for inner ones) and what is wrong with it."""

OBSERVATION = (
    "project",
    "date",
    "context",
    "at",
    "host",
    "session",
    "signal",
    "severity",
    "provenance",
    "wording",
    "id",
)
"""Keys of an observation in the order they are written; `id` is the field `oid`."""
WRITTEN = (
    "path",
    "date",
    "at",
    "section",
    "text",
    "scope",
    "project",
    "branch",
    "beside",
    "made_section",
    "adopted",
    "sent",
)
FOLDED = ("project", "occasions", "first", "last")
DESTINATION = ("path", "section", "paths")
CHECK = ("tool", "deny", "unless", "paths")
VERDICT = ("state", "at", "since", "exposed_before", "failed_before", "exposed", "failed", "cause", "detail")
ALWAYS = (
    "id",
    "rule",
    "domain",
    "created",
    "last_reinforced",
    "observations",
    "cross_project",
    "total_count",
    "project_count",
    "escalation",
    "escalated_at",
    "written_to",
)
"""Keys of version 1, which always stand, in this order."""
OPTIONAL = (
    "explicit_scope",
    "retired",
    "retired_because",
    "aliases",
    "near",
    "distinct_from",
    "destination",
    "severity",
    "folded",
    "rejected_at",
    "supersedes",
    "check",
    "guard",
    "verdict",
)
"""Keys that stand only when they say something."""
_KNOWN = frozenset((*ALWAYS, *OPTIONAL))
_OBSERVED = frozenset(OBSERVATION)
_YES, _NO = ("true", "yes", "on"), ("", "false", "no", "off")
_DATE = re.compile(
    r"(19[7-9]\d|2[01]\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    r"(?:[Tt ][0-2]\d:[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)? ?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
"""A day, and nothing after it but a time as ISO 8601 or YAML writes it."""
_SHORT_MONTHS = frozenset(("02-30", "02-31", "04-31", "06-31", "09-31", "11-31"))


def from_mapping(mapping: dict[str, Any]) -> tuple[Rule | None, list[Problem]]:
    """Build a Rule from what a file says, collecting every problem instead of stopping at the first.

    A rule with problems is shown but never decided or written. None when not both an id and a text are there.
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
        **_optional(reader),
    )
    reader.number("total_count"), reader.number("project_count"), reader.yes("cross_project")
    return (rule if rule.id and rule.text else None), reader.problems


def _optional(reader: _Reader) -> dict[str, Any]:
    """Read what most rules do not have."""
    mapping = reader.mapping
    if all(key in ALWAYS for key in mapping):
        return {}
    return {
        "explicit_scope": reader.one_of("explicit_scope", ("global", "local")),
        "retired": reader.yes("retired"),
        "retired_because": reader.text("retired_because"),
        "aliases": reader.texts("aliases"),
        "near": reader.texts("near"),
        "distinct_from": reader.texts("distinct_from"),
        "destination": next(iter(reader.each("destination", _read_destination)), None),
        "severity": reader.number("severity", 5),
        "folded": tuple(reader.each("folded", _read_folded)),
        "rejected_at": reader.number("rejected_at"),
        "supersedes": reader.texts("supersedes"),
        "check": next(iter(reader.each("check", _read_check)), None),
        "guard": reader.one_of("guard", GUARDS),
        "verdict": next(iter(reader.each("verdict", _read_verdict)), None),
        "extra": {key: value for key, value in mapping.items() if key not in _KNOWN},
    }


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
        extra=tuple((key, value) for key, value in reader.mapping.items() if key not in _OBSERVED),
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
        beside=reader.number("beside"),
        made_section=reader.yes("made_section"),
        adopted=reader.yes("adopted"),
        sent=reader.yes("sent"),
        at=reader.text("at"),
    )


def _read_folded(reader: _Reader) -> Folded:
    project = reader.text("project") or UNKNOWN
    return Folded(project, reader.number("occasions"), reader.date("first"), reader.date("last"))


def _read_destination(reader: _Reader) -> Destination:
    return Destination(reader.text("path", needed=True), reader.text("section"), reader.some("paths"))


def _read_check(reader: _Reader) -> Check:
    tool = reader.one_of("tool", TOOLS) or "any"
    deny, paths = reader.some("deny"), reader.some("paths")
    if not deny and not paths:
        reader.wrong("deny", "is missing")
    return Check(tool, deny, reader.some("unless"), paths)


def _read_verdict(reader: _Reader) -> Verdict:
    return Verdict(
        state=reader.one_of("state", VERDICTS) or VERDICTS[-1],
        at=reader.text("at"),
        since=reader.date("since"),
        exposed_before=reader.number("exposed_before"),
        failed_before=reader.number("failed_before"),
        exposed=reader.number("exposed"),
        failed=reader.number("failed"),
        cause=reader.text("cause"),
        detail=reader.text("detail"),
    )


class _Reader:
    """Takes typed values out of a mapping of strings and remembers what was wrong."""

    __slots__ = ("mapping", "prefix", "problems")

    def __init__(self, mapping: dict[str, Any], prefix: str = "") -> None:
        self.mapping = mapping
        self.prefix = prefix
        self.problems: list[Problem] = []

    def wrong(self, key: str, message: str) -> None:
        self.problems.append((f"{self.prefix}{key}", message))

    def text(self, key: str, *, needed: bool = False) -> str:
        value = self.mapping.get(key)
        if value and isinstance(value, str):
            return value
        if isinstance(value, (list, dict)):
            self.wrong(key, "expected text")
        elif needed:
            self.wrong(key, "is missing")
        return ""

    def date(self, key: str) -> str:
        value = self.text(key)
        if value and not (_DATE.fullmatch(value) and value[5:10] not in _SHORT_MONTHS):
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
        if value not in _YES and value not in _NO:
            self.wrong(key, f"expected true or false, found {value[:40]!r}")
        return value in _YES

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

    def some(self, key: str) -> tuple[str, ...]:
        """Take a list of texts, or one text."""
        one = self.mapping.get(key)
        return (one,) if isinstance(one, str) and one else self.texts(key)

    def each(self, key: str, build: Callable[[_Reader], T]) -> list[T]:
        value = self.mapping.get(key)
        items = [] if value is None else [value] if isinstance(value, dict) else value
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            self.wrong(key, "expected a list of mappings")
            return []
        built = []
        for number, item in enumerate(items):
            inner = _Reader(item, f"{key}." if items is not value else f"{key}.{number}.")
            built.append(build(inner))
            self.problems += inner.problems
        return built
