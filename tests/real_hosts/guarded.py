"""Guards in one host: a denied call does not run and the model is told why, a warned one runs, all else passes."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import improve
from improve import entry, hosts
from improve.rule import Check, Observation, Rule
from improve.workflow import skill
from real_hosts.agents import Agent, Found
from real_hosts.box import Box
from real_hosts.model import Model, Request, Say, Shell, Use

DENIED, WARNED = "denied and has not run", "it was not stopped"
"""What the model is told of a call, whatever the rule."""

OLD, NEW = "first line", "second line"
"""What stands in the files that the model tries to edit, and what it puts in."""

_WRONG = {
    "def hits(check, call): raise RuntimeError('the engine broke')": "the engine broke",
    "raise RuntimeError('the engine is lost')": "the engine is lost",
    "raise SystemExit('the engine gave up')": "the engine gave up",
    "def hits(check, call):\n    while True: pass": "not done after",
}
"""What is put at the end of the module that asks the checks, and what hook.log then holds."""

_ALLOWED = {"claude-code": ("--permission-mode", "acceptEdits")}
"""What a host must be told so that the model may edit without a question."""

_FOLLOW = """\
import os
from datetime import datetime, timezone
from improve.workflow import install
from improve.workflow.here import Here
from improve import paths
home = paths.find_home(os.environ)
here = Here(os.environ, datetime.now(timezone.utc), os.getcwd(), home)
refused = [step.why for step in install.follow_guards(here) if step.state == "refused"]
assert not refused, refused
"""


class Guarded:
    """One host that calls us, with a rule that may be denied and one that may be warned of."""

    def __init__(self, agent: Agent, found: Found, box: Box, model: Model) -> None:
        self.agent, self.found, self.box, self.model = agent, found, box, model
        self.host = hosts.host(agent.name)
        self.runs = 0

    def guards(self, deny: str, warn: str) -> None:
        """Set what the two guards do, as a person who edits rules.yaml, and let the host's settings follow."""
        use_uv = Check("shell", ("oldtool install",)), deny
        run_make = Check("shell", ("slowtool run",)), warn
        self._keep(
            _rule("use-uv", "Use uv for packages, never oldtool", *use_uv),
            _rule("run-make", "Run make quick in place of slowtool", *run_make),
        )

    def guard_files(self, mode: str) -> None:
        """Let a guard look after the files that a program generates."""
        seen = Check("edit", paths=("src/generated/**",))
        self._keep(_rule("leave-generated", "Never edit src/generated, run make generate", seen, mode))

    def _keep(self, *rules: Rule) -> None:
        self.box.write(self.box.store / "rules.yaml", "version: 2\nrules:\n" + "".join(map(entry.render, rules)))
        ran = self.box.run(sys.executable, "-c", _FOLLOW, seconds=60)
        assert ran.code == 0, ran.told

    def ask(self, *turns: Shell, prompt: str = "please add the http client") -> tuple[list[Request], set[str]]:
        """Let the model run commands; gives what it was asked, and the marks of those that ran."""
        self.runs += 1
        folder = self.box.repository / f"ran-{self.runs}"
        folder.mkdir()
        played = [turn._replace(command=f"{turn.command}; echo > {folder.name}/{at}") for at, turn in enumerate(turns)]
        self.model.play(*played, Say("Done."))
        already = len(self.model.asked)
        ran = self.box.run(self.found.program, *self.agent.words(prompt, resume=False))
        assert ran.code == 0, f"expected {self.host.title} to end with 0:\n{ran.told}"
        asked = self.model.asked[already:]
        assert len(asked) > len(turns), f"expected {len(turns) + 1} questions, got {len(asked)}:\n{ran.told}"
        return asked, {path.name for path in folder.iterdir()}

    def forbidden(self) -> tuple[list[Request], set[str]]:
        """Try what one guard is about, then what the other is about, then neither."""
        return self.ask(Shell("oldtool install requests"), Shell("slowtool run all"), Shell("echo oldtool is old"))

    def wired(self) -> bool:
        """Say whether the host's settings name our hook on calls of tools."""
        files = [Path(part.file(str(self.box.home), self.box.env)) for part in self.host.wiring]
        texts = [path.read_text(encoding="utf-8") for path in files if path.is_file() and path.suffix == ".json"]
        return any(f"{self.agent.name} pre-tool" in text for text in texts)

    # --- what is tried, in order ---

    def none(self) -> None:
        """Without a guard the host does not even ask us."""
        assert not self.wired(), "expected no hook on calls of tools while no guard is on"

    def denied_and_warned(self) -> None:
        """The denied call did not run, the warned one did, each with its reason in the next question."""
        asked, ran = self.forbidden()
        plugin = not any(str(part.file("", {})).endswith(".json") for part in self.host.wiring)
        assert self.wired() != plugin, "expected the hook exactly where it is not in a plugin"
        assert ran == {"1", "2"}, f"expected the denied call alone not to run: {ran}\n{self.log()}"
        told = [(request.count(DENIED), request.count(WARNED)) for request in asked[:4]]
        assert told == [(0, 0), (1, 0), (1, 1), (1, 1)], f"{told}\n{asked[-1].around('oldtool')}\n{self.log()}"
        assert asked[1].says("Use uv for packages, never oldtool"), asked[1].around(DENIED)
        assert asked[2].says("Run make quick in place of slowtool"), asked[2].around(WARNED)
        fired = {name: self.box.answer("history", name)["firings"] for name in ("use-uv", "run-make")}
        noted = {name: [(each["mode"], each["host"]) for each in found] for name, found in fired.items()}
        host = self.agent.name
        assert noted == {"use-uv": [("deny", host)], "run-make": [("warn", host)]}, f"{fired}\n{self.log()}"

    def off(self) -> None:
        """Switched off, both pass."""
        self.box.improve("off")
        self.passes()
        self.box.improve("on")

    def passes(self) -> None:
        """Everything runs, and the model is told nothing of guards."""
        asked, ran = self.forbidden()
        assert ran == {"0", "1", "2"}, f"expected everything to run: {ran}\n{self.log()}"
        assert not [each for each in asked if each.count(DENIED) or each.count(WARNED)]

    def broken(self) -> None:
        """A program of ours that fails, whatever it says, lets everything pass."""
        launcher = self.box.store / "bin" / "improve-hook"
        good = launcher.read_bytes()
        launcher.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'raise RuntimeError(\"deny\")'\n", encoding="utf-8")
        try:
            self.passes()
        finally:
            launcher.write_bytes(good)

    def gone(self) -> None:
        """A program of ours that is gone does, too."""
        away = self.box.root / "away"
        self.box.store.rename(away)
        try:
            self.passes()
        finally:
            shutil.rmtree(self.box.store, ignore_errors=True)
            away.rename(self.box.store)

    def edited(self, *, denied: bool) -> None:
        """Let the model edit a generated file, write a new one, edit one elsewhere; the first two are guarded."""
        top = self.box.repository / "src"
        generated, new, other = top / "generated" / "api.py", top / "generated" / "new.py", top / "app.py"
        for path in (generated, other):
            self.box.write(path, f"{OLD}\n")
        new.unlink(missing_ok=True)
        name = self.agent.name
        turns = (*_edit(name, str(generated)), _write(name, str(new)), *_edit(name, str(other)))
        self.model.play(*turns, Say("Done."))
        already = len(self.model.asked)
        words = self.agent.words("please change the api", resume=False)
        ran = self.box.run(self.found.program, *words, *_ALLOWED.get(name, ()))
        assert ran.code == 0, f"expected {self.host.title} to end with 0:\n{ran.told}"
        asked = self.model.asked[already:]
        ends = [str(request.body)[-900:] for request in asked]
        assert len(asked) == len(turns) + 1, f"expected {len(turns) + 1} questions:\n{ends}\n{ran.told}"
        texts = (generated.read_text(encoding="utf-8"), new.exists(), other.read_text(encoding="utf-8"))
        left = f"{OLD if denied else NEW}\n", not denied, f"{NEW}\n"
        assert texts == left, f"expected {left}, there is {texts}\n{ends}\n{self.log()}"
        tried = [at for at, turn in enumerate(turns, 1) if not turn.tool.lower().startswith("read")][:2]
        told = [request.count(DENIED) for request in asked]
        assert told == [denied * sum(at <= number for at in tried) for number in range(len(asked))], f"{told}\n{ends}"
        assert not denied or asked[tried[0]].says("Never edit src/generated, run make generate"), ends

    def raising(self) -> None:
        """Our own program whose checks raise, cannot be loaded or never end lets pass, and hook.log says so."""
        copy = self.box.root / "broken" / "improve"
        shutil.copytree(Path(improve.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / "SKILL.md").write_text(skill.source(), encoding="utf-8")  # as in a wheel
        self.box.env["PYTHONPATH"] = str(copy.parent)
        self.box.improve("install", self.agent.name)
        launcher = (self.box.store / "bin" / "improve-hook").read_text(encoding="utf-8")
        assert str(copy.parent) in launcher, f"expected the launcher of the copy:\n{launcher}"
        good = (copy / "check.py").read_text(encoding="utf-8")
        for wrong, said in _WRONG.items():
            (copy / "check.py").write_text(f"{good}\n\n{wrong}\n", encoding="utf-8")
            for log in self.box.home.rglob("hook.log"):
                log.unlink()
            self.passes()
            assert said in self.log(), f"expected {said!r} in hook.log for {wrong!r}: {self.log()}"
        (copy / "check.py").write_text(good, encoding="utf-8")
        assert self.forbidden()[1] == {"1", "2"}, f"expected a copy that was mended to deny again\n{self.log()}"

    def turned_off(self) -> None:
        """With the last guard the hook goes, and the settings are as before the first one."""
        self.guards("", "")
        assert not self.wired(), "expected the hook to go with the last guard"

    def log(self) -> str:
        """Give what hooks could not do."""
        return "".join(log.read_text(encoding="utf-8")[-1000:] for log in self.box.home.rglob("hook.log")) or "no log"


def _edit(host: str, path: str) -> tuple[Use, ...]:
    """Give the turns in which a model edits a file; some hosts want it to have read the file before."""
    ways = {
        "claude-code": (
            Use("Read", {"file_path": path}),
            Use("Edit", {"file_path": path, "old_string": OLD, "new_string": NEW}),
        ),
        "codex": (Use("apply_patch", free=_PATCH.format(f"Update File: {path}\n@@\n-{OLD}")),),
        "gemini": (
            Use(
                "replace", {"file_path": path, "old_string": OLD, "new_string": NEW, "instruction": "Write the second"}
            ),
        ),
        "opencode": (
            Use("read", {"filePath": path}),
            Use("edit", {"filePath": path, "oldString": OLD, "newString": NEW}),
        ),
        "pi": (Use("edit", {"path": path, "edits": [{"oldText": OLD, "newText": NEW}]}),),
        "qwen": (
            Use("read_file", {"file_path": path}),
            Use("edit", {"file_path": path, "old_string": OLD, "new_string": NEW}),
        ),
        "copilot": (Use("edit", {"path": path, "old_str": OLD, "new_str": NEW}),),
    }
    return ways[host]


def _write(host: str, path: str) -> Use:
    """Give the turn in which a model writes a new file."""
    ways = {
        "claude-code": Use("Write", {"file_path": path, "content": NEW}),
        "codex": Use("apply_patch", free=_PATCH.format(f"Add File: {path}")),
        "gemini": Use("write_file", {"file_path": path, "content": NEW}),
        "opencode": Use("write", {"filePath": path, "content": NEW}),
        "pi": Use("write", {"path": path, "content": NEW}),
        "qwen": Use("write_file", {"file_path": path, "content": NEW}),
        "copilot": Use("create", {"path": path, "file_text": NEW}),
    }
    return ways[host]


_PATCH = f"*** Begin Patch\n*** {{}}\n+{NEW}\n*** End Patch\n"


def _rule(name: str, text: str, check: Check, guard: str) -> Rule:
    seen = tuple(
        Observation("github.com/acme/app", "2026-01-01", session=f"s{n}", provenance="person", oid=f"{name}-{n}")
        for n in range(2)
    )
    made = Rule(name, text, created="2026-01-01", last_reinforced="2026-01-01", observations=seen)
    return made._replace(check=check, guard=guard, explicit_scope="global")
