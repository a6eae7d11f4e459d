"""Goose: https://block.github.io/goose/docs/guides/using-goosehints."""

from __future__ import annotations

from improve.hosts.base import Host, config_directory, data_directory, directory, shared_skills, under
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
)
