"""install adds our entries to files of other programs and nothing else; uninstall leaves the bytes of before."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from commands.installing import COMMENTS, DATA, FILES, FOLDERS, commands, foreign, samples, sha, tree
from improve import clock, hosts
from improve.hosts.wiring import without_tools
from improve.workflow import install
from improve.workflow.here import Here

SAMPLES = list(samples())


@pytest.fixture
def here() -> Here:
    """Give the surroundings of a command in the fenced home."""
    return Here.from_environment(os.environ, clock.now())


def settings(home: Path, host: str, data: bytes = b"{}\n") -> Path:
    """Put a settings file of a host on the machine."""
    path = home / FILES[host]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.fixture
def everyone(home: Path) -> Path:
    """Put every agent on the machine; gives the home."""
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True)
    return home


def test_there_are_enough_samples() -> None:
    """At least 200 different settings files are tried."""
    assert len({data for _, data in SAMPLES}) >= 200


def round_trip(home: Path, here: Here, host: str, name: str, data: bytes) -> None:
    """Install three times, uninstall, and compare."""
    found = [hosts.host(host)]
    path = settings(home, host, data)
    before, others = sha(path), foreign(path)
    states = [{s.state for s in install.install(here, found) if s.piece.kind == "settings"} for _ in range(3)]
    assert states == [{"write"}, {"same"}, {"same"}], name
    assert foreign(path) == others, name
    assert len(commands(path)) == len(others) + len(without_tools(found[0].wiring[0].hooks)), name
    install.uninstall(here, [])
    assert sha(path) == before, name


@pytest.mark.parametrize("number", range(len(FILES)), ids=list(FILES))
def test_thrice_in_and_once_out_is_nothing(home: Path, here: Here, number: int) -> None:
    """Three installs and an uninstall leave the bytes of before; other tools' hooks are constant in between."""
    for name, data in SAMPLES[number :: len(FILES)]:
        round_trip(home, here, list(FILES)[number], name, data)


@pytest.mark.nightly
@pytest.mark.parametrize("host", FILES)
@pytest.mark.parametrize("part", range(10))
def test_thrice_in_and_once_out_is_nothing_for_any_host(home: Path, here: Here, host: str, part: int) -> None:
    """The same for every sample in every host."""
    for name, data in SAMPLES[part::10]:
        round_trip(home, here, host, name, data)


@pytest.mark.parametrize("host", FILES)
def test_one_command_line_adds_and_removes(improve: Improve, home: Path, host: str) -> None:
    """Through the command line, too: what was there stays in front, ours comes last, and goes again."""
    data = (DATA / "good" / "real-claude.json").read_bytes()
    path = settings(home, host, data)
    said = improve("install", host)
    assert "+++ b/~/" + FILES[host] in said.out
    lines = path.read_bytes().splitlines()
    kept = iter(lines)
    assert all(any(line.rstrip(b",") == old.rstrip(b",") for line in kept) for old in data.splitlines())
    for rows in json.loads(path.read_bytes())["hooks"].values():
        marks = ["improve-hook" in json.dumps(row) for row in rows]
        assert marks == sorted(marks)
    assert "installed already" in improve("install", host).out
    improve("uninstall", host)
    assert path.read_bytes() == data
    assert "Nothing is installed" in improve("uninstall").out


@pytest.mark.parametrize("name", sorted(path.name for path in (DATA / "refused").iterdir()))
def test_what_cannot_be_understood_is_left_alone(improve: Improve, home: Path, name: str) -> None:
    """A file that its host would not take is not touched; what to paste is printed, and the other hosts go on."""
    data = (DATA / "refused" / name).read_bytes()
    refused = [settings(home, host, data) for host in FILES if host != "qwen"]
    fine = settings(home, "qwen")
    said = improve("install", code=3)
    assert [path.read_bytes() for path in refused] == [data] * 4
    assert said.out.count("refused  hooks in") == 4
    assert said.out.count("paste into it:") == 4
    assert "improve-hook claude-code session-start || true" in said.out
    assert "improve-hook" in fine.read_text()
    improve("uninstall")
    assert [path.read_bytes() for path in refused] == [data] * 4
    assert fine.read_bytes() == b"{}\n"


@pytest.mark.nightly
def test_a_file_too_large_is_left_alone(improve: Improve, home: Path) -> None:
    """5 MB are taken, more is refused."""
    body = b'{"a": "' + b"x" * (5 << 20) + b'"}'
    path = settings(home, "claude-code", body)
    assert "larger than 5,242," in improve("install", code=3).out
    assert path.read_bytes() == body
    smaller = body.replace(b"x" * 9000, b"", 1)
    path.write_bytes(smaller)
    improve("install")
    improve("uninstall")
    assert path.read_bytes() == smaller


