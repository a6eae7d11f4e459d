"""pi: https://github.com/badlogic/pi-mono/tree/main/packages/coding-agent."""

from __future__ import annotations

from improve.hosts.base import Host, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Whole, template

_folder = directory("PI_CODING_AGENT_DIR", ".pi", "agent")

HOST = Host(
    name="pi",
    title="pi",
    folder=_folder,
    global_file=under(_folder, "AGENTS.md"),
    create_file=under(_folder, "AGENTS.md"),
    skills=shared_skills,
    sessions=(under(_folder, "sessions"),),
    wiring=(Whole(under(_folder, "extensions", "improve.js"), template("pi.js")),),
    # what is given stands in the system prompt, which the extension sets anew in each process
    dialect=Dialect(answer="text", keeps_context=False),
)
