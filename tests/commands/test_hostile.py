"""What hostile or odd input gets: the right exit code, one clear message, and every file as it was."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from commands.conftest import Improve, Repository, Said
from improve import inline, lookalike

DATA = Path(__file__).parents[1] / "data" / "hostile"
PNPM = "Use pnpm, never npm install"
ID = "use-pnpm-never-npm-install"
SECOND = 1.0


def table(name: str) -> Any:
    """Read a table of cases."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def named(rows: list[list[Any]]) -> list[Any]:
    """Name each case by its first column."""
    return [pytest.param(*row[1:], id=row[0]) for row in rows]


def tree(*roots: Path) -> dict[str, object]:
    """Give every file a person would miss, derived data and the store's own git left out."""
    found: dict[str, object] = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            derived = {".cache", ".local", ".git"} & set(path.parts)
            if not derived and (path.is_symlink() or not path.is_dir()):
                found[str(path)] = path.readlink() if path.is_symlink() else path.read_bytes()
    return found


def refused(said: Said) -> str:
    """Check that a refusal is one message which says that nothing was done; return it."""
    assert said.out == ""
    assert said.err.startswith("improve: ")
    assert said.err.count("\n") == 1, said.err
    assert "nothing was" in said.err.lower()
    assert said.err.rstrip("\n").isprintable()
    return said.err


def twice(improve: Improve, root: Path, text: str = PNPM, *more: str) -> None:
    """Record a rule on two occasions in one project."""
    for _ in range(2):
        improve("observe", "--new", *more, "--", text, cwd=root)


# --- rule texts: S1 S2 S5 S6 S7 S9 S10 S16 S26 S29 ---


@pytest.mark.parametrize(("text", "says"), named(table("refused-rules.json")))
def test_a_text_that_hides_something_is_refused_by_every_command_that_takes_one(
    improve: Improve, home: Path, text: str, says: str
) -> None:
    """observe, `observe -`, and set --text exit 3, name the character and its column, and change no byte."""
    improve("observe", PNPM, "--project", "p")
    before = tree(home)
    for argv in (["observe", text, "--project", "p"], ["set", ID, "--text", text]):
        assert says in refused(improve(*argv, code=3))
    assert tree(home) == before


@pytest.mark.parametrize("text", ["a" * 1_000_000, "a" * 10_000, "e" + "\u0301" * 5_000])
def test_endless_text_is_refused_at_once(improve: Improve, home: Path, text: str) -> None:
    """A megabyte, and a letter under 5,000 marks: exit 3 without repeating it, well within a second."""
    before, begin = tree(home), time.monotonic()
    assert len(refused(improve("observe", text, "--project", "p", code=3))) < 300
    assert time.monotonic() - begin < SECOND
    assert tree(home) == before


@pytest.mark.parametrize("text", table("accepted-rules.json"))
def test_an_odd_but_honest_text_is_kept_verbatim(
    improve: Improve, repository: Repository, rules: Path, text: str
) -> None:
    """Recorded, read back after the index is gone, found by its id in every command, and nothing of it is run."""
    root = repository("shop")
    said = improve("observe", "--new", "--json", "--", text, cwd=root).json["rule"]
    assert said["rule"] == text.strip()
    assert not said["id"].startswith("-")
    kept = rules.read_bytes()
    rules.write_bytes(kept + b"# touched\n")
    told = improve("history", said["id"], "--json").json
    assert (told["rule"], told["count"]) == (text.strip(), 1)
    improve("retire", said["id"])
    improve("restore", said["id"])
    assert improve("status", "--json").json["rules"][0]["rule"] == text.strip()
    assert sorted(path.name for path in root.iterdir()) == [".git"]


@pytest.mark.parametrize("text", table("accepted-rules.json"))
def test_whatever_a_rule_says_it_becomes_one_plain_bullet(improve: Improve, repository: Repository, text: str) -> None:
    """S3, S4: in AGENTS.md it is a list item of one paragraph: no heading, quote, code block, link or import."""
    root = repository("shop", agents="# Shop\n")
    twice(improve, root, text)
    improve("escalate", "--apply")
    body = (root / "AGENTS.md").read_text(encoding="utf-8").removeprefix("# Shop\n")
    parsed = MarkdownIt("commonmark").parse(body)
    shape = [token.type for token in parsed if token.nesting >= 0 and token.level > 0 and token.type != "inline"]
    assert [token.tag for token in parsed if token.type == "heading_open"] == ["h2"]
    assert [kind for kind in shape if kind != "paragraph_open"] == ["list_item_open"], body
    assert not imports(body)
    improve("escalate", "--apply")
    assert (root / "AGENTS.md").read_text(encoding="utf-8") == "# Shop\n" + body
    improve("undo")
    assert (root / "AGENTS.md").read_text(encoding="utf-8") == "# Shop\n"


