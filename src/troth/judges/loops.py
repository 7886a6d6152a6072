"""Whose event loop is running: the caller's, or one that was made for this run and ends with it."""

from __future__ import annotations

from contextvars import ContextVar

# What is opened on a loop of our own is of no use to the next run, and must not be left behind.
OWN_LOOP: ContextVar[bool] = ContextVar("troth_own_loop", default=False)
