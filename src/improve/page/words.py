"""Numbers, days and the first sentence of the report, in words."""

from __future__ import annotations

from math import sqrt

from improve.escape import one_line
from improve.page.account import HELD, RECURRING, STATES, Account, Count
from improve.report import counted

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
SHORT = 80
STATE_NAMES = {
    "recurring": "keeps recurring",
    "not-enough-data": "not enough data",
    "held": "held",
    "written": "written, not judged yet",
    "waiting": "waits to be written",
    "tentative": "seen once, not written",
}
_Z = 1.96


def day(date: str, *, year: bool = True) -> str:
    """Write a day for people; what is none stays as it is.

    >>> day("2026-11-02"), day("2026-11-02", year=False), day("?")
    ('2 Nov 2026', '2 Nov', '?')
    """
    y, _, rest = date[:10].partition("-")
    m, _, d = rest.partition("-")
    if not (y.isdecimal() and m.isdecimal() and d.isdecimal() and 1 <= int(m) <= 12):
        return date
    return f"{int(d)} {_MONTHS[int(m) - 1]}" + (f" {y}" if year else "")


def some(number: int, noun: str) -> str:
    """Write `1 rule`, `2,000 rules`."""
    return counted(number, noun).replace(str(number), f"{number:,}", 1)


def tally(account: Account) -> str:
    """Say how many rules are in each state, in one line."""
    rows = ((STATE_NAMES[state], len(account.of(state))) for state in STATES)
    return "; ".join(f"{n:,} {name if n == 1 else _several(name)}" for name, n in rows if n)


def _several(name: str) -> str:
    return name.replace("keeps", "keep").replace("waits", "wait")


def well_known(count: Count) -> bool:
    """Tell whether at least half of the corrections come from sessions that were read; else a rate is too low."""
    return bool(count.messages) and 2 * count.counted >= count.corrections


def rate(count: Count) -> float | None:
    """Give corrections per 100 messages of the sessions that were read; None where none was."""
    return 100 * count.counted / count.messages if count.messages else None


def bounds(count: Count) -> tuple[float, float]:
    """Give the 95 % interval of that rate: Byar's approximation for a number of events (Poisson)."""
    k, per = count.counted, 100 / max(count.messages, 1)
    low = k * (1 - 1 / (9 * k) - _Z / (3 * sqrt(k))) ** 3 if k else 0.0
    n = k + 1
    return max(low, 0.0) * per, n * (1 - 1 / (9 * n) + _Z / (3 * sqrt(n))) ** 3 * per


def rate_text(count: Count) -> str:
    """Write that rate, `—` where there is none."""
    found = rate(count)
    return "—" if found is None else f"{found:.1f}"


def bounds_text(count: Count) -> str:
    """Write its interval, `—` where there is none."""
    if not count.messages:
        return "—"
    low, high = bounds(count)
    return f"{low:.1f}–{high:.1f}"


def sessions_text(tally: tuple[int, int]) -> str:
    """Write `3 of 12 sessions (25 %)`."""
    exposed, failed = tally
    if not exposed:
        return "no session known"
    return f"{failed} of {counted(exposed, 'session')} ({100 * failed / exposed:.0f} %)"


def percent(low_high: tuple[float, float]) -> str:
    """Write an interval of shares."""
    return f"{100 * low_high[0]:.0f}–{100 * low_high[1]:.0f} %"


def lead(account: Account) -> str:
    """Say in a few sentences what there is to know."""
    return " ".join(filter(None, (first(account), then(account))))


def then(account: Account) -> str:
    """Say which rules keep recurring and how many held."""
    return " ".join(filter(None, (_recurring(account), _held(account))))


def first(account: Account) -> str:
    """Say in one sentence how often agents were corrected."""
    total = account.total
    if not (total.corrections or account.rules or account.waiting):
        return "Nothing is recorded yet: the report fills as you correct your agents."
    where = f" in {account.project}" if account.project else ""
    per = f", {rate_text(total)} per 100 messages" if well_known(total) else ""
    times = "once" if total.corrections == 1 else f"{total.corrections:,} times"
    return f"You corrected your agents {times}{where} in {account.spelled}{per}{_change(account)}."


def _change(account: Account) -> str:
    if account.earlier is None:
        return ""
    now, then = account.total.corrections, account.earlier.corrections
    how = "as often as" if now == then else f"{abs(now - then):,} {'fewer' if now < then else 'more'} than"
    return f", {how} in the same time before"


def _recurring(account: Account) -> str:
    found = account.of(RECURRING)
    if not found:
        return ""
    named = [f"“{one_line(rule.text, SHORT)}”" for rule in found[:3]]
    rest = [f"{len(found) - 3} more"] if len(found) > 3 else []
    listed = ", ".join([*named, *rest])
    what = "1 rule keeps" if len(found) == 1 else f"{len(found)} rules keep"
    return f"{what} recurring: {listed}."


def _held(account: Account) -> str:
    found = len(account.of(HELD))
    return f"{counted(found, 'rule')} held." if found else ""


def counts_note(account: Account) -> str:
    """Say what the rate rests on, in one line."""
    total = account.total
    if lacking := account.lacks("messages"):
        return lacking
    low = (
        ""
        if well_known(total)
        else " Most come from sessions that were not read, so rates are lower than they should be."
    )
    return (
        f"{total.messages:,} of your messages in {some(total.sessions, 'session')} were read; "
        f"{total.counted:,} of the {some(total.corrections, 'correction')} come from them.{low}"
    )
