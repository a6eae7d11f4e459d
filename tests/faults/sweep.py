"""Put a fault into every file system call of a command, one run each, and look whether anything broke.

A `Command` is traced once with strace. Every file system call of its main process after the start-up is then
hit in a run of its own: killed before the call, failed with each errno (once, and from there on), and for
writes cut short. What must hold, after *every* run:

    I1  each watched file is byte for byte as before the command, or as after an undisturbed one
    I4  so are its kind, link target, mode, owner and number of links
    I7  a failure is exit code 3, 4 or 5, and `lines` lines on stderr, with a path of ours; never a traceback,
        and never "nothing was written" when something was
    …   what `check` of the command says (I2, an acknowledged thing is there exactly once; I3, …)

and after one more run without a fault in the same place:

    I1  each watched file is as after an undisturbed run, and exit code 0
    I5  no temporary file of ours is left anywhere
    I6  every lock is free
    …   what `check` of the command says (there, `outcome.fault` is None)

To sweep another command, for example a whole `improve escalate --apply`:

    command = Command(
        name="escalate",
        argv=[sys.executable, "-P", "-m", "improve", "escalate", "--apply"],
        env={"AGENT_IMPROVEMENT_HOME": "{dir}/home"},   # {dir}: the directory of the run, here and in argv
        cwd="{dir}/repo",
        prepare=make_home_and_repo,                      # fills the empty directory
        watched=("repo/AGENTS.md",),                     # must come out the same in every undisturbed run
        check=acknowledged_exactly_once,                 # Outcome -> problems, as sentences
    )
    report = sweep(command, tmp_path, sample=200)          # sample=None: everything
    assert report.problems == []

The start-up ends at the first call that mentions `marker` (by default the directory of the run). Calls on
standard streams and on files below `ignore` (the interpreter, our own code) are left alone: a program that
cannot be loaded tells nothing. Faults count calls per process, so children (`git`) may be hit as well.
EINTR is only injected once, for the interpreter rightly tries again for as long as it comes; and an error
lasts only where it hits no later call on a stream or an ignored file.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import improve
from faults.fault import CALLS, Call, Fault, choose, faults

_LINE = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<rest>.*)$")
_WORKING_DIRECTORY = re.compile(r"AT_FDCWD<[^>]*>")
_STREAM = re.compile(r"[012]<")
_TEMPORARY = re.compile(r"\.improve-\d+-[0-9a-f]{16}")
_SECONDS = 20
_REFUSALS = (3, 4, 5)
_PROGRAM = str(Path(improve.__file__).parent)
"""A fault may also hit a file of the program itself; then that one is named."""
_STOPPED = (130, -2)  # the second when all is done and the interpreter is going down; a shell says 130 to both


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    place: Path
    code: int
    """Exit code; negative for the signal that ended it."""
    out: str
    err: str
    fault: Fault | None = None
    hit: bool = True

    @property
    def acknowledged(self) -> bool:
        """Whether the command said that it had done its work."""
        return self.code == 0


def no_problems(outcome: Outcome) -> Iterable[str]:
    """Find nothing: for a command whose watched files say it all."""
    return ()


@dataclass(frozen=True)
class Command:
    """What to run, on what, and what must hold afterwards."""

    name: str
    argv: Sequence[str | Path]
    prepare: Callable[[Path], None]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "{dir}"
    watched: Sequence[str] = ()
    check: Callable[[Outcome], Iterable[str]] = no_problems
    lines: int = 1
    state: Callable[[Path], Mapping[str, object]] = lambda place: {}
    """More that must be as before or as after, by name."""
    partly: bool = False
    """A failure may leave some of the files done and others not, and the state in between."""
    again: Callable[[Outcome], Sequence[str | Path]] | None = None
    """The run after the fault, when it must not be the same command once more."""
    pick: Callable[[list[Call]], list[Fault]] = faults
    """Which faults are worth a run."""
    said: Callable[[Outcome], str] = lambda outcome: outcome.err
    """Where a failure says its line."""
    marker: str = "{dir}"
    ignore: Sequence[str] = (
        *{sys.prefix, sys.base_prefix, "/usr/lib", "/lib/", "/etc/"},
        str(Path(__file__).parents[2] / "src"),
    )


@dataclass
class Report:
    """What a sweep found."""

    command: str
    calls: int = 0
    runs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        ends = ", ".join(f"{count} {end}" for end, count in sorted(self.outcomes.items()))
        return f"{self.command}: {self.calls} calls, {self.runs} runs ({ends}), {len(self.problems)} problems"


def sweep(command: Command, scratch: Path, *, sample: int | None = None) -> Report:
    """Run a command once for each fault (or for a fixed sample of them) and report what broke."""
    place = scratch / "run"
    before = fresh(command, place)
    calls = trace(command, place, scratch / "trace")
    after = snapshot(command, place)
    report = Report(command.name, calls=len(calls))
    for fault in choose(command.pick(calls), sample):
        fresh(command, place)
        outcome = run(command, place, scratch / "trace", fault)
        report.runs += 1
        report.outcomes[_end(outcome)] += 1
        found = [*_broken(command, outcome, before, after), *command.check(outcome)]
        again = run(_following(command, outcome), place)
        found += [*_unsettled(command, again, after), *command.check(again)]
        report.problems += [f"{fault}: {problem}" for problem in found]
    return report


def trace(command: Command, place: Path, log: Path) -> list[Call]:
    """Run a command in a prepared place and give the calls of its main process that faults may hit."""
    options = ["-f", "-y", "-qq", "--seccomp-bpf", "-s", "200", "-o", str(log)]
    outcome = _start(command, place, ["strace", *options, "-e", f"trace={CALLS}"])
    if outcome.code:
        raise AssertionError(f"{command.name} fails without any fault: {outcome.code} {outcome.err}")
    found = [match for line in log.read_text("utf-8", "replace").splitlines() if (match := _LINE.match(line))]
    lines = [match for match in found if match["pid"] == found[0]["pid"]]
    seen: Counter[str] = Counter()
    spared: dict[str, int] = {"write": 1 << 32}  # a failure is written, too
    calls, started, marker = [], False, _fill(command.marker, place)
    for line in lines:
        name, text = line["name"], _WORKING_DIRECTORY.sub("AT_FDCWD", line["rest"])
        seen[name] += 1
        started = started or marker in text
        if _STREAM.match(text) or any(prefix in text for prefix in command.ignore):
            spared[name] = max(seen[name], spared.get(name, 0))
        elif started:
            calls.append(Call(name, seen[name], text))
    return [replace(call, last=call.number > spared.get(call.name, 0)) for call in calls]


def snapshot(command: Command, place: Path) -> dict[str, object]:
    """Give bytes, kind, link target, mode, owner and links of every watched file, and the command's own state."""
    return {**{name: _identity(place / name) for name in command.watched}, **command.state(place)}


