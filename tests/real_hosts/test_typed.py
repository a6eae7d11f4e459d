"""What only a keyboard shows: a correction typed while the agent is at work."""

from __future__ import annotations

from pathlib import Path

import pytest

from real_hosts import screen
from real_hosts.agents import ClaudeCode, find
from real_hosts.box import Box
from real_hosts.loop import CORRECTION, OTHER_CORRECTION, UNWRITTEN
from real_hosts.model import Model, Say, Shell
from real_hosts.table import missing

CLAUDE_CODE = ClaudeCode()


@pytest.mark.real_host
@pytest.mark.timeout(300)
def test_what_is_typed_while_claude_code_works_is_heard(tmp_path: Path) -> None:
    """What is typed at the prompt and into a running turn is in the inbox, once each, of one session."""
    found = find(CLAUDE_CODE)
    if found is None:
        pytest.skip(missing(CLAUDE_CODE))
    if not screen.there():
        pytest.skip("no tmux, so there is no terminal to type in")
    box = Box(tmp_path / "box", (found.folder,))
    with Model(box.root / "requests.jsonl") as model:
        CLAUDE_CODE.prepare(box, model.port)
        box.improve("observe", UNWRITTEN.text)
        box.improve("install", "claude-code")
        model.play(Shell("touch started; sleep 4"), Say("First thing done."), Say("Second thing done."))
        _type_into_a_running_turn(box, found.program)
        for request in model.asked:
            assert request.count(UNWRITTEN.marker) == 1, request.around(UNWRITTEN.marker)
    candidates = box.answer("inbox", "--all")["candidates"]
    assert sorted(each["words"] for each in candidates) == sorted([CORRECTION, OTHER_CORRECTION])
    assert len({each["session"] for each in candidates}) == 1


def _type_into_a_running_turn(box: Box, program: str) -> None:
    with screen.Screen(box, program, "--permission-mode", "default", "--allowedTools", "Bash") as terminal:
        terminal.wait_for("❯")
        terminal.type(CORRECTION)
        terminal.wait_for("sleep 4")
        terminal.type(OTHER_CORRECTION)
        terminal.wait_for("(First|Second) thing done")
        terminal.type("/exit")
        terminal.wait_for("ENDED WITH 0")
