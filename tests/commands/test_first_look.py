"""first-look: what a newcomer corrected again and again, out of what is there already, and nothing is written."""

from __future__ import annotations

import io
import os
import re
import shlex
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from commands.sessions import PNPM, TABS, Claude, Codex, put

DATES = "No, that's wrong: write dates as ISO 8601, always."


@pytest.fixture
def places(repository: Repository) -> tuple[Path, Path]:
    """Make two real repositories."""
    return repository("shop"), repository("blog")


@pytest.fixture
def history(home: Path, places: tuple[Path, Path]) -> tuple[Path, Path]:
    """Give a person some history: one correction in four sessions of two agents and projects, another once."""
    shop, blog = places
    Claude(home, shop, "a").corrected("No, that's wrong: use pnpm, never npm.")
    Claude(home, blog, "b", began=datetime.now(UTC) - timedelta(days=400)).corrected("No! Use pnpm, never npm!")
    Codex(home, blog, "c").corrected("No, wrong. Use pnpm, never npm")
    Codex(home, shop, "d").corrected("That's wrong again: use pnpm, never npm.")
    Claude(home, shop, "e").corrected(TABS)
    return places


def seen(*roots: Path) -> dict[str, tuple[int, int, int]]:
    """Give everything below some directories, with what tells that somebody touched it."""
    found: dict[str, tuple[int, int, int]] = {}
    for root in roots:
        for path in (root, *root.rglob("*")):
            status = path.lstat()
            size = status.st_size if stat.S_ISREG(status.st_mode) else 0
            found[str(path)] = (status.st_mode, size, status.st_mtime_ns)
    return found


def test_what_was_corrected_again_comes_first(improve: Improve, history: tuple[Path, Path]) -> None:
    """How often, in how many projects, with how many agents, and the latest words with their dates and places."""
    said = improve("first-look").out
    lines = said.splitlines()
    assert lines[0].startswith("read 5 of 5 transcripts (10 messages, ")
    assert re.match(r"  1\. 4× in 4 sessions in 2 projects with 2 agents", lines[4]), said
    today = (datetime.now(UTC) - timedelta(days=2)).strftime("%Y-%m-")
    assert any(re.match(rf'     {today}\d\d  codex (shop|blog)  "', line) for line in lines)
    assert "     and 1 more, the first on " in said
    assert said.index("pnpm") < said.index("tabs")


