"""improve mcp: the verbs as tools of the Model Context Protocol (https://modelcontextprotocol.io) over stdio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from improve import __version__
from improve.cli.common import json_option, say
from improve.errors import EnvironmentFailure

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.lowlevel import Server

    from improve.cli.tools import Answer, Verb

_SETTINGS = """
Most hosts start it by this entry in their MCP settings (Claude Code: .mcp.json; Cursor:
~/.cursor/mcp.json; Gemini CLI and Qwen Code: settings.json), with your home directory for HOME:
  {
    "mcpServers": {
      "improve": {"command": "HOME/.agent-improvement/bin/improve", "args": ["mcp"]}
    }
  }
Codex, in config.toml:
  [mcp_servers.improve]
  command = "HOME/.agent-improvement/bin/improve"
  args = ["mcp"]
OpenCode, in opencode.json:
  {
    "mcp": {
      "improve": {"type": "local", "command": ["HOME/.agent-improvement/bin/improve", "mcp"]}
    }
  }
"""

_INSTRUCTIONS = """\
Improve records how people correct their coding agents and writes the rule where it will be read.
At the start of a session call `status`; after a correction or a stated preference call `observe` with one imperative \
sentence; at the end call `escalate` with apply. Give the directory you work in as project_dir."""


class _Served(click.Command):
    """A command whose help ends with text to paste, which must not be wrapped."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example, then the settings."""
        super().format_epilog(ctx, formatter)
        formatter.write(_SETTINGS)


@click.command("mcp", cls=_Served, epilog="\b\nExample:\n  improve mcp  a host starts it and speaks first")
@json_option
def mcp_command(as_json: bool) -> int:
    """Serve the verbs as MCP tools on standard input and output, for an agent that may not run a shell.

    A host starts it and ends it. Each tool is a command of this program and answers with the object of its --json.
    With --json it serves nothing and lists the tools.
    """
    if as_json:
        say(_listed())
        return 0
    try:
        import anyio
        import mcp_types  # noqa: F401  (mcp before 2 has none)
        from mcp.server.lowlevel import Server  # noqa: F401
    except ImportError as exc:
        raise EnvironmentFailure(
            f"the MCP library is missing ({exc}); nothing was started. Install it with: "
            "pip install 'agent-improvement[mcp]'"
        ) from exc
    _log_to_stderr()
    _end_on_interrupt()
    anyio.run(_serve)
    return 0


def _listed() -> str:
    """List the tools as the protocol shows them to a host."""
    from improve.cli import tools
    from improve.report import as_json

    shown = [
        {
            "name": verb.name,
            "description": tools.description(verb),
            "inputSchema": tools.schema(verb),
            "annotations": tools.hints(verb),
        }
        for verb in tools.offered()
    ]
    return as_json("mcp", {"tools": shown})


def _end_on_interrupt() -> None:
    """Let Ctrl-C end a server that waits in a read, which nothing else can: what was acknowledged is on the disk."""
    import os
    import signal

    def end(number: int, frame: object) -> None:
        os.write(2, b"improve: stopped; what was acknowledged is kept\n")
        os._exit(130)

    signal.signal(signal.SIGINT, end)


def _log_to_stderr() -> None:
    """Keep the library's log out of what a command says: this stream stays what it is while one runs."""
    import logging
    import sys

    logging.basicConfig(stream=sys.stderr, level=logging.ERROR)


async def _serve() -> None:
    from mcp.server.stdio import stdio_server

    server = _server()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _server() -> Server[Any]:
    import uuid

    import anyio
    import mcp_types as types
    from mcp.server.lowlevel import Server

    from improve.cli import tools

    one_at_a_time = anyio.CapacityLimiter(1)
    # a host starts a server of its own for each of its sessions, and not all of them tell it which
    own = f"mcp-{uuid.uuid4().hex[:16]}"

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(verb) for verb in tools.offered()])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in {verb.name for verb in tools.offered()}:
            return _result(tools.refused(f"there is no tool {params.name!r}; nothing was done", 2))
        client = _client(context)

        def run() -> Answer:
            return tools.call(params.name, params.arguments or {}, client=client, session=own)

        # a thread, for a command may wait for a lock; one, for it prints to the streams of the process
        return _result(await anyio.to_thread.run_sync(run, limiter=one_at_a_time))

    return Server(
        "improve",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _client(context: Any) -> str:
    """Ask what the program at the other end calls itself."""
    params = getattr(context.session, "client_params", None)
    return str(params.client_info.name) if params and params.client_info else ""


def _tool(verb: Verb) -> types.Tool:
    import mcp_types as types

    from improve.cli import tools

    return types.Tool(
        name=verb.name,
        description=tools.description(verb),
        input_schema=tools.schema(verb),
        annotations=types.ToolAnnotations.model_validate(tools.hints(verb)),
    )


def _result(answer: Answer) -> types.CallToolResult:
    """Give an answer as structured content and, for hosts that show only text, as text."""
    import json

    import mcp_types as types

    texts = [json.dumps(answer.body, ensure_ascii=True), *([answer.notes] if answer.notes else [])]
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text) for text in texts],
        structured_content=answer.body,
        is_error=answer.code != 0,
    )
