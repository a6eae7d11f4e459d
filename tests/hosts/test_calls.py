"""What each host tells of a call of a tool is understood, and what it is answered has the shape it was seen to obey.

The events in tests/data/calls are recorded from the real programs, or, where `seen` says so, written from their
documentation; `TEXT` stands for our words.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guarding import PIP, Guarding, rule
from improve import guards, hosts
from improve.hosts.wiring import TOOL_EVENTS, Settings
from improve.stamp import DENIED, STAMP
from improve.transcripts import calling

DATA = Path(__file__).parents[1] / "data" / "calls"
HOSTS = sorted(path.stem for path in DATA.glob("*.json"))
each = pytest.mark.parametrize("host", HOSTS)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Guarding:
    """A store with one rule for everywhere."""
    return Guarding(tmp_path_factory.mktemp("world"))


def recorded(host: str) -> dict[str, Any]:
    """Read what was recorded of a host."""
    said: dict[str, Any] = json.loads((DATA / f"{host}.json").read_text(encoding="utf-8"))
    return said


def at(said: Any, key: str) -> Any:
    """Follow a dotted path of keys."""
    for part in key.split("."):
        said = said[part]
    return said


def answer(world: Guarding, host: str, said: dict[str, Any], mode: str, event: str = "pre-tool") -> Any:
    """Ask a guard about a recorded event."""
    world.keep(rule(mode=mode, explicit_scope="global", check=PIP._replace(deny=("pip install", "echo ran"))))
    told = world.call(host=host, event=event, said=json.dumps(said).encode())
    assert (told.code, told.err) == (0, "")
    return json.loads(told.out) if told.out else None


def shape(value: Any) -> Any:
    """Put TEXT in the place of our words."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    return "TEXT" if isinstance(value, str) and value.startswith(STAMP) else value


def test_every_host_that_asks_us_has_its_events() -> None:
    """No host with a hook on calls of tools, or a plugin of ours, is without a recorded event."""
    asking = {
        host.name
        for host in hosts.all_hosts()
        if host.wiring and (host.dialect.denies != "none" or host.dialect.warns != "none")
    }
    assert asking == set(HOSTS)
    for host in map(hosts.host, HOSTS):
        wired = {h.event for part in host.wiring if isinstance(part, Settings) for h in part.hooks} & set(TOOL_EVENTS)
        assert ("post-tool" in wired) == bool(recorded(host.name)["event"]["after"])


@each
def test_the_call_is_understood(host: str) -> None:
    """Tool and arguments are where the host's row says; they make a call of the shell with its command line."""
    dialect = hosts.host(host).dialect
    said = recorded(host)
    for event in (said["event"]["before"], *said["event"]["after"]):
        call = calling.call(at(event, dialect.tool), at(event, dialect.arguments))
        assert call.kind == said["call"]["kind"]
        assert call.subject == next(iter(v for k, v in call.input.items() if k in ("command", "cmd")))
        assert call.subject.startswith(("pip install requests", "echo ran"))


@each
def test_a_denied_call_is_answered_in_the_hosts_form(world: Guarding, host: str) -> None:
    """The answer has exactly the shape the host obeys, with our reason in it; nothing is said after the call."""
    said = recorded(host)
    found = answer(world, host, said["event"]["before"], "deny")
    assert shape(found) == said["denies"]
    assert DENIED in json.dumps(found)
    assert len(json.dumps(found)) < 3 * guards.REASON
    for event in said["event"]["after"]:
        assert answer(world, host, event, "deny", "post-tool") is None


@each
def test_a_warned_call_is_answered_in_the_hosts_form(world: Guarding, host: str) -> None:
    """The warning comes before the call or after it, never twice, and decides nothing."""
    said = recorded(host)
    before, after = said["event"]["before"], said["event"]["after"]
    wanted = said.get("warns")
    assert shape(answer(world, host, before, "warn")) == (None if after else wanted)
    for event in after:
        assert shape(answer(world, host, event, "warn", "post-tool")) == wanted


@each
def test_to_observe_says_nothing(world: Guarding, host: str) -> None:
    """A guard that only watches answers nothing and notes what it saw, once for each call."""
    said = recorded(host)
    seen = len(world.fired())
    assert answer(world, host, said["event"]["before"], "observe") is None
    for event in said["event"]["after"]:
        assert answer(world, host, event, "observe", "post-tool") is None
    assert len(world.fired()) == seen + 1
