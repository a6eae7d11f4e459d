"""Instruction files are edited as bytes: what is ours changes, nothing else does, and all of it can be undone."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from improve import section
from improve.errors import ImproveError, Refused
from improve.section import Edit, bullets, headings, insert, remove, replace, revert, take_back, unified

CASES = Path(__file__).parent / "data" / "section"


@dataclass(frozen=True)
class Case:
    """One entry of a file in data/section."""

    title: str
    given: bytes
    expected: bytes
    options: dict[str, str] = field(default_factory=dict)

    @property
    def section(self) -> str:
        return self.options.get("section", "Testing")

    @property
    def text(self) -> str:
        return self.options.get("text", "Run it.")

    def inserted(self) -> Edit:
        return insert(self.given, self.section, self.text, title=self.options.get("title", ""))


def _unescape(text: str) -> bytes:
    """Read the visible signs that stand for bytes an editor would lose."""
    text = text.removesuffix("␄\n") if text.endswith("␄\n") else text
    text = text.replace("␍", "\r").replace("␠", " ")
    parts = re.split("‹([0-9a-f]{2})›", text)
    return b"".join(bytes.fromhex(part) if n % 2 else part.encode() for n, part in enumerate(parts))


def _cases(name: str) -> list[Case]:
    lines = iter((CASES / name).read_text(encoding="utf-8").splitlines(keepends=True))
    for line in lines:  # what the file says of itself
        if not line.strip():
            break
    found = []
    for line in lines:
        if not line.strip():
            continue
        options = {}
        while (option := next(lines)) != ".\n":
            key, _, value = option.partition(":")
            options[key] = _unescape(value.strip()).decode()
        texts = [_unescape("".join(iter(lambda: next(lines), ".\n"))) for _ in range(2)]
        found.append(Case(line.strip(), texts[0], texts[1], options))
    return found


def _each(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", _cases(name), ids=lambda case: case.title)


# Cases in data files


@_each("insert.md")
def test_insert(case: Case) -> None:
    """A bullet goes where the case says, in the style of the list it joins."""
    assert case.inserted().data == case.expected


@_each("insert.md")
def test_insert_reports_where(case: Case) -> None:
    """What insert reports is true: the line, the bullet under its section, and what was created."""
    edit = case.inserted()
    (ours,) = [b for b in bullets(edit.data) if (b.text, b.line) == (case.text, edit.line)]
    assert ours.section.casefold() == case.section.casefold()
    made = [h.text for h in headings(edit.data)][len(headings(case.given)) :]
    title = [case.options["title"]] if edit.created_title else []
    assert made == title + [case.section] * edit.created_section


@_each("insert.md")
def test_insert_is_undone(case: Case) -> None:
    """Removing, reverting and taking back what was inserted give the file as it was, to the byte."""
    edit = case.inserted()
    made = edit.created_section
    assert revert(edit.data, edit.hunks) == case.given
    assert take_back(edit.data, edit.hunks) == case.given
    assert take_back(edit.data, section.diff_hunks(case.given, edit.data)) == case.given
    assert remove(edit.data, case.text, drop_empty_section=made, hunks=edit.hunks) == case.given


@_each("insert.md")
def test_insert_speaks_the_line_ends_of_the_file(case: Case) -> None:
    """The same file with Windows line ends gets the same edit with Windows line ends."""
    if b"\n" in case.given and b"\r" not in case.given:
        windows = Case("", case.given.replace(b"\n", b"\r\n"), b"", case.options)
        assert windows.inserted().data == case.expected.replace(b"\n", b"\r\n")


@_each("remove.md")
def test_remove(case: Case) -> None:
    """Without its record a bullet goes by its text alone, and what came with it goes too."""
    where, drop = case.options.get("section", ""), "drop" in case.options
    assert remove(case.given, case.text, section=where, drop_empty_section=drop) == case.expected


@_each("remove.md")
def test_remove_is_undone(case: Case) -> None:
    """A removal can be taken back from its difference."""
    assert take_back(case.expected, section.diff_hunks(case.given, case.expected)) == case.given


@_each("replace.md")
def test_replace(case: Case) -> None:
    """A bullet is reworded in place, and the old words come back when it is undone."""
    edit = replace(case.given, case.text, "Run it twice.")
    assert edit.data == case.expected
    assert bullets(edit.data)[[b.line for b in bullets(edit.data)].index(edit.line)].text == "Run it twice."
    assert revert(edit.data, edit.hunks) == case.given


@_each("refuse.md")
def test_refuse(case: Case) -> None:
    """What cannot be done safely is refused, with the line and what was not done."""
    siblings = case.options.get("siblings", "").split()
    calls = {
        "check": lambda: section.check_editable(case.given, siblings=siblings),
        "insert": case.inserted,
        "remove": lambda: remove(case.given, case.text),
        "replace": lambda: replace(case.given, case.text, case.options["new"]),
    }
    with pytest.raises(Refused) as refusal:
        calls[case.options["call"]]()
    assert case.expected.decode().strip() in str(refusal.value)
    assert re.search("nothing was (written|removed|changed)", str(refusal.value))


@_each("bullets.md")
def test_bullets(case: Case) -> None:
    """Bullets are what Markdown makes a bullet, and nothing that stands in code, comments or tables."""
    shown = [f"{b.line} {b.marker} [{b.section}] {b.text}\n" for b in bullets(case.given)]
    assert "".join(shown).encode("utf-8", "surrogateescape") == case.expected


@_each("bullets.md")
def test_bullets_know_their_bytes(case: Case) -> None:
    """A bullet spans whole lines, from the line it names to the end of its text."""
    for bullet in bullets(case.given):
        before, own = case.given[: bullet.start], case.given[bullet.start : bullet.end]
        assert len(before.splitlines()) == bullet.line - (before != b"\xef\xbb\xbf")
        assert bullet.marker.encode() in own.splitlines()[0]
        last = bullet.text.split()[-1].encode("utf-8", "surrogateescape")
        assert own.rstrip().endswith(last)


@_each("headings.md")
def test_headings(case: Case) -> None:
    """Headings are the headings of the document, in both notations, without their signs."""
    shown = [f"{h.line} {h.level} {h.text}\n" for h in headings(case.given)]
    assert "".join(shown).encode() == case.expected


# What the cases do not say


def test_size_is_capped() -> None:
    """A file beyond one mebibyte is no instruction file; one of just that size is."""
    largest = b"a\n" * (1 << 19)
    section.check_editable(largest)
    with pytest.raises(Refused, match="1,048,577 bytes"):
        section.check_editable(largest + b"x")


def test_ordinary_files_are_editable() -> None:
    """An underline of seven signs, a name that is no sibling and more than a name are all fine."""
    section.check_editable(b"Title\n=======\n")
    section.check_editable(b"CLAUDE.md", siblings=["README.md"])
    section.check_editable(b"CLAUDE.md\n\nSee there.", siblings=["CLAUDE.md"])
    section.check_editable(b"", siblings=["CLAUDE.md"])


def test_half_a_character_is_refused() -> None:
    """Text that cannot be encoded is refused, not written as something else."""
    with pytest.raises(Refused, match="half a character"):
        insert(b"", "Testing", "a \ud800 b")


def test_removal_by_record_needs_the_record_to_fit() -> None:
    """Where the file was edited around a bullet, its text alone decides, and other people's lines stay."""
    edit = insert(b"# A\n\n## Style\n\n- a\n", "Testing", "Run it.")
    grown = edit.data + b"- theirs\n"
    expected = b"# A\n\n## Style\n\n- a\n\n## Testing\n\n- theirs\n"
    assert remove(grown, "Run it.", drop_empty_section=True, hunks=edit.hunks) == expected


