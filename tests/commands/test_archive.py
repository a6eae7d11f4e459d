"""`resolve`, `restore` and what brings a rule back: nothing is lost, doubled, or done without a word."""

from __future__ import annotations

import json
import os
from datetime import date, timedelta
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from improve.cli import run
from improve.workflow import archive

PNPM, DOCKER = "Use pnpm, never npm install", "Mount the docker socket read-only"
PNPM_ID, DOCKER_ID = "use-pnpm-never-npm-install", "mount-the-docker-socket-read-only"


def ago(days: int) -> str:
    """Give a day so long ago."""
    return str(date.today() - timedelta(days=days))


def judged(
    rules: Path, rule_id: str, state: str = "held", *, since: int = 40, exposed: int = 9, measured: int = 1
) -> None:
    """Type a verdict into the entry of a rule, as verify would write it."""
    before, mark, rest = rules.read_text(encoding="utf-8").partition(f"- id: {rule_id}\n")
    entry, following, later = rest.partition("\n- id:")
    said = f"  verdict:\n    state: {state}\n"
    said += f"    at: {ago(measured)}T10:00:00+00:00\n    since: {ago(since)}\n    exposed: {exposed}\n"
    rules.write_text(
        before + mark + entry.rstrip("\n") + "\n" + said.rstrip("\n") + (following or "\n") + later, encoding="utf-8"
    )


@pytest.fixture
def shelf(home: Path) -> Path:
    """The archive.yaml of the fenced store."""
    return home / ".agent-improvement" / "archive.yaml"


@pytest.fixture
def shop(improve: Improve, repository: Repository, rules: Path) -> Path:
    """A project with two written rules, of which the first has held for 40 days."""
    root = repository("shop", agents="# Shop\n")
    for rule in (PNPM, DOCKER):
        improve("observe", rule, "--domain", "tool-usage", cwd=root)
        improve("observe", rule, "--domain", "tool-usage", cwd=root)
    improve("escalate", "--apply", cwd=root)
    judged(rules, PNPM_ID)
    return root


def active(improve: Improve, shop: Path) -> set[str]:
    """Name the rules of the active set."""
    return {rule["id"] for rule in improve("status", "--json", "--budget", "0", cwd=shop).json["rules"]}


def test_what_has_held_for_thirty_days_is_proposed_and_nothing_else(improve: Improve, shop: Path) -> None:
    """`resolve` without an id names the rule, its days and the command, and changes nothing."""
    said = improve("resolve").out
    assert f"held for 40 days  {PNPM_ID}" in said and DOCKER_ID not in said
    assert f"improve resolve {PNPM_ID}" in said
    assert active(improve, shop) == {PNPM_ID, DOCKER_ID}
    assert [r["days"] for r in improve("resolve", "--json").json["due"]] == [40]


def test_an_archived_rule_keeps_its_evidence_and_its_line(
    improve: Improve, shop: Path, rules: Path, shelf: Path
) -> None:
    """The entry moves as it stands, byte for byte; the line in the instruction file goes on doing its work."""
    entry = archive_entry(rules, PNPM_ID)
    agents = (shop / "AGENTS.md").read_bytes()
    assert f"Archived: {PNPM_ID}" in improve("resolve", PNPM_ID).out
    assert active(improve, shop) == {DOCKER_ID}
    assert archive_entry(shelf, PNPM_ID) == entry
    assert PNPM_ID not in rules.read_text(encoding="utf-8")
    assert (shop / "AGENTS.md").read_bytes() == agents


def archive_entry(path: Path, rule_id: str) -> str:
    """Cut one entry out of a file."""
    rest = path.read_text(encoding="utf-8").partition(f"- id: {rule_id}\n")[2]
    return rest.partition("\n- id:")[0].rstrip("\n")


def test_undo_brings_both_files_back_byte_for_byte(improve: Improve, shop: Path, rules: Path, shelf: Path) -> None:
    """After `undo` rules.yaml and the instruction file are what they were, and the archive has no copy."""
    rules.write_text(
        rules.read_text(encoding="utf-8").replace(f"- id: {DOCKER_ID}", f"# mine: of docker\n- id: {DOCKER_ID}"),
        encoding="utf-8",
    )
    before, agents = rules.read_bytes(), (shop / "AGENTS.md").read_bytes()
    improve("resolve", PNPM_ID, "--prune")
    assert (shop / "AGENTS.md").read_bytes() != agents
    improve("undo")
    assert (rules.read_bytes(), (shop / "AGENTS.md").read_bytes()) == (before, agents)
    assert PNPM_ID not in shelf.read_text(encoding="utf-8")
    assert improve("resolve", "--json").json["in_archive"] == []


