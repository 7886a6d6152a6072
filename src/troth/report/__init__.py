"""Runs made visible: terminal, JSON, progress."""
