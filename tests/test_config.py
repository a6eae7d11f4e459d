"""config.yaml: defaults for what is not there, a line for everything that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from improve import config
from improve.config import Config
from improve.errors import NeedsRepair
from improve.escalate import Thresholds


def loaded(tmp_path: Path, data: bytes) -> Config:
    """Load a config with this content."""
    (tmp_path / "config.yaml").write_bytes(data)
    return config.load(str(tmp_path / "config.yaml"))


def test_a_missing_file_means_defaults(tmp_path: Path) -> None:
    """Without a file the table of the decision tree holds, and git is on."""
    assert config.load(str(tmp_path / "config.yaml")) == Config(True, "agent", Thresholds(2, 2))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", Config()),
        (b"# only\n\n", Config()),
        (b"git: false\n", Config(git=False)),
        (b"git: False # off", Config(git=False)),
        (b"\xef\xbb\xbfgit: false\r\ntrust: verified\r\n", Config(git=False, trust="verified")),
        (b'"git": "false"\n', Config(git=False)),
        (b"{git: false, trust: verified}\n", Config(git=False, trust="verified")),
        (b"---\nthreshold_project: 3\n", Config(thresholds=Thresholds(3, 2))),
        (b"threshold_several_projects: 10\n  # note\n", Config(thresholds=Thresholds(2, 10))),
    ],
)
def test_settings_are_read_in_every_style(tmp_path: Path, data: bytes, found: Config) -> None:
    """Each key alone changes its own setting."""
    assert loaded(tmp_path, data) == found


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"git: maybe\n", ["line 1: git"]),
        (b"\ngit:\n", ["line 2: git"]),
        (b"git: true\ngit: false\n", ["line 2: the key 'git' is here twice (first 1 line above)"]),
        (
            b"colour: red\ntrust: nobody\nthreshold_project: 0\n",
            ["line 1: colour", "line 2: trust", "line 3: threshold"],
        ),
        (b"threshold_project: -1\n", ["line 1: threshold"]),
        (b"threshold_project: 1001\n", ["line 1: threshold"]),
        (b"threshold_project: 0000000019999999\n", ["line 1: threshold"]),
        (b"threshold_project: 1" + b"0" * 30 + b"\n", ["line 1: threshold"]),
        (b"threshold_project: [2]\n", ["line 1: threshold"]),
        (b"git: \xff\n", ["line 1"]),
        (b"git: false\0\n", ["line 1"]),
        (b"- git\n", ["line 1: expected settings"]),
        (b"hello\n", ["line 1: expected settings"]),
        (b"git: &x false\n", ["line 1: anchors"]),
        (b"git: true\n<<<<<<< HEAD\ntrust: agent\n=======\n>>>>>>> b\n", ["line"]),
    ],
)
def test_everything_wrong_is_named_with_its_line(tmp_path: Path, data: bytes, lines: list[str]) -> None:
    """All mistakes at once; nothing is guessed."""
    with pytest.raises(NeedsRepair) as caught:
        loaded(tmp_path, data)
    assert len(caught.value.problems) == len(lines)
    for problem, line in zip(sorted(caught.value.problems), lines, strict=True):
        assert problem.startswith(line)
