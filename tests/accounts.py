"""Accounts of made-up stores, for tests of the report."""

from __future__ import annotations

from improve.page.account import (
    Account,
    Count,
    Evidence,
    Fired,
    Room,
    Share,
    Standing,
    Step,
    Waits,
    Week,
)

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a\u202eb\u2066c\x1b[31m\x00\u200b",
    "`code` | cell | **bold** [x](https://evil.invalid) @someone #1 www.evil.invalid",
    "</details>\n\n# heading\n\n<!-- ",
    "أضف اختبارا قبل كل إصلاح",
    "不要直接修改 main 分支",
    "tests 🙏🏽 👩‍👩‍👧‍👦",
    "\ud800 half",
    "x" * 100_000,
    "&lt;b&gt; &amp; ]]> '\"",
    "``` ```` `",
)


def account(*, words: tuple[str, ...] = HOSTILE, rules: int = 12) -> Account:
    """Make an account in which every text is one of `words`."""
    say = [words[n % len(words)] for n in range(rules)]
    states = ("recurring", "not-enough-data", "held", "written", "waiting", "tentative")
    counts = [Count(3, 2, 4, 50), Count(0, 0, 2, 31), Count(), Count(17, 1, 1, 9), Count(2, 0, 0, 0)]
    weeks = tuple(
        Week(f"2026-W{44 + n}", f"2026-{10 if n == 0 else 11:02d}-{(26, 2, 9, 16, 23)[n]:02d}", c, n in (0, 4))
        for n, c in enumerate(counts)
    )
    shares = tuple(Share(w, w[:200], Count(n, n, n + 1, 10 * n), (n, 0, 1, 0, 2)) for n, w in enumerate(words))
    standing = tuple(
        Standing(
            f"rule-{n}", w, states[n % 6], "testing", n + 1, n, "2026-11-20", 2, "2026-11-01", (f"/home/{w[:50]}",),
            (12, 6), (0.2, 0.7), (20 + n, 3), (0.05, 0.3), "2026-11-30T10:00:00+00:00",
            "ignored" if n % 6 == 0 else "", w[:300], "improve check suggest rule" if n % 6 == 0 else "", "",
            tuple(Evidence("2026-11-20", "codex", w[:100], "correction", w[:300]) for _ in range(3)), 9,
        )
        for n, w in enumerate(say)
    )  # fmt: skip
    return Account(
        "2026-12-01T10:00:00+00:00", "2026-10-30", "2026-11-29", "the last 30 days", "",
        Count(22, 12, 7, 90), Count(30),
        weeks, shares, shares, standing, 2, 5,
        tuple(Waits(f"C{n}", "2026-11-20", "correction", w[:90], w[:300]) for n, w in enumerate(words)), 40,
        (Room("codex", f"~/{words[0]}", 240, 7, 200, 32_768, 1_234),),
        (Fired(f"rule-{words[0]}", 4, 5, 6, "2026-11-20T10:00:00+00:00", words[0]),),
        (Step(words[0][:90], "improve escalate"),), "2026-11-30T10:00:00+00:00",
    )  # fmt: skip
