"""Concurrency: many processes, random kills."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commands.crowd import crowd

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kill -9 is a POSIX thing")


@pytest.mark.timeout(240)
def test_sixteen_processes_lose_and_double_nothing(tmp_path: Path) -> None:
    """16 × 50 observations with random kill -9: what was acknowledged is there exactly once, no file is left."""
    got = crowd(tmp_path, 16, 50)
    assert len(got.tried) == 800
    assert got.kills > 10
    assert (got.lost, got.doubled, got.invented, got.failed, got.strays) == (set(), set(), set(), [], [])
