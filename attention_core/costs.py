"""What may be asked of one core: a run of at most a minute, and arrays that fit into memory beside each other."""

from __future__ import annotations

import math

from .checks import shown
from .errors import SettingsError

LONGEST_SECONDS = 60.0
# 512 MB as float64.
MOST_NUMBERS = 2**26


def check_seconds(seconds: float, remedy: str) -> None:
    """Raises: SettingsError, with the estimate, for a run that would take longer than a minute."""
    if seconds > LONGEST_SECONDS:
        about = f"about {seconds:.0f} seconds" if seconds < 1e6 else "more than a week"
        raise SettingsError(
            f"This run would take {about} on one core, but at most {LONGEST_SECONDS:.0f} are allowed: {remedy}"
        )


def check_room(**sizes: int) -> None:
    """Raises: SettingsError when an array of these sizes, given by their names, would hold too many numbers."""
    if math.prod(sizes.values()) > MOST_NUMBERS:
        product = " × ".join(f"{name} {shown(size)}" for name, size in sizes.items())
        raise SettingsError(f"{product} are more than the {MOST_NUMBERS:,} numbers there is room for: choose fewer")