def test_prune_removes_our_line_and_no_other(improve: Improve, shop: Path) -> None:
    """`--prune` shows the diff and takes our bullet out; the other rule's stays."""
    said = improve("resolve", PNPM_ID, "--prune").out
    assert f"-- {PNPM}" in said
    text = (shop / "AGENTS.md").read_text()
    assert PNPM not in text and DOCKER in text


def test_prune_leaves_a_line_that_somebody_edited(improve: Improve, shop: Path, shelf: Path) -> None:
    """A reworded bullet is a person's: it stays, the answer says so, and the archive still knows the place."""
    agents = shop / "AGENTS.md"
    agents.write_text(agents.read_text().replace(PNPM, PNPM + ", ever"))
    said = improve("resolve", PNPM_ID, "--prune").out
    assert "stays: it does not stand there as we wrote it" in said
    assert PNPM + ", ever" in agents.read_text()
    assert str(agents) in shelf.read_text(encoding="utf-8")


def test_what_still_recurs_is_refused(improve: Improve, shop: Path, rules: Path) -> None:
    """A recurring rule is not archived, named or not; exit code 3 and the command that sets it aside."""
    judged(rules, DOCKER_ID, "recurring")
    assert f"improve retire {DOCKER_ID}" in improve("resolve", DOCKER_ID, code=3).err
    improve("resolve", "--held")
    assert active(improve, shop) == {DOCKER_ID}


def test_a_guarded_rule_is_refused(improve: Improve, shop: Path, rules: Path) -> None:
    """What a guard enforces stays, for archiving would end that without a word."""
    rules.write_text(
        rules.read_text(encoding="utf-8").replace(
            "  verdict:", "  check:\n    tool: shell\n    deny:\n    - npm install\n  guard: deny\n  verdict:"
        ),
        encoding="utf-8",
    )
    assert "Turn it off first" in improve("resolve", PNPM_ID, code=3).err
    assert improve("resolve", "--json").json["due"] == []


def test_a_rule_without_proof_is_archived_with_a_word(improve: Improve, shop: Path) -> None:
    """A person may archive what was never measured; the answer says that nothing was proved."""
    assert "without proof that it held" in improve("resolve", DOCKER_ID).out


@pytest.mark.parametrize("words", [PNPM, "use pnpm, never `npm install`!"])
def test_a_new_correction_brings_an_archived_rule_back(
    improve: Improve, shop: Path, rules: Path, shelf: Path, words: str
) -> None:
    """Saying it again restores the rule with all its evidence and one occasion more, and says so."""
    improve("resolve", PNPM_ID)
    said = improve("observe", words, cwd=shop).out
    assert f"{PNPM_ID} is back from the archive" in said
    found = next(r for r in improve("status", "--json", cwd=shop).json["rules"] if r["id"] == PNPM_ID)
    assert found["count"] == 3 and found["confirmed"]
    assert PNPM_ID not in shelf.read_text(encoding="utf-8")
    assert "verdict" not in archive_entry(rules, PNPM_ID)


def test_another_correction_leaves_the_archive_alone(improve: Improve, shop: Path, shelf: Path) -> None:
    """A rule that says something else becomes one of its own."""
    improve("resolve", PNPM_ID)
    before = shelf.read_bytes()
    improve("observe", "Use tabs in Makefiles", cwd=shop)
    assert shelf.read_bytes() == before
    assert PNPM_ID not in active(improve, shop)


def test_the_id_of_an_archived_rule_can_be_named(improve: Improve, shop: Path) -> None:
    """`observe --same-as` with an archived id brings that rule back."""
    improve("resolve", PNPM_ID)
    assert "is back from the archive" in improve("observe", "no npm please", "--same-as", PNPM_ID, cwd=shop).out


def test_restore_brings_a_rule_back_and_undo_archives_it_again(
    improve: Improve, shop: Path, rules: Path, shelf: Path
) -> None:
    """`restore` needs no new occasion; `undo` of it puts the same bytes into the archive."""
    improve("resolve", PNPM_ID)
    archived, left = shelf.read_bytes(), rules.read_bytes()
    assert "out of the archive" in improve("restore", PNPM_ID).out
    assert active(improve, shop) == {PNPM_ID, DOCKER_ID}
    improve("undo")
    assert (rules.read_bytes(), archive_entry(shelf, PNPM_ID)) == (
        left,
        archived.decode().partition(f"- id: {PNPM_ID}\n")[2].rstrip("\n"),
    )


