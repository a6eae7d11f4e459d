"""The coding agents we know, one row each, and the instruction file a decision leads to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from improve.hosts import claude_code, codex, gemini, opencode, pi
from improve.hosts.base import Host

HOSTS: tuple[Host, ...] = (opencode.HOST, codex.HOST, claude_code.HOST, gemini.HOST, pi.HOST)
"""In the order in which their global file is chosen when several are there."""

PROJECT_FILES = ("AGENTS.md", "CLAUDE.md", os.path.join(".claude", "CLAUDE.md"), "GEMINI.md")
"""A project's own instruction file: the first that exists; AGENTS.md is the one we create, for it hides no other."""


class Choice(NamedTuple):
    """An instruction file and why it is the one."""

    path: str
    why: str


def running_in(env: Mapping[str, str]) -> Host | None:
    """Say which host this command runs inside."""
    return next((host for host in HOSTS if any(env.get(mark) for mark in host.marks)), None)


def session_in(env: Mapping[str, str]) -> str:
    """Return the id of the surrounding session, empty when no host tells."""
    return next((value for host in HOSTS if (value := env.get(host.session_variable, ""))), "")


def global_choice(user: str, env: Mapping[str, str]) -> Choice:
    """Choose the file for rules that hold everywhere."""
    named = env.get("AGENT_GLOBAL_AGENTS_MD", "")
    if named:
        return Choice(os.path.abspath(os.path.expanduser(named)), "AGENT_GLOBAL_AGENTS_MD names it")
    for host in HOSTS:
        path = host.global_file(user, env)
        if os.path.lexists(path):
            return Choice(path, f"{host.title} loads it in every project")
    for host in HOSTS:
        if os.path.isdir(host.folder(user, env)):
            return Choice(
                host.create_file(user, env), f"{host.title} is on this machine and would load it; it is created"
            )
    return Choice(HOSTS[0].create_file(user, env), "no agent was found on this machine; this one is created")


def project_choice(root: str, env: Mapping[str, str], *, here: bool) -> Choice:
    """Choose the file for rules of the project at *root*.

    Args:
        here: the command runs inside that project, so AGENT_PROJECT_AGENTS_MD is about it.
    """
    named = env.get("AGENT_PROJECT_AGENTS_MD", "")
    if named and here:
        return Choice(os.path.join(root, os.path.expanduser(named)), "AGENT_PROJECT_AGENTS_MD names it")
    for name in PROJECT_FILES:
        if os.path.lexists(os.path.join(root, name)):
            return Choice(os.path.join(root, name), "the project's instruction file")
    return Choice(os.path.join(root, PROJECT_FILES[0]), "the project has none yet; it is created")