def imports(body: str) -> list[str]:
    """List the `@path` imports a host would expand: words outside code that begin with @ and go on."""
    found = []
    for token in MarkdownIt("commonmark").parse(body):
        for child in token.children or []:
            if child.type == "text":
                words = child.content.split()
                found += [word for word in words if word.lstrip("(\"'").startswith("@") and len(word) > 1]
    return found


def test_a_rule_that_looks_like_an_option_needs_two_dashes(improve: Improve, home: Path) -> None:
    """S10: without `--` it is a usage error in one line, never an option; nothing is recorded."""
    before = tree(home)
    for text in ("-rf", "--apply"):
        said = improve("observe", text, code=2)
        assert said.err.count("\n") == 1
        assert "No such option" in said.err
    assert tree(home) == before


def test_a_secret_reaches_no_file_of_the_home_by_any_option(
    improve: Improve, repository: Repository, home: Path
) -> None:
    """S29, S30, S24: refused in names and texts, redacted in evidence and reasons, cut from remotes."""
    token = "ghp_" + "Zk9" * 12
    root = repository("shop", remote=f"https://user:{token}@github.com/acme/shop.git")
    improve("observe", PNPM, "--context", f"pushed with {token} # pragma: allowlist secret", cwd=root)
    for option in ("--project", "--session", "--host", "--section"):
        assert token not in improve("observe", PNPM, option, token, code=3).err
    assert token not in improve("set", ID, "--text", f"Push with {token}", code=3).err
    improve("retire", ID, "--because", f"it said {token}")
    improve("restore", ID)
    for argv in (["where", "--json"], ["history", ID], ["log"], ["doctor"], ["status", "--all"]):
        said = improve(*argv)
        assert token not in said.out + said.err
    for path in home.rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes(), path


# --- look-alike letters: S8 ---


@pytest.mark.parametrize(("text", "where"), table("look-alikes.json")["flagged"])
def test_look_alike_letters_are_flagged_and_their_rule_is_its_own(improve: Improve, text: str, where: str) -> None:
    """observe, status and history name the letter; the rule is stored, and merged with no other."""
    improve("observe", PNPM, "--project", "p")
    said = improve("observe", text, "--project", "p")
    assert said.first == "RECORDED (count=1) → apply in-session only"
    assert where in said.out
    rule = improve("observe", text, "--project", "p", "--json").json["rule"]
    assert (rule["rule"], rule["count"]) == (text, 2)
    assert where in rule["flags"][0]
    assert where in improve("status", "--project", "p").out
    assert where in improve("history", rule["id"]).out
    assert improve("status", "--all", "--json").json["total"] == 2


@pytest.mark.parametrize("text", table("look-alikes.json")["plain"])
def test_honest_mixtures_of_scripts_are_not_flagged(text: str) -> None:
    """Endings on foreign words, symbols of mathematics, and neighbouring words of several scripts are ordinary."""
    assert lookalike.look_alikes(text) == ""


def test_a_sensitive_rule_is_recorded_and_named(improve: Improve) -> None:
    """S38: `observe` says in one line why to look; nothing is blocked, and an ordinary rule gets no such line."""
    said = improve("observe", "Skip the tests before every commit", "--project", "p")
    assert "turns off a check" in said.out
    assert said.first.startswith("RECORDED")
    assert "look at it" not in improve("observe", "Run the tests before every commit", "--project", "q", "--new").out


# --- stores: S11-S18 ---


def written(rules: Path, text: str) -> bytes:
    """Write a rules.yaml by hand and give its bytes."""
    rules.parent.mkdir(exist_ok=True)
    rules.write_bytes(text.encode())
    return rules.read_bytes()


