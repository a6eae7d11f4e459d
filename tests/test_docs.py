"""The documents say what the program does: parts are fresh, links lead somewhere, commands parse."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import skills_ref
from markdown_it import MarkdownIt
from markdown_it.token import Token
from skills_ref.parser import read_properties

from improve import config, errors, escalate
from improve.cli import COMMANDS, root
from improve.rule import Observation, Rule
from improve.taxonomy import Taxonomy

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "SKILL.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
SKILL = ROOT / "SKILL.md"


@pytest.fixture
def docgen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a test import the modules of scripts/docgen."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "docgen"))
    yield
    for name in ("pages", "parts", "manual", "scenes"):
        sys.modules.pop(name, None)


def tokens(page: Path) -> list[Token]:
    """Read a page as Markdown, without the front matter of SKILL.md."""
    text = page.read_text(encoding="utf-8")
    if text.startswith("---\n"):
        text = text.split("\n---\n", 1)[1]
    found = MarkdownIt("commonmark").enable("table").parse(text)
    return [*found, *(child for token in found for child in token.children or [])]


# --- generated parts ---


def docs(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run scripts/docs with this Python, which has all that it needs."""
    command = [sys.executable, str(ROOT / "scripts" / "docs"), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=100)


def test_generated_parts_are_fresh() -> None:
    """Every generated part says what the program says now."""
    run = docs("--check")
    assert run.returncode == 0, run.stdout + run.stderr


def test_docs_refuses_what_it_does_not_know() -> None:
    """An unknown argument is a wrong use, and nothing is written."""
    assert docs("--chek").returncode == 2


@pytest.mark.usefixtures("docgen")
def test_a_stale_part_is_filled_and_the_rest_stays() -> None:
    """Only what stands between the marks of a part changes, and filling it twice changes nothing."""
    from pages import rendered

    a, b, end = "<!-- generated: a -->", "<!-- generated: b -->", "<!-- end -->"
    text = f"before\n{a}\nold\n{end}\nbetween\n{b}\n{end}\nafter"
    parts = {"a": lambda: "\nnew\n", "b": lambda: "more"}
    want = f"before\n{a}\nnew\n{end}\nbetween\n{b}\nmore\n{end}\nafter"
    assert rendered(text, parts, "x.md") == want
    assert rendered(want, parts, "x.md") == want


@pytest.mark.usefixtures("docgen")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!-- generated: a -->\n", "x.md: the part 'a' has no <!-- end -->"),
        ("\n<!-- end -->\n", "x.md:2: <!-- end --> comes where a beginning was expected"),
        ("<!-- generated: a -->\n<!-- generated: a -->\n", "x.md:2: .* comes where an end was expected"),
        ("<!-- generated: z -->\n<!-- end -->\n", "x.md:1: .*: nothing writes this part; there are: a"),
    ],
)
def test_a_mark_without_its_partner_is_named(text: str, said: str) -> None:
    """A mark without its partner, or of a part that nothing writes, is an error with its line."""
    from pages import Unbalanced, rendered

    with pytest.raises(Unbalanced, match=f"^{said}"):
        rendered(text, {"a": str}, "x.md")


@pytest.mark.usefixtures("docgen")
@pytest.mark.parametrize(
    "text", ["", "text\n", "see `<!-- end -->`\n", "    <!-- end -->\n", "<!-- a comment -->\n"]
)
def test_what_only_looks_like_a_mark_is_text(text: str) -> None:
    """A mark is a whole line; anything else stays as it is."""
    from pages import rendered

    assert rendered(text, {"a": str}, "x.md") == text


@pytest.mark.usefixtures("docgen")
def test_every_part_is_used() -> None:
    """No part is written for nobody."""
    from parts import PARTS

    used = {
        name
        for page in PAGES
        for name in re.findall(r"^<!-- generated: (\S+) -->$", page.read_text("utf-8"), re.M)
    }
    assert used == set(PARTS)


# --- commands ---


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
        yield from (
            (name, line, "line") for line in re.findall(r"`(python3 DIR/scripts/improve.py [^`]*)`", text)
        )


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
    (shown,) = [
        t.content for t in tokens(ROOT / "docs" / "commands.md") if t.type == "fence" and t.info == "yaml"
    ]
    path = tmp_path / "config.yaml"
    path.write_text(shown, encoding="utf-8")
    assert config.load(str(path)) == config.Config()
    assert len(re.findall(r"^\w+:", shown, re.M)) == 4


# --- the decision tree ---

KNOWN = Taxonomy()


def seen(*projects: str, domain: str = "unknown", scope: str = "", retired: bool = False) -> Rule:
    """Make a rule observed once in each of these projects."""
    evidence = tuple(Observation(project, "2026-01-01") for project in projects)
    return Rule("r", "R", domain, observations=evidence, explicit_scope=scope, retired=retired)


