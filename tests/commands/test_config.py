"""`config`: every setting does what it says, looking writes nothing, and a set touches one line."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from commands.conftest import Improve, Repository
from commands.proving import aged, ago, seen_before
from commands.sessions import Claude
from improve import queue, settings

PNPM = "Use pnpm, never npm install"
DOCKER = "Mount the docker socket read-only"


@pytest.fixture
def file(home: Path) -> Path:
    """The config.yaml of the fenced store."""
    return home / ".agent-improvement" / "config.yaml"


def everything_below(place: Path) -> dict[str, bytes]:
    """Read every file, and name every directory, below a place."""
    found = {str(path): path.read_bytes() if path.is_file() else b"" for path in place.rglob("*")}
    return dict(sorted(found.items()))


# --- each setting changes what a command does: none is ignored, none enforces nothing ---


def has_history(improve: Improve, repository: Repository, home: Path) -> object:
    """Does the store keep a history of its own?"""
    improve("observe", PNPM, cwd=repository("shop"))
    improve("set", "use-pnpm-never-npm-install", "--severity", "3")
    return (home / ".agent-improvement" / ".git").exists()


def is_written_twice(improve: Improve, repository: Repository, home: Path) -> object:
    """Is a rule written that an agent recorded twice in one project?"""
    shop = repository("shop")
    for _ in range(2):
        improve("observe", PNPM, "--host", "codex", cwd=shop)
    improve("escalate", "--apply")
    return (shop / "AGENTS.md").exists()


def is_written_for_several(improve: Improve, repository: Repository, home: Path) -> object:
    """Is a rule written that was recorded once in each of two projects?"""
    shops = [repository("shop"), repository("blog")]
    for shop in shops:
        improve("observe", PNPM, cwd=shop)
    improve("escalate", "--apply")
    return [(shop / "AGENTS.md").exists() for shop in shops]


def brief(improve: Improve, repository: Repository, home: Path) -> object:
    """How much is an agent told when a session starts?"""
    shop = repository("shop")
    for number in range(40):
        text = f"Number {number}: {'say it with plain words and no others ' * 3}{chr(97 + number % 26) * 9}"
        improve("observe", text, "--new", cwd=shop)
    return len(improve("status", "--host", "codex", cwd=shop).out)


def files_of(improve: Improve, repository: Repository, home: Path) -> object:
    """To which files does a rule about tests go?"""
    shop = repository("shop")
    for _ in range(2):
        improve("observe", "Mock no database in tests", "--domain", "testing", cwd=shop)
    improve("escalate", "--apply")
    return sorted(str(path.relative_to(shop)) for path in shop.rglob("*.md"))


def candidates(improve: Improve, repository: Repository, home: Path) -> object:
    """How many typed corrections wait?"""
    queue_folder = home / ".agent-improvement" / "queue"
    said = "no, that is wrong: use pnpm here, never npm"
    queue.hear(
        str(queue_folder), queue.Heard("k" * 24, "2026-01-02T10:00:00+00:00", "codex", "s", "", said, "correction")
    )
    return len(improve("inbox", "--json").json["candidates"])


def order(improve: Improve, repository: Repository, home: Path) -> object:
    """Which rule is shown first: one of seven old occasions and a new one, or one of two new ones?"""
    shop = repository("shop")
    improve("observe", PNPM, cwd=shop)
    for _ in range(2):
        improve("observe", "Keep functions short", cwd=shop)
    store = Path(os.environ["AGENT_IMPROVEMENT_HOME"]) / "rules.yaml"
    head, mark, rest = store.read_text().partition("- id: keep-functions-short")
    old = (
        "  folded:\n  - project: github.com/acme/shop\n    occasions: 7\n    first: 2024-01-01\n    last: 2024-01-01\n"
    )
    store.write_text(head + old + mark + rest)
    return [rule["id"] for rule in improve("status", "--json", cwd=shop).json["rules"]]


def is_archived(improve: Improve, repository: Repository, home: Path) -> object:
    """Does the scheduled run archive a rule that has held for 40 days?"""
    shop, store = repository("shop"), Path(os.environ["AGENT_IMPROVEMENT_HOME"])
    for _ in range(2):
        improve("observe", PNPM, cwd=shop)
    improve("escalate", "--apply", cwd=shop)
    aged(store / "rules.yaml", shop / "AGENTS.md", days=70)
    seen_before(store / "rules.yaml", days=80)
    for number in range(40):
        session = Claude(Path(os.environ["HOME"]), shop, f"{shop}{number}", began=ago(60 - number))
        session.types("add zod").runs("pnpm add zod").answers("Done.")
    improve("verify")
    told = (store / "rules.yaml").read_text()
    assert "state: held" in told
    (store / "rules.yaml").write_text(re.sub("since: .*", f"since: {ago(40).date()}", told))
    (store / "journal.jsonl").unlink()
    improve("schedule", "--run")
    return (store / "archive.yaml").exists()


CHANGES: dict[str, tuple[str, Callable[..., object]]] = {
    "git": ("false", has_history),
    "trust": ("verified", is_written_twice),
    "threshold_project": ("3", is_written_twice),
    "threshold_several_projects": ("3", is_written_for_several),
    "brief_characters": ("500", brief),
    "least_severity": ("5", candidates),
    "half_life": ("3650", order),
    "archive_held": ("true", is_archived),
    "routes": ('[{"domain": "testing", "file": "docs/testing.md"}]', files_of),
}


@pytest.mark.parametrize("setting", settings.SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_changes_what_a_command_does(
    improve: Improve, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: settings.Setting
) -> None:
    """With the value changed a command does something else than with the default: every row of the table."""
    value, observe = CHANGES[setting.name]
    seen = []
    for name, wanted in (("usual", None), ("changed", value)):
        base = tmp_path / name
        base.mkdir()
        monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", str(base / ".agent-improvement"))
        if wanted:
            improve("config", "set", setting.name, wanted)
        seen.append(observe(improve, _maker(base), base))
    assert seen[0] != seen[1]
    if setting.name == "brief_characters":
        assert isinstance(seen[1], int)
        assert seen[1] <= 500


def _maker(base: Path) -> Repository:
    def make(name: str) -> Path:
        root = base / name
        subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
        url = f"https://github.com/acme/{name}.git"
        subprocess.run(["git", "-C", str(root), "remote", "add", "origin", url], check=True)
        return root

    return make


# --- looking ---


@pytest.mark.parametrize(
    "argv", [(), ("--json",), ("list",), ("list", "--json"), ("get", "git"), ("check",), ("path",), ("schema",)]
)
def test_looking_writes_nothing(improve: Improve, home: Path, argv: tuple[str, ...]) -> None:
    """No file and no directory is made, not even the store's."""
    before = everything_below(home)
    assert improve("config", *argv).out
    assert everything_below(home) == before