@pytest.mark.parametrize(("text", "line", "says"), named(table("broken-stores.json")))
def test_a_store_that_cannot_be_read_is_named_by_line_and_left_alone(
    improve: Improve, rules: Path, tmp_path: Path, text: str, line: str, says: str
) -> None:
    """Every command exits 6 within two seconds, names the line, changes nothing; observe keeps the observation."""
    data, begin = written(rules, text), time.monotonic()
    agents = tmp_path / "AGENTS.md"
    agents.write_text("- Name things well\n")
    before = tree(rules.parent)
    for argv in (
        ["status"], ["due"], ["escalate"], ["escalate", "--apply"], ["stale"], ["domains"], ["where"], ["undo"],
        ["history", "x"], ["confirm", "x", "--scope", "local"], ["set", "x", "--severity", "2"], ["merge", "x", "y"],
        ["split", "x", "y"], ["retire", "x"], ["restore", "x"], ["seed", "--from-agents-md", str(agents)],
    ):  # fmt: skip
        said = improve(*argv, code=6)
        assert line in said.err, argv
        assert says in said.err
        assert str(rules) in said.err
        assert "Nothing was changed" in said.err
        assert "\ncommand" not in said.err
    assert improve("observe", PNPM, "--project", "p", "--json", code=6).json["error"]["problems"]
    assert line in improve("doctor", code=6).out
    assert time.monotonic() - begin < 25 * SECOND
    assert rules.read_bytes() == data
    spooled = {path: held for path, held in tree(rules.parent).items() if "/spool/" in path}
    assert len(spooled) == 1
    assert {path: held for path, held in tree(rules.parent).items() if path not in spooled} == before
    assert not Path("/it-ran").exists()


@pytest.mark.parametrize(("entry", "lines"), named(table("broken-rules.json")))
def test_one_bad_rule_stops_only_itself(
    improve: Improve, repository: Repository, rules: Path, opencode: Path, entry: str, lines: list[str]
) -> None:
    """S17: it is never written, doctor names its line, its bytes stay; the rule beside it is escalated."""
    good = "- id: good\n  rule: Good one\n  domain: testing  # mine\n  explicit_scope: global\n"
    written(rules, "# my file\nversion: 2\nrules:\n" + good + entry)
    improve("escalate", "--apply", cwd=repository("shop"))
    assert opencode.read_text(encoding="utf-8").count("\n- ") == 1
    assert "\n- Good one\n" in opencode.read_text(encoding="utf-8")
    kept = rules.read_text(encoding="utf-8")
    assert kept.endswith(entry)
    assert kept.startswith("# my file\nversion: 2\n")
    out = improve("doctor", code=6).out
    moved = kept.count("\n", 0, kept.index(entry)) - 7  # what was recorded of the good rule stands above
    for line in lines:
        number = int(line.removeprefix("line ")) + moved
        assert f"line {number}: " in out, out


def test_an_empty_or_commented_store_is_an_empty_store(improve: Improve, rules: Path) -> None:
    """S15: no rules yet; what stood in the file stays above the first rule."""
    for text in ("", "# only mine\n", "\n\n# a\n\n# b\n"):
        written(rules, text)
        assert improve("status", "--all").out.startswith("No active rules")
        improve("observe", PNPM, "--project", "p")
        assert all(line in rules.read_text(encoding="utf-8") for line in text.splitlines())
        assert improve("status", "--all", "--json").json["total"] == 1


def test_ids_and_texts_that_yaml_would_read_as_something_else_stay_words(improve: Improve, rules: Path) -> None:
    """S16: typed by hand without quotes, under YAML 1.1 or 1.2, they are the words that stand there."""
    words = ["no", "on", "yes", "123", "1e3", "0o14", "2026-11-30", "true", "12:30:45", "0x1F", ".5", "1_000"]
    written(rules, "version: 2\nrules:\n" + "".join(f"- id: {word}\n  rule: {word}\n" for word in words))
    found = improve("status", "--all", "--json").json["rules"]
    assert sorted((rule["id"], rule["rule"]) for rule in found) == sorted((word, word) for word in words)
    before = rules.read_text(encoding="utf-8").splitlines()
    improve("set", "no", "--severity", "2")
    assert [line for line in rules.read_text(encoding="utf-8").splitlines() if line in before] == before
    assert improve("history", "no", "--json").json["severity"] == 2


