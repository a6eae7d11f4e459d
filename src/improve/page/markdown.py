"""The report as Markdown for a pull request: whatever was said stands in code spans, where nothing is a link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from improve.escape import one_line, visible
from improve.page.account import STATES, TENTATIVE, Account, Count, Share, Standing
from improve.page.words import (
    STATE_NAMES,
    bounds_text,
    counts_note,
    day,
    percent,
    rate_text,
    sessions_text,
    tally,
    well_known,
)
from improve.report import CAUSES, counted

_RULES, _SHARES, _EVIDENCE, _WORDS = 30, 10, 3, 200


def code(said: str, most: int = _WORDS) -> str:
    """Put somebody's words into a code span that they cannot end.

    >>> code("a `b` | c")
    '`` a `b` ¦ c ``'
    """
    line = visible(one_line(said, most)).replace("|", "¦") or " "
    longest = run = 0
    for char in line:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}" if longest else f"{fence}{line}{fence}"


def as_markdown(account: Account) -> str:
    """Make compact tables, with the details folded."""
    return "\n".join(_lines(account)) + "\n"


def _lines(account: Account) -> Iterator[str]:
    where = f" · {code(account.project)}" if account.project else ""
    yield f"## improve report, {day(account.since)} – {day(account.until)}{where}"
    yield ""
    yield _first(account)
    yield ""
    yield counts_note(account) if not account.lacks("messages") else code(account.lacks("messages"))
    if account.steps:
        yield from ("", "**Next**", "")
        yield from (f"- {code(step.why)}: {code(step.command)}" for step in account.steps)
    yield from _shares("agent", account.hosts)
    yield from _shares("project", account.projects)
    yield from _weeks(account)
    for state in STATES:
        if state != TENTATIVE and (group := account.of(state)):
            yield from _rules(state, group)
    yield ""
    yield f"{counted(account.waiting, 'message')} in the inbox, {counted(len(account.fired), 'guard')} fired."


def _first(account: Account) -> str:
    known = well_known(account.total)
    per = f", {rate_text(account.total)} per 100 messages ({bounds_text(account.total)})" if known else ""
    rules = f" Rules: {tally(account)}." if account.rules else ""
    return f"**{counted(account.total.corrections, 'correction')}**{per}.{rules}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(count: Count) -> tuple[str, ...]:
    return f"{count.corrections:,}", f"{count.messages:,}", rate_text(count), bounds_text(count)


def _shares(name: str, shares: Sequence[Share]) -> Iterator[str]:
    if not shares:
        return
    yield from ("", _row(f"By {name}", "corrections", "messages", "per 100", "95 %"), _row("---", *["---:"] * 4))
    yield from (_row(code(s.name, 60), *_cells(s.tally)) for s in shares[:_SHARES])


def _weeks(account: Account) -> Iterator[str]:
    if not any(week.known for week in account.weeks):
        return
    yield from ("", "<details><summary>Each week</summary>", "")
    yield from (_row("Week", "corrections", "messages", "per 100", "95 %"), _row("---", *["---:"] * 4))
    for week in account.weeks:
        yield _row(week.name, *(_cells(week.tally) if week.known else ("not known", "—", "—", "—")))
    yield from ("", "</details>")


def _rules(state: str, group: Sequence[Standing]) -> Iterator[str]:
    name = STATE_NAMES[state]
    yield from ("", f"<details><summary>{counted(len(group), 'rule')}: {name}</summary>", "")
    for rule in group[:_RULES]:
        yield f"- {code(rule.text)} {code(rule.id)}, corrected {counted(rule.occasions, 'time')}"
        if rule.before[0] or rule.after[0]:
            after = f"{sessions_text(rule.after)}, {percent(rule.after_bounds)}"
            yield f"  - before {sessions_text(rule.before)}, after {after}"
        if rule.cause:
            detail = f" {code(rule.detail)}" if rule.detail else ""
            yield f"  - why: {CAUSES.get(rule.cause) or code(rule.cause)}{detail}"
        if rule.fix:
            yield f"  - {code(rule.fix)}"
        yield from (f"  - {code(day(e.date))} {code(e.words)}" for e in rule.evidence[:_EVIDENCE] if e.words)
    if len(group) > _RULES:
        yield f"- and {len(group) - _RULES} more"
    yield from ("", "</details>")
