"""What Codex CLI records of its tools: calls as JSON in a string, results as text with a few lines before the output.

https://github.com/openai/codex/tree/main/codex-rs/core/src/tools
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from improve.session import BY_PERSON, BY_RULE, CUT_OFF, EDIT, OTHER, READ, SHELL, WRITE, Call, Result
from improve.transcripts.base import clean, text_of
from improve.transcripts.calling import kind_of, subject_of, telling
from improve.transcripts.whole import mapping, parsed_text

ENDS = 900
"""How many characters of a result, at either end, tell how it went."""
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "pwsh", "powershell", "powershell.exe", "cmd.exe")
_CHANGE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_SCRIPTED = re.compile(r"\bexec_command\(\s*\{[^}]*?\bcmd[\"']?\s*:\s*(\"(?:[^\"\\]|\\.)*\"|'[^'\\]*'|`[^`\\]*`)")
"""The shell call in the JavaScript of code mode."""
_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)\s*$", re.MULTILINE)
_OLD_CODE = re.compile(r'"metadata": ?\{"exit_code": ?(-?\d+)')
_BY_PERSON = re.compile(
    r'(?:(?:\w+ ){0,3}|exec_command failed.*Rejected\(\\*")rejected by user(?! approval)', re.DOTALL
)
_BY_RULE = re.compile(
    r"Command blocked by PreToolUse hook"
    r"|.*rejected by user approval settings"
    r"|.*approval policy is \S+[;,] reject command"
    r"|exec_command failed.*Rejected\("
    r"|.*requires approval, but approval policy is",
    re.DOTALL,
)
_CUT_OFF = re.compile(r"(?:Wall time: [^\n]*\n)?(?:command |exec command )?aborted(?: by user)?\b")
_FAILED = (
    "failed", "error:", "exec_command failed", "apply_patch verification failed", "apply_patch failed", "unsupported",
    "execution error", "script failed", "command timed out", "unknown process", "tool call error", "err:",
    "aborted", "sandbox error",
)  # fmt: skip


def call_of(payload: Mapping[str, Any]) -> Call:
    """Tell a call from its record, of whichever of the kinds that end in `_call`."""
    name, id = clean(payload.get("name")), clean(payload.get("call_id") or payload.get("id"))
    name = name or clean(payload.get("type")).removesuffix("_call")
    if isinstance(code := payload.get("input"), str):
        return _free(name, id, clean(code))
    arguments = payload.get("arguments", payload.get("action"))
    given = mapping(parsed_text(arguments) if isinstance(arguments, str) else arguments)
    command = _command(given)
    if "*** Begin Patch" in command:
        return _patch(name, id, command, given)
    if name == "view_image":
        return Call(id, name, READ, clean(given.get("path")), given)
    kind = SHELL if command and name != "write_stdin" else kind_of(name)
    return Call(id, name, kind, command or subject_of(kind, given) or telling(given), given)


def _free(name: str, id: str, code: str) -> Call:
    """Tell a call whose argument is free text: a patch, or a script that makes the calls."""
    if "*** Begin Patch" in code:
        return _patch(name, id, code.replace("\\n", "\n") if name == "exec" else code, {"input": code})
    if found := _SCRIPTED.search(code):
        return Call(id, name, SHELL, _literal(found[1]), {"input": code})
    return Call(id, name, OTHER, code, {"input": code})


def _patch(name: str, id: str, patch: str, given: Mapping[str, Any]) -> Call:
    changes = _CHANGE.findall(patch)
    kind = WRITE if changes and all(how == "Add" for how, _ in changes) else EDIT
    return Call(id, name, kind, changes[0][1].strip() if changes else "", given or {"input": patch})


def _command(given: Mapping[str, Any]) -> str:
    """Give the command line of a shell call, without the shell that Codex puts before it."""
    command = given.get("cmd", given.get("command"))
    if not isinstance(command, list):
        return clean(command)
    words = [clean(word) for word in command]
    if len(words) > 2 and words[0].lower() in _SHELLS and words[-2].lower() in ("-c", "-lc", "-command", "/c"):
        return words[-1]
    return " ".join(words)


def _literal(code: str) -> str:
    if code[0] == '"':
        try:
            return clean(json.loads(code))
        except ValueError:
            pass
    return code[1:-1]


def output_of(payload: Mapping[str, Any]) -> str:
    """Give the text of a result as the model saw it; JSON that older builds put around it is taken off."""
    output = payload.get("output")
    if isinstance(output, dict):
        output = output.get("content")
    if isinstance(output, str) and output.startswith('{"output"'):
        inner = parsed_text(output)
        output = inner.get("output", output) if isinstance(inner, dict) else output
    return text_of(output, "input_text", "output_text", "text")


def result_of(payload: Mapping[str, Any], state: str = "") -> Result:
    """Tell a result from its record and from what an item beside it said: `failed`, `declined` or nothing."""
    output = payload.get("output")
    succeeded = output.get("success") if isinstance(output, dict) else None
    raw = output if isinstance(output, str) else output_of(payload)
    failed, ended = verdict(raw[:ENDS], raw[-ENDS:], state)
    return Result(clean(payload.get("call_id")), failed or succeeded is False, output_of(payload), ended)


def verdict(head: str, tail: str, state: str = "") -> tuple[bool, str]:
    """Tell from the beginning and the end of a result whether it failed and what ended it before its time."""
    if head.startswith("{"):
        found = _OLD_CODE.search(tail)
        return bool(state or (found and int(found[1]))), BY_PERSON if state == "declined" else ""
    if head.startswith("Script failed"):
        reason = head.partition("Script error:\n")[2]
        return True, verdict(reason, "")[1]
    before = head.partition("\nOutput:\n")[0]
    if state == "declined" or _BY_PERSON.match(before):
        return True, BY_PERSON
    if _BY_RULE.match(before):
        return True, BY_RULE
    if _CUT_OFF.match(before):
        return True, CUT_OFF
    codes = _CODE.findall(before)
    return bool(state or any(map(int, codes)) or before.lower().startswith(_FAILED)), ""


_OUTPUT = re.compile(rb'"output": ?"')


def glance(line: bytes) -> tuple[bool, str] | None:
    """Give the verdict on the result in a long record without reading all of it; None when its output is no text."""
    found = _OUTPUT.search(line, 0, ENDS)
    if not found:
        return None
    return verdict(_unescaped(line[found.end() : found.end() + ENDS]), _unescaped(line[-ENDS:]))


def _unescaped(raw: bytes) -> str:
    """Read a piece of a JSON string well enough to look for the host's own words in it."""
    return raw.decode("utf-8", "ignore").replace("\\n", "\n").replace('\\"', '"')


def answers_of(payload: Mapping[str, Any]) -> str:
    """Give what a person answered to a question of the agent: the choices and the notes."""
    given = mapping(mapping(parsed_text(payload.get("output"))).get("answers"))
    said = (mapping(answer).get("answers") for answer in given.values())
    words = (clean(word).removeprefix("user_note: ") for list_ in said if isinstance(list_, list) for word in list_)
    return "\n".join(word for word in words if word)
