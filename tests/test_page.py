"""The report's page, Markdown, text and data: every number stands on it, and nothing said becomes markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from accounts import HOSTILE, account
from improve.page import chart
from improve.page.account import Account, Count
from improve.page.data import as_data
from improve.page.html import is_ours
from improve.page.markdown import as_markdown, code
from improve.page.plain import as_text
from improve.page.words import bounds, lead, rate_text
from improve.workflow import delivering, weeks

VOID = {"meta", "link", "br", "input", "img", "hr"}
NOTHING = account(words=("x",), rules=0)._replace(
    weeks=(), hosts=(), projects=(), waits=(), waiting=0, rooms=(), fired=(), steps=(), total=Count(), earlier=None
)


class Strict(HTMLParser):
    """Reads a page and complains of what is not closed, closed twice, or named twice."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.tags: dict[str, int] = {}
        self.levels: list[int] = []
        self.said = ""
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag; a path of SVG ends in itself."""
        self.tags[tag] = self.tags.get(tag, 0) + 1
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice in {tag}"
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} {name}"
            if name == "id":
                assert value not in self.ids, value
                self.ids.add(str(value))
            if name in ("src", "href", "action", "xlink:href", "srcset", "poster", "data"):
                self.links.append(str(value))
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that ends in itself."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Expect the tag that was opened last."""
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        """Keep the text of the page."""
        if self.open and self.open[-1] not in ("script", "style"):
            self.said += data


def parsed(told: Account) -> Strict:
    """Make the page of an account and read it strictly."""
    reader = Strict()
    reader.feed(delivering.page(told).decode())
    reader.close()
    assert not reader.open
    return reader


def test_the_page_is_well_formed_and_its_headings_are_in_order() -> None:
    """Every tag is closed, no id stands twice, one h1, no level is skipped; also of an empty store."""
    for told in (account(), NOTHING):
        page = parsed(told)
        assert page.tags["main"] == page.tags["header"] == page.tags["footer"] == 1
        assert page.levels[0] == 1 and page.levels.count(1) == 1
        assert all(after - before <= 1 for before, after in zip(page.levels, page.levels[1:], strict=False))


def test_the_page_needs_nothing_from_elsewhere() -> None:
    """No address, no file and no style is loaded; links lead to a place of the page."""
    page = parsed(account(words=("plain",)))
    assert set(page.links) == {"#main", "data:,"}
    raw = delivering.page(account(words=("plain",))).decode()
    assert "http:" not in raw and "https:" not in raw and "url(" not in raw and "@import" not in raw
    assert "default-src 'none'" in raw and "unsafe" not in raw


@pytest.mark.parametrize("words", HOSTILE, ids=lambda words: ascii(words[:20]))
def test_hostile_words_stay_words(words: str) -> None:
    """Whatever a person typed, the page has the same tags as with plain words and shows no control character."""
    assert parsed(account(words=(words,))).tags == parsed(account(words=("plain",))).tags
    raw = delivering.page(account(words=(words,))).decode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", raw)
    assert len(raw) < 400_000


@settings(max_examples=25)
@given(st.text(max_size=60))
def test_no_text_becomes_markup(words: str) -> None:
    """The page of any words has the tags of a page of plain words."""
    assert parsed(account(words=(f"a{words}",), rules=6)).tags == parsed(account(words=("plain",), rules=6)).tags


@given(st.text(max_size=80))
def test_no_text_leaves_its_code_span(words: str) -> None:
    """Markdown shows any words as the content of one code span: no link, no emphasis, no heading, no HTML."""
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(f"- {code(words)} end")
    (inline,) = [token for token in tokens if token.type == "inline"]
    assert [child.type for child in inline.children or []] == ["code_inline", "text"]


def test_markdown_of_hostile_words_has_no_link_and_no_heading_of_theirs() -> None:
    """Tables have as many cells as their heads; the only headings and HTML are ours."""
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(as_markdown(account()))
    kinds = [child.type for token in tokens for child in token.children or []]
    assert "link_open" not in kinds and "image" not in kinds and "html_inline" not in kinds
    assert sum(token.type == "heading_open" for token in tokens) == 1
    html = {line for t in tokens if t.type == "html_block" for line in t.content.strip().split("\n")}
    assert all(re.fullmatch(r"</?details>|<details><summary>[\w ,:]+</summary>", line) for line in html), html
    rows = [token for token in tokens if token.type == "tr_open"]
    assert len(rows) == 2 * (1 + 10) + 1 + 5


