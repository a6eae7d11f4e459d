"""`improve` and `python -m improve`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.argv[1:2] == ["hook"]:  # on every prompt: it does without the command line
        from improve import hook

        hook.main(sys.argv[2:])
    from improve.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
