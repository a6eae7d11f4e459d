"""Whether a rule's topic came up in a session, and whether it was loaded."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.deed import Deed, Entry, Loaded
from improve.exposure import came_up, terms, topic
from improve.loaded import CUT, GONE, LOADED, NOT_LOADED, NOT_YET, delivery, had
from improve.rule import Check, Rule, Written
from improve.topic import Topic
from improve.workflow.moments import moment, stood, written_at

DATA = Path(__file__).parent / "data" / "exposure"


def rows(name: str) -> list[dict[str, Any]]:
    """Read a table."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def session(asked: tuple[str, ...] = (), deeds: tuple[Deed, ...] = (), *, at: str = "", **more: Any) -> Entry:
    """Make a session."""
    said = tuple((at, words) for words in asked)
    whole = Entry("claude-code", "s", "", "p", "/p", at, at, False, "", len(asked), said, deeds, ())
    return whole._replace(**more)


def recorded(row: dict[str, Any]) -> Entry:
    """Make a session of a row."""
    ran = [Deed("", "shell", line) for line in row["shell"]]
    wrote = [Deed("", "edit", path, added) for path, added in row["edit"]]
    return session(tuple(row["asked"]), (*ran, *wrote))


def checked(row: dict[str, Any]) -> Topic:
    """Give the topic of a row's rule."""
    given = row.get("check")
    parts = {key: tuple(value) if isinstance(value, list) else value for key, value in (given or {}).items()}
    return topic(Rule("r", row["rule"]), Check(**parts) if given else None)


SESSIONS = {row["id"]: terms(recorded(row)) for row in rows("sessions.jsonl")}


@pytest.mark.parametrize(("table", "precision", "recall"), [("rules.jsonl", 0.98, 0.98), ("fresh.jsonl", 0.95, 0.93)])
def test_topics_are_found_in_the_sessions_they_came_up_in(table: str, precision: float, recall: float) -> None:
    """Of labelled pairs of rule and session, nearly all are told right."""
    right = wrong = missed = 0
    for row in rows(table):
        about = checked(row)
        for name, held in SESSIONS.items():
            found = bool(came_up(about, held))
            right += found and name in row["yes"]
            wrong += found and name not in row["yes"] + row["skip"]
            missed += not found and name in row["yes"]
    assert right / (right + wrong) >= precision
    assert right / (right + missed) >= recall


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("pip install requests", True),
        ("cd app && python3 -m pip install -r requirements.txt", True),
        ("sudo -H env X=1 pip install x", False),
        ("env X=1 pip install x", True),
        ("uv add httpx", True),
        ("uv pip install httpx", True),
        ("poetry add httpx", True),
        ("echo pip", False),
        ("uv run pytest", False),
        ("pip list", False),
        ("npm install left-pad", False),
        ("", False),
    ],
)
def test_an_occasion_is_the_denied_command_or_another_for_the_same(command: str, found: bool) -> None:
    """Whoever installs a dependency could have done it with pip, whoever only runs something could not."""
    about = topic(Rule("r", "Use uv, never pip install"), Check("shell", ("pip install",)))
    assert bool(came_up(about, terms(session(deeds=(Deed("", "shell", command),))))) == found


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/home/me/p/src/a.py", True),
        ("src/deep/er/b.py", True),
        ("C:\\p\\src\\a.py", True),
        ("src/a.pyc", False),
        ("lib/a.py", False),
    ],
)
def test_a_check_on_files_comes_up_where_they_are_touched(path: str, found: bool) -> None:
    """Absolute or not, with either slash; other files are no occasion."""
    about = topic(Rule("r", "No print"), Check("edit", ("print(",), paths=("src/**/*.py", "src/*.py")))
    assert bool(came_up(about, terms(session(deeds=(Deed("", "edit", path, "x"),))))) == found


def test_a_session_of_five_hundred_calls_is_asked_about_five_hundred_rules_quickly() -> None:
    """Reading it once and asking all of them takes well below a second."""
    ran = tuple(Deed("", "shell", f"cd x{n} && pytest tests/test_{n}.py -q | tail -{n}") for n in range(250))
    wrote = tuple(
        Deed("", "edit", f"src/a{n}.py", f"def read_{n}(line): return parse(line)\n" * 30) for n in range(250)
    )
    topics = [topic(Rule("r", f"Write tests for module{n} before {word}")) for n in range(250) for word in ("a", "b")]
    begun = time.perf_counter()
    held = terms(session(("fix the parser",) * 40, (*ran, *wrote)))
    assert sum(bool(came_up(about, held)) for about in topics) >= 0
    assert time.perf_counter() - begun < 0.5


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(["shell", "edit", "write", "read", "other"]))
def test_no_text_breaks_it(words: str, subject: str, kind: str) -> None:
    """Whatever is said, run or denied, there is an answer."""
    held = terms(session((words,), (Deed("", kind, subject, words),)))
    for check in (None, Check("shell", (subject,)), Check("edit", (words,), paths=(subject,))):
        assert isinstance(came_up(topic(Rule("r", words), check), held), str)


WRITTEN = Written(
    "/p/AGENTS.md", "2026-03-01", text="Use uv", scope="project", project="p", at="2026-03-01T10:00:00+02:00"
)
RULE = Rule("use-uv", "Use `uv`", written_to=(WRITTEN,))
TEXTS = {"with": b"# Rules\n\n- Use `uv`\n", "without": b"# Rules\n\n- Use tabs\n", "": b""}


