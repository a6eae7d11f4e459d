"""improve match."""

from __future__ import annotations

import sys

import click

from improve.cli.common import say


@click.command(
    "match",
    epilog="""\b
Example:
  echo '{"id": 1, "a": "Use pnpm", "b": "Use npm"}' | improve match""",
)
def match_command() -> int:
    """Say for pairs of rules whether they are the same; JSON lines in, JSON lines out.

    Reads `{"id", "a", "b"}` from standard input and answers `{"id", "relation", "score"}`, where relation is
    `same`, `contradict`, `related` or `different`.
    """
    from improve.match import answer_pairs

    for line in answer_pairs(sys.stdin):
        say(line)
    return 0
