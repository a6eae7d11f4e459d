"""The hook before a call of a tool stands in a host's settings exactly while a guard is on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve
from commands.installing import CONTENTS, FILES, FOLDERS, commands, tree
from improve import clock, entry, hosts
from improve.hosts.wiring import TOOL_EVENTS, called
from improve.rule import Check, Observation, Rule
from improve.workflow import install
from improve.workflow.here import Here
from improve.workflow.install import follow_guards, installed

SEEN = tuple(Observation("unknown", "2026-01-01", session=f"s{n}", provenance="person", oid=f"o{n}") for n in "ab")
RULE = Rule("use-uv", "Use uv, never pip install", observations=SEEN, check=Check("shell", ("pip install",)))
OTHERS = ("copilot", "cline", "goose", "opencode", "pi", "amp")


def look() -> Here:
    """Look around in the fenced home."""
    return Here.from_environment(os.environ, clock.now())


def guard(rules: Path, mode: str) -> None:
    """Write a rule whose guard does something, or nothing."""
    rules.parent.mkdir(exist_ok=True)
    rules.write_text("version: 2\nrules:\n" + entry.render(RULE._replace(guard=mode)), encoding="utf-8")


@pytest.fixture
def everyone(home: Path) -> Path:
    """Put every agent on the machine; gives the home."""
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True)
    return home


def events(host: str) -> set[str]:
    """List the events of a host that are wired now."""
    return {each.event for each in installed(look()) if each.host == host and each.state == "ok"}


def asks(home: Path, host: str) -> bool:
    """Say whether a host's files call us about calls of tools."""
    there = [Path(part.file(str(home), os.environ)) for part in hosts.host(host).wiring]
    lines = [line for path in there if path.is_file() for line in path.read_text(encoding="utf-8").splitlines()]
    return any(f"{host} {event}" in line for line in lines for event in TOOL_EVENTS)


@pytest.mark.parametrize("host", [*FILES, "copilot", "cline"])
def test_the_hook_comes_and_goes_with_the_guard(everyone: Path, rules: Path, improve: Improve, host: str) -> None:
    """Without a guard there is no hook; the first one brings it, the last one takes it, byte for byte."""
    guard(rules, "")
    improve("install", host)
    without = tree(everyone)
    assert not asks(everyone, host)
    guard(rules, "warn")
    assert {step.state for step in follow_guards(look())} <= {"write", "same"}
    assert asks(everyone, host)
    assert "pre-tool" in events(host)
    guard(rules, "")
    follow_guards(look())
    assert not asks(everyone, host)
    now = tree(everyone)
    ours = {str(Path(part.file(str(everyone), os.environ))) for part in hosts.host(host).wiring}
    kept = {name: value for name, value in now.items() if any(str(name) in path for path in ours)}
    assert kept == {name: value for name, value in without.items() if name in kept}


@pytest.mark.parametrize("host", [*FILES, *OTHERS])
def test_it_follows_twice_as_once(everyone: Path, rules: Path, improve: Improve, host: str) -> None:
    """To follow again changes nothing, with a guard and without one."""
    guard(rules, "")
    improve("install", host)
    for mode in ("deny", ""):
        guard(rules, mode)
        follow_guards(look())
        once = tree(everyone)
        assert {step.state for step in follow_guards(look())} <= {"same"}
        assert tree(everyone) == once


@pytest.mark.parametrize("host", ["goose", "opencode", "pi", "amp"])
def test_a_plugin_stays_as_it_is(everyone: Path, rules: Path, improve: Improve, host: str) -> None:
    """A plugin looks for guards itself, so that its file needs no change; what never asks is left alone, too."""
    guard(rules, "")
    improve("install", host)
    paths = [Path(part.file(str(everyone), os.environ)) for part in hosts.host(host).wiring]
    before = [path.read_bytes() for path in paths]
    guard(rules, "deny")
    follow_guards(look())
    assert [path.read_bytes() for path in paths] == before


USUAL = [(number, list(FILES)[number % len(FILES)]) for number in range(len(CONTENTS))]
"""Every content once, and every host; all of both are a nightly matter."""
REST = [(number, host) for number in range(len(CONTENTS)) for host in FILES if (number, host) not in USUAL]


@pytest.mark.parametrize(
    ("number", "host"), [*USUAL, *(pytest.param(*each, marks=pytest.mark.nightly) for each in REST)]
)
def test_uninstall_takes_all_of_it_back(home: Path, rules: Path, improve: Improve, host: str, number: int) -> None:
    """Whatever was in the settings, after a guard came and an uninstall the bytes of before are there."""
    path = home / FILES[host]
    path.parent.mkdir(parents=True)
    data = json.dumps(CONTENTS[number], indent=2).encode()
    path.write_bytes(data)
    guard(rules, "")
    here = look()
    if {step.state for step in install.install(here, [hosts.host(host)])} & {"refused"}:
        assert path.read_bytes() == data
        return
    others = [line for line in commands(path) if not called(line)]
    for mode in ("deny", "", "warn"):
        guard(rules, mode)
        assert "refused" not in {step.state for step in follow_guards(look())}
        assert [line for line in commands(path) if not called(line)] == others
    install.uninstall(look(), [])
    assert path.read_bytes() == data


