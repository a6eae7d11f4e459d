"""The settings of config.yaml: one row each, from which reading, checking, help and documents are made. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from improve.route import FIELDS, Route, is_absolute, leaves

Where = tuple[str | int, ...]
"""Which value of the file: keys and numbers of list items, outermost first."""
Problem = tuple[Where, str]


class Setting(NamedTuple):
    """One setting a person may change."""

    name: str
    default: Any
    doc: str
    choices: tuple[str, ...] = ()
    """The words it may be."""
    least: int = 0
    most: int = 0

    @property
    def kind(self) -> str:
        """What its value is: `yes-or-no`, `choice`, `number` or `routes`."""
        if isinstance(self.default, bool):
            return "yes-or-no"
        if self.choices:
            return "choice"
        return "number" if isinstance(self.default, int) else "routes"

    @property
    def allowed(self) -> str:
        """Say what it may be."""
        if self.kind == "number":
            return f"a number from {self.least} to {self.most}"
        return " or ".join(_WORDS if self.kind == "yes-or-no" else self.choices) or "a list of routes"


_WORDS = ("true", "false")
SETTINGS: tuple[Setting, ...] = (
    Setting("git", True, "Keep the store's own git history."),
    Setting(
        "trust",
        "agent",
        "Whose word is enough to write a rule: `agent`, or `verified` for what a person vouched for.",
        choices=("agent", "verified"),
    ),
    Setting("threshold_project", 2, "Occasions before a rule of one project is written.", least=1, most=1000),
    Setting(
        "threshold_several_projects", 2, "Occasions before a rule of several projects is written.", least=1, most=1000
    ),
    Setting(
        "brief_characters",
        8000,
        "Characters of rules that are given to an agent when a session starts; the host's own cap holds too.",
        least=500,
        most=8000,
    ),
    Setting(
        "least_severity",
        2,
        "What would cost less than this when it comes again, from 1 (taste) to 5 (data lost), is not kept.",
        least=1,
        most=5,
    ),
    Setting(
        "half_life",
        60,
        "Days after which an occasion counts half as much for the order of rules; the number of occasions stays.",
        least=1,
        most=3650,
    ),
    Setting("archive_held", False, "Let the scheduled run archive rules that have held for 30 days."),
    Setting("routes", (), "Files that rules go to instead of the instruction file; the first route that fits wins."),
)
NAMES = tuple(setting.name for setting in SETTINGS)


def named(name: str) -> Setting | None:
    """Find a setting."""
    return next((setting for setting in SETTINGS if setting.name == name), None)


def check(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """Merge what a file gives, key by key, with the defaults; names every problem at once."""
    values = {setting.name: setting.default for setting in SETTINGS}
    problems: list[Problem] = []
    for key, value in given.items():
        setting = named(key)
        if setting is None:
            problems.append(((key,), f"no such setting{nearest(key, NAMES)}"))
            continue
        values[key], found = parse(setting, value)
        problems += [((key, *where), what) for where, what in found]
    return values, problems


def name_of(where: Where) -> str:
    """Name a value as a person counts: `routes.1.file` is the file of the first route."""
    from improve.escape import visible

    return ".".join(f"{step + 1}" if isinstance(step, int) else visible(step) for step in where)


def nearest(name: str, known: tuple[str, ...]) -> str:
    """Name the known word that a misspelled one may be meant for, as the end of a sentence."""
    from difflib import get_close_matches

    close = get_close_matches(name.lower().replace("-", "_"), known, 1)
    return f"; did you mean {close[0]}?" if close else f"; there are {', '.join(known)}"


def parse(setting: Setting, value: Any) -> tuple[Any, list[Problem]]:
    """Read one value as a file gives it (strings, lists, mappings); the default where it cannot be meant."""
    if setting.kind == "routes":
        return _routes(value)
    word = value.strip() if isinstance(value, str) else ""
    if setting.kind == "number":
        right = word.isascii() and word.isdigit() and len(word) < 9 and setting.least <= int(word) <= setting.most
        return (int(word), []) if right else (setting.default, [_wrong(setting, value)])
    allowed = setting.choices or _WORDS
    if word.lower() not in allowed:
        return setting.default, [_wrong(setting, value)]
    return (word.lower() if setting.choices else word.lower() == "true"), []


def _wrong(setting: Setting, value: Any) -> Problem:
    return (), f"expected {setting.allowed}, found {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a mapping"
    return repr(value or "")[:60]


# --- routes ---


def _routes(value: Any) -> tuple[tuple[Route, ...], list[Problem]]:
    if value is None or value == "":
        return (), []
    if not isinstance(value, list):
        return (), [((), f"expected a list of routes, found {_shown(value)}")]
    routes: list[Route] = []
    problems: list[Problem] = []
    for number, item in enumerate(value):
        route, found = _route(item)
        routes += [route] if route else []
        problems += [((number, *where), what) for where, what in found]
    return tuple(routes), problems


def _route(item: Any) -> tuple[Route | None, list[Problem]]:
    if not isinstance(item, dict):
        return None, [((), f"expected a route such as `file: docs/testing.md`, found {_shown(item)}")]
    problems: list[Problem] = [
        ((key,), f"no such key of a route{nearest(key, tuple(FIELDS))}") for key in item if key not in FIELDS
    ]
    values: dict[str, Any] = {}
    for key in FIELDS:
        if item.get(key) not in (None, ""):
            read = _globs if key == "paths" else _text
            values[key], what = read(key, item[key])
            problems += [((key,), what)] if what else []
    if "file" not in values:
        problems.append(((), "a route needs a file, such as `file: docs/testing.md`"))
    elif not problems:
        problems += [(("file",), what) for what in _unfit_file(Route(**values))]
    return (None if problems else Route(**values)), problems


def _text(key: str, value: Any) -> tuple[str, str]:
    """Read a text of a route and what is wrong with it."""
    from improve import wording
    from improve.errors import Refused

    if not isinstance(value, str):
        return "", f"expected text, found {_shown(value)}"
    try:
        return (wording.check_destination(value) if key == "file" else wording.check_label(value, key)), ""
    except Refused as exc:
        return "", str(exc).replace("; nothing was recorded", "")


def _globs(_: str, value: Any) -> tuple[tuple[str, ...], str]:
    from improve import frontmatter

    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) and item for item in items):
        return (), "expected a list of globs such as tests/**"
    wrong = [f"the glob {item!r} {why}" for item in items if (why := frontmatter.fault(item))]
    wrong += [f"more than {frontmatter.MOST_GLOBS} globs"] if len(items) > frontmatter.MOST_GLOBS else []
    return tuple(items), wrong[0] if wrong else ""


def _unfit_file(route: Route) -> list[str]:
    from improve import frontmatter

    unfit = []
    if not is_absolute(route.file) and leaves(route.file):
        unfit.append(f"{route.file!r} leads out of the project; name a file inside it, or an absolute path")
    if route.paths and not frontmatter.key_for(route.file):
        unfit.append(
            f"{route.file!r} is loaded for no paths in particular; `paths` is for .claude/rules/*.md, "
            ".cursor/rules/*.mdc and .github/instructions/*.instructions.md"
        )
    return unfit


# --- as others see them ---


def as_data(value: Any) -> Any:
    """Give a value as JSON knows it; of a route the keys that say something."""
    if not isinstance(value, tuple):
        return value
    fields = ({key: getattr(route, key) for key in FIELDS if getattr(route, key)} for route in value)
    return [{k: list(v) if isinstance(v, tuple) else v for k, v in route.items()} for route in fields]


def schema() -> dict[str, Any]:
    """Describe config.yaml as JSON Schema (https://json-schema.org/draft/2020-12/schema)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "config.yaml of agent-improvement",
        "type": "object",
        "additionalProperties": False,
        "properties": {s.name: {**_type_of(s), "default": as_data(s.default), "description": s.doc} for s in SETTINGS},
    }


def _type_of(setting: Setting) -> dict[str, Any]:
    if setting.kind == "yes-or-no":
        return {"type": "boolean"}
    if setting.kind == "choice":
        return {"enum": list(setting.choices)}
    if setting.kind == "number":
        return {"type": "integer", "minimum": setting.least, "maximum": setting.most}
    globs = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    fields = {key: {**(globs if key == "paths" else {"type": "string"}), "description": FIELDS[key]} for key in FIELDS}
    route = {"type": "object", "additionalProperties": False, "required": ["file"], "properties": fields}
    return {"type": "array", "items": route}