def test_record_tells_ours_from_the_same_words_elsewhere() -> None:
    """Two bullets of the same text are told apart by what was recorded."""
    given = b"## Style\n\n- Run it.\n\n## Testing\n\n- a\n"
    edit = insert(given, "Testing", "Run it.")
    assert remove(edit.data, "Run it.", hunks=edit.hunks) == given
    with pytest.raises(Refused, match="lines 3, 8:"):
        remove(edit.data, "Run it.")


def test_record_does_not_orphan_what_is_nested() -> None:
    """A bullet under which somebody put code is not taken away from it, record or not."""
    edit = insert(b"## Testing\n\n- a\n", "Testing", "Run it.")
    with pytest.raises(Refused, match="line 4: something is nested"):
        remove(edit.data + b"  ```\n  x\n  ```\n", "Run it.", hunks=edit.hunks)


@pytest.mark.parametrize("theirs", [b"- theirs\n", b"\nTheir words.\n", b"\n```\ncode\n```\n", b"\n- x\n\n- y\n"])
def test_taking_back_keeps_a_heading_that_is_in_use(theirs: bytes) -> None:
    """A section that we made and somebody wrote in stays when our bullet is taken back."""
    edit = insert(b"# A\n\n## Style\n\n- a\n", "Testing", "Run it.")
    left = take_back(edit.data + theirs, edit.hunks)
    assert "Testing" in [h.text for h in headings(left)]
    assert left.endswith(theirs) and b"Run it." not in left