def test_a_host_that_is_not_wired_stays_so(everyone: Path, rules: Path, improve: Improve) -> None:
    """A guard wires no host that did not call us, and none where a person took our entries out."""
    guard(rules, "")
    improve("install", "codex", "gemini")
    path = everyone / FILES["gemini"]
    path.write_text("{}\n", encoding="utf-8")
    guard(rules, "deny")
    follow_guards(look())
    assert [host for host in (*FILES, *OTHERS) if asks(everyone, host)] == ["codex"]
    assert path.read_text(encoding="utf-8") == "{}\n"


def test_an_entry_that_a_person_took_out_stays_out(everyone: Path, rules: Path, improve: Improve) -> None:
    """The hook for guards comes, and the one for prompts, which a person removed, does not come back with it."""
    guard(rules, "")
    improve("install", "claude-code")
    path = everyone / FILES["claude-code"]
    said = json.loads(path.read_bytes())
    del said["hooks"]["UserPromptSubmit"]
    path.write_text(json.dumps(said, indent=2), encoding="utf-8")
    guard(rules, "deny")
    follow_guards(look())
    assert set(json.loads(path.read_bytes())["hooks"]) == {"SessionStart", "Stop", "SessionEnd", "PreToolUse"}


def test_in_codex_what_was_trusted_stays_where_it_is(everyone: Path, rules: Path, improve: Improve) -> None:
    """Codex knows a hook by event, place and definition: those of before stay, ours comes behind another tool's."""
    guard(rules, "")
    path = everyone / FILES["codex"]
    other = {"matcher": "Bash", "hooks": [{"type": "command", "command": "other-tool"}]}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [other]}}), encoding="utf-8")
    improve("install", "codex")
    before: dict[str, Any] = json.loads(path.read_bytes())["hooks"]
    guard(rules, "deny")
    follow_guards(look())
    after: dict[str, Any] = json.loads(path.read_bytes())["hooks"]
    assert {event: rows[: len(before[event])] for event, rows in after.items()} == before
    assert after["PreToolUse"][0] == other
    assert [len(rows) for rows in after.values()] == [2 if event == "PreToolUse" else 1 for event in after]


def test_an_install_with_a_guard_wires_it_at_once(everyone: Path, rules: Path, improve: Improve) -> None:
    """On a machine that has guards already, `install` puts everything there, and takes it when the last one is off."""
    guard(rules, "observe")
    improve("install")
    ask = [host for host in (*FILES, *OTHERS) if asks(everyone, host)]
    assert ask == [*FILES, "copilot", "cline"]
    guard(rules, "")
    improve("install")
    assert not [host for host in (*FILES, *OTHERS) if asks(everyone, host)]
    assert not (everyone / "Documents/Cline/Hooks/PreToolUse").exists()


@pytest.mark.parametrize(
    ("host", "wanted"),
    [("claude-code", ["pre-tool"]), ("gemini", ["post-tool", "pre-tool"]), ("pi", ["pre-tool"])],
)
def test_doctor_fires_it_harmlessly(
    everyone: Path, rules: Path, improve: Improve, host: str, wanted: list[str]
) -> None:
    """`doctor` runs the hook like the others: nothing is wrong with it, and nothing is noted."""
    guard(rules, "deny")
    improve("install", host)
    journal = rules.parent / "journal.jsonl"
    before = journal.read_bytes() if journal.exists() else b""
    (found,) = json.loads(improve("doctor", "--host", host, "--json").out)["hosts"]
    ran = [run for run in found["runs"] if any(f" {event}" in run["command"] for event in TOOL_EVENTS)]
    assert sorted(run["event"] for run in ran) == wanted
    assert not [run for run in ran if run["trouble"]]
    assert (journal.read_bytes() if journal.exists() else b"") == before


def test_doctor_says_that_a_hook_is_missing(everyone: Path, rules: Path, improve: Improve) -> None:
    """A guard that somebody typed into rules.yaml, or an upgrade, leaves a host unwired until `install`."""
    guard(rules, "")
    improve("install", "claude-code")
    guard(rules, "deny")
    (found,) = json.loads(improve("doctor", "--host", "claude-code", "--json", code=5).out)["hosts"]
    states = {hook["event"]: hook["state"] for hook in found["hooks"]}
    assert states["pre-tool"] == "missing"
    improve("install", "claude-code")
    assert events("claude-code") >= {"pre-tool", "prompt"}


def test_rules_that_cannot_be_read_change_nothing(everyone: Path, rules: Path, improve: Improve) -> None:
    """Where rules.yaml is broken, a guard that was in force keeps its hook."""
    from improve.workflow.guarded import compiled

    guard(rules, "deny")
    improve("install", "claude-code")
    compiled(look())
    rules.write_text("rules: [", encoding="utf-8")
    follow_guards(look())
    assert asks(everyone, "claude-code")
