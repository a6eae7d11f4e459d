"""The hook where nothing is as it should be: it costs the host nothing, and loses no word without saying so."""

from __future__ import annotations

import ast
import itertools
import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from improve import locks, paths
from other_user import as_nobody, shared_place

from .firing import CLOSED, CORRECTION, EVENTS, FORMS, HOSTS, SILENT, Fired, Machine, payload, slack, valid

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc and POSIX")

KEPT, TOLD, NOTHING = "kept", "told", "nothing"
"""What must have become of a typed correction: it is in the queue; it is there or the log says why not; there was
none, or there is no place for a word."""

Circumstance = Callable[[Machine], Iterator[dict[str, Any]]]
CIRCUMSTANCES: dict[str, tuple[str, Circumstance]] = {}


def circumstance(expected: str) -> Callable[[Circumstance], Circumstance]:
    """Add a circumstance under its function's name; it yields what `fire` gets beside host and event."""

    def add(made: Circumstance) -> Circumstance:
        CIRCUMSTANCES[made.__name__.removeprefix("_").replace("_", "-")] = (expected, made)
        return made

    return add


def said(name: str, expected: str, stdin: object) -> None:
    """Add a circumstance that is a standard input."""
    CIRCUMSTANCES[name] = (expected, lambda machine: iter([{"stdin": stdin}]))


def about(name: str, expected: str, **env: str | None) -> None:
    """Add a circumstance that is an environment."""
    CIRCUMSTANCES[name] = (expected, lambda machine: iter([{"env": env}]))


# --- standard input ---

said("empty", NOTHING, b"")
said("blank", NOTHING, b" \n\t\n")
said("binary", NOTHING, bytes(range(256)) * 64)
said("utf-16", NOTHING, '{"prompt": "no, use uv"}'.encode("utf-16"))
said("array", NOTHING, b"[]")
said("number", NOTHING, b"17")
said("null", NOTHING, b"null")
said("cut-off", NOTHING, b'{"prompt": "no, use')
said("two-objects", NOTHING, b"{}{}")
said("nested-arrays", NOTHING, b"[" * 100_000)
said("nested-objects", NOTHING, b'{"a":' * 100_000 + b"1" + b"}" * 100_000)
said("other-types", NOTHING, b'{"prompt": 1, "session_id": [], "cwd": {}, "transcript_path": null, "source": true}')
said("lone-surrogate", NOTHING, b'{"prompt": "no, use \\ud800 uv", "session_id": "\\udfff", "cwd": "/\\ud800"}')
said("zeros", NOTHING, b'{"prompt": "no\\u0000, use uv", "session_id": "a\\u0000b", "cwd": "/\\u0000"}')
said("climbing-session", NOTHING, b'{"prompt": "no, use uv", "session_id": "../../../../x/../y", "cwd": "../.."}')
said("long-session", NOTHING, json.dumps({"prompt": "no, use uv", "session_id": "s" * 1_000_000}).encode())
said("fifty-megabytes-of-junk", NOTHING, b"\x80\x00\xff\x17" * (50 << 18))
said("fifty-megabytes-typed", NOTHING, json.dumps({"prompt": "no, use uv. " * (50 << 16), "session_id": "s"}).encode())
said("closed", NOTHING, CLOSED)
said("silent", NOTHING, SILENT)
said("stuck", NOTHING, (b'{"prompt": "no, ', SILENT))


serial = itertools.count()


def typed(machine: Machine) -> bytes:
    """Give a correction that was not heard before."""
    return payload("claude-code", "prompt", machine.app, turn=f"t-{next(serial)}")


