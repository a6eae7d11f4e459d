"""Codex runs no hook that the person has not looked at: what that takes, and what keeps the trust."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from real_hosts import screen
from real_hosts.agents import Codex, find
from real_hosts.box import Box
from real_hosts.loop import UNWRITTEN
from real_hosts.model import Model
from real_hosts.table import missing

CODEX = Codex()


@pytest.mark.real_host
@pytest.mark.timeout(300)
def test_trusted_once_our_hooks_run_also_after_another_install(tmp_path: Path) -> None:
    """A person trusts the hooks on Codex's own screen; another install and another tool's hook after ours keep that."""
    found = find(CODEX)
    if found is None:
        pytest.skip(missing(CODEX))
    if not screen.there():
        pytest.skip("no tmux, so there is no terminal to trust the hooks in")
    box = Box(tmp_path / "box", (found.folder,))
    with Model(box.root / "requests.jsonl") as model:
        CODEX.prepare(box, model.port)
        box.improve("observe", UNWRITTEN.text)
        box.improve("install", "codex")
        assert _told(box, model, found.program) == 0, "expected Codex to run no hook that nobody trusts"
        _trust(box, found.program)
        assert _told(box, model, found.program) == 1, (
            "expected the rule from the hook, once, after the hooks were trusted"
        )
        box.improve("install", "codex")
        _add_a_hook_of_another_tool(box)
        assert _told(box, model, found.program) == 1, "expected another install to keep the trust"


def _told(box: Box, model: Model, program: str) -> int:
    """Ask something the way a script does, which trusts nothing by itself; count the rule in the question."""
    ran = box.run(program, "exec", "please add a retry helper")
    assert ran.code == 0, ran.told
    return model.asked[-1].count(UNWRITTEN.marker)


def _trust(box: Box, program: str) -> None:
    with screen.Screen(box, program) as terminal:
        terminal.wait_for("Hooks need review")
        terminal.press_until("2", "› 2. Trust all and continue")
        terminal.press("Enter")
        terminal.wait_for("Ask Codex")
        terminal.type("/quit")
        terminal.wait_for("ENDED WITH 0")


def _add_a_hook_of_another_tool(box: Box) -> None:
    path = box.home / ".codex" / "hooks.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["hooks"]["SessionStart"].append({"hooks": [{"type": "command", "command": "true"}]})
    box.write(path, settings)
