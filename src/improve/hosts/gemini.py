"""Gemini CLI: https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/gemini-md.md."""

from __future__ import annotations

from improve.hosts.base import Host, directory, under

_folder = directory("", ".gemini")

HOST = Host(
    name="gemini",
    title="Gemini CLI",
    folder=_folder,
    global_file=under(_folder, "GEMINI.md"),
    create_file=under(_folder, "GEMINI.md"),
    marks=("GEMINI_CLI",),
    session_variable="GEMINI_SESSION_ID",
)
