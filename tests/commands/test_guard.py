"""improve guard: who may turn one on, on which rules, and what it says; log, history and status tell of it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands.conftest import Improve, Repository

from guarding import APP, rule
from improve import ancestry, cue, entry, paths
from improve.rule import Check, Observation, Rule
from improve.workflow import guard
from improve.workflow.firing import firings
from improve.workflow.here import Here


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Sit at a terminal and say yes; gives what was asked."""
    asked: list[str] = []

    def confirm(text: str, **_: Any) -> bool:
        asked.append(text)
        return True

    monkeypatch.setattr(ancestry, "environments", lambda: iter(()))
    monkeypatch.setattr("improve.cli.person.on_terminal", lambda stream: True)
    monkeypatch.setattr("click.confirm", confirm)
    yield asked


@pytest.fixture
def shop(repository: Repository) -> Path:
    """A project called app."""
    return repository("app")


def keep(rules: Path, *kept: Rule) -> None:
    """Write rules.yaml."""
    rules.parent.mkdir(exist_ok=True)
    rules.write_text("version: 2\nrules:\n" + "".join(map(entry.render, kept)), encoding="utf-8")


def off(**changes: Any) -> Rule:
    """Make a confirmed rule with a check whose guard is off."""
    return rule(mode="", **changes)


def test_a_person_turns_it_on_and_off(rules: Path, shop: Path, improve: Improve, person: list[str]) -> None:
    """At a terminal a person is shown rule, check and history, is asked, and the guard is on; the same takes it off."""
    keep(rules, off())
    said = improve("guard", "use-uv-not-pip", "--deny", cwd=shop)
    assert person == ["Deny such calls from now on?"]
    assert "check: shell" in said.err
    assert "pip install" in said.err
    assert "history: " in said.err
    assert said.out.startswith("deny ")
    assert "guard: deny" in rules.read_text(encoding="utf-8")
    assert improve("guard", "use-uv-not-pip", "--off", cwd=shop).out.startswith("off ")
    assert "guard:" not in rules.read_text(encoding="utf-8")
    assert len(person) == 2


def test_the_second_time_changes_nothing(rules: Path, shop: Path, improve: Improve, person: list[str]) -> None:
    """A guard that is on already asks nobody and is left as it is."""
    keep(rules, rule())
    before = rules.read_bytes()
    assert "it says so already" in improve("guard", "use-uv-not-pip", "--deny", cwd=shop).out
    assert (rules.read_bytes(), person) == (before, [])


def test_a_no_changes_nothing(
    rules: Path, shop: Path, improve: Improve, person: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person who says no leaves everything as it is."""
    keep(rules, off())
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    assert "nothing was changed" in improve("guard", "use-uv-not-pip", "--deny", cwd=shop, code=3).err
    assert "guard:" not in rules.read_text(encoding="utf-8")


@pytest.mark.parametrize("mode", ["deny", "warn", "observe", "off"])
def test_an_agent_cannot(rules: Path, shop: Path, improve: Improve, mode: str) -> None:
    """Without a terminal nothing is turned on or off, and the command for the person is named."""
    keep(rules, rule(mode="warn" if mode in ("deny", "off", "observe") else "deny"))
    before = rules.read_bytes()
    said = improve("guard", "use-uv-not-pip", f"--{mode}", cwd=shop, code=3)
    assert f"improve guard use-uv-not-pip --{mode}" in said.err
    assert rules.read_bytes() == before


def test_a_terminal_inside_an_agent_is_none(
    rules: Path, shop: Path, improve: Improve, person: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal that an agent opened proves no person, even where it hid its own variables."""
    keep(rules, off())
    monkeypatch.setattr(ancestry, "environments", lambda: iter([{}, {"CLAUDECODE": "1"}]))
    improve("guard", "use-uv-not-pip", "--deny", cwd=shop, code=3)
    monkeypatch.setattr(ancestry, "environments", lambda: iter(()))
    monkeypatch.setenv("CLAUDECODE", "1")
    improve("guard", "use-uv-not-pip", "--deny", cwd=shop, code=3)
    assert person == []


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"check": None}, "improve check suggest use-uv-not-pip"),
        ({"retired": True}, "improve restore use-uv-not-pip"),
        (
            {"observations": (Observation(APP, "2026-01-01", provenance="agent"),)},
            "improve observe 'Use uv, never pip'",
        ),
    ],
)
def test_what_is_missing_is_named(
    rules: Path, shop: Path, improve: Improve, person: list[str], changes: dict[str, Any], missing: str
) -> None:
    """A rule without a check, a retired one and one nobody confirmed get no guard, and the way there is named."""
    keep(rules, off(**changes))
    assert missing in improve("guard", "use-uv-not-pip", "--deny", cwd=shop, code=3).err
    assert person == []


