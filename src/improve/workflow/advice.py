"""What a person has to do, or to know, after an install."""

from __future__ import annotations

from collections.abc import Iterable

from improve import launcher
from improve.workflow.here import Here
from improve.workflow.pieces import Step

NEXT = {
    "claude-code": "in a directory that Claude Code does not trust yet, no hook runs until you say that you trust it",
    "codex": (
        "start codex once and choose to trust the hooks; until then `codex exec` skips them and says nothing. "
        "Its record of that in config.toml stays when you uninstall, and does nothing then"
    ),
    "gemini": "in a folder that Gemini CLI does not trust, no hook runs",
}
"""By host."""


def after_install(here: Here, done: Iterable[Step]) -> dict[str, str]:
    """Say what is left to do for each host that was wired, and for the launchers."""
    wired = {name for step in done if step.state in ("write", "same") for name in step.piece.hosts}
    found = {name: text for name, text in NEXT.items() if name in wired}
    cache = launcher.in_cache(launcher.program(here.home.path, here.home.user), here.home.caches)
    if cache:
        found["launchers"] = (
            f"they start what lies in {here.short(cache)}, a cache: once that is emptied, no hook does anything until "
            "you run improve install again"
        )
    return found
