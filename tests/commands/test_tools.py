"""The commands as tools: what they take is what the command line takes, and no value becomes an option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import queue
from improve.cli import COMMANDS, root, tools
from improve.errors import UsageError

from .conftest import Improve, Repository

OFFERED = tools.offered()


def verb(name: str) -> tools.Verb:
    """Give the row of a tool."""
    return next(row for row in tools.VERBS if row.name == name)


def parsed(argv: list[str]) -> dict[str, Any]:
    """Read a command line as the program does."""
    command = root.get_command(click.Context(root), argv[0])
    assert command is not None
    return command.make_context(argv[0], argv[1:]).params


def options(name: str) -> list[click.Parameter]:
    """List what a command takes."""
    command = root.get_command(click.Context(root), name)
    assert command is not None
    return command.params


@pytest.mark.parametrize("row", OFFERED, ids=[row.name for row in OFFERED])
def test_a_tool_takes_all_that_its_command_takes(row: tools.Verb) -> None:
    """Every option and argument that is not about printing or hidden is in the schema, and nothing else is."""
    shown = [p for p in options(row.name) if not getattr(p, "hidden", False)]
    typed = {max(p.opts, key=len).lstrip("-").replace("-", "_") for p in shown}
    taken = set(tools.schema(row)["properties"])
    assert taken == (typed - {"json", "format"}) | {"project_dir", "session"}
    assert tools.description(row)


def test_types_bounds_and_choices_are_those_of_the_command_line() -> None:
    """A choice is an enum, a range has its bounds, a flag is true or false, many arguments are a list."""
    observe = tools.schema(verb("observe"))
    assert observe["properties"]["explicit_scope"]["enum"] == ["global", "local"]
    assert observe["properties"]["severity"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 5,
        "description": "Cost of a recurrence.",
    }
    assert observe["properties"]["new"]["type"] == "boolean"
    escalate = tools.schema(verb("escalate"))
    assert escalate["properties"]["rule_ids"] == {"type": "array", "items": {"type": "string"}}
    assert tools.schema(verb("history"))["required"] == ["rule_id"]
    assert tools.schema(verb("due"))["properties"]["limit"]["default"] == 50


@pytest.mark.parametrize("name", ["confirm", "on", "off", "config", "install", "uninstall", "doctor", "mcp", "seed"])
def test_what_a_person_says_is_no_tool(name: str) -> None:
    """No tool confirms, switches, configures or installs."""
    assert name not in {row.name for row in tools.VERBS}


def test_a_reading_tool_is_marked_as_one() -> None:
    """What only reads says so and neither replaces nor adds; the others do not say it."""
    reading = {row.name for row in tools.VERBS if row.reads}
    assert reading == {"status", "due", "history", "inbox", "where"}
    assert not [row.name for row in tools.VERBS if row.reads and row.replaces]
    assert not verb("undo").settles


ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(rule=ANY, context=ANY, session=ANY, ids=st.lists(ANY, max_size=3), write=st.booleans())
def test_no_value_can_be_taken_for_an_option(
    rule: str, context: str, session: str, ids: list[str], write: bool
) -> None:
    """Whatever is said, each value reaches its own parameter as it is, and the answer is always JSON."""
    read = parsed(tools.command_line("observe", {"rule": rule, "context": context, "session": session}))
    assert (read["rule"], read["context"], read["session"]) == (rule, context, session)
    assert read["as_json"] is True and read["same_as"] == ""
    read = parsed(tools.command_line("escalate", {"rule_ids": ids, "apply": write}))
    assert (read["rule_ids"], read["write"], read["as_json"]) == (tuple(ids), write, True)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("observe", {"rule": "x", "rules": "y"}, "takes no 'rules'"),
        ("observe", {"rule": "x", "json": True}, "takes no 'json'"),
        ("status", {"format": "text"}, "takes no 'format'"),
        ("observe", {"rule": ["x"]}, "rule must be a text"),
        ("observe", {"rule": {"x": 1}}, "rule must be a text"),
        ("observe", {"rule": True}, "rule must be a text"),
        ("escalate", {"apply": "yes"}, "apply must be true or false"),
        ("escalate", {"apply": 1}, "apply must be true or false"),
        ("escalate", {"rule_ids": "a"}, "rule_ids must be a list"),
        ("escalate", {"rule_ids": [["a"]]}, "rule_ids must be a list of texts"),
        ("due", {"limit": 1.5}, "limit must be a text or a whole number"),
    ],
)
def test_an_argument_of_another_kind_is_refused(name: str, arguments: dict[str, Any], said: str) -> None:
    """What the schema does not allow is named in the error, and nothing is done."""
    with pytest.raises(UsageError, match=said):
        tools.command_line(name, arguments)


def test_null_means_not_given() -> None:
    """Hosts that fill in every parameter send null for those that are not meant."""
    assert tools.command_line("observe", {"rule": "Use uv", "domain": None}) == ["observe", "--json", "--", "Use uv"]


@pytest.mark.parametrize("folder", [".", "some/where", "~", "/nowhere/at/all", "\0", 7, ["/"]])
def test_a_project_dir_that_is_no_absolute_directory_is_refused(folder: object, rules: Path) -> None:
    """Relative, missing or no text: exit code 2 and no observation for some other project."""
    answer = tools.call("observe", {"rule": "Use uv", "project_dir": folder}, client="")
    assert answer.code == 2
    assert "project_dir must be" in answer.body["error"]["message"]
    assert not rules.exists()


def test_a_call_runs_where_it_says(repository: Repository, home: Path) -> None:
    """The project is the one of project_dir, not of this process, whose directory stays what it was."""
    before = Path.cwd()
    root = repository("one")
    answer = tools.call("observe", {"rule": "Use uv", "project_dir": str(root), "file": "docs/run.md"}, client="")
    assert answer.code == 0
    assert answer.body["rule"]["projects"] == ["github.com/acme/one"]
    assert Path.cwd() == before
    assert 'path: "docs/run.md"' in (home / ".agent-improvement" / "rules.yaml").read_text(encoding="utf-8")
    tools.call("set", {"rule_id": "use-uv", "project_dir": str(root), "file": "docs/other.md"}, client="")
    assert 'path: "docs/other.md"' in (home / ".agent-improvement" / "rules.yaml").read_text(encoding="utf-8")


def test_an_error_is_the_commands_own(improve: Improve) -> None:
    """Message and exit code are those that the command line gives."""
    improve("observe", "Use uv")
    said = improve("history", "no-such", "--json", code=7)
    answer = tools.call("history", {"rule_id": "no-such"}, client="")
    assert (answer.body, answer.code) == (said.json, 7)


def test_a_bug_is_an_error_with_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What nobody foresaw is said in one line that names the log, never as a traceback."""

    def broken(*_: object) -> None:
        raise RuntimeError("not foreseen")

    monkeypatch.setattr("improve.store.Store.view", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    answer = tools.call("status", {}, client="")
    assert answer.code == 1
    assert answer.body["error"]["message"].startswith("internal error (RuntimeError at ")
    assert "Traceback" not in str(answer)


def test_the_streams_are_given_back(capsys: pytest.CaptureFixture[str]) -> None:
    """A call prints nothing, reads nothing, and leaves the standard streams as it found them."""
    import sys

    streams = sys.stdin, sys.stdout, sys.stderr
    answer = tools.call("observe", {"rule": "-"}, client="")
    assert answer.code == 2
    assert (sys.stdin, sys.stdout, sys.stderr) == streams
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("client", "host"),
    [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client", "gemini"),
        ("Qwen Code", "qwen"),
        ("cursor_vscode", "cursor"),
        ("opencode", "opencode"),
        ("my-codexlike", ""),
        ("pip", ""),
        ("", ""),
    ],
)
def test_a_host_is_known_by_what_its_client_calls_itself(client: str, host: str) -> None:
    """Hosts keep their marks from the servers they start; the name they give in the protocol tells them."""
    tools.call("observe", {"rule": "Use uv"}, client=client)
    body = tools.call("history", {"rule_id": "use-uv"}, client=client).body
    assert body["observations"][0].get("host", "") == host


