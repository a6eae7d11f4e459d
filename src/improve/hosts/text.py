"""What a host makes of the text of an instruction file: its front matter, its comments, the prose between its code.

CommonMark (https://spec.commonmark.org/0.31.2/) as far as hosts follow it, and without a pattern: most files have
neither an `@` nor a comment and are never looked at line by line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


_TAGS = (
    " address article aside blockquote body center col colgroup dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form frame h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav ol"
    " optgroup option p param pre script search section style summary table tbody td textarea tfoot th thead title tr"
    " track ul"
    " "
)
"""Tags that begin a block in which nothing is Markdown, up to the next blank line."""
_OPEN, _CLOSE = "<!--", "-->"


def decoded(data: bytes) -> str:
    """Read bytes as a host does; invalid ones do not stop it."""
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def front_matter(data: bytes) -> tuple[dict[str, list[str]], int]:
    """Give the keys of the YAML block at the top, each with its values, and where the block ends.

    >>> front_matter(b"---\\npaths: ['src/**', docs/*.md]\\n---\\nText")
    ({'paths': ['src/**', 'docs/*.md']}, 40)
    """
    if not data.startswith(b"---"):
        return {}, 0
    lines = data.splitlines(keepends=True)
    close = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == b"---"), 0)
    if lines[0].rstrip() != b"---" or not close:
        return {}, 0
    return _keys([decoded(line).rstrip() for line in lines[1:close]]), sum(map(len, lines[: close + 1]))


def _keys(lines: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        item = line.strip()
        if item.startswith("- ") and key:
            found[key].append(_bare(item[2:]))
        elif line[:1].strip() and not line.startswith("#") and ":" in line:
            key, _, value = line.partition(":")
            key = _bare(key)
            found[key] = _values(value.strip())
    return found


def _values(value: str) -> list[str]:
    if value.startswith("[") and value.endswith("]"):
        return [_bare(part) for part in value[1:-1].split(",") if part.strip()]
    return [_bare(value)] if _bare(value) else []


def _bare(value: str) -> str:
    value = value.strip()
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def without_comments(data: bytes) -> bytes:
    """Take away the comments that stand as blocks of their own; one inside a line of text or code stays."""
    if b"<!--" not in data:
        return data
    kept = (_uncommented(raw) if kind == "comment" else raw for kind, raw in blocks(decoded(data)))
    return "".join(kept).encode("utf-8", "surrogateescape")


def _uncommented(raw: str) -> str:
    start = raw.find(_OPEN)
    while start >= 0:
        end = raw.find(_CLOSE, start)
        if end < 0:
            break
        raw = raw[:start] + raw[end + len(_CLOSE) :]
        start = raw.find(_OPEN)
    return raw


def prose(text: str) -> str:
    """Give the text without code, comments and blocks of HTML, one paragraph after the other."""
    parts = [(kind, _uncommented(raw) if kind == "comment" else raw) for kind, raw in blocks(text)]
    taken: list[str] = []
    for kind, raw in parts:
        if kind in ("text", "comment"):
            taken.append(raw)
        elif taken and taken[-1]:
            taken.append("")
    return "\n".join(without_spans(paragraph) for paragraph in "\n".join(taken).split("\n\n"))


def without_spans(text: str) -> str:
    """Take away code spans: a run of backticks up to the next run that is as long."""
    if "`" not in text:
        return text
    kept, at = [], 0
    while (start := text.find("`", at)) >= 0:
        run = _run(text, start)
        end = _closing(text, start + run, run)
        kept.append(text[at : start if end else start + run])
        at = end or start + run
    return "".join(kept) + text[at:]


def without_tags(text: str) -> str:
    """Put a blank in the place of each tag and comment inside the lines."""
    at = text.find("<")
    while at >= 0:
        comment = text.startswith(_OPEN, at)
        named = text[at + 1 : at + 2] == "/" or text[at + 1 : at + 2].isalpha()
        end = text.find(_CLOSE if comment else ">", at) if comment or named else -1
        if end >= 0:
            text = text[:at] + " " + text[end + (len(_CLOSE) if comment else 1) :]
        at = text.find("<", at + 1)
    return text


def _run(text: str, start: int) -> int:
    """Count the backticks from here."""
    end = start
    while end < len(text) and text[end] == "`":
        end += 1
    return end - start


def _closing(text: str, at: int, run: int) -> int:
    """Find the end of a code span; 0 when nothing closes it."""
    while (start := text.find("`" * run, at)) >= 0:
        length = _run(text, start)
        if length == run:
            return start + run
        at = start + length
    return 0


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Cut a text into `blank`, `text`, `code`, `comment` and `html`; the pieces together are the text."""
    lines = text.splitlines(keepends=True) if "\r" in text else [line + "\n" for line in text.split("\n")]
    if lines and "\r" not in text:
        lines[-1] = lines[-1][:-1]
    at, item, before = 0, 0, "blank"
    while at < len(lines):
        kind, end, item = _block(lines, at, item, before)
        yield kind, "".join(lines[at:end])
        at, before = end, kind


def _block(lines: list[str], at: int, item: int, before: str) -> tuple[str, int, int]:
    """Name the block that a line begins, where it ends, and the column of the list item that is open."""
    bare, column = lines[at].strip(), _column(lines[at])
    if not bare:
        return "blank", at + 1, item
    if column < item and before == "blank":
        item = 0
    inside = bool(item) and column >= item
    indent = column - item if inside else column
    opened = _item(bare, column)
    rest = bare.partition(" ")[2].lstrip() if opened else bare
    if indent < 4 and rest[:3] in ("```", "~~~"):
        return "code", _fence_end(lines, at, rest), opened or item
    if indent < 4 and bare.startswith(_OPEN):
        end = next((n + 1 for n in range(at, len(lines)) if _CLOSE in lines[n]), 0)
        kind = "comment" if end and not inside else "html"
        return kind, end or len(lines), item
    if indent < 4 and _is_html(bare, before):
        return "html", next((n for n in range(at, len(lines)) if not lines[n].strip()), len(lines)), item
    if indent >= 4 and before in ("blank", "code"):
        return "code", at + 1, item
    return "text", at + 1, opened or item


def _column(line: str) -> int:
    blanks = line[: len(line) - len(line.lstrip())]
    return len(blanks.expandtabs(4))


def _fence_end(lines: list[str], at: int, bare: str) -> int:
    fence = bare[: _same(bare)]
    for number in range(at + 1, len(lines)):
        line = lines[number].strip()
        if line.startswith(fence) and not line.strip(fence[0]):
            return number + 1
    return len(lines)


def _same(bare: str) -> int:
    return len(bare) - len(bare.lstrip(bare[0]))


def _is_html(bare: str, before: str) -> bool:
    if not bare.startswith("<") or bare.startswith("<http"):
        return False
    name = bare[1:].lstrip("/").split(">")[0].split()[:1]
    if name and f" {name[0].rstrip('/').lower()} " in _TAGS:
        return True
    alone = bare.endswith(">") and bare.count("<") == 1 and bare[1:2].isalpha() and ":" not in bare and "@" not in bare
    return alone and before != "text"


def _item(bare: str, column: int) -> int:
    """Give the column at which the content of a list item begins; 0 when the line begins none."""
    marker, _, rest = bare.partition(" ")
    number = marker[:-1]
    if rest and (marker in ("-", "*", "+") or (number.isdigit() and len(number) < 10 and marker[-1] in ".)")):
        return column + len(marker) + 1
    return 0
