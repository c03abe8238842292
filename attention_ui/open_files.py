"""How many files this process may have open: as many as a class of visitors needs.

Each visitor takes three (an event loop), and Streamlit keeps 128 visitors who have left for two
minutes. A terminal's usual bound of 256 (macOS) was reached by the 79th page load, and from then on
nobody got in.
"""

from __future__ import annotations

import sys
from contextlib import suppress

ENOUGH = 8192


def allow_enough() -> None:
    """Raise the bound of this process as far as the system lets it, up to `ENOUGH`; a higher one
    stays, and Windows has none.
    """
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(ENOUGH, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # Some systems have a lower bound than the one they name.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
