"""What a host runs on its events: `improve-hook HOST EVENT`, one JSON object on standard input.

It may cost nobody anything: it ends within a second, with exit code 0, and prints what the host understands or
nothing. A prompt and the end of a session are only put into the queue. Before a call of a tool, the guards in force
are asked; whatever goes wrong there, the call passes. What goes wrong is one line in `hook.log`.
Next to nothing is imported before it is needed: this runs on every prompt and before every call.
"""

from __future__ import annotations

import gc
import os

from improve import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from improve.guards import Fired, Guard
    from improve.hosts.base import Host
    from improve.paths import Home

PRE_TOOL, POST_TOOL = "pre-tool", "post-tool"
LONGEST_LOG = 1 << 18
_TIDY = 1 << 12
_READING = 0.4
"""Seconds in which rules.yaml is read anew before a call; the guards before hold where that is not enough."""


def main(argv: list[str]) -> None:
    """Answer one event and end the process."""
    said = b""
    os.umask(0o077)  # whatever this leaves behind is the person's alone
    gc.disable()  # what a run this short drops goes with the process
    try:
        said = answer(argv, event.read(lambda: _give_up(argv))).encode("utf-8", "replace")
    except BaseException as exc:
        _log(argv, exc)
    try:
        while said:
            said = said[os.write(1, said) :]
    except OSError:  # nobody listens any more
        pass
    os._exit(0)  # nothing of ours is left to tidy up, and an interpreter takes its time


def _give_up(argv: list[str]) -> None:
    """End at the deadline; the line in the log must not take long either."""
    event.after(0.05, lambda: os._exit(0))
    _log(argv, TimeoutError(f"not done after {event.DEADLINE} s"))
    if argv[1:2] in (["session-start"], [PRE_TOOL]):
        from improve import paths

        # a rules.yaml that was changed a lot is read by another process, once
        home = paths.find_home(os.environ)
        if argv[1] != PRE_TOOL:
            _detached(home, "drain", "--quiet")
        elif _first_to_be_late(home):
            _detached(home, "guard")
    os._exit(0)


class _TooLateError(BaseException):
    """Reading takes too long. No error that anything on the way would handle."""


def _too_late() -> None:
    raise _TooLateError


def _first_to_be_late(home: Home) -> bool:
    """Say whether nobody is at reading the rules already; calls go on being made meanwhile."""
    from improve import clock, guards

    return not guards.late(home, clock.seconds()) and guards.be_late(home)


def answer(argv: list[str], said: dict[str, Any]) -> str:
    """Do what an event asks for and give what is to be printed."""
    from improve import hosts, paths

    name, kind = (*argv, "", "")[:2]
    if name not in hosts.names():
        return ""
    host = hosts.host(name)
    if any(os.environ.get(variable) for variable in host.dialect.foreign):
        return ""
    if kind not in (PRE_TOOL, POST_TOOL) and _told(said, host.dialect.subagent):  # nobody types there, but guards hold
        return ""
    call = _Call(host, kind, said, paths.find_home(os.environ))
    return "" if call.off() else call.run()


def _told(said: dict[str, Any], key: str) -> str:
    """Give a text the host says, by a key or a dotted path of keys; empty when it is no text."""
    value = _said(said, key)
    return value if isinstance(value, str) else ""


def _said(said: dict[str, Any], key: str) -> Any:
    value: Any = said
    for part in key.split(".") if key else ("",):
        value = value.get(part) if isinstance(value, dict) else None
    return value


