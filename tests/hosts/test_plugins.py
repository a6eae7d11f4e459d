"""The plugins for hosts without command hooks, run by Node in a host that is none."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hosts.stage import (
    ALL,
    FILES,
    GOOD,
    LIMIT,
    RULES,
    SOON,
    Box,
    calls,
    end_steps,
    model_step,
    node,
    prompt_step,
    text_part,
    whole_session,
)
from improve.hosts.wiring import STAMP, template

BAD = {
    "hangs": 'echo $$ >> "$BOX/pids"; sleep 300 & echo $! >> "$BOX/pids"; wait',
    "hangs when told to end": "trap '' TERM HUP INT; echo $$ >> \"$BOX/pids\"; while :; do sleep 300; done",
    "prints garbage": "head -c 5000 /dev/urandom",
    "prints a megabyte": "head -c 1000000 /dev/zero | tr '\\0' x",
    "prints a megabyte of rules": "printf 'improve-rules v1\\n'; head -c 1000000 /dev/zero | tr '\\0' x",
    "prints without end": 'echo $$ >> "$BOX/pids"; printf "improve-rules v1\\n"; while :; do echo more; done',
    "fails": "echo improper >&2; exit 7",
    "does not listen": "exec <&-; exit 0",
    "says something else": "echo 'Traceback (most recent call last):'",
}


def alive(pid: int) -> bool:
    """Say whether a process runs; one that only waits to be buried does not."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.mark.parametrize("name", sorted(set(FILES.values())))
@pytest.mark.parametrize("launcher", ["/a b/ü/it's", '/with "quotes"/\\back', "/line\nbreak/\u2028", "C:\\Users\\x"])
def test_the_launcher_stands_in_the_plugin_as_one_string(name: str, launcher: str) -> None:
    """The path of the launcher, whatever is in it, is filled in once as a JSON string."""
    text = template(name)(launcher)
    assert "@LAUNCHER@" not in text
    assert text.count(json.dumps(launcher, ensure_ascii=False)) == 1
    assert template(name)(launcher) == text


@pytest.mark.parametrize("name", [*sorted(set(FILES.values())), "opencode.npmrc"])
def test_the_first_comment_says_who_wrote_the_file(name: str) -> None:
    """The stamp by which `uninstall` knows the file stands in its first lines."""
    assert STAMP in "".join(template(name)("/x").splitlines()[:2])


@pytest.mark.parametrize("kind", ALL)
def test_no_plugin_imports_anything_of_the_host(kind: str) -> None:
    """A package that is missing or has another name would keep the host from starting."""
    lines = template(FILES[kind])("/x").splitlines()
    assert [line.rpartition(" from ")[2] for line in lines if line.startswith("import")] == [
        '"node:child_process"',
        '"node:fs"',
    ]


@pytest.mark.parametrize("kind", ALL)
def test_the_syntax_is_right(kind: str, tmp_path: Path) -> None:
    """Node can parse each plugin; a broken extension keeps pi from starting."""
    box = Box(tmp_path, kind, GOOD)
    assert subprocess.run([node(), "--no-warnings", "--check", box.plugin]).returncode == 0


@pytest.mark.parametrize("kind", ALL)
def test_a_session_is_told_event_by_event(kind: str, tmp_path: Path) -> None:
    """Start, prompt, pause and end of a session reach the launcher, with its id, directory and words."""
    box = Box(tmp_path, kind, GOOD)
    box.play(*whole_session(kind))
    events = [event for event, _ in box.told()]
    ends = [] if kind == "amp" else ["session-end"]
    # nobody waits for the launcher, so on a busy machine a later event may be noted first
    assert sorted(events) == sorted(["prompt", "session-start", "stop", *ends])
    for event, said in box.told():
        assert said["session_id"] == "s1"
        assert said["cwd"] == str(box.project), event
    assert box.prompts() == ["no, use tabs"]


@pytest.mark.parametrize("kind", ["opencode", "opencode2", "pi"])
def test_each_call_of_the_model_holds_the_rules_once(kind: str, tmp_path: Path) -> None:
    """The rules are asked for once and are in every call of the model exactly once."""
    box = Box(tmp_path, kind, GOOD)
    step = model_step(kind)
    rows = box.play(prompt_step(kind), step, step, prompt_step(kind, message="m2"), model_step(kind), *end_steps(kind))
    assert calls(kind, rows) == [[RULES]] * 3
    assert [event for event, _ in box.told()].count("session-start") == 1
    if kind == "pi":
        assert rows[1]["args"][0]["systemPromptOptions"]["sections"]["theirs"] == "kept"


