"""Full disks, missing permissions, odd files, a held lock, Ctrl-C, other clocks and hostile repositories."""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from faults import scene
from faults.fault import Call, Fault, interrupts, missing
from faults.scene import DUE, ERRORS, PNPM, PROMOTED, SHOP, Scene, command_line, inside
from faults.sweep import sweep
from faults.test_commands import COMMANDS
from improve import locks, paths
from other_user import NOBODY, as_nobody, shared_place

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX resources")

PAGE = 4096
OBSERVE = ("observe", ERRORS, "--context", "swept")
APPLY = ("escalate", "--apply")


def start(place: Path, *argv: str, cwd: str = "shop", **more: str) -> subprocess.Popen[str]:
    """Start a command in a scene."""
    env = {**os.environ, **scene.environment(place), **more}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command_line(*argv), cwd=place / cwd, env=env, text=True, **pipes)  # type: ignore[call-overload,no-any-return]


def limited(place: Path, argv: tuple[str, ...], *, kind: int, limit: int, cwd: str = "shop") -> tuple[int, str]:
    """Run a command under a resource limit; give its exit code and what it said on stderr.

    It writes no bytecode: Python takes half a file for a whole one there, and others would read it.
    """
    env = {**os.environ, **scene.environment(place), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command_line(*argv),
        cwd=place / cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)),
    )
    return done.returncode, done.stderr


def files_of(place: Path) -> dict[str, object]:
    """Give every file a person would miss: kind, mode and bytes, derived data and locks left out."""
    found: dict[str, object] = {}
    for root in ("home", "user", "shop", "api", "web"):
        for path in sorted((place / root).rglob("*")):
            status = path.lstat()
            whole = stat.S_ISREG(status.st_mode) and status.st_size < 1 << 20
            held = path.read_bytes() if whole else path.readlink() if path.is_symlink() else status.st_size
            found[str(path.relative_to(place))] = (stat.S_IFMT(status.st_mode), held if not path.is_dir() else 0)
    return found


def prepared(place: Path, one: Scene) -> Path:
    """Make a directory and put a scene into it."""
    place.mkdir(exist_ok=True)
    one.prepare(place)
    return place


def check_survived(place: Path, code: int, err: str) -> None:
    """Whatever was short: an expected exit code, one line, no crash, and the store reads well."""
    assert code in (0, 3, 4, 5), (code, err)
    assert "Traceback" not in err
    assert "internal error" not in err
    assert not list((place / "tmp").glob("improve-crash-*"))
    assert len(err.strip().splitlines()) == (1 if code else 0), err
    _, problems = scene.evidence(place)
    assert problems == []


