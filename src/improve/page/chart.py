"""Charts as SVG, drawn by hand: a few rectangles and lines need no library, and each is followed by its numbers.

Every chart is drawn twice, for a wide page and for a phone, so that its letters have a readable size on both; one of
them is shown. What nobody read is a gap with a dotted line, never a column of height nought.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from improve.page.account import Week
from improve.page.markup import text
from improve.page.words import bounds, day, rate
from improve.report import counted


class Frame(NamedTuple):
    """Where a chart draws."""

    name: str
    width: int
    height: int = 220
    left: int = 34
    top: int = 12
    bottom: int = 28

    @property
    def base(self) -> int:
        """Where nought is."""
        return self.height - self.bottom

    def x(self, at: float, of: int) -> float:
        """Give the left edge of a week's place."""
        return self.left + at * (self.width - self.left - 4) / max(of, 1)

    def y(self, value: float, most: float) -> float:
        """Give the height of a value."""
        return self.base - value / most * (self.base - self.top)


FRAMES = (Frame("wide", 960, 240), Frame("narrow", 328, 200))


def step_for(most: float, *, whole: bool) -> float:
    """Give the distance of lines of a scale that begins at nought: at most five of them, round numbers.

    >>> step_for(11, whole=True), step_for(1, whole=True), step_for(0.7, whole=False)
    (5, 1, 0.2)
    """
    size = 1.0
    while size * 10 <= most / 4:
        size *= 10
    while size > most / 4 and not (whole and size <= 1):
        size /= 10
    found = next((size * n for n in (1, 2, 5, 10) if most / (size * n) <= 5), size * 10)
    return int(found) if whole else round(found, 6)


def top_of(most: float, step: float) -> float:
    """Give the end of a scale: the first line at or above the highest value."""
    lines = max(int(most / step), 1)
    return step * (lines if lines * step >= most else lines + 1)


def columns(weeks: Sequence[Week]) -> str:
    """Draw corrections per week."""
    most = max((week.tally.corrections for week in weeks), default=0)
    title = "Corrections per week"
    desc = f"Columns from {_ends(weeks)}; the highest has {most}. The table below has every number."
    return _both("columns", title, desc, weeks, float(most), _columns, whole=True)


def line(weeks: Sequence[Week]) -> str:
    """Draw corrections per 100 messages, with the interval of each week."""
    rates = [found for week in weeks if (found := rate(week.tally)) is not None]
    edge = max(rates, default=0) * 2.2  # a week of three messages has an interval beyond any page
    most = max((min(bounds(week.tally)[1], edge) for week in weeks if week.tally.messages), default=0)
    title = "Corrections per 100 of your messages"
    desc = f"Points with 95 % intervals from {_ends(weeks)}; weeks nobody read are gaps. The table below has them all."
    return _both("line", title, desc, weeks, max(most, max(rates, default=0)), _points, whole=False)


def _ends(weeks: Sequence[Week]) -> str:
    return f"the week of {day(weeks[0].monday)} to that of {day(weeks[-1].monday)}" if weeks else "no week"


_Draw = Callable[[Frame, Sequence[Week], float], Iterator[str]]


def _both(name: str, title: str, desc: str, weeks: Sequence[Week], most: float, draw: _Draw, *, whole: bool) -> str:
    step = step_for(most or 1, whole=whole)
    top = top_of(most, step)
    out = []
    for frame in FRAMES:
        key = f"{name}-{frame.name}"
        body = "".join([*_scale(frame, step, top), *draw(frame, weeks, top), *_dates(frame, weeks)])
        out.append(
            f'<svg class="chart {frame.name}" role="img" aria-labelledby="{key}-t" aria-describedby="{key}-d" '
            f'viewBox="0 0 {frame.width} {frame.height}"><title id="{key}-t">{title}</title>'
            f'<desc id="{key}-d">{text(desc)}</desc>{body}</svg>'
        )
    return "".join(out)


def _scale(frame: Frame, step: float, top: float) -> Iterator[str]:
    lines = round(top / step)
    for number in range(lines + 1):
        y = frame.y(number * step, top)
        yield f'<path class="{"grid" if number else "axis"}" d="M{frame.left} {y:.1f}H{frame.width - 4}"/>'
        yield f'<text class="t" x="{frame.left - 6}" y="{y + 4:.1f}" text-anchor="end">{number * step:g}</text>'


