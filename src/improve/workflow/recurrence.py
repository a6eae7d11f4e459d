"""A person's words and the stored rules: which rule they say again, and the observation they make.

What an event becomes is named after the event, so that it counts once whoever records it and however often.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from improve import files
from improve.rule import UNKNOWN

if TYPE_CHECKING:
    from improve.inbox import Candidate
    from improve.project import Project
    from improve.rule import Rule
    from improve.spool import Pending
    from improve.view import View
    from improve.workflow.here import Here

_SURE = 300
"""Characters; a longer text says more than one thing, so it is never counted as a rule by itself."""
_COMPARED = 12
"""Rules that words are compared with: years of history are matched, and the one they say is among the first."""

_TELLING = 2.0
"""Weight of the words that an unsure likeness must have in common."""


def project_at(here: Here, cwd: str) -> Project | None:
    """Find the project of a directory; the name in our environment is that of the current one only."""
    from improve import project

    if not os.path.isabs(cwd):
        return None
    env = {name: value for name, value in here.env.items() if name != "AGENT_PROJECT_NAME"}
    found = project.identify(cwd, home=here.home.user, env=env)
    return here.project if found and here.project and here.project.root == found.root else found


def rule_of(view: View, candidate: Candidate) -> tuple[str, bool]:
    """Name the stored rule that a person's words belong to, and say whether they surely say it again.

    Without being sure, it is a rule that the agent itself recorded in the same session and that resembles the words.
    """
    from improve import match
    from improve.workflow.likeness import similar

    if row := view.index.holder(oid_of(candidate.key)):
        return row.rule.id, True
    short = len(candidate.text) <= _SURE and not {"?", "？"} & set(candidate.text)
    if short and (row := view.index.same_wording(match.normalize(candidate.text))):
        return row.rule.id, True
    likenesses = similar(view, candidate.text, most=_COMPARED)
    same = [like for like in likenesses if like.relation == "same"]
    if short and same:
        return max(same, key=lambda like: like.score).rule.id, True
    here = (candidate.host, candidate.session)
    for like in likenesses:
        close = like.relation in ("same", "related") or (like.near and like.relation != "contradict")
        if close and candidate.session and _recorded_in(like.rule, here) and _share(candidate.text, like.rule.text):
            return like.rule.id, False
    return "", False


def archived(there: View | None, candidate: Candidate) -> str:
    """Name the archived rule that a person's words surely say again; empty when there is none."""
    from improve.workflow import archive

    if there is None or len(candidate.text) > _SURE or {"?", "？"} & set(candidate.text):
        return ""
    return archive.named_in(there, candidate.text)


def _recorded_in(rule: Rule, session: tuple[str, str]) -> bool:
    """Tell whether the agent recorded a rule in a session; what was accepted settles its own candidates alone."""
    return any((o.host, o.session) == session and o.provenance == "agent" for o in rule.observations)


def _share(words: str, text: str) -> bool:
    """Tell whether two texts have more in common than `use` or `run`, which in a small store is rare as well."""
    from improve import match

    one, other = match.read_rule(words).weights, match.read_rule(text).weights
    return sum(min(one[word], other[word]) for word in one.keys() & other.keys()) >= _TELLING


def oid_of(key: str) -> str:
    """Give the observation of an event its identity, so that it counts once whoever records it."""
    import hashlib

    return hashlib.sha256(f"inbox\0{key}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


def count(here: Here, candidate: Candidate, rule: str, place: Project | None) -> None:
    """Put one more occasion of a rule into the spool."""
    import contextlib

    from improve import spool

    pending = pending_of(candidate, place)._replace(same_as=rule)
    files.private_directory(here.home.path)
    with contextlib.suppress(FileExistsError):  # a run that was killed did it
        spool.put(here.home.spool, pending)


def pending_of(candidate: Candidate, place: Project | None) -> Pending:
    """Make the observation of a candidate; what it says is evidence, no rule yet."""
    from improve import wording
    from improve.spool import Pending

    pending = Pending(
        oid=oid_of(candidate.key),
        at=candidate.at,
        date=candidate.at[:10],
        project=candidate.project or UNKNOWN,
        context=wording.check_evidence(candidate.text),
        session=candidate.session,
        host=candidate.host,
        signal=candidate.signal,
        severity=candidate.severity,
        provenance="transcript",
    )
    if place is None or place.key != pending.project:
        return pending
    return pending._replace(root=place.root, remote=place.remote, name=place.name)