def test_amp_gives_the_rules_with_the_first_prompt_of_a_thread(tmp_path: Path) -> None:
    """A thread keeps what it was given, so the second prompt brings nothing; another thread is told too."""
    box = Box(tmp_path, "amp", GOOD)
    other = prompt_step("amp", session="s2")
    rows = box.play(prompt_step("amp"), prompt_step("amp", message="m2"), other, *end_steps("amp"))
    assert calls("amp", rows) == [[RULES], [], [RULES]]
    assert [said["source"] for event, said in box.told() if event == "session-start"] == ["resume", "resume"]


@pytest.mark.parametrize("kind", ["opencode", "opencode2", "pi"])
def test_nothing_to_say_adds_nothing(kind: str, tmp_path: Path) -> None:
    """Where there are no rules, the request is what it was."""
    box = Box(tmp_path, kind, "cat > /dev/null; exit 0")
    rows = box.play(*whole_session(kind))
    assert calls(kind, rows) == [[], []]
    if kind == "opencode":
        assert rows[1]["args"][1]["system"] == ["You are an agent."]


@pytest.mark.parametrize("kind", ALL)
def test_a_launcher_that_is_gone_disturbs_nobody(kind: str, tmp_path: Path) -> None:
    """Without the launcher every handler returns at once and the model is told nothing."""
    box = Box(tmp_path, kind, None)
    rows = box.play(*whole_session(kind))
    assert calls(kind, rows) == [[]] * (1 if kind == "amp" else 2)
    assert max(row["ms"] for row in rows) < LIMIT * 1000


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("what", ["a directory", "not executable"])
def test_a_launcher_that_cannot_be_run_disturbs_nobody(kind: str, what: str, tmp_path: Path) -> None:
    """A launcher that the system refuses to start is as good as gone."""
    box = Box(tmp_path, kind, GOOD if what == "not executable" else None)
    if what == "a directory":
        box.launcher.mkdir()
    else:
        box.launcher.chmod(0o644)
    rows = box.play(*whole_session(kind))
    assert calls(kind, rows) == [[]] * (1 if kind == "amp" else 2)


USUAL = [(what, ALL[(number + turn) % len(ALL)]) for number, what in enumerate(BAD) for turn in (0, 1)]
"""Each kind of harm in two of the plugins, by turns; all of both are a nightly matter."""
REST = [(what, kind) for what in BAD for kind in ALL if (what, kind) not in USUAL]


@pytest.mark.parametrize(("what", "kind"), [*USUAL, *(pytest.param(*each, marks=pytest.mark.nightly) for each in REST)])
def test_a_bad_launcher_costs_little_and_leaves_nothing(kind: str, what: str, tmp_path: Path) -> None:
    """Whatever the launcher does, no handler throws, none waits for long, no rules arrive, no process is left."""
    box = Box(tmp_path, kind, BAD[what], SOON)
    rows = box.play(*whole_session(kind))
    assert calls(kind, rows) == [[]] * (1 if kind == "amp" else 2)
    assert max(row["ms"] for row in rows) < (2 * SOON + 2) * 1000
    if (tmp_path / "pids").exists():
        time.sleep(0.2)
        assert [pid for pid in map(int, (tmp_path / "pids").read_text().split()) if alive(pid)] == []


@pytest.mark.parametrize("kind", ["opencode", "opencode2", "pi"])
def test_a_launcher_that_hangs_is_waited_for_once(kind: str, tmp_path: Path) -> None:
    """After one call of the model has waited in vain, the next of the same turn does not wait again."""
    box = Box(tmp_path, kind, "exec sleep 300", SOON)
    rows = box.play(prompt_step(kind), model_step(kind), model_step(kind), model_step(kind))
    waits = [row["ms"] for row in rows]
    assert waits[1] < (SOON + 2) * 1000
    assert max(waits[0], *waits[2:]) < SOON * 900


