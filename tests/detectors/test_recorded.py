"""What recorded sessions of the real programs tell: refusals and stops, and whose they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from improve import transcripts
from improve.detectors import detect
from improve.detectors.finding import SURE, Finding

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
TUI = "tui-denials-question-queued.jsonl"
REASONS = {
    "we use uv here, never pip": "Bash: mkdir pip-thing",
    "use pathlib, not os.path": "Write: /home/user/app/made.py",
    "stop that, never run it": "Bash: tail -f /dev/null",
    "never touch files there": "Bash: touch zzz",
}


def found(host: str, file: str) -> list[Finding]:
    """Detect in all sessions of a recorded file."""
    return [one for session in transcripts.reader(host).read(str(SESSIONS / host / file), 0) for one in detect(session)]


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332"])
def test_the_reasons_of_refusals_are_found_in_claude_code(version: str) -> None:
    """Each reason once, sure, with the call that was refused."""
    refused = [one for one in found("claude-code", f"{version}/{TUI}") if one.signal == "denial"]
    assert {one.words: one.did for one in refused} == REASONS
    assert {one.tier for one in refused} == {SURE}


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332"])
def test_a_refusal_in_a_run_without_a_person_is_nobodys(version: str) -> None:
    """Settings, hooks and the missing terminal refuse calls, too."""
    files = sorted((SESSIONS / "claude-code" / version).rglob("*.jsonl"))
    files = [file for file in files if not file.name.startswith("tui")]
    assert files
    for file in files:
        for one in found("claude-code", str(file.relative_to(SESSIONS / "claude-code"))):
            assert one.signal not in ("denial", "interrupt")


@pytest.mark.parametrize(
    ("host", "file", "words", "did"),
    [
        ("copilot", "tui-deny.events.jsonl", "we use uv here, never pip", "bash: pip install x"),
        ("cline", "tasks/1772355600000/ui_messages.json", "we use pnpm here", "command: npm install x"),
        ("goose", "20250301_090000.jsonl", "always use pnpm", "developer__text_editor: /w/a.py"),
        ("amp", "T-5f1c.json", "use pnpm", "edit_file: /home/user/my app/a.js"),
    ],
)
def test_the_reason_of_a_refusal_is_found_in_other_hosts(host: str, file: str, words: str, did: str) -> None:
    """However a host records it, and whether the words tell a denial or, more exactly, a preference."""
    paths = [path for path in transcripts.reader(host).files(str(SESSIONS / host)) if path.endswith(file)]
    told = {(one.words, one.did): one.signal for path in paths for one in found(host, path)}
    assert told[words, did] in ("denial", "preference")


@pytest.mark.parametrize(
    ("host", "file", "words"),
    [
        ("claude-code", "2.1.332/tui-interrupts-compact-plan.jsonl", "no, shorter please"),
        ("claude-code", "2.1.197/tui-interrupts-compact-plan.jsonl", "no, shorter please"),
        ("pi", "tui-abort.jsonl", "no, use tabs"),
        ("opencode", "tui-abort-and-queue.db", "no, use tabs"),
        ("goose", "20250301_090000.jsonl", "no, tabs"),
    ],
)
def test_what_is_typed_after_a_stop_is_found(host: str, file: str, words: str) -> None:
    """The words, not the stop."""
    paths = [path for path in transcripts.reader(host).files(str(SESSIONS / host)) if path.endswith(file)]
    told = [(one.signal, one.words) for path in paths for one in found(host, path)]
    assert ("interrupt", words) in told


def test_a_subagent_of_any_host_says_nothing() -> None:
    """Whatever an agent asked another one to do was typed by nobody."""
    seen = 0
    for host in ("claude-code", "codex", "copilot", "opencode"):
        reader = transcripts.reader(host)
        for path in reader.files(str(SESSIONS / host)):
            for session in reader.read(path, 0):
                findings = list(detect(session))
                if session.parent:
                    seen += 1
                    assert findings == []
    assert seen