DOMAINS = ("testing", "api-design", "unknown")
ROWS: dict[str, dict[str, list[Rule]]] = {
    "retired or archived": {
        "nothing": [
            seen(*"aab", domain=d, scope=s, retired=True) for d in DOMAINS for s in ("", "global", "local")
        ],
    },
    "explicit scope global": {
        "global": [seen(*p, domain=d, scope="global") for p in ("a", "aa", "ab") for d in DOMAINS],
    },
    "explicit scope local": {
        "in-session": [seen("a", domain=d, scope="local") for d in DOMAINS],
        "project": [seen("a", "a", domain=d, scope="local") for d in DOMAINS],
        "each-project": [seen("a", "b", domain=d, scope="local") for d in DOMAINS],
    },
    "count = 1": {"in-session": [seen(p, domain=d) for p in ("a", "unknown") for d in DOMAINS]},
    "count ≥ 2, one project": {
        "project": [seen(*p, domain=d) for p in (("a", "a"), ("a", "unknown"), ("a",) * 9) for d in DOMAINS],
        "in-session": [seen("unknown", "unknown")],  # no project, so no file either
    },
    "count ≥ 2, several projects, general domain": {
        "global": [seen(*p, domain="testing") for p in ("ab", "abc", "aabb")],
    },
    "count ≥ 2, several projects, project-specific domain": {
        "each-project": [seen(*p, domain="api-design") for p in ("ab", "abc", "aabb")],
    },
    "count ≥ 2, several projects, unknown domain": {
        "each-project": [seen(*p, domain=d) for p in ("ab", "abc", "aabb") for d in ("unknown", "data-mesh")],
    },
}
"""For each row of the tree, what is decided for which rules."""


def test_the_tree_in_the_documents_has_cases_for_every_row() -> None:
    """The rows of the tree are those that are tested here, in its order."""
    assert list(ROWS) == [when for when, _ in escalate.TREE]


@pytest.mark.parametrize("when", ROWS)
def test_the_tree_is_what_decide_does(when: str) -> None:
    """For each row of the documented tree, `decide` does what the row says."""
    for kind, rules in ROWS[when].items():
        for rule in rules:
            assert escalate.decide(rule, KNOWN).kind == kind, rule


@pytest.mark.usefixtures("docgen")
@pytest.mark.parametrize("when", ROWS)
def test_the_example_of_a_row_is_one_of_its_cases(when: str) -> None:
    """The example shown beside a row is decided as the row says."""
    from parts import EXAMPLES

    words = {"nothing": "nothing", "GLOBAL": "global", "never": "project", "in-session": "in-session"}
    words |= {"PROJECT": "project", "EACH": "each-project"}
    then = dict(escalate.TREE)[when]
    assert escalate.decide(EXAMPLES[when], KNOWN).kind == words[re.split(r"[ ,]", then)[0]]


# --- links, paths, the skill ---


@pytest.mark.parametrize("name", NAMES)
def test_relative_links_lead_somewhere(name: str) -> None:
    """Every relative link names a file that exists, and every fragment a heading of it."""
    page = ROOT / name
    for token in tokens(page):
        target = str(token.attrGet("href") or "") if token.type == "link_open" else ""
        if target and "://" not in target:
            path, _, fragment = target.partition("#")
            other = (page.parent / path).resolve() if path else page
            assert other.is_file(), f"{name}: {target}"
            assert not fragment or fragment in anchors(other), f"{name}: {target}"


def anchors(page: Path) -> set[str]:
    """List the fragments of a page's headings."""
    found = tokens(page)
    titles = [found[at + 1].content for at, token in enumerate(found) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", NAMES)
def test_no_path_of_a_machine_is_written(name: str) -> None:
    """The documents speak of nobody's machine: no absolute path but the well-known ones."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(r"(?<![\w.~/<>-])/(?:home|root|Users|tmp|var|work|private|mnt|opt)\b[^\s`)]*", text)
    assert [path for path in found if path not in ("/tmp",)] == []
    assert not re.search(r"\b[A-Z]:\\", text)


def test_the_skill_validates(tmp_path: Path) -> None:
    """SKILL.md is a valid skill in a directory of its name."""
    skill = tmp_path / "improve"
    skill.mkdir()
    shutil.copy(SKILL, skill)
    assert skills_ref.validate(skill) == []


def test_the_description_alone_is_enough_for_the_first_tier() -> None:
    """The description fits every host's list and names the three exact commands and both scopes."""
    described = read_properties(ROOT).description
    assert len(described) <= 1024
    assert not set("<>\n") & set(described)  # some hosts refuse what looks like a tag
    for command in ('observe "', "status`", "escalate --apply`"):
        assert f"python3 DIR/scripts/improve.py {command}" in described
    for word in (
        "correct",
        "preference",
        "repetition",
        "remember",
        "--explicit-scope global",
        "--explicit-scope local",
    ):
        assert word in described


def test_the_front_matter_is_plain() -> None:
    """Each value stands on one line and needs no quoting, so that even a simple reader gets it right."""
    front = SKILL.read_text(encoding="utf-8").split("---\n")[1]
    for line in front.splitlines():
        key, _, text = line.partition(": ")
        assert re.fullmatch(r"[a-z-]+", key)
        assert text[0].isalpha() and ": " not in text and " #" not in text


def test_the_skill_is_small() -> None:
    """The body of SKILL.md costs an agent no more than 5,000 tokens, at four characters each."""
    body = SKILL.read_text(encoding="utf-8").split("\n---\n", 1)[1]
    assert len(body) / 4 <= 5000


def test_the_readme_names_the_two_commands() -> None:
    """The commands that do all the set-up are in the README, and CI runs the second."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "$ python3 scripts/improve.py demo\n" in text
    assert "$ python3 scripts/check\n" in text
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == "exec python3 scripts/check"
