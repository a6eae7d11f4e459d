"""docs/hosts.md: its tables are made from the hosts' own facts, and say all of them."""

from __future__ import annotations

import pytest

from documents import ROOT, docgen
from improve import hosts
from improve.hosts.base import Host
from improve.hosts.wiring import Settings

HOSTS = list(hosts.all_hosts())
each = pytest.mark.parametrize("host", HOSTS, ids=[host.name for host in HOSTS])


def rows(part: str) -> list[list[str]]:
    """Give the cells of a generated table, without its head."""
    made = docgen("agents").PARTS[part]().splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in made]


@each
def test_every_host_is_in_the_tables(host: Host) -> None:
    """No host is left out, and its limits are told word for word."""
    text = (ROOT / "docs" / "hosts.md").read_text(encoding="utf-8")
    assert f"| {host.title} (`{host.name}`) |" in text
    assert f"| {host.title} | " in text
    assert [limit for limit in host.limits if limit not in text] == []


@each
def test_what_is_noticed_is_what_is_installed(host: Host) -> None:
    """The events in the table are those of the entries, of the files of ours and of the plugins."""
    told = docgen("agents").told(host)
    for part in host.wiring:
        if isinstance(part, Settings):
            assert {hook.event for hook in part.hooks} <= set(told)
    assert bool(told) == bool(host.wiring)
    (row,) = [row for row in rows("host-capture") if row[0].endswith(f"(`{host.name}`)")]
    assert row[1] == ("yes" if "prompt" in told else "no")
    assert (row[3] == "from files only") >= (not host.wiring)


def test_every_file_of_an_install_is_in_the_list_of_what_to_remove() -> None:
    """Whoever uninstalls by hand finds each file and each directory named."""
    listed = {row[1] for row in rows("host-removal")}
    for host in HOSTS:
        for part in host.wiring:
            assert f"`{part.file('~', {})}`" in listed
        if host.skills:
            assert f"`{host.skills('~', {})}/improve/`" in listed


def test_hidden_files_stand_in_brackets() -> None:
    """What the simulation hides is told from what it loads."""
    by_host = {row[0]: row for row in rows("host-files")}
    assert by_host["Codex CLI"][1:3] == [
        "`~/.codex/AGENTS.override.md`, (`~/.codex/AGENTS.md`)",
        "`AGENTS.override.md`, (`AGENTS.md`)",
    ]
    assert by_host["Codex CLI"][4].startswith("cut after 32,768 bytes")
    assert "200 lines advised" in by_host["Claude Code"][4]
    assert by_host["Aider"][1:4] == ["none", "none", "none"]
