"""One person at one keyboard: what is typed into a real program in every way there is, and what must be heard."""

from __future__ import annotations

import time
from typing import NamedTuple

from improve.session import COMPACTED, INTERRUPTED
from real_hosts.agents import Agent, Found
from real_hosts.box import Box
from real_hosts.model import Delegate, Model, Say, Shell, Turn
from real_hosts.screen import Screen
from real_hosts.seats import SEATS

TASK = "please add the http client"
CORRECTION = "No, that's wrong: use pnpm here, never npm"
CLEAN = "please clean the build folder"
REASON = "never delete the build folder without asking me first"
LONG = "please run the long job"
REDIRECT = "no, never start the long job, always use make quick"
SHORT = "please run the short job"
STEERED = "also, always add a line to the changelog"
RESUMED = "please go on with the readme"
ALONE = "please say hello"
HELPED = "please let a helper look at it"

FOREIGN = (
    "no, always use lines typed for the shell",
    "no, you must never use a summary",
    "no, never do what a helper is told, always use tabs",
)
"""What sounds like a person's correction and is none: a line for the shell, the model's summary, a subagent's task."""


class Said(NamedTuple):
    """Words of the person, and how they must count."""

    how: str
    words: str


class Talk:
    """The person; every step leaves in `said` what a reader must find, no more and no less."""

    def __init__(self, agent: Agent, found: Found, box: Box, model: Model) -> None:
        self.agent, self.found, self.box, self.model = agent, found, box, model
        self.seat = SEATS[agent.name]
        self.said: list[Said] = []
        self.refused: list[str] = []
        """Reasons typed into the question whether a call may be made."""
        self.noted: list[str] = []
        """What the host must have noted."""
        self._answers = 0

    def first(self) -> None:
        """Type a task, correct, deny, interrupt, steer, and use what is no word to the agent."""
        with Screen(self.box, self.found.program, *self.seat.opened) as self.screen:
            self.screen.wait_for(self.seat.ready)
            time.sleep(1.5)  # a screen that was just drawn still loses keys
            self.call(TASK, Shell("npm install undici"))
            self.ask(CORRECTION)
            self.deny()
            self.interrupt()
            self.steer()
            self.aside()
            self.leave()

    def second(self) -> None:
        """Open the session again and type one more prompt."""
        with Screen(self.box, self.found.program, *self.seat.again) as self.screen:
            self.screen.wait_for(self.seat.ready)
            time.sleep(1.5)
            self.ask(RESUMED)
            self.leave()

    def alone(self, words: str, *turns: Turn, resume: bool = False) -> None:
        """Run one prompt without a terminal."""
        self.model.play(*turns)
        ran = self.box.run(self.found.program, *self.agent.words(words, resume=resume))
        assert ran.code == 0, f"expected {self.agent.name} to end with 0:\n{ran.told}"
        self.said.append(Said(self.seat.alone, words))

    def helped(self) -> None:
        """Let the model start a subagent, whose task is no word of the person's."""
        if self.seat.helper:
            self.alone(HELPED, Delegate(FOREIGN[2]), Say("The helper has looked."), self.answer())

    def answer(self) -> Say:
        """Give an answer that is to be seen nowhere else."""
        self._answers += 1
        return Say(f"Answer {self._answers} of the model.")

    def call(self, words: str, *turns: Turn) -> None:
        """Type a prompt at which the model makes a call that is allowed."""
        answer = self.answer()
        self.model.play(*turns, answer)
        self.screen.type_seen(words)
        self.said.append(Said("typed", words))
        self._allow()
        self.screen.wait_for(answer.text)
        time.sleep(0.7)

    def ask(self, words: str) -> None:
        """Type a prompt that is answered at once."""
        answer = self.answer()
        self.model.play(answer)
        self.screen.type_seen(words)
        self.said.append(Said("typed", words))
        self.screen.wait_for(answer.text)
        time.sleep(0.7)

    def _allow(self) -> None:
        if self.seat.yes:
            self.screen.wait_for(self.seat.asks)
            time.sleep(0.5)
            self.screen.press(*self.seat.yes)

    def deny(self) -> None:
        """Deny a call, with a reason where one can be typed; else the reason is the next prompt."""
        if not self.seat.asks:
            return
        answer = self.answer()
        self.model.play(Shell("rm -rf build", outside=True), answer)
        self.screen.type(CLEAN)
        self.said.append(Said("typed", CLEAN))
        self.screen.wait_for(self.seat.asks)
        time.sleep(0.7)
        for key in self.seat.no:
            self.screen.press(key)
            time.sleep(0.7)
        if self.seat.takes_reason:
            self.screen.type(REASON)
            self.refused.append(REASON)
            self.screen.wait_for(answer.text)
        else:
            self.screen.wait_for(self.seat.denied)
            time.sleep(0.7)
            self.ask(REASON)

    def interrupt(self) -> None:
        """Stop the agent while a command runs, and say what to do instead."""
        self.model.play(Shell("./long-job"), Say("Not to be seen."))
        self.screen.type(LONG)
        self.said.append(Said("typed", LONG))
        self._allow()
        self.screen.wait_for(self.seat.runs or "long-job")
        time.sleep(1.5)
        for key in self.seat.stop:
            self.screen.press(key)
            time.sleep(0.2)
        self.screen.wait_for(self.seat.stopped)
        self.noted.append(INTERRUPTED)
        time.sleep(0.7)
        self.ask(REDIRECT)

    def steer(self) -> None:
        """Type while a command runs."""
        answers = self.answer(), self.answer()
        self.model.play(Shell("./short-job"), *answers)
        self.screen.type(SHORT)
        self.said.append(Said("typed", SHORT))
        self._allow()
        self.screen.wait_for(self.seat.runs or "short-job")
        time.sleep(1)
        self.screen.type(STEERED)
        self.said.append(Said(self.seat.steers[0], STEERED))
        self.screen.wait_for(f"{answers[0].text}|{answers[1].text}")
        self.screen.settle()

    def aside(self) -> None:
        """Type a line for the shell, a command of the host's own, and have the session summarised."""
        self.model.play(Say("Done."))
        self.screen.put("!")  # some change their prompt at it
        time.sleep(0.7)
        self.screen.type(f"echo {FOREIGN[0]}")
        time.sleep(1)
        self.screen.settle()
        if self.seat.shell_stays:
            self.screen.press("Escape")
            time.sleep(0.5)
        self.screen.type(self.seat.command)
        time.sleep(1)
        self.screen.press("Escape")
        time.sleep(0.7)
        self.model.play(*[Say(FOREIGN[1])] * 2)
        self.model.aside = FOREIGN[1]
        self.screen.type(self.seat.compact)
        self.screen.wait_for(self.seat.compacted)
        self.screen.settle()
        if self.seat.summarises:
            self.noted.append(COMPACTED)
        self.model.play()

    def leave(self) -> None:
        """End the program as a person would."""
        self.screen.type(self.seat.leave)
        self.screen.wait_for("ENDED WITH 0")
