"""The command line: names and loads commands, and is the only place where an error becomes an exit code."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from improve import __version__
from improve.errors import EnvironmentFailure, ImproveError, UsageError

COMMANDS: dict[str, str] = {
    "observe": "observe",
    "status": "status",
    "due": "escalate",
    "escalate": "escalate",
    "confirm": "escalate",
    "undo": "escalate",
    "first-look": "firstlook",
    "scan": "scan",
    "review": "review",
    "inbox": "inbox",
    "accept": "triage",
    "dismiss": "triage",
    "drain": "inbox",
    "schedule": "schedule",
    "history": "look",
    "log": "look",
    "domains": "look",
    "stale": "look",
    "report": "report",
    "verify": "verify",
    "resolve": "archive",
    "budget": "archive",
    "where": "look",
    "set": "curate",
    "merge": "curate",
    "split": "curate",
    "retire": "curate",
    "restore": "curate",
    "check": "check",
    "guard": "guard",
    "on": "switch",
    "off": "switch",
    "suggest-destination": "config",
    "config": "config",
    "install": "install",
    "uninstall": "install",
    "seed": "setup",
    "init": "setup",
    "doctor": "setup",
    "demo": "setup",
    "backtest": "backtest",
    "match": "match",
    "detect": "detect",
    "mcp": "mcp",
}
"""Command → module below `improve.cli` that has it; a module is imported only when its command runs."""

_EPILOG = """\b
Once:
  improve install                                 wire the agents on this machine

\b
A session:
  improve status                                  what applies here
  improve observe "Use uv, never pip install"     after a correction
  improve escalate --apply                        at the end: write what is due

\b
Exit codes: 0 done, 1 bug, 2 usage, 3 refused, 4 busy, 5 environment,
6 store needs repair, 7 no such rule."""


class Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order of a session."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        found: Any = importlib.import_module(f"improve.cli.{module}")
        command: click.Command = getattr(found, cmd_name.replace("-", "_") + "_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its whole first sentence."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(200)) for name, command in found if command])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Suggest a command for a mistyped one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as exc:
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, 1)
            if close:
                raise click.UsageError(f"No such command {args[0]!r}. Did you mean: improve {close[0]}", ctx) from exc
            raise


@click.group(
    cls=Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, message="improve %(version)s")
def root() -> None:
    """Record corrections of coding agents, notice repeats, and write the rule where it will be read."""


def run(argv: list[str], *, place: Any = None) -> int:
    """Run one command and return its exit code; never raises.

    Args:
        place: where it runs, a `common.Place`, if that is not this process's own directory and session.
    """
    _speak_utf8()
    try:
        result = root.main(args=argv, prog_name="improve", standalone_mode=False, obj=place)
        if sys.stdout is not None:  # closed by whoever started us
            sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as exc:
        return exc.exit_code
    except click.ClickException as exc:
        return _misused(exc, argv)
    except (KeyboardInterrupt, click.exceptions.Abort) as exc:
        if isinstance(exc.__cause__, EOFError):  # click takes any for an end that a person typed
            return _bug(exc.__cause__, argv)
        click.echo("improve: stopped; what was acknowledged is kept", err=True)
        return 130
    except ImproveError as exc:
        return _failed(exc, argv)
    except BrokenPipeError:
        _close_quietly()
        return 141
    except OSError as exc:
        return _failed(EnvironmentFailure(f"{exc.filename or 'the machine'}: {exc.strerror or exc}"), argv)
    except Exception as exc:
        if type(exc).__module__ == "sqlite3":  # not imported here, for most commands end without an error
            return _failed(EnvironmentFailure(f"cannot use the index in {_cache()}: {exc}. Run it again"), argv)
        return _bug(exc, argv)


def _misused(exc: click.ClickException, argv: list[str]) -> int:
    """Say in one line what is wrong with the command line; a bare `improve` gets its help."""
    if not argv:
        exc.show()
        return 2
    context = getattr(exc, "ctx", None)
    command = context.command_path if context else f"improve {argv[0]}"
    return _failed(UsageError(f"{exc.format_message().rstrip('.')}. See: {command} --help"), argv)


def _cache() -> str:
    from improve import paths

    return paths.find_home(os.environ).cache


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")


def _failed(exc: ImproveError, argv: list[str]) -> int:
    from improve.escape import visible

    message = visible(str(exc), multiline=True)
    try:
        if "--json" in argv:
            from improve.report import as_json

            problems = getattr(exc, "problems", None)
            body: dict[str, Any] = {"error": {"exit_code": exc.exit_code, "message": str(exc), "problems": problems}}
            click.echo(as_json("error", body))
        else:
            click.echo(f"improve: {message}", err=True)
        if sys.stdout is not None:  # closed by whoever started us
            sys.stdout.flush()
    except OSError:
        _close_quietly()
    return exc.exit_code


def _close_quietly() -> None:
    """Point the standard streams at nothing, so that the interpreter's own flush cannot fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nothing, number)


def _bug(exc: Exception, argv: list[str]) -> int:
    """Leave a paste-ready log and say where."""
    import platform
    import tempfile
    import traceback

    from improve.redact import redact

    told = "".join(traceback.format_exception(exc))
    head = f"improve {__version__}, Python {platform.python_version()}, {platform.platform()}\ncommand: {argv[:1]}\n\n"
    try:
        descriptor, path = tempfile.mkstemp(prefix="improve-crash-", suffix=".log")
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(redact(head + told))
        where = f"the details are in {path}, ready to paste into a report"
    except OSError:
        where = "the details could not be written"
    last = traceback.extract_tb(exc.__traceback__)[-1]
    click.echo(
        f"improve: internal error ({type(exc).__name__} at {os.path.basename(last.filename)}:{last.lineno}); {where}",
        err=True,
    )
    return 1
