"""A real terminal, for what only happens where a person sits: tmux on a socket of its own."""

from __future__ import annotations

import contextlib
import itertools
import re
import shlex
import shutil
import subprocess
import time

from real_hosts.box import Box

_NUMBERS = itertools.count()


def there() -> bool:
    """Tell whether terminals can be had on this machine."""
    return shutil.which("tmux") is not None


class Screen:
    """One program in one terminal; use it in a `with`."""

    def __init__(self, box: Box, *argv: str) -> None:
        self._box = box
        # a socket of its own: the server of an earlier terminal may still be about to end
        self._socket = box.root / f"tmux-{next(_NUMBERS)}"
        self._env = {**box.env, "TERM": "xterm-256color"}
        words = ["env", "-i", *(f"{name}={value}" for name, value in self._env.items()), *argv]
        self._command = f"{shlex.join(words)}; echo ENDED WITH $?; sleep 600"

    def __enter__(self) -> Screen:
        self._tmux("new-session", "-d", "-x", "140", "-y", "50", "-c", str(self._box.repository), self._command)
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server", check=False)

    def _tmux(self, *words: str, check: bool = True) -> str:
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *words]
        ran = subprocess.run(command, env=self._env, check=check, capture_output=True, text=True, timeout=20)
        return ran.stdout

    @property
    def text(self) -> str:
        """What can be seen now."""
        return self._tmux("capture-pane", "-p", check=False)

    def wait_for(self, pattern: str, seconds: float = 30) -> str:
        """Wait until something is to be seen; give what it was."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.text)
            if found:
                return found.group()
            time.sleep(0.1)
        raise AssertionError(f"expected to see {pattern!r} within {seconds} s; there was:\n{self.text}")

    def settle(self, seconds: float = 8) -> None:
        """Wait until nothing has changed for a second."""
        end, last = time.monotonic() + seconds, ""
        while time.monotonic() < end and (now := self.text) != last:
            last = now
            time.sleep(1)

    def press(self, *keys: str) -> None:
        """Press keys by their names: `Enter`, `Down`, `2`."""
        self._tmux("send-keys", *keys)

    def press_until(self, key: str, pattern: str) -> None:
        """Press a key until something is to be seen: a screen that was just drawn misses some."""
        for _ in range(10):
            self.press(key)
            with contextlib.suppress(AssertionError):
                self.wait_for(pattern, 3)
                return
        self.wait_for(pattern, 1)

    def put(self, text: str) -> None:
        """Type a text without sending it."""
        self._tmux("send-keys", "-l", text)

    def type_seen(self, text: str) -> None:
        """Type a text, and once more if a screen that was still being drawn has lost it; then send it."""
        for _ in range(3):
            self.put(text)
            with contextlib.suppress(AssertionError):
                self.wait_for(re.escape(text[:12]), 3)
                break
        time.sleep(0.4)
        self.press("Enter")

    def type(self, text: str) -> None:
        """Type a text and send it."""
        self.put(text)
        time.sleep(0.4)  # a burst of keys with Enter at its end would be taken for a paste
        self.press("Enter")
