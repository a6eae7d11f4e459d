"""pydantic-deep: https://github.com/vstorm-co/pydantic-deepagents."""

from __future__ import annotations

from improve.hosts.base import Host, directory, under

_folder = directory("", ".pydantic-deep")

HOST = Host(
    name="pydantic-deep",
    title="pydantic-deep",
    folder=_folder,
    skills=under(_folder, "skills"),
    limits=("Its command line runs no hooks of ours.", "There is no global instruction file."),
)
