"""What commands print: nothing stored reaches the terminal raw, and every hint can be followed."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository, Said
from improve import report

PNPM = "Use pnpm, never npm install"
HOSTILE = "\\u001b]0;owned\\u0007\\u001b[2J\\u202e\\u200b\\nforged: line"
"""A terminal title, a cleared screen, reversed text, an invisible character and a line of its own, as YAML escapes."""
STORE = f"""version: 2
domain_taxonomy:
  general: [tool-usage, "general{HOSTILE}"]
  project_specific: ["specific{HOSTILE}"]
projects:
  "github.com/acme/shop{HOSTILE}": {{name: "shop{HOSTILE}", remote: "r{HOSTILE}", roots: ["/nowhere{HOSTILE}"]}}
rules:
- id: "one{HOSTILE}"
  rule: "Text{HOSTILE}"
  domain: "domain{HOSTILE}"
  created: "2020-01-01T10:00:00{HOSTILE}"
  last_reinforced: "2020-01-02{HOSTILE}"
  escalation: "global{HOSTILE}"
  escalated_at: "2020-01-02 {HOSTILE}"
  observations:
  - {{project: "p{HOSTILE}", date: "2020-01-01{HOSTILE}", context: "c{HOSTILE}", at: "a{HOSTILE}", host: "h{HOSTILE}",
      session: "s{HOSTILE}", signal: "s{HOSTILE}", provenance: "v{HOSTILE}", wording: "w{HOSTILE}", id: "o{HOSTILE}"}}
  - {{project: "q{HOSTILE}", date: "2020-01-01T10{HOSTILE}"}}
  folded: [{{project: "f{HOSTILE}", occasions: 2, first: "2020-01-01{HOSTILE}", last: "2020-01-01{HOSTILE}"}}]
  written_to: [{{path: "/tmp/x{HOSTILE}", date: "2020-01-01{HOSTILE}", section: "s{HOSTILE}", text: "t{HOSTILE}"}}]
  aliases: ["also{HOSTILE}"]
  near: ["near{HOSTILE}"]
  retired_because: "because{HOSTILE}"
- id: two
  rule: "Say{HOSTILE}"
  domain: "domain{HOSTILE}"
  created: 2020-01-01
  observations:
  - {{project: "p{HOSTILE}", date: 2020-01-01}}
  - {{project: "p{HOSTILE}", date: 2020-01-02}}
