"""Sessions of Cline's command line: `~/.cline/data/sessions/ID/ID.messages.json`, what it is about in `ID.json`.

https://docs.cline.bot. Messages are those of the model's interface; a person's words stand in `<user_input mode=…>`,
beside notices of the program. Files of other names in the directory are of agents that the session started. Taken from
a public reader, not measured.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from improve import session
from improve.session import Call, Result, Session, Turn
from improve.transcripts import spoken
from improve.transcripts.base import Unreadable, clean, text_of
from improve.transcripts.calling import call
from improve.transcripts.whole import beside, document, entries, mapping, moment, path_in

ENDS = ".messages.json"
_INPUT = re.compile(r"<user_input(?: mode=\"[^\"\n]{0,40}\")?>")
_NOTICE = "mode_notice"


def sessions(path: str) -> Iterator[Session]:
    """Give the session in a file of messages.

    Raises:
        Unreadable: it holds none.
    """
    whole = document(path)
    messages = whole.get("messages") if isinstance(whole, dict) else whole
    if not isinstance(messages, list):
        raise Unreadable("it holds no messages")
    directory = os.path.basename(os.path.dirname(os.path.abspath(path)))
    name = os.path.basename(path).removesuffix(ENDS)
    about = mapping(beside(path, f"{directory}.json"))
    found = Session("cline", path, id=name, started=moment(about.get("started_at")))
    found.cwd = path_in(about.get("cwd")) or path_in(about.get("workspace_root"))
    found.branch = clean(mapping(mapping(about.get("metadata")).get("git")).get("branch"))
    found.headless = about.get("interactive") is False
    found.parent = directory if about and name != directory else ""
    yield found.with_turns(_turns(found, entries(messages)))


def _turns(found: Session, messages: list[dict[str, Any]]) -> Iterator[Turn]:
    for number, message in enumerate(messages):
        about: dict[str, Any] = {"at": moment(message.get("ts")), "id": clean(message.get("id")), "offset": number}
        content = message.get("content")
        blocks = entries(content)
        if message.get("role") == "assistant":
            text = text_of(content)
            calls = tuple(_call(block) for block in blocks if block.get("type") == "tool_use")
            if text or calls:
                yield Turn(session.AGENT, text=text, calls=calls, **about)
        elif message.get("role") == "user":
            results = tuple(_result(block) for block in blocks if block.get("type") == "tool_result")
            if results:
                yield Turn(session.TOOL, failed=any(result.failed for result in results), results=results, **about)
            how = session.SCRIPTED if found.headless else session.TYPED
            turn = None if found.parent else spoken.said(_typed(text_of(content)), how=how, **about)
            if turn:
                yield turn


def _typed(text: str) -> str:
    """Give what stands between the tags; where there are none, all that is no notice."""
    opened = _INPUT.search(text)
    if opened:
        return text[opened.end() :].partition("</user_input>")[0].strip()
    before, notice, rest = text.partition(f"<{_NOTICE}")
    return f"{before}{rest.partition(f'</{_NOTICE}>')[2]}".strip() if notice else text


def _call(block: dict[str, Any]) -> Call:
    return call(block.get("name"), block.get("input"), block.get("id"))


def _result(block: dict[str, Any]) -> Result:
    content = block.get("content")
    text = clean(content) or text_of(content)
    denied = "user denied this operation" in text[:1000].lower()
    ended = session.BY_PERSON if denied else ""
    reason = "".join(spoken.within(text, "feedback")[:1]) if denied else ""
    return Result(clean(block.get("tool_use_id")), denied or block.get("is_error") is True, text, ended, reason)
