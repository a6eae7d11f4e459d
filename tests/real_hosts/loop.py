"""The whole loop in one host, step by step: what a person does, what the agent does, and what the model then sees."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from improve import hosts
from improve.stamp import STAMP
from real_hosts.agents import Agent, Found
from real_hosts.box import Box
from real_hosts.model import Model, Request, Say, Shell, Turn


class Ruled(NamedTuple):
    """A rule and a word of it that stands nowhere else."""

    text: str
    marker: str


WRITTEN = Ruled("Run the tests with make quickcheck before each commit", "quickcheck")
UNWRITTEN = Ruled("Keep the list of changes in NEWSLOG.txt, newest first", "NEWSLOG")
LATER = Ruled("Name each migration after its ticketnumber", "ticketnumber")
CORRECTION = "no, use uv here, never pip install"
WORDED = "Use uv for packages here, never pip install"
OTHER_CORRECTION = "no, don't use print here, always use the logger"
TRACES = (STAMP, "agent-improvement", "improve-hook")
"""What would be in a request if something of ours were still there."""

_COMPLAINT = re.compile(r"(?im)^.*(hook|plugin|extension).*\b(fail|failed|error|invalid|timed out)\b")
"""What hosts say of a hook that went wrong."""


class Loop:
    """The steps, in order; each raises AssertionError with what was expected and what was seen."""

    def __init__(self, agent: Agent, found: Found, box: Box, model: Model) -> None:
        self.agent, self.found, self.box, self.model = agent, found, box, model
        self.host = hosts.host(agent.name)
        self.instructions = box.repository / self.host.project_file
        self.before: dict[str, str] = {}
        self.after: dict[str, str] = {}
        self.reached: set[str] = set()
        """Steps that left what later ones need, whatever was wrong with them."""

    def ask(self, prompt: str, *turns: Turn, resume: bool = False) -> list[Request]:
        """Type one prompt; give what the model was asked for it."""
        self.model.play(*turns)
        already = len(self.model.asked)
        ran = self.box.run(self.found.program, *self.agent.words(prompt, resume=resume))
        asked = self.model.asked[already:]
        assert ran.code == 0, f"expected {self.host.title} to end with 0:\n{ran.told}"
        said = ran.out + ran.err
        assert not _COMPLAINT.search(said), f"expected no complaint about a hook or a plugin:\n{said[-3000:]}"
        assert len(asked) >= len(turns), f"expected {len(turns)} questions to the model, got {len(asked)}:\n{ran.told}"
        return asked

    def rules(self) -> None:
        """One rule stands in the project's instruction file, one is only known, and nobody tells it yet."""
        self.box.write(self.instructions, "# The app\n\nA person wrote this line.\n")
        self.observe(WRITTEN)
        self.box.improve("escalate", "--apply")
        text = self.instructions.read_text(encoding="utf-8")
        assert WRITTEN.text in text, f"expected {WRITTEN.text!r} in {self.instructions.name}:\n{text}"
        self.observe(UNWRITTEN)
        # also lets the host bring its settings into its own newest form, so that what changes later is ours
        asked = self.ask("please say hello", Say("Hello."))
        self.holds(asked, UNWRITTEN, 0, "nothing from a hook before there is one")
        self.holds(asked, WRITTEN, 1, "the rule from its file")

    def observe(self, rule: Ruled) -> None:
        """Record a rule on two occasions."""
        for _ in range(2):
            self.box.improve("observe", rule.text)

    def install(self) -> None:
        """`install` and `uninstall` give the home back; `install` twice is `install` once."""

        def tree_after(*arguments: str) -> dict[str, str]:
            self.box.improve(*arguments)
            return self.box.tree()

        self.before = self.box.tree()
        self.after = tree_after("install", self.agent.name)
        self.reached.add("install")
        twice = tree_after("install", self.agent.name)
        gone = tree_after("uninstall", self.agent.name)
        again = tree_after("install", self.agent.name)
        assert self.after != self.before, "expected install to write something"
        assert twice == self.after, "expected a second install to change nothing" + _changes(self.after, twice)
        assert gone == self.before, "expected uninstall to give back the home" + _changes(self.before, gone)
        assert again == self.after, "expected the same from every install" + _changes(self.after, again)

    def brief(self) -> None:
        """The model is told the rule that no file says, once, and the other once, from its file."""
        asked = self.ask("please add a retry helper", Say("It is there."))
        self.reached.add("brief")
        self.told_once(asked)
        text = self.box.improve("status", "--host", self.agent.name).out.strip()
        assert UNWRITTEN.text in text, f"expected `status --host` to say the same as the hook:\n{text}"
        for request in asked:
            assert request.says(text), f"expected the text of `status --host`:\n{text}\n{request.around(STAMP)}"

    def told_once(self, asked: list[Request]) -> None:
        """Both rules are in every question, once."""
        self.holds(asked, UNWRITTEN, 1, "the rule that no file says, from the hook")
        self.holds(asked, WRITTEN, 1, "the rule from its file, not doubled by the hook")

    def resume(self) -> None:
        """A resumed session is told nothing twice; in it the person corrects and the agent observes."""
        asked = self.ask(CORRECTION, self.agent_observes(WORDED), Say("Noted."), resume=True)
        assert asked[0].count("retry helper"), f"expected the session to go on:\n{asked[0].around('retry helper')}"
        self.agents_call = asked[-1]
        self.reached.add("resume")
        self.told_once(asked)

    def agent_observes(self, text: str) -> Shell:
        """Let the agent record a rule itself, with the launcher that `install` wrote, called as the skill says.

        Copilot CLI asks a person about each absolute path in a command, but not about one that begins with a tilde.
        """
        return Shell(f"~/.agent-improvement/bin/improve observe {shlex.quote(text)} 2>&1")

    def inbox(self) -> None:
        """The typed correction is in the inbox once, in the person's words, with its session."""
        self.box.improve("drain")  # as the hook of the next session would
        self.candidate = self.kept_once(CORRECTION)
        self.reached.add("inbox")
        facts = {name: self.candidate[name] for name in ("host", "project", "cwd")}
        there = {"host": self.agent.name, "project": "github.com/acme/app", "cwd": str(self.box.repository)}
        assert facts == there, f"expected {there}, the candidate has {facts}"
        assert self.candidate["session"], f"expected a session: {self.candidate}"
        self.read_to_its_end(self.candidate["session"])

    def read_to_its_end(self, session: str) -> None:
        """The word that a session ended is gone from the queue, for what the host recorded of it was read."""
        queue = self.box.store / "queue"
        endings = [json.loads(path.read_bytes()) for path in queue.glob("ended-*.json")]
        left = [ending for ending in endings if ending["session"] == session]
        assert not left, f"expected the end of session {session} to be read: {endings}"
        again = self.box.answer("scan", "--all")["coverage"]
        assert again["read"] + again["unchanged"] > 0, f"expected transcripts that can be read: {again}"
        assert not again["unreadable"], f"expected none that cannot be read: {again}"

    def kept_once(self, words: str) -> dict[str, Any]:
        """Give the one candidate with these words; there is no other that was typed since."""
        listed: list[dict[str, Any]] = self.box.answer("inbox", "--all")["candidates"]
        found = [each for each in listed if each["words"] == words]
        seen = [(each["words"], each["session"], each["state"]) for each in listed]
        assert len(found) == 1, f"expected {words!r} once in the inbox, there is {seen}. Hooks' log: {self.hook_log()}"
        others = [each["words"] for each in listed if each["words"] not in (CORRECTION, OTHER_CORRECTION)]
        assert not others, f"expected nothing else in the inbox: {others}"
        return found[0]

    def occasion(self) -> None:
        """The agent's own call and the typed correction are of one session, so they count as one occasion."""
        rule = self.box.answer("history", self.id_of(WORDED))
        sessions = [each.get("session", "none") for each in rule["observations"]]
        assert set(sessions) == {self.candidate["session"]}, (
            f"expected observations of session {self.candidate['session']!r} only; the rule has {sessions}.\n"
            + self.agents_call.around(WORDED)
        )
        assert rule["count"] == 1, f"expected one occasion, counted {rule['count']}: {rule}"
        settled = (self.candidate["state"], self.candidate["rule"])
        assert settled == ("matched", rule["id"]), f"expected the candidate to be that rule's, it is {settled}"

    def id_of(self, text: str) -> str:
        """Give the id of a rule by its text."""
        rules = self.box.answer("status")["rules"]
        found = [str(rule["id"]) for rule in rules if rule["rule"] == text]
        assert len(found) == 1, f"expected the rule {text!r} once, among {[rule['rule'] for rule in rules]}"
        return found[0]

    def escalate(self) -> None:
        """A rule that `escalate` wrote reaches the next session from its file, once."""
        self.box.improve("escalate", "--apply")
        text = self.instructions.read_text(encoding="utf-8")
        assert text.count(UNWRITTEN.text) == 1, f"expected {UNWRITTEN.text!r} in {self.instructions.name}:\n{text}"
        self.told_once(self.ask("please rename the helper", Say("It has a new name.")))

    def off(self) -> None:
        """Switched off, nothing is delivered and nothing recorded."""
        self.observe(LATER)
        self.box.improve("off")
        self.reached.add("off")
        kept = self.kept()
        asked = self.ask(OTHER_CORRECTION, self.agent_observes("Use the logger, never print"), Say("Noted."))
        self.holds(asked, LATER, 0, "nothing from the hook while it is off")
        for request in asked:
            assert not request.count(STAMP), f"expected no brief while it is off:\n{request.around(STAMP)}"
        assert self.kept() == kept, "expected nothing to be recorded while it is off" + _changes(kept, self.kept())

    def kept(self) -> dict[str, str]:
        """Give all that is recorded, as bytes on the disk."""
        names = ("rules.yaml", "inbox.jsonl", "journal.jsonl", "queue/*", "spool/*")
        paths = (path for name in names for path in self.box.store.glob(name))
        return {str(path.relative_to(self.box.store)): path.read_text(encoding="utf-8") for path in paths}

    def on(self) -> None:
        """Switched on again, everything is as before."""
        self.box.improve("on")
        asked = self.ask(OTHER_CORRECTION, Say("Noted."))
        self.holds(asked, LATER, 1, "the rule from the hook again")
        candidate = self.kept_once(OTHER_CORRECTION)
        assert candidate["state"] == "open", f"expected a candidate that waits: {candidate}"

    def gone(self) -> None:
        """Hooks whose program is not there any more are silent, and the host works on."""
        away = self.box.root / "away"
        self.box.store.rename(away)
        try:
            asked = self.ask("please list the helpers", Say("There are two."))
        finally:
            shutil.rmtree(self.box.store, ignore_errors=True)
            away.rename(self.box.store)
        self.holds(asked, LATER, 0, "nothing from hooks that are gone")

    def uninstall(self) -> None:
        """Afterwards the settings are as before, and a session has no trace of us."""
        self.box.improve("uninstall", self.agent.name)
        now = self.box.tree()
        ours = {path for path in {*self.before, *self.after} if self.before.get(path) != self.after.get(path)}
        was = {path: self.before[path] for path in ours if path in self.before}
        left = {path: now[path] for path in ours if path in now}
        assert left == was, "expected what install changed to be as before" + _changes(was, left)
        for request in self.ask("please delete the helper", Say("Deleted.")):
            for trace in (*TRACES, LATER.marker):
                assert not request.count(trace), f"expected no trace of us:\n{request.around(trace)}"

    def holds(self, asked: list[Request], rule: Ruled, times: int, what: str) -> None:
        """Check that every question holds a rule's word so many times."""
        for request in asked:
            seen = request.count(rule.marker)
            assert seen == times, (
                f"expected {what}: {rule.text!r} {times} times in each question, found {seen} times.\n"
                + request.around(rule.marker)
                + f"\nThe hooks' log: {self.hook_log()}"
            )

    def hook_log(self) -> str:
        """Give what hooks could not do."""
        logs: list[Path] = [*self.box.home.rglob("hook.log")]
        return "".join(log.read_text(encoding="utf-8")[-1000:] for log in logs) or "empty"


def _changes(before: dict[str, str], after: dict[str, str]) -> str:
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    shown = [
        f"  {name}: {before.get(name, 'not there')[:300]} → {after.get(name, 'not there')[:300]}" for name in names
    ]
    return "\n".join([":", *shown])
