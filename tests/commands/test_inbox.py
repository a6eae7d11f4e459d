"""What a person types reaches the inbox or a rule, once, whatever happens on the way."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve, Repository
from improve import queue
from improve.queue import Heard

RULE = "Use pnpm, never npm install"
AT = "2026-11-29T12:00:00+01:00"


@pytest.fixture
def store(home: Path) -> Path:
    """Give the directory of the store, made if need be."""
    place = home / ".agent-improvement"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


class Typing:
    """Puts prompts into the queue as the hook does."""

    def __init__(self, store: Path, cwd: Path) -> None:
        self.queue, self.cwd = store / "queue", cwd

    def __call__(self, text: str, session: str = "s1", *, at: str = AT, turn: str = "", host: str = "codex") -> bool:
        """Type a prompt."""
        key = queue.key_of(session, turn, text)
        return queue.hear(str(self.queue), Heard(key, at, host, session, str(self.cwd), text, "correction"))

    @property
    def waiting(self) -> int:
        """Count the prompts that nobody took in."""
        return len(list(self.queue.glob("heard-*.json")))


@pytest.fixture
def typed(store: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Typing:
    """Type in a repository, which is the current directory."""
    shop = repository("shop")
    monkeypatch.chdir(shop)
    return Typing(store, shop)


def rule_in(improve: Improve, rule_id: str) -> dict[str, Any]:
    """Give a rule as `status --json` tells it."""
    listed = improve("status", "--all", "--json", "--budget", "0").json["rules"]
    return next(rule for rule in listed if rule["id"] == rule_id)


# --- taking in ---


def test_a_project_without_a_remote_is_told_by_its_name(
    improve: Improve, typed: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list names the directory, not `path:` and all that leads there, nor `unknown`; JSON has the key."""
    subprocess.run(["git", "remote", "remove", "origin"], cwd=typed.cwd, check=True)
    typed("no, put the tests beside the code")
    said = improve("inbox").out
    assert re.match(r"C1  correction  codex  shop  \S", said), said
    assert improve("inbox", "--json").json["candidates"][0]["project"].startswith("path:")


def test_a_typed_correction_waits_in_the_inbox(improve: Improve, typed: Typing) -> None:
    """The words are shown as a quotation, with where and when, and with what to do next."""
    typed("no, put the tests \x1b[31mbeside\x1b[0m the code")
    said = improve("inbox")
    assert "C1  correction  codex  github.com/acme/shop" in said.out
    assert '"no, put the tests \\x1b[31mbeside\\x1b[0m the code"' in said.out
    assert "improve accept C1" in said.out
    assert typed.waiting == 0


def test_an_empty_inbox_says_so(improve: Improve, typed: Typing) -> None:
    """Nothing waits: one line, and an empty list for programs."""
    assert improve("inbox").out == "No correction waits to be phrased.\n"
    assert improve("inbox", "--json").json["candidates"] == []


@pytest.mark.parametrize("command", ["status", "due", "inbox", "drain"])
def test_every_reading_command_takes_in_the_queue(improve: Improve, typed: Typing, command: str) -> None:
    """Whoever looks next moves what waits; nobody has to start `drain`."""
    typed("no, that is wrong")
    improve(command)
    assert typed.waiting == 0
    assert improve("inbox", "--json").json["open"] == 1


def test_a_stored_rule_said_again_counts_at_once(improve: Improve, typed: Typing) -> None:
    """The same demand is one more occasion, with session, host, signal and the words as evidence; nothing waits."""
    improve("observe", RULE, "--session", "s0", "--host", "codex")
    typed("Use pnpm, never npm install")
    typed("please use pnpm and never npm install", "s2")
    assert improve("drain", "--json").json["counted"] == 2
    assert improve("inbox", "--json").json["candidates"] == []
    rule = rule_in(improve, "use-pnpm-never-npm-install")
    assert rule["count"] == 3
    assert rule["aliases"] == []
    history = improve("history", rule["id"]).out
    assert "codex s2 transcript " in history
    assert '"please use pnpm and never npm install"' in history


@pytest.mark.parametrize(
    "text",
    ["Should we use pnpm, never npm install?", "Always use npm install, never pnpm", RULE + ". " + "And more. " * 40],
)
def test_what_is_not_sure_is_never_counted(improve: Improve, typed: Typing, text: str) -> None:
    """The opposite and a long text wait for somebody who reads them; a question is no demand."""
    improve("observe", RULE)
    typed(text)
    assert improve("drain", "--json").json["counted"] == 0
    assert rule_in(improve, "use-pnpm-never-npm-install")["count"] == 1
    assert text.endswith("?") or improve("inbox", "--json").json["open"] == 1


