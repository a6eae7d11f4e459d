"""What the tests of install and uninstall share: samples of settings files, and a look at a whole tree."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "settings"
FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "cursor": ".cursor/hooks.json",
}
"""Hosts that keep our hooks in a file that others write, too."""
COMMENTS = ("gemini", "qwen")
"""Those of them that allow comments."""
FOLDERS = (
    ".claude",
    ".codex",
    ".gemini",
    ".qwen",
    ".cursor",
    ".copilot",
    ".pi/agent",
    ".config/opencode",
    ".config/goose",
    ".config/amp",
    "Documents/Cline",
)

_other = {"hooks": [{"type": "command", "command": "other-tool --hook", "timeout": 30}]}
_guard = {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard.sh"}, {"type": "prompt", "prompt": "ok?"}]}
CONTENTS: tuple[dict[str, Any], ...] = (
    {},
    {"model": "opus"},
    {"permissions": {"allow": ["Bash(ls:*)", "Read(//c/Users/**)"], "deny": []}, "env": {}},
    {"hooks": {}},
    {"hooks": {"Stop": [], "stop": [], "AfterAgent": []}, "a": [[], {}, [1, [2, [3]]]]},
    {"hooks": {"Stop": [_other], "UserPromptSubmit": [_other, _guard], "SessionStart": [_guard], "stop": [_other]}},
    {"a": None, "hooks": {"PreToolUse": [_guard], "Notification": [_other]}, "z": True},
    {"hooks": {"BeforeAgent": [_guard, _other], "SessionEnd": [_other]}, "theme": "Ünïcödé 日本 😀 // no comment"},
    {"text": 'a "quoted" \\ line\nand more /* x */', "number": 12345678901234567890.5, "list": [0, -1, 1.5e300]},
    {"version": 1, "hooks": {"beforeSubmitPrompt": [{"command": "other"}], "sessionEnd": []}},
)
_INDENTS: tuple[dict[str, Any], ...] = (
    {"indent": 2},
    {"indent": 4},
    {"indent": "\t"},
    {"indent": 2, "ensure_ascii": False},
    {},
    {"separators": (",", ":")},
)
_ENDS = (("\n", "\n"), ("\n", ""), ("\r\n", "\r\n"), ("\n", "\n\n \n"))


def samples() -> Iterator[tuple[str, bytes]]:
    """Give settings files as tools and people write them, each with a name."""
    for path in sorted((DATA / "good").iterdir()):
        yield path.name, path.read_bytes()
    for number, content in enumerate(CONTENTS):
        for (look, indent), (newline, end) in itertools.product(enumerate(_INDENTS), _ENDS):
            text = json.dumps(content, **indent).replace("\n", newline) + end
            yield f"content {number}, layout {look}, end {newline + end!r}", text.encode()


def tree(home: Path) -> dict[str, str]:
    """Give every file, directory and link below a home, but for lock files, which are never deleted."""
    found = {}
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).as_posix()
        if name == ".local" or name.startswith((".local/state", ".run")):
            continue
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        else:
            found[name] = sha(path) if path.is_file() else f"{path.stat().st_mode:o}"
    return found


def sha(path: Path) -> str:
    """Hash a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def commands(path: Path) -> list[str]:
    """List all commands of a strict settings file, in its order."""
    found = list[str]()

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            found.extend(value[key] for key in ("command", "bash") if isinstance(value.get(key), str))
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(item)

    walk(json.loads(path.read_bytes().decode("utf-8-sig")).get("hooks"))
    return found


def foreign(path: Path) -> list[str]:
    """List the commands of other tools."""
    return [line for line in commands(path) if "improve-hook" not in line]