@pytest.mark.parametrize("host", FILES)
@pytest.mark.parametrize("name", sorted(path.name for path in (DATA / "comments").iterdir()))
def test_comments_are_kept_where_the_host_allows_them(improve: Improve, home: Path, host: str, name: str) -> None:
    """Comments survive in a host that takes them; for a strict host the file is broken already, and is left alone."""
    data = (DATA / "comments" / name).read_bytes()
    path = settings(home, host, data)
    if host not in COMMENTS:
        assert "comment" in improve("install", host, code=3).out
    else:
        improve("install", host)
        improve("install", host)
        assert path.read_bytes().count(b"improve-hook") > 3
        improve("uninstall", host)
    assert path.read_bytes() == data


@pytest.mark.parametrize("host", FILES)
def test_a_byte_order_mark_stays_where_the_host_takes_it(improve: Improve, home: Path, host: str) -> None:
    """Claude Code and Qwen Code read past the mark; for the others such a file is broken."""
    data = b"\xef\xbb\xbf" + b'{\r\n  "a": 1\r\n}\r\n'
    path = settings(home, host, data)
    taken = host in ("claude-code", "qwen")
    improve("install", host, code=0 if taken else 3)
    assert path.read_bytes().startswith(data[:12])
    assert (path.read_bytes() != data) == taken
    improve("uninstall", host)
    assert path.read_bytes() == data


@pytest.mark.parametrize("host", FILES)
def test_others_who_write_in_between_keep_what_they_wrote(improve: Improve, home: Path, host: str) -> None:
    """After another tool added hooks and the person reordered all, only ours go."""
    path = settings(home, host, (DATA / "good" / "real-claude.json").read_bytes())
    improve("install", host)
    value = json.loads(path.read_bytes())
    late = {"command": "late"} if host == "cursor" else {"hooks": [{"type": "command", "command": "late"}]}
    for rows in value["hooks"].values():
        rows.append(late)
        rows.reverse()
    value["new"] = [1, 2]
    path.write_text(json.dumps(dict(reversed(value.items())), indent=4))
    wanted = json.loads(path.read_bytes())
    wanted["hooks"] = {
        theirs: [row for row in rows if "improve-hook" not in json.dumps(row)]
        for theirs, rows in wanted["hooks"].items()
    }
    assert "installed already" in improve("install", host).out
    improve("uninstall", host)
    left = json.loads(path.read_bytes())
    if host == "cursor":
        wanted.pop("version")
        left.pop("version", None)
    assert left == wanted
    assert list(left["hooks"]) == list(wanted["hooks"])


