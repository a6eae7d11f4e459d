"""`doctor` and the advice of a store that cannot be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from improve import clock, queue

PNPM = "Use pnpm, never npm install"


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ("git: true\ntrust: nobody\n", "line 2: trust: expected agent or verified, found 'nobody'"),
        ("treshold_project: 3\n", "line 1: treshold_project: no such setting"),
        ("git: [true\n", "line"),
    ],
)
def test_a_broken_config_is_reported_beside_the_rest(improve: Improve, rules: Path, settings: str, line: str) -> None:
    """Exit 6 and the line; rules.yaml is looked at with the defaults, and --fix is not offered, for it cannot help."""
    improve("observe", PNPM, "--project", "p")
    (rules.parent / "config.yaml").write_text(settings)
    before = rules.read_bytes()
    for argv in (["doctor"], ["doctor", "--fix"]):
        said = improve(*argv, code=6)
        assert f"WRONG  ~/.agent-improvement/config.yaml: {line}" in said.out
        assert "ok     ~/.agent-improvement/rules.yaml: 1 rules, version 2" in said.out
        assert "--fix" not in said.out
    assert rules.read_bytes() == before
    said = improve("status", code=6)
    assert "Fix it there, then run this again" in said.err
    assert "--fix" not in said.err


def test_a_broken_store_is_advised_to_be_rebuilt(improve: Improve, rules: Path) -> None:
    """`doctor --fix` is offered where it helps: rules.yaml cannot be read."""
    improve("observe", PNPM, "--project", "p")
    rules.write_text(rules.read_text(encoding="utf-8").replace("rules:\n", "rules: [\n"), encoding="utf-8")
    assert "or run: improve doctor --fix" in improve("status", code=6).err
    improve("doctor", "--fix")
    assert improve("status", "--all").code == 0


def test_one_mistyped_rule_is_not_advised_to_be_rebuilt(improve: Improve, rules: Path) -> None:
    """A value somebody mistyped is theirs to mend; making the whole file anew would not."""
    improve("observe", PNPM, "--project", "p")
    rules.write_text(
        rules.read_text(encoding="utf-8").replace("escalation: null", "escalation: everywhere"), encoding="utf-8"
    )
    said = improve("retire", "use-pnpm-never-npm-install", code=6)
    assert "expected global or local" in said.err
    assert "--fix" not in said.err


# --- the switch, the queue, the log of the hooks ---


def test_what_is_off_is_said(improve: Improve, rules: Path, repository: Repository) -> None:
    """Where improve is off, until when, and the command that switches it on; nothing is said when it is on."""
    root = repository("shop")
    improve("observe", PNPM, cwd=root)
    assert "improve is" not in improve("doctor").out
    improve("off", "--for", "2h")
    improve("off", "--project", "--host", "codex")
    said = improve("doctor").out
    assert re.search(r"note   improve is off everywhere until 20\d\d-\d\d-\d\d \d\d:\d\d\n       → improve on\n", said)
    assert "improve is off for codex in github.com/acme/shop until it is switched on" in said
    assert "→ improve on --host codex --project\n" in said
    improve("on")
    assert "improve is" not in improve("doctor").out


def test_a_damaged_switch_is_off_and_said(improve: Improve, rules: Path) -> None:
    """A switch that cannot be understood is off; the command that doctor names mends it."""
    improve("observe", PNPM, "--project", "p")
    (rules.parent / "off.json").write_text("{")
    said = improve("doctor", code=6).out
    assert "WRONG  ~/.agent-improvement/off.json cannot be understood, so improve is off everywhere" in said
    assert "→ improve on" in said
    improve("on")
    improve("doctor")


def test_what_waits_in_the_queue_is_said(improve: Improve, rules: Path) -> None:
    """Prompts that wait are counted, those that nobody can read are named; nothing is deleted."""
    improve("observe", PNPM, "--project", "p")
    folder = rules.parent / "queue"
    queue.hear(str(folder), queue.Heard("k", clock.stamp(), "codex", "s", "/", "no, use uv", "correction"))
    assert "ok     1 typed prompt waits in the queue" in improve("doctor").out
    broken = folder / "heard-0.json"
    broken.write_text("{")
    assert "WRONG  ~/.agent-improvement/queue/heard-0.json: cannot be read" in improve("doctor", code=6).out
    assert broken.exists()


def test_the_log_of_the_hooks_is_shown_for_a_day(home: Path, improve: Improve, rules: Path) -> None:
    """The last lines since yesterday, made harmless; older ones and lines without a time are passed over."""
    improve("observe", PNPM, "--project", "p")
    log = home / ".local" / "state" / "agent-improvement" / "hook.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("2001-01-01T00:00:00+00:00 codex prompt: OSError: old\nnonsense\n")
    assert "trouble" not in improve("doctor").out
    with log.open("a") as stream:
        stream.write(f"{clock.stamp()} codex prompt: OSError: new\x1b[31m\n")
    said = improve("doctor").out
    assert "note   hooks noted trouble, 1 line since yesterday; the last: " in said
    assert "OSError: new" in said
    assert "\x1b" not in said
    assert "old" not in said
