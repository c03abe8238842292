"""The experiments of the mask workshop: each takes the bench and shows one thing that a mask
does or does not.
"""

from __future__ import annotations

from .empty_rows import padded_queries, row_with_nothing_left
from .hidden_scores import how_to_hide, mask_or_scale_first
from .painting import paint

EXPERIMENTS = {
    "paint a mask": paint,
    "how to hide": how_to_hide,
    "mask or scale first": mask_or_scale_first,
    "nothing left": row_with_nothing_left,
    "padded queries": padded_queries,
}
