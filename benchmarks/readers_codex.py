"""Time the reader of Codex's rollouts, and compare what it counts with two public parsers, each where it is installed.

    python benchmarks/readers_codex.py FILE… [--runs 5]

`pip install cc-session-core` (Python 3.12 or later) and `pip install agent-session-reader` bring the parsers. Both give
back what stands in the rows, so that they count other things, on the real files for these reasons:

- cc-session-core counts every item in the person's name as a prompt: on top of ours are exactly the items that begin
  with `<environment_context>` or `# AGENTS.md instructions`. Calls, results and texts are the same.
- agent-session-reader counts those as prompts, too, and drops prompts whose words were said before (`yes please`); its
  texts of the agent hold each call as well, and results of free-form tools are missing.
- Neither says which results failed, and neither takes off what the extensions put before a prompt.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from improve.session import AGENT, PERSON
from improve.transcripts import reader


class Count(NamedTuple):
    """What a parser finds in a rollout."""

    prompts: int
    texts: int | None
    """Of the agent; None, here and below, for a parser that does not tell."""
    calls: int | None
    results: int
    failed: int | None


def ours(path: Path) -> Count:
    """Count with our reader, every body read."""
    prompts = texts = calls = results = failed = 0
    for session in reader("codex").read(str(path), 0):
        for turn in session:
            body = turn.body
            prompts += turn.who == PERSON
            texts += turn.who == AGENT and bool(body.text)
            calls += len(body.calls)
            results += len(body.results)
            failed += sum(result.failed for result in body.results)
    return Count(prompts, texts, calls, results, failed)


def core(path: Path) -> Count:
    """Count with cc-session-core: https://pypi.org/project/cc-session-core/."""
    from cc_session_core.codex.session import CodexSession  # type: ignore[import-not-found, unused-ignore]

    prompts = texts = calls = results = 0
    for _, record in CodexSession.load(path).ordered():
        content = getattr(getattr(record, "message", None), "content", None)
        blocks = content if isinstance(content, list) else []
        kinds = [getattr(block, "type", "") for block in blocks]
        results += kinds.count("tool_result")
        calls += kinds.count("tool_use")
        if record.type == "user" and "tool_result" not in kinds:
            prompts += 1
        texts += record.type == "assistant" and "text" in kinds
    return Count(prompts, texts, calls, results, None)


def other(path: Path) -> Count:
    """Count with agent-session-reader: https://pypi.org/project/agent-session-reader/."""
    from ai_r.parsers import codex  # type: ignore[import-not-found, unused-ignore]

    found = codex._extract_messages_from_rollout(path)  # its public door looks a session up by its id
    roles = [str(getattr(message.role, "value", message.role)) for message in found]
    return Count(roles.count("user"), None, None, roles.count("tool"), None)


PARSERS: tuple[tuple[str, Callable[[Path], Count]], ...] = (
    ("improve", ours),
    ("cc-session-core", core),
    ("agent-session-reader", other),
)


def main() -> None:
    """Print a row for each file and parser."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--runs", type=int, default=5)
    chosen = options.parse_args()
    print(f"{'file':24} {'parser':22} {'MB/s':>7}  prompts  texts  calls  results  failed")
    for path in chosen.files:
        for name, count in PARSERS:
            try:
                found = count(path)
            except ImportError:
                continue
            best = min(_timed(count, path) for _ in range(chosen.runs))
            size = path.stat().st_size / 1e6
            figures = "  ".join(f"{'-' if n is None else n:>6}" for n in found)
            print(f"{path.name[:24]:24} {name:22} {size / best:7.1f}  {figures}")


def _timed(count: Callable[[Path], Count], path: Path) -> float:
    begin = time.process_time()
    count(path)
    return time.process_time() - begin


if __name__ == "__main__":
    main()
