"""Runs, scores and replies on disk."""

from troth.store.base import Entry, RunStore
from troth.store.journal import Journal
from troth.store.runs import Store

__all__ = ["Entry", "Journal", "RunStore", "Store"]
