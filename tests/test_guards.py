"""The hook before a call of a tool: which calls fire a guard, what the model is told, and that all else passes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guarding import APP, PIP, Guarding, Told, project, rule
from improve import check, cue, guards, hosts, paths, stamp
from improve.guards import Fired, Guard
from improve.rule import Check, Observation, Written
from improve.transcripts import calling

INSTALL = "pip install requests"


@pytest.fixture
def here(tmp_path: Path) -> Guarding:
    """A store with one guard that denies."""
    made = Guarding(tmp_path)
    made.keep(rule())
    return made


# --- what fires ---


@pytest.mark.parametrize("command", [INSTALL, f"cd x && {INSTALL}", "PIP_X=1 pip install -r r.txt"])
def test_a_call_against_a_rule_is_denied(here: Guarding, command: str) -> None:
    """The model is told the rule, the part of the call, who turned the guard on and what to do."""
    told = here.call(command)
    assert "Use uv, never pip" in told.reason
    assert "pip install" in told.reason
    assert "A person turned this guard on" in told.reason
    assert "use-uv-not-pip" in told.reason
    (line,) = here.fired()
    assert (line["rules"], line["mode"], line["host"]) == (["use-uv-not-pip"], "deny", "claude-code")
    assert (line["session"], line["project"]) == ("s-1", APP)
    assert "pip install" in line["what"]


@pytest.mark.parametrize(
    "said",
    [
        {"tool_input": {"command": "ls -l"}},
        {"tool_input": {"command": "uv add requests"}},
        {"tool_name": "Read", "tool_input": {"file_path": "/pip install.md"}},
        {"tool_name": "Write", "tool_input": {"file_path": "/a.md", "content": INSTALL}},
        {"tool_name": "", "tool_input": {}},
        {"tool_name": None, "tool_input": None},
        {"tool_name": "Bash", "tool_input": []},
        {"tool_name": ["Bash"], "tool_input": 17},
    ],
)
def test_other_calls_pass(here: Guarding, said: dict[str, Any]) -> None:
    """A call of something else, or none that can be understood, gets no answer and leaves nothing."""
    assert here.call(**said) == Told("", "", 0)
    assert (here.fired(), here.log()) == ([], [])


def test_arguments_may_be_text(here: Guarding) -> None:
    """A host that says the arguments as JSON in a text is understood."""
    assert here.call(tool_input=json.dumps({"command": INSTALL})).reason


def test_a_warning_decides_nothing(here: Guarding) -> None:
    """A guard that warns adds context and leaves the decision to the host."""
    here.keep(rule(mode="warn"))
    told = here.call(INSTALL)
    assert "goes against a rule" in told.warning
    assert "permissionDecision" not in told.out
    assert [line["mode"] for line in here.fired()] == ["warn"]


def test_observing_says_nothing(here: Guarding) -> None:
    """A guard that observes leaves a line in the journal and tells the host nothing."""
    here.keep(rule(mode="observe"))
    assert here.call(INSTALL).out == ""
    assert [line["mode"] for line in here.fired()] == ["observe"]


def test_the_strongest_wins_and_all_are_journalled(here: Guarding) -> None:
    """Of several guards that are hit, a denial is told; what the others saw is kept all the same."""
    here.keep(rule("a", "observe"), rule("b", "warn", text="Warned"), rule("c", "deny", text="Denied"), rule("d"))
    told = here.call(INSTALL)
    assert "Rule c: Denied" in told.reason
    assert "Rule d:" in told.reason
    assert "Warned" not in told.reason
    assert [(line["mode"], line["rules"]) for line in here.fired()] == [
        ("observe", ["a"]),
        ("warn", ["b"]),
        ("deny", ["c", "d"]),
    ]


def test_guards_hold_in_subagents(here: Guarding) -> None:
    """Nobody types in a subagent, but what it calls is guarded."""
    assert here.call(INSTALL, agent_id="a1", agent_type="general").reason


@pytest.mark.parametrize(
    "changes",
    [{"guard": ""}, {"retired": True}, {"check": None}, {"guard": "forbid"}],
    ids=["off", "retired", "no check", "unknown"],
)
def test_no_guard_no_answer(here: Guarding, changes: dict[str, Any]) -> None:
    """A rule whose guard is off, that is retired or has no check stops nothing."""
    here.keep(rule(**changes))
    assert (here.call(INSTALL).out, here.fired()) == ("", [])


# --- where ---


def test_another_project_is_left_alone(here: Guarding, tmp_path: Path) -> None:
    """A rule of one project holds there only, in any directory of it."""
    other = project(tmp_path / "other", "github.com/acme/other")
    (here.app / "deep").mkdir()
    assert here.call(INSTALL, cwd=str(other)).out == ""
    assert here.call(INSTALL, cwd=str(tmp_path)).out == ""
    assert here.call(INSTALL, cwd="relative").out == ""
    assert here.call(INSTALL, cwd=str(here.app / "deep")).reason


@pytest.mark.parametrize(
    "changes",
    [
        {"explicit_scope": "global"},
        {"written_to": (Written("/g/AGENTS.md", "2026-01-01", text="Use uv", scope="global"),)},
        {
            "domain": "code-style",
            "observations": tuple(Observation(f"github.com/acme/p{n}", "2026-01-01", session=f"{n}") for n in (1, 2)),
        },
    ],
    ids=["meant for", "written for", "decided for"],
)
def test_a_rule_for_everywhere_holds_everywhere(here: Guarding, tmp_path: Path, changes: dict[str, Any]) -> None:
    """A rule that is global, or stands in the global file, holds in every directory."""
    here.keep(rule(**changes))
    assert here.call(INSTALL, cwd=str(tmp_path)).reason


def test_a_rule_of_no_project_holds_outside_of_any(here: Guarding, tmp_path: Path) -> None:
    """What was only ever said outside of any project does not reach into one."""
    here.keep(rule(observations=(Observation("unknown", "2026-01-01"), Observation("unknown", "2026-01-02"))))
    assert here.call(INSTALL, cwd=str(tmp_path)).reason
    assert here.call(INSTALL).out == ""


def test_a_bare_name_of_version_1_is_the_project(here: Guarding) -> None:
    """A project that was known by its bare name is the one with a remote that ends in it."""
    here.keep(rule(observations=(Observation("app", "2026-01-01"), Observation("app", "2026-01-02"))))
    assert here.call(INSTALL).reason


# --- the switch, and what can be wrong ---


def test_off_is_off_at_once(here: Guarding) -> None:
    """Where improve is switched off nothing is denied or journalled."""
    assert here.call(INSTALL).reason
    (here.store / "off.json").write_text('{"v": 1, "off": [{}]}')
    assert here.call(INSTALL).out == ""
    assert len(here.fired()) == 1


def test_a_change_by_hand_counts_at_once(here: Guarding) -> None:
    """A guard that is taken out of rules.yaml with an editor is off with the next call, and on again likewise."""
    assert here.call(INSTALL).reason
    assert here.call(INSTALL, env={"UNSETTLED": "2"}).reason
    here.keep(rule(guard="", text="Use uv, and never pip"))
    assert here.call(INSTALL, env={"UNSETTLED": "2"}).out == ""
    here.keep(rule(text="Use uv at all times"))
    assert "at all times" in here.call(INSTALL).reason


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b'{"looks": "", "guards": []}',
        b'{"guards": [[1]]}',
        b"[" * 100_000,
    ],
)
def test_a_corrupt_compiled_file_is_made_anew(here: Guarding, data: bytes) -> None:
    """Whatever stands in the cache, the guards of rules.yaml hold."""
    assert here.call(INSTALL).reason
    (path,) = here.compiled()
    path.write_bytes(data)
    assert here.call(INSTALL).reason
    assert json.loads(path.read_bytes())["guards"]


def test_the_compiled_file_spares_reading_rules(here: Guarding) -> None:
    """As long as rules.yaml looks the same, neither it nor the index is opened."""
    assert here.call(INSTALL).reason
    assert here.call(INSTALL, env={"BEFORE": "sys.modules['sqlite3'] = None"}).reason


def test_without_a_store_nothing_happens(here: Guarding) -> None:
    """Where there are no rules nothing is read, written or said."""
    shutil.rmtree(here.store)
    assert here.call(INSTALL) == Told("", "", 0)
    assert not here.store.exists()


def test_a_broken_store_keeps_its_guards(here: Guarding) -> None:
    """While rules.yaml cannot be read, the guards that were in force stay, and the log says once what is wrong."""
    assert here.call(INSTALL).reason
    with (here.store / "rules.yaml").open("a") as stream:
        stream.write("- id: [\n")
    for _ in range(2):
        assert here.call(INSTALL).reason
    assert len(here.log()) == 1
    assert "rules.yaml" in here.log()[0]


def test_a_store_that_was_never_read_lets_pass(here: Guarding) -> None:
    """Where nothing is known of the guards, the call passes and the log says why."""
    (here.store / "rules.yaml").write_text("version: 2\nrules: [\n")
    assert here.call(INSTALL).out == ""
    assert here.log()


def test_one_broken_check_leaves_the_others(here: Guarding) -> None:
    """A check that cannot be asked is a line in the log; another guard still holds."""
    here.keep(rule("broken", text="Broken", check=Check("shell", ("pip broken",))), rule())
    before = (
        "from improve import check\nasked = check.hits\n"
        "def hits(given, call):\n    if 'broken' in given.deny[0]: raise ValueError('no such pattern')\n"
        "    return asked(given, call)\ncheck.hits = hits"
    )
    told = here.call(INSTALL, env={"BEFORE": before})
    assert "use-uv-not-pip" in told.reason
    assert len(here.log()) == 1
    assert "broken" in here.log()[0]


@pytest.mark.parametrize(
    "before",
    [
        "from improve import guards\nguards.concerned = lambda *_: 1 / 0",
        "from improve import check\ncheck.hits = lambda *_: exit(3)",
        "from improve import check\ndef hits(*_):\n    raise KeyboardInterrupt\ncheck.hits = hits",
        "from improve import check\ndef hits(*_):\n    return hits(*_)\ncheck.hits = hits",
        "import improve\nsys.modules['improve.check'] = None\nimprove.__dict__.pop('check', None)",
        "sys.modules['improve.guards'] = None",
        "from improve import guards\nguards.told = lambda *_: b'' + ''",
    ],
)
def test_an_error_of_ours_lets_the_call_pass(here: Guarding, before: str) -> None:
    """Whatever breaks inside, the host gets exit code 0 and no answer, and the log has a line."""
    assert here.call(INSTALL, env={"BEFORE": before}) == Told("", "", 0)
    assert len(here.log()) == 1


@pytest.mark.parametrize(
    ("module", "broken"),
    [
        ("guards.py", "def"),
        ("hook.py", "raise SystemExit(2)"),
        ("check.py", "import nothing_of_this_name"),
        ("event.py", "\0"),
    ],
)
def test_a_broken_installation_lets_the_call_pass(here: Guarding, tmp_path: Path, module: str, broken: str) -> None:
    """A module that is half written, as in the middle of an upgrade, costs the host nothing."""
    from improve import launcher

    here.call(INSTALL)
    source = Path(guards.__file__).parent
    copy = tmp_path / "site" / "improve"
    copy.parent.mkdir()
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "words.bin", "*.js", "page"))
    (copy / module).write_text(broken)
    places = (str(copy.parent), *(path for path in sys.path if path and path != str(source.parent)))
    program = tmp_path / "improve-hook"
    program.write_text(launcher.text(launcher.Program(sys.executable, places), hook=True))
    said = {"cwd": str(here.app), "tool_name": "Bash", "tool_input": {"command": INSTALL}}
    env = {"HOME": str(here.user), "PATH": os.environ["PATH"]}
    argv = ["sh", str(program), "claude-code", "pre-tool"]
    done = subprocess.run(argv, input=json.dumps(said).encode(), env=env, capture_output=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "said", [b"", b"not json", b"[]", b'{"tool_name": "Bash", "tool_input"', b"\xff" * 100, b"[" * 100_000]
)
def test_what_is_no_event_passes(here: Guarding, said: bytes) -> None:
    """What cannot be understood is answered with nothing."""
    assert here.call(said=said) == Told("", "", 0)


def test_ten_megabytes_pass_in_time(here: Guarding) -> None:
    """An event that is too long is not listened to; the log says so."""
    assert here.call("pip install x # " + "y" * (10 << 20)) == Told("", "", 0)
    assert "longer than" in here.log()[0]


def test_a_long_call_is_looked_through(here: Guarding) -> None:
    """Half a megabyte of text beside a command is no reason to miss it, and none to answer at length."""
    told = here.call(INSTALL, tool_input={"description": "x" * (1 << 19), "command": INSTALL})
    assert 0 < len(told.reason) <= guards.REASON


def test_a_read_only_journal_still_denies(here: Guarding) -> None:
    """Where nothing can be written, the call is denied all the same and the log says what is missing."""
    (here.store / "journal.jsonl").mkdir()
    assert here.call(INSTALL).reason
    assert len(here.log()) == 1


def test_a_late_check_lets_pass(here: Guarding) -> None:
    """A check that takes longer than there is time for is given up."""
    before = "from improve import check\nimport time\ncheck.hits = lambda *_: time.sleep(5)"
    told = here.call(INSTALL, env={"BEFORE": before, "DEADLINE": "0.9"})
    assert (told.out, told.code) == ("", 0)
    assert "not done after" in here.log()[0]


def test_while_the_rules_are_read_those_before_hold(here: Guarding) -> None:
    """Where reading the rules takes too long, the guards before hold, and later calls do not even try."""
    assert here.call(INSTALL).reason
    here.keep(rule(text="Use uv from now on"))
    slow = {
        "BEFORE": "import time\nfrom improve.workflow import guarded\n"
        "def compiled(*_):\n    try: time.sleep(5)\n    except Exception: pass\nguarded.compiled = compiled"
    }
    for _ in range(2):
        assert "never pip" in here.call(INSTALL, env=slow).reason
    assert here.log() == []
    (late,) = here.user.rglob("guards.late")
    late.unlink()
    assert "from now on" in here.call(INSTALL).reason


def test_rules_that_were_never_read_in_time_let_pass(here: Guarding) -> None:
    """Where there were no guards before, the call passes, the log says so, and later calls do not wait."""
    before = "import time\nfrom improve.workflow import guarded\nguarded.compiled = lambda *_: time.sleep(5)"
    slow = {"BEFORE": before, "DEADLINE": "0.9"}
    assert here.call(INSTALL, env=slow).out == ""
    assert "not done after" in here.log()[0]


# --- the journal ---


def test_no_credential_is_kept(here: Guarding) -> None:
    """A token in the command reaches neither the journal nor the reason."""
    token = "ghp_" + "a1B2c3D4" * 5
    told = here.call(f"pip install git+https://{token}@github.com/a/b")
    assert told.reason
    assert token not in told.out
    assert token not in (here.store / "journal.jsonl").read_text()


def test_a_storm_is_counted(here: Guarding) -> None:
    """The same call again and again leaves a few lines, which say how often it was."""
    for _ in range(5):
        assert here.call(INSTALL).reason
    assert [line.get("nth", 1) for line in here.fired()] == [1, 2, 4]
    here.call(INSTALL, session_id="s-2")
    assert [line.get("nth", 1) for line in here.fired()] == [1, 2, 4, 1]


def test_many_at_once_and_some_killed(here: Guarding) -> None:
    """Of 16 hooks at once, four of them killed in the middle, no line is torn and none is lost that was answered."""
    here.call(INSTALL)
    (here.store / "journal.jsonl").unlink()

    def one(number: int) -> bool:
        said = {"cwd": str(here.app), "session_id": f"n{number}", "tool_name": "Bash"}
        data = json.dumps({**said, "tool_input": {"command": INSTALL}}).encode()
        process = subprocess.Popen(
            here.argv(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=here.env()
        )
        if number % 4 == 0:
            process.stdin.write(data)  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            process.kill()
            process.communicate()
            return False
        out, _ = process.communicate(data, timeout=30)
        return b"deny" in out

    with ThreadPoolExecutor(16) as pool:
        answered = list(pool.map(one, range(16)))
    assert sum(answered) == 12
    lines = (here.store / "journal.jsonl").read_text().splitlines()
    kept = {json.loads(line)["session"] for line in lines if '"fired"' in line}
    assert kept >= {f"n{number}" for number in range(16) if number % 4}


def test_a_torn_line_is_ended_first(here: Guarding) -> None:
    """A line that a kill left torn does not swallow the next one."""
    (here.store / "journal.jsonl").write_text('{"event": "observed", "at": "20')
    assert here.call(INSTALL).reason
    assert len(here.fired()) == 1


# --- what hosts are told ---


@pytest.mark.parametrize("name", [host.name for host in hosts.all_hosts() if host.wiring])
def test_every_host_is_answered_in_its_form(here: Guarding, name: str) -> None:
    """A host that can deny gets the reason, one that can only be told gets the warning, the others nothing."""
    dialect = hosts.host(name).dialect
    said: dict[str, Any] = {"cwd": str(here.app)}
    for key, value in ((dialect.tool, "bash"), (dialect.arguments, {"command": INSTALL})):
        place = said
        *outer, last = key.split(".")
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value
    told = here.call(host=name, said=json.dumps(said).encode())
    assert bool(told.out) == (dialect.denies != "none" or (dialect.warns != "none" and not dialect.warn_event))
    if told.out:
        assert "Use uv, never pip" in told.out
        assert isinstance(json.loads(told.out), dict) or dialect.warns == "text"


@pytest.mark.parametrize("name", [host.name for host in hosts.all_hosts() if host.dialect.warn_event])
def test_a_host_that_hears_later_is_warned_later(here: Guarding, name: str) -> None:
    """Where context before a call reaches nobody, the warning comes with its result, and is noted once."""
    here.keep(rule(mode="warn"))
    dialect = hosts.host(name).dialect
    said: dict[str, Any] = {"cwd": str(here.app), dialect.tool: "bash", dialect.arguments: {"command": INSTALL}}
    data = json.dumps(said).encode()
    assert here.call(host=name, said=data).out == ""
    assert "Use uv, never pip" in here.call(host=name, said=data, event="post-tool").out
    assert [line["mode"] for line in here.fired()] == ["warn"]


def test_our_words_are_ours(here: Guarding) -> None:
    """What a model is told carries our stamp, so no reader takes it for a person's words."""
    for mode in ("deny", "warn"):
        here.keep(rule(mode=mode))
        told = here.call(INSTALL)
        assert cue.is_ours(told.reason or told.warning)


