"""Time the reader of Claude Code's transcripts beside grep and another parser, on a folder of real sessions repeated.

    python benchmarks/transcripts.py [DATA] [--megabytes 200] [--runs 7] [--other PYTHON] [--large]

DATA is the folder that holds `transcripts/` (default: $IMPROVE_DATA). Its files are repeated with identities of their
own until the folder has the size asked for. `grep -c '"type":"user"'` runs over the same files as a process of its own,
its count written to a pipe: told to write nowhere, grep stops at the first match. PYTHON is an interpreter that has
`claude-code-log` installed: it reads files of the corpus one by one, and the folder they are in; its count of prompts
is compared file by file.
`--large` writes one file of 1 GB and reads it in a process of its own.

Figures are medians of runs side by side; the machine's page cache is warm for all.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from improve.detectors import detect
from improve.session import AGENT, ANSWER, COMMAND, HOST, PERSON, TOOL, Session, Turn
from improve.transcripts import reader

READ = reader("claude-code").read
_UUID = re.compile(rb"([0-9a-f]{8})-[0-9a-f]{4}-([0-9a-f]{4}-)")
_OTHER = """
import json, logging, sys, time
from pathlib import Path
logging.disable(logging.CRITICAL)
from claude_code_log.converter import load_directory_transcripts, load_transcript
from claude_code_log.renderer import generate_template_messages
paths, count = [Path(line) for line in sys.stdin.read().splitlines()], sys.argv[1] == "count"
begin = time.perf_counter()
if sys.argv[1] == "folders":
    loaded = [load_directory_transcripts(path, silent=True)[0] for path in paths]
else:
    loaded = [load_transcript(path, silent=True) for path in paths]
spent = time.perf_counter() - begin
said = {"UserTextMessage", "UserSteeringMessage", "UserMemoryMessage"}
def prompts(entries):
    kinds = [m for m in generate_template_messages(entries)[2].messages if m]
    return [m.content.items[0].text if getattr(m.content, "items", None) else "" for m in kinds
            if type(m.content).__name__ in said]
print(json.dumps([spent, [prompts(entries) for entries in loaded] if count else []]))
"""
_LARGE = """
import json, resource, sys, time
from improve.transcripts import reader
begin, turns = time.perf_counter(), 0
for session in reader("claude-code").read(sys.argv[1], 0):
    for turn in session:
        turns += 1
spent, most = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:  # on Linux ru_maxrss counts what the parent held when it started this process
    most = int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
except OSError:
    pass
