"""What the plugins do about calls of tools while a rule has a guard: nothing else, and nothing without one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hosts.stage import LIMIT, PLAYER, SOON, Box, node
from improve.stamp import DENIED, STAMP

KINDS = ("opencode", "pi", "amp")
DENY = f"{DENIED} and has not run. Rule use-uv: Use uv"
WARN = f"{STAMP}: this call goes against a rule"
GOOD = """cat > "$BOX/said.$$"; mv "$BOX/said.$$" "$BOX/$(date +%s%N)-$$-$1-$2.json"
[ "$2" = pre-tool ] && cat "$BOX/verdict"; exit 0"""
GUARDED = "rules:\n  - id: use-uv\n    rule: Use uv\n    guard: deny\n"
PLAIN = "rules:\n  - id: use-uv\n    rule: Use uv to safeguard: nothing\n"


def before(kind: str, command: str = "pip install x") -> dict[str, Any]:
    """Give the step in which the host is about to call its shell."""
    arguments = {"command": command}
    ways: dict[str, tuple[str, list[Any]]] = {
        "opencode": ("tool.execute.before", [{"tool": "bash", "sessionID": "s1", "callID": "c1"}, {"args": arguments}]),
        "pi": ("tool_call", [{"toolName": "bash", "toolCallId": "c1", "input": arguments}]),
        "amp": ("tool.call", [{"tool": "Bash", "input": arguments, "thread": {"id": "s1"}}]),
    }
    call, args = ways[kind]
    return {"call": call, "with": args}


def after(kind: str, call: str = "c1") -> dict[str, Any]:
    """Give the step in which the call is over."""
    ways: dict[str, tuple[str, list[Any]]] = {
        "opencode": ("tool.execute.after", [{"tool": "bash", "sessionID": "s1", "callID": call}, {"output": "out"}]),
        "pi": ("tool_result", [{"toolCallId": call, "content": [{"type": "text", "text": "out"}], "isError": False}]),
    }
    name, args = ways[kind]
    return {"call": name, "with": args}


def answering(root: Path, kind: str, verdict: object, *, rules: str | None = GUARDED, limit: float = LIMIT) -> Box:
    """Make a host whose launcher answers each call in one way."""
    box = Box(root, kind, GOOD, limit)
    (root / "verdict").write_text(verdict if isinstance(verdict, str) else json.dumps(verdict), encoding="utf-8")
    if rules is not None:
        (root / "rules.yaml").write_text(rules, encoding="utf-8")
    return box


def play(box: Box, *steps: dict[str, Any], **more: str) -> list[dict[str, Any]]:
    """Run through steps in which a handler may throw."""
    env = {name: value for name, value in os.environ.items() if name != "AGENT_IMPROVEMENT_HOME"} | more
    said = {"steps": steps, "cwd": str(box.project), "session": "s1", "file": "/t/s1.jsonl"}
    argv = [node(), "--no-warnings", str(PLAYER), box.kind, str(box.plugin)]
    done = subprocess.run(argv, input=json.dumps(said), capture_output=True, text=True, timeout=60, env=env)
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    assert all(row["known"] for row in rows)
    return rows


def denied(kind: str, row: dict[str, Any]) -> str:
    """Give the reason for which a call is denied, in the host's own way; empty when it goes on."""
    gave = row.get("gave") or {}
    if kind == "opencode":
        return str(row.get("error", "")).removeprefix("Error: ")
    if kind == "pi":
        return str(gave["reason"]) if gave.get("block") is True else ""
    return str(gave["message"]) if gave.get("action") == "reject-and-continue" else ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_denied_call_is_told_in_the_hosts_own_way(kind: str, tmp_path: Path) -> None:
    """The launcher is told tool, arguments, session and directory; its reason is the host's reason, word for word."""
    box = answering(tmp_path, kind, {"deny": DENY})
    (row,) = play(box, before(kind))
    assert denied(kind, row) == DENY
    ((event, said),) = box.told()
    assert event == "pre-tool"
    assert (said["tool_name"].lower(), said["tool_input"]) == ("bash", {"command": "pip install x"})
    assert (said["session_id"], said["cwd"]) == ("s1", str(box.project))