class _Call:
    """One event of one host."""

    def __init__(self, host: Host, kind: str, said: dict[str, Any], home: Home) -> None:
        self.host, self.kind, self.said, self.home = host, kind, said, home
        self.session = _told(said, host.dialect.session)
        cwd = _told(said, "cwd")
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
            return self._tool()
        if self.session:
            self._note_session()
        if self.kind == "prompt":
            return self._prompt()
        if self.kind == "session-start":
            return self._start()
        if self.kind in ("stop", "session-end"):
            self._end()
        return ""

    def _tool(self) -> str:
        """Ask the guards about a call that is going to be made, or was, where only then can be warned."""
        from improve import guards

        tool = _told(self.said, self.host.dialect.tool)
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
            said = refusal(self.host, text) if mode == "deny" else reply(self.host, self.kind, text)
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
            if _first_to_be_late(self.home):
                _detached(self.home, "guard")
            return before
        finally:
            event.after(max(left - _READING, 0.05), lambda: _give_up([self.host.name, self.kind]))

    def _names(self) -> tuple[str, ...]:
        """Say what the project here may be called."""
        from improve import project

        found = project.identify(self.cwd, home=self.home.user, env=os.environ) if self.cwd else None
        return (found.key, found.key.rpartition("/")[2], found.name) if found else (project.UNKNOWN,)

    def _note(self, fired: list[Fired]) -> None:
        """Put it into the journal; a call is denied even where nothing can be written."""
        from improve import clock, guards

        named = {"host": self.host.name, "session": self.session, "project": self._names()[0]}
        try:
            guards.note(self.home, fired, at=clock.stamp(), now=clock.seconds(), **named)
        except Exception as exc:
            self._trouble(exc)

    def _trouble(self, exc: BaseException) -> None:
        _log([self.host.name, self.kind], exc)

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

        typed = _told(self.said, self.host.dialect.prompt)
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
            self._trouble(exc)

    def _hear(self, text: str, signal: str) -> None:
        from improve import clock, queue
        from improve.redact import redact

        key = queue.key_of(self.session, _told(self.said, self.host.dialect.turn), text)
        at = clock.stamp()
        heard = queue.Heard(key, at, self.host.name, self.session, self.cwd, redact(text), signal)
        queue.hear(self.home.file("queue"), heard)

    def _end(self) -> None:
        transcript = _told(self.said, self.host.dialect.transcript)
        if not (self.session or transcript):
            return
        from improve import clock, queue

        at = clock.stamp()
        ended = queue.Ended(at, self.host.name, self.session or transcript, self.cwd, transcript, self.kind)
        queue.end(self.home.file("queue"), ended)

    def _start(self) -> str:
        if self.host.dialect.briefs_with_prompt or self.host.dialect.answer == "none":
            return ""
        again = _told(self.said, "source") == "resume" and self.host.dialect.keeps_context
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
            _detached(self.home, "drain", "--quiet")
        text = brief.text(here, self.host)
        if (named := fingerprint(text, 24)) == unless:
            return ""
        self._remember(named)  # also that there was nothing: a later prompt does not look again
        return reply(self.host, self.kind, text) if text else ""

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
            _forget_old(os.path.dirname(path))
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(named)
        except OSError:
            return


def _arguments(said: dict[str, Any], key: str) -> object:
    """Give the arguments of a call; some hosts say them as JSON in a text."""
    value = _said(said, key) if key else said
    if isinstance(value, str):
        from improve import quick

        try:
            value = quick.loads(value)
        except (ValueError, RecursionError):
            return {"command": value}
    return value


def _working_directory(said: dict[str, Any]) -> str:
    """Fall back on the first workspace a host names, and on the directory it runs us in."""
    roots = said.get("workspace_roots") or said.get("workspaceRoots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    try:
        return first if os.path.isabs(first) else os.getcwd()
    except OSError:
        return ""


def _forget_old(directory: str) -> None:
    """Keep the notes of the newest sessions only."""
    names = os.listdir(directory)
    if len(names) > _TIDY:
        paths = sorted((os.path.join(directory, name) for name in names), key=os.path.getmtime)
        for path in paths[: len(paths) // 2]:
            os.unlink(path)


def reply(host: Host, kind: str, text: str) -> str:
    """Wrap context for the model the way a host understands it."""
    tools = kind in (PRE_TOOL, POST_TOOL)
    form = host.dialect.warns if tools else host.dialect.answer
    if form == "text":
        return text
    from improve import quick

    named = host.dialect.start_event if kind == "session-start" else host.dialect.prompt_event
    if tools:
        named = host.dialect.warn_event or host.dialect.tool_event
    shapes: dict[str, dict[str, object]] = {
        "nested": {"hookSpecificOutput": {"hookEventName": named, "additionalContext": text}},
        "flat": {"additionalContext": text},
        "snake": {"additional_context": text},
        "cline": {"cancel": False, "contextModification": text},
        "plain": {"warn": text},
    }
    return quick.dumps(shapes[form])


def refusal(host: Host, reason: str) -> str:
    """Deny a call the way a host understands it."""
    from improve import quick

    decided = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    shapes: dict[str, dict[str, object]] = {
        "nested": {"hookSpecificOutput": {"hookEventName": host.dialect.tool_event, **decided}},
        "flat": {**decided},
        "decision": {"decision": "deny", "reason": reason},
        "permission": {"permission": "deny", "user_message": reason, "agent_message": reason},
        "cline": {"cancel": True, "errorMessage": reason},
        "plain": {"deny": reason},
    }
    return quick.dumps(shapes[host.dialect.denies])


def _detached(home: Home, *argv: str) -> None:
    """Let another process do what takes longer: it outlives this one and holds none of its files open."""
    program = home.program
    if os.name != "posix" or not os.access(program, os.X_OK):
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, nothing, number) for number in (0, 1, 2)]
    os.posix_spawn(program, [program, *argv], os.environ, file_actions=actions, setsid=True)


def _log(argv: list[str], exc: BaseException) -> None:
    """Leave one line, if that is possible; nobody is told otherwise."""
    try:
        from improve import clock, paths
        from improve.escape import visible

        home = paths.find_home(os.environ)
        folder = os.path.dirname(home.state)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > LONGEST_LOG:
            os.replace(path, path + ".1")
        what = visible(f"{' '.join(argv[:2])}: {type(exc).__name__}: {exc}")[:1000]
        with open(path, "a", encoding="utf-8", errors="replace") as log:
            log.write(f"{clock.stamp()} {what}\n")
    except BaseException:
        return
