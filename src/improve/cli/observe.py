"""improve observe."""

from __future__ import annotations

import sys
from typing import Any

import click

from improve.cli.common import by_person, json_option, look_around, project_option, say
from improve.errors import ImproveError, UsageError
from improve.escape import visible
from improve.rule import UNKNOWN
from improve.workflow.here import Here
from improve.workflow.likeness import Likeness
from improve.workflow.record import Recorded

MOST_CONTRADICTIONS = 3
"""So many are shown; the strongest come first."""

_EXAMPLES = """\b
Examples:
  improve observe "Use uv tool for Python CLI tools, never pip3 install" \\
      --domain python-tooling --context "user stopped a pip3 install"
  improve observe --same-as use-uv-not-pip
  improve observe --explicit-scope global -- "- Never push to main"
  git log -1 --format=%s | improve observe -"""


@click.command("observe", epilog=_EXAMPLES)
@click.argument("rule", required=False)
@project_option("Project it happened in; default: the one of the current directory.")
@click.option("--domain", default="", help="Topic, see `improve domains`; default: unknown.")
@click.option("--context", default="", help="What happened, in a few words.")
@click.option(
    "--explicit-scope",
    type=click.Choice(["global", "local"]),
    default=None,
    help="The user said `everywhere` or `just here`.",
)
@click.option("--session", default="", help="Session id; repeats in one session count once.")
@click.option("--host", default="", help="The agent it happened in.")
@click.option("--severity", type=click.IntRange(1, 5), default=None, help="Cost of a recurrence.")
@click.option("--file", "path", default="", help="Write it to this file instead of AGENTS.md.")
@click.option("--section", default="", help="Heading in that file.")
@click.option("--paths", multiple=True, metavar="GLOB", help="Load that rule file only for these; repeatable.")
@click.option("--same-as", default="", metavar="ID", help="It is this rule, in other words.")
@click.option("--new", is_flag=True, help="It is a rule of its own, whatever it resembles.")
@json_option
def observe_command(rule: str | None, same_as: str, new: bool, as_json: bool, **given: Any) -> int:
    """Record that the user corrected the agent or stated a preference.

    RULE is one imperative sentence; `-` reads it from standard input; after `--` it may begin with a dash.
    """
    if same_as and new:
        raise UsageError("--same-as and --new exclude each other; nothing was recorded")
    text = sys.stdin.read() if rule == "-" else (rule or "")
    if not text.strip() and not same_as:
        raise UsageError("give the rule as one sentence, or --same-as ID; nothing was recorded")
    from improve.workflow import record

    here = look_around()
    pending = _pending(here, text, same_as, new, given)
    recorded = record.observe(here, pending)
    say(told_as_json(recorded) if as_json else told(recorded, pending.text))
    return 0


def _pending(here: Here, text: str, same_as: str, new: bool, given: dict[str, Any]) -> Any:
    from improve import spool, wording
    from improve.spool import Pending

    clean = wording.check_rule(text) if text.strip() else ""
    names = ("project", "domain", "session", "host", "section")
    label = {name: wording.check_label(given[name], name) if given[name] else "" for name in names}
    key = _project_key(here, label["project"])
    return Pending(
        oid=spool.new_oid(),
        at=here.now.isoformat(timespec="seconds"),
        date=here.today,
        text=clean,
        project=key,
        domain=spelled_domain(here, label["domain"]),
        context=wording.check_evidence(given["context"]),
        explicit_scope=given["explicit_scope"] or "",
        session=label["session"] or here.session,
        host=label["host"] or here.host,
        severity=given["severity"] or 0,
        provenance="person" if by_person(here) else "agent",
        same_as=same_as,
        new=new,
        **_destination(here, given["path"], label["section"], given["paths"]),
        **_current(here, key),
    )


def _current(here: Here, key: str) -> dict[str, Any]:
    """Say where the project is, if this is it."""
    if here.project is None or here.project.key != key:
        return {}
    return {"root": here.project.root, "remote": here.project.remote, "name": here.project.name}


def spelled_domain(here: Here, name: str) -> str:
    """Spell a domain as the lists do; the store is asked only for one that we do not know."""
    from improve.taxonomy import Taxonomy

    usual = Taxonomy()
    if not name or usual.spelled(name) in usual.known:
        return usual.spelled(name)
    try:
        return here.store.view().taxonomy.spelled(name)
    except ImproveError:  # whatever keeps the store from being read: the observation waits in the spool
        return name


def _project_key(here: Here, name: str) -> str:
    """Resolve the project; a store that cannot be read is no reason to lose an observation."""
    if not name:
        return here.project.key if here.project else UNKNOWN
    try:
        view = here.store.view()
    except ImproveError:
        from improve.project import resolve_name

        return resolve_name(name, here.project, {})
    return here.project_key(name, view)


def _destination(here: Here, path: str, section: str, paths: tuple[str, ...]) -> dict[str, Any]:
    """Say where the rule is to stand; a heading or globs without a file would be passed over."""
    if not path:
        if section or paths:
            raise UsageError(f"{'--section' if section else '--paths'} is about a --file; nothing was recorded")
        return {}
    from improve.workflow import destination

    named = destination.named(path, section, paths, [here.project.root] if here.project else [], cwd=here.cwd)
    return {"path": named.path, "section": named.section, "paths": named.paths}


