"""The report as one page that needs nothing else: no network, no script, no font."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from improve.escape import one_line
from improve.page import chart, rules
from improve.page.account import HELD, RECURRING, Account, Count, Share, Week
from improve.page.look import SCRIPT, STYLE
from improve.page.markup import command, folded, own, table, text
from improve.page.words import bounds_text, counts_note, day, first, rate_text, then
from improve.report import counted

GENERATOR = "improve report 1"
"""By this a page of ours is known before it is replaced."""
_BEGINS = '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
_MARK = f'<meta name="generator" content="{GENERATOR}">'
_SHARES = 30
_WORDS = 220


def is_ours(data: bytes) -> bool:
    """Tell whether a file is a page that was made here, of any version."""
    return _MARK.rpartition(" ")[0].encode() in data[:1024]


def page(account: Account, digests: tuple[str, str]) -> str:
    """Make the page.

    Args:
        digests: SHA-256 of the style sheet and of the script in base64: nothing else may run.
    """
    where = f" · {own(account.project)}" if account.project else ""
    title = f"improve report{f' · {text(account.project)}' if account.project else ''} · {text(account.until)}"
    return (
        f"{_BEGINS}{_MARK}\n{_policy(digests)}"
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">Skip to the report</a>\n'
        f"<header><h1>improve report <span>{text(day(account.since))} – {text(day(account.until))}{where}</span></h1>"
        f'{_switch()}</header>\n<main id="main" tabindex="-1">\n{"".join(_sections(account))}</main>\n'
        f"{_footer(account)}\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def _policy(digests: tuple[str, str]) -> str:
    style, script = (f"'sha256-{digest}'" for digest in digests)
    return (
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src {style}; '
        f"script-src {script}; img-src data:; base-uri 'none'; form-action 'none'\">\n"
    )


def _switch() -> str:
    rows = (("auto", "As the system", " checked"), ("light", "Light", ""), ("dark", "Dark", ""))
    inputs = "".join(
        f'<label><input type="radio" name="scheme" id="{key}"{checked}>{name}</label>' for key, name, checked in rows
    )
    return f"<fieldset><legend>Colours</legend>{inputs}</fieldset>"


def _sections(account: Account) -> Iterable[str]:
    yield f'<p class="lead">{text(first(account))}</p>'
    if more := then(account):
        yield f'<p class="more">{text(more)}</p>'
    yield f'<p class="soft">{text(counts_note(account))}</p>'
    yield _next(account)
    yield _figures(account)
    yield _section("weeks", "Corrections over time", _weeks(account))
    yield _section("hosts", "By agent", _shares(account.hosts, "Agent", account.weeks))
    yield _section("projects", "By project", _shares(account.projects, "Project", account.weeks))
    yield _section("rules", "Rules", rules.section(account))
    yield _section("inbox", "What waits in the inbox", _inbox(account))
    yield _section("room", "Room in instruction files", _rooms(account))
    yield _section("guards", "What guards did", _fired(account))


def _section(name: str, title: str, body: str) -> str:
    return f'<section class="{name}" aria-labelledby="h-{name}"><h2 id="h-{name}">{title}</h2>{body}</section>\n'


def _next(account: Account) -> str:
    if not account.steps:
        return ""
    items = "".join(f"<li>{own(step.why)}<br>{command(step.command)}</li>" for step in account.steps)
    return (
        f'<section class="next" aria-labelledby="h-next"><h2 id="h-next">What to do next</h2><ol>{items}</ol></section>'
    )


def _figures(account: Account) -> str:
    total = account.total
    rows = (
        (f"{total.corrections:,}", "corrections"),
        (
            rate_text(total),
            f"per 100 of your messages ({bounds_text(total)})" if total.messages else "per 100 messages",
        ),
        (f"{len(account.of(RECURRING)):,}", f"rules keep recurring; {len(account.of(HELD)):,} held"),
        (f"{account.waiting:,}", "messages wait in the inbox"),
    )
    cells = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for value, name in rows)
    return f'<dl class="figures">{cells}</dl>'


def _weeks(account: Account) -> str:
    weeks = account.weeks
    if not any(week.known for week in weeks):
        return "<p>Nothing is known of these weeks.</p>"
    parts = ["Columns with a dashed edge are part of a week." if any(w.part for w in weeks) else ""]
    parts += ["Only the last two years are drawn."] if weeks[0].monday > account.since else []
    parts += ["A dotted line marks weeks of which nothing is known."] if not all(w.known for w in weeks) else []
    parts += (
        [f"{counted(account.undated, 'older occasion')} kept as totals belong to no week."] if account.undated else []
    )
    out = [
        f"<figure><figcaption>Corrections per week. {' '.join(filter(None, parts))}</figcaption>{chart.columns(weeks)}",
        folded("These numbers as a table", _week_table(weeks)),
        "</figure>",
    ]
    if lacking := account.lacks("messages"):
        return "".join([*out, f'<p class="soft">{text(lacking)}</p>'])
    caption = "Corrections per 100 of your messages, with 95 % intervals; a break means that nothing was read."
    out += [
        f"<figure><figcaption>{caption}</figcaption>{chart.line(weeks)}",
        folded("These numbers as a table", _rate_table(weeks)),
        "</figure>",
    ]
    return "".join(out)


def _week_table(weeks: Sequence[Week]) -> str:
    rows = (
        (w.name + (" (part)" if w.part else ""), day(w.monday), f"{w.tally.corrections:,}" if w.known else "not known")
        for w in weeks
    )
    return table("Corrections per week", ("Week", "Begins", "Corrections"), rows, numbers=(2,), cls="weeks")


def _rate_table(weeks: Sequence[Week]) -> str:
    rows = (
        (w.name, f"{w.tally.messages:,}", f"{w.tally.counted:,}", rate_text(w.tally), bounds_text(w.tally))
        for w in weeks
    )
    heads = ("Week", "Messages read", "Corrections in them", "Per 100", "95 % interval")
    return table("Corrections per 100 messages", heads, rows, numbers=(1, 2, 3, 4), cls="weeks")


def _cells(count: Count) -> list[str]:
    return [
        f"{count.corrections:,}",
        f"{count.sessions:,}",
        f"{count.messages:,}",
        rate_text(count),
        bounds_text(count),
    ]


def _shares(shares: Sequence[Share], what: str, weeks: Sequence[Week]) -> str:
    if not shares:
        return "<p>Nothing is known of this time.</p>"
    heads = (what, "Corrections", "Sessions read", "Messages read", "Per 100", "95 % interval", "Each week")
    rows = [[own(one_line(s.name, 80)), *_cells(s.tally), chart.spark(s.name, s.weekly)] for s in shares[:_SHARES]]
    more = len(shares) - _SHARES
    rest = f"<p>{more:,} more: {command('improve report --json')}</p>" if more > 0 else ""
    return table(f"Corrections by {what.lower()}", heads, rows, numbers=(1, 2, 3, 4, 5), cls="stack") + rest


def _lacking(account: Account, part: str, otherwise: str) -> str:
    return f"<p>{text(account.lacks(part) or otherwise)}</p>"


def _inbox(account: Account) -> str:
    if not account.waits:
        return _lacking(account, "inbox", "No correction waits to be phrased.")
    heads = ("Message", "When", "Signal", "Project", "Words")
    rows = (
        (text(w.id), text(day(w.date)), text(one_line(w.signal, 20)), own(w.project), own(one_line(w.words, _WORDS)))
        for w in account.waits
    )
    caption = (
        f"The likeliest {len(account.waits)} of {account.waiting:,}"
        if account.waiting > len(account.waits)
        else "All that waits"
    )
    return f"<p>{command('improve review')}</p>" + table(caption, heads, rows, cls="stack")


def _rooms(account: Account) -> str:
    if not account.rooms:
        return _lacking(account, "budget", "No agent on this machine loads an instruction file here.")
    heads = ("File", "Agent", "Lines", "Ours", "Advised", "Bytes used")
    rows = (
        (
            f"<code>{text(one_line(room.path, 200))}</code>",
            text(one_line(room.host, 30)),
            f"{room.lines:,}",
            f"{room.ours:,}",
            f"{room.advised:,} {chart.share(room.lines, room.advised)}" if room.advised else "—",
            f"{room.used:,} of {room.cap:,} {chart.share(room.used, room.cap)}" if room.cap else "—",
        )
        for room in account.rooms
    )
    return table("Lines of each file, and how many its agent advises", heads, rows, numbers=(2, 3, 4, 5), cls="stack")


def _fired(account: Account) -> str:
    if not account.fired:
        return _lacking(account, "guards", "No guard fired in this time.")
    heads = ("Rule", "Observed", "Warned", "Denied", "Last", "Last call")
    rows = (
        (
            f"<code>{text(one_line(f.rule, 80))}</code>", f"{f.observed:,}", f"{f.warned:,}", f"{f.denied:,}",
            text(day(f.last)), f"<code>{text(one_line(f.what, 120))}</code>",
        )
        for f in account.fired[:_SHARES]
    )  # fmt: skip
    return table("Calls that guards were about", heads, rows, numbers=(1, 2, 3), cls="stack")


def _footer(account: Account) -> str:
    when = (
        f"Verdicts were last measured {text(day(account.measured))}. "
        if account.measured
        else "No rule was judged yet. "
    )
    retired = f"{counted(account.retired, 'retired rule')} not shown." if account.retired else ""
    return (
        "<footer><p>A correction is a rule that was asked for in a session; again in the same session it counts once. "
        "Failures of tools, waste and what an agent admitted by itself are not counted, nor what was imported. "
        f"{when}Bars show the share of sessions with the mistake, before and after the rule was written; thin lines "
        f"are 95 % intervals. {retired}</p>"
        f"<p>Made {text(day(account.made))} {text(account.made[11:16])} by <code>improve report</code>. "
        "Its words come from your sessions: look before you pass it on.</p></footer>"
    )
