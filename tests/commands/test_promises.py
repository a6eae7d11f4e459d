"""Promises that tools of this kind are known to break, each shown to hold.

A partial settings file that loses defaults, a switch that is no veto, a dry run that writes, an override that is
ignored, a strict mode that enforces nothing, writers without a lock, changes without a way back.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.commands.conftest import Improve, Repository

UV = "Use uv for packages, never pip install"
RULE = "use-uv-for-packages-never-pip-install"


@pytest.fixture
def shop(repository: Repository, improve: Improve, home: Path) -> Path:
    """A project with a rule that is due, and two agents on the machine."""
    root = repository("shop", agents="# Shop\n")
    for session in ("a", "b"):
        improve("observe", UV, "--session", session, cwd=root)
    for folder in (".claude", ".codex"):
        (home / folder).mkdir()
    return root


def tree(*folders: Path) -> dict[str, str]:
    """Hash every file and name every directory, derived data and git's own apart."""
    found = (path for folder in folders for path in sorted(folder.rglob("*")))
    kept = (path for path in found if not {".cache", ".local", ".git"} & set(path.parts))
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() if p.is_file() else "" for p in kept}


@pytest.mark.parametrize(
    "argv",
    [
        ("escalate",),
        ("install", "--all", "--dry-run"),
        ("uninstall", "--all", "--dry-run"),
        ("status",),
        ("status", "--host", "codex"),
        ("due",),
        ("where",),
        ("where", "--host", "claude-code"),
        ("config", "list"),
        ("config", "check"),
        ("config", "get", "trust"),
        ("inbox",),
        ("history", RULE),
        ("suggest-destination", RULE),
    ],
)
def test_what_only_looks_writes_nothing(home: Path, shop: Path, improve: Improve, argv: tuple[str, ...]) -> None:
    """A preview, a dry run and every reading command leave each file and directory as they were."""
    before = tree(home, shop)
    improve(*argv, cwd=shop)
    assert tree(home, shop) == before


def test_a_partial_settings_file_keeps_every_other_default(home: Path, shop: Path, improve: Improve) -> None:
    """One line in config.yaml changes that setting, and all the others are what they were."""
    usual = {row["name"]: row["value"] for row in improve("config", "list", "--json").json["settings"]}
    (home / ".agent-improvement" / "config.yaml").write_text("threshold_project: 3\n")
    now = {row["name"]: row["value"] for row in improve("config", "list", "--json").json["settings"]}
    assert now == {**usual, "threshold_project": 3}
    improve("observe", UV, "--session", "c", cwd=shop)
    assert UV in improve("escalate", cwd=shop).out


def test_strict_trust_is_enforced(home: Path, shop: Path, improve: Improve) -> None:
    """With `trust: verified` an agent's word alone writes nothing, whichever way it is asked."""
    improve("config", "set", "trust", "verified")
    before = (shop / "AGENTS.md").read_bytes()
    for argv in (("escalate", "--apply"), ("escalate", "--apply", RULE)):
        said = improve(*argv, cwd=shop)
        assert "no person" in said.out + said.err
    assert (shop / "AGENTS.md").read_bytes() == before


def test_an_override_is_obeyed(home: Path, shop: Path, improve: Improve, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command line or the environment says wins over what would be chosen, and is said."""
    monkeypatch.setenv("AGENT_PROJECT_AGENTS_MD", "docs/RULES.md")
    (shop / "docs").mkdir()
    improve("escalate", "--apply", cwd=shop)
    assert UV in (shop / "docs" / "RULES.md").read_text()
    assert UV not in (shop / "AGENTS.md").read_text()


def test_the_switch_is_a_veto_for_hooks_and_commands_alike(home: Path, shop: Path, improve: Improve) -> None:
    """Nothing that is installed records or delivers anything while it is off, and `on` brings it back."""
    improve("install", "claude-code", "--yes", cwd=shop)
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    (handler,) = settings["hooks"]["SessionStart"][0]["hooks"]
    said = json.dumps({"session_id": "s", "cwd": str(shop), "source": "startup"})

    def fired() -> str:
        return subprocess.run(["sh", "-c", handler["command"]], input=said, capture_output=True, text=True).stdout

    assert UV in fired()
    improve("off")
    before = tree(home, shop)
    assert fired() == ""
    improve("escalate", "--apply", cwd=shop, code=3)
    assert tree(home, shop) == before
    improve("on")
    assert UV in fired()


def test_two_writers_wait_for_each_other(shop: Path, home: Path) -> None:
    """Sixteen commands at the same moment count sixteen occasions."""
    calls = [
        subprocess.Popen(
            [sys.executable, "-m", "improve", "observe", UV, "--session", f"s{number}"],
            cwd=shop,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for number in range(16)
    ]
    assert {call.wait(60) for call in calls} <= {0, 4}
    done = subprocess.run([sys.executable, "-m", "improve", "history", RULE, "--json"], cwd=shop, capture_output=True)
    assert json.loads(done.stdout)["count"] == 18


def test_there_is_a_way_back(home: Path, shop: Path, improve: Improve) -> None:
    """What was written is taken back by one command, and what was installed by another, to the byte."""
    before = tree(shop)
    improve("escalate", "--apply", cwd=shop)
    improve("undo", cwd=shop)
    assert tree(shop) == before
    hosts = tree(home / ".claude", home / ".codex")
    improve("install", "--all", "--yes", cwd=shop)
    improve("uninstall", "--all", "--yes", cwd=shop)
    assert tree(home / ".claude", home / ".codex") == hosts
