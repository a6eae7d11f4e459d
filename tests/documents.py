"""The documents as tests read them, and the generator of their parts."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parent.parent
SKILL = ROOT / "SKILL.md"
PAGES = [ROOT / "README.md", SKILL, *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]


def tokens(page: Path) -> list[Token]:
    """Read a page as Markdown, without the front matter of SKILL.md; inline tokens come last."""
    text = page.read_text(encoding="utf-8")
    if text.startswith("---\n"):
        text = text.split("\n---\n", 1)[1]
    found = MarkdownIt("commonmark").enable("table").parse(text)
    return [*found, *(child for token in found for child in token.children or [])]


def docgen(module: str) -> ModuleType:
    """Import a module of scripts/docgen."""
    place = str(ROOT / "scripts" / "docgen")
    if place not in sys.path:
        sys.path.append(place)
    return importlib.import_module(module)
