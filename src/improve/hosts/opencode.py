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
    # a plugin makes OpenCode install a package of its own before it starts; without a network it would try for 70 s
    wiring=(
        Whole(under(_folder, "plugins", "improve.js"), template("opencode.js")),
        Whole(under(_folder, ".npmrc"), template("opencode.npmrc"), optional=True),
    ),
    # what is given stands in no message: the plugin gives it with each call of the model
    dialect=Dialect(answer="text", keeps_context=False),
    limits=(
        "With any plugin, the first start in a directory that has a `.opencode` of its own waits until OpenCode has"
        " installed its plugin package there; without a network for up to 70 seconds, each time.",
        "In version 2 the shell does not say which session it belongs to; that version is taken from its documentation,"
        " not seen on the real program.",
    ),
)
