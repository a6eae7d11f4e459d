"""What an agent is told when a session starts: nothing untrue, nothing lost without a word, within its cap."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.commands.conftest import Improve, Repository

from improve import cue
from improve.rule import Observation, Rule, Written
from improve.stamp import STAMP
from improve.workflow import brief

TABS = "Use tabs"


def told(improve: Improve, root: Path, host: str = "codex") -> str:
    """Give what `status --host` says."""
    return improve("status", "--host", host, cwd=root).out


def store(rules: Path, *texts: str) -> None:
    """Write a rules.yaml by hand, the most needed rule first."""
    rules.parent.mkdir(parents=True, exist_ok=True)
    entries = [
        f"- id: r{n}\n  rule: {json.dumps(text)}\n  domain: unknown\n  observations:\n"
        f"  - {{project: github.com/acme/shop, date: '2026-01-{28 - n:02}'}}\n"
        f"  last_reinforced: '2026-01-{28 - n:02}'\n"
        for n, text in enumerate(texts)
    ]
    rules.write_text("version: 2\nrules:\n" + "".join(entries), encoding="utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "- Use tabs", "* Use tabs.", "1. Use tabs", "- **Use tabs**", "- [ ] Use tabs", "Be brief. Use tabs. Test it.",
        "- Use\n  tabs", "> Use tabs!", "| Use tabs | always |",
    ],
)  # fmt: skip
def test_a_rule_that_a_file_says_is_not_repeated(
    improve: Improve, repository: Repository, rules: Path, line: str
) -> None:
    """As a bullet, wrapped, emphasized, in a table or as a sentence among others, it is loaded already."""
    store(rules, TABS)
    assert TABS not in told(improve, repository("shop", agents=f"# shop\n\n{line}\n"))


@pytest.mark.parametrize(
    "line",
    ["- Use tabs in Makefiles only", "- Never: Use tabs", "- Use tabs-vs-spaces.nvim", "- Use tabs.nvim",
     "Never\nUse tabs", "- Use\n- tabs", "- Use tabs, but never in YAML"],
)  # fmt: skip
def test_a_part_of_another_rule_is_no_rule(improve: Improve, repository: Repository, rules: Path, line: str) -> None:
    """A file that says more, less or the opposite with the same words does not say the rule, so it is told."""
    store(rules, TABS)
    assert f"- {TABS} (said once" in told(improve, repository("shop", agents=f"# shop\n\n{line}\n"))


def test_a_long_rule_does_not_keep_out_the_others(improve: Improve, repository: Repository, rules: Path) -> None:
    """One that finds no room leaves it to the next; that there are more is said, and not how needed they are."""
    store(rules, "Run " + "very " * 90 + "long tests", TABS, "x" * 600)
    improve("config", "set", "brief_characters", "500")
    said = told(improve, repository("shop"))
    assert f"- {TABS} (said once" in said
    assert said.endswith("\nMore rules apply here: improve status\n")
    assert "less often" not in said
    assert len(said) <= 500


def test_rules_that_nobody_can_read_aloud_are_not_passed_over_in_silence(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """Where all that applies is a paragraph, the agent is told where to look."""
    store(rules, "x" * 600)
    assert told(improve, repository("shop")) == "improve-rules v1\nMore rules apply here: improve status\n"


def test_a_seeded_rule_was_not_said(improve: Improve, repository: Repository) -> None:
    """A line taken over from a file is no correction of anybody: only its day is given."""
    root = repository("shop", agents="- Use tabs\n")
    improve("seed", "--from-agents-md", str(root / "AGENTS.md"), cwd=root)
    (root / "AGENTS.md").unlink()
    said = told(improve, root)
    assert f"- {TABS} (since 20" in said


WRITTEN = Written("/p/AGENTS.md", "2026-05-04", text="Use tabs", at="2026-05-04T12:00:00+02:00")


def seen(day: str, at: str = "", session: str = "") -> Observation:
    """Make an observation of one host."""
    return Observation("p", day, at=at, host="codex", session=session)


def at(hour: str, session: str) -> Observation:
    """Make an observation on the day the rule was written."""
    return seen("2026-05-04", f"2026-05-04T{hour}:00:00+02:00", session)


@pytest.mark.parametrize(
    ("observed", "times"),
    [
        ([seen("2026-05-05")], 1),
        ([seen("2026-05-04")], 0),
        ([seen("2026-05-03")], 0),
        ([seen("2026-05-04", "2026-05-04T12:00:01+02:00")], 1),
        ([seen("2026-05-04", "2026-05-04T11:00:00+01:00")], 0),
        ([seen("2026-05-04", "2026-05-04T06:30:00-04:00")], 1),
        ([at("09", "s"), at("13", "s")], 0),
        ([at("13", "s"), at("14", "s")], 1),
        ([seen("2026-05-04", "noon")], 0),
        ([seen("2026-05-05", "2026-05-05T01:00:00")], 1),
    ],
)  # fmt: skip
def test_only_what_came_after_the_line_says_that_it_does_not_work(observed: list[Observation], times: int) -> None:
    """Moments are compared where both are known, else days; a session that was corrected before did not read it."""
    assert brief._since_written(Rule("r", TABS, observations=tuple(observed), written_to=(WRITTEN,)))[0] == times


def test_a_rule_corrected_again_on_the_day_it_was_written_is_called_out(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """Written at noon and said again in the evening: its id and how it begins are told, not the whole once more."""
    root = repository("shop")
    text = "Use tabs for indentation everywhere"
    for session in "ab":
        improve("observe", text, "--session", session, cwd=root)
    improve("escalate", "--apply", cwd=root)
    assert "corrected again" not in told(improve, root)
    rules.write_text(_earlier(rules.read_text(encoding="utf-8")), encoding="utf-8")
    improve("observe", text, "--session", "c", cwd=root)
    said = told(improve, root)
    assert "(Use tabs for indentation …): 1× since" in said
    assert text not in said


def _earlier(text: str) -> str:
    """Let all of it have happened a minute before."""
    import re
    from datetime import datetime, timedelta

    def back(found: re.Match[str]) -> str:
        return (datetime.fromisoformat(found[0]) - timedelta(minutes=1)).isoformat(timespec="seconds")

    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", back, text)


def test_what_recurs_is_called_out_among_any_number_of_others() -> None:
    """A wall of rules that no file says does not keep out the ones that are loaded and still broken."""
    new = tuple(Rule(f"n{n}", f"Never do thing {n} again, please, not even once") for n in range(400))
    again = tuple((Rule(f"a{n}", f"Use tool {n} everywhere"), 2, "2026-05-04") for n in range(400))
    said = brief.worded(brief.Brief(new, again, more=False), 3, cap=2000)
    assert len(said) <= 2000
    assert "- a0 (Use tool 0 …): 2× since 2026-05-04\n" in said
    assert "- Never do thing 0 again" in said
    assert brief._MORE in said


def test_nothing_we_print_is_taken_for_a_correction(improve: Improve, repository: Repository) -> None:
    """A person may paste the answer of any command; what they say above it is theirs and counts."""
    root = repository("shop")
    rule = "never-push-to-main-without-asking"
    for session in "abc":
        improve("observe", "Use uv for packages, never pip install", "--session", session, cwd=root)
    said = [improve("observe", "Never push to main without asking", "--context", "No! I told you never to").out]
    for line in (
        "status", "status --format markdown", "status --host codex", "due", "escalate", "where", "where --host codex",
        f"history {rule}", "escalate --apply", "log", "doctor", "stale", f"suggest-destination {rule}", "undo",
        "off", "on", "inbox", "drain",
    ):  # fmt: skip
        said.append(improve(*line.split()).out)
    assert [text for text in said if cue.signal_of(text)] == []
    assert cue.signal_of(f"no, that is wrong, you must never do that\n\n{said[1]}") == "correction"


def test_what_waits_is_counted_once_and_never_wrongly(improve: Improve, repository: Repository, home: Path) -> None:
    """The number that was noted holds for one state of the inbox; a spoiled note costs a second look, nothing else."""
    root = repository("shop")
    inbox = home / ".agent-improvement" / "inbox.jsonl"
    improve("init", cwd=root)
    line = '{"v": 1, "id": "C%d", "key": "k%d", "text": "no, never"}\n'
    inbox.write_text(line % (1, 1), encoding="utf-8")
    assert "1 message of this person may hold a correction and is not worded" in told(improve, root)
    (note,) = (home / ".cache").rglob("waiting")
    for spoiled in (None, "", "1 2 3 x", "\x00", note.read_text(encoding="ascii")):
        if spoiled is not None:
            note.write_text(spoiled, encoding="ascii")
        assert "1 message of this person may hold a correction and is not worded" in told(improve, root)
    with inbox.open("a", encoding="utf-8") as stream:
        stream.write(line % (2, 2))
    assert "2 messages of this person may hold corrections and are not worded" in told(improve, root)
    improve("dismiss", "C1", "C2")
    assert "worded" not in told(improve, root)
    inbox.unlink()
    assert "worded" not in told(improve, root)


LONG = st.lists(st.text("ab c", min_size=1, max_size=499), max_size=30)


@given(LONG, LONG, st.integers(0, 3), st.booleans(), st.integers(500, 8000))
def test_the_cap_holds_and_the_stamp_is_first(
    new: list[str], old: list[str], unworded: int, more: bool, cap: int
) -> None:
    """Whatever there is to say, it is within the cap, ours at first sight, and each line of it by itself is ours."""
    again = tuple((Rule(f"o{n}", text), 2, "2026-05-04") for n, text in enumerate(old))
    missing = tuple(Rule(f"n{n}", text, created="2026-05-04") for n, text in enumerate(new))
    said = brief.worded(brief.Brief(missing, again, more), unworded, cap=cap)
    assert len(said) <= cap
    assert said.startswith(f"{STAMP}\n")
    assert all(cue.is_ours(line) for line in said.split("\n"))
