"""One walk over a session, turn by turn: what each turn is, and what it is taken for. Pure.

Turns are read as they come and only as far as something needs them: of results, the ones that failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from improve import cue
from improve.detectors import claims
from improve.detectors.finding import NONE, REVIEW, Finding
from improve.detectors.message import Heard, Judge, Message, judged, settle
from improve.detectors.retries import Retries, placed
from improve.detectors.trail import BEFORE, Step, Trail, changes, described
from improve.session import (
    AGENT,
    ANSWER,
    BY_PERSON,
    BY_RULE,
    CUT_OFF,
    DENIAL,
    EDIT,
    HOST,
    INTERRUPTED,
    OTHER,
    PERSON,
    REWOUND,
    SHELL,
    TOOL,
    WRITE,
    Result,
    Turn,
)
from improve.stamp import STAMP

_SOON = 3
"""Turns of the agent after a message in which it may own up."""
_MUCH = 5
"""So many edits are a piece of work."""


class Seen(NamedTuple):
    """A turn, what was made of it, and the finding if there is one."""

    number: int
    """Its place in the session."""
    turn: Turn
    why: str
    finding: Finding | None = None
    waited: bool = False
    """A person's words: they were judged when the next ones came, or at the end."""


def look(
    session: Iterable[Turn],
    *,
    least: int = 2,
    already: Callable[[str], bool] | None = None,
    judge: Judge | None = None,
) -> Iterator[Seen]:
    """Say of every turn what it is taken for; of a person's message when the next one came, or the end."""
    walk = _Walk(session, least, already, judge)
    for number, turn in enumerate(session):
        yield from walk.step(number, turn)
    yield from walk.end()


def findings(
    session: Iterable[Turn],
    *,
    least: int = 2,
    already: Callable[[str], bool] | None = None,
    judge: Judge | None = None,
) -> Iterator[Finding]:
    """Give what `look` finds; of turns of which there is nothing to say, nothing is said."""
    walk = _Walk(session, least, already, judge)
    for number, turn in enumerate(session):
        if walk.is_plain(number, turn):
            continue
        for seen in walk.step(number, turn):
            if seen.finding is not None:
                yield seen.finding
    for seen in walk.end():
        if seen.finding is not None:
            yield seen.finding


def _says_why(turn: Turn) -> bool:
    """Tell a refusal with its reason: the one thing a person says to a subagent."""
    return turn.who == TOOL and turn.failed and any(r.ended == BY_PERSON and r.reason.strip() for r in turn.results)


