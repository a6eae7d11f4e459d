"""The errors a person can meet, each with its exit code (docs/commands.md lists them)."""

from __future__ import annotations


class ImproveError(Exception):
    """An expected failure: one clear sentence saying what, where, what was not done and what to do next."""

    exit_code = 1


class UsageError(ImproveError):
    """The command line asks for something that makes no sense."""

    exit_code = 2


class Refused(ImproveError):
    """Policy says no; nothing was written."""

    exit_code = 3


class Busy(ImproveError):
    """Another process holds the lock or keeps changing the file; the observation is kept in the spool."""

    exit_code = 4


class EnvironmentFailure(ImproveError):
    """The machine does not let us: disk full, read-only, no permission, no home."""

    exit_code = 5


class NeedsRepair(ImproveError):
    """A store file cannot be understood. Collects every problem, each with its line."""

    exit_code = 6

    def __init__(self, path: str, problems: list[str], *, rebuild: bool = False) -> None:
        """Say what is wrong.

        Args:
            rebuild: it is rules.yaml, broken so that making it anew helps.
        """
        self.path = path
        self.problems = problems
        listed = f" {problems[0]}" if len(problems) == 1 else "".join(f"\n  {p}" for p in problems)
        advice = "Fix the file, or run: improve doctor --fix" if rebuild else "Fix it there, then run this again"
        super().__init__(f"{path}:{listed}\nNothing was changed. {advice}")


class NoSuchRule(ImproveError):
    """No rule has this id."""

    exit_code = 7
