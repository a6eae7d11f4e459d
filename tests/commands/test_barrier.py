"""`doctor` says whether a host will run the hooks that stand in its settings, and what a person has to do if not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve, Repository
from commands.test_health import trust

TRUST = "start codex once and choose Trust all"


@pytest.fixture
def shop(repository: Repository, improve: Improve, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which commands run."""
    root = repository("shop")
    monkeypatch.chdir(root)
    return root


def put(path: Path, value: object) -> None:
    """Merge members into a settings file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    old: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**old, **value} if isinstance(value, dict) else value), encoding="utf-8")


def findings(improve: Improve, name: str, code: int) -> list[tuple[bool, str, str]]:
    """Give what doctor says of one host: good or not, what, and the remedy."""
    (host,) = improve("doctor", "--host", name, "--json", code=code).json["hosts"]
    return [(each["good"], each["what"], each["fix"]) for each in host["findings"]]


# --- Codex CLI ---


@pytest.fixture
def codex(home: Path, shop: Path, improve: Improve) -> Path:
    """Codex with our hooks, trusted; gives its directory."""
    (home / ".codex").mkdir()
    improve("install", "codex", "--yes")
    trust(home)
    return home / ".codex"


def test_trusted_hooks_are_well(codex: Path, improve: Improve) -> None:
    """What Codex writes when somebody chooses Trust all is enough."""
    assert findings(improve, "codex", 0) == []


def test_trust_is_found_through_a_link(home: Path, codex: Path, improve: Improve) -> None:
    """A directory that is a link has its hooks trusted under the name that Codex resolved."""
    codex.rename(home / "dotfiles")
    codex.symlink_to(home / "dotfiles")
    config = codex / "config.toml"
    config.write_text(config.read_text().replace(f"{codex}/", f"{home}/dotfiles/"))
    assert findings(improve, "codex", 0) == []


def test_hooks_nobody_trusted_are_named(home: Path, codex: Path, improve: Improve) -> None:
    """All of them without a config.toml, one of them when one was added later."""
    what = "Codex skips hooks that nobody has trusted yet, without a word: "
    trust(home, but="Stop")
    assert findings(improve, "codex", 5) == [(False, what + "Stop", TRUST)]
    (codex / "config.toml").unlink()
    assert findings(improve, "codex", 5) == [(False, what + "SessionStart, UserPromptSubmit, Stop, SessionEnd", TRUST)]


@pytest.mark.parametrize(("at", "lost"), [(0, True), (1, False)])
def test_a_hook_of_another_tool_moves_ours_only_when_it_stands_before(
    codex: Path, improve: Improve, at: int, lost: bool
) -> None:
    """Trust is kept by place: an entry before ours takes it away, one behind does not."""
    file = codex / "hooks.json"
    settings = json.loads(file.read_text())
    settings["hooks"]["Stop"].insert(at, {"hooks": [{"type": "command", "command": "true"}]})
    file.write_text(json.dumps(settings))
    found = findings(improve, "codex", 5 if lost else 0)
    assert [what.endswith(": Stop") for _, what, _ in found] == [True] * lost


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("[features]\nhooks = false\n", "~/.codex/config.toml switches all hooks off (features.hooks)"),
        ("[features]\ncodex_hooks = false\n", "~/.codex/config.toml switches all hooks off (features.codex_hooks)"),
        ("[features\n", "~/.codex/config.toml cannot be read: "),
    ],
)
def test_codex_with_hooks_off_is_named(codex: Path, improve: Improve, line: str, what: str) -> None:
    """One line in config.toml, or a mistake in it, is enough for no hook to run."""
    config = codex / "config.toml"
    config.write_text(config.read_text() + line)
    (found,) = findings(improve, "codex", 5)
    assert found[1].startswith(what)
    assert "~/.codex/config.toml" in found[2]


@pytest.mark.parametrize("line", ["[features]\nhooks = true\n", "[features]\nother = false\n", ""])
def test_codex_with_other_features_is_well(codex: Path, improve: Improve, line: str) -> None:
    """Only the switch for hooks counts."""
    config = codex / "config.toml"
    config.write_text(config.read_text() + line)
    assert findings(improve, "codex", 0) == []


def test_a_hook_switched_off_in_codex_is_named(codex: Path, improve: Improve) -> None:
    """A person may switch off single hooks there."""
    config = codex / "config.toml"
    config.write_text(config.read_text().replace("trusted_hash", "enabled = false\ntrusted_hash", 1))
    assert findings(improve, "codex", 5) == [
        (False, "switched off in Codex: SessionStart", "switch them on in codex with /hooks")
    ]


def test_hooks_in_both_files_are_a_note(codex: Path, improve: Improve) -> None:
    """Codex runs those of config.toml as well as ours."""
    config = codex / "config.toml"
    config.write_text(config.read_text() + '[[hooks.Stop]]\nhooks = [{type = "command", command = "true"}]\n')
    (found,) = findings(improve, "codex", 0)
    assert found[:2] == (True, "~/.codex/config.toml has hooks too (Stop); Codex runs both, and warns of it")


# --- Claude Code, Gemini CLI, Qwen Code ---


@pytest.fixture
def installed(home: Path, shop: Path, improve: Improve) -> Callable[[str], None]:
    """Put a host on the machine, with our hooks."""

    def run(name: str) -> None:
        (home / f".{name.partition('-')[0]}").mkdir()
        improve("install", name, "--yes")

    return run


CLAUDE, GEMINI, QWEN = "claude-code", "gemini", "qwen"
OFF = {"hooksConfig": {"enabled": False}}
MINE_OFF = {"hooksConfig": {"disabled": ["other", "improve"]}}


@pytest.mark.parametrize(
    ("name", "file", "value"),
    [
        (CLAUDE, "~/.claude/settings.json", {"disableAllHooks": True}),
        (CLAUDE, ".claude/settings.json", {"disableAllHooks": True}),
        (CLAUDE, ".claude/settings.local.json", {"disableAllHooks": True}),
        (GEMINI, "~/.gemini/settings.json", OFF),
        (GEMINI, ".gemini/settings.json", OFF),
        (GEMINI, "~/.gemini/settings.json", MINE_OFF),
        (QWEN, "~/.qwen/settings.json", {"disableAllHooks": True}),
    ],
)
def test_hooks_that_are_switched_off_are_named(
    home: Path, shop: Path, improve: Improve, installed: Callable[[str], None], name: str, file: str, value: object
) -> None:
    """In the settings of the person or of the project: the file is named, and what to take out of it."""
    installed(name)
    path = home / file[2:] if file.startswith("~") else shop / file
    put(path, value)
    wrong = [found for found in findings(improve, name, 5) if not found[0]]
    assert len(wrong) == 1
    shown = file if file.startswith("~") else str(shop / file)
    assert wrong[0][1].startswith(f"{shown} switches ")
    assert shown in wrong[0][2]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (CLAUDE, {"disableAllHooks": False}),
        (CLAUDE, {"hooksConfig": {"enabled": False}}),
        (CLAUDE, {"allowManagedHooksOnly": True}),
        (GEMINI, {"disableAllHooks": True}),
        (GEMINI, {"hooksConfig": {"enabled": True, "disabled": ["other"]}}),
        (GEMINI, {"hooksConfig": "no"}),
        (QWEN, {"hooksConfig": {"enabled": False, "disabled": ["improve"]}}),
    ],
)
def test_what_switches_nothing_off_is_no_fault(
    home: Path, improve: Improve, installed: Callable[[str], None], name: str, value: object
) -> None:
    """A key that this host does not know, or that says the opposite, or that counts only in managed settings."""
    installed(name)
    put(home / f".{name.partition('-')[0]}" / "settings.json", value)
    assert [found for found in findings(improve, name, 0) if not found[0]] == []


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (None, False),
        ({}, True),
        ({"SHOP": {}}, True),
        ({"SHOP": {"hasTrustDialogAccepted": False}}, True),
        ({"SHOP": {"hasTrustDialogAccepted": True}}, False),
        ({"ABOVE": {"hasTrustDialogAccepted": True}}, False),
        ({"SHOP/sub": {"hasTrustDialogAccepted": True}}, True),
    ],
)
def test_a_directory_claude_code_does_not_trust_is_a_note(
    home: Path,
    shop: Path,
    improve: Improve,
    installed: Callable[[str], None],
    known: dict[str, object] | None,
    told: bool,
) -> None:
    """No hook runs there before somebody says yes; trust of a directory above counts, no record says nothing."""
    installed(CLAUDE)
    if known is not None:
        names = {"SHOP": str(shop), "ABOVE": str(shop.parent), "SHOP/sub": str(shop / "sub")}
        put(home / ".claude.json", {"projects": {names[name]: value for name, value in known.items()}})
    found = findings(improve, CLAUDE, 0)
    assert [what.startswith("Claude Code does not trust this directory yet") for _, what, _ in found] == [True] * told


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({}, True),
        ({"SHOP": "TRUST_FOLDER"}, False),
        ({"ABOVE": "TRUST_FOLDER"}, False),
        ({"SHOP": "TRUST_PARENT"}, False),
        ({"ABOVE": "TRUST_FOLDER", "SHOP": "DO_NOT_TRUST"}, True),
        ({"SHOP": "DO_NOT_TRUST"}, True),
    ],
)
def test_a_directory_gemini_does_not_trust_is_a_note(
    home: Path, shop: Path, improve: Improve, installed: Callable[[str], None], known: dict[str, str], told: bool
) -> None:
    """It asks when it is started there; the nearest word about the directory counts."""
    installed(GEMINI)
    names = {"SHOP": str(shop), "ABOVE": str(shop.parent)}
    put(home / ".gemini" / "trustedFolders.json", {names[name]: how for name, how in known.items()})
    found = [what for _, what, _ in findings(improve, GEMINI, 0)]
    assert [what.startswith("Gemini CLI does not trust this directory yet") for what in found] == [True] * told
    put(home / ".gemini" / "settings.json", {"security": {"folderTrust": {"enabled": False}}})
    assert findings(improve, GEMINI, 0) == []


@pytest.mark.parametrize(
    "data", ["[]", "null", '"x"', "{", "", "{}", '{"projects": 3}', '{"projects": {"/": 1}}', "\0"]
)
def test_odd_files_of_a_host_stop_nothing(
    home: Path, shop: Path, improve: Improve, installed: Callable[[str], None], data: str
) -> None:
    """Whatever stands in the files that belong to a host alone, doctor goes on."""
    for name in (CLAUDE, GEMINI):
        installed(name)
    for file in (home / ".claude.json", home / ".gemini" / "trustedFolders.json", shop / ".claude" / "settings.json"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(data)
    improve("doctor")


def test_opencode_without_plugins_is_named(
    home: Path, shop: Path, improve: Improve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable is enough for it to load none; a file of its own that only helps it to start is no fault."""
    (home / ".config" / "opencode").mkdir(parents=True)
    improve("install", "opencode", "--yes")
    monkeypatch.setenv("OPENCODE_PURE", "1")
    assert findings(improve, "opencode", 5) == [
        (False, "OPENCODE_PURE is set here, so OpenCode loads no plugins", "unset OPENCODE_PURE")
    ]
    monkeypatch.setenv("OPENCODE_PURE", "0")
    (home / ".config" / "opencode" / ".npmrc").write_text("fetch-retries=1\n")
    assert findings(improve, "opencode", 0) == []


@pytest.mark.parametrize(("deny", "told"), [(["Bash(rm *)"], True), ([], False)])
def test_deny_rules_behind_a_link_are_worth_a_look(
    home: Path, shop: Path, improve: Improve, deny: list[str], told: bool
) -> None:
    """Linked settings with deny rules are told of, and are no error; without such rules nothing is said."""
    kept = home / "dotfiles" / "settings.json"
    put(kept, {"permissions": {"deny": deny}})
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(kept)
    improve("install", "claude-code", "--yes")
    found = [what for good, what, _ in findings(improve, "claude-code", 0) if good and "link" in what]
    assert bool(found) is told