def _dates(frame: Frame, weeks: Sequence[Week]) -> Iterator[str]:
    """Write the Monday below every so many weeks."""
    every = max(1, -(-len(weeks) * 62 // (frame.width - frame.left)))
    for at in range(0, len(weeks), every):
        x = frame.x(at + 0.5, len(weeks))
        if x <= frame.width - 22:
            yield f'<text class="t" x="{x:.1f}" y="{frame.height - 8}" text-anchor="middle">'
            yield f"{day(weeks[at].monday, year=False)}</text>"


def _columns(frame: Frame, weeks: Sequence[Week], top: float) -> Iterator[str]:
    of = len(weeks)
    for at, week in enumerate(weeks):
        x, width = frame.x(at, of), frame.x(at + 1, of) - frame.x(at, of)
        gap = min(max(width * 0.16, 0.5), 6)
        if not week.known:
            yield _gap(frame, x, width, f"Week of {day(week.monday)}: nothing known")
            continue
        y = frame.y(week.tally.corrections, top)
        said = f"Week of {day(week.monday)}: {counted(week.tally.corrections, 'correction')}"
        part = " (part of a week)" if week.part else ""
        yield (
            f'<rect class="col{" part" if week.part else ""}" x="{x + gap:.1f}" y="{y:.1f}" '
            f'width="{max(width - 2 * gap, 1):.1f}" height="{frame.base - y:.1f}"><title>{said}{part}</title></rect>'
        )


def _gap(frame: Frame, x: float, width: float, said: str) -> str:
    return f'<path class="gap" d="M{x + 1:.1f} {frame.base - 5}H{x + width - 1:.1f}"><title>{said}</title></path>'


def _points(frame: Frame, weeks: Sequence[Week], top: float) -> Iterator[str]:
    of, path, before, dots = len(weeks), "", False, []
    for at, week in enumerate(weeks):
        x, found = frame.x(at + 0.5, of), rate(week.tally)
        if found is None:
            yield _gap(
                frame, frame.x(at, of), frame.x(at + 1, of) - frame.x(at, of), f"Week of {day(week.monday)}: not read"
            )
            before = False
            continue
        low, high = (frame.y(min(value, top), top) for value in bounds(week.tally))
        y = frame.y(found, top)
        yield f'<path class="whisker" d="M{x:.1f} {high:.1f}V{low:.1f}"/>'
        path += f"{'L' if before else 'M'}{x:.1f} {y:.1f}"
        before = True
        said = f"Week of {day(week.monday)}: {found:.1f} per 100, {counted(week.tally.messages, 'message')}"
        dots.append(
            f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{3.5 if of < 60 else 2}"><title>{said}</title></circle>'
        )
    if path:
        yield f'<path class="line" d="{path}"/>'
    yield from dots


def spark(name: str, values: Sequence[int]) -> str:
    """Draw the weeks of one row, small; the highest fills it."""
    most, width = max(values, default=0), 96
    each = width / max(len(values), 1)
    bars = "".join(
        f"M{at * each + each / 2:.1f} 22v-{max(20 * value / most, 1):.1f}" for at, value in enumerate(values) if value
    )
    said = ", ".join(map(str, values))
    return (
        f'<svg class="spark" role="img" viewBox="0 0 {width} 24">'
        f"<title>{text(name)}, corrections each week: {said}</title>"
        f'<path class="axis" d="M0 22.5H{width}"/>'
        f'<path class="bars" stroke-width="{max(each * 0.7, 0.6):.1f}" d="{bars}"/></svg>'
    )


def versus(before: tuple[int, int], after: tuple[int, int], bounds: Sequence[tuple[float, float]], said: str) -> str:
    """Draw the shares of sessions with the mistake before and after a rule was written, 0 to 100 %, with intervals."""
    rows = []
    for y, (exposed, failed), (low, high), cls in ((4, before, bounds[0], "b0"), (20, after, bounds[1], "b1")):
        rows.append(f'<path class="track" d="M0 {y + 4}H200"/>')
        if exposed:
            rows.append(f'<path class="{cls}" d="M0 {y + 4}H{max(200 * failed / exposed, 1):.0f}"/>')
            a, b = f"{200 * low:.0f}", f"{200 * high:.0f}"
            rows.append(f'<path class="whisker" d="M{a} {y + 4}H{b}M{a} {y}v8M{b} {y}v8"/>')
    box = 'preserveAspectRatio="xMinYMid" viewBox="-1 0 202 32"'
    return f'<svg class="versus" role="img" {box}><title>{said}</title>{"".join(rows)}</svg>'


def share(value: float, most: float) -> str:
    """Draw how much of something is used, beside the number that says it; hidden from screen readers."""
    filled = min(value / most, 1.0) * 100 if most else 0
    over = " over" if value > most else ""
    return (
        f'<svg class="share" aria-hidden="true" viewBox="0 0 100 8"><path class="track" d="M0 4H100"/>'
        f'<path class="b1{over}" d="M0 4H{filled:.0f}"/></svg>'
    )
