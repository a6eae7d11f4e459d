"""Cursor: https://cursor.com/docs/context/rules, https://cursor.com/docs/agent/hooks."""

from __future__ import annotations

from improve.hosts.base import Host, directory, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Settings

_folder = directory("", ".cursor")

HOST = Host(
    name="cursor",
    title="Cursor",
    folder=_folder,
    skills=under(_folder, "skills"),
    sessions=(under(_folder, "projects"), under(_folder, "chats")),
    wiring=(
        Settings(
            under(_folder, "hooks.json"),
            (
                Hook("session-start", "sessionStart"),
                Hook("prompt", "beforeSubmitPrompt"),
                Hook("stop", "stop"),
                Hook("session-end", "sessionEnd"),
            ),
            shape="flat",
        ),
    ),
    dialect=Dialect(session="conversation_id", turn="generation_id", answer="snake"),
    limits=(
        "There is no global instruction file: rules for everywhere come through the hook.",
        "It does not wait for the hook at the start: a prompt sent at once may go without the rules.",
        "Agents in the cloud do not run the hook at the start.",
        "Taken from its documentation, not seen on the real program.",
    ),
)
