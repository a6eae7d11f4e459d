"""What the rows of a Claude Code transcript mean, one after the other. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from improve.session import (
    AGENT,
    ANSWER,
    BY_PERSON,
    BY_RULE,
    COMPACTED,
    CUT_OFF,
    FAILED,
    HOST,
    INTERRUPTED,
    PERSON,
    STEERED,
    TOOL,
    Session,
    Turn,
)
from improve.transcripts import claude_words
from improve.transcripts.claude_body import given_in, said_in
from improve.transcripts.claude_words import flag, part, text

_SEEN = 1 << 16
"""Identities of records that are remembered, twice at most: a file of any size needs the same memory."""


class Rows:
    """What rows mean one after the other: some only together with the next one, some were written before."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seen: set[bytes] = set()
        self.before: set[bytes] = set()
        self.denied: list[Turn] = []
        """Denials that the next row tells from stops."""
        self.absorbed: list[Turn] = []
        """Queued words that a row before the agent's next one repeats, in most releases."""
        self.stopped = False
        """The last result was denied or stopped, which the row that follows says again."""
        self.expects = False
        """One of these may be so."""
        self.queue: list[str] = []
        self.taken: set[str] = set()
        """Words that were queued, and those that were taken up at the end of the agent's turn."""

    def is_fresh(self, id: str) -> bool:
        """Tell whether a record of this identity was not read before; one without an identity is fresh."""
        key = id.encode()
        if key in self.seen or key in self.before:
            return not id
        self.seen.add(key)
        return True

    def forget(self) -> None:
        """Let go of what was read long ago, when it is much."""
        if len(self.seen) >= _SEEN:
            self.before, self.seen = self.seen, set()

    def unmet(self, who: str) -> list[Turn]:
        """Give what waited when a turn of the agent or a result comes that was not parsed."""
        waiting = self.rest(results=who == TOOL)
        self.stopped, self.expects = False, bool(self.absorbed)
        return waiting

    def rest(self, *, results: bool = False) -> list[Turn]:
        """Give what waited for a row that does not come; before more results only the denials."""
        waiting, self.denied = self.denied, []
        if not results:
            waiting, self.absorbed = [*waiting, *self.absorbed], []
        return waiting

    def turns(self, row: dict[str, Any], offset: int) -> Iterator[Turn]:
        """Give the turns of one row."""
        kind, self.expects = row.get("type"), True
        if kind == "queue-operation":
            self._queued(row, offset)
        elif kind == "system":
            if row.get("subtype") == "compact_boundary" and self.is_fresh(text(row, "uuid")):
                yield from self.rest()
                yield self._turn(HOST, row, offset, how=COMPACTED)
        elif kind == "attachment":
            yield from self._absorbed(row, offset)
        elif kind in ("user", "assistant") and self.is_fresh(text(row, "uuid")):
            if kind == "assistant":
                yield from self.rest()
                yield from self._agent(row, offset)
            else:
                yield from self._user(row, offset)

    def _turn(self, who: str, row: dict[str, Any], offset: int, **more: Any) -> Turn:
        return Turn(who, **{"id": text(row, "uuid"), "at": text(row, "timestamp"), "offset": offset, **more})

    def _agent(self, row: dict[str, Any], offset: int) -> Iterator[Turn]:
        body = said_in(row)
        self.stopped = False
        if flag(row, "isApiErrorMessage"):
            yield self._turn(HOST, row, offset, how=FAILED, text=body.text)
        elif part(row, "message").get("model") != "<synthetic>":
            yield self._turn(AGENT, row, offset, text=body.text, calls=body.calls)

    def _user(self, row: dict[str, Any], offset: int) -> Iterator[Turn]:
        content = part(row, "message").get("content")
        if isinstance(content, list) and any(isinstance(b, dict) and b.get("type") == "tool_result" for b in content):
            yield from self._results(row, offset)
            return
        if flag(row, "isCompactSummary"):
            yield from self.rest()
            if row.get("parentUuid") is None:  # else the boundary before it has said so
                yield self._turn(HOST, row, offset, how=COMPACTED)
            return
        prompt = claude_words.texts(content)
        if any(map(claude_words.is_interrupt, prompt)):
            yield from self._interrupted(row, offset)
        if claude_words.is_said(row) and not self.session.parent:
            yield from self._prompt(row, offset, prompt)

    def _results(self, row: dict[str, Any], offset: int) -> Iterator[Turn]:
        results = given_in(row).results
        self.stopped = any(result.ended not in ("", BY_RULE) for result in results)
        turn = self._turn(TOOL, row, offset, results=results, failed=any(r.failed for r in results))
        told = any(r.ended == BY_PERSON and not r.reason for r in results)
        if told and not flag(row, "toolDenialBeforeRun") and not part(row, "permissionDecision"):
            self.denied.append(turn)
            return
        yield from self.rest(results=True)
        yield turn
        if self.session.parent:
            return
        if said := claude_words.answers(row):
            yield self._turn(PERSON, row, offset, how=ANSWER, text=said, id=f"{text(row, 'uuid')}/answer")
        if said := claude_words.beside(row):
            yield self._turn(PERSON, row, offset, how=STEERED, text=said, id=f"{text(row, 'uuid')}/words")

    def _interrupted(self, row: dict[str, Any], offset: int) -> Iterator[Turn]:
        """Tell a call that was stopped while it ran from one that was denied: only then a message is named."""
        cut = bool(text(row, "interruptedMessageId"))
        for turn in self.rest(results=True):
            yield _cut(turn) if cut else turn
        if not self.stopped:
            yield self._turn(HOST, row, offset, how=INTERRUPTED)
        self.stopped = False

    def _prompt(self, row: dict[str, Any], offset: int, prompt: list[str]) -> Iterator[Turn]:
        said, how = claude_words.words(prompt)
        if not said:
            return
        queued = said in self.taken
        self.taken.discard(said)
        yield from self._others(said)
        self.stopped = False
        scripted = claude_words.is_scripted(row)
        self.session.headless = scripted and self.session.headless
        yield self._turn(PERSON, row, offset, how=claude_words.way(row, how, queued=queued), text=said)

    def _queued(self, row: dict[str, Any], offset: int) -> None:
        """Follow the queue of words typed while the agent works: they come again where they are taken up.

        Some releases note them here only, when they went to the agent at once.
        """
        operation, said = row.get("operation"), claude_words.words([text(row, "content")])[0]
        if operation == "enqueue":
            self.queue = [*self.queue[-50:], "" if said.startswith("{") else said]
        elif operation == "popAll":
            self.queue = []
        elif operation in ("dequeue", "remove"):
            if said in self.queue:
                self.queue.remove(said)
            elif self.queue:
                said = self.queue.pop(0)
            if operation == "dequeue":
                self.taken = {said}
            elif said and not said.startswith("{") and not self.session.parent:
                id = f"queue/{text(row, 'timestamp')}"
                self.absorbed.append(self._turn(PERSON, row, offset, how=STEERED, text=said, id=id))

    def _absorbed(self, row: dict[str, Any], offset: int) -> Iterator[Turn]:
        """Give words that went to the agent while it worked."""
        given = part(row, "attachment")
        mode, kind = given.get("commandMode", "prompt"), part(given, "origin").get("kind", "human")
        if given.get("type") != "queued_command" or mode != "prompt" or kind != "human" or flag(given, "isMeta"):
            return
        said = claude_words.words(claude_words.texts(given.get("prompt")))[0]
        if said and claude_words.is_said(row) and not self.session.parent and self.is_fresh(text(row, "uuid")):
            yield from self._others(said)
            how = claude_words.way(row, STEERED, queued=True)
            yield self._turn(PERSON, row, offset, how=how, text=said)

    def _others(self, said: str) -> list[Turn]:
        """Give what waited, but for the same words."""
        return [turn for turn in self.rest() if turn.who != PERSON or turn.text != said]


def _cut(turn: Turn) -> Turn:
    results = tuple(r._replace(ended=CUT_OFF) if r.ended == BY_PERSON else r for r in turn.results)
    return Turn(turn.who, id=turn.id, at=turn.at, offset=turn.offset, failed=True, results=results)
