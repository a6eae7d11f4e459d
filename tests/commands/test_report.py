"""report: what the command tells of a real store, and where it puts the page."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve, Repository
from improve import document, entry
from improve.deed import Entry
from improve.ledger import Ledger, Part
from improve.paths import find_home
from improve.rule import Observation, Rule, Verdict, Written
from improve.workflow.here import Here
from improve.workflow.past import directory

NOW = datetime.now().astimezone()
SHOP, API = "github.com/acme/shop", "github.com/acme/api"


def day(ago: int) -> str:
    """Name the day so many days ago."""
    return (NOW - timedelta(days=ago)).strftime("%Y-%m-%d")


def seen(ago: int, project: str = SHOP, session: str = "", **more: Any) -> Observation:
    """Make an observation."""
    host = more.pop("host", "claude-code")
    return Observation(project, day(ago), more.pop("context", "no, use uv"), "", host, session, **more)


def store(rules: Path, *given: Rule) -> None:
    """Write a store."""
    body = "".join(map(entry.render, given)).encode()
    rules.parent.mkdir(exist_ok=True)
    rules.write_bytes(document.template().replace(b"rules: []\n", b"rules:\n") + body)


def read(*sessions: tuple[str, str, str, int, int], headless: bool = False) -> None:
    """Write sessions into the ledger: host, session, project, days ago, messages."""
    ledger = Ledger.open(directory(Here(os.environ, NOW, "", find_home(os.environ))))
    for host, session, project, ago, messages in sessions:
        at = (NOW - timedelta(days=ago)).isoformat()
        asked = tuple((at, "go on") for _ in range(messages))
        told = Entry(host, session, f"/{session}", project, "/w", at, at, headless, "", messages, asked, (), ())
        ledger.keep(Part(told, session))
    ledger.commit()
    ledger.close()


def recurring(rule_id: str, cause: str, **more: Any) -> Rule:
    """Make a written rule that keeps recurring."""
    verdict = Verdict("recurring", NOW.isoformat(timespec="seconds"), day(3), 9, 5, 12, 6, cause, "shown")
    written = (Written("/r/AGENTS.md", day(30), "Testing", "Use uv", "project", SHOP),)
    return Rule(rule_id, f"Use {rule_id}", observations=(seen(3),), written_to=written, verdict=verdict, **more)


def told(improve: Improve, *argv: str) -> Any:
    """Give the report as data."""
    return improve("report", "--json", *argv).json


def test_a_session_counts_once_and_only_what_a_person_said(improve: Improve, rules: Path) -> None:
    """Twice in a session is one correction; imports, failures of tools and admissions are none."""
    store(
        rules,
        Rule("a", "Use uv", observations=(seen(2, session="s1"), seen(2, session="s1"), seen(1, API), seen(100))),
        Rule("b", "Run tests", observations=(seen(3, provenance="import"), seen(4, signal="tool-failure"))),
        Rule("c", "Keep it", observations=(seen(5, signal="admission"), seen(6, host="codex")), retired=True),
    )
    report = told(improve)
    assert report["total"]["corrections"] == 3 and report["retired"] == 1
    assert sum(week["corrections"] for week in report["weeks"]) == 3
    assert {p["name"]: p["corrections"] for p in report["projects"]} == {"acme/shop": 2, "acme/api": 1}
    assert {h["name"]: h["corrections"] for h in report["hosts"]} == {"Claude Code": 2, "Codex CLI": 1}
    assert told(improve, "--since", "1y")["total"]["corrections"] == 4


def test_the_rate_counts_only_sessions_that_were_read(improve: Improve, rules: Path) -> None:
    """A correction without a session that was read is shown, and left out of the rate; nobody sat at a script."""
    store(rules, Rule("a", "Use uv", observations=(seen(2, session="s1"), seen(2, session="unread"), seen(3))))
    read(("claude-code", "s1", SHOP, 2, 30), ("codex", "s2", API, 3, 20), ("codex", "old", API, 300, 99))
    read(("codex", "s3", API, 3, 400), headless=True)
    total = told(improve)["total"]
    assert (total["corrections"], total["counted"], total["sessions"], total["messages"]) == (3, 1, 2, 50)
    assert total["per_100"] == 2.0 and total["interval"][0] < 2.0 < total["interval"][1]
    said = improve("report").out  # of most corrections no message was read: the rate is too low to lead
    assert "3 times in the last 90 days." in said and "rates are lower than they should be" in said
    assert told(improve, "--project", API)["total"]["per_100"] == 0.0
    shop = told(improve, "--project", SHOP)["total"]
    assert (shop["corrections"], shop["messages"]) == (3, 30)


def test_a_report_without_what_was_read_says_so(improve: Improve, rules: Path, home: Path) -> None:
    """No ledger is begun by looking, and the page names the command that reads sessions."""
    store(rules, Rule("a", "Use uv", observations=(seen(2),)))
    assert "improve verify" in told(improve)["missing"]["messages"]
    assert "improve verify" in improve("report", "--html", "-").out
    assert not list(home.rglob("ledger.db"))


@pytest.mark.parametrize(
    ("cause", "fix"),
    [
        ("not-written", "improve escalate x --apply"),
        ("not-loaded", "improve verify x"),
        ("cut", "improve budget"),
        ("contradicted", "improve history x"),
        ("ignored", "improve check suggest x"),
    ],
)
def test_each_cause_has_its_command(improve: Improve, rules: Path, cause: str, fix: str) -> None:
    """A recurring rule stands first, with before and after, and the command that fits leads what to do next."""
    store(rules, Rule("new", "Run tests", observations=(seen(1), seen(2))), recurring("x", cause))
    report = told(improve)
    first = report["rules"][0]
    assert (first["id"], first["before"], first["after"], first["fix"]) == ("x", [9, 5], [12, 6], fix)
    assert first["after_bounds"][0] < 0.5 < first["after_bounds"][1]
    assert report["next"][0] == {"why": "“Use x” keeps recurring", "command": fix}
    assert fix in improve("report").out and fix in improve("report", "--markdown").out


def test_a_project_alone(improve: Improve, rules: Path, repository: Repository) -> None:
    """--project leaves out other projects' rules, corrections and words; inside of one, all are still told."""
    mine = Rule("a", "Use uv", observations=(seen(2, context="mine"), seen(2, API, context="theirs")))
    store(rules, mine, Rule("b", "Run tests", observations=(seen(1, API),)))
    shop = repository("shop")
    report = told(improve, "--project", SHOP)
    assert [rule["id"] for rule in report["rules"]] == ["a"] and report["total"]["corrections"] == 1
    assert [e["words"] for e in report["rules"][0]["evidence"]] == ["mine"] and report["project"] == "acme/shop"
    assert improve("report", "--json", cwd=shop).json["total"]["corrections"] == 3
    assert "no project is called 'shp'" in improve("report", "--project", "shp", code=2).err


