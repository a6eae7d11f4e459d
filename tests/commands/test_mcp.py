"""`improve mcp` as a host runs it: the official client, a real process, real repositories."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from improve.cli import COMMANDS, tools

from .conftest import Improve, Repository

COMMAND = [sys.executable, "-m", "improve", "mcp"]
SOON = 20
"""Seconds a busy machine may take for what usually takes a tenth of one."""


def test_without_the_library_it_says_how_to_install_it(improve: Improve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 5 and the pip line, where the extra is not installed."""
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    said = improve("mcp", code=5)
    assert "pip install 'agent-improvement[mcp]'" in said.err
    assert said.out == ""


def test_its_help_has_the_entry_for_a_host(improve: Improve) -> None:
    """The JSON to paste is in the help, and is JSON."""
    said = improve("mcp", "--help").out
    pasted = said[said.index('  {\n    "mcpServers"') :].partition("\nCodex")[0]
    assert json.loads(pasted)["mcpServers"]["improve"]["args"] == ["mcp"]


def test_the_tools_can_be_listed_without_a_host(improve: Improve) -> None:
    """`--json` shows name, description, schema and hints of every tool, and serves nothing."""
    listed = improve("mcp", "--json").json["tools"]
    assert [tool["name"] for tool in listed] == [verb.name for verb in tools.offered()]
    status = next(tool for tool in listed if tool["name"] == "status")
    assert status["annotations"]["readOnlyHint"] is True
    assert status["inputSchema"]["properties"]["budget"]["type"] == "integer"


def test_no_other_command_imports_the_library() -> None:
    """Neither a list of all commands nor a command brings in what only the server needs."""
    code = (
        "import sys; from improve.cli import run; run(['--help']); run(['status']); run(['observe', 'Use uv']);"
        "sys.exit(bool({'mcp', 'mcp_types', 'anyio', 'pydantic', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done


mcp = pytest.importorskip("mcp", reason="the extra is not installed: pip install 'agent-improvement[mcp]'")
pytest.importorskip("mcp_types", reason="the MCP library is older than 2")

Talk = Callable[[Any], Awaitable[None]]


def talk(conversation: Talk, *, client: str = "tests", cwd: Path | None = None) -> None:
    """Start the server as a host does, have a conversation, and end it."""
    import anyio
    from mcp.client.session import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp_types import Implementation

    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=dict(os.environ), cwd=cwd)

    async def hold() -> None:
        with anyio.fail_after(60):
            async with (
                stdio_client(server) as (incoming, outgoing),
                ClientSession(incoming, outgoing, client_info=Implementation(name=client, version="1")) as session,
            ):
                await session.initialize()
                await conversation(session)

    anyio.run(hold)


def test_the_official_client_lists_the_tools() -> None:
    """Every verb this version has is offered, described, marked, and closed to unknown arguments; no other is."""

    async def conversation(session: Any) -> None:
        listed = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert list(listed) == [verb.name for verb in tools.offered()]
        assert set(listed) >= {"observe", "status", "due", "escalate", "history", "set", "undo", "where"}
        assert "confirm" not in listed
        for tool in listed.values():
            assert tool.description
            assert tool.input_schema["additionalProperties"] is False
            assert {"project_dir", "session"} <= set(tool.input_schema["properties"])
        status, undo, observe = (listed[name].annotations for name in ("status", "undo", "observe"))
        assert (status.read_only_hint, status.destructive_hint, status.idempotent_hint) == (True, False, True)
        assert (undo.read_only_hint, undo.destructive_hint, undo.idempotent_hint) == (False, True, False)
        assert (observe.read_only_hint, observe.destructive_hint, observe.idempotent_hint) == (False, False, False)

    talk(conversation)


def test_the_whole_loop(repository: Repository) -> None:
    """Observed in two sessions, listed, written into the real repository's AGENTS.md, and taken back."""
    root = repository("loop", agents="# Loop\n\nBe kind.\n")

    async def conversation(session: Any) -> None:
        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await session.call_tool(tool, {"project_dir": str(root), **arguments})
            assert not result.is_error, result
            assert json.loads(result.content[0].text) == result.structured_content
            found: dict[str, Any] = result.structured_content
            assert found["command"] == tool
            return found

        for number in "12":
            answer = await call("observe", rule="Use uv, never pip", session=number, context="a pip install")
        assert answer["rule"]["count"] == 2
        assert [rule["id"] for rule in (await call("status"))["rules"]] == [answer["rule"]["id"]]
        preview = await call("escalate")
        assert "+- Use uv, never pip" in preview["files"][0]["diff"]
        assert (root / "AGENTS.md").read_text(encoding="utf-8") == "# Loop\n\nBe kind.\n"
        assert (await call("escalate", apply=True))["applied"] is True
        assert "- Use uv, never pip\n" in (root / "AGENTS.md").read_text(encoding="utf-8")
        assert (await call("where"))["project"] == "github.com/acme/loop"
        await call("undo")
        assert (root / "AGENTS.md").read_text(encoding="utf-8") == "# Loop\n\nBe kind.\n"

    talk(conversation, cwd=Path("/"))