class _Walk:
    """What is known while a session is walked."""

    def __init__(
        self,
        session: Iterable[Turn],
        least: int,
        already: Callable[[str], bool] | None,
        judge: Judge | None,
    ) -> None:
        self._session, self._least, self._already, self._judge = session, least, already, judge
        self._trail, self._heard = Trail(), Heard()
        self._retries = Retries(self._trail)
        self._message: Message | None = None
        self._refused: Seen | None = None
        self._number = self._said_at = -1
        self._listening = self._ordinal = 0
        self._stopped = self._failed = False

    def is_plain(self, number: int, turn: Turn) -> bool:
        """Take a turn that can hold no finding, as most do: it does to what is known what `step` does."""
        if turn.who == TOOL and not turn.failed:
            self._number, self._failed = number, False
            self._retries.went_well()
            return True
        if turn.who == AGENT and not (self._listening or self._refused or self._retries.watching):
            self._number = number
            self._trail.add(number, turn)
            return True
        return False

    def step(self, number: int, turn: Turn) -> Iterator[Seen]:
        """Take the next turn."""
        self._number = number
        if getattr(self._session, "parent", "") and not _says_why(turn):
            if turn.who == AGENT:
                self._trail.add(number, turn)
            yield Seen(number, turn, "a subagent: nobody typed anything here")
        elif turn.who == PERSON:
            yield from self._person(number, turn)
        elif turn.who == AGENT:
            yield from self._agent(number, turn)
        elif turn.who == TOOL:
            yield from self._tool(number, turn)
        else:
            yield self._host(number, turn)

    def end(self) -> Iterator[Seen]:
        """Take the end: nothing more will be said of what waits."""
        yield from self._settled("")
        yield from self._unexplained()
        for finding in self._retries.settle():
            yield from self._counted(finding)

    def _host(self, number: int, turn: Turn) -> Seen:
        if turn.who == HOST and turn.how in (INTERRUPTED, REWOUND):
            self._stopped = True
            return Seen(number, turn, "the person stopped the agent: evidence for what is typed next")
        return Seen(number, turn, "a note of the host")

    def _agent(self, number: int, turn: Turn) -> Iterator[Seen]:
        self._trail.add(number, turn)
        yield from self._unexplained()
        yield Seen(number, turn, "the agent's words and calls are no signal by themselves")
        if self._listening:
            self._listening -= 1
            self._listen(turn)
        if self._retries.watching:
            for finding in self._retries.acted(Step(number, turn)):
                yield from self._counted(finding, number, turn)
            yield from self._assumed(number, turn)

    def _listen(self, turn: Turn) -> None:
        """Hear what the agent answers to the last message."""
        if self._message is None:
            return
        if turn.text.strip() and not self._message.owned:
            sentence, owned = claims.admitted(turn.text)
            self._message = self._message._replace(admission=sentence, owned=owned)
        earlier = (c for step in self._trail.back(_SOON, after=self._said_at) for c in step.turn.calls)
        if _throws_away(turn) and not any(map(changes, earlier)):
            self._message = self._message._replace(undone=True)

    def _assumed(self, number: int, turn: Turn) -> Iterator[Seen]:
        sentence = claims.assumed(turn.text) if turn.text else ""
        if sentence:
            found = Finding("contradicted", 2, sentence, 0.5, REVIEW, rank=0.25)
            yield from self._counted(placed(turn, found), number, turn)

    def _tool(self, number: int, turn: Turn) -> Iterator[Seen]:
        if not turn.failed:
            self._retries.went_well()
            self._failed = False
            yield Seen(number, turn, "a result; one that did not fail is not read")
            return
        self._failed = True
        results = [_of_guard(result) for result in turn.results if result.failed]
        if any(result.ended == CUT_OFF for result in results):
            self._stopped = True
        denied = [result for result in results if result.ended == BY_PERSON]
        yield Seen(number, turn, _told_of(results))
        if denied:
            yield from self._denied(number, turn, denied)
        for finding in self._retries.failed(number, turn, [result for result in results if not result.ended]):
            yield from self._counted(finding, number, turn)

    def _denied(self, number: int, turn: Turn, denied: list[Result]) -> Iterator[Seen]:
        """Hear the reason of a refusal as what the person says; without one, wait for what is typed next."""
        result = next((result for result in denied if result.reason.strip()), denied[0])
        found = self._trail.call(result.call)
        refused = described(found[1]) if found else "a call"
        if result.reason.strip():
            foreign = found is not None and "mcp" in found[1].tool.lower()
            message = Message(turn, number, judged(result.reason), DENIAL, refused=refused, foreign=foreign)
            yield from self._heard_of(message)
        elif self._refused is None and found and (found[1].kind != OTHER or "mcp" in found[1].tool):
            finding = placed(turn, Finding("denial", 2, f"refused: {refused}", 0.3, REVIEW, rank=0.05, did=refused))
            self._refused = Seen(number, turn, "refused without a reason", finding)

    def _unexplained(self) -> Iterator[Seen]:
        """Give up waiting for the reason of a refusal."""
        refused, self._refused = self._refused, None
        if refused is not None and refused.finding is not None:
            yield from self._counted(refused.finding, refused.number, refused.turn)

    def _person(self, number: int, turn: Turn) -> Iterator[Seen]:
        words = turn.text
        why = self._not_theirs(turn, words)
        if why:
            yield Seen(number, turn, why)
            return
        message = Message(turn, number, judged(self._own(words)), turn.how)
        if self._refused is not None and self._refused.finding is not None:
            message = message._replace(refused=self._refused.finding.did)
            self._refused = None
        yield from self._heard_of(message)

    def _heard_of(self, message: Message) -> Iterator[Seen]:
        """Settle the message before, and remember this one with all that came before it."""
        lately = self._trail.lately(self._said_at)
        yield from self._settled(message.words)
        yield from self._wasted()
        self._message = message._replace(
            before=lately.said, calls=lately.calls, did=described(lately.calls[-1]) if lately.calls else "",
            ordinal=self._ordinal, stopped=self._stopped, failed=self._failed,
            repeated=self._heard.again(message.words),
        )  # fmt: skip
        self._listening, self._said_at = _SOON, message.number
        self._ordinal += 1
        self._stopped = self._failed = False

    def _not_theirs(self, turn: Turn, words: str) -> str:
        """Say why words in a person's turn are not the person's; empty when they are."""
        if not words.strip():
            return "nothing was typed"
        if cue.is_ours(words):
            return "our own output"
        if not self._own(words).strip():
            return "lines that stand in a rule or an instruction file already"
        if turn.how == ANSWER and self._offered(words):
            return "an answer that the agent had offered"
        return ""

    def _own(self, words: str) -> str:
        """Leave out the lines of a list, or of several lines, that we or a file had said before."""
        lines = words.splitlines()
        if self._already is None or (len(lines) < 2 and not words.lstrip().startswith(("- ", "* "))):
            return words
        kept = [line for line in lines if not (line.strip() and self._already(line.strip().lstrip("-*• ")))]
        return words if len(kept) == len(lines) else "\n".join(kept)

    def _offered(self, words: str) -> bool:
        """Tell an option the agent had named in its last question."""
        found = self._trail.call("")
        return found is not None and words.strip() in _leaves(found[1].input)

    def _settled(self, after: str) -> Iterator[Seen]:
        """Judge the message that waited for what comes after it."""
        message, self._message = self._message, None
        if message is None:
            return
        if self._judge is None:
            from improve.detectors.words import judge

            self._judge = judge
        headless = bool(getattr(self._session, "headless", False))
        finding, why = settle(message, after[:BEFORE], headless=headless, judge=self._judge)
        yield self._kept(Seen(message.number, message.turn, why, finding, waited=True))

    def _counted(self, finding: Finding, number: int = -1, turn: Turn | None = None) -> Iterator[Seen]:
        place = turn or Turn(AGENT, at=finding.at, id=finding.id, offset=finding.offset)
        number = self._number if number < 0 else number
        yield self._kept(Seen(number, place, f"{finding.signal}: {finding.words}", finding))

    def _kept(self, seen: Seen) -> Seen:
        """Drop what costs too little, and what was found in this session already."""
        finding = seen.finding
        if finding is None or finding.tier == NONE:
            return seen._replace(finding=None)
        if finding.severity < self._least:
            return seen._replace(finding=None, why=f"{seen.why}; severity {finding.severity} is below {self._least}")
        if not self._heard.once(finding.words, nearly=seen.waited):
            return seen._replace(finding=None, why=f"{seen.why}; counted once in this session already")
        return seen

    def _wasted(self) -> Iterator[Seen]:
        """Notice a piece of work that the agent threw away by itself, right after it was done."""
        last = list(self._trail.back(_SOON, after=self._said_at))
        thrown = next((step for step in last if _throws_away(step.turn)), None)
        if thrown is None:
            return
        done = [c for s in self._trail.back(after=self._said_at) if s.number <= thrown.number for c in s.turn.calls]
        edits = sum(call.kind in (EDIT, WRITE) for call in done)
        if edits >= _MUCH:
            call = next(call for call in thrown.turn.calls if call.kind == SHELL)
            words = f"{edits} edits, then thrown away: {described(call)}"
            found = Finding("waste", 2, words, 0.4, REVIEW, rank=0.1, did=described(call))
            yield from self._counted(placed(thrown.turn, found), thrown.number, thrown.turn)


def _throws_away(turn: Turn) -> bool:
    calls = [call for call in turn.calls if call.kind == SHELL and "git" in call.subject]
    if not calls:
        return False
    from improve.detectors.command import undoes

    return any(undoes(call.subject) for call in calls)


def _of_guard(result: Result) -> Result:
    """Know a call that a guard of ours stopped: most hosts record it as one that failed."""
    return result._replace(ended=BY_RULE, reason="") if STAMP in result.text else result


def _told_of(results: list[Result]) -> str:
    """Say how calls that did not work ended."""
    names = {BY_PERSON: "refused by the person", BY_RULE: "refused by a setting or a hook", CUT_OFF: "stopped half way"}
    ends = dict.fromkeys(names.get(result.ended, "failed: what works next is watched") for result in results)
    return f"a result: {', '.join(ends) or 'marked as failed'}"


def _leaves(value: object, depth: int = 0) -> set[str]:
    """Gather the strings in the arguments of a call."""
    if isinstance(value, str):
        return {value.strip()}
    if depth > 6:
        return set()
    if hasattr(value, "values"):
        return set().union(*(_leaves(item, depth + 1) for item in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(_leaves(item, depth + 1) for item in value))
    return set()
