"""Amp: https://ampcode.com/manual."""

from __future__ import annotations

from improve.hosts.base import Host, config_directory, data_directory, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Whole, template

_folder = config_directory("amp")

HOST = Host(
    name="amp",
    title="Amp",
    folder=_folder,
    global_file=under(_folder, "AGENTS.md"),
    create_file=under(_folder, "AGENTS.md"),
    skills=config_directory("agents", "skills"),
    sessions=(data_directory("amp", "threads"),),
    wiring=(Whole(under(_folder, "plugins", "improve.ts"), template("amp.ts")),),
    dialect=Dialect(answer="text"),
    limits=(
        "It does not say when a session ends.",
        "Taken from its documentation and from plugins of others, not seen on the real program.",
    ),
)