def test_an_empty_store(improve: Improve, tmp_path: Path) -> None:
    """Every form says that nothing is recorded yet, and nothing fails."""
    assert improve("report").first.startswith("Nothing is recorded yet")
    assert "Nothing is recorded yet" in improve("report", "--html", "-").out
    assert told(improve)["rules"] == [] and "0 corrections" in improve("report", "--markdown").out


def test_the_page_is_written_and_replaced(improve: Improve, rules: Path, tmp_path: Path) -> None:
    """A new page is private; the second time it is replaced; a file of another is not, unless --force says so."""
    store(rules, recurring("x", "cut"))
    page = tmp_path / "report.html"
    assert improve("report", "--html", "report.html", cwd=tmp_path).first.startswith("Wrote ")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert "1 rule keeps recurring" in page.read_text("utf-8")
    improve("report", "--html", str(page))
    page.write_text("<!doctype html><p>mine", "utf-8")
    assert "is no report of ours; nothing was written" in improve("report", "--html", str(page), code=3).err
    assert page.read_text("utf-8") == "<!doctype html><p>mine"
    improve("report", "--html", str(page), "--force")
    assert "mine" not in page.read_text("utf-8")
    assert list(tmp_path.iterdir()) == [page]


def test_where_no_page_can_be(improve: Improve, rules: Path, tmp_path: Path) -> None:
    """A directory, a missing one and a read-only page are refused with what to do, and nothing is left behind."""
    store(rules, recurring("x", "cut"))
    assert "is a directory; nothing was written" in improve("report", "--html", str(tmp_path), code=3).err
    assert "is missing; nothing was written" in improve("report", "--html", str(tmp_path / "no" / "x.html"), code=3).err
    page = tmp_path / "x.html"
    improve("report", "--html", str(page))
    page.chmod(0o400)
    before = page.read_bytes()
    assert "chmod u+w" in improve("report", "--html", str(page), "--since", "1y", code=5).err
    assert page.read_bytes() == before and list(tmp_path.iterdir()) == [page]


