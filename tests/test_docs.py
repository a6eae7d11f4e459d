"""The documents say what the program does: parts are fresh, links lead somewhere, commands parse."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from documents import NAMES, PAGES, ROOT, docgen, tokens

# --- generated parts ---


def docs(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run scripts/docs with this Python, which has all that it needs."""
    command = [sys.executable, str(ROOT / "scripts" / "docs"), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=100)


def test_generated_parts_are_fresh() -> None:
    """Every generated part says what the program says now."""
    run = docs("--check")
    assert run.returncode == 0, run.stdout + run.stderr


def test_docs_refuses_what_it_does_not_know() -> None:
    """An unknown argument is a wrong use, and nothing is written."""
    assert docs("--chek").returncode == 2


def test_a_stale_part_is_filled_and_the_rest_stays() -> None:
    """Only what stands between the marks of a part changes, and filling it twice changes nothing."""
    rendered = docgen("pages").rendered
    a, b, end = "<!-- generated: a -->", "<!-- generated: b -->", "<!-- end -->"
    text = f"before\n{a}\nold\n{end}\nbetween\n{b}\n{end}\nafter"
    parts = {"a": lambda: "\nnew\n", "b": lambda: "more"}
    want = f"before\n{a}\nnew\n{end}\nbetween\n{b}\nmore\n{end}\nafter"
    assert rendered(text, parts, "x.md") == want
    assert rendered(want, parts, "x.md") == want


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!-- generated: a -->\n", "x.md: the part 'a' has no <!-- end -->"),
        ("\n<!-- end -->\n", "x.md:2: <!-- end --> comes where a beginning was expected"),
        ("<!-- generated: a -->\n<!-- generated: a -->\n", "x.md:2: .* comes where an end was expected"),
        ("<!-- generated: z -->\n<!-- end -->\n", "x.md:1: .*: nothing writes this part; there are: a"),
    ],
)
def test_a_mark_without_its_partner_is_named(text: str, said: str) -> None:
    """A mark without its partner, or of a part that nothing writes, is an error with its line."""
    pages = docgen("pages")
    with pytest.raises(pages.Unbalanced, match=f"^{said}"):
        pages.rendered(text, {"a": str}, "x.md")


@pytest.mark.parametrize("text", ["", "text\n", "see `<!-- end -->`\n", "    <!-- end -->\n", "<!-- a comment -->\n"])
def test_what_only_looks_like_a_mark_is_text(text: str) -> None:
    """A mark is a whole line; anything else stays as it is."""
    rendered = docgen("pages").rendered
    assert rendered(text, {"a": str}, "x.md") == text


def test_every_part_is_used() -> None:
    """No part is written for nobody."""
    used = {
        name for page in PAGES for name in re.findall(r"^<!-- generated: (\S+) -->$", page.read_text("utf-8"), re.M)
    }
    assert used == set(docgen("parts").PARTS)


# --- links, paths, names ---


@pytest.mark.parametrize("name", NAMES)
def test_relative_links_lead_somewhere(name: str) -> None:
    """Every relative link names a file that exists, and every fragment a heading of it."""
    page = ROOT / name
    for token in tokens(page):
        target = str(token.attrGet("href") or "") if token.type == "link_open" else ""
        if target and "://" not in target:
            path, _, fragment = target.partition("#")
            other = (page.parent / path).resolve() if path else page
            assert other.is_file(), f"{name}: {target}"
            assert not fragment or fragment in anchors(other), f"{name}: {target}"


def anchors(page: Path) -> set[str]:
    """List the fragments of a page's headings."""
    found = tokens(page)
    titles = [found[at + 1].content for at, token in enumerate(found) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", NAMES)
def test_no_path_of_a_machine_is_written(name: str) -> None:
    """The documents speak of nobody's machine: no absolute path but the well-known ones."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(r"(?<![\w.~/<>-])/(?:home|root|Users|tmp|var|work|private|mnt|opt)\b[^\s`)]*", text)
    assert [path for path in found if path not in ("/tmp",)] == []
    assert not re.search(r"\b[A-Z]:\\", text)


def test_the_readme_names_the_two_commands() -> None:
    """The commands that do all the set-up are in the README, and CI runs the second."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "$ python3 scripts/improve.py demo\n" in text
    assert "$ python3 scripts/check\n" in text
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == "exec python3 scripts/check"


def test_the_benchmarks_named_are_there() -> None:
    """Every script and test that docs/benchmarks.md names exists, and it names every benchmark."""
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:benchmarks|tests|scripts)/[\w/]+(?:\.py)?", text))
    assert [path for path in named if not (ROOT / path).exists()] == []
    scripts = (ROOT / "benchmarks").glob("*.py")
    assert {f"benchmarks/{path.name}" for path in scripts} <= named
    assert {"## Speed", "## Matching", "## Secrets", "## Faults"} <= set(text.splitlines())
