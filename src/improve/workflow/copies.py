"""Copies of settings files as they were before our first change: private, outside of the store, kept until the end."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace

from improve import files
from improve.errors import ImproveError, Refused
from improve.workflow import receipt
from improve.workflow.here import Here
from improve.workflow.pieces import Step


def keep(here: Here, step: Step) -> Step:
    """Copy a file that has no copy yet, and see that the copy is whole; gives the step that remembers it."""
    assert step.before is not None and step.item is not None
    if not step.before.exists or (step.item.backup and os.path.exists(step.item.backup)):
        return step
    folder = files.private_directory(receipt.copies_of(here.home))
    name = f"{step.before.sha[:12]}-{os.urandom(4).hex()}-{os.path.basename(step.piece.path)}"
    path = os.path.join(folder, name)
    try:
        files.create_exclusive(folder, name, step.before.data)
        if files.read(path, cap=len(step.before.data)).data != step.before.data:
            raise Refused(f"{path} is no good copy of {step.piece.path}; nothing was written. Check the disk")
    except BaseException:
        drop(path)
        raise
    return replace(step, item=replace(step.item, backup=path))


def drop(path: str) -> None:
    """Remove a copy, and the directory of copies with the last one."""
    with contextlib.suppress(ImproveError):
        files.unlink(path)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(path))
