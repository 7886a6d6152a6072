"""Runs, scores and replies on disk."""

from troth.store.sqlite import Store

__all__ = ["Store"]