"""
EVENTS = [
    {
        "event": "observed",
        "at": "HOSTILE",
        "observations": [{"rule": "HOSTILE", "occasions": "HOSTILE", "how": "HOSTILE"}],
    },
    {"event": "setHOSTILE", "at": "HOSTILE", "title": "HOSTILE", "change": "HOSTILE"},
]


def clean(said: Said) -> None:
    """Check that nothing but text and line ends was printed, and that no stored value began a line."""
    for char in said.out + said.err:
        assert char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"), repr(char)
    assert "\nforged: line" not in said.out + said.err


@pytest.mark.parametrize(
    "argv",
    [
        ("status", "--all"),
        ("status", "--all", "--format", "markdown"),
        ("status", "--all", "--json"),
        ("history", "two"),
        ("history", json.loads(f'"one{HOSTILE}"')),
        ("due",),
        ("log",),
        ("escalate",),
        ("escalate", "two"),
        ("escalate", "--apply"),
        ("where",),
        ("stale",),
        ("domains",),
        ("doctor",),
        ("undo",),
        ("set", "two", "--severity", "4"),
        ("set", "two", "--domain", "elsewhere"),
        ("retire", "two"),
        ("confirm", "two", "--scope", "local"),
        ("observe", PNPM, "--project", "p"),
        ("observe", "--same-as", "two"),
        ("merge", "two", json.loads(f'"one{HOSTILE}"')),
    ],
    ids=" ".join,
)
def test_no_stored_value_reaches_the_terminal_raw(
    improve: Improve, rules: Path, argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Every value of a store that somebody else wrote is printed with its control characters shown."""
    from improve.cli import run

    rules.parent.mkdir(mode=0o700)
    rules.write_text(STORE, encoding="utf-8")
    lines = [json.dumps(event).replace("HOSTILE", HOSTILE) for event in EVENTS]
    (rules.parent / "journal.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    capsys.readouterr()
    code = run(list(argv))
    captured = capsys.readouterr()
    clean(Said(code, captured.out, captured.err))
    assert code in (0, 3, 6, 7)
    assert captured.out + captured.err


@pytest.mark.parametrize(
    ("date", "right"),
    [
        ("2026-11-30", True),
        ("2026-11-30T10:00:00+01:00", True),
        ("2026-11-30 10:00:00.5 Z", True),
        ("2026-11-30T10:00", True),
        ("2026-11-30Tomorrow", False),
        ("2026-11-30 or so", False),
        ("2026-11-30T10:00:00 \\u001b[2J", False),
        ("2026-11-3٠", False),
    ],
)
def test_nothing_but_a_time_may_follow_a_day(improve: Improve, rules: Path, date: str, right: bool) -> None:
    """`doctor` names a date with anything else behind the day."""
    rules.parent.mkdir(mode=0o700)
    rules.write_text(f'version: 2\nrules:\n- id: a\n  rule: A rule\n  created: "{date}"\n', encoding="utf-8")
    said = improve("doctor", code=0 if right else 6)
    assert ("expected a day such as" in said.out) is not right


# --- domains ---


@pytest.mark.parametrize("given", ["Tool-Usage", "tool_usage", "TOOL_USAGE"])
def test_a_domain_is_spelled_as_the_lists_spell_it(improve: Improve, repository: Repository, given: str) -> None:
    """Capitals and underscores make no new domain, in `observe` and in `set`."""
    improve("observe", PNPM, "--domain", given, cwd=repository("shop"))
    assert improve("status", "--json").json["rules"][0]["domain"] == "tool-usage"
    improve("set", "use-pnpm-never-npm-install", "--domain", "data_viz")
    improve("set", "use-pnpm-never-npm-install", "--domain", given)
    assert improve("status", "--json").json["rules"][0]["domain"] == "tool-usage"


def test_a_misspelled_domain_is_hinted_at_with_the_command(improve: Improve, repository: Repository) -> None:
    """A domain no list has is recorded as given, and the answer names the nearest one."""
    said = improve("observe", PNPM, "--domain", "git-practises", cwd=repository("shop"))
    hint = "domain: git-practises is in no list, so it stays in each project; meant git-practices? → "
    assert hint + "improve set use-pnpm-never-npm-install --domain git-practices" in said.out
    said = improve("set", "use-pnpm-never-npm-install", "--domain", "tool-usge")
    assert "if you meant tool-usage: improve set use-pnpm-never-npm-install --domain tool-usage" in said.out


@pytest.mark.parametrize("domain", ["workflow", "tool-usage", "api-design"])
def test_a_known_domain_is_not_hinted_at(improve: Improve, repository: Repository, domain: str) -> None:
    """General, project-specific and section-only domains are what somebody meant."""
    assert "in no list" not in improve("observe", PNPM, "--domain", domain, cwd=repository("shop")).out


def test_a_domain_people_added_keeps_their_spelling(improve: Improve, rules: Path) -> None:
    """A domain in domain_taxonomy is known, however it is written there."""
    rules.parent.mkdir(mode=0o700)
    rules.write_text(
        "version: 2\ndomain_taxonomy:\n  general: [Data_Mesh]\n  project_specific: []\nrules: []\n", encoding="utf-8"
    )
    said = improve("observe", PNPM, "--domain", "data-mesh", "--project", "p")
    assert "in no list" not in said.out
    assert improve("status", "--all", "--json").json["rules"][0]["domain"] == "Data_Mesh"


# --- hints and the log ---


def test_a_retired_rule_that_comes_up_again_says_how_to_restore_it(improve: Improve) -> None:
    """The recurrence is recorded, and the command to paste is printed."""
    improve("observe", PNPM, "--project", "p")
    improve("retire", "use-pnpm-never-npm-install")
    said = improve("observe", PNPM, "--project", "p")
    assert "to use it again → improve restore use-pnpm-never-npm-install" in said.out
    assert "restore" not in improve("observe", "Mount the docker socket read-only", "--project", "p").out


def test_log_shows_as_many_events_as_asked_for(improve: Improve, rules: Path) -> None:
    """Internal events between them do not count, however many there are."""
    improve("observe", PNPM, "--project", "p")
    with (rules.parent / "journal.jsonl").open("a") as journal:
        journal.write('{"v": 1, "event": "backup", "sha": "0"}\n' * 50)
    assert "observed use-pnpm" in improve("log", "--limit", "1").out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("use-uv", "Use uv"), "improve split use-uv 'Use uv'"),
        (("use-uv", "- Use uv"), "improve split -- use-uv '- Use uv'"),
        (("-odd", "Use $HOME, don't"), "improve split -- -odd 'Use $HOME, don'\\''t'"),
    ],
)
def test_a_command_to_paste_protects_what_begins_with_a_dash(arguments: tuple[str, str], line: str) -> None:
    """`--` stands before arguments of which one begins with a dash, and nothing is expanded by a shell."""
    assert report.command("split", *arguments).replace("'-odd'", "-odd") == line
