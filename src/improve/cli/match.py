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
@click.option("--json", "as_json", is_flag=True, help="The answer is JSON lines with and without it.")
def match_command(as_json: bool) -> int:
    """Say for pairs of rules whether they are the same; JSON lines in, JSON lines out.

    Reads `{"id", "a", "b"}` from standard input and answers `{"id", "relation", "score"}`, where relation is
    `same`, `contradict`, `related` or `different`.
    """
    from improve.match import answer_pairs

    del as_json  # taken because every command takes it
    for line in answer_pairs(sys.stdin):
        say(line)
    return 0