@pytest.mark.parametrize("kind", ["opencode", "opencode2", "pi"])
def test_rules_that_could_not_be_had_are_asked_for_with_the_next_prompt(kind: str, tmp_path: Path) -> None:
    """A launcher that hangs the first time and works the second gives the rules from the second prompt on."""
    script = f'if [ "$2" = session-start ] && ! [ -e "$BOX/once" ]; then : > "$BOX/once"; exec sleep 300; fi\n{GOOD}'
    box = Box(tmp_path, kind, script)
    again = prompt_step(kind, message="m2")
    rows = box.play(prompt_step(kind), model_step(kind), again, model_step(kind), *end_steps(kind))
    assert calls(kind, rows) == [[], [RULES]]


@pytest.mark.parametrize("kind", ALL)
def test_a_long_prompt_that_nobody_reads_disturbs_nobody(kind: str, tmp_path: Path) -> None:
    """A launcher that ends without reading 4 MB breaks the pipe, and nothing else."""
    box = Box(tmp_path, kind, "exit 0")
    box.play(prompt_step(kind, "no! " * (1 << 20)), *end_steps(kind))


@pytest.mark.parametrize("kind", ["opencode", "opencode2"])
@pytest.mark.parametrize("answers", ["throws", "hangs", "nothing"])
def test_a_host_that_does_not_answer_is_believed_to_have_a_person(kind: str, answers: str, tmp_path: Path) -> None:
    """Where the host does not say who started a session, its prompts count as typed."""
    box = Box(tmp_path, kind, GOOD)
    rows = box.play(*whole_session(kind), answers=answers)
    assert calls(kind, rows) == [[RULES], [RULES]]
    assert box.prompts() == ["no, use tabs"]
    assert max(row["ms"] for row in rows) < (LIMIT + 2) * 1000


@pytest.mark.parametrize("answers", ["throws", "refuses"])
def test_a_pi_of_another_kind_starts_all_the_same(answers: str, tmp_path: Path) -> None:
    """An interface that lacks what the extension needs is met with silence."""
    box = Box(tmp_path, "pi", GOOD)
    box.play(*whole_session("pi"), answers=answers)
    assert box.told() == []


@pytest.mark.parametrize("kind", ["opencode", "opencode2"])
def test_a_subagent_is_told_the_rules_and_not_listened_to(kind: str, tmp_path: Path) -> None:
    """What an agent writes to its subagent is no prompt; the subagent works under the rules of the session."""
    box = Box(tmp_path, kind, GOOD)
    mine, its = prompt_step(kind), prompt_step(kind, "stop doing that", session="sub", message="m2")
    pauses = end_steps(kind, "sub")[:1]
    rows = box.play(
        mine, model_step(kind), its, model_step(kind, "sub"), *pauses, *end_steps(kind), parents={"sub": "s1"}
    )
    assert calls(kind, rows) == [[RULES], [RULES]]
    assert box.prompts() == ["no, use tabs"]
    assert {said["session_id"] for _, said in box.told()} == {"s1"}
    assert [event for event, _ in box.told()].count("stop") == 1


def test_opencode_makes_titles_and_summaries_without_the_rules(tmp_path: Path) -> None:
    """The calls that make a title or a summary are left alone; the call after the summary has the rules again."""
    box = Box(tmp_path, "opencode", GOOD)
    title = {"system": ["You are a title generator. You output ONLY a thread title."]}
    compacted = {"event": {"type": "session.compacted", "properties": {"sessionID": "s1"}}}
    rows = box.play(
        prompt_step("opencode"),
        {"call": "experimental.chat.system.transform", "with": [{"sessionID": "s1"}, title]},
        {"call": "experimental.session.compacting", "with": [{"sessionID": "s1"}, {"context": []}]},
        model_step("opencode"),
        {"call": "event", "with": [compacted]},
        model_step("opencode"),
    )
    assert calls("opencode", rows) == [[], [], [RULES]]
    starts = [said.get("source") for event, said in box.told() if event == "session-start"]
    assert set(starts) == {None, "compact"}


def test_rules_that_another_registration_gave_are_not_given_again(tmp_path: Path) -> None:
    """Where the same plugin is loaded from two places, the model still sees the rules once."""
    box = Box(tmp_path, "opencode", GOOD)
    there = {"system": ["You are an agent.", RULES]}
    rows = box.play({"call": "experimental.chat.system.transform", "with": [{"sessionID": "s1"}, there]})
    assert rows[0]["args"][1]["system"] == ["You are an agent.", RULES]


