"""improve on and off: one switch that every path obeys."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tests.commands.conftest import Improve, Repository

from improve import switch
from improve.switch import Off

UV = "Use uv for packages, never pip install"


@pytest.fixture
def shop(repository: Repository, improve: Improve, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a rule that is due, a candidate, and a person in it."""
    root = repository("shop", agents="# Shop\n")
    for session in ("a", "b"):
        improve("observe", UV, "--session", session, cwd=root)
    return root


def entries(home: Path) -> list[dict[str, str]]:
    """Read what is kept of what is and was off."""
    found: list[dict[str, str]] = json.loads((home / ".agent-improvement" / "off.json").read_text())["off"]
    return found


def tree(home: Path) -> dict[str, str]:
    """Hash everything below the home directory but derived data."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and not {".cache", ".local"} & set(path.parts)
    }


@pytest.mark.parametrize(
    "argv",
    [
        ("observe", "Never force-push"),
        ("observe", UV),
        ("escalate", "--apply"),
        ("retire", "use-uv-for-packages-never-pip-install"),
        ("set", "use-uv-for-packages-never-pip-install", "--domain", "testing"),
        ("confirm", "use-uv-for-packages-never-pip-install", "--scope", "local"),
        ("seed", "--from-agents-md", "AGENTS.md"),
    ],
)
def test_nothing_is_written_while_it_is_off(home: Path, shop: Path, improve: Improve, argv: tuple[str, ...]) -> None:
    """Every command that records or writes refuses, says how to switch it on, and changes no byte anywhere."""
    improve("off")
    before, project = tree(home), (shop / "AGENTS.md").read_bytes()
    said = improve(*argv, code=3)
    assert "off everywhere" in said.err
    assert "improve on" in said.err
    assert (tree(home), (shop / "AGENTS.md").read_bytes()) == (before, project)


def test_nothing_is_delivered_while_it_is_off(shop: Path, improve: Improve) -> None:
    """`status`, plain, for a host and as JSON, tells no rule."""
    improve("off")
    for argv in (("status",), ("status", "--all"), ("status", "--host", "codex"), ("status", "--json")):
        said = improve(*argv)
        assert "uv" not in said.out
        assert "off" in said.out


def test_what_waits_in_the_spool_stays_there(home: Path, shop: Path, improve: Improve) -> None:
    """An observation that could not be merged before is merged after, not while it is off."""
    spool = home / ".agent-improvement" / "spool"
    spool.mkdir(exist_ok=True)
    waiting = spool / "2026-11-30T120000Z-0123456789ab.json"
    waiting.write_text(
        json.dumps({"oid": "0123456789ab", "at": "2026-11-30T12:00:00+00:00", "date": "2026-11-30", "text": UV})
    )
    improve("off")
    improve("status")
    improve("due")
    assert waiting.exists()
    improve("on")
    improve("status")
    assert not waiting.exists()


def test_undo_still_takes_back(shop: Path, improve: Improve) -> None:
    """Whoever switched it off because of what it wrote can take that back at once."""
    improve("escalate", "--apply")
    improve("off")
    improve("undo")
    assert (shop / "AGENTS.md").read_text() == "# Shop\n"


def test_only_one_host(shop: Path, improve: Improve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that is off records nothing; others and the person's own terminal do."""
    improve("off", "--host", "codex")
    improve("observe", "Never force-push")
    monkeypatch.setenv("CODEX_SESSION_ID", "s")
    assert "off for codex" in improve("observe", "Never rebase main", code=3).err


def test_only_one_project(shop: Path, repository: Repository, improve: Improve) -> None:
    """The current project or a named one is off, the others go on."""
    blog = repository("blog")
    improve("off", "--project", cwd=shop)
    improve("observe", "Never force-push", code=3)
    improve("observe", "Never force-push", cwd=blog)
    improve("on", "--project", "shop")
    improve("observe", "Never force-push", cwd=shop)


def test_a_time_ends_by_itself(home: Path, shop: Path, improve: Improve) -> None:
    """What was switched off for two hours says until when, and is on after that."""
    told = improve("off", "--for", "2h", "--json").json
    file = home / ".agent-improvement" / "off.json"
    assert told["until"] > told["since"]
    improve("observe", "Never force-push", code=3)
    file.write_text(file.read_text().replace(told["until"], told["since"]))
    improve("observe", "Never force-push")


@pytest.mark.parametrize("text", ["2", "h", "0h", "-1h", "2 h", "2y", "999999h", "１h"])
def test_a_time_that_is_none_is_refused(home: Path, improve: Improve, text: str) -> None:
    """A time nobody can read switches nothing off."""
    assert "--for" in improve("off", f"--for={text}", code=2).err
    assert not (home / ".agent-improvement" / "off.json").exists()