def test_taking_back_drops_a_heading_that_is_not_in_use() -> None:
    """A section that we made goes with our bullet, whatever was added around it."""
    edit = insert(b"# A\n", "Testing", "Run it.")
    assert take_back(b"# B\n\n" + edit.data + b"\n## C\n\n- c\n", edit.hunks) == b"# B\n\n# A\n\n## C\n\n- c\n"


# Properties

# Pieces of lines, one broken bar between two of them.
_PIECES = """\
-¦*¦+¦1.¦#¦##¦###¦- a¦* b¦+ c¦1. d¦2) e¦# A¦## Testing¦### Testing¦## testing ##¦Testing¦Style¦\\¦key: value
---¦***¦===¦```¦````sh¦~~~¦  ```¦<!--¦-->¦<!-- x -->¦<details>¦</details>¦<pre>¦</pre>¦| a | b |¦|---|---|
> q¦> - q¦> ```¦  - n¦    - m¦\t- t¦-\tt¦-      w¦  more¦    code¦      more¦ ¦¦¦¦- é¦- 日本¦- [ ] x¦   - c
   ## Testing¦  <!-- c -->¦=======¦text `x` <b>¦- a | b¦- | -
"""


def _pieces(rows: str) -> list[str]:
    return [piece for row in rows.splitlines() for piece in row.split("¦")]


_piece = st.sampled_from(_pieces(_PIECES))
_line = st.one_of(_piece, st.builds("{} {}".format, _piece, _piece))


@st.composite
def _markdown(draw: st.DrawFn) -> bytes:
    """Make a file of Markdown's building blocks, whole and broken, with every kind of line end and edge."""
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"], ["\n", "\r"]]))
    lines = draw(st.lists(st.tuples(_line, st.sampled_from(ends)), max_size=12))
    data = "".join(line + end for line, end in lines).encode()
    data = data.rstrip(b"\r\n") if draw(st.booleans()) else data
    edge = draw(st.sampled_from([b"", b"", b"", b"\xff\n", b"\n\n", b"  "]))
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + data + edge


_file = st.one_of(_markdown(), _markdown(), st.binary(max_size=80))
_text = st.sampled_from(["Run it.", "Naïve — 規則", "Use `a` (not b)."])
_name = st.sampled_from(["Testing", "Style", "Ünique"])
_title = st.sampled_from(["", "Rules"])


def _edit(data: bytes, name: str, text: str, title: str) -> Edit:
    """Insert; a refusal is a fair answer, our own bug is not."""
    try:
        return insert(data, name, text, title=title)
    except ImproveError as error:
        assert type(error) is Refused
        assume(False)
        raise


@given(_file, _name, _text, _title)
def test_nothing_but_ours_changes(data: bytes, name: str, text: str, title: str) -> None:
    """Around what was inserted every byte stands as before, and every other bullet and heading reads as before."""
    edit = _edit(data, name, text, title)
    (hunk,) = edit.hunks
    assert edit.data == data[: hunk.offset] + hunk.added + data[hunk.offset :] and not hunk.removed
    (ours,) = [b for b in bullets(edit.data) if (b.text, b.line) == (text, edit.line)]
    assert [(b.section, b.text) for b in bullets(edit.data) if b != ours] == [
        (b.section, b.text) for b in bullets(data)
    ]
    assert len(headings(edit.data)) == len(headings(data)) + edit.created_section + edit.created_title


@given(_file, _name, _text, _title)
def test_removing_restores(data: bytes, name: str, text: str, title: str) -> None:
    """What insert did, remove, revert and take_back undo to the byte."""
    edit = _edit(data, name, text, title)
    assert revert(edit.data, edit.hunks) == data
    assert take_back(edit.data, edit.hunks) == data
    assert remove(edit.data, text, drop_empty_section=edit.created_section, hunks=edit.hunks) == data


@given(_file, _name, _text)
def test_removing_by_text_alone_loses_nobody_elses_line(data: bytes, name: str, text: str) -> None:
    """Without its record a bullet still goes, and with it at most blank lines and a heading of ours."""
    edit = _edit(data, name, text, "")
    try:
        left = remove(edit.data, text, drop_empty_section=edit.created_section)
    except Refused:
        return
    said = [line for line in data.splitlines() if line.strip()]
    assert [line for line in left.splitlines() if line.strip()] == said


@given(_file, _name, _text, _text)
def test_rewording_restores(data: bytes, name: str, text: str, other: str) -> None:
    """A bullet that was reworded reads as the new words say, and its old words come back."""
    edit = _edit(data, name, text, "")
    try:
        reworded = replace(edit.data, text, other)
    except Refused:
        assume(False)
        raise
    assert any(b.line == edit.line and b.text == other for b in bullets(reworded.data))
    assert revert(reworded.data, reworded.hunks) == edit.data