def test_opencode_tells_its_shell_the_session(tmp_path: Path) -> None:
    """The agent's own calls share the session a person sees; a value that is there already stays."""
    box = Box(tmp_path, "opencode", GOOD)
    envs: list[dict[str, str]] = [{}, {}, {"OPENCODE_SESSION_ID": "theirs"}, {}]
    sessions = ["s1", "sub", "s1", None]
    steps = [{"call": "shell.env", "with": [{"sessionID": s}, {"env": e}]} for s, e in zip(sessions, envs, strict=True)]
    rows = box.play(*steps, parents={"sub": "s1"})
    found = [row["args"][1]["env"].get("OPENCODE_SESSION_ID") for row in rows]
    assert found == ["s1", "s1", "theirs", None]


@pytest.mark.parametrize(
    ("parts", "typed"),
    [
        ([text_part('"no, use tabs"')], ["no, use tabs"]),
        ([text_part('"say \\"hello\\" there"')], ['say "hello" there']),
        ([text_part('"foo" and "bar"')], ['"foo" and "bar"']),
        ([text_part('"')], ['"']),
        ([text_part("no"), text_part("Called the Read tool", synthetic=True), {"type": "file"}], ["no"]),
        ([text_part("no"), text_part("hidden", ignored=True), text_part("tabs")], ["no\ntabs"]),
        ([text_part("Continue", synthetic=True)], []),
        ([text_part("  \n ")], []),
        ([], []),
    ],
)
def test_opencode_passes_on_what_was_typed(parts: list[dict[str, Any]], typed: list[str], tmp_path: Path) -> None:
    """Only what a person typed is passed on, without the quotes that `opencode run` adds."""
    box = Box(tmp_path, "opencode", GOOD)
    box.play({"call": "chat.message", "with": [{"sessionID": "s1"}, {"message": {"id": "m"}, "parts": parts}]})
    assert box.prompts() == typed


@pytest.mark.parametrize(
    ("event", "typed"),
    [
        ({"text": '<file name="/a b.txt">\nx\n</file>\nno, tabs', "source": "interactive"}, ["no, tabs"]),
        ({"text": '<file name="a">x</file>\n<file name="b">y</file>\nno', "source": "rpc"}, ["no"]),
        ({"text": 'no <file name="a">x</file>', "source": "interactive"}, ['no <file name="a">x</file>']),
        ({"text": '<file name="a">x</file>\n', "source": "interactive"}, []),
        ({"text": "/skill:x no", "source": "interactive"}, ["/skill:x no"]),
        ({"text": "go on", "source": "extension"}, []),
        ({"text": "", "source": "interactive"}, []),
        ({"source": "interactive"}, []),
    ],
)
def test_pi_passes_on_what_was_typed(event: dict[str, Any], typed: list[str], tmp_path: Path) -> None:
    """Files named on the command line are cut off, and what an extension sends is no prompt."""
    box = Box(tmp_path, "pi", GOOD)
    box.play({"call": "input", "with": [event]}, {"call": "session_shutdown", "with": [{}]})
    assert box.prompts() == typed


@pytest.mark.parametrize("kind", ALL)
def test_events_of_an_unknown_shape_are_met_with_silence(kind: str, tmp_path: Path) -> None:
    """A handler that is given nothing, or something else than it knows, does not throw."""
    box = Box(tmp_path, kind, GOOD)
    names = {
        "opencode": ["event", "chat.message", "experimental.chat.system.transform", "shell.env", "dispose"],
        "opencode2": ["prompt", "context", "event", "over"],
        "pi": ["input", "before_agent_start", "session_compact", "agent_end", "session_shutdown"],
        "amp": ["agent.start", "agent.end", "dispose"],
    }[kind]
    strange: list[list[Any]] = [[], [None], [{}], [{}, {}], [[], 7], ["x", "y"]]
    box.play(*({"call": name, "with": args} for name in names for args in strange if name != "event" or args))


@pytest.mark.parametrize("kind", ALL)
def test_the_launcher_is_run_without_a_shell(kind: str, tmp_path: Path) -> None:
    """Words with special meaning in a path or a prompt are only words."""
    box = Box(tmp_path, kind, GOOD)
    words = 'no; $(touch "$BOX/oops") `id` && "quotes" \u2028 ü 😀'
    box.play(prompt_step(kind, words), *end_steps(kind))
    assert box.prompts() == [words]
    assert not os.path.lexists(tmp_path / "oops")