@circumstance(KEPT)
def _usual(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {}


@circumstance(KEPT)
def _mark_of_byte_order(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"stdin": b"\xef\xbb\xbf" + typed(machine)}


@circumstance(TOLD)
def _never_closed(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"stdin": (typed(machine), SILENT)}


@circumstance(TOLD)
def _much_beside(machine: Machine) -> Iterator[dict[str, Any]]:
    said = json.loads(typed(machine))
    yield {"stdin": json.dumps({**said, "transcript": "x" * (50 << 20)}).encode()}


# --- environment ---

about(
    "other-python-variables", KEPT, PYTHONHOME="/dev/null", PYTHONINSPECT="1", PYTHONWARNINGS="error", PYTHONDEBUG="9"
)
about("plain-locale", KEPT, LC_ALL="C", LANG="C", PYTHONIOENCODING="ascii")
about("unknown-locale", KEPT, LC_ALL="xx_YY.nothing", TZ="No/Where")
about("no-path", KEPT, PATH=None)
about("git-variables", KEPT, GIT_DIR="/dev/null", GIT_WORK_TREE="/", GIT_CEILING_DIRECTORIES="/")
about("relative-store", NOTHING, AGENT_IMPROVEMENT_HOME="somewhere")
about("empty-home", NOTHING, HOME="")
about("relative-home", NOTHING, HOME="here")
about("home-is-a-file", NOTHING, HOME="/etc/hostname")


@circumstance(KEPT)
def _no_home(machine: Machine) -> Iterator[dict[str, Any]]:
    """The home directory is then the one of the user's account, which no test may touch."""
    places = {"AGENT_IMPROVEMENT_HOME": machine.store, "XDG_CACHE_HOME": machine.base, "XDG_STATE_HOME": machine.base}
    yield {"env": {"HOME": None, **{name: str(path) for name, path in places.items()}}}


@circumstance(KEPT)
def _hostile_modules(machine: Machine) -> Iterator[dict[str, Any]]:
    trap = machine.base / "trap"
    (trap / "improve").mkdir(parents=True, exist_ok=True)
    for name in ("json.py", "os.py", "_signal.py", "site.py", "sitecustomize.py", "start.py", "improve/__init__.py"):
        (trap / name).write_text(f"open({str(trap / 'sprung')!r}, 'w').close(); raise SystemExit(3)\n")
    yield {
        "cwd": trap,
        "env": {"PYTHONPATH": str(trap), "PYTHONSTARTUP": str(trap / "start.py"), "PYTHONUSERBASE": str(trap)},
    }
    assert not (trap / "sprung").exists()


@circumstance(KEPT)
def _no_directory(machine: Machine) -> Iterator[dict[str, Any]]:
    gone = machine.base / "gone"
    gone.mkdir(exist_ok=True)
    yield {"cwd": gone, "before": gone.rmdir}


@circumstance(KEPT)
def _another_directory(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"cwd": Path("/")}


@circumstance(KEPT)
def _no_standard_error(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"before": lambda: os.close(2)}


@circumstance(KEPT)
def _nobody_listens(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"before": lambda: os.close(1)}


@circumstance(KEPT)
def _full_output(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"before": lambda: (os.dup2(os.open("/dev/full", os.O_WRONLY), 1), None)[1]}


@circumstance(NOTHING)
def _missing_home(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"env": {"HOME": str(machine.base / "no" / "home")}}


# --- the store ---


@circumstance(KEPT)
def _held_lock(machine: Machine) -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AGENT_IMPROVEMENT_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(machine.user))
        home = paths.find_home(os.environ)
    with locks.lock(os.path.realpath(home.path), directory=home.state):
        yield {}


def file_instead(name: str, data: bytes) -> Circumstance:
    """Put other bytes into a file of the store."""

    def made(machine: Machine) -> Iterator[dict[str, Any]]:
        path = machine.store / name
        before = path.read_bytes() if path.exists() else None
        path.write_bytes(data)
        yield {}
        assert path.read_bytes() == data
        path.write_bytes(before) if before is not None else path.unlink()

    return made


def node_instead(name: str, make: Callable[[Path], object]) -> Circumstance:
    """Put something that is no regular file where the store has one."""

    def made(machine: Machine) -> Iterator[dict[str, Any]]:
        path, aside = machine.store / name, machine.base / "aside"
        there = os.path.lexists(path)
        if there:
            path.rename(aside)
        make(path)
        yield {}
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if there:
            aside.rename(path)

    return made


def loop(path: Path) -> None:
    """Make a link that leads to itself."""
    path.symlink_to(path)


CIRCUMSTANCES |= {
    "broken-rules": (KEPT, file_instead("rules.yaml", b"rules: [\n  - {id: x\n\x00\xff")),
    "empty-rules": (KEPT, file_instead("rules.yaml", b"")),
    "other-rules": (KEPT, file_instead("rules.yaml", b"version: 99\nrules: {}\n")),
    "broken-config": (KEPT, file_instead("config.yaml", b"thresholds: [1, {\n")),
    "damaged-switch": (NOTHING, file_instead("off.json", b"{")),
    "rules-are-a-directory": (KEPT, node_instead("rules.yaml", Path.mkdir)),
    "rules-are-a-pipe": (KEPT, node_instead("rules.yaml", os.mkfifo)),
    "config-is-a-pipe": (KEPT, node_instead("config.yaml", os.mkfifo)),
    "switch-is-a-pipe": (NOTHING, node_instead("off.json", os.mkfifo)),
    "rules-link-to-themselves": (KEPT, node_instead("rules.yaml", loop)),
    "queue-is-a-file": (TOLD, node_instead("queue", Path.touch)),
    "queue-leads-nowhere": (TOLD, node_instead("queue", lambda path: path.symlink_to("nowhere/at/all"))),
    "cache-is-a-file": (KEPT, node_instead("../.cache", Path.touch)),
    "state-is-a-file": (KEPT, node_instead("../.local", Path.touch)),
}


