"""pi: https://github.com/badlogic/pi-mono/tree/main/packages/coding-agent."""

from __future__ import annotations

from improve.hosts.base import Host, directory, under

_folder = directory("PI_CODING_AGENT_DIR", ".pi", "agent")

HOST = Host(
    name="pi",
    title="pi",
    folder=_folder,
    global_file=under(_folder, "AGENTS.md"),
    create_file=under(_folder, "AGENTS.md"),
    marks=("PI_SESSION_ID",),
    session_variable="PI_SESSION_ID",
)
