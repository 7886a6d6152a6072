"""`troth.haystack` under the name that Haystack loads from a pipeline's YAML without asking.

All names load at once: Haystack looks for a component among those that are there after the import.
"""

from troth.haystack import *  # noqa: F403 - the same names, whatever they are
from troth.haystack import __all__ as __all__
