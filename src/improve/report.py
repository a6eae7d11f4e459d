"""Results as text for people and agents, and as JSON. Pure: data in, str out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from improve.escalate import GLOBAL, Decision
from improve.escape import visible
from improve.rule import UNKNOWN, Rule, Verdict, occasions, projects
from improve.taxonomy import Taxonomy

SCHEMA = 1
"""Version of every `--json` answer; keys are added, never renamed."""


def as_json(command: str, body: dict[str, Any]) -> str:
    """Give one ASCII-safe JSON object."""
    return json.dumps({"improve": SCHEMA, "command": command, **body}, ensure_ascii=True, indent=2)


def quoted(text: str) -> str:
    """Show stored text between quotation marks, control characters made visible."""
    return f'"{visible(text)}"'


def counted(number: int, noun: str) -> str:
    """Write `1 rule`, `2 rules`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shell(text: str) -> str:
    """Quote an argument for a command a person or an agent will paste."""
    plain = visible(text)
    safe = plain and all(c.isalnum() or c in "-_./:@%+=," for c in plain) and not plain.startswith("-")
    return plain if safe else "'" + plain.replace("'", "'\\''") + "'"


def command(verb: str, *arguments: str, options: str = "") -> str:
    """Give a command to paste; `--` stands before arguments of which one begins with a dash.

    >>> command("split", "use-uv", "- Never use pip")
    "improve split -- use-uv '- Never use pip'"
    """
    given = " ".join(map(shell, arguments))
    if any(argument.startswith("-") for argument in arguments):
        return " ".join(filter(None, ("improve", verb, options, "--", given)))
    return " ".join(filter(None, ("improve", verb, given, options)))


def rule_as_data(rule: Rule, decision: Decision, taxonomy: Taxonomy) -> dict[str, Any]:
    """Say everything about a rule but its evidence's words."""
    return {
        "id": rule.id,
        "rule": rule.text,
        "domain": rule.domain,
        "domain_kind": taxonomy.kind(rule.domain),
        "count": occasions(rule),
        "projects": list(projects(rule)),
        "explicit_scope": rule.explicit_scope or None,
        "severity": rule.severity or None,
        "confirmed": bool(rule.written_to),
        "retired": rule.retired,
        "created": rule.created,
        "last_reinforced": rule.last_reinforced,
        "decision": decision.kind,
        "reason": decision.reason,
        "written_to": [
            {"path": w.path, "date": w.date, "section": w.section, "text": w.text, "scope": w.scope}
            for w in rule.written_to
        ],
        "destination": rule.destination and rule.destination._asdict(),
        "aliases": list(rule.aliases),
        "near": list(rule.near),
        "flags": list(flags(rule.text)),
        "verdict": {key: value for key, value in rule.verdict._asdict().items() if value} if rule.verdict else None,
    }


def flags(text: str) -> Iterator[str]:
    """Say what a person should look at before trusting a rule; flagged rules work like any other."""
    from improve.lookalike import look_alikes
    from improve.sensitive import is_sensitive

    odd, risk = look_alikes(text), is_sensitive(text)
    if odd:
        yield odd
    if risk:
        yield f"it {risk}"


def rule_block(rule: Rule, taxonomy: Taxonomy) -> str:
    """Show a rule in the layout agents know from version 1."""
    cross = "cross-project" if len(projects(rule)) > 1 else "single-project"
    kind = taxonomy.kind(rule.domain)
    return (
        f"  {visible(rule.id)}\n"
        f"    rule: {visible(rule.text)}\n{_odd(rule)}{_again(rule)}"
        f"    count: {occasions(rule)} ({cross}, domain={visible(rule.domain)} [{kind}])\n"
        f"    escalation: {visible(rule.escalation or 'none')}, written_to: {len(rule.written_to)} files\n"
        f"{_denied(rule)}"
    )


def _denied(rule: Rule) -> str:
    """Say that calls against a rule are stopped; a guard that only watches must not change what an agent does."""
    return (
        "    guard: calls against it are denied\n" if rule.guard == "deny" and rule.check and not rule.retired else ""
    )


CAUSES = {
    "not-written": "not written where it happens",
    "not-loaded": "not loaded there",
    "cut": "cut off by a cap",
    "contradicted": "contradicted",
    "vague": "too vague to check",
    "ignored": "loaded and clear, but ignored",
}
"""Why a rule recurs, for people."""


def recurs(rule: Rule) -> str:
    """Say how often the mistake of a written rule is still made; empty unless it clearly is."""
    told = rule.verdict
    if told is None or told.state != "recurring" or not rule.written_to:
        return ""
    since = min((w.date[:10] for w in rule.written_to if w.date), default=told.since)
    return f"{told.failed} of {counted(told.exposed, 'session')} since {since}"


def _again(rule: Rule) -> str:
    """Mark a rule that recurs, with its cause."""
    said = recurs(rule)
    cause = CAUSES.get(rule.verdict.cause, "") if said and rule.verdict else ""
    return f"    recurring: {visible(said)}{f' ({cause})' if cause else ''}\n" if said else ""


def _odd(rule: Rule) -> str:
    """Name letters that are not what they look like: the one thing about a rule that nobody can see."""
    if rule.text.isascii():
        return ""
    from improve.lookalike import look_alikes

    said = look_alikes(rule.text)
    return f"    LOOK-ALIKE: {visible(said)}\n" if said else ""


