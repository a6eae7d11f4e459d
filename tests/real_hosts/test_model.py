"""The scripted model and the box, without any host."""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from real_hosts.agents import AGENTS, find
from real_hosts.box import Box
from real_hosts.dialects import tools_offered
from real_hosts.model import Model, Request, Say, Shell, Use

CLAUDE = {"tools": [{"name": "Bash", "input_schema": {}}]}
RESPONSES = {"tools": [{"type": "function", "name": "exec_command"}]}
CHAT = {"tools": [{"type": "function", "function": {"name": "bash"}}]}
GEMINI = {"tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}]}
# path, body that offers a shell, whether events are wanted
ASKED = [
    pytest.param("/v1/messages?beta=true", {**CLAUDE, "stream": True}, id="messages-stream"),
    pytest.param("/v1/messages", CLAUDE, id="messages"),
    pytest.param("/v1/responses", {**RESPONSES, "stream": True}, id="responses-stream"),
    pytest.param("/v1/responses", RESPONSES, id="responses"),
    pytest.param("/v1/chat/completions", {**CHAT, "stream": True}, id="chat-stream"),
    pytest.param("/v1/chat/completions", CHAT, id="chat"),
    pytest.param("/v1beta/models/x:streamGenerateContent?alt=sse", GEMINI, id="generate-stream"),
    pytest.param("/v1beta/models/x:generateContent", GEMINI, id="generate"),
]


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Model]:
    """A model that listens."""
    with Model(tmp_path / "requests.jsonl") as listening:
        yield listening


def _post(model: Model, path: str, body: object) -> str:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{model.port}{path}", data=data)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=10) as response:
        return str(response.read().decode())