print(json.dumps([spent, turns, most * 1024]))
"""


def main(argv: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", default=os.environ.get("IMPROVE_DATA", ""))
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--other", default="")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args(argv)
    real = sorted(Path(options.data, "transcripts", "claude-code").glob("*.jsonl")) if options.data else []
    if not real:
        print("skipped: no real transcripts (name their folder, or set IMPROVE_DATA)")
        return
    with tempfile.TemporaryDirectory() as folder:
        files = repeated(real, Path(folder), options.megabytes << 20)
        speed(files, options)
        growth(files, options.runs)
        if options.other:
            compare(real, options.other)
        if options.large:
            large(real, Path(folder))


def repeated(real: list[Path], folder: Path, size: int) -> list[Path]:
    """Write the files again and again, each time with other identities, a directory for every hundred."""
    texts = [path.read_bytes().rstrip(b"\n") + b"\n" for path in real]
    files: list[Path] = []
    written = copy = 0
    while written < size:
        text = fresh(texts[copy % len(texts)], copy)
        files.append(folder / f"project-{copy // SOME}" / f"{copy}.jsonl")
        files[-1].parent.mkdir(exist_ok=True)
        files[-1].write_bytes(text)
        written, copy = written + len(text), copy + 1
    return files


def fresh(text: bytes, copy: int) -> bytes:
    """Give a copy of a session whose identities are its own."""
    return _UUID.sub(lambda found: b"%s-%04x-%s" % (found[1], copy % 65536, found[2]), text)


def look(session: Session) -> int:
    """Look at what a detector needs: persons' words, the agent's last before them, what failed and its call."""
    recent: deque[Turn] = deque(maxlen=20)
    seen = 0
    for turn in session:
        if turn.who == AGENT:
            recent.append(turn)
        elif turn.who == PERSON:
            seen += len(turn.text) > 0
            for said in reversed(recent):
                if said.text:
                    break
            recent.clear()
        elif turn.who == TOOL and turn.failed:
            calls = {result.call for result in turn.results}
            seen += any(call.id in calls for said in reversed(recent) for call in said.calls)
    return seen


OTHER = ("claude-code-log, file by file", "claude-code-log, the folder")
SOME = 100
"""Files of a folder of the corpus, which is what the other parser gets: it is slow, and its speed does not change."""
CONSUMERS: dict[str, Callable[[Session], object]] = {
    "turns": lambda session: sum(1 for _ in session),
    "turns, looked at as detectors do": look,
    "turns and detectors": lambda session: sum(1 for _ in detect(session)),
}


def timed(files: list[Path], consume: Callable[[Session], object]) -> float:
    """Read files in this process."""
    begin = time.perf_counter()
    for path in files:
        for session in READ(str(path), 0):
            consume(session)
    return time.perf_counter() - begin


def grep(files: list[Path]) -> float:
    """Count lines of users with grep, as a process of its own."""
    begin = time.perf_counter()
    subprocess.run(["grep", "-c", '"type":"user"', *files], stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - begin


def speed(files: list[Path], options: argparse.Namespace) -> None:
    """Print megabytes a second and the ratio to grep."""
    size = sum(path.stat().st_size for path in files)
    some = [path for path in files if path.parent == files[0].parent][:SOME]
    times: dict[str, list[float]] = {name: [] for name in (*CONSUMERS, "grep", *(OTHER if options.other else ()))}
    for path in files:
        path.read_bytes()
    for _ in range(options.runs):
        times["grep"].append(grep(files))
        for name, consume in CONSUMERS.items():
            times[name].append(timed(files, consume))
        if options.other:
            part = sum(path.stat().st_size for path in some)
            for name, each, what in zip(
                OTHER, (some, sorted({path.parent for path in some})), ("files", "folders"), strict=True
            ):
                times[name].append(other(options.other, each, what)[0] * size / part)
    base = statistics.median(times["grep"])
    print(f"{len(files)} files, {size / 1e6:,.0f} MB, median of {options.runs}\n")
    print(f"{'':34} {'MB/s':>7} {'× grep':>7} {'× other':>8}")
    for name, spent in times.items():
        middle = statistics.median(spent)
        beside = f"{statistics.median(times[OTHER[1]]) / middle:8.1f}" if options.other else ""
        print(f"{name:34} {size / 1e6 / middle:7,.0f} {middle / base:7.1f} {beside}")


def growth(files: list[Path], runs: int) -> None:
    """Print how the time grows with the bytes, one file and many."""
    print(f"\n{'growth':34} {'1×':>7} {'2×':>7} {'4×':>7}")
    quarter = len(files) // 4
    many = [statistics.median(timed(files[: quarter * n], look) for _ in range(runs)) for n in (1, 2, 4)]
    print(f"{'as many files':34} " + " ".join(f"{each / many[0]:7.2f}" for each in many))
    one = [joined(files[: quarter * n]) for n in (1, 2, 4)]
    spent = [statistics.median(timed([path], look) for _ in range(runs)) for path in one]
    print(f"{'as one file':34} " + " ".join(f"{each / spent[0]:7.2f}" for each in spent))
    for path in one:
        path.unlink()


def joined(files: list[Path]) -> Path:
    """Write files as one."""
    path = files[0].with_name(f"joined-{len(files)}.jsonl")
    with path.open("wb") as stream:
        for each in files:
            stream.write(each.read_bytes())
    return path


def other(python: str, files: list[Path], what: str = "files") -> tuple[float, list[list[str]]]:
    """Parse files with claude-code-log: its own time without its start, and the prompts it shows."""
    names = "\n".join(map(str, files))
    done = subprocess.run([python, "-c", _OTHER, what], input=names, stdout=subprocess.PIPE, text=True, check=True)
    spent, prompts = json.loads(done.stdout.splitlines()[-1])
    return spent, prompts


def compare(real: list[Path], python: str) -> None:
    """Print the prompts of each file as both tell them, and every one that only one of them does."""
    print(f"\n{'prompts':60} {'other':>6} {'ours':>6}")
    for path, theirs in zip(real, other(python, real, "count")[1], strict=True):
        ours = [turn for session in READ(str(path), 0) for turn in session if turn.who in (PERSON, HOST)]
        said = [turn.text for turn in ours if turn.who == PERSON and turn.how not in (ANSWER, COMMAND)]
        print(f"{path.name:60} {len(theirs):6} {len(said):6}")
        for text, why in differences(theirs, said):
            print(f"    {why}: {text[:60]!r}")


def differences(theirs: list[str], ours: list[str]) -> Iterator[tuple[str, str]]:
    """Give each prompt that one of them alone shows, and why.

    claude-code-log shows what stands where a prompt stands. When a plan is accepted and the context cleared, Claude
    Code writes the plan there; when a person presses Esc, a mark. Neither was typed.
    """
    for text in theirs:
        if text.strip() in ours:
            continue
        if text.startswith("Implement the following plan:"):
            yield text, "other only, a plan the program put in"
        elif text.startswith("[Request interrupted"):
            yield text, "other only, an interrupt: ours tells it as a note of the host"
        else:
            yield text, "other only, NOT EXPLAINED"
    for text in ours:
        if text not in [each.strip() for each in theirs]:
            yield text, "ours only, NOT EXPLAINED"


def large(real: list[Path], folder: Path) -> None:
    """Print the time and the memory of one file of 1 GB, and what the interpreter takes before it reads."""
    path = folder / "large.jsonl"
    texts, copy = [each.read_bytes().rstrip(b"\n") + b"\n" for each in real], 0
    with path.open("wb") as stream:
        while stream.tell() < 1 << 30:
            stream.write(fresh(texts[copy % len(texts)], copy))
            copy += 1
    small = folder / "empty.jsonl"
    small.touch()
    for name, each in (("an empty file", small), ("one file of 1 GB", path)):
        done = subprocess.run([sys.executable, "-c", _LARGE, str(each)], stdout=subprocess.PIPE, check=True)
        spent, turns, resident = json.loads(done.stdout)
        print(f"\n{name}: {turns:,} turns in {spent:.2f} s, {resident / 1e6:.0f} MB resident")


if __name__ == "__main__":
    main()
