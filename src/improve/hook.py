"""What a host runs on its events: `improve-hook HOST EVENT`, one JSON object on standard input.

It may cost nobody anything: it ends within a second, with exit code 0, and prints what the host understands or
nothing. A prompt and the end of a session are only put into the queue. Before a call of a tool, the guards in force
are asked; whatever goes wrong there, the call passes. What goes wrong is one line in `hook.log`.
Next to nothing is imported before it is needed: this runs on every prompt and before every call.
"""

from __future__ import annotations

import gc
import os

from improve import aside, event
from improve.event import POST_TOOL, PRE_TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from improve.hosts.base import Host
    from improve.paths import Home

_TIDY = 1 << 12


def main(argv: list[str]) -> None:
    """Answer one event and end the process."""
    said = b""
    os.umask(0o077)  # whatever this leaves behind is the person's alone
    gc.disable()  # what a run this short drops goes with the process
    try:
        said = answer(argv, event.read(lambda: _give_up(argv))).encode("utf-8", "replace")
    except BaseException as exc:
        aside.log(argv, exc)
    try:
        while said:
            said = said[os.write(1, said) :]
    except OSError:  # nobody listens any more
        pass
    os._exit(0)  # nothing of ours is left to tidy up, and an interpreter takes its time


def _give_up(argv: list[str]) -> None:
    """End at the deadline; the line in the log must not take long either."""
    event.after(0.05, lambda: os._exit(0))
    aside.log(argv, TimeoutError(f"not done after {event.DEADLINE} s"))
    if argv[1:2] in (["session-start"], [PRE_TOOL]):
        from improve import paths

        # a rules.yaml that was changed a lot is read by another process, once
        home = paths.find_home(os.environ)
        if argv[1] != PRE_TOOL:
            aside.start(home, "drain", "--quiet")
        else:
            from improve import gate

            if gate.first_to_be_late(home):
                aside.start(home, "guard")
    os._exit(0)


def answer(argv: list[str], said: dict[str, Any]) -> str:
    """Do what an event asks for and give what is to be printed."""
    from improve import hosts, paths

    name, kind = (*argv, "", "")[:2]
    if name not in hosts.names():
        return ""
    host = hosts.host(name)
    if any(os.environ.get(variable) for variable in host.dialect.foreign):
        return ""
    if kind not in (PRE_TOOL, POST_TOOL) and event.text(
        said, host.dialect.subagent
    ):  # nobody types there, but guards hold
        return ""
    call = _Call(host, kind, said, paths.find_home(os.environ))
    return "" if call.off() else call.run()


