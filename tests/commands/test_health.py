"""`doctor` and the hosts: it runs our hooks, names what keeps a host from running them, and every lost rule."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve, Repository, Said
from improve import hosts
from improve.workflow import probe

UV = "Use uv for packages, never pip install"
SEVEN = ("opencode", "codex", "claude-code", "gemini", "pi", "copilot", "qwen")
WIRED = tuple(host.name for host in hosts.all_hosts() if host.wiring)


@pytest.fixture
def shop(repository: Repository, improve: Improve, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one rule that no file says; commands run in it."""
    root = repository("shop")
    monkeypatch.chdir(root)
    improve("observe", UV, "--session", "a")
    return root


@pytest.fixture
def install(home: Path, shop: Path, improve: Improve) -> Callable[..., None]:
    """Put hosts on the machine and install improve for them; Codex is told to trust its hooks."""

    def run(*names: str) -> None:
        for name in names:
            folder = hosts.host(name).folder
            assert folder
            Path(folder(str(home), os.environ)).mkdir(parents=True, exist_ok=True)
        improve("install", *names, "--yes")
        if "codex" in names:
            trust(home)

    return run


def trust(home: Path, *, but: str = "") -> None:
    """Write what Codex writes when a person trusts the hooks as they stand."""
    file = home / ".codex" / "hooks.json"
    rows = []
    for theirs, groups in json.loads(file.read_text())["hooks"].items():
        snake = {"SessionStart": "session_start", "UserPromptSubmit": "user_prompt_submit", "Stop": "stop"}
        for number, group in enumerate(groups):
            for at, _ in enumerate(group["hooks"]):
                key = f"{file}:{snake.get(theirs, 'session_end')}:{number}:{at}"
                rows += [f"[hooks.state.{json.dumps(key)}]", 'trusted_hash = "sha256:00"'] if theirs != but else []
    (home / ".codex" / "config.toml").write_text("\n".join(['model = "m"', *rows, ""]))


def host(said: Said, name: str) -> dict[str, Any]:
    """Take one host out of the answer as JSON."""
    (found,) = [each for each in said.json["hosts"] if each["host"] == name]
    return found


def tree(folder: Path) -> dict[str, str]:
    """Give every file below a directory with the hash of its bytes."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def launcher(home: Path) -> Path:
    """Name the launcher of the fenced store."""
    return home / ".agent-improvement" / "bin" / "improve-hook"


def wrap(home: Path, before: str = "", after: str = "") -> None:
    """Let the launcher do something else as well."""
    path = launcher(home)
    real = path.with_name("real")
    path.rename(real)
    path.write_text(f'#!/bin/sh\n{before}\n"{real}" "$@"\n{after}\n')
    path.chmod(0o755)


# --- all is well ---


def test_all_hooks_of_all_hosts_are_run(home: Path, improve: Improve, install: Callable[..., None]) -> None:
    """Each hook that install wrote is run once, answers what its host understands, and doctor is content."""
    install(*WIRED)
    said = improve("doctor", "--json")
    assert said.json["healthy"] is True
    assert [each["host"] for each in said.json["hosts"]] == [h.name for h in hosts.all_hosts() if h.name in WIRED]
    for each in said.json["hosts"]:
        events = [run["event"] for run in each["runs"]]
        assert len(events) == len(set(events)) >= 2
        assert "prompt" in events
        assert [run["trouble"] for run in each["runs"]] == [""] * len(events)


def test_a_host_that_is_well_takes_one_line(improve: Improve, install: Callable[..., None]) -> None:
    """Where the rules come from, and how long a person waits at most."""
    install("claude-code", "opencode")
    lines = [line for line in improve("doctor").out.splitlines() if "claude-code" in line or "opencode" in line]
    assert [line.rpartition("; ")[0] for line in lines] == [
        "ok     opencode: 1 rule by the hook",
        "ok     claude-code: 1 rule by the hook",
    ]
    assert all(line.endswith(" ms at most") for line in lines)


def test_doctor_leaves_nothing(home: Path, shop: Path, improve: Improve, install: Callable[..., None]) -> None:
    """No observation, no prompt, no end of a session, no change in any file of a host, the store or the project."""
    install(*WIRED)
    store = [home, shop]
    before = [tree(folder) for folder in store]
    improve("doctor")
    after = [tree(folder) for folder in store]
    derived = (".cache/", ".local/state/")
    for was, now in zip(before, after, strict=True):
        changed = {name for name in was.keys() | now.keys() if was.get(name) != now.get(name)}
        assert {name for name in changed if not name.startswith(derived)} == set()
    assert not (home / ".agent-improvement" / "queue").exists()


def test_a_hook_is_given_next_to_no_environment(
    home: Path, improve: Improve, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The marks of the host that doctor itself runs in are not handed on: another host would not have them."""
    install("claude-code")
    wrap(home, before=f"env >> {tmp_path}/env")
    monkeypatch.setenv("CURSOR_VERSION", "1")
    monkeypatch.setenv("CLAUDECODE", "1")
    improve("doctor")
    told = (tmp_path / "env").read_text()
    assert "CURSOR" not in told
    assert "CLAUDECODE" not in told


