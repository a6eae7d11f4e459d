"""Which hosts run with every change: those that are quick and most used, where they are installed."""

from __future__ import annotations

import pytest

QUICK = ("claude-code", "codex")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the other hosts, and what is typed into a terminal, to `-m real_host`, as scripts/nightly runs it."""
    if "real_host" in str(config.option.markexpr):
        return
    slow = [item for item in items if item.get_closest_marker("real_host") and not _quick(item)]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]


def _quick(item: pytest.Item) -> bool:
    parameters = getattr(item, "callspec", None)
    return parameters is not None and parameters.id in QUICK
