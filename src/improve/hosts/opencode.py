"""OpenCode: https://opencode.ai/docs/rules/, https://opencode.ai/docs/plugins/."""

from __future__ import annotations

import os

from improve.hosts.base import Host, config_directory, data_directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Whole, template

_folder = config_directory("opencode")

HOST = Host(
    name="opencode",
    title="OpenCode",
    folder=_folder,
    global_file=under(_folder, "AGENTS.md"),
    create_file=under(_folder, "AGENTS.md"),
    borrows=(lambda user, _: os.path.join(user, ".claude", "CLAUDE.md"),),
    skills=shared_skills,
    sessions=(data_directory("opencode", "opencode.db"), data_directory("opencode", "storage")),
    wiring=(Whole(under(_folder, "plugins", "improve.js"), template("opencode.js")),),
    dialect=Dialect(answer="text"),
)
