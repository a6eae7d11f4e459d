"""The report's page in a real browser: readable, reachable, silent. Skipped where there is no Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts import account
from browser import FOUND, Browser
from improve.workflow import delivering

pytestmark = [
    pytest.mark.skipif(FOUND is None, reason="no chromium or chrome on this machine"),
    pytest.mark.xdist_group("browser"),
]

CONTRAST = """
(() => {
  const part = c => { c /= 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4 };
  const light = ([r, g, b]) => .2126 * part(r) + .7152 * part(g) + .0722 * part(b);
  const numbers = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const behind = e => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c } return [255, 255, 255] };
  const poor = []; let seen = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || ['SCRIPT', 'STYLE', 'title', 'desc'].includes(e.tagName)) continue;
    if (!e.checkVisibility()) continue;
    const style = getComputedStyle(e), svg = e instanceof SVGElement;
    const a = light(numbers(svg ? style.fill : style.color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05); seen++;
    if (ratio < 4.5) poor.push([e.tagName, e.getAttribute('class'), ratio, walk.currentNode.data.slice(0, 40)]);
  }
  return {seen, poor};
})()
"""
OPEN_ALL = "document.querySelectorAll('details').forEach(e => e.open = true)"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Start one browser for all tests of this file."""
    found = Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of an account full of hostile words."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(delivering.page(account()))
    return path


def test_it_loads_nothing_and_complains_of_nothing(browser: Browser, page: Path) -> None:
    """The only requests are the page and its empty icon; no error, no warning, no refused style or script."""
    browser.open(page)
    assert browser.run("document.querySelector('.tools output').textContent") == "12 of 12 rules"
    asked = [event["request"]["url"] for event in browser.told("Network.requestWillBeSent")]
    assert [url for url in asked if not url.startswith("data:")] == [page.as_uri()]
    assert browser.told("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(browser: Browser, page: Path, scheme: str) -> None:
    """The contrast of every text node that shows is 4.5 or more, whichever scheme the system or the switch says."""
    browser.open(page, scheme=scheme)
    browser.run(OPEN_ALL)
    found = browser.run(CONTRAST)
    assert found["seen"] > 200 and found["poor"] == []
    other = "light" if scheme == "dark" else "dark"
    before = browser.run("getComputedStyle(document.body).backgroundColor")
    browser.run(f"document.getElementById('{other}').click()")
    assert browser.run("getComputedStyle(document.body).backgroundColor") != before
    assert browser.run(CONTRAST)["poor"] == []


@pytest.mark.parametrize("width", [320, 360, 700, 1100])
def test_it_never_scrolls_sideways(browser: Browser, page: Path, width: int) -> None:
    """At the width of a phone and of a desk nothing is wider than the window, with all details open."""
    browser.open(page, width=width)
    browser.run(OPEN_ALL)
    assert browser.run("document.scrollingElement.scrollWidth") <= width
    assert browser.run("[...document.querySelectorAll('svg.chart')].filter(e => e.checkVisibility()).length") == 2


def test_the_keyboard_reaches_everything_in_order(browser: Browser, page: Path) -> None:
    """Tab goes through all controls from top to bottom, the skip link first, each with a visible outline."""
    browser.open(page)
    seen: list[str] = []
    here = "(e => [e.tagName, e.id || e.className || e.textContent.slice(0, 20), getComputedStyle(e).outlineStyle])"
    for _ in range(80):
        for kind in ("rawKeyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        tag, name, outline = browser.run(f"{here}(document.activeElement)")
        if tag == "BODY":
            break
        assert outline != "none", (tag, name)
        seen.append(tag)
    shut = browser.run("[...document.querySelectorAll('summary')].filter(e => e.checkVisibility()).length")
    assert seen[:2] == ["A", "INPUT"] and seen.count("SELECT") == 2 and seen.count("SUMMARY") == shut


def test_a_screen_reader_has_a_name_for_everything(browser: Browser, page: Path) -> None:
    """Controls, charts, tables and regions have names; there is one main, one banner and one footer."""
    browser.open(page)
    nodes: list[dict[str, Any]] = browser.ask("Accessibility.getFullAXTree")["nodes"]
    roles: dict[str, list[str]] = {}
    for node in nodes:
        if not node.get("ignored"):
            roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    assert len(roles["main"]) == len(roles["banner"]) == len(roles["contentinfo"]) == len(roles["search"]) == 1
    named = ("radio", "link", "searchbox", "combobox", "DisclosureTriangle", "table", "region", "image", "group")
    for role in named:
        assert all(name.strip() for name in roles.get(role, [])) or role == "group", role
    assert len(roles["radio"]) == 3 and len(roles["combobox"]) == 2 and len(roles["region"]) >= 7
    images = roles.get("image", []) + roles.get("img", [])
    assert "Corrections per week" in images and all(images)


def test_rules_are_found_and_ordered(browser: Browser, page: Path) -> None:
    """A word or a state leaves the rules that have it; groups without one go; the order changes inside a group."""
    browser.open(page)
    shown = "[...document.querySelectorAll('.rule')].filter(e => e.checkVisibility()).length"
    act = "(s, v, k) => { const e = document.querySelectorAll('.tools ' + s)[k]; e.value = v;"
    act = f"({act} e.dispatchEvent(new Event(s === 'input' ? 'input' : 'change')) }})"
    browser.run(f"{act}('input', 'rule-7 ', 0)")
    assert browser.run(shown) == 1
    browser.run(f"{act}('input', '', 0)")
    browser.run(f"{act}('select', 'held', 0)")
    assert browser.run(shown) == 2
    assert browser.run("[...document.querySelectorAll('.rules h3')].filter(e => e.checkVisibility()).length") == 1
    browser.run(f"{act}('select', 'times', 1)")
    times = browser.run("[...document.querySelectorAll('.rule.held')].map(e => +e.dataset.times)")
    assert times == sorted(times, reverse=True)


def test_it_works_without_its_script(browser: Browser, page: Path) -> None:
    """With scripts off everything is there but the search, and details open."""
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page)
        assert browser.run("[...document.querySelectorAll('.rule')].filter(e => e.checkVisibility()).length") == 12
        assert browser.run("document.querySelector('.tools').checkVisibility()") is False
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)


def test_print_shows_everything_in_light(browser: Browser, page: Path) -> None:
    """On paper details are open, also without the script, the colours are light and the controls are gone."""
    browser.open(page, scheme="dark", media="print")
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("[...document.querySelectorAll('.ev li')].every(e => e.getBoundingClientRect().height > 0)")
    assert browser.run("document.querySelector('fieldset').checkVisibility()") is False
    assert browser.run(CONTRAST)["poor"] == []
    assert len(browser.ask("Page.printToPDF")["data"]) > 10_000