@pytest.mark.parametrize(("client", "host"), [("codex-mcp-client", "codex"), ("pip", "claude-code")])
def test_a_mark_around_the_server_may_be_another_host_s(
    monkeypatch: pytest.MonkeyPatch, client: str, host: str
) -> None:
    """A host that was started from another one's shell says who it is; a client nobody knows leaves it to the mark."""
    monkeypatch.setenv("CLAUDECODE", "1")
    tools.call("observe", {"rule": "Use uv"}, client=client)
    body = tools.call("history", {"rule_id": "use-uv"}, client=client).body
    assert body["observations"][0]["host"] == host


def test_repeats_in_one_session_count_once() -> None:
    """The session an agent gives makes its calls one occasion; another session is another."""
    for session in ("a", "a", "b"):
        answer = tools.call("observe", {"rule": "Use uv", "session": session}, client="claude-code")
    assert answer.body["rule"]["count"] == 2


def test_a_server_is_a_session_where_nothing_else_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own id counts after what the agent says and after what the host says."""
    for said in ({}, {}, {"session": "a"}):
        answer = tools.call("observe", {"rule": "Use uv", **said}, client="codex-mcp-client", session="own")
    assert answer.body["rule"]["count"] == 2
    monkeypatch.setenv("CODEX_SESSION_ID", "a")
    assert tools.call("observe", {"rule": "Use uv"}, client="", session="own").body["rule"]["count"] == 2


def test_an_unknown_session_variable_hurts_nobody() -> None:
    """A session is accepted by tools that do not use it."""
    assert tools.call("status", {"session": "x"}, client="claude-code").code == 0


@pytest.mark.skipif("off" not in COMMANDS, reason="there is no switch yet")
def test_the_switch_is_obeyed(improve: Improve, rules: Path) -> None:
    """Where improve is off, a tool refuses with the switch's own sentence and changes nothing."""
    improve("observe", "Use uv")
    before = rules.read_bytes()
    improve("off")
    answer = tools.call("observe", {"rule": "Use uv"}, client="")
    assert answer.code == 3
    assert "improve on" in answer.body["error"]["message"]
    assert rules.read_bytes() == before