class _Call:
    """One event of one host."""

    def __init__(self, host: Host, kind: str, said: dict[str, Any], home: Home) -> None:
        self.host, self.kind, self.said, self.home = host, kind, said, home
        self.session = event.text(said, host.dialect.session)
        cwd = event.text(said, "cwd")
        self.cwd = cwd if os.path.isabs(cwd) else _working_directory(said)

    def off(self) -> bool:
        """Say whether the one switch is off here."""
        from improve import clock, switch

        name = self.host.name
        return switch.in_force(self.home.file(switch.FILE), clock.now, lambda: name, self._project) is not None

    def _project(self) -> tuple[str, str]:
        from improve import project

        found = project.identify(self.cwd, home=self.home.user, env=os.environ) if self.cwd else None
        return (found.key, found.root) if found else ("", "")

    def run(self) -> str:
        """Handle the event; one we do not know is none of ours."""
        if self.kind in (PRE_TOOL, POST_TOOL):
            return self._gate()
        if self.session:
            self._note_session()
        if self.kind == "prompt":
            return self._prompt()
        if self.kind == "session-start":
            return self._start()
        if self.kind in ("stop", "session-end"):
            self._end()
        return ""

    def _gate(self) -> str:
        from improve.gate import Gate

        give_up = lambda: _give_up([self.host.name, self.kind])  # noqa: E731
        return Gate(self.host, self.kind, self.said, home=self.home, cwd=self.cwd, give_up=give_up).answer()

    def _note_session(self) -> None:
        """Where the host gives its shell no session id, let the agent's own calls find it."""
        from improve import hosts

        if not next(row.session_variable for row in hosts.ROWS if row.name == self.host.name):
            from improve import ancestry

            try:
                ancestry.note(os.path.join(self.home.cache, "sessions"), self.host.name, self.session)
            except OSError:  # the agent's calls then count one by one; the event itself goes on
                return

    def _prompt(self) -> str:
        from improve import cue

        typed = event.text(self.said, self.host.dialect.prompt)
        if os.path.lexists(os.path.join(self.home.cache, "consent")):
            self._consent(typed)
        text = cue.words_only(typed)
        signal = cue.signal_of(text) if text else ""
        if signal:
            self._hear(text, signal)
        return self._brief() if self.host.dialect.briefs_with_prompt and not self._briefed() else ""

    def _consent(self, typed: str) -> None:
        """Look whether a person says yes to what the agent asked for here."""
        from improve import clock, consent

        try:
            consent.hear(self.home, typed, host=self.host.name, session=self.session, now=clock.seconds())
        except OSError as exc:
            aside.log([self.host.name, self.kind], exc)

    def _hear(self, text: str, signal: str) -> None:
        from improve import clock, queue
        from improve.redact import redact

        key = queue.key_of(self.session, event.text(self.said, self.host.dialect.turn), text)
        at = clock.stamp()
        heard = queue.Heard(key, at, self.host.name, self.session, self.cwd, redact(text), signal)
        queue.hear(self.home.file("queue"), heard)

    def _end(self) -> None:
        transcript = event.text(self.said, self.host.dialect.transcript)
        if not (self.session or transcript):
            return
        from improve import clock, queue

        at = clock.stamp()
        ended = queue.Ended(at, self.host.name, self.session or transcript, self.cwd, transcript, self.kind)
        queue.end(self.home.file("queue"), ended)

    def _start(self) -> str:
        if self.host.dialect.briefs_with_prompt or self.host.dialect.answer == "none":
            return ""
        again = event.text(self.said, "source") == "resume" and self.host.dialect.keeps_context
        return self._brief(unless=self._briefed() if again else "")

    def _brief(self, unless: str = "") -> str:
        """Give the rules in the host's form, and start a drain for what waits.

        Args:
            unless: names the text that it has already.
        """
        from improve import clock
        from improve.fingerprint import fingerprint
        from improve.workflow import brief
        from improve.workflow.here import Here

        here = Here(os.environ, clock.now(), self.cwd, self.home)
        if here.heard or here.spooled:
            aside.start(self.home, "drain", "--quiet")
        text = brief.text(here, self.host)
        if (named := fingerprint(text, 24)) == unless:
            return ""
        self._remember(named)  # also that there was nothing: a later prompt does not look again
        if not text:
            return ""
        from improve import saying

        return saying.context(self.host.dialect, self.kind, text)

    def _marker(self) -> str:
        from improve import queue

        key = queue.key_of(self.host.name, self.session, "")
        return os.path.join(self.home.cache, "briefed", key)

    def _briefed(self) -> str:
        """Name the text this session was given before, empty when none was."""
        try:
            with open(self._marker(), encoding="utf-8", errors="replace") as stream:
                return stream.read(64)
        except OSError:
            return ""

    def _remember(self, named: str) -> None:
        """Note the name of what was given; failing to costs a repetition, nothing else."""
        path = self._marker()
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            aside.keep_newest(os.path.dirname(path), _TIDY)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(named)
        except OSError:
            return


def _working_directory(said: dict[str, Any]) -> str:
    """Fall back on the first workspace a host names, and on the directory it runs us in."""
    roots = said.get("workspace_roots") or said.get("workspaceRoots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    try:
        return first if os.path.isabs(first) else os.getcwd()
    except OSError:
        return ""
