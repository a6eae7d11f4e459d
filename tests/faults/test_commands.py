"""No fault in any file system call of a whole command loses an observation, tears a file, or is a traceback."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from faults import scene
from faults.fault import Fault, missing, telling
from faults.scene import DUE, ERRORS, FILES, PNPM, PROMOTED, SHOP, Scene, command_line, observed
from faults.sweep import Command, Outcome, fresh, run, sweep, trace

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

_KEPT = "The observation is kept"


def sound(outcome: Outcome) -> Iterable[str]:
    """Check what holds after every command: the store reads well, nothing was promised twice, no crash was logged."""
    place = outcome.place
    if not (place / "home/rules.yaml").read_bytes().startswith(scene.KEPT):
        yield "rules.yaml lost the line that a person wrote"
    _, problems = scene.evidence(place)
    yield from problems
    yield from (f"a crash was logged: {path.read_text()[-900:]}" for path in (place / "tmp").glob("improve-crash-*"))
    if "Traceback" in outcome.err + outcome.out:
        yield f"there is a traceback: {outcome.err[-600:]}"


@dataclass
class ExactlyOnce:
    """What was acknowledged is there once, what was not at most once; after the next run it stands in rules.yaml."""

    earlier: int
    waiting: int = 0
    first: int = field(default=0, init=False)

    def __call__(self, outcome: Outcome) -> Iterable[str]:
        """Find what is wrong."""
        yield from sound(outcome)
        found, _ = scene.evidence(outcome.place)
        if (found["earlier"], found["waiting"]) != (self.earlier, self.waiting):
            yield f"earlier observations are gone or doubled: {found}"
        if outcome.fault:
            self.first = found["swept"]
            promised = outcome.acknowledged or _KEPT in outcome.err
            if self.first > 1 or (promised and not self.first):
                yield f"the observation is there {self.first} times, and the command said {outcome.code} {outcome.err}"
        elif found["swept"] != self.first + 1:
            yield f"observations were lost or doubled: {found['swept']} after {self.first} and one more"
        elif list((outcome.place / "home/spool").iterdir()):
            yield "the spool is not empty after a run without a fault"


def applied(prepared: Scene) -> Callable[[Outcome], Iterable[str]]:
    """Check that the journal and `undo` know what an apply wrote, however often it was cut off."""

    def check(outcome: Outcome) -> Iterable[str]:
        yield from sound(outcome)
        if outcome.fault:
            return
        was = scene.instructions(prepared.original(outcome.place))
        for _ in range(2):  # a run that could write only some of the files is a change set of its own
            if scene.instructions(outcome.place) == was:
                return
            code, said = scene.improve(outcome.place, "shop", "undo")
            if code:
                yield f"undo fails with {code}: {said}"
        if (now := scene.instructions(outcome.place)) != was:
            yield f"after undo, the files are not as before the apply: {now!r}"

    return check


def never_lost(rule_id: str) -> Callable[[Outcome], Iterable[str]]:
    """Check that a rule which moves from one file to another is in one of them, and twice in none."""

    def check(outcome: Outcome) -> Iterable[str]:
        yield from sound(outcome)
        entry = f"- id: {rule_id}\n".encode()
        paths = [outcome.place / "home" / name for name in ("rules.yaml", "archive.yaml")]
        active, archived = (path.read_bytes().count(entry) if path.exists() else 0 for path in paths)
        if (active, archived) not in ((1, 0), (1, 1), (0, 1)):
            yield f"the rule is {active} times active and {archived} times archived"
        elif not outcome.fault and (active, archived) != (0, 1):
            yield f"after a run without a fault the rule is {active} times active and {archived} times archived"

    return check


def unless_done(prepared: Scene, argv: Sequence[str]) -> Callable[[Outcome], Sequence[str | Path]]:
    """Repeat a command that may be done only once, unless the store says that it was done."""

    def again(outcome: Outcome) -> Sequence[str | Path]:
        undone = scene.store(outcome.place) == scene.store(prepared.original(outcome.place))
        return command_line(*(argv if undone else ("status",)))

    return again


def not_written(outcome: Outcome) -> str:
    """Give the line of a failure; that of a single file stands in the report on standard output."""
    lines = [line for line in outcome.out.splitlines() if "NOT WRITTEN: " in line]
    return outcome.err or re.sub(r"~(?=/)", f"{outcome.place}/user", "\n".join(lines[:1]))


def of(prepared: Scene, *argv: str, cwd: str = "shop", **more: object) -> Command:
    """Give the sweep of a command in a scene."""
    base = Command(
        name=argv[0],
        argv=command_line(*argv),
        env=scene.VARIABLES,
        cwd="{dir}/" + cwd,
        prepare=prepared.prepare,
        watched=FILES,
        check=sound,
        state=scene.store,
        pick=telling,
    )
    return replace(base, **more)  # type: ignore[arg-type]


def observing(prepared: Scene, text: str, earlier: int) -> Command:
    """Give the sweep of `observe`; its store changes with every run, so that counting is what tells."""
    check = ExactlyOnce(earlier, waiting=bool(prepared.waiting))
    return of(prepared, "observe", text, "--context", "swept", check=check, state=lambda place: {})


def commands() -> dict[str, Command]:
    """Give every sweep by name."""
    other = "Install packages of the web client with pnpm"
    due = Scene(DUE, warm=True)
    promoted = Scene(PROMOTED, warm=True)
    two = Scene([*DUE, *observed(("api", ERRORS, "api-design")), ("api", ("observe", other, "--new"))], warm=True)
    done = Scene([*PROMOTED, ("shop", ("escalate", "--apply"))], warm=True)
    written = Scene(DUE, line=f"- {PNPM}\r\n", warm=True)
    merge = ("merge", _slug(PNPM), _slug(other))
    archive = ("resolve", _slug(PNPM), "--prune")
    domain = ("set", _slug(PNPM), "--domain", "workflow", "--severity", "4")
    return {
        "observe-first": observing(Scene(), PNPM, 0),
        "observe-new": observing(Scene(DUE, warm=True), ERRORS, 2),
        "observe-known": observing(Scene(DUE, warm=True), PNPM, 2),
        "observe-waiting": observing(Scene(DUE, waiting="waiting"), PNPM, 2),
        "escalate": of(
            promoted, "escalate", "--apply", cwd="api", check=applied(promoted), said=not_written, partly=True
        ),
        "undo": of(done, "undo", again=unless_done(done, ("undo",))),
        "confirm": of(written, "confirm", _slug(PNPM), "--scope", "local"),
        "set": of(due, *domain),
        "set-git": of(replace(due, git=True), *domain),
        "merge": of(two, *merge, again=unless_done(two, merge)),
        "resolve": of(done, *archive, again=unless_done(done, archive), check=never_lost(_slug(PNPM))),
        "seed": of(Scene(DUE, line="- Prefer plain SQL\r\n", warm=True), "seed", "--from-agents-md", "{dir}/" + SHOP),
    }


def _slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower())


COMMANDS = commands()


@pytest.mark.parametrize("name", COMMANDS)
def test_no_sampled_fault_breaks_a_command(tmp_path: Path, name: str) -> None:
    """A fixed sample of kills, errors and short writes leaves everything as it was, or as it should be."""
    report = sweep(COMMANDS[name], tmp_path, sample=5)
    print(report)
    assert report.problems == []


def killed_before(tmp_path: Path, command: Command, mark: str) -> Path:
    """Kill a command right before the rename that `mark` tells; give where that was."""
    place = tmp_path / "run"
    fresh(command, place)
    calls = trace(command, place, tmp_path / "trace")
    call = next(call for call in calls if call.name.startswith("rename") and mark in call.text)
    fresh(command, place)
    assert run(command, place, tmp_path / "trace", Fault(call, "kill")).code == -9
    return place


@pytest.mark.parametrize("mark", ['"rules.yaml"', "/web>"])
def test_undo_takes_back_an_apply_that_was_killed(tmp_path: Path, mark: str) -> None:
    """The store does not know of the files yet: undo gives every byte back, and the rules wait for new evidence."""
    place = killed_before(tmp_path, COMMANDS["escalate"], mark)
    was = scene.instructions(tmp_path / "scene-1")
    assert scene.instructions(place) != was
    code, said = scene.improve(place, "shop", "undo")
    assert (code, scene.instructions(place)) == (0, was), said
    assert "set aside" in said
    assert scene.improve(place, "shop", "escalate", "--apply")[0] == 0
    assert scene.instructions(place) == was


def test_an_apply_that_was_killed_is_not_taken_for_what_a_person_wrote(tmp_path: Path) -> None:
    """The next apply records the lines as ours, so that a later retirement takes them out of the files again."""
    place = killed_before(tmp_path, COMMANDS["escalate"], '"rules.yaml"')
    assert scene.improve(place, "shop", "escalate", "--apply")[0] == 0
    assert not any(written.adopted for rule in scene.rules(place) for written in rule.written_to)
    assert scene.improve(place, "shop", "retire", _slug(PNPM))[0] == 0
    assert scene.improve(place, "shop", "escalate", "--apply", _slug(PNPM))[0] == 0
    assert not any(PNPM.encode() in data for data in scene.instructions(place).values())


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_fault_at_all_breaks_a_command(tmp_path: Path, name: str) -> None:
    """Every fault in every call, without exception, leaves everything as it was, or as it should be."""
    report = sweep(COMMANDS[name], tmp_path)
    print(report)
    assert report.problems == []
