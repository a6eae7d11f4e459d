"""improve hook: what a host's event leaves behind and what the host is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.commands.conftest import Improve, Repository

from improve import hosts

Hook = Callable[..., str]
NO = "no, use uv here, never pip install"
UV = "Use uv for packages, never pip install"
WIRED = [host.name for host in hosts.all_hosts() if host.wiring]
TOLD = [name for name in WIRED if hosts.host(name).dialect.answer != "none"]


@pytest.fixture
def hook(home: Path) -> Hook:
    """Run the hook with an object on standard input; gives what it printed."""

    def run(host: str, event: str, said: object, **env: str) -> str:
        argv = [sys.executable, "-m", "improve", "hook", host, event]
        done = subprocess.run(
            argv, input=json.dumps(said).encode(), env={**os.environ, **env}, capture_output=True, timeout=20
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    return run


@pytest.fixture
def shop(repository: Repository, improve: Improve) -> Path:
    """A project with one rule that no file says."""
    root = repository("shop")
    improve("observe", UV, "--session", "a", cwd=root)
    return root


def queued(home: Path) -> list[dict[str, Any]]:
    """Read what waits in the queue."""
    folder = home / ".agent-improvement" / "queue"
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))] if folder.exists() else []


def event(host: str, cwd: Path, *, prompt: str = "", turn: str = "", session: str = "s1") -> dict[str, Any]:
    """Say an event in the words of a host, whose keys may be nested."""
    dialect = hosts.host(host).dialect
    said: dict[str, Any] = {"cwd": str(cwd)}
    for key, value in ((dialect.session, session), (dialect.prompt, prompt), (dialect.turn, turn)):
        place = said
        *outer, last = key.split(".")
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value
    return said


@pytest.mark.parametrize("host", WIRED)
def test_a_correction_is_kept_once(home: Path, shop: Path, hook: Hook, host: str) -> None:
    """Every host's prompt event leaves the person's words and where they fell; delivered twice it leaves one."""
    for _ in range(2):
        hook(host, "prompt", event(host, shop, prompt=NO, turn="t1"))
    (kept,) = queued(home)
    assert (kept["text"], kept["host"], kept["session"], kept["cwd"]) == (NO, host, "s1", str(shop))


@pytest.mark.parametrize("host", TOLD)
def test_the_rules_come_with_the_start_of_a_session(
    home: Path, shop: Path, hook: Hook, improve: Improve, host: str
) -> None:
    """Each host is told the text of `status --host` in its own form, at the first event that may carry it."""
    text = improve("status", "--host", host, cwd=shop).out
    assert text.startswith("improve-rules v1\n")
    assert text.count(UV) == 1
    first = "prompt" if hosts.host(host).dialect.briefs_with_prompt else "session-start"
    said = hook(host, first, event(host, shop, prompt="please add a retry helper"))
    assert _context(said) == text.strip("\n") + "\n"


def _context(said: str) -> str:
    """Take the context out of any host's form."""
    if not said.startswith("{"):
        return said
    told = json.loads(said)
    inner = told.get("hookSpecificOutput", told)
    return str(
        next(inner[key] for key in ("additionalContext", "additional_context", "contextModification") if key in inner)
    )


@pytest.mark.parametrize(
    "prompt", ["please add a retry helper", "", "improve-rules v1\nno, never do that", "/compact", "ok", "x" * 9000]
)
def test_ordinary_prompts_leave_nothing(home: Path, shop: Path, hook: Hook, prompt: str) -> None:
    """A task, an empty prompt, our own words, a command, an approval and a pasted wall are none."""
    assert hook("claude-code", "prompt", event("claude-code", shop, prompt=prompt)) == ""
    assert queued(home) == []


def test_the_same_words_in_another_turn_are_kept(home: Path, shop: Path, hook: Hook) -> None:
    """A host that numbers its prompts tells a correction typed twice from one delivered twice."""
    for turn in ("t1", "t2"):
        hook("claude-code", "prompt", event("claude-code", shop, prompt=NO, turn=turn))
    assert len(queued(home)) == 2


