"""The coding agents we know, one row each, and the instruction file a decision leads to.

A row holds what every command needs; the host's module holds the rest and is imported when it is asked for.
"""

from __future__ import annotations

import os

from improve.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from improve.hosts.base import Host, Spot


class Row(Frozen):
    """How to tell that a command runs inside a host."""

    name: str
    """Name in the store and on the command line; the module has underscores for its hyphens."""
    marks: tuple[str, ...] = ()
    """Environment variables that are set in its shell, as `NAME` or `NAME=value`."""
    session_variable: str = ""
    """Environment variable that holds the id of the session, where the host gives one."""


ROWS: tuple[Row, ...] = (
    Row("opencode", ("OPENCODE",), "OPENCODE_SESSION_ID"),
    Row("codex", ("CODEX_SESSION_ID", "CODEX_THREAD_ID"), "CODEX_SESSION_ID"),
    Row("claude-code", ("CLAUDECODE",), "CLAUDE_CODE_SESSION_ID"),
    Row("gemini", ("GEMINI_CLI",)),
    Row("pi", ("PI_SESSION_ID", "PI_CODING_AGENT"), "PI_SESSION_ID"),
    Row("copilot", ("COPILOT_AGENT_SESSION_ID", "COPILOT_CLI"), "COPILOT_AGENT_SESSION_ID"),
    Row("qwen", ("QWEN_CODE",), "QWEN_CODE_SESSION_ID"),
    Row("cursor", ("CURSOR_AGENT",)),
    Row("goose", ("GOOSE_TERMINAL", "AGENT=goose")),
    Row("amp", ("AGENT=amp",), "AMP_CURRENT_THREAD_ID"),
    Row("cline", ("CLINE_ACTIVE",)),
    Row("aider"),
    Row("pydantic-deep"),
    Row("generic"),
)
"""In the order in which their global file is chosen when several are there."""

OVERRIDE = "AGENTS.override.md"
"""Where it exists, even empty, Codex reads it instead of AGENTS.md."""
PROJECT_FILES = ("AGENTS.md", "CLAUDE.md", os.path.join(".claude", "CLAUDE.md"), "GEMINI.md")
"""A project's own instruction file: the first that exists."""


class Choice(Frozen):
    """An instruction file and why it is the one."""

    path: str
    why: str


def names() -> tuple[str, ...]:
    """List the names of all hosts."""
    return tuple(row.name for row in ROWS)


def host(name: str) -> Host:
    """Load a host by its name.

    Raises:
        KeyError: there is none.
    """
    if name not in names():
        raise KeyError(name)
    # importlib's own function would import `warnings` too
    module = __import__(f"improve.hosts.{name.replace('-', '_')}", fromlist=("HOST",))
    found: Host = module.HOST
    return found


def all_hosts() -> Iterator[Host]:
    """Load every host, in the order of the table."""
    return map(host, names())


def on_this_machine(user: str, env: Mapping[str, str]) -> list[Host]:
    """Load the hosts whose configuration directory exists."""
    return [found for found in all_hosts() if found.folder and os.path.isdir(found.folder(user, env))]


def name_in(env: Mapping[str, str]) -> str:
    """Name the host this command runs inside, the innermost where one runs in the shell of another; empty for none."""
    found = [row for row in ROWS if _marked(env, row.marks)]
    if len(found) < 2:
        return found[0].name if found else ""
    from improve import ancestry

    for around in ancestry.environments():  # the nearest process without a host's mark is that host
        for row in found:
            if not _marked(around, row.marks):
                return row.name
    return found[0].name


def _marked(env: Mapping[str, str], marks: tuple[str, ...]) -> bool:
    for mark in marks:
        name, _, value = mark.partition("=")
        if env.get(name) == value if value else env.get(name):
            return True
    return False


def running_in(env: Mapping[str, str]) -> Host | None:
    """Load the host this command runs inside."""
    name = name_in(env)
    return host(name) if name else None


def session_in(env: Mapping[str, str]) -> str:
    """Return the id of the surrounding session, empty when the host this runs in does not tell."""
    name = name_in(env)
    named = (env.get(row.session_variable, "") for row in ROWS if row.session_variable and name in ("", row.name))
    return next(filter(None, named), "")


