"""How the steps are taken and shown, without any host."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from real_hosts import table
from real_hosts.agents import AGENTS
from real_hosts.loop import Loop
from real_hosts.steps import STEPS, Outcome, play

ROOT = Path(__file__).resolve().parents[2]


class Played:
    """Steps that fail where they are told to."""

    def __init__(self, failing: dict[str, Exception], reached: set[str]) -> None:
        self.failing, self.reached, self.taken = failing, reached, list[str]()

    def __getattr__(self, step: str) -> object:
        def take() -> None:
            self.taken.append(step)
            if step in self.failing:
                raise self.failing[step]

        return take


def _states(played: Played) -> dict[str, str]:
    return {outcome.step: outcome.state for outcome in play(played)}


def test_the_loop_has_a_method_for_every_step() -> None:
    """Each step is there, says what it is about, and needs only one that comes before it."""
    for number, (step, needed) in enumerate(STEPS.items()):
        assert getattr(Loop, step).__doc__
        assert needed == "" or needed in list(STEPS)[:number]


def test_steps_that_all_go_well_are_ok() -> None:
    """Every step is taken once, in order."""
    played = Played({}, set())
    assert set(_states(played).values()) == {"ok"}
    assert played.taken == list(STEPS)


def test_a_step_that_lacks_what_it_needs_is_skipped() -> None:
    """What cannot be done any more is not tried, and everything else is."""
    states = _states(Played({"resume": AssertionError("expected once")}, set()))
    assert {step for step, state in states.items() if state == "skipped"} == {"inbox", "occasion"}
    assert states["resume"] == "failed"
    assert states["uninstall"] == "ok"


def test_a_step_that_failed_late_lets_the_next_ones_be_taken() -> None:
    """A session that took place is looked at further, though one thing in it was wrong."""
    states = _states(Played({"resume": AssertionError("expected once")}, {"resume"}))
    assert [step for step, state in states.items() if state != "ok"] == ["resume"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [(AssertionError("expected 1, found 2"), "expected 1, found 2"), (KeyError("id"), "KeyError('id')")],
)
def test_the_reason_is_what_was_expected_or_what_broke(error: Exception, reason: str) -> None:
    """A failed step says why; it is never taken as passed because it broke."""
    failed = [outcome for outcome in play(Played({"brief": error}, {"brief"})) if outcome.state == "failed"]
    assert [(outcome.step, outcome.reason) for outcome in failed] == [("brief", reason)]


@pytest.mark.parametrize(
    ("states", "code"), [(["ok"] * 3, 0), (["skipped"], 0), (["ok", "failed", "ok"], 1), (["failed", "skipped"], 1)]
)
def test_the_table_fails_when_a_step_did(
    states: list[str], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1 if any step of any host failed; what was skipped is no failure."""
    taken = [Outcome(step, state, "why" if state != "ok" else "", 1.0) for step, state in zip(STEPS, states)]  # noqa: B905
    monkeypatch.setattr(table, "outcomes", lambda agent, _: iter(taken if agent.name == "codex" else []))
    assert table.main([]) == code
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["host", *STEPS, "seconds"]
    row = next(line.split() for line in shown if line.startswith("codex"))
    assert row[1 : len(states) + 1] == states
    assert {line.split()[0] for line in shown if line[0] != " "} == {"host", *(agent.name for agent in AGENTS)}


def _script(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "real-hosts"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def test_the_script_says_how_to_install_the_hosts() -> None:
    """`scripts/real-hosts --help` names every host and the packages it was tested with."""
    told = _script("--help").stdout
    assert all(agent.name in told and agent.package in told for agent in AGENTS)


def test_the_script_refuses_a_host_it_does_not_know() -> None:
    """A misspelt host is a usage error that lists the hosts, not a run of nothing."""
    ran = _script("codecs")
    assert ran.returncode == 2
    assert "unknown host 'codecs'; the hosts are: claude-code, codex" in ran.stderr


def test_the_script_skips_what_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that is not there is skipped with the reason, and that is no failure."""
    monkeypatch.setenv("REAL_HOSTS", str(tmp_path))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    if any((Path(folder) / "pi").exists() for folder in ("/usr/bin", "/bin")):
        pytest.skip("there is a pi in the system's own directories")
    ran = _script("pi")
    assert ran.returncode == 0
    assert "pi skipped: no program 'pi' below $REAL_HOSTS or on PATH" in ran.stdout