def check_next_run(place: Path, code: int, err: str, *, earlier: int) -> None:
    """With room again the next command succeeds, and what was promised is there exactly once."""
    assert scene.improve(place, "shop", "status")[0] == 0
    found, problems = scene.evidence(place)
    promised = code == 0 or "The observation is kept" in err
    assert (found["earlier"], problems) == (earlier, [])
    assert found["swept"] == 1 if promised else found["swept"] <= 1
    assert not [path for path in place.rglob(".improve-*") if re.fullmatch(r"\.improve-\d+-\w{16}", path.name)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 2 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", "size=2m", "none", place], check=False).returncode:
        pytest.skip("a full disk needs the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def fill(place: Path, *, leave: int) -> Path:
    """Fill the disk up to some pages."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(PAGE))
        except OSError:
            pass
        file.truncate(filler.stat().st_size // PAGE * PAGE - leave * PAGE)
    return filler


@pytest.mark.parametrize("leave", [0, 1, 2, 3, 5, 8, 14])
def test_a_full_disk_costs_no_observation_that_was_promised(small_disk: Path, leave: int) -> None:
    """Whichever write meets the end of the disk: exit 0 or 5, one line, nothing torn, and the next run is well."""
    place = prepared(small_disk, Scene(DUE))
    filler = fill(place, leave=leave)
    process = start(place, *OBSERVE)
    _, err = process.communicate()
    check_survived(place, process.returncode, err)
    filler.unlink()
    check_next_run(place, process.returncode, err, earlier=2)


@pytest.mark.parametrize("leave", [0, 1, 3, 6, 10])
def test_a_full_disk_tears_no_instruction_file(small_disk: Path, leave: int) -> None:
    """`escalate --apply` does a file or leaves it; with room again it does the rest."""
    place = prepared(small_disk, Scene(PROMOTED))
    before = files_of(place)
    filler = fill(place, leave=leave)
    process = start(place, *APPLY)
    out, err = process.communicate()
    filler.unlink()
    assert process.returncode in (0, 5), (out, err)
    assert "Traceback" not in err
    between = files_of(place)
    assert scene.improve(place, "shop", *APPLY)[0] == 0
    after = files_of(place)
    for name in scene.FILES:
        assert between.get(name) in (before.get(name), after.get(name)), name
    assert PNPM in (place / scene.GLOBAL).read_text()
    assert PNPM not in (place / SHOP).read_text()


@pytest.mark.parametrize("limit", [0, 300, 1500, 6000, 30000])
def test_a_limit_on_file_size_is_a_full_disk(tmp_path: Path, limit: int) -> None:
    """RLIMIT_FSIZE gives EFBIG: exit 0 or 5, and the next run is well."""
    place = prepared(tmp_path / "run", Scene(DUE))
    code, err = limited(place, OBSERVE, kind=resource.RLIMIT_FSIZE, limit=limit)
    check_survived(place, code, err)
    check_next_run(place, code, err, earlier=2)


@pytest.mark.parametrize("limit", [0, 200, 2500])
def test_a_limit_on_file_size_tears_no_instruction_file(tmp_path: Path, limit: int) -> None:
    """What cannot be written is left alone and done by the next run."""
    place = prepared(tmp_path / "run", Scene(PROMOTED))
    before = files_of(place)
    code, err = limited(place, APPLY, kind=resource.RLIMIT_FSIZE, limit=limit)
    assert code == 5, err
    between = files_of(place)
    assert scene.improve(place, "shop", *APPLY)[0] == 0
    after = files_of(place)
    for name in scene.FILES:
        assert between.get(name) in (before.get(name), after.get(name)), name


@pytest.mark.parametrize("limit", [8, 10, 12])
def test_few_file_handles_are_no_crash(tmp_path: Path, limit: int) -> None:
    """With a handful of handles a command works or says in one line that there are too few (Python needs 7)."""
    place = prepared(tmp_path / "run", Scene(DUE))
    code, err = limited(place, OBSERVE, kind=resource.RLIMIT_NOFILE, limit=limit)
    check_survived(place, code, err)
    check_next_run(place, code, err, earlier=2)


# --- permissions ---


def owned(place: Path) -> None:
    """Give a scene to the person the test acts as."""
    if os.geteuid() == 0:
        for path in (place, *place.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def test_a_read_only_home_directory_is_said_and_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """observe exits 5 and names it, status still answers; not a byte changes."""
    with shared_place() as shared:
        place = prepared(shared / "run", Scene(DUE))
        scene.improve(place, "shop", "status")
        owned(shared)
        monkeypatch.chdir(place)
        (place / "home").chmod(0o555)
        for folder in (place / "home").iterdir():
            if folder.is_dir():
                folder.chmod(0o555)
        before = files_of(place)
        code, said = eval(as_nobody(lambda: scene.improve(place, "shop", *OBSERVE)))
        assert (code, said.count("\n")) == (5, 1), said
        assert str(place / "home") in said
        assert eval(as_nobody(lambda: scene.improve(place, "shop", "status")))[0] == 0
        assert files_of(place) == before
        (place / "home").chmod(0o700)


def test_a_read_only_repository_is_said_and_the_others_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """escalate --apply exits 5, names the file it could not write, and writes the other project's."""
    with shared_place() as shared:
        place = prepared(shared / "run", Scene(PROMOTED))
        scene.improve(place, "shop", "escalate")
        owned(shared)
        monkeypatch.chdir(place)
        (place / "api").chmod(0o555)
        before = files_of(place)
        code, said = eval(as_nobody(lambda: scene.improve(place, "shop", *APPLY)))
        (place / "api").chmod(0o755)
        assert code == 5, said
        assert f"NOT WRITTEN: {place / 'api' / 'AGENTS.md'}" in said
        assert files_of(place).get(scene.API) == before.get(scene.API)
        assert ERRORS in (place / scene.WEB).read_text()
        assert eval(as_nobody(lambda: scene.improve(place, "shop", *APPLY)))[0] == 0
        assert ERRORS in (place / scene.API).read_text()


@pytest.mark.parametrize(("name", "argv"), [(SHOP, APPLY), ("home/rules.yaml", OBSERVE)])
def test_a_read_only_file_is_left_alone(name: str, argv: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the right to write the file: exit 5, it is named, it keeps its bytes, and an observation is kept."""
    with shared_place() as shared:
        place = prepared(shared / "run", Scene(DUE))
        scene.improve(place, "shop", "escalate")
        owned(shared)
        monkeypatch.chdir(place)
        (place / name).chmod(0o444)
        before = files_of(place)[name]
        code, said = eval(as_nobody(lambda: scene.improve(place, "shop", *argv)))
        assert (code, "read-only" in said) == (5, True), said
        assert str(place / name) in said
        assert files_of(place)[name] == before
        assert scene.evidence(place)[0]["swept"] == (argv == OBSERVE)


# --- odd files ---


def pipe(path: Path) -> None:
    """Make a FIFO that nobody writes to."""
    os.mkfifo(path)


def zeros(path: Path) -> None:
    """Make a link to a file that never ends."""
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    """Make a file of 5 GB that takes no room."""
    with path.open("wb") as file:
        file.truncate(5 << 30)


ODD: tuple[Callable[[Path], None], ...] = (pipe, Path.mkdir, zeros, sparse)
NAMES = [odd.__name__ for odd in ODD]
SECOND = 1.0


def odd_in(place: Path, name: str, odd: Callable[[Path], None]) -> None:
    """Put an odd file in the place of a good one."""
    path = place / name
    path.unlink(missing_ok=True)
    odd(path)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("odd", ODD, ids=NAMES)
@pytest.mark.parametrize(
    ("name", "argv"),
    [
        (SHOP, APPLY),
        (SHOP, ("seed", "--from-agents-md", "AGENTS.md")),
        ("home/rules.yaml", OBSERVE),
        ("home/rules.yaml", ("status",)),
        ("home/journal.jsonl", APPLY),
        ("home/journal.jsonl", ("undo",)),
        ("home/journal.jsonl", ("log",)),
        ("home/config.yaml", APPLY),
        ("home/config.yaml", ("status",)),
    ],
)
def test_what_is_no_file_is_refused_at_once(
    tmp_path: Path, name: str, argv: tuple[str, ...], odd: Callable[[Path], None]
) -> None:
    """A pipe, a directory, an endless device, 5 GB: exit 3, 5 or 6 within a second, one message, nothing changed."""
    place = prepared(tmp_path / "run", Scene(DUE))
    assert scene.improve(place, "shop", "status")[0] == 0
    odd_in(place, name, odd)
    before = files_of(place)
    begin = time.process_time()  # what waits for ever is stopped by the test's own limit
    code, said = scene.improve(place, "shop", *argv)
    assert time.process_time() - begin < SECOND
    if argv == ("log",) and odd is sparse:  # it has no line that is an event
        assert (code, said) == (0, "Nothing was done yet.\n")
    elif argv == ("undo",) and odd is sparse:
        assert code == 3
    elif name == "home/journal.jsonl" and argv == APPLY and odd is sparse:
        return  # a log may be of any size: lines are put at its end
    else:
        assert code in (3, 5, 6), said
        assert Path(name).name in said
    after = files_of(place)
    kept = {path for path in after if path.startswith("home/spool/")}
    assert {path: held for path, held in after.items() if path not in kept} == before
    assert bool(kept) == (argv == OBSERVE)
    assert not list((place / "tmp").iterdir())


@pytest.mark.timeout(20)
@pytest.mark.parametrize("odd", ODD, ids=NAMES)
@pytest.mark.parametrize("name", ["index.sqlite", "index.sqlite.seal"])
def test_an_index_that_is_no_file_costs_nothing_but_time(
    tmp_path: Path, name: str, odd: Callable[[Path], None]
) -> None:
    """The index is derived: whatever stands in its place, commands do their work, within a second."""
    place = prepared(tmp_path / "run", Scene(DUE, warm=True))
    with inside(place):
        cache = Path(paths.find_home(os.environ).cache)
    odd_in(place, str((cache / name).relative_to(place)), odd)
    begin = time.process_time()
    code, said = scene.improve(place, "shop", *OBSERVE)
    assert (code, time.process_time() - begin < SECOND) == (0, True), said
    assert scene.evidence(place)[0]["swept"] == 1
    assert ERRORS in scene.improve(place, "shop", "status", "--all")[1] + "".join(r.text for r in scene.rules(place))


# --- locks, signals, clocks ---


def test_a_lock_held_for_long_costs_no_observation(tmp_path: Path) -> None:
    """observe gives up after 5 s with exit 4 and keeps the observation; status answers at once; then it is merged."""
    place = prepared(tmp_path / "run", Scene(DUE))
    with inside(place):
        home = paths.find_home(os.environ)
    begin = time.monotonic()
    with locks.lock(os.path.realpath(home.path), directory=home.state):
        process = start(place, *OBSERVE)
        _, err = process.communicate()
        waited = time.monotonic() - begin
        begin = time.monotonic()
        looked = start(place, "status")
        answered, _ = looked.communicate()
        quick = time.monotonic() - begin
    assert (process.returncode, len(err.splitlines())) == (4, 1), err
    assert "The observation is kept" in err
    assert 4.5 < waited < 8
    assert (looked.returncode, bool(answered)) == (0, True)
    assert quick < 3
    assert len(list((place / "home/spool").iterdir())) == 1
    check_next_run(place, 4, err, earlier=2)
    assert not list((place / "home/spool").iterdir())


def some(calls: list[Call]) -> list[Fault]:
    """Pick twelve moments for Ctrl-C, always the same."""
    return random.Random(20).sample(interrupts(calls), 12)


@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
@pytest.mark.parametrize("name", ["observe-known", "escalate"])
def test_ctrl_c_leaves_nothing_half_done(tmp_path: Path, name: str) -> None:
    """At twelve moments: exit 130 with one line, or done; every file as before or as after; the next run is well."""
    report = sweep(replace(COMMANDS[name], pick=some), tmp_path)
    print(report)
    assert report.problems == []
    assert report.outcomes["exit 130"] > 6


def test_travelling_does_not_change_the_order_of_things(tmp_path: Path) -> None:
    """Observations that waited are merged in the order of their moments, and undo takes the newest change set."""
    place = prepared(tmp_path / "run", Scene(DUE))
    spool = place / "home/spool"
    spool.mkdir(exist_ok=True)
    order = ["Pacific/Kiritimati", "UTC", "Pacific/Pago_Pago"]
    with inside(place):
        home = paths.find_home(os.environ)
    with locks.lock(os.path.realpath(home.path), directory=home.state):
        late = []
        for zone in order:
            late.append(start(place, "observe", "Write dates as ISO 8601", "--context", zone, TZ=zone))
            time.sleep(1.1)  # names of waiting observations tell seconds
        for process in late:
            process.communicate()
            assert process.returncode == 4
    assert start(place, "status", TZ="Pacific/Pago_Pago").wait() == 0
    rule = next(rule for rule in scene.rules(place) if "ISO" in rule.text)
    assert [item.context for item in rule.observations] == order
    for severity, zone in (("2", order[0]), ("3", order[2])):
        assert start(place, "set", rule.id, "--severity", severity, TZ=zone).wait() == 0
    assert start(place, "undo", TZ=order[0]).wait() == 0
    assert next(found for found in scene.rules(place) if found.id == rule.id).severity == 2
    assert start(place, "stale", "--days", "0", TZ=order[2]).wait() == 0


# --- repositories that want to run something ---


def make_hostile(git: Path, canary: Path) -> None:
    """Let a git directory run something wherever git allows it."""
    script = git / "run-me"
    script.write_text(f"#!/bin/sh\ntouch {canary}\n")
    script.chmod(0o755)
    settings = ["core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "diff.external"]
    settings += ["credential.helper", "gpg.program", "filter.x.clean", "filter.x.smudge", "uploadpack.packObjectsHook"]
    for name in settings:
        subprocess.run(["git", "config", "--file", git / "config", name, str(script)], check=True)
    subprocess.run(["git", "config", "--file", git / "config", "commit.gpgSign", "true"], check=True)
    subprocess.run(
        ["git", "config", "--file", git / "config", "includeIf.gitdir:/.path", str(git / "more")], check=True
    )
    (git / "more").write_text(f"[alias]\n\trev-parse = !{script}\n[core]\n\thooksPath = {git / 'hooks'}\n")
    (git / "hooks").mkdir(exist_ok=True)
    for hook in ("post-checkout", "pre-commit", "post-commit", "reference-transaction", "post-index-change"):
        (git / "hooks" / hook).write_bytes(script.read_bytes())
        (git / "hooks" / hook).chmod(0o755)
    (git / "info").mkdir(exist_ok=True)
    (git / "info" / "attributes").write_text("* filter=x diff=x\n")


@pytest.mark.parametrize("kind", ["own", "elsewhere"])
def test_a_hostile_repository_never_runs_anything(tmp_path: Path, kind: str) -> None:
    """Config, hooks and a `.git` file that leads outside are read at most; the canary stays where it is."""
    place = prepared(tmp_path / "run", Scene(PROMOTED, git=True))
    canary = tmp_path / "it-ran"
    git = place / "shop/.git"
    if kind == "elsewhere":
        git.rename(tmp_path / "outside")
        git.write_text(f"gitdir: {tmp_path / 'outside'}\n")
        git = tmp_path / "outside"
    make_hostile(git, canary)
    for argv in (OBSERVE, ("status",), ("where",), ("escalate",), APPLY, ("undo",)):
        process = start(place, *argv)
        _, err = process.communicate()
        assert process.returncode == 0, err
    assert not canary.exists()
    subprocess.run(["git", "-C", place / "shop", "status"], check=False, capture_output=True)
    assert canary.exists(), "the canary would not have told"


def test_the_stores_own_repository_never_runs_anything(tmp_path: Path) -> None:
    """A home whose git config and hooks came from elsewhere is committed to without running them."""
    place = prepared(tmp_path / "run", Scene(DUE, git=True))
    canary = tmp_path / "it-ran"
    subprocess.run(["git", "init", "-q", place / "home"], check=True)
    make_hostile(place / "home/.git", canary)
    (place / "home/.git/info/attributes").unlink()
    assert scene.improve(place, "shop", *APPLY)[0] == 0
    assert not canary.exists()


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_sixty_four_processes_lose_and_double_nothing() -> None:
    """The long version of the crowd: 64 × 200 observations with random kill -9."""
    crowd = Path(__file__).parents[1] / "commands" / "crowd.py"
    done = subprocess.run([sys.executable, crowd, "64", "200"], capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