def test_a_person_s_word_is_enough(rules: Path, shop: Path, improve: Improve, person: list[str]) -> None:
    """A rule that was seen once is confirmed when a person said it."""
    keep(rules, off(observations=(Observation(APP, "2026-01-01", provenance="person"),)))
    improve("guard", "use-uv-not-pip", "--warn", cwd=shop)
    assert person == ["Warn of such calls from now on?"]


def test_mistakes_are_named(rules: Path, shop: Path, improve: Improve) -> None:
    """No such rule is 7, a mode without a rule is 2."""
    keep(rules, off())
    improve("guard", "nothing-like-it", "--deny", cwd=shop, code=7)
    improve("guard", "nothing-like-it", cwd=shop, code=7)
    improve("guard", "--deny", cwd=shop, code=2)


def test_undo_takes_it_back(rules: Path, shop: Path, improve: Improve, person: list[str]) -> None:
    """Turning a guard on is a change set; the log says that a person did it."""
    keep(rules, off())
    before = rules.read_bytes()
    improve("guard", "use-uv-not-pip", "--deny", cwd=shop)
    assert "by a person at a terminal" in improve("log").out
    improve("undo")
    assert rules.read_bytes() == before


def test_off_everywhere_refuses_to_turn_on(rules: Path, shop: Path, improve: Improve, person: list[str]) -> None:
    """While improve is switched off nothing is turned on."""
    keep(rules, off())
    improve("off")
    improve("guard", "use-uv-not-pip", "--deny", cwd=shop, code=3)
    assert "guard:" not in rules.read_text(encoding="utf-8")


def test_the_list(rules: Path, shop: Path, improve: Improve) -> None:
    """Without a rule all guards are listed with where they hold and what they did; without any it says so."""
    keep(rules, off())
    assert improve("guard", cwd=shop).out.startswith("No guard is on.")
    keep(rules, rule(), off(id="other", explicit_scope="global", guard="observe"))
    fire(rules, times=3)
    lines = improve("guard", cwd=shop).out.splitlines()
    assert lines[0].startswith("deny     use-uv-not-pip  in github.com/acme/app, 3 firings, last 2026-")
    assert any(line.startswith("observe  other  everywhere, never fired") for line in lines)
    told = improve("guard", "--json", cwd=shop).json["guards"]
    assert [(each["id"], each["guard"], each["fired"]) for each in told] == [
        ("use-uv-not-pip", "deny", 3),
        ("other", "observe", 0),
    ]
    assert told[0]["check"]["deny"] == ["pip install"]


def fire(store: Path, *, times: int, what: str = "pip install x", mode: str = "deny", **more: Any) -> None:
    """Add a firing to the journal, repeated so often."""
    line = {"v": 1, "at": "2026-11-30T10:00:00+0000", "event": "fired", "mode": mode, "rules": ["use-uv-not-pip"]}
    line |= {"host": "codex", "session": "s", "project": APP, "what": what, "nth": times, **more}
    with (store.parent / "journal.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")


def here_in(cwd: Path) -> Here:
    """Look around."""
    from improve import clock

    return Here(os.environ, clock.now(), str(cwd), paths.find_home(os.environ))


