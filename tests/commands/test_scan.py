"""scan: what people said to any of their agents reaches the inbox or a rule, once, and nothing else does."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Improve, Repository
from commands.sessions import DENIED, PNPM, TABS, Claude, Codex, put, put_tree
from improve import queue, switch

RULE = "Use pnpm, never npm"


@pytest.fixture
def shop(repository: Repository) -> Path:
    """Make a real repository."""
    return repository("shop")


def candidates(improve: Improve, *argv: str) -> list[dict[str, Any]]:
    """List what waits in the inbox."""
    found: list[dict[str, Any]] = improve("inbox", "--json", *argv).json["candidates"]
    return found


def words(improve: Improve, *argv: str) -> list[str]:
    """List the words of what waits, in order of the alphabet."""
    return sorted(item["words"] for item in candidates(improve, *argv))


def counts(improve: Improve) -> dict[str, int]:
    """Count the occasions of each rule."""
    rules = improve("status", "--all", "--json", "--budget", "0").json["rules"]
    return {rule["rule"]: rule["count"] for rule in rules}


# --- what is found ---


def test_corrections_of_several_hosts_reach_the_inbox_once(improve: Improve, home: Path, shop: Path) -> None:
    """Each has its host, session, project, moment and what the agent had done; a second scan finds nothing new."""
    claude, codex = Claude(home, shop).corrected(), Codex(home, shop).corrected(TABS)
    sessions = (
        ".copilot/session-state/5f1c/events.jsonl",
        ".gemini/tmp/50ba/chats/session-2026-11-30T16-01-478e7d29.jsonl",
    )
    put(home, "copilot/tui-deny.events.jsonl", sessions[0], shop)
    put(home, "gemini/tui-deny.jsonl", sessions[1])
    put(home, "pi/two-turns-extension.jsonl", ".pi/agent/sessions/--x--/2026-11-30T16-15-56-712Z_01a22d3d.jsonl", shop)
    said = improve("scan", "--all")
    assert said.first.startswith("read 5 of 5 transcripts (")
    found = {(c["host"], c["words"]): c for c in candidates(improve)}
    assert {host for host, _ in found} >= {"claude-code", "codex", "copilot", "gemini", "pi"}
    first = found["claude-code", PNPM]
    assert (first["session"], first["project"], first["cwd"]) == (claude.id, "github.com/acme/shop", str(shop))
    assert first["did"] == "Bash: npm install left-pad"
    assert first["signal"] == "correction"
    assert datetime.fromisoformat(first["at"]) < datetime.now(UTC) - timedelta(days=1)
    assert found["codex", TABS]["session"] == codex.id
    assert ("pi", "no, use tabs not spaces") in found
    again = improve("scan", "--all")
    assert again.out == "read 0 of 5 transcripts; 5 unchanged since the last scan\nNothing new.\n"
    assert len(candidates(improve)) == len(found)


def test_the_reason_of_a_denial_is_found(improve: Improve, home: Path, shop: Path) -> None:
    """It is a denial and sure, with the call that was refused; a refusal without a reason never is."""
    session = Claude(home, shop).types("add it").runs("pip install x", refused="we use uv here, never pip")
    session.types("go on then").runs("npm install", refused="")
    improve("scan")
    sure = [c for c in candidates(improve) if c["tier"] == "sure"]
    assert [(c["signal"], c["words"], c["did"]) for c in sure] == [
        ("denial", "we use uv here, never pip", "Bash: pip install x")
    ]


def test_a_plain_task_is_no_candidate(improve: Improve, home: Path, shop: Path) -> None:
    """Tasks, thanks and questions leave the inbox empty."""
    session = Claude(home, shop).types("Add a login page with two fields").answers("Done.")
    session.types("Thanks, looks great").answers("Glad.").types("What does the cart module do?").answers("It sums.")
    said = improve("scan")
    assert said.first.startswith("read 1 of 1 transcript (3 messages")
    assert said.out.endswith("\nNothing new.\n")
    assert candidates(improve) == []


def test_a_prompt_heard_by_a_hook_and_read_from_the_transcript_is_one(improve: Improve, home: Path, shop: Path) -> None:
    """Whichever comes first: one candidate."""
    first, second = Claude(home, shop, "a").corrected(), Claude(home, shop, "b").corrected(TABS)
    hear = _hook(home, shop)
    hear(first.id, PNPM)
    assert words(improve) == [PNPM]
    improve("scan")
    hear(second.id, TABS)
    improve("drain")
    assert words(improve, "--all") == sorted([PNPM, TABS])


def _hook(home: Path, cwd: Path) -> Any:
    def hear(session: str, text: str) -> None:
        at = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="seconds")
        key = queue.key_of(session, "", text)
        place = str(home / ".agent-improvement" / "queue")
        (home / ".agent-improvement").mkdir(mode=0o700, exist_ok=True)
        assert queue.hear(place, queue.Heard(key, at, "claude-code", session, str(cwd), text, "correction"))

    return hear


def _copy_of(session: Claude, name: str) -> Path:
    """Make the file of a session that was forked: all lines again, under a new id."""
    other = session.path.with_name(f"{name}.jsonl")
    other.write_bytes(session.path.read_bytes().replace(session.id.encode(), name.encode()))
    return other


def test_copies_of_a_session_are_one(improve: Improve, home: Path, shop: Path) -> None:
    """What a resumed or forked session repeats is one candidate, in the same scan and in a later one."""
    session = Claude(home, shop).corrected()
    _copy_of(session, "11111111-1111-4111-8111-111111111111")
    improve("scan")
    _copy_of(session, "22222222-2222-4222-8222-222222222222")
    improve("scan")
    assert words(improve) == [PNPM]


def test_copies_are_one_in_any_zone(improve: Improve, home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that is read when the clock shows another zone is still a copy."""
    session = Claude(home, shop).corrected()
    improve("scan")
    _copy_of(session, "11111111-1111-4111-8111-111111111111")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Kolkata")
        time.tzset()
        improve("scan")
    time.tzset()
    assert words(improve) == [PNPM]


