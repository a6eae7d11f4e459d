"""Which of the rules that were written reach one host here, and what keeps the others from it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from typing import NamedTuple

from improve import markdown
from improve.errors import Refused
from improve.hosts.base import Host, Loaded, Spot
from improve.inline import plain
from improve.rule import Rule, Written
from improve.view import View
from improve.workflow.brief import spot
from improve.workflow.here import Here

_FULL = 0.85
"""Share of a cap from which on it is worth a word."""


class Reached(NamedTuple):
    """A written rule as one host meets it in a session that starts here."""

    rule_id: str
    text: str
    path: str
    """The file that carries it to the host, or the one it stands in unseen."""
    state: str
    """As of a file (`loaded`, `cut`, `hidden`, `scoped`, `later`, `off`), or `foreign` (a file of other hosts) or
    `gone` (the line is not there any more)."""
    why: str = ""
    fix: str = ""

    @property
    def reached(self) -> bool:
        """The model sees it from the start."""
        return self.state == "loaded"


def reach(here: Here, host: Host, view: View) -> list[Reached]:
    """Say of each rule written for this place whether it reaches the host; empty for one whose ways are not known."""
    if not host.chain:
        return []
    names = here.names_of(here.project_key("", view), view)
    met = _Met(here, host, host.chain(spot(here)))
    rules = (row.rule for row in view.index.active(names, -1))
    return [found for rule in rules if (found := met.judge(rule, names))]


def reach_at(here: Here, host: Host, rule: Rule, place: Spot, names: tuple[str, ...]) -> Reached | None:
    """Say whether one rule reaches a host in a session that starts at a place; None when it is not written for it."""
    return _Met(here, host, host.chain(place) if host.chain else []).judge(rule, names)


def spot_of(here: Here, name: str) -> Spot:
    """Say where a session would start: here, or at the top of the project of that name.

    Raises:
        Refused: the project has no directory on this machine.
    """
    if not name:
        return spot(here)
    view = here.store.view()
    key = here.project_key(name, view)
    roots = here.roots_of(key, view)
    if here.project and here.project.key == key:
        return spot(here)
    if not roots:
        raise Refused(f"the project {key} has no directory on this machine; nothing is loaded there. Name another one")
    return Spot(roots[0], roots[0], here.home.user, here.env)


class _Met:
    """The files of one place, ready to be asked for many rules."""

    def __init__(self, here: Here, host: Host, chain: list[Loaded]) -> None:
        self.here, self.host = here, host
        self.by_path = {os.path.realpath(file.path): file for file in chain}
        self.said: dict[str, str] = {}
        for file in chain:
            for bullet in markdown.bullets(file.data):
                self.said.setdefault(plain(bullet.text), file.path)

    def judge(self, rule: Rule, names: tuple[str, ...]) -> Reached | None:
        """Find the file that carries a rule, else what is nearest to it; None for one that is not written here."""
        written = [w for w in rule.written_to if w.scope == "global" or self._is_here(w, names)]
        if not written:
            return None
        for text in dict.fromkeys((*(w.text for w in written), rule.text)):
            path = self.said.get(plain(text)) if text else None
            if path:
                return Reached(rule.id, rule.text, path, "loaded")
        # a file the host knows says more than one of another host
        return min((self._unseen(rule, w) for w in reversed(written)), key=lambda f: f.state in ("foreign", "gone"))

    def _is_here(self, written: Written, names: tuple[str, ...]) -> bool:
        place = self.here.project
        inside = bool(place and place.root) and written.path.startswith(os.path.join(place.root if place else "", ""))
        return inside or written.project in names

    def _unseen(self, rule: Rule, written: Written) -> Reached:
        path = written.path
        file = self.by_path.get(os.path.realpath(path))
        if not os.path.isfile(path):
            why, fix = "the file is not there any more", "improve escalate --apply"
            return Reached(rule.id, rule.text, path, "gone", why, fix)
        if file and file.state != "loaded":
            return Reached(rule.id, rule.text, path, file.state, file.why, file.fix)
        if file:
            why = "its line is not in the file any more, or stands where the host does not look"
            return Reached(rule.id, rule.text, path, "gone", why, "improve escalate --apply")
        return Reached(rule.id, rule.text, path, "foreign", *self._foreign(written))

    def _foreign(self, written: Written) -> tuple[str, str]:
        title, user, env = self.host.title, self.here.home.user, self.here.env
        if written.scope != "global":
            return f"{title} does not load this file in {self.here.cwd}", f"start the session in {_folder(written)}"
        locate = self.host.create_file or self.host.global_file
        if not locate:
            return (
                f"{title} has no file for rules that hold everywhere",
                f"install its hook: improve install {self.host.name}",
            )
        mine = locate(user, env)
        shown = self.here.short(mine)
        fix = f"copy its line into {shown}" if os.path.lexists(mine) else self._link(written.path, mine)
        return f"it stands in a file of other agents; {title} loads {shown}", fix

    def _link(self, path: str, mine: str) -> str:
        """Give the command that makes a file of other agents this one's, too."""
        folder = os.path.dirname(mine)
        made = "" if os.path.isdir(folder) else f"mkdir -p {self._typed(folder)} && "
        return f"{made}ln -s {self._typed(path)} {self._typed(mine)}"

    def _typed(self, path: str) -> str:
        """Write a path so that a shell reads it: `~` stays bare where nothing needs quotes."""
        short = self.here.short(path)
        return short if shlex.quote(short[1:]) == short[1:] and short[:2] == "~/" else shlex.quote(path)


def _folder(written: Written) -> str:
    return os.path.dirname(written.path)


def advice(host: Host, chain: Iterable[Loaded], user: str = "") -> list[str]:
    """Name the files that are longer than the host advises, and a cap that is nearly used up."""
    from improve.paths import short

    loaded = [file for file in chain if file.state in ("loaded", "cut")]
    told = []
    for file in loaded:
        lines = count_lines(file.data)
        if host.advised_lines and lines >= host.advised_lines:
            told.append(
                f"{short(file.path, user)} has {lines} lines; {host.title} advises fewer than {host.advised_lines}"
            )
    told += [f"{short(file.path, user)}: {file.why}; {file.fix}" for file in loaded if file.state == "cut"]
    used, cap = sum(len(file.data) for file in loaded if file.scope == "project"), host.project_bytes
    if cap * _FULL <= used <= cap and cap and not any(file.state == "cut" for file in loaded):
        told.append(
            f"the project's files: {used / 1024:.0f} KiB of the {cap >> 10} KiB that {host.title} reads are used"
        )
    return told


def count_lines(data: bytes) -> int:
    """Count lines; a last one without its end is one, too."""
    return data.count(b"\n") + bool(data and not data.endswith(b"\n"))
