"""Amp: https://ampcode.com/manual."""

from __future__ import annotations

import os

from improve.hosts import chain, imports
from improve.hosts.base import Host, Loaded, Spot, config_directory, data_directory, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Whole, template

_folder = config_directory("amp")

_NAMES = ("AGENTS.md", "AGENT.md", "CLAUDE.md")


def _chain(spot: Spot) -> list[Loaded]:
    found = chain.present([os.path.join(_folder(spot.user, spot.env), "AGENTS.md")], "global")
    found += chain.present([os.path.join(spot.user, ".config", "AGENTS.md")], "global")
    home = chain.upward(spot.user)[-1:]
    steps = chain.upward(spot.cwd, home[0] if home else "")
    found += [f for step in steps for f in chain.first(step, _NAMES)]
    found = imports.follow(chain.once(found), imports.Imports(imports.prose_mentions, 5, _refused, spot.user))
    return chain.once(found + chain.below(spot.cwd, _NAMES[:1]))


def _refused(path: str, origin: Loaded) -> tuple[str, str]:
    """Refuse nothing: any file that is named is read."""
    return "", ""


HOST = Host(
    name="amp",
    title="Amp",
    chain=_chain,
    folder=_folder,
    global_file=under(_folder, "AGENTS.md"),
    create_file=under(_folder, "AGENTS.md"),
    skills=config_directory("agents", "skills"),
    sessions=(data_directory("amp", "threads"),),
    wiring=(Whole(under(_folder, "plugins", "improve.ts"), template("amp.ts")),),
    dialect=Dialect(answer="text", denies="plain", warns="none"),
    limits=(
        "A guard can stop a call and not warn: a warning is only noted.",
        "It does not say when a session ends.",
        "Taken from its documentation and from plugins of others, not seen on the real program.",
    ),
)
