"""`budget`: the room that instruction files have, and what might leave first; it changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from commands.proving import ago
from improve import entry
from improve.rule import Observation, Rule, Verdict, Written

HEAD = b"version: 2\nrules:\n"


@pytest.fixture
def shop(repository: Repository, home: Path) -> Path:
    """A project whose AGENTS.md Claude Code and Codex load, with a line of a person's own."""
    for name in (".claude", ".codex"):
        (home / name).mkdir()
    return repository("shop", agents="# Shop\n\n- Sell shelves\n")


def store(rules: Path, shop: Path, *made: Rule) -> None:
    """Write rules into the store and their lines into the file."""
    rules.parent.mkdir(parents=True, exist_ok=True)
    rules.write_bytes(HEAD + "".join(entry.render(rule, "") for rule in made).encode())
    with (shop / "AGENTS.md").open("a", encoding="utf-8") as stream:
        stream.writelines(f"- {rule.text}\n" for rule in made)


def rule_of(
    shop: Path, text: str, *, days: int = 90, verdict: Verdict | None = None, near: tuple[str, ...] = ()
) -> Rule:
    """Make a rule that was written so many days ago."""
    day = str(ago(days).date())
    key = "github.com/acme/shop"
    written = Written(str(shop / "AGENTS.md"), day, "Tools", text, "project", key)
    seen = tuple(Observation(key, day, session=f"s{n}") for n in range(2))
    return Rule(
        text.lower().replace(" ", "-"), text, created=day, last_reinforced=day, observations=seen, escalation="local",
        written_to=(written,), verdict=verdict, near=near,
    )  # fmt: skip


def judged(state: str, *, since: int, exposed: int = 9) -> Verdict:
    """Make a verdict that has been the same for so many days."""
    return Verdict(state, ago(1).isoformat(timespec="seconds"), str(ago(since).date()), exposed=exposed)


def test_each_file_is_told_with_its_room(improve: Improve, shop: Path, rules: Path) -> None:
    """Lines, bytes, how many are ours, and what is left before the advice of one host and the cap of another."""
    store(rules, shop, rule_of(shop, "Use pnpm"), rule_of(shop, "Use tabs"))
    said = improve("budget", cwd=shop).out
    size = (shop / "AGENTS.md").stat().st_size
    assert f"5 lines, {size} bytes, 2 ours; 195 left of the 200 lines that are advised" in said
    assert f"{32768 - size:,} bytes left of the 32,768" in said
    rooms = improve("budget", "--json", cwd=shop).json["files"]
    assert {(room["host"], room["ours"]) for room in rooms} == {("claude-code", 2), ("codex", 2)}


def test_one_host_is_told_alone(improve: Improve, shop: Path, rules: Path) -> None:
    """`--host` leaves the others out; an unknown one is a wrong use."""
    store(rules, shop, rule_of(shop, "Use pnpm"))
    rooms = improve("budget", "--host", "codex", "--json", cwd=shop).json["files"]
    assert [room["host"] for room in rooms] == ["codex"]
    improve("budget", "--host", "nobody", code=2)


def test_what_might_leave_is_ordered_with_reason_and_command(improve: Improve, shop: Path, rules: Path) -> None:
    """Never exposed first, then what may mean the same, not all that was asked about; then what held longest."""
    store(
        rules,
        shop,
        rule_of(shop, "Held short", verdict=judged("held", since=10)),
        rule_of(shop, "Held long", verdict=judged("held", since=40)),
        rule_of(shop, "Held longer", verdict=judged("held", since=60)),
        rule_of(shop, "Never met", verdict=judged("not-enough-data", since=80, exposed=0)),
        rule_of(shop, "Young and unmet", days=20, verdict=judged("not-enough-data", since=10, exposed=0)),
        rule_of(shop, "Keep it held short", near=("held-short",)),
        rule_of(shop, "Never push by force", near=("held-long",)),
        rule_of(shop, "Recurs", verdict=judged("recurring", since=40)),
        rule_of(shop, "Unmeasured"),
    )
    found = improve("budget", "--json", cwd=shop).json
    assert [(one["id"], one["kind"], one["command"]) for one in found["leave_first"]] == [
        ("never-met", "unexposed", "improve retire never-met"),
        ("keep-it-held-short", "duplicate", "improve merge held-short keep-it-held-short"),
        ("held-longer", "held", "improve resolve held-longer --prune"),
        ("held-long", "held", "improve resolve held-long --prune"),
    ]
    assert found["unmeasured"] == 3


def test_nothing_is_changed(improve: Improve, shop: Path, rules: Path) -> None:
    """Looking leaves every file as it was."""
    store(rules, shop, rule_of(shop, "Never met", verdict=judged("held", since=40, exposed=0)))
    improve("budget", cwd=shop)
    before = {path: path.read_bytes() for path in (rules, shop / "AGENTS.md")}
    improve("budget", cwd=shop)
    assert {path: path.read_bytes() for path in before} == before


def test_without_a_host_or_a_rule_it_says_so(improve: Improve, repository: Repository) -> None:
    """An empty machine is no error."""
    assert "No agent on this machine loads" in improve("budget", cwd=repository("empty")).out


def test_a_file_that_is_too_long_says_by_how_much(improve: Improve, shop: Path, rules: Path) -> None:
    """More lines than are advised are told as too many; of one beyond a cap the end is not read."""
    with (shop / "AGENTS.md").open("a", encoding="utf-8") as stream:
        stream.writelines(f"- Line {n} {'x' * 200}\n" for n in range(220))
    said = improve("budget", cwd=shop).out
    assert "23 too many of the 200 lines that are advised" in said
    assert "bytes more than the 32,768 that are read of all files of the project; its end is not read" in said
    assert "AGENTS.md  (Codex CLI)\n" in said


@pytest.mark.nightly
def test_ten_thousand_rules_are_no_matter(improve: Improve, shop: Path, rules: Path) -> None:
    """A large store is looked through in a moment, and what leaves first is the same."""
    lines = [f"Keep module {n} apart from the others" for n in range(10_000)]
    made = [rule_of(shop, text, verdict=judged("held", since=40)) for text in lines[:10]]
    rest = [Rule(f"r{n}", text, created="2026-01-01") for n, text in enumerate(lines[10:])]
    store(rules, shop, *made)
    with rules.open("a", encoding="utf-8") as stream:
        stream.writelines(entry.render(rule, "") for rule in rest)
    assert len(improve("budget", "--json", cwd=shop).json["leave_first"]) == 10
    improve("resolve", "--held")
    assert len(improve("resolve", "--json").json["in_archive"]) == 10
    improve("undo")
    assert improve("resolve", "--json").json["in_archive"] == []