def brought(rule: Rule, entry: Entry) -> str:
    """Ask with the lines that stood there when the session began."""
    return delivery(rule, entry, TEXTS.__getitem__, written=stood(rule, entry.started))


@pytest.mark.parametrize(
    ("at", "files", "state"),
    [
        ("2026-03-01T08:00:01Z", [("/p/AGENTS.md", "loaded", "with")], LOADED),
        ("2026-03-01T08:00:01Z", [("/p/AGENTS.md", "scoped", "with")], LOADED),
        ("2026-03-01T08:00:01Z", [("/p/AGENTS.md", "unknown:loaded", "with")], LOADED),
        ("2026-03-01T08:00:01Z", [("/p/AGENTS.md", "cut", "with")], LOADED),
        ("2026-03-01T08:00:01Z", [("/q/CLAUDE.md", "loaded", "with")], LOADED),
        ("2026-03-01T07:59:59Z", [("/p/AGENTS.md", "loaded", "with")], NOT_YET),
        ("", [("/p/AGENTS.md", "loaded", "with")], NOT_YET),
        ("2026-03-02T00:00:00Z", [("/p/AGENTS.md", "hidden", "with")], NOT_LOADED),
        ("2026-03-02T00:00:00Z", [("/p/AGENTS.md", "off", "")], NOT_LOADED),
        ("2026-03-02T00:00:00Z", [], NOT_LOADED),
        ("2026-03-02T00:00:00Z", [("/q/CLAUDE.md", "loaded", "without")], NOT_LOADED),
        ("2026-03-02T00:00:00Z", [("/p/AGENTS.md", "cut", "without")], CUT),
        ("2026-03-02T00:00:00Z", [("/p/AGENTS.md", "loaded", "without")], GONE),
    ],
)
def test_a_rule_is_loaded_when_its_line_reached_the_model(at: str, files: list[Any], state: str) -> None:
    """In whichever file it came; otherwise what kept it away is told."""
    entry = session(at=at, loaded=tuple(Loaded(*file) for file in files))
    assert brought(RULE, entry) == state


def test_a_line_of_another_project_is_not_meant() -> None:
    """What was written to one project was not written for the sessions of others."""
    files = (Loaded("/q/AGENTS.md", "loaded", "with"),)
    entry = session(at="2026-04-01T00:00:00Z", project="q", cwd="/q", loaded=files)
    assert brought(RULE, entry) == NOT_YET


@pytest.mark.parametrize(
    ("files", "sure"),
    [
        ([("/p/OLD.md", "loaded", "with")], True),
        ([("/p/AGENTS.md", "unknown:loaded", "with")], False),
        ([("/p/AGENTS.md", "loaded", "without")], False),
        ([("/p/AGENTS.md", "hidden", "with")], False),
        ([], False),
    ],
)
def test_a_session_that_had_the_rule_before_its_line_was_written_is_known(files: list[Any], sure: bool) -> None:
    """It stood in another file then, or was there before us; a file that was changed since proves nothing."""
    entry = session(at="2026-01-01T00:00:00Z", loaded=tuple(Loaded(*file) for file in files))
    assert had(RULE, entry, TEXTS.__getitem__) is sure


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "UTC", "America/Los_Angeles"])
def test_a_day_ends_where_the_person_is(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a line of which only the day is known its local end is taken, everywhere alike."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        line = Written("/p/AGENTS.md", "2026-03-01", project="p")
        end = datetime(2026, 3, 2, tzinfo=ZoneInfo(zone)).timestamp()
        assert written_at(line) == end
        late = session(
            at=datetime.fromtimestamp(end, UTC).isoformat(), loaded=(Loaded("/p/AGENTS.md", "loaded", "with"),)
        )
        early = late._replace(started=datetime.fromtimestamp(end - 1, UTC).isoformat())
        rule = RULE._replace(written_to=(line,))
        assert brought(rule, late) == LOADED
        assert brought(rule, early) == NOT_YET
    finally:
        monkeypatch.undo()
        time.tzset()


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)), st.timezones())
def test_moments_are_read_in_every_zone(at: datetime, zone: Any) -> None:
    """As the standard library reads them."""
    exact = at.replace(tzinfo=zone, microsecond=0)
    assert moment(exact.isoformat()) == exact.timestamp()


@pytest.mark.parametrize("text", ["", "yesterday", "2026-03", "12:00", "2026-03-01T", "٢٠٢٦-03-01x"])
def test_what_is_no_moment_is_none(text: str) -> None:
    """Nothing is guessed."""
    assert moment(text) is None


@pytest.mark.parametrize(
    ("rule", "check"),
    [
        ("Never edit files in src/gen by hand; change the schema", Check("any", paths=("src/gen/**",))),
        ("Never add a TODO comment to code", Check("edit", ("TODO(me)",))),
    ],
)
def test_a_check_of_the_mistake_alone_does_not_hide_the_sessions_without_it(rule: str, check: Check) -> None:
    """Where every hit is the mistake, sessions in which it could have been made come up all the same."""
    about = topic(Rule("r", rule), check)
    right = session(deeds=(Deed("", "edit", "src/order.py", "total = 1"),))
    wrong = session(deeds=(Deed("", "edit", "src/gen/order.py", "# TODO(me)"),))
    unrelated = session(deeds=(Deed("", "shell", "ls"),))
    assert came_up(about, terms(right))
    assert came_up(about, terms(wrong))
    assert not came_up(about, terms(unrelated))
