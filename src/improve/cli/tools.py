"""The commands as tools: what `improve mcp` offers, derived from the command line, which stays the one place that
says what a verb takes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import click

from improve.cli import COMMANDS, root, run
from improve.cli.common import Place
from improve.errors import UsageError


class Verb(NamedTuple):
    """What a host may want to know of a command before it lets an agent call it."""

    name: str
    reads: bool = False
    """It changes nothing."""
    replaces: bool = False
    """It changes or takes away, not only adds."""
    settles: bool = False
    """The same call again changes nothing more."""


VERBS: tuple[Verb, ...] = (
    Verb("observe"),
    Verb("status", reads=True),
    Verb("due", reads=True),
    Verb("escalate", replaces=True, settles=True),
    Verb("history", reads=True),
    Verb("set", replaces=True, settles=True),
    Verb("retire", replaces=True, settles=True),
    Verb("restore", settles=True),
    Verb("undo", replaces=True),
    Verb("inbox", reads=True),
    Verb("accept", replaces=True),
    Verb("dismiss", replaces=True, settles=True),
    Verb("where", reads=True),
)
"""In the order of a session. What only a person should say (`confirm`, `on`, `off`, `config`) is not among them."""

_UNASKED = ("json", "format")
"""Options on how to print; a tool always answers with the object of `--json`."""
_ABOUT: dict[str, dict[str, Any]] = {
    "project_dir": {
        "type": "string",
        "description": "Absolute path of the directory you work in; default: where this server was started.",
    },
    "session": {"type": "string", "description": "Id of your session, the same in every call of it."},
}
"""What each tool takes beside the options of its command: an agent at a shell says these without a word."""


class Answer(NamedTuple):
    """What came of a call."""

    body: dict[str, Any]
    """The object that the command prints with `--json`."""
    notes: str
    """What it said beside that."""
    code: int


def offered() -> tuple[Verb, ...]:
    """List the verbs this version has."""
    return tuple(verb for verb in VERBS if verb.name in COMMANDS)


def description(verb: Verb) -> str:
    """Give the help of a command."""
    import inspect

    return inspect.cleandoc(_command(verb.name).help or "")


def hints(verb: Verb) -> dict[str, bool]:
    """Say what a call does, by the protocol's names (https://modelcontextprotocol.io, tool annotations)."""
    return {
        "readOnlyHint": verb.reads,
        "destructiveHint": verb.replaces,
        "idempotentHint": verb.reads or verb.settles,
        "openWorldHint": False,
    }


def schema(verb: Verb) -> dict[str, Any]:
    """Describe what a tool takes, as JSON Schema."""
    named = dict(_parameters(verb.name))
    properties = {name: _described(parameter) for name, parameter in named.items()}
    needed = [name for name, parameter in named.items() if parameter.required]
    found: dict[str, Any] = {"type": "object", "properties": _ABOUT | properties, "additionalProperties": False}
    return {**found, "required": needed} if needed else found


def call(name: str, arguments: Mapping[str, Any], *, client: str, session: str = "") -> Answer:
    """Run a command as its command line would, and give what it printed; never raises.

    While it runs, the standard streams of this process are its own: one call at a time.

    Args:
        client: what the program at the other end calls itself.
        session: counts as the session where neither the agent nor the host says one.
    """
    import contextlib
    import io
    import json
    import sys

    try:
        given = dict(arguments)
        said = given.get("session")
        place = _place(given, client)
        if "session" in dict(_parameters(name)):
            given["session"] = said or _session(place) or session
        argv = command_line(name, given)
    except UsageError as exc:
        return refused(str(exc), exc.exit_code)
    out, err, stdin = io.StringIO(), io.StringIO(), sys.stdin
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        sys.stdin = io.StringIO()
        try:
            code = run(argv, place=place)
        finally:
            sys.stdin = stdin
    try:
        body = json.loads(out.getvalue())
    except ValueError:  # a bug, which says on the other stream where its details are
        return refused(err.getvalue().strip().removeprefix("improve: "), code or 1)
    return Answer(body, err.getvalue().strip(), code)


def refused(message: str, code: int) -> Answer:
    """Give the answer of a command that failed."""
    from improve.report import SCHEMA

    told = {"exit_code": code, "message": message, "problems": None}
    return Answer({"improve": SCHEMA, "command": "error", "error": told}, "", code)


def command_line(name: str, arguments: Mapping[str, Any]) -> list[str]:
    """Write a call as a command line, each value where nothing in it can be taken for an option.

    Raises:
        UsageError: an argument is not one of this command's, or is of another type.
    """
    options: list[str] = []
    positional: list[str] = []
    known = dict(_parameters(name))
    strange = [given for given in arguments if given not in known]
    if strange:
        raise UsageError(f"{name} takes no {strange[0]!r}; it takes: {', '.join(known)}. Nothing was done")
    for parameter_name, parameter in known.items():
        value = arguments.get(parameter_name)
        if value is None:
            continue
        if isinstance(parameter, click.Option):
            options += _option(parameter_name, parameter, value)
        else:
            positional += _texts(parameter_name, parameter, value)
    return [name, *options, "--json", "--", *positional]