def test_a_handler_in_a_shared_group_goes_alone(improve: Improve, home: Path) -> None:
    """Where a person put our handler into a group of another tool, the other handler stays."""
    path = settings(home, "claude-code")
    improve("install")
    value = json.loads(path.read_bytes())
    value["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "mine"})
    path.write_text(json.dumps(value))
    improve("install")
    assert json.loads(path.read_bytes()) == value
    improve("uninstall")
    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_entries_that_were_lost_come_back(improve: Improve, home: Path) -> None:
    """Where a tool removed some of our entries, install adds those and uninstall still removes all."""
    path = settings(home, "claude-code", b'{\n  "a": 1\n}\n')
    improve("install")
    value = json.loads(path.read_bytes())
    del value["hooks"]["Stop"]
    path.write_text(json.dumps(value, indent=2) + "\n")
    improve("install")
    assert sum("improve-hook" in line for line in commands(path)) == 4
    improve("uninstall")
    assert path.read_bytes() == b'{\n  "a": 1\n}\n'


def test_a_file_put_back_by_hand_is_a_new_start(improve: Improve, home: Path) -> None:
    """After a person restored an old file, install and uninstall give that one back."""
    path = settings(home, "codex", b'{"a":1}')
    improve("install")
    path.write_bytes(b'{"hooks":{"Stop":[]}}')
    improve("install")
    improve("uninstall")
    assert path.read_bytes() == b'{"hooks":{"Stop":[]}}'


def test_a_moved_store_replaces_its_own_entries_in_their_place(
    improve: Improve, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another launcher takes the place of the old one, so that what stands behind it keeps its number."""
    path = settings(home, "codex")
    improve("install", "codex")
    value = json.loads(path.read_bytes())
    value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "behind"}]})
    path.write_text(json.dumps(value, indent=2))
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", str(tmp_path / "it's moved"))
    improve("install", "codex")
    moved = json.loads(path.read_bytes())
    assert [len(rows) for rows in moved["hooks"].values()] == [len(rows) for rows in value["hooks"].values()]
    assert moved["hooks"]["Stop"][1] == value["hooks"]["Stop"][1]
    assert ".agent-improvement" not in path.read_text()
    assert "it'\"'\"'s moved" in json.loads(path.read_bytes())["hooks"]["Stop"][0]["hooks"][0]["command"]
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", str(home / ".agent-improvement"))
    improve("uninstall", "codex")
    assert json.loads(path.read_bytes()) == moved  # those are the other store's


def test_two_stores_take_turns(
    improve: Improve, everyone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store that was installed last is called by all hosts; that another one is not any more is said."""
    for host in FILES:
        settings(everyone, host, b'{\n  "a": 1\n}\n')
    first, second = everyone / ".agent-improvement", tmp_path / 'it\'s "the" 第二 $HOME'
    files = {everyone / file for file in FILES.values()}
    improve("install")
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", str(second))
    said = improve("install")
    assert "changed by hand" not in said.out
    assert said.out.count(f"until now it called {first}/bin/improve") == said.out.count("wrote ") - 2
    monkeypatch.delenv("AGENT_IMPROVEMENT_HOME")
    said = improve("uninstall")
    assert f"it calls {second}/bin/improve-hook, the program of another store" in said.out
    assert "changed by hand" not in said.out
    assert not first.exists()
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", str(second))
    again = improve("install").out
    assert again.count("wrote ") == again.count("wrote    file ~/.config/opencode/.npmrc")  # it names no store
    improve("uninstall")
    assert not second.exists()
    assert {path for path in everyone.rglob("*") if path.is_file() and ".local" not in path.parts} == files
    left = [json.loads((everyone / file).read_bytes()) for file in FILES.values()]
    assert [(value.pop("version", 1), value) for value in left] == [(1, {"a": 1})] * len(FILES)


def test_what_is_not_wanted_any_more_goes(improve: Improve, home: Path, here: Here) -> None:
    """An entry of ours for an event that is no longer in the table, or twice there, is taken out by an install."""
    path = settings(home, "claude-code")
    improve("install")
    once = path.read_bytes()
    value = json.loads(once)
    value["hooks"]["Notification"] = value["hooks"]["Stop"]
    value["hooks"]["SessionEnd"] *= 2
    path.write_text(json.dumps(value, indent=2))
    improve("install")
    assert json.loads(path.read_bytes()) == {"hooks": {**json.loads(once)["hooks"], "Notification": []}}


def test_a_timeout_that_a_person_changed_stays(improve: Improve, home: Path) -> None:
    """An entry with our command is left byte for byte, whatever else a person set in it."""
    path = settings(home, "claude-code")
    improve("install")
    path.write_bytes(path.read_bytes().replace(b'"timeout": 5', b'"timeout":   55'))
    changed = path.read_bytes()
    assert "installed already" in improve("install").out
    assert path.read_bytes() == changed


def test_all_at_once_leaves_nothing(improve: Improve, everyone: Path) -> None:
    """With every agent in one home, install --all and uninstall --all leave the tree as it was."""
    for host in FILES:
        settings(everyone, host, (DATA / "good" / "real-claude.json").read_bytes())
    before = tree(everyone)
    improve("install", "--all")
    assert len(tree(everyone)) > len(before) + 12
    improve("uninstall", "--all")
    assert tree(everyone) == before


def test_all_from_nothing_leaves_nothing(improve: Improve, everyone: Path) -> None:
    """Files and directories that were created are removed again; one by one, too."""
    before = tree(everyone)
    improve("install")
    improve("uninstall")
    assert tree(everyone) == before
    improve("install")
    for name in ("codex", "gemini", "claude-code", "qwen", "cursor", "goose", "pi", "copilot", "amp", "cline"):
        improve("uninstall", name)
        assert (everyone / ".agent-improvement" / "bin" / "improve-hook").exists()
    improve("uninstall", "opencode")
    assert tree(everyone) == before


def test_a_directory_that_got_other_files_stays(improve: Improve, home: Path) -> None:
    """What somebody else put into a directory that we created keeps that directory."""
    (home / ".copilot").mkdir()
    improve("install")
    (home / ".copilot" / "hooks" / "mine.json").write_text("{}")
    (home / ".agents" / "skills" / "other").mkdir()
    improve("uninstall")
    assert sorted(tree(home)) == sorted(
        [".agents", ".agents/skills", ".agents/skills/other", ".copilot", ".copilot/hooks", ".copilot/hooks/mine.json"]
    )


def test_a_dry_run_touches_nothing(improve: Improve, everyone: Path) -> None:
    """Not one byte, name or mode changes, and no store, lock or cache appears; before and after an install."""

    def everything() -> dict[str, tuple[int, int, str]]:
        paths = sorted(everyone.rglob("*"))
        return {str(p): (p.stat().st_mtime_ns, p.stat().st_mode, sha(p) if p.is_file() else "") for p in paths}

    settings(everyone, "claude-code", b'{"a": 1}')
    for verb in ("install", "uninstall"):
        before = everything()
        said = improve(verb, "--dry-run")
        improve(verb, "--dry-run", "--json")
        improve(verb, "codex", "--dry-run", "--yes")
        assert everything() == before
    assert not (everyone / ".local").exists()
    improve("install")
    before = everything()
    said = improve("uninstall", "--dry-run")
    improve("install", "--dry-run")
    assert everything() == before
    assert "removes  hooks in ~/.codex/hooks.json (codex)" in said.out


def test_a_dry_run_says_what_is_done_then(improve: Improve, everyone: Path) -> None:
    """What a dry run announces is what the install does, file by file and line by line."""
    planned = improve("install", "--dry-run", "--json").json
    done = improve("install", "--json").json
    assert planned["dry_run"] is True
    assert planned["files"] == done["files"]
    assert {row["state"] for row in done["files"]} == {"write"}


def test_links_are_written_through(improve: Improve, home: Path, tmp_path: Path) -> None:
    """A settings file that lives in a dotfiles repository stays a link, and its target is what changes."""
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_bytes(b'{"a": 1}\n')
    target.chmod(0o640)
    (home / ".claude").mkdir()
    link = home / ".claude" / "settings.json"
    link.symlink_to(target)
    improve("install")
    assert link.is_symlink()
    assert b"improve-hook" in target.read_bytes()
    assert target.stat().st_mode & 0o777 == 0o640
    improve("uninstall")
    assert link.is_symlink()
    assert target.read_bytes() == b'{"a": 1}\n'


def test_a_link_to_nowhere_holds_nothing_to_take_out(improve: Improve, home: Path) -> None:
    """Where nothing was installed, uninstall says nothing of it."""
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(home / "gone" / "settings.json")
    assert improve("uninstall").out == "Nothing is installed.\n"


def test_a_command_that_a_person_changed_stays_and_is_told(improve: Improve, home: Path) -> None:
    """Who put something of their own around our command keeps it."""
    path = settings(home, "claude-code")
    improve("install")
    path.write_bytes(path.read_bytes().replace(b'stop || true"', b'stop || true # mine"'))
    assert "improve-hook is named in it elsewhere; that stays" in improve("uninstall").out
    assert [line.endswith("# mine") for line in commands(path)] == [True]


def test_a_link_to_nowhere_is_refused(improve: Improve, home: Path) -> None:
    """Nothing is created at the end of a dangling link."""
    (home / ".claude").mkdir()
    link = home / ".claude" / "settings.json"
    link.symlink_to(home / "gone" / "settings.json")
    assert "does not exist" in improve("install", code=3).out
    assert not (home / "gone").exists()
    assert link.is_symlink()


def test_a_read_only_file_is_refused(improve: Improve, home: Path) -> None:
    """What somebody made read-only, or what is made from a description elsewhere, is left, with the text to paste."""
    path = settings(home, "claude-code", b"{}")
    path.chmod(0o444)
    said = improve("install", code=5)
    assert "is read-only; nothing was written. Make the change where it is managed" in said.out
    assert "paste into it" in said.out
    assert path.read_bytes() == b"{}"


def test_what_is_managed_elsewhere_and_has_our_entries_is_well(improve: Improve, home: Path) -> None:
    """Entries that a person put into the description of a read-only file count; uninstall says where they are."""
    (home / ".claude").mkdir()
    improve("install")
    path, made = home / FILES["claude-code"], home / "store" / "settings.json"
    made.parent.mkdir()
    path.rename(made)
    path.symlink_to(made)
    made.chmod(0o444)
    assert "installed already" in improve("install").out
    before = made.read_bytes()
    assert f"is read-only ({made}); nothing was written" in improve("uninstall", code=5).out
    assert made.read_bytes() == before
    assert (home / ".agent-improvement" / "bin" / "improve-hook").exists()


def test_a_store_with_a_name_that_is_too_long_can_be_left(
    improve: Improve, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The skill alone cannot name it: it is refused, the hooks are there, and all goes again."""
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", str(home / ("x" * 240)))
    said = improve("install", "codex", code=3)
    assert "refused  skill ~/.agents/skills/improve/SKILL.md (codex): the path" in said.out
    assert len(commands(home / FILES["codex"])) == 4
    improve("uninstall")
    assert tree(home) == {}


def test_a_store_whose_name_is_no_text_gets_no_settings(
    improve: Improve, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON cannot hold it; what to do is said, and it is not to correct the settings."""
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", os.fsdecode(os.fsencode(home) + b"/\xff"))
    settings(home, "codex")
    said = improve("install", "codex", code=3)
    assert "is not UTF-8" in said.out
    assert "Set AGENT_IMPROVEMENT_HOME to another place" in said.out
    assert (home / FILES["codex"]).read_bytes() == b"{}\n"


def test_a_closed_output_is_no_hindrance(home: Path) -> None:
    """A program that starts us without standard streams gets the install all the same."""
    import subprocess
    import sys

    settings(home, "codex")
    command = f'"{sys.executable}" -P -m improve'
    subprocess.run(["/bin/sh", "-c", f"{command} install >&- 2>&- <&-"], check=True)
    assert len(commands(home / FILES["codex"])) == 4
    subprocess.run(["/bin/sh", "-c", f"{command} uninstall >&-"], check=True)
    assert (home / FILES["codex"]).read_bytes() == b"{}\n"


@pytest.mark.parametrize("kind", ["directory", "pipe", "no directory around it"])
def test_nothing_is_to_be_pasted_where_there_is_no_file(improve: Improve, home: Path, kind: str) -> None:
    """What stands there instead is named; nobody is told to trust, or to start, what calls nothing."""
    path = home / FILES["codex"]
    if kind == "no directory around it":
        path.parent.write_text("a file")
    else:
        path.parent.mkdir()
        path.mkdir() if kind == "directory" else os.mkfifo(path)
    (home / ".agents").write_text("a file")
    said = improve("install", "codex", code=3)
    assert "refused  hooks in ~/.codex/hooks.json" in said.out
    assert "nothing was written" in said.out
    assert not any(word in said.out for word in ("paste", "next,", "next session"))
    assert improve("install", "codex", "--json", code=3).json["next"] == {}


def test_an_environment_in_a_cache_is_named(improve: Improve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the launchers start what can be swept away, whoever installs is told, once."""
    monkeypatch.setattr("sys.executable", str(tmp_path / "environments-v2" / "improve-1" / "bin" / "python"))
    assert "next, launchers: they start what lies in " in improve("install", "codex").out
    assert "cache" not in improve("install", "codex").out
    assert "launchers" in improve("install", "codex", "--json").json["next"]


def test_what_was_there_already_is_not_announced_again(improve: Improve) -> None:
    """A second install says that all is well and no more."""
    improve("install", "codex")
    assert improve("install", "codex").out == "Everything is installed already. Check it with: improve doctor\n"


def test_who_stops_it_is_told_what_sets_it_right(improve: Improve, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C a part may be there; both ways out are named."""

    def stop(*_: object) -> str:
        raise KeyboardInterrupt

    (home / ".codex").mkdir()
    for verb in ("install", "uninstall"):
        with monkeypatch.context() as patch:
            patch.setattr("improve.workflow.install._journal", stop)
            said = improve(verb, code=130)
        assert f"To finish, run: improve {verb}; to go back: improve " in said.err
        improve(verb)
    assert tree(home).keys() == {".codex"}


def test_a_person_s_own_hook_is_left(improve: Improve, home: Path) -> None:
    """Where the host knows a hook by its file's name and the person has one, ours is printed to be added."""
    hook = home / "Documents" / "Cline" / "Hooks" / "TaskStart"
    hook.parent.mkdir(parents=True)
    hook.write_text("#!/bin/sh\necho mine\n")
    said = improve("install", code=3)
    assert "not from improve" in said.out
    assert "improve-hook cline session-start || true" in said.out
    assert (hook.parent / "UserPromptSubmit").exists()
    assert os.access(hook.parent / "UserPromptSubmit", os.X_OK)
    improve("uninstall")
    assert hook.read_text() == "#!/bin/sh\necho mine\n"
    assert not (hook.parent / "UserPromptSubmit").exists()


def test_a_file_that_is_only_of_help_stops_nothing(improve: Improve, home: Path) -> None:
    """Where the person has a file of their own in the place of one we can do without, it stays, and all is well."""
    path = home / ".config" / "opencode" / ".npmrc"
    path.parent.mkdir(parents=True)
    path.write_text("registry=https://npm.example.org/\n")
    assert "left     file ~/.config/opencode/.npmrc" in improve("install").out
    improve("uninstall")
    assert path.read_text() == "registry=https://npm.example.org/\n"


def test_what_was_written_elsewhere_is_found(
    improve: Improve, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that keeps its files in another place today is uninstalled where it was installed."""
    place = tmp_path / "config"
    place.mkdir()
    (place / "settings.json").write_bytes(b'{"a": 1}')
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place))
    improve("install", "claude-code")
    assert (place / "skills" / "improve" / "SKILL.md").exists()
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    improve("uninstall")
    assert [(path.name, path.read_bytes()) for path in place.iterdir()] == [("settings.json", b'{"a": 1}')]
    assert tree(home) == {}


@pytest.mark.parametrize(
    ("setting", "host", "below"),
    [
        ("CLAUDE_CONFIG_DIR=.claude", "claude-code", "."),
        ("CLAUDE_CONFIG_DIR={project}/.claude", "claude-code", "sub"),
        pytest.param(
            *("CLAUDE_CONFIG_DIR=/proc/self/cwd/.claude", "claude-code", "."),
            marks=pytest.mark.skipif(not Path("/proc/self/cwd").is_dir(), reason="needs /proc"),
        ),
        ("CODEX_HOME=.", "codex", "sub"),
        ("CODEX_HOME={project}/sub/codex", "codex", "."),
        ("XDG_CONFIG_HOME=config", "opencode", "."),
        ("XDG_CONFIG_HOME=../config", "amp", "sub"),
        ("XDG_CONFIG_HOME=../config", "amp", "."),
    ],
)
def test_the_settings_of_a_project_are_never_written(
    improve: Improve, repository: Repository, setting: str, host: str, below: str
) -> None:
    """A variable that leads into the project, as a project can set it for its visitors, is not followed."""
    project = repository("shop")
    (project / "sub").mkdir()
    name, _, value = setting.format(project=project).partition("=")
    before = tree(project.parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(name, value)
        said = improve("install", host, "--json", cwd=project / below, code=3)
    assert tree(project.parent) == before
    first = next(row for row in said.json["files"] if row["state"] == "refused")
    assert "project's settings; nothing was written" in first["why"]
    assert "absolute path" in first["why"]
    assert first["snippet"] == ""


def test_no_host_is_made_to_run_what_lies_in_a_project(
    improve: Improve, home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who can change the project would change what runs in every session, so no launcher is put there."""
    project = repository("shop")
    settings(home, "codex")
    before = tree(home), tree(project)
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", str(project / ".agent-improvement"))
    for more in ((), ("--dry-run",)):
        assert f"lies in the project at {project}" in improve("install", *more, cwd=project, code=3).err
    assert (tree(home), tree(project)) == before
    improve("install", cwd=home)
    improve("uninstall", cwd=project)
    assert (tree(home), tree(project)) == before


def test_what_a_project_brings_along_is_not_taken_out(
    improve: Improve, home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entries that somebody committed to a project are the project's, wherever a variable leads."""
    improve("install", "claude-code")
    path = repository("shop") / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes((home / FILES["claude-code"]).read_bytes())
    before = path.read_bytes()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", ".claude")
    improve("uninstall", cwd=path.parents[1])
    assert path.read_bytes() == before
    assert not (home / FILES["claude-code"]).exists()


def test_a_home_or_a_host_s_directory_that_is_a_project_is_written(
    improve: Improve, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People keep their home or ~/.claude in git; what lies in its usual place is theirs wherever this runs."""
    import subprocess

    for root in (home, home / ".claude"):
        root.mkdir(exist_ok=True)
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        improve("install", "claude-code", cwd=root)
        improve("uninstall", cwd=root)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "dotfiles" / "claude"))
    improve("install", "claude-code", cwd=home)
    assert (home / "dotfiles" / "claude" / "settings.json").exists()


def test_a_store_that_was_thrown_away_leaves_no_entry(improve: Improve, home: Path) -> None:
    """After the whole store was deleted, uninstall still finds what calls it, and makes no new store."""
    import shutil

    path = settings(home, "claude-code", b'{"a": 1}')
    improve("install")
    shutil.rmtree(home / ".agent-improvement")
    improve("uninstall")
    assert json.loads(path.read_bytes()) == {"a": 1}
    assert not (home / ".agent-improvement").exists()
    assert not list(home.rglob("SKILL.md"))


@pytest.mark.parametrize("file", [".config/opencode/plugins/improve.js", ".copilot/hooks/improve.json"])
def test_a_file_of_ours_that_was_changed_by_hand_stays(improve: Improve, everyone: Path, file: str) -> None:
    """Neither install nor uninstall throws away what a person put into a file of ours."""
    improve("install")
    path = everyone / file
    path.write_bytes(path.read_bytes() + b"\n")
    changed = path.read_bytes()
    improve("install", code=3)
    assert path.read_bytes() == changed
    assert "changed by hand" in improve("uninstall").out
    assert path.read_bytes() == changed


@pytest.mark.parametrize("names", [(), ("codex", "opencode")])
def test_the_launchers_stay_for_a_file_that_stays(improve: Improve, everyone: Path, names: tuple[str, ...]) -> None:
    """A plugin that was changed by hand still calls them; a dry run says the same, and they go with the plugin."""
    improve("install", "codex", "opencode")
    path = everyone / ".config/opencode/plugins/improve.js"
    path.write_bytes(path.read_bytes() + b"// mine\n")
    said = improve("uninstall", *names, "--dry-run").out
    assert ("left     launcher ~/.agent-improvement/bin/improve-hook: ~/.config/opencode" in said) == (not names)
    assert "removes  launcher" not in said
    assert improve("uninstall", *names).out == said.replace("removes  ", "removed  ")
    assert (everyone / ".agent-improvement" / "bin" / "improve-hook").exists()
    path.unlink()
    assert "removed  launcher" in improve("uninstall").out


def test_a_file_of_ours_is_brought_up_to_date(improve: Improve, everyone: Path) -> None:
    """A file as an earlier version left it is replaced; whether it did is known by its hash."""
    improve("install")
    path, receipt = everyone / ".pi/agent/extensions/improve.js", everyone / ".agent-improvement" / "installed.json"
    new, old = path.read_bytes(), b"// an earlier version\n"
    path.write_bytes(old)
    import hashlib

    said = json.loads(receipt.read_bytes())
    said["files"][str(path)]["after"] = hashlib.sha256(old).hexdigest()
    receipt.write_text(json.dumps(said))
    improve("install")
    assert path.read_bytes() == new


@pytest.mark.parametrize("damage", ["gone", "broken", "empty", "of another shape"])
def test_a_lost_receipt_costs_no_entry(improve: Improve, everyone: Path, damage: str) -> None:
    """Without the receipt all our entries and files are still found and taken out, and nothing else."""
    for host in FILES:
        settings(everyone, host, (DATA / "good" / "real-claude.json").read_bytes())
    improve("install")
    receipt = everyone / ".agent-improvement" / "installed.json"
    texts = {"broken": "{", "empty": "", "of another shape": '{"files": [], "directories": {}}'}
    receipt.unlink() if damage == "gone" else receipt.write_text(texts[damage])
    improve("uninstall")
    for path in everyone.rglob("*"):
        assert not path.is_file() or b"improve-hook" not in path.read_bytes(), path
    for host in FILES:
        value = json.loads((everyone / FILES[host]).read_bytes())
        value.pop("version", None)
        assert value == json.loads((DATA / "good" / "real-claude.json").read_bytes())


def test_a_backup_is_kept_until_the_end(improve: Improve, home: Path) -> None:
    """The file of before lies whole and private in the state directory, never in the store, until uninstall."""
    (home / "elsewhere").mkdir()
    (home / ".local").mkdir(exist_ok=True)
    (home / ".local" / "state").symlink_to(home / "elsewhere")
    data = b'{"env": {"TOKEN": "secret"}}'
    path = settings(home, "claude-code", data)
    improve("install")
    backups = home / ".local" / "state" / "agent-improvement" / "backups"
    (kept,) = backups.iterdir()
    assert kept.read_bytes() == data
    assert kept.stat().st_mode & 0o777 == 0o600
    path.write_bytes(path.read_bytes().replace(b"secret", b"other"))
    improve("install")
    assert [each.read_bytes() for each in backups.iterdir()] == [data]
    assert not any(
        b"secret" in each.read_bytes() for each in (home / ".agent-improvement").rglob("*") if each.is_file()
    )
    improve("uninstall")
    assert not backups.exists()


def test_a_receipt_names_no_other_file_as_a_copy(improve: Improve, home: Path) -> None:
    """A store that came from elsewhere cannot have a file of the person removed as if it were a copy of ours."""
    settings(home, "claude-code")
    improve("install")
    receipt, mine = home / ".agent-improvement" / "installed.json", home / "notes.txt"
    mine.write_text("mine")
    said = json.loads(receipt.read_bytes())
    said["files"][str(home / FILES["claude-code"])]["backup"] = str(mine)
    receipt.write_text(json.dumps(said))
    improve("uninstall")
    assert mine.read_text() == "mine"


def test_a_credential_beside_our_lines_is_not_shown(improve: Improve, home: Path) -> None:
    """The diff covers a key that stands next to the change."""
    key = "sk-ant-api03-" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD" * 2
    settings(home, "claude-code", json.dumps({"env": {"ANTHROPIC_API_KEY": key}}, indent=2).encode())
    for more in ((), ("--json",)):
        assert key not in improve("install", "--dry-run", *more).out


def test_the_journal_and_the_history_know_of_it(improve: Improve, home: Path) -> None:
    """With a store there is one event each way; launchers and receipt never get into its git history."""
    import subprocess

    settings(home, "codex")
    improve("observe", "Use uv, never pip install")
    improve("install")
    improve("install")
    improve("uninstall")
    store = home / ".agent-improvement"
    events = [json.loads(line) for line in (store / "journal.jsonl").read_bytes().splitlines()]
    assert [(e["event"], e["hosts"]) for e in events if "install" in e["event"]] == [
        ("installed", ["codex"]),
        ("uninstalled", ["codex"]),
    ]
    assert "installed  Codex CLI" in improve("log").out
    improve("install")
    improve("observe", "Use ruff")
    kept = subprocess.run(["git", "ls-files"], cwd=store, capture_output=True, text=True, check=True).stdout.split()
    assert not [name for name in kept if name.startswith(("bin", "installed"))]


def test_no_store_is_made(improve: Improve, home: Path) -> None:
    """Without a store none is created but the launchers and the receipt, and no journal."""
    settings(home, "codex")
    improve("install")
    assert sorted(path.name for path in (home / ".agent-improvement").iterdir()) == ["bin", "installed.json"]
    assert (home / ".agent-improvement").stat().st_mode & 0o777 == 0o700
    assert (home / ".agent-improvement" / "installed.json").stat().st_mode & 0o777 == 0o600


def test_the_store_stays(improve: Improve, home: Path) -> None:
    """Uninstall leaves rules and journal alone."""
    settings(home, "codex")
    improve("install")
    improve("observe", "Use uv, never pip install")
    improve("uninstall")
    assert "Use uv" in (home / ".agent-improvement" / "rules.yaml").read_text()
    assert not (home / ".agent-improvement" / "bin").exists()


def test_nobody_there_is_said(improve: Improve, home: Path) -> None:
    """Without any agent nothing is written, and what was looked for is named."""
    said = improve("install", code=3)
    assert "~/.claude" in said.err
    assert "~/.codex" in said.err
    assert tree(home) == {}
    assert "Nothing is installed" in improve("uninstall").out
    assert tree(home) == {}


def test_a_named_host_is_installed_where_it_is_not(improve: Improve, home: Path) -> None:
    """Naming an agent installs it before it was ever started, and what was created for it goes again."""
    improve("install", "codex")
    assert (home / ".codex" / "hooks.json").exists()
    assert (home / ".codex" / "hooks.json").stat().st_mode & 0o777 == 0o600
    improve("uninstall")
    assert tree(home) == {}


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        (["nonesuch"], 2, "nonesuch"),
        (["codex", "--all"], 2, "not both"),
        (["aider"], 3, "Aider"),
        (["generic"], 3, "Any other agent"),
    ],
)
def test_what_makes_no_sense_is_refused(improve: Improve, home: Path, argv: list[str], code: int, says: str) -> None:
    """A name that is none, a name with --all, and an agent that runs nothing of ours."""
    assert says in improve("install", *argv, code=code).err
    assert tree(home) == {}


def test_codex_users_are_told_to_trust_the_hooks(improve: Improve) -> None:
    """An agent that skips new hooks in silence is named with what to do."""
    said = improve("install", "codex")
    assert "choose to trust the hooks" in said.out
    assert "choose to trust" in improve("install", "codex", "--json").json["next"]["codex"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_under_sudo_nothing_is_written(improve: Improve, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root in the home of another user nothing is written."""
    settings(home, "codex")
    os.chown(home, 12345, 12345)
    monkeypatch.setenv("SUDO_UID", "12345")
    before = tree(home)
    assert "without sudo" in improve("install", code=3).err
    assert "without sudo" in improve("uninstall", code=3).err
    assert tree(home) == before
