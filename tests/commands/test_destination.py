"""Destinations: a person's word, then a route, then the usual file; found again, moved, never outside the project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from improve import frontmatter, spool
from improve.spool import Pending

MOCK = "Mock no database in tests"
MOCK_ID = "mock-no-database-in-tests"
DEPLOY = "Drain the queue before a deploy"


def twice(improve: Improve, root: Path, text: str = MOCK, *more: str) -> None:
    """Record a rule on two occasions in one project."""
    for _ in range(2):
        improve("observe", text, *more, cwd=root)


def routed(improve: Improve, *routes: dict[str, object]) -> None:
    """Put routes into config.yaml."""
    improve("config", "set", "routes", json.dumps(routes))


def written(improve: Improve, rule_id: str = MOCK_ID) -> list[dict[str, str]]:
    """Say where a rule is on record."""
    found: list[dict[str, str]] = improve("history", rule_id, "--json").json["written_to"]
    return found


def standing(root: Path) -> dict[str, str]:
    """Read every Markdown file of a project that says anything."""
    files = [path for path in root.rglob("*.md*") if ".git" not in path.relative_to(root).parts and path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in files}


# --- routes ---


@pytest.mark.parametrize(
    ("route", "reached"),
    [
        ({}, True),
        ({"domain": "testing"}, True),
        ({"domain": "TESTING"}, True),
        ({"domain": "git-practices"}, False),
        ({"match": "database"}, True),
        ({"match": "tests DATABASE"}, True),
        ({"match": "data"}, False),
        ({"match": "database pip"}, False),
        ({"project": "shop"}, True),
        ({"project": "github.com/acme/shop"}, True),
        ({"project": "blog"}, False),
        ({"domain": "testing", "match": "database", "project": "shop"}, True),
        ({"domain": "testing", "match": "pip", "project": "shop"}, False),
    ],
)
def test_a_route_takes_the_rules_that_meet_all_it_says(
    improve: Improve, repository: Repository, route: dict[str, str], reached: bool
) -> None:
    """Domain, words and project, each alone and together; what does not fit goes to the usual file."""
    shop = repository("shop")
    routed(improve, {**route, "file": "docs/testing.md"})
    twice(improve, shop, MOCK, "--domain", "testing")
    improve("escalate", "--apply")
    assert list(standing(shop)) == ["docs/testing.md" if reached else "AGENTS.md"]
    assert MOCK in next(iter(standing(shop).values()))


def test_the_first_route_that_fits_wins(improve: Improve, repository: Repository) -> None:
    """Order decides, and the section is the route's."""
    shop = repository("shop")
    routed(
        improve,
        {"match": "nothing like it", "file": "docs/a.md"},
        {"domain": "testing", "file": "docs/b.md", "section": "House rules"},
        {"file": "docs/c.md"},
    )
    twice(improve, shop, MOCK, "--domain", "testing")
    twice(improve, shop, DEPLOY)
    improve("escalate", "--apply")
    assert set(standing(shop)) == {"docs/b.md", "docs/c.md"}
    assert "## House rules\n\n- Mock no database" in standing(shop)["docs/b.md"]


def test_a_persons_word_wins_over_every_route(improve: Improve, repository: Repository) -> None:
    """`--file` with the observation, or later with `set`."""
    shop = repository("shop")
    routed(improve, {"file": "docs/route.md"})
    twice(improve, shop, MOCK, "--file", "docs/person.md")
    improve("escalate", "--apply")
    assert list(standing(shop)) == ["docs/person.md"]


def test_what_holds_everywhere_never_goes_into_one_project_nor_the_other_way(
    improve: Improve, repository: Repository, home: Path, opencode: Path
) -> None:
    """A relative file is for rules of projects, an absolute one for global rules."""
    shop = repository("shop")
    routed(improve, {"file": "docs/project.md"}, {"file": "~/notes/everywhere.md"})
    twice(improve, shop)
    improve("observe", DEPLOY, "--explicit-scope", "global", cwd=shop)
    improve("escalate", "--apply", cwd=shop)
    assert list(standing(shop)) == ["docs/project.md"]
    assert DEPLOY not in standing(shop)["docs/project.md"]
    assert DEPLOY in (home / "notes" / "everywhere.md").read_bytes().decode()
    assert MOCK not in (home / "notes" / "everywhere.md").read_bytes().decode()
    assert not opencode.exists()


