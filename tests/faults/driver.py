"""One write of each kind, done as the commands do it: what the fault sweeps of this directory run.

`driver.py replace|create|append|spool DIRECTORY`; exit codes and the line on stderr are those of `improve`.
"""

from __future__ import annotations

import sys

from improve.errors import ImproveError
from improve.files import append_line, create_exclusive, private_directory, read, replace
from improve.locks import lock

OLD = b"# Rules\r\n\r\n- use spaces\r\n" * 20
NEW = OLD + b"- use pnpm\r\n"
LINE = b'{"event": "observed", "text": "' + b"x" * 200 + b'"}'
ENTRY = b'{"text": "use pnpm"}'


def write(kind: str, place: str) -> None:
    """Do one write under the lock of its file."""
    target = f"{place}/repo/{kind}"
    with lock(target, directory=f"{place}/state/locks", timeout=1.0):
        if kind == "replace":
            replace(read(f"{place}/repo/AGENTS.md", cap=1 << 20, within=place), NEW)
        elif kind == "create":
            replace(read(f"{place}/repo/.claude/rules/improve.md", cap=1 << 20), NEW, make_parents=True)
        elif kind == "append":
            append_line(f"{place}/home/journal.jsonl", LINE)
        else:
            deliver(private_directory(f"{place}/home/spool"))


def deliver(spool: str) -> None:
    """Put the entry into the spool, unless an earlier run that was not acknowledged already did."""
    try:
        create_exclusive(spool, "1.json", ENTRY)
    except FileExistsError:
        if read(f"{spool}/1.json", cap=1 << 20).data != ENTRY:
            raise


def main(kind: str, place: str) -> int:
    """Turn an expected failure into its exit code and one line."""
    try:
        write(kind, place)
    except ImproveError as error:
        sys.stderr.write(f"improve: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