def test_what_is_said_beside_an_answer_is_kept(rules: Path) -> None:
    """A note of the command reaches the agent with the answer."""
    tools.call("observe", {"rule": "Use uv"}, client="")
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace("domain: unknown", "domain: [broken]"), encoding="utf-8")
    answer = tools.call("status", {}, client="")
    assert answer.code == 0
    assert "left alone" in answer.notes


def test_what_a_person_typed_is_accepted_or_dismissed(home: Path) -> None:
    """A prompt that a hook kept is in the inbox, becomes a rule in an agent's words, or goes."""
    queue_folder = str(home / ".agent-improvement" / "queue")
    for number, text in enumerate(("no, use uv here, never pip", "no, that is wrong, keep functions short")):
        said = queue.Heard(f"{number}" * 24, "2026-01-02T10:00:00+00:00", "codex", "s", "", text, "correction")
        assert queue.hear(queue_folder, said)
    listed = tools.call("inbox", {}, client="").body["candidates"]
    assert len(listed) == 2
    accepted = tools.call("accept", {"items": [listed[0]["id"], "Use uv, never pip"]}, client="")
    assert accepted.code == 0, accepted
    dismissed = tools.call("dismiss", {"candidates": [listed[1]["id"]]}, client="")
    assert dismissed.code == 0, dismissed
    assert tools.call("inbox", {}, client="").body["candidates"] == []
    assert tools.call("status", {"all": True}, client="").body["total"] == 1