def test_one_host_is_told_of_in_full(improve: Improve, install: Callable[..., None]) -> None:
    """`--host` shows each hook with its time, and only that host."""
    install("claude-code", "qwen")
    said = improve("doctor", "--host", "qwen").out
    assert "claude-code:" not in said
    assert said.count(" ms  well\n") == 4


def test_a_host_that_is_not_there(improve: Improve, shop: Path) -> None:
    """Asked for by name it is said not to be there; a name that means nothing is a wrong use."""
    assert "ok     codex: not on this machine" in improve("doctor", "--host", "codex").out
    assert "no host is called 'emacs'" in improve("doctor", "--host", "emacs", code=2).err


def test_a_host_without_improve_is_no_fault(home: Path, improve: Improve, shop: Path) -> None:
    """An agent for which nothing was installed is told of, with the command."""
    (home / ".codex").mkdir()
    assert "ok     codex: none of 1 rule; not installed: improve install codex" in improve("doctor").out


# --- hooks that do not work ---


def moved(path: Path, what: str) -> None:
    """Make a launcher look for Python, or for the package, where neither is any more."""
    text = path.read_text(encoding="utf-8")
    assert what in text
    path.write_text(text.replace(what, "/gone"), encoding="utf-8")


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (lambda path: path.unlink(), "it is gone"),
        (lambda path: path.chmod(0o644), "it may not be executed"),
        (lambda path: path.write_text("#!/bin/sh\nexit 0\n"), "it does nothing"),
        (lambda path: path.write_text("#!/bin/sh\n/gone/python -c 'main()'\nexit 0\n"), "it does nothing"),
        (lambda path: path.write_text("#!/bin/sh\nexit 3\n"), "exit code 3"),
        (lambda path: moved(path, sys.executable), "it does nothing"),
        (lambda path: moved(path, str(Path(hosts.__path__[0]).parent.parent)), "it does nothing"),
    ],
)
def test_a_dead_launcher_is_found(
    home: Path, improve: Improve, install: Callable[..., None], harm: Callable[[Path], None], why: str
) -> None:
    """The settings look as they should and every hook is silent: only a correction that leaves no trace tells."""
    install("claude-code", "opencode")
    harm(launcher(home))
    said = improve("doctor", code=5)
    assert f"WRONG  ~/.agent-improvement/bin/improve-hook, which hosts call: {why}" in said.out
    assert "→ improve install\n" in said.out
    assert "WRONG  claude-code" in said.out
    assert "WRONG  opencode" in said.out


def test_install_mends_a_dead_launcher(home: Path, improve: Improve, install: Callable[..., None]) -> None:
    """What doctor advises helps."""
    install("claude-code")
    launcher(home).unlink()
    improve("doctor", code=5)
    improve("install", "claude-code", "--yes")
    improve("doctor")


