"""Where the store and its derived data live; nothing else asks the environment for it."""

from __future__ import annotations

import os
import sys

from improve.errors import EnvironmentFailure
from improve.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

APP = "agent-improvement"
_SUFFIX = ".cmd" if os.name == "nt" else ""
LAUNCHER = "improve-hook" + _SUFFIX
PROGRAM = "improve" + _SUFFIX


class Home(Frozen):
    """The directory of the store, `~/.agent-improvement` or `$AGENT_IMPROVEMENT_HOME`, and what belongs to it."""

    path: str
    user: str
    """The person's home directory."""
    caches: str
    """Derived data of all stores of this user."""
    state: str
    """Lock files of this user."""
    temporary: str = ""
    """The directory for temporary files, which a sandbox lets programs write to; empty where none is used."""

    def file(self, name: str) -> str:
        """Name a file of the store."""
        return os.path.join(self.path, name)

    @property
    def cache(self) -> str:
        """Derived data of this store; deleting it loses nothing."""
        from improve.fingerprint import fingerprint

        return os.path.join(self.caches, fingerprint(os.path.realpath(self.path), 16))

    @property
    def rules(self) -> str:
        """Path of rules.yaml."""
        return self.file("rules.yaml")

    @property
    def journal(self) -> str:
        """Path of journal.jsonl."""
        return self.file("journal.jsonl")

    @property
    def launcher(self) -> str:
        """The program hosts run on their events."""
        return os.path.join(self.path, "bin", LAUNCHER)

    @property
    def program(self) -> str:
        """`improve` itself under a path that outlives upgrades."""
        return os.path.join(self.path, "bin", PROGRAM)

    @property
    def spool(self) -> str:
        """Directory in which observations wait to be merged."""
        return self.file("spool")

    @property
    def refuge(self) -> str:
        """Directory in which observations wait that a sandbox kept out of the spool; empty where there is none."""
        if not self.temporary or not hasattr(os, "getuid"):
            return ""
        from improve.fingerprint import fingerprint

        return os.path.join(self.temporary, f"improve-{os.getuid()}-{fingerprint(os.path.realpath(self.path), 12)}")


def find_home(env: Mapping[str, str]) -> Home:
    """Find the store of this user.

    Raises:
        EnvironmentFailure: there is no home directory and no AGENT_IMPROVEMENT_HOME.
    """
    user = os.path.expanduser("~")
    named = env.get("AGENT_IMPROVEMENT_HOME", "")
    if not os.path.isabs(user) and not named:
        raise EnvironmentFailure(
            "no home directory is known; nothing was done. Set AGENT_IMPROVEMENT_HOME to a directory"
        )
    path = os.path.expanduser(named or os.path.join(user, ".agent-improvement"))
    if not os.path.isabs(path):
        raise EnvironmentFailure(
            f"AGENT_IMPROVEMENT_HOME is {named!r}, which would be another store in every directory; nothing was done. "
            "Set it to an absolute path"
        )
    path = os.path.abspath(path)
    cache, state = _derived(env, user)
    return Home(path, user, cache, os.path.join(state, "locks"), env.get("TMPDIR") or "/tmp")


def _derived(env: Mapping[str, str], user: str) -> tuple[str, str]:
    """Name the cache and state directories as platformdirs does; on Linux without its import, 5 ms of every command."""
    if sys.platform.startswith("linux"):
        cache, state = env.get("XDG_CACHE_HOME", "").strip(), env.get("XDG_STATE_HOME", "").strip()
        base = (cache or os.path.join(user, ".cache"), state or os.path.join(user, ".local", "state"))
        return os.path.join(base[0], APP), os.path.join(base[1], APP)
    import platformdirs

    return platformdirs.user_cache_dir(APP, appauthor=False), platformdirs.user_state_dir(APP, appauthor=False)


def short(path: str, user: str) -> str:
    """Show a path with `~` for the person's home."""
    return "~" + path[len(user) :] if user and (path == user or path.startswith(user + os.sep)) else path
