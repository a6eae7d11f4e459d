"""improve detect."""

from __future__ import annotations

import sys

import click

from improve.cli.common import say

_BAD_INPUT = 2


@click.command(
    "detect",
    epilog="""\b
Examples:
  echo '{"id": 1, "text": "no! from now on always use pnpm"}' | improve detect
  improve detect < messages.jsonl > judged.jsonl

\b
A line of input:
  {"id": "m1", "text": "still broken", "prev_assistant": "Fixed it.", "next_user": "", "turn_index": 4}
  id and all but text may be missing. prev_assistant is the end of what the agent had said, next_user the
  start of what the person wrote next, turn_index how many messages of the person stand before this one.

\b
A line of output:
  {"id": "m1", "signal": "correction", "durable": false, "severity": 2, "confidence": 0.97, "tier": "sure",
   "rank": 0.11}
  tier      sure: counted without asking; review: shown to somebody who decides; none: dropped
  rank      how likely a rule for later sessions comes of it; what waits is shown in this order
  rule      only where the words are clear enough to phrase one without a model
  A line that cannot be judged, an empty one too, is answered by {"id": ..., "error": ...}; the exit code is 2.""",
)
@click.option("--json", "as_json", is_flag=True, help="The answer is JSON lines with and without it.")
def detect_command(as_json: bool) -> int:
    """Say for messages of a person whether they correct the agent; JSON lines in, JSON lines out.

    Nothing is stored and no model is asked.
    """
    from improve.detectors.door import answer

    del as_json  # taken because every command takes it
    bad = 0
    for line, judged in answer(sys.stdin or ()):
        say(line)
        sys.stdout.flush()
        bad += not judged
    if bad:
        click.echo(f"improve: {bad} of the lines could not be judged; each has its error in the answer", err=True)
    return _BAD_INPUT if bad else 0
