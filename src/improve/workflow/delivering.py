"""Put the page of a report where a person wants it; no file but a report of ours is ever replaced unasked."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from improve import files
from improve.errors import Refused
from improve.page import html
from improve.page.account import Account
from improve.page.look import SCRIPT, STYLE

if TYPE_CHECKING:
    from improve.workflow.here import Here

CAP = 1 << 26


def page(account: Account) -> bytes:
    """Make the page."""
    return html.page(account, (_digest(STYLE), _digest(SCRIPT))).encode("utf-8", "backslashreplace")


def write(path: str, data: bytes, *, force: bool = False) -> None:
    """Write a page as a whole or not at all, readable by this person alone when it is new.

    Raises:
        Refused: the file there is none of ours, or it is a directory, or its directory is missing.
        EnvironmentFailure: it is read-only.
    """

    def replaced(seen: files.Snapshot) -> bytes:
        if seen.data and not force and not html.is_ours(seen.data):
            raise Refused(f"{path} is no report of ours; nothing was written. Name another file, or add --force")
        return data

    if os.path.isdir(path):
        raise Refused(f"{path} is a directory; nothing was written. Name a file in it, such as report.html")
    files.edit(path, replaced, cap=CAP, mode_if_new=0o600)


def own_place(here: Here) -> str:
    """Name the file for a page that is only looked at, in a private directory."""
    from improve.fingerprint import fingerprint

    store = fingerprint(os.path.realpath(here.home.path), 12)
    return os.path.join(files.private_directory(here.home.state), f"report-{store}.html")


def can_show(here: Here) -> bool:
    """Tell whether a browser can show something to the person."""
    if sys.platform in ("darwin", "win32"):
        return not here.env.get("SSH_CONNECTION")
    return bool(here.env.get("DISPLAY") or here.env.get("WAYLAND_DISPLAY"))


def show(path: str) -> bool:
    """Open a file in the person's browser; tell whether there was one."""
    import pathlib
    import webbrowser

    return webbrowser.open(pathlib.Path(path).resolve().as_uri())


def _digest(text: str) -> str:
    import base64
    import hashlib

    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
