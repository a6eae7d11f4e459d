"""`verify`: what past sessions say of written rules, on real transcripts; what is kept of it, and what is shown."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve, Repository
from commands.proving import WRITTEN, aged, ago, seen_before
from commands.sessions import Claude, Codex

RULE, ID = "Use pnpm, never npm install", "use-pnpm-never-npm-install"
Sessions = Callable[..., list[Claude]]


@pytest.fixture
def shop(improve: Improve, repository: Repository, rules: Path, home: Path) -> Path:
    """A project whose AGENTS.md has the rule since 30 days, loaded by Claude Code."""
    (home / ".claude").mkdir()
    root = repository("shop", agents="# Shop\n")
    for _ in range(2):
        improve("observe", RULE, "--domain", "tool-usage", cwd=root)
    improve("escalate", "--apply", cwd=root)
    aged(rules, root / "AGENTS.md")
    seen_before(rules)
    return root


@pytest.fixture
def sessions(home: Path, shop: Path) -> Sessions:
    """Make sessions of Claude Code, one a day from so many days ago, in which packages are installed."""

    def make(
        count: int, *, first: float, name: str = "s", cwd: Path = shop, runs: str = "pnpm add zod"
    ) -> list[Claude]:
        made = []
        for number in range(count):
            session = Claude(home, cwd, f"{name}{number}", began=ago(first - number * 0.5))
            made.append(session.types("please install zod with pnpm").runs(runs).answers("Done."))
        return made

    return make


def proof(improve: Improve, *argv: str, code: int = 0) -> dict[str, Any]:
    """Verify the rule and give what is said of it."""
    found = improve("verify", *argv, "--json", code=code).json
    return next(rule for rule in found["rules"] if rule["id"] == ID)


def corrected(improve: Improve, shop: Path, made: list[Claude]) -> None:
    """Let a person correct the agent in some sessions."""
    for session in made:
        improve("observe", RULE, "--host", "claude-code", "--session", session.id, cwd=shop)


def test_a_rule_that_is_followed_in_many_sessions_held(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """Half of the sessions before had the mistake, none of forty since: held, with both numbers."""
    before = sessions(12, first=50, name="b")
    corrected(improve, shop, before[::2])
    sessions(40, first=25)
    found = proof(improve)
    assert (found["state"], found["before"], found["after"]) == (
        "held",
        {"exposed": 12, "failed": 6},
        {"exposed": 40, "failed": 0},
    )
    assert found["cause"] is None and found["fix"] is None


def test_a_rule_that_is_corrected_again_and_again_recurs(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """Corrections in most sessions since it was written: recurring, first in the table, with a cause and a command."""
    made = sessions(12, first=20)
    corrected(improve, shop, made[:8])
    found = proof(improve)
    assert (found["state"], found["after"]) == ("recurring", {"exposed": 12, "failed": 8})
    assert {slip["by"] for slip in found["slips"]} == {"correction"}
    assert found["cause"] and found["fix"]
    assert improve("verify").first.startswith(f"recurring        {ID}")


def test_a_verdict_from_too_little_is_none(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """Two sessions are no verdict, and the table says how many it takes."""
    sessions(2, first=20)
    assert proof(improve)["state"] == "not-enough-data"
    assert "2 of the 5 sessions that a verdict needs" in improve("verify").out


def test_a_rule_written_this_week_has_no_verdict(improve: Improve, shop: Path, sessions: Sessions, rules: Path) -> None:
    """However many sessions there are, seven days have to pass; the table says so."""
    aged(rules, shop / "AGENTS.md", days=3)
    sessions(20, first=2.9, runs="pnpm add a")
    assert proof(improve)["state"] == "not-enough-data"


def test_sessions_about_something_else_do_not_count(improve: Improve, shop: Path, home: Path) -> None:
    """A session in which nothing was installed is no proof that the rule works."""
    for number in range(9):
        session = Claude(home, shop, f"o{number}", began=ago(20 - number))
        session.types("what does this function return?").runs("cat main.c").answers("An int.")
    assert proof(improve)["after"] == {"exposed": 0, "failed": 0}


def test_sessions_of_another_project_do_not_count(
    improve: Improve, shop: Path, repository: Repository, sessions: Sessions
) -> None:
    """A rule of one project is not judged by what is done in another."""
    sessions(6, first=20, cwd=repository("blog"), name="other")
    assert proof(improve)["after"]["exposed"] == 0


def test_sessions_whose_host_had_not_loaded_the_file_are_no_proof_that_it_held(
    improve: Improve, shop: Path, sessions: Sessions
) -> None:
    """A CLAUDE.md beside it hides AGENTS.md from Claude Code: nothing there speaks for the rule."""
    (shop / "CLAUDE.md").write_text("# Claude\n")
    os.utime(shop / "CLAUDE.md", (ago(40).timestamp(),) * 2)
    sessions(40, first=25)
    found = proof(improve)
    assert (found["state"], found["after"]["exposed"]) == ("not-enough-data", 0)
    assert not any(session["loaded"] for session in found["sessions"])


def test_what_recurs_where_it_is_not_loaded_says_so(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """The same with corrections: it recurs, and the cause is that this host does not load the file."""
    (shop / "CLAUDE.md").write_text("# Claude\n")
    os.utime(shop / "CLAUDE.md", (ago(40).timestamp(),) * 2)
    made = sessions(12, first=20)
    corrected(improve, shop, made[:9])
    found = proof(improve)
    assert (found["state"], found["cause"]) == ("recurring", "not-loaded")


def test_a_line_of_the_persons_own_that_says_otherwise_is_the_cause(
    improve: Improve, shop: Path, sessions: Sessions
) -> None:
    """A contradicting line in a loaded file is quoted with its place."""
    agents = shop / "AGENTS.md"
    agents.write_bytes(agents.read_bytes() + b"- Always use npm install, never pnpm\n")
    os.utime(agents, (ago(WRITTEN).timestamp(),) * 2)
    corrected(improve, shop, sessions(12, first=20)[:9])
    found = proof(improve)
    assert found["cause"] == "contradicted"
    assert "Always use npm install" in found["detail"]


def test_a_session_that_began_before_the_rule_was_written_is_before(improve: Improve, shop: Path, home: Path) -> None:
    """The correction that led to the rule, and what went on in that session, is not held against it."""
    session = (
        Claude(home, shop, "across", began=ago(WRITTEN + 0.1)).types("install zod with pnpm").runs("npm install zod")
    )
    session.at = ago(WRITTEN - 1)
    session.runs("npm install left-pad")
    improve("observe", RULE, "--host", "claude-code", "--session", session.id, cwd=shop)
    found = proof(improve)
    assert found["slips"] == [] and found["before"] == {"exposed": 1, "failed": 1}


def test_the_verdict_is_kept_once(improve: Improve, shop: Path, sessions: Sessions, rules: Path) -> None:
    """The first run writes verdict and journal; the second finds nothing new, and no file changes."""
    corrected(improve, shop, sessions(12, first=20)[:8])
    improve("verify")
    assert re.search(r"verdict:\n +state: recurring", rules.read_bytes().decode())
    [event] = improve("log", "--limit", "1", "--json").json["events"]
    assert event["event"] == "verified" and event["verdicts"][0]["after"] == [12, 8]
    before = {path: path.read_bytes() for path in rules.parent.iterdir() if path.is_file()}
    assert "verdict: recurring, 8 of 12 sessions" in improve("history", ID).out
    said = improve("verify").out
    assert "0 transcripts read now" in said
    assert {path: path.read_bytes() for path in rules.parent.iterdir() if path.is_file()} == before


def test_part_of_the_history_is_shown_and_not_kept(
    improve: Improve, shop: Path, sessions: Sessions, rules: Path
) -> None:
    """`--since` looks only at later sessions, and the stored verdict stays what all of them say."""
    corrected(improve, shop, sessions(12, first=20)[-4:])
    before = rules.read_bytes()
    found = proof(improve, "--since", "17d")
    assert found["after"]["exposed"] < 12
    assert rules.read_bytes() == before


def test_one_rule_is_shown_with_what_is_behind_it(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """Named, a rule shows each slip with its day and words, and the sessions it was measured in."""
    corrected(improve, shop, sessions(12, first=20)[:8])
    said = improve("verify", ID).out
    assert said.count("correction  claude-code") == 8
    assert said.count(": slipped") == 8 and said.count(": fine") == 4
    assert "Looked at 12 sessions" in said


def test_an_unknown_rule_is_exit_code_7(improve: Improve, shop: Path) -> None:
    """An id that is none is said to be none."""
    improve("verify", "no-such-rule", code=7)


def test_without_a_written_rule_there_is_nothing_to_verify(improve: Improve, repository: Repository) -> None:
    """An empty store is no error, and says what was looked at all the same."""
    said = improve("verify", cwd=repository("empty")).out
    assert "No rule is written yet" in said and "Looked at 0 sessions" in said


def test_while_improve_is_off_nothing_is_read_or_kept(
    improve: Improve, shop: Path, sessions: Sessions, rules: Path
) -> None:
    """Off means off: no transcript is read, nothing is written, and the answer says why."""
    corrected(improve, shop, sessions(12, first=20)[:8])
    improve("off")
    before = rules.read_bytes()
    assert improve("verify").code == 0
    assert rules.read_bytes() == before


def test_status_names_what_recurs_first(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """After a verification `status` begins with the rule, how often and since when; so does the start of a session."""
    for rule in ("Keep functions short", "Name tests after behaviour"):
        for _ in range(4):
            improve("observe", rule, cwd=shop)
    corrected(improve, shop, sessions(12, first=20)[:8])
    improve("verify")
    said = improve("status", cwd=shop).out
    assert said.startswith(
        "Recurring (hard rules that are written and still not followed; why, and what helps: improve verify):"
    )
    assert f"recurring: 8 of 12 sessions since {ago(WRITTEN).date()}" in said
    assert "in 8 of 12 sessions since" in improve("status", "--host", "claude-code", cwd=shop).out
    assert improve("status", "--json", cwd=shop).json["rules"][0]["verdict"]["state"] == "recurring"


def test_the_scheduled_run_verifies_once_a_week(
    improve: Improve, shop: Path, sessions: Sessions, rules: Path, home: Path
) -> None:
    """The first scheduled run verifies, the second of the same week does not, and both say nothing."""
    sessions(6, first=20)
    assert improve("schedule", "--run").out == ""
    journal = home / ".agent-improvement" / "journal.jsonl"
    assert journal.read_bytes().count(b'"verified"') == 1
    improve("schedule", "--run")
    assert journal.read_bytes().count(b'"verified"') == 1
    lines = journal.read_bytes().decode().splitlines()
    event = json.loads(next(line for line in lines if '"verified"' in line))
    event["at"] = ago(8).isoformat()
    old = [json.dumps(event) if '"verified"' in line else line for line in lines]
    journal.write_bytes(("\n".join(old) + "\n").encode())
    improve("schedule", "--run")
    assert journal.read_bytes().count(b'"verified"') == 2


def test_the_scheduled_run_keeps_the_page_up_to_date(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """A page that somebody opened tells of the new verdicts; where nobody did, none is made."""
    from improve import clock
    from improve.workflow import delivering
    from improve.workflow.here import Here

    page = Path(delivering.own_place(Here.from_environment(os.environ, clock.now())))
    corrected(improve, shop, sessions(12, first=20)[:8])
    improve("report", "--open", cwd=shop)
    before = page.read_bytes()
    improve("schedule", "--run")
    assert page.read_bytes() != before
    page.unlink()
    (Path(os.environ["AGENT_IMPROVEMENT_HOME"]) / "journal.jsonl").unlink()
    improve("schedule", "--run")
    assert not page.exists()


def test_other_hosts_count_as_well(improve: Improve, repository: Repository, rules: Path, home: Path) -> None:
    """A session of Codex, which loads AGENTS.md, is as good as one of Claude Code."""
    root = repository("shop", agents="# Shop\n")
    for _ in range(2):
        improve("observe", "Answer in short sentences", "--domain", "communication", cwd=root)
    improve("escalate", "--apply", cwd=root)
    aged(rules, root / "AGENTS.md")
    seen_before(rules)
    for number in range(6):
        Codex(home, root, f"c{number}", began=ago(20 - number)).types("what is this?").answers("A shop.")
    [found] = improve("verify", "--json", cwd=root).json["rules"]
    assert found["after"]["exposed"] == 6


CHECK = "  check:\n    tool: shell\n    deny:\n    - npm install\n"


def with_check(rules: Path, more: str = "") -> None:
    """Give the rule a check, and a guard if one is given."""
    entry, mark, rest = rules.read_bytes().decode().partition("  written_to:")
    rules.write_bytes((entry + CHECK + more + mark + rest).encode())


def test_calls_that_a_check_hits_are_slips_nobody_has_to_report(
    improve: Improve, shop: Path, sessions: Sessions, rules: Path
) -> None:
    """With a check, the tool calls themselves tell: before and since, each session once, quoted."""
    with_check(rules)
    sessions(8, first=60, name="b", runs="npm install zod && npm install left-pad")
    sessions(4, first=28, name="fine")
    sessions(8, first=20, name="slips", runs="cd web && npm install zod")
    found = proof(improve)
    assert (found["before"], found["after"]) == ({"exposed": 8, "failed": 8}, {"exposed": 12, "failed": 8})
    assert {(slip["by"], "npm install zod" in slip["what"]) for slip in found["slips"]} == {("call", True)}
    assert found["state"] != "held"


def test_a_mention_of_the_command_is_no_slip(improve: Improve, shop: Path, sessions: Sessions, rules: Path) -> None:
    """A command that only speaks of the denied one counts for nothing."""
    with_check(rules)
    sessions(40, first=25, runs="pnpm add zod && echo 'not npm install'")
    found = proof(improve)
    assert (found["state"], found["after"]) == ("held", {"exposed": 40, "failed": 0})


def test_a_call_that_is_corrected_is_one_slip(improve: Improve, shop: Path, sessions: Sessions, rules: Path) -> None:
    """The call and the correction of one session are one mistake."""
    with_check(rules)
    made = sessions(6, first=20, runs="npm install zod")
    corrected(improve, shop, made)
    assert proof(improve)["after"] == {"exposed": 6, "failed": 6}
    assert len(proof(improve)["slips"]) == 6


def test_what_a_guard_met_is_a_slip(improve: Improve, shop: Path, sessions: Sessions, rules: Path, home: Path) -> None:
    """A firing in the journal counts, also for a session that left no transcript; one from before does not."""
    made = sessions(6, first=20)
    journal = home / ".agent-improvement" / "journal.jsonl"
    fired = {
        "v": 1,
        "event": "fired",
        "rules": [ID],
        "mode": "deny",
        "host": "claude-code",
        "project": "github.com/acme/shop",
    }
    with journal.open("a", encoding="utf-8") as stream:
        for session, days in ((made[0].id, 20), (made[0].id, 20), ("gone", 5), ("early", 60)):
            said = {"at": ago(days).isoformat(), "session": session, "what": "npm install zod"}
            stream.write(json.dumps({**fired, **said}) + "\n")
    found = proof(improve)
    assert found["after"] == {"exposed": 7, "failed": 2}
    assert {(slip["session"], slip["by"]) for slip in found["slips"]} == {(made[0].id, "guard"), ("gone", "guard")}


def test_a_rule_that_is_not_written_says_so(improve: Improve, repository: Repository) -> None:
    """Named although it stands nowhere, a rule has no verdict, and the table says that it is not written."""
    root = repository("shop")
    improve("observe", RULE, cwd=root)
    said = improve("verify", ID, cwd=root).out
    assert "not enough data" in said and "not written" in said


def test_a_rule_that_came_up_where_it_is_not_written_names_the_place(
    improve: Improve, shop: Path, repository: Repository, home: Path
) -> None:
    """Corrected in a project whose file does not have it: not written there, and the command that writes it."""
    blog = repository("blog")
    for number in range(2):
        session = (
            Claude(home, blog, f"blog{number}", began=ago(9 - number)).types("install zod").runs("npm install zod")
        )
        improve("observe", RULE, "--host", "claude-code", "--session", session.id, cwd=blog)
    found = proof(improve)
    assert (found["state"], found["cause"]) == ("not-enough-data", "not-written")
    assert "github.com/acme/blog" in found["detail"] and found["fix"] == f"improve escalate --apply {ID}"


def test_an_unreadable_transcript_is_named(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """What could not be read is part of the answer, and the rest counts."""
    made = sessions(3, first=20)
    made[0].path.unlink()
    made[0].path.mkdir()
    sessions(2, first=10, name="more")
    said = improve("verify").out
    assert "Looked at 4 sessions" in said


def test_nothing_stored_reaches_the_terminal_as_it_is(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """Escape sequences in what was said are shown, not sent."""
    made = sessions(6, first=20)
    improve("observe", RULE, "--host", "claude-code", "--session", made[0].id, "--context", "no! \x1b[2Jpnpm", cwd=shop)
    assert "\x1b" not in improve("verify", ID).out


def test_corrections_elsewhere_of_which_no_transcript_tells_are_no_proof_against_a_rule(
    improve: Improve, shop: Path, repository: Repository
) -> None:
    """A rule of one project that is asked for in another was not ignored there: it is not written for it."""
    blog = repository("blog")
    for number in range(9):
        improve("observe", RULE, "--host", "claude-code", "--session", f"gone{number}", cwd=blog)
    found = proof(improve)
    assert (found["state"], found["after"]) == ("not-enough-data", {"exposed": 0, "failed": 0})
    assert found["cause"] == "not-written" and "github.com/acme/blog" in found["detail"]


def test_a_project_that_was_renamed_keeps_its_sessions(improve: Improve, shop: Path, sessions: Sessions) -> None:
    """What was read under the old remote is told of the project by its new one: exposure, report and backtest."""
    sessions(12, first=20)
    before = proof(improve)
    subprocess.run(["git", "-C", shop, "remote", "set-url", "origin", "https://github.com/acme/store.git"], check=True)
    improve("observe", "Sort imports alphabetically", cwd=shop)
    assert proof(improve)["after"] == before["after"] == {"exposed": 12, "failed": 0}
    tried = improve("backtest", "--deny", "pnpm add", "--json").json["rules"][0]
    assert list(tried["projects"]) == ["github.com/acme/store"]
    told = improve("report", "--json", "--project", "store", cwd=shop).json
    assert told["total"]["messages"] == 12


def test_sessions_that_had_a_rule_before_it_was_promoted_are_not_those_before_it(
    improve: Improve, shop: Path, sessions: Sessions, repository: Repository
) -> None:
    """A rule that moves to the global file is measured anew; what was done under its old line is no `before`."""
    corrected(improve, shop, sessions(12, first=20)[:4])
    assert proof(improve)["after"] == {"exposed": 12, "failed": 4}
    blog = repository("blog", agents="# Blog\n")
    for _ in range(2):
        improve("observe", RULE, cwd=blog)
    improve("escalate", "--apply", cwd=shop)
    found = proof(improve)
    assert (found["before"], found["after"]) == ({"exposed": 0, "failed": 0}, {"exposed": 0, "failed": 0})


def test_a_damaged_ledger_is_found_and_put_aside(improve: Improve, shop: Path, sessions: Sessions, home: Path) -> None:
    """`doctor` names it, `doctor --fix` keeps it under another name, and the next run reads the transcripts anew."""
    sessions(12, first=20)
    proof(improve)
    [ledger] = home.rglob("ledger.db")
    data = bytearray(ledger.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    ledger.write_bytes(data)
    assert "the record of past sessions is damaged" in improve("doctor", code=5).out
    assert ledger.read_bytes() == data
    assert "is kept as" in improve("doctor", "--fix").out
    assert proof(improve)["after"]["exposed"] == 12


def test_what_held_before_its_lines_were_written_is_no_part_of_how_long_it_held(
    improve: Improve, shop: Path, sessions: Sessions, rules: Path
) -> None:
    """A verdict that is older than the lines it is about by now began to hold today, not back then."""
    corrected(improve, shop, sessions(12, first=50, name="b")[::2])
    sessions(40, first=25)
    old = f"  verdict:\n    state: held\n    at: {ago(35).isoformat()}\n    since: {ago(90).date()}\n"
    rules.write_text(rules.read_text(encoding="utf-8") + old, encoding="utf-8")
    assert proof(improve)["state"] == "held"
    assert str(ago(90).date()) not in rules.read_text(encoding="utf-8").partition("verdict:")[2]


def test_work_outside_of_any_project_is_named_so(improve: Improve, shop: Path, tmp_path: Path) -> None:
    """A correction in a directory of no project is no proof against a project's rule, and is told in words."""
    for number in range(3):
        improve("observe", RULE, "--host", "claude-code", "--session", f"x{number}", cwd=tmp_path)
    found = proof(improve)
    assert found["after"]["failed"] == 0 and "work outside of any project" in found["detail"]


def test_a_run_in_the_future_does_not_stop_the_weekly_ones(
    improve: Improve, shop: Path, sessions: Sessions, rules: Path
) -> None:
    """A clock that was once wrong wrote down a run of 2099: verdicts are kept all the same."""
    corrected(improve, shop, sessions(12, first=20)[:8])
    improve("verify")
    journal = rules.with_name("journal.jsonl")
    journal.write_text(re.sub(r'("at": ?")20\d\d', r"\g<1>2099", journal.read_text()))
    before, mark, verdict = rules.read_text(encoding="utf-8").partition("verdict:")
    rules.write_text(before + mark + re.sub(r'(at: "?)20\d\d', r"\g<1>2099", verdict), encoding="utf-8")
    assert "2099" in rules.read_text(encoding="utf-8") and "2099" in journal.read_text()
    improve("verify")
    assert "2099" not in rules.read_text(encoding="utf-8").partition("verdict:")[2]