@circumstance(TOLD)
def _no_room(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"before": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))}
    # the log has no room either
    (machine.store / "queue").mkdir(exist_ok=True)


@circumstance(TOLD)
def _few_descriptors(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"before": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))}


@circumstance(KEPT)
def _no_more_processes(machine: Machine) -> Iterator[dict[str, Any]]:
    yield {"before": lambda: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))}


NO_ROOM_FOR_A_WORD = ("no-room",)
CIRCUMSTANCES.update({name: (NOTHING, CIRCUMSTANCES[name][1]) for name in NO_ROOM_FOR_A_WORD})


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A home whose path has blanks, quotes and letters of several scripts."""
    return Machine(tmp_path, 'it\'s a $HOME "né" 家')


def too_long(fired: Fired) -> bool:
    """Tell whether it took more than a second, and more than the machine is to blame for."""
    return fired.seconds > 1.0 and fired.seconds > 1.0 + slack()


def check(machine: Machine, name: str, host: str, event: str, form: str) -> None:
    """Fire one event in a circumstance: exit 0, a valid answer, in time, no child, no word lost."""
    expected, made = CIRCUMSTANCES[name]
    what = f"{name}: {host} {event} by {form}"
    with contextmanager(made)(machine) as given:
        told = given.get("stdin") or payload(host, event, machine.app, turn=f"t-{next(serial)}")
        heard, lines = len(machine.heard()), len(machine.log())
        fired = machine.fire(host, event, form=form, **{**given, "stdin": told})
        if too_long(fired):  # the machine may have been busy just then
            fired = machine.fire(host, event, form=form, **{**given, "stdin": told})
        kept, logged = len(machine.heard()) - heard, len(machine.log()) - lines
    assert fired.code == 0, (what, fired)
    # a shell may complain of its directory; nothing else may be said
    assert all(line.startswith((b"sh: ", b"/bin/sh: ")) for line in fired.err.splitlines()), (what, fired)
    assert valid(host, event, fired.out), (what, fired)
    assert not too_long(fired), (what, fired)
    assert fired.left == [] or event == "session-start", (what, fired)
    own = "stdin" not in given or host == "claude-code"
    if event == "prompt" and own:
        assert kept == 1 or expected != KEPT, (what, fired, machine.log())
        assert kept or logged or expected == NOTHING, (what, fired, machine.log())


def cases() -> Iterator[tuple[str, str, str, str]]:
    """Take for each circumstance the prompt and the start of a session, in both forms by turns; usually, all."""
    turns = itertools.cycle(HOSTS)
    for number, name in enumerate(CIRCUMSTANCES):
        yield name, "claude-code", "prompt", FORMS[number % 2]
        yield name, next(turns), "session-start", FORMS[(number + 1) % 2]
    for number, host in enumerate(HOSTS):
        for event in ("session-start", "prompt", EVENTS[2 + number % 3]):
            yield "usual", host, event, FORMS[number % 2]


@pytest.mark.parametrize("name", CIRCUMSTANCES)
def test_a_hook_in_a_hostile_place(machine: Machine, name: str) -> None:
    """Exit 0, a valid answer or none, within a second, no child left, and no word lost without a line in the log."""
    for case in (case for case in cases() if case[0] == name):
        check(machine, *case)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", CIRCUMSTANCES)
def test_every_hook_in_every_hostile_place(machine: Machine, name: str) -> None:
    """Each host, each event and both forms in each circumstance."""
    for host, event, form in itertools.product(HOSTS, EVENTS, FORMS):
        check(machine, name, host, event, form)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 1 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", "size=1m", "none", place], check=False).returncode:
        pytest.skip("a disk of its own needs the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


@pytest.mark.parametrize("leave", [0, 1, 2, 3, 4])
def test_a_full_disk(disk: Path, leave: int) -> None:
    """With so many pages left: exit 0 in time, nothing torn in the queue, and with room again all is well."""
    machine = Machine(disk)
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(filler.stat().st_size // 4096 * 4096 - leave * 4096)
    for number, event in enumerate(EVENTS):
        told = payload("claude-code", event, machine.app, session=f"s-{number}", turn=f"t-{number}")
        check_quiet(machine.fire("claude-code", event, stdin=told), event)
    filler.unlink()
    assert all(heard["text"] == CORRECTION for heard in machine.heard())
    machine.fire("claude-code", "prompt", stdin=payload("claude-code", "prompt", machine.app, turn="later"))
    assert machine.heard()[-1]["text"] == CORRECTION


def check_quiet(fired: Fired, event: str) -> None:
    """Where nothing can be kept and nothing be said: exit 0 in time, a valid answer, no child."""
    assert (fired.code, fired.err) == (0, b""), (event, fired)
    assert valid("claude-code", event, fired.out), (event, fired)
    assert not too_long(fired), (event, fired)
    assert fired.left == [] or event == "session-start", (event, fired)


@pytest.mark.parametrize("event", EVENTS)
def test_a_home_on_a_disk_that_cannot_be_written(disk: Path, event: str) -> None:
    """A home on a read-only file system: exit 0 and a valid answer; the start of a session still gets its rules."""
    machine = Machine(disk)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    fired = machine.fire("claude-code", event)
    check_quiet(fired, event)
    assert bool(fired.out) == (event == "session-start")


@pytest.mark.parametrize("event", EVENTS)
def test_a_home_that_belongs_to_another(event: str) -> None:
    """A person who may read but not write the home: exit 0, a valid answer, no word on standard error."""
    with shared_place() as place:
        machine = Machine(place)
        for path in [place, *place.rglob("*")]:
            path.chmod(0o555)
        started = as_nobody(lambda: subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=False).returncode)
        if started != "0":
            pytest.skip(f"another user cannot start this Python: {started}")
        told = payload("claude-code", event, machine.app)
        answer = as_nobody(lambda: tuple(machine.fire("claude-code", event, stdin=told, cwd=Path("/"))))
        for path in [place, *place.rglob("*")]:
            path.chmod(0o755)
        check_quiet(Fired(*ast.literal_eval(answer)), event)


def test_one_event_delivered_by_many_registrations_is_one_candidate(tmp_path: Path) -> None:
    """Sixteen processes of two registrations in both forms, at once and again later: one candidate in the inbox."""
    machine = Machine(tmp_path, drains=True)
    told = {host: payload(host, "prompt", machine.app, session="one", turn="one") for host in ("claude-code", "qwen")}

    def deliver(number: int) -> int:
        host = ("claude-code", "qwen")[number % 2]
        return machine.fire(host, "prompt", form=FORMS[number // 2 % 2], stdin=told[host]).code

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(deliver, range(16))) == [0] * 16
    assert deliver(0) == deliver(1) == 0
    assert [heard["text"] for heard in machine.heard()] == [CORRECTION]
    program, env = machine.store / "bin" / "improve", machine.env
    for _ in range(2):
        subprocess.run([program, "drain", "--quiet"], env=env, cwd=machine.app, check=True, capture_output=True)
        listed = subprocess.run([program, "inbox", "--json"], env=env, cwd=machine.app, check=True, capture_output=True)
        assert [item["words"] for item in json.loads(listed.stdout)["candidates"]] == [CORRECTION]
        deliver(0)  # and once more, when it was taken in already


def test_the_same_words_again_are_another_event(machine: Machine) -> None:
    """What a person types twice, in two turns or two sessions, is heard each time."""
    for session, turn in (("a", "1"), ("a", "2"), ("b", "1")):
        told = payload("claude-code", "prompt", machine.app, session=session, turn=turn)
        machine.fire("claude-code", "prompt", stdin=told)
    assert len(machine.heard()) == 3


def test_many_sessions_end_at_once(machine: Machine) -> None:
    """Sixteen stops of one session and one of each of eight others, all at once: nine files, all readable."""
    said = [payload("codex", "stop", machine.app, session=f"s-{max(0, number - 15)}") for number in range(24)]
    with ThreadPoolExecutor(12) as pool:
        assert {fired.code for fired in pool.map(lambda told: machine.fire("codex", "stop", stdin=told), said)} == {0}
    ended = sorted((machine.store / "queue").iterdir())
    assert len(ended) == 9, ended
    assert {json.loads(path.read_text(encoding="utf-8"))["event"] for path in ended} == {"stop"}


@pytest.mark.parametrize("event", EVENTS)
def test_an_agent_that_fires_our_hook_does_not_loop(tmp_path: Path, event: str) -> None:
    """Whatever agent a hook could find on PATH, it starts none: what fires hooks is never started by one."""
    machine = Machine(tmp_path, drains=True)
    trap = machine.base / "agents"
    trap.mkdir()
    launcher = machine.store / "bin" / "improve-hook"
    for name in ("claude", "codex", "gemini", "opencode", "pi", "qwen", "copilot", "goose", "amp", "cursor-agent"):
        script = trap / name
        script.write_text(
            f'#!/bin/sh\necho {name} >> "{trap}/started"\necho \'{{"session_id": "x"}}\' | '
            f"{shlex.quote(str(launcher))} claude-code {event}\n",
            encoding="utf-8",
        )
        script.chmod(0o755)
    machine.fire("claude-code", "prompt")  # something waits, so that a start of a session has to have it drained
    path = f"{trap}{os.pathsep}{os.environ['PATH']}"
    for host in ("claude-code", "codex"):
        fired = machine.fire(host, event, env={"PATH": path})
        assert (fired.code, fired.err) == (0, b"")
    assert not (trap / "started").exists()
