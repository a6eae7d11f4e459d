"""The whole loop in the real hosts; see loop.py for its steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from real_hosts.agents import AGENTS, Agent, find
from real_hosts.table import missing, outcomes


@pytest.mark.real_host
@pytest.mark.timeout(300)
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_the_loop_closes_in_the_real_host(agent: Agent, tmp_path: Path) -> None:
    """Installed once, a host is told each rule once, its corrections are kept, and nothing is left afterwards."""
    if find(agent) is None:
        pytest.skip(missing(agent))
    taken = list(outcomes(agent, tmp_path / "box"))
    wrong = [f"{each.step} {each.state}: {each.reason}" for each in taken if each.state != "ok"]
    assert not wrong, "\n\n".join(wrong)
