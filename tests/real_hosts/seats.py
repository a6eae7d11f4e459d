"""Where a person sits in front of each program: how its screen is opened, and which keys deny, stop and leave."""

from __future__ import annotations

import json
from typing import NamedTuple

from real_hosts.box import Box


class Seat(NamedTuple):
    """The keyboard of one host."""

    opened: tuple[str, ...]
    """Arguments that open its screen."""
    again: tuple[str, ...]
    """Arguments that open the last session again."""
    ready: str
    """To be seen when it can be typed to."""
    asks: str = ""
    """To be seen when it asks whether a call may be made; empty for a host that never asks."""
    yes: tuple[str, ...] = ()
    """Keys that allow a call, for a host that asks about each."""
    no: tuple[str, ...] = ("Escape",)
    """Keys that deny a call."""
    takes_reason: bool = False
    """The reason is typed into the question itself; elsewhere it is the next prompt."""
    denied: str = ""
    """To be seen when the call was denied."""
    stop: tuple[str, ...] = ("Escape",)
    """Keys that stop the agent."""
    stopped: str = ""
    """To be seen when it was stopped; empty for a host that cannot be stopped by keys."""
    runs: str = ""
    """To be seen while a command runs; empty where that is the command itself."""
    compact: str = "/compact"
    compacted: str = "ompact"
    """To be seen when the session was summarised."""
    summarises: bool = True
    """It does so with a session this short."""
    shell_stays: bool = False
    """After a line for the shell the next one would be one too."""
    command: str = "/status"
    """A command of the host's own, which is no word to the agent."""
    steers: tuple[str, ...] = ("steered",)
    """How a prompt counts that was typed while a call ran; where only the time tells, also `typed`."""
    alone: str = "scripted"
    """How a prompt without a terminal counts; `typed` where the record does not tell."""
    helper: bool = True
    """The model can start a subagent."""
    leave: str = "/quit"

    def settle(self, box: Box) -> None:
        """Put into the repository what is run there, and let one command need to be asked about."""
        for name, seconds in (("long-job", 60), ("short-job", 6)):
            box.write(box.repository / name, f"#!/bin/sh\nsleep {seconds}\n")
            (box.repository / name).chmod(0o755)
        # the program itself may try, a moment long, to reach a registry that is not there
        box.env |= {"npm_config_fetch_retries": "0", "npm_config_audit": "false"}
        if (box.home / ".copilot").is_dir():
            box.write(box.home / ".copilot" / "config.json", {"trusted_folders": [str(box.repository)]})
        opencode = box.home / ".config" / "opencode" / "opencode.json"
        if opencode.is_file():
            asked = {"permission": {"bash": {"*": "allow", "rm *": "ask"}}}
            box.write(opencode, {**json.loads(opencode.read_text(encoding="utf-8")), **asked})


_CLAUDE = ("--permission-mode", "default", "--allowedTools", "Bash(npm:*)", "Bash(./long-job:*)", "Bash(./short-job:*)")

SEATS: dict[str, Seat] = {
    "claude-code": Seat(
        opened=_CLAUDE,
        again=("--continue", *_CLAUDE),
        ready="❯",
        asks="Do you want to proceed",
        no=("Up", "Tab"),
        takes_reason=True,
        denied="Not run",
        stopped="Interrupted",
        command="/context",
        leave="/exit",
    ),
    "codex": Seat(
        opened=("--dangerously-bypass-hook-trust",),
        again=("resume", "--last", "--dangerously-bypass-hook-trust"),
        ready="Ask Codex",
        asks="Would you like to run",
        denied="canceled|interrupted",
        stopped="Conversation interrupted",
        runs="Working",
        compacted="Context compacted",
        helper=False,
    ),
    "gemini": Seat(
        opened=("-m", "gemini-2.5-pro"),
        again=("-m", "gemini-2.5-pro", "--resume", "latest"),
        ready="Type your message",
        asks="Allow execution",
        yes=("1",),
        denied="Request cancelled",
        stopped="Request cancelled",
        compact="/compress",
        compacted="ompress(ed|ion)",
        summarises=False,
        alone="typed",
        shell_stays=True,
        command="/stats",
        steers=("queued", "typed"),
    ),
    "opencode": Seat(
        opened=(),
        again=("--continue",),
        ready="Ask anything|ctrl.p commands",
        asks="Permission required",
        stop=("Escape", "Escape"),
        stopped="aborted",
        compacted="Compaction",
        command="/help",
        steers=("queued",),
    ),
    "pi": Seat(
        opened=(),
        again=("--continue",),
        ready=r"\(main\)",
        stopped="aborted",
        compacted="Nothing to compact",
        summarises=False,
        alone="typed",
        command="/session",
        helper=False,
    ),
    "qwen": Seat(
        opened=("--approval-mode", "default"),
        again=("--approval-mode", "default", "--continue"),
        ready="Type your message",
        asks="Allow execution",
        yes=("1",),
        stopped="cancelled",
        compact="/compress",
        compacted="ompress(ed|ion)",
        summarises=False,
        alone="typed",
        command="/stats",
        shell_stays=True,
    ),
    "copilot": Seat(
        opened=(),
        again=("--continue",),
        ready="commands",
        asks="Do you want to run this command",
        yes=("1",),
        no=("3",),
        takes_reason=True,
        stop=("Escape", "Escape"),
        stopped="cancelled by user",
        command="/usage",
    ),
}