def test_copies_of_a_session_count_once_for_a_rule(improve: Improve, home: Path, shop: Path) -> None:
    """A fork that repeats the words is no second occasion."""
    improve("observe", RULE, cwd=shop)
    session = Claude(home, shop).corrected(f"{RULE}!")
    _copy_of(session, "11111111-1111-4111-8111-111111111111")
    improve("scan")
    _copy_of(session, "22222222-2222-4222-8222-222222222222")
    improve("scan", "--again")
    assert counts(improve) == {RULE: 2}


def test_the_same_words_in_two_sessions_are_two(improve: Improve, home: Path, shop: Path) -> None:
    """Said again on another day, it is evidence of its own."""
    Claude(home, shop, "a").corrected()
    Claude(home, shop, "b", began=datetime.now(UTC) - timedelta(days=5)).corrected()
    improve("scan")
    assert words(improve) == [PNPM, PNPM]


def test_a_subagent_has_no_person(improve: Improve, home: Path, shop: Path) -> None:
    """What an agent tells its subagent is nobody's correction, in the host's own files for them."""
    main = Claude(home, shop)
    main.types("look around")
    side = Claude(home, shop, "side")
    side.more = {"isSidechain": True, "agentId": "a1", "sessionId": main.id}
    side.corrected()
    place = main.path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    place.parent.mkdir(parents=True)
    side.path.rename(place)
    assert improve("scan", "--json").json["coverage"]["read"] == 2
    assert candidates(improve, "--all") == []


def test_a_run_without_a_terminal_is_never_sure(improve: Improve, home: Path, shop: Path) -> None:
    """A script may have written it: it waits at most for somebody who decides."""
    session = Claude(home, shop)
    session.more = {"entrypoint": "sdk-cli"}
    for text in (PNPM, f"From now on {RULE.lower()}.", TABS):
        session.row({"type": "user", "message": {"role": "user", "content": text}, "promptSource": "sdk"})
        session.answers("Done.")
    improve("scan")
    assert "sure" not in {c["tier"] for c in candidates(improve, "--all")}


@pytest.mark.parametrize(
    "text",
    [
        "improve-rules v1\nnever use npm, always pnpm",
        "- Never use npm (said 3 times, last 2026-11-02)",
        "RECORDED (count=2, same project) → candidate for PROJECT AGENTS.md",
        "<system-reminder>No, that's wrong: use pnpm, never npm.</system-reminder>",
        "<local-command-stdout>No, that's wrong: use pnpm, never npm.</local-command-stdout>",
        "This session is being continued from a previous conversation. No, that's wrong: use pnpm, never npm.",
    ],
)
def test_what_no_person_typed_is_none(improve: Improve, home: Path, shop: Path, text: str) -> None:
    """Our own output pasted back, and what a host puts into a person's mouth."""
    Claude(home, shop).types("add it").runs("npm install").types(text).answers("Understood.")
    improve("scan")
    assert candidates(improve, "--all") == []


