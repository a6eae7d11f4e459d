"""A difference is found, shown as git shows it, and taken back even where the file went on without us."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from improve.diff import Hunk, diff_hunks, revert, unified
from improve.errors import Refused

_line = st.sampled_from([b"- a", b"- b", b"", b"  ", b"## T", b"x", b"y\rz", b"\xff\xfe", b"- ours", b"\\"])


@st.composite
def _lines(draw: st.DrawFn) -> bytes:
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    return end.join(draw(st.lists(_line, max_size=9))) + (end if draw(st.booleans()) else b"")


_file = st.one_of(_lines(), _lines(), st.binary(max_size=20))


@given(_file, _file)
def test_hunks_are_the_whole_difference(old: bytes, new: bytes) -> None:
    """Hunks lie in order in the old file, and replacing them gives the new one."""
    built, at = b"", 0
    for hunk in diff_hunks(old, new):
        assert hunk.offset >= at and old[hunk.offset :].startswith(hunk.removed)
        built += old[at : hunk.offset] + hunk.added
        at = hunk.offset + len(hunk.removed)
    assert built + old[at:] == new


@given(_file, _file)
def test_reverting_restores(old: bytes, new: bytes) -> None:
    """Taking back what changed gives the file as it was."""
    assert revert(new, diff_hunks(old, new)) == old


@given(_file)
def test_no_difference_is_no_hunk(data: bytes) -> None:
    """A file that did not change has no hunks and no diff."""
    assert diff_hunks(data, data) == ()
    assert unified(data, data, "AGENTS.md") == ""


def test_hunks_are_small() -> None:
    """Two edits far apart are two hunks, each of the lines that changed."""
    old = b"".join(b"line %d\n" % n for n in range(40))
    new = old.replace(b"line 3\n", b"line three\n").replace(b"line 30\n", b"line 30\nmore\n")
    assert diff_hunks(old, new) == (
        Hunk(21, b"line 3\n", b"line three\n"),
        Hunk(old.index(b"line 31\n"), b"", b"more\n"),
    )


def test_a_removal_takes_a_neighbour_along() -> None:
    """A hunk that adds nothing could not be found again, so it holds the line above, with text in it."""
    assert diff_hunks(b"a\n\nb\nc\n", b"a\n\nc\n") == (Hunk(0, b"a\n\nb\n", b"a\n\n"),)


_SECRET = b"TOKEN=abc"


@given(st.lists(st.sampled_from([_SECRET, b"- a", b"", b"  ", b"x"]), max_size=8), st.data(), st.booleans())
def test_a_removal_takes_no_secret_along(lines: list[bytes], data: st.DataObject, end: bool) -> None:
    """Whatever stands around our lines, no hunk holds the secret, and the removal is taken back."""
    at = data.draw(st.integers(0, len(lines)))
    ours = data.draw(st.sampled_from([[b"- ours"], [b"", b"- ours"], [b"", b"## T", b"", b"- ours"], [b"- ours", b""]]))
    break_ = data.draw(st.sampled_from([b"\n", b"\r\n"]))
    tail = break_ if end else b""
    old = break_.join([*lines[:at], *ours, *lines[at:]]) + tail
    new = break_.join(lines) + (tail if lines else b"")
    hunks = diff_hunks(old, new, secret=frozenset({_SECRET}))
    if end or at < len(lines) or ours[0] == b"":
        assert not any(_SECRET in hunk.removed + hunk.added for hunk in hunks)
    assert revert(new, hunks) == old


@given(_file, _file, st.sets(_line.filter(bytes.strip)))
def test_reverting_restores_without_the_secrets(old: bytes, new: bytes, secret: set[bytes]) -> None:
    """Whichever lines must not be told, taking back what changed gives the file as it was."""
    assert revert(new, diff_hunks(old, new, secret=frozenset(secret))) == old


@pytest.mark.parametrize(
    ("edited", "back"),
    [
        (b"TOKEN=abc\nTOKEN=abc\n", b"TOKEN=abc\n- ours\nTOKEN=abc\n"),
        (b"new\nTOKEN=abc\nTOKEN=def\n", b"new\nTOKEN=abc\n- ours\nTOKEN=def\n"),
        (b"TOKEN=abc\r\nKEY=abc\r\n", b"TOKEN=abc\r\n- ours\r\nKEY=abc\r\n"),
    ],
)
def test_a_place_between_secrets_is_found_again(edited: bytes, back: bytes) -> None:
    """By the digest of the line above: where it was, elsewhere, and with other line ends."""
    hunks = diff_hunks(b"TOKEN=abc\n- ours\nKEY=abc\n", b"TOKEN=abc\nKEY=abc\n", secret={_SECRET, b"KEY=abc"})
    assert b"abc" not in b"".join(hunk.removed + hunk.added for hunk in hunks)
    assert revert(edited, hunks) == back


@pytest.mark.parametrize("edited", [b"TOKEN=abd\nx\n", b"x\n", b"", b"x\nTOKEN=abc\nTOKEN=abc\nTOKEN=abc\n"])
def test_a_place_whose_neighbour_is_gone_is_not_guessed(edited: bytes) -> None:
    """The secret was changed, or stands in several places: nothing is put anywhere."""
    hunks = diff_hunks(b"TOKEN=abc\n- ours\nTOKEN=abc\n", b"TOKEN=abc\nTOKEN=abc\n", secret=frozenset({_SECRET}))
    with pytest.raises(Refused):
        revert(edited, hunks)


def test_a_line_after_a_last_line_without_end_is_alone_in_its_hunk() -> None:
    """The last line did not change, it only got a line end."""
    assert diff_hunks(b"- a", b"- a\n- b") == (Hunk(3, b"", b"\n- b"),)


@given(
    _file,
    _file,
    st.lists(st.sampled_from([b"p1", b"p2", b"p3"]), max_size=4),
    st.lists(st.sampled_from([b"q1", b"q2"]), max_size=3),
)
def test_edits_elsewhere_survive(old: bytes, new: bytes, above: list[bytes], below: list[bytes]) -> None:
    """Lines that were put above and below meanwhile are kept, or the revert is refused."""
    end = b"\r\n" if b"\r\n" in new else b"\n"
    head, tail = b"".join(line + end for line in above), b"".join(line + end for line in below)
    glue = end if tail and new and not new.endswith((b"\n", b"\r")) else b""
    current = head + new + glue + tail
    hunks = diff_hunks(old, new)
    assume(all(current.count(hunk.added.strip()) == 1 for hunk in hunks if hunk.added.strip()))
    try:
        left = revert(current, hunks)
    except Refused:
        return
    assert left in {head + old + between + tail for between in (glue, b"", end)}


AFTER = b"# A\n\n- a\n- ours\n- b\n"
OURS = diff_hunks(b"# A\n\n- a\n- b\n", AFTER)


@pytest.mark.parametrize(
    ("current", "expected"),
    [
        (b"# A\n\n- new\n- a\n- ours\n- b\n", b"# A\n\n- new\n- a\n- b\n"),
        (b"- ours\n", b""),
        (b"- b\n- ours\n- a\n", b"- b\n- a\n"),
        (b"# A\r\n\r\n- a\r\n- ours\r\n- b\r\n", b"# A\r\n\r\n- a\r\n- b\r\n"),
        (b"\xef\xbb\xbf- ours\n- b", b"\xef\xbb\xbf- b"),
    ],
    ids=["line above", "all else gone", "moved", "other line ends", "byte order mark"],
)
def test_ours_is_found_where_it_went(current: bytes, expected: bytes) -> None:
    """A block that moved is found by its text, as long as it stands once."""
    assert revert(current, OURS) == expected


@pytest.mark.parametrize(
    ("current", "said"),
    [
        (b"# A\n\n- a\n- ours, reworded\n- b\n", "line 4: '- ours'"),
        (b"# A\n\n- a\n- b\n", "line 4: '- ours'"),
        (b"", "line 1: '- ours'"),
        (b"# A\n\n- a\n-- ours\n- b\n", "line 4: '- ours'"),
        (b"# New\n\n# A\n\n- ours\n- a\n- ours\n- b\n", "lines 5, 7: the same text stands in 2 places"),
    ],
    ids=["reworded", "gone", "empty", "part of a line", "twice"],
)
def test_what_changed_is_not_taken_back(current: bytes, said: str) -> None:
    """A block that was changed, or stands twice, is refused with its line."""
    with pytest.raises(Refused) as refusal:
        revert(current, OURS)
    assert said in str(refusal.value)
    assert "nothing was taken back" in str(refusal.value)


def test_a_line_that_got_an_end_later_goes_with_it() -> None:
    """What was the end of the file without a line end leaves no blank line when others wrote on."""
    assert revert(b"- a\n- ours\n- theirs\n", diff_hunks(b"- a", b"- a\n- ours")) == b"- a\n- theirs\n"
    assert revert(b"- ours\n- theirs\n", diff_hunks(b"", b"- ours")) == b"- theirs\n"
    assert revert(b"- a\n- new\n- theirs\n", diff_hunks(b"- a\n- old\n", b"- a\n- new")) == b"- a\n- old\n- theirs\n"


def test_a_line_without_an_end_gets_it_back_only_if_it_had_one() -> None:
    """A last line that was reworded keeps the line end that came when others wrote on."""
    assert revert(b"- new\n- theirs\n", diff_hunks(b"- old", b"- new")) == b"- old\n- theirs\n"


def test_the_same_line_of_somebody_else_is_not_mistaken_for_the_end() -> None:
    """A block that ended the file is not seen where equal words stand at its old place."""
    hunks = diff_hunks(b"- b\n- a\n- a", b"- b\n- a\n- a\n- b")
    with pytest.raises(Refused, match="lines 4, 7"):
        revert(b"p1\np1\np1\np1\n- b\n- a\n- a\n- b", hunks)


def test_a_hunk_is_looked_for_as_far_off_as_the_one_before_it() -> None:
    """Lines put at the top move all places, so a second copy further on does not confuse."""
    hunks = diff_hunks(b"a\nb\nc\n", b"a\none\nb\ntwo\nc\n")
    assert len(hunks) == 2
    assert revert(b"top\na\none\nb\ntwo\nc\ntwo\n", hunks) == b"top\na\nb\nc\ntwo\n"


def test_a_line_end_is_not_cut_in_half() -> None:
    """The second half of a Windows line end is no line of its own."""
    with pytest.raises(Refused):
        revert(b"zz\r\n- ours\nb\n", diff_hunks(b"a\nb\n", b"a\n\n- ours\nb\n"))


def test_no_lines_are_joined() -> None:
    """A blank line of ours that somebody removed does not cost the line above its end."""
    hunks = diff_hunks(b"a\nb\n", b"a\n\n- ours\nb\n")
    with pytest.raises(Refused):
        revert(b"aa\n- ours\nb\n", hunks)


# Unified diffs


def test_unified_reads_as_usual() -> None:
    """The diff of one added line has its three lines around it."""
    old = b"# A\n\n## T\n\n- a\n- b\n\n## S\n\n- c\n"
    new = old.replace(b"- b\n", b"- b\n- ours\n")
    assert unified(old, new, "AGENTS.md") == (
        "--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -4,6 +4,7 @@\n \n - a\n - b\n+- ours\n \n ## S\n \n"
    )


def test_unified_of_a_new_file() -> None:
    """A file that was not there comes from /dev/null."""
    shown = unified(b"", b"# A\n- ours\n", "x/AGENTS.md", exists=False)
    assert shown == "--- /dev/null\n+++ b/x/AGENTS.md\n@@ -0,0 +1,2 @@\n+# A\n+- ours\n"


def test_unified_names_a_missing_last_line_end() -> None:
    """Where the last line has no end, both sides say so."""
    assert unified(b"- a", b"- a\n- b", "A") == (
        "--- a/A\n+++ b/A\n@@ -1 +1,2 @@\n-- a\n\\ No newline at end of file\n+- a\n+- b\n"
        "\\ No newline at end of file\n"
    )


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("/home/me/AGENTS.md", "a/home/me/AGENTS.md"),
        ("C:\\me\\AGENTS.md", "a/C:/me/AGENTS.md"),
        ("my project/AGENTS.md", "a/my project/AGENTS.md\t"),
        ("проект/AGENTS.md", "a/проект/AGENTS.md"),
        ('say "hi"\n.md', '"a/say \\"hi\\"\\n.md"'),
        ("bell\a.md", '"a/bell\\007.md"'),
    ],
)
def test_unified_names_the_file_as_git_does(path: str, label: str) -> None:
    """A name cannot break out of its line, and any name can be applied."""
    assert unified(b"a\n", b"b\n", path).splitlines()[0] == f"--- {label}"


def test_unified_groups_neighbours() -> None:
    """Changes whose context meets share a hunk, others do not."""
    old = b"".join(b"%d\n" % n for n in range(30))
    near = old.replace(b"5\n", b"five\n", 1).replace(b"12\n", b"twelve\n")
    far = old.replace(b"5\n", b"five\n", 1).replace(b"13\n", b"thirteen\n")
    assert unified(old, near, "x").count("@@ -") == 1
    assert unified(old, far, "x").count("@@ -") == 2


_NAMES = ["AGENTS.md", "my file.md", "ünï/規則.md", 'a "b"\t.md']


@pytest.mark.parametrize("tool", [["git", "-c", "core.autocrlf=false", "apply"], ["patch", "-p1", "--binary", "-s"]])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=_lines(), new=_lines(), name=st.sampled_from(_NAMES), exists=st.booleans())
def test_tools_apply_it(
    tool: list[str], tmp_path_factory: pytest.TempPathFactory, old: bytes, new: bytes, name: str, exists: bool
) -> None:
    """`git apply` and `patch` make of the old file, by our diff, exactly the new one."""
    if not shutil.which(tool[0]):
        pytest.skip(f"{tool[0]} is not installed")
    old = old if exists else b""
    assume(old != new and (new or tool[0] == "git"))  # patch deletes a file that becomes empty
    where = tmp_path_factory.mktemp("applied")
    target = where / name
    target.parent.mkdir(exist_ok=True)
    if exists:
        target.write_bytes(old)
    shown = unified(old, new, name, exists=exists).encode("utf-8", "surrogateescape")
    subprocess.run(tool, cwd=where, input=shown, check=True, capture_output=True)
    assert target.read_bytes() == new


def test_git_takes_a_diff_inside_a_repository(tmp_path: Path) -> None:
    """In a repository the diff is clean for `git apply --check` and shows as one added line."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "AGENTS.md").write_bytes(b"## T\n\n- a\n")
    shown = unified(b"## T\n\n- a\n", b"## T\n\n- a\n- ours\n", "AGENTS.md").encode()
    call = ["git", "apply", "--check", "--numstat", "-"]
    done = subprocess.run(call, cwd=tmp_path, input=shown, check=True, capture_output=True)
    assert done.stdout.split() == [b"1", b"0", b"AGENTS.md"]
