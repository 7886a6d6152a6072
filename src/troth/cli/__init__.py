"""The command line: thin over the API."""

from troth.cli.main import main

__all__ = ["main"]