def _option(name: str, option: click.Option, value: Any) -> list[str]:
    flag = _flag(option)
    if not option.is_flag:
        return [f"{flag}={text}" for text in _texts(name, option, value)]
    if not isinstance(value, bool):
        raise UsageError(f"{name} must be true or false; nothing was done")
    return [flag] if value else option.secondary_opts[:1]


def _texts(name: str, parameter: click.Parameter, value: Any) -> list[str]:
    """Give a value as the words of a command line."""
    several = _several(parameter)
    if several and not isinstance(value, list):
        raise UsageError(f"{name} must be a list; nothing was done")
    values = value if several else [value]
    wrong = [one for one in values if isinstance(one, bool) or not isinstance(one, (str, int))]
    if wrong:
        meant = "a list of texts" if several else "a text or a whole number"
        raise UsageError(f"{name} must be {meant}; nothing was done")
    return [str(one) for one in values]


def _place(given: dict[str, Any], client: str) -> Place:
    """Take out of the arguments where the call comes from."""
    folder, session = (given.pop(name, None) or "" for name in ("project_dir", "session"))
    for name, value in (("project_dir", folder), ("session", session)):
        if not isinstance(value, str):
            raise UsageError(f"{name} must be a text; nothing was done")
    if folder and not (os.path.isabs(folder) and os.path.isdir(folder)):
        raise UsageError(f"project_dir must be the absolute path of a directory, not {folder!r}; nothing was done")
    from improve.project import current_directory

    return Place(os.path.normpath(folder) if folder else current_directory() or "", _surroundings(client, session))


def _session(place: Place) -> str:
    """Ask what session a command would find itself in."""
    from improve import clock
    from improve.workflow.here import Here

    return Here.from_environment(place.env, clock.now()).session


def _surroundings(client: str, session: str) -> dict[str, str]:
    """Give the environment a command of this session would see: many hosts keep theirs from their servers."""
    from improve import hosts

    env = dict(os.environ) | _marks_of(client)  # what it calls itself counts also in the shell of another host
    row = next((row for row in hosts.ROWS if row.name == hosts.name_in(env)), None)
    if session and row and row.session_variable:
        env[row.session_variable] = session
    return env


def _marks_of(client: str) -> dict[str, str]:
    """Tell by which variable a command knows the host that calls itself so: `codex-mcp-client` is Codex."""
    from improve import hosts

    said = f"-{client.lower().replace(' ', '-').replace('_', '-')}-"
    for row in hosts.ROWS:
        marks = [mark for mark in row.marks if mark != row.session_variable]
        if marks and f"-{row.name}-" in said:
            name, _, value = marks[0].partition("=")
            return {name: value or "1"}
    return {}


def _command(name: str) -> click.Command:
    command = root.get_command(click.Context(root), name)
    assert command is not None
    return command


def _parameters(name: str) -> Iterator[tuple[str, click.Parameter]]:
    """List what a command takes, by the names that a person types."""
    for parameter in _command(name).params:
        named = _flag(parameter).lstrip("-") if isinstance(parameter, click.Option) else parameter.name or ""
        hidden = isinstance(parameter, click.Option) and parameter.hidden
        if named not in _UNASKED and not hidden:
            yield named.replace("-", "_"), parameter


def _flag(option: click.Parameter) -> str:
    return max(option.opts, key=len)


def _several(parameter: click.Parameter) -> bool:
    return parameter.nargs == -1 or bool(getattr(parameter, "multiple", False))


def _described(parameter: click.Parameter) -> dict[str, Any]:
    """Describe one parameter, as JSON Schema."""
    one = _typed(parameter)
    found: dict[str, Any] = {"type": "array", "items": one} if _several(parameter) else one
    said = getattr(parameter, "help", None)
    default = parameter.default
    told = {"description": said} if said else {}
    plain = isinstance(default, (str, int)) and not isinstance(default, bool) and default != ""
    return found | told | ({"default": default} if plain else {})


def _typed(parameter: click.Parameter) -> dict[str, Any]:
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return {"type": "boolean"}
    kind = parameter.type
    if isinstance(kind, click.Choice):
        return {"type": "string", "enum": list(kind.choices)}
    if isinstance(kind, click.IntRange):
        bounds = {"minimum": kind.min, "maximum": kind.max}
        return {"type": "integer", **{word: bound for word, bound in bounds.items() if bound is not None}}
    return {"type": "integer"} if kind is click.INT else {"type": "string"}