def test_log_and_history_tell_of_firings(rules: Path, shop: Path, improve: Improve) -> None:
    """What a guard did is in the log and in the rule's history, repetitions counted once."""
    keep(rules, rule())
    for times in (1, 2, 4):
        fire(rules, times=times)
    fire(rules, times=1, what="\x1b[31mpip install y\u202e")
    assert "guard of use-uv-not-pip denied: pip install x (codex)" in improve("log").out
    told = improve("history", "use-uv-not-pip").out
    assert "guard: deny, 5 firings" in told
    assert "denied: pip install x (codex, 2 times)" in told
    assert "\x1b" not in told
    assert improve("history", "use-uv-not-pip", "--json").json["firings"][0]["what"].endswith("\u202e")


def test_firings_are_read_with_care(rules: Path, shop: Path) -> None:
    """Newest first, from a moment on, one for each rule, and a line that is none of ours is passed over."""
    keep(rules, rule())
    fire(rules, times=1, at="2026-11-01T10:00:00+0200")
    fire(rules, times=1, at="2026-11-30T10:00:00+0000", rules=["a", "b"])
    fire(rules, times=1, what=7)
    fire(rules, times=1, nth="x")
    fire(rules, times=1, at="never")
    fire(rules, times=1, host=None)
    here = here_in(shop)
    assert [(f.rule_id, f.at[:10]) for f in firings(here)] == [
        ("use-uv-not-pip", "never"),
        ("a", "2026-11-30"),
        ("b", "2026-11-30"),
        ("use-uv-not-pip", "2026-11-01"),
    ]
    assert [f.rule_id for f in firings(here, since="2026-11-01T08:00:01+00:00")] == ["a", "b"]
    assert len(list(firings(here, since="2026-11-01T08:00:00+00:00"))) == 3


def test_a_count_that_was_lost_begins_anew(rules: Path, shop: Path) -> None:
    """Where the cache was deleted, numbers start at one again and nothing is counted twice or below zero."""
    keep(rules, rule())
    for times in (1, 2, 4, 8, 1, 2):
        fire(rules, times=times)
    assert sum(f.times for f in firings(here_in(shop))) == 10


@pytest.mark.parametrize(("mode", "marked"), [("deny", True), ("warn", False), ("observe", False), ("", False)])
def test_an_agent_is_told_what_is_enforced(rules: Path, shop: Path, improve: Improve, mode: str, marked: bool) -> None:
    """A rule whose violation is denied says so in one word; one that is only watched must not."""
    keep(rules, rule(mode=mode))
    told = improve("status", "--host", "claude-code", cwd=shop).out
    assert ("last 2026-01-01; enforced)" in told) == marked
    assert "Use uv, never pip (said 2 times" in told
    assert ("guard: calls against it are denied" in improve("status", cwd=shop).out) == marked


def test_what_is_printed_is_ours(rules: Path, shop: Path, improve: Improve) -> None:
    """Whatever of it a person pastes to an agent is known as ours, and no correction."""
    keep(rules, rule())
    fire(rules, times=3)
    for argv in (["guard"], ["guard", "use-uv-not-pip"], ["log"], ["status"]):
        assert cue.is_ours(improve(*argv, cwd=shop).out), argv
    assert cue.is_ours(improve("guard", "use-uv-not-pip", "--off", cwd=shop, code=3).err)