def test_pasted_lines_of_an_instruction_file_are_none(improve: Improve, home: Path, shop: Path) -> None:
    """A list that repeats stored rules is no correction, and no new occasion of them."""
    improve("observe", RULE, cwd=shop)
    improve("observe", "Always indent with tabs, never with spaces", cwd=shop)
    pasted = f"- {RULE}\n- Always indent with tabs, never with spaces"
    Claude(home, shop).types("add it").runs("npm install").types(pasted).answers("Understood.")
    improve("scan")
    assert candidates(improve, "--all") == []
    assert set(counts(improve).values()) == {1}


# --- stored rules ---


def test_a_stored_rule_said_again_is_an_occasion(
    improve: Improve, home: Path, shop: Path, repository: Repository
) -> None:
    """It counts where and when it was said, with provenance transcript, and once, also when all is read again."""
    improve("observe", RULE, cwd=repository("blog"))
    session = Claude(home, shop, began=datetime(2026, 3, 4, 12, tzinfo=UTC)).corrected(f"{RULE}!")
    assert improve("scan", "--all", "--json").json["counted"] == 1
    improve("scan", "--all", "--again")
    assert counts(improve) == {RULE: 2}
    history = improve("history", "use-pnpm-never-npm").out
    assert f"claude-code {session.id[:12]} transcript correction" in history
    assert "2026-03-04" in history
    assert "github.com/acme/shop" in history
    assert candidates(improve) == []


@pytest.mark.parametrize("text", ["Always use npm, never pnpm!", "No, that's wrong: should we use pnpm, never npm?"])
def test_the_opposite_and_a_question_are_no_occasion(improve: Improve, home: Path, shop: Path, text: str) -> None:
    """What is not surely the rule is never counted for it."""
    improve("observe", RULE, cwd=shop)
    Claude(home, shop).corrected(text)
    assert improve("scan", "--json").json["counted"] == 0
    assert counts(improve) == {RULE: 1}


def test_a_rule_the_agent_recorded_in_the_session_is_linked(improve: Improve, home: Path, shop: Path) -> None:
    """The person's words are settled by it and count no second time; those of another session wait."""
    one, other = Claude(home, shop, "a"), Claude(home, shop, "b")
    said = "No, that's wrong!! I want pnpm here, why did you npm install?"
    one.corrected(said)
    other.corrected(said)
    improve("observe", RULE, "--session", one.id, "--host", "claude-code", cwd=shop)
    assert improve("scan", "--json").json["linked"] == 1
    states = {c["session"]: (c["state"], c["rule"]) for c in candidates(improve, "--all")}
    assert states == {one.id: ("matched", "use-pnpm-never-npm"), other.id: ("open", "")}
    assert counts(improve) == {RULE: 1}


# --- which ones ---


def test_only_what_is_asked_for_is_read(improve: Improve, home: Path, shop: Path, repository: Repository) -> None:
    """--since, --all, --host, --project and PATH each leave the rest for later; nothing is lost by it."""
    blog = repository("blog")
    Claude(home, shop, "new").corrected()
    old = Claude(home, shop, "old", began=datetime.now(UTC) - timedelta(days=90)).corrected(TABS)
    os.utime(old.path, (old.at.timestamp(),) * 2)
    Codex(home, blog, "codex").corrected("No, that's wrong: write dates as ISO 8601, always.")
    improve("scan", "--host", "codex")
    assert [c["host"] for c in candidates(improve)] == ["codex"]
    improve("scan", "--project", "shop", cwd=shop)
    assert PNPM in words(improve)
    assert TABS not in words(improve)
    improve("scan", "--since", "2y")
    assert TABS in words(improve)
    assert len(candidates(improve)) == 3
    assert improve("scan", "--all", "--json").json["waiting"] == 0
    elsewhere = home / "backup" / "x.jsonl"
    elsewhere.parent.mkdir()
    other = Claude(home, shop, "other").corrected("No, that's wrong: never commit to main directly.")
    other.path.rename(elsewhere)
    improve("scan", str(elsewhere.parent))
    assert len(candidates(improve)) == 4