def test_a_named_project_may_be_sent_to_one_place(improve: Improve, repository: Repository, home: Path) -> None:
    """An absolute file with `project` is for that project's rules alone."""
    shop, blog = repository("shop"), repository("blog")
    routed(improve, {"project": "shop", "file": "~/notes/shop.md"})
    twice(improve, shop)
    twice(improve, blog, DEPLOY)
    improve("escalate", "--apply", cwd=blog)
    assert MOCK in (home / "notes" / "shop.md").read_bytes().decode()
    assert standing(shop) == {}
    assert list(standing(blog)) == ["AGENTS.md"]


def test_a_route_reaches_every_affected_project(improve: Improve, repository: Repository) -> None:
    """A rule of several projects goes to the same file in each of them."""
    shop, blog = repository("shop"), repository("blog")
    routed(improve, {"file": "docs/r.md"})
    for root in (shop, blog):
        improve("observe", MOCK, cwd=root)
    improve("escalate", "--apply")
    assert list(standing(shop)) == list(standing(blog)) == ["docs/r.md"]


# --- path-scoped rule files ---


@pytest.mark.parametrize(
    ("file", "front"),
    [
        (".claude/rules/tests.md", '---\npaths:\n  - "tests/**"\n---\n'),
        ("web/.claude/rules/tests.md", '---\npaths:\n  - "tests/**"\n---\n'),
        (
            ".cursor/rules/tests.mdc",
            "---\ndescription: Rules for files that match tests/**\nglobs: tests/**\nalwaysApply: false\n---\n",
        ),
        (".github/instructions/tests.instructions.md", '---\napplyTo: "tests/**"\n---\n'),
    ],
)
@pytest.mark.parametrize("by", ["route", "person"])
def test_a_new_rule_file_says_for_which_paths_it_is(
    improve: Improve, repository: Repository, file: str, front: str, by: str
) -> None:
    """It begins with the block its host reads; the next rule goes below the first."""
    shop = repository("shop")
    if by == "route":
        routed(improve, {"file": file, "paths": ["tests/**"], "section": "Rules"})
    more = ("--file", file, "--paths", "tests/**", "--section", "Rules") if by == "person" else ()
    twice(improve, shop, MOCK, *more)
    twice(improve, shop, DEPLOY, *more)
    improve("escalate", "--apply", cwd=shop)
    text = (shop / file).read_bytes().decode()
    assert text.startswith(f"{front}\n## Rules\n\n- ")
    assert sorted(line for line in text.splitlines() if line.startswith("- ") and line[2:] in (MOCK, DEPLOY)) == [
        f"- {DEPLOY}",
        f"- {MOCK}",
    ]
    assert len(text.splitlines()) == len(front.splitlines()) + 5
    improve("undo", cwd=shop)
    assert not (shop / file).exists()


def test_the_block_of_a_file_that_is_there_is_never_touched(improve: Improve, repository: Repository) -> None:
    """Written in another style, with keys of the person's own: it stays to the byte, and the rule goes below."""
    shop = repository("shop")
    file = shop / ".claude" / "rules" / "tests.md"
    file.parent.mkdir(parents=True)
    before = b"---\r\nmine: 1 # x\r\npaths: 'tests/**'\r\n---\r\n# Tests\r\n- Name tests after what they show\r\n"
    file.write_bytes(before)
    routed(improve, {"file": ".claude/rules/tests.md", "paths": ["tests/**"]})
    twice(improve, shop)
    improve("escalate", "--apply", cwd=shop)
    assert file.read_bytes().startswith(before)
    assert MOCK.encode() in file.read_bytes()[len(before) :]


@pytest.mark.parametrize("there", ["---\npaths: [src/**]\n---\n", "# No block\n"])
def test_a_file_for_other_paths_takes_a_rule_only_when_a_person_names_it(
    improve: Improve, repository: Repository, there: str
) -> None:
    """A route is not followed there, and says why; a person's word is, and the difference is said."""
    shop = repository("shop")
    file = shop / ".claude" / "rules" / "r.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(there.encode())
    routed(improve, {"file": ".claude/rules/r.md", "paths": ["tests/**"]})
    twice(improve, shop)
    said = improve("escalate", "--apply", cwd=shop).out
    assert "NOT WRITTEN" in said
    assert "not only for tests/**" in said
    assert file.read_bytes() == there.encode()
    improve("set", MOCK_ID, "--file", ".claude/rules/r.md", "--paths", "tests/**", cwd=shop)
    said = improve("escalate", "--apply", cwd=shop).out
    assert f"{MOCK_ID}: note: " in said
    assert "not only for tests/**" in said
    text = file.read_bytes().decode()
    assert text.startswith(there)
    assert MOCK in text


