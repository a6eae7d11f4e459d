"""improve: make coding agents learn from their user, for good."""

__version__ = "0.1.0"