def test_a_folder_is_read_as_what_is_named(improve: Improve, home: Path, shop: Path) -> None:
    """Of files of several agents each is read by its own reader, whatever it is called, or only those asked for."""
    mixed = home / "backup"
    mixed.mkdir()
    one, other = Claude(home, shop).corrected(), Codex(home, shop).corrected(TABS)
    third = put(home, "pi/two-turns-extension.jsonl", "backup/deep/2026-11-30T16-15-56-712Z_01a22d3d.jsonl", shop)
    one.path.rename(mixed / one.path.name)
    other.path.rename(mixed / "renamed.jsonl")
    (mixed / "notes.md").write_text("# No, that's wrong: use pnpm, never npm.\n")
    assert improve("scan", str(mixed), "--host", "pi", "--json").json["coverage"]["sessions"] >= 1
    assert "no, use tabs not spaces" in words(improve)
    improve("scan", str(mixed), "--host", "codex", "--host", "pi")
    assert {c["host"] for c in candidates(improve)} >= {"codex", "pi"}
    improve("scan", str(mixed))
    assert {c["host"] for c in candidates(improve)} == {"claude-code", "codex", "pi"}
    assert improve("scan", str(mixed), "--json").json["coverage"]["unchanged"] == 3
    assert third.exists()


def test_an_old_message_in_a_file_that_is_still_written_to_is_left(improve: Improve, home: Path, shop: Path) -> None:
    """--since looks at each message; a later --all gives the older ones."""
    session = Claude(home, shop, began=datetime.now(UTC) - timedelta(days=90)).corrected(TABS)
    session.at = datetime.now(UTC) - timedelta(days=1)
    session.corrected()
    improve("scan")
    assert words(improve) == [PNPM]
    improve("scan", "--all")
    assert words(improve) == sorted([PNPM, TABS])