def told(recorded: Recorded, said: str) -> str:
    """Say what became of an observation; *said* is its wording."""
    from improve import report

    rule, lines = recorded.rule, [recorded.message, became(recorded, said)]
    lines += [f"look at it: {visible(said)}; recorded all the same" for said in report.flags(rule.text)]
    lines += _contradictions(recorded)
    if recorded.near:
        lines.append("It may be one of these; answer once and it is remembered:")
        lines += [
            f"  {visible(like.rule.id)}: {report.quoted(like.rule.text)} ({like.score:.2f}) → "
            f"improve observe --same-as {report.shell(like.rule.id)} -- {report.shell(said)}"
            for like in recorded.near
        ]
        lines.append(f"  none of them → improve observe --new -- {report.shell(said)}")
    return "\n".join([*lines, *hints(recorded)])


def became(recorded: Recorded, said: str) -> str:
    """Name the rule that *said* became or was matched to, and how a wrong match is split."""
    from improve import report

    rule, name = recorded.rule, visible(recorded.rule.id)
    dashes = "-- " if said.startswith("-") else ""
    how = {
        "new": f"new rule {name}",
        "same wording": f"matched {name} (same wording)",
        "already there": f"matched {name} (merged by another command)",
        "named": f"matched {name} (as you said)",
        "settled": f"settled: {name}",
        "archived": f"matched {name}, which is in the archive: this is from before it held, and was added there",
        "back": f"{name} is back from the archive: it had held, and came up again",
        "matched": f"matched {name} (sure, {recorded.score:.2f}): {report.quoted(rule.text)}. "
        f"If it is another rule: improve split {report.shell(rule.id)} {dashes}{report.shell(said)}",
    }
    return how[recorded.how]


def _contradictions(recorded: Recorded) -> list[str]:
    from improve import report

    mine, lines = recorded.rule, []
    for like in recorded.contradicts[:MOST_CONTRADICTIONS]:
        lines.append(f"CONTRADICTS {visible(like.rule.id)}: {report.quoted(like.rule.text)} ({like.reason})")
        lines.append(f"  evidence: this one {report.evidence(mine)}; that one {report.evidence(like.rule)}")
        lines.append(
            "  if both are strong, ask the user which to keep, then: "
            f'improve retire {report.shell(like.rule.id)} (or {report.shell(mine.id)}) --because "…"'
        )
    more = len(recorded.contradicts) - MOST_CONTRADICTIONS
    return [*lines, f"and {report.counted(more, 'more contradiction')}: --json lists all"] if more > 0 else lines


def hints(recorded: Recorded) -> list[str]:
    """Say what keeps a rule from where it could be of use, and the command that changes it."""
    from improve import report
    from improve.escalate import IN_SESSION
    from improve.rule import occasions, projects

    rule, lines = recorded.rule, []
    if rule.retired:
        lines.append(f"it was retired and came up again; to use it again → {report.command('restore', rule.id)}")
    if recorded.decision.kind == IN_SESSION and occasions(rule) > 1 and not projects(rule):
        lines.append(
            "no project is known for it, so no file gets it; if it holds everywhere → "
            + report.command("set", rule.id, options="--scope global")
        )
    lines += filter(None, [_domain_hint(recorded)])
    lines += [
        f"project {visible(key)} has no directory on this machine; nothing can be written for it yet"
        for key in recorded.unplaced
    ]
    return lines


def _domain_hint(recorded: Recorded) -> str:
    """Say what a domain would change, if the rule has none or one that means nothing."""
    from improve import domains, report
    from improve.rule import projects

    rule, taxonomy = recorded.rule, recorded.taxonomy
    several = len(projects(rule)) > 1

    def set_to(name: str) -> str:
        effect = "go to the global file" if name in taxonomy.general else "stay in each project"
        told = f" (it would then {effect})" if several else ""
        return report.command("set", rule.id, options=f"--domain {report.shell(name)}") + told

    if rule.domain in taxonomy.known:
        return ""
    if rule.domain != UNKNOWN:
        near = taxonomy.closest(rule.domain)
        said = f"domain: {visible(rule.domain)} is in no list, so it stays in each project"
        return f"{said}; meant {visible(near)}? → {set_to(near)}" if near else f"{said}. List: improve domains"
    guess = domains.guess(rule.text, (*taxonomy.general, *taxonomy.project_specific))
    if guess:
        return f"domain: unknown, likely {visible(guess[0])} → {set_to(guess[0])}"
    if not several:
        return ""
    command = report.command("set", rule.id, options="--domain <domain>")
    said = f"domain: unknown, so it stays in each project → {command}; a general one would make it global"
    return f"{said}. List: improve domains"


def told_as_json(recorded: Recorded) -> str:
    """Say it for programs."""
    from improve import report

    def like(item: Likeness) -> dict[str, Any]:
        return {
            "id": item.rule.id,
            "rule": item.rule.text,
            "score": round(item.score, 3),
            "relation": item.relation,
            "reason": item.reason,
            "evidence": report.evidence(item.rule),
        }

    return report.as_json(
        "observe",
        {
            "message": recorded.message,
            "how": recorded.how,
            "score": round(recorded.score, 3),
            "rule": report.rule_as_data(recorded.rule, recorded.decision, recorded.taxonomy),
            "near": [like(item) for item in recorded.near],
            "contradicts": [like(item) for item in recorded.contradicts],
            "projects_without_directory": list(recorded.unplaced),
        },
    )
