"""The lines by which what we tell an agent is known again, so that we never learn from our own words."""

from __future__ import annotations

STAMP = "improve-rules v1"
"""First line of the text at the start of a session; the plugins of hosts know its beginning, too."""
DENIED = f"{STAMP}: this call was denied"
"""How the reason begins that a guard gives: some hosts record it as any other error."""
MISSING_BEGINS = "Corrections this person has made before"
MISSING = f"{MISSING_BEGINS} and that no instruction file loaded here says in these words:"
RECURRING_BEGINS = "Loaded from a file here, and corrected again since"
RECURRING = f"{RECURRING_BEGINS} it was written:"