def test_every_number_stands_on_the_page() -> None:
    """Weeks, shares, tallies of rules, what waits, room and guards are the numbers of the account."""
    told = account(words=("plain",))
    said = re.sub(r"\s+", " ", parsed(told).said)
    for week in told.weeks:
        if week.known:
            assert f"{week.name}{' (part)' if week.part else ''}" in said
            assert f"{week.tally.messages:,}" in said and rate_text(week.tally) in said
    for rule in told.rules[:3]:
        assert f"{rule.after[1]} of {rule.after[0]} sessions" in said
        assert f"corrected {rule.occasions} time" in said and f"{rule.in_time} in this time" in said
    for number in ("22", "40", "240", "200", "1,234 of 32,768", "13.3"):
        assert number in said
    assert "8 fewer than" in said and "3 of 9 corrections" in said and "6 more: improve history rule-0" in said


def test_a_week_nobody_read_is_a_gap_and_no_nought() -> None:
    """It has no column, its row says that nothing is known, and the line breaks; a quiet week that was read is 0."""
    told = account(words=("plain",))
    wide = chart.columns(told.weeks).split("</svg>")[0]
    assert wide.count("<rect") == 4 and wide.count('class="gap"') == 1
    line = chart.line(told.weeks).split("</svg>")[0]
    assert line.count("<circle") == 3 and line.count("M") - line.count('class="whisker"') >= 2
    assert "not known" in parsed(told).said


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 7, 11, 21, 99, 100, 12_345])
def test_scales_begin_at_nought_and_hold_the_highest(most: int) -> None:
    """Lines stand at whole numbers, at most six of them above nought, and the last is not below the highest value."""
    step = chart.step_for(most or 1, whole=True)
    top = chart.top_of(most, step)
    assert step == int(step) >= 1 and top >= most and top / step <= 6


@given(st.integers(0, 500), st.integers(1, 5_000))
def test_the_interval_holds_the_rate(corrections: int, messages: int) -> None:
    """Its bounds lie on both sides of the rate and narrow with more messages."""
    count = Count(corrections, corrections, 1, messages)
    low, high = bounds(count)
    assert 0 <= low <= 100 * corrections / messages < high
    more = bounds(Count(corrections * 4, corrections * 4, 1, messages * 4))
    assert more[1] - more[0] < high - low


def test_data_is_plain_and_versioned() -> None:
    """The data survives JSON unchanged in meaning and has every rule."""
    data = json.loads(json.dumps(as_data(account())))
    assert data["version"] == 1 and len(data["rules"]) == 12 and data["total"]["corrections"] == 22
    assert data["weeks"][2] == {**data["weeks"][2], "known": False, "per_100": None, "interval": None}


def test_text_says_the_most_important_first() -> None:
    """The first line is the sentence of the page; the last names the page."""
    lines = as_text(account(words=("plain",))).split("\n")
    assert lines[0].startswith("You corrected your agents 22 times in the last 30 days, 13.3 per 100 messages, 8 fewer")
    assert lines[-1].endswith("improve report --open") and "2 rules keep recurring" in lines[0]
    assert lead(NOTHING).startswith("Nothing is recorded yet")


def test_many_rules_fit_into_a_megabyte() -> None:
    """However long and wide their words are: what is left out is counted, with the command that shows it."""
    told = account(words=("不要" * 5_000, "&" * 5_000), rules=2_000)
    page = delivering.page(told)
    assert len(page) < 1_000_000
    assert b"not shown here" in page and b"improve status --all --budget 0" in page


def test_a_page_is_known_as_ours() -> None:
    """A page of ours is one, also of another version; another page that speaks of us is none."""
    page = delivering.page(NOTHING)
    assert is_ours(page) and is_ours(page.replace(b"report 1", b"report 2"))
    assert not is_ours(b"<!doctype html><p>improve report 1") and not is_ours(b"")


@given(st.dates(), st.integers(0, 900))
def test_weeks_cover_a_time_without_holes(day: object, days: int) -> None:
    """They are seven days apart, begin on Mondays, and hold the first and the last day, two years at most."""
    until = str(day)
    since = weeks.earlier(until, days)
    mondays = weeks.mondays(since, until)
    assert 1 <= len(mondays) <= weeks.MOST and mondays[-1] == weeks.monday(until)
    assert len(mondays) == weeks.MOST or mondays[0] == weeks.monday(since)