def test_a_hung_hook_is_ended(
    home: Path, improve: Improve, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is given up at the limit, with what it started, and said to be hung."""
    install("claude-code")
    monkeypatch.setattr(probe, "LIMIT", 1.0)
    wrap(home, before=f'[ "$2" = stop ] && {{ sleep 60 & echo $! >> {tmp_path}/pids; wait; }}')
    began = time.monotonic()
    said = improve("doctor", code=5)
    assert time.monotonic() - began < 20
    assert "the hook for stop did not end within 1 s" in said.out
    assert "the hook for prompt" not in said.out
    for pid in (tmp_path / "pids").read_text().split():
        state = Path("/proc", pid, "stat")
        assert not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"


def test_a_hook_that_prints_what_no_host_understands(
    home: Path, improve: Improve, install: Callable[..., None]
) -> None:
    """JSON where the host reads JSON, our stamp where a plugin of ours does, nothing from all others."""
    install("claude-code", "pi")
    wrap(home, after="echo hello")
    said = improve("doctor", code=5)
    assert "the hook for prompt printed something that Claude Code cannot read: it is no JSON object" in said.out
    assert "the hook for prompt printed something that is no list of rules" in said.out
    assert said.out.count("the hook for stop printed something, which this event must not") == 2
    assert "→ improve install pi\n" in said.out


def test_a_hook_that_fails_in_silence_is_found_in_its_log(
    rules: Path, improve: Improve, install: Callable[..., None]
) -> None:
    """A hook may tell nobody but its log; doctor reads there what happened while it ran the hooks."""
    install("claude-code")
    rules.write_text("rules: [\n", encoding="utf-8")
    said = improve("doctor", code=6).out
    assert "WRONG  ~/.agent-improvement/rules.yaml: " in said
    assert re.search(r"WRONG  a hook failed when it was run: \S+ claude-code session-start: NeedsRepair: ", said)
    assert "claude-code: 4 hooks run" in said


def test_a_slow_hook_is_named(improve: Improve, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """A person waits for every hook."""
    install("claude-code")
    monkeypatch.setattr(probe, "SLOW", 0.0)
    assert "s, and Claude Code waits for it" in improve("doctor", code=5).out


def test_what_was_changed_or_lost_is_named(home: Path, improve: Improve, install: Callable[..., None]) -> None:
    """A plugin that is not what this version writes, a hook that is gone, a skill that is gone."""
    install("opencode", "claude-code", "pi")
    plugin = home / ".config" / "opencode" / "plugins" / "improve.js"
    plugin.write_text(plugin.read_text() + "// mine\n")
    (home / ".pi" / "agent" / "extensions" / "improve.js").unlink()
    file = home / ".claude" / "settings.json"
    settings = json.loads(file.read_text())
    del settings["hooks"]["Stop"]
    file.write_text(json.dumps(settings))
    shutil.rmtree(home / ".claude" / "skills" / "improve")
    said = improve("doctor", code=5).out
    assert "~/.config/opencode/plugins/improve.js is not as this version writes it\n" in said
    assert "~/.pi/agent/extensions/improve.js is missing\n" in said
    assert "~/.claude/settings.json: the hook for Stop is missing\n           → improve install claude-code" in said
    assert "note   ~/.claude/skills/improve/SKILL.md is missing\n" in said


@pytest.mark.parametrize(("name", "file"), [("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")])
def test_settings_that_do_not_parse_are_named(
    home: Path, improve: Improve, install: Callable[..., None], name: str, file: str
) -> None:
    """A host ignores the whole file then, and says nothing."""
    install(name)
    path = home / file
    path.write_text(path.read_text().replace("{", "{ // a remark\n", 1))
    said = improve("doctor", code=5).out
    assert f"~/{file} cannot be read: line 1" in said
    assert f"→ correct it, then run: improve install {name}\n" in said
