"""Any other agent that reads AGENTS.md: https://agents.md."""

from __future__ import annotations

from improve.hosts.base import Host

HOST = Host(
    name="generic",
    title="Any other agent",
    limits=("Nothing is known of it but that it reads AGENTS.md.",),
)
