"""Guards in the real hosts; see guarded.py for what is tried."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from real_hosts.agents import AGENTS, Agent, find
from real_hosts.box import Box
from real_hosts.guarded import Guarded
from real_hosts.model import Model
from real_hosts.table import missing

_FIRST = [agent for agent in AGENTS if agent.name in ("claude-code", "codex")]


@contextmanager
def _guarded(agent: Agent, root: Path) -> Iterator[Guarded]:
    """Install for one host, with two rules that have a check and no guard."""
    found = find(agent)
    if found is None:
        pytest.skip(missing(agent))
    box = Box(root, (found.folder,))
    with Model(root / "requests.jsonl") as model:
        agent.prepare(box, model.port)
        guarded = Guarded(agent, found, box, model)
        box.improve("install", agent.name)
        guarded.guards("", "")
        yield guarded


@pytest.mark.real_host
@pytest.mark.timeout(300)
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_a_guard_denies_and_warns(agent: Agent, tmp_path: Path) -> None:
    """Without one there is no hook; a denied call does not run, a warned one does, and the model is told of both."""
    with _guarded(agent, tmp_path / "box") as guarded:
        guarded.none()
        guarded.guards("deny", "warn")
        guarded.denied_and_warned()
        guarded.turned_off()


@pytest.mark.real_host
@pytest.mark.timeout(300)
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: f"{agent.name}-edits")
def test_a_guard_looks_after_files(agent: Agent, tmp_path: Path) -> None:
    """Edits and new files where the guard says are denied, with the reason; elsewhere, or while it is off, all pass."""
    with _guarded(agent, tmp_path / "box") as guarded:
        guarded.guard_files("deny")
        guarded.edited(denied=True)
        guarded.guard_files("")
        guarded.edited(denied=False)


@pytest.mark.real_host
@pytest.mark.timeout(300)
@pytest.mark.parametrize("agent", _FIRST, ids=lambda agent: f"{agent.name}-raising")
def test_a_guard_whose_checks_raise_lets_pass(agent: Agent, tmp_path: Path) -> None:
    """The launcher that `install` wrote starts a package that raises, ends or hangs: everything runs, the log tells."""
    with _guarded(agent, tmp_path / "box") as guarded:
        guarded.guards("deny", "warn")
        guarded.raising()


@pytest.mark.real_host
@pytest.mark.timeout(300)
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: f"{agent.name}-passes")
def test_a_guard_that_is_off_or_broken_lets_pass(agent: Agent, tmp_path: Path) -> None:
    """Switched off, with a program that fails and with one that is gone, everything runs."""
    with _guarded(agent, tmp_path / "box") as guarded:
        guarded.guards("deny", "warn")
        guarded.off()
        guarded.broken()
        guarded.gone()