@pytest.mark.parametrize("argv", [("--default",), ("maybe",), ()])
def test_a_set_that_changes_nothing_writes_nothing(improve: Improve, home: Path, argv: tuple[str, ...]) -> None:
    """Resetting what is not there, and a value that is refused, leave no trace."""
    before = everything_below(home)
    improve("config", "set", "git", *argv, code=0 if argv == ("--default",) else 2)
    assert everything_below(home) == before


def test_the_list_says_value_default_origin_and_doc(improve: Improve, file: Path) -> None:
    """Every setting is there, whether the file gives it or not."""
    file.parent.mkdir(mode=0o700)
    file.write_bytes(b"# mine\ntrust: verified\n")
    said = improve("config")
    assert said.out == improve("config", "list").out
    assert "trust: verified  (line 2)" in said.out
    assert "git: true  (default)" in said.out
    listed = {row["name"]: row for row in improve("config", "list", "--json").json["settings"]}
    assert tuple(listed) == settings.NAMES
    assert listed["trust"] == {
        "name": "trust",
        "value": "verified",
        "default": "agent",
        "from": "file",
        "line": 2,
        "kind": "choice",
        "allowed": "agent or verified",
        "doc": settings.named("trust").doc,  # type: ignore[union-attr]
    }
    assert (listed["git"]["from"], listed["git"]["value"], listed["git"]["line"]) == ("default", True, None)