def test_two_at_once_leave_a_whole_page(improve: Improve, rules: Path, tmp_path: Path) -> None:
    """Both end with 0 or busy, and the file is one whole page."""
    store(rules, *(recurring(f"x{n}", "cut") for n in range(20)))
    improve("report")
    page = tmp_path / "x.html"
    argv = [sys.executable, "-m", "improve", "report", "--html", str(page)]
    with ThreadPoolExecutor() as pool:
        codes = list(pool.map(lambda _: subprocess.run(argv, capture_output=True, check=False).returncode, range(3)))
    assert set(codes) <= {0, 4} and 0 in codes
    text = page.read_text("utf-8")
    assert text.startswith("<!doctype html>") and text.endswith("</html>\n") and text.count("<html") == 1


def test_what_is_switched_off_can_be_read(improve: Improve, rules: Path) -> None:
    """The report is told all the same, with a note."""
    store(rules, recurring("x", "cut"))
    improve("off")
    said = improve("report")
    assert said.first.startswith("You corrected your agents once") and "improve is off" in said.err


def test_open_without_a_display_says_where_the_page_is(
    improve: Improve, rules: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page lies in a private directory of the state; no browser is started."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    store(rules, recurring("x", "cut"))
    said = improve("report", "--open")
    (page,) = home.rglob("report-*.html")
    assert "no browser can be opened here" in said.err and page.name in said.out
    assert stat.S_IMODE(page.stat().st_mode) == 0o600 and stat.S_IMODE(page.parent.stat().st_mode) == 0o700


def test_open_gives_the_file_to_the_browser(
    improve: Improve, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser gets the address of the page that was named."""
    got, browser = tmp_path / "got", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {got}\n', "utf-8")
    browser.chmod(0o755)
    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.setenv("BROWSER", str(browser))
    monkeypatch.setitem(sys.modules, "webbrowser", None)
    monkeypatch.delitem(sys.modules, "webbrowser")
    store(rules, recurring("x", "cut"))
    page = tmp_path / "my report.html"
    assert improve("report", "--html", str(page), "--open").first.endswith("and opened it.")
    assert got.read_text("utf-8") == page.as_uri()


@pytest.mark.parametrize(
    "argv", [("--json", "--markdown"), ("--open", "--json"), ("--html", "-", "--open"), ("--since", "soon")]
)
def test_what_makes_no_sense_is_refused(improve: Improve, argv: tuple[str, ...]) -> None:
    """Two forms at once, showing what is printed, and no span of time: exit 2."""
    improve("report", *argv, code=2)


def test_hostile_words_reach_no_terminal_and_no_markup(improve: Improve, rules: Path) -> None:
    """Escapes, bidi and tags of evidence are shown as text in every form."""
    bad = "\u202e\u200b</script><script>alert(1)</script> `x` | y"
    store(rules, Rule("a", "Use uv", observations=(seen(1, context=bad), seen(2, context="字" * 9_000))))
    for form in ("--markdown", "--json"):
        assert not set("\u202e\u200b") & set(improve("report", form).out)
    page = improve("report", "--html", "-").out
    assert "<script>alert" not in page and "\u202e" not in page and page.count("<script>") == 1


def test_firings_and_the_inbox_are_told(improve: Improve, rules: Path) -> None:
    """What guards did is added up by rule; what waits is counted, the likeliest first."""
    store(rules, recurring("x", "ignored", guard="deny"))
    at = NOW.isoformat(timespec="seconds")
    fired = {"v": 1, "event": "fired", "at": at, "host": "codex", "session": "s", "project": SHOP, "rules": ["x"]}
    lines = [{**fired, "mode": mode, "what": f"pip {mode}"} for mode in ("observe", "warn", "deny", "deny")]
    lines[-1]["session"] = "t"
    (rules.parent / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    waits = {"v": 1, "id": "C1", "key": "k", "at": at, "text": "always sort imports", "project": SHOP, "rank": 0.5}
    (rules.parent / "inbox.jsonl").write_text(json.dumps(waits) + "\n", "utf-8")
    report = told(improve)
    row = report["guards"][0]
    assert (row["rule"], row["observed"], row["warned"], row["denied"]) == ("x", 1, 1, 2)
    assert report["inbox"]["waiting"] == 1 and report["inbox"]["first"][0]["words"] == "always sort imports"
    page = improve("report", "--html", "-").out
    assert "pip deny" in page and "always sort imports" in page
