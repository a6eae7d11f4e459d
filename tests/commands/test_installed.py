"""What was installed works as the hosts run it, whoever else writes at the same time."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import skills_ref
from skills_ref.parser import read_properties

from commands.conftest import Improve
from commands.installing import DATA, FILES, FOLDERS, commands, foreign, tree
from improve import clock
from improve.errors import EnvironmentFailure
from improve.workflow import skill
from improve.workflow.here import Here
from improve.workflow.install import installed

IMPROVE = [sys.executable, "-P", "-m", "improve"]
MINIMAL = {"PATH": "/usr/bin:/bin"}


def look() -> Here:
    """Look around in the fenced home."""
    return Here.from_environment(os.environ, clock.now())


@pytest.fixture
def everyone(home: Path) -> Path:
    """Put every agent on the machine; gives the home."""
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True)
    return home


# --- as the hosts run it ---


def test_every_hook_is_listed_as_its_host_has_it(improve: Improve, everyone: Path) -> None:
    """Nothing before; after an install every hook of every host, each in order."""
    assert installed(look()) == []
    improve("install")
    wired = installed(look())
    assert {each.state for each in wired} == {"ok"}
    assert {each.host for each in wired} >= {*FILES, "opencode", "pi", "copilot", "amp", "cline", "goose"}
    assert {e.event for e in wired if e.host == "claude-code"} == {"session-start", "prompt", "stop", "session-end"}
    assert {(e.event, e.theirs) for e in wired if e.host == "cline"} == {
        ("session-start", "TaskStart"),
        ("prompt", "UserPromptSubmit"),
    }
    assert all(each.command for each in wired if each.host not in ("opencode", "pi", "amp"))
    improve("uninstall")
    assert installed(look()) == []


def test_what_is_missing_or_changed_is_told(improve: Improve, everyone: Path) -> None:
    """An entry that another tool removed is missing, one that calls another launcher is changed."""
    improve("install")
    path = everyone / FILES["codex"]
    value = json.loads(path.read_bytes())
    del value["hooks"]["Stop"]
    handler = value["hooks"]["SessionEnd"][0]["hooks"][0]
    handler["command"] = handler["command"].replace(".agent-improvement", ".elsewhere")
    path.write_text(json.dumps(value))
    (everyone / ".pi/agent/extensions/improve.js").unlink()
    (everyone / FILES["qwen"]).write_text("{")
    states = {(each.host, each.event): each.state for each in installed(look())}
    assert states["codex", "stop"] == "missing"
    assert states["codex", "session-end"] == "changed"
    assert states["codex", "prompt"] == "ok"
    assert states["pi", ""] == "missing"
    assert states["qwen", ""] == "changed"


@pytest.mark.parametrize("shell", ["sh", "bash", "dash"])
def test_every_command_runs_in_any_shell(
    improve: Improve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    """Run as its host runs it, in a home with an awkward name, each hook ends with 0 and complains about nothing."""
    user = tmp_path / 'dév\'s "home" $x'
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(user))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "AGENT_IMPROVEMENT_HOME"):
        monkeypatch.delenv(name)
    for folder in FOLDERS:
        (user / folder).mkdir(parents=True)
    improve("install")
    elsewhere = tmp_path / "repo"
    elsewhere.mkdir()
    (elsewhere / "improve.py").write_text("raise SystemExit('evil')")
    wired = [each for each in installed(look()) if each.command]
    assert len(wired) > 25
    chosen = wired if shell == "sh" else wired[::6]
    for each in chosen:
        for text in (b"{}", b"not json \xff"):
            done = subprocess.run(
                [shell, "-c", each.command],
                input=text,
                cwd=elsewhere,
                env={**MINIMAL, "HOME": str(user)},
                capture_output=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, b""), each
    improve("uninstall")
    for each in chosen[:3]:  # a session that still has the old settings
        done = subprocess.run([shell, "-c", each.command], input=b"{}", env=MINIMAL, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


# --- the skill ---


def test_the_installed_skill_is_valid_and_its_commands_run(improve: Improve, everyone: Path) -> None:
    """Each copy validates, names no checkout, and the command in its description works as it stands."""
    improve("install")
    copies = sorted(everyone.rglob("skills/improve/SKILL.md"))
    assert {path.parents[2].name for path in copies} >= {".agents", ".claude", ".cursor", ".cline"}
    for path in copies:
        assert skills_ref.validate(path.parent) == []
        text = path.read_text(encoding="utf-8")
        assert "scripts/improve.py" not in text
        assert "<skill-dir>" not in text
        assert "DIR" not in text
        assert len(read_properties(path.parent).description) <= skill.LONGEST
        assert text == copies[0].read_text(encoding="utf-8")
    described = read_properties(copies[0].parent).description
    command = described.split("`")[1].replace("IMPERATIVE RULE", "Use uv, never pip").replace("WHAT HAPPENED", "x")
    assert command.startswith("~/.agent-improvement/bin/improve observe ")
    env = {**MINIMAL, "HOME": str(everyone)}
    done = subprocess.run(["sh", "-c", command], env=env, cwd="/", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("RECORDED")


@pytest.mark.parametrize("place", ["a: b", "it's", "sp ace", 'qu"ote', "ünï", "x #y", "<tag>", "back\\slash"])
def test_the_skill_is_valid_wherever_the_store_is(place: str, tmp_path: Path) -> None:
    """An awkward path of the store is quoted for the shell and for the front matter."""
    command = f"/srv/{place}/bin/improve"
    folder = tmp_path / "improve"
    folder.mkdir()
    (folder / "SKILL.md").write_text(skill.text(command, "/home/u"), encoding="utf-8")
    problems = skills_ref.validate(folder)
    assert problems == [] or "<" in place
    import shlex

    described = read_properties(folder).description
    assert shlex.quote(command) in described
    with pytest.raises(Exception, match="too long"):
        skill.text("/srv/" + "long/" * 100 + "improve", "/home/u")


def test_each_directory_gets_the_skill_once(improve: Improve, home: Path) -> None:
    """OpenCode reads Claude Code's skills as well, so with both only one copy is written."""
    (home / ".claude").mkdir()
    (home / ".config" / "opencode").mkdir(parents=True)
    improve("install")
    assert [path.parents[2].name for path in home.rglob("SKILL.md")] == [".claude"]
    improve("uninstall")
    (home / ".claude").rmdir()
    improve("install")
    assert [path.parents[2].name for path in home.rglob("SKILL.md")] == [".agents"]