def test_what_the_agent_recorded_itself_does_not_wait(improve: Improve, typed: Typing) -> None:
    """A rule of the same session that resembles the words settles the candidate, before or after it was taken in."""
    typed("no!! I want pnpm here, why did you npm install?", "s1")
    typed("no!! I want pnpm here, why did you npm install?", "s2")
    improve("inbox")
    improve("observe", RULE, "--session", "s1", "--host", "codex")
    improve("drain")
    states = {c["session"]: (c["state"], c["rule"]) for c in improve("inbox", "--all", "--json").json["candidates"]}
    assert states == {"s1": ("matched", "use-pnpm-never-npm-install"), "s2": ("open", "")}
    assert rule_in(improve, "use-pnpm-never-npm-install")["count"] == 1


def test_another_rule_of_the_session_settles_nothing(improve: Improve, typed: Typing) -> None:
    """The agent recorded something else: the candidate stays open."""
    typed("no!! I want pnpm here, why did you npm install?", "s1")
    improve("observe", "Write dates as ISO 8601", "--session", "s1", "--host", "codex")
    improve("drain")
    assert improve("inbox", "--json").json["open"] == 1


def test_a_word_of_every_rule_is_no_likeness(improve: Improve, typed: Typing) -> None:
    """In a store of one rule even `use` is rare: what shares no more with it stays open."""
    typed("no! from now on always use the big key for deploys", "s1")
    improve("observe", RULE, "--session", "s1", "--host", "codex")
    improve("drain")
    assert improve("inbox", "--json").json["open"] == 1


def test_the_same_event_twice_is_one(improve: Improve, typed: Typing) -> None:
    """Delivered again, before, after, and once it was settled: one candidate, one observation."""
    improve("observe", RULE)
    for _ in range(3):
        typed("that is wrong, undo it")
        typed(RULE)
        improve("drain")
    improve("dismiss", "C1" if _id(improve, "that is wrong, undo it") == "C1" else "C2")
    typed("that is wrong, undo it")
    improve("drain")
    assert improve("inbox", "--json").json["open"] == 0
    assert len(improve("inbox", "--all", "--json").json["candidates"]) == 2
    assert rule_in(improve, "use-pnpm-never-npm-install")["count"] == 2


def _id(improve: Improve, words: str) -> str:
    listed = improve("inbox", "--all", "--json").json["candidates"]
    return str(next(c["id"] for c in listed if c["words"] == words))


def test_a_prompt_counts_where_it_was_typed(improve: Improve, typed: Typing, repository: Repository) -> None:
    """The project is that of the prompt's directory, not of the command that takes it in; a name in ours is ours."""
    other = repository("web")
    typed("no, that is wrong")
    improve("drain", cwd=other)
    assert improve("inbox", "--json").json["candidates"][0]["project"] == "github.com/acme/shop"


