"""What `verify` prints for people: each cause with what helps, and that it does help."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from commands.conftest import Improve, Repository
from commands.proving import aged, ago, seen_before
from commands.sessions import Claude
from improve import cue

LINT = "Run make lint before committing"


def written(improve: Improve, root: Path, rules: Path, text: str, *more: str) -> str:
    """Let a rule have been written a while ago; returns its id."""
    for _ in range(2):
        found = improve("observe", text, *more, "--json", cwd=root).json
    improve("escalate", "--apply", found["rule"]["id"], cwd=root)
    aged(rules, *(path for path in (root / "AGENTS.md",) if path.exists()))
    seen_before(rules)
    return str(found["rule"]["id"])


def corrected(improve: Improve, home: Path, root: Path, text: str, count: int = 8) -> None:
    """Hold sessions, one a day, in which the agent is corrected."""
    for number in range(count):
        session = Claude(home, root, f"s{number}", began=ago(20 - number))
        session.types("commit this").runs('git commit -m "x"').answers("Done.")
        improve("observe", text, "--host", "claude-code", "--session", session.id, cwd=root)


def test_a_rule_of_which_no_check_can_be_made_is_not_sent_to_make_one(
    improve: Improve, repository: Repository, rules: Path, home: Path
) -> None:
    """It is loaded, clear and ignored: what `check suggest` would refuse is not advised."""
    (home / ".claude").mkdir()
    root = repository("api", agents="# Api\n")
    name = written(improve, root, rules, LINT)
    corrected(improve, home, root, LINT)
    said = improve("verify", cwd=root).out.splitlines()
    assert said[0].startswith(f"recurring        {name}  8 of 8 sessions since")
    assert said[1] == "    loaded and clear, but ignored"
    assert said[2].startswith(f"    → improve check set {name} --deny PATTERN")
    assert "check suggest" not in "\n".join(said)
    for line in improve("verify", cwd=root).out.splitlines():
        assert not line or cue.is_ours(line), line  # an agent that pastes it back corrects nobody


def test_the_command_that_links_a_file_of_other_agents_works_as_it_stands(
    improve: Improve, repository: Repository, rules: Path, home: Path
) -> None:
    """Its directory is made, `~` is the home, and then the rule is loaded."""
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    (home / ".codex" / "AGENTS.md").write_text("# Mine\n")
    root = repository("api", agents="# Api\n")
    written(improve, root, rules, LINT, "--explicit-scope", "global")
    at = ago(30).timestamp()
    os.utime(home / ".codex" / "AGENTS.md", (at, at))
    corrected(improve, home, root, LINT)
    said = improve("verify", cwd=root).out
    assert "not loaded there: it stands in a file of other agents; Claude Code loads ~/.claude/rules/improve.md" in said
    command = next(line for line in said.splitlines() if "ln -s" in line).strip().removeprefix("→ ")
    subprocess.run(command, shell=True, check=True, env={**os.environ, "HOME": str(home)})
    assert LINT in (home / ".claude" / "rules" / "improve.md").read_text()
    after = improve("verify", cwd=root).out
    assert "by now it loads it" in after and "→ nothing more" in after


def test_names_of_rules_in_wide_letters_are_lined_up(improve: Improve, repository: Repository, rules: Path) -> None:
    """A Chinese letter takes two columns."""
    root = repository("api", agents="# Api\n")
    for text in ("提交信息必须用中文写", LINT):
        written(improve, root, rules, text)
    lines = improve("verify", cwd=root).out.splitlines()[:2]
    names = {line.split()[3]: line for line in lines}
    starts = {line.index("0 of 0 sessions") + sum(ord(c) > 0x2E7F for c in name) for name, line in names.items()}
    assert len(starts) == 1
    assert all("it has not come up since" in line for line in lines)


def test_a_line_that_was_in_the_way_and_is_gone_is_told_so(
    improve: Improve, repository: Repository, rules: Path, home: Path
) -> None:
    """The line is quoted with its number, and once somebody changed it nothing is left to do."""
    (home / ".claude").mkdir()
    root = repository("infra", agents="# Infra\n\n- Indent Terraform files with tabs.\n")
    text = "Indent Terraform with two spaces, never tabs"
    written(improve, root, rules, text)
    corrected(improve, home, root, text)
    assert "AGENTS.md:3 says “Indent Terraform files with tabs.”" in improve("verify", cwd=root).out
    file = root / "AGENTS.md"
    file.write_text(file.read_text().replace("Indent Terraform files with tabs.", "Keep files short."))
    said = improve("verify", cwd=root).out
    assert all(cue.is_ours(line) for line in said.splitlines() if line), said
    assert "; by now it does not" in said and "→ nothing more: the next sessions will show it" in said


def test_status_tells_the_numbers_that_were_verified_last(
    improve: Improve, repository: Repository, rules: Path, home: Path
) -> None:
    """A further session changes what both say, and looking again writes nothing."""
    (home / ".claude").mkdir()
    root = repository("api", agents="# Api\n")
    written(improve, root, rules, LINT)
    corrected(improve, home, root, LINT)
    improve("verify", cwd=root)
    assert "recurring: 8 of 8 sessions" in improve("status", cwd=root).out
    Claude(home, root, "more", began=ago(3)).types("commit this").runs('make lint && git commit -m "x"').answers(
        "Done."
    )
    assert "8 of 9 sessions" in improve("verify", cwd=root).out
    assert "recurring: 8 of 9 sessions" in improve("status", cwd=root).out
    before = rules.read_bytes()
    improve("verify", cwd=root)
    assert rules.read_bytes() == before


def test_while_improve_is_off_nothing_is_read_and_that_is_said(
    improve: Improve, repository: Repository, rules: Path, home: Path
) -> None:
    """What was known before is still told."""
    (home / ".claude").mkdir()
    root = repository("api", agents="# Api\n")
    written(improve, root, rules, LINT)
    corrected(improve, home, root, LINT)
    improve("verify", cwd=root)
    improve("off", cwd=root)
    said = improve("verify", cwd=root).out
    assert "8 of 8 sessions" in said and "nothing new was read, for improve is off." in said


def test_two_verifications_at_once_both_tell(improve: Improve, repository: Repository, rules: Path, home: Path) -> None:
    """The second one waits for the first, which reads only what is new."""
    (home / ".claude").mkdir()
    root = repository("api", agents="# Api\n")
    written(improve, root, rules, LINT)
    corrected(improve, home, root, LINT)
    command = [sys.executable, "-m", "improve", "verify"]
    runs = [subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert all("8 of 8 sessions" in text for text in told)


def test_calls_in_projects_that_a_rule_does_not_hold_for_are_no_mistakes(
    improve: Improve, repository: Repository, rules: Path, home: Path
) -> None:
    """What one project forbids another one may do every day; only a correction there says otherwise."""
    (home / ".claude").mkdir()
    root, other = repository("web", agents="# Web\n"), repository("old", agents="# Old\n")
    text = "Use pnpm, never npm"
    name = written(improve, root, rules, text, "--domain", "ui-components")
    kept = rules.read_text(encoding="utf-8")
    (blank,) = re.findall("( +)written_to:", kept)
    check = f"{blank}check: {{tool: shell, deny: [npm]}}\n"
    rules.write_text(kept.replace(f"{blank}written_to:", f"{check}{blank}written_to:"), encoding="utf-8")
    for number in range(8):
        Claude(home, root, f"w{number}", began=ago(20 - number)).types("add zod").runs("pnpm add zod").answers("Done.")
        Claude(home, other, f"o{number}", began=ago(20 - number)).types("add zod").runs("npm i zod").answers("Done.")
    found = improve("verify", name, "--json", cwd=root).json["rules"][0]
    assert (found["after"], found["slips"], found["cause"]) == ({"exposed": 8, "failed": 0}, [], None)
    improve("observe", text, "--host", "claude-code", "--session", Claude(home, other, "o3").id, cwd=other)
    found = improve("verify", name, "--json", cwd=root).json["rules"][0]
    assert [slip["by"] for slip in found["slips"]] == ["correction"]
    assert (found["cause"], "acme/old" in found["detail"]) == ("not-written", True)
