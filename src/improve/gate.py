"""What the guards say of a call of a tool, asked by the host before it is made, or after.

Whatever goes wrong, the call passes, and `hook.log` has a line.
"""

from __future__ import annotations

import os

from improve import aside, event
from improve.event import POST_TOOL, PRE_TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from improve.guards import Fired, Guard
    from improve.hosts.base import Host
    from improve.paths import Home

_READING = 0.4
"""Seconds in which rules.yaml is read anew before a call; the guards before hold where that is not enough."""


class Gate:
    """One call that a host asks about.

    Args:
        give_up: Ends the process at the deadline.
    """

    def __init__(
        self, host: Host, kind: str, said: dict[str, Any], *, home: Home, cwd: str, give_up: Callable[[], None]
    ) -> None:
        self.host, self.kind, self.said, self.home, self.cwd = host, kind, said, home, cwd
        self.session = event.text(said, host.dialect.session)
        self.give_up = give_up

    def answer(self) -> str:
        """Ask the guards about a call that is going to be made, or was, where only then can be warned."""
        from improve import guards, saying

        tool = event.text(self.said, self.host.dialect.tool)
        arguments = _arguments(self.said, self.host.dialect.arguments)
        found = guards.concerned(self._guards(), tool, arguments)
        found = guards.in_scope(found, self._names) if found else []
        fired = guards.fired(found, tool, arguments, self._trouble) if found else []
        fired = [guards.able(each, self.host.dialect) for each in fired]
        fired = [each for each in fired if self._is_now(each.guard.mode)]
        if not fired:
            return ""
        said = ""
        mode, those = guards.strongest(fired)
        if mode != "observe":
            text = guards.told(mode, those)
            said = (
                saying.refusal(self.host.dialect, text)
                if mode == "deny"
                else saying.context(self.host.dialect, self.kind, text)
            )
        self._note(fired)
        return said

    def _is_now(self, mode: str) -> bool:
        """Say whether this is the event at which a guard does what it is to do: each call is told and noted once."""
        later = mode == "warn" and self.host.dialect.warn_event
        return self.kind == (POST_TOOL if later else PRE_TOOL)

    def _guards(self) -> tuple[Guard, ...]:
        """Give the guards in force: as they were compiled, else made anew from rules.yaml."""
        from improve import clock, guards

        if not os.path.lexists(self.home.rules):
            return ()
        now = clock.seconds()
        found = guards.load(self.home, guards.seen(self.home, now))
        if found is None and guards.late(self.home, now):  # they are being made: those before hold until then
            found = guards.load(self.home)
        if found is not None:
            return found
        return self._made_anew()

    def _made_anew(self) -> tuple[Guard, ...]:
        """Make the guards from rules.yaml; where that takes too long, those before hold and another process goes on."""
        from improve import clock, guards
        from improve.workflow.guarded import compiled
        from improve.workflow.here import Here

        here = Here(os.environ, clock.now(), self.cwd, self.home)
        before = guards.load(self.home)
        if before is None:
            return compiled(here, self._trouble)
        left = event.after(_READING, _too_late)
        try:
            return compiled(here, self._trouble)
        except _TooLateError:
            if first_to_be_late(self.home):
                aside.start(self.home, "guard")
            return before
        finally:
            event.after(max(left - _READING, 0.05), self.give_up)

    def _names(self) -> tuple[str, ...]:
        """Say what the project here may be called."""
        from improve import project

        found = project.identify(self.cwd, home=self.home.user, env=os.environ) if self.cwd else None
        return (found.key, found.key.rpartition("/")[2], found.name) if found else (project.UNKNOWN,)

    def _note(self, fired: list[Fired]) -> None:
        """Put it into the journal; a call is denied even where nothing can be written."""
        from improve import clock
        from improve.fired import note

        named = {"host": self.host.name, "session": self.session, "project": self._names()[0]}
        try:
            note(self.home, fired, at=clock.stamp(), now=clock.seconds(), **named)
        except Exception as exc:
            self._trouble(exc)

    def _trouble(self, exc: BaseException) -> None:
        aside.log([self.host.name, self.kind], exc)


class _TooLateError(BaseException):
    """Reading takes too long. No error that anything on the way would handle."""


def _too_late() -> None:
    raise _TooLateError


def first_to_be_late(home: Home) -> bool:
    """Say whether nobody is at reading the rules already; calls go on being made meanwhile."""
    from improve import clock, guards

    return not guards.late(home, clock.seconds()) and guards.be_late(home)


def _arguments(said: dict[str, Any], key: str) -> object:
    """Give the arguments of a call; some hosts say them as JSON in a text."""
    value = event.value(said, key) if key else said
    if isinstance(value, str):
        from improve import quick

        try:
            value = quick.loads(value)
        except (ValueError, RecursionError):
            return {"command": value}
    return value