def test_a_shared_skill_goes_with_its_last_reader(improve: Improve, home: Path) -> None:
    """The copy in the shared directory stays as long as one installed agent reads it."""
    improve("install", "codex")
    improve("install", "gemini")
    copy = home / ".agents" / "skills" / "improve" / "SKILL.md"
    improve("uninstall", "codex")
    assert copy.exists()
    improve("uninstall", "gemini")
    assert tree(home) == {}


@pytest.mark.parametrize("host", ["codex", "claude-code", "opencode"])
def test_one_directory_under_two_names_keeps_the_skill_for_who_stays(improve: Improve, home: Path, host: str) -> None:
    """Where ~/.agents/skills is a link to Claude Code's, uninstalling one agent takes the skill from no other."""
    for folder in (".claude/skills", ".agents", ".codex", ".config/opencode"):
        (home / folder).mkdir(parents=True)
    (home / ".agents" / "skills").symlink_to("../.claude/skills")
    before = tree(home)
    improve("install")
    copy = home / ".claude" / "skills" / "improve" / "SKILL.md"
    improve("uninstall", host)
    assert copy.exists()
    for other in {"codex", "claude-code", "opencode"} - {host}:
        assert copy.exists()
        improve("uninstall", other)
    assert tree(home) == before


@pytest.mark.parametrize("own", ["link", "directory", "file of its own", "file"])
def test_a_skill_of_the_person_is_left_and_named(improve: Improve, home: Path, tmp_path: Path, own: str) -> None:
    """A checkout that is linked as the skill, or any other skill of that name, stays as it is."""
    place = home / ".claude" / "skills" / "improve"
    place.parent.mkdir(parents=True)
    if own == "link":
        (tmp_path / "checkout").mkdir()
        (tmp_path / "checkout" / "SKILL.md").write_text("mine")
        place.symlink_to(tmp_path / "checkout")
    elif own == "file":
        place.write_text("mine")
    else:
        place.mkdir()
        (place / ("SKILL.md" if own == "file of its own" else "notes.md")).write_text("mine")
    before = tree(home)
    said = improve("install")
    assert "left     skill ~/.claude/skills/improve" in said.out
    improve("uninstall")
    assert tree(home) == before


