"""What may be asked of one core: a run of at most a minute, and arrays that fit into memory
beside each other.
"""

from __future__ import annotations

import math

from .checks import short_repr
from .errors import SettingsError

MAX_SECONDS = 60.0
# 512 MB as float64.
MAX_ARRAY_NUMBERS = 2**26
# In one layer, over all heads and sequences: each of its arrays of scores takes 16 GB as
# float64.
MAX_SCORES = 2**31


def check_seconds(seconds: float, remedy: str) -> None:
    """Raises: SettingsError, with the estimate, for a run that would take longer than a minute."""
    if seconds > MAX_SECONDS:
        about = f"about {seconds:.0f} seconds" if seconds < 1e6 else "more than a week"
        raise SettingsError(
            f"This run would take {about} on one core, but at most {MAX_SECONDS:.0f} are"
            f" allowed: {remedy}"
        )


def check_room(most: int = MAX_ARRAY_NUMBERS, /, **sizes: int) -> None:
    """Raises: SettingsError when an array of these sizes, given by their names, would hold too
    many numbers.
    """
    if math.prod(sizes.values()) > most:
        product = " × ".join(f"{name} {short_repr(size)}" for name, size in sizes.items())
        raise SettingsError(
            f"{product} are more than the {most:,} numbers there is room for: choose fewer"
        )


def check_scores(n_batch: int, n_heads: int, n_queries: int, n_keys: int) -> None:
    """Raises: SettingsError when a layer would have more scores than there is room for."""
    check_room(MAX_SCORES, batch=n_batch, heads=n_heads, queries=n_queries, keys=n_keys)