def test_get_prints_what_set_takes(improve: Improve, file: Path) -> None:
    """The value of each setting can be read and set again."""
    improve("config", "set", "routes", '[{"match": "deploy", "file": "docs/deploy.md"}]')
    for name in settings.NAMES:
        value = improve("config", "get", name).out.rstrip("\n")
        improve("config", "set", name, value)
        assert improve("config", "get", name).out.rstrip("\n") == value
    assert improve("config", "get", "threshold_project", "--json").json["value"] == 2


def test_check_names_every_problem_with_its_line(improve: Improve, file: Path) -> None:
    """Two problems are told at once, as text and as JSON, with the exit code of a broken store file."""
    assert "there is none" in improve("config", "check").out
    file.parent.mkdir(mode=0o700)
    file.write_bytes(b"gti: true\ntrust: nobody\n")
    said = improve("config", "check", code=6)
    assert said.out.count("WRONG") == 2
    assert "line 1: gti: no such setting; did you mean git?" in said.out
    problems = improve("config", "check", "--json", code=6).json["problems"]
    assert [problem[:6] for problem in problems] == ["line 1", "line 2"]
    file.write_bytes(b"trust: agent\n")
    assert improve("config", "check").out.startswith("ok")
    assert improve("config", "check", "--json").json["schema"] == json.loads(improve("config", "schema").out)


@pytest.mark.parametrize("argv", [("list",), ("get", "git"), ("set", "git", "true"), ("set", "trust", "--default")])
def test_a_broken_file_is_named_and_left_alone(improve: Improve, file: Path, argv: tuple[str, ...]) -> None:
    """Exit 6 with every line; not a byte of it changes."""
    file.parent.mkdir(mode=0o700)
    file.write_bytes(b"git: maybe\nodd: \xff\n")
    said = improve("config", *argv, code=6)
    assert "line 1: git" in said.err
    assert "line 2: odd" in said.err
    assert file.read_bytes() == b"git: maybe\nodd: \xff\n"


HOSTILE = "\\e]0;owned\\a\\e[2J\\u202e\\u200b\\nforged: line"


@pytest.mark.parametrize(
    "text",
    [
        f'"x{HOSTILE}": 1\ntrust: "{HOSTILE}"\n',
        f'routes:\n- file: "{HOSTILE}.md"\n  "y{HOSTILE}": 1\n',
        f'routes: "{HOSTILE}"\n',
    ],
)
@pytest.mark.parametrize("argv", [("list",), ("check",), ("check", "--json"), ("set", "git", "true"), ("get", "git")])
def test_nothing_of_the_file_reaches_the_terminal_raw(
    improve: Improve, file: Path, text: str, argv: tuple[str, ...]
) -> None:
    """Control, invisible and reversing characters are shown, and no value makes a line of its own."""
    file.parent.mkdir(mode=0o700)
    file.write_bytes(text.encode())
    said = improve("config", *argv, code=6)
    assert (said.out + said.err).replace("\n", "").isprintable()
    assert "\nforged" not in said.out + said.err


# --- changing ---


def test_set_makes_a_private_file(improve: Improve, file: Path) -> None:
    """The directory is 0700 and the file 0600, whatever the umask."""
    old = os.umask(0)
    try:
        improve("config", "set", "trust", "verified")
    finally:
        os.umask(old)
    assert file.read_bytes().decode() == "trust: verified\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_set_touches_one_line_and_default_takes_it_back(improve: Improve, file: Path) -> None:
    """Comments, order, quotes and line ends of everything else stay to the byte."""
    file.parent.mkdir(mode=0o700)
    first = b"# mine\r\ntrust: 'agent'   # odd\r\n\r\nthreshold_project: 4\r\n"
    file.write_bytes(first)
    said = improve("config", "set", "git", "false", "--json").json
    assert (said["changed"], said["value"], said["from"]) == (True, False, "file")
    assert file.read_bytes() == first + b"git: false\r\n"
    assert improve("config", "set", "git", "FALSE", "--json").json["changed"] is False
    assert "git: true" in improve("config", "set", "git", "--default").out
    assert file.read_bytes() == first


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("git", "maybe"), "git: expected true or false, found 'maybe'"),
        (("threshold_project", "0"), "expected a number from 1 to 1000"),
        (("trsut", "agent"), "did you mean trust?"),
        (("git",), "give a value for git, or --default"),
        (("git", "true", "--default"), "give a value for git, or --default"),
        (("routes", "docs/a.md"), "expected a list of routes"),
        (("routes", "[{"), "routes: "),
        (("routes", '[{"file": "a.sh"}]'), "no Markdown or text file"),
        (("routes", '[{"file": "docs/a.md", "paths": ["a/**"]}]'), "`paths` is for .claude/rules"),
    ],
)
def test_a_bad_value_is_refused_with_what_is_allowed(
    improve: Improve, file: Path, argv: tuple[str, ...], says: str
) -> None:
    """Exit 2, and nothing is made."""
    assert says in improve("config", "set", *argv, code=2).err
    assert not file.exists()