@pytest.mark.parametrize(
    "argv",
    [
        ("--host", "emacs"), ("--since", "soon"), ("/nowhere/at/all",), ("--project", "nothing-like-it"),
        ("--explain", "nothing"),
        ("--explain", ""),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_a_usage_error(improve: Improve, home: Path, shop: Path, argv: tuple[str, ...]) -> None:
    """One sentence that says what, and nothing is read."""
    Claude(home, shop).corrected()
    said = improve("scan", *argv, code=2)
    assert said.err.count("\n") == 1
    assert candidates(improve) == []


# --- off ---


def test_off_everywhere_reads_nothing(improve: Improve, home: Path, shop: Path) -> None:
    """The command says so and refuses; on again, all is found."""
    Claude(home, shop).corrected()
    improve("off")
    assert "is off" in improve("scan", code=3).err
    improve("scan", "--explain", "x", code=3)
    assert not (home / ".agent-improvement" / "inbox.jsonl").exists()
    improve("on")
    improve("scan")
    assert words(improve) == [PNPM]


def test_off_for_a_project_or_a_host_leaves_its_sessions(
    improve: Improve, home: Path, shop: Path, repository: Repository
) -> None:
    """What is off is not taken in, and found once it is on again."""
    blog = repository("blog")
    Claude(home, shop).corrected()
    Claude(home, blog, "blog").corrected(TABS)
    Codex(home, blog).corrected("No, that's wrong: write dates as ISO 8601, always.")
    improve("off", "--project", cwd=shop)
    improve("off", "--host", "codex", cwd=blog)
    for _ in range(2):
        improve("scan", cwd=blog)
    assert words(improve) == [TABS]
    improve("on", "--project", cwd=shop)
    improve("on", "--host", "codex", cwd=blog)
    improve("scan", cwd=blog)
    assert len(candidates(improve)) == 3


def test_what_was_said_while_it_was_off_stays_unsaid(
    improve: Improve, home: Path, shop: Path, repository: Repository
) -> None:
    """It is not taken in once it is on again, not even when asked for; what was said before, after, elsewhere is."""
    blog = repository("blog")
    before, noon, after = (datetime.now(UTC) - timedelta(days=days) for days in (4, 3, 2))
    since, until = ((noon + timedelta(hours=hours)).isoformat(timespec="seconds") for hours in (-1, 1))
    improve("off", "--project", cwd=shop)
    improve("on", "--project", cwd=shop)
    path = home / ".agent-improvement" / switch.FILE
    (entry,) = switch.read(str(path)) or []
    path.write_bytes(switch.written([entry._replace(since=since, until=until)]))
    session = Claude(home, shop, began=before).corrected("No, that's wrong: use uv here, never pip.")
    session.at = noon
    session.corrected(TABS)
    session.at = after
    session.corrected(PNPM)
    Claude(home, blog, "blog", began=noon).corrected("No, that's wrong: write dates as ISO 8601, always.")
    for argv in (("scan",), ("scan", "--all"), ("first-look",)):
        said = improve(*argv, cwd=shop)
        assert TABS not in said.out
        assert sorted(words(improve)) == sorted(
            [
                "No, that's wrong: use uv here, never pip.",
                PNPM,
                "No, that's wrong: write dates as ISO 8601, always.",
            ]
        )


# --- what is stored ---


def test_a_credential_never_reaches_the_disk(improve: Improve, home: Path, shop: Path) -> None:
    """Not in the person's words, not in what the agent ran: no file of the store, the cache or the state has it."""
    secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    session = Claude(home, shop)
    session.corrected(f"No, that's wrong: never put token={secret} into the url.", after=f"curl -H 'Token: {secret}'")
    session.types("again").runs(f"git clone https://x:{secret}@github.com/a/b", refused=f"never use {secret}, use ssh")
    improve("scan")
    assert len(candidates(improve)) == 2
    before = session.path
    for path in home.rglob("*"):
        if path.is_file() and path != before:
            assert secret.encode() not in path.read_bytes(), path
    assert secret not in improve("scan", "--explain", session.id).out
    assert secret not in improve("scan", "--explain", session.id, "--json").out
    assert secret not in improve("first-look").out


def test_evidence_stays_when_the_transcript_is_gone(improve: Improve, home: Path, shop: Path) -> None:
    """Hosts delete their transcripts: the words and what the agent had done are ours by then."""
    session = Claude(home, shop).corrected()
    improve("scan")
    shutil.rmtree(home / ".claude")
    assert improve("scan").out.endswith("Nothing new.\n")
    assert candidates(improve)[0]["did"] == "Bash: npm install left-pad"
    improve("accept", "C1", RULE)
    assert PNPM in improve("history", "use-pnpm-never-npm").out
    assert session.id[:12] in improve("history", "use-pnpm-never-npm").out


def test_transcripts_are_never_written_to(improve: Improve, home: Path, shop: Path) -> None:
    """Not a byte, not a time, and no file beside one, databases among them."""
    Claude(home, shop).corrected()
    put(home, "codex/compact.jsonl", ".codex/sessions/2026/11/30/rollout-2026-11-30T16-04-46-x.jsonl", shop)
    put(home, "opencode/subagent.db", ".local/share/opencode/opencode.db")
    put(home, "copilot/two-turns-hooks.session-store.db", ".copilot/session-store.db")
    put_tree(home, "cline", ".cline/data")
    hosts = [home / name for name in (".claude", ".codex", ".local/share/opencode", ".copilot", ".cline")]

    def seen() -> dict[str, tuple[int, int]]:
        found = (path for host in hosts for path in host.rglob("*"))
        return {str(p): (p.stat().st_mtime_ns, p.stat().st_size) for p in found if p.is_file() or p.is_dir()}

    before = seen()
    assert improve("scan", "--all", "--json").json["coverage"]["read"] >= 5
    improve("first-look")
    assert seen() == before


@pytest.mark.parametrize(
    "text", ["不对！以后都用 pnpm，不要用 npm。", "No, that's wrong: never use 🚀 in code, use words."]
)
def test_any_script_and_sign_survives(improve: Improve, home: Path, shop: Path, text: str) -> None:
    """The words come out as they were typed, and as ASCII in JSON."""
    Claude(home, shop).types("add it").runs("npm i", refused=text)
    improve("scan")
    said = improve("inbox", "--json")
    assert said.out.isascii()
    assert said.json["candidates"][0]["words"] == text
    assert text in improve("inbox").out


def test_half_a_surrogate_pair_breaks_nothing(improve: Improve, home: Path, shop: Path) -> None:
    """A sign cut in half by a host is replaced."""
    Claude(home, shop).types("add it").runs("npm i", refused="use uv here \ud83d, never pip")
    assert improve("scan", "--json").out.isascii()
    assert words(improve) == ["use uv here ?, never pip"]


def test_a_cwd_that_is_gone_or_odd_is_no_project(improve: Improve, home: Path, shop: Path) -> None:
    """Nothing fails over where a session was held."""
    for number, cwd in enumerate(("/gone/far/away", "", "relative/path", "C:\\Users\\x\\shop", "\ud800", "/a\x00b")):
        Claude(home, shop, f"s{number}").row({"type": "mode", "cwd": cwd})
        session = Claude(home, shop, f"s{number}")
        session.cwd = cwd
        session.corrected(f"No, that's wrong: write it in style {number}, always.")
    assert improve("scan", "--json").json["coverage"]["unreadable"] == []
    assert len(candidates(improve)) == 6


# --- what is said ---


def test_json_has_one_shape(improve: Improve, home: Path, shop: Path) -> None:
    """All keys are there whether something was found or not."""
    keys = {"improve", "command", "coverage", "waiting", "counted", "linked", "dropped", "below", "left"}
    covered = {"read", "unchanged", "sessions", "messages", "size", "unreadable", "bad"}
    empty = improve("scan", "--json").json
    Claude(home, shop).corrected()
    full = improve("scan", "--json").json
    for told in (empty, full):
        assert set(told) == keys
        assert set(told["coverage"]) == covered
    assert (full["waiting"], full["coverage"]["sessions"], full["coverage"]["messages"]) == (1, 1, 2)


def test_a_machine_without_agents_has_nothing_to_read(improve: Improve) -> None:
    """One line that says how little there was."""
    assert improve("scan").out == "read 0 of 0 transcripts (the last 30 days)\nNothing new.\n"


def test_one_session_is_explained_by_its_file_or_its_id(improve: Improve, home: Path, shop: Path) -> None:
    """Turn by turn, what was seen and why not; nothing is kept."""
    session = Claude(home, shop).types("What does it do?").answers("It sums.").corrected()
    by_path = improve("scan", "--explain", str(session.path)).out
    assert improve("scan", "--explain", session.id[:8]).out == by_path
    lines = by_path.splitlines()
    assert lines[0].startswith(f"claude-code  {session.id}  ")
    assert lines[1].startswith("Signals are marked *")
    assert [line for line in lines if line.startswith("*")] == [f'*   7  person typed     "{PNPM}"']
    assert sum("words and calls are no signal" in line for line in lines) == 1
    told = improve("scan", "--explain", session.id, "--json").json
    assert told["id"] == session.id
    assert Counter(turn["who"] for turn in told["turns"])["person"] == 3
    assert [turn["finding"]["words"] for turn in told["turns"] if turn["finding"]] == [PNPM]
    assert all(turn["why"] for turn in told["turns"])
    assert candidates(improve, "--all") == []
    assert not (home / ".cache" / "agent-improvement" / "cursors").exists()


def test_a_bar_is_raised_by_dismissals(improve: Improve, home: Path, shop: Path) -> None:
    """What people mostly dismissed waits only when it is sure enough; a sure one always waits; `--stats` shows it."""
    for number in range(9):
        Claude(home, shop, f"d{number}").types("x").runs("npm i", refused=f"no no, use tool number {number} here")
    improve("scan")
    improve("dismiss", *(c["id"] for c in candidates(improve)))
    stats = improve("inbox", "--stats", "--json").json["kinds"]["denial"]
    assert (stats["accepted"], stats["dismissed"], stats["waiting"]) == (0, 9, 0)
    assert 0 < stats["bar"] <= 0.5
    assert f"{stats['bar']:.2f}" in improve("inbox", "--stats").out
    Claude(home, shop, "sure").types("x").runs("npm i", refused="use pnpm here, never npm")
    assert improve("scan", "--json").json["waiting"] == 1


def test_an_instruction_that_three_sessions_ask_for_waits(improve: Improve, home: Path, shop: Path) -> None:
    """Twice is no habit; the third session makes it one, once, also when it is read much later."""
    ask = "Add a changelog entry for the parser with a link"
    for number in range(2):
        Claude(home, shop, f"a{number}").types(ask).answers("Done.")
    improve("scan")
    assert "repeated-ask" not in {c["signal"] for c in candidates(improve)}
    for number in range(2, 5):
        Claude(home, shop, f"a{number}").types(ask).answers("Done.")
        improve("scan")
    [found] = candidates(improve)
    assert (found["signal"], found["words"]) == ("repeated-ask", ask)
    assert json.dumps(found).isascii()


def test_a_refusal_text_of_the_host_is_not_the_persons(improve: Improve, home: Path, shop: Path) -> None:
    """Only the reason is kept, never the sentence the host wraps it in."""
    Claude(home, shop).types("x").runs("npm i", refused="use pnpm here, never npm")
    improve("scan")
    assert DENIED[:40] not in (home / ".agent-improvement" / "inbox.jsonl").read_text()
