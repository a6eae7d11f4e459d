"""Run a part of a test as a user without privileges, for root may read and write everything."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


@contextmanager
def shared_place() -> Iterator[Path]:
    """Give a directory that an unprivileged user can reach and owns; pytest's own are closed to others."""
    place = Path(tempfile.mkdtemp(prefix="improve-test-", dir=os.path.realpath(tempfile.gettempdir())))
    try:
        if os.geteuid() == 0:
            os.chown(place, NOBODY, NOBODY)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def as_nobody(action: Callable[[], object]) -> str:
    """Do something as nobody (or as ourselves, when we are not root); tell what came of it in one line.

    The answer is `repr(result)`, or the name of the exception, a colon and its message.
    """
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            answer = repr(action())
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(into, answer.encode("utf-8", "backslashreplace"))
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as stream:
        answer = stream.read().decode()
    os.waitpid(child, 0)
    return answer
