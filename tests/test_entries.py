"""Our entries are found by their commands, wherever others put them, and only they go."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import hosts
from improve.hosts.wiring import Settings, called, command
from improve.jsontext import Unfit
from improve.workflow import entries

HOSTS = {name: part for name in hosts.names() for part in hosts.host(name).wiring if isinstance(part, Settings)}
LAUNCHER = "/home/u/.agent-improvement/bin/improve-hook"

_others = st.sampled_from(
    ["other --hook", "improve-hook codex stop", f"{LAUNCHER} codex prompt", "[ -x /x ] && /x codex stop || true", "'"]
)


@st.composite
def states(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Make a host's settings as other tools left them."""
    name = draw(st.sampled_from(sorted(HOSTS)))
    part = HOSTS[name]
    events = [hook.theirs for hook in part.hooks] + ["SomethingElse"]
    value: dict[str, Any] = {"version": 1} if part.shape == "flat" else {}
    for event in draw(st.lists(st.sampled_from(events), unique=True)):
        lines = draw(st.lists(_others, max_size=3))
        one = [{"type": "command", "command": line} for line in lines]
        rows = one if part.shape == "flat" else [{"matcher": "x", "hooks": [handler]} for handler in one]
        value.setdefault("hooks", {})[event] = rows
    return name, value


def without_ours(value: Any, name: str) -> Any:
    """Take our handlers out of a parsed file, and the groups that held nothing else."""
    left = copy.deepcopy(value)
    for event, rows in left.get("hooks", {}).items():
        kept = []
        for row in rows:
            if "hooks" in row:
                row["hooks"] = [h for h in row["hooks"] if not called(h.get("command", ""))]
                kept += [row] if row["hooks"] else []
            elif not called(row.get("command", "")):
                kept.append(row)
        left["hooks"][event] = kept
    return left


@given(states(), st.sampled_from([None, 2, "\t"]))
def test_in_and_out(state: tuple[str, dict[str, Any]], indent: Any) -> None:
    """Ours come last in each event, once; out again, the text is the one of before."""
    name, value = state
    text = json.dumps(value, indent=indent)
    change = entries.put_in(text, HOSTS[name], name, LAUNCHER)
    after = json.loads(change.text)
    assert without_ours(after, name).get("hooks", {}).items() >= value.get("hooks", {}).items()
    for hook in HOSTS[name].hooks:
        assert command(LAUNCHER, name, hook.event) in json.dumps(after["hooks"][hook.theirs][-1])
    assert entries.put_in(change.text, HOSTS[name], name, LAUNCHER).splices == ()
    out = entries.take_out(change.text, HOSTS[name], lambda entry: entry.launcher == LAUNCHER, change.made)
    assert json.loads(out.text) == value
    assert out.text == text or not value.get("hooks") or not all(value["hooks"].values())


@given(states(), st.randoms())
def test_out_after_others_moved_everything(state: tuple[str, dict[str, Any]], random: Any) -> None:
    """Whatever order and grouping others gave the file, exactly our handlers go."""
    name, value = state
    moved = json.loads(entries.put_in(json.dumps(value), HOSTS[name], name, LAUNCHER).text)
    for rows in moved["hooks"].values():
        random.shuffle(rows)
        if HOSTS[name].shape == "groups" and len(rows) > 1 and random.random() < 0.5:
            rows[0]["hooks"] += rows.pop(1)["hooks"]
    text = json.dumps(moved, indent=random.choice([None, 1]))
    out = entries.take_out(text, HOSTS[name], lambda entry: True, ())
    assert json.loads(out.text) == without_ours(moved, name)
    assert entries.find(json.loads(out.text)) == []


@pytest.mark.parametrize(
    "line",
    [
        "improve-hook codex stop",
        "/a/improve-hook codex stop",
        "[ -x /a/improve-hook ] && /b/improve-hook codex stop || true",
        "[ -x /a/other ] && /a/other codex stop || true",
        "[ -x /a/improve-hook ] && /a/improve-hook codex stop || true; rm -rf x",
        "[ -x /a/improve-hook ] && /a/improve-hook codex stop || false",
        "[ -x  /a/improve-hook ] && /a/improve-hook codex stop || true",
        "",
        "'",
    ],
)
def test_what_only_looks_like_ours_is_not(line: str) -> None:
    """A command that we never wrote belongs to the person, even when it calls our launcher."""
    assert called(line) is None


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20))
def test_a_command_is_read_back(folder: str) -> None:
    """Wherever the launcher is, its command is recognized."""
    launcher = f"/{folder}/improve-hook"
    assert called(command(launcher, "codex", "stop")) == (launcher, "codex", "stop")


@pytest.mark.parametrize("version", [2, "1.5", None, True, [1]])
def test_another_version_is_refused(version: Any) -> None:
    """A hooks file of a version we do not know is not touched."""
    with pytest.raises(Unfit, match="version"):
        entries.put_in(json.dumps({"version": version}), HOSTS["cursor"], "cursor", LAUNCHER)


def test_the_version_is_added_and_goes_with_our_entries() -> None:
    """A file without its version gets one, before the hooks; it goes when nothing else is left."""
    change = entries.put_in("{}", HOSTS["cursor"], "cursor", LAUNCHER)
    assert list(json.loads(change.text)) == ["version", "hooks"]
    assert entries.take_out(change.text, HOSTS["cursor"], lambda entry: True, change.made).text == "{}"
    kept = change.text.replace('"version"', '"mine": 1, "version"')
    left = entries.take_out(kept, HOSTS["cursor"], lambda entry: True, change.made).text
    assert json.loads(left) == {"mine": 1, "version": 1}
