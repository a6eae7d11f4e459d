"""Goose: https://block.github.io/goose/docs/guides/using-goosehints."""

from __future__ import annotations

from improve.hosts.base import Host, config_directory, data_directory, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Whole, own_groups

_folder = config_directory("goose")
_plugin = directory("", ".agents", "plugins", "improve")

HOST = Host(
    name="goose",
    title="Goose",
    folder=_folder,
    global_file=under(_folder, ".goosehints"),
    create_file=under(_folder, ".goosehints"),
    skills=shared_skills,
    sessions=(data_directory("goose", "sessions"),),
    # each directory in there is a plugin, with a manifest or without
    wiring=(
        Whole(
            under(_plugin, "hooks", "hooks.json"),
            own_groups(
                "goose",
                (
                    Hook("session-start", "SessionStart", timeout=10),
                    Hook("prompt", "UserPromptSubmit", timeout=5),
                    Hook("stop", "Stop", timeout=5),
                    Hook("session-end", "SessionEnd", timeout=5),
                ),
            ),
        ),
    ),
    dialect=Dialect(prompt="message"),
    limits=(
        "What its hooks print is thrown away: rules reach it only from the files it loads.",
        "Taken from its documentation and source, not seen on the real program.",
    ),
)