def _said(answer: str) -> list[Any]:
    """Take an answer, streamed or whole, apart into its JSON values."""
    if not answer.startswith(("data:", "event:")):
        return [json.loads(answer)]
    lines = [line.removeprefix("data: ") for line in answer.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if value.startswith(("{", '"')):  # arguments are JSON inside of JSON
            yield from _strings(json.loads(value))
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


@pytest.mark.parametrize(("path", "body"), ASKED)
def test_it_says_a_text_in_every_protocol(model: Model, path: str, body: dict[str, Any]) -> None:
    """A turn with a text arrives as that text."""
    model.play(Say("Grüße, it is done."))
    assert "Grüße, it is done." in set(_strings(_said(_post(model, path, body))))


@pytest.mark.parametrize(("path", "body"), ASKED)
def test_it_runs_a_command_in_the_shell_that_is_offered(model: Model, path: str, body: dict[str, Any]) -> None:
    """A turn with a command calls the host's own shell with exactly that command."""
    command = "improve observe \"Say 'ä' \\ twice\""
    model.play(Shell(command))
    said = set(_strings(_said(_post(model, path, body))))
    assert command in said
    assert {"Bash", "bash", "exec_command", "run_shell_command"} & said


@pytest.mark.parametrize(("path", "body"), ASKED)
def test_it_uses_a_tool_by_its_name(model: Model, path: str, body: dict[str, Any]) -> None:
    """A turn with a tool calls it with exactly these arguments."""
    model.play(Use("write", {"path": "a.py", "content": "x = 'ä'\n"}))
    assert {"write", "a.py", "x = 'ä'\n"} <= set(_strings(_said(_post(model, path, body))))


@pytest.mark.parametrize("streamed", [True, False])
def test_a_tool_with_a_grammar_gets_its_text_as_it_is(model: Model, streamed: bool) -> None:
    """It is a custom call, as Codex expects of its patches: no arguments, no JSON inside."""
    model.play(Use("apply_patch", free="*** Begin Patch\n"))
    said = _said(_post(model, "/v1/responses", {**RESPONSES, "stream": streamed}))[-1]
    (item,) = said.get("response", said)["output"]
    assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", "apply_patch", "*** Begin Patch\n")


def test_turns_are_played_in_order_and_then_it_is_done(model: Model) -> None:
    """Each question takes the next turn; after the last one the answer is `Done.`; `play` replaces what is left."""
    model.play(Say("one"), Say("two"), Say("three"))
    first = [_said(_post(model, "/v1/messages", CLAUDE))[0]["content"][0]["text"] for _ in range(2)]
    model.play(Say("other"))
    rest = [_said(_post(model, "/v1/messages", CLAUDE))[0]["content"][0]["text"] for _ in range(2)]
    assert (first, rest) == (["one", "two"], ["other", "Done."])


@pytest.mark.parametrize(
    "body", [{}, {"tools": []}, {"tools": [{"name": "Read"}]}, {"tools": None}, {"tools": ["Bash"]}]
)
def test_a_question_that_offers_no_shell_takes_no_turn(model: Model, body: dict[str, Any]) -> None:
    """Questions for a title or a summary are answered with `Done.` and are not part of the conversation."""
    model.play(Say("for the agent"))
    assert "Done." in _post(model, "/v1/messages", body)
    assert "for the agent" in _post(model, "/v1/messages", CLAUDE)
    assert [request.number for request in model.asked] == [2]


def test_requests_are_kept_whole(model: Model, tmp_path: Path) -> None:
    """A body of 2 MB with every kind of letter is logged as it came, a line each; what is no JSON is kept too."""
    body = {**CLAUDE, "messages": [{"role": "user", "content": "ä\u2028\x00\n𝄞 " * 200_000}]}
    _post(model, "/v1/messages", body)
    _post(model, "/v1/messages/count_tokens", b"\xff no JSON")
    lines = (tmp_path / "requests.jsonl").read_text(encoding="utf-8").split("\n")
    first, second = (json.loads(line) for line in lines[:2])
    assert first == {"number": 1, "path": "/v1/messages", "dialect": "anthropic-messages", "body": body}
    assert (second["dialect"], second["body"]) == ("", {"unreadable": "\\xff no JSON"})
    assert lines[2:] == [""]


def test_a_list_of_models_is_no_question(model: Model) -> None:
    """A host that looks for models finds one."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{model.port}/v1/models", timeout=10) as response:
        assert json.loads(response.read())["data"][0]["id"] == "scripted"
    assert model.requests == []


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("nothing", 0),
        ("NEWSLOG", 1),
        ("in NEWSLOG.txt, &lt;NEWSLOG&gt;", 2),
        ('{"text": "{\\"text\\": \\"NEWSLOG\\"}"}', 1),
        ("newslog NEWS LOG", 0),
        ("a2VlcCBpdCBpbiBORVdTTE9HLnR4dCwgbmV3ZXN0IGZpcnN0", 1),
        ("eGtlZXAgaXQgaW4gTkVXU0xPRy50eHQsIG5ld2VzdA==", 1),
        ("eHlrZWVwIGl0IGluIE5FV1NMT0cudHh0LCBuZXdlc3Q=", 1),
    ],
)
def test_a_word_is_counted_in_every_encoding(text: str, times: int) -> None:
    """Escaped, nested in JSON or as base64 at any offset, a word counts once each time it is there."""
    assert Request(1, "/v1/messages", "anthropic-messages", {"messages": [{"content": text}]}).count("NEWSLOG") == times


def test_the_place_of_a_word_is_shown() -> None:
    """A message about a request shows what stands around the word, and the end where it is nowhere."""
    request = Request(
        7, "/v1/messages", "anthropic-messages", {"system": "x" * 5000 + " before NEWSLOG after " + "y" * 5000}
    )
    assert "request 7 (/v1/messages) holds it 1 times" in request.around("NEWSLOG")
    assert "before NEWSLOG after" in request.around("NEWSLOG")
    assert len(request.around("NEWSLOG")) < 1000
    assert "holds it nowhere" in request.around("absent")


def test_a_text_is_found_as_it_is() -> None:
    """A text of several lines is looked for inside of one string, not across them."""
    request = Request(1, "/v1/messages", "anthropic-messages", {"system": [{"text": 'a\n- "b" ä\nc'}, {"text": "d"}]})
    assert request.says('- "b" ä\nc')
    assert not request.says("c\nd")
    assert not request.says("- b")


def test_tools_are_found_where_each_protocol_lists_them() -> None:
    """Nested lists, groups and items of the input are looked into; odd shapes are no tools."""
    body = {"tools": [{"type": "namespace", "tools": [{"name": "a"}]}, 3], "input": [{"tools": [{"name": "b"}]}, "x"]}
    assert tools_offered(body) == {"a", "b"}
    assert tools_offered(GEMINI) == {"run_shell_command"}
    assert tools_offered("tools") == tools_offered([]) == set()


def test_the_box_has_nothing_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the box sees neither this home nor keys, agents and sessions from outside."""
    for name in ("ANTHROPIC_API_KEY", "CLAUDECODE", "CODEX_SESSION_ID", "REAL_HOSTS", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, "outside")
    box = Box(tmp_path / "box")
    ran = box.run("env")
    assert ran.code == 0
    assert "outside" not in ran.out
    assert f"HOME={box.home}\n" in ran.out
    assert "HTTPS_PROXY=http://127.0.0.1:9\n" in ran.out


def test_a_program_that_does_not_end_is_ended_with_its_children(tmp_path: Path) -> None:
    """After its time a program and what it started are gone."""
    box = Box(tmp_path / "box")
    child = "import pathlib, time\nwhile True: pathlib.Path('alive').write_text(str(time.time())); time.sleep(0.05)"
    box.write(box.repository / "child.py", child)
    ran = box.run("sh", "-c", f"trap '' TERM; '{sys.executable}' child.py & wait; sleep 60", seconds=1.5)
    assert ran.code is None
    assert "did not end in time" in ran.told
    last = (box.repository / "alive").read_text(encoding="utf-8")
    time.sleep(0.3)
    assert (box.repository / "alive").read_text(encoding="utf-8") == last


def test_children_a_program_leaves_behind_are_ended(tmp_path: Path) -> None:
    """A program that ends by itself is not waited for because of a child, and the child is ended."""
    box = Box(tmp_path / "box")
    ran = box.run("sh", "-c", "sleep 30 & echo $!", seconds=20)
    assert ran.code == 0
    assert ran.seconds < 10
    time.sleep(0.2)
    state = Path(f"/proc/{ran.out.strip()}/stat")
    assert not state.exists() or state.read_text(encoding="utf-8").split()[2] == "Z"


def test_the_tree_of_a_home_tells_every_change(tmp_path: Path) -> None:
    """A file, an empty directory, a link and a byte change the tree; the store and its cache do not."""
    box = Box(tmp_path / "box")
    trees = [box.tree()]
    box.write(box.home / "a.txt", "a")
    trees.append(box.tree())
    box.write(box.home / "a.txt", "b")
    trees.append(box.tree())
    (box.home / "empty").mkdir()
    trees.append(box.tree())
    (box.home / "link").symlink_to("a.txt")
    trees.append(box.tree())
    (box.home / ".cache").mkdir()
    trees.append(box.tree())
    box.write(box.store / "rules.yaml", "rules: []\n")
    (box.home / ".cache" / "agent-improvement").mkdir()
    assert box.tree() == trees[-1]
    assert all(one != other for number, one in enumerate(trees) for other in trees[:number])


def test_each_host_is_looked_for_where_it_was_put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """$REAL_HOSTS comes before PATH, and a host that is in neither is not there."""
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("REAL_HOSTS", str(tmp_path / "hosts"))
    for agent in AGENTS:
        assert find(agent) is None
        for folder in (tmp_path / "path", tmp_path / "hosts" / "node_modules" / ".bin"):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / agent.program).write_text("#!/bin/sh\n", encoding="utf-8")
            (folder / agent.program).chmod(0o755)
            found = find(agent)
            assert found is not None
            assert found.program == str(folder / agent.program)
            assert found.folder == folder
