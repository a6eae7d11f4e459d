"""The coding agents we know, one row each, and the instruction file a decision leads to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from improve.hosts import claude_code, codex, gemini, opencode, pi
from improve.hosts.base import Host

HOSTS: tuple[Host, ...] = (opencode.HOST, codex.HOST, claude_code.HOST, gemini.HOST, pi.HOST)
"""In the order in which their global file is chosen when several are there."""

OVERRIDE = "AGENTS.override.md"
"""Where it exists, even empty, Codex reads it instead of AGENTS.md."""
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
    """Choose the file for rules that hold everywhere: one that the agent which is at work loads, if we know it."""
    named = env.get("AGENT_GLOBAL_AGENTS_MD", "")
    if named:
        return Choice(os.path.abspath(os.path.expanduser(named)), "AGENT_GLOBAL_AGENTS_MD names it")
    host = running_in(env)
    own = host and (_there(host, user, env) or _made(host, user, env))
    if host and own:
        return own._replace(why=f"this command runs in {host.title}; {own.why}")
    found = next(filter(None, (_there(host, user, env) for host in HOSTS)), None)
    found = found or next(filter(None, (_made(host, user, env) for host in HOSTS)), None)
    return found or Choice(HOSTS[0].create_file(user, env), "no agent was found on this machine; this one is created")


def _there(host: Host, user: str, env: Mapping[str, str]) -> Choice | None:
    for path in (host.global_file(user, env), host.create_file(user, env)):
        if os.path.lexists(path):
            return Choice(path, f"{host.title} loads it in every project")
    return None


def _made(host: Host, user: str, env: Mapping[str, str]) -> Choice | None:
    if not os.path.isdir(host.folder(user, env)):
        return None
    return Choice(host.create_file(user, env), f"{host.title} is on this machine and would load it; it is created")


def not_loading(path: str, user: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """List the hosts on this machine that load another global file, by title."""
    real = os.path.realpath(path)
    here = [host for host in HOSTS if os.path.isdir(host.folder(user, env))]
    return tuple(host.title for host in here if real not in _loaded(host, user, env))


def _loaded(host: Host, user: str, env: Mapping[str, str]) -> set[str]:
    own = [host.global_file(user, env), host.create_file(user, env)]
    borrowed = [] if any(map(os.path.lexists, own)) else [locate(user, env) for locate in host.borrows]
    return {os.path.realpath(name) for name in (*own, *borrowed)}


def project_choice(root: str, env: Mapping[str, str], *, here: bool) -> Choice:
    """Choose the file for rules of the project at *root*.

    Args:
        here: the command runs inside that project, so AGENT_PROJECT_AGENTS_MD is about it.
    """
    named = env.get("AGENT_PROJECT_AGENTS_MD", "")
    if named and here:
        return Choice(os.path.join(root, os.path.expanduser(named)), "AGENT_PROJECT_AGENTS_MD names it")
    if os.path.isfile(os.path.join(root, OVERRIDE)):
        return Choice(os.path.join(root, OVERRIDE), "Codex reads it instead of AGENTS.md")
    for name in PROJECT_FILES:
        if os.path.lexists(os.path.join(root, name)):
            return Choice(os.path.join(root, name), "the project's instruction file")
    return Choice(os.path.join(root, PROJECT_FILES[0]), "the project has none yet; it is created")