def test_what_a_person_typed_survives_every_command(improve: Improve, repository: Repository, rules: Path) -> None:
    """S18: comments, unknown keys, order and quoting stay, line for line, through a whole life of a rule."""
    mine = (
        "# top of my file\n"
        "version: 2   # do not touch\n"
        "my_key: {a: [1, 2],   b: 'x'}\n"
        "rules:\n"
        "# above the first\n"
        "- rule: 'Paint the shed green'   # why: it is wood\n"
        "  owner: me\n"
        "  id: paint\n"
        "  domain:    testing\n"
        "\n"
        '- id: "roses"\n'
        '  rule: "Water the \\u0072oses"\n'
        "  links: [https://example.com/a?b=c#d]\n"
        "# the end\n"
    )
    written(rules, mine)
    root = repository("shop")
    for argv in (
        ["observe", "--same-as", "paint"], ["observe", "--same-as", "paint"], ["escalate", "--apply"],
        ["set", "paint", "--severity", "3"], ["retire", "roses"], ["restore", "roses"],
        ["undo"], ["undo"], ["undo"], ["undo"],
    ):  # fmt: skip
        improve(*argv, cwd=root)
    left = rules.read_text(encoding="utf-8").splitlines()
    assert [line for line in left if line in mine.splitlines()] == mine.splitlines()
    improve("merge", "paint", "roses")
    improve("undo")
    assert sorted(rules.read_text(encoding="utf-8").splitlines()) == sorted(left)


# --- names and paths: S19 S20 S23 S25 ---


@pytest.mark.parametrize("name", table("project-names.json"))
def test_a_project_name_is_never_a_path(improve: Improve, repository: Repository, home: Path, name: str) -> None:
    """Whatever it looks like: recorded, shown, found again, and no file or directory of that name appears."""
    root = repository("shop")
    before = set(tree(root.parent))
    for _ in range(2):
        improve("observe", PNPM, f"--project={name}", cwd=root)
    assert improve("status", f"--project={name}", "--json").json["total"] == 1
    assert improve("due", "--json").json["rules"][0]["projects"] == [name]
    assert "no directory on this machine" in improve("escalate", "--apply").out
    improve("escalate", "--apply", f"--project={name}")
    improve("where", f"--project={name}")
    assert set(tree(root.parent)) == before
    assert {path.name for path in (home / ".agent-improvement").iterdir()} <= {
        "rules.yaml", "journal.jsonl", "spool", "backup", ".git", ".gitignore"
    }  # fmt: skip


@pytest.mark.parametrize("name", table("refused-names.json"))
@pytest.mark.parametrize("option", ["--project", "--session", "--host", "--section", "--domain"])
def test_a_name_that_is_no_plain_line_is_refused(improve: Improve, home: Path, name: str, option: str) -> None:
    """NUL, 300 letters, a line break, bidi, escapes: exit 3, shown escaped, nothing recorded."""
    before = tree(home)
    refused(improve("observe", PNPM, f"{option}={name}", code=3))
    assert tree(home) == before


@pytest.mark.parametrize("command", ["status", "where", "escalate"])
def test_a_bad_project_name_is_refused_by_commands_that_look(improve: Improve, home: Path, command: str) -> None:
    """--project with an escape sequence is exit 3 and shown as text."""
    before = tree(home)
    assert "\x1b" not in refused(improve(command, "--project", "a\x1b[2Jb", code=3))
    assert tree(home) == before


@pytest.mark.parametrize(
    "target", ["../../home/.bashrc", "../other/AGENTS.md", "/etc/hostname", "~/.ssh/authorized_keys", "loop"]
)
def test_no_command_follows_a_projects_link_out_of_it(
    improve: Improve, repository: Repository, home: Path, target: str
) -> None:
    """S20: escalate, confirm and seed show where AGENTS.md leads and touch nothing."""
    root, other = repository("hostile"), repository("other", agents="# Other\n")
    (home / ".bashrc").write_text("alias x=y\n")
    goal = {"loop": "AGENTS.md", "../../home/.bashrc": str(home / ".bashrc")}.get(target, target)
    (root / "AGENTS.md").symlink_to(goal)
    twice(improve, root)
    before = tree(home, root, other)
    assert "NOT WRITTEN" in improve("escalate", "--apply", code=3).out
    assert tree(home, root, other) == before


def test_a_link_that_was_checked_out_as_text_is_refused_and_explained(improve: Improve, repository: Repository) -> None:
    """E6: AGENTS.md that only says `CLAUDE.md` is a link Windows could not make; neither file is written."""
    root = repository("shop", agents="CLAUDE.md")
    (root / "CLAUDE.md").write_text("# Shop\n")
    twice(improve, root)
    assert "symbolic link that was checked out as text" in improve("escalate", "--apply", code=3).out
    assert (root / "CLAUDE.md").read_text() == "# Shop\n"


