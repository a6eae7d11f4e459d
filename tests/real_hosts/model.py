"""A model that plays a script: an HTTP server on loopback which keeps every request body, whole."""

from __future__ import annotations

import base64
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from real_hosts.dialects import Body, Dialect, Reply, dialect_of, streams, tools_offered


class Say(NamedTuple):
    """A turn in which the model answers with a text."""

    text: str


class Shell(NamedTuple):
    """A turn in which the model runs a command in the host's shell."""

    command: str
    outside: bool = False
    """Ask for it to be run outside of the host's sandbox, where it has one."""


class Delegate(NamedTuple):
    """A turn in which the model starts a subagent; its own turns are played next."""

    task: str


class Use(NamedTuple):
    """A turn in which the model uses a tool that the host calls by this name."""

    tool: str
    arguments: Body = {}  # noqa: RUF012 - never changed
    free: str = ""
    """A text of the tool's own grammar, for one that takes no arguments."""


Turn = Say | Shell | Delegate | Use

# what hosts call their shell, and how it takes a command
SHELLS: dict[str, Callable[[str], Body]] = {
    "Bash": lambda command: {"command": command, "description": "Run it"},
    "bash": lambda command: {"command": command, "description": "Run it"},
    "exec_command": lambda command: {"cmd": command},
    "run_shell_command": lambda command: {"command": command, "description": "Run it", "is_background": False},
}

# what hosts call the tool that starts a subagent, and how it takes a task
HELPERS: dict[str, Callable[[str], Body]] = {
    "Agent": lambda task: {"description": "Look", "prompt": task, "subagent_type": "general-purpose"},
    "agent": lambda task: {"description": "Look", "prompt": task, "subagent_type": "general-purpose"},
    "invoke_agent": lambda task: {"agent_name": "generalist", "prompt": task},
    "task": lambda task: {
        "description": "Look",
        "prompt": task,
        "subagent_type": "general",
        "agent_type": "general-purpose",
        "name": "looker",
        "mode": "sync",
    },
}


class Request(NamedTuple):
    """One question a host asked."""

    number: int
    path: str
    dialect: str
    """Name of the protocol; empty for a question that no model answers, such as the list of models."""
    body: Any

    @property
    def shell(self) -> str:
        """The name of the shell it offers; questions for a title or a summary offer none."""
        return next((name for name in SHELLS if name in tools_offered(self.body)), "")

    @property
    def helper(self) -> str:
        """The name of the tool that starts a subagent; empty where there is none."""
        return next((name for name in HELPERS if name in tools_offered(self.body)), "")

    def count(self, marker: str) -> int:
        """Count how often a word of letters and digits is in the body, base64 included."""
        text = json.dumps(self.body, ensure_ascii=False)
        return text.count(marker) + sum(text.count(form) for form in _base64_forms(marker))

    def says(self, text: str) -> bool:
        """Tell whether one of its strings holds a text as it is."""
        return any(text in string for string in _strings(self.body))

    def around(self, marker: str, width: int = 160) -> str:
        """Show the places where it is, or the end of the body when it is nowhere."""
        text = json.dumps(self.body, ensure_ascii=False)
        places = [at for at in range(len(text)) if text.startswith(marker, at)]
        if not places:
            return f"request {self.number} ({self.path}) holds it nowhere; it ends: …{text[-width:]}"
        shown = [f"…{text[max(0, at - width) : at + width]}…" for at in places]
        return "\n".join([f"request {self.number} ({self.path}) holds it {len(places)} times:", *shown])


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (string for inner in value.values() for string in _strings(inner))
    elif isinstance(value, list):
        yield from (string for inner in value for string in _strings(inner))


def _base64_forms(marker: str) -> set[str]:
    # the first and last characters depend on the neighbours, so only the middle is looked for
    return {base64.b64encode(b"\0" * shift + marker.encode())[4:-4].decode() for shift in range(3)}


class Model:
    """The server; use it in a `with`."""

    def __init__(self, log: Path) -> None:
        self.requests: list[Request] = []
        self.aside = "Done."
        """The answer to a question that offers no shell: for a title, say, or a summary."""
        self._log = log
        self._turns: deque[Turn] = deque()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Model:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    @property
    def port(self) -> int:
        """Where it listens, on 127.0.0.1."""
        return int(self._server.server_address[1])

    @property
    def asked(self) -> list[Request]:
        """The requests of the conversation itself: those that offer a shell."""
        return [request for request in self.requests if request.shell]

    def play(self, *turns: Turn) -> None:
        """Say what the next answers are, in place of those not yet given; after them it says `Done.`."""
        with self._lock:
            self._turns = deque(turns)

    def answer(self, path: str, body: Any) -> Reply:
        """Keep a request and choose the answer; one that offers no shell uses up no turn."""
        dialect = dialect_of(path)
        with self._lock:
            number = len(self.requests) + 1
            request = Request(number, path, dialect.name if dialect else "", body)
            self.requests.append(request)
            with self._log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(request._asdict()) + "\n")
            turn = self._next(request)
        model = str(body.get("model", "scripted")) if isinstance(body, dict) else "scripted"
        if isinstance(turn, Say):
            return Reply(number, model, turn.text)
        if isinstance(turn, Delegate):
            return Reply(number, model, "", request.helper, HELPERS[request.helper](turn.task))
        if isinstance(turn, Use):
            return Reply(number, model, "", turn.tool, turn.arguments, turn.free)
        outside = {"sandbox_permissions": "require_escalated", "justification": "Run it"} if turn.outside else {}
        arguments = SHELLS[request.shell](turn.command)
        return Reply(number, model, "", request.shell, {**arguments, **(outside if "cmd" in arguments else {})})

    def _next(self, request: Request) -> Turn:
        if not request.shell:
            return Say(self.aside)
        return self._turns.popleft() if self._turns else Say("Done.")


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing on standard error."""

        def do_GET(self) -> None:
            """Name the one model there is."""
            known = [{"id": "scripted", "name": "models/scripted", "object": "model"}]
            self._whole({"object": "list", "data": known, "models": known})

        do_HEAD = do_GET

        def do_POST(self) -> None:
            """Keep the request and answer it."""
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            try:
                body = json.loads(raw)
            except ValueError:
                body = {"unreadable": raw.decode("utf-8", "backslashreplace")}
            reply, dialect = model.answer(self.path, body), dialect_of(self.path)
            if dialect is None:
                self._whole({"input_tokens": 9, "totalTokens": 9})
            elif streams(self.path, body):
                self._events(dialect, reply)
            else:
                self._whole(dialect.whole(reply))

        def _whole(self, value: object) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def _events(self, dialect: Dialect, reply: Reply) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            for name, data in dialect.stream(reply):
                text = data if isinstance(data, str) else json.dumps(data)
                self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode())

    return Handler