def test_restore_of_what_is_nowhere_says_so(improve: Improve, shop: Path) -> None:
    """An id that neither file has is exit code 7."""
    improve("restore", "no-such-rule", code=7)


def test_a_kill_between_the_two_files_loses_and_doubles_nothing(
    improve: Improve, shop: Path, rules: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the rule in both files it is active once; the next resolve moves it, and the archive has it once."""
    before = rules.read_bytes()
    improve("resolve", PNPM_ID)
    rules.write_bytes(before)  # as if the kill had come right after the archive was written
    assert active(improve, shop) == {PNPM_ID, DOCKER_ID}
    assert improve("resolve", "--json").json["in_archive"] == []
    assert "back from the archive" not in improve("observe", PNPM, cwd=shop).out
    improve("resolve", PNPM_ID)
    assert shelf.read_text(encoding="utf-8").count(f"- id: {PNPM_ID}\n") == 1
    assert PNPM_ID not in rules.read_text(encoding="utf-8")


def test_a_failure_of_the_second_file_leaves_the_first_one_harmless(
    improve: Improve, shop: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When rules.yaml cannot be written the instruction file has its line again and the rule is active."""
    from improve import files

    agents, real = (shop / "AGENTS.md").read_bytes(), files.replace

    def failing(snapshot: files.Snapshot, *args: object, **named: object) -> object:
        if snapshot.path == str(rules):
            raise OSError(28, "No space left on device", str(rules))
        return real(snapshot, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "replace", failing)
    assert run(["resolve", PNPM_ID, "--prune"]) == 5
    monkeypatch.setattr(files, "replace", real)
    assert (shop / "AGENTS.md").read_bytes() == agents
    assert active(improve, shop) == {PNPM_ID, DOCKER_ID}


def test_an_archive_edited_by_hand_stays_as_it_is_typed(improve: Improve, shop: Path, shelf: Path, rules: Path) -> None:
    """Comments, keys of one's own and another indent survive the next rule that comes in, and the one that leaves."""
    mine = (
        "# my archive\nversion: 2\nrules:\n  # an old friend\n  - id: old-friend\n    rule: 'Water the plants'\n"
        "    domain: unknown\n    mood: fine\n    observations: []\n"
    )
    shelf.write_text(mine, encoding="utf-8")
    improve("resolve", PNPM_ID)
    assert shelf.read_text(encoding="utf-8").startswith(mine)
    improve("restore", PNPM_ID)
    assert shelf.read_text(encoding="utf-8") == mine
    assert "is back" in improve("observe", "Water the plants", cwd=shop).out
    assert "mood: fine" in rules.read_text(encoding="utf-8")


def test_a_broken_archive_is_named_with_its_line_and_nothing_is_written_over_it(
    improve: Improve, shop: Path, shelf: Path, rules: Path
) -> None:
    """Exit code 6 for what needs the archive; recording goes on without it."""
    shelf.write_text("version: 2\nrules:\n- id: x\n  rule: [unclosed\n", encoding="utf-8")
    before, store = shelf.read_bytes(), rules.read_bytes()
    said = improve("resolve", PNPM_ID, code=6).err
    assert "archive.yaml" in said and "line" in said and "doctor --fix" not in said
    assert (shelf.read_bytes(), rules.read_bytes()) == (before, store)
    improve("observe", "Use tabs in Makefiles", cwd=shop)
    improve("observe", "no npm", "--same-as", PNPM_ID, cwd=shop)
    assert shelf.read_bytes() == before


def test_nothing_is_archived_while_improve_is_off(improve: Improve, shop: Path, shelf: Path) -> None:
    """Off means off: exit code 3 and no archive."""
    improve("off")
    improve("resolve", "--held", code=3)
    assert not shelf.exists()


def test_the_journal_tells_of_it(improve: Improve, shop: Path) -> None:
    """`log` shows that a rule was archived, and the record of it can be undone by its change."""
    improve("resolve", PNPM_ID)
    [event] = improve("log", "--limit", "1", "--json").json["events"]
    assert (event["event"], event["rules"]) == ("archived", [PNPM_ID])


def test_evidence_that_is_read_anew_brings_nothing_back(improve: Improve, shop: Path, home: Path) -> None:
    """An observation that an archived rule has already is known by its identity: a second reading counts nothing."""
    improve("resolve", PNPM_ID)
    journal = (home / ".agent-improvement" / "journal.jsonl").read_text().splitlines()
    first = next(json.loads(line) for line in journal if '"observed"' in line)
    from improve import clock, spool
    from improve.workflow.here import Here

    here = Here.from_environment(os.environ, clock.now())
    old = spool.Pending(oid=first["observations"][0]["oid"], at=ago(50) + "T10:00:00+00:00", date=ago(50), text=PNPM)
    spool.put(here.home.spool, old)
    assert active(improve, shop) == {DOCKER_ID}
    early = old._replace(oid="another0now1", project="github.com/acme/shop")
    spool.put(here.home.spool, early)
    assert active(improve, shop) == {DOCKER_ID}
    kept = archive.find(here, PNPM_ID)
    assert kept is not None and len(kept.observations) == 3


_OLD = "- id: old-friend\n  rule: Water the plants\n  domain: unknown\n  observations: []\n"


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "# only a comment\n",
        "version: 2\nrules: []\n",
        "version: 2\nrules:\n" + _OLD,
        "version: 2\nrules:\n" + _OLD + "# the end\n",
        ("version: 2\nrules:\n" + _OLD).replace("\n", "\r\n"),
        "version: 1\nrules:\n" + _OLD,
        "version: 2\nrules:\n" + _OLD + "mine:\n  keep: this\n",
    ],
    ids=["empty", "comment", "no rule", "one rule", "comment behind", "CRLF", "version 1", "key behind"],
)
def test_any_archive_takes_a_rule_and_gives_it_back(
    improve: Improve, shop: Path, shelf: Path, rules: Path, typed: str
) -> None:
    """Whatever its shape, the archive keeps each line a person typed, and rules.yaml is what it was after `undo`."""
    shelf.write_bytes(typed.encode())
    before = rules.read_bytes()
    improve("resolve", PNPM_ID)
    told = shelf.read_bytes().decode()
    lines = [line for line in typed.splitlines() if line not in ("rules: []", "version: 1")]
    assert [line for line in lines if line not in told.splitlines()] == []
    assert ("\r\n" in told) == ("\r\n" in typed) and told.replace("\r\n", "").count("\r") == 0
    assert PNPM_ID in improve("resolve").out
    improve("undo")
    assert rules.read_bytes() == before
    assert PNPM_ID not in shelf.read_bytes().decode()


