"""What a person types into the real programs is what readers find in what these record, and what a scan keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from improve import transcripts
from improve.session import CUT_OFF, HOST, INTERRUPTED, PERSON, Session, Turn
from real_hosts import screen
from real_hosts.agents import AGENTS, Agent, find
from real_hosts.box import Box
from real_hosts.model import Model, Say, Shell
from real_hosts.seats import SEATS
from real_hosts.table import missing
from real_hosts.talk import ALONE, CORRECTION, FOREIGN, REASON, REDIRECT, STEERED, TASK, Said, Talk

LATER = "please list the helpers"
HEARD = "no, don't use print here, always use the logger"
RULE = "Use pnpm here, never npm"


def _at(agent: Agent) -> str:
    """Name a test that takes longer than those that run with every change."""
    return f"{agent.name}-typed"


@contextmanager
def _talking(agent: Agent, root: Path) -> Iterator[Talk]:
    found = find(agent)
    if found is None:
        pytest.skip(missing(agent))
    if not screen.there():
        pytest.skip("no tmux, so there is no terminal to type in")
    box = Box(root, (found.folder,))
    with Model(root / "requests.jsonl") as model:
        agent.prepare(box, model.port)
        SEATS[agent.name].settle(box)
        yield Talk(agent, found, box, model)


def _sessions(box: Box, host: str) -> Iterator[tuple[Session, list[Turn]]]:
    """Read all that a host has recorded in a home."""
    reader = transcripts.reader(host)
    for locate in transcripts.places(host):
        for path in reader.files(locate(str(box.home), box.env)):
            for session in reader.read(path, 0):
                turns = list(session)
                yield session, turns


@pytest.mark.real_host
@pytest.mark.timeout(300)
@pytest.mark.parametrize("agent", AGENTS, ids=_at)
def test_what_was_typed_is_what_is_read(agent: Agent, tmp_path: Path) -> None:
    """The person's words come out, each once, and nobody else's; the corrections wait in the inbox, once each.

    A second scan reads nothing, a third only what is new, and what a hook heard is not heard again.
    """
    with _talking(agent, tmp_path / "box") as talk:
        talk.first()
        talk.second()
        talk.alone(ALONE, talk.answer())
        talk.helped()
        sessions = list(_sessions(talk.box, agent.name))
        _nothing_but_the_words(talk, sessions)
        _kept_once(talk, {session.id for session, _ in sessions if session.id})
        _only_the_new(talk)
        _hook_and_transcript(talk)


def _nothing_but_the_words(talk: Talk, sessions: list[tuple[Session, list[Turn]]]) -> None:
    turns = [turn for _, turns in sessions for turn in turns]
    steered = dict.fromkeys(talk.seat.steers, talk.seat.steers[0])
    said = Counter(
        Said(steered.get(turn.how, turn.how) if turn.text == STEERED else turn.how, turn.text)
        for turn in turns
        if turn.who == PERSON
    )
    assert said == Counter(talk.said), f"expected {talk.said}, read {list(said.elements())}"
    results = [result for turn in turns for result in turn.results]
    assert [result.reason for result in results if result.reason] == talk.refused
    noted = Counter(turn.how for turn in turns if turn.who == HOST)
    stopped = noted[INTERRUPTED] + sum(result.ended == CUT_OFF for result in results)
    assert stopped, f"expected the interrupt to be read: {turns}"
    for how in talk.noted:
        assert noted[how] or how == INTERRUPTED, f"expected {how!r} among the host's notes: {noted}"
    here = {session.cwd for session, turns in sessions if turns}
    assert here == {str(talk.box.repository)}, f"expected every session to tell where it was held: {here}"
    assert not any(session.bad for session, _ in sessions)


def _kept_once(talk: Talk, ids: set[str]) -> None:
    coverage = talk.box.answer("scan", "--all")["coverage"]
    assert (coverage["unreadable"], coverage["bad"]) == ([], [])
    assert coverage["messages"] == len(talk.said), f"expected {len(talk.said)} messages: {coverage}"
    listed = _inbox(talk.box)
    said = {each.words for each in talk.said} | set(talk.refused)
    assert not [each for each in listed if each["words"] not in said], f"expected only the person's words: {listed}"
    heard = Counter(each["words"] for each in listed)
    wanted = [CORRECTION, REDIRECT, *([REASON] if talk.seat.asks else [])]
    assert {words: heard[words] for words in wanted} == dict.fromkeys(wanted, 1), f"expected each once: {listed}"
    for each in listed:
        facts = each["host"], each["project"], each["cwd"]
        assert facts == (talk.agent.name, "github.com/acme/app", str(talk.box.repository)), each
        assert each["session"] in ids, each
    did = {each["words"]: each["did"] for each in listed}
    assert "npm install undici" in did[CORRECTION], did
    assert "long-job" in did[REDIRECT], did
    assert not talk.seat.asks or "rm -rf build" in did[REASON], did
    text = str(listed)
    assert not [words for words in FOREIGN if words in text]


def _inbox(box: Box) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = box.answer("inbox", "--all")["candidates"]
    return listed


def _only_the_new(talk: Talk) -> None:
    before = _inbox(talk.box)
    again = talk.box.answer("scan", "--all")["coverage"]
    assert (again["read"], again["messages"]) == (0, 0), f"expected nothing to be read again: {again}"
    talk.alone(LATER, talk.answer())
    new = talk.box.answer("scan", "--all")["coverage"]
    assert new["read"] and new["messages"], f"expected the new prompt to be read: {new}"
    assert _inbox(talk.box) == before, "expected nothing to be kept twice"


def _hook_and_transcript(talk: Talk) -> None:
    talk.box.improve("install", talk.agent.name)
    talk.alone(HEARD, Shell("echo checked"), Say("Noted."))
    talk.box.improve("drain")
    heard = [each for each in _inbox(talk.box) if each["words"] == HEARD]
    assert len(heard) == 1, f"expected the hook to hear it: {_inbox(talk.box)}"
    talk.box.improve("scan", "--all")
    after = [each for each in _inbox(talk.box) if each["words"] == HEARD]
    assert [each["id"] for each in after] == [heard[0]["id"]], f"expected one candidate: {after}"


@pytest.mark.real_host
@pytest.mark.timeout(300)
def test_one_person_at_all_the_hosts(tmp_path: Path) -> None:
    """A rule made of one host's correction counts what is said at another; the first look tells of all of them."""
    agents = [(agent, found) for agent in AGENTS if (found := find(agent))]
    if len(agents) < 2:
        pytest.skip("fewer than two of the programs are here")
    box = Box(tmp_path / "box", (agents[0][1].folder,))
    with Model(box.root / "requests.jsonl") as model:
        talks = [Talk(agent, found, box, model) for agent, found in agents]
        for talk in talks:
            talk.agent.prepare(box, model.port)
            talk.seat.settle(box)
        _correct(talks[0])
        box.improve("scan", "--all")
        (first,) = [each for each in _inbox(box) if each["words"] == CORRECTION]
        box.improve("accept", first["id"], RULE)
        for talk in talks[1:]:
            _correct(talk)
        look, told = box.answer("first-look"), box.improve("first-look").out
        box.improve("scan", "--all")
        (rule,) = [each for each in box.answer("status")["rules"] if each["rule"] == RULE]
    assert rule["count"] == len(talks), f"expected an occasion for each of {len(talks)} agents: {rule}, {_inbox(box)}"
    (pile,) = [each for each in look["corrected"] if CORRECTION in {said["words"] for said in each["said"]}]
    assert (pile["hosts"], pile["sessions"], pile["projects"]) == (len(talks), len(talks), 1), pile
    assert f"with {len(talks)} agents" in told, told


def _correct(talk: Talk) -> None:
    talk.alone(TASK, Shell("npm install undici"), talk.answer())
    talk.alone(CORRECTION, talk.answer(), resume=True)
