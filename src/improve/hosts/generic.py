"""Any other agent that reads AGENTS.md: https://agents.md."""

from __future__ import annotations

import os

from improve.hosts import chain
from improve.hosts.base import Host, Loaded, Spot


def _chain(spot: Spot) -> list[Loaded]:
    steps = chain.upward(spot.cwd, spot.root or spot.cwd)
    found = chain.present(os.path.join(step, "AGENTS.md") for step in steps)
    return found + chain.below(spot.cwd, ("AGENTS.md",))


HOST = Host(
    name="generic",
    title="Any other agent",
    chain=_chain,
    limits=("Nothing is known of it but that it reads AGENTS.md.",),
)
