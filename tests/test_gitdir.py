"""Git's config format, read without git: the same answers as `git config`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve import gitdir

CASES = {
    "plain": '[remote "origin"]\n\turl = git@h:a/b\n',
    "no spaces": '[remote "origin"]url=git@h:a/b',
    "letter case of section and key": '[REMOTE "Origin"]\nURL = x\n[CORE]\nBare = TRUE\n',
    "subsection keeps its case": '[remote "A"]\nurl=1\n[remote "a"]\nurl=2\n',
    "old dotted subsection is lowered": "[remote.Origin]\nurl = x\n",
    "quotes and blanks": '[remote "o"]\nurl = "  a b  "  \n',
    "quotes inside": '[remote "o"]\nurl = a" b "c\n',
    "comment after value": '[remote "o"]\nurl = a/b # c\n',
    "semicolon comment": '[remote "o"]\n; url = no\nurl = a/b;c\n',
    "comment sign in quotes": '[remote "o"]\nurl = "a#b;c" ; d\n',
    "escapes": '[remote "o"]\nurl = a\\tb\\\\c\\"d\n',
    "continuation": '[remote "o"]\nurl = a\\\nb\n\tfetch = x\n',
    "continuation that looks like a section": '[core]\nx = a\\\n[remote "evil"]\n url = no\n',
    "backslash at the end of a comment goes nowhere": '[remote "o"]\n# c \\\nurl = a\n',
    "backslash in a trailing comment": '[remote "o"]\nurl = a # c \\\nfetch = b\n',
    "carriage returns": '[remote "o"]\r\n\turl = a/b\r\n[core]\r\n\tbare = false\r\n',
    "byte order mark": '\ufeff[remote "o"]\nurl = a\n',
    "several values": '[remote "o"]\nurl = a\nurl = b\n[remote "o"]\nurl = c\n',
    "key alone is true": "[core]\nbare\n",
    "escaped subsection": '[remote "a\\"b\\\\c]d"]\nurl = x\n',
    "other sections do not matter": '[alias]\nx = "!touch [remote"\n[remote "o"]\nurl = a\n',
    "include is no value of ours": '[include]\npath = /nowhere\n[remote "o"]\nurl = a\n',
    "value with equals sign": '[remote "o"]\nurl = https://h/a?b=c\n',
    "not ASCII": '[remote "größe"]\nurl = git@h:ä/ö\n',
    "empty value": '[remote "o"]\nurl =\n',
    "branch": '[branch "feature/x.y"]\nremote = up\nmerge = refs/heads/x\n',
}


def _asked(path: Path) -> dict[str, list[str]]:
    """Ask git itself for the sections that matter."""
    raw = subprocess.run(
        ["git", "config", "-z", "--no-includes", "--list", "-f", path], capture_output=True, check=True
    )
    found: dict[str, list[str]] = {}
    for entry in raw.stdout.decode().split("\0")[:-1]:
        key, mark, value = entry.partition("\n")
        if key.partition(".")[0] in ("core", "remote", "branch"):
            found.setdefault(key, []).append(value if mark else "true")
    return found


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_the_config_means_what_git_says(text: str, tmp_path: Path) -> None:
    """Quotes, comments, escapes, continuation lines and letter case are read as git reads them."""
    file = tmp_path / "config"
    file.write_bytes(text.encode())
    assert gitdir.read_config(text, "core", "remote", "branch") == _asked(file)


_NAME = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), min_size=1, max_size=12)
_VALUE = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=30)


@given(_NAME, _VALUE)
def test_what_git_writes_is_read_back(name: str, value: str) -> None:
    """Any name and value, quoted and escaped as git does when it writes them, come back."""

    def quoted(text: str) -> str:
        return text.replace("\\", "\\\\").replace('"', '\\"')

    written = f'[remote "{quoted(name)}"]\n\turl = "{quoted(value).replace(chr(10), chr(92) + "n")}"\n'
    assert gitdir.read_config(written) == {f"remote.{name}.url": [value]}


@given(st.text(alphabet='[]"\\ab.= #;\n\t\r\0core\udcff', max_size=80))
def test_any_text_is_a_config(text: str) -> None:
    """Broken files are read as far as they make sense, and never raise."""
    for key, values in gitdir.read_config(text).items():
        assert key.partition(".")[0] in ("core", "remote")
        assert values


def test_a_pipe_and_a_huge_file_are_no_config(tmp_path: Path) -> None:
    """What would block or fill the memory is not read."""
    os.mkfifo(tmp_path / "config")
    assert gitdir.config(str(tmp_path)) == {}
    (tmp_path / "config").unlink()
    (tmp_path / "config").write_bytes(b'[remote "o"]\nurl = a\n' + b"#" * (1 << 20))
    assert gitdir.config(str(tmp_path)) == {}


def test_a_linked_config_is_not_followed(tmp_path: Path) -> None:
    """A config that is a link could be another repository's."""
    (tmp_path / "other").write_text('[remote "o"]\nurl = git@h:a/b\n', "utf-8")
    (tmp_path / "config").symlink_to("other")
    assert gitdir.config(str(tmp_path)) == {}
