"""Cline: https://docs.cline.bot/features/hooks, https://docs.cline.bot/features/cline-rules."""

from __future__ import annotations

from improve.hosts.base import Host, directory, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Whole, own_script

_folder = directory("", "Documents", "Cline")

HOST = Host(
    name="cline",
    title="Cline",
    folder=_folder,
    global_file=under(_folder, "Rules", "improve.md"),
    create_file=under(_folder, "Rules", "improve.md"),
    skills=directory("", ".cline", "skills"),
    # the host knows a hook by its file's name, so there is one for all tools
    wiring=(
        Whole(under(_folder, "Hooks", "TaskStart"), own_script("cline", "session-start"), executable=True),
        Whole(under(_folder, "Hooks", "UserPromptSubmit"), own_script("cline", "prompt"), executable=True),
    ),
    dialect=Dialect(session="taskId", prompt="userPromptSubmit.prompt", answer="cline"),
    limits=(
        "Hooks are off until `Enable Hooks` is checked in its settings; Windows has none.",
        "A hook is a file with a fixed name: where another tool has one, ours cannot be there.",
        "It does not say when a session ends.",
        "Taken from its documentation and source, not seen on the real program.",
    ),
)