def test_json_before_the_action_is_no_silent_nothing(improve: Improve) -> None:
    """An option in a place where it would be passed over is refused."""
    assert "--json goes behind get" in improve("config", "--json", "get", "git", code=2).out


def test_the_switch_holds_for_settings_too(improve: Improve, file: Path) -> None:
    """While improve is off nothing is written, and looking still works."""
    improve("off")
    improve("config", "set", "git", "false", code=3)
    assert not file.exists()
    assert improve("config", "get", "git").out == "true\n"
    improve("on")
    improve("config", "set", "git", "false")
    assert improve("config", "get", "git").out == "false\n"


def test_concurrent_sets_all_arrive(file: Path) -> None:
    """Eight processes that each set another key, or the same one: no line is lost and none is torn."""
    values = [
        "git=false",
        "trust=verified",
        "threshold_project=5",
        "threshold_several_projects=6",
        "brief_characters=700",
    ]
    values += ["threshold_project=5", "git=false", "trust=verified"]
    command = [sys.executable, "-m", "improve", "config", "set"]
    running = [
        subprocess.Popen([*command, *value.split("=")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for value in values
    ]
    for process in running:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    assert sorted(file.read_bytes().decode().split()) == sorted(
        word for value in dict.fromkeys(values) for word in value.replace("=", ": ").split()
    )


def test_a_change_is_kept_in_the_stores_history(improve: Improve, file: Path) -> None:
    """Each set is one commit of config.yaml, named."""
    improve("config", "set", "trust", "verified")
    improve("config", "set", "trust", "--default")
    log = subprocess.run(["git", "-C", str(file.parent), "log", "--format=%s"], capture_output=True, text=True).stdout
    assert log.split("\n")[:2] == ["config: reset trust", "config: set trust"]


# --- whose config it is ---


def test_a_config_in_a_repository_is_never_read(improve: Improve, repository: Repository, home: Path) -> None:
    """Files with our names in a checkout are its own affair, wherever a command is started."""
    shop = repository("shop")
    for place in (shop, shop / ".agent-improvement"):
        place.mkdir(exist_ok=True)
        (place / "config.yaml").write_text("threshold_project: 1\nroutes:\n- file: docs/taken.md\nodd: [\n")
        (place / "rules.yaml").write_text("not: [yaml\n")
    improve("observe", PNPM, cwd=shop)
    improve("escalate", "--apply", cwd=shop)
    assert not (shop / "docs").exists()
    assert not (shop / "AGENTS.md").exists()
    assert improve("config", "get", "threshold_project", cwd=shop / ".agent-improvement").out == "2\n"
    improve("observe", PNPM, cwd=shop)
    improve("escalate", "--apply", cwd=shop)
    assert PNPM in (shop / "AGENTS.md").read_text()
    assert not (shop / "docs").exists()


def test_a_config_in_a_repository_is_read_when_the_person_says_so(
    improve: Improve, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AGENT_IMPROVEMENT_HOME may point anywhere; that is the person's word."""
    shop = repository("shop")
    (shop / ".agent-improvement").mkdir(mode=0o700)
    (shop / ".agent-improvement" / "config.yaml").write_text("threshold_project: 1\n")
    monkeypatch.setenv("AGENT_IMPROVEMENT_HOME", str(shop / ".agent-improvement"))
    assert improve("config", "get", "threshold_project", cwd=shop).out == "1\n"
