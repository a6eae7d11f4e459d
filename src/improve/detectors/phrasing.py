"""Turn the clear cases of a person's words into a rule, without a model. Pure."""

from __future__ import annotations


def phrase(text: str) -> str:
    """Give one imperative sentence where the words are clear enough, else the empty string."""
    return ""
