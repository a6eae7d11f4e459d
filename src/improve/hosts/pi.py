"""pi: https://github.com/badlogic/pi-mono/tree/main/packages/coding-agent."""

from __future__ import annotations

import os

from improve.hosts import chain, settings
from improve.hosts.base import Host, Loaded, Spot, directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Whole, template

_folder = directory("PI_CODING_AGENT_DIR", ".pi", "agent")

_NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")


def _chain(spot: Spot) -> list[Loaded]:
    folder = _folder(spot.user, spot.env)
    found = _appended(folder, spot) + chain.first(folder, _NAMES, "global")
    root = chain.top(spot.cwd)
    main, own = chain.around(root), _name(chain.first(root, _NAMES) if root else [])
    for step in (os.sep, *chain.upward(spot.cwd)):
        there = chain.first(step, _NAMES)
        if main and os.path.realpath(step) == main and own and _name(there) == own:
            why, fix = f"{root} is a work tree of the same repository and has its own", f"move its text into {root}"
            there = [chain.unseen(f, "hidden", why, fix) for f in there]
        found += there
    return chain.foreign(chain.once(found), spot, ("GEMINI.md",), "pi", "move its text into AGENTS.md")


def _name(found: list[Loaded]) -> str:
    return next((os.path.basename(f.path) for f in found if f.state == "loaded"), "")


def _appended(folder: str, spot: Spot) -> list[Loaded]:
    """Read what is appended to the system prompt: the project's file where it is trusted, else the person's."""
    mine = chain.present([os.path.join(folder, "APPEND_SYSTEM.md")], "global")
    theirs = chain.present([os.path.join(spot.cwd, ".pi", "APPEND_SYSTEM.md")])
    if theirs and _trusted(folder, spot):
        why = f"{theirs[0].path} is read instead"
        return [*(chain.unseen(f, "hidden", why, f"move its text into {theirs[0].path}") for f in mine), *theirs]
    fix = "trust the project: start pi there and answer its question, or run: pi --approve"
    return [*mine, *(chain.unseen(f, "off", "pi does not trust this project", fix) for f in theirs)]


def _trusted(folder: str, spot: Spot) -> bool:
    trust = settings.read(os.path.join(folder, "trust.json"))
    return next((trust[step] is True for step in reversed(chain.upward(spot.cwd)) if step in trust), False)


HOST = Host(
    name="pi",
    title="pi",
    chain=_chain,
    folder=_folder,
    global_file=under(_folder, "AGENTS.md"),
    create_file=under(_folder, "AGENTS.md"),
    skills=shared_skills,
    sessions=(under(_folder, "sessions"),),
    wiring=(Whole(under(_folder, "extensions", "improve.js"), template("pi.js")),),
    # what is given stands in the system prompt, which the extension sets anew in each process
    dialect=Dialect(answer="text", keeps_context=False, denies="plain", warns="plain"),
    limits=("A guard that warns is heard with the result of the call.",),
)
