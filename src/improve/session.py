"""A session as the reader of any host gives it: turns in order, in the words of no host.

A turn is read only as far as somebody asks: of most tool results nobody ever wants the text, and they are most of a
transcript. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

PERSON, AGENT, TOOL, HOST = "person", "agent", "tool", "host"
"""Who speaks: a person's own words; the agent's text and calls; results of tools; what the program itself noted."""

SHELL, EDIT, WRITE, READ, OTHER = "shell", "edit", "write", "read", "other"
"""What a call does, whatever the host calls its tool."""

TYPED, QUEUED, STEERED, ANSWER, DENIAL, COMMAND, MEMORY, SCRIPTED = (
    "typed", "queued", "steered", "answer", "denial", "command", "memory", "scripted",
)  # fmt: skip
"""How a person's words came in: at the prompt; while the agent worked, taken up at its end or at once; as the answer
to a question; as the reason of a denial; as arguments of a slash command; as a wish to remember; as the prompt of a
run without a terminal, which a script may have written."""

BY_PERSON, BY_RULE, CUT_OFF = "person", "rule", "interrupted"
"""Why a call did not come to its end: a person said no, a setting, hook or missing terminal did, it was stopped."""

INTERRUPTED, COMPACTED, REWOUND, FAILED = "interrupted", "compacted", "rewound", "failed"
"""What a host notes: a person stopped the agent; the session was summarised; turns were taken back; the model or the
program failed."""


class Call(NamedTuple):
    """One call of a tool."""

    id: str
    tool: str
    """The host's name of it."""
    kind: str
    subject: str
    """The command line of a shell call, the path of an edit, a write or a read, else the most telling argument."""
    input: Mapping[str, Any] = {}
    """The arguments as the host records them."""


class Result(NamedTuple):
    """What came back from a call."""

    call: str
    """Id of the call; empty where the host records none."""
    failed: bool
    """An error, an exit code other than 0, a refusal or a stop."""
    text: str = ""
    ended: str = ""
    """`person`, `rule` or `interrupted` when the call did not come to its end; else empty."""
    reason: str = ""
    """What the person typed to say why; empty otherwise."""


class Body(NamedTuple):
    """What a turn holds."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()


class Turn:
    """One step of a session.

    Args:
        id: The host's identity of the record, the same in copies of a session; empty where it has none.
        offset: Where its record begins, in bytes or rows: what a later scan starts from.
        how: For a person's words, how they came in; for a host's note, what it says.
        failed: A result in it failed or was refused; known without reading the body.
        text: The words; of a person without anything a host or a hook put around them.
        load: Gives the body when somebody asks for it.
    """

    __slots__ = ("_body", "_load", "at", "failed", "how", "id", "offset", "who")

    def __init__(
        self,
        who: str,
        *,
        at: str = "",
        id: str = "",
        offset: int = 0,
        how: str = "",
        failed: bool = False,
        text: str = "",
        calls: tuple[Call, ...] = (),
        results: tuple[Result, ...] = (),
        load: Callable[[], Body] | None = None,
    ) -> None:
        self.who, self.at, self.id, self.offset, self.how, self.failed = who, at, id, offset, how, failed
        self._load = load
        self._body = Body(text, calls, results)

    @property
    def body(self) -> Body:
        """Read what the turn holds, once."""
        if self._load is not None:
            load, self._load = self._load, None
            self._body = load()
        return self._body

    @property
    def text(self) -> str:
        """Give the words."""
        return self.body.text

    @property
    def calls(self) -> tuple[Call, ...]:
        """Give the calls an agent made."""
        return self.body.calls

    @property
    def results(self) -> tuple[Result, ...]:
        """Give what came back from tools."""
        return self.body.results

    def __repr__(self) -> str:
        return f"Turn({self.who!r}, at={self.at!r}, how={self.how!r}, failed={self.failed}, {self.body!r})"


class Session:
    """One session: what is known of it, and its turns. The facts grow while the turns are read.

    `bad` numbers the records that could not be read, a last one that a kill left torn not among them; `offset` is
    where the next scan may begin: after the last record that was whole.
    """

    __slots__ = ("_turns", "bad", "branch", "cwd", "headless", "host", "id", "offset", "parent", "path", "started")

    def __init__(self, host: str, path: str, *, id: str = "", cwd: str = "", started: str = "") -> None:
        self.host, self.path, self.id, self.cwd, self.started = host, path, id, cwd, started
        self.branch = ""
        self.headless = False
        """Nobody sat at a terminal: a run of a script, or of another program."""
        self.parent = ""
        """The session that started this one as its subagent: nobody typed anything here."""
        self.bad: list[int] = []
        self.offset = 0
        self._turns: Iterator[Turn] = iter(())

    def with_turns(self, turns: Iterator[Turn]) -> Session:
        """Give the session with the turns a reader yields."""
        self._turns = turns
        return self

    def __iter__(self) -> Iterator[Turn]:
        return self._turns

    def __repr__(self) -> str:
        return f"Session({self.host!r}, {self.path!r}, id={self.id!r}, cwd={self.cwd!r})"
