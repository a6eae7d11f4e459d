"""Describe a command from what click knows of it, the same whatever version of click is installed."""

from __future__ import annotations

import inspect
import re

import click

from improve.cli import root


def command(name: str) -> click.Command:
    """Give a command of the group."""
    found = root.get_command(click.Context(root), name)
    assert found is not None
    return found


def first_sentence(name: str) -> str:
    """Give the first paragraph of a command's help."""
    return _paragraphs(command(name))[0]


def chapter(name: str) -> str:
    """Describe one command: what it does, how it is called, its options, examples."""
    made = command(name)
    options = [p for p in made.params if isinstance(p, click.Option)]
    parts = [f"## {name}", *_paragraphs(made), f"```text\n{_usage(name, made, options)}\n```"]
    if options:
        rows = [f"| {_names(option)} | {_meaning(option)} |" for option in options]
        parts.append("\n".join(["| option | meaning |", "| --- | --- |", *rows]))
    if isinstance(made, click.Group):
        parts.append(_subcommands(name, made))
    parts.append(f"```console\n{examples(made)}\n```")
    parts += _further(made)
    return "\n\n".join(parts)


def _subcommands(name: str, made: click.Group) -> str:
    """List what may stand behind a command, with how each is called."""
    rows = ["| behind it | meaning |", "| --- | --- |"]
    for verb, command in made.commands.items():
        operands = [_operand(p) for p in command.params if isinstance(p, click.Argument)]
        given = [p for p in command.params if isinstance(p, click.Option)]
        options = [f"[{' '.join(filter(None, (option.opts[0], _value(option))))}]" for option in given]
        rows.append(f"| `{_cell(' '.join([verb, *operands, *options]))}` | {_cell(' '.join(_paragraphs(command)))} |")
    return "\n".join(rows)


def examples(made: click.Command) -> str:
    """Give the example lines of a command's help as a terminal shows them, a remark behind a `#`."""
    said = inspect.cleandoc("\n" + "\n".join(_blocks(made)[0].splitlines()[1:])).splitlines()
    return "\n".join(line if line[0] == " " else re.sub("( {2,})", r"\1# ", f"$ {line}") for line in said)


def _blocks(made: click.Command) -> list[str]:
    """Split what stands behind a command's options: the examples, then what else there is to know."""
    return re.split(r"\n{2,}", inspect.cleandoc((made.epilog or "").replace("\b\n", "")))


def _further(made: click.Command) -> list[str]:
    """Give what stands behind the examples, a block of text each."""
    told = (block.partition("\n") for block in _blocks(made)[1:])
    return [f"{title}\n\n```text\n{inspect.cleandoc(chr(10) + rest)}\n```" for title, _, rest in told]


def _paragraphs(made: click.Command) -> list[str]:
    text = inspect.cleandoc((made.help or "").replace("\b", ""))
    return [" ".join(part.split()) for part in text.split("\n\n")]


def _usage(name: str, made: click.Command, options: list[click.Option]) -> str:
    needed = [f"{option.opts[0]} {_value(option)}" for option in options if option.required]
    more = ["[OPTIONS]"] if len(options) > len(needed) else []
    operands = [_operand(p) for p in made.params if isinstance(p, click.Argument)]
    behind = ["[COMMAND]"] if isinstance(made, click.Group) else []
    return " ".join(["improve", name, *needed, *more, *operands, *behind])


def _operand(parameter: click.Argument) -> str:
    name = (parameter.metavar or str(parameter.name).upper()).strip("[].")
    many = "..." if parameter.nargs == -1 else ""
    return f"{name}{many}" if parameter.required else f"[{name}]{many}"


def _names(option: click.Option) -> str:
    return f"`{_cell(' '.join(filter(None, (', '.join([*option.opts, *option.secondary_opts]), _value(option)))))}`"


def _value(option: click.Option) -> str:
    kind = option.type
    if option.is_flag:
        return ""
    if option.metavar:
        return option.metavar
    if isinstance(kind, click.Choice):
        return "|".join(str(choice) for choice in kind.choices)
    if isinstance(kind, click.IntRange):
        return f"{kind.min}-{kind.max}" if kind.max is not None else "N"
    return str(option.name).upper()


def _meaning(option: click.Option) -> str:
    needed = "Required." if option.required else ""
    default = f"Default: {option.default}." if option.show_default else ""
    return _cell(" ".join(filter(None, (option.help, needed, default))))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