def test_nothing_is_written_anywhere(
    improve: Improve, home: Path, history: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in the home, not in the projects, not a time: with and without a store, in text and in JSON."""
    monkeypatch.chdir(history[0])
    before = seen(home, *history)
    improve("first-look")
    improve("first-look", "--json")
    assert seen(home, *history) == before
    improve("observe", "Use pnpm, never npm")
    improve("scan")
    improve("inbox")
    before = seen(home, *history)
    improve("first-look")
    assert seen(home, *history) == before
    assert not (home / ".agent-improvement" / "crash").exists()


def test_a_store_that_changed_since_is_looked_at_without_writing(
    improve: Improve, home: Path, history: tuple[Path, Path], rules: Path
) -> None:
    """Where the index is behind the rules, no index is written for a look."""
    pasted = "- Use pnpm, never npm\n- Keep the lockfile in git, no exceptions"
    Claude(home, history[0], "z").types("please go on").answers("Done.").types(pasted).answers("Understood.")
    rules.parent.mkdir(mode=0o700)
    rules.write_text("version: 2\nrules:\n- id: x\n  rule: Use pnpm, never npm\n", encoding="utf-8")
    before = seen(home, *history)
    improve("first-look")
    assert seen(home, *history) == before


def test_the_next_commands_run_as_printed(
    improve: Improve, history: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line after `Next:` is a command that exists and does what its words say."""
    said = improve("first-look").out
    after = said.partition("Nothing was written. Next:\n")[2].splitlines()
    commands = [shlex.split(re.split(r"\s{3,}", line.strip())[0]) for line in after]
    assert [words[:2] for words in commands] == [["improve", "scan"], ["improve", "review"], ["improve", "install"]]
    improve(*commands[0][1:])
    assert improve("inbox", "--json").json["open"] >= 2
    monkeypatch.setattr("sys.stdin", io.StringIO("s\nq\n"))
    assert "1 skipped; " in improve(*commands[1][1:]).out
    improve(*commands[2][1:], "--help")


def test_only_what_is_asked_for(improve: Improve, history: tuple[Path, Path]) -> None:
    """--since, --host and --limit."""
    told = improve("first-look", "--since", "30d", "--json").json
    assert told["corrected"][0]["sessions"] == 3
    assert told["coverage"]["read"] == 4 or told["coverage"]["read"] == 5
    told = improve("first-look", "--host", "codex", "--json").json
    assert {one["host"] for each in told["corrected"] for one in each["said"]} == {"codex"}
    said = improve("first-look", "--limit", "1").out
    assert "tabs" not in said
    assert re.search(r"and 1 more: --limit 2", said)
    improve("first-look", "--host", "emacs", code=2)


def test_json_has_one_shape(improve: Improve, home: Path, history: tuple[Path, Path]) -> None:
    """The words behind each group, with where, when and how sure; ASCII."""
    Claude(home, history[0], "zh").types("x").runs("npm i", refused="以后都用 pnpm，不要用 npm")
    said = improve("first-look", "--json")
    assert said.out.isascii()
    told = said.json
    assert set(told) == {"improve", "command", "coverage", "corrected", "asked"}
    for each in told["corrected"]:
        assert set(each) == {"rule", "sessions", "projects", "hosts", "said"}
        for one in each["said"]:
            assert {"at", "host", "session", "project", "signal", "tier", "words", "did"} <= set(one)
    assert told["corrected"][0]["projects"] == 2


def test_an_instruction_asked_again_is_shown_apart(improve: Improve, home: Path, places: tuple[Path, Path]) -> None:
    """What several sessions asked for is no correction and has its own list."""
    for number, place in enumerate((*places, *places)):
        session = Claude(home, place, f"s{number}")
        session.types("Add a changelog entry for the parser with a link").answers("Done.")
    said = improve("first-look").out
    assert "Asked again, the most worth a rule first:" in said
    assert '"Add a changelog entry for the parser with a link"' in said
    told = improve("first-look", "--json").json["asked"]
    assert [(each["sessions"], each["projects"]) for each in told] == [(4, 2)]


def test_the_same_words_are_shown_once(improve: Improve, home: Path, places: tuple[Path, Path]) -> None:
    """Each wording has one line, its latest; what was said once is `once`."""
    for number in range(3):
        Claude(home, places[0], f"s{number}").corrected(PNPM)
    Claude(home, places[1], "t").corrected(DATES)
    said = improve("first-look").out
    assert said.count(f'"{PNPM}"') == 1
    assert "     and 2 more, the first on " in said
    assert re.search(r"^  2\. once", said, re.M), said
    assert "1× in 1 session" not in said


def test_what_is_a_rule_already_says_so(improve: Improve, history: tuple[Path, Path]) -> None:
    """A second look after a rule was made tells which of the findings it answers."""
    assert "a rule already" not in improve("first-look").out
    improve("observe", "Use pnpm, never npm")
    said = improve("first-look").out
    assert said.count("     a rule already: use-pnpm-never-npm\n") == 1
    assert said.index("a rule already") < said.index("  2. ")


def test_copies_are_not_counted_twice(improve: Improve, home: Path, places: tuple[Path, Path]) -> None:
    """A resumed session that repeats everything is no second session that was corrected."""
    session = Claude(home, places[0]).corrected(DATES)
    copy = session.path.with_name("11111111-1111-4111-8111-111111111111.jsonl")
    copy.write_bytes(session.path.read_bytes().replace(session.id.encode(), copy.stem.encode()))
    told = improve("first-look", "--json").json["corrected"]
    assert [each["sessions"] for each in told if DATES in str(each)] in ([1], [])


def test_a_machine_without_history_is_told_what_to_do(improve: Improve, home: Path) -> None:
    """One line, and nothing is made."""
    before = seen(home)
    said = improve("first-look").out
    assert said == (
        "read 0 of 0 transcripts\n\nNo correction was found. It is heard from now on with: improve install\n"
    )
    assert seen(home) == before


def test_what_is_off_is_not_shown(improve: Improve, home: Path, places: tuple[Path, Path]) -> None:
    """A project that is switched off is not looked into."""
    shop, blog = places
    for number in range(2):
        Claude(home, shop, f"s{number}").corrected(DATES)
        Claude(home, blog, f"b{number}").corrected(TABS)
    improve("off", "--project", cwd=shop)
    said = improve("first-look", cwd=blog).out
    assert "ISO 8601" not in said
    assert "tabs" in said


def test_words_of_others_are_shown_as_data(improve: Improve, home: Path, places: tuple[Path, Path]) -> None:
    """Escape sequences and line ends cannot leave the quotation."""
    for number in range(2):
        text = "No, that's wrong: \x1b[31mnever\x1b[0m use \u202emocks\n\nNothing was written. Next:\n  rm -rf /"
        Claude(home, places[0], f"s{number}").types("x").runs("npm i", refused=text)
    said = improve("first-look").out
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "\n  rm -rf /" not in said


def test_recorded_history_of_several_agents(improve: Improve, home: Path, places: tuple[Path, Path]) -> None:
    """The same wish to two real programs is one group."""
    put(home, "copilot/tui-deny.events.jsonl", ".copilot/session-state/5f1c/events.jsonl", places[0])
    put(home, "qwen/tui-deny.jsonl", ".qwen/projects/x/chats/a.jsonl", places[1])
    name = "2e0b3bde-e80e-446d-9a8a-0ce050e6bff2.jsonl"
    put(home, "claude-code/2.1.332/tui-denials-question-queued.jsonl", f".claude/projects/-x/{name}", places[0])
    told = improve("first-look", "--json").json
    assert told["coverage"]["unreadable"] == []
    uv = [each for each in told["corrected"] if "we use uv here, never pip" in {one["words"] for one in each["said"]}]
    assert [each["hosts"] > 1 for each in uv] == [True]
    assert os.path.lexists(home / ".agent-improvement") is False
    assert PNPM not in str(told)


def test_what_is_no_project_is_no_second_one(improve: Improve, home: Path, places: tuple[Path, Path]) -> None:
    """A directory that is gone, or in no repository, adds a session and no project."""
    Claude(home, places[0], "a").corrected(PNPM)
    Claude(home, "/gone/elsewhere", "b").corrected(PNPM)
    told = improve("first-look", "--json").json["corrected"][0]
    assert (told["sessions"], told["projects"]) == (2, 1)


def test_it_says_that_it_is_off(improve: Improve, home: Path, places: tuple[Path, Path]) -> None:
    """Where nothing is read, it does not say that nothing was found."""
    Claude(home, places[0], "a").corrected(PNPM)
    improve("off")
    assert "improve on" in improve("first-look", code=3).err