def test_seed_refuses_what_is_no_instruction_file(improve: Improve, tmp_path: Path, home: Path) -> None:
    """E14, E15, E19: missing, a directory, UTF-16, NUL, conflict markers and 2 MB are exit 3, nothing recorded."""
    cases: dict[str, bytes | None] = {
        "missing.md": None,
        "utf16.md": "# A\n- Be kind\n".encode("utf-16"),
        "nul.md": b"# A\n- Be\0 kind\n",
        "conflict.md": b"<<<<<<< a\n- Be kind\n=======\n- Be brief\n>>>>>>> b\n",
        "big.md": b"- Be kind\n" * 200_000,
    }
    (tmp_path / "folder.md").mkdir()
    before = tree(home)
    for name, data in cases.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
        assert name in improve("seed", "--from-agents-md", str(tmp_path / name), code=3).err
    improve("seed", "--from-agents-md", str(tmp_path / "folder.md"), code=3)
    assert tree(home) == before


def test_seed_names_the_bullets_it_cannot_take(improve: Improve, repository: Repository) -> None:
    """A hidden character, a secret or an endless line in one bullet skips that bullet with its line, not the others."""
    token = "ghp_" + "Zk9" * 12
    text = f"# Shop\n\n- Be kind\n- Be\u200bbrief\n- Push with {token}\n- {'a' * 1200}\n- Be exact\n"
    root = repository("shop", agents=text)
    said = improve("seed", "--from-agents-md", "AGENTS.md", "--json", cwd=root)
    assert said.json["added"] == ["be-kind", "be-exact"]
    assert [skipped["line"] for skipped in said.json["skipped"]] == [4, 5, 6]
    assert token not in said.out


# --- output: S26 S27, E5 ---


def test_no_stored_escape_reaches_the_terminal(improve: Improve, rules: Path) -> None:
    """Every text command shows control, bidi and C1 characters of a hand-edited store as escapes; JSON is ASCII."""
    evil = "\\e[2J\\e]8;;x\\a\\x9b31m\\b\\u202e\\r"
    written(
        rules,
        f'version: 2\nprojects:\n  "p{evil}":\n    name: "n{evil}"\n    roots: ["/{evil}"]\nrules:\n- id: "i{evil}"\n'
        f'  rule: "red {evil}"\n  domain: "d{evil}"\n  aliases: ["a{evil}"]\n  explicit_scope: global\n'
        f'  observations:\n  - {{project: "p{evil}", date: 2026-01-01, context: "c{evil}", host: "h{evil}"}}\n'
        f'  written_to:\n  - {{path: "/x{evil}", date: 2026-01-01, text: "t{evil}"}}\n',
    )
    rule = improve("status", "--all", "--json").json["rules"][0]["id"]
    doctor = improve("doctor", "--json", code=0).code
    for argv in (
        ["status", "--all"], ["status", "--all", "--format", "markdown"], ["history", rule], ["due"], ["escalate"],
        ["domains"], ["where"], ["stale", "--days", "0"], ["log"], ["doctor"],
    ):  # fmt: skip
        said = improve(*argv, code={"escalate": 3, "doctor": doctor}.get(argv[0], 0))
        assert (said.out + said.err).replace("\n", "").isprintable(), (argv, said)
        if argv != ["status", "--all", "--format", "markdown"]:
            assert improve(*argv, "--json", code=said.code).out.isascii()


@pytest.mark.parametrize("odd", ["\\e[2J", "\\u202e", "\\n## Testing\\n- run this", "<!-- x -->", "\\u200b", "\\x9b2J"])
def test_a_rule_that_was_typed_into_the_store_is_checked_before_it_is_written(
    improve: Improve, rules: Path, opencode: Path, odd: str
) -> None:
    """What `observe` refuses does not reach an instruction file by way of rules.yaml; the other rule does."""
    entry = '- id: x{n}\n  rule: "{text}"\n  explicit_scope: global\n'
    written(
        rules, "version: 2\nrules:\n" + entry.format(n=1, text=f"Be {odd} kind") + entry.format(n=2, text="Be brief")
    )
    out = improve("escalate", "--apply", code=3).out
    assert "x1: NOT WRITTEN" in out
    assert out.replace("\n", "").isprintable()
    assert opencode.read_text(encoding="utf-8") == "# Global Agent Rules\n\n## Agent Rules\n\n- Be brief\n"


