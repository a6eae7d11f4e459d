"""pydantic-deep: https://github.com/vstorm-co/pydantic-deepagents."""

from __future__ import annotations

import os

from improve.hosts import chain
from improve.hosts.base import Host, Loaded, Spot, directory, under

_folder = directory("", ".pydantic-deep")

_NAMES = ("AGENTS.md", "CLAUDE.md", "SOUL.md", "CONVENTIONS.md")
_CAP = 20_000


def _chain(spot: Spot) -> list[Loaded]:
    found = chain.present(os.path.join(spot.cwd, name) for name in _NAMES)
    return [
        f for file in found for f in chain.cut([file], _CAP, "shorten it, or move a part into another of its files")
    ]


HOST = Host(
    name="pydantic-deep",
    title="pydantic-deep",
    chain=_chain,
    folder=_folder,
    skills=under(_folder, "skills"),
    limits=("Its command line runs no hooks of ours.", "There is no global instruction file."),
)