@pytest.mark.parametrize("kind", ["opencode", "pi"])
def test_a_warning_comes_with_the_result_of_its_call_once(kind: str, tmp_path: Path) -> None:
    """The call goes on, and behind what came of it stands the warning; other results stay as they are."""
    box = answering(tmp_path, kind, {"warn": WARN})
    rows = play(box, before(kind), after(kind, "c2"), after(kind), after(kind))
    assert not denied(kind, rows[0])
    if kind == "opencode":
        assert [row["args"][1]["output"] for row in rows[1:]] == ["out", f"out\n\n{WARN}", "out"]
    else:
        told = [[part["text"] for part in row["gave"]["content"]] if row.get("gave") else [] for row in rows[1:]]
        assert told == [[], ["out", WARN], []]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", [PLAIN, None, ""])
def test_without_a_guard_no_process_is_started(kind: str, rules: str | None, tmp_path: Path) -> None:
    """Where no rule has a guard, or there are no rules, a call waits for nothing."""
    box = answering(tmp_path, kind, {"deny": DENY}, rules=rules)
    rows = play(box, before(kind), before(kind))
    assert not any(denied(kind, row) for row in rows)
    assert box.told() == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", ["rules: [{id: a, guard: deny}]\n", 'rules:\n- "guard" : warn\n', "guard: observe"])
def test_a_guard_is_seen_however_it_is_typed(kind: str, rules: str, tmp_path: Path) -> None:
    """A guard in any style of YAML makes the plugin ask."""
    box = answering(tmp_path, kind, {"deny": DENY}, rules=rules)
    assert denied(kind, play(box, before(kind))[0]) == DENY


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "verdict",
    [
        "",
        "{}",
        "null",
        "[]",
        "no JSON",
        '{"deny": 7}',
        '{"deny": ""}',
        '{"deny": "from somebody else"}',
        "improve-rules",
    ],
)
def test_any_other_answer_lets_pass(kind: str, verdict: str, tmp_path: Path) -> None:
    """Only a reason of ours denies; what is empty, broken or somebody else's does not."""
    box = answering(tmp_path, kind, verdict)
    assert not denied(kind, play(box, before(kind))[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("script", ["exec sleep 300", "exit 3", "head -c 1000000 /dev/zero | tr '\\0' x", None])
def test_a_slow_broken_or_gone_launcher_lets_pass(kind: str, script: str | None, tmp_path: Path) -> None:
    """Whatever becomes of the launcher, the call goes on after the limit at the latest."""
    box = Box(tmp_path, kind, script, SOON)
    (tmp_path / "rules.yaml").write_text(GUARDED, encoding="utf-8")
    (row,) = play(box, before(kind))
    assert not denied(kind, row)
    assert row["ms"] < (SOON + 2) * 1000


@pytest.mark.parametrize("kind", KINDS)
def test_calls_of_an_unknown_shape_pass(kind: str, tmp_path: Path) -> None:
    """A handler that is given nothing, or something else than it knows, denies nothing and does not throw."""
    box = answering(tmp_path, kind, {})
    strange: list[list[Any]] = [[], [None], [{}], [{}, {}], [[], 7], ["x", "y"]]
    names = [before(kind)["call"], *([after(kind)["call"]] if kind != "amp" else [])]
    rows = play(box, *({"call": name, "with": args} for name in names for args in strange))
    assert not any(denied(kind, row) for row in rows)


def test_the_store_that_a_variable_names_is_looked_at(tmp_path: Path) -> None:
    """The launcher looks after the store that AGENT_IMPROVEMENT_HOME names, and so does the plugin."""
    box = answering(tmp_path, "pi", {"deny": DENY})
    other = tmp_path / "other"
    other.mkdir()
    assert not denied("pi", play(box, before("pi"), AGENT_IMPROVEMENT_HOME=str(other))[0])
    (other / "rules.yaml").write_text(GUARDED, encoding="utf-8")
    assert denied("pi", play(box, before("pi"), AGENT_IMPROVEMENT_HOME=str(other))[0]) == DENY
