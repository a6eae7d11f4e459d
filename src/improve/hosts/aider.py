"""Aider: https://aider.chat/docs/usage/conventions.html."""

from __future__ import annotations

import os

from improve.hosts import chain, text
from improve.hosts.base import Host, Loaded, Spot

_CONFIG = ".aider.conf.yml"


def _chain(spot: Spot) -> list[Loaded]:
    named, where = _named(spot)
    found = chain.present(named)
    fix = f"add it under `read:` in {where or os.path.join(chain.top(spot.cwd) or spot.cwd, _CONFIG)}"
    return chain.foreign(chain.once(found), spot, ("AGENTS.md", "CLAUDE.md", "CONVENTIONS.md"), "Aider", fix)


def _named(spot: Spot) -> tuple[list[str], str]:
    """Find the files that `read:` names, and the configuration that does: the nearest one that has the key."""
    said, where = [spot.env["AIDER_READ"]] if spot.env.get("AIDER_READ") else [], ""
    for step in dict.fromkeys(filter(None, (spot.cwd, chain.top(spot.cwd), spot.user))):
        config = chain.look(os.path.join(step, _CONFIG))
        if config and b"read" in config.data:
            keys, _ = text.front_matter(b"---\n" + config.data + b"\n---\n")
            if "read" in keys:
                said, where = keys["read"], config.path
                break
    home = (spot.user + name[1:] if name.startswith("~/") else name for name in said)
    return [os.path.normpath(os.path.join(spot.cwd, name)) for name in home], where


HOST = Host(
    name="aider",
    title="Aider",
    chain=_chain,
    limits=("It loads no instruction file by itself: name AGENTS.md under `read:` in .aider.conf.yml.",),
)
