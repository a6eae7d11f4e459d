"""Find the generated parts of the documents and put what the program says now between their marks.

A part stands between `<!-- generated: NAME -->` and `<!-- end -->`, each alone on its line; `parts.PARTS`
names the function that writes it. Started by scripts/docs.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from parts import PARTS
from scenes import Unplayable

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "SKILL.md", *sorted((ROOT / "docs").glob("*.md")))
_MARK = re.compile(r"^<!-- (?:generated: (?P<name>[a-z-]+)|end) -->$", re.MULTILINE)


class Unbalanced(Exception):
    """A mark without its partner, or a part that nothing writes; says where."""


def main(arguments: list[str]) -> int:
    """Write what is stale, or with `--check` only show it and fail."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("docs: the only argument is --check\n")
        return 2
    try:
        found = list(stale())
    except (Unbalanced, Unplayable) as error:
        sys.stderr.write(f"docs: {error}\n")
        return 1
    if not arguments:
        for page, _, new in found:
            page.write_text(new, encoding="utf-8", newline="\n")
        return 0
    for page, old, new in found:
        name, before, after = str(page.relative_to(ROOT)), old.splitlines(True), new.splitlines(True)
        sys.stdout.writelines(difflib.unified_diff(before, after, name, name))
    if found:
        sys.stderr.write("docs: the generated parts are stale; write them with: python3 scripts/docs\n")
    return 1 if found else 0


def stale() -> Iterator[tuple[Path, str, str]]:
    """Give each page that says something else than the program, as it is and as it should be."""
    for page in PAGES:
        old = page.read_text(encoding="utf-8")
        new = rendered(old, PARTS, page.name)
        if new != old:
            yield page, old, new


def rendered(text: str, parts: Mapping[str, Callable[[], str]], name: str) -> str:
    """Fill every part of a page; all other text stays as it is."""
    out, at, within = list[str](), 0, ""
    for mark in _MARK.finditer(text):
        part = mark["name"] or ""
        _check(part, within, parts, f"{name}:{text.count(chr(10), 0, mark.start()) + 1}: {mark[0]}")
        out.append(text[at : mark.end()] if part else f"\n{parts[within]().strip(chr(10))}\n{mark[0]}")
        at, within = mark.end(), part
    if within:
        raise Unbalanced(f"{name}: the part {within!r} has no <!-- end -->")
    return "".join([*out, text[at:]])


def _check(part: str, within: str, parts: Mapping[str, object], where: str) -> None:
    if bool(part) == bool(within):
        raise Unbalanced(f"{where} comes where {'an end' if part else 'a beginning'} was expected")
    if part and part not in parts:
        raise Unbalanced(f"{where}: nothing writes this part; there are: {', '.join(parts)}")
