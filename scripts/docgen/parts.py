"""What the generated parts of the documents say, each made from the program itself."""

from __future__ import annotations

import ast
import inspect
import json
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import scenes

from improve import cli, errors, escalate, hosts, route, settings, taxonomy
from improve.rule import Observation, Rule

ROOT = Path(__file__).resolve().parents[2]
KNOWN = taxonomy.Taxonomy()


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Write a Markdown table."""
    lines = [heads, ("---",) * len(heads), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# --- the decision tree ---


def seen(*projects: str, domain: str = "unknown", scope: str = "", retired: bool = False) -> Rule:
    """Make a rule that was observed once in each of these projects."""
    evidence = tuple(Observation(project, "2026-01-01") for project in projects)
    return Rule("r", "R", domain, observations=evidence, explicit_scope=scope, retired=retired)


EXAMPLES: dict[str, Rule] = {
    "retired or archived": seen("shop", "shop", retired=True),
    "explicit scope global": seen("shop", scope="global"),
    "explicit scope local": seen("shop", "shop", scope="local"),
    "count = 1": seen("shop", domain="testing"),
    "count ≥ 2, one project": seen("shop", "shop"),
    "count ≥ 2, several projects, general domain": seen("shop", "blog", domain="testing"),
    "count ≥ 2, several projects, project-specific domain": seen("shop", "blog", domain="api-design"),
    "count ≥ 2, several projects, unknown domain": seen("shop", "blog"),
}
"""A rule for each row of the tree, the plainest that it is about."""


def tree_short() -> str:
    """Show the tree alone."""
    return table(("when", "then"), escalate.TREE)


def tree() -> str:
    """Show the tree, with the decision and the message for an example of each row."""
    rows = []
    for when, then in escalate.TREE:
        rule = EXAMPLES[when]
        decision = escalate.decide(rule, KNOWN)
        said = escalate.message(rule, decision, KNOWN)
        rows.append((when, then, f"`{decision.kind}`", f"`{said}`"))
    return table(("when", "then", "decision", "what `observe` says, for example"), rows)


def domains() -> str:
    """List the domains with their kind and section."""
    general = [(f"`{name}`", "general", title) for name, title in taxonomy.GENERAL.items()]
    specific = [(f"`{name}`", "project-specific", title) for name, title in taxonomy.PROJECT_SPECIFIC.items()]
    return table(("domain", "kind", "section"), [*general, *specific])


# --- exit codes ---


def exit_codes() -> str:
    """List the exit codes, those of the error classes in their own words."""
    told = {
        0: "Done.",
        1: "Internal error, a bug; the path of a log to paste into a report is printed.",
    }
    for kind in errors.ImproveError.__subclasses__():
        told[kind.exit_code] = first_sentence(kind.__doc__)
    told |= {130: "Stopped with Ctrl-C.", 141: "The reader of the output went away."}
    return table(("code", "meaning"), [(str(code), told[code]) for code in sorted(told)])


def first_sentence(doc: str | None) -> str:
    """Give the first sentence of a docstring, on one line."""
    paragraph = " ".join(inspect.cleandoc(doc or "").partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".") + "."


# --- the layers ---


def layers() -> str:
    """List the modules row by row, top first, each with the first sentence of its docstring."""
    contract = _contracts()["layers"]
    rows: list[tuple[str, ...]] = []
    for layer in contract["layers"]:
        names = [name.strip().strip("()") for name in layer.split("|")]
        there = [(name, sentence) for name in names if (sentence := _about(name))]
        if there:
            rows.append((str(len(rows) + 1), "<br>".join(f"`{name}`: {sentence}" for name, sentence in there)))
    return table(("row", "modules"), rows)


def contracts() -> str:
    """List what import-linter holds besides the layers."""
    found = (c for key, c in _contracts().items() if key != "layers")
    return "\n".join(f"- {c['name']}{_sources(c)}." for c in found)


def _contracts() -> dict[str, dict[str, list[str]]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {contract["id"]: contract for contract in project["tool"]["importlinter"]["contracts"]}


def _sources(contract: dict[str, list[str]]) -> str:
    names = [f"`{module.removeprefix('improve.')}`" for module in contract.get("source_modules", [])]
    return f": {', '.join(names)}" if names else ""


def _about(module: str) -> str:
    base = ROOT / "src" / "improve" / module
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    if not path.exists():
        return ""
    return first_sentence(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))))


# --- hosts ---


def places() -> str:
    """List the file each host loads in every project, and the one made where it has none."""
    rows = []
    for host in hosts.all_hosts():
        usual, made = (f"`{locate('~', {})}`" if locate else "none" for locate in (host.global_file, host.create_file))
        variable = next(row.session_variable for row in hosts.ROWS if row.name == host.name)
        rows.append((host.title, usual, made, f"`{variable}`" if variable else "not told"))
    return table(("host", "its global file", "made when it has none", "session id taken from"), rows)


# --- settings ---


def setting_rows() -> str:
    """List the settings, and below them the keys of a route."""
    rows = [(f"`{s.name}`", s.allowed, f"`{_default(s)}`", s.doc) for s in settings.SETTINGS]
    return table(("setting", "may be", "default", "meaning"), rows)


def route_rows() -> str:
    """List the keys of a route."""
    return table(("key", "meaning"), [(f"`{key}`", doc) for key, doc in route.FIELDS.items()])


def defaults() -> str:
    """Show a config.yaml that changes nothing."""
    lines = [f"{setting.name}: {_default(setting)}" for setting in settings.SETTINGS]
    return "\n".join(["```yaml", *lines, "```"])


def _default(setting: settings.Setting) -> str:
    return setting.default if setting.choices else json.dumps(settings.as_data(setting.default))


# --- commands, examples ---


def commands() -> str:
    """Describe every command."""
    import manual

    return "\n\n".join(manual.chapter(name) for name in cli.COMMANDS)


def summary() -> str:
    """List every command with its first sentence."""
    import manual

    rows = ((f"`{name}`", manual.first_sentence(name)) for name in cli.COMMANDS)
    return table(("command", "what it does"), rows)


def about_hosts(part: str) -> Callable[[], str]:
    """Take a part from the module about hosts, which is imported when it is written."""

    def write() -> str:
        import agents

        return agents.PARTS[part]()

    return write


PARTS: dict[str, Callable[[], str]] = {
    "tree": tree,
    "tree-short": tree_short,
    "domains": domains,
    "exit-codes": exit_codes,
    "places": places,
    **{f"host-{part}": about_hosts(f"host-{part}") for part in ("capture", "files", "guards", "limits", "removal")},
    "layers": layers,
    "contracts": contracts,
    "commands": commands,
    "summary": summary,
    "settings": setting_rows,
    "routes": route_rows,
    "defaults": defaults,
    **scenes.PARTS,
}
