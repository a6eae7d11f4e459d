"""`doctor` and the advice of a store that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.conftest import Improve

PNPM = "Use pnpm, never npm install"


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ("git: true\ntrust: nobody\n", "line 2: trust: expected agent or verified, found 'nobody'"),
        ("treshold_project: 3\n", "line 1: treshold_project: no such setting"),
        ("git: [true\n", "line"),
    ],
)
def test_a_broken_config_is_reported_beside_the_rest(improve: Improve, rules: Path, settings: str, line: str) -> None:
    """Exit 6 and the line; rules.yaml is looked at with the defaults, and --fix is not offered, for it cannot help."""
    improve("observe", PNPM, "--project", "p")
    (rules.parent / "config.yaml").write_text(settings)
    before = rules.read_bytes()
    for argv in (["doctor"], ["doctor", "--fix"]):
        said = improve(*argv, code=6)
        assert f"WRONG  ~/.agent-improvement/config.yaml: {line}" in said.out
        assert "ok     ~/.agent-improvement/rules.yaml: 1 rules, version 2" in said.out
        assert "--fix" not in said.out
    assert rules.read_bytes() == before
    said = improve("status", code=6)
    assert "Fix it there, then run this again" in said.err
    assert "--fix" not in said.err


def test_a_broken_store_is_advised_to_be_rebuilt(improve: Improve, rules: Path) -> None:
    """`doctor --fix` is offered where it helps: rules.yaml cannot be read."""
    improve("observe", PNPM, "--project", "p")
    rules.write_text(rules.read_text(encoding="utf-8").replace("rules:\n", "rules: [\n"), encoding="utf-8")
    assert "or run: improve doctor --fix" in improve("status", code=6).err
    improve("doctor", "--fix")
    assert improve("status", "--all").code == 0


def test_one_mistyped_rule_is_not_advised_to_be_rebuilt(improve: Improve, rules: Path) -> None:
    """A value somebody mistyped is theirs to mend; making the whole file anew would not."""
    improve("observe", PNPM, "--project", "p")
    rules.write_text(
        rules.read_text(encoding="utf-8").replace("escalation: null", "escalation: everywhere"), encoding="utf-8"
    )
    said = improve("retire", "use-pnpm-never-npm-install", code=6)
    assert "expected global or local" in said.err
    assert "--fix" not in said.err
