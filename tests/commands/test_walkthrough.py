"""The source document's complete example, played literally."""

from __future__ import annotations

from pathlib import Path

from commands.conftest import Improve

BEFORE = """version: 1
domain_taxonomy:
  general:
  - python-tooling
  - search-patterns
  - tool-usage
  project_specific:
  - deployment
rules:
- id: use-uv-not-pip
  rule: Use uv tool for Python CLI tools, never pip3 install
  domain: python-tooling
  created: '2026-01-01'
  last_reinforced: '2026-02-01'
  observations:
  - project: alpha
    date: '2026-01-01'
    context: pip3 again
  - project: beta
    date: '2026-01-09'
    context: pip3 again
  - project: beta
    date: '2026-02-01'
    context: pip3 again
  cross_project: true
  total_count: 3
  project_count: 2
  escalation: global
  escalated_at: '2026-02-01'
  written_to:
  - path: /somewhere/AGENTS.md
    date: '2026-02-01'
- id: check-pyproject-first
  rule: Check pyproject.toml before assuming library availability
  domain: tool-usage
  created: '2026-02-01'
  last_reinforced: '2026-02-01'
  observations:
  - project: my-app
    date: '2026-02-01'
    context: assumed numpy
  cross_project: false
  total_count: 1
  project_count: 1
  escalation: null
  escalated_at: null
  written_to: []
"""
GLOB = "use-glob-for-file-pattern-matching-not-grep"


def test_the_source_documents_example_runs_literally(improve: Improve, rules: Path, opencode: Path) -> None:
    """Session start, two observations in two projects, due, an agent's own write, confirm: each prints what it did."""
    rules.parent.mkdir()
    rules.write_text(BEFORE, encoding="utf-8")

    status = improve("status", "--all").out
    assert (
        "  use-uv-not-pip\n"
        "    rule: Use uv tool for Python CLI tools, never pip3 install\n"
        "    count: 3 (cross-project, domain=python-tooling [general])\n"
        "    escalation: global, written_to: 1 files\n"
    ) in status
    assert (
        "  check-pyproject-first\n"
        "    rule: Check pyproject.toml before assuming library availability\n"
        "    count: 1 (single-project, domain=tool-usage [general])\n"
        "    escalation: none, written_to: 0 files\n"
    ) in status
    assert status.index("use-uv-not-pip") < status.index("check-pyproject-first")

    text = "Use glob for file pattern matching, not grep"
    first = improve(
        "observe",
        text,
        "--project",
        "my-app",
        "--domain",
        "search-patterns",
        "--context",
        "user corrected grep usage for file search",
    )
    assert first.first == "RECORDED (count=1) → apply in-session only"
    second = improve(
        "observe",
        text,
        "--project",
        "other-project",
        "--domain",
        "search-patterns",
        "--context",
        "user repeated same correction about grep vs glob",
    )
    assert second.first == "RECORDED (count=2, cross-project, general domain) → candidate for GLOBAL AGENTS.md"

    assert improve("due").out.startswith(
        f"  {GLOB}\n"
        f"    rule: {text}\n"
        "    count: 2, projects: my-app, other-project\n"
        "    → ESCALATE TO: global AGENTS.md\n"
    )

    opencode.write_text(f"# Rules\n\n## Search Patterns\n\n- {text}.\n", encoding="utf-8")
    confirmed = improve("confirm", GLOB, "--scope", "global")
    assert confirmed.first == f"Confirmed: {GLOB} written to ~/.config/opencode/AGENTS.md"
    assert improve("due").out == "Nothing is due.\n"
    assert "Nothing is due." in improve("escalate", "--apply").out
    assert opencode.read_text(encoding="utf-8").count("glob") == 1


def test_a_version_1_file_is_upgraded_on_the_first_write_and_nothing_typed_is_lost(
    improve: Improve, rules: Path
) -> None:
    """The first write sets version 2, keeps a verified copy of the old file, and leaves every old line where it was."""
    rules.parent.mkdir()
    rules.write_text(BEFORE, encoding="utf-8")
    improve("status")
    assert rules.read_text(encoding="utf-8") == BEFORE
    improve("observe", "Name branches after the ticket", "--project", "my-app")
    after = rules.read_text(encoding="utf-8")
    assert after.startswith(BEFORE.replace("version: 1", "version: 2", 1).split("rules:\n")[0])
    for line in BEFORE.splitlines()[9:]:
        assert line in after.splitlines()
    assert (rules.parent / "backup" / "rules-v1.yaml").read_text(encoding="utf-8") == BEFORE
