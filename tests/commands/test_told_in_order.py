"""What history and stale tell of rules that were verified."""

from __future__ import annotations

from pathlib import Path

from commands.conftest import Improve, Repository
from commands.proving import ago
from improve import entry
from improve.rule import Observation, Rule, Verdict, Written

KEY = "github.com/acme/shop"


def put(rules: Path, *kept: Rule) -> None:
    """Write rules.yaml."""
    rules.parent.mkdir(exist_ok=True)
    rules.write_text("version: 2\nrules:\n" + "".join(entry.render(rule, "") for rule in kept), encoding="utf-8")


def made(name: str, *days: float, verdict: Verdict | None = None) -> Rule:
    """Make a written rule with occasions so many days ago."""
    seen = tuple(Observation(KEY, str(ago(day).date()), session=f"s{day}") for day in days)
    last = min(seen, key=lambda o: o.date).date
    placed = (Written("/x/AGENTS.md", str(ago(150).date()), "Tools", name, "project", KEY),)
    return Rule(name, name, created=last, last_reinforced=last, observations=seen, written_to=placed, verdict=verdict)


def test_the_evidence_of_a_rule_is_told_in_the_order_of_its_days(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """However it was recorded: candidates of the inbox come the newest first."""
    put(rules, made("use-uv", 3, 90, 40))
    told = [line.split()[0] for line in improve("history", "use-uv").out.splitlines() if KEY in line and "  20" in line]
    assert told == sorted(told) and len(told) == 3


def test_a_stale_rule_that_was_followed_says_that_it_may_work(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """It came up and was never broken; of one that did not come up, or was broken, nothing is claimed."""
    at = ago(1).isoformat(timespec="seconds")
    put(
        rules,
        made("works", 150, verdict=Verdict("not-enough-data", at, at[:10], exposed=7)),
        made("broken", 150, verdict=Verdict("not-enough-data", at, at[:10], exposed=7, failed=1)),
        made("unmet", 150, verdict=Verdict("not-enough-data", at, at[:10])),
    )
    said = improve("stale").out
    assert said.count("it may well work: it came up in 7 sessions since, and was followed") == 1
    assert said.index("works") < said.index("it may well work")


def test_an_archived_rule_is_not_called_unknown(
    improve: Improve, repository: Repository, rules: Path, home: Path
) -> None:
    """Whoever asks for it is told where it is and how it comes back, and then where its line would go."""
    at = ago(1).isoformat(timespec="seconds")
    root = repository("shop", agents="# Shop\n\n## Tools\n\n- use-uv\n")
    rule = made("use-uv", 150, 140, verdict=Verdict("held", at, str(ago(60).date()), exposed=20))
    place = rule.written_to[0]._replace(path=str(root / "AGENTS.md"))
    put(rules, rule._replace(written_to=(place,)), made("other", 3))
    assert "It is in ~/" in improve("resolve", "use-uv", "--prune", cwd=root).out
    for asked in (("verify",), ("history",), ("check", "show"), ("guard",)):
        said = improve(*asked, "use-uv", cwd=root, code=7).err
        assert "the rule 'use-uv' is in the archive" in said and "improve restore use-uv" in said
    assert "no rule has the id 'use-u'" in improve("history", "use-u", cwd=root, code=7).err
    back = improve("restore", "use-uv", cwd=root).out
    assert "its line is in no file; see where it would go: improve escalate use-uv" in back
    improve("escalate", "use-uv", cwd=root)


def test_a_check_that_cannot_work_is_refused_before_anybody_is_asked(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """Nobody is sent to a terminal of their own with a command that fails there."""
    put(rules, made("use-rg", 3, 4))
    root = repository("shop")
    assert "the check cannot work" in improve("check", "set", "use-rg", cwd=root, code=2).err
    assert "only a person" in improve("check", "set", "use-rg", "--deny", "grep", cwd=root, code=3).err


def test_an_update_that_is_undone_leaves_the_line_as_it_was_and_says_so(
    improve: Improve, repository: Repository, rules: Path
) -> None:
    """The rule is not gone: its older line stands in its file; one whose line was undone is set aside."""
    root = repository("shop", agents="# Shop\n")
    for _ in range(2):
        improve("observe", "Write clean code", cwd=root)
    name = "write-clean-code"
    improve("escalate", "--apply", cwd=root)
    improve("set", name, "--text", "Keep functions under 40 lines", cwd=root)
    improve("escalate", "--apply", name, cwd=root)
    said = improve("undo", cwd=root).out
    assert f"{name} stays in its file as it was until it comes up again" in said
    assert "- Write clean code\n" in (root / "AGENTS.md").read_text(encoding="utf-8")
    assert "left as it is written at 2 occasions" in improve("history", name, cwd=root).out
    for _ in range(2):
        improve("undo", cwd=root)
    assert "  set aside at 2 occasions" in improve("history", name, cwd=root).out
