"""Aider: https://aider.chat/docs/usage/conventions.html."""

from __future__ import annotations

from improve.hosts.base import Host

HOST = Host(
    name="aider",
    title="Aider",
    limits=("It loads no instruction file by itself: name AGENTS.md under `read:` in .aider.conf.yml.",),
)