def test_several_rules_go_and_come_back_together(improve: Improve, shop: Path, rules: Path, shelf: Path) -> None:
    """One change set moves all that are due, and one `undo` brings them back in their order."""
    judged(rules, DOCKER_ID, since=50)
    before = rules.read_bytes()
    assert improve("resolve", "--held", "--json").json["archived"] == [PNPM_ID, DOCKER_ID]
    assert active(improve, shop) == set()
    improve("undo")
    assert rules.read_bytes() == before
    assert active(improve, shop) == {PNPM_ID, DOCKER_ID}
    improve("observe", "Use tabs in Makefiles", cwd=shop)
    before = rules.read_bytes()
    improve("resolve", "--held")
    improve("undo")
    assert rules.read_bytes() == before


def test_an_archived_rule_can_come_back_from_a_transcript(
    improve: Improve, shop: Path, home: Path, shelf: Path
) -> None:
    """A correction that a scan finds brings the rule back as well, without anybody recording it."""
    from commands.sessions import Claude

    improve("resolve", PNPM_ID)
    Claude(home, shop, "later").types("install zod").runs("npm install zod").types(f"No. {PNPM}!").answers("Sure.")
    rules = shelf.read_bytes().decode().replace(f"at: {ago(1)}", f"at: {ago(5)}")
    shelf.write_bytes(rules.encode())
    improve("scan", "--since", "30d")
    assert PNPM_ID in active(improve, shop)
    assert PNPM_ID not in shelf.read_bytes().decode()


_LINTER = "Run the whole linter with every plugin before you commit anything to the repository of"


