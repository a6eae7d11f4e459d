"""The event a host sends a hook: one JSON object on standard input, and the time there is for it.

A host waits for its hooks. Reading stops after a while, for some leave the pipe open, and the whole ends at the
deadline, whatever blocks.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PRE_TOOL, POST_TOOL = "pre-tool", "post-tool"
"""Our names of the events around a call of a tool."""
DEADLINE = 0.9
"""Seconds from the start of the program until it gives up."""
PATIENCE = 0.5
"""Seconds in which the event has to come."""
LONGEST = 8 << 20
"""Bytes; a host that sends more is not listened to: reading its JSON could not be broken off at the deadline."""


class NotHeard(Exception):
    """The event did not come in time, or is too long."""


def read(give_up: Callable[[], None]) -> dict[str, Any]:
    """Read what the host says; anything but an object is nothing.

    Args:
        give_up: is called at the deadline and must end the process.

    Raises:
        NotHeard: there may have been an event.
    """
    if os.name != "posix":
        _end_without_signals()
    parts, size, late = [], 0, False
    after(PATIENCE, _stop_reading)
    try:
        while part := os.read(0, 1 << 20):  # to the end, for some hosts take a closed pipe for a failure
            size += len(part)
            if size <= LONGEST:
                parts.append(part)
    except TimeoutError:
        late = True
    except OSError:  # closed
        parts = []
    spared = after(DEADLINE - PATIENCE, give_up)
    if spared:
        after(DEADLINE - PATIENCE + spared, give_up)
    said = _object(b"".join(parts)) if size <= LONGEST else None
    if said is None and (late or size > LONGEST):
        raise NotHeard(f"the event did not come within {PATIENCE} s, or is longer than {LONGEST} bytes")
    return said or {}


def after(seconds: float, ring: Callable[[], None]) -> float:
    """Call a function when so many seconds have passed, whatever blocks; return what was left until the one before."""
    # what `signal` wraps; the wrapper imports `enum`, 3 ms on every prompt
    import _signal  # type: ignore[import-not-found]

    if not hasattr(_signal, "setitimer"):
        return 0.0
    _signal.signal(_signal.SIGALRM, lambda *_: ring())
    left: float = _signal.setitimer(_signal.ITIMER_REAL, seconds)[0]
    return left


def _stop_reading() -> None:
    raise TimeoutError


def _end_without_signals() -> None:
    """Where no signal can interrupt, let a thread end the process at the deadline."""
    import threading

    timer = threading.Timer(DEADLINE, os._exit, (0,))
    timer.daemon = True
    timer.start()


def _object(data: bytes) -> dict[str, Any] | None:
    from improve import quick

    try:
        # replacing takes longer than a second where there is much to replace
        said = quick.loads(data.decode("utf-8-sig", "replace" if len(data) < 1 << 20 else "strict"))
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def value(said: dict[str, Any], key: str) -> Any:
    """Give what stands under a key or a dotted path of keys; None where nothing does."""
    found: Any = said
    for part in key.split(".") if key else ("",):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def text(said: dict[str, Any], key: str) -> str:
    """Give a text under a key or a dotted path of keys; empty when there is none."""
    found = value(said, key)
    return found if isinstance(found, str) else ""
