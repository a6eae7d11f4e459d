"""A transcript that somebody names is known by its own reader and by no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from improve import transcripts
from transcripts.conftest import SESSIONS, needs_real, real

_BESIDE = (
    ".rows.jsonl", ".sql", ".txt", "workspace.json", "history_item.json", "api_conversation_history.json",
    "taskHistory.json", "tool_log.jsonl", "1772.json",
)  # fmt: skip
"""How names end of files that are no transcripts: recorded rows and dumps, expectations, what is read with another."""
_REAL = {"copilot-cli": "copilot", "claude-history": "claude-code", "codex-history": "codex"}
_OTHERS = {"ses_463784f84ffeqBuWHJH0ujE316.jsonl"}
"""Real files that are in none of the formats."""


def _claimed(path: Path) -> list[str]:
    head = path.read_bytes()[:4096]
    return [row.name for row in transcripts.ROWS if transcripts.reader(row.name).claims(str(path), head)]


def _recorded() -> list[Path]:
    return sorted(path for path in SESSIONS.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", _recorded(), ids=lambda path: str(path.relative_to(SESSIONS)))
def test_a_recorded_session_is_claimed_by_its_reader_alone(path: Path) -> None:
    """Whatever the directory is called; what is no session is claimed by none."""
    is_text = path.name.endswith(_BESIDE) and "agent-transcripts" not in path.parts
    assert _claimed(path) == ([] if is_text else [path.relative_to(SESSIONS).parts[0]])


@needs_real
def test_a_real_transcript_is_claimed_by_its_reader_alone() -> None:
    """The same for files of other people's machines."""
    for folder in sorted(path for path in real("").iterdir() if path.is_dir()):
        for path in folder.iterdir():
            other = any(path.name.endswith(name) for name in _OTHERS)
            assert _claimed(path) == ([] if other else [_REAL.get(folder.name, folder.name)]), path.name


@pytest.mark.parametrize("head", [b"", b"\0" * 4096, b"{}", b"[]", b"{" * 4096, b"# Notes\n\n- one\n", b"\xff\xfe{\0"])
@pytest.mark.parametrize(
    "name", ["notes.md", "data.json", "log.jsonl", "main.db", "README", ".txt", "a.vscdb", "T.json"]
)
def test_any_other_file_is_claimed_by_none(tmp_path: Path, name: str, head: bytes) -> None:
    """A document, a log or a database of something else is no session."""
    (tmp_path / name).write_bytes(head)
    assert _claimed(tmp_path / name) == []