@pytest.mark.parametrize("by", ["route", "person"])
@pytest.mark.parametrize(
    ("file", "there", "made"),
    [
        ("CLAUDE.md", "AGENTS.md", False),
        (".claude/CLAUDE.md", "AGENTS.md", False),
        ("web/CLAUDE.md", "AGENTS.md", False),
        ("web/CLAUDE.md", "web/AGENTS.md", False),
        ("AGENTS.override.md", "AGENTS.md", False),
        ("web/AGENTS.override.md", "AGENTS.md", True),
        ("CLAUDE.md", "README.md", True),
        ("web/AGENTS.md", "AGENTS.md", True),
        (".claude/rules/a.md", "AGENTS.md", True),
    ],
)
def test_no_file_is_made_that_hides_another(
    improve: Improve, repository: Repository, file: str, there: str, made: bool, by: str
) -> None:
    """A new file in whose place a host would stop reading one that is there is not made; one that exists is used."""
    shop = project_with(repository, there)
    if by == "route":
        routed(improve, {"file": file})
    twice(improve, shop, MOCK, *(("--file", file) if by == "person" else ()))
    said = improve("escalate", "--apply", cwd=shop).out
    assert (shop / file).exists() is made
    assert ("would read it instead of" in said) is not made
    (shop / file).parent.mkdir(parents=True, exist_ok=True)
    (shop / file).write_bytes((shop / file).read_bytes() if made else b"# Mine\n")
    improve("escalate", "--apply", cwd=shop)
    assert MOCK in standing(shop)[file]


# --- what may not be a destination ---


@pytest.mark.parametrize(
    "argv",
    [
        ("--file", "tool.py"),
        ("--file", "~/.ssh/authorized_keys"),
        ("--file", "~/.ssh/notes.md"),
        ("--file", ".git/description.md"),
        ("--file", "~/.bashrc"),
        ("--file", "docs/a.md", "--paths", "tests/**"),
        ("--file", ".cursor/rules/a.md", "--paths", "tests/**"),
        ("--file", ".claude/rules/a.md", "--paths", "../x/**"),
        ("--file", ".claude/rules/a.md", "--paths", "a\nb"),
    ],
)
def test_files_that_are_no_place_for_rules_are_refused(
    improve: Improve, repository: Repository, rules: Path, argv: tuple[str, ...]
) -> None:
    """Code, start-up files, keys, git's own files; globs for what is not loaded by path. Nothing is recorded."""
    shop = repository("shop")
    improve("observe", MOCK, *argv, code=3, cwd=shop)
    assert not rules.exists()
    improve("observe", MOCK, cwd=shop)
    before = rules.read_bytes()
    improve("set", MOCK_ID, *argv, code=3, cwd=shop)
    assert rules.read_bytes() == before


@pytest.mark.parametrize("argv", [("--section", "A"), ("--paths", "a/**"), ("--section", "A", "--paths", "a/**")])
def test_what_would_be_passed_over_is_refused(
    improve: Improve, repository: Repository, rules: Path, argv: tuple[str, ...]
) -> None:
    """A heading or globs without a file are no silent nothing."""
    shop = repository("shop")
    improve("observe", MOCK, *argv, code=2, cwd=shop)
    assert not rules.exists()
    improve("observe", MOCK, cwd=shop)
    improve("set", MOCK_ID, *argv, code=2, cwd=shop)
    improve("set", MOCK_ID, "--file", "none", *argv, code=2, cwd=shop)