@given(_markdown(), _name, _text, _title)
def test_line_ends_commute(data: bytes, name: str, text: str, title: str) -> None:
    """Editing a Windows file is editing the same Unix file."""
    assume(b"\r" not in data and b"\n" in data)
    windows = insert_or_none(data.replace(b"\n", b"\r\n"), name, text, title)
    unix = insert_or_none(data, name, text, title)
    assert windows == (None if unix is None else unix.replace(b"\n", b"\r\n"))


def insert_or_none(data: bytes, name: str, text: str, title: str) -> bytes | None:
    """Insert, or nothing where that is refused."""
    try:
        return insert(data, name, text, title=title).data
    except Refused:
        return None


@given(_file, st.text(max_size=30), st.text(max_size=30), st.text(max_size=20))
def test_any_text_is_one_bullet_or_refused(data: bytes, name: str, text: str, title: str) -> None:
    """Whatever the words, the outcome is exactly that bullet or a refusal."""
    edit = _edit(data, name, text, title)
    assert any(b.line == edit.line and b.text == text.strip() for b in bullets(edit.data))


@given(_file, _text, _text)
def test_other_verbs_never_break(data: bytes, text: str, other: str) -> None:
    """On any bytes remove and replace answer or refuse; reading never fails."""
    headings(data)
    texts = [text, *(b.text for b in bullets(data))]
    for said in texts:
        for verb in (lambda t: remove(data, t, drop_empty_section=True), lambda t: replace(data, t, other)):
            try:
                verb(said)
            except ImproveError as error:
                assert type(error) is Refused


_PLAIN = "-¦- a¦* b¦+ c¦1. d¦2) e¦# A¦## B ##¦A¦b `c`¦---¦***¦===¦```¦````sh¦~~~¦  ```¦<!--¦-->¦  - n¦  more¦¦"
_plain_piece = st.sampled_from(_pieces(_PLAIN))


@given(st.lists(st.one_of(_plain_piece, st.builds("{} {}".format, _plain_piece, _plain_piece)), max_size=10))
def test_structure_is_what_a_markdown_parser_sees(lines: list[str]) -> None:
    """Bullets, their text and the headings are those of an independent CommonMark parser."""
    text = "\n".join(lines) + "\n"
    assume(not text.startswith("---"))
    ours = [(b.line, b.marker, " ".join(b.text.split())) for b in bullets(text.encode())]
    theirs, heads = _parsed(text)
    worded = [item for item in theirs if item[2]]  # the others begin with a block of another kind
    assert {item[:2] for item in ours} <= {item[:2] for item in theirs}
    assert [item for item in ours if item[:2] in {other[:2] for other in worded}] == worded
    assert [(h.line, h.level, " ".join(h.text.split())) for h in headings(text.encode())] == heads


def _parsed(text: str) -> tuple[list[tuple[int, str, str]], list[tuple[int, int, str]]]:
    tokens = MarkdownIt("commonmark").parse(text)
    items, heads = [], []
    for at, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 0
        inner = tokens[at + 1] if at + 1 < len(tokens) else token
        if token.type == "list_item_open" and token.markup in {"-", "*", "+"}:
            said = " ".join(tokens[at + 2].content.split()) if inner.type == "paragraph_open" else ""
            items.append((line, token.markup, said))
        elif token.type == "heading_open" and token.level == 0:
            heads.append((line, int(token.tag[1]), " ".join(inner.content.split())))
    return items, heads


def test_a_refusal_of_markdown_costs_no_time() -> None:
    """Endless lines and endless nesting are read in one pass."""
    for unit in (b"- + ", b"> ", b"> - + ", b"# a ", b"|-", b"<a ", b"`", b"=", b"- - ", b"1. ", b"\t"):
        data = unit * (200_000 // len(unit)) + b"x"
        insert_or_none(data, "Testing", "Run it.", "")


def test_git_agrees(tmp_path: Path) -> None:
    """What insert shows as a diff, git applies with the same result."""
    for number, case in enumerate(_cases("insert.md")):
        name = f"{number}/AGENTS.md"
        target = tmp_path / name
        target.parent.mkdir()
        if case.given:
            target.write_bytes(case.given)
        edited = case.inserted().data
        shown = unified(case.given, edited, name, exists=bool(case.given))
        call = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
        subprocess.run(call, cwd=tmp_path, input=shown.encode("utf-8", "surrogateescape"), check=True)
        assert target.read_bytes() == edited, case.title
