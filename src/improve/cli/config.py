"""improve config, suggest-destination."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from improve.cli.common import json_option, keep_history, look_around, merge_what_waits, say
from improve.errors import NeedsRepair, UsageError
from improve.escape import visible
from improve.workflow.here import Here

if TYPE_CHECKING:
    from improve.config import Found
    from improve.settings import Setting
    from improve.workflow.suggest import Suggestion

_EXAMPLES = """\b
Examples:
  improve config                            every setting, its default and where it comes from
  improve config set trust verified
  improve config set trust --default        take the line out again
  improve config get routes
  improve config check
  improve config schema > config.schema.json"""


@click.group("config", invoke_without_command=True, epilog=_EXAMPLES)
@json_option
@click.pass_context
def config_command(ctx: click.Context, as_json: bool) -> int | None:
    """Show, check or change the settings in config.yaml; alone it lists them.

    Looking writes nothing, not even the file. Keys that are not there have their defaults, each by itself.
    """
    if ctx.invoked_subcommand and as_json:
        raise UsageError(f"--json goes behind {ctx.invoked_subcommand}; nothing was done")
    return None if ctx.invoked_subcommand else _list(look_around(), as_json=as_json)


def _sound(here: Here) -> tuple[str, Found]:
    from improve import config
    from improve.workflow.settings import FILE

    path = here.home.file(FILE)
    found = config.look(path)
    if found.problems:
        raise NeedsRepair(path, found.problems)
    return path, found


@config_command.command("list", epilog="\b\nExample:\n  improve config list --json")
@json_option
def _list_command(as_json: bool) -> int:
    """List every setting with its value, its default, where it comes from and what it is for."""
    return _list(look_around(), as_json=as_json)


def _list(here: Here, *, as_json: bool) -> int:
    from improve import report
    from improve.settings import SETTINGS

    path, found = _sound(here)
    if as_json:
        listed = [_as_data(setting, found) for setting in SETTINGS]
        say(report.as_json("config", {"path": path, "exists": os.path.lexists(path), "settings": listed}))
        return 0
    for setting in SETTINGS:
        where = f"line {found.lines[setting.name]}" if setting.name in found.lines else "default"
        say(f"{setting.name}: {_shown(getattr(found.config, setting.name))}  ({where})")
        say(f"    {setting.doc}\n    It may be {setting.allowed}; default: {_shown(setting.default)}.")
    there = "" if os.path.lexists(path) else " (there is none yet)"
    say(f"From {visible(here.short(path))}{there}. Change one with: improve config set KEY VALUE")
    return 0


def _as_data(setting: Setting, found: Found) -> dict[str, Any]:
    from improve.settings import as_data

    return {
        "name": setting.name,
        "value": as_data(getattr(found.config, setting.name)),
        "default": as_data(setting.default),
        "from": "file" if setting.name in found.lines else "default",
        "line": found.lines.get(setting.name),
        "kind": setting.kind,
        "allowed": setting.allowed,
        "doc": setting.doc,
    }


def _shown(value: Any) -> str:
    """Show a value as `set` takes it."""
    from improve.settings import as_data

    return visible(value if isinstance(value, str) else json.dumps(as_data(value), ensure_ascii=False))


@config_command.command("get", epilog="\b\nExample:\n  improve config get threshold_project")
@click.argument("key")
@json_option
def _get_command(key: str, as_json: bool) -> int:
    """Print the value in force of one setting."""
    from improve import report
    from improve.workflow.settings import setting

    known = setting(key)
    _, found = _sound(look_around())
    said = report.as_json("config", _as_data(known, found)) if as_json else _shown(getattr(found.config, key))
    say(said)
    return 0


@config_command.command(
    "set",
    epilog="\b\nExamples:\n  improve config set git false\n  improve config set git --default\n"
    """  improve config set routes '[{"domain": "testing", "file": "docs/testing.md"}]'""",
)
@click.argument("key")
@click.argument("value", required=False)
@click.option("--default", "reset", is_flag=True, help="Take the line out, so that the default holds.")
@json_option
def _set_command(key: str, value: str | None, reset: bool, as_json: bool) -> int:
    """Change one setting; every other byte of config.yaml stays, and a file that is broken is left alone."""
    from improve import report
    from improve.workflow import settings

    if reset == (value is not None):
        raise UsageError(f"give a value for {key}, or --default; nothing was changed")
    here = look_around()
    changed = settings.put(here, key, None if reset else value)
    here.__dict__.pop("config", None)
    path, found = _sound(here)
    if as_json:
        say(report.as_json("config", {**_as_data(settings.setting(key), found), "path": path, "changed": changed}))
    else:
        now = f"{key}: {_shown(getattr(found.config, key))}"
        say(f"Changed in {visible(here.short(path))}: {now}" if changed else f"It says so already: {now}")
        if changed and key == "routes":
            say("Lines that we wrote elsewhere move with: improve escalate --apply (preview: improve escalate)")
    keep_history(here, f"config: {'reset' if reset else 'set'} {key}" if changed else "")
    return 0


@config_command.command("check", epilog="\b\nExample:\n  improve config check --json")
@json_option
def _check_command(as_json: bool) -> int:
    """Name every problem of config.yaml at once, each with its line; `--json` adds the schema."""
    from improve import config, report
    from improve.settings import schema
    from improve.workflow.settings import FILE

    here = look_around()
    path = here.home.file(FILE)
    found = config.look(path)
    exists = os.path.lexists(path)
    if as_json:
        body = {"path": path, "exists": exists, "problems": found.problems, "schema": schema()}
        say(report.as_json("config", body))
    elif not found.problems:
        given = (
            f"{report.counted(len(found.lines), 'setting')}, no problem" if exists else "there is none; all defaults"
        )
        say(f"ok     {visible(here.short(path))}: {given}")
    for problem in [] if as_json else found.problems:
        say(f"WRONG  {visible(here.short(path))}: {visible(problem)}")
    return NeedsRepair.exit_code if found.problems else 0


@config_command.command("path", epilog="\b\nExample:\n  improve config path")
@json_option
def _path_command(as_json: bool) -> int:
    """Print where config.yaml is, or would be."""
    from improve import report
    from improve.workflow.settings import FILE

    path = look_around().home.file(FILE)
    say(report.as_json("config", {"path": path, "exists": os.path.lexists(path)}) if as_json else visible(path))
    return 0


@config_command.command("schema", epilog="\b\nExample:\n  improve config schema")
def _schema_command() -> int:
    """Print a JSON Schema of config.yaml, for editors."""
    from improve.settings import schema

    say(json.dumps(schema(), indent=2))
    return 0


@click.command("suggest-destination", epilog="\b\nExample:\n  improve suggest-destination mock-no-database")
@click.argument("rule_id")
@json_option
def suggest_destination_command(rule_id: str, as_json: bool) -> int:
    """Name the nearest instruction file to the paths that a rule's evidence mentions, and the command to accept it.

    Only paths that exist in the rule's projects count. Nothing is changed.
    """
    from improve import report
    from improve.workflow import suggest

    here = look_around()
    merge_what_waits(here)
    view = here.store.view()
    rule = view.rule(rule_id)
    found = suggest.suggest(here, view, rule)
    if as_json:
        listed = [{**s._asdict(), "command": _accepting(here, rule_id, s)} for s in found]
        say(report.as_json("suggest-destination", {"rule": rule_id, "suggestions": listed}))
        return 0
    for one in found:
        say(f"{visible(one.project)} in {visible(here.short(one.root))}")
        say(f"  mentioned: {visible(', '.join(one.mentioned)) or 'no path that exists there'}")
        if one.file:
            loaded = f" (for {', '.join(one.paths)})" if one.paths else ""
            say(f"  in common: {visible(one.directory)}\n  nearest:   {visible(one.file + loaded)}: {visible(one.why)}")
            say(f"  accept it: {_accepting(here, rule_id, one)}")
        else:
            say(f"  no suggestion: {visible(one.why)}")
    if not found:
        say(f"{visible(rule_id)}: none of its projects has a directory on this machine, so there is nowhere to look.")
    return 0


def _accepting(here: Here, rule_id: str, one: Suggestion) -> str | None:
    """Give the command that takes a suggestion, right in the directory it is read in."""
    from improve import report

    if not one.file:
        return None
    full = os.path.join(one.root, one.file)
    near = os.path.realpath(here.cwd or os.sep) == os.path.realpath(one.root)
    options = f"--file {report.shell(one.file if near else full)}"
    options += "".join(f" --paths {report.shell(glob)}" for glob in one.paths)
    return report.command("set", rule_id, options=options)