@pytest.mark.parametrize("path", ["../outside.md", "docs/../../outside.md", "docs/.."])
def test_a_typed_destination_that_leaves_the_project_is_not_followed(
    improve: Improve, repository: Repository, rules: Path, path: str
) -> None:
    """rules.yaml may say what it likes: nothing is written outside, and the rule says why."""
    shop = repository("shop")
    twice(improve, shop, MOCK, "--file", "docs/a.md")
    rules.write_bytes(rules.read_bytes().replace(b"docs/a.md", path.encode()))
    said = improve("escalate", "--apply", cwd=shop, code=3)
    assert "NOT WRITTEN" in said.out
    assert f"improve set {MOCK_ID} --file" in said.out
    assert not (shop.parent / "outside.md").exists()
    assert standing(shop) == {}


@pytest.mark.parametrize("by", ["route", "person"])
def test_a_link_out_of_the_project_is_not_followed(
    improve: Improve, repository: Repository, tmp_path: Path, by: str
) -> None:
    """A directory, or a file, of a repository that is a link to elsewhere is refused."""
    shop, elsewhere = repository("shop"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "b.md").write_bytes(b"# B\n")
    (shop / "docs").symlink_to(elsewhere)
    (shop / "b.md").symlink_to(elsewhere / "b.md")
    for text, file in ((MOCK, "docs/a.md"), (DEPLOY, "b.md")):
        if by == "person":
            twice(improve, shop, text, "--file", file)
        else:
            twice(improve, shop, text)
    if by == "route":
        routed(improve, {"match": "mock", "file": "docs/a.md"}, {"file": "b.md"})
    said = improve("escalate", "--apply", code=3, cwd=shop).out
    assert said.count("NOT WRITTEN") == 2
    assert [path.name for path in elsewhere.iterdir()] == ["b.md"]
    assert (elsewhere / "b.md").read_bytes() == b"# B\n"


# --- found again, moved ---


def test_lines_of_ours_move_when_the_route_changes(improve: Improve, repository: Repository) -> None:
    """A new route, another one, none: the line stands in one place each time, and a preview writes nothing."""
    shop = repository("shop", agents="# Shop\n\n- Mine\n")
    twice(improve, shop)
    improve("escalate", "--apply", cwd=shop)
    assert MOCK in standing(shop)["AGENTS.md"]
    for routes, place in (
        ([{"file": "docs/a.md"}], "docs/a.md"),
        ([{"file": "docs/b.md", "section": "B"}], "docs/b.md"),
        ([{"file": "docs/b.md", "section": "C"}], "docs/b.md"),
        ([], "AGENTS.md"),
    ):
        routed(improve, *routes)
        before = standing(shop)
        improve("escalate", cwd=shop)
        assert standing(shop) == before
        improve("escalate", "--apply", cwd=shop)
        assert [name for name, text in standing(shop).items() if MOCK in text] == [place]
        assert [entry["path"] for entry in written(improve)] == [str(shop / place)]
        assert standing(shop)[place].count(MOCK) == 1
        after = standing(shop)
        improve("escalate", "--apply", cwd=shop)
        assert standing(shop) == after
    assert standing(shop)["AGENTS.md"].startswith("# Shop\n\n- Mine\n")


def test_a_move_is_undone_as_one(improve: Improve, repository: Repository) -> None:
    """Both files and the record are as they were."""
    shop = repository("shop", agents="# Shop\n")
    twice(improve, shop)
    improve("escalate", "--apply", cwd=shop)
    before = standing(shop)
    routed(improve, {"file": "docs/a.md"})
    improve("escalate", "--apply", cwd=shop)
    improve("undo", cwd=shop)
    assert standing(shop) == before
    assert [entry["path"] for entry in written(improve)] == [str(shop / "AGENTS.md")]


def test_an_edited_line_stays_where_the_person_left_it(improve: Improve, repository: Repository) -> None:
    """Reworded: it is theirs. Deleted: it is not written to the new place either."""
    shop = repository("shop")
    twice(improve, shop)
    twice(improve, shop, DEPLOY)
    improve("escalate", "--apply", cwd=shop)
    text = standing(shop)["AGENTS.md"].replace(MOCK, "Mock no database in tests, ever").replace(f"- {DEPLOY}\n", "")
    (shop / "AGENTS.md").write_bytes(text.encode())
    routed(improve, {"file": "docs/a.md"})
    improve("escalate", "--apply", cwd=shop)
    assert standing(shop) == {"AGENTS.md": text}