def test_a_new_rule_never_takes_the_id_of_an_archived_one(improve: Improve, shop: Path, shelf: Path) -> None:
    """Two rules whose ids would be alike keep their own, so that archiving the second loses nothing of the first."""
    for whose in ("customers", "suppliers"):
        improve("observe", f"{_LINTER} {whose}", "--new", cwd=shop)
        [rule] = [r for r in improve("status", "--json", "--all", cwd=shop).json["rules"] if whose in r["rule"]]
        improve("resolve", rule["id"])
    assert all(f"{_LINTER} {whose}" in shelf.read_text(encoding="utf-8") for whose in ("customers", "suppliers"))


def test_an_id_that_was_typed_over_an_archived_one_is_refused(
    improve: Improve, shop: Path, rules: Path, shelf: Path
) -> None:
    """Somebody gave a rule the id of an archived one: nothing is replaced, and what to do is said."""
    improve("resolve", PNPM_ID)
    rules.write_text(rules.read_text(encoding="utf-8").replace(DOCKER_ID, PNPM_ID), encoding="utf-8")
    before = shelf.read_bytes(), rules.read_bytes()
    assert "another rule with the id" in improve("resolve", PNPM_ID, code=3).err
    assert (shelf.read_bytes(), rules.read_bytes()) == before


def test_undo_keeps_what_came_to_the_archive_meanwhile(improve: Improve, shop: Path, shelf: Path, rules: Path) -> None:
    """Old evidence that was added to an archived rule, and what a person typed there, come back with it."""
    from improve import clock, spool
    from improve.workflow.here import Here

    improve("resolve", PNPM_ID)
    home = Here.from_environment(os.environ, clock.now()).home
    at = {"at": ago(50) + "T10:00:00+00:00", "date": ago(50)}
    spool.put(home.spool, spool.Pending(oid="another0now1", text=PNPM, project="github.com/acme/shop", **at))
    improve("status")
    shelf.write_text(shelf.read_text(encoding="utf-8").replace(PNPM, f"{PNPM}, please"), encoding="utf-8")
    improve("undo")
    told = rules.read_text(encoding="utf-8")
    assert "another0now1" in told and f"{PNPM}, please" in told


def test_doctor_names_the_line_of_a_broken_archive(improve: Improve, shop: Path, shelf: Path) -> None:
    """A whole one is well; a broken one is told with its line, and left as it is, with `--fix` too."""
    improve("resolve", PNPM_ID)
    assert "archive.yaml: 1 archived rules" in improve("doctor").out
    shelf.write_text(shelf.read_text(encoding="utf-8") + "rules: [\n", encoding="utf-8")
    line, before = len(shelf.read_text(encoding="utf-8").splitlines()), shelf.read_bytes()
    for argv in (("doctor",), ("doctor", "--fix")):
        said = improve(*argv, code=6).out
        assert "archive.yaml: line" in said and f"line {line}" in said
    assert shelf.read_bytes() == before


def test_what_was_measured_long_ago_is_not_archived_by_itself(improve: Improve, shop: Path, rules: Path) -> None:
    """Held since 90 days, last measured 60 days ago: not due; who names it is told."""
    judged(rules, DOCKER_ID, since=90, measured=60)
    assert improve("resolve", "--held", "--json").json["archived"] == [PNPM_ID]
    assert "was not measured for 14 days" in improve("resolve", DOCKER_ID).out


def test_undo_of_an_archived_rule_that_came_back_by_itself(improve: Improve, shop: Path, rules: Path) -> None:
    """It keeps its new evidence and gets its line back; nothing stands in the way of earlier change sets."""
    agents = (shop / "AGENTS.md").read_bytes()
    improve("resolve", PNPM_ID, "--prune")
    improve("observe", PNPM, cwd=shop)
    assert "was there again already" in improve("undo").out
    assert (shop / "AGENTS.md").read_bytes() == agents
    [rule] = [r for r in improve("status", "--json", "--all", cwd=shop).json["rules"] if r["id"] == PNPM_ID]
    assert rule["count"] == 3 and "path: " in archive_entry(rules, PNPM_ID)
    improve("undo")
    assert b"pnpm" not in (shop / "AGENTS.md").read_bytes()


def test_seeding_the_file_in_which_the_line_of_an_archived_rule_stays_makes_no_second_rule(
    improve: Improve, shop: Path
) -> None:
    """The line is passed over with its number and the command that brings the rule back."""
    improve("resolve", PNPM_ID)
    said = improve("seed", "--from-agents-md", str(shop / "AGENTS.md"), cwd=shop).out
    assert f"improve restore {PNPM_ID}" in said and "Seeded 0 rules" in said
    assert active(improve, shop) == {DOCKER_ID}
