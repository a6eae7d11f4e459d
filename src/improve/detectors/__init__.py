"""Detectors: pure functions that find candidates in a session and never act."""
