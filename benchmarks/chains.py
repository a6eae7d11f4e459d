"""Compare what we say a host loads with what it loads: every tree of tests/data/chains, run in the real program.

    python benchmarks/chains.py [HOST…]

The hosts are found below $REAL_HOSTS or on PATH; they run offline, in a throw-away home, and ask a scripted model on
loopback. Each instruction file of a tree has a mark; which marks are in the question to the model, and in which order,
is compared with the simulated chain. Exit 1 when they differ.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from hosts.trees import Case, Tree, cases, fill
from improve import hosts
from improve.hosts.base import Spot
from real_hosts.agents import AGENTS, Agent, find
from real_hosts.box import Box
from real_hosts.model import Model, Say

MARK = re.compile(r"MARK\d+END")
MOVED = ("CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "PI_CODING_AGENT_DIR=", "COPILOT_HOME=")
"""Where the settings would move with it, without which the host does not find the scripted model."""
OTHER = ("A project that is not trusted does not", "A broken config.toml is as good as none")
"""Codex would ask for trust, and does not start."""
UNORDERED = ("claude-code",)
"""Sends rules in the order in which the file system lists them."""


class _Marks:
    """Marks for the files of a tree; settings are put together with those that the host needs to run at all."""

    def __init__(self) -> None:
        self.given = 0

    def finished(self, path: Path, said: str) -> str:
        """Give the text to write."""
        if path.suffix in (".json", ".jsonc", ".toml") or ".git" in path.parts:
            return _joined(path, said)
        if not said.strip():
            return said
        self.given += 1
        return f"{said}\nMARK{self.given:03}END\n"


def _joined(path: Path, said: str) -> str:
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if path.suffix == ".toml":
        return before if "[projects" in said else f"{said}\n{before}"  # it is trusted already
    if not before:
        return said
    return json.dumps({**json.loads(before), **json.loads(said)})


def compare(agent: Agent, case: Case, folder: Path) -> tuple[list[str], list[str]]:
    """Give the marks that the host sent and those that the simulated chain has, in an order that can be compared."""
    found = find(agent)
    assert found is not None
    box = Box(folder, (found.folder,))
    tree = Tree(box.root, box.home, box.repository)
    with Model(folder / "asked.jsonl") as model:
        agent.prepare(box, model.port)
        fill(tree, case, _Marks().finished)
        if not case.repository:
            shutil.rmtree(tree.app / ".git")
        variables = dict(tree.filled(each).split("=", 1) for each in case.env)
        box.env |= variables
        box.repository = tree.app / case.cwd
        model.play(Say("Hello."))
        ran = box.run(found.program, *agent.words("please say hello", resume=False))
        assert model.asked, ran.told
        sent = max((_marks(str(request)) for request in model.asked), key=len)
    simulate = hosts.host(agent.name).chain
    assert simulate is not None
    chain = simulate(Spot(str(box.repository), str(tree.app), str(tree.home), variables))
    told = _marks(b"\n".join(file.data for file in chain).decode())
    # an import stands inside the file that names it, and Gemini CLI sends the person's file apart from the others
    fixed = [file.data for file in chain if file.scope == "project" and not file.via]
    steady = _marks(b"\n".join(fixed).decode()) if agent.name not in UNORDERED else []
    return _in_order(sent, steady), _in_order(told, steady)


def _in_order(marks: list[str], steady: list[str]) -> list[str]:
    return sorted(mark for mark in marks if mark not in steady) + [mark for mark in marks if mark in steady]


def _marks(said: str) -> list[str]:
    return list(dict.fromkeys(MARK.findall(said)))


def main(names: list[str]) -> int:
    """Run them all; give the exit code."""
    same = different = left_out = 0
    for agent in AGENTS:
        if (names and agent.name not in names) or find(agent) is None:
            continue
        for case in (case for case in cases() if case.host == agent.name):
            if case.title in OTHER or any(each.startswith(MOVED) for each in case.env):
                left_out += 1
                continue
            with tempfile.TemporaryDirectory() as folder:
                sent, told = compare(agent, case, Path(folder) / "box")
            same, different = same + (sent == told), different + (sent != told)
            if sent != told:
                print(f"{agent.name}: {case.title}\n  sent {' '.join(sent)}\n  told {' '.join(told)}")
    print(f"{same} trees alike, {different} different, {left_out} left out")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