def test_where_no_directory_is_given_the_servers_own_counts(repository: Repository) -> None:
    """A host that starts its servers in the project needs no project_dir."""
    root = repository("own")

    async def conversation(session: Any) -> None:
        result = await session.call_tool("where", {})
        assert result.structured_content["project"] == "github.com/acme/own"

    talk(conversation, cwd=root)


def test_errors_are_tool_errors() -> None:
    """The command's message and exit code arrive as a failed call, and the next call works."""

    async def conversation(session: Any) -> None:
        for tool, arguments, code, said in (
            ("history", {"rule_id": "no-such"}, 7, "no rule has the id 'no-such'"),
            ("observe", {"rule": "token: ghp_0123456789abcdefghijABCDEFGHIJ456789"}, 3, ""),
            ("observe", {"rule": "Use\nuv"}, 3, ""),
            ("observe", {"rule": "Use uv", "severity": 9}, 2, "severity"),
            ("observe", {"rule": "Use uv", "explicit_scope": "moon"}, 2, "moon"),
            ("observe", {"rule": "Use uv", "project_dir": "relative"}, 2, "project_dir"),
            ("observe", {"sentence": "Use uv"}, 2, "takes no 'sentence'"),
            ("history", {}, 2, "RULE_ID"),
            ("confirm", {"rule_id": "x", "scope": "global"}, 2, "no tool 'confirm'"),
            ("../set", {}, 2, "no tool"),
        ):
            result = await session.call_tool(tool, arguments)
            assert result.is_error, (tool, arguments, result)
            error = result.structured_content["error"]
            assert error["exit_code"] == code, error
            assert said in error["message"]
            assert "Traceback" not in str(result)
        assert (await session.call_tool("status", {})).structured_content["total"] == 0

    talk(conversation)


HOSTILE = ("--help", "--json", "--apply", "-", "--", "$(touch pwned)", "`touch pwned`; rm -rf .", "../../etc/passwd")