def test_two_registrations_at_the_same_moment_are_one(home: Path, shop: Path, hook: Hook) -> None:
    """The same event, delivered by two tools' entries in parallel, is one candidate."""
    said = event("claude-code", shop, prompt=NO, turn="t1")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: hook("claude-code", "prompt", said), range(8)))
    assert len(queued(home)) == 1


def test_no_credential_reaches_the_disk(home: Path, shop: Path, hook: Hook) -> None:
    """A token in a correction is replaced before anything is written."""
    token = "hunter2" + "secret99"
    hook("claude-code", "prompt", event("claude-code", shop, prompt=f"no, never put password={token} into the config"))
    assert "[redacted:" in queued(home)[0]["text"]
    assert all(token.encode() not in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_a_subagent_is_no_person(home: Path, shop: Path, hook: Hook) -> None:
    """What a host says inside a subagent is passed over."""
    said = {**event("claude-code", shop, prompt=NO), "agent_id": "a1"}
    assert (hook("claude-code", "prompt", said), queued(home)) == ("", [])


def test_another_host_running_these_hooks_is_left_to_its_own(home: Path, shop: Path, hook: Hook) -> None:
    """Cursor runs Claude Code's hooks besides its own: only its own count."""
    assert hook("claude-code", "prompt", event("claude-code", shop, prompt=NO), CURSOR_VERSION="3") == ""
    assert queued(home) == []


def test_only_the_last_word_of_a_session_is_kept(home: Path, shop: Path, hook: Hook) -> None:
    """A pause at every turn and the end leave one entry with the transcript."""
    for kind in ("stop", "stop", "session-end"):
        said = {**event("claude-code", shop), "transcript_path": "/t.jsonl"}
        assert hook("claude-code", kind, said) == ""
    (kept,) = queued(home)
    assert (kept["event"], kept["transcript"], kept["session"]) == ("session-end", "/t.jsonl", "s1")


def test_the_transcript_is_not_forgotten(home: Path, shop: Path, hook: Hook) -> None:
    """A host that names the transcript at a pause and not at the end is remembered to have named it."""
    hook("copilot", "stop", {**event("copilot", shop), "transcriptPath": "/t.jsonl"})
    hook("copilot", "session-end", event("copilot", shop))
    (kept,) = queued(home)
    assert (kept["event"], kept["transcript"]) == ("session-end", "/t.jsonl")


def test_a_resumed_session_is_not_told_again(shop: Path, hook: Hook, improve: Improve) -> None:
    """What its transcript holds already is not repeated; new rules are, and after a compaction everything is."""
    said = event("claude-code", shop)
    first = hook("claude-code", "session-start", {**said, "source": "startup"})
    assert UV in first
    assert hook("claude-code", "session-start", {**said, "source": "resume"}) == ""
    assert hook("claude-code", "session-start", {**said, "source": "compact"}) == first
    improve("observe", "Never force-push to main", cwd=shop)
    assert "Never force-push" in hook("claude-code", "session-start", {**said, "source": "resume"})


def test_a_host_that_forgets_is_told_again(shop: Path, hook: Hook) -> None:
    """Qwen Code records the start of a session nowhere, so a resumed one is told like a new one."""
    said = event("qwen", shop)
    first = hook("qwen", "session-start", {**said, "source": "startup"})
    assert hook("qwen", "session-start", {**said, "source": "resume"}) == first != ""


def test_a_host_that_throws_it_away_is_told_nothing(shop: Path, hook: Hook) -> None:
    """What a hook prints reaches nobody in Goose, so nothing is looked up for it."""
    assert hook("goose", "session-start", event("goose", shop)) == ""


def test_gemini_is_told_with_the_first_prompt_only(shop: Path, hook: Hook) -> None:
    """Context at the start of a session costs the first prompt in Gemini CLI; the first prompt carries it instead."""
    said = event("gemini", shop, prompt="add a helper")
    assert hook("gemini", "session-start", said) == ""
    assert UV in hook("gemini", "prompt", said)
    assert hook("gemini", "prompt", said) == ""


@pytest.mark.parametrize("host", WIRED)
def test_off_is_silence(home: Path, shop: Path, hook: Hook, improve: Improve, host: str) -> None:
    """Where it is switched off, no event of the host records or delivers anything."""
    improve("off", "--host", host)
    for kind in ("session-start", "prompt", "stop", "session-end", "pre-tool"):
        assert hook(host, kind, event(host, shop, prompt=NO)) == ""
    assert queued(home) == []


@pytest.mark.parametrize("argv", [("claude-code", "dance"), ("emacs", "prompt"), ("claude-code",), (), ("--help",)])
def test_what_we_do_not_know_is_silence(home: Path, hook: Hook, argv: tuple[str, ...]) -> None:
    """An event of a later version, an unknown host, no arguments at all: nothing is printed, nothing fails."""
    done = subprocess.run(
        [sys.executable, "-m", "improve", "hook", *argv], input=b"{}", capture_output=True, timeout=20
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("host", WIRED)
def test_the_prompt_path_imports_next_to_nothing(shop: Path, hook: Hook, host: str) -> None:
    """Neither the command line nor YAML, nor what takes as long as Python itself, is loaded for a correction."""
    hook(host, "prompt", event(host, shop))  # the first prompt of a session may carry the rules
    source = str(Path(hosts.__file__).parents[2])
    code = f"""
import sys, os
sys.path[:0] = [{source!r}]
from improve import hook
os._exit = lambda code: (print(sorted(set(sys.modules) & {{'click', 'ruamel', 'typing', 're', 'json', 'sqlite3',
    'hashlib', 'datetime', 'subprocess', 'git', 'filelock', 'enum', 'collections', 'functools', 'contextlib',
    'dataclasses', 'pathlib', 'tempfile', 'improve.cli', 'improve.store', 'improve.workflow'}})), sys.exit(code))
hook.main([{host!r}, "prompt"])
"""
    for prompt in ("please add a helper", NO):
        said = json.dumps(event(host, shop, prompt=prompt)).encode()
        argv = [sys.executable, "-I", "-S", "-c", code]
        assert subprocess.run(argv, input=said, capture_output=True, check=True).stdout.strip() == b"[]"


def test_gemini_looks_for_rules_once(home: Path, repository: Repository, hook: Hook, improve: Improve) -> None:
    """Where there was nothing to tell, a later prompt of the session costs no second look."""
    said = event("gemini", repository("empty"), prompt="add a helper")
    assert hook("gemini", "prompt", said) == ""
    improve("observe", UV, cwd=Path(said["cwd"]))
    assert hook("gemini", "prompt", said) == ""
    assert UV in hook("gemini", "prompt", {**said, "session_id": "s2"})


def test_what_a_hook_leaves_behind_is_private(home: Path, shop: Path, hook: Hook) -> None:
    """Marks of sessions, the log and the queue are the person's alone, and hold no rule's text."""
    log = home / ".local" / "state" / "agent-improvement" / "hook.log"
    hook("claude-code", "session-start", event("claude-code", shop))
    hook("gemini", "prompt", event("gemini", shop, prompt=NO))
    (home / ".agent-improvement" / "rules.yaml").write_text("a: [", encoding="utf-8")
    hook("claude-code", "session-start", event("claude-code", shop, session="s2"))
    left = [log, *(home / ".cache").rglob("briefed/*"), *(home / ".cache").rglob("sessions/*")]
    left += (home / ".agent-improvement" / "queue").iterdir()
    assert len(left) >= 4
    assert [path for path in left if path.stat().st_mode & 0o077] == []
    assert [path for path in left if path.parent.name == "briefed" and UV in path.read_text(encoding="utf-8")] == []