def _following(command: Command, outcome: Outcome) -> Command:
    return replace(command, argv=command.again(outcome)) if command.again else command


def _identity(path: Path) -> object:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    kind = stat.S_IFMT(status.st_mode)
    target = str(path.readlink()) if path.is_symlink() else path.read_bytes()
    return (kind, stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid, status.st_nlink, target)


def fresh(command: Command, place: Path) -> dict[str, object]:
    """Prepare an empty directory and look at what is watched there."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    command.prepare(place)
    return snapshot(command, place)


def _fill(text: str | Path, place: Path) -> str:
    return str(text).replace("{dir}", str(place))


def run(command: Command, place: Path, log: Path | None = None, fault: Fault | None = None) -> Outcome:
    """Run a command in a prepared place, with a fault or without."""
    if log is None or fault is None:
        return _start(command, place, [])
    argv = ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={fault.call.name}"]
    if fault.kind not in ("kill", "interrupt"):  # faster, but it loses injected signals
        argv.append("--seccomp-bpf")
    outcome = _start(command, place, [*argv, "-e", fault.injection], fault)
    said = log.read_text("utf-8", "replace")
    hit = {"kill": outcome.code == -9, "interrupt": "--- SIGINT" in said}.get(fault.kind, "(INJECTED)" in said)
    return Outcome(place, outcome.code, outcome.out, outcome.err, fault, hit)


def _start(command: Command, place: Path, tracer: list[str], fault: Fault | None = None) -> Outcome:
    fixed = {"PYTHONHASHSEED": "0", "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    env = {**os.environ, **fixed, **{key: _fill(value, place) for key, value in command.env.items()}}
    argv = [*tracer, *(_fill(part, place) for part in command.argv)]
    try:
        run = subprocess.run(
            argv,
            cwd=_fill(command.cwd, place),
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(place, 124, "", "hangs", fault)
    return Outcome(place, run.returncode, run.stdout, run.stderr, fault)


def _end(outcome: Outcome) -> str:
    if not outcome.hit:
        return "missed"
    return "killed" if outcome.code == -9 else "done" if outcome.acknowledged else f"exit {outcome.code}"


def _broken(
    command: Command, outcome: Outcome, before: Mapping[str, object], after: Mapping[str, object]
) -> Iterable[str]:
    """Check I1, I4 and I7 right after the fault."""
    if not outcome.hit:
        yield "the fault was not met: the command does not do the same in every run"
    for name, found in snapshot(command, outcome.place).items():
        partly = command.partly and name not in command.watched and not outcome.acknowledged
        if found not in (before[name], after[name]) and not partly:
            yield f"{name} is neither as before nor as after, but {found!r}"
        if "nothing was written" in outcome.err and found != before[name]:
            yield f"{name} was written, but the command said that nothing was"
        if outcome.acknowledged and found != after[name]:
            yield f"{name} is not as after, but the command said it was done"
    if outcome.acknowledged or (outcome.code == -9 and outcome.fault and outcome.fault.kind == "kill"):
        return
    lines = command.said(outcome).strip().splitlines()
    if outcome.code in _STOPPED and outcome.fault and outcome.fault.kind == "interrupt" and len(lines) <= 1:
        return
    if outcome.code not in _REFUSALS:
        yield f"exit code {outcome.code}, {outcome.err.strip()[-600:]!r}"
    elif not 0 < len(lines) <= command.lines or not any(path in lines[0] for path in (str(outcome.place), _PROGRAM)):
        yield f"stderr is not {command.lines} line with a path: {outcome.err!r}"


def _unsettled(command: Command, again: Outcome, after: Mapping[str, object]) -> Iterable[str]:
    """Check I1, I5 and I6 after an undisturbed run that followed."""
    if not again.acknowledged:
        yield f"the next run fails with {again.code}: {again.err.strip()[-600:]}"
    for name, found in snapshot(command, again.place).items():
        if found != after[name]:
            yield f"{name} is not as after an undisturbed run, but {found!r}"
    for path in again.place.rglob("*"):
        if _TEMPORARY.fullmatch(path.name):
            yield f"{path} is left over"
        if path.suffix == ".lock" and not _free(path):
            yield f"{path} is still locked"


def _free(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in (errno.EAGAIN, errno.EACCES)
    return True