def test_hostile_values_are_only_text(tmp_path: Path) -> None:
    """Nothing in a value is an option, a shell command or a path to something else."""

    async def conversation(session: Any) -> None:
        for text in HOSTILE:
            for tool in ("history", "retire", "restore"):
                result = await session.call_tool(tool, {"rule_id": text})
                assert result.structured_content["error"]["exit_code"] == 7, result
            assert (await session.call_tool("escalate", {"project": text})).content
        for text in ("Use \0 uv", "Use \u202euv", "x" * 1_000_000):
            result = await session.call_tool("observe", {"rule": text})
            assert result.is_error and result.structured_content["error"]["exit_code"] == 3, result
        assert (await session.call_tool("status", {"all": True})).structured_content["total"] == 0

    talk(conversation, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_every_script_arrives_and_comes_back() -> None:
    """Rules in any script are stored and answered letter for letter."""
    said = (
        "Benutze „uv“, nie pip – größer",
        "Используй uv вместо pip",
        "常に uv を使う",
        "استخدم uv دائما",
        "Use uv 🦀",
    )

    async def conversation(session: Any) -> None:
        for text in said:
            result = await session.call_tool("observe", {"rule": text, "new": True})
            assert result.structured_content["rule"]["rule"] == text
        status = await session.call_tool("status", {"all": True, "budget": 0})
        assert {rule["rule"] for rule in status.structured_content["rules"]} == set(said)

    talk(conversation)


def test_calls_at_once_are_all_kept(repository: Repository) -> None:
    """Twelve calls that do not wait for each other, from two directories: each is counted in its own project."""
    roots = [repository("left"), repository("right")]

    async def conversation(session: Any) -> None:
        import anyio

        async def one(number: int) -> None:
            arguments = {"rule": "Use uv", "session": str(number), "project_dir": str(roots[number % 2])}
            result = await session.call_tool("observe", arguments)
            assert not result.is_error, result

        async with anyio.create_task_group() as group:
            for number in range(12):
                group.start_soon(one, number)
        story = (await session.call_tool("history", {"rule_id": "use-uv"})).structured_content
        assert story["count"] == 12
        seen = [each["project"] for each in story["observations"]]
        assert sorted(seen) == ["github.com/acme/left"] * 6 + ["github.com/acme/right"] * 6

    talk(conversation)


def test_two_servers_share_a_store() -> None:
    """Two hosts, each with a server of its own, count in one store."""

    async def first(session: Any) -> None:
        from anyio import to_thread

        await to_thread.run_sync(talk, second)
        answer = await session.call_tool("observe", {"rule": "Use uv", "session": "1"})
        assert answer.structured_content["rule"]["count"] == 2

    async def second(session: Any) -> None:
        await session.call_tool("observe", {"rule": "Use uv", "session": "2"})

    talk(first)


def test_the_client_names_the_host() -> None:
    """An observation carries the host that the client says it is; what one server hears is one occasion."""

    async def conversation(session: Any) -> None:
        for _ in range(2):
            alone = await session.call_tool("observe", {"rule": "Use ruff"})
        assert alone.structured_content["rule"]["count"] == 1
        await session.call_tool("observe", {"rule": "Use uv", "session": "s"})
        story = (await session.call_tool("history", {"rule_id": "use-uv"})).structured_content
        assert story["observations"][0]["host"] == "codex"
        assert story["observations"][0]["session"] == "s"

    talk(conversation, client="codex-mcp-client")


@pytest.mark.skipif("off" not in COMMANDS, reason="there is no switch yet")
def test_the_switch_is_obeyed_in_a_running_server(improve: Improve) -> None:
    """What a person switches off while the server runs is off at the next call, and on again."""

    async def conversation(session: Any) -> None:
        assert not (await session.call_tool("observe", {"rule": "Use uv"})).is_error
        improve("off")
        refused = await session.call_tool("observe", {"rule": "Use ruff"})
        assert refused.structured_content["error"]["exit_code"] == 3
        improve("on")
        assert not (await session.call_tool("observe", {"rule": "Use ruff"})).is_error

    talk(conversation)


@pytest.fixture
def server() -> Iterator[subprocess.Popen[str]]:
    """Start the server in a session of its own, so that all its children can be found."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(COMMAND, **pipes, text=True, encoding="utf-8", start_new_session=True)  # type: ignore[call-overload]
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def send(server: subprocess.Popen[str], *messages: dict[str, Any]) -> None:
    """Write messages as the protocol has them, a line each."""
    assert server.stdin is not None
    for message in messages:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def answered(server: subprocess.Popen[str]) -> Any:
    """Read the next line of the server, which must be a message of the protocol."""
    assert server.stdout is not None
    message = json.loads(server.stdout.readline())
    assert message["jsonrpc"] == "2.0"
    return message


def greet(server: subprocess.Popen[str]) -> None:
    """Open a session by hand."""
    who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "hand", "version": "1"}}
    send(server, {"id": 0, "method": "initialize", "params": who})
    assert answered(server)["result"]["serverInfo"]["name"] == "improve"
    send(server, {"method": "notifications/initialized"})


def observed(number: int) -> dict[str, Any]:
    """Give a call as a message."""
    arguments = {"rule": f"Keep shelf {number} tidy", "new": True}
    return {"id": number, "method": "tools/call", "params": {"name": "observe", "arguments": arguments}}


def relatives(session: int) -> list[str]:
    """List the living processes of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")
        except OSError:
            continue
        state, _, _, of = rest.split()[:4]
        if int(of) == session and state != "Z":
            found.append(name)
    return found


@pytest.mark.parametrize("junk", ["", "junk", "[]", "{}", "null", '{"jsonrpc": "2.0"}', "\udcff", "[" * 20_000])
def test_only_the_protocol_is_on_standard_output(server: subprocess.Popen[str], junk: str) -> None:
    """Commands print, lines that are no message come in: each line out is a message, and the server lives."""
    greet(server)
    assert server.stdin is not None
    server.stdin.buffer.write(junk.encode("utf-8", "surrogateescape") + b"\n")
    send(server, observed(1))
    while (message := answered(server)).get("id") != 1:
        assert "error" in message
    assert message["result"]["structuredContent"]["how"] == "new"
    out, err = server.communicate(timeout=SOON)
    assert (server.returncode, out) == (0, "")
    assert "Traceback" not in err or junk


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_clean_end_when_the_host_goes(server: subprocess.Popen[str]) -> None:
    """End of input ends it with code 0, and no child of it is left."""
    greet(server)
    send(server, observed(1))
    answered(server)
    out, err = server.communicate(timeout=SOON)
    assert (server.returncode, out, err) == (0, "", "")
    assert relatives(server.pid) == []


def test_what_was_asked_before_the_end_is_done_whole_or_not_at_all(
    server: subprocess.Popen[str], improve: Improve
) -> None:
    """A host that goes without waiting leaves a healthy store behind."""
    greet(server)
    send(server, *(observed(number) for number in range(1, 6)))
    server.communicate(timeout=SOON)
    assert server.returncode == 0
    improve("doctor")


def test_ctrl_c_ends_it(server: subprocess.Popen[str]) -> None:
    """Ctrl-C ends a waiting server at once with code 130 and one line."""
    greet(server)
    send(server, observed(1))
    answered(server)
    began = time.monotonic()
    server.send_signal(signal.SIGINT)
    _, err = server.communicate(timeout=SOON)
    assert server.returncode == 130
    assert err.splitlines() == ["improve: stopped; what was acknowledged is kept"]
    assert time.monotonic() - began < SOON / 2
