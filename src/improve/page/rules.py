"""The rules of the page, one block each, and how much of their evidence there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from improve.escape import one_line
from improve.page.account import HELD, RECURRING, STATES, UNSURE, Account, Evidence, Standing
from improve.page.chart import versus
from improve.page.markup import command, folded, own, text
from improve.page.words import STATE_NAMES, day, percent, sessions_text
from improve.report import CAUSES, counted
from improve.report import command as improve_command

_ROOM = 340_000
"""Bytes of rules on a page without their evidence, as stored text."""
_EVIDENCE = 180_000
"""Bytes of evidence."""
_EACH = 5
_LINE = 170
"""Bytes that the markup of one piece of evidence takes."""
_BLOCK = 700
_WORDS = 220
_RULE = 400
_MARKS = {RECURRING: "▲", HELD: "✓", UNSURE: "○"}


class Shown(NamedTuple):
    """What a page has room for."""

    rules: tuple[Standing, ...]
    evidence: dict[str, tuple[Evidence, ...]]
    """Of each rule, by id."""


def shown(rules: Sequence[Standing]) -> Shown:
    """Choose what a page shows: as many rules as there is room for, then one piece of evidence of each in turn."""
    kept: list[Standing] = []
    room = _ROOM
    for rule in rules:
        room -= _BLOCK + 2 * len(rule.id) + sum(_size(t, _RULE) for t in (rule.text, rule.detail, *rule.paths[:2]))
        if room < 0:
            break
        kept.append(rule)
    told: dict[str, tuple[Evidence, ...]] = {rule.id: () for rule in kept}
    left = _EVIDENCE
    for at in range(_EACH):
        for rule in kept:
            if at < len(rule.evidence):
                left -= _LINE + _size(rule.evidence[at].words, _WORDS)
                if left < 0:
                    return Shown(tuple(kept), told)
                told[rule.id] += (rule.evidence[at],)
    return Shown(tuple(kept), told)


def _size(said: str, most: int) -> int:
    return len(text(one_line(said, most)).encode())


def section(account: Account) -> str:
    """Give all rules, grouped by how they fare."""
    if not account.rules:
        return "<p>No rule is recorded yet. <code>improve observe</code> records one.</p>"
    fits = shown(account.rules)
    parts = [_tools(account)]
    for state in STATES:
        group = [rule for rule in fits.rules if rule.state == state]
        if group:
            head = (
                f'{_mark(state)}{STATE_NAMES[state].capitalize()} <span class="soft">{len(account.of(state)):,}</span>'
            )
            blocks = "".join(_block(rule, fits.evidence[rule.id]) for rule in group)
            parts.append(f'<h3>{head}</h3><ul class="group">{blocks}</ul>')
    if more := len(account.rules) - len(fits.rules):
        parts.append(
            f"<p>{counted(more, 'more rule')}, not shown here: {command('improve status --all --budget 0')}</p>"
        )
    return "".join(parts)


def _tools(account: Account) -> str:
    states = "".join(f'<option value="{state}">{STATE_NAMES[state]}</option>' for state in STATES if account.of(state))
    orders = "".join(
        f'<option value="{key}">{name}</option>'
        for key, name in (("", "most urgent"), ("times", "most corrections"), ("last", "latest correction"))
    )
    return (
        '<div class="tools" role="search" aria-label="Rules" hidden>'
        '<label>Find <input type="search" autocomplete="off"></label>'
        f'<label>Show <select><option value="">all</option>{states}</select></label>'
        f"<label>Order <select>{orders}</select></label><output></output></div>"
    )


def _mark(state: str) -> str:
    return f'<span aria-hidden="true">{_MARKS[state]}</span> ' if state in _MARKS else ""


def _block(rule: Standing, evidence: Sequence[Evidence]) -> str:
    seen = f"corrected {counted(rule.occasions, 'time')}" + (
        f" in {rule.projects} projects" if rule.projects > 1 else ""
    )
    facts = [f"<code>{text(rule.id)}</code>", seen, f"{rule.in_time} in this time"]
    facts += [f"last {text(day(rule.last))}"] if rule.last else []
    facts += [f"guard: {text(rule.guard)}"] if rule.guard else []
    return (
        f'<li class="rule {rule.state}" data-times="{rule.occasions}" data-last="{text(rule.last)}">'
        f'<div class="say"><h4 dir="auto">{text(one_line(rule.text, _RULE))}</h4>'
        f'<p class="meta">{" · ".join(facts)}</p>{_why(rule)}</div>'
        f'<div class="vs">{_versus(rule)}</div>{_evidence(rule, evidence)}</li>'
    )


def _why(rule: Standing) -> str:
    if not (rule.cause or rule.fix):
        return ""
    cause = CAUSES.get(rule.cause, rule.cause)
    detail = f": {own(one_line(rule.detail, _RULE))}" if rule.detail else ""
    said = f"Why: {text(cause)}{detail}. " if cause else ""
    return f'<p class="why">{said}{command(rule.fix) if rule.fix else ""}</p>'


def _versus(rule: Standing) -> str:
    badge = f'<span class="badge">{_mark(rule.state)}{STATE_NAMES[rule.state]}</span>'
    if rule.state not in _MARKS:
        return badge
    before, after = sessions_text(rule.before), sessions_text(rule.after)
    rows = [
        f"{name} <b>{said}</b>{f'95 %: {percent(between)}' if tally[0] else ''}".replace(" %", "&nbsp;%")
        for name, said, tally, between in (
            ("before", before, rule.before, rule.before_bounds),
            ("after", after, rule.after, rule.after_bounds),
        )
    ]
    if not (rule.before[0] or rule.after[0]):
        return f"{badge}<br>no session known in which its topic came up"
    picture = versus(
        rule.before,
        rule.after,
        (rule.before_bounds, rule.after_bounds),
        f"Mistake made: before {before}, after {after}",
    )
    return f'{badge}{picture}<div class="two"><span>{rows[0]}</span><span>{rows[1]}</span></div>'


def _evidence(rule: Standing, shown_here: Sequence[Evidence]) -> str:
    lines = []
    for e in shown_here:
        who = " · ".join(text(part) for part in (e.host, e.project, e.signal) if part)
        words = f'<q dir="auto">{text(one_line(e.words, _WORDS))}</q>' if e.words else ""
        lines.append(f'<li><time>{text(day(e.date))}</time> <span class="meta">{who}</span>{words}</li>')
    written = "".join(
        f"<li>written {text(day(rule.written))} to <code>{text(one_line(path, _RULE))}</code></li>"
        for path in rule.paths[:2]
    )
    more = rule.told - len(shown_here)
    rest = f"<li>{more:,} more: {command(improve_command('history', rule.id))}</li>"
    if not (lines or written):
        return ""
    what = f"{len(shown_here)} of {rule.told} corrections" if more > 0 else counted(rule.told, "correction")
    body = "".join(lines) + (rest if more > 0 else "") + written
    return folded(f"Evidence: {what}", f'<ul class="ev">{body}</ul>')
