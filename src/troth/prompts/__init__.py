"""Prompts are data: one file per ask and language."""
