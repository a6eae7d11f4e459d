"""OpenCode: https://opencode.ai/docs/rules/, https://opencode.ai/docs/plugins/."""

from __future__ import annotations

import os

from improve.hosts import chain, settings
from improve.hosts.base import Host, Loaded, Spot, config_directory, data_directory, shared_skills, under
from improve.hosts.dialect import Dialect
from improve.hosts.wiring import Whole, template

_folder = config_directory("opencode")

_NAMES = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
_NO_CLAUDE = ("OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT")
_NO_PROJECT = "OPENCODE_DISABLE_PROJECT_CONFIG"


def _chain(spot: Spot) -> list[Loaded]:
    steps = chain.upward(spot.cwd, chain.top(spot.cwd))[::-1]
    mine = [[os.path.join(_folder(spot.user, spot.env), _NAMES[0])], [os.path.join(spot.user, ".claude", _NAMES[1])]]
    found = _claimed(mine, "global", spot)
    theirs = _claimed([[os.path.join(step, name) for step in steps] for name in _NAMES], "project", spot)
    if _true(spot, _NO_PROJECT):
        theirs = [chain.unseen(f, "off", f"{_NO_PROJECT} is set", f"unset {_NO_PROJECT}") for f in theirs]
    instructed = chain.present(path for pattern in _patterns(spot, steps) for path in _globbed(pattern, spot, steps))
    return chain.once([*found, *theirs, *instructed]) + chain.below(spot.cwd, _NAMES[:1])


def _claimed(groups: list[list[str]], scope: str, spot: Spot) -> list[Loaded]:
    """Read the first group of which a file is there; those of the others are hidden by it."""
    variable = next((name for name in _NO_CLAUDE if _true(spot, name)), "")
    kept: list[Loaded] = []
    winner = ""
    for there in filter(None, (chain.present(group, scope) for group in groups)):
        if variable and os.path.basename(there[0].path) == "CLAUDE.md":
            kept += [chain.unseen(f, "off", f"{variable} is set", f"unset {variable}") for f in there]
        elif winner:
            why, fix = f"{winner} is read instead", f"move its text into {winner}"
            kept += [chain.unseen(f, "hidden", why, fix) for f in there]
        else:
            winner = there[0].path
            kept += there
    return kept


def _true(spot: Spot, variable: str) -> bool:
    return spot.env.get(variable, "").lower() not in ("", "0", "false", "no", "off", "n", "f")


def _globbed(pattern: str, spot: Spot, steps: list[str]) -> list[str]:
    """Find the files of one entry of `instructions`; a relative one is tried here and in each directory above."""
    pattern = spot.user + pattern[1:] if pattern.startswith("~/") else pattern
    if "://" in pattern or (not os.path.isabs(pattern) and _true(spot, _NO_PROJECT)):
        return []
    bases = steps[:1] if os.path.isabs(pattern) else steps
    return [path for base in bases for path in chain.globbed(os.path.normpath(os.path.join(base, pattern)))]


def _patterns(spot: Spot, steps: list[str]) -> list[str]:
    """List `instructions`: of the person's files the last one that has them, then those of the project together."""
    folder = _folder(spot.user, spot.env)
    mine = [os.path.join(folder, name) for name in ("config.json", "opencode.json", "opencode.jsonc")]
    said = [settings.deep(settings.read(path), "instructions") for path in mine]
    found = settings.strings(next((value for value in reversed(said) if value is not None), None))
    more = [os.path.join(spot.cwd, spot.env["OPENCODE_CONFIG"])] if spot.env.get("OPENCODE_CONFIG") else []
    if not _true(spot, _NO_PROJECT):
        places = [*reversed(steps), *(os.path.join(step, ".opencode") for step in reversed(steps))]
        more += [os.path.join(place, name) for place in places for name in ("opencode.json", "opencode.jsonc")]
    for path in more:
        found += settings.strings(settings.deep(settings.read(path), "instructions"))
    inline = settings.understood(spot.env.get("OPENCODE_CONFIG_CONTENT", ""))
    return found + settings.strings(settings.deep(inline, "instructions"))


HOST = Host(
    name="opencode",
    title="OpenCode",
    chain=_chain,
    folder=_folder,
    global_file=under(_folder, "AGENTS.md"),
    create_file=under(_folder, "AGENTS.md"),
    borrows=(lambda user, _: os.path.join(user, ".claude", "CLAUDE.md"),),
    skills=shared_skills,
    sessions=(data_directory("opencode", "opencode.db"), data_directory("opencode", "storage")),
    # a plugin makes OpenCode install a package of its own before it starts; without a network it would try for 70 s
    wiring=(
        Whole(under(_folder, "plugins", "improve.js"), template("opencode.js")),
        Whole(under(_folder, ".npmrc"), template("opencode.npmrc"), optional=True),
    ),
    # what is given stands in no message: the plugin gives it with each call of the model
    dialect=Dialect(answer="text", keeps_context=False, denies="plain", warns="plain"),
    limits=(
        "With any plugin, the first start in a directory that has a `.opencode` of its own waits until OpenCode has"
        " installed its plugin package there; without a network for up to 70 seconds, each time.",
        "A guard that warns is heard with the result of the call, and not when the call fails.",
        "In version 2 no guard is asked, and the shell does not say which session it belongs to; that version is taken"
        " from its documentation, not seen on the real program.",
    ),
)