def test_a_name_in_our_environment_is_that_of_our_project_only(
    improve: Improve, typed: Typing, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AGENT_PROJECT_NAME of the command names the project it runs in, and none that another prompt came from."""
    here, other = repository("here", remote=None), repository("other", remote=None)
    for number, place in enumerate((here, other)):
        Typing(typed.queue.parent, place)("no, that is wrong", f"s{number}")
    monkeypatch.setenv("AGENT_PROJECT_NAME", "mine")
    improve("drain", cwd=here)
    listed = improve("inbox", "--json").json["candidates"]
    assert {c["session"]: c["project"] for c in listed} == {"s0": "mine", "s1": f"path:{other.resolve()}"}


@pytest.mark.parametrize(
    "text",
    [
        "improve-rules v1\nno, never do that",
        "- Never use npm (said 3 times, last 2026-11-02)",
        "RECORDED (count=2, same project) → candidate for PROJECT AGENTS.md",
        "→ improve accept C1 'Never use npm'",
    ],
)
def test_our_own_words_are_never_learned(improve: Improve, typed: Typing, text: str) -> None:
    """What we print and somebody pastes back becomes no candidate, even if a hook let it through."""
    typed(text)
    assert improve("drain", "--json").json["dropped"] == 1
    assert improve("inbox", "--all", "--json").json["candidates"] == []
    assert typed.waiting == 0


@pytest.mark.parametrize("content", [b"", b"{", b"null", b'{"key": 5}', b"\xff" * 9, json.dumps({"key": "k"}).encode()])
def test_a_file_nobody_can_read_stays_and_blocks_nobody(improve: Improve, typed: Typing, content: bytes) -> None:
    """It is named by `drain`, left as it is, and what lies beside it is taken in."""
    typed("no, that is wrong")
    odd = typed.queue / "heard-000000000000000000000000.json"
    odd.write_bytes(content)
    said = improve("drain", "--json").json
    assert [Path(path).name for path in said["unreadable"]] == [odd.name]
    assert said["waiting"] == 1
    assert odd.read_bytes() == content
    assert "cannot be read and stays" in improve("drain").out
    assert "heard-0000" not in improve("status").err


def test_a_prompt_without_a_moment_stays(improve: Improve, typed: Typing) -> None:
    """A queue file whose time means nothing was not written by us."""
    typed("no, that is wrong", at="yesterday")
    assert len(improve("drain", "--json").json["unreadable"]) == 1


def test_a_broken_store_keeps_the_queue(improve: Improve, typed: Typing, store: Path) -> None:
    """While rules.yaml cannot be read nothing leaves the queue; once mended, all is taken in."""
    improve("observe", RULE)
    good = (store / "rules.yaml").read_bytes()
    (store / "rules.yaml").write_bytes(b"rules: [\n")
    typed(RULE)
    improve("inbox")
    improve("drain", code=6)
    assert typed.waiting == 1
    (store / "rules.yaml").write_bytes(good)
    assert improve("drain", "--json").json["counted"] == 1


def test_where_it_is_off_nothing_moves(improve: Improve, typed: Typing) -> None:
    """Off means: the queue stays, nothing is accepted or dismissed; on again, all goes on."""
    typed("no, that is wrong")
    improve("inbox")
    typed("no, that is wrong too")
    improve("off")
    improve("drain")
    improve("inbox")
    assert typed.waiting == 1
    improve("accept", "C1", "Do it right", code=3)
    improve("dismiss", "C1", code=3)
    improve("on")
    improve("drain")
    assert improve("inbox", "--json").json["open"] == 2


def test_off_for_one_host_leaves_its_prompts(improve: Improve, typed: Typing) -> None:
    """What was typed in a host that is off by now stays in the queue; the others' are taken in."""
    typed("no, that is wrong", host="codex")
    typed("no, that is wrong", "s2", host="opencode")
    improve("off", "--host", "codex")
    assert improve("drain", "--json").json["left"] == 1
    assert [c["host"] for c in improve("inbox", "--json").json["candidates"]] == ["opencode"]


def test_endings_stay_for_ninety_days(improve: Improve, typed: Typing) -> None:
    """The end of a session waits for whoever reads transcripts; a very old one goes."""
    for name in ("new", "old"):
        queue.end(str(typed.queue), queue.Ended(AT, "codex", name, str(typed.cwd), "/t.jsonl", "stop"))
    paths = sorted(typed.queue.glob("ended-*.json"))
    os.utime(paths[0], (time.time() - 91 * 86_400,) * 2)
    improve("drain")
    assert list(typed.queue.glob("ended-*.json")) == paths[1:]


# --- accept and dismiss ---


def test_accepting_records_the_rule_where_it_was_said(improve: Improve, typed: Typing) -> None:
    """The rule gets an observation in the candidate's session and project, in the words of `observe`."""
    typed("no, not that linter", "s7")
    improve("inbox")
    said = improve("accept", "C1", "Lint with ruff", "--domain", "Testing")
    assert said.first == "RECORDED (count=1) → apply in-session only"
    rule = rule_in(improve, "lint-with-ruff")
    assert (rule["domain"], rule["projects"]) == ("testing", ["github.com/acme/shop"])
    history = improve("history", rule["id"]).out
    assert "codex s7 transcript correction" in history
    assert '"no, not that linter"' in history
    assert improve("inbox").out.startswith("No correction waits to be phrased (1 settled one")


def test_accepting_joins_the_agents_own_call_of_that_session(improve: Improve, typed: Typing) -> None:
    """The same session is one occasion, whoever recorded it."""
    typed("no, not that linter", "s7")
    improve("inbox")
    improve("observe", "Lint with ruff", "--session", "s7", "--host", "codex")
    improve("accept", "C1", "Lint with ruff")
    assert rule_in(improve, "lint-with-ruff")["count"] == 1


def test_its_own_words_can_be_the_rule(improve: Improve, typed: Typing) -> None:
    """Without a text it is taken as it is phrased, else in the person's words, if they are one clean line."""
    typed("always lint with ruff")
    improve("inbox")
    assert improve("accept", "c1", "--json").json["rule"]["rule"] == "Always lint with ruff"
    typed("you forgot the tests again", "s2")
    improve("inbox")
    assert improve("accept", "c2", "--json").json["rule"]["rule"] == "you forgot the tests again"


@pytest.mark.parametrize("words", ["no!\nthat is wrong", "no, <!-- that --> is wrong"])
def test_words_that_cannot_be_a_rule_ask_for_a_phrase(improve: Improve, typed: Typing, words: str) -> None:
    """The refusal says why and how to phrase it, and the candidate stays open."""
    typed(words)
    improve("inbox")
    assert 'improve accept C1 "<one imperative sentence>"' in improve("accept", "C1", code=3).err
    assert improve("inbox", "--json").json["open"] == 1


def test_a_bad_rule_text_is_refused_as_by_observe(improve: Improve, typed: Typing) -> None:
    """A credential in the text is refused, and nothing is recorded."""
    typed("no, that is wrong")
    improve("inbox")
    improve("accept", "C1", "Use the password https://me:s3cretpass@example.com/x", code=3)
    assert improve("status", "--all", "--json").json["total"] == 0


def test_others_that_say_the_same_count_with_it(improve: Improve, typed: Typing) -> None:
    """Once one of three is phrased, the two that surely say it count for the rule, each in its session."""
    for session in ("s1", "s2", "s3"):
        typed(RULE, session)
    improve("inbox")
    assert "2 more in the inbox" in improve("accept", "C2", RULE).err
    assert rule_in(improve, "use-pnpm-never-npm-install")["count"] == 3
    assert improve("inbox", "--json").json["open"] == 0


def test_what_is_settled_is_not_settled_again(improve: Improve, typed: Typing) -> None:
    """Accepting twice, dismissing what was accepted and accepting what was dismissed are refused."""
    typed("no, that is wrong")
    typed("no, that is wrong", "s2")
    improve("inbox")
    improve("accept", "C1", "Lint with ruff")
    improve("dismiss", "C2")
    assert "C1 is accepted already, as rule lint-with-ruff" in improve("accept", "C1", "Other words", code=3).err
    improve("dismiss", "C1", code=3)
    improve("accept", "C2", "Other words", code=3)
    improve("dismiss", "C2")
    assert rule_in(improve, "lint-with-ruff")["count"] == 1


def test_an_unknown_candidate(improve: Improve, typed: Typing) -> None:
    """There is none with this id: exit code 7, and where to look."""
    assert "improve inbox --all" in improve("accept", "C9", "Lint with ruff", code=7).err
    improve("dismiss", "C9", code=7)


def test_one_wrong_name_dismisses_nothing(improve: Improve, typed: Typing) -> None:
    """Several are settled in one call, or none of them when one is unknown or became a rule."""
    for session in ("s1", "s2", "s3"):
        typed("no, that is wrong", session)
    improve("inbox")
    improve("dismiss", "C1", "C9", code=7)
    improve("accept", "C3", "Lint with ruff")
    improve("dismiss", "C1", "C3", code=3)
    assert improve("inbox", "--json").json["open"] == 2
    assert improve("dismiss", "c1", "C2", "C1", "--json").json["dismissed"] == ["C1", "C2"]


def test_dismissed_for_good_never_waits_again(improve: Improve, typed: Typing) -> None:
    """`--always` holds for the same words in another session and spelling; without it they wait again."""
    typed("no, not like that")
    typed("stop, that is wrong")
    improve("inbox")
    improve("dismiss", _id(improve, "no, not like that"), "--always")
    improve("dismiss", _id(improve, "stop, that is wrong"))
    typed("No, not like THAT!", "s2")
    typed("stop, that is wrong", "s2")
    improve("drain")
    assert [c["words"] for c in improve("inbox", "--json").json["candidates"]] == ["stop, that is wrong"]


def test_bad_lines_are_reported(improve: Improve, typed: Typing, store: Path) -> None:
    """A line nobody can read is named by number, and the others are shown."""
    typed("no, that is wrong")
    improve("inbox")
    with (store / "inbox.jsonl").open("ab") as file:
        file.write(b"{oops}\n")
    typed("no, that is wrong", "s2")
    said = improve("inbox")
    assert "1 line of ~/.agent-improvement/inbox.jsonl cannot be read and stay" in said.err
    assert "line 2" in said.err
    assert improve("inbox", "--json").json["open"] == 2


# --- at the same time, and killed ---


def test_the_hook_delivers_one_event_of_two_registrations(improve: Improve, typed: Typing) -> None:
    """Two tools run the prompt hook for the same prompt at the same time: one candidate, without the credential."""
    words = "no, never put the token=ghp_abcdefghijklmnopqrstuvwxyz0123456789 into the url"
    said = json.dumps({"session_id": "s", "cwd": str(typed.cwd), "prompt": words}).encode()
    argv = [sys.executable, "-P", "-m", "improve", "hook", "codex", "prompt"]
    started = [subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate(said)[0] for process in started] == [b""] * 4
    [listed] = improve("inbox", "--json").json["candidates"]
    assert listed["session"] == "s"
    assert "abcdefghijklm" not in listed["words"]


def processes(*argv: str) -> subprocess.Popen[bytes]:
    """Start a command of its own."""
    return subprocess.Popen([sys.executable, "-P", "-m", "improve", *argv], stdout=subprocess.PIPE)


def test_two_drains_at_once(improve: Improve, typed: Typing) -> None:
    """Drains and reading commands side by side: each prompt is taken in once, and all exit with 0."""
    improve("observe", RULE)
    for number in range(40):
        typed(f"no, that is wrong, number {number}", f"s{number}")
        typed(RULE, f"r{number}")
    with ThreadPoolExecutor(4) as pool:
        commands = [("drain",), ("inbox",), ("drain", "--quiet"), ("status",)]
        started = list(pool.map(lambda argv: processes(*argv), commands))
    assert [process.wait(60) for process in started] == [0, 0, 0, 0]
    improve("drain")
    assert len(improve("inbox", "--all", "--json").json["candidates"]) == 80
    assert rule_in(improve, "use-pnpm-never-npm-install")["count"] == 41


def test_one_candidate_accepted_by_several_at_once(improve: Improve, typed: Typing) -> None:
    """Whoever comes first records it; the others say what became of it, and it counts once."""
    typed("no, that is wrong")
    improve("inbox")
    started = [processes("accept", "C1", f"Lint with ruff in version {number}") for number in range(4)]
    codes = [process.wait(60) for process in started]
    assert 0 in codes
    assert set(codes) <= {0, 3, 4}
    rules = improve("status", "--all", "--json").json["rules"]
    assert [rule["count"] for rule in rules] == [1]


def test_killed_anywhere_a_drain_loses_and_doubles_nothing(improve: Improve, typed: Typing) -> None:
    """However often a drain is killed, each prompt is one candidate or one observation in the end."""
    improve("observe", RULE)
    for number in range(12):
        typed(f"no, that is wrong, number {number}", f"s{number}")
        typed(RULE, f"r{number}")
    for wait in range(12):
        process = processes("drain")
        time.sleep(0.08 + 0.03 * wait)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    improve("drain")
    assert typed.waiting == 0
    assert len(improve("inbox", "--all", "--json").json["candidates"]) == 24
    assert improve("inbox", "--json").json["open"] == 12
    assert rule_in(improve, "use-pnpm-never-npm-install")["count"] == 13


def test_a_run_takes_a_bounded_part_of_a_long_queue(improve: Improve, typed: Typing) -> None:
    """A reading command gives a long queue a moment, says nothing, and the next ones go on."""
    for number in range(400):
        typed(f"no, that is wrong, number {number}", f"s{number}")
    begin = time.monotonic()
    improve("status")
    assert time.monotonic() - begin < 20
    left = typed.waiting
    assert left < 400
    while typed.waiting:
        before = typed.waiting
        improve("drain")
        assert typed.waiting < before
    assert improve("inbox", "--json").json["open"] == 400


@pytest.mark.parametrize(
    ("dismissed", "again", "waits"),
    [
        ("no, stop adding comments everywhere", "No!! Stop adding comments, everywhere...", False),
        ("no, don't ever use mocks", "No - don’t ever use “mocks”", False),
        ("no, never use C here", "no, never use C++ here", True),
        ("不对，以后都用 pnpm", "不对 以后都用 pnpm。", False),
    ],
)
def test_dismissed_for_good_whatever_the_punctuation(
    improve: Improve, typed: Typing, dismissed: str, again: str, waits: bool
) -> None:
    """The same words with other stops, quotes and capitals never wait again; other words do."""
    typed(dismissed, "a")
    improve("drain")
    improve("dismiss", "C1", "--always")
    typed(again, "b")
    improve("drain")
    assert bool(improve("inbox", "--json").json["open"]) == waits


def test_nothing_was_typed_in_the_future(improve: Improve, typed: Typing) -> None:
    """Where the clock was put back after a prompt was typed, it counts as typed now."""
    typed("no, that is wrong", at="2099-01-01T00:00:00+0000")
    improve("drain")
    assert improve("inbox", "--json").json["candidates"][0]["at"] < "2099"
    assert "just now" in improve("inbox").out
