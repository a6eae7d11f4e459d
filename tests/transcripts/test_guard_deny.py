"""A call that a guard of ours denied, as each real program records it: ended by a rule, and nobody's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from improve import cue, guards, transcripts
from improve.detectors import detect
from improve.guards import Fired, Guard
from improve.session import AGENT, BY_RULE, PERSON, SHELL, TOOL, Call, Result, Turn
from improve.stamp import DENIED
from transcripts import opencode_rows
from transcripts.conftest import SESSIONS

RECORDED = {
    "claude-code": "2.1.332/guard-deny.jsonl",
    "codex": "guard-deny.jsonl",
    "copilot": "guard-deny.events.jsonl",
    "gemini": "guard-deny.jsonl",
    "opencode": "guard-deny.rows.jsonl",
    "pi": "guard-deny.jsonl",
    "qwen": "guard-deny.jsonl",
}


def turns(host: str, tmp_path: Path) -> list[Turn]:
    """Read the one session of a host."""
    path = SESSIONS / host / RECORDED[host]
    if host == "opencode":
        path = opencode_rows.database(tmp_path / "opencode.db", opencode_rows.recorded(path))
    return [turn for session in transcripts.reader(host).read(str(path), 0) for turn in session]


@pytest.mark.parametrize("host", RECORDED)
def test_the_denied_call_ended_by_a_rule(host: str, tmp_path: Path) -> None:
    """Of three calls the first was denied by our guard, with its reason; the two others ran."""
    results = [result for turn in turns(host, tmp_path) for result in turn.results]
    assert [(result.ended, result.failed) for result in results] == [(BY_RULE, True), ("", False), ("", False)]
    assert DENIED in results[0].text
    assert not any(result.reason for result in results)


@pytest.mark.parametrize("host", RECORDED)
def test_our_words_are_nobodys(host: str, tmp_path: Path) -> None:
    """Neither a denial nor a warning of ours is what a person said, and no detector finds anything in it."""
    read = turns(host, tmp_path)
    assert [turn.text for turn in read if turn.who == PERSON] == ["please add the http client"]
    assert list(detect(iter(read), least=1)) == []


def test_the_reason_begins_as_readers_know_it() -> None:
    """What a guard says to a host that records it as any other error is known by its beginning."""
    guard = Guard("use-uv", "Use uv", "deny", "shell", (), ("pip install",), (), (), ("*",))
    for mode in ("deny", "warn"):
        text = guards.told(mode, [Fired(guard._replace(mode=mode), "pip install x")])
        assert text.startswith(DENIED) == (mode == "deny")
        assert not cue.signal_of(cue.words_only(text))


def test_a_model_that_tries_again_and_again_taught_nobody_anything() -> None:
    """Denied five times and then done otherwise, as the rule says: that is no failure worth a rule of its own."""
    said = f"{DENIED} and has not run. Rule use-uv: Use uv"
    session = [Turn(PERSON, how="typed", text="please add the http client")]
    for number, line in enumerate(["pip install x"] * 5 + ["uv add x"]):
        call = Call(str(number), "Bash", SHELL, line, {"command": line})
        denied = Result(str(number), True, said, BY_RULE) if "pip" in line else Result(str(number), False, "added")
        session += [Turn(AGENT, calls=(call,)), Turn(TOOL, results=(denied,), failed=denied.failed)]
    assert list(detect(iter(session), least=1)) == []
