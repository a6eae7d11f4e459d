"""What `install` puts into a host's configuration, so that the host calls us.

Two kinds: entries in a settings file that belongs to the person and to other tools, and files that are all ours.
"""

from __future__ import annotations

import os

from improve.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Make = Callable[[str], str]


class Hook(Frozen):
    """One event a host reports to us."""

    event: str
    """Our name: `session-start`, `prompt`, `pre-tool`, `post-tool`, `stop` or `session-end`."""
    theirs: str
    """The host's name: `UserPromptSubmit`."""
    timeout: int = 0
    """In the host's own unit; 0 to leave it out."""
    matcher: str = ""


class Settings(Frozen):
    """Our entries in a settings file that others write too: one is appended per hook, nothing else is touched."""

    file: Callable[[str, Mapping[str, str]], str]
    hooks: tuple[Hook, ...]
    shape: str = "groups"
    """`groups`: `{"hooks": {"Event": [{"matcher"?, "hooks": [{"type", "command", "timeout"?}]}]}}`;
    `flat`: `{"version": 1, "hooks": {"event": [{"command"}]}}`."""
    comments: bool = False
    """The host itself allows comments in this file; elsewhere they are a mistake, as trailing commas are everywhere."""
    bom: bool = False
    """The host takes a byte order mark at the start of this file."""
    named: bool = False
    """Each handler has a `name`."""


class Whole(Frozen):
    """A file that is all ours: written as it is, removed as a whole."""

    file: Callable[[str, Mapping[str, str]], str]
    make: Callable[[str], str]
    """The absolute path of the launcher → the text of the file; the same for every version of this program as
    long as the text need not change."""
    executable: bool = False
    optional: bool = False
    """Not written, and no reason to stop, where somebody else's file is there."""
    guarding: Callable[[str], str] | None = None
    """Makes the text while a guard is on, where that is another one."""
    guards_only: bool = False
    """It is there only while a guard is on."""


TOOL_EVENTS = ("pre-tool", "post-tool")
"""Events that a host reports to us only while a guard is on: no call of a tool waits for us without need."""


def standing(part: Settings | Whole, guarded: bool) -> Settings | Whole:
    """Give a part as it is to stand: with the hooks on calls of tools exactly while a guard is on."""
    if isinstance(part, Settings):
        return part if guarded else part._replace(hooks=without_tools(part.hooks))
    return part._replace(make=part.guarding) if guarded and part.guarding else part


def without_tools(hooks: tuple[Hook, ...]) -> tuple[Hook, ...]:
    """Leave out the hooks on calls of tools."""
    return tuple(hook for hook in hooks if hook.event not in TOOL_EVENTS)


STAMP = "Written by `improve install`; take it away with: improve uninstall"
"""Stands in every file that is all ours, where the format has room for it."""


def command(launcher: str, host: str, event: str) -> str:
    """Give the command line of a hook: one that every shell understands, and that is silent when we are gone.

    It must never change without need: Codex asks again whether a changed hook can be trusted.
    """
    import shlex

    quoted = shlex.quote(launcher)
    return f"[ -x {quoted} ] && {quoted} {host} {event} || true"


def called(line: str) -> tuple[str, str, str] | None:
    """Read a command line of ours: launcher, host and event; None for any other."""
    import shlex

    try:
        words = shlex.split(line)
    except ValueError:
        return None
    if len(words) != 10 or not _names_us(words[2]):
        return None
    launcher, host, event = words[5:8]
    return (launcher, host, event) if line == command(launcher, host, event) else None


def launchers_in(data: bytes) -> set[str]:
    """List the launchers that a file of any kind calls: settings, a plugin, a script."""
    import json
    import re

    text = data.decode("utf-8", "surrogateescape")
    said = [line for line in text.splitlines() if line.startswith("[ -x ")]
    for literal in re.findall(r'"(?:[^"\\\n]|\\.)*+"', text) if "improve-hook" in text else ():
        try:
            said += [str(json.loads(literal))] if "improve-hook" in literal else []
        except ValueError:
            continue
    calls = [call[0] for call in map(called, said) if call]
    return {*calls, *(path for path in said if os.path.isabs(path) and _names_us(path))}


def _names_us(path: str) -> bool:
    return os.path.basename(path) in ("improve-hook", "improve-hook.cmd")


def template(name: str) -> Make:
    """Fill in the launcher, and what plugins share, in a file that lies beside this one."""

    def make(launcher: str) -> str:
        import json

        text = _beside(name).replace("// @launch.js\n", _beside("launch.js"))
        return text.replace('"@LAUNCHER@"', json.dumps(launcher, ensure_ascii=False))

    return make


def _beside(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as stream:
        return stream.read()


def own_groups(host: str, hooks: tuple[Hook, ...]) -> Make:
    """Make a hooks file of Claude Code's shape."""

    def make(launcher: str) -> str:
        return _json({"hooks": {hook.theirs: [group(launcher, host, hook)] for hook in hooks}})

    return make


def group(launcher: str, host: str, hook: Hook, *, named: bool = False) -> dict[str, object]:
    """Give one entry of the `groups` shape."""
    handler: dict[str, object] = {"type": "command", "command": command(launcher, host, hook.event)}
    if named:
        handler = {"name": "improve", **handler}
    if hook.timeout:
        handler["timeout"] = hook.timeout
    return {"matcher": hook.matcher, "hooks": [handler]} if hook.matcher else {"hooks": [handler]}


def own_hooks(host: str, hooks: tuple[Hook, ...]) -> Make:
    """Make a hooks file of GitHub Copilot's shape."""

    def make(launcher: str) -> str:
        entries = {hook.theirs: [_handler(launcher, host, hook)] for hook in hooks}
        return _json({"version": 1, "hooks": entries})

    return make


def _handler(launcher: str, host: str, hook: Hook) -> dict[str, object]:
    return {"type": "command", "bash": command(launcher, host, hook.event), "timeoutSec": hook.timeout}


def own_script(host: str, event: str) -> Make:
    """Make an executable that is itself the hook."""
    return lambda launcher: f"#!/bin/sh\n# {STAMP}\n{command(launcher, host, event)}\n"


def _json(value: object) -> str:
    import json

    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
