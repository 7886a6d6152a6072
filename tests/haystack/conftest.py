"""Haystack reports usage to its makers unless it is told not to before its first import."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