def test_a_skill_changed_by_hand_stays(improve: Improve, home: Path) -> None:
    """What a person wrote into the installed skill is not thrown away, by either command."""
    (home / ".claude").mkdir()
    improve("install")
    copy = home / ".claude" / "skills" / "improve" / "SKILL.md"
    copy.write_text(copy.read_text() + "\nMine.\n")
    assert "changed by hand" in improve("install").out
    assert "changed by hand" in improve("uninstall").out
    assert copy.read_text().endswith("\nMine.\n")


def test_the_wheel_holds_the_skill() -> None:
    """There is one SKILL.md; a checkout finds it at its root, and the wheel takes it along."""
    import tomllib

    root = Path(__file__).parents[2]
    built = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert built["force-include"] == {"SKILL.md": "improve/SKILL.md"}
    assert skill.source() == (root / "SKILL.md").read_text(encoding="utf-8")


# --- with others at work ---


def test_eight_installs_at_once(improve: Improve, everyone: Path) -> None:
    """Eight processes together leave what one leaves, and uninstall takes all of it back."""
    path = everyone / FILES["claude-code"]
    path.write_text('{\n  "model": "x"\n}\n')
    before = tree(everyone)
    running = [subprocess.Popen([*IMPROVE, "install"], stdout=subprocess.DEVNULL) for _ in range(8)]
    assert [process.wait(100) for process in running] == [0] * 8
    assert {each.state for each in installed(look())} == {"ok"}
    assert len(commands(path)) == 4
    improve("uninstall")
    assert tree(everyone) == before


_REWRITES = """
import json, os, sys
path, stop = sys.argv[1:]
number = 0
while not os.path.exists(stop):
    number += 1
    with open(path, encoding="utf-8") as stream:
        value = json.load(stream)
    value["number"] = number
    with open(path + ".new", "w", encoding="utf-8") as stream:
        json.dump(value, stream, indent=2)
    os.replace(path + ".new", path)
print(number)
"""


