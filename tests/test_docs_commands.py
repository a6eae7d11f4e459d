"""Every command, option, exit code and setting that the documents name is one that the program has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from documents import NAMES, PAGES, ROOT, SKILL, tokens
from improve import config, errors
from improve.cli import COMMANDS, root


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_with_an_example(name: str) -> None:
    """Every command has a chapter, help that begins with a sentence, and an example that calls it."""
    command = root.get_command(click.Context(root), name)
    assert command is not None
    assert (command.help or "").strip()
    assert re.search(rf"improve {name}\b", command.epilog or "")
    assert f"\n## {name}\n" in (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_for(name: str) -> None:
    """No option is left without a word of help."""
    command = root.get_command(click.Context(root), name)
    assert command is not None
    silent = [p.name for p in command.params if isinstance(p, click.Option) and not p.help]
    # the values of --format speak for themselves
    assert [option for option in silent if option != "form"] == []


def written_commands() -> Iterator[tuple[str, str, str]]:
    """Give every command line written in a page: page, line, and `code` for a name in running text."""
    for page, name in zip(PAGES, NAMES, strict=True):
        for token in tokens(page):
            if token.type == "code_inline":
                yield from ((name, line, "name") for line in called(token.content, r""))
            elif token.type == "fence" and token.info in ("console", "bash"):
                text = token.content.replace("\\\n", " ")
                prompt = r"(?:[a-z]+)?\$ " if token.info == "console" else ""
                yield from ((name, line, "line") for line in [*called(text, prompt), *advised(text)])
        text = page.read_text(encoding="utf-8")
        yield from ((name, line, "line") for line in re.findall(r"`(python3 DIR/scripts/improve.py [^`]*)`", text))


def called(text: str, prompt: str) -> list[str]:
    """List the lines that call improve, by whatever path, without the prompt."""
    way = r"improve|(?:python3|uv run) (?:\S*/)?scripts/improve\.py"
    return re.findall(rf"^{prompt}((?:[^|\n`]* \| )?(?:{way}) [^\n]*)$", text, re.MULTILINE)


def advised(text: str) -> list[str]:
    """List the commands that the program's own output advises."""
    return re.findall(r"(?:→|: ) ?(improve [a-z].*?)(?: \(|$)", text, re.MULTILINE)


def parse(line: str, *, bare_name: bool) -> None:
    """Parse a command line with click, without running it."""
    words = shlex.split(line.rpartition(" | ")[2], comments=True)
    words = words[: words.index("<")] if "<" in words else words
    start = next(at for at, word in enumerate(words) if word == "improve" or word.endswith("improve.py"))
    words = [word for word in words[start + 1 :] if word != "…"]
    if words in (["COMMAND", "--help"], ["--version"], []):
        return
    if bare_name and len(words) == 1 and words[0] in COMMANDS:
        return
    context = root.make_context("improve", list(words))
    _, command, rest = root.resolve_command(context, words)
    assert command is not None
    command.make_context(command.name, rest, parent=context)


@pytest.mark.parametrize(("page", "line", "kind"), sorted(set(written_commands())))
def test_written_commands_parse(page: str, line: str, kind: str) -> None:
    """Every command line in the documents is one that the program understands."""
    try:
        parse(line, bare_name=kind == "name")
    except (click.ClickException, ValueError) as error:
        pytest.fail(f"{page}: {line}\n{error}")


@pytest.mark.parametrize(
    "line",
    [
        "improve observ 'Use pnpm'",
        "improve status --everything",
        "improve confirm use-pnpm",
        "improve confirm use-pnpm --scope everywhere",
        "python3 scripts/improve.py escalate --applie",
        "uv run <skill-dir>/scripts/improve.py due --limit many",
        "echo x | improve observe --severity 9 -",
    ],
)
def test_a_wrong_command_line_is_caught(line: str) -> None:
    """A command line with an unknown command, option or value does not pass."""
    assert called(line, "") == [line]
    with pytest.raises(click.ClickException):
        parse(line, bare_name=False)


def test_commands_are_found_in_every_page_that_has_some() -> None:
    """The search for command lines sees the pages that are full of them."""
    pages = [page for page, _, _ in written_commands()]
    assert pages.count("docs/commands.md") > 20
    assert pages.count("SKILL.md") > 10
    assert pages.count("README.md") > 10


def test_exit_codes_are_complete() -> None:
    """Every exit code of an error is in the table of each page that has one."""
    codes = {0, 1, *(kind.exit_code for kind in errors.ImproveError.__subclasses__())}
    for page in (ROOT / "docs" / "commands.md", SKILL):
        assert codes <= {int(code) for code in re.findall(r"^\| (\d+) \|", page.read_text("utf-8"), re.M)}


def test_the_settings_shown_are_the_defaults(tmp_path: Path) -> None:
    """The config.yaml of the documents can be read, names every setting, and changes nothing."""
    (shown,) = [t.content for t in tokens(ROOT / "docs" / "commands.md") if t.type == "fence" and t.info == "yaml"]
    path = tmp_path / "config.yaml"
    path.write_text(shown, encoding="utf-8")
    assert config.load(str(path)) == config.Config()
    assert tuple(re.findall(r"^(\w+):", shown, re.M)) == config.Config._fields
