"""Spans of time as a person types them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from improve.errors import UsageError
from improve.workflow.period import began

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("span", "at"),
    [
        ("12h", "2026-11-30T00:00:00+00:00"),
        ("30d", "2026-10-31T12:00:00+00:00"),
        (" 4W ", "2026-11-02T12:00:00+00:00"),
        ("1y", "2025-11-30T12:00:00+00:00"),
        ("2026-11-02T08:00:00+02:00", "2026-11-02T06:00:00+00:00"),
    ],
)
def test_a_span_names_the_moment_it_began(span: str, at: str) -> None:
    """Hours, days, weeks, months, years, or a date."""
    assert began(span, NOW) == at


@pytest.mark.parametrize("span", ["", "d", "-3d", "three days", "99999999999y", "2026-13-01", "٣d"])
def test_anything_else_is_refused_with_what_may_be_said(span: str) -> None:
    """The message shows the forms."""
    with pytest.raises(UsageError, match="12h, 30d, 4w"):
        began(span, NOW)