def test_a_host_that_saves_its_settings_all_the_time(improve: Improve, home: Path, tmp_path: Path) -> None:
    """The file is whole at every moment, ours or theirs; in the end all of ours is there, or the command says why."""
    path, stop = home / FILES["claude-code"], tmp_path / "stop"
    path.parent.mkdir()
    path.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}')
    host = subprocess.Popen([sys.executable, "-c", _REWRITES, str(path), str(stop)], stdout=subprocess.PIPE, text=True)
    try:
        codes = []
        for _ in range(6):
            done = subprocess.Popen(
                [*IMPROVE, "install", "--yes"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            while done.poll() is None:
                assert foreign(path) == ["theirs"]
                time.sleep(0.002)
            codes.append(done.returncode)
            assert len(commands(path)) in (1, 5)
    finally:
        stop.write_text("")
        rounds = int(host.communicate(timeout=30)[0])
    assert rounds >= 200
    assert set(codes) <= {0, 4}
    improve("install")
    assert len(commands(path)) == 5
    improve("uninstall")
    assert commands(path) == ["theirs"]
    assert json.loads(path.read_bytes())["number"] == rounds


@pytest.mark.parametrize("seconds", [0.15, 0.2, 0.25, 0.3, 0.4, 0.5])
def test_a_process_that_is_killed_leaves_nothing_for_good(improve: Improve, everyone: Path, seconds: float) -> None:
    """Killed at any moment of an install or an uninstall, the next pair of them leaves the tree of the start."""
    for host in FILES:
        (everyone / FILES[host]).write_bytes((DATA / "good" / "real-claude.json").read_bytes())
    before = tree(everyone)
    for verb in ("install", "uninstall"):
        process = subprocess.Popen([*IMPROVE, verb], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.kill()
        process.wait()
        improve("install")
    improve("uninstall")
    drafts = list(everyone.rglob(".improve-*"))  # the next write in there sweeps them after an hour
    for draft in drafts:
        draft.unlink()
        for folder in draft.parents:
            name = folder.relative_to(everyone).as_posix() if folder.is_relative_to(everyone) else "."
            if name not in {".", *before} and not any(folder.iterdir()):
                folder.rmdir()
    assert tree(everyone) == before


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_in_between_costs_nothing(
    improve: Improve, home: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Cut off right before or right after the settings were replaced, the next commands set everything right."""
    from improve import files

    path = home / FILES["codex"]
    path.parent.mkdir()
    path.write_bytes(b'{"a":1}\n')
    before = tree(home)
    real = files.replace

    def cut_off(snapshot: files.Snapshot, new: bytes, **more: object) -> bool:
        if snapshot.path == str(path):
            if moment == "after":
                real(snapshot, new, **more)  # type: ignore[arg-type]
            raise KeyboardInterrupt
        return real(snapshot, new, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", cut_off)
        improve("install", code=130)
    improve("install")
    assert len(commands(path)) == 4
    improve("uninstall")
    left = tree(home)
    assert json.loads(path.read_bytes()) == {"a": 1}
    assert {name: left[name] for name in left if name != FILES["codex"]} == {
        name: before[name] for name in before if name != FILES["codex"]
    }


@pytest.mark.parametrize("error", [KeyboardInterrupt(), EnvironmentFailure("no space left")], ids=["stopped", "full"])
@pytest.mark.parametrize("moment", ["copied", "remembered", "replaced"])
def test_no_copy_of_the_settings_is_left_behind(
    improve: Improve, home: Path, monkeypatch: pytest.MonkeyPatch, moment: str, error: BaseException
) -> None:
    """What fails or is stopped on the way to a settings file leaves no copy of it, which may hold a credential."""
    from improve import files
    from improve.workflow import receipt

    path, backups = home / FILES["codex"], home / ".local" / "state" / "agent-improvement" / "backups"
    path.parent.mkdir()
    path.write_bytes(b'{"env": {"TOKEN": "secret"}}')
    step = {"copied": (files, "read"), "remembered": (receipt, "save"), "replaced": (files, "replace")}[moment]
    real = getattr(*step)

    def fails(first: Any, *rest: Any, **more: Any) -> Any:
        if backups.is_dir() and any(backups.iterdir()):
            monkeypatch.setattr(*step, real)
            raise error
        return real(first, *rest, **more)

    monkeypatch.setattr(*step, fails)
    improve("install", code=130 if isinstance(error, KeyboardInterrupt) else 5)
    assert path.read_bytes() == b'{"env": {"TOKEN": "secret"}}'
    assert not backups.exists()


def test_a_kill_before_the_last_directory_goes_costs_nothing(improve: Improve, home: Path) -> None:
    """An empty store that nobody remembers to have made is removed by the next uninstall."""
    (home / ".codex").mkdir()
    (home / ".agent-improvement").mkdir()
    improve("install")
    improve("uninstall")
    assert tree(home) == {".codex": tree(home)[".codex"]}


def test_a_launcher_that_lost_its_right_to_run_gets_it_back(improve: Improve, home: Path) -> None:
    """Without it no hook would do anything, and nobody would be told."""
    (home / ".codex").mkdir()
    improve("install")
    hook = home / ".agent-improvement" / "bin" / "improve-hook"
    hook.chmod(0o644)
    assert "wrote    launcher ~/.agent-improvement/bin/improve-hook" in improve("install").out
    assert os.access(hook, os.X_OK)
    assert "installed already" in improve("install").out


# --- on a terminal ---


def on_terminal(answer: str, *argv: str) -> tuple[int, str]:
    """Run a command on a terminal of its own and type an answer."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*IMPROVE, *argv], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    os.write(ours, answer.encode())
    said = b""
    try:
        while part := os.read(ours, 1 << 16):
            said += part
    except OSError:  # the other end was closed
        pass
    os.close(ours)
    return process.wait(60), said.decode()


def test_a_person_is_asked_once(home: Path) -> None:
    """On a terminal the diff comes first, then one question; no means no, --yes means no question."""
    (home / ".codex").mkdir()
    before = tree(home)
    code, said = on_terminal("n\n", "install")
    assert (code, tree(home)) == (0, before)
    assert said.index("+++ b/~/.codex/hooks.json") < said.index("Do this?")
    assert "Nothing was written" in said
    code, said = on_terminal("y\n", "install")
    assert (code, (home / FILES["codex"]).exists()) == (0, True)
    code, said = on_terminal("", "uninstall", "--yes")
    assert (code, tree(home)) == (0, before)
    assert "Do this?" not in said
    code, said = on_terminal("\x04", "install")
    assert (code, tree(home)) == (130, before)