def test_a_line_that_was_there_before_us_is_not_moved(improve: Improve, repository: Repository) -> None:
    """A person's own line satisfies the rule where it stands."""
    shop = repository("shop", agents=f"# Shop\n\n- {MOCK}\n")
    twice(improve, shop)
    improve("escalate", "--apply", cwd=shop)
    routed(improve, {"file": "docs/a.md"})
    improve("escalate", "--apply", cwd=shop)
    assert standing(shop) == {"AGENTS.md": f"# Shop\n\n- {MOCK}\n"}


def test_another_host_at_work_is_no_reason_to_move_a_line(
    improve: Improve, repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual file may be another one tomorrow; only a person's word or a route moves what is written."""
    shop = repository("shop")
    for name in (".codex", ".claude"):
        (home / name).mkdir()
    improve("observe", MOCK, "--explicit-scope", "global", cwd=shop)
    monkeypatch.setenv("CODEX_SESSION_ID", "1")
    improve("escalate", "--apply", cwd=shop)
    monkeypatch.delenv("CODEX_SESSION_ID")
    monkeypatch.setenv("CLAUDECODE", "1")
    routed(improve, {"file": "docs/only-projects.md"})
    improve("escalate", "--apply", cwd=shop)
    assert [entry["path"] for entry in written(improve)] == [str(home / ".codex" / "AGENTS.md")]


def test_two_clones_do_not_pull_a_line_to_and_fro(improve: Improve, repository: Repository, tmp_path: Path) -> None:
    """A line stands in the clone it was written to, whichever one the command runs in."""
    shop = repository("shop")
    other = tmp_path / "again"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    subprocess.run(["git", "-C", str(other), "remote", "add", "origin", "https://github.com/acme/shop.git"], check=True)
    routed(improve, {"file": "docs/a.md"})
    twice(improve, shop)
    improve("escalate", "--apply", cwd=shop)
    improve("observe", MOCK, cwd=other)
    improve("escalate", "--apply", cwd=other)
    assert list(standing(shop)) == ["docs/a.md"]
    assert standing(other) == {}


def test_set_sends_a_written_rule_to_a_file_and_back(improve: Improve, repository: Repository) -> None:
    """It says how to move the line, moves it, changes its heading, and `none` brings it back."""
    shop = repository("shop")
    twice(improve, shop)
    improve("escalate", "--apply", cwd=shop)
    said = improve("set", MOCK_ID, "--file", ".claude/rules/t.md", "--paths", "tests/**", cwd=shop).out
    assert f"its line moves there with: improve escalate --apply {MOCK_ID}" in said
    improve("escalate", "--apply", MOCK_ID, cwd=shop)
    assert [name for name, text in standing(shop).items() if MOCK in text] == [".claude/rules/t.md"]
    assert improve("history", MOCK_ID, "--json").json["destination"] == {
        "path": ".claude/rules/t.md",
        "section": "",
        "paths": ["tests/**"],
    }
    assert "goes to: .claude/rules/t.md" in improve("history", MOCK_ID).out
    improve("set", MOCK_ID, "--section", "Data", cwd=shop)
    improve("escalate", "--apply", cwd=shop)
    assert f"## Data\n\n- {MOCK}\n" in standing(shop)[".claude/rules/t.md"]
    improve("set", MOCK_ID, "--file", "none", cwd=shop)
    improve("escalate", "--apply", cwd=shop)
    assert [name for name, text in standing(shop).items() if MOCK in text] == ["AGENTS.md"]


def test_a_file_named_from_elsewhere_is_still_the_projects(
    improve: Improve, repository: Repository, tmp_path: Path
) -> None:
    """An absolute path below a project of the rule is kept relative, so that it holds in every clone."""
    shop = repository("shop")
    twice(improve, shop)
    improve("set", MOCK_ID, "--file", str(shop / "docs" / "a.md"), cwd=tmp_path)
    assert improve("history", MOCK_ID, "--json").json["destination"]["path"] == "docs/a.md"


def test_confirm_looks_where_the_route_leads(improve: Improve, repository: Repository) -> None:
    """An agent that wrote the line by hand is believed after a look into that file."""
    shop = repository("shop")
    routed(improve, {"file": "docs/a.md"})
    twice(improve, shop)
    (shop / "docs").mkdir()
    (shop / "docs" / "a.md").write_bytes(f"- {MOCK}\n".encode())
    improve("confirm", MOCK_ID, "--scope", "local", cwd=shop)
    assert [entry["path"] for entry in written(improve)] == [str(shop / "docs" / "a.md")]


# --- kept ---


def test_a_destination_survives_a_merge_and_a_split(improve: Improve, repository: Repository) -> None:
    """The file that a person named for one of two rules is that of the rule they become, and of its parts."""
    shop = repository("shop")
    improve("observe", DEPLOY, cwd=shop)
    improve("observe", MOCK, "--file", "docs/a.md", cwd=shop)
    improve("merge", "drain-the-queue-before-a-deploy", MOCK_ID)
    improve("split", "drain-the-queue-before-a-deploy", MOCK)
    for rule_id in ("drain-the-queue-before-a-deploy", MOCK_ID):
        assert improve("history", rule_id, "--json").json["destination"]["path"] == "docs/a.md"


def test_a_file_of_an_earlier_version_keeps_its_destinations(improve: Improve, rules: Path) -> None:
    """Without globs, and with keys that we do not know: read as before, written back to the byte."""
    rules.parent.mkdir(mode=0o700)
    text = (
        f"version: 2\nrules:\n- id: a\n  rule: {MOCK}\n  created: 2026-01-01\n"
        "  destination: {path: docs/a.md, mine: x}\n"
        f"- id: b\n  rule: {DEPLOY}\n  created: 2026-01-01\n  destination:\n    path: docs/b.md # b\n    section: B\n"
    )
    rules.write_bytes(text.encode())
    assert improve("history", "a", "--json").json["destination"] == {"path": "docs/a.md", "section": "", "paths": []}
    improve("set", "a", "--severity", "3")
    improve("set", "b", "--severity", "3")
    kept = rules.read_bytes().decode().replace("  severity: 3\n", "")
    assert [line for line in text.splitlines() if line not in kept] == []


def test_globs_survive_the_spool_and_a_file_that_people_edit(improve: Improve, home: Path, rules: Path) -> None:
    """They are the same after a wait in the spool; keys that we do not know stay."""
    pending = Pending(
        "0" * 12, "2026-01-01T10:00:00+00:00", "2026-01-01", MOCK, "p", path=".claude/rules/a.md", paths=("a/**",)
    )
    path = spool.put(str(rules.parent / "spool"), pending)
    assert spool.load(path) == pending
    improve("status", "--all")
    assert '  destination:\n    path: ".claude/rules/a.md"\n    paths:\n    - "a/**"\n' in rules.read_bytes().decode()
    odd = rules.read_bytes().replace(b'    paths:\n    - "a/**"\n', b"    paths: b/** # one\n    mine: 1\n")
    rules.write_bytes(odd)
    assert improve("history", MOCK_ID, "--json").json["destination"]["paths"] == ["b/**"]
    improve("set", MOCK_ID, "--severity", "4")
    assert b"    paths: b/** # one\n    mine: 1\n" in rules.read_bytes()


# --- suggest-destination ---


def project_with(repository: Repository, *names: str) -> Path:
    """Make a project with these files."""
    root = repository("shop")
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")
    return root


def suggested(improve: Improve, root: Path, context: str, text: str = MOCK) -> dict[str, object]:
    """Ask where a rule with this evidence belongs."""
    improve("observe", text, "--context", context, cwd=root)
    [one] = improve("suggest-destination", MOCK_ID, "--json", cwd=root).json["suggestions"]
    found: dict[str, object] = one
    return found


CONTEXT = "user stopped a mock in `tests/api/test_orders.py:41`, and ./tests/api/test_carts.py. See https://x.test/a/b"


@pytest.mark.parametrize(
    ("there", "file", "paths"),
    [
        (("tests/api/AGENTS.md",), "tests/api/AGENTS.md", []),
        (("tests/CLAUDE.md", "AGENTS.md"), "tests/CLAUDE.md", []),
        ((), "tests/api/AGENTS.md", []),
        (("AGENTS.md", ".claude/settings.json"), ".claude/rules/tests-api.md", ["tests/api/**"]),
        ((".cursor/x",), ".cursor/rules/tests-api.mdc", ["tests/api/**"]),
        ((".github/instructions/x",), ".github/instructions/tests-api.instructions.md", ["tests/api/**"]),
    ],
)
def test_the_nearest_file_is_named(
    improve: Improve, repository: Repository, there: tuple[str, ...], file: str, paths: list[str]
) -> None:
    """A nested instruction file, else a rule file with the glob it would get; the command that is shown does it."""
    shop = project_with(repository, "tests/api/test_orders.py", "tests/api/test_carts.py", *there)
    one = suggested(improve, shop, CONTEXT)
    assert one["mentioned"] == ["tests/api/test_orders.py", "tests/api/test_carts.py"]
    assert (one["directory"], one["file"], one["paths"]) == ("tests/api", file, paths)
    assert one["exists"] is (file in there)
    command = str(one["command"]).split()
    assert command[:3] == ["improve", "set", MOCK_ID]
    improve(*(word.strip("'") for word in command[1:]), cwd=shop)
    improve("observe", MOCK, cwd=shop)
    improve("escalate", "--apply", cwd=shop)
    assert MOCK in standing(shop)[file]
    assert frontmatter.read(file, (shop / file).read_bytes()) == tuple(paths)
    assert frontmatter.key_for(file) or not paths


def test_a_rule_file_that_is_loaded_for_all_of_them_comes_first(improve: Improve, repository: Repository) -> None:
    """It is named with the globs it has, so that accepting changes nothing about it."""
    shop = project_with(repository, "tests/api/test_orders.py", "tests/api/test_carts.py", "tests/AGENTS.md")
    folder = shop / ".claude" / "rules"
    folder.mkdir(parents=True)
    (folder / "py.md").write_bytes(b'---\npaths: ["**/*.py"]\n---\n')
    (folder / "tests.md").write_bytes(b'---\npaths:\n- "tests/**/test_*.py"\n---\n')
    (folder / "src.md").write_bytes(b"---\npaths: src/**\n---\n")
    one = suggested(improve, shop, CONTEXT)
    assert (one["file"], one["paths"], one["exists"]) == (".claude/rules/tests.md", ["tests/**/test_*.py"], True)


@pytest.mark.parametrize(
    ("context", "why"),
    [
        ("user stopped a mock", "names no path"),
        ("in tests/gone.py and /etc/passwd and ../../etc/hosts and ~/x.md", "names no path"),
        ("see https://example.com/tests/api", "names no path"),
        ("in tests/api/test_orders.py and in setup.py", "only the project's root in common"),
        ("in setup.py", "only the project's root in common"),
        ("in out/secret.py", "names no path"),
    ],
)
def test_evidence_that_names_no_path_is_no_suggestion(
    improve: Improve, repository: Repository, tmp_path: Path, context: str, why: str
) -> None:
    """It says so instead of guessing, and offers no command."""
    shop = project_with(repository, "tests/api/test_orders.py", "setup.py")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret.py").write_bytes(b"")
    (shop / "out").symlink_to(tmp_path / "out")
    one = suggested(improve, shop, context)
    assert why in str(one["why"])
    assert (one["file"], one["command"]) == ("", None)
    assert "no suggestion" in improve("suggest-destination", MOCK_ID, cwd=shop).out


def test_the_command_holds_wherever_it_is_read(improve: Improve, repository: Repository, tmp_path: Path) -> None:
    """From another directory it names the whole path, and means the same."""
    shop = project_with(repository, "tests/a b/x.py", "tests/a b/AGENTS.md", "tests/c.py", "tests/AGENTS.md")
    improve("observe", MOCK, "--context", "in tests/c.py", cwd=shop)
    said = improve("suggest-destination", MOCK_ID, cwd=tmp_path).out
    assert f"improve set {MOCK_ID} --file {shop}/tests/AGENTS.md" in said
    improve("set", MOCK_ID, "--file", f"{shop}/tests/AGENTS.md", cwd=tmp_path)
    assert improve("history", MOCK_ID, "--json").json["destination"]["path"] == "tests/AGENTS.md"


def test_suggesting_changes_nothing(improve: Improve, repository: Repository, rules: Path) -> None:
    """The store and the project are as they were, and an unknown rule is exit 7."""
    shop = project_with(repository, "tests/x.py")
    improve("observe", MOCK, "--context", "in tests/x.py", cwd=shop)
    before = rules.read_bytes()
    improve("suggest-destination", MOCK_ID, cwd=shop)
    improve("suggest-destination", "no-such-rule", cwd=shop, code=7)
    assert rules.read_bytes() == before
    assert standing(shop) == {}
