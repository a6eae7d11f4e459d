"""The faults themselves: which call of a command is hit, how, and how strace is told."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

ERRNOS = ("ENOSPC", "EIO", "EACCES", "EROFS", "EDQUOT", "ENOLCK", "EINTR")
CALLS = (
    "?open,?openat,?creat,?read,?pread64,?write,?writev,?pwrite64,?fsync,?fdatasync,?rename,?renameat,?renameat2,"
    "?link,?linkat,?symlink,?symlinkat,?unlink,?unlinkat,?rmdir,?mkdir,?mkdirat,?truncate,?ftruncate,?flock,"
    "?chmod,?fchmod,?fchmodat,?chown,?fchown,?fchownat,?stat,?lstat,?fstat,?newfstatat,?statx,?readlink,"
    "?readlinkat,?close,?lseek,?getdents64,?listxattr,?flistxattr,?fgetxattr,?fsetxattr"
)
"""Every call on files, as strace wants them; the question mark allows names this machine does not have."""


@dataclass(frozen=True)
class Call:
    """One file system call of the traced run."""

    name: str
    number: int
    """How many calls of this name the process has made by then, itself included."""
    text: str
    """Arguments and result as strace shows them, with the path of every descriptor."""
    last: bool = True
    """No later call of this name is on a stream or an ignored file, so an error may last."""


@dataclass(frozen=True)
class Fault:
    """What is done to one call."""

    call: Call
    kind: str
    """`kill`, `error`, `short` or `interrupt` (Ctrl-C)."""
    value: str = ""
    lasting: bool = False
    """Every later call of the same name fails, too."""

    @property
    def injection(self) -> str:
        """The fault in the words of strace(1)."""
        what = {
            "kill": "signal=KILL",
            "interrupt": "signal=INT",
            "error": f"error={self.value}",
            "short": f"retval={self.value}",
        }[self.kind]
        return f"inject={self.call.name}:{what}:when={self.call.number}{'+' if self.lasting else ''}"

    def __str__(self) -> str:
        how = f"{self.kind} {self.value}".strip() + (" from there on" if self.lasting else "")
        return f"{how} at {self.call.name} #{self.call.number} ({self.call.text[:160]})"


@cache
def missing() -> str:
    """Say what keeps this machine from injecting faults; empty when nothing does."""
    if shutil.which("strace") is None:
        return "fault injection needs strace (Linux: apt-get install strace)"
    probe = ["strace", "-f", "--seccomp-bpf", "-o", os.devnull, "-e", "trace=close", "-e"]
    probe += ["inject=close:error=EIO:when=99", "true"]
    run = subprocess.run(probe, capture_output=True, text=True, check=False)
    return f"strace cannot trace here: {run.stderr.strip()[:200]}" if run.returncode else ""


def faults(calls: Iterable[Call]) -> list[Fault]:
    """List every fault that the calls of a run can meet."""
    found = []
    for call in calls:
        found.append(Fault(call, "kill"))
        for name in ERRNOS:
            found.append(Fault(call, "error", name))
            if name != "EINTR" and call.last:
                found.append(Fault(call, "error", name, lasting=True))
        if call.name in ("write", "pwrite64"):
            found += [Fault(call, "short", "1"), Fault(call, "short", "0")]
    return found


def interrupts(calls: Iterable[Call]) -> list[Fault]:
    """List every moment at which Ctrl-C can be pressed."""
    return [Fault(call, "interrupt") for call in calls]


_CHANGING = re.compile(
    r"p?write|f?datasync|fsync|rename|p?unlink|link|symlink|rmdir|mkdir|f?truncate|flock|f?ch(mod|own)|fset"
)


def telling(calls: Iterable[Call]) -> list[Fault]:
    """List the faults, but leave out what tells nothing new, of a command that makes a thousand calls.

    A kill between two changes leaves on the disk what a kill right before the second one leaves. A call that only
    looks fails in the same way whatever the errno; so it gets one, each call another, and once. Of the many looks
    at the directories on the way to a file, every eighth counts.
    """
    kept = []
    for fault in faults(calls):
        call, turn = fault.call, fault.call.number
        changes = _CHANGING.match(call.name) or "O_CREAT" in call.text or "O_TRUNC" in call.text
        in_turn = fault.value == ERRNOS[turn % len(ERRNOS)] and (turn % 8 == 0 or not _on_the_way(call))
        if changes or (in_turn and not fault.lasting):
            kept.append(fault)
    return kept


def _on_the_way(call: Call) -> bool:
    return "O_PATH" in call.text or "S_IFDIR" in call.text or call.name == "close"


def choose(found: list[Fault], sample: int | None) -> list[Fault]:
    """Pick always the same part of the faults: from each kind of call in turn, kills and errors alike."""
    if sample is None or sample >= len(found):
        return found
    dice = random.Random(sample)
    heaps: dict[tuple[str, bool], list[Fault]] = {}
    for fault in found:
        heaps.setdefault((fault.call.name, fault.kind == "error"), []).append(fault)
    for heap in heaps.values():
        dice.shuffle(heap)
    turns = zip_longest(*heaps.values())
    return [fault for turn in turns for fault in turn if fault is not None][:sample]