def status_text(rules: Iterable[tuple[Rule, Decision]], taxonomy: Taxonomy, *, total: int, budget: int) -> str:
    """List active rules: confirmed ones as hard rules, tentative ones after, as many as the budget holds."""
    heads = (
        "Recurring (hard rules that are written and still not followed; why, and what helps: improve verify):\n",
        "Confirmed (hard rules):\n",
        "Tentative (apply, do not enforce):\n",
    )
    blocks = ((rule, rule_block(rule, taxonomy)) for rule, _ in rules)
    return _listed(blocks, heads, total=total, budget=budget)


def status_markdown(rules: Iterable[tuple[Rule, Decision]], *, total: int, budget: int) -> str:
    """List active rules as Markdown bullets with their ids."""
    from improve.wording import as_bullet

    heads = (
        "## Recurring rules (hard rules that are written and still not followed)\n\n",
        "## Confirmed rules (hard rules)\n\n",
        "## Tentative rules (apply, do not enforce)\n\n",
    )
    blocks = ((rule, f"- {visible(as_bullet(rule.text))} `{visible(rule.id)}`{_often(rule)}\n") for rule, _ in rules)
    return _listed(blocks, heads, total=total, budget=budget)


def _often(rule: Rule) -> str:
    said = recurs(rule)
    return f" ({visible(said)})" if said else ""


def _listed(blocks: Iterable[tuple[Rule, str]], heads: tuple[str, str, str], *, total: int, budget: int) -> str:
    """Put blocks under the heading of their kind, at least one and no more than the budget holds."""
    out: list[str] = []
    used, group = 0, ""
    for rule, block in blocks:
        head = heads[0 if recurs(rule) else 1 if rule.written_to else 2]
        if head != group:
            block = ("\n" if out else "") + head + block
        if budget and used + len(block) > budget and out:
            break
        group, used = head, used + len(block)
        out.append(block)
    return _ended("".join(out), len(out), total)


def _ended(text: str, shown: int, total: int) -> str:
    if not total:
        return 'No active rules here. Record one with: improve observe "<rule>"\n'
    more = total - shown
    return text + (f"\n… {counted(more, 'more rule')}; all of them: improve status --budget 0\n" if more > 0 else "")


def due_block(rule: Rule, decision: Decision, targets: Sequence[str]) -> str:
    """Show a rule that waits, in the layout agents know from version 1."""
    seen = ", ".join(visible(p) for p in projects(rule)) or UNKNOWN
    where = "global AGENTS.md" if decision.kind == GLOBAL else "project AGENTS.md"
    out = f"  {visible(rule.id)}\n    rule: {visible(rule.text)}\n    count: {occasions(rule)}, projects: {seen}\n"
    if targets:
        names = "" if decision.kind == GLOBAL else f" of {', '.join(visible(t) for t in targets)}"
        return out + f"    → ESCALATE TO: {where}{names}\n"
    return out + "    → UPDATE: a line that was written has to change or go\n"


def history_text(rule: Rule, decision: Decision, taxonomy: Taxonomy) -> str:
    """Tell the whole story of one rule, evidence as quoted data."""
    lines = [
        visible(rule.id),
        f"  rule: {visible(rule.text)}",
        *(f"  look at it: {visible(said)}" for said in flags(rule.text)),
        f"  domain: {visible(rule.domain)} [{taxonomy.kind(rule.domain)}]",
        f"  decision: {decision.kind} ({visible(decision.reason)})",
    ]
    lines += [f"  also said as: {quoted(alias)}" for alias in rule.aliases]
    if rule.destination:
        heading = f", under {quoted(rule.destination.section)}" if rule.destination.section else ""
        lines.append(f"  goes to: {visible(rule.destination.path)}{heading}")
    if rule.retired:
        lines.append(f"  retired{': ' + quoted(rule.retired_because) if rule.retired_because else ''}")
    if rule.verdict:
        lines.append(f"  verdict: {_verdict(rule.verdict)}")
    if rule.rejected_at:
        aside = "left as it is written" if rule.written_to else "set aside"
        lines.append(f"  {aside} at {counted(rule.rejected_at, 'occasion')}: comes back with new ones")
    lines += [f"  near, not settled: {visible(i)}" for i in rule.near]
    lines += [
        f"  {visible(f.first)}…{visible(f.last)}  {visible(f.project)}  {counted(f.occasions, 'older occasion')}"
        for f in rule.folded
    ]
    for o in sorted(rule.observations, key=lambda o: (o.date, o.at)):
        who = " ".join(part for part in (o.host, o.session[:12], o.provenance, o.signal) if part)
        lines.append(f"  {visible(o.date)}  {visible(o.project)}  {visible(who)}".rstrip())
        if o.context and o.context != rule.text:
            lines.append(f"      {quoted(o.context)}")
    lines += [
        f"  written {visible(w.date)} to {visible(w.path)}{' (was there)' if w.adopted else ''}: {quoted(w.text)}"
        for w in rule.written_to
    ]
    return "\n".join(lines) + "\n"


def _verdict(told: Verdict) -> str:
    before = f" (before: {told.failed_before} of {told.exposed_before})" if told.exposed_before else ""
    said = f"{told.state}, {told.failed} of {counted(told.exposed, 'session')}{before}, the same since {told.since}"
    cause = CAUSES.get(told.cause, told.cause)
    return visible(f"{said}; {cause}: {told.detail}" if cause else said)


def evidence(rule: Rule) -> str:
    """Say how strong a rule is in half a line."""
    seen = projects(rule)
    where = f"{counted(len(seen), 'project')}" if seen else "no project"
    return f"count {occasions(rule)}, {where}, last {visible(rule.last_reinforced or rule.created or 'unknown')}"