def test_match_answers_odd_input_and_names_the_bad_line(improve: Improve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any text is answered in ASCII; what is no pair is exit 2 with its line."""
    pairs = [{"id": n, "a": text, "b": PNPM} for n, text in enumerate(table("accepted-rules.json"))]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(pair) + "\n" for pair in pairs)))
    out = improve("match").out
    assert out.isascii()
    assert len(out.splitlines()) == len(pairs)
    for bad in ("hello\n", "[]\n", '{"id": 1, "a": "x"}\n', '{"id": 1, "a": 1, "b": "y"}\n'):
        monkeypatch.setattr(sys, "stdin", io.StringIO('{"id": 1, "a": "x", "b": "y"}\n' + bad))
        assert "line 2" in improve("match", code=2).err


def test_a_misused_command_line_is_one_line_and_json_where_asked(improve: Improve) -> None:
    """Missing arguments, unknown options and bad choices name the command's help; exit 2."""
    for argv in (["history"], ["history", "-x"], ["set", "a", "--scope", "q"], ["log", "--limit", "0"], ["escalte"]):
        said = improve(*argv, code=2)
        assert said.err.count("\n") == 1
        assert "--help" in said.err
        assert improve(*argv, "--json", code=2).json["error"]["exit_code"] == 2


# --- size ---


def test_ten_thousand_rules_are_no_problem(improve: Improve, repository: Repository, rules: Path) -> None:
    """Every reading command answers, observe adds one, and status keeps its budget."""
    names = ["otter", "heron", "pike", "newt", "crane", "stoat", "perch", "finch", "adder", "shrew"]
    many = "".join(
        f"- id: r{n}\n  rule: Feed the {names[n % 10]} number {n} at {n % 24} o'clock\n  explicit_scope: local\n"
        for n in range(10_000)
    )
    written(rules, "version: 2\nrules:\n" + many)
    root = repository("shop")
    assert improve("status", "--all", "--json", "--budget", "0").json["total"] == 10_000
    assert len(improve("status", "--all").out) < 9_000
    assert improve("due", cwd=root).out == "Nothing is due.\n"
    assert improve("observe", "Paint the shed green", "--json").json["rule"]["count"] == 1
    assert rules.read_bytes().count(b"\n- id: ") == 10_001
    assert improve("doctor").code == 0


def test_a_long_instruction_file_keeps_every_byte(improve: Improve, repository: Repository) -> None:
    """500 lines of everything Markdown has: seeding, applying twice and undoing change only our own line."""
    part = (
        "## Part {n}\n\nSome *prose* with `code`, a [link](x) and <b>html</b>.\n\n- A bullet about item {n}\n"
        "  continued here\n  - nested {n}\n\n1. step one\n2. step two\n\n```sh\n- not a rule {n}\n## Testing\n```\n\n"
        "| a | b |\n|---|---|\n| x | {n} |\n\n> quoted {n}\n\n    indented code\n\n***\n"
    )
    text = "# Shop\n\n" + "".join(part.replace("{n}", str(n)) for n in range(20)) + "\n## Testing\n\nlast words  "
    assert text.count("\n") > 500
    root = repository("shop", agents=text)
    seeded = improve("seed", "--from-agents-md", "AGENTS.md", "--json", cwd=root).json
    assert len(seeded["added"]) == 40
    twice(improve, root, "Name tests after behaviour", "--domain", "testing")
    improve("escalate", "--apply")
    once = (root / "AGENTS.md").read_text(encoding="utf-8")
    assert once.replace("- Name tests after behaviour", "").split() == text.split()
    improve("escalate", "--apply")
    assert (root / "AGENTS.md").read_text(encoding="utf-8") == once
    improve("undo")
    assert (root / "AGENTS.md").read_text(encoding="utf-8") == text


# --- surroundings: E9 E13 E16 E17 E18 ---


def test_two_names_of_one_file_get_one_line(improve: Improve, repository: Repository, opencode: Path) -> None:
    """E9, E8: a global file that is a link to the project's own gets the rule once and stays a link."""
    root = repository("dotfiles", agents="# Mine\n")
    opencode.symlink_to(root / "AGENTS.md")
    twice(improve, root)
    improve("observe", "Answer in short sentences", "--explicit-scope", "global")
    improve("escalate", "--apply")
    assert opencode.is_symlink()
    text = (root / "AGENTS.md").read_text()
    assert (text.count(PNPM), text.count("Answer in short")) == (1, 1)
    improve("undo")
    assert (root / "AGENTS.md").read_text() == "# Mine\n"


def test_doctor_names_copies_a_sync_program_left(improve: Improve, rules: Path) -> None:
    """E16: a conflicted copy of rules.yaml is named with what to do."""
    improve("observe", PNPM, "--project", "p")
    copy = rules.with_name("rules (conflicted copy of laptop).yaml")
    copy.write_bytes(rules.read_bytes())
    assert copy.name in improve("doctor").out


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_bom_and_the_last_line_stay(
    improve: Improve, repository: Repository, end: str, bom: str, last: bool
) -> None:
    """E13: our line takes the file's ends; promotion and undo leave no trace."""
    text = bom + end.join(["# Shop  ", "", "## Testing", "", "- old\t", "", "words"]) + (end if last else "")
    root = repository("shop", agents=text)
    twice(improve, root, "Name tests after behaviour", "--domain", "testing")
    improve("escalate", "--apply")
    after = (root / "AGENTS.md").read_bytes()
    assert after == text.encode().replace(b"- old\t", b"- old\t" + end.encode() + b"- Name tests after behaviour")
    improve("undo")
    assert (root / "AGENTS.md").read_bytes() == text.encode()


def test_every_command_runs_outside_any_project_and_in_a_directory_that_is_gone(
    improve: Improve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No project, and a working directory that was deleted: the same answers, no traceback."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    improve("observe", PNPM)
    for argv in (["status"], ["due"], ["escalate"], ["escalate", "--apply"], ["where"], ["log"], ["doctor"], ["init"]):
        improve(*argv)
    assert ID in improve("status").out
    improve("seed", "--from-agents-md", "AGENTS.md", code=3)


def test_a_bullet_of_ours_reads_the_same_in_a_terminal_of_another_encoding(repository: Repository) -> None:
    """E5: a rule in Cyrillic goes in and out under cp1252 without a crash, byte for byte the same in the store."""
    root = repository("shop")
    env = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    text = "Пиши тесты сначала"
    for argv in (["observe", text], ["status"], ["history", "пиши-тесты-сначала"]):
        done = subprocess.run(
            [sys.executable, "-m", "improve", *argv], cwd=root, env=env, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert text in done.stdout.decode("utf-8")


def test_as_bullet_is_what_the_file_says(improve: Improve, repository: Repository) -> None:
    """A rule with markup stands in the file as it is rendered, and is found there again."""
    root = repository("shop")
    twice(improve, root, "See @docs/style.md before editing")
    improve("escalate", "--apply")
    assert f"- {inline.as_bullet('See @docs/style.md before editing')}\n" in (root / "AGENTS.md").read_text()
    assert improve("due").out == "Nothing is due.\n"


def test_a_store_that_would_be_another_one_in_every_directory_is_refused(
    improve: Improve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AGENT_IMPROVEMENT_HOME must be absolute or begin with ~; exit 5 otherwise, and nothing is created."""
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", "relative/home")
    assert "absolute path" in improve("observe", PNPM, cwd=tmp_path, code=5).err
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", "~/mine")
    assert improve("where").out.startswith("store    ~/mine/rules.yaml\n")


@pytest.mark.parametrize("line", (DATA / "journal-lines.txt").read_text(encoding="utf-8").splitlines())
def test_a_line_of_another_program_in_the_journal_is_passed_over(improve: Improve, rules: Path, line: str) -> None:
    """undo, log, escalate and doctor work as if it were not there, or refuse in one line; rules.yaml stays readable."""
    improve("observe", "Keep PRs small", "--project", "p")
    improve("set", "keep-prs-small", "--severity", "3")
    journal = rules.with_name("journal.jsonl")
    journal.write_bytes(journal.read_bytes() + line.encode() + b"\n")
    for argv in (["log"], ["log", "--json"], ["escalate", "--apply"], ["doctor"]):
        improve(*argv)
    improve("undo", code=3 if "garbage" in line else 0)
    assert improve("history", "keep-prs-small", "--json").json["rule"] == "Keep PRs small"
    if "garbage" in line:
        return
    rules.write_bytes(b"version: [")
    improve("doctor", "--fix")
    assert "keep-prs-small" in improve("status", "--all").out