def test_a_real_terminal(home: Path, rules: Path, shop: Path) -> None:
    """On a real terminal the question is asked, and only a yes turns it on."""
    keep(rules, off())
    code = (
        "import sys\nfrom improve import ancestry\nancestry.environments = lambda: iter(())\n"
        "from improve.cli import run\nsys.exit(run(sys.argv[1:]))"
    )
    argv = [sys.executable, "-c", code, "guard", "use-uv-not-pip", "--deny"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    for answer, expected in ((b"\x04", 130), (b"y\n", 0)):
        master, slave = pty.openpty()
        os.write(master, answer)
        done = subprocess.run(argv, stdin=slave, stdout=slave, stderr=slave, env=env, cwd=shop, timeout=20)
        shown = os.read(master, 1 << 16).decode()
        os.close(slave)
        os.close(master)
        assert (done.returncode, "Deny such calls from now on? [y/N]" in shown) == (expected, True), shown
        assert ("guard: deny" in rules.read_text(encoding="utf-8")) == (expected == 0)


def test_a_check_that_cannot_work_gets_no_guard(
    rules: Path, shop: Path, improve: Improve, person: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with a check is said before anybody is asked."""
    keep(rules, off(check=Check("shell", ("/(/",))))
    monkeypatch.setattr(guard.check, "problem", lambda given: "the pattern `/(/` is none")
    assert "the pattern `/(/` is none" in improve("guard", "use-uv-not-pip", "--deny", cwd=shop, code=3).err
    assert person == []


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch, home: Path, improve: Improve) -> None:
    """Be Claude Code's shell, with our hooks wired."""
    (home / ".claude").mkdir()
    improve("install", "claude-code", "--yes")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-1")


def typed(text: str, *, session: str = "s-1", host: str = "claude-code", **more: str) -> None:
    """Let a host report what a person typed."""
    said = {"cwd": "/", "session_id": session, "prompt": text, **more}
    argv = [sys.executable, "-m", "improve", "hook", host, "prompt"]
    subprocess.run(argv, input=json.dumps(said).encode(), check=True, capture_output=True, timeout=20)


def words(said: str) -> str:
    """Find what the user is to type."""
    return said.partition("run the same again: ")[2].partition(",")[0]


@pytest.mark.usefixtures("agent")
def test_a_person_allows_it_at_the_prompt(rules: Path, shop: Path, improve: Improve) -> None:
    """An agent that asks is told words; once the user has typed them in its session, the same command works, once."""
    keep(rules, off())
    ask = ("guard", "use-uv-not-pip", "--deny")
    wanted = words(improve(*ask, cwd=shop, code=3).err)
    assert wanted.startswith("guard ")
    assert wanted.endswith(" deny use-uv-not-pip")
    assert words(improve(*ask, cwd=shop, code=3).err) == wanted
    typed(f"  {wanted.upper()}\n")
    improve("guard", "use-uv-not-pip", "--warn", cwd=shop, code=3)
    improve(*ask, cwd=shop)
    assert "guard: deny" in rules.read_text(encoding="utf-8")
    assert "by a person at the prompt of claude-code" in improve("log").out
    again = words(improve("guard", "use-uv-not-pip", "--off", cwd=shop, code=3).err)
    assert again.endswith(" off use-uv-not-pip")


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize(
    "said",
    [
        {"session": "s-2"},
        {"host": "codex"},
        {"agent_id": "a1"},
        {"text": "guard 0000 deny use-uv-not-pip"},
        {"text": "yes, do it"},
        {"text": "{} " + "and a lot that was pasted around it " * 20},
    ],
)
def test_what_else_is_typed_is_no_yes(rules: Path, shop: Path, improve: Improve, said: dict[str, str]) -> None:
    """Another session, another host, a subagent, other words and a wall of text allow nothing."""
    keep(rules, off())
    ask = ("guard", "use-uv-not-pip", "--deny")
    wanted = words(improve(*ask, cwd=shop, code=3).err)
    more = {key: value for key, value in said.items() if key != "text"}
    typed(said.get("text", "{}").format(wanted), **more)
    improve(*ask, cwd=shop, code=3)
    assert "guard:" not in rules.read_text(encoding="utf-8")


@pytest.mark.usefixtures("agent")
def test_a_yes_grows_old(rules: Path, shop: Path, home: Path, improve: Improve) -> None:
    """After ten minutes a question is asked anew, with another number."""
    keep(rules, off())
    ask = ("guard", "use-uv-not-pip", "--deny")
    typed(words(improve(*ask, cwd=shop, code=3).err))
    (path,) = home.rglob("consent/*")
    os.utime(path, (0, 0))
    improve(*ask, cwd=shop, code=3)


def test_agents_ask_exactly_while_a_guard_is_on(
    home: Path, rules: Path, shop: Path, improve: Improve, person: list[str]
) -> None:
    """The first guard wires the hook before calls, the last one takes it out, and it is said who does what now."""
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    keep(rules, off(), off(id="other"))
    improve("install", "--yes")
    settings = home / ".claude" / "settings.json"
    before = settings.read_bytes()
    assert b"pre-tool" not in before
    said = improve("guard", "use-uv-not-pip", "--deny", cwd=shop)
    assert "denied in " in said.out
    assert "Claude Code" in said.out
    assert "Codex skips hooks that nobody has trusted yet" in said.err
    assert b"pre-tool" in settings.read_bytes()
    improve("guard", "other", "--warn", cwd=shop)
    improve("guard", "use-uv-not-pip", "--off", cwd=shop)
    assert b"pre-tool" in settings.read_bytes()
    improve("guard", "other", "--off", cwd=shop)
    assert settings.read_bytes() == before
    for argv, wired in ((["undo"], True), (["retire", "other"], False), (["restore", "other"], True)):
        improve(*argv, cwd=shop)
        assert (b"pre-tool" in settings.read_bytes()) == wired, argv


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize("way", [("undo",), ("retire", "use-uv-not-pip")])
def test_an_agent_ends_no_guard_by_another_way(rules: Path, shop: Path, improve: Improve, way: tuple[str, ...]) -> None:
    """What would end a guard that a person turned on takes a person, too; a look at it does not."""
    keep(rules, off())
    typed(words(improve("guard", "use-uv-not-pip", "--deny", cwd=shop, code=3).err))
    improve("guard", "use-uv-not-pip", "--deny", cwd=shop)
    before = rules.read_bytes()
    improve("undo", "--dry-run", cwd=shop)
    wanted = words(improve(*way, cwd=shop, code=3).err)
    assert wanted.endswith(" off use-uv-not-pip")
    assert rules.read_bytes() == before
    typed(wanted)
    improve(*way, cwd=shop)
    assert "ends what a guard does" not in improve("log").out
    assert ("guard: deny" in rules.read_text(encoding="utf-8")) == (way[0] == "retire")


@pytest.mark.usefixtures("agent")
def test_an_agent_undoes_what_is_about_no_guard(rules: Path, shop: Path, improve: Improve) -> None:
    """Undo asks nobody where no guard gets weaker: of another change, and of one that turned a guard off."""
    keep(rules, off(), off(id="other"))
    improve("set", "other", "--severity", "4", cwd=shop)
    improve("undo", cwd=shop)
    assert "severity" not in rules.read_text(encoding="utf-8")


@pytest.mark.usefixtures("agent")
def test_a_person_allows_a_check_at_the_prompt(rules: Path, shop: Path, improve: Improve) -> None:
    """The words name the patterns, and allow no others."""
    keep(rules, off(check=None))
    one, other = (("check", "set", "use-uv-not-pip", "--deny", f"{name} install") for name in ("pip", "uv"))
    wanted = words(improve(*one, cwd=shop, code=3).err)
    assert "pip install" in wanted
    typed(wanted)
    improve(*other, cwd=shop, code=3)
    improve(*one, cwd=shop)
    assert '- "pip install"' in rules.read_text(encoding="utf-8")


def test_an_agent_that_does_not_call_us_is_not_said_to_act(
    home: Path, rules: Path, shop: Path, improve: Improve, person: list[str]
) -> None:
    """Before `install` no agent asks before a call, which is said with the command that wires it."""
    (home / ".claude").mkdir()
    keep(rules, off())
    said = improve("guard", "use-uv-not-pip", "--deny", cwd=shop)
    assert "denied in" not in said.out and "no agent on this machine asks before a call" in said.out
    assert "Claude Code does not ask before a call yet; wire it with: improve install claude-code" in said.err
    improve("install", "claude-code", "--yes")
    assert "denied in Claude Code" in improve("guard", "use-uv-not-pip", "--deny", cwd=shop).out


def test_guards_say_that_they_do_not_act_while_improve_is_off(
    rules: Path, shop: Path, improve: Improve, person: list[str]
) -> None:
    """The list would else read as if they did."""
    keep(rules, rule())
    assert "no guard acts" not in improve("guard", cwd=shop).err
    improve("off", cwd=shop)
    assert "improve is off here, so no guard acts; switch it on with: improve on" in improve("guard", cwd=shop).err
