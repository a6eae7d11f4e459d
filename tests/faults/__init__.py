"""Faults put into every file system call of a command; `sweep` has the how, the tests the what."""
