"""Cases as text: a title, the files of a tree, where a session starts, and what a host makes of each file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

CHAINS = Path(__file__).parent.parent / "data" / "chains"


class Case(NamedTuple):
    """One tree and the chain expected of it."""

    host: str
    title: str
    files: tuple[str, ...]
    cwd: str
    env: tuple[str, ...]
    repository: bool
    chain: tuple[str, ...]
    """`state path`, and ` < importer` behind an imported one."""


def cases() -> list[Case]:
    """Read all of them."""
    return [_case(path.stem, block) for path in sorted(CHAINS.glob("*.txt")) for block in _blocks(path)]


def _blocks(path: Path) -> list[str]:
    return [block for block in path.read_text("utf-8").split("\n\n") if block.strip()]


def _case(host: str, block: str) -> Case:
    title, *lines = block.strip("\n").split("\n")
    chain = tuple(line[3:] for line in lines if line.startswith("=> "))
    env = tuple(line[4:] for line in lines if line.startswith("set "))
    cwd = next((line[3:] for line in lines if line.startswith("in ")), ".")
    files = tuple(line for line in lines if not line.startswith(("=> ", "set ", "in ")) and line != "none")
    return Case(host, title, files, cwd, env, "none" not in lines, chain)


class Tree(NamedTuple):
    """A tree on the disk: a home, and a project beside it."""

    base: Path
    home: Path
    app: Path

    def name(self, path: str) -> str:
        """Show a path as the cases write it."""
        if path.startswith(f"{self.home}/"):
            return f"~/{path[len(str(self.home)) + 1 :]}"
        if path.startswith(f"{self.app}/"):
            return path[len(str(self.app)) + 1 :]
        return path.replace(f"{self.base}/", "../", 1)

    def filled(self, text: str) -> str:
        """Put the real directories into a text."""
        return text.replace("@APP@", str(self.app)).replace("@HOME@", str(self.home))


def plant(base: Path, case: Case) -> Tree:
    """Make the tree of a case."""
    tree = Tree(base, base / "home", base / "app")
    tree.home.mkdir()
    tree.app.mkdir()
    if case.repository:
        (tree.app / ".git").mkdir()
    fill(tree, case)
    return tree


def fill(tree: Tree, case: Case, finished: Callable[[Path, str], str] = lambda path, said: said) -> None:
    """Put the files of a case into a tree.

    Args:
        finished: (path, text) → the text to write.
    """
    (tree.app / case.cwd).mkdir(parents=True, exist_ok=True)
    for line in case.files:
        name, _, text = line.partition(" | ")
        name, _, target = name.partition(" -> ")
        path = tree.home / name[2:] if name.startswith("~/") else tree.app / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir()
        elif target:
            path.symlink_to(target)
        else:
            said = (
                text.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\") if " | " in line else "- a rule\n"
            )
            path.write_text(finished(path, tree.filled(said)), encoding="utf-8")