_TEXTS = st.text(max_size=900)


@given(st.lists(st.tuples(_TEXTS, _TEXTS), min_size=1, max_size=6), st.sampled_from(["deny", "warn"]))
def test_a_reason_is_one_bounded_line(given_rules: list[tuple[str, str]], mode: str) -> None:
    """Whatever a rule and a call say, the reason is one printable line of at most so many characters, stamp first."""
    found = [
        Fired(Guard("a-b", text, mode, "shell", (), (), (), (), ()), guards._plain(part)) for text, part in given_rules
    ]
    said = guards.told(mode, found)
    assert said.startswith(stamp.STAMP)
    assert len(said) <= guards.REASON
    assert "\n" not in said
    assert said.isprintable() or not any(ord(char) < 32 for char in said)


@settings(max_examples=40)
@given(st.recursive(st.none() | st.integers() | _TEXTS, lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner)))
def test_every_text_of_a_call_is_looked_through(arguments: object) -> None:
    """The texts in the arguments are all there, in lower case, however deep."""
    said = guards.haystack(arguments)

    def texts(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return [text for each in inner for text in texts(each)]

    assert all(text.lower() in said for text in texts(arguments))


def test_quotes_hide_no_word() -> None:
    """What a shell takes off is taken off before words are looked for."""
    assert "pip install" in guards.haystack({"command": "p'i'p \"inst\"all"})
    assert "pip install" in guards.haystack({"command": "pi\\\np in\\stall"})


_names = st.tuples(*[st.lists(_TEXTS, max_size=3).map(tuple)] * 5)


@settings(max_examples=40)
@given(st.lists(st.tuples(_TEXTS, _TEXTS, st.sampled_from(guards.MODES), _TEXTS, _names), max_size=4))
def test_what_is_compiled_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    """The compiled file gives back the guards that were put into it."""
    found = [Guard(*row[:4], *row[4]) for row in rows]
    place = tmp_path_factory.mktemp("compiled")
    home = paths.Home(str(place), str(place), str(place), str(place))
    Path(home.cache).mkdir(parents=True, exist_ok=True)
    Path(guards.path(home)).write_bytes(guards.written(found, "x"))
    assert guards.load(home, "x") == tuple(found)
    assert guards.load(home, "y") is None


_PIP = st.sampled_from(
    ["pip", "p'i'p", 'p"ip"', "\\pip", "pi\\p", "p\\\nip", "p''ip", "'pip'", "PIP", "p$X", "/usr/bin/pip"]
)


@given(
    _PIP, st.sampled_from(["{}", "cd x && {}", "X=1 {}", "echo $({})", "sudo {}", "a | {}", "bash -c '{}'", "git log"])
)
def test_the_sieve_loses_no_hit(word: str, around: str) -> None:
    """Whatever stands in a word that a shell takes off, a call that a check hits is one that the sieve lets through."""
    command = around.format(f"{word} install x")
    made = Guard("a", "A", "deny", "shell", check.needles(PIP), PIP.deny, PIP.unless, PIP.paths, ("*",))
    if check.hits(PIP, calling.call("Bash", {"command": command})):
        assert guards.concerned([made], "Bash", {"command": command}) == [made]


def test_the_sieve_loses_none_of_the_labelled_calls() -> None:
    """Every call of the labelled tables that its check hits comes through the sieve."""
    folder = Path(__file__).parent / "data" / "guards"
    lines = [line for path in folder.glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
    lost, seen = [], 0
    for row in filter(lambda row: row["hit"], map(json.loads, lines)):
        asked = Check(row["check"]["tool"], *(tuple(row["check"].get(key, ())) for key in ("deny", "unless", "paths")))
        tool, given_to = ("Bash", {"command": row["command"]}) if "command" in row else _said(row["call"])
        made = Guard("a", "A", "deny", asked.tool, check.needles(asked), asked.deny, asked.unless, asked.paths, ("*",))
        if check.hits(asked, calling.call(tool, given_to)):
            seen += 1
            lost += [] if guards.concerned([made], tool, given_to) else [row["id"]]
    assert (lost, seen > 100) == ([], True)


def _said(call: dict[str, Any]) -> tuple[str, Any]:
    return call["tool"], call["input"]


@pytest.mark.parametrize("word", ["Straße", "İzmir", "Ꭰ", "npm"])
def test_the_sieve_has_no_regard_to_case_in_any_script(word: str) -> None:
    """What a check hits comes through, also where lower case and folded case are not the same."""
    given = Check("edit", (word,))
    made = Guard("r", "R", "deny", "edit", check.needles(given), given.deny, (), (), ("*",))
    assert guards.concerned([made], "Edit", {"file_path": "a.md", "new_string": f"an {word} am Rand"}) == [made]
