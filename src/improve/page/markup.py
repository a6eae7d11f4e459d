"""HTML written so that nothing stored can be taken for markup."""

from __future__ import annotations

from collections.abc import Iterable

from improve.escape import visible

_TABLE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def text(said: str) -> str:
    """Escape a text for content and attributes; what does not show by itself is shown as an escape."""
    return visible(said).translate(_TABLE)


def own(said: str) -> str:
    """Escape somebody's words, which run in their own direction."""
    return f"<bdi>{text(said)}</bdi>"


def table(
    caption: str, heads: Iterable[str], rows: Iterable[Iterable[str]], *, numbers: Iterable[int] = (), cls: str = ""
) -> str:
    """Make a table of cells that are markup already; the first of a row is its heading.

    Args:
        numbers: the columns that hold numbers.
        cls: class of the table.
    """
    right = set(numbers)
    marks = [' class="n"' if at in right else "" for at in range(20)]
    top = list(heads)
    head = "".join(f'<th scope="col"{marks[at]}>{name}</th>' for at, name in enumerate(top))
    body = []
    for row in rows:
        first, *rest = row
        cells = "".join(f'<td{marks[at]} data-h="{top[at]}">{cell}</td>' for at, cell in enumerate(rest, 1))
        body.append(f'<tr><th scope="row">{first}</th>{cells}</tr>')
    kind = f' class="{cls}"' if cls else ""
    return (
        f"<table{kind}><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    )


def command(line: str) -> str:
    """Show a command to copy."""
    return f'<code class="cmd">{text(line)}</code>'


def folded(summary: str, body: str) -> str:
    """Put something behind a line that opens it; print opens it too."""
    return f"<details><summary>{summary}</summary>{body}</details>"