def test_on_says_what_is_still_off(shop: Path, improve: Improve) -> None:
    """Switching one host on does not lift what is off for all."""
    improve("off")
    assert "Still off everywhere" in improve("on", "--host", "codex").out
    assert improve("on").first == "improve is on."
    improve("observe", "Never force-push")


def test_the_second_time_changes_the_end_only(home: Path, improve: Improve) -> None:
    """Switching off again is one entry with the new end and the old beginning."""
    improve("off", "--for", "2h")
    (first,) = entries(home)
    improve("off")
    assert [entry.get("until") for entry in entries(home)] == [None]
    assert entries(home)[0]["since"] == first["since"]


def test_what_was_off_is_remembered_with_its_end(home: Path, shop: Path, improve: Improve) -> None:
    """What is switched on, or covered by more, stays as what was; nothing of it is told as off."""
    improve("off", "--host", "codex", "--for", "2h")
    improve("off", cwd=shop)
    improve("on")
    said = json.loads(improve("off", "--project", "--json", cwd=shop).out)
    assert said["until"] is None
    assert [entry.get("host") for entry in entries(home)] == ["codex", None, None]
    assert [("until" in entry, entry["since"] <= entry.get("until", "9")) for entry in entries(home)] == [
        (True, True),
        (True, True),
        (False, True),
    ]
    assert json.loads(improve("on", "--json", cwd=shop).out)["still_off"] == []
    assert improve("on", cwd=shop).out == "improve is on.\n"


def test_only_the_newest_of_what_was_off_is_remembered(home: Path, improve: Improve) -> None:
    """The file that hooks read stays small, however often somebody switches."""
    path = home / ".agent-improvement" / "off.json"
    path.parent.mkdir(exist_ok=True)
    gone = [
        Off(since="2026-01-01T00:00:00+00:00", until=f"2026-01-01T00:{n // 60:02}:{n % 60:02}+00:00")
        for n in range(999)
    ]
    path.write_bytes(switch.written(gone))
    improve("off")
    assert [entry.get("until") for entry in entries(home)] == [*[entry.until for entry in gone[-100:]], None]


def test_a_damaged_file_is_off_until_somebody_says_on(home: Path, shop: Path, improve: Improve) -> None:
    """A veto that cannot be read holds; `on` writes it anew."""
    (home / ".agent-improvement" / "off.json").write_text("{")
    assert "cannot be understood" in improve("observe", "Never force-push", code=3).err
    improve("on")
    improve("observe", "Never force-push")


def test_unknown_hosts_are_named(improve: Improve) -> None:
    """A mistyped host switches nothing off and lists what there is."""
    assert "claude-code" in improve("off", "--host", "claude", code=2).err


def test_what_a_host_is_told_is_nothing_while_it_is_off(improve: Improve, repository: Repository) -> None:
    """`status --host` says what the hook would say, asked from anywhere."""
    root = repository("shop")
    improve("observe", "Use tabs", cwd=root)
    improve("off", "--host", "codex")
    assert improve("status", "--host", "codex", cwd=root).first.startswith("improve is off for codex ")
    assert "Use tabs" in improve("status", "--host", "claude-code", cwd=root).out


def test_a_drain_that_may_not_says_so(improve: Improve) -> None:
    """While off, nobody says that nothing waited."""
    improve("off")
    assert improve("drain").first.startswith("improve is off everywhere ")
    assert improve("drain", "--quiet").out == ""
    assert improve("drain", "--json").json["off"]


def test_a_project_named_before_it_is_known_is_off(improve: Improve, repository: Repository) -> None:
    """A veto by a bare name holds in the project of that name, says that it is not known yet, and can be taken back."""
    web, shop = repository("Web"), repository("shop")
    said = improve("off", "--project", "web", cwd=shop)
    assert "no directory of a project called 'web' is known" in said.err
    assert improve("status", cwd=web).first.startswith("improve is off in web ")
    assert "off" not in improve("status", cwd=shop).first
    assert "off" not in improve("status", cwd=repository("webshop")).first
    improve("on", "--project", cwd=web)
    assert "off" not in improve("status", cwd=web).first


def test_a_host_s_server_in_the_shell_of_another_host_obeys(
    improve: Improve, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codex that Claude Code started has the other's variables; its server is off with Codex, and with it alone."""
    from improve.cli import tools

    monkeypatch.setenv("CLAUDECODE", "1")
    improve("off", "--host", "codex")
    given = {"rule": "Never force-push", "project_dir": str(shop)}
    assert tools.call("observe", given, client="codex-mcp-client", session="s").code == 3
    improve("on", "--host", "codex")
    improve("off", "--host", "claude-code")
    assert tools.call("observe", given, client="codex-mcp-client", session="s").code == 0
