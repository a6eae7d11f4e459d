"""improve check: suggested from a rule's words, kept by a person only, tried without consequences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands.conftest import Improve
from improve import ancestry

UV, ID = "Use uv, never pip install", "use-uv-never-pip-install"


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands of a test be given at a terminal."""
    monkeypatch.setattr(ancestry, "environments", lambda: iter(()))
    monkeypatch.setattr("improve.cli.person.on_terminal", lambda stream: True)


def test_a_check_is_suggested_and_only_a_person_keeps_it(improve: Improve, rules: Path) -> None:
    """Without a terminal the check is shown with the command that accepts it, and `--accept` is refused."""
    improve("observe", UV)
    before = rules.read_bytes()
    said = improve("check", "suggest", ID)
    assert "pip|pip3|pip3.* install" in said.out
    assert f"improve check suggest {ID} --accept" in said.out
    for words in (("suggest", ID, "--accept"), ("set", ID, "--deny", "pip"), ("off", ID)):
        assert "only a person" in improve("check", *words, code=3).err
    assert rules.read_bytes() == before


def test_past_calls_that_would_have_been_hit_are_shown(improve: Improve, home: Path) -> None:
    """The calls of transcripts are tried; `--json` counts them."""
    folder = home / ".claude" / "projects" / "-p"
    folder.mkdir(parents=True)
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "cd x && sudo pip install y"}}
    row = {
        "type": "assistant", "uuid": "u", "sessionId": "s", "cwd": "/p", "timestamp": "2026-01-01T10:00:00Z",
        "message": {"role": "assistant", "content": [call]},
    }  # fmt: skip
    (folder / "s.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    improve("observe", UV)
    told = improve("check", "suggest", ID, "--json").json
    assert [hit["part"] for hit in told["hits"]] == ["pip install y"]
    assert told["calls"] == 1


def test_what_was_refused_when_a_rule_was_learnt_gives_its_check(improve: Improve) -> None:
    """A rule that names only what it wants forbids what a person stopped; without such an occasion there is none."""
    improve("observe", "Use uv here", "--context", "user stopped a pip3 install")
    told = improve("check", "suggest", "use-uv-here", "--json").json
    assert told["check"]["deny"] == ["pip|pip3|pip3.* install"]
    improve("observe", "Use pnpm here", "--context", "said it in passing")
    assert improve("check", "suggest", "use-pnpm-here", "--json").json["check"] is None


@pytest.mark.usefixtures("person")
def test_a_kept_check_can_be_tried_shown_undone_and_taken_away(improve: Improve, rules: Path) -> None:
    """Trying says which part is hit and exits with 0; `undo` takes the check back."""
    improve("observe", UV)
    bare = rules.read_bytes()
    improve("check", "suggest", ID, "--accept")
    assert improve("check", "test", ID, "cd x && sudo pip3 install y").out == "hit: pip3 install y\n"
    assert improve("check", "test", ID, "echo pip install; uv pip install y").out == "no hit\n"
    assert improve("check", "show", ID, "--json").json["check"]["tool"] == "shell"
    improve("undo")
    assert rules.read_bytes() == bare
    improve("check", "set", ID, "--deny", "pip install")
    improve("check", "off", ID)
    assert "has no check" in improve("check", "show", ID).out


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--deny", "uv"), 3, "which the rule recommends"),
        (("--deny", "/(a+)+/"), 2, "for ever"),
        ((), 2, "denies nothing"),
    ],
)
def test_a_check_that_cannot_be_right_is_refused(
    improve: Improve, rules: Path, options: tuple[str, ...], code: int, said: str
) -> None:
    """What the rule recommends is never denied, and a pattern that cannot work is not kept."""
    improve("observe", UV)
    before = rules.read_bytes()
    assert said in improve("check", "set", ID, *options, code=code).err
    assert rules.read_bytes() == before


def test_a_vague_rule_gets_no_check_but_a_reason(improve: Improve) -> None:
    """`suggest` says why there is none; an unknown rule is an error of its own."""
    improve("observe", "Be careful with names")
    assert "No check" in improve("check", "suggest", "be-careful-with-names").out
    assert improve("check", "suggest", "be-careful-with-names", "--json").json["check"] is None
    improve("check", "suggest", "nothing", code=7)
    improve("check", "test", "be-careful-with-names", "ls", code=3)


@pytest.mark.usefixtures("person")
def test_alone_it_lists_the_rules_that_have_a_check(improve: Improve) -> None:
    """Those without one, and retired ones, are not named; `--json` before a subcommand is a mistake."""
    improve("observe", UV)
    assert improve("check").first.startswith("No rule has a check")
    improve("check", "suggest", ID, "--accept")
    assert [row["rule"] for row in improve("check", "--json").json["checks"]] == [ID]
    assert ID in improve("check").out
    improve("check", "--json", "show", ID, code=2)
    improve("retire", ID)
    assert improve("check", "--json").json["checks"] == []
