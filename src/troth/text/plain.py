"""Text that is shown: on one line, and without what could steer a terminal."""

from __future__ import annotations


def plain(text: str) -> str:
    """`text` without control characters: what is evaluated must not steer the terminal."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def shorten(text: str, limit: int) -> str:
    """One printable line of at most `limit` characters."""
    flat = " ".join(plain(text[: limit * 4]).split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"
