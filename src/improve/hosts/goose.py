"""Goose: https://block.github.io/goose/docs/guides/using-goosehints."""

from __future__ import annotations

import os

from improve.hosts import chain, imports, settings
from improve.hosts.base import Host, Loaded, Spot, config_directory, data_directory, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Hook, Whole, own_groups

_folder = config_directory("goose")
_plugin = directory("", ".agents", "plugins", "improve")

_NAMES = (".goosehints", "AGENTS.md")


def _chain(spot: Spot) -> list[Loaded]:
    names = _names(spot)
    folder = _folder(spot.user, spot.env)
    found = chain.present((os.path.join(folder, name) for name in names), "global")
    steps = chain.upward(spot.cwd, chain.top(spot.cwd) or spot.cwd)
    found += chain.present(os.path.join(step, name) for step in steps for name in names)
    found = imports.follow(found, imports.Imports(imports.word_mentions, 3, imports.within_project))
    fix = "add it to CONTEXT_FILE_NAMES"
    return chain.foreign(chain.once(found), spot, (*_NAMES, "CLAUDE.md"), "Goose", fix)


def _names(spot: Spot) -> list[str]:
    """Read CONTEXT_FILE_NAMES, a JSON list that replaces the usual names."""
    if not spot.env.get("CONTEXT_FILE_NAMES"):
        return list(_NAMES)
    import json

    try:
        said = json.loads(spot.env["CONTEXT_FILE_NAMES"])
    except (ValueError, RecursionError):
        said = None
    return settings.strings(said) or list(_NAMES)


HOST = Host(
    name="goose",
    title="Goose",
    chain=_chain,
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
    dialect=Dialect(answer="none", prompt="message", denies="none", warns="none"),
    limits=(
        "Guards stop and say nothing in it, and do not see its calls.",
        "What its hooks print is thrown away: rules reach it only from the files it loads.",
        "Taken from its documentation and source, not seen on the real program.",
    ),
)