def global_choice(user: str, env: Mapping[str, str]) -> Choice:
    """Choose the file for rules that hold everywhere: one that the agent which is at work loads, if we know it."""
    named = env.get("AGENT_GLOBAL_AGENTS_MD", "")
    if named:
        return Choice(os.path.abspath(os.path.expanduser(named)), "AGENT_GLOBAL_AGENTS_MD names it")
    current = running_in(env)
    own = current and (_there(current, user, env) or _made(current, user, env))
    if current and own:
        return own._replace(why=f"this command runs in {current.title}; {own.why}")
    everyone = list(all_hosts())
    found = next(filter(None, (_there(each, user, env) for each in everyone)), None)
    found = found or next(filter(None, (_made(each, user, env) for each in everyone)), None)
    if found:
        return found
    first = next(each.create_file for each in everyone if each.create_file)
    return Choice(first(user, env), "no agent was found on this machine; this one is created")


def _there(found: Host, user: str, env: Mapping[str, str]) -> Choice | None:
    for path in _own(found, user, env):
        if os.path.lexists(path):
            return Choice(path, f"{found.title} loads it in every project")
    return None


def _own(found: Host, user: str, env: Mapping[str, str]) -> list[str]:
    """Name the global files of a host itself; most have one."""
    return [locate(user, env) for locate in (found.global_file, found.create_file) if locate]


def _made(found: Host, user: str, env: Mapping[str, str]) -> Choice | None:
    if not found.folder or not found.create_file or not os.path.isdir(found.folder(user, env)):
        return None
    return Choice(found.create_file(user, env), f"{found.title} is on this machine and would load it; it is created")


def not_loading(path: str, user: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """List the hosts on this machine that load another global file, by title."""
    real = os.path.realpath(path)
    return tuple(each.title for each in on_this_machine(user, env) if real not in _loaded(each, user, env))


def _loaded(found: Host, user: str, env: Mapping[str, str]) -> set[str]:
    own = _own(found, user, env)
    borrowed = [] if any(map(os.path.lexists, own)) else [locate(user, env) for locate in found.borrows]
    return {os.path.realpath(name) for name in (*own, *borrowed)}


def project_choice(root: str, env: Mapping[str, str], *, here: bool) -> Choice:
    """Choose the file for rules of the project at *root*: one that the agent which is at work loads, if we know it.

    Args:
        here: the command runs inside that project, so AGENT_PROJECT_AGENTS_MD is about it.
    """
    named = env.get("AGENT_PROJECT_AGENTS_MD", "")
    if named and here:
        return Choice(os.path.join(root, os.path.expanduser(named)), "AGENT_PROJECT_AGENTS_MD names it")
    current = running_in(env)
    loaded = _in_project(current, root, env) if current else []
    there = [name for name in (OVERRIDE, *PROJECT_FILES) if os.path.lexists(os.path.join(root, name))]
    there = [name for name in there if name != OVERRIDE or os.path.isfile(os.path.join(root, name))]
    if current and loaded:
        best = next((name for name in there if name in loaded), loaded[0])
        return Choice(os.path.join(root, best), f"{current.title} loads it in this project")
    if there:
        why = "Codex reads it instead of AGENTS.md" if there[0] == OVERRIDE else "the project's instruction file"
        return Choice(os.path.join(root, there[0]), why)
    made = _to_make(current, root, env) if current else PROJECT_FILES[0]
    return Choice(os.path.join(root, made), "the project has none yet; it is created")


def _in_project(current: Host, root: str, env: Mapping[str, str]) -> list[str]:
    """Name the files of the project's top that the host loads, those that others get with the project alone."""
    if not current.chain:
        return []
    known = {os.path.join(root, name): name for name in (OVERRIDE, *PROJECT_FILES)}
    found = [f for f in current.chain(_top(root, env)) if f.state in ("loaded", "cut") and f.scope == "project"]
    own = [f for f in found if f.path in known or (os.path.dirname(f.path) == root and not f.via and _shared(f.path))]
    return [known.get(f.path, os.path.basename(f.path)) for f in own]


def _shared(path: str) -> bool:
    return path.endswith((".md", ".goosehints")) and ".local." not in path


def _top(root: str, env: Mapping[str, str]) -> Spot:
    from improve.hosts.base import Spot

    return Spot(root, root, os.path.expanduser("~"), env)


def _to_make(current: Host, root: str, env: Mapping[str, str]) -> str:
    """Name the file to create: the host loads it, and it hides none that was loaded before."""
    from improve.hosts.chain import imagined

    if not current.chain:
        return current.project_file
    before = {f.path for f in current.chain(_top(root, env)) if f.state in ("loaded", "cut")}
    for name in filter(None, (current.project_file, current.own_file)):
        with imagined(os.path.join(root, name)) as path:
            after = {f.path for f in current.chain(_top(root, env)) if f.state in ("loaded", "cut")}
        if path in after and before < after:
            return name
    return current.project_file
